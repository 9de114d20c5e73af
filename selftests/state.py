#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""state.py RESULTS DOCUMENT: write the table of the lanes that ran here into DOCUMENT
(Documentation/explanation/guarantees.rst), between the lines ".. state begin" and ".. state end".
RESULTS is build/results, which selftests/run.sh keeps.

Of each script of each job the last run counts. A lane's tree is that of the run which is its last; a lane
of which scripts ran on other trees says so.
"""
import collections
import pathlib
import sys

BEGIN = ".. state begin"
END = ".. state end"
HEADS = ("Lane", "Scripts", "Passed", "Failed", "Skipped", "Last run", "Tree")

Run = collections.namedtuple("Run", "when tree passed failed skipped")


def last_runs(path):
    """{lane: {(job, script): Run}}; a line "-" is of a whole job, whose scripts have their own."""
    lanes = collections.defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        when, tree, lane, job, script, *counts = line.split()
        if script != "-":
            lanes[lane][job, script] = Run(when, tree, *map(int, counts[:3]))
    return lanes


def row(lane, scripts):
    runs = sorted(scripts.values())
    trees = {run.tree for run in runs}
    counts = [sum(getattr(run, what) for run in runs)
              for what in ("passed", "failed", "skipped")]
    tree = runs[-1].tree if len(trees) == 1 else f"{runs[-1].tree} and {len(trees) - 1} others"
    return [lane, str(len(runs)), *(f"{count:,}" for count in counts), runs[-1].when[:10], tree]


def table(rows):
    widths = [max(map(len, column)) for column in zip(HEADS, *rows)]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()
             for cells in (HEADS, *rows)]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: state.py RESULTS DOCUMENT")
    results, document = map(pathlib.Path, sys.argv[1:])
    text = document.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN + "\n")
    _, end, after = rest.partition(END + "\n")
    lanes = last_runs(results)
    if not begin or not end:
        sys.exit(f"state.py: {document} has no lines \"{BEGIN}\" and \"{END}\"")
    if not lanes:
        sys.exit(f"state.py: {results} has no run")
    rows = [row(lane, lanes[lane]) for lane in sorted(lanes)]
    document.write_text(f"{before}{begin}\n{table(rows)}\n\n{end}{after}", encoding="utf-8")


main()
