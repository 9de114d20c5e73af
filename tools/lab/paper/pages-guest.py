#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Take a set of memory pages in the guest and put a sample of it on the disk.

The sample is spread evenly over the set, which is in the order of the programs,
so that each program has the same part of the one as of the other.

usage: pages-guest.py PAGES
"""
import os
import subprocess
import sys

PAGE = 4096
SET = "/run/mtdc-set"


def main():
    count = int(sys.argv[1])
    programs = subprocess.run(
        ["tools/lab/bench/pageset.py", SET], check=True, stdout=subprocess.PIPE,
        encoding="utf-8").stdout
    have = os.path.getsize(SET) // PAGE
    if have < count:
        sys.exit(f"pages-guest: {have} pages are too few for {count}")
    with open(SET, "rb") as source, \
            open(os.environ["MTDC_DRIVE"], "r+b", buffering=0) as drive:
        for i in range(count):
            source.seek(i * have // count * PAGE)
            drive.write(source.read(PAGE))
        os.fsync(drive.fileno())
    for line in programs.splitlines():
        print("PAGES", line)
    print("PAGES", f"sample,{have},{count},")


if __name__ == "__main__":
    main()
