# SPDX-License-Identifier: GPL-2.0
"""What the reports of the experiments have in common: colours, simple pictures, the page."""
import html
import os

import matplotlib
matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "mtdcompr"
import matplotlib.pyplot as plt  # noqa: E402 after use()

# Colours that are told apart with any kind of sight (Okabe and Ito).
COLOURS = ["#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777"]
plt.rcParams.update({
    "font.size": 11, "axes.grid": True, "grid.color": "#dddddd", "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "legend.frameon": False})

KERNELS = {"bookworm": "6.1", "trixie": "6.12"}
LRUS = {"classic": "classic LRU", "mglru": "MGLRU"}


class Page:
    """Pictures and text, in their order."""

    def __init__(self, directory, title, heading, intro):
        """intro is HTML, the others are text."""
        self.directory = directory
        self.title = title
        self.parts = [f"<h1>{html.escape(heading)}</h1><p>{intro}</p>"]

    def text(self, text, kind="p", style=None):
        style = f" class='{style}'" if style else ""
        self.parts.append(f"<{kind}{style}>{html.escape(text)}</{kind}>")

    def table(self, head, rows):
        cells = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
                        for row in rows)
        self.parts.append("<table><tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
                          + "</tr>" + cells + "</table>")

    def picture(self, figure, name, caption):
        for kind in ("png", "svg"):
            figure.savefig(os.path.join(self.directory, f"{name}.{kind}"), dpi=110,
                           bbox_inches="tight",
                           metadata={"Date": None} if kind == "svg" else {"Software": None})
        plt.close(figure)
        self.parts.append(f'<figure><img src="{name}.png" alt="{html.escape(caption)}">'
                          f"<figcaption>{html.escape(caption)} (<a href='{name}.svg'>SVG</a>)"
                          "</figcaption></figure>")

    def write(self):
        with open(os.path.join(self.directory, "index.html"), "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html><meta charset='utf-8'>"
                       f"<title>{html.escape(self.title)}</title>"
                       "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;"
                       "margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}"
                       "th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid #ddd}"
                       "img{max-width:100%}figcaption{color:#555}.met{color:#00694d}"
                       ".missed{color:#b00020}</style>" + "".join(self.parts))


def write_text(directory, *tables):
    """table.txt: the tables as (head, rows), cells between tabs, an empty line between tables."""
    with open(os.path.join(directory, "table.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join("".join("\t".join(row) + "\n" for row in [head, *rows])
                             for head, rows in tables))


def bars(names, values, ylabel, title, width=8):
    figure, axes = plt.subplots(figsize=(width, 3.8))
    drawn = axes.bar(names, values, color=COLOURS[2])
    axes.bar_label(drawn, fmt="%.1f")
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    return figure
