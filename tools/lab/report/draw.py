#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""draw.py [--check] [NAME...]: draw the charts of the pages in Documentation, one for each
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

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[3] / "Documentation"
BORDER = re.compile(r"=+( +=+)+ *")
# The side of a comparison that a bar is on; draw() gives each its colour.
WITHOUT, OTHER, OURS = range(3)

# A chart is a list of panels, one below the other, each with horizontal bars. The label of a
# bar is its value as the reader sees it.
Panel = collections.namedtuple("Panel", "title bars logarithmic", defaults=[False])
Bar = collections.namedtuple("Bar", "name value label side")


def bar(name, value, side, form="{:.0f}"):
    return Bar(name, value, form.format(value), side)


def number(cell):
    """The number that a cell begins with: of "27.4 s" or "1,579", for example."""
    return float(re.match(r"[+-]?[\d.,]+", cell).group().replace(",", ""))


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
    """The first table of the page with these columns: {cell of the first column: {column: cell}}."""
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
            bars.append(bar(f"{name}: zram", number(rows[f"zram {name}"][column]), OTHER))
            bars.append(bar("MTDCOMPR", number(rows[f"mtdcompr {name}"][column]), OURS))
        panels.append(Panel(title, bars))
    return panels


def paper():
    rows = table("papers/paper.rst", "Row", "Fixed, %", "Random, %", "Paper: fixed", "Paper: random")
    panels = []
    for column, said, title in (("Fixed, %", "Paper: fixed", "Fixed reads, % of the speed of RAM"),
                                ("Random, %", "Paper: random", "Random reads, % of the speed of RAM")):
        bars = []
        for media, best in (("ram", "ram-best"), ("pcm", "pcm-best"), ("nand", None)):
            words = rows[media][said]
            bars.append(Bar(f"{media.upper()}: paper", number(words.lstrip("< ")), words, OTHER))
            bars.append(bar("plain", number(rows[media][column]), OURS, "{:.1f}"))
            if best:
                bars.append(bar("best", number(rows[best][column]), OURS, "{:.1f}"))
        bars.append(bar("zram: plain", number(rows["zram"][column]), WITHOUT, "{:.1f}"))
        bars.append(bar("best", number(rows["zram-best"][column]), WITHOUT, "{:.1f}"))
        panels.append(Panel(title, bars))
    return panels


def paper_latd():
    rows = table("papers/paper-latd.rst", "Load and control", "Times alone", "Load, %")
    names = [name for name in rows if name != "alone"]

    def panel(title, column, form):
        return Panel(title, [bar(name, number(rows[name][column]),
                                 OURS if name.endswith("auto") else OTHER, form) for name in names])
    return [panel("p95 of an image, times the program alone", "Times alone", "{:.3g} x"),
            panel("Speed of the load, % of that without control", "Load, %", "{:.0f} %")]


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
                bars.append(bar(f"{name}: paper", number(row["Paper's gain"]), OTHER, "{:+.0f} %"))
                name = "here"
            bars.append(bar(name, number(row["Gain"]), OURS, "{:+.0f} %"))
        panels.append(Panel(title, bars))
    return panels


def paper_marvin():
    rows = table("papers/paper-marvin.rst", "Measurement", "zram", "Swap", "Mapped file", "Marvin")
    sides = {"None": WITHOUT, "zram": OTHER, "Swap": OTHER, "Mapped file": OTHER, "Marvin": OURS}

    def bars(name, none, label=""):
        row = rows[name]
        return [bar(label + {"None": none, "zram": "swap on zram", "Swap": "swap on MTDCOMPR"}
                    .get(column, column), number(row[column]), side, "{:.3g}")
                for column, side in sides.items() if row[column]]
    return [Panel("Active apps, of 24", bars("Apps active at the end, of 24 (6.12)", "no swap")),
            Panel("48 MiB for another program, ms",
                  bars("48 MiB taken, NAND, median (6.1)", "free memory") +
                  [bar("Marvin, told before",
                       number(rows["48 MiB taken, NAND, apps told before"]["Marvin"]), OURS)], True),
            Panel("Full collection of an editor in Lua, ms",
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
                                "256 MiB, 10 apps, 6.1, classic", "192 MiB, 8 apps, swap on zram"))):
        bars = []
        for name in names:
            row = rows[{"Eight programs": f"eight programs, {name}",
                        "Six programs": f"{name}, six programs"}.get(title, name)]
            fixed = {column: number(row[column]) for column in ("100", "150", "180", "200")
                     if row[column]}
            bars.append(bar(f"{name}: default", number(row["60 (default)"]), WITHOUT))
            if fixed:
                best = min(fixed, key=fixed.get)
                bars.append(bar(f"swappiness {best}", fixed[best], OTHER))
            bars.append(bar("rectifyd", number(row["rectifyd"]), OURS))
        panels.append(Panel(f"{title}: mean of a switch, ms", bars))
    return panels


CHARTS = {"figures": figures, "paper": paper, "paper-latd": paper_latd,
          "paper-proswap": paper_proswap, "paper-marvin": paper_marvin,
          "paper-rectify": paper_rectify}


def describe(panels):
    """The numbers of a chart as text, which the picture has as its description."""
    return "\n".join(f"{panel.title} / {one.name}: {one.label}".replace("\n", " ")
                     for panel in panels for one in panel.bars)


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
    return f"Documentation/{picture}:1: is not what the tables say: run {sys.argv[0]}"


def draw(picture, panels):
    """Draw a figure as narrow as a phone's screen, to keep the letters readable."""
    from pictures import BLUE, GREY, ORANGE, plt
    plt.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif", "axes.grid": False})
    heights = [0.25 * sum(1 + one.name.count("\n") * 0.7 for one in panel.bars) +
               0.25 * (1 + panel.title.count("\n")) + 0.1 for panel in panels]
    figure = plt.figure(figsize=(5, sum(heights)), layout="constrained")
    boxes = figure.subfigures(len(panels), 1, height_ratios=heights, squeeze=False)
    for (box,), panel in zip(boxes, panels):
        box.suptitle(panel.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        part = box.subplots()
        values = [one.value for one in panel.bars]
        # By position, because two bars may have one name.
        part.barh(range(len(values)), values,
                  color=[{WITHOUT: GREY, OTHER: ORANGE, OURS: BLUE}[one.side] for one in panel.bars])
        part.set_yticks(range(len(values)), [one.name for one in panel.bars])
        for index, one in enumerate(panel.bars):
            part.text(max(one.value, 0), index, " " + one.label, va="center")
        if panel.logarithmic:
            part.set_xscale("log")
            part.set_xlim(min(values) / 2, max(values) * 8)
        else:
            part.set_xlim(min([0, *values]), max(values) * 1.3)
        part.set_ylim(len(values) - 0.5, -0.5)
        part.xaxis.set_visible(False)
        part.tick_params(left=False)
        part.set_frame_on(False)
    # Nothing in the file depends on the time of drawing.
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
        except (AttributeError, LookupError) as error:
            wrong = f"Documentation/{picture}:1: has no table to be drawn from: {error}"
        if wrong:
            failed = True
            print(wrong, file=sys.stderr)
    return failed


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--check"] or list(CHARTS)
    if not set(names) <= set(CHARTS):
        sys.exit(f"usage: draw.py [--check] [{'|'.join(CHARTS)}...]")
    sys.exit(main({f"pictures/{name}.svg": CHARTS[name] for name in names}, sys.argv[1:]))
