#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py DIRECTORY: the page of the experiments behind Marvin.

DIRECTORY/runs has a directory for each guest of run.sh; what is not there is left out of the
pictures. Makes index.html, table.txt, and each picture as PNG and SVG.
"""
import os
import re
import statistics
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from guests import KERNELS, load, median, number, open_text  # noqa: E402
from page import Page, write_text  # noqa: E402
from pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, YELLOW, plt  # noqa: E402

MEDIA = {"ram": "MTDCOMPR on RAM", "nand": "MTDCOMPR on NAND", "zram": "zram",
         "small": "MTDCOMPR on 192 MiB of RAM"}
CONTROLS = {"none": "no swap", "swap": "kernel's swap", "types": "kernel's swap, Marvin's types",
            "marvin": "Marvin", "mapped": "mapped file", "both": "kernel's swap and Marvin",
            "back": "Marvin, in the background", "mappedback": "mapped file, in the background",
            "told": "Marvin, taken before", "plain": "plain memory"}
PROGRAMS = {"editor": "editor", "tiles": "tiles of a map", "table": "table"}
COLOUR = {"none": GREY, "swap": GREEN, "marvin": BLUE, "both": ORANGE,
          "plain": SKY, "mapped": BLACK, "back": PINK, "mappedback": YELLOW,
          "told": GREY}
LINE = {"ram": "-", "nand": "--", "small": "-.", "zram": ":"}
# Pause of an app in each round.
GAP_MS = 1000
ROUND = re.compile(r"\S+ round (\d+) at_ms (\d+) took_ms (\d+)$")
RESULT = re.compile(r"(\w+)-(\w+) (\S+) (\S+)$")
# Each load's file that shows that the load has ended.
WHOLE = {"apps": "active", "timer": "timer"}
MEMORY = re.compile(r"\S+ memory at_us (\d+) resident_kib (\d+)$")
TIMER = re.compile(r"\S+ timer mib \d+ at_us (\d+) took_us (\d+)(?: cpu_us \d+)?$")


class Guest:
    """What one guest has said: for each run (load, control) its values, a list for each key."""

    def __init__(self, directory):
        self.directory = directory
        self.condition, self.suite, self.media = os.path.basename(directory).split(".")
        self.runs = {}
        for *run, key, value in self.matches("result", RESULT):
            self.runs.setdefault(tuple(run), {}).setdefault(key, []).append(float(value))
        # A killed guest has left its results but not its files.
        for what, control in self.runs:
            if what in WHOLE:
                path = os.path.join(directory, f"{what}-{control}.{WHOLE[what]}")
                if not os.stat(path).st_size:
                    raise ValueError(path)

    def matches(self, name, pattern):
        """The groups of each line of a file that the pattern matches."""
        with open_text(self.directory, name) as file:
            return [match.groups() for match in
                    (pattern.match(line.strip()) for line in file) if match]

    def value(self, run, key):
        return median(self.runs.get(run, {}).get(key))

    def label(self, control):
        where = "" if control == "none" else f", {MEDIA[self.media]}"
        return f"{CONTROLS[control]}{where}, {KERNELS.get(self.suite, self.suite)}"

    def active(self, control):
        """Of the load apps: ms, apps started, active, alive, KiB available."""
        with open_text(self.directory, f"apps-{control}.active") as file:
            return [[int(word) for word in line.split()] for line in file]

    def samples(self, control):
        """Of the load apps: seconds, apps started, active, MiB available."""
        rows = self.active(control)
        return [((row[0] - rows[0][0]) / 1000, row[1], row[2], row[4] / 1024) for row in rows]

    def rounds(self, control):
        """Of the load apps: ms of work in each round that ended after the last start."""
        rows = self.active(control)
        begin = next(row[0] for row in rows if row[1] == rows[-1][1])
        return sorted(took - GAP_MS for name in os.listdir(self.directory)
                      if name.startswith(f"apps-{control}.app")
                      for count, at, took in (map(int, line) for line in self.matches(name, ROUND))
                      if count and at > begin)

    def memory(self, control):
        """Of the load timer: (ms since the other program began, MiB of apps in memory), and ms that
        it took.
        """
        begin, took = map(int, self.matches(f"timer-{control}.timer", TIMER)[0])
        return [((int(at) - begin) / 1000, int(kib) / 1024)
                for at, kib in self.matches(f"timer-{control}.memory", MEMORY)], took / 1000


def of_load(guests, load):
    """Its runs: guest and control, those without a swap first."""
    found = [(guest, run[1]) for guest in guests for run in guest.runs if run[0] == load]
    return sorted(found, key=lambda one: (list(KERNELS).index(one[0].suite),
                                          list(CONTROLS).index(one[1]), one[0].media))


def active(page, guests):
    """Active apps over apps started, and memory that is available meanwhile."""
    runs = of_load(guests, "apps")
    if not runs:
        return
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for guest, control in runs:
        if guest.suite != runs[0][0].suite:
            continue
        samples = guest.samples(control)
        kwargs = {"color": COLOUR[control], "linestyle": LINE[guest.media],
                  "label": guest.label(control)}
        growing = [row for at, row in enumerate(samples) if not at or row[1] > samples[at - 1][1]]
        axes[0].plot([row[1] for row in growing], [row[2] for row in growing], **kwargs)
        axes[1].plot([row[0] for row in samples], [row[3] for row in samples], **kwargs)
    axes[0].set_xlabel("apps started")
    axes[0].set_ylabel("apps active")
    axes[0].set_ylim(bottom=0)
    axes[1].set_xlabel("seconds")
    axes[1].set_ylabel("MiB available")
    axes[1].set_ylim(bottom=0)
    figure.tight_layout()
    # Below both: a line may be anywhere.
    figure.legend(*axes[0].get_legend_handles_labels(), loc="upper center", ncol=3, fontsize=8,
                  bbox_to_anchor=(0.5, 0))
    page.picture(figure, "active", "Apps of 22 MiB, of which each makes 2 MiB anew in 5 s. One is "
                 "active while its rounds come; the run ends when four more have not helped.")


def apps_table(guests):
    head = ["apps", "started", "most active", "active at the end", "of no swap", "of zram",
            "a round: median, ms", "95 % within, ms", "wrong bytes", "lost objects"]
    rows = []
    runs = of_load(guests, "apps")
    for guest, control in runs:
        most = guest.value(("apps", control), "most_active")
        base = {other: next((one.value(("apps", other), "most_active") for one, what in runs
                             if what == other and one.suite == guest.suite
                             and (other == "none" or one.media == "zram")), None)
                for other in ("none", "swap")}
        rounds = guest.rounds(control)
        rows.append([guest.label(control), number(guest.value(("apps", control), "started")),
                     number(most),
                     number(guest.value(("apps", control), "active_at_end"))] +
                    [number(most / base[other] if base[other] else None, "{:.2f}")
                     for other in ("none", "swap")] +
                    [str(rounds[len(rounds) * part // 100]) if rounds else "-"
                     for part in (50, 95)] +
                    [number(guest.value(("apps", control), key)) for key in ("wrong", "lost")])
    return head, rows


def where_table(guests):
    """Of the load apps: what was written and read in all, and where all is at the end; MiB."""
    head = ["MiB of apps", "made", "written to the swap", "to the store", "of what was made",
            "read from the swap", "from the store", "at the end: objects in memory",
            "of these given", "objects in the swap", "all else in memory",
            "all else in the swap", "media: swap", "media: store"]
    rows = []
    for guest, control in of_load(guests, "apps"):
        def mib(key, unit, of=control, one=guest):
            value = one.value(("apps", of), key)
            return None if value is None else value * unit / 1024

        written = [mib("swap_written", 4), mib("store_written", 4)]
        made = mib("made", 4)
        if not made:
            continue
        part = f"{sum(one or 0 for one in written) / made:.2f}"
        rows.append([guest.label(control), number(made)] + [number(one) for one in written] +
                    [part] + [number(mib(key, 4)) for key in ("swap_read", "store_read")] +
                    [number(mib(key, 1)) for key in
                     ("objects_rss_kib", "objects_lazyfree_kib", "objects_swap_kib",
                      "own_anonymous_kib", "own_swap_kib", "swap_media_kib", "store_media_kib")])
    return head, rows


def timer_table(guests):
    head = ["48 MiB for another program", "nothing else, ms", "MiB free before", "first, ms",
            "median, ms", "most, ms", "processor time, ms", "alive at the end", "wrong bytes"]
    rows = []
    for guest, control in of_load(guests, "timer"):
        values = guest.runs[("timer", control)].get("took_us", [])
        if not values:
            continue
        def value(key, of=control, one=guest):
            return one.value(("timer", of), key)

        rows.append([guest.label(control), f"{value('free_us') / 1000:.0f}",
                     f"{(value('had_free_kib') or 0) / 1024:.0f}"] +
                    [f"{one / 1000:.0f}" for one in
                     (values[0], statistics.median(values), max(values))] +
                    [f"{(value('cpu_us') or 0) / 1000:.0f}"] +
                    [number(value(key)) for key in ("alive_at_end", "wrong")])
    return head, rows


def taken_back(page, guests):
    """What apps have in memory, while another program takes some."""
    runs = [(guest, control) for guest, control in of_load(guests, "timer")
            if guest.suite == "bookworm"]
    if not runs:
        return
    figure, one = plt.subplots(figsize=(8, 3.8))
    for guest, control in runs:
        samples, took = guest.memory(control)
        kwargs = {"color": COLOUR[control], "linestyle": LINE[guest.media]}
        one.plot([at for at, _ in samples], [mib for _, mib in samples],
                 label=guest.label(control), **kwargs)
        one.axvline(took, linewidth=0.7, **kwargs)
    one.set_xscale("symlog", linthresh=100)
    one.set_xlim(left=0)
    one.set_xlabel("ms since another program began to take 48 MiB")
    one.set_ylabel("MiB of the apps in memory")
    one.legend(fontsize=8)
    figure.tight_layout()
    page.picture(figure, "memory", "Eight apps at the back, while another program takes 48 MiB; it "
                 "has them at the thin line.")


def overheads(guest, load, control="marvin"):
    """(ratio, percent) of a load: what a control adds."""
    plain, other = guest.runs.get((load, "plain"), {}), guest.runs.get((load, control), {})
    found = [(int(key.split("_")[1]), 100 * (other[key][0] / plain[key][0] - 1))
             for key in plain if key in other]
    return sorted(found)


def overhead(page, guests):
    found = [guest for guest in guests if overheads(guest, "micro")]
    if not found:
        return None
    figure, one = plt.subplots(figsize=(7, 3.6))
    for control in ("marvin", "mapped"):
        points = overheads(found[0], "micro", control)
        one.plot([ratio for ratio, _ in points], [percent for _, percent in points], marker="o",
                 color=COLOUR[control], label=CONTROLS[control])
    one.legend(fontsize=8)
    one.set_xscale("symlog")
    one.set_xlabel("steps of arithmetic (5 instructions each) for each access to an object")
    one.set_ylabel("more instructions, %")
    one.set_ylim(bottom=0)
    figure.tight_layout()
    page.picture(figure, "overhead", "What libmarvin costs while all objects are in memory.")
    rows = []
    for load, what in (("micro", "steps for each access"),
                       ("walk", "hot accesses for each cold one")):
        mapped = dict(overheads(found[0], load, "mapped"))
        rows += [[f"{load}, {ratio} {what}", f"{percent:+.1f} %",
                  f"{mapped[ratio]:+.1f} %" if ratio in mapped else "-"]
                 for ratio, percent in overheads(found[0], load)]
    return ["overhead", "Marvin", "mapped file"], rows


def collect_table(guests):
    """A full collection of the programs in Lua: all in memory, and most of it out."""
    head = ["full collection", "program", "MiB", "out, %", "all in memory, ms", "that is out, ms",
            "of the swap's", "pages brought back", "objects brought back", "wrong bytes"]
    rows = []
    for guest, control in of_load(guests, "collect"):
        for program, what in PROGRAMS.items():
            def value(key, of=control, name=program, one=guest):
                return one.value(("collect", of), f"{name}_{key}")

            took, swap = value("out_us"), value("out_us", "swap")
            if took is None:
                continue
            rows.append([guest.label(control), what, f"{value('kib') / 1024:.0f}",
                         number(value("out_percent")), f"{value('in_us') / 1000:.1f}",
                         f"{took / 1000:.1f}",
                         f"1/{swap / took:.0f}" if swap and control != "swap" else "-"] +
                        [number(value(key)) for key in ("pages", "brought", "wrong")])
    return head, rows


def programs_table(guests):
    """What the programs in Lua cost with Marvin, while all is in memory."""
    head = ["program in Lua", "its types without Marvin, s", "with Marvin, s", "more"]
    rows = []
    for guest in guests:
        for program, what in PROGRAMS.items():
            plain, marvin = (guest.value(("programs", control), f"{program}_us")
                             for control in ("plain", "marvin"))
            if plain and marvin:
                rows.append([what, f"{plain / 1e6:.2f}", f"{marvin / 1e6:.2f}",
                             f"{100 * (marvin / plain - 1):+.1f} %"])
    return head, rows


INTRO = ("<p>Guests of 256 MiB with one processor, whose time is counted in instructions. Swap, or "
         "Marvin's store, is on MTDCOMPR, on memory outside the guest's or on simulated NAND; or "
         "on zram. <code>make paper-marvin</code>; the library is described in "
         "Documentation/reference/marvin.rst.</p>")


def main():
    directory = sys.argv[1]
    guests = load(directory, Guest)
    page = Page(directory, "Marvin: the experiments", "Marvin: the experiments", INTRO)
    tables = []
    active(page, guests)
    taken_back(page, guests)
    for table in (apps_table(guests), where_table(guests), timer_table(guests),
                  overhead(page, guests), programs_table(guests), collect_table(guests)):
        if table and table[1]:
            page.table(*table)
            tables.append(table)
    page.write()
    write_text(directory, *tables)


main()
