#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make a table of what swapload.py found: Markdown on standard output.

usage: swapreport.py RESULTS.jsonl
"""
import json
import sys

# The whole of it, of zram's.
GOAL = 1.0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = [json.loads(line) for line in file]
    if not results or results.pop()["kind"] != "end":
        sys.exit("swapreport: the results are not complete")
    print("| swap on | seconds | pages out | pages in | of zram's time | |")
    print("|---|---:|---:|---:|---:|---|")
    zram = {}
    for result in results:
        way, comp = result["what"].split()[0], result["comp"]
        if way == "zram":
            zram[comp] = result["ns"]
        ratio, verdict = "", ""
        if result["killed"]:
            verdict = "the OOM killer came: the media were full"
        elif comp in zram and way != "zram":
            part = result["ns"] / zram[comp]
            ratio = f"{part:.3f}"
            if "sync=1" in result["what"]:
                verdict = f"at most {GOAL}: " + \
                    ("met" if part <= GOAL else "**missed**")
        print(f"| {result['what']} | {result['ns'] / 1e9:.1f} | {result['out']} | "
              f"{result['in']} | {ratio} | {verdict} |")


if __name__ == "__main__":
    main()
