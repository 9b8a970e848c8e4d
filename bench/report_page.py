# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pictures of report.py have in common: colours, a page measured in inches, lists in columns, files.

Ours is blue and stock orange everywhere, a pair that stays apart for every common kind of colour blindness.
"""
import io
import itertools
import math
import re
from typing import NamedTuple

from ab_results import count_text
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath
from PIL import Image

OURS, STOCK, INK, FAINT = "#0072b2", "#d55e00", "#222222", "#d9d9d9"
WIDTH = 9.0  # inches: 900 pixels in a README, so that 8 points are 11 pixels
LINE = 0.19  # inches: a line of a list
DASHES = (0, (4, 2))
MOST_BYTES = 150_000  # of a PNG
STYLE = {
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "svg.fonttype": "none",
    "svg.hashsalt": "hindsight",  # the same names in every run
    "text.color": INK,
    "axes.edgecolor": "#888888",
    "axes.linewidth": 0.6,
}


def size_text(n):
    """2²⁸, or the plain number if n is no power of two."""
    base, _, exponent = count_text(n).partition("^")
    return base + exponent.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def size_that_fits(text, size, inches):
    """`size`, or what makes this bold text so many inches wide, in steps of half a point."""
    width = TextPath((0, 0), text, size=size, prop={"weight": "bold", "family": "DejaVu Sans"}).get_extents().width / 72
    return size if width <= inches else math.floor(2 * size * inches / width) / 2


def with_size(text, n, usual_n):
    return text if n == usual_n else f"{text} ({size_text(n)})"


def distribution_text(row):
    """Powers of two of five digits and more are shorter as such: 2²¹ bins."""
    return re.sub(r"\d{5,}", lambda number: size_text(int(number[0])).replace(",", ""), row.case.distribution)


def label(row):
    return f"{row.case.types} · {distribution_text(row)}"


def by_algorithm(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row.case.algorithm, []).append(row)
    return groups


class Page:
    """A white figure whose parts are placed in inches from its upper left corner."""

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
        axes.tick_params(length=2.5, width=0.6, labelsize=8)
        return axes

    def legend(self, *handles):
        sides = handles or (Patch(color=OURS, label="hindsight"), Patch(color=STOCK, label="stock"))
        self.figure.legend(
            handles=sides, loc="center right", bbox_to_anchor=(1 - 0.05 / WIDTH, 1 - 0.22 / self.height),
            ncol=len(sides), frameon=False, fontsize=9, handlelength=1.4, columnspacing=1.4,
        )  # fmt: skip


class Group(NamedTuple):
    heading: str
    lines: list  # (label, row)


class Column(NamedTuple):
    groups: list

    @property
    def lines(self):
        """With a heading and half an empty line for every group."""
        return sum(len(group.lines) + 1.5 for group in self.groups)

    @property
    def label_width(self):
        longest = max((text for group in self.groups for text, _ in group.lines), key=len)
        return TextPath((0, 0), longest, size=8).get_extents().width / 72 + 0.2


def labelled(rows, usual_n=None):
    """A group for each algorithm; a type of values that they all have is named once."""
    for name, group in by_algorithm(rows).items():
        values = {row.case.value for row in group}
        common = len(values) == 1 and values != {"-"}
        lines = []
        for row in group:
            text = f"{row.case.key} · {distribution_text(row)}" if common else label(row)
            lines.append((with_size(text, row.case.n, usual_n or row.case.n), row))
        yield Group(f"{name} · values {values.pop()}" if common else name, lines)


def columns_of(groups, body_width):
    """At most two columns, of many lines three, as even as can be; a body beside the labels is so wide at least."""
    groups = list(groups)
    pieces = []
    for heading, lines in groups:  # only a long group is torn
        length = math.ceil(len(lines) / math.ceil(len(lines) / 15))
        pieces += [Group(heading, lines[i : i + length]) for i in range(0, len(lines), length)]
    for count in (3, 2, 1) if Column(groups).lines > 90 else (2, 1):
        cuts = itertools.combinations(range(1, len(pieces)), min(count, len(pieces)) - 1)
        ways = [[joined(pieces[a:b]) for a, b in zip((0, *cut), (*cut, len(pieces)))] for cut in cuts]
        columns = min(ways, key=list_height)
        if body_of(columns) >= body_width:
            break
    return columns


def joined(pieces):
    same = itertools.groupby(pieces, key=lambda piece: piece.heading)
    return Column([Group(heading, [line for piece in group for line in piece.lines]) for heading, group in same])


def list_height(columns):
    return LINE * max(column.lines for column in columns)


def body_of(columns):
    return (WIDTH - 0.2 - sum(column.label_width for column in columns)) / len(columns) - 0.1


def list_axes(page, y, columns, numbers_width=0):
    """Yields for every column its axes, where y counts lines from the top, and [(y, row)]; headings and labels are drawn
    already. So many inches right of the axes stay free."""
    width = body_of(columns) - numbers_width
    x = 0.15
    for column in columns:
        axes = page.axes(x + column.label_width, y, width, LINE * column.lines)
        axes.set(ylim=(column.lines, 0), yticks=[])
        axes.spines["left"].set_visible(False)
        placed, line = [], 0.5
        for heading, lines in column.groups:
            beside(axes, -column.label_width / width, line, heading, size=9, weight="bold")
            for k, (text, row) in enumerate(lines, 1):
                beside(axes, -0.06 / width, line + k, text, size=8, ha="right")
                placed.append((line + k, row))
            line += len(lines) + 1.5
        yield axes, placed
        x += column.label_width + width + numbers_width + 0.1


def beside(axes, x, y, text, **style):
    """Text at x in widths of the axes and y in lines."""
    axes.text(x, y, text, transform=axes.get_yaxis_transform(), va="center", **style)


def save(figure, path):
    """The same bytes for the same figure: no date, no version. A PNG as sharp as MOST_BYTES allows."""
    if path.suffix == ".svg":
        figure.savefig(path, metadata={"Date": None, "Creator": None})
        return
    for dpi in (200, 160, 130, 100):
        pixels, packed = io.BytesIO(), io.BytesIO()
        figure.savefig(pixels, format="png", dpi=dpi)
        image = Image.open(pixels).convert("RGB")
        image.quantize(128, method=1, dither=0).save(packed, "PNG", optimize=True)  # 1: keeps rare colours
        if packed.tell() <= MOST_BYTES:
            break
    path.write_bytes(packed.getvalue())
