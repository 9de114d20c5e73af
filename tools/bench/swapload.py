#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Swap under pressure in the guest: the same program on each kind of swap.

The program (memsig) has more memory than there is, visits all of its pages in random
order again and again, verifies each and changes a third. The media are the kernel's own
memory (mtdram), as zram's pool is. Results are lines of "BENCH " and a JSON object.

usage: swapload.py MEDIA_MIB PROGRAM_MIB COMP...
"""
import signal
import subprocess
import sys
import time

from measure import BUILD, SYS, ZRAM, mtd_number, read, run, say, write


def counters():
    pairs = dict(line.split() for line in read("/proc/vmstat").splitlines())
    return [int(pairs[key]) for key in ("pswpout", "pswpin", "pgmajfault")]


def load(what, comp, disk, mib):
    run("mkswap", disk)
    run("swapon", disk)
    write("/proc/sys/vm/drop_caches", "3")
    before, start = counters(), time.monotonic_ns()
    done = subprocess.run([f"{BUILD}/selftests/memsig", "-m", str(mib), "-g",
                           "3"], check=False, stdout=subprocess.DEVNULL)
    ns = time.monotonic_ns() - start
    # mtdblock is not told what is free, so that the media may be full for it.
    killed = done.returncode == -signal.SIGKILL
    if done.returncode and not killed:
        raise RuntimeError(f"{what}: the program failed")
    out, in_, faults = (b - a for a, b in zip(before, counters()))
    say("load", what=what, comp=comp, ns=ns, out=out, faults=faults, killed=killed,
        **{"in": in_})
    run("swapoff", disk)


def zram(comp, media, mib):
    run("modprobe", "zram", "num_devices=1")
    write(f"{ZRAM}/comp_algorithm", comp)
    write(f"{ZRAM}/disksize", f"{3 * media}M")
    load(f"zram {comp}", comp, "/dev/zram0", mib)
    run("rmmod", "zram")


def ours(comp, media, mib, options, way):
    run("modprobe", "mtdram", f"total_size={media * 1024}", "erase_size=4")
    lower = mtd_number("mtdram test device")
    write(f"{SYS}/attach", f"{lower},comp={comp},name=c{options}")
    disk = "/dev/mtdcompr0"
    if way == "mtdblock":
        disk = f"/dev/mtdblock{mtd_number('c')}"
    load(f"{way} {comp}{options}", comp, disk, mib)
    write(f"{SYS}/detach", "c")
    run("rmmod", "mtdram")


def main():
    media, mib = int(sys.argv[1]), int(sys.argv[2])
    write("/run/mtdc-allow-oom", "")
    write("/proc/sys/vm/swappiness", "100")
    # One page at a time, as on zram; mtdblock can, too.
    write("/proc/sys/vm/page-cluster", "0")
    run("modprobe", "mtdblock")
    run("modprobe", "mtdcompr")
    for comp in sys.argv[3:]:
        if comp != "zlib":
            zram(comp, media, mib)
        ours(comp, media, mib, ",sync=1", "own")
        ours(comp, media, mib, ",sync=0", "own")
        ours(comp, media, mib, "", "mtdblock")
    say("end")


if __name__ == "__main__":
    main()
