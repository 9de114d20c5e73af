#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Take the pages of a swap area in the order in which the kernel swapped them out.

Runs in User Mode Linux, for units.sh: the programs of pageset.py have twice the memory that there
is. They start one after another ("turns"), or all at the same time ("together"). The swap area is
on the driver, whose media are mtdram.

usage: units.py OUTPUT turns|together: prints a CSV as pageset.py's, with one line.
"""
import concurrent.futures
import os
import subprocess
import sys

import pageset

ATTACH = "/sys/devices/mtdcompr/attach"
MEDIA_KIB = 96 << 10
SWAP = "384M"


def run(*argv):
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)


def make_swap():
    run("modprobe", "mtdram", f"total_size={MEDIA_KIB}", "erase_size=4")
    with open(ATTACH, "w", encoding="ascii") as file:
        file.write(f"0,size={SWAP},name=c,comp=lz4\n")
    with open("/proc/mtdcompr/c", encoding="ascii") as file:
        disk = dict(line.split(": ", 1) for line in file)["disk"].strip()
    run("mkswap", f"/dev/{disk}")
    run("swapon", "--discard", f"/dev/{disk}")
    return f"/dev/{disk}"


def start_all(together):
    os.makedirs(pageset.TMP)
    os.environ.update(HOME=pageset.TMP, PYTHONHASHSEED="0", PERL_HASH_SEED="0",
                      GIT_CONFIG_NOSYSTEM="1")
    workers = len(pageset.PROGRAMS) if together else 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda program: program[1](), pageset.PROGRAMS))


def copy(disk, out):
    """Copies the pages that take media, except the first, the header of the swap area."""
    pages = 0
    with open(disk, "rb") as swap, open(out, "wb") as file:
        swap.seek(pageset.PAGE)
        while data := swap.read(pageset.PAGE):
            # A free slot reads as one word over and over, too.
            if data != data[:8] * (pageset.PAGE // 8):
                file.write(data)
                pages += 1
    return pages


def main():
    disk = make_swap()
    running = start_all(sys.argv[2] == "together")
    pages = copy(disk, sys.argv[1])
    for proc in running:
        proc.kill()
        proc.wait()
    print("program,anonymous_pages,taken,filled")
    print(f"{sys.argv[2]},{pages},{pages},0")


if __name__ == "__main__":
    main()
