# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of report.py: a panel for each family, a colour and a name for each method."""
import math

import matplotlib
from matplotlib.lines import Line2D
from report_page import DASHES, FAINT, INK, OURS, STYLE, WIDTH, Page, save, size_text

# Who goes once over the items, or over each digit of them, is blue everywhere; the others stay apart for every common kind
# of colour blindness.
ONE_PASS = ("single pass", "chained", "look-back", "private copies", "hindsight")
OTHERS = ["#d55e00", "#009e73", "#cc79a7", "#8c6d1f", "#777777"]
MARKERS = "osD^vPX*"
LABEL_GAP = 0.145  # inches between the lines of two names


def by_family(rows):
    families = {}
    for row in rows:
        families.setdefault(row["family"], {}).setdefault(row["method"], []).append(row)
    return families


def looks_of(methods):
    """{method: (colour, marker)}"""
    others = iter(OTHERS * 2)
    looks = {}
    for marker, name in zip(MARKERS, methods):
        looks[name] = (OURS if any(word in name for word in ONE_PASS) else next(others), marker)
    return looks


def source_text(results):
    head = results["head"]
    threads = f", {head['threads']} threads" if head.get("threads") else ""
    return f"{head['device']}, {head['system']}{threads}; items of 4 bytes, random; {head['date']}"


def panels(page, families, top):
    """Yields (axes, family, methods): two panels in a row, with room for names at their right."""
    width, height = WIDTH / 2, 2.5
    for i, (family, methods) in enumerate(families.items()):
        x, y = 0.55 + width * (i % 2), top + height * (i // 2)
        page.text(x - 0.4, y, family, size=10, weight="bold")
        axes = page.axes(x, y + 0.12, width - 2.25, height - 0.75)
        axes.set(xscale="log", yscale="log")
        axes.grid(color=FAINT, linewidth=0.6)
        axes.minorticks_off()
        yield axes, family, methods


def page_height(families, top):
    return top + 2.5 * math.ceil(len(families) / 2)


def name_points(page, axes, points):
    """Writes the names of [(x, y, name, colour)] right of the axes, as high as the points are but never over each other."""
    box = axes.get_position()
    gap = LABEL_GAP / (box.height * page.height)
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    placed = sorted(([(math.log10(y) - low) / (high - low), x, y, name, colour] for x, y, name, colour in points), reverse=True)
    for above, below in zip(placed, placed[1:]):
        below[0] = min(below[0], above[0] - gap)
    lowest = min(placed[-1][0] - 0.02, 0) if placed else 0
    for place, x, y, name, colour in placed:
        axes.annotate(
            name, (x, y), (1.06, place - lowest), textcoords="axes fraction", size=8, va="center", color=colour,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 1, "shrinkB": 2, "relpos": (0, 0.5)},
        )  # fmt: skip


def methods_bytes(results):
    """Time against bytes, each for one item, at the largest n."""
    n = max(row["n"] for row in results["rows"])
    families = by_family(row for row in results["rows"] if row["n"] == n and row["bytes"])
    ceiling = results["head"]["copy_gbytes_per_s"]
    page = Page(
        page_height(families, 1.3),
        f"Bytes against time at {size_text(n)} items",
        source_text(results),
        "Right: bytes that a method moves for each item, by its design. Up: nanoseconds for each item, measured. Both logarithmic.",
        f"The line is the speed of a copy, {ceiling:,.0f} GB/s: who is on it gets faster only by moving fewer bytes, who is above it waits.",
    )
    page.legend(Line2D([], [], color=INK, linewidth=1, linestyle=DASHES, label="speed of a copy"))
    for axes, _, methods in panels(page, families, 1.3):
        looks, points = looks_of(methods), []
        for name, rows in methods.items():
            colour, marker = looks[name]
            x, y = rows[0]["bytes"] / n, rows[0]["ms"] * 1e6 / n
            axes.plot([x], [y], color=colour, marker=marker, markersize=6, linestyle="none", zorder=3)
            points.append((x, y, name, colour))
        least, most = min(x for x, *_ in points) / 1.6, max(x for x, *_ in points) * 1.6
        axes.plot([least, most], [least / ceiling, most / ceiling], color=INK, linewidth=1, linestyle=DASHES)
        axes.set_xlim(least, most)
        plain_ticks(axes.xaxis, least, most)
        plain_ticks(axes.yaxis, *axes.get_ylim())
        axes.set_xlabel("bytes per item", size=8, labelpad=1)
        name_points(page, axes, points)
    return page.figure


def plain_ticks(axis, low, high):
    """At most five ticks at 1, 2 and 5 times powers of ten."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps if low <= step * 10.0**decade <= high]
        if len(ticks) <= 5:
            break
    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])


def methods_time(results):
    """Time over n."""
    families = by_family(results["rows"])
    sizes = sorted({row["n"] for row in results["rows"]})
    page = Page(
        page_height(families, 1.1),
        "Time over the number of items",
        source_text(results),
        "Milliseconds; both axes logarithmic. A flat line is the cost of launches, a straight rising one that of bytes.",
    )
    for axes, _, methods in panels(page, families, 1.1):
        looks, points = looks_of(methods), []
        for name, rows in methods.items():
            colour, marker = looks[name]
            x, y = [row["n"] for row in rows], [row["ms"] for row in rows]
            axes.plot(x, y, color=colour, marker=marker, markersize=3, linewidth=1)
            points.append((x[-1], y[-1], name, colour))
        ticks = sizes[:: max(1, len(sizes) // 5)]
        axes.set_xticks(ticks, [size_text(n) for n in ticks])
        plain_ticks(axes.yaxis, *axes.get_ylim())
        name_points(page, axes, points)
    return page.figure


def draw_all(results, folder):
    """Writes the pictures; yields their paths."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE)
    for picture in (methods_bytes, methods_time):
        figure = picture(results)
        for suffix in (".png", ".svg"):
            path = folder / (picture.__name__ + suffix)
            save(figure, path)
            yield str(path)
