#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a call of each family with two CCCL releases and checks that our kernels are the same: as many instructions of each kind.

A kernel that goes through a helper of CCCL's can become slower with a newer CCCL and nobody sees it: the atomic
references of one release asked before each access whether the memory was local, and the sorts took up to 1.4 times as long.

Usage: same_kernels_test.py NVCC INCLUDE_DIR... (in the order in which nvcc gets them)
The other CCCL is the folder that the environment variable HINDSIGHT_OTHER_CCCL names; exits with 77 without one.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "same_kernels", "kernels.cu")
FAMILIES = {
    "scan_kernel", "scan_parts_kernel", "scan_pipeline_kernel", "scan_by_key_kernel", "scan_by_key_pipeline_kernel", "reduce_kernel", "reduce_by_key_kernel",
    "reduce_by_key_pipeline_kernel", "run_length_encode_kernel", "run_length_pipeline_kernel", "select_kernel", "select_pipeline_kernel",
    "three_way_partition_kernel", "adjacent_difference_kernel", "find_kernel", "digit_histogram_kernel", "sort_pass_kernel",
    "sort_few_keys_kernel", "sort_segments_kernel", "count_shorts_kernel", "fill_sorted_kernel", "merge_tiles_kernel", "find_buckets_kernel",
    "move_to_buckets_kernel", "sort_buckets_kernel",
    "select_rounds_kernel", "histogram_kernel", "reduce_segments_kernel", "scan_segments_kernel", "for_each_output_kernel"}
ENTRY = re.compile(r"\s*(?:\.visible |\.weak )?\s*\.entry (\w+)\(")
INSTRUCTION = re.compile(r"\s+(?:@!?%\w+\s+)?([a-z][a-z0-9_.:]*)\s+[^:]*;")


def instructions_of(ptx):
    """{kernel of ours: Counter of instructions}"""
    kernels, current = {}, None
    for line in ptx.splitlines():
        if match := ENTRY.match(line):
            current = kernels.setdefault(match.group(1), collections.Counter())
        elif line.startswith("}"):
            current = None
        elif current is not None and (match := INSTRUCTION.match(line)):
            current[match.group(1)] += 1
    return {name: counts for name, counts in kernels.items() if name.startswith("_ZN9hindsight")}


def compiled(nvcc, include_dirs):
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "calls.ptx")
        includes = [flag for folder in include_dirs for flag in ("-I", folder)]
        subprocess.run([nvcc, "-x", "cu", "-std=c++17", "-O3", "-arch=sm_90", "-ptx", *includes, "-o", ptx, SOURCE], check=True)
        with open(ptx, encoding="utf-8") as file:
            return instructions_of(file.read())


def plain(name):
    """The kernel's name without what differs between releases: its namespace, and CCCL's own types."""
    namespace = re.match(r"_ZN9hindsight6detail4cuda(\d+)", name)
    own = re.compile(r"\d+").match(name, namespace.end() + int(namespace.group(1)))
    return name[own.end() : own.end() + int(own.group())]


def by_kernel(kernels):
    found = collections.defaultdict(list)
    for name, counts in kernels.items():
        found[plain(name)].append(tuple(sorted(counts.items())))
    return {name: sorted(all_counts) for name, all_counts in found.items()}


def difference(ours, theirs):
    total = lambda all_counts: [sum(count for _, count in counts) for counts in all_counts]
    return f"{total(ours)} instructions, with the other CCCL {total(theirs)}"


def main():
    nvcc, include_dirs = sys.argv[1], sys.argv[2:]
    other = os.environ.get("HINDSIGHT_OTHER_CCCL")
    if not other:
        print("skipped: HINDSIGHT_OTHER_CCCL names no folder")
        return 77
    first, second = (by_kernel(compiled(nvcc, folders)) for folders in (include_dirs, [other, *include_dirs]))
    faults = [f"{name}: {difference(first.get(name, []), second.get(name, []))}"
              for name in sorted({*first, *second}) if first.get(name) != second.get(name)]
    faults += [f"{name}: not among the kernels" for name in sorted(FAMILIES - set(first))]
    count = sum(map(len, first.values()))
    print("\n".join(faults) or f"{count} kernels have the same instructions with both")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
