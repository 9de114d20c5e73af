#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py DIRECTORY: the page of the experiments behind latd.

DIRECTORY/runs has a directory for each run of run.sh; what is not there is left out of the
pictures and is a dash in the table. Makes index.html, and each picture as PNG and SVG.
"""
import csv
import math
import os
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
import matplotlib.ticker  # noqa: E402
from page import COLOURS, KERNELS, LRUS, Page, bars, plt, write_text  # noqa: E402

LABELS = {
    "alone": "alone", "anon": "anonymous hog, no control", "once": "files read once",
    "loop": "files in a loop, no control", "anon-sysctl": "sysctl",
    "anon-signal": "signal (latd of the thesis)",
    "anon-freeze": "freeze", "anon-cgroup": "cgroup", "anon-grow": "grow", "anon-auto": "auto",
    "anon-earlyoom": "earlyoom", "loop-auto": "files in a loop, auto",
    "loop-cgroup": "files in a loop, cgroup",
    **{f"anon-{n}": f"swappiness {n}, no control" for n in (20, 40, 80, 90, 100)}}


class Run:
    """One run: its latencies in ms, resident memory in KiB, and what was said at its end."""

    def __init__(self, directory):
        with open(os.path.join(directory, "images.csv"), encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        self.latency = [float(row["latency_ms"]) for row in rows]
        self.begin = [float(row["begin_s"]) for row in rows]
        self.rss = [int(row["rss_kib"]) for row in rows]
        self.faults = [int(row["majflt"]) for row in rows]
        self.result = {}
        with open(os.path.join(directory, "result"), encoding="ascii") as file:
            for line in file:
                key, _, value = line.strip().partition(" ")
                self.result[key] = value
        self.progress = []
        path = os.path.join(directory, "progress")
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                self.progress = [tuple(map(float, line.split()[:2])) for line in file
                                 if len(line.split()) >= 2]

    def percentile(self, percent):
        """The smallest latency that so many percent do not exceed, as infer counts."""
        ordered = sorted(self.latency)
        return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]

    def speed(self):
        """MiB a second of the load, from the first image to the last."""
        inside = [point for point in self.progress
                  if self.begin[0] <= point[0] <= self.begin[-1] + self.latency[-1] / 1000]
        if len(inside) < 2 or inside[-1][0] == inside[0][0]:
            return None
        return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


def load(directory):
    runs = {}
    for name in sorted(os.listdir(directory)):
        try:
            runs[name] = Run(os.path.join(directory, name))
        except (OSError, KeyError, ValueError, IndexError):
            print(f"report.py: {name} is not whole, and left out", file=sys.stderr)
    return runs


def cdf(runs, names, title):
    figure, axes = plt.subplots(figsize=(8, 4.6))
    for colour, name in zip(COLOURS, names):
        latency = sorted(runs[name].latency)
        label = LABELS.get(name.split(".")[0], name.split(".")[0])
        axes.step([latency[0], *latency], [i / len(latency) for i in range(len(latency) + 1)],
                  where="post", color=colour,
                  label=f"{label}: p95 {runs[name].percentile(95):.0f} ms")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(matplotlib.ticker.ScalarFormatter())
    axes.set_xlabel("latency of an image, ms")
    axes.set_ylabel("part of the images")
    axes.set_ylim(0, 1.02)
    axes.set_title(title)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return figure


def lines(runs, names, value, ylabel, title, log=False):
    figure, axes = plt.subplots(figsize=(8, 4.2))
    for colour, name in zip(COLOURS, names):
        label = LABELS.get(name.split(".")[0], name.split(".")[0])
        axes.plot(range(1, len(runs[name].latency) + 1), value(runs[name]), color=colour,
                  label=label)
    axes.set_xlabel("image")
    axes.set_ylabel(ylabel)
    axes.set_ylim(bottom=None if log else 0)
    if log:
        axes.set_yscale("log")
        axes.set_ylim(min(min(value(runs[name])) for name in names) / 1.5,
                      max(max(value(runs[name])) for name in names) * 1.5)
    axes.set_title(title)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return figure


def pictures(page, runs):
    def there(*names):
        return [f"{name}.bookworm.classic" for name in names
                if f"{name}.bookworm.classic" in runs]

    def add(name, make, wanted, least, caption):
        have = there(*wanted)
        if len(have) >= least:
            page.picture(make(have), name, caption)

    add("fig-3-1", lambda names: cdf(runs, names, "Latency, alone"), ["alone"], 1,
        "Figure 3.1: a machine with nothing else to do.")
    add("fig-3-2", lambda names: lines(runs, names, lambda run: [kib / 1024 for kib in run.rss],
                                       "resident, MiB", "Resident memory"), ["alone"], 1,
        "Figure 3.2: resident memory over the images.")
    add("fig-3-3", lambda names: lines(runs, names, lambda run: run.latency, "latency, ms",
                                       "Latency under the anonymous hog", True),
        ["alone", "anon"], 2, "Figure 3.3: the latency of each image under the anonymous hog.")
    add("fig-3-4", lambda names: cdf(runs, names, "Latency under the anonymous hog"),
        ["alone", "anon"], 2, "Figure 3.4: its distribution.")
    add("fig-3-5", lambda names: lines(runs, names, lambda run: [kib / 1024 for kib in run.rss],
                                       "resident, MiB", "Resident memory under the hog"),
        ["alone", "anon", "anon-auto"], 2, "Figure 3.5: resident memory under the hog.")
    add("fig-3-6", lambda names: cdf(runs, names, "Latency under loads of files"),
        ["alone", "once", "loop"], 2, "Figure 3.6: loads on files, read once and in a loop.")
    add("fig-3-7", lambda names: lines(runs, names, lambda run: run.latency, "latency, ms",
                                       "Latency under files in a loop", True),
        ["alone", "loop"], 2, "Figure 3.7: the latency of each image under files in a loop.")
    missed = there("alone", "anon", "once", "loop")
    if missed:
        page.picture(bars([name.split(".")[0] for name in missed],
                          [sum(runs[name].faults) / len(runs[name].faults) for name in missed],
                          "major faults an image", "Misses in the page cache"),
                     "fig-3-8", "Figure 3.8: misses in the page cache, as major faults of the "
                     "program for an image. The weights are mapped; what cachestat counts as hits "
                     "does not see reads of mapped pages.")
    add("fig-i", lambda names: cdf(runs, names, "Swappiness, under the anonymous hog"),
        ["anon-20", "anon-40", "anon", "anon-80", "anon-90", "anon-100"], 2,
        "Appendix I: swappiness 20, 40, 60 (anon), 80, 90 and 100.")
    add("fig-4-2", lambda names: cdf(runs, names, "latd of the thesis, and ours"),
        ["alone", "anon", "anon-sysctl", "anon-signal", "anon-auto"], 2,
        "Figure 4.2: latd.")
    add("fig-4-3", lambda names: cdf(runs, names, "Control groups"),
        ["alone", "anon", "anon-cgroup", "anon-freeze", "anon-grow", "anon-auto"], 2,
        "Figure 4.3: control groups.")
    add("fig-loop", lambda names: cdf(runs, names, "Files in a loop, with control"),
        ["alone", "loop", "loop-cgroup", "loop-auto"], 2, "Files in a loop, with control.")
    add("fig-peers", lambda names: cdf(runs, names, "Others"),
        ["alone", "anon", "anon-earlyoom", "anon-auto"], 3, "Other daemons, with their defaults.")


def row(runs, name):
    """The cells of a run: p50, p95, times alone, the load's speed."""
    condition, suite, lru = name.split(".")
    run, alone = runs[name], runs.get(f"alone.{suite}.{lru}")
    free = runs.get(f"{condition.split('-')[0]}.{suite}.{lru}")
    times = f"{run.percentile(95) / alone.percentile(95):.2f}" if alone else "-"
    speed = run.speed()
    part = "-"
    if speed is not None and free and free.speed():
        part = f"{100 * speed / free.speed():.0f} %"
    dead = "gone" if run.result.get("load") == "gone" else "alive" if "load" in run.result else "-"
    reaction = int(run.result.get("latd_reaction_us", 0))
    reaction = f"{reaction / 1000:.0f}" if reaction else "-"
    return [KERNELS[suite], LRUS[lru], LABELS.get(condition, condition),
            f"{run.percentile(50):.0f}", f"{run.percentile(95):.0f}", f"{max(run.latency):.0f}",
            times, str(sum(run.faults) // len(run.faults)),
            f"{speed:.1f}" if speed is not None else "-", part, dead, reaction]


HEAD = ["kernel", "LRU", "", "p50 ms", "p95 ms", "max ms", "p95, times alone",
        "major faults an image", "load MiB/s", "of its speed without control", "load",
        "reaction ms, at most"]


def order(name):
    names = list(LABELS) + [name.split(".")[0]]
    return (name.split(".")[1:], names.index(name.split(".")[0]), name)


INTRO = ("Guests of 160 MiB and one processor, whose time is counted in instructions; swap on "
         "MTDCOMPR in memory outside the guest's; a card of 5 MB a second with 12 MiB of weights, "
         "20 images, and the load's files. An image each 250 ms. <code>make paper-latd</code>; the "
         "text is in Documentation/paper-latd.rst.")


def main():
    directory = sys.argv[1]
    runs = load(os.path.join(directory, "runs"))
    page = Page(directory, "latd: the experiments", "latd: the experiments of the thesis, and ours",
                INTRO)
    rows = [row(runs, name) for name in sorted(runs, key=order)]
    page.table(HEAD, rows)
    pictures(page, runs)
    page.write()
    write_text(directory, (HEAD, rows))


main()
