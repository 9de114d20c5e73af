#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measure in the guest the work of flash below MTDCOMPR's log and below mtdswap.

Each is given the same chip and requests of the same kind: a device is filled, then
overwritten in random order, and all of it compared in the end. What is counted is
what the chip has counted in the overwrites. Results are lines of "BENCH " and a JSON
object, of which flashreport.py makes a table.
"""
import time

from chips import Mtdsim, Mtdswap, Nandsim
from measure import BUILD, SET, Compressed, pageio, run, say, take_pages

COMPS = ("lz4", "zlib", "zstd")
MIB = 1 << 20

# The same overwrites for all drivers, on this part (percent) of the pages that mtdswap
# has room for. nandsim is slow.
CHIP_BYTES = 128 * MIB
SAME_TURNS = 3
SAME_PERCENT = 80
NANDSIM_COMPS = ("lz4",)

# Write amplification: live data in percent of all bytes of the chip.
FULL_BYTES = 64 * MIB
FULL_PERCENT = 80
WARM_TURNS, TURNS = 4, 2

# Wear: a small chip, so that many turnovers fit in a minute. Live data in percent of the
# driver's room; half of them are never written again.
WORN_BYTES, WORN_BLOCK = 4 * MIB, 64 << 10
WORN_TURNS = 200
COLD_PERCENT = 50

# The keys of /proc/mtdcompr that flashreport.py uses.
KEYS = ("state", "comp", "media_bytes", "media_used_bytes", "compressed_bytes",
        "pages_stored", "metadata_bytes", "blocks", "log_host_bytes",
        "erases_least", "erases_mean", "erases_most", "log_moved_bytes",
        "log_padding_bytes", "size_bytes")


def overwrite(device, slots, turns, *options):
    run(f"{BUILD}/bench/overwrite", *options, device, SET, str(slots), str(turns))


def stats():
    everything = Compressed.stats()
    return {key: everything[key] for key in KEYS}


def counted(chip, work):
    """The chip's work for these overwrites."""
    before, start = chip.counts(), time.monotonic()
    work()
    after = chip.counts()
    return {key: after[key] - before[key] for key in after} | {
        "seconds": round(time.monotonic() - start, 1)}


def same_overwrites(device, slots, chip):
    overwrite(device, slots, 0)
    return counted(chip, lambda: overwrite(device, slots, SAME_TURNS))


def compare(make_chip, comps):
    """The same overwrites on mtdswap and on a log of the same number of pages."""
    with make_chip(CHIP_BYTES) as chip, Mtdswap(chip.number) as swap:
        slots = swap.pages * SAME_PERCENT // 100
        result = same_overwrites(swap.device, slots, chip)
    say("same", chip=chip.name, comp="mtdswap", slots=slots,
        writes=slots * SAME_TURNS, counts=result)
    for comp in comps:
        with make_chip(CHIP_BYTES) as chip, \
                Compressed(chip.number, slots, f"comp={comp}") as device:
            result = same_overwrites(device, slots, chip)
            say("same", chip=chip.name, comp=comp, slots=slots,
                writes=slots * SAME_TURNS, counts=result, stats=stats())


def record_bytes(set_pages):
    """Mean size of a page of the set on the media."""
    with Mtdsim(FULL_BYTES) as chip, \
            Compressed(chip.number, set_pages, "comp=lz4") as device:
        pageio(device, "w")
        return stats()["media_used_bytes"] / set_pages


def amplify(slots, what, *options):
    with Mtdsim(FULL_BYTES) as chip, \
            Compressed(chip.number, slots, "comp=lz4") as device:
        overwrite(device, slots, 0)
        overwrite(device, slots, WARM_TURNS, *options)
        before = stats()
        result = counted(chip, lambda: overwrite(
            device, slots, TURNS, "-d", str(WARM_TURNS), *options))
        say("amplification", what=what, chip_bytes=FULL_BYTES, turns=TURNS,
            warm=WARM_TURNS, counts=result, before=before, stats=stats())


def wear_out(device, slots):
    overwrite(device, slots, 0)
    overwrite(device, slots, WORN_TURNS, "-s", "-c", str(COLD_PERCENT))


def wear(each):
    """Evenness of wear of a small chip, by counters of chip and drivers."""
    def worn():
        return Mtdsim(WORN_BYTES, f"erasesize={WORN_BLOCK}")

    def tell(driver, slots, **more):
        say("wear", driver=driver, turns=WORN_TURNS, slots=slots,
            chip_bytes=WORN_BYTES, wear=chip.wear(), **more)

    with worn() as chip, Mtdswap(chip.number) as swap:
        slots = swap.pages * SAME_PERCENT // 100
        wear_out(swap.device, slots)
        tell("mtdswap", slots, own=swap.erases())
    with worn() as chip, Compressed(chip.number, 16, "comp=lz4"):
        room = stats()["media_bytes"]
    slots = int(room * SAME_PERCENT / 100 / each)
    with worn() as chip, Compressed(chip.number, slots, "comp=lz4") as device:
        wear_out(device, slots)
        tell("lz4", slots, stats=stats())


def memory():
    """Memory of empty devices: the same number of pages on chips of two sizes."""
    for size in (CHIP_BYTES, CHIP_BYTES // 2):
        with Mtdsim(size) as chip, Compressed(chip.number, 1024, "comp=lz4"):
            say("empty", chip_bytes=size, stats=stats())


def main():
    set_pages = take_pages()
    for module in ("mtdblock", "mtdcompr"):
        run("modprobe", module)
    memory()
    compare(Mtdsim, COMPS)
    each = record_bytes(set_pages)
    slots = int(FULL_BYTES * FULL_PERCENT / 100 / each)
    amplify(slots, "uniform")
    amplify(slots, "90/10", "-s")
    wear(each)
    compare(Nandsim, NANDSIM_COMPS)
    say("end")


if __name__ == "__main__":
    main()
