#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""gain.py [--check]: draw Documentation/gain.svg, the picture of README.md, from the tables
of Documentation/explanation/figures.rst ("Space and speed by compressor", by `make bench`) and of
Documentation/papers/paper.rst ("The table" and "Where the time goes", by `make paper`).

With --check only say whether the picture has the figures that the tables have now; exit
status 1 if it does not. That needs no matplotlib; to draw does (qemu/setup.sh paper).
"""
import pathlib
import re
import sys

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[3] / "Documentation"
PICTURE = DOCUMENTATION / "gain.svg"
PAGE_BYTES = 4096
BANK_MIB = 64
BLUE, GREY = "#0072b2", "#777777"


def row(page, name, columns):
    """The cells of the page's first table row with this name and number of columns."""
    for line in (DOCUMENTATION / page).read_text(encoding="utf-8").splitlines():
        cells = re.split(r"  +", line.strip())
        if cells[0] == name and len(cells) == columns:
            return cells[1:]
    sys.exit(f"gain.py: Documentation/{page} has no row \"{name}\"")


def allocated():
    """Memory for programs on the paper's board, MiB: (label, value, is it swap?)."""
    ram, nand, pcm = (float(row("papers/paper.rst", name, 8)[5]) for name in ("ram", "nand", "pcm"))
    gain = float(row("papers/paper.rst", "memory, RAM / no swap", 7)[1])
    return [("no swap", ram / gain, False),
            ("swap on 16 MiB\nof the RAM", ram, True),
            ("16 MiB of\nNAND beside it", nand, True),
            ("16 MiB of\nPCM beside it", pcm, True)]


def held():
    """Capacity of BANK_MIB of media rewritten in place, MiB, by compressor."""
    bars = [("not compressed", BANK_MIB, False)]
    for name in ("lz4", "lzo", "zlib", "zstd"):
        cells = row("explanation/figures.rst", "mtdcompr " + name, 7)
        on_media = float(cells[3]) * float(cells[4])
        bars.append((name, BANK_MIB * PAGE_BYTES / on_media, True))
    return bars


def label(value):
    return f"{value:.0f} MiB"


def check():
    text = PICTURE.read_text(encoding="utf-8")
    drawn = re.findall(r"> ?(\d+ MiB)<", text)
    wanted = [label(value) for _, value, _ in allocated() + held()]
    if sorted(drawn) != sorted(wanted):
        sys.exit("Documentation/gain.svg:1: is not what the tables say: run tools/lab/bench/gain.py")


def draw_bars(box, title, bars):
    """Draw bars in their part of the figure."""
    box.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    part = box.subplots()
    values = [value for _, value, _ in bars]
    part.barh([name for name, _, _ in bars], values,
              color=[BLUE if swap else GREY for _, _, swap in bars])
    for index, value in enumerate(values):
        part.text(value, index, " " + label(value), va="center")
    part.set_xlim(0, max(values) * 1.3)
    part.invert_yaxis()
    part.xaxis.set_visible(False)
    part.tick_params(left=False)
    part.set_frame_on(False)


def draw():
    """Draw a figure as narrow as a phone's screen, to keep the letters readable."""
    import matplotlib
    matplotlib.use("Agg")
    # Searchable text, and output that does not depend on the time of drawing.
    matplotlib.rcParams.update({"svg.hashsalt": "mtdcompr", "svg.fonttype": "none",
                                "font.family": "sans-serif", "font.size": 11})
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(5, 5.4), layout="constrained")
    boxes = figure.subfigures(2, 1)
    draw_bars(boxes[0], "What programs can allocate\non a board with 32 MiB of RAM", allocated())
    draw_bars(boxes[1], f"What {BANK_MIB} MiB of memory beside the RAM\nhold, by compressor",
              held())
    figure.savefig(PICTURE, facecolor="white", metadata={"Date": None, "Creator": None})


if sys.argv[1:] == ["--check"]:
    check()
elif len(sys.argv) == 1:
    draw()
else:
    sys.exit("usage: gain.py [--check]")
