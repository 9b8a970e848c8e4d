#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table and the pictures of docs/methods.md, from a file of hindsight_methods.

report.py                             writes the table of docs/methods.md, and the pictures in bench/results/pictures
report.py --check                     exits 1 unless docs/methods.md shows exactly this table
report.py --pictures FOLDER [FILE]    draws the pictures of any such file (needs matplotlib and pillow)
"""
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import ab_results  # noqa: E402

RESULTS = ROOT / "bench" / "results" / "methods_h200.json"
PICTURES = ROOT / "bench" / "results" / "pictures"
DOCUMENT = ROOT / "docs" / "methods.md"
BEGIN, END = "<!-- table: methods -->\n", "<!-- end of table: methods -->"
SIZES = (1 << 12, 1 << 20, 1 << 28)


def load(path):
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
        wrong = [row["method"] for row in results["rows"] if not row["is_right"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path} was not written by hindsight_methods: {error}")
    if wrong or not results["rows"]:
        sys.exit(f"{path}: {'wrong results: ' + ', '.join(wrong) if wrong else 'no rows'}")
    return results


def by_method(rows):
    """{(family, method): {n: row}}, in the order of the rows."""
    methods = {}
    for row in rows:
        methods.setdefault((row["family"], row["method"]), {})[row["n"]] = row
    return methods


def number(value):
    """A measured value in three digits: 1,234 or 12.3 or 0.0123."""
    rounded = float(f"{value:.3g}")
    if rounded >= 100:
        return f"{value:,.0f}"
    return f"{value:.{2 - math.floor(math.log10(rounded))}f}"


def design(value):
    """A value of a formula: the same without zeros at its end."""
    return f"{value:,.0f}" if value >= 99.95 else f"{float(f'{value:.3g}'):g}"


def time_text(row):
    return f"{number(row['ms'] * 1000)} us" if row["ms"] < 1 else f"{number(row['ms'])} ms"


def table(results):
    head = results["head"]
    lines = [
        f"{head['device']}, CUDA {head['toolkit'] // 1000}.{head['toolkit'] % 1000 // 10}, {head['date']}; "
        f"copies {head['copy_gbytes_per_s']:.0f} GB/s. Operations, steps, passes and bytes follow from the design; "
        "launches are counted, times measured.",
        "",
        "| family | method | operations per item | steps | passes | bytes per item | launches | "
        + " | ".join(ab_results.count_text(n) for n in SIZES)
        + " | GB/s | of ceiling |",
        "|---|---|" + "--:|" * (7 + len(SIZES)),
    ]
    for (family, method), rows in by_method(results["rows"]).items():
        n = max(rows)
        row = rows[n]
        name = method if n == max(SIZES) else f"{method} (at {ab_results.count_text(n)})"
        cells = [
            family, name, design(row["operations"] / n), design(row["steps"]), design(row["passes"]), design(row["bytes"] / n),
            f"{row['launches']:,}", *(time_text(rows[size]) if size in rows else "-" for size in SIZES),
            number(row["gbytes_per_s"]), f"{100 * row['share_of_ceiling']:.0f} %",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def document(results):
    """docs/methods.md as it has to be."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return before + BEGIN + table(results) + END + rest.split(END)[1]


def main(arguments):
    if arguments == ["--check"]:
        if document(load(RESULTS)) != DOCUMENT.read_text(encoding="utf-8"):
            sys.exit("docs/methods.md does not show bench/results/methods_h200.json: run bench/methods/report.py")
        print("docs/methods.md agrees with bench/results")
        return
    folder, file = PICTURES, RESULTS
    if arguments[:1] == ["--pictures"] and len(arguments) in (2, 3):
        folder = pathlib.Path(arguments[1])
        file = pathlib.Path(arguments[2]) if len(arguments) > 2 else RESULTS
    elif arguments:
        sys.exit(__doc__)
    else:
        DOCUMENT.write_text(document(load(RESULTS)), encoding="utf-8")
    results = load(file)
    import pictures  # needs matplotlib, which a check does not

    folder.mkdir(parents=True, exist_ok=True)
    for line in pictures.draw_all(results, folder):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
