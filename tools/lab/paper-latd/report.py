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
sys.path.insert(1, f"{sys.path[0]}/../report")
import matplotlib.ticker  # noqa: E402
from guests import KERNELS, LRUS, load, open_text  # noqa: E402
from page import Page, write_text  # noqa: E402
from pictures import COLOURS, bars, plt  # noqa: E402

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
        self.name = os.path.basename(directory)
        with open_text(directory, "images.csv") as file:
            rows = list(csv.DictReader(file))
        self.latency = [float(row["latency_ms"]) for row in rows]
        self.begin = [float(row["begin_s"]) for row in rows]
        self.rss = [int(row["rss_kib"]) for row in rows]
        self.faults = [int(row["majflt"]) for row in rows]
        with open_text(directory, "result") as file:
            self.result = dict(line.strip().partition(" ")[::2] for line in file)
        self.progress = []
        if os.path.exists(os.path.join(directory, "progress")):
            with open_text(directory, "progress") as file:
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


def label(run):
    condition = run.name.split(".")[0]
    return LABELS.get(condition, condition)


def axes_of(runs, title, height, xlabel, ylabel, draw):
    """A figure with a line for each run, by draw(axes, run, colour)."""
    figure, axes = plt.subplots(figsize=(8, height))
    for colour, run in zip(COLOURS, runs):
        draw(axes, run, colour)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return figure, axes


def cdf(runs, title):
    """The distribution of the latencies."""
    def draw(axes, run, colour):
        latency = sorted(run.latency)
        axes.step([latency[0], *latency], [i / len(latency) for i in range(len(latency) + 1)],
                  where="post", color=colour,
                  label=f"{label(run)}: p95 {run.percentile(95):.0f} ms")

    figure, axes = axes_of(runs, title, 4.6, "latency of an image, ms", "part of the images", draw)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(matplotlib.ticker.ScalarFormatter())
    axes.set_ylim(0, 1.02)
    return figure


def by_image(runs, title, ylabel, value):
    """A value of each image."""
    return axes_of(runs, title, 4.2, "image", ylabel, lambda axes, run, colour: axes.plot(
        range(1, len(run.latency) + 1), value(run), color=colour, label=label(run)))


def resident(runs, title):
    figure, axes = by_image(runs, title, "resident, MiB",
                            lambda run: [kib / 1024 for kib in run.rss])
    axes.set_ylim(bottom=0)
    return figure


def latencies(runs, title):
    figure, axes = by_image(runs, title, "latency, ms", lambda run: run.latency)
    axes.set_yscale("log")
    axes.set_ylim(min(min(run.latency) for run in runs) / 1.5,
                  max(max(run.latency) for run in runs) * 1.5)
    return figure


def misses(runs, title):
    return bars([run.name.split(".")[0] for run in runs],
                [sum(run.faults) / len(run.faults) for run in runs], "major faults an image", title)


# Name, kind, title, runs, how many of these have to be there, caption.
FIGURES = (
    ("fig-3-1", cdf, "Latency, alone", "alone", 1,
     "Figure 3.1: a machine with nothing else to do."),
    ("fig-3-2", resident, "Resident memory", "alone", 1,
     "Figure 3.2: resident memory over the images."),
    ("fig-3-3", latencies, "Latency under the anonymous hog", "alone anon", 2,
     "Figure 3.3: the latency of each image under the anonymous hog."),
    ("fig-3-4", cdf, "Latency under the anonymous hog", "alone anon", 2,
     "Figure 3.4: its distribution."),
    ("fig-3-5", resident, "Resident memory under the hog", "alone anon anon-auto", 2,
     "Figure 3.5: resident memory under the hog."),
    ("fig-3-6", cdf, "Latency under loads of files", "alone once loop", 2,
     "Figure 3.6: loads on files, read once and in a loop."),
    ("fig-3-7", latencies, "Latency under files in a loop", "alone loop", 2,
     "Figure 3.7: the latency of each image under files in a loop."),
    ("fig-3-8", misses, "Misses in the page cache", "alone anon once loop", 1,
     "Figure 3.8: misses in the page cache, as major faults of the program for an image. The "
     "weights are mapped; what cachestat counts as hits does not see reads of mapped pages."),
    ("fig-i", cdf, "Swappiness, under the anonymous hog",
     "anon-20 anon-40 anon anon-80 anon-90 anon-100", 2,
     "Appendix I: swappiness 20, 40, 60 (anon), 80, 90 and 100."),
    ("fig-4-2", cdf, "latd of the thesis, and ours", "alone anon anon-sysctl anon-signal anon-auto",
     2, "Figure 4.2: latd."),
    ("fig-4-3", cdf, "Control groups", "alone anon anon-cgroup anon-freeze anon-grow anon-auto", 2,
     "Figure 4.3: control groups."),
    ("fig-loop", cdf, "Files in a loop, with control", "alone loop loop-cgroup loop-auto", 2,
     "Files in a loop, with control."),
    ("fig-peers", cdf, "Others", "alone anon anon-earlyoom anon-auto", 3,
     "Other daemons, with their defaults."),
)


def pictures(page, runs):
    for name, kind, title, wanted, least, caption in FIGURES:
        have = [runs[f"{condition}.bookworm.classic"] for condition in wanted.split()
                if f"{condition}.bookworm.classic" in runs]
        if len(have) >= least:
            page.picture(kind(have, title), name, caption)


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
    return [KERNELS[suite], LRUS[lru], label(run),
            f"{run.percentile(50):.0f}", f"{run.percentile(95):.0f}", f"{max(run.latency):.0f}",
            times, str(sum(run.faults) // len(run.faults)),
            f"{speed:.1f}" if speed is not None else "-", part, dead, reaction]


HEAD = ["kernel", "LRU", "", "p50 ms", "p95 ms", "max ms", "p95, times alone",
        "major faults an image", "load MiB/s", "of its speed without control", "load",
        "reaction ms, at most"]


def order(name):
    names = list(LABELS) + [name.split(".")[0]]
    return (name.split(".")[1:], names.index(name.split(".")[0]), name)


INTRO = ("<p>Guests of 160 MiB and one processor, whose time is counted in instructions; swap on "
         "MTDCOMPR in memory outside the guest's; a card of 5 MB a second with 12 MiB of weights, "
         "20 images, and the load's files. An image each 250 ms. <code>make paper-latd</code>; the "
         "text is in Documentation/papers/paper-latd.rst.</p>")


def main():
    directory = sys.argv[1]
    runs = {run.name: run for run in load(directory, Run)}
    page = Page(directory, "latd: the experiments", "latd: the experiments of the thesis, and ours",
                INTRO)
    rows = [row(runs, name) for name in sorted(runs, key=order)]
    page.table(HEAD, rows)
    pictures(page, runs)
    page.write()
    write_text(directory, (HEAD, rows))


main()
