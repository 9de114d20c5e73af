# SPDX-License-Identifier: GPL-2.0
"""How all pictures of the experiments look, and how they are saved."""
import os
import statistics

import matplotlib
matplotlib.use("Agg")
# The same data must always give the same file.
matplotlib.rcParams["svg.hashsalt"] = "mtdcompr"
import matplotlib.pyplot as plt  # noqa: E402 after use()

# Colours that are told apart with any kind of sight (Okabe and Ito).
COLOURS = BLACK, ORANGE, BLUE, GREEN, PINK, YELLOW, SKY, GREY = (
    "#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")
plt.rcParams.update({
    "font.size": 11, "axes.grid": True, "grid.color": "#dddddd", "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "legend.frameon": False})


def save(figure, directory, name, **options):
    """As PNG and SVG; the options are those of savefig()."""
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        figure.savefig(os.path.join(directory, f"{name}.{kind}"), dpi=110, metadata=metadata,
                       **options)
    plt.close(figure)


def median_bar(axes, x, width, values, colour, label=None):
    """A bar for the median of the values, with whiskers for the least and the most; the median."""
    middle = statistics.median(values)
    axes.bar(x, middle, width, color=colour, label=label)
    if len(values) > 1:
        axes.errorbar(x, middle, [[middle - min(values)], [max(values) - middle]], color=BLACK,
                      linewidth=1, capsize=2)
    return middle


def bars(names, values, ylabel, title, width=8):
    """A figure with a bar for each name, and its value above it."""
    figure, axes = plt.subplots(figsize=(width, 3.8))
    axes.bar_label(axes.bar(names, values, color=BLUE), fmt="%.1f")
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    return figure
