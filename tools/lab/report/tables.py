# SPDX-License-Identifier: GPL-2.0
"""Results that are lines of JSON, and tables in Markdown."""
import json
import os
import statistics
import sys


def read_results(path):
    """The results in a file; its last line, which says that all was measured, is left out."""
    with open(path, encoding="utf-8") as file:
        results = [json.loads(line) for line in file]
    if not results or results.pop()["kind"] != "end":
        sys.exit(f"{os.path.basename(sys.argv[0])}: {path} is not complete")
    return results


def of_kind(results, kind):
    return [result for result in results if result["kind"] == kind]


def markdown(head, rows, left=1, remark=False):
    """The columns after the first ones are numbers; with remark not the last one."""
    marks = ["---"] * left + ["---:"] * (len(head) - left - remark) + ["---"] * remark
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, *rows]).replace(
        "\n", f"\n|{'|'.join(marks)}|\n", 1)


def at_most(goal, reached):
    return "met" if reached <= goal else "**missed**"


def spread(values, form="{:.1f}"):
    """The median, and from the least to the most."""
    middle, least, most = (form.format(value) for value in
                           (statistics.median(values), min(values), max(values)))
    return f"{middle} ({least} to {most})"
