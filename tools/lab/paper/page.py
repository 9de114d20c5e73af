# SPDX-License-Identifier: GPL-2.0
"""The page of the report: one HTML file with everything in it.

This module knows words and HTML; figures come to it ready.
"""
import base64
import html

CSS = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto;
       padding: 0 1rem; color: #222; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.92rem; }
th, td { text-align: left; padding: 0.3rem 0.7rem; border-bottom: 1px solid #ddd;
         vertical-align: top; }
td.n { text-align: right; white-space: nowrap; }
.met { color: #00694d; font-weight: 600; } .missed { color: #b00020; font-weight: 600; }
figure { margin: 1.5rem 0; } figure img { max-width: 100%; }
figcaption { color: #555; font-size: 0.92rem; }
code { background: #f4f4f4; padding: 0 0.2rem; }
.note { border-left: 4px solid #d55e00; padding-left: 1rem; }
"""

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


def text(value):
    return html.escape(str(value))


def table(head, lines, classes=None):
    out = ["<table><tr>", *(f"<th>{text(cell)}</th>" for cell in head), "</tr>"]
    for line in lines:
        out.append("<tr>")
        for at, cell in enumerate(line):
            name = cell if classes and cell in classes else "n" if at else ""
            out.append(f'<td class="{name}">{text(cell)}</td>')
        out.append("</tr>")
    return "\n".join(out + ["</table>"])


def picture(directory, name):
    with open(f"{directory}/{name}.svg", "rb") as file:
        data = base64.b64encode(file.read()).decode()
    return (f'<figure id="{name}"><img alt="{name}" '
            f'src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{text(CAPTIONS.get(name, ''))} "
            f"(<code>{name}.png</code>, <code>{name}.svg</code>)</figcaption>"
            "</figure>")


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
    return table(("row", "store", "options", "vm.page-cluster",
                  "allocated, MiB", "end"), lines)


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
    return table(("row", "fixed", "random", "to read a page, µs",
                  "to swap one in, µs", "to swap one out, µs",
                  "swapped in a page read", "swapped out a page read"), lines)


INTRODUCTION = """
<p>The experiments of <em>MTD Based Compressed Swapping for Embedded Linux</em>
(A. Belyakov), run again on the board of the paper, Mainstone II with a PXA270
and 32 MiB of RAM, emulated by QEMU. The board's time is a count of
instructions, 2 ns each, so the same run gives the same figures on any machine.
What that leaves out (caches, the memory's bandwidth, and more) is in
<code>Documentation/paper.rst</code>. Made by <code>make paper</code>.</p>
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
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        "<title>The paper's experiments</title>",
        f"<style>{CSS}</style></head><body>",
        "<h1>The paper's experiments, reproduced</h1>",
        '<p class="note"><b>A quick run:</b> few measurements, not to be '
        "quoted.</p>" if quick else "",
        INTRODUCTION, "<h2>The table</h2>",
        table(head, [line.cells() for line in lines],
              ("met", "missed", "measured", "not measured")),
        "<h2>What the words mean</h2>",
        DEFINITIONS.format(calibrated=text(constants)),
        "<h2>Pictures</h2>",
        *(picture(directory, name) for name in drawn),
        '<h2 id="configurations">Configurations</h2>',
        "<p>Run by <code>tools/lab/paper/board.sh</code>; the rows are in "
        "<code>tools/lab/paper/rows.sh</code>. An end of max: more was not asked "
        "for; oom: the OOM killer ended it.</p>",
        configurations(rows, titles),
        "<h2>Where the time goes</h2>",
        "<p>The time of the random reads, taken as a sum of the time to read a "
        "page, and one for each page swapped in and out, fitted to all "
        "measurements of the swapping range. The last two columns are of the "
        "last tenth. Times with sleeps or other work in between are those of "
        "the reader, who may not have to wait for all of a page that is "
        "swapped out.</p>",
        costs(rows, titles),
        "<h2>The pages</h2>",
        f"<p>{sample} pages, an even sample of private anonymous pages of "
        "running programs (<code>tools/lab/bench/pageset.py</code>), used in turn; "
        "each has a stamp of 4 bytes, so that no two are the same. Filled: one "
        "word over and over.</p>",
        table([cell.replace("_", " ") for cell in programs[0]], programs[1:]),
        "</body></html>",
    ]
    with open(f"{directory}/index.html", "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")
