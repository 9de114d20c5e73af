# SPDX-License-Identifier: GPL-2.0
"""What guests of the experiments have said: lines of KEY VALUE, most of them behind a run's name."""
import os
import statistics
import sys

KERNELS = {"bookworm": "6.1", "trixie": "6.12"}
LRUS = {"classic": "classic LRU", "mglru": "MGLRU"}


def open_text(*path):
    return open(os.path.join(*path), encoding="utf-8", errors="replace")


def load(directory, kind):
    """All guests below directory/runs, each made by kind(); those are left out that raise."""
    found = []
    runs = os.path.join(directory, "runs")
    for name in sorted(os.listdir(runs)):
        try:
            found.append(kind(os.path.join(runs, name)))
        except (OSError, LookupError, ValueError):
            print(f"report.py: {name} is not whole, and left out", file=sys.stderr)
    return found


def number(value, form="{:.0f}"):
    return "-" if value is None else form.format(value)


def median(values):
    return statistics.median(values) if values else None


class Guest:
    """A guest with several plans, each run in rounds.

    PARTS are what its name consists of, with dots between; RESULT matches a line, with groups for
    the parts of the plan, the round, the key and the value.
    """
    PARTS = RESULT = None

    def __init__(self, directory):
        self.directory = directory
        self.name = os.path.basename(directory)
        for part, value in zip(self.PARTS, self.name.split("."), strict=True):
            setattr(self, part, value)
        with open_text(directory, "guest") as file:
            self.about = file.read().split()
        with open_text(directory, "result") as file:
            self.lines = [line.strip() for line in file]
        plans = {}
        for match in filter(None, map(self.RESULT.match, self.lines)):
            *plan, count, key, value = match.groups()
            rounds = plans.setdefault(tuple(plan), {})
            rounds.setdefault(int(count), {}).setdefault(key, []).append(value)
        self.plans, self.failed = {}, []
        for plan, rounds in plans.items():
            good = {count: values for count, values in rounds.items()
                    if values.get("status") == ["0"] and self.measure(plan) in values}
            self.failed += [f"{'-'.join(plan)}.{count}" for count in rounds if count not in good]
            if good:
                self.plans[plan] = good

    def measure(self, plan):
        """The key without which a round has failed."""
        raise NotImplementedError

    def values(self, plan, key):
        """Of the rounds that have one."""
        return [float(values[key][0]) for _, values in sorted(self.plans.get(plan, {}).items())
                if key in values]

    def median(self, plan, key):
        return median(self.values(plan, key))
