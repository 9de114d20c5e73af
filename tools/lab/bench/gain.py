#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""gain.py [--check]: draw Documentation/gain.svg, the picture of README.md, from the tables
of Documentation/papers/paper.rst (by `make paper`) and of Documentation/explanation/figures.rst
("Space and speed by compressor", by `make bench`).

With --check only say whether the picture has the figures that the tables have now; exit
status 1 if it does not. That needs no matplotlib; to draw does (qemu/setup.sh paper).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Documentation/pictures"))
from charts import OTHER, OURS, WITHOUT, Bar, Panel, bar, main, table  # noqa: E402 path above

PAGE_BYTES = 4096
BANK_MIB = 64


def mebibytes(name, value, side):
    """A bar with a label in whole MiB; halves are rounded up."""
    return Bar(name, value, f"{int(value + 0.5)} MiB", side)


def allocated():
    """Memory for programs on the paper's board."""
    rows = table("papers/paper.rst", "Row", "Memory, MiB")
    bars = []
    for name, row, side in (("no swap", "none", WITHOUT),
                            ("zram, 16 MiB\nof the RAM", "zram", OTHER),
                            ("MTDCOMPR, 16 MiB\nof the RAM", "ram", OURS),
                            ("MTDCOMPR, 16 MiB\nof NAND beside it", "nand", OURS),
                            ("MTDCOMPR, 16 MiB\nof PCM beside it", "pcm", OURS)):
        bars.append(mebibytes(name, bar(name, rows[row]["Memory, MiB"], side).value, side))
    return Panel("What programs can allocate\non a board with 32 MiB of RAM", bars)


def held():
    """Capacity of BANK_MIB of media rewritten in place, by compressor."""
    rows = table("explanation/figures.rst", "Device", "compressed", "media / payload")
    bars = [mebibytes("not compressed", BANK_MIB, WITHOUT)]
    for name in ("lz4", "lzo", "zlib", "zstd"):
        row = rows[f"mtdcompr {name}"]
        on_media = float(row["compressed"]) * float(row["media / payload"])
        bars.append(mebibytes(name, BANK_MIB * PAGE_BYTES / on_media, OURS))
    return Panel(f"What {BANK_MIB} MiB of memory beside the RAM\nhold, by compressor", bars)


if sys.argv[1:] not in ([], ["--check"]):
    sys.exit("usage: gain.py [--check]")
sys.exit(main({"gain.svg": lambda: [allocated(), held()]}, sys.argv[1:]))
