#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Swap under pressure in the guest: the same program on each kind of swap.

The program (memsig) has more memory than there is, visits all of its pages in random
order again and again, verifies each and changes a third. The media are the kernel's own
memory (mtdram), as zram's pool is. Results are lines of "BENCH " and a JSON object.

usage: swapload.py MEDIA_MIB PROGRAM_MIB COMP...
"""
import json
import os
import signal
import subprocess
import sys
import time

BUILD = os.environ["MTDC_BUILD"]
SYS = "/sys/devices/mtdcompr"
ZRAM = "/sys/block/zram0"


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def counters():
    with open("/proc/vmstat", encoding="utf-8") as file:
        pairs = dict(line.split() for line in file)
    return [int(pairs[key]) for key in ("pswpout", "pswpin", "pgmajfault")]


def mtd_number(name):
    with open("/proc/mtd", encoding="utf-8") as file:
        for line in file:
            if line.rstrip().endswith(f'"{name}"'):
                return int(line[3:line.index(":")])
    raise RuntimeError(f"no MTD {name}")


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
    print("BENCH", json.dumps({"what": what, "comp": comp, "ns": ns, "out": out,
                               "in": in_, "faults": faults, "killed": killed}), flush=True)
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
    print("BENCH", json.dumps({"what": "end"}), flush=True)


if __name__ == "__main__":
    main()
