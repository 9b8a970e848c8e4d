# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pictures of report.py have in common: colours, a page measured in inches, lists in columns, files.

Ours is blue and stock orange everywhere, a pair that stays apart for every common kind of colour blindness.
"""
import io
import itertools
import math

from ab_results import count_text
from matplotlib.figure import Figure
from matplotlib.patches import Patch
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


def by_algorithm(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row.case.algorithm, []).append(row)
    return groups


def size_text(n):
    """2²⁸, or the plain number if n is no power of two."""
    base, _, exponent = count_text(n).partition("^")
    return base + exponent.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def with_size(text, n, usual_n):
    return text if n == usual_n else f"{text} ({size_text(n)})"


def label(row):
    return f"{row.case.types} · {row.case.distribution}"


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


def columns_of(rows):
    """Two or three columns [(algorithm, rows)], as even as can be; only a long group is torn."""
    groups = by_algorithm(rows)
    count = 2 if len(rows) + 1.5 * len(groups) < 90 else 3
    pieces = []
    for name, group in groups.items():
        length = math.ceil(len(group) / math.ceil(len(group) / 15))
        pieces += [(name, group[i : i + length]) for i in range(0, len(group), length)]
    cuts = itertools.combinations(range(1, len(pieces)), min(count, len(pieces)) - 1)
    ways = [[joined(pieces[a:b]) for a, b in zip((0, *cut), (*cut, len(pieces)))] for cut in cuts]
    return min(ways, key=lambda columns: max(map(lines_in, columns)))


def joined(pieces):
    return [(name, sum((rows for _, rows in group), [])) for name, group in itertools.groupby(pieces, lambda piece: piece[0])]


def lines_in(column):
    """A heading and half an empty line for every group."""
    return sum(len(rows) + 1.5 for _, rows in column)


def list_axes(page, y, columns, label_width, numbers_width):
    """Yields for every column its axes, where y counts lines from the top, and [(y, row)]; headings are drawn already.
    The widths, in inches, are those of the room left and right of the axes."""
    width = (WIDTH - 0.2) / len(columns)
    axes_width = width - label_width - numbers_width - 0.15
    for i, column in enumerate(columns):
        lines = lines_in(column)
        axes = page.axes(0.15 + width * i + label_width, y, axes_width, LINE * lines)
        axes.set(ylim=(lines, 0), yticks=[])
        axes.spines["left"].set_visible(False)
        placed, line = [], 0.5
        for name, rows in column:
            beside(axes, -label_width / axes_width, line, name, size=9, weight="bold")
            placed += [(line + 1 + k, row) for k, row in enumerate(rows)]
            line += len(rows) + 1.5
        yield axes, placed


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
