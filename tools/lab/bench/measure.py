#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compare MTDCOMPR with zram in the guest, on one set of memory pages.

Results go to standard output as lines of "BENCH " and a JSON object; run.sh
picks them out of the console's log, and report.py makes tables of them.

usage: measure.py all|quick|profile COMP ZRAM_COMP [own]
"""
import base64
import json
import lzma
import os
import random
import subprocess
import sys

PAGE = 4096
SET = "/run/mtdc-set"
BUILD = os.environ["MTDC_BUILD"]
RESERVE = int(os.environ.get("MTDC_RESERVE_ADDR", "0"), 0)
RESERVE_SIZE = int(os.environ.get("MTDC_RESERVE_SIZE", "0"))
SYS = "/sys/devices/mtdcompr"
ZRAM = "/sys/block/zram0"
# Spare media of a device that the set fills.
ROOM_PERCENT = 12
PAGES_MIN = 8000
# Incompressible pages, and pages of one repeated word.
RANDOM, FILLED = "/run/mtdc-random", "/run/mtdc-filled"
KIND_PAGES = 4000
# Filled pages need no media, but a device does.
MEDIA_MIN = 4 << 20


def say(kind, **fields):
    print("BENCH", json.dumps({"kind": kind, **fields}), flush=True)


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pageio(device, passes, mark=False, pages_of=SET):
    lines = run(f"{BUILD}/bench/pageio", *(["-m"] if mark else []), device,
                pages_of, passes).splitlines()
    names = lines[0].split(",")
    return [{name: value if name == "pass" else int(value)
             for name, value in zip(names, line.split(","))}
            for line in lines[1:]]


def vmstat(*keys):
    pairs = dict(line.split() for line in read("/proc/vmstat").splitlines())
    return [int(pairs[key]) for key in keys]


def mtd_number(name):
    for line in read("/proc/mtd").splitlines():
        if line.endswith(f'"{name}"'):
            return int(line[3:line.index(":")])
    raise RuntimeError(f"no MTD {name}")


class Phram:
    """An MTD in memory outside the guest kernel's."""

    def __init__(self, size):
        size = -(-size // PAGE) * PAGE
        if size > RESERVE_SIZE:
            raise RuntimeError(f"{size} bytes of media are not reserved")
        run("modprobe", "phram", f"phram=bench,{RESERVE:#x},{size},{PAGE}")

    def __enter__(self):
        return mtd_number("bench")

    def __exit__(self, *exc):
        run("rmmod", "phram")


class Mtdram:
    """An MTD in the kernel's own memory, like zram's pool."""

    def __init__(self, size):
        run("modprobe", "mtdram", f"total_size={size >> 10}", "erase_size=4")

    def __enter__(self):
        return mtd_number("mtdram test device")

    def __exit__(self, *exc):
        run("rmmod", "mtdram")


class Zram:
    """A zram device, to compare with."""

    def __init__(self, size, comp):
        run("modprobe", "zram", "num_devices=1")
        write(f"{ZRAM}/comp_algorithm", comp)
        write(f"{ZRAM}/disksize", str(size))

    def __enter__(self):
        return "/dev/zram0"

    def __exit__(self, *exc):
        run("rmmod", "zram")


class Compressed:
    """MTDCOMPR on an MTD, through its own block device or mtdblock."""

    def __init__(self, lower, pages, options, own=False):
        self.own = own
        write(f"{SYS}/attach",
              f"{lower},size={pages * PAGE},name=c,{options}")

    def __enter__(self):
        if self.own:
            return f"/dev/{self.stats()['disk']}"
        return f"/dev/mtdblock{mtd_number('c')}"

    def __exit__(self, *exc):
        write(f"{SYS}/detach", "c")

    @staticmethod
    def stats():
        pairs = (line.split(": ", 1)
                 for line in read("/proc/mtdcompr/c").splitlines())
        return {key: int(value) if value.isdigit() else value
                for key, value in pairs}


def need(pages, options, pages_of=SET):
    """Media bytes of the set on a device with plenty of room."""
    with Phram(RESERVE_SIZE) as lower:
        with Compressed(lower, pages, options) as device:
            pageio(device, "w", pages_of=pages_of)
            return Compressed.stats()["media_used_bytes"]


def ours(pages, comp, alloc, passes, kind="ours", pages_of=SET):
    options = f"comp={comp},alloc={alloc}"
    media = need(pages, options, pages_of) * (100 + ROOM_PERCENT) // 100
    with Phram(max(media, MEDIA_MIN)) as lower:
        with Compressed(lower, pages, options, kind == "own") as device:
            for step in passes:
                times = pageio(device, step, pages_of=pages_of)
                say(kind, comp=comp, alloc=alloc, step=step, times=times,
                    stats=Compressed.stats(), pages_of=pages_of)


def slab_bytes(name):
    """Memory of a slab cache, from its number of pages."""
    for line in read("/proc/slabinfo").splitlines():
        field = line.split()
        if field[0] == name:
            return int(field[14]) * int(field[5]) * PAGE
    return None


def zram_memory():
    """Memory of zram besides the pages of its pool."""
    tables = [int(line.split()[1]) for line
              in read("/proc/vmallocinfo").splitlines() if "zram" in line]
    return {"table_bytes": sum(tables), "handle_bytes": slab_bytes("zs_handle"),
            "zspage_bytes": slab_bytes("zspage")}


def zram(pages, comp, passes, pages_of=SET):
    with Zram(pages * PAGE, comp) as device:
        for step in passes:
            times = pageio(device, step, pages_of=pages_of)
            names = ("orig", "compr", "used", "limit", "used_max", "same",
                     "compacted", "huge")
            stats = dict(zip(names, map(int, read(f"{ZRAM}/mm_stat").split())))
            say("zram", comp=comp, step=step, times=times, stats=stats,
                memory=zram_memory(), pages_of=pages_of)


def raw(pages, passes):
    """mtdblock on the media without MTDCOMPR: the lower bound."""
    with Phram(pages * PAGE) as lower:
        for step in passes:
            say("raw", step=step,
                times=pageio(f"/dev/mtdblock{lower}", step))


def profile(pages, comp, zram_comp, own=False):
    """Run all passes for the profiler; print the addresses of the kernel's code."""
    def marked(what, device):
        say("profile", what=what, times=pageio(device, "wrWR", True))

    with Phram(pages * PAGE) as lower:
        marked("mtdblock", f"/dev/mtdblock{lower}")
    options = f"comp={comp}"
    media = need(pages, options) * (100 + ROOM_PERCENT) // 100
    with Phram(media) as lower, \
            Compressed(lower, pages, options, own) as device, \
            Zram(pages * PAGE, zram_comp) as peer:
        marked(f"MTDCOMPR, {comp}", device)
        marked(f"zram, {zram_comp}", peer)
        symbols = [line.split(None, 2) for line
                   in read("/proc/kallsyms").splitlines()]
    text = "".join(f"{address} {name}\n" for address, type_, name in symbols
                   if type_ in "tTwW")
    packed = base64.b64encode(lzma.compress(text.encode())).decode()
    say("symbols", xz=packed)


def take_pages():
    lines = run("tools/lab/bench/pageset.py", SET).splitlines()
    names = lines[0].split(",")
    say("set", programs=[dict(zip(names, line.split(",")))
                         for line in lines[1:]])
    pages = os.path.getsize(SET) // PAGE
    if pages < PAGES_MIN:
        raise RuntimeError(f"{pages} pages are too few")
    return pages


def make_pages():
    source = random.Random(1)
    with open(RANDOM, "wb") as file:
        for _ in range(KIND_PAGES):
            file.write(source.randbytes(PAGE))
    with open(FILLED, "wb") as file:
        for nr in range(KIND_PAGES):
            file.write(nr.to_bytes(8, "little") * (PAGE // 8))


def compare_kinds(passes):
    """Measure pages that all compressors handle alike."""
    make_pages()
    for pages_of in (RANDOM, FILLED):
        zram(KIND_PAGES, "lz4", passes, pages_of)
        ours(KIND_PAGES, "lz4", "rotate", passes, "own", pages_of)


def compare(pages, quick):
    passes = ("wr", "WR")
    raw(pages, passes)
    for _ in range(1 if quick else 2):
        # Twice, to check that the figures are the same.
        zram(pages, "lz4", passes)
        ours(pages, "lz4", "rotate", passes, "own")
        ours(pages, "lz4", "rotate", passes)
    compare_kinds(passes)
    if quick:
        return
    for alloc in ("best", "largest"):
        ours(pages, "lz4", alloc, passes)
    for comp in ("lzo-rle", "lzo", "zstd"):
        zram(pages, comp, passes)
    for comp in ("lzo", "zlib", "zstd"):
        ours(pages, comp, "rotate", passes, "own")
        ours(pages, comp, "rotate", passes)


def main():
    pages = take_pages()
    run("modprobe", "mtdblock")
    run("modprobe", "mtdcompr")
    if sys.argv[1] == "profile":
        profile(pages, *sys.argv[2:])
    else:
        compare(pages, sys.argv[1] == "quick")
    say("end")


if __name__ == "__main__":
    main()
