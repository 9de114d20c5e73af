#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make a table of what calibrate.sh measured.

A fixed chunk that is read k times is late once, whatever k is. So from the
speed with one k follows that with any other, and which one gives the paper's
percentage.

usage: calibrate.py DIRECTORY
"""
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
import results  # noqa: E402
from tables import markdown  # noqa: E402

FIXED = 89


def fixed_percent(row, measured, repeat):
    """Mean of the fixed reads had they been so many."""
    total = 0.0
    for sample in row.swapping:
        late = (100 / row.percent(sample, "fixed") - 1) * measured
        total += 100 / (1 + late / repeat)
    return total / len(row.swapping)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines = []
    for _, row in sorted(results.load(sys.argv[1]).items()):
        options = dict(word[2:].split("=", 1)
                       for word in row.setup["membench"].split())
        measured = int(options["repeat"])
        repeat = next((k for k in range(1, 1000)
                       if fixed_percent(row, measured, k) >= FIXED), "none")
        lines.append((options["read"], options["chunk"], f"{row.pure['random']:.1f}",
                      f"{row.last_percent('random'):.1f}", str(repeat)))
    head = ("read", "chunk", "pure, MiB/s", "random, %", f"repeat for fixed = {FIXED} %")
    print(markdown(head, lines, len(head)), end="")


if __name__ == "__main__":
    main()
