# SPDX-License-Identifier: GPL-2.0
"""The page of a report, index.html, and its tables as text."""
import html
import os

import pictures

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


def escape(value):
    return html.escape(str(value))


class Page:
    """Pictures and text, in their order."""

    def __init__(self, directory, title, heading, intro):
        """intro is HTML, the others are text."""
        self.directory = directory
        self.parts = ['<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
                      f"<title>{escape(title)}</title><style>{CSS}</style></head><body>",
                      f"<h1>{escape(heading)}</h1>{intro}"]

    def html(self, text):
        self.parts.append(text)

    def text(self, text, kind="p", style=None):
        style = f" class='{style}'" if style else ""
        self.parts.append(f"<{kind}{style}>{escape(text)}</{kind}>")

    def table(self, head, rows, style=lambda at, cell: None):
        """style gives the class of a cell, by its column and text."""
        self.parts.append("<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) +
                          "</tr>")
        for row in rows:
            styles = (style(at, cell) for at, cell in enumerate(row))
            self.parts.append("<tr>" + "".join(
                (f'<td class="{name}">' if name else "<td>") + f"{escape(cell)}</td>"
                for name, cell in zip(styles, row)) + "</tr>")
        self.parts.append("</table>")

    def picture(self, figure, name, caption):
        pictures.save(figure, self.directory, name, bbox_inches="tight")
        self.parts.append(f'<figure><img src="{name}.png" alt="{escape(caption)}">'
                          f"<figcaption>{escape(caption)} (<a href='{name}.svg'>SVG</a>)"
                          "</figcaption></figure>")

    def write(self):
        with open(os.path.join(self.directory, "index.html"), "w", encoding="utf-8") as file:
            file.write("\n".join([*self.parts, "</body></html>\n"]))


def write_text(directory, *tables):
    """table.txt: the tables as (head, rows), cells between tabs, an empty line between tables."""
    with open(os.path.join(directory, "table.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join("".join("\t".join(row) + "\n" for row in [head, *rows])
                             for head, rows in tables))
