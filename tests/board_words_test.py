#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel that talks over a board to machine code and checks how it accesses the board.

A reader must never see half a word. The source says so with 32- and 64-bit accesses and pairs of them, but it is the
assembler that chooses instructions, and it once loaded the two parts of a word that were used by two instructions.
So this test reads the machine code: accesses of strong order at device scope are the board's, and each has to be as
wide as a slot's words are. In a kernel named words_128 no narrower access may occur, for instance.

Usage: board_words_test.py NVCC INCLUDE_DIR... (in the order in which nvcc gets them)
Exits with 77 where there is no cuobjdump.
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

EXPECTED_WIDTHS = {"words_32": {32}, "words_64": {64}, "words_128": {128}, "flag_32": {32}}
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "board_words", "kernels.cu")
FUNCTION = re.compile(r"Function : (\S+)")
STRONG_ACCESS = re.compile(r"\b(LD|ST)G?((?:\.\w+)*)\.STRONG\.GPU\b")
WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128}


def find_cuobjdump(nvcc):
    beside = os.path.join(os.path.dirname(os.path.realpath(nvcc)), "cuobjdump")
    return beside if os.path.exists(beside) else shutil.which("cuobjdump")


def accesses_of(sass):
    """{function: {"LD": Counter of widths, "ST": Counter of widths}}"""
    functions, current = {}, None
    for line in sass.splitlines():
        if match := FUNCTION.search(line):
            current = functions.setdefault(match.group(1), {"LD": collections.Counter(), "ST": collections.Counter()})
        elif match := STRONG_ACCESS.search(line):
            width = next((WIDTHS[part] for part in match.group(2).split(".") if part in WIDTHS), 32)
            current[match.group(1)][width] += 1
    return functions


def faults_of(functions):
    tags = collections.Counter()
    for name, accesses in functions.items():
        tag = next((tag for tag in EXPECTED_WIDTHS if tag in name), None)
        if tag is None:
            continue
        tags[tag] += 1
        for kind, widths in accesses.items():
            if set(widths) != EXPECTED_WIDTHS[tag]:
                found = ", ".join(f"{count} of {width} bits" for width, count in sorted(widths.items())) or "none"
                yield f"{name}\n    {kind}: {found}; all should have {sorted(EXPECTED_WIDTHS[tag])}"
    for tag in EXPECTED_WIDTHS:
        if not tags[tag]:
            yield f"no kernel named {tag} was found"


def main():
    nvcc, include_dirs = sys.argv[1], sys.argv[2:]
    cuobjdump = find_cuobjdump(nvcc)
    if cuobjdump is None:
        print("skipped: there is no cuobjdump (part of the CUDA toolkit; also the package nvidia-cuda-cuobjdump)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "kernels.cubin")
        includes = [flag for folder in include_dirs for flag in ("-I", folder)]
        subprocess.run([nvcc, "-std=c++17", "-O3", "-arch=sm_90", "-cubin", *includes, "-o", cubin, SOURCE], check=True)
        sass = subprocess.run([cuobjdump, "-sass", cubin], check=True, capture_output=True, text=True).stdout
    functions = accesses_of(sass)
    faults = list(faults_of(functions))
    print("\n".join(faults) or f"{len(functions)} kernels: each board word is read and written by one instruction")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
