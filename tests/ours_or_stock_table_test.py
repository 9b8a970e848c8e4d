#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of docs/calls.md of what is ours is what ours_or_stock_test finds, which takes no GPU.

Usage: ours_or_stock_table_test.py PROGRAM [--write]
"""

import pathlib
import subprocess
import sys

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "calls.md"
BEGIN = "<!-- written by tests/ours_or_stock_table_test.py -->\n"
END = "<!-- end -->\n"


def main(program, *options):
    found = subprocess.run([program, "--table"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        sys.exit("not ours, whatever the table says:\n" + found.stderr)
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    table, after = rest.split(END, 1)
    if "--write" in options:
        DOCUMENT.write_text(before + BEGIN + found.stdout + END + after, encoding="utf-8")
    elif table != found.stdout:
        sys.exit("docs/calls.md is not up to date; its table should be\n" + found.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
