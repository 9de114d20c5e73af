#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measure in the guest what encryption costs: the same work with crypt=off and crypt=on.

PAGES, the sample of memory pages that tools/lab/paper/pages.sh keeps, is written to memory
(phram) and read back, a page a request, and is written to a log on NAND; both say how much of
the media the pages take. Then a program (memsig) with PROGRAM_MIB of memory runs ROUNDS times
on swap on NAND that has the times of the datasheet, with and without in turn. Time is a count
of instructions. Results are lines of "BENCH " and a JSON object, of which cryptreport.py makes
tables.

usage: crypt.py PAGES PROGRAM_MIB ROUNDS COMP...
"""
import ctypes
import os
import shutil
import subprocess
import sys
import time

from chips import Mtdsim
from measure import BUILD, PAGE, SET, Compressed, Phram, pageio, run, say, write
from swapload import counters, idle_ns

# Plenty: the room that the pages take must not depend on the free space.
MEMORY_BYTES = 32 << 20
CHIP_BYTES = 64 << 20
# Bytes of the swap device per byte of NAND.
RATIO = 3
# The program visits all of its pages that often.
GENERATIONS = 2
# A copy that is never dropped from memory.
PROGRAM = "/run/mtdc-program/memsig"
MCL_CURRENT, MCL_FUTURE = 1, 2


def on_memory(pages, comp, crypt):
    with Phram(MEMORY_BYTES) as lower, \
            Compressed(lower, pages, f"comp={comp},crypt={crypt}", True) as device:
        for times in pageio(device, "wr"):
            say("page", machine="pc", comp=comp, crypt=crypt, **times)
        say("space", store="in place", comp=comp, crypt=crypt,
            used=Compressed.stats()["media_used_bytes"])


def on_nand(pages, comp, crypt):
    with Mtdsim(CHIP_BYTES, "profile=mt29f4g", "delay=none") as chip, \
            Compressed(chip.number, pages, f"comp={comp},crypt={crypt}", True) as device:
        pageio(device, "w")
        say("space", store="log", comp=comp, crypt=crypt,
            used=Compressed.stats()["media_used_bytes"])


def stay_in_memory():
    """The guest's clock jumps ahead while all wait for a file of the host. So nothing reads one
    while a load runs: neither the program nor this one, when it looks at the clock."""
    if ctypes.CDLL(None).mlockall(MCL_CURRENT | MCL_FUTURE):
        raise RuntimeError("mlockall failed")
    directory = os.path.dirname(PROGRAM)
    os.mkdir(directory)
    run("mount", "-t", "ramfs", "none", directory)
    shutil.copy(f"{BUILD}/selftests/memsig", PROGRAM)


def swap(crypt, mib):
    with Mtdsim(CHIP_BYTES, "profile=mt29f4g", "delay=sleep") as chip, \
            Compressed(chip.number, RATIO * CHIP_BYTES // PAGE, f"comp=lz4,crypt={crypt}",
                       True) as disk:
        run("mkswap", disk)
        run("swapon", disk)
        write("/proc/sys/vm/drop_caches", "3")
        before, done = counters(), chip.counters()
        idle, start = idle_ns(), time.monotonic_ns()
        subprocess.run([PROGRAM, "-m", str(mib), "-g", str(GENERATIONS)],
                       check=True, stdout=subprocess.DEVNULL)
        ns, idle = time.monotonic_ns() - start, idle_ns() - idle
        out, in_, _ = (b - a for a, b in zip(before, counters()))
        chip_did = {key: value - done[key] for key, value in chip.counters().items()}
        say("swap", machine="pc", crypt=crypt, ns=ns, idle=idle, out=out, chip=chip_did,
            **{"in": in_})
        run("swapoff", disk)


def main():
    mib, rounds = int(sys.argv[2]), int(sys.argv[3])
    shutil.copyfile(sys.argv[1], SET)
    pages = os.path.getsize(SET) // PAGE
    run("modprobe", "mtdcompr")
    for comp in sys.argv[4:]:
        for crypt in ("off", "on"):
            on_memory(pages, comp, crypt)
            on_nand(pages, comp, crypt)
    os.unlink(SET)
    stay_in_memory()
    # Read one page at a time, as other measurements do.
    write("/proc/sys/vm/page-cluster", "0")
    write("/proc/sys/vm/swappiness", "100")
    for nr in range(rounds):
        for crypt in ("off", "on") if nr % 2 == 0 else ("on", "off"):
            swap(crypt, mib)
    say("end")


if __name__ == "__main__":
    main()
