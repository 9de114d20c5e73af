# SPDX-License-Identifier: GPL-2.0
"""What board.sh wrote, and the figures that are made of it.

This module knows what the words of the paper are taken to mean here; it does
not know what is good or bad, nor how anything is shown.

  pure     the speed of a pattern while nothing has been swapped yet
  range    the swapping range: from the first measurement with at least 1 MiB
           in swap to the last one
  fixed    mean of the fixed reads' speed over the range, in % of pure
  random   mean of the random reads' speed over the last tenth of all that was
           allocated, in % of pure
"""
import csv
import os

MIB = 1 << 20
PAGE = 4096
PATTERNS = ("random", "fixed", "last")


class Incomplete(Exception):
    """A file does not hold what it should."""


class Sample:
    """One measurement."""

    def __init__(self, row):
        self.mib = int(row["allocated_bytes"]) / MIB
        self.seconds = float(row["seconds"])
        self.swap_used = int(row["swap_used_bytes"])
        self.swapped_out = int(row["swapped_out"])
        self.speed = {p: float(row[f"{p}_mib_s"]) for p in PATTERNS}
        self.pages = {p: int(row[f"{p}_pages"]) for p in PATTERNS}
        self.pages_in = {p: int(row[f"{p}_in"]) for p in PATTERNS}
        self.pages_out = {p: int(row[f"{p}_out"]) for p in PATTERNS}

    def microseconds(self, pattern):
        """Time of all reads of a pattern."""
        return self.pages[pattern] * PAGE / MIB / self.speed[pattern] * 1e6


def sections(path):
    parts, part = {}, None
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        for line in file.read().replace("\r", "").split("\n"):
            if line.startswith("[") and line.endswith("]"):
                part = parts.setdefault(line[1:-1], [])
            elif part is not None and line:
                part.append(line)
    return parts


def pairs(lines):
    return dict(line.split(": ", 1) for line in lines if ": " in line)


class Row:
    """One boot of the board: one configuration."""

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        parts = sections(path)
        if "csv" not in parts or "exit_status: 0" not in parts.get("after", ()):
            raise Incomplete(f"{path}: the board did not come to its end")
        self.lines = parts["csv"]
        self.setup = pairs(parts["setup"])
        self.before = pairs(parts["before"])
        self.after = pairs(parts["after"])
        rows = list(csv.DictReader(self.lines))
        self.samples = [Sample(row) for row in rows if row["event"] == "measure"]
        if len(rows) != len(self.samples) + 1 or not self.samples:
            raise Incomplete(f"{path}: no measurements, or no end")
        self.end = rows[-1]["event"]
        self.largest = int(rows[-1]["allocated_bytes"]) / MIB
        self.seconds = float(rows[-1]["seconds"])
        still = [s for s in self.samples if not s.swapped_out]
        if not still:
            raise Incomplete(f"{path}: swapped before the first measurement")
        self.pure = {p: mean(s.speed[p] for s in still) for p in PATTERNS}
        self.swapping = [s for s in self.samples if s.swap_used >= MIB]

    def constants(self):
        """What was calibrated: how membench read."""
        return " ".join(word for word in self.setup["membench"].split()
                        if word.startswith(("--chunk", "--repeat", "--read")))

    def percent(self, sample, pattern):
        return 100 * sample.speed[pattern] / self.pure[pattern]

    def mean_percent(self, pattern):
        """Over the swapping range."""
        if not self.swapping:
            return None
        return mean(self.percent(s, pattern) for s in self.swapping)

    def last_percent(self, pattern):
        """At the largest allocation."""
        if not self.swapping:
            return None
        return mean(self.percent(s, pattern) for s in self.samples
                    if s.mib >= 0.9 * self.largest)

    def swap_mib(self):
        """Size of the swap device; the line is one of /proc/swaps."""
        words = self.setup["swaps"].split()
        return int(words[2]) / 1024 if words else 0

    def compressed_percent(self):
        """Of the pages on the media, those of one word not counted."""
        orig = int(self.after.get("mtdcompr_orig_bytes", 0))
        if not orig:
            return None
        return 100 * int(self.after["mtdcompr_compressed_bytes"]) / orig

    def costs(self):
        """Microseconds: of reading a page, and for each one swapped in, out.

        The time of the random reads is taken to be a sum of these three; the
        last two are fitted to all of the swapping range.
        """
        read = PAGE / MIB / self.pure["random"] * 1e6
        ii = io = oo = it = ot = 0.0
        for s in self.swapping:
            n_in, n_out = s.pages_in["random"], s.pages_out["random"]
            rest = s.microseconds("random") - s.pages["random"] * read
            ii, io, oo = ii + n_in ** 2, io + n_in * n_out, oo + n_out ** 2
            it, ot = it + n_in * rest, ot + n_out * rest
        det = ii * oo - io * io
        if not det:
            return {"read": read, "in": None, "out": None}
        return {"read": read, "in": (it * oo - ot * io) / det,
                "out": (ot * ii - it * io) / det}


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def load(directory):
    """All rows that were measured, by name."""
    rows = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".out"):
            row = Row(os.path.join(directory, name))
            rows[row.name] = row
    return rows


def same_constants(rows):
    """The constants of all rows, which may have been measured at other times."""
    found = {row.constants(): name for name, row in rows.items()}
    if len(found) != 1:
        raise Incomplete("rows with different constants: " + "; ".join(
            f"{name} has {text}" for text, name in found.items()))
    return next(iter(found))
