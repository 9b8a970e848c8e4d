#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The emulation has run every kernel of the library, but for those that docs/guarantees.md names with a reason.

  emulated_kernels_test.py FOLDER    with what the emulated tests wrote there: HINDSIGHT_TEST_LAUNCHES=FOLDER/...
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DETAIL = ROOT / "detail" / "hindsight" / "detail"
EMULATION = ROOT / "tests" / "emulation"
LAUNCH = re.compile(r"HINDSIGHT_LAUNCH(?:_TILES|_NEXT_IF|_NEXT)?\(")


def end_of_parenthesis(text, begin):
    depth = 1
    while depth > 0:
        depth += {"(": 1, ")": -1}.get(text[begin], 0)
        begin += 1
    return begin


def kernel_of(text, begin, end):
    """The kernel that the launch at text[begin:end] is of: its last arguments name it, or a variable. None for a template argument."""
    word = re.sub(r"<.*", "", re.split(r"(?:stream_?|nullptr),\s*", text[begin:end - 1], flags=re.DOTALL)[-1], flags=re.DOTALL)
    name = word.strip().split("::")[-1]
    if name == "Kernel":
        return None
    if not name.endswith("_kernel"):
        name = re.findall(rf"\b{name} =\s+(\w+_kernel)\b", text[:begin])[-1]
    return name


def launches():
    """(file, first line, last line, kernel) of every launch in the library, and of the tests' own."""
    for path in sorted([*DETAIL.rglob("*.cuh"), *EMULATION.glob("*_test.cpp")]):
        text = path.read_text(encoding="utf-8")
        for match in LAUNCH.finditer(text):
            end = end_of_parenthesis(text, match.end())
            lines = text.count("\n", 0, match.start()) + 1, text.count("\n", 0, end) + 1
            yield path.name, *lines, kernel_of(text, match.end(), end)


def kernels():
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(DETAIL.rglob("*.cuh")))
    return set(re.findall(r"^(?:HINDSIGHT_KERNEL )?void (\w+_kernel)\(", text, re.MULTILINE))


def reached(folder):
    """(file, line, kernel) of every launch in the emulation; the kernel only where it is a template argument, else None."""
    for path in pathlib.Path(folder).glob("*.txt"):
        for row in path.read_text(encoding="utf-8").split():
            name, line, kernel = re.fullmatch(r"(.+?):(\d+)(?::(\w+))?", row).groups()
            yield pathlib.Path(name).name, int(line), kernel


def excused():
    """Kernel -> reason, of the rows `| x_kernel, y_kernel | reason |`."""
    text = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+_kernel`(?:, )?)+) \| (.+?) \|$", text, re.MULTILINE)
    return {name: reason for names, reason in rows for name in re.findall(r"\w+_kernel", names)}


def main():
    rows = list(reached(sys.argv[1]))
    lines = {(file, line) for file, line, _ in rows}
    run = {kernel for file, first, last, kernel in launches() if any((file, line) in lines for line in range(first, last + 1))}
    run = (run | {kernel for _, _, kernel in rows}) - {None}
    reasons, every = excused(), kernels()
    complaints = [f"{kernel}: no emulated test launches it" for kernel in sorted(every - run - set(reasons))]
    complaints += [f"{kernel}: docs/guarantees.md excuses it, but it runs" for kernel in sorted(run & set(reasons))]
    complaints += [f"{kernel}: docs/guarantees.md excuses what there is not" for kernel in sorted(set(reasons) - every)]
    print("\n".join(complaints + [f"{len(run & every)} of {len(every)} kernels run in the emulation"]))
    return 1 if complaints or not run else 0


if __name__ == "__main__":
    sys.exit(main())
