#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make the report of what the board measured: data, pictures, a page.

usage: report.py [--quick] DIRECTORY PAGES-FILE

DIRECTORY holds the rows, NAME.out, and gets NAME.csv, results.json, table.md,
table.csv, the pictures and index.html. Prints the table. Fails if a row is not
complete; a goal that was missed is part of the report.
"""
import csv
import json
import os
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
import report_charts as charts  # noqa: E402
import paperpage  # noqa: E402
import results  # noqa: E402
from pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY  # noqa: E402
from tables import markdown  # noqa: E402

# In the order of the page.
TITLES = {
    "none": "No swap", "ram": "RAM", "zram": "zram", "pcm": "PCM",
    "nand": "NAND", "nand-cache": "NAND, eraseblock cache",
    "nand-2008": "NAND, as in 2008",
    "ram-best": "RAM, best", "zram-best": "zram, best",
    "pcm-best": "PCM, best", "pcm-most": "PCM, most memory",
    "ram-zlib6": "RAM, zlib 6", "ram-lz4": "RAM, lz4", "zram-lz4": "zram, lz4",
}
STYLE = {
    "ram": (BLUE, "-"), "pcm": (PINK, "-"),
    "nand": (ORANGE, "-"), "zram": (BLACK, "--"),
    "ram-best": (BLUE, "-"), "pcm-best": (PINK, "-"),
    "zram-best": (BLACK, "--"), "pcm-most": (GREEN, "-"),
    "ram-zlib6": (SKY, "-"),
    "ram-lz4": (BLUE, "-"), "zram-lz4": (BLACK, "--"),
    "none": (GREY, "-"), "nand-cache": (GREEN, "--"),
    "nand-2008": (ORANGE, "--"),
}
MEDIA_MIB = 16


class Model:
    """The expected shape, from costs that were measured.

    A program that has more than the resident memory finds a part of its pages
    in swap, the same part wherever it looks. Each such page costs one page
    swapped in and one swapped out. A chunk that is read k times costs that
    once. Memory ends when the swap device or the media are full.
    """

    def __init__(self, row, resident, without_swap, repeat):
        costs = row.costs()
        self.read, self.swap = costs["read"], costs["in"] + costs["out"]
        self.resident, self.without_swap = resident, without_swap
        self.largest = resident + min(
            MEDIA_MIB * 100 / row.compressed_percent(), row.swap_mib())
        self.repeat = {"random": 1, "fixed": repeat}

    def percent(self, mib, pattern):
        missing = max(0.0, 1 - self.resident / mib) if mib else 0.0
        return 100 / (1 + missing * self.swap /
                      (self.repeat[pattern] * self.read))


class Figure:
    """A line of the table."""

    def __init__(self, name, unit, paper, plain, best=None, goal=None,
                 number=None, most=False, digits=1):
        self.name, self.unit, self.paper = name, unit, paper
        self.plain, self.best, self.goal = plain, best, goal
        self.number, self.most, self.digits = number, most, digits

    def reached(self):
        return self.best if self.best is not None else self.plain

    def ratio(self):
        if self.number is None or self.plain is None:
            return ""
        return f"{self.plain / self.number:.2f}"

    def verdict(self):
        if self.goal is None:
            return "measured"
        if self.reached() is None:
            return "not measured"
        good = (self.reached() <= self.goal if self.most
                else self.reached() >= self.goal)
        return "met" if good else "missed"

    def text(self, value):
        return "" if value is None else f"{value:.{self.digits}f}{self.unit}"

    def goal_text(self):
        if self.goal is None:
            return "measured here"
        return f"{'under' if self.most else 'at least'} {self.goal:g}{self.unit}"

    def cells(self):
        return (self.name, self.paper, self.text(self.plain), self.ratio(),
                self.text(self.best), self.goal_text(), self.verdict())


HEAD = ("figure", "paper", "ours, plain", "ours / paper", "ours, best", "goal",
        "")


def figures(rows):
    """The table. What was not measured is None."""
    def get(name, what, *args):
        return getattr(rows[name], what)(*args) if name in rows else None

    def fixed(name):
        return get(name, "mean_percent", "fixed")

    def random(name):
        return get(name, "last_percent", "random")

    def largest(name):
        return rows[name].largest if name in rows else None

    def over(one, two):
        return one / two if one and two else None

    none = largest("none")
    table = [
        Figure("fixed reads, RAM", " %", "about 89 %", fixed("ram"),
               fixed("ram-best"), 93, 89),
        Figure("fixed reads, PCM", " %", "80 %", fixed("pcm"),
               fixed("pcm-best"), 90, 80),
        Figure("fixed reads, NAND", " %", "about 52 %", fixed("nand"), None,
               80, 52),
        Figure("the same, through the eraseblock cache", " %", "about 52 %",
               fixed("nand-cache"), None, None, 52),
        Figure("the same, pages placed as in 2008", " %", "about 52 %",
               fixed("nand-2008"), None, None, 52),
        Figure("random reads at the largest allocation, RAM", " %",
               "about 10 %", random("ram"), random("ram-best"), 15, 10),
        Figure("random reads at the largest allocation, PCM", " %",
               "under 10 %", random("pcm"), random("pcm-best"), 12, 10),
        Figure("random reads at the largest allocation, NAND", " %",
               "under 0.5 %", random("nand"), None, 5, 0.5),
        Figure("the same, through the eraseblock cache", " %", "under 0.5 %",
               random("nand-cache"), None, None, 0.5),
        Figure("the same, pages placed as in 2008", " %", "under 0.5 %",
               random("nand-2008"), None, None, 0.5),
    ]
    for pattern, value in (("fixed", fixed), ("random", random)):
        # zram's deflate is of level 6; the plain configuration's of 1.
        for what, plain, ours, zram in (
                ("deflate, plain of level 1", "ram", "ram-zlib6", "zram-best"),
                ("lz4", None, "ram-lz4", "zram-lz4")):
            table.append(Figure(
                f"{pattern} reads, mtdcompr on RAM / zram, {what}", "", "",
                over(value(plain), value("zram")) if plain else None,
                over(value(ours), value(zram)), 1, digits=2))
    table += [
        Figure("memory allocated, 16 of the 32 MiB for swap, times that "
               "without swap", "", "nearly 2", over(largest("ram"), none),
               over(largest("ram-best"), none), 2.2, 2, digits=2),
        Figure("memory allocated, 16 MiB of PCM beside the 32", " MiB",
               "over 70 MiB", largest("pcm"), largest("pcm-most"), 96, 70),
        Figure("compressed size, zlib level 1", " %", "under 25 %",
               get("pcm", "compressed_percent") or
               get("ram", "compressed_percent"), None, 25, 25, most=True),
    ]
    return table


def summary(row):
    return {
        "end": row.end, "largest_mib": row.largest, "seconds": row.seconds,
        "pure_mib_s": row.pure, "costs_us": row.costs(), "setup": row.setup,
        "fixed_mean_percent": row.mean_percent("fixed"),
        "random_last_percent": row.last_percent("random"),
        "before": row.before, "after": row.after,
    }


def write_data(directory, rows, table):
    for row in rows.values():
        with open(f"{directory}/{row.name}.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(row.lines) + "\n")
    with open(f"{directory}/results.json", "w", encoding="utf-8") as file:
        json.dump({name: summary(row) for name, row in rows.items()}, file,
                  indent=1)
        file.write("\n")
    with open(f"{directory}/table.md", "w", encoding="utf-8") as file:
        file.write(markdown(HEAD, [line.cells() for line in table], len(HEAD)))
    with open(f"{directory}/table.csv", "w", encoding="utf-8",
              newline="") as file:
        out = csv.writer(file)
        out.writerow((*HEAD[:-1], "verdict"))
        out.writerows(line.cells() for line in table)


def draw_theory(directory, rows, repeat):
    drawn = []
    none = rows["none"].largest
    for name, source, resident in (("flash", "pcm", none),
                                   ("ram", "ram", none - MEDIA_MIB)):
        row = rows.get(source)
        if not row or not row.compressed_percent() or \
                row.costs()["in"] is None:
            continue
        model = Model(row, resident, none, repeat)
        medium = {"flash": "flash memory", "ram": "RAM"}[name]
        charts.theory(directory, f"theory-{name}",
                      f"Theory: compressed swap on {medium}", model)
        drawn.append(f"theory-{name}")
    return drawn


def draw(directory, rows, repeat):
    """All pictures that can be made of the rows there are; their names."""
    none = rows.get("none")
    drawn = draw_theory(directory, rows, repeat) if none else []
    for name in ("nand", "nand-cache", "nand-2008", "pcm", "ram", "pcm-best",
                 "ram-best", "pcm-most"):
        if name in rows:
            charts.experiment(
                directory, rows[name], none,
                f"Experiment: compressed swap on {TITLES[name]}")
            drawn.append(f"experiment-{name}")
    for name, title, members in (
            ("media", "Media side by side, plain configuration",
             ("ram", "pcm", "nand", "nand-cache", "nand-2008", "zram")),
            ("media-best", "Media side by side, best configuration",
             ("ram-best", "pcm-best", "ram-zlib6", "zram-best")),
            ("media-lz4", "RAM: mtdcompr and zram, both with lz4",
             ("ram-lz4", "zram-lz4"))):
        members = [(rows[n], TITLES[n], *STYLE[n]) for n in members
                   if n in rows]
        if members:
            charts.side_by_side(directory, name, title, members, none)
            drawn.append(name)
    bars = [(rows[n], TITLES[n], STYLE[n][0]) for n in TITLES if n in rows]
    charts.memory(directory, bars, none)
    return drawn + ["memory"]


def main():
    arguments = sys.argv[1:]
    quick = arguments[:1] == ["--quick"]
    if len(arguments) != 2 + quick:
        sys.exit(__doc__)
    directory, pages = arguments[quick:]
    try:
        rows = results.load(directory)
        if not rows:
            sys.exit(f"report: no rows in {directory}")
        constants = results.same_constants(rows)
    except (results.Incomplete, OSError, KeyError, ValueError) as err:
        sys.exit(f"report: {err}")
    table = figures(rows)
    write_data(directory, rows, table)
    options = dict(word[2:].split("=", 1) for word in constants.split())
    drawn = draw(directory, rows, int(options["repeat"]))
    with open(f"{pages}.txt", encoding="utf-8") as file:
        programs = [line.split(",") for line in file.read().splitlines()]
    paperpage.write(directory, rows, (HEAD, table), drawn, programs, TITLES,
                    os.path.getsize(pages) // results.PAGE, constants, quick)
    print(markdown(HEAD, [line.cells() for line in table], len(HEAD)), end="")
    missed = [line.name for line in table if line.verdict() == "missed"]
    print("\nMissed: " + "; ".join(missed) if missed else "\nAll goals met.")


if __name__ == "__main__":
    main()
