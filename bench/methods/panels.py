# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pictures of pictures.py have in common: panels, colours, names beside points, ticks."""
import math

from report_page import FAINT, OURS, WIDTH

# Who goes once over the items, or over each digit of them, is blue everywhere; the others stay apart for every common kind
# of colour blindness.
ONE_PASS = ("single pass", "chained", "look-back", "private copies", "onesweep", "hindsight")
OTHERS = ["#d55e00", "#009e73", "#cc79a7", "#8c6d1f", "#777777"]
MARKERS = "osD^vPX*"
LABEL_GAP = 0.145  # inches between the lines of two names


def looks_of(methods):
    """{method: (colour, marker)}"""
    others = iter(OTHERS * 2)
    looks = {}
    for marker, name in zip(MARKERS, methods):
        looks[name] = (OURS if any(word in name for word in ONE_PASS) else next(others), marker)
    return looks


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


def plain_ticks(axis, low, high):
    """At most five ticks at 1, 2 and 5 times powers of ten."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps if low <= step * 10.0**decade <= high]
        if len(ticks) <= 5:
            break
    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
