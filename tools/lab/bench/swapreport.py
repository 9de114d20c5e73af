#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make a table of swapload.py's results: Markdown on standard output.

usage: swapreport.py RESULTS.jsonl
"""
import statistics
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from tables import at_most, markdown, read_results, spread  # noqa: E402

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
    return [f"{busy:.3f}", f"{all_:.3f}",
            f"both at most {GOAL}: {at_most(GOAL, max(busy, all_))}" if "sync=1" in what else ""]


def main():
    kinds = {}
    for result in read_results(sys.argv[1]):
        kinds.setdefault(result["what"], []).append(result)
    rows = [(what, *map(spread, busy_and_all(loads)),
             *(f"{statistics.median(load[key] for load in loads):.0f}" for key in ("out", "in")),
             *of_zram(what, loads, kinds.get(f"zram {loads[0]['comp']}")))
            for what, loads in kinds.items()]
    print(markdown(("swap on", "busy, seconds, median (least to most)", "all", "pages out",
                    "pages in", "busy, of zram's", "all", ""), rows, remark=True), end="")


if __name__ == "__main__":
    main()
