#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/compile_cost.py compiles both sides of a call and says what they cost.

Usage: compile_cost_test.py NVCC [CCCL_FOLDER]
"""

import pathlib
import re
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "bench" / "compile_cost.py"


def main(nvcc, *cccl):
    command = [sys.executable, SCRIPT, "--compiler", nvcc, "--family", "exclusive_scan", *(f"--include={path}" for path in cccl)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    row = re.search(r"^\| exclusive_scan \| ([\d.]+) \| ([\d.]+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", made.stdout, re.MULTILINE)
    if made.returncode != 0 or not row:
        sys.exit(made.stdout + made.stderr)
    ours_s, stock_s, ours_kb, stock_kb, ours_mb, stock_mb = map(float, row.groups())
    print(row[0])
    if min(ours_s, stock_s) <= 0 or min(ours_kb, stock_kb) < 10:
        sys.exit("no compilation takes so little")
    if ours_kb > 1.25 * stock_kb:
        sys.exit("a scan of ours has grown beyond stock's")
    if not stock_mb < ours_mb <= 1.031 * stock_mb:
        sys.exit("hindsight/scan.h includes more beside Thrust's scan.h than before")


if __name__ == "__main__":
    main(*sys.argv[1:])
