#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers that define the order of floating-point folds are the same in the code for every architecture.

Usage: order_test.py NVCC INCLUDE_DIR... (in the order in which nvcc gets them)
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "order" / "shapes.cu"
ARCHITECTURES = ["sm_80", "sm_90", "sm_100"]


def table_for(nvcc, includes, architecture):
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "shapes.ptx"
        subprocess.run([nvcc, "-std=c++17", "-ptx", "-arch=" + architecture, *("-I" + path for path in includes),
                        str(SOURCE), "-o", str(ptx)], check=True)
        found = re.search(r"shapes_that_define_bits\[\d*\]\s*=\s*\{([^}]*)\}", ptx.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"no table in the code for {architecture}")
    raw = bytes(int(number) for number in found.group(1).split(","))
    raw += bytes(-len(raw) % 4)  # zeros at the end are left out
    return [int.from_bytes(raw[i:i + 4], "little") for i in range(0, len(raw), 4)]


def main(nvcc, *includes):
    tables = {architecture: table_for(nvcc, includes, architecture) for architecture in ARCHITECTURES}
    first = tables[ARCHITECTURES[0]]
    if len(first) < 50:
        sys.exit(f"only {len(first)} numbers were found")
    differ = [architecture for architecture in ARCHITECTURES if tables[architecture] != first]
    for architecture in ARCHITECTURES:
        print(architecture, "differs" if architecture in differ else "as the others", tables[architecture])
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
