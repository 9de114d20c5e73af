#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""value.py [COUNTS [LOGS]]: print what each script costs and finds, the slowest first.
COUNTS is the directory that selftests/coverage.sh writes (build/gcov), LOGS the directory
with the logs of a lane (build/test).

Columns: seconds and results of the last run; lines and branches of the driver that the
script reaches and no other script does; commits that change the driver and the script
together, as a fix and its test do."""

import collections
import json
import pathlib
import re
import subprocess
import sys

DRIVER = "drivers/mtd/mtdcompr"
SCRIPTS = "selftests/guest"
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


def read_logs(directory):
    """{script: (seconds, results)}; of a script in several jobs, the sums."""
    found = {}
    for path in sorted(pathlib.Path(directory).glob("*.log")):
        count = 0
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("# BEGIN "):
                count = 0
            elif re.match(r"(not )?ok \d", line):
                count += 1
            elif end := re.match(r"# END (\S+) status \S+ after (\d+) s", line):
                seconds, results = found.get(end[1], (0, 0))
                found[end[1]] = seconds + int(end[2]), results + count
    return found


def commits(*paths):
    """The commits that change one of these paths."""
    listed = subprocess.run(["git", "log", "--format=%H", "--", *paths], check=True,
                            capture_output=True, text=True)
    return set(listed.stdout.split())


def table(scripts, results):
    """The table's lines, the slowest script first."""
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
    if len(sys.argv) > 3:
        sys.exit(__doc__)
    counts, logs = sys.argv[1:] + ["build/gcov", "build/test"][len(sys.argv) - 1:]
    scripts, results = read_counts(counts), read_logs(logs)
    for what, where, made_by in ((scripts, counts, "coverage.sh"), (results, logs, "run.sh")):
        if not what:
            print(f"value.py: {where} is empty; selftests/{made_by} fills it", file=sys.stderr)
    print("\n".join(table(scripts, results)))


main()
