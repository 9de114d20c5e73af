# SPDX-License-Identifier: GPL-2.0
"""The page of the report: one HTML file with everything in it.

This module knows the words; figures come to it ready.
"""
import base64

from page import Page, escape

CAPTIONS = {
    "theory-flash": "Expected shape with swap beside the RAM: flat until the "
    "RAM is full, then between the speed of RAM and that of swapped pages. "
    "Costs of a page swapped in and out as measured on PCM.",
    "theory-ram": "Expected shape with swap in a part of the RAM: swapping "
    "begins earlier. Costs as measured on RAM.",
    "experiment-nand": "NAND, pages packed into a log.",
    "experiment-nand-cache": "NAND through the eraseblock cache, the paper's way.",
    "experiment-nand-2008": "The same with alloc=largest: each page goes to "
    "the largest free fragment, as in the paper's prototype, and so to another "
    "eraseblock than the page before.",
    "experiment-pcm": "PCM, 16 MiB beside the 32 MiB of RAM.",
    "experiment-ram": "RAM, 16 of the 32 MiB. This is the row that the "
    "benchmark was calibrated on.",
    "media": "All media with the plain configuration, and zram with the same "
    "algorithm. Random reads on a logarithmic scale.",
    "experiment-ram-best": "A swap device that is never half full, so that "
    "pages which were read back need not be written again.",
    "experiment-pcm-best": "The same on PCM, where writing is slowest.",
    "experiment-pcm-most": "Configured for the most memory. Fewer measurements "
    "than in the other rows.",
    "media-best": "The configurations chosen here. Random reads on a "
    "logarithmic scale.",
    "media-lz4": "The quickest compressor of zram's and ours, up to what "
    "either can hold without writes that fail.",
    "memory": "The largest amount that was allocated, filled, and verified.",
}


def picture(page, name):
    with open(f"{page.directory}/{name}.svg", "rb") as file:
        data = base64.b64encode(file.read()).decode()
    page.html(f'<figure id="{name}"><img alt="{name}" src="data:image/svg+xml;base64,{data}">'
              f"<figcaption>{escape(CAPTIONS.get(name, ''))} "
              f"(<code>{name}.png</code>, <code>{name}.svg</code>)</figcaption></figure>")


def style(at, cell):
    """All columns but the first one have figures."""
    return cell if cell in ("met", "missed", "measured", "not measured") else "n" if at else None


def us(value):
    return "" if value is None else f"{value:.0f}"


def configurations(rows, titles):
    lines = []
    for name in titles:
        if name not in rows:
            continue
        row = rows[name]
        setup = row.setup
        lines.append((titles[name], setup["store"],
                      setup["options"].replace(",", ", "),
                      setup["sysctl_vm/page-cluster"], f"{row.largest:.1f}",
                      row.end))
    return ("row", "store", "options", "vm.page-cluster", "allocated, MiB", "end"), lines


def costs(rows, titles):
    lines = []
    for name in titles:
        if name not in rows or not rows[name].swapping:
            continue
        row = rows[name]
        cost = row.costs()
        fixed, random = row.mean_percent("fixed"), row.last_percent("random")
        top = [s for s in row.samples if s.mib >= 0.9 * row.largest]
        pages = sum(s.pages["random"] for s in top)
        lines.append((
            titles[name], f"{fixed:.1f} %", f"{random:.1f} %",
            us(cost["read"]), us(cost["in"]), us(cost["out"]),
            f"{sum(s.pages_in['random'] for s in top) / pages:.2f}",
            f"{sum(s.pages_out['random'] for s in top) / pages:.2f}"))
    return ("row", "fixed", "random", "to read a page, µs", "to swap one in, µs",
            "to swap one out, µs", "swapped in a page read", "swapped out a page read"), lines


INTRODUCTION = """
<p>The experiments of <em>MTD Based Compressed Swapping for Embedded Linux</em>
(A. Belyakov), run again on the board of the paper, Mainstone II with a PXA270
and 32 MiB of RAM, emulated by QEMU. The board's time is a count of
instructions, 2 ns each, so the same run gives the same figures on any machine.
What that leaves out (caches, the memory's bandwidth, and more) is in
<code>Documentation/papers/paper.rst</code>. Made by <code>make paper</code>.</p>
"""

DEFINITIONS = """
<p>A program allocates memory, 64 KiB at a time, fills it with memory pages of
real programs, and reads it, every byte verified, in three patterns:
<em>random</em>, each time another chunk; <em>fixed</em>, a random chunk several
times; <em>last</em>, the newest chunk several times. All speeds are percentages
of the speed of the same pattern in the same boot before anything was swapped
out.</p>
<ul><li><b>Fixed reads</b>: the mean over the swapping range, which is from the
first measurement with 1 MiB in swap to the last one.
<li><b>Random reads at the largest allocation</b>: the mean over the last tenth
of what was allocated.
<li><b>Plain</b>: zlib level 1, the stock mtdblock driver, all else as it is by
default. <b>Best</b>: see <a href="#configurations">Configurations</a>.
<li><b>zram</b>: its deflate is zlib of level 6 and cannot be set. So "best" is
held against it with level 6, too, and both with lz4.</ul>
<p class="note"><b>Calibrated:</b> the paper gives neither the size of a chunk
nor how often a fixed one is read, nor what the program does with what it reads.
These were chosen once so that the plain configuration on RAM is where the paper
has it, and are the same in every row: <code>{calibrated}</code>
(<code>tools/lab/paper/calibrate.sh</code>). So the plain figures of RAM are no
result; all others are.</p>
"""


def write(directory, rows, head_and_table, drawn, programs, titles, sample,
          constants, quick):
    head, lines = head_and_table
    page = Page(directory, "The paper's experiments", "The paper's experiments, reproduced",
                '<p class="note"><b>A quick run:</b> few measurements, not to be quoted.</p>'
                if quick else "")
    page.html(INTRODUCTION)
    page.text("The table", "h2")
    page.table(head, [line.cells() for line in lines], style)
    page.text("What the words mean", "h2")
    page.html(DEFINITIONS.format(calibrated=escape(constants)))
    page.text("Pictures", "h2")
    for name in drawn:
        picture(page, name)
    page.html('<h2 id="configurations">Configurations</h2>'
              "<p>Run by <code>tools/lab/paper/board.sh</code>; the rows are in "
              "<code>tools/lab/paper/rows.sh</code>. An end of max: more was not asked "
              "for; oom: the OOM killer ended it.</p>")
    page.table(*configurations(rows, titles), style)
    page.text("Where the time goes", "h2")
    page.text("The time of the random reads, taken as a sum of the time to read a page, and one "
              "for each page swapped in and out, fitted to all measurements of the swapping "
              "range. The last two columns are of the last tenth. Times with sleeps or other "
              "work in between are those of the reader, who may not have to wait for all of a "
              "page that is swapped out.")
    page.table(*costs(rows, titles), style)
    page.text("The pages", "h2")
    page.html(f"<p>{sample} pages, an even sample of private anonymous pages of "
              "running programs (<code>tools/lab/bench/pageset.py</code>), used in turn; "
              "each has a stamp of 4 bytes, so that no two are the same. Filled: one "
              "word over and over.</p>")
    page.table([cell.replace("_", " ") for cell in programs[0]], programs[1:], style)
    page.write()
