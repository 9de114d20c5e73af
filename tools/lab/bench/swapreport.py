#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make a table of what swapload.py found: Markdown on standard output.

usage: swapreport.py RESULTS.jsonl
"""
import json
import statistics
import sys

# Of zram's, median by median: both of all of the time and of that when something ran,
# as the rest differs more between two loads of the same kind than between kinds.
GOAL = 1.0


def busy_and_all(loads):
    """Seconds, each load's."""
    return ([(load["ns"] - load["idle"]) / 1e9 for load in loads],
            [load["ns"] / 1e9 for load in loads])


def of_zram(what, loads, zram):
    """Both medians of zram's, and whether that is the goal."""
    if any(load["killed"] for load in loads):
        return ["", "", "the OOM killer came: the media were full"]
    if not zram or loads is zram:
        return ["", "", ""]
    busy, all_ = (statistics.median(ours) / statistics.median(its)
                  for ours, its in zip(busy_and_all(loads), busy_and_all(zram)))
    met = "met" if max(busy, all_) <= GOAL else "**missed**"
    return [f"{busy:.3f}", f"{all_:.3f}",
            f"both at most {GOAL}: {met}" if "sync=1" in what else ""]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = [json.loads(line) for line in file]
    if not results or results.pop()["kind"] != "end":
        sys.exit("swapreport: the results are not complete")
    kinds = {}
    for result in results:
        kinds.setdefault(result["what"], []).append(result)
    print("| swap on | busy, seconds, median (least to most) | all | pages out | "
          "pages in | busy, of zram's | all | |")
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    for what, loads in kinds.items():
        cells = [what]
        cells += [f"{statistics.median(n):.1f} ({min(n):.1f} to {max(n):.1f})"
                  for n in busy_and_all(loads)]
        cells += [f"{statistics.median(load[key] for load in loads):.0f}"
                  for key in ("out", "in")]
        cells += of_zram(what, loads, kinds.get(f"zram {loads[0]['comp']}"))
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
