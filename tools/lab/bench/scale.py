#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measure in the guest how the block device scales: with processors, and with media.

cpus: pages by one thread and by two, each on a processor of its own, on MTDCOMPR and on
zram in turn, several times over. sizes: the same pages on media of several sizes, each
filled to the same part. Results are lines of "BENCH " and a JSON object, of which
scalereport.py makes a table.

usage: scale.py cpus COMP...|sizes
"""
import sys

from measure import (BUILD, PAGE, SET, Compressed, Mtdram, Zram, run, say,
                     take_pages)

MIB = 1 << 20
# Enough slots that two threads seldom meet.
CPUS_MEDIA = 64 * MIB
CPUS_SLOTS, CPUS_REQUESTS, CPUS_ROUNDS = 16000, 16000, 15

# Fuller than rotation leaves the media (inplace_freelist.c), so that the allocator has to search.
SIZES = (16 * MIB, 256 * MIB, 4096 * MIB)
SIZES_PERCENT = 88
SIZES_REQUESTS = 20000


def pagerate(slots, requests, passes, *devices):
    lines = run(f"{BUILD}/bench/pagerate", SET, str(slots), str(requests), passes,
                *devices).splitlines()
    for line in lines[1:]:
        pass_, threads, device, ns = line.split(",")
        yield {"pass": pass_, "threads": int(threads), "device": device,
               "ns": int(ns)}


def cpus(comps):
    take_pages()
    for comp in comps:
        with Zram(CPUS_SLOTS * PAGE, comp) as peer, \
                Mtdram(CPUS_MEDIA) as lower, \
                Compressed(lower, CPUS_SLOTS, f"comp={comp}", own=True) as device:
            say("measuring", comp=comp)
            for result in pagerate(CPUS_SLOTS, CPUS_REQUESTS,
                                   "1w2w1r2r" * CPUS_ROUNDS, device, peer):
                say("cpus", comp=comp, **result)


def page_bytes(pages):
    """Media that a page of the set takes, on the average."""
    with Mtdram(CPUS_MEDIA) as lower, \
            Compressed(lower, pages, "comp=lz4", own=True) as device:
        for _ in pagerate(pages, 0, "", device):
            pass
        return Compressed.stats()["media_used_bytes"] / pages


def sizes():
    pages = take_pages()
    each = page_bytes(pages)
    for media in SIZES:
        slots = int(media * SIZES_PERCENT / 100 / each)
        with Mtdram(media) as lower, \
                Compressed(lower, slots, "comp=lz4", own=True) as device:
            for result in pagerate(slots, SIZES_REQUESTS, "1a1w1r", device):
                say("sizes", media=media, slots=slots, requests=SIZES_REQUESTS,
                    used=Compressed.stats()["media_used_bytes"], **result)


def main():
    run("modprobe", "mtdcompr")
    if sys.argv[1] == "cpus":
        cpus(sys.argv[2:])
    else:
        sizes()
    say("end")


if __name__ == "__main__":
    main()
