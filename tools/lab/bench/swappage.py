#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measure the cost of swapping a page out and in, in the guest, by the kernel itself.

PAGES pages of text (the sources of Python's library) are given to swap by MADV_PAGEOUT, and
touched again in random order, on zram and on MTDCOMPR's block device in turn, with large
folios (MTHP) and without, where the kernel has them. The media are the kernel's own memory
(mtdram), as zram's pool is. Results are lines of "BENCH " and a JSON object.

usage: swappage.py PAGES COMP...
"""
import glob
import mmap
import random
import sys
import time

from measure import PAGE, Compressed, Mtdram, Zram, run, say, vmstat, write

MADV_PAGEOUT = 21
MTHP = "/sys/kernel/mm/transparent_hugepage/hugepages-*/enabled"


def text(pages):
    """So many pages of it."""
    found = b""
    for name in sorted(glob.glob("/usr/lib/python3*/**/*.py", recursive=True)):
        with open(name, "rb") as file:
            found += file.read()
        if len(found) >= pages * PAGE:
            return found[:pages * PAGE]
    raise RuntimeError("too little text")


def swapped():
    return vmstat("pswpout", "pswpin")


def load(what, comp, disk, pages, contents):
    run("mkswap", disk)
    run("swapon", disk)
    memory = mmap.mmap(-1, pages * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory[:] = contents
    before, start = swapped(), time.monotonic_ns()
    memory.madvise(MADV_PAGEOUT)
    out_ns, between = time.monotonic_ns() - start, swapped()
    order = list(range(0, pages * PAGE, PAGE))
    random.Random(1).shuffle(order)
    start = time.monotonic_ns()
    for offset in order:
        memory[offset]  # pylint: disable=pointless-statement
    in_ns, after = time.monotonic_ns() - start, swapped()
    if memory[:] != contents:
        raise RuntimeError(f"{what}: wrong data")
    out, back = between[0] - before[0], after[1] - between[1]
    say("swappage", what=what, comp=comp, out=out, back=back,
        out_us=round(out_ns / max(out, 1) / 1000, 2),
        in_us=round(in_ns / max(back, 1) / 1000, 2))
    memory.close()
    run("swapoff", disk)


def main():
    pages = int(sys.argv[1])
    contents = text(pages)
    write("/proc/sys/vm/page-cluster", "0")
    run("modprobe", "mtdcompr")
    for mthp in ("never", "always"):
        for name in glob.glob(MTHP):
            write(name, mthp)
        for comp in sys.argv[2:]:
            with Zram(2 * pages * PAGE, comp) as disk:
                load(f"zram, MTHP {mthp}", comp, disk, pages, contents)
            # Without sync=1 most pages are still in the swap cache and are not read.
            with Mtdram(pages * PAGE) as lower, \
                    Compressed(lower, 2 * pages, f"comp={comp},sync=1", True) as disk:
                load(f"mtdcompr, MTHP {mthp}", comp, disk, pages, contents)
    say("end")


if __name__ == "__main__":
    main()
