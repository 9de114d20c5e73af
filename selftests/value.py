#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""value.py COUNTS RESULTS DOCUMENT: write the table of what each script costs and finds
into DOCUMENT (Documentation/develop/tests.rst), between the lines ".. value begin" and
".. value end". COUNTS is build/gcov, which selftests/coverage.sh has left; RESULTS is
build/results, which selftests/run.sh keeps.

Columns: seconds of the last run in `make test`, else in the lane debug; results; lines
and branches of the driver that the script reaches and no other does; commits that change
the driver and the script together, which is what a fix with its test is."""

import collections
import json
import pathlib
import subprocess
import sys

DRIVER = "drivers/mtd/mtdcompr"
SCRIPTS = "selftests/guest"
BEGIN = ".. value begin"
END = ".. value end"
# Of several lanes, the first that has run the script counts.
LANES = ("test", "debug", "coverage")


def reached(path):
    """Of one script: {("line", file, number)} and {("branch", file, line, index)}."""
    found = set()
    for source in json.loads(path.read_text(encoding="utf-8"))["files"]:
        name = source["file"].rsplit("/", 1)[-1]
        for line in source["lines"]:
            number = line["line_number"]
            if line["count"]:
                found.add(("line", name, number))
            for index, branch in enumerate(line.get("branches", [])):
                if branch["count"]:
                    found.add(("branch", name, number, index))
    return found


def read_counts(directory):
    """{script: what its short form reaches}, over all jobs that run it."""
    scripts = collections.defaultdict(set)
    for path in sorted(pathlib.Path(directory).glob("*/*.json")):
        if path.parent.name.startswith("long-"):
            continue
        scripts[path.stem] |= reached(path)
    return scripts


def read_results(path):
    """{script: (seconds, results)} of its last run in the first lane that has run it;
    where a script is in two jobs of a lane, of both together."""
    last = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            _, tree, lane, job, script, passed, failed, skipped, seconds, _ = line.split()
            if script == "-":
                continue
            its_tree, jobs = last.get((lane, script), (None, {}))
            if its_tree != tree:
                jobs = {}
            jobs[job] = int(seconds), int(passed) + int(failed) + int(skipped)
            last[lane, script] = tree, jobs
    found = {}
    for lane in reversed(LANES):
        for (its_lane, script), (_, jobs) in last.items():
            if its_lane == lane:
                found[script] = tuple(map(sum, zip(*jobs.values())))
    return found


def commits(*paths):
    """The commits that change one of these paths."""
    listed = subprocess.run(["git", "log", "--format=%H", "--", *paths], check=True,
                            capture_output=True, text=True)
    return set(listed.stdout.split())


def table(scripts, results):
    """The table's lines, the dearest script first."""
    driver = commits(DRIVER)
    users = collections.Counter(point for points in scripts.values() for point in points)
    names = sorted(set(scripts) | set(results), key=lambda name: -results.get(name, (0, 0))[0])
    row = "{:<15} {:>7} {:>7} {:>9} {:>12} {:>6}"
    rule = row.format(*("=" * width for width in (15, 7, 7, 9, 12, 6)))
    lines = [rule, row.format("Script", "Seconds", "Results", "Own lines", "Own branches",
                              "Fixes").rstrip(), rule]
    for name in names:
        seconds, count = results.get(name, ("-", "-"))
        own = collections.Counter(point[0] for point in scripts.get(name, ())
                                  if users[point] == 1)
        lines_of, branches_of = (own["line"], own["branch"]) if name in scripts else ("-", "-")
        source = pathlib.Path(SCRIPTS, name + ".sh")
        fixes = len(driver & commits(str(source))) if source.exists() else "-"
        lines.append(row.format(name, seconds, count, lines_of, branches_of, fixes))
    lines.append(rule)
    return lines


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    counts, results, document = sys.argv[1:]
    scripts = read_counts(counts)
    if not scripts:
        print(f"value.py: no counts in {counts}, which selftests/coverage.sh leaves: "
              "the table says nothing of lines and branches", file=sys.stderr)
    text = pathlib.Path(document).read_text(encoding="utf-8").splitlines()
    try:
        begin, end = text.index(BEGIN), text.index(END)
    except ValueError:
        sys.exit(f'value.py: no "{BEGIN}" and "{END}" in {document}')
    text[begin + 1:end] = ["", *table(scripts, read_results(results)), ""]
    pathlib.Path(document).write_text("\n".join(text) + "\n", encoding="utf-8")


main()
