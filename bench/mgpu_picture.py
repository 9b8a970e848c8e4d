#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/results/pictures/several_gpus: how many times faster several GPUs are than one, from what hindsight_ab_mgpu measured.

mgpu_picture.py [FOLDER]
"""
import json
import pathlib
import sys

import matplotlib
from matplotlib.lines import Line2D
from mgpu_table import RESULTS, calls_of, times_of
from report_page import DASHES, FAINT, STYLE, WIDTH, Page, save, size_text

COLOURS = {
    ("sort", "U32"): "#0072b2",
    ("sort", "U64"): "#56b4e9",
    ("sort_by_key", "U32"): "#009e73",
    ("reduce", "U32"): "#d55e00",
    ("reduce_same_bits", "U32"): "#e69f00",
    ("inclusive_scan", "U32"): "#cc79a7",
    ("copy_if", "U32"): "#666666",
    ("reduce_by_key", "U32"): "#000000",
    ("histogram_even", "U32"): "#8c564b",
}


def picture(results):
    without = set(calls_of(results)) - set(COLOURS)
    if without:
        sys.exit(f"mgpu_picture.py has no colour for {sorted(without)}")
    times = times_of(results)
    counts = sorted({case[3] for case in times} - {1})
    page = Page(4.1, "Several GPUs against one", f"{results['head']['device']}; from call to return, all shards together; dashed: the number of GPUs")
    width = (WIDTH - 0.6 * len(counts) - 0.2) / len(counts)
    for i, count in enumerate(counts):
        axes = page.axes(0.55 + i * (width + 0.6), 0.95, width, 2.1)
        axes.set_title(f"{count} GPUs", fontsize=9, loc="left")
        sizes = sorted({case[2] for case in times})
        for call, colour in COLOURS.items():
            cases = [(n, times.get((*call, n, 1)), times.get((*call, n, count))) for n in sizes]
            points = [(n, one / several) for n, one, several in cases if one and several]
            axes.plot(*zip(*points), color=colour, marker="o", markersize=3, linewidth=1.3)
        axes.axhline(count, color="#888888", linewidth=0.8, linestyle=DASHES)
        axes.set_xticks(range(20, 34, 4), [size_text(2**n) for n in range(20, 34, 4)])
        axes.set_ylim(0, count * 1.2)
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
    handles = [Line2D([], [], color=colour, label=f"{name} {key.lower()}") for (name, key), colour in COLOURS.items()]
    page.figure.legend(handles=handles, loc="lower center", ncol=(len(handles) + 1) // 2, frameon=False, fontsize=8.5, handlelength=1.4)
    return page.figure


def main(folder):
    with matplotlib.rc_context(STYLE):
        figure = picture(json.loads(RESULTS.read_text(encoding="utf-8")))
        for kind in ("svg", "png"):
            save(figure, folder / f"several_gpus.{kind}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS.parent / "pictures")
