# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of report.py. Each function of PICTURES makes one figure of `results`, or None if there is nothing to show."""
import math
import statistics
import textwrap

import matplotlib
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from report_page import (
    DASHES,
    FAINT,
    INK,
    OURS,
    STOCK,
    STYLE,
    WIDTH,
    Page,
    beside,
    by_algorithm,
    columns_of,
    distribution_text,
    label,
    labelled,
    list_axes,
    list_height,
    save,
    size_text,
    size_that_fits,
    with_size,
)

STEPS = [1.03, 1.1, 1.25, 1.5, 2, 4]  # where the colour of a ratio changes, and at their reciprocals


def largest(results):
    """The row with the largest n of every input."""
    rows = {}
    for row in results.rows.values():
        name = row.case._replace(n=0)
        if name not in rows or rows[name].case.n < row.case.n:
            rows[name] = row
    return list(rows.values())


PLAIN_TYPES = ("I32", "F32")
PLAIN_INPUTS = ("random", "runs up to 16", "keep 0.544", "256 bins, entropy 1.000", "128 bins, entropy 1.000", "entropy 1.000")


def plain_row(rows):
    """Of the rows with the largest n the one that a reader expects: 4-byte numbers, random, whatever its ratio is."""

    def rank(row):
        place = {name: i for i, name in enumerate(PLAIN_INPUTS)}
        key, value = row.case.key, row.case.value
        return (key not in PLAIN_TYPES, value not in ("-", *PLAIN_TYPES), value == "F32", place.get(row.case.distribution, len(place)), key != "I32")

    usual_n = max(row.case.n for row in rows)
    return min((row for row in rows if row.case.n == usual_n), key=rank)


def explained(rows):
    """What the names of these rows' inputs mean."""
    names = {row.case.distribution for row in rows}
    meanings = {
        "runs up to 16": "lengths at random from 1 to 16",
        "keep 0.544": "54 % of the items, at random, are selected",
        "entropy 1.000": "uniform bits",
    }
    return "; ".join(f"{name}: {meaning}" for name, meaning in meanings.items() if any(name in other for other in names))


def colour_of_winner(ratio):
    return OURS if ratio > STEPS[0] else STOCK if ratio < 1 / STEPS[0] else "#666666"


def source_text(results):
    head, mode = results.head, next(iter(results.rows)).mode
    times = {"kernel": "kernel times", "whole_call": "times of whole calls"}.get(mode, mode)
    return f"{results.machine}; stock = CCCL {results.cccl}; {times}; {head['date']}"


# --- share of the ceiling --------------------------------------------------------------------------------------------
def ceiling_text(head, rows):
    copy, reading = head.get("copy_gbytes_per_s"), head.get("read_gbytes_per_s")
    text = "100 % = the speed of a copy" + (f", {copy:,.0f} GB/s" if copy else "")
    if reading:
        text += f"; of reading alone, {reading:,.0f} GB/s, where little is written"
    elif any(row.share > 1 for row in rows):
        text += "; what only reads can be faster"
    return text + "."


def share_of_ceiling(results):
    rows = [row for row in largest(results) if row.share is not None]
    if not rows:
        return None
    usual_n = max(row.case.n for row in rows)
    columns = columns_of(labelled(rows, usual_n), 1.3)
    left_out = len(largest(results)) - len(rows)
    page = Page(
        list_height(columns) + 1.3,
        f"Share of the memory ceiling at {size_text(usual_n)} items",
        source_text(results),
        ceiling_text(results.head, rows) + (f" Not bound by memory, left out: {left_out}." if left_out else ""),
    )
    page.legend()
    limit = max(1.08, *(1.02 * max(row.share, row.share / row.ratio) for row in rows))
    for axes, placed in list_axes(page, 0.9, columns, 0.6):
        draw_shares(axes, placed, limit)
    return page.figure


def draw_shares(axes, placed, limit):
    axes.set_xlim(0, limit)
    ticks = [0, 0.5, 1] if limit < 1.5 else [0, *range(1, int(limit) + 1, math.ceil(limit / 4))]
    axes.set_xticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.axvline(1, color=INK, linewidth=1, linestyle=DASHES)
    inch = 1 / (axes.get_position().width * WIDTH)
    for y, row in placed:
        theirs = row.share / row.ratio
        axes.barh([y - 0.19, y + 0.19], [row.share, theirs], 0.38, color=[OURS, STOCK])
        beside(axes, 1 + 0.27 * inch, y, f"{100 * row.share:.0f}", size=8, ha="right", color=OURS)
        beside(axes, 1 + 0.54 * inch, y, f"{100 * theirs:.0f}", size=8, ha="right", color=STOCK)


# --- over n ----------------------------------------------------------------------------------------------------------
def over_n(results):
    groups = by_algorithm(largest(results))
    chosen = [plain_row(rows) for rows in groups.values()]
    width, height = (WIDTH - 0.1) / 4, 1.95
    page = Page(
        0.95 + height * math.ceil(len(groups) / 4),
        "Throughput over the number of items",
        source_text(results),
        "Of every algorithm its plain input: numbers of 4 bytes. Numbers below the panels: stock's time / ours.",
        explained(chosen) + "." if explained(chosen) else "",
    )
    page.legend(
        Line2D([], [], color=OURS, marker="o", markersize=4, label="hindsight"),
        Line2D([], [], color=STOCK, marker="s", markersize=4, label="stock"),
        Line2D([], [], color=INK, linewidth=1, linestyle=DASHES, label="ceiling"),
    )
    for i, (name, plain) in enumerate(zip(groups, chosen)):
        case = plain.case._replace(n=0)
        series = sorted((row for row in results.rows.values() if row.case._replace(n=0) == case), key=lambda row: row.case.n)
        axes = page.axes(0.5 + width * (i % 4), 1.4 + height * (i // 4), width - 0.6, height - 0.9)
        title = f"{name}, {unit_of(series)}"
        size = size_that_fits(title, 9, width - 0.1)
        page.text(0.15 + width * (i % 4), 1.17 + height * (i // 4), title, size=size, weight="bold")
        page.text(0.15 + width * (i % 4), 1.33 + height * (i // 4), label(series[0]), size=8)
        draw_over_n(axes, series)
    return page.figure


def unit_of(rows):
    return "GB/s" if all(row.share and row.gbytes_per_s for row in rows) else "G items/s"


def draw_over_n(axes, rows):
    sizes = [row.case.n for row in rows]
    in_bytes = unit_of(rows) == "GB/s"
    ours = [row.gbytes_per_s if in_bytes else row.case.n / row.our_ms / 1e6 for row in rows]
    axes.plot(sizes, [value / row.ratio for value, row in zip(ours, rows)], color=STOCK, marker="s", markersize=4)
    axes.plot(sizes, ours, color=OURS, marker="o", markersize=4)
    if in_bytes:
        axes.axhline(rows[-1].gbytes_per_s / rows[-1].share, color=INK, linewidth=1, linestyle=DASHES)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [size_text(n) for n in sizes])
    axes.margins(x=0.1, y=0.12)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()
    axes.grid(color=FAINT, linewidth=0.6)
    for row in rows:
        axes.annotate(
            ratio_text(row.ratio), (row.case.n, 0), (0, -25), xycoords=axes.get_xaxis_transform(),
            textcoords="offset points", size=8, ha="center", color=colour_of_winner(row.ratio),
        )  # fmt: skip


def ratio_text(ratio):
    return f"{ratio:.2f}" if ratio < 9.995 else three_digits(ratio)


def three_digits(value):
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


# --- ratios ----------------------------------------------------------------------------------------------------------
def ratios(results):
    sizes = sorted({case.n for case in results.rows})
    columns = columns_of(labelled(largest(results)), 0.31 * len(sizes))
    winners = [colour_of_winner(row.ratio) for row in results.rows.values()]
    wins, losses = winners.count(OURS), winners.count(STOCK)
    page = Page(
        list_height(columns) + 1.55,
        "Stock's time / ours, by input and number of items",
        source_text(results),
        f"Above 1 we are faster. Of {len(winners)} cases we are more than 3 % faster in {wins} and slower in {losses}; "
        f"{len(winners) - wins - losses} lie between.",
    )
    edges = [1 / step for step in reversed(STEPS)] + STEPS
    count = len(edges) + 1
    shades = LinearSegmentedColormap.from_list("ratio", ["#a84300", "#f0a46b", "white", "#7ab8dd", "#00578a"], count)
    scale = ScalarMappable(BoundaryNorm(edges, count, extend="both"), shades)
    draw_scale(page, scale, edges)
    for axes, placed in list_axes(page, 1.5, columns):
        draw_ratios(axes, placed, sizes, results.rows, scale)
    return page.figure


def draw_scale(page, scale, edges):
    axes = page.axes(0.15, 0.88, 5.4, 0.14)
    bar = page.figure.colorbar(scale, cax=axes, orientation="horizontal", spacing="uniform")
    bar.outline.set(edgecolor="#888888", linewidth=0.6)
    bar.set_ticks(edges, labels=[f"{edge:.2f}".rstrip("0").rstrip(".") for edge in edges])
    axes.tick_params(length=0, pad=2)
    page.text(5.75, 0.99, "stock is faster", color=STOCK, size=9, weight="bold")
    page.text(6.95, 0.99, "we are faster", color=OURS, size=9, weight="bold")


def draw_ratios(axes, placed, sizes, cells, scale):
    axes.set_xlim(0, len(sizes))
    axes.spines[:].set_visible(False)
    axes.xaxis.tick_top()
    axes.set_xticks([i + 0.5 for i in range(len(sizes))], [size_text(n) for n in sizes])
    axes.tick_params(length=0, pad=0)
    for y, row in placed:
        for i, n in enumerate(sizes):
            cell = cells.get(row.case._replace(n=n))
            if cell is None:
                axes.text(i + 0.5, y, "–", size=8, ha="center", va="center", color="#888888")
                continue
            colour = scale.to_rgba(cell.ratio)
            axes.barh(y, 0.97, 0.94, left=i + 0.015, color=colour, edgecolor=FAINT, linewidth=0.4)
            is_dark = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] < 0.55
            ink = "white" if is_dark else INK
            axes.text(i + 0.5, y, ratio_text(cell.ratio), size=8, ha="center", va="center", color=ink)


# --- sort ------------------------------------------------------------------------------------------------------------
def sort(results):
    rows = [row for row in largest(results) if row.case.algorithm.startswith("sort")]
    if not rows:
        return None
    panels = {}
    for row in rows:
        panels.setdefault((row.case.algorithm, row.case.types), []).append(row)
    places, height = flow([len(panel) for panel in panels.values()])
    usual_n = max(row.case.n for row in rows)
    prefix, unit = ("G", 1e9) if statistics.median(row.case.n / row.our_ms for row in rows) > 1e6 else ("M", 1e6)
    page = Page(
        0.85 + height,
        f"Sort at {size_text(usual_n)} items, by types and distribution",
        source_text(results),
        f"{prefix} keys/s; every panel has its own scale from 0; higher is better.",
    )
    page.legend()
    for (x, y, width), ((algorithm, types), panel) in zip(places, panels.items()):
        axes = page.axes(x, 0.85 + y + 0.35, width, 1.0)
        title = f"{algorithm}, {types}" if algorithm == "sort_segments" else types
        axes.text(0, 1.2, title, transform=axes.transAxes, size=9, weight="bold")
        draw_sort(axes, panel, unit, usual_n)
    return page.figure


def flow(counts):
    """Places panels of so many pairs of bars like words of a text: [(x, y, width)] in inches, and the height of all."""
    pair, gap, height = 0.66, 0.25, 1.85
    places, x, y = [], 0.15, 0
    for count in counts:
        width = pair * count
        if x > 0.15 and x + width > WIDTH - 0.15:
            x, y = 0.15, y + height
        places.append((x, y, width))
        x += width + gap
    return places, y + height


def draw_sort(axes, rows, unit, usual_n):
    for x, row in enumerate(rows):
        ours = row.case.n / row.our_ms * 1e3 / unit
        for shift, value, colour in ((-0.21, ours, OURS), (0.21, ours / row.ratio, STOCK)):
            axes.bar(x + shift, value, 0.4, color=colour)
            axes.annotate(
                three_digits(value), (x + shift, value), (0, 1.5), textcoords="offset points",
                size=7.5, ha="center", color=colour,
            )  # fmt: skip
    axes.set_xlim(-0.5, len(rows) - 0.5)
    names = [with_size(distribution_text(row), row.case.n, usual_n) for row in rows]
    axes.set_xticks(range(len(rows)), [textwrap.fill(name, 10) for name in names])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0)


# --- all -------------------------------------------------------------------------------------------------------------
PICTURES = (share_of_ceiling, over_n, ratios, sort)


def draw_all(results, output, formats, wanted=(), suffix_of_name=""):
    """Writes the pictures, or those of the wanted names; yields a line on each."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE)
    for picture in PICTURES:
        if wanted and picture.__name__ not in wanted:
            continue
        figure = picture(results)
        if figure is None:
            yield f"{picture.__name__}: not drawn, no row belongs there"
            continue
        for suffix in formats:
            path = output / f"{picture.__name__}{suffix_of_name}.{suffix}"
            save(figure, path)
            yield str(path)
