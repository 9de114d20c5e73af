#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""charts.py [--check] [NAME...]: draw the charts of the pages in Documentation, one for each
paper and one for figures.rst, from the tables of these pages. NAME is paper, paper-latd,
figures and so on; without a NAME: all. README's picture is drawn by tools/lab/bench/gain.py,
which uses this file.

With --check, draw nothing: print a line for each chart whose numbers are not those of its
table, and exit with status 1 if there is one. Drawing needs matplotlib (qemu/setup.sh paper),
--check does not.
"""
import collections
import html
import pathlib
import re
import sys

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[1]
BORDER = re.compile(r"=+( +=+)+ *")
# The side of a comparison that a bar is on; draw() gives each its colour.
WITHOUT, OTHER, OURS = range(3)

# A chart is a list of panels, one below the other, each with horizontal bars. The label of a
# bar is its value as the reader sees it.
Panel = collections.namedtuple("Panel", "title bars logarithmic", defaults=[False])
Bar = collections.namedtuple("Bar", "name value label side")


def bar(name, cell, side, unit=""):
    """A bar for the number that a cell begins with, as in "27.4", "< 10" or "240, 484"."""
    said, digits = re.match(r"(?:< )?([+-]?\d+(?:\.\d+)?)", cell).group(0, 1)
    return Bar(name, float(digits), said + unit, side)


def cells(line, spans):
    return [line[start:end].strip() for start, end in spans]


def tables(page):
    """The simple tables of a page that have a head: (head, rows), both as lists of cells."""
    lines = iter((DOCUMENTATION / page).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if not BORDER.fullmatch(line):
            continue
        starts = [match.start() for match in re.finditer("=+", line)]
        spans = list(zip(starts, starts[1:] + [None]))
        head, rows = [""] * len(spans), []
        for line in lines:
            if BORDER.fullmatch(line):
                break
            head = [f"{old} {new}".strip() for old, new in zip(head, cells(line, spans))]
        for line in lines:
            if BORDER.fullmatch(line):
                break
            row = cells(line, spans)
            if row[0]:
                rows.append(row)
            elif rows:
                rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], row)]
        yield head, rows


def table(page, *columns):
    """The first table of the page with these columns: {first cell of a row: {column: cell}}."""
    for head, rows in tables(page):
        if set(columns) <= set(head):
            return {row[0]: dict(zip(head, row)) for row in rows}
    raise LookupError(f"{page} has no table with the columns {', '.join(columns)}")


def figures():
    rows = table("explanation/figures.rst", "Device", "write, in order", "read", "metadata")
    panels = []
    for column, title in (("write, in order", "Write a page, µs"), ("read", "Read a page, µs"),
                          ("metadata", "Metadata of a stored page, bytes")):
        bars = []
        for name in ("lz4", "lzo", "zstd"):
            bars.append(bar(f"{name}: zram", rows[f"zram {name}"][column], OTHER))
            bars.append(bar("MTDCOMPR", rows[f"mtdcompr {name}"][column], OURS))
        panels.append(Panel(title, bars))
    return panels


def paper():
    rows = table("papers/paper.rst", "Row", "Fixed, %", "Random, %", "Paper: fixed",
                 "Paper: random")
    panels = []
    for kind in ("Fixed", "Random"):
        column, said = f"{kind}, %", f"Paper: {kind.lower()}"
        bars = []
        for media, best in (("ram", "ram-best"), ("pcm", "pcm-best"), ("nand", None)):
            bars.append(bar(f"{media.upper()}: paper", rows[media][said], WITHOUT))
            bars.append(bar("plain", rows[media][column], OURS))
            if best:
                bars.append(bar("best", rows[best][column], OURS))
        bars.append(bar("zram: plain", rows["zram"][column], OTHER))
        bars.append(bar("best", rows["zram-best"][column], OTHER))
        panels.append(Panel(f"{kind} reads, % of the speed of RAM", bars))
    return panels


def paper_latd():
    rows = table("papers/paper-latd.rst", "Load and control", "Times alone", "Load, %")
    sides = {"none": WITHOUT, "auto": OURS}

    def panel(title, column, unit):
        return Panel(title, [bar(name, row[column], sides.get(name.split(", ")[1], OTHER), unit)
                             for name, row in rows.items() if name != "alone"])
    return [panel("p95 of an image, times the program alone", "Times alone", " x"),
            panel("Speed of the load, % of that without control", "Load, %", " %")]


def paper_proswap():
    rows = table("papers/paper-proswap.rst", "Program and guest", "Gain", "Paper's gain")
    panels = []
    for title, word in (("Gain, half of the memory", "cyclic|zigzag"),
                        ("Gain of a pipeline, two processors", "pipeline"),
                        ("Programs without a period", "random|compiler")):
        bars = []
        for name, row in rows.items():
            if not re.match(word, name):
                continue
            name = re.sub("pipeline, | \\(cc1plus\\), memory -30 %", "", name)
            if row["Paper's gain"]:
                bars.append(bar(f"{name}: paper", row["Paper's gain"], WITHOUT, " %"))
                name = "here"
            bars.append(bar(name, row["Gain"], OURS, " %"))
        panels.append(Panel(title, bars))
    return panels


def paper_marvin():
    rows = table("papers/paper-marvin.rst", "Measurement", "zram", "Swap", "Mapped file", "Marvin")
    sides = {"None": WITHOUT, "zram": OTHER, "Swap": OTHER, "Mapped file": OTHER, "Marvin": OURS}

    def bars(name, none, label=""):
        row = rows[name]
        return [bar(label + {"None": none, "zram": "swap on zram", "Swap": "swap on MTDCOMPR"}
                    .get(column, column), row[column], side)
                for column, side in sides.items() if row[column]]
    return [Panel("Active apps, of 24", bars("Apps active at the end, of 24 (6.12)", "no swap")),
            Panel("48 MiB for another program, ms",
                  bars("48 MiB taken, NAND, median (6.1)", "free memory") +
                  [bar("Marvin, told before",
                       rows["48 MiB taken, NAND, apps told before"]["Marvin"], OURS)], True),
            Panel("Collection of an editor in Lua, ms",
                  bars("Full collection, editor (6.1)", "all in memory"), True)]


def paper_rectify():
    page = "papers/paper-rectify.rst"
    rows = table(page, "Guest", "60 (default)", "100", "150", "180", "200", "rectifyd")
    panels = []
    for title, names in (
            ("Eight programs", ("6.1, classic", "6.1, MGLRU", "6.12, MGLRU", "zram, classic",
                                "NAND, MGLRU")),
            ("Six programs", ("96 MiB", "128 MiB", "192 MiB")),
            ("Synthetic apps", ("128 MiB, 6 apps, 6.1, classic", "128 MiB, 6 apps, 6.12, MGLRU",
                                "192 MiB, 8 apps, 6.1, classic", "192 MiB, 8 apps, 6.12, MGLRU",
                                "256 MiB, 10 apps, 6.1, classic",
                                "192 MiB, 8 apps, swap on zram"))):
        bars = []
        for name in names:
            row = rows[{"Eight programs": f"eight programs, {name}",
                        "Six programs": f"{name}, six programs"}.get(title, name)]
            bars.append(bar(f"{name}: default", row["60 (default)"], WITHOUT))
            fixed = [bar(f"swappiness {column}", row[column], OTHER)
                     for column in ("100", "150", "180", "200") if row[column]]
            if fixed:
                bars.append(min(fixed, key=lambda one: one.value))
            bars.append(bar("rectifyd", row["rectifyd"], OURS))
        panels.append(Panel(f"{title}: mean of a switch, ms", bars))
    return panels


CHARTS = {"figures": figures, "paper": paper, "paper-latd": paper_latd,
          "paper-proswap": paper_proswap, "paper-marvin": paper_marvin,
          "paper-rectify": paper_rectify}


def describe(panels):
    """The numbers of a chart as text, which the picture has as its description."""
    return "\n".join(f"{panel.title} / {one.name}: {one.label}".replace("\n", " ")
                     for panel in panels for one in panel.bars)


def program():
    """The name of the script that runs: charts.py or gain.py."""
    return pathlib.Path(sys.argv[0]).name


def check(picture, panels):
    """What is wrong with a picture; None if its description and its labels are the tables'."""
    path = DOCUMENTATION / picture
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    said = re.search(r"<dc:description>(.*?)</dc:description>", text, re.S)
    labels = collections.Counter(html.unescape(part).strip() for part in
                                 re.findall(r">([^<>]+)</t(?:ext|span)>", text))
    wanted = collections.Counter(one.label for panel in panels for one in panel.bars)
    if said and html.unescape(said.group(1)) == describe(panels) and wanted <= labels:
        return None
    return f"Documentation/{picture}:1: is not what the tables say: run {program()}"


def places_of(panel):
    """Where each bar is: one below the other, with a gap before a group ("RAM: paper")."""
    places, at = [], 0
    for index, one in enumerate(panel.bars):
        lines = 0.35 * one.name.count("\n")
        at += lines + 0.4 * (index > 0 and ": " in one.name)
        places.append(at)
        at += 1 + lines
    return places


def draw_panel(box, panel, places):
    """Draw a panel in its part of the figure."""
    from pictures import BLUE, GREY, ORANGE
    colours = {WITHOUT: GREY, OTHER: ORANGE, OURS: BLUE}
    box.suptitle(panel.title + ", logarithmic" * panel.logarithmic, x=0.01, ha="left",
                 fontsize=12, fontweight="bold")
    part = box.subplots()
    values = [one.value for one in panel.bars]
    part.barh(places, values, color=[colours[one.side] for one in panel.bars])
    part.set_yticks(places, [one.name for one in panel.bars])
    for y, one in zip(places, panel.bars):
        part.annotate(one.label, (max(one.value, 0), y), (4, 0), va="center",
                      textcoords="offset points")
    if panel.logarithmic:
        part.set_xscale("log")
        part.set_xlim(min(values) / 2, max(values) * 5)
    else:
        part.set_xlim(min([0, *values]), max(values) * 1.3)
    part.set_ylim(places[-1] + 0.5 + 0.3 * panel.bars[-1].name.count("\n"), -0.6)
    part.xaxis.set_visible(False)
    part.tick_params(left=False)
    part.set_frame_on(False)


def draw(picture, panels):
    """Draw a figure as narrow as a phone's screen, to keep the letters readable."""
    sys.path.insert(1, str(DOCUMENTATION.parent / "tools/lab/report"))
    try:
        from pictures import plt
    except ImportError:
        sys.exit(f"{program()}: no matplotlib: run qemu/setup.sh paper")
    plt.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif", "axes.grid": False})
    places = [places_of(panel) for panel in panels]
    heights = [0.25 * (place[-1] + 2 + panel.title.count("\n")) + 0.1
               for place, panel in zip(places, panels)]
    figure = plt.figure(figsize=(5, sum(heights)), layout="constrained")
    boxes = figure.subfigures(len(panels), 1, height_ratios=heights, squeeze=False)
    for box, panel, place in zip(boxes.flat, panels, places):
        draw_panel(box, panel, place)
    # Nothing in the file depends on the time of drawing.
    (DOCUMENTATION / picture).parent.mkdir(exist_ok=True)
    figure.savefig(DOCUMENTATION / picture, facecolor="white", metadata={
        "Date": None, "Creator": None, "Description": describe(panels)})
    plt.close(figure)


def main(charts, arguments):
    """Draw or check charts, {path of the picture below Documentation: function of its panels}."""
    failed = False
    for picture, chart in charts.items():
        try:
            panels = chart()
            wrong = check(picture, panels) if "--check" in arguments else draw(picture, panels)
        except (AttributeError, LookupError) as error:  # a cell without a number, or no cell
            wrong = f"Documentation/{picture}:1: has no table to be drawn from: {error}"
        if wrong:
            failed = True
            print(wrong, file=sys.stderr)
    return failed


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--check"] or list(CHARTS)
    if not set(names) <= set(CHARTS):
        sys.exit(f"usage: charts.py [--check] [{'|'.join(CHARTS)}...]")
    sys.exit(main({f"pictures/{name}.svg": CHARTS[name] for name in names}, sys.argv[1:]))
