# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of report.py. Each function makes one figure of `results`, or None if there is nothing to show.

Ours is blue and stock orange everywhere, a pair that stays apart for every common kind of colour blindness.
"""
import math
import statistics
from itertools import groupby

import matplotlib
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from report import count_text

OURS, STOCK, INK, FAINT = "#0072b2", "#d55e00", "#222222", "#d9d9d9"
WIDTH = 9.0  # inches: 900 pixels in a README, so that 8 points are 11 pixels
LINE = 0.19  # a line of a list
STEPS = [1.03, 1.1, 1.25, 1.5, 2, 4]  # where the colour of a ratio changes, and at their reciprocals


# --- what to show ----------------------------------------------------------------------------------------------------
def largest(results):
    """The row with the largest n of every case; in the order of the file, algorithms together."""
    rows = {}
    for row in results.rows.values():
        name = row.case._replace(n=0)
        if name not in rows or rows[name].case.n < row.case.n:
            rows[name] = row
    return list(rows.values())


def by_algorithm(rows):
    order = list(dict.fromkeys(row.case.algorithm for row in rows))
    rows = sorted(rows, key=lambda row: order.index(row.case.algorithm))
    return [(name, list(group)) for name, group in groupby(rows, key=lambda row: row.case.algorithm)]


def label(row, usual_n=None):
    text = f"{row.case.types}, {row.case.distribution}"
    return text if usual_n in (None, row.case.n) else f"{text} ({count_text(row.case.n)})"


def median_case(rows):
    """The row of the (lower) median ratio."""
    middle = statistics.median_low([row.ratio for row in rows])
    return next(row for row in rows if row.ratio == middle)


def source_text(results):
    version, head = results.head["cccl"], results.head
    times = {"kernel": "kernel times", "whole_call": "times of whole calls"}
    mode = next(iter(results.rows)).mode
    return (
        f"{results.machine}; stock = CCCL {version // 1000000}.{version // 1000 % 1000}.{version % 1000}; "
        f"{times.get(mode, mode)}; {head['date']}"
    )


# --- parts of figures ------------------------------------------------------------------------------------------------
class Page:
    """A white figure whose axes are placed in inches from its upper left corner."""

    def __init__(self, height, title, *notes):
        self.height = height
        self.figure = Figure(figsize=(WIDTH, height), facecolor="white")
        self.text(0.15, 0.27, title, size=13, weight="bold")
        for i, note in enumerate(notes):
            self.text(0.15, 0.52 + 0.19 * i, note, size=8.5, color="#444444")

    def text(self, x, y, text, **style):
        self.figure.text(x / WIDTH, 1 - y / self.height, text, **style)

    def axes(self, x, y, width, height):
        axes = self.figure.add_axes([x / WIDTH, 1 - (y + height) / self.height, width / WIDTH, height / self.height])
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=2.5, width=0.6)
        return axes

    def legend(self, handles, y=0.3):
        self.figure.legend(
            handles=handles, loc="center right", bbox_to_anchor=(1 - 0.1 / WIDTH, 1 - (y - 0.06) / self.height),
            ncols=len(handles), frameon=False, fontsize=9, handlelength=1.4, columnspacing=1.4,
        )


def columns_of(groups):
    """Groups as two columns of lines (None, name) and (row, name), as even as whole groups allow."""
    lines = [[(None, name)] + [(row, name) for row in rows] for name, rows in groups]
    heights = [len(group) + 0.5 for group in lines]
    split = min(range(1, len(groups) + 1), key=lambda i: max(sum(heights[:i]), sum(heights[i:])))
    return [part for part in (lines[:split], lines[split:]) if part]


def list_height(columns):
    return LINE * max(sum(len(group) + 0.5 for group in column) for column in columns)


def placed(column):
    """(y, row, name) for every line, y counted in lines; half a line lies between groups."""
    y = 0.5
    for group in column:
        for row, name in group:
            yield y, row, name
            y += 1
        y += 0.5


# --- share of the ceiling --------------------------------------------------------------------------------------------
def share_of_ceiling(results):
    rows = [row for row in largest(results) if row.share is not None]
    if not rows:
        return None
    usual_n = max(row.case.n for row in rows)
    columns = columns_of(by_algorithm(rows))
    left_out = len(largest(results)) - len(rows)
    page = Page(
        list_height(columns) + 1.35,
        f"Share of the memory ceiling at {count_text(usual_n)} items",
        source_text(results),
        "100 % = the card moves its bytes as fast as it can, measured in the same run; longer is better."
        + (f" Not bound by memory, not shown: {left_out} cases." if left_out else ""),
    )
    page.legend([Patch(color=OURS, label="hindsight"), Patch(color=STOCK, label="stock")])
    limit = max(1.08, *(max(row.share, row.share / row.ratio) * 1.02 for row in rows))
    width = (WIDTH - 0.1) / len(columns)
    for i, column in enumerate(columns):
        height = LINE * sum(len(group) + 0.5 for group in column)
        axes = page.axes(0.1 + width * i + 1.8, 1.0, width - 2.55, height)
        draw_shares(axes, column, limit, usual_n, height / LINE)
    return page.figure


def draw_shares(axes, column, limit, usual_n, lines):
    axes.set(xlim=(0, limit), ylim=(lines, 0), yticks=[])
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"], fontsize=8)
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.axvline(1, color=INK, linewidth=1.2, linestyle=(0, (4, 2)))
    edge = axes.get_yaxis_transform()  # x from 0 to 1 over the axes, y in lines
    for y, row, name in placed(column):
        if row is None:
            axes.text(-0.92, y, name, transform=edge, size=9, weight="bold", va="center")
            continue
        theirs = row.share / row.ratio
        axes.barh(y - 0.19, row.share, 0.38, color=OURS)
        axes.barh(y + 0.19, theirs, 0.38, color=STOCK)
        axes.text(-0.02, y, label(row, usual_n), transform=edge, size=8, ha="right", va="center")
        axes.text(1.14, y, f"{100 * row.share:.0f}", transform=edge, size=8, ha="right", va="center", color=OURS)
        axes.text(1.29, y, f"{100 * theirs:.0f}", transform=edge, size=8, ha="right", va="center", color=STOCK)


# --- over n ----------------------------------------------------------------------------------------------------------
def over_n(results):
    groups = by_algorithm(largest(results))
    per_row = min(4, len(groups))
    grid_rows = math.ceil(len(groups) / per_row)
    width, height = (WIDTH - 0.2) / per_row, 1.95
    page = Page(
        1.0 + height * grid_rows,
        "Throughput over the number of items",
        source_text(results),
        "Each panel: the case whose ratio at the largest n is the median of its algorithm's cases; logarithmic; higher is better.",
    )
    page.legend(
        [Line2D([], [], color=OURS, marker="o", markersize=4, label="hindsight"),
         Line2D([], [], color=STOCK, marker="s", markersize=4, label="stock"),
         Line2D([], [], color=INK, linewidth=1, linestyle=(0, (4, 2)), label="ceiling")]
    )
    for i, (name, rows) in enumerate(groups):
        axes = page.axes(0.1 + width * (i % per_row) + 0.5, 0.85 + height * (i // per_row) + 0.5, width - 0.65, height - 0.9)
        chosen = median_case(rows)
        case = chosen.case._replace(n=0)
        draw_over_n(axes, name, [row for row in results.rows.values() if row.case._replace(n=0) == case])
    return page.figure


def draw_over_n(axes, name, rows):
    rows = sorted(rows, key=lambda row: row.case.n)
    sizes = [row.case.n for row in rows]
    in_bytes = all(row.share is not None for row in rows)
    ours = [row.gbytes_per_s if in_bytes else row.case.n / row.our_ms / 1e6 for row in rows]
    axes.plot(sizes, [value / row.ratio for value, row in zip(ours, rows)], color=STOCK, marker="s", markersize=4)
    axes.plot(sizes, ours, color=OURS, marker="o", markersize=4)
    if in_bytes:
        axes.axhline(rows[-1].gbytes_per_s / rows[-1].share, color=INK, linewidth=1, linestyle=(0, (4, 2)))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sizes, [count_text(n) for n in sizes])
    axes.minorticks_off()
    axes.margins(x=0.08, y=0.12)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.tick_params(labelsize=8)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.text(0, 1.19, name, transform=axes.transAxes, size=9, weight="bold")
    unit = "GB/s" if in_bytes else "G items/s"
    axes.text(0, 1.05, f"{label(rows[0])}; {unit}", transform=axes.transAxes, size=8)


# --- ratios ----------------------------------------------------------------------------------------------------------
def ratio_colours():
    edges = [1 / step for step in reversed(STEPS)] + STEPS
    shades = LinearSegmentedColormap.from_list("ratio", ["#a84300", "#f0a46b", "white", "#7ab8dd", "#00578a"])
    return shades.resampled(len(edges) + 1), BoundaryNorm(edges, len(edges) + 1, extend="both")


def ratios(results):
    sizes = sorted({case.n for case in results.rows})
    columns = columns_of(by_algorithm(largest(results)))
    wins = sum(row.ratio > STEPS[0] for row in results.rows.values())
    losses = sum(row.ratio < 1 / STEPS[0] for row in results.rows.values())
    page = Page(
        list_height(columns) + 1.75,
        "Stock's time / ours, by input and number of items",
        source_text(results),
        f"Above 1 we are faster. Of {len(results.rows)} cases {wins} are faster by more than 3 %, {losses} slower.",
    )
    colours, norm = ratio_colours()
    draw_scale(page, colours, norm)
    width = (WIDTH - 0.2) / len(columns)
    for i, column in enumerate(columns):
        height = LINE * sum(len(group) + 0.5 for group in column)
        axes = page.axes(0.1 + width * i + 2.0, 1.6, width - 2.1, height)
        draw_ratios(axes, column, sizes, results, lambda ratio: colours(norm(ratio)), height / LINE)
    return page.figure


def draw_scale(page, colours, norm):
    axes = page.axes(0.15, 0.9, 5.2, 0.14)
    bar = page.figure.colorbar(matplotlib.cm.ScalarMappable(norm, colours), cax=axes, orientation="horizontal", spacing="uniform", drawedges=True)
    bar.dividers.set(color="white", linewidth=1)
    bar.outline.set_visible(False)
    bar.set_ticks(norm.boundaries, labels=[f"{edge:.2f}".rstrip("0").rstrip(".") for edge in norm.boundaries])
    axes.tick_params(labelsize=8, length=0, pad=2)
    page.text(5.65, 1.01, "stock faster", color=STOCK, size=9, weight="bold")
    page.text(6.65, 1.01, "we are faster", color=OURS, size=9, weight="bold")


def draw_ratios(axes, column, sizes, results, colour_of, lines):
    axes.set(xlim=(0, len(sizes)), ylim=(lines, 0), yticks=[])
    axes.spines[:].set_visible(False)
    axes.xaxis.tick_top()
    axes.set_xticks([i + 0.5 for i in range(len(sizes))], [count_text(n) for n in sizes], fontsize=8)
    axes.tick_params(length=0, pad=1)
    edge = axes.get_yaxis_transform()
    for y, row, name in placed(column):
        if row is None:
            axes.text(-0.85, y, name, transform=edge, size=9, weight="bold", va="center")
            continue
        axes.text(-0.02, y, label(row), transform=edge, size=8, ha="right", va="center")
        for i, n in enumerate(sizes):
            cell = results.rows.get(row.case._replace(n=n))
            if cell is None:
                axes.text(i + 0.5, y, "–", size=8, ha="center", va="center", color="#888888")
                continue
            colour = colour_of(cell.ratio)
            axes.barh(y, 0.97, 0.94, left=i + 0.015, color=colour, edgecolor=FAINT, linewidth=0.4)
            dark = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] < 0.55
            digits = 1 if cell.ratio >= 9.995 else 2
            axes.text(i + 0.5, y, f"{cell.ratio:.{digits}f}", size=8, ha="center", va="center", color="white" if dark else INK)


# --- sort ------------------------------------------------------------------------------------------------------------
def sort(results):
    rows = [row for row in largest(results) if row.case.algorithm.startswith("sort")]
    if not rows:
        return None
    panels = {}
    for row in rows:
        panels.setdefault((row.case.algorithm, row.case.types), []).append(row)
    usual_n = max(row.case.n for row in rows)
    return draw_sorts(results, list(panels.values()), usual_n)


def draw_sorts(results, panels, usual_n):
    per_row = min(4, len(panels))
    grid_rows = math.ceil(len(panels) / per_row)
    width, height = (WIDTH - 0.2) / per_row, 1.9
    page = Page(
        0.95 + height * grid_rows,
        f"Sort at {count_text(usual_n)} items, by types and distribution",
        source_text(results),
        "G keys/s, every panel on its own scale from 0; higher is better.",
    )
    page.legend([Patch(color=OURS, label="hindsight"), Patch(color=STOCK, label="stock")])
    for i, rows in enumerate(panels):
        axes = page.axes(0.1 + width * (i % per_row) + 0.15, 0.85 + height * (i // per_row) + 0.35, width - 0.3, height - 0.75)
        draw_sort(axes, rows, usual_n)
    return page.figure


def draw_sort(axes, rows, usual_n):
    for x, row in enumerate(rows):
        speed = row.case.n / row.our_ms / 1e6
        for shift, value, colour in ((-0.2, speed, OURS), (0.2, speed / row.ratio, STOCK)):
            axes.bar(x + shift, value, 0.38, color=colour)
            axes.annotate(f"{value:.3g}", (x + shift, value), (0, 1.5), textcoords="offset points", size=8, ha="center", color=colour)
    axes.set_xlim(-0.6, max(len(rows), 2) - 0.4)
    axes.set_xticks(range(len(rows)), [label(row, usual_n).split(", ")[-1] for row in rows])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.tick_params(labelsize=8, length=0)
    axes.text(0, 1.12, f"{rows[0].case.types}", transform=axes.transAxes, size=9, weight="bold")


# --- files -----------------------------------------------------------------------------------------------------------
def draw_all(results, output, formats):
    """Yields a line on every picture."""
    style = {"font.family": "DejaVu Sans", "svg.hashsalt": "hindsight", "text.color": INK, "axes.edgecolor": "#888888", "axes.linewidth": 0.6}
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(style)
    for picture in (share_of_ceiling, over_n, ratios, sort):
        figure = picture(results)
        if figure is None:
            yield f"{picture.__name__}: not drawn, no such rows"
            continue
        for suffix in formats:
            path = output / f"{picture.__name__}.{suffix}"
            dateless = {"Date": None, "Creator": None} if suffix == "svg" else {"Software": None}
            figure.savefig(path, dpi=160, metadata=dateless)
            yield str(path)
