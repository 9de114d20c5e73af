#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make tables of a profile: instructions a page, by function.

usage: profile.py RESULTS.jsonl PROFILE.out OBJECTS
"""
import base64
import bisect
import collections
import glob
import lzma
import os
import re
import subprocess
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from tables import markdown, of_kind, read_results  # noqa: E402

FUNCTIONS = 60

PASSES = (("w", "write, in order"), ("r", "read, in order"),
          ("W", "write, random"), ("R", "read, random"))


def load_results(path):
    results, symbols = read_results(path), []
    for result in of_kind(results, "symbols"):
        text = lzma.decompress(base64.b64decode(result["xz"]))
        for row in text.decode().splitlines():
            address, name = row.split(" ", 1)
            symbols.append((int(address, 16), name))
    return of_kind(results, "profile"), sorted(symbols)


def load_profile(path, symbols):
    """For each pass, instructions by function."""
    starts = [address for address, _ in symbols]
    passes = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line == "pass\n":
                passes.append(collections.Counter())
                continue
            address, count = line.split()
            address = int(address, 16)
            at = bisect.bisect_right(starts, address) - 1
            if address == 0:
                name = "(user space)"
            elif at < 0:
                name = "?"
            else:
                name = symbols[at][1].replace("\t", " ")
            passes[-1][name] += int(count)
    return passes


# The groups of functions: the first matching pattern counts. The remaining functions
# belong to the system call, the block layer and the scheduler.
GROUPS = (
    ("program (user space)", r"\(user space\)"),
    ("compressor, its tables cleared",
     r"LZ4_|lzo|ZSTD_|HUF_|FSE_|HIST_|zstd_|zlib_|deflate|inflate|.*_tree$|"
     r"pqdownheap|longest_match|compress_block|send_bits|scan_tree|gen_codes|"
     r"gen_bitlen|bi_|fill_window|flush_pending|init_block|detect_data_type|"
     r"memset|__memset"),
    ("checksum", r"xxh32|xxh64|crc32c"),
    ("copies", r"memcpy|__memcpy|copy_page|clear_page"),
    ("MTDCOMPR: space (inplace_freelist.c, bit search)",
     r".* <inplace_freelist>|_find_next_bit|_find_next_zero_bit|_find_last_bit|"
     r"__bitmap_(set|clear)"),
    ("MTDCOMPR: page buffer, callbacks", r".* <(pagebuf|front_mtd)>"),
    ("MTDCOMPR: the rest", r".* \[mtdcompr\]"),
    ("clock", r"ktime_get|read_tsc|ktime_get_"),
    ("lower MTD's driver", r".* \[phram\]"),
    ("mtdblock, MTD core, its LED",
     r".* \[(mtd|mtdblock|mtd_blkdevs)\]|led_trigger|ledtrig_mtd"),
    ("zram, zsmalloc", r".* \[(zram|zsmalloc)\]"),
)


def units(directory):
    """The file that each function of the module is in."""
    where = {}
    for path in glob.glob(f"{directory}/*.o"):
        unit = os.path.basename(path)[:-2]
        if unit.startswith("mtdcompr"):
            continue
        lines = subprocess.run(["nm", path], check=True, encoding="utf-8",
                               stdout=subprocess.PIPE).stdout.splitlines()
        for line in lines:
            fields = line.split()
            if fields[-2] in "tT":
                where[fields[-1]] = unit
    return where


def group_of(name, where):
    plain = name.split(" ")[0]
    if name.endswith("[mtdcompr]") and plain in where:
        name = f"{plain} <{where[plain]}> [mtdcompr]"
    for group, pattern in GROUPS:
        if re.match(pattern, name):
            return group
    return "system call, block layer, scheduler"


def print_table(title, what, columns, rows):
    print(f"\n### {title}: instructions a page\n")
    print(markdown((what, *columns), [(name, *(f"{n:.0f}" for n in row)) for name, row in rows]),
          end="")


def main():
    runs, symbols = load_results(sys.argv[1])
    passes = iter(load_profile(sys.argv[2], symbols))
    where = units(sys.argv[3])
    columns = [run["what"] for run in runs]
    counts = {}
    for run in runs:
        for times in run["times"]:
            for name, n in next(passes).items():
                key = times["pass"], name
                counts.setdefault(key, [0] * len(columns))
                counts[key][columns.index(run["what"])] += n / times["pages"]

    print("# Where the time goes: an instruction takes 2 ns")
    for letter, title in PASSES:
        groups = {}
        for (pass_, name), row in counts.items():
            if pass_ == letter:
                group = group_of(name, where)
                old = groups.get(group, [0] * len(columns))
                groups[group] = [a + b for a, b in zip(old, row)]
        groups["sum"] = [sum(column) for column in zip(*groups.values())]
        order = [group for group, _ in GROUPS if group in groups]
        order += sorted(set(groups) - set(order), reverse=True)
        print_table(title, "part", columns,
                    [(group, groups[group]) for group in order])
    for letter, title in PASSES:
        rows = [(name, row) for (pass_, name), row in counts.items()
                if pass_ == letter]
        rows.sort(key=lambda item: -max(item[1]))
        print_table(title, "function", columns, rows[:FUNCTIONS])


if __name__ == "__main__":
    main()
