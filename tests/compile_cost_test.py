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


# How large the object may be beside stock's, and the text that the compiler reads (the table has two digits behind the point).
# Scans have kernels of their own for wide items, for few tiles and for many, and the memory of streams on the host. Names of functions have the versions
# of hindsight and Thrust. Calls hand on what an allocator throws. Sorts by comparators are in the header of all sorts, and take scans and sorts of segments. Host
# threads ask of all members of zipped iterators whether they are in place.
LIMITS = {"exclusive_scan": (1.38, 1.05), "sort": (2.47, 1.09)}


def main(nvcc, *cccl):
    families = [word for family in LIMITS for word in ("--family", family)]
    command = [sys.executable, SCRIPT, "--compiler", nvcc, *families, *(f"--include={path}" for path in cccl)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", made.stdout, re.MULTILINE)
    if made.returncode != 0 or [family for family, *_ in rows] != list(LIMITS):
        sys.exit(made.stdout + made.stderr)
    print(made.stdout)
    for family, *numbers in rows:
        ours_s, stock_s, ours_kb, stock_kb, ours_mb, stock_mb = map(float, numbers)
        most_kb, most_mb = LIMITS[family]
        if min(ours_s, stock_s) <= 0 or min(ours_kb, stock_kb) < 10:
            sys.exit(f"{family}: no compilation takes so little")
        if ours_kb > most_kb * stock_kb:
            sys.exit(f"{family}: our object has grown beside stock's")
        if not stock_mb < ours_mb <= most_mb * stock_mb:
            sys.exit(f"{family}: our header includes more beside Thrust's than before")


if __name__ == "__main__":
    main(*sys.argv[1:])
