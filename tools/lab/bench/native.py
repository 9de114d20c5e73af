#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make pages for native.sh, and tables of what it has measured.

usage: native.py make DIR           random pages, and pages of one word
       native.py report DIR KDIR    KDIR: the object tree of the kernel
"""
import collections
import glob
import os
import random
import re
import statistics
import subprocess
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from tables import at_most, markdown  # noqa: E402

PAGE = 4096
# As many as there are of programs, so that all kinds meet the same caches.
KIND_PAGES = 10000

KINDS = {"set": "pages of programs", "random": "incompressible pages",
         "filled": "pages of one word"}
PASSES = {"w": "write", "r": "read", "W": "write at random", "R": "read at random"}
# What random passes between them do to the free space.
STATES = {"wr": "", "wrWR": ", media in pieces"}
GOALS = {("set", "w"): 1.00, ("set", "r"): 1.00, ("random", "w"): 1.10,
         ("random", "r"): 1.20, ("filled", "w"): 1.00, ("filled", "r"): 1.00}
MEMORY_GOAL = 0.90

# Parts by the object file that a function is in; the first that fits counts.
OBJECTS = (
    ("free space", "drivers/mtd/mtdcompr/inplace_freelist.o"),
    ("checksum", "lib/xxhash.o"),
    ("the rest of the driver", "drivers/mtd/mtdcompr/*.o"),
    ("MTD core", "drivers/mtd/mtdcore.o"),
    ("zsmalloc", "mm/zsmalloc.o"),
    ("zram", "drivers/block/zram/*.o"),
    ("compressor", "lib/lz4/*.o"),
    ("compressor", "lib/lzo/*.o"),
    ("compressor", "lib/zstd/*/*.o"),
)
# Functions of the library that only one of both calls, or whose file says nothing.
SYMBOLS = (
    ("free space", r"_find_next_(zero_)?bit|_find_next_and_bit|__bitmap_(set|clear)"),
    ("copies and fills", r"mem(cpy|set|move)(_orig)?"),
    ("clock", r"ktime_get.*|timer_read|(__vdso_)?clock_gettime.*|os_nsecs"),
)
REST = "block layer, system calls, scheduler"
# mtdram is a module, which the profiler has no names for.
UNKNOWN = "the media's driver"
LOCKED = {"mtdc_pagebuf_write", "mtdc_pagebuf_fetch", "mtdc_pagebuf_read"}


def make(directory):
    source = random.Random(1)
    with open(f"{directory}/random", "wb") as file:
        for _ in range(KIND_PAGES):
            file.write(source.randbytes(PAGE))
    with open(f"{directory}/filled", "wb") as file:
        for nr in range(KIND_PAGES):
            file.write((nr + 1).to_bytes(8, "little") * (PAGE // 8))


def read_rounds(path):
    """The times of each set: {(comp, kind, jobs, passes): {pass: {device: [ns a page]}}}; memory."""
    times, memory, current = {}, {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            field = line.strip().split(",")
            if field[0] == "set":
                current = times.setdefault(tuple(field[1:]), {
                    letter: collections.defaultdict(list) for letter in field[4]})
            elif field[0] == "used":
                memory[field[1], field[2]] = int(field[3]), int(field[4])
            elif field[0].isdigit():
                current[field[2]][field[1]].append(int(field[4]) / int(field[3]))
    return times, memory


def ratios(devices):
    return [ours / peer for ours, peer in zip(devices["mtdcompr"], devices["zram"])]


def show_rounds(times, memory):
    rows = []
    for (comp, kind, _, state), passes in times.items():
        for letter, devices in passes.items():
            pairs = ratios(devices)
            middle = statistics.median(pairs)
            goal = GOALS[kind, letter.lower()]
            rows.append((f"{PASSES[letter]}, {comp}, {KINDS[kind]}{STATES[state]}",
                         f"{statistics.median(devices['zram']):.0f}",
                         f"{statistics.median(devices['mtdcompr']):.0f}",
                         f"{middle:.3f}", f"{min(pairs):.2f} to {max(pairs):.2f}",
                         f"{goal:.2f}", at_most(goal, middle)))
    print("Nanoseconds a page, medians of all rounds; the ratio is the median of the pairs:\n")
    print(markdown(("pass", "zram", "mtdcompr", "ratio", "least to most", "goal", ""), rows,
                   remark=True))
    rows = [(comp, f"{peer}", f"{ours}", f"{ours / peer:.3f}", f"{MEMORY_GOAL:.2f}",
             at_most(MEMORY_GOAL, ours / peer))
            for (comp, kind), (peer, ours) in memory.items() if kind == "set"]
    print("Bytes of memory for the pages of programs, metadata of the driver included:\n")
    print(markdown(("compressor", "zram", "mtdcompr", "ratio", "goal", ""), rows, remark=True))


def parts(kdir):
    """The part of each function, by the object files."""
    where = {}
    for part, pattern in reversed(OBJECTS):
        for path in glob.glob(f"{kdir}/{pattern}"):
            lines = subprocess.run(["nm", path], check=True, encoding="utf-8",
                                   stdout=subprocess.PIPE).stdout.splitlines()
            for line in lines:
                kind, name = line.split()[-2:]
                if kind in "tT":
                    where[name] = part
    return where


def part_of(name, where):
    plain = re.sub(r"\.(isra|part|constprop|cold).*", "", name).split("@")[0]
    for part, pattern in SYMBOLS:
        if re.fullmatch(pattern, plain):
            return part
    return where.get(name) or where.get(plain) or (
        UNKNOWN if name.startswith("0x") else REST)


def read_profile(path, where):
    """The share of each part."""
    shares = collections.Counter()
    with open(path, encoding="utf-8") as file:
        what = file.readline().split()
        for line in file:
            match = re.match(r"\s+([0-9.]+)%\s+\[.\]\s+(\S+)", line)
            if match:
                shares[part_of(match[2], where)] += float(match[1]) / 100
    return what, shares


def show_profile(directory, kind, times, where):
    for first, letter in (1, "w"), (3, "r"):
        (_, peer), (_, ours) = (read_profile(f"{directory}/profile-{kind}.{nr}", where)
                                for nr in (first, first + 1))
        devices = times["lz4", kind, "1", "wr"][letter]
        ns = statistics.median(devices["zram"])
        # The compressor does the same for both, so it tells how fast the machine was.
        same = "compressor" if peer["compressor"] > 0.2 else REST
        scale = peer[same] / ours[same]
        rows = [(part, f"{peer[part] * ns:.0f}", f"{ours[part] * scale * ns:.0f}",
                 f"{(ours[part] * scale - peer[part]) * 100:+.1f}")
                for part in sorted(set(peer) | set(ours), key=lambda part: -peer[part] - ours[part])]
        rows.append(("together", f"{ns:.0f}", f"{sum(ours.values()) * scale * ns:.0f}",
                     f"{(sum(ours.values()) * scale - sum(peer.values())) * 100:+.1f}"))
        without = sum(ours.values()) * scale - ours["checksum"] * scale
        print(f"A {PASSES[letter]} of {KINDS[kind]}, lz4: nanoseconds a page, scaled to equal time in "
              f"the part \"{same}\"; without the checksum it would take {without:.2f} of zram's "
              "time:\n")
        print(markdown(("part", "zram", "mtdcompr", "% of zram"), rows))


def read_stacks(path):
    """Samples of perf script: lists of functions, the innermost first."""
    with open(path, encoding="utf-8") as file:
        file.readline()
        for sample in file.read().split("\n\n"):
            stack = [line.split()[1] for line in sample.splitlines() if len(line.split()) > 1]
            if stack:
                yield stack


def show_two(directory, where):
    times, _ = read_rounds(f"{directory}/rounds2.csv")
    rows = []
    for letter in PASSES:
        one, two = (times["lz4", "set", jobs, "wrWR"][letter] for jobs in "12")
        rows.append((PASSES[letter],) + tuple(
            f"{statistics.median(one[device]) / statistics.median(two[device]):.2f}"
            for device in ("zram", "mtdcompr")) + (
                f"{statistics.median(ratios(two)):.3f}",))
    print("Two processes on two processors, lz4: pages a second as a multiple of one's, and the time "
          "as a share of zram's:\n")
    print(markdown(("pass", "zram", "mtdcompr", "mtdcompr / zram"), rows))
    rows = []
    for letter, nr in ("w", 2), ("r", 4):
        total = locked = waiting = 0
        for stack in read_stacks(f"{directory}/profile-two.{nr}"):
            busy = any(part_of(name, where) != REST for name in stack)
            total += busy
            locked += busy and bool(LOCKED & set(stack))
            waiting += busy and any(name.startswith("__mutex_lock") for name in stack)
        rows.append((PASSES[letter], f"{locked / total:.1%}", f"{waiting / total:.1%}"))
    print("Of the samples in the driver and below, with two writers or readers:\n")
    print(markdown(("pass", "under store.lock", "waiting for it"), rows))


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        match = re.search(r"model name\s*: (.*)", file.read())
    return match[1] if match else os.uname().machine


def release(kdir):
    with open(f"{kdir}/include/config/kernel.release", encoding="utf-8") as file:
        return file.read().split("-mtdc")[0]


def report(directory, kdir):
    where = parts(kdir)
    times, memory = read_rounds(f"{directory}/rounds.csv")
    pages = os.path.getsize(f"{directory}/set") // PAGE
    rounds = len(times["lz4", "set", "1", "wr"]["w"]["zram"])
    print(f"## At the processor's own speed\n\n{processor()}; Linux {release(kdir)} as "
          f"User Mode Linux; {pages} pages, {rounds} rounds, requests of 1 MiB\n")
    show_rounds(times, memory)
    for kind in KINDS:
        show_profile(directory, kind, times, where)
    if os.path.exists(f"{directory}/rounds2.csv"):
        show_two(directory, where)


def main():
    if sys.argv[1:2] == ["make"] and len(sys.argv) == 3:
        make(sys.argv[2])
    elif sys.argv[1:2] == ["report"] and len(sys.argv) == 4:
        report(*sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
