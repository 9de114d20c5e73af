#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py DIRECTORY: the page of the experiments behind proswapd.

DIRECTORY/runs has a directory for each guest of run.sh; what is not there is left out of the
pictures and is a dash in the tables. Makes index.html, table.txt, and each picture as PNG and SVG.
"""
import csv
import math
import os
import re
import statistics
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
import guests as guestlib  # noqa: E402
from guests import KERNELS, LRUS, median, number  # noqa: E402
from page import Page, write_text  # noqa: E402
from pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, YELLOW, bars, median_bar, plt  # noqa: E402

MEDIA = {"ram": "RAM", "nand": "NAND", "zram": "zram"}
LOADS = ["cyclic", "zigzag", "pipeline", "camera", "random", "compile"]
# Cases that are not the paper's: chosen before the code that they judge, or after it.
CASES = {**dict.fromkeys(["steady", "drifting", "halving", "alternating", "uneven", "skewed",
                          "to_random", "to_skewed", "and_back", "mixed", "sort", "xz", "awk"],
                         "before"), "flip": "after"}
# The result of these loads is frames a second; the others have seconds.
FRAMES = ("pipeline", "camera")
CONTROLS = {"none": "kernel alone", "paper": "proswapd, paper", "auto": "proswapd, auto",
            "trim": "proswapd, trim",
            "watch": "proswapd, watch", "reclaim": "DAMON_RECLAIM",
            "tuned": "DAMON_RECLAIM, tuned"}
COLOUR = {"none": GREY, "paper": YELLOW, "auto": BLUE, "trim": GREEN,
          "watch": ORANGE, "reclaim": SKY, "tuned": PINK}
# The pictures compare these, in this order.
BARS = ["none", "paper", "auto", "reclaim", "tuned"]

# The stages: what each is, its part of the memory, and by how much it shrank in the paper.
STAGES = {
    "lane": ("Lane detection", "OpenCV (Canny, Hough), and a model of the background that each "
             "frame changes", "14 %", "-58 %"),
    "detect": ("Object detection", "a neural network; all of its weights are used for each second "
               "frame", "39 %", "-89 %"),
    "plan": ("Path planner", "A* on a map that grows; each fourth frame all of it is worked out "
             "again", "47 %", "-21 %"),
    "steer": ("Steering", "gives the command: follows the path, keeps the middle of the lane",
              "0 %", "-8 %"),
}


class Guest(guestlib.Guest):
    """A plan is (load, limit, control)."""
    PARTS = ("condition", "suite", "lru")
    RESULT = re.compile(r"(\w+)-(\d+)-(\w+)\.(\d+) (\w+) (\S+)$")

    def __init__(self, directory):
        super().__init__(directory)
        self.media, cpus = self.about
        self.cpus = int(cpus)
        self.whole = "all done" in self.lines

    def measure(self, plan):
        return "fps" if plan[0] in FRAMES else "seconds"

    def label(self, sep=", "):
        cpus = "" if self.cpus == 1 else f", {self.cpus} CPUs"
        return sep.join([MEDIA.get(self.media, self.media) + cpus,
                         KERNELS.get(self.suite, self.suite), LRUS.get(self.lru, self.lru)])

    def measured(self, plan):
        return self.values(plan, self.measure(plan))

    def gain(self, plan):
        """Percent faster than the kernel alone, medians; None for the kernel alone."""
        load, limit, control = plan
        mine, alone = self.measured(plan), self.measured((load, limit, "none"))
        if control == "none" or not mine or not alone:
            return None
        mine, alone = statistics.median(mine), statistics.median(alone)
        return 100 * ((mine / alone if load in FRAMES else alone / mine) - 1)

    def changed(self, plan, key):
        """The median of a counter, of which the guest says nothing where it did not change."""
        return median([float(values.get(key, ["0"])[0]) for values in self.plans[plan].values()
                       if "busy_ticks" in values])

    def daemon_percent(self, plan):
        """Of one processor."""
        parts = []
        for values in self.plans[plan].values():
            ticks = sum(float(values.get(key, ["0"])[0]) for key in ("busy_ticks", "idle_ticks"))
            if "daemon_ticks" in values and ticks:
                parts.append(100 * float(values["daemon_ticks"][0]) * self.cpus / ticks)
        return median(parts)


def guest_order(guest):
    return (list(KERNELS).index(guest.suite) if guest.suite in KERNELS else len(KERNELS),
            guest.cpus, guest.lru,
            list(MEDIA).index(guest.media) if guest.media in MEDIA else len(MEDIA), guest.name)


def plan_order(plan):
    load, limit, control = plan
    return (LOADS.index(load) if load in LOADS else len(LOADS), load, -(int(limit) or 100),
            list(CONTROLS).index(control) if control in CONTROLS else len(CONTROLS), control)


def restriction(limit):
    """As the paper has it: -30 % is a limit of 70."""
    return "none" if limit == "0" else f"-{100 - int(limit)} %"


def grouped(axes, labels, rows, form):
    """A group of bars for each label, of rows (control -> values); whiskers are min and max."""
    controls = [control for control in BARS if any(row.get(control) for row in rows)]
    width = 0.84 / max(1, len(controls))
    top = max(max(values) for row in rows for values in row.values() if values)
    for control in controls:
        first = True
        for place, row in enumerate(rows):
            # A group has no gaps where it lacks a control.
            have = [name for name in controls if row.get(name)]
            if control not in have:
                continue
            x = place + (have.index(control) - (len(have) - 1) / 2) * width
            middle = median_bar(axes, x, 0.92 * width, row[control], COLOUR[control],
                                CONTROLS[control] if first else None)
            axes.text(x, max(row[control]) + 0.015 * top, form.format(middle), ha="center",
                      va="bottom", fontsize=7.5)
            first = False
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.set_ylim(0, 1.1 * top)
    axes.grid(axis="x", visible=False)


def legend(figure, axes):
    """Of all axes, below them, each name once."""
    named = {}
    for one in axes:
        handles, labels = one.get_legend_handles_labels()
        named.update(zip(labels, handles))
    order = [name for name in CONTROLS.values() if name in named]
    order += [name for name in named if name not in order]
    figure.legend([named[name] for name in order], order, loc="upper center",
                  bbox_to_anchor=(0.5, 0), ncols=min(5, max(1, len(order))), fontsize=10)


def synthetic(page, guests):
    """Figure 2: the synthetic programs."""
    shown = [load for load in ("cyclic", "zigzag")
             if any(guest.measured((load, "0", "none")) and guest.measured((load, "50", "none"))
                    for guest in guests)]
    if not shown:
        return
    figure, axes = plt.subplots(len(shown), figsize=(10, 3.4 * len(shown)), squeeze=False)
    for one, load in zip(axes[:, 0], shown):
        labels, rows = [], []
        for guest in guests:
            free = guest.measured((load, "0", "none"))
            row = {control: [statistics.median(free) / seconds for seconds in
                             guest.measured((load, "50", control))] for control in BARS
                   } if free else {}
            if any(row.values()):
                labels.append(guest.label("\n"))
                rows.append(row)
        grouped(one, labels, rows, "{:.2f}")
        one.set_ylabel("performance, unlimited = 1")
        one.set_title(f"{load}, half of its memory")
    figure.tight_layout()
    legend(figure, axes[:, 0])
    page.picture(figure, "fig-2", "Figure 2: performance of the synthetic programs, of that "
                 "without a limit. Bars are the median of the rounds, whiskers their least and "
                 "their most. \"Kernel alone\" is what the paper calls OnDemand.")


def rows_of_limits(guest, limits):
    return [{control: guest.measured(("pipeline", limit, control)) for control in BARS}
            for limit in limits]


def pipelines(page, guests):
    """Figure 3: frames a second at each limit, and on each medium."""
    limits = ["70", "50", "30"]
    shown = [guest for guest in guests
             if sum(bool(guest.measured(("pipeline", limit, "none"))) for limit in limits) > 1]
    if shown:
        figure, axes = plt.subplots(len(shown), figsize=(10, 3.2 * len(shown)), squeeze=False)
        for one, guest in zip(axes[:, 0], shown):
            have = [limit for limit in limits if any(rows_of_limits(guest, [limit])[0].values())]
            grouped(one, [restriction(limit) for limit in have], rows_of_limits(guest, have),
                    "{:.2f}")
            one.set_ylabel("frames a second")
            free = guest.median(("pipeline", "0", "none"), "fps")
            one.set_title(guest.label() +
                          (f"; without a limit {free:.2f}" if free is not None else ""))
        axes[-1, 0].set_xlabel("memory that is taken away")
        figure.tight_layout()
        legend(figure, axes[:, 0])
        page.picture(figure, "fig-3", "Figure 3: frames a second of the pipeline. In the paper, "
                     "kernel alone and with ProSwap: 10.46 and 12.09 at -30 %, 9.36 and 11.37 at "
                     "-50 %, 7.85 and 9.93 at -70 %.")
    shown = [guest for guest in guests if guest.measured(("pipeline", "50", "none"))]
    if len(shown) > 1:
        figure, one = plt.subplots(figsize=(10, 3.8))
        grouped(one, [guest.label("\n") for guest in shown],
                [rows_of_limits(guest, ["50"])[0] for guest in shown], "{:.2f}")
        one.set_ylabel("frames a second")
        one.set_title("Pipeline, half of its memory")
        figure.tight_layout()
        legend(figure, [one])
        page.picture(figure, "fig-3-media", "The pipeline at -50 %, on other media and kernels.")


def trace(path):
    """Stage -> (seconds, window in ms) of each look; a gap where there is no period."""
    lines = {}
    with open(path, encoding="ascii", errors="replace") as file:
        rows = list(csv.DictReader(file))
    begin = int(rows[0]["ms"]) if rows else 0
    for row in rows:
        stage = row["name"].removeprefix("pipe-")
        if stage in STAGES and row["period_ms"]:
            times, windows = lines.setdefault(stage, ([], []))
            times.append((int(row["ms"]) - begin) / 1000)
            windows.append(int(row["period_ms"]) or math.nan)
    return lines


def traces(guest):
    """(limit, control) -> lines, of the first round."""
    found = {}
    for limit in ("70", "50", "30"):
        for control in ("paper", "auto"):
            path = os.path.join(guest.directory, f"pipeline-{limit}-{control}.1.trace")
            try:
                found[limit, control] = trace(path)
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                continue
    return {key: lines for key, lines in found.items() if lines}


def windows(page, guests):
    """Figure 4, of one guest: that with the paper's conditions, if it is there."""
    found = [(guest, traces(guest)) for guest in guests]
    found = max(found, key=lambda pair: len(pair[1]), default=None)
    if not found or not found[1]:
        return
    guest, lines = found
    controls = [name for name in ("paper", "auto") if any(key[1] == name for key in lines)]
    limits = [name for name in ("70", "50", "30") if any(key[0] == name for key in lines)]
    figure, axes = plt.subplots(len(controls), len(limits), squeeze=False, sharey="row",
                                figsize=(1.5 + 3.2 * len(limits), 2.9 * len(controls)))
    for row, control in zip(axes, controls):
        for one, limit in zip(row, limits):
            for colour, stage in zip((BLUE, ORANGE, GREEN, PINK), STAGES):
                times, values = lines.get((limit, control), {}).get(stage, ([], []))
                if times:
                    # A period of one look only is a point.
                    one.plot(times, values, drawstyle="steps-post", color=colour, linewidth=1.2,
                             marker=".", markersize=2.5, label=STAGES[stage][0])
            one.set_title(f"{control}, {restriction(limit)}", fontsize=11)
        row[0].set_ylabel("window, ms" if control == "paper" else "period, ms")
        # Not before all of the row is drawn: it has one scale.
        row[0].set_ylim(bottom=0)
    for one in axes.flat:
        one.set_xlim(left=0)
    for one in axes[-1]:
        one.set_xlabel("seconds")
    figure.tight_layout()
    legend(figure, axes.flat)
    page.picture(figure, "fig-4", "Figure 4: the window of each program, first round "
                 f"({guest.label()}). In mode paper it is 5000 ms while a program is not periodic; "
                 "in mode auto, a line ends where no period is known.")


def memory(guests):
    """Table II: (head, rows), or None."""
    plans = {control: ("camera", "0", control) for control in ("none", "trim", "paper")}
    found = [guest for guest in guests if guest.measured(plans["none"])]
    if not found:
        return None
    guest = found[0]
    rows = []
    parts = {control: [] for control in plans}
    for stage, (name, _, _, paper) in STAGES.items():
        kib = {control: guest.median(plan, f"rss_kib_{stage}") for control, plan in plans.items()}
        cells = [name, number(kib["none"])]
        for control in ("trim", "paper"):
            part = None
            if kib["none"] and kib[control] is not None:
                part = 100 * (kib[control] / kib["none"] - 1)
                parts[control].append(part)
            cells += [number(kib[control]), number(part, "{:+.0f} %")]
        rows.append([*cells, paper])
    mean = {control: statistics.mean(values) if len(values) == len(STAGES) else None
            for control, values in parts.items()}
    rows.append(["mean", "", "", number(mean["trim"], "{:+.0f} %"), "",
                 number(mean["paper"], "{:+.0f} %"), "-44 %"])
    for key, name in (("fps", "frames a second"), ("p95_ms", "p95 of a frame, ms")):
        values = {control: number(guest.median(plan, key), "{:.2f}" if key == "fps" else "{:.0f}")
                  for control, plan in plans.items()}
        rows.append([name, values["none"], values["trim"], "", values["paper"], "", ""])
    return ["Table II", "alone, KiB", "trimmed, KiB", "", "mode paper, KiB", "",
            "in the paper"], rows


ALL = ["guest", "load", "limit", "control", "rounds", "unit", "median", "min", "max",
       "gain on the kernel alone", "swap-ins", "daemon, of a processor", "daemon KiB",
       "daemon KiB, at most", "period ms"]


def everything(guests):
    rows = []
    for guest in guests:
        for plan in sorted(guest.plans, key=plan_order):
            values = guest.measured(plan)
            form = "{:.2f}" if plan[0] in FRAMES else "{:.3f}"
            first = guest.plans[plan].get(1, {})
            rows.append([
                guest.label(), plan[0], restriction(plan[1]), CONTROLS.get(plan[2], plan[2]),
                str(len(values)), "frames/s" if plan[0] in FRAMES else "s",
                form.format(statistics.median(values)), form.format(min(values)),
                form.format(max(values)), number(guest.gain(plan), "{:+.1f} %"),
                number(guest.changed(plan, "pswpin")),
                number(guest.daemon_percent(plan), "{:.1f} %"),
                number(guest.median(plan, "daemon_kib")),
                number(guest.median(plan, "daemon_hwm_kib")),
                " ".join(first.get("period_ms", ["-"]))])
    return ALL, rows


def slowdowns(guests):
    """(guest, plan, percent slower than the kernel alone) where there is no period to find."""
    found = []
    for guest in guests:
        for plan in sorted(guest.plans, key=plan_order):
            if plan[0] in ("random", "compile") and guest.gain(plan) is not None:
                found.append((guest, plan, 100 * (100 / (100 + guest.gain(plan)) - 1)))
    return found


def cases(guests):
    """(head, rows) of the cases that were run with proswapd and without."""
    rows = []
    for guest in guests:
        for plan in sorted(guest.plans, key=lambda plan: (*CASES, plan[0]).index(plan[0])):
            if plan[0] in CASES and guest.gain(plan) is not None:
                rows.append([guest.label(), plan[0], CASES[plan[0]], restriction(plan[1]),
                             number(guest.median((*plan[:2], "none"), "seconds"), "{:.2f}"),
                             number(guest.median(plan, "seconds"), "{:.2f}"),
                             f"{guest.gain(plan):+.1f} %"])
    return ["guest", "case", "chosen", "limit", "alone, s", "with proswapd, s", "faster"], rows


def checksums(guests):
    """(sentences that say which runs agree, sentences that say which differ)"""
    good, wrong = [], []
    for guest in guests:
        for load in sorted({plan[0] for plan in guest.plans}):
            runs = {}
            for plan, rounds in guest.plans.items():
                for count, values in rounds.items():
                    for value in values.get("checksum", []) if plan[0] == load else []:
                        runs.setdefault(value, []).append(f"{'-'.join(plan[1:])}.{count}")
            if len(runs) > 1:
                said = "; ".join(f"{value}: {' '.join(sorted(names))}"
                                 for value, names in sorted(runs.items()))
                wrong.append(f"{guest.name}: {load} has calculated different things: {said}")
            for value, names in runs.items():
                good.append((load, value, guest.name, len(names)))
    if wrong or not good:
        return [], wrong
    said = []
    for load, value in sorted({item[:2] for item in good}):
        names = [item[2] for item in good if item[:2] == (load, value)]
        count = sum(item[3] for item in good if item[:2] == (load, value))
        said.append(f"{load} {value} in {count} runs of {', '.join(names)}")
    return ["The checksums are the same under all controls: " + "; ".join(said) + "."], wrong


INTRO = ("<p>Guests of 448 MiB and one processor, whose time is counted in instructions; with two "
         "processors it is the host's. Swap is on MTDCOMPR, lz4, in 64 MiB outside the guest's "
         "memory, or on zram. The program's group may have so much of its memory; proswapd is not "
         "in that group. <code>make paper-proswap</code>; the daemon is described in "
         "Documentation/reference/proswapd.rst.</p>")


def main():
    directory = sys.argv[1]
    guests = sorted(guestlib.load(directory, Guest), key=guest_order)
    page = Page(directory, "proswapd: the experiments",
                "proswapd: the experiments of the paper, and ours", INTRO)
    good, wrong = checksums(guests)
    wrong += [f"{guest.name} did not come to its end: what it has said until then counts"
              for guest in guests if not guest.whole]
    wrong += [f"{guest.name}: without success, and left out: {' '.join(guest.failed)}"
              for guest in guests if guest.failed]
    for line in wrong:
        page.text(line, style="missed")
        print(f"report.py: {line}", file=sys.stderr)
    for line in good:
        page.text(line)

    tables = [everything(guests)]
    synthetic(page, guests)
    page.text("Table I: the programs", "h2")
    page.table(["", "here", "part of the memory"],
               [[name, here, part] for name, here, part, _ in STAGES.values()])
    pipelines(page, guests)
    windows(page, guests)
    second = memory(guests)
    if second:
        page.text("Table II: resident memory, a frame each second", "h2")
        page.text("Nothing limits the memory. Means over the time, medians of the rounds.")
        page.table([""] + second[0][1:], second[1])
        tables.append(second)
    slow = slowdowns(guests)
    if slow:
        page.text("Controls: nothing is periodic", "h2")
        names = [f"{plan[0]}\n{plan[2]}, {restriction(plan[1])}\n" + guest.label("\n")
                 for guest, plan, _ in slow]
        figure = bars(names, [percent for _, _, percent in slow], "slower, percent",
                      "Programs without a period", max(4, 1.4 * len(names)))
        figure.axes[0].axhline(0, color=BLACK, linewidth=0.8)
        figure.axes[0].margins(y=0.15)
        figure.axes[0].grid(axis="x", visible=False)
        page.picture(figure, "fig-controls", "How much longer programs take that have no period, "
                     "with proswapd; medians.")
        head = ["guest", "load", "limit", "control", "slowdown"]
        rows = [[guest.label(), plan[0], restriction(plan[1]), CONTROLS.get(plan[2], plan[2]),
                 f"{percent:+.1f} %"] for guest, plan, percent in slow]
        page.table(head, rows)
        tables.append((head, rows))
    table = cases(guests)
    if table[1]:
        page.text("With and without", "h2")
        page.text("From the first frame on: what is learnt meanwhile counts.")
        page.table(*table)
        tables.append(table)
    page.text("All", "h2")
    page.table(*tables[0])
    page.write()
    write_text(directory, *tables)


main()
