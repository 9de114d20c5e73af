#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make a table of the measurements on flash: Markdown on standard output.

usage: flashreport.py DIRECTORY PAPER-RESULTS

DIRECTORY has flash.jsonl and swapin.jsonl, lines of flash.py and swapin.py, and
log.md and drift.md, what the simulations of these names say. PAPER-RESULTS is
results.json of tools/lab/paper.
"""
import json
import math
import re
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from tables import markdown, of_kind, read_results  # noqa: E402

# Targets: upper or lower limits of the figures.
OF_MTDSWAP = 0.2
UNIFORM, SKEWED = 1.1, 1.5
SPREAD, SPREAD_INPLACE = 1.1, 1.5
FIXED_PERCENT, RANDOM_PERCENT = 80, 5
SWAP_IN = 1.2
PAGE_BYTES, BLOCK_BYTES = 24, 64

PAGE = 4096
NAND_PAGE = 2048


def theory(full):
    """Write amplification of greedy cleaning of uniform random writes.

    With a part of @full of the media live: a / (a + W(-a exp(-a))), a = 1 / full. L.
    Xiang, B. Kurkoski: An Improved Analytic Expression for Write Amplification in
    NAND Flash, 2011; see tools/lab/sim/log.c.
    """
    a = 1 / full
    x, w = -a * math.exp(-a), -0.5
    for _ in range(100):
        w -= (w * math.exp(w) - x) / ((w + 1) * math.exp(w))
    return a / (a + w)


def simulated(path, what):
    """The figure of a target from the simulation's output."""
    with open(path, encoding="utf-8") as file:
        found = re.search(rf"^\* \w+: {what}: ([0-9.]+)", file.read(), re.M)
    if not found:
        sys.exit(f"flashreport: {path} has no figure of {what}")
    return float(found.group(1))


class Lines:
    """The lines of the table."""

    def __init__(self):
        self.lines = []

    def add(self, figure, peer, goal, reached, good):
        self.lines.append((figure, peer, goal, reached,
                           "met" if good else "**missed**"))


def add_same(lines, results):
    """The chip's work for the same overwrites."""
    for result in of_kind(results, "same"):
        counts = result["counts"]
        if result["comp"] == "mtdswap":
            peer = counts
            continue
        parts = [counts[key] / peer[key] for key in ("programs", "erases")]
        lines.add(f"{result['chip']}, {result['comp']}: NAND pages programmed, "
                  "blocks erased", f"mtdswap: {peer['programs']}, {peer['erases']}",
                  f"at most {OF_MTDSWAP} of each",
                  f"{counts['programs']}, {counts['erases']}: "
                  f"{parts[0]:.3f}, {parts[1]:.3f}", max(parts) <= OF_MTDSWAP)


def live_percent(result):
    return 100 * result["stats"]["media_used_bytes"] / result["chip_bytes"]


def payload(result):
    """Compressed bytes written, without headers and alignment.

    Pages are chosen alike, so that those that are stored have the same mean as
    those that were written.
    """
    before, after = result["before"], result["stats"]
    records = after["log_host_bytes"] - before["log_host_bytes"]
    return records * after["compressed_bytes"] / after["media_used_bytes"]


def amplification(result):
    return result["counts"]["programs"] * NAND_PAGE / payload(result)


def add_amplification(lines, results):
    for result in of_kind(results, "amplification"):
        limit = UNIFORM if result["what"] == "uniform" else SKEWED
        got, want = amplification(result), theory(live_percent(result) / 100)
        lines.add(f"write amplification, {result['what']}, "
                  f"{live_percent(result):.1f} % of the media live",
                  f"theory: {want:.3f}", f"at most {limit} of it",
                  f"{got:.3f}: {got / want:.3f}", got / want <= limit)


def spread(wear):
    return max(wear) * len(wear) / sum(wear)


def add_spread(lines, results, directory):
    worn = {result["driver"]: result for result in of_kind(results, "wear")}
    turns = worn["lz4"]["turns"]
    theirs = f"mtdswap, {turns} turnovers: {spread(worn['mtdswap']['wear']):.2f}"
    short = spread(worn["lz4"]["wear"])
    long = simulated(f"{directory}/log.md", "most worn block, half of the data cold")
    drift = simulated(f"{directory}/drift.md",
                      "drift: most worn region, a page moved for 16 writes")
    lines.add("erases, most / mean, 90/10, half of the data cold: simulation, 500 "
              "turnovers", theirs, f"at most {SPREAD}", f"{long:.3f}", long <= SPREAD)
    lines.add(f"the same, guest, a short run: {turns} turnovers", theirs,
              f"at most {SPREAD}", f"{short:.3f}", short <= SPREAD)
    lines.add("the same, media that are rewritten in place, simulation", "",
              f"at most {SPREAD_INPLACE}", f"{drift:.2f}", drift <= SPREAD_INPLACE)


def add_paper(lines, path):
    with open(path, encoding="utf-8") as file:
        row = json.load(file)["nand"]
    for name, peer, goal, got in (
            ("fixed", "paper: 52", FIXED_PERCENT, row["fixed_mean_percent"]),
            ("random", "paper: under 0.5", RANDOM_PERCENT,
             row["random_last_percent"])):
        lines.add(f"{name} reads of the paper's benchmark, % of pure RAM", peer,
                  f"at least {goal}", f"{got:.1f}", got >= goal)


class SwapIn:
    """Microseconds to read a stored page back."""

    def __init__(self, result):
        pages = result["pages_read"]
        self.driver = result["driver"]
        self.all = result["times"]["mean_stored"] / 1000
        self.media = result["ns"] / pages / 1000
        self.nand_pages = result["reads"] / pages
        self.bytes = result["bytes_read"] / pages
        self.unpacking = result["unpacking_ns"] / 1000
        self.rest = self.all - self.media - self.unpacking


def whole(one, theirs):
    """The time if the chip's driver had to read whole pages for its ECC."""
    return one.all - one.media + one.nand_pages * theirs.media / theirs.nand_pages


def add_swap_in(lines, swapins):
    theirs, *ours = swapins
    for one in ours:
        for what, time in (("", one.all),
                           (", NAND pages read whole", whole(one, theirs))):
            ratio = time / theirs.media
            lines.add(f"swap-in of a page, {one.driver}{what}, µs",
                      f"mtdswap: {theirs.all:.1f}, of that the media "
                      f"{theirs.media:.1f}", f"at most {SWAP_IN} of its media time",
                      f"{time:.1f}: {ratio:.3f}; {time / theirs.all:.3f} of all",
                      ratio <= SWAP_IN)


def add_memory(lines, results):
    full = of_kind(results, "amplification")[0]["stats"]
    large, small = (result["stats"] for result in of_kind(results, "empty"))
    page = full["metadata_bytes"] / full["pages_stored"]
    block = ((large["metadata_bytes"] - small["metadata_bytes"]) /
             (large["blocks"] - small["blocks"]))
    lines.add("metadata memory, bytes a stored page, media as for the write "
              "amplification", "-", f"at most {PAGE_BYTES}", f"{page:.1f}",
              page <= PAGE_BYTES)
    lines.add("metadata memory for empty media, bytes more an eraseblock more", "-",
              f"at most {BLOCK_BYTES}", f"{block:.1f}", block <= BLOCK_BYTES)


def print_same(results):
    print("Direct I/O, a page a request, each compared in the end. Out-of-band bytes "
          "alone are not a page programmed.\n")
    print(markdown(("chip", "driver", "pages", "overwrites", "NAND pages programmed",
                    "blocks erased", "programmed / written"),
                   [(result["chip"], result["comp"], str(result["slots"]),
                     str(result["writes"]), str(result["counts"]["programs"]),
                     str(result["counts"]["erases"]),
                     f"{result['counts']['programs'] * NAND_PAGE / result['writes'] / PAGE:.3f}")
                    for result in of_kind(results, "same")], 2))


def print_amplification(results):
    print("Write amplification: live are records, of all bytes of the chip, and of those "
          "that are promised (media_used_bytes, media_bytes); bytes are those that the "
          "chip has programmed.\n")
    print(markdown(("writes", "chip, MiB", "turnovers", "after", "live, % of the chip",
                    "of media_bytes", "programmed", "compressed bytes written", "ratio"),
                   [(result["what"], str(result["chip_bytes"] >> 20), str(result["turns"]),
                     str(result["warm"]), f"{live_percent(result):.1f}",
                     f"{100 * result['stats']['media_used_bytes'] / result['stats']['media_bytes']:.1f}",
                     str(result["counts"]["programs"] * NAND_PAGE), f"{payload(result):.0f}",
                     f"{amplification(result):.3f}")
                    for result in of_kind(results, "amplification")]))


def own_wear(result):
    """Mean and largest erase count by the driver's counters."""
    if result["driver"] == "mtdswap":
        most, total = result["own"]
        return f"{total / len(result['wear']):.1f}", str(most)
    return str(result["stats"]["erases_mean"]), str(result["stats"]["erases_most"])


def print_wear(results):
    print("Erases of each block, by the chip; mean and most by the driver, too.\n")
    print(markdown(("driver", "chip, MiB", "blocks", "pages", "turnovers", "least", "mean",
                    "most", "most / mean", "its own mean", "its own most"),
                   [(result["driver"], str(result["chip_bytes"] >> 20),
                     str(len(result["wear"])), str(result["slots"]), str(result["turns"]),
                     str(min(result["wear"])),
                     f"{sum(result['wear']) / len(result['wear']):.1f}",
                     str(max(result["wear"])), f"{spread(result['wear']):.3f}",
                     *own_wear(result)) for result in of_kind(results, "wear")]))


def print_swap_in(swapins):
    print("Swap-in of a page that is stored, random order, µs: the chip by its datasheet, "
          "the compressor by our statistics, and the rest: system call, block layer, "
          "mtdblock, MTD core, checksum. The chip is read in part where a record is a part "
          "of a page; whole: computed, if its driver read whole pages for its ECC.\n")
    print(markdown(("driver", "all", "media", "unpacking", "rest", "NAND pages touched",
                    "bytes read", "whole"),
                   [(one.driver, f"{one.all:.1f}", f"{one.media:.1f}", f"{one.unpacking:.1f}",
                     f"{one.rest:.1f}", f"{one.nand_pages:.2f}", f"{one.bytes:.0f}",
                     f"{whole(one, swapins[0]):.1f}") for one in swapins]))


def print_memory(results):
    print("Metadata memory is for all pages that a device has (size=), stored or not.\n")
    rows = [(f"empty, {result['chip_bytes'] >> 20} MiB", result["stats"])
            for result in of_kind(results, "empty")]
    rows += [(f"full, {result['chip_bytes'] >> 20} MiB", result["stats"])
             for result in of_kind(results, "amplification")[:1]]
    rows += [(f"{result['chip']}, {result['comp']}", result["stats"])
             for result in of_kind(results, "same") if "stats" in result]
    print(markdown(("device", "blocks", "pages", "stored", "metadata, bytes"),
                   [(name, str(stats["blocks"]), str(stats["size_bytes"] // PAGE),
                     str(stats["pages_stored"]), str(stats["metadata_bytes"]))
                    for name, stats in rows]))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    directory, paper = sys.argv[1:]
    results = read_results(f"{directory}/flash.jsonl")
    swapins = [SwapIn(result) for result
               in of_kind(read_results(f"{directory}/swapin.jsonl"), "swapin")]
    lines = Lines()
    add_same(lines, results)
    add_amplification(lines, results)
    add_spread(lines, results, directory)
    add_paper(lines, paper)
    add_swap_in(lines, swapins)
    add_memory(lines, results)
    print(markdown(("figure", "peer", "goal", "reached", ""), lines.lines, 5))
    print_same(results)
    print_amplification(results)
    print_wear(results)
    print_swap_in(swapins)
    print_memory(results)


if __name__ == "__main__":
    main()
