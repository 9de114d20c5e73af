#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Swap under pressure in the guest: the same program on each kind of swap.

The program (memsig) has more memory than there is, visits all of its pages in random
order again and again, verifies each and changes a third. The media are the kernel's own
memory (mtdram), as zram's pool is. The same load takes more or
less time when it is repeated, so that all but mtdblock take turns, ROUNDS times.
Results are lines of "BENCH " and a JSON object.

usage: swapload.py MEDIA_MIB PROGRAM_MIB ROUNDS COMP...
"""
import os
import signal
import subprocess
import sys
import time

from measure import BUILD, PAGE, Compressed, Mtdram, Zram, read, run, say, vmstat, write

MIB = 1 << 20
# Bytes of the swap device per byte of media.
RATIO = 3


def counters():
    return vmstat("pswpout", "pswpin", "pgmajfault")


def idle_ns():
    """While nothing ran, waiting included, since the guest was started."""
    fields = read("/proc/stat").split("\n", 1)[0].split()
    return (int(fields[4]) + int(fields[5])) * 10**9 // os.sysconf("SC_CLK_TCK")


def load(what, comp, disk, mib):
    run("mkswap", disk)
    run("swapon", disk)
    write("/proc/sys/vm/drop_caches", "3")
    before, idle, start = counters(), idle_ns(), time.monotonic_ns()
    done = subprocess.run([f"{BUILD}/selftests/memsig", "-m", str(mib), "-g",
                           "3"], check=False, stdout=subprocess.DEVNULL)
    ns, idle = time.monotonic_ns() - start, idle_ns() - idle
    # mtdblock does not learn about free pages, so the media may become full.
    killed = done.returncode == -signal.SIGKILL
    if done.returncode and not killed:
        raise RuntimeError(f"{what}: the program failed")
    out, in_, faults = (b - a for a, b in zip(before, counters()))
    say("load", what=what, comp=comp, ns=ns, idle=idle, out=out, faults=faults,
        killed=killed, **{"in": in_})
    run("swapoff", disk)


def zram(comp, media, mib):
    with Zram(RATIO * media, comp) as disk:
        load(f"zram {comp}", comp, disk, mib)


def ours(comp, media, mib, options, way):
    with Mtdram(media) as lower, \
            Compressed(lower, RATIO * media // PAGE, f"comp={comp}{options}",
                       way == "own") as disk:
        load(f"{way} {comp}{options}", comp, disk, mib)


def main():
    media, mib, rounds = int(sys.argv[1]) * MIB, int(sys.argv[2]), int(sys.argv[3])
    write("/run/mtdc-allow-oom", "")
    write("/proc/sys/vm/swappiness", "100")
    # Read one page at a time, as zram does.
    write("/proc/sys/vm/page-cluster", "0")
    run("modprobe", "mtdblock")
    run("modprobe", "mtdcompr")
    for comp in sys.argv[4:]:
        for _ in range(rounds):
            if comp != "zlib":
                zram(comp, media, mib)
            ours(comp, media, mib, ",sync=1", "own")
            ours(comp, media, mib, ",sync=0", "own")
        ours(comp, media, mib, "", "mtdblock")
    say("end")


if __name__ == "__main__":
    main()
