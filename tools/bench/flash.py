#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What flash has to do for the same overwrites: MTDCOMPR's log and mtdswap, on mtdsim.

Runs in the guest. Each is given the same chip (NAND of 128 MiB, 2 KiB a page) and
the same requests: four fifths of the pages that mtdswap has room for are filled, and
overwritten three times over in random order. What is counted is what the chip has counted in the
overwrites. Results are a table on the lines that begin with "FLASH ".
"""
import glob
import os
import subprocess
import time

from measure import PAGE, SET, BUILD, RESERVE, SYS, mtd_number, read, run, write

CHIP = 128 << 20
TURNS = 3
FILL_PERCENT = 80


def counters():
    return {key: int(value) for key, value in
            (line.split(": ") for line
             in read("/sys/kernel/debug/mtdsim/sim/counters").splitlines())
            if value.isdigit()}


def overwrite(device, slots, turns):
    run(f"{BUILD}/bench/overwrite", device, SET, str(slots), str(turns))


def chip():
    run("modprobe", "mtdsim",
        f"dev=name=sim,type=nand,size={CHIP},base={RESERVE:#x},delay=none")
    return mtd_number("sim")


def measured(device, slots):
    overwrite(device, slots, 0)
    before, start = counters(), time.monotonic()
    overwrite(device, slots, TURNS)
    after = counters()
    return {key: after[key] - before[key] for key in after} | {
        "s": time.monotonic() - start}


def mtdswap(lower):
    run("modprobe", "mtdswap", f"partitions={lower}")
    device = glob.glob("/dev/mtdswap*")[0]
    sectors = int(read(f"/sys/block/{os.path.basename(device)}/size"))
    slots = sectors * 512 // PAGE * FILL_PERCENT // 100
    result = measured(device, slots)
    run("rmmod", "mtdswap")
    return slots, result


def ours(lower, slots, options):
    write(f"{SYS}/attach", f"{lower},name=c,size={slots * PAGE},{options}")
    result = measured(f"/dev/mtdblock{mtd_number('c')}", slots)
    stats = dict(line.split(": ", 1) for line
                 in read("/proc/mtdcompr/c").splitlines())
    write(f"{SYS}/detach", "c")
    return result, stats


def row(name, writes, result):
    print("FLASH |", name, "|", result["bytes_programmed"] // 2048, "|",
          result["erases"], "|",
          f'{result["bytes_programmed"] / (writes * PAGE):.3f}', "|", flush=True)


def main():
    run("tools/bench/pageset.py", SET)
    run("modprobe", "mtdblock")
    run("modprobe", "mtdcompr")
    slots, theirs = mtdswap(chip())
    run("rmmod", "mtdsim")
    print("FLASH", f"{TURNS * slots} overwrites of {slots} pages")
    print("FLASH | | NAND pages programmed | erases | bytes programmed / written |")
    print("FLASH |---|---|---|---|")
    row("mtdswap", TURNS * slots, theirs)
    for options in ("comp=lz4", "comp=zlib", "comp=zstd"):
        result, stats = ours(chip(), slots, options)
        run("rmmod", "mtdsim")
        row(f"MTDCOMPR, {options}", TURNS * slots, result)
        print("FLASH", options, f'{result["bytes_programmed"] / theirs["bytes_programmed"]:.3f}',
              "of mtdswap's programs,", f'{result["erases"] / theirs["erases"]:.3f}',
              "of its erases; violations", result["violations"], "state", stats["state"],
              "used", stats["media_used_bytes"], "of", stats["media_bytes"], flush=True)


main()
