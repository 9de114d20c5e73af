#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make tables of scale.py's results: Markdown on standard output.

usage: scalereport.py cpus|sizes RESULTS.jsonl
"""
import statistics
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from tables import at_most, markdown, of_kind, read_results, spread  # noqa: E402

# Requests per second of two threads, relative to one thread; zram has to reach it, too.
CPUS_GOAL = 1.8
# Cost of the most expensive page divided by the cheapest, over all sizes.
SIZES_GOAL = 1.2
# On an idle host repeated times of the same work differ by less than this factor.
QUIET = 1.25
# Largest difference between the filled parts of the media.
ALIKE = 0.03
NAMES = {"w": "write", "r": "read"}


def speed_ups(results, comp, pass_, zram):
    """Of each round."""
    times = {1: [], 2: []}
    for result in results:
        if (result["comp"], result["pass"]) == (comp, pass_) and \
                ("zram" in result["device"]) == zram:
            times[result["threads"]].append(result["ns"])
    return [one / two for one, two in zip(times[1], times[2])]


def is_quiet(results, comp):
    """Did one thread always take the same time?"""
    for pass_ in NAMES:
        for zram in (False, True):
            times = [result["ns"] for result in results
                     if (result["comp"], result["pass"], result["threads"]) ==
                     (comp, pass_, 1) and ("zram" in result["device"]) == zram]
            if max(times) > QUIET * min(times):
                return False
    return True


def cpus(results):
    rows, busy = [], ""
    for comp in dict.fromkeys(result["comp"] for result in results):
        for pass_, name in NAMES.items():
            both = [speed_ups(results, comp, pass_, zram) for zram in (False, True)]
            ours, zram = (round(statistics.median(n), 2) for n in both)
            goal = max(CPUS_GOAL, zram)
            rows.append((f"{comp}: {name}", *(spread(n, "{:.2f}") for n in both),
                         f"at least {goal}: {'met' if ours >= goal else '**missed**'}"))
        if not is_quiet(results, comp):
            busy += (f"\nThe host was busy while {comp} was measured: one thread took up to "
                     f"{QUIET} times as long as at other times, or more.\n")
    print(markdown(("two processors ÷ one, median (least to most)", "MTDCOMPR", "zram", ""), rows,
                   remark=True) + busy, end="")


def sizes(results):
    media = sorted({result["media"] for result in results})
    parts = [result["used"] / result["media"] for result in results]
    if max(parts) - min(parts) > ALIKE:
        sys.exit(f"scalereport: the media are filled to {min(parts):.3f} and "
                 f"{max(parts):.3f}")
    rows = []
    for pass_, name in NAMES.items():
        cost = {result["media"]: result["ns"] / result["requests"] / 1000
                for result in results if result["pass"] == pass_}
        ratio = max(cost.values()) / min(cost.values())
        rows.append((f"{name}, random", *(f"{cost[size]:.1f}" for size in media), f"{ratio:.3f}",
                     f"at most {SIZES_GOAL}: {at_most(SIZES_GOAL, ratio)}"))
    print(markdown(("microseconds a page", *(f"{size >> 20} MiB" for size in media),
                    "most ÷ least", ""), rows, remark=True), end="")


def main():
    results = of_kind(read_results(sys.argv[2]), sys.argv[1])
    (cpus if sys.argv[1] == "cpus" else sizes)(results)


if __name__ == "__main__":
    main()
