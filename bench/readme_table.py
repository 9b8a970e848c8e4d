#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README's table of measurements, from bench/results/h200_*.json.

readme_table.py          writes the table between the README's markers
readme_table.py --check  exits 1 if the README does not show exactly this table
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- table: bench/readme_table.py -->", "<!-- end of table -->"
NAMES = {1 << 16: "2^16", 1 << 18: "2^18", 1 << 20: "2^20", 1 << 24: "2^24", 1 << 28: "2^28"}


def rows(name):
    path = ROOT / "bench" / "results" / name
    data = json.loads(path.read_text())
    return data["head"], {
        (r["algorithm"], r["key"], r["value"], r["distribution"], r["n"]): r for r in data["rows"]
    }


def table():
    head, kernel = rows("h200_kernel.json")
    _, whole = rows("h200_whole_call.json")
    inputs = list(dict.fromkeys(key[:4] for key in kernel))
    lines = [
        f"{head['device']}, CUDA {head['toolkit'] // 1000}.{head['toolkit'] % 1000 // 10}, stock = CCCL "
        f"{head['cccl'] // 1000000}.{head['cccl'] // 1000 % 1000}.{head['cccl'] % 1000}, {head['date']}; "
        f"device copy {head['copy_gbytes_per_s']:.0f} GB/s. Ratio = stock / ours, above 1 we are faster.",
        "",
        "| algorithm | input | 2^28: ours ms | stock ms | ratio | % of copy | ratio 2^20 | 2^16 | whole call 2^18 |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for algorithm, key, value, distribution in inputs:
        big = kernel[algorithm, key, value, distribution, 1 << 28]
        if not big["same_bits"]:
            sys.exit(f"{algorithm} {key}: results differ from stock's")

        def ratio(source, n):
            row = source.get((algorithm, key, value, distribution, n))
            return f"{row['ratio']:.2f}" if row else "-"

        types = key if value == "-" else f"{key}, {value}"
        lines.append(
            f"| {algorithm} | {types}, {distribution} | {big['hindsight_ms']:.3f} | {big['stock_ms']:.3f} "
            f"| {'**' if big['ratio'] < 0.995 else ''}{big['ratio']:.2f}{'**' if big['ratio'] < 0.995 else ''} "
            f"| {100 * big['share_of_ceiling']:.0f} | {ratio(kernel, 1 << 20)} | {ratio(kernel, 1 << 16)} "
            f"| {ratio(whole, 1 << 18)} |"
        )
    return "\n".join(lines)


def main():
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    wanted = f"{before}{BEGIN}\n{table()}\n{END}{after}"
    if "--check" in sys.argv[1:]:
        if wanted != text:
            sys.exit("README.md does not show the table of bench/results: run bench/readme_table.py")
        print("README.md agrees with bench/results")
    else:
        readme.write_text(wanted)


if __name__ == "__main__":
    main()
