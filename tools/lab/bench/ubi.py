#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What the same overwrites cost on a chip itself, on a UBI volume, and by gluebi.

Runs in the guest. Our log is given the same chip (mtdsim: NAND of 128 MiB, 2 KiB a page;
its times are counted, not waited for) and the same requests each time: as many pages as
fill four fifths of what it promises on the volume, overwritten three times over in
random order, and compared. What is counted is what the chip has counted in the
overwrites. Results are a table on the lines that begin with "UBI ".
"""
import time

from chips import Mtdsim
from measure import PAGE, SET, BUILD, SYS, Compressed, mtd_number, run, write

CHIP = 128 << 20
TURNS = 3
FILL_PERCENT = 80
OPTIONS = "comp=lz4"
ROWS = (
    ("usable, KiB", lambda r: r["promised"] >> 10),
    ("NAND pages programmed", lambda r: r["bytes_programmed"] // 2048),
    ("bytes programmed / stored", lambda r: f'{r["bytes_programmed"] / r["stored"]:.3f}'),
    ("blocks erased", lambda r: r["erases"]),
    ("NAND pages read", lambda r: r["bytes_read"] // 2048),
    ("time of the chip, s", lambda r: f'{r["ns"] / 1e9:.2f}'),
    ("time of all, s", lambda r: f'{r["s"]:.1f}'),
    ("attach: time of the chip, ms", lambda r: f'{r["attach_ns"] / 1e6:.1f}'),
    ("attach: time of all, ms", lambda r: f'{r["attach_s"] * 1e3:.0f}'),
    ("our tables, KiB", lambda r: r["metadata"] >> 10),
    ("violations", lambda r: r["violations"]),
)


def since(before):
    return {key: value - before[key] for key, value in Mtdsim.counters().items()}


def overwrite(device, slots, turns):
    run(f"{BUILD}/bench/overwrite", device, SET, str(slots), str(turns))


def chip_of_its_own():
    return Mtdsim(CHIP, "delay=none")


class Ubi:
    """A UBI on the chip, all of it one volume, attached as on the next boot."""

    def __init__(self, chip):
        lower = str(chip.number)
        run("ubiattach", "-d", "0", "-m", lower)
        run("ubimkvol", "/dev/ubi0", "-N", "swap", "-m")
        # Otherwise UBI's thread would still erase the blank chip after the attach.
        time.sleep(5)
        run("ubidetach", "-d", "0")
        before, start = Mtdsim.counters(), time.monotonic()
        run("ubiattach", "-d", "0", "-m", lower)
        self.cost = {"attach_s": time.monotonic() - start,
                     "attach_ns": since(before)["ns"]}

    def __enter__(self):
        return self.cost

    def __exit__(self, *exc):
        run("ubidetach", "-d", "0")


def attach(lower, pages):
    write(f"{SYS}/attach", f"{lower},name=c,size={pages * PAGE},{OPTIONS}")
    return f"/dev/mtdblock{mtd_number('c')}"


def fitting(lower):
    """Pages that fill FILL_PERCENT of what is promised there."""
    pages = 4000
    overwrite(attach(lower, pages), pages, 0)
    have = Compressed.stats()
    write(f"{SYS}/detach", "c")
    return have["media_bytes"] * FILL_PERCENT // 100 * pages // have["media_used_bytes"]


def measured(lower, slots, below):
    before, start = Mtdsim.counters(), time.monotonic()
    device = attach(lower, slots)
    result = {"attach_s": time.monotonic() - start + below["attach_s"],
              "attach_ns": since(before)["ns"] + below["attach_ns"]}
    overwrite(device, slots, 0)
    full = Compressed.stats()
    before, start = Mtdsim.counters(), time.monotonic()
    overwrite(device, slots, TURNS)
    result |= since(before) | {"s": time.monotonic() - start}
    now = Compressed.stats()
    write(f"{SYS}/detach", "c")
    return result | {
        "promised": full["media_bytes"], "metadata": full["metadata_bytes"],
        "stored": TURNS * full["media_used_bytes"], "state": now["state"]}


def on_ubi(lower, slots):
    with chip_of_its_own() as chip, Ubi(chip) as cost:
        return measured(lower, slots, cost)


def main():
    nothing = {"attach_s": 0, "attach_ns": 0}
    run("tools/lab/bench/pageset.py", SET)
    for module in ("mtdblock", "mtdcompr", "ubi"):
        run("modprobe", module)
    with chip_of_its_own() as chip, Ubi(chip):
        slots = fitting("ubi0:swap")
    print("UBI", f"{TURNS * slots} overwrites of {slots} pages, {OPTIONS}", flush=True)
    results = [on_ubi("ubi0:swap", slots)]
    run("modprobe", "gluebi")
    results.append(on_ubi("swap", slots))
    run("rmmod", "gluebi")
    with chip_of_its_own() as chip:
        results.insert(0, measured(chip.number, slots, nothing))
    print("UBI | | the chip | ubi0:swap | gluebi |")
    print("UBI |---|---|---|---|")
    for name, value in ROWS:
        print("UBI |", name, "|", " | ".join(str(value(r)) for r in results), "|")
    print("UBI states:", *(r["state"] for r in results), flush=True)


main()
