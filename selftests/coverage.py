#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""coverage.py COVERAGE.json UNREACHED: print the coverage of each file as gcovr
counted it (from the top of the tree), and the lines that nothing reached, each with its reason from UNREACHED.
Exit status 1 below 90 % of the lines or 80 % of the branches, or when a reason is
missing."""

import collections
import json
import os
import re
import sys

GOAL_LINES = 90.0
GOAL_BRANCHES = 80.0


def read_reasons(path):
    """Lines of "FILE FUNCTION: reason"; returns {(file, function): reason}."""
    reasons = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            where, colon, reason = line.partition(":")
            words = where.split()
            if not colon or len(words) != 2 or not reason.strip():
                sys.exit(f"{path}:{number}: not FILE FUNCTION: reason")
            reasons[tuple(words)] = reason.strip()
    return reasons


def functions_of(path):
    """[(line, name)] of the functions in a source of kernel style: what gcov knows
    lacks those that were inlined."""
    found = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            match = re.match(r"[a-z][\w\s*]*?\b(\w+)\(", line)
            if match and not line.rstrip().endswith(";"):
                found.append((number, match.group(1)))
    return found


def function_of(functions, number):
    """Name of the function that line number is in: the last one that begins above."""
    name = "-"
    for begin, candidate in functions:
        if begin > number:
            break
        name = candidate
    return name


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        files = json.load(file)["files"]
    reasons = read_reasons(sys.argv[2])
    used = set()
    missing = collections.defaultdict(list)
    total = collections.Counter()
    print(f"{'file':<20} {'lines':>7} {'reached':>8} {'branches':>9} {'taken':>7}")
    for entry in sorted(files, key=lambda f: f["file"]):
        name = os.path.basename(entry["file"])
        functions = functions_of(entry["file"])
        count = collections.Counter()
        for line in entry["lines"]:
            if line.get("gcovr/noncode"):
                continue
            count["lines"] += 1
            count["reached"] += line["count"] > 0
            count["branches"] += len(line["branches"])
            count["taken"] += sum(b["count"] > 0 for b in line["branches"])
            if not line["count"]:
                key = (name, function_of(functions, line["line_number"]))
                missing[key].append(line["line_number"])
        total += count
        print(f"{name:<20} {count['lines']:>7} "
              f"{percent(count['reached'], count['lines']):>6.1f} % {count['branches']:>9} "
              f"{percent(count['taken'], count['branches']):>5.1f} %")
    lines = percent(total["reached"], total["lines"])
    branches = percent(total["taken"], total["branches"])
    print(f"{'all':<20} {total['lines']:>7} {lines:>6.1f} % "
          f"{total['branches']:>9} {branches:>5.1f} %")

    unexplained = 0
    print("\nlines that nothing reaches:")
    for (name, function), numbers in sorted(missing.items()):
        reason = reasons.get((name, function))
        used.add((name, function))
        unexplained += reason is None
        print(f"  {name} {function} {','.join(map(str, numbers))}: "
              f"{reason or 'NO REASON IS GIVEN'}")
    for name, function in sorted(set(reasons) - used):
        print(f"  {name} {function}: is reached; take its reason out of {sys.argv[2]}")
    if lines < GOAL_LINES or branches < GOAL_BRANCHES:
        sys.exit(f"coverage.py: less than {GOAL_LINES} % of the lines or "
                 f"{GOAL_BRANCHES} % of the branches")
    if unexplained:
        sys.exit(f"coverage.py: {unexplained} functions have lines that nothing "
                 "reaches, and no reason why")


if __name__ == "__main__":
    main()
