# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of report.py: a panel for each family, a colour and a name for each method."""
import matplotlib
from matplotlib.lines import Line2D
from panels import looks_of, name_points, page_height, panels, plain_ticks
from report_page import DASHES, INK, STYLE, Page, save, size_text


def by_family(rows):
    families = {}
    for row in rows:
        families.setdefault(row["family"], {}).setdefault(row["method"], []).append(row)
    return families


def source_text(results):
    head = results["head"]
    threads = f", {head['threads']} threads" if head.get("threads") else ""
    return f"{head['device']}, {head['system']}{threads}; items of 4 bytes, random; {head['date']}"


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
            rows = sorted(rows, key=lambda row: row["n"])
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
