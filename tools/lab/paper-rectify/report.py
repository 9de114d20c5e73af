#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py DIRECTORY: the page of the experiments behind rectifyd.

DIRECTORY/runs has a directory for each guest of run.sh; what is not there is left out of the
pictures. Makes index.html, table.txt, and each picture as PNG and SVG.
"""
import csv
import os
import re
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
import guests as guestlib  # noqa: E402
from guests import KERNELS, LRUS, number  # noqa: E402
from page import Page, write_text  # noqa: E402
from pictures import BLUE, GREEN, GREY, SKY, median_bar, plt  # noqa: E402

MEDIA = {"ram": "MTDCOMPR on RAM", "zram": "zram"}
DEFAULT = ("none", "60")


class Guest(guestlib.Guest):
    """A plan is (control, swappiness)."""
    PARTS = ("condition", "suite", "lru", "media")
    RESULT = re.compile(r"(\w+)-(\d+)\.(\d+) (\w+) (\S+)$")

    def __init__(self, directory):
        super().__init__(directory)
        self.mib = int(self.about[0])

    def measure(self, plan):
        return "mean_ms"

    def label(self, sep=", "):
        return sep.join([f"{self.condition}, {self.mib} MiB", MEDIA.get(self.media, self.media),
                         f"{KERNELS.get(self.suite, self.suite)}, {LRUS.get(self.lru, self.lru)}"])

    def fixed(self):
        """The best fixed swappiness, by the mean latency."""
        plans = [plan for plan in self.plans if plan[0] == "none"]
        return min(plans, key=lambda plan: self.median(plan, "mean_ms"), default=None)

    def change(self, plan, base, key):
        """Percent, of medians."""
        mine, other = self.median(plan, key), self.median(base, key) if base else None
        return None if mine is None or not other else 100 * (mine / other - 1)


def plan_name(plan):
    return f"swappiness {plan[1]}" if plan[0] == "none" else f"rectifyd, {plan[0]}"


def plan_colour(plan):
    if plan[0] == "none":
        return GREY if plan == DEFAULT else SKY
    return BLUE if plan[0] == "auto" else GREEN


def plan_order(plan):
    return (["none", "unused", "auto"].index(plan[0]) if plan[0] in ("none", "unused", "auto")
            else 3, int(plan[1]))


def latencies(page, guests):
    """Mean and p95 of each guest, by plan."""
    figure, axes = plt.subplots(len(guests), 2, figsize=(11, 2.5 * len(guests)), squeeze=False)
    for row, guest in zip(axes, guests):
        plans = sorted(guest.plans, key=plan_order)
        for one, key, what in zip(row, ("mean_ms", "p95_ms"), ("mean", "p95")):
            for at, plan in enumerate(plans):
                values = guest.values(plan, key)
                middle = median_bar(one, at, 0.8, values, plan_colour(plan))
                one.text(at, max(values), f"{middle:.0f}" if middle >= 10 else f"{middle:.1f}",
                         ha="center", va="bottom", fontsize=8)
            one.set_xticks(range(len(plans)), [plan_name(plan).replace(", ", "\n").replace(
                "swappiness ", "sw ") for plan in plans], fontsize=7.5)
            one.set_ylabel(f"{what}, ms")
            one.set_title(guest.label(), fontsize=9)
            one.margins(y=0.15)
            one.grid(axis="x", visible=False)
    figure.tight_layout()
    page.picture(figure, "latency", "Latency of a switch. Bars are the median of the rounds, "
                 "whiskers their least and their most.")


def session(page, guests):
    """A time line of one session: the latency of each switch."""
    found = [guest for guest in guests if DEFAULT in guest.plans and ("auto", "60") in guest.plans]
    if not found:
        return
    guest = found[0]
    figure, one = plt.subplots(figsize=(10, 3.4))
    for plan in (DEFAULT, ("auto", "60")):
        path = os.path.join(guest.directory, f"{plan[0]}-{plan[1]}.1.csv")
        try:
            with open(path, encoding="ascii") as file:
                rows = list(csv.DictReader(file))
        except OSError:
            continue
        begin = float(rows[0]["time_s"]) if rows else 0
        one.plot([float(row["time_s"]) - begin for row in rows],
                 [float(row["latency_ms"]) for row in rows], marker=".",
                 color=plan_colour(plan), linewidth=1, label=plan_name(plan))
    one.set_xlabel("seconds")
    one.set_ylabel("latency, ms")
    one.set_ylim(bottom=0)
    one.set_title(guest.label())
    one.legend()
    page.picture(figure, "session", "One session, first round: the latency of each switch.")


def everything(guests):
    head = ["guest", "control", "rounds", "mean ms", "p95 ms", "max ms", "mean, of swappiness 60",
            "p95", "mean, of the best fixed", "file refaults", "of swappiness 60", "swap-ins",
            "killed", "daemon KiB", "daemon, of a processor"]
    rows = []
    for guest in guests:
        best = guest.fixed()
        for plan in sorted(guest.plans, key=plan_order):
            ticks = [guest.median(plan, key) for key in ("busy_ticks", "idle_ticks")]
            daemon = guest.median(plan, "daemon_ticks")
            rows.append([
                guest.label(), plan_name(plan), str(len(guest.plans[plan]))] + [
                number(guest.median(plan, key), "{:.1f}") for key in ("mean_ms", "p95_ms", "max_ms")
                ] + [number(guest.change(plan, DEFAULT, "mean_ms"), "{:+.0f} %"),
                     number(guest.change(plan, DEFAULT, "p95_ms"), "{:+.0f} %"),
                     number(guest.change(plan, best, "mean_ms"), "{:+.0f} %"),
                     number(guest.median(plan, "workingset_refault_file")),
                     number(guest.change(plan, DEFAULT, "workingset_refault_file"), "{:+.0f} %"),
                     number(guest.median(plan, "pswpin")), number(guest.median(plan, "killed")),
                     number(guest.median(plan, "daemon_kib")),
                     "-" if daemon is None or None in ticks else
                     f"{100 * daemon / sum(ticks):.1f} %"])
    return head, rows


INTRO = ("<p>Guests with one processor, whose time is counted in instructions. Apps have anonymous "
         "memory, of which they need a part at each switch, files of their own and shared ones; or, "
         "in guests whose name begins with real, they are six programs, each with its libraries "
         "and data. Files are on a simulated card that reads 25 MB a second; swap is outside the "
         "guest's memory, or on zram. <code>make paper-rectify</code>; the daemon is described in "
         "Documentation/reference/rectifyd.rst.</p>")


def main():
    directory = sys.argv[1]
    guests = [guest for guest in guestlib.load(directory, Guest) if guest.plans]
    page = Page(directory, "rectifyd: the experiments", "rectifyd: the experiments", INTRO)
    tables = []
    if guests:
        latencies(page, guests)
        session(page, guests)
        page.text("All", "h2")
        tables.append(everything(guests))
        page.table(*tables[0])
    page.write()
    write_text(directory, *tables)


main()
