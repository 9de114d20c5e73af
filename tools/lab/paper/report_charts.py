# SPDX-License-Identifier: GPL-2.0
"""The pictures of the report, as PNG and SVG.

This module knows how things look, and nothing of goals.
"""
from pictures import BLACK, BLUE, GREEN, GREY, ORANGE, plt, save

PATTERN_STYLE = {
    "last": (GREEN, "--", "last reads"),
    "fixed": (BLUE, "-", "fixed reads"),
    "random": (ORANGE, "-", "random reads"),
}


def axes(title, columns=1):
    figure, parts = plt.subplots(
        1, columns, figsize=(8 if columns == 1 else 6 * columns, 5.4),
        squeeze=False)
    figure.subplots_adjust(left=0.1 if columns == 1 else 0.07, right=0.97,
                           top=0.91 if columns == 1 else 0.86, wspace=0.2)
    for part in parts[0]:
        part.set_xlabel("allocated memory, MiB")
        part.set_ylabel("access speed, % of pure RAM")
        part.set_ylim(0, 108)
    figure.suptitle(title, fontsize=13)
    return figure, parts[0]


def legend(figure, part):
    handles, labels = part.get_legend_handles_labels()
    # Below the axes, in lines of as many as fit beside each other.
    wide = 3 if figure.get_figwidth() > 10 else 2
    lines = -(-len(labels) // wide)
    figure.subplots_adjust(bottom=0.125 + 0.05 * lines)
    figure.legend(handles, labels, loc="lower center",
                  ncols=min(len(labels), wide))


def mark_end_without_swap(part, none):
    part.axvline(none.largest, color=GREY, linestyle=":", linewidth=1.5,
                 label=f"without swap, memory ends here: {none.largest:.1f} MiB")


def limit_x(part, largest):
    part.set_xlim(0, largest * 1.04)


def experiment(directory, row, none, title):
    """One medium: the three patterns."""
    figure, (part,) = axes(title)
    if none:
        mark_end_without_swap(part, none)
    for pattern, (colour, line, label) in PATTERN_STYLE.items():
        part.plot([s.mib for s in row.samples],
                  [row.percent(s, pattern) for s in row.samples],
                  color=colour, linestyle=line, label=label, linewidth=1.7)
    limit_x(part, row.largest)
    legend(figure, part)
    save(figure, directory, f"experiment-{row.name}")


def side_by_side(directory, name, title, rows, none):
    """Media against each other; rows are (row, label, colour, line)."""
    figure, parts = axes(title, 2)
    for part, pattern in zip(parts, ("random", "fixed")):
        part.set_title(PATTERN_STYLE[pattern][2])
        if pattern == "random":
            part.set_yscale("log")
            part.set_ylim(0.08, 130)
            part.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
        for row, label, colour, line in rows:
            part.plot([s.mib for s in row.samples],
                      [row.percent(s, pattern) for s in row.samples],
                      color=colour, linestyle=line, label=label, linewidth=1.7)
        if none:
            mark_end_without_swap(part, none)
        limit_x(part, max(row.largest for row, *_ in rows))
    legend(figure, parts[0])
    save(figure, directory, name)


def theory(directory, name, title, model):
    """The shape to be expected: see Model in report.py."""
    figure, (part,) = axes(title)
    top = model.largest
    steps = [top * i / 400 for i in range(401)]
    part.plot([0, model.without_swap], [100, 100], color=GREY, linewidth=5,
              alpha=0.45, label="without swap")
    part.plot([model.without_swap], [100], color=GREY, marker="X",
              markersize=10, linestyle="", label="out of memory")
    part.plot([top], [model.percent(top, "random")], color=ORANGE, marker="X",
              markersize=10, linestyle="")
    part.plot([top], [model.percent(top, "fixed")], color=BLUE, marker="X",
              markersize=10, linestyle="")
    for pattern in ("fixed", "random"):
        colour, line, label = PATTERN_STYLE[pattern]
        part.plot(steps, [model.percent(x, pattern) for x in steps],
                  color=colour, linestyle=line, label=label, linewidth=2)
    part.axvline(model.resident, color=BLACK, linestyle=":", linewidth=1.2,
                 label=f"swapping begins: {model.resident:.1f} MiB")
    limit_x(part, top)
    legend(figure, part)
    save(figure, directory, name)


def memory(directory, bars, none):
    """How much could be allocated; bars are (row, label, colour)."""
    figure, part = plt.subplots(figsize=(8, 1.2 + 0.5 * len(bars)))
    figure.subplots_adjust(left=0.23, right=0.97, top=0.9, bottom=0.16)
    part.grid(axis="y", visible=False)
    for at, (row, label, colour) in enumerate(bars):
        part.barh(at, row.largest, color=colour, height=0.62)
        times = f", {row.largest / none.largest:.2f} times" if none else ""
        end = ", or more" if row.end == "max" else ""
        part.text(row.largest + 1, at, f"{row.largest:.1f} MiB{times}{end}",
                  va="center")
    part.set_yticks(range(len(bars)), [label for _, label, _ in bars])
    part.invert_yaxis()
    part.set_xlabel("memory that the benchmark could allocate, MiB")
    part.set_xlim(0, max(row.largest for row, *_ in bars) * 1.6)
    figure.suptitle("Memory allocated on the board with 32 MiB", fontsize=13)
    save(figure, directory, "memory")
