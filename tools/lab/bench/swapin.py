#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measure in the guest how long it takes to read a page back from NAND.

PAGES, the sample of memory pages that tools/lab/paper/pages.sh keeps, is written to
MTDCOMPR's log and to mtdswap on the same chip, and read in random order, a page a
request, with the chip's times of the datasheet. Time is a count of instructions.
Results are lines of "BENCH " and a JSON object, of which flashreport.py makes a table.

usage: swapin.py PAGES
"""
import shutil
import sys

from chips import Mtdsim, Mtdswap
from measure import PAGE, SET, Compressed, pageio, run, say

CHIP_BYTES = 128 << 20
COMPS = ("lz4", "zlib", "zstd")


def is_filled(page):
    """One word over and over: nothing of it is on the media of MTDCOMPR."""
    return page[:-8] == page[8:]


def count_pages():
    """How many pages there are, and how many of them are not filled."""
    with open(SET, "rb") as file:
        pages = list(iter(lambda: file.read(PAGE), b""))
    return len(pages), sum(not is_filled(page) for page in pages)


def unpacking_ns():
    """Of a page, by our statistics."""
    return 4 * 10 ** 9 // Compressed.stats()["decompress_kib_per_s"]


def read_back(chip, device, driver, stored):
    """Nanoseconds of all reads; those of the chip are by its own account."""
    pageio(device, "w")
    chip.delay("busy")
    before = chip.counters()
    times = pageio(device, "R")[0]
    after = chip.counters()
    chip.delay("none")
    ours = driver != "mtdswap"
    say("swapin", driver=driver, times=times,
        pages_read=stored if ours else times["pages"],
        unpacking_ns=unpacking_ns() if ours else 0,
        **{key: after[key] - before[key] for key in ("ns", "reads", "bytes_read")})


def main():
    shutil.copyfile(sys.argv[1], SET)
    pages, stored = count_pages()
    for module in ("mtdblock", "mtdcompr"):
        run("modprobe", module)
    with Mtdsim(CHIP_BYTES, "profile=mt29f4g", "delay=none") as chip:
        with Mtdswap(chip.number) as swap:
            read_back(chip, swap.device, "mtdswap", stored)
        for comp in COMPS:
            with Compressed(chip.number, pages, f"comp={comp}") as device:
                read_back(chip, device, comp, stored)
    say("end")


main()
