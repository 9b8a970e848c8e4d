#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call costs the compiler: seconds and bytes of object code of each family, ours beside stock.

compile_cost.py [--compiler nvcc] [--arch sm_90] [--repeat 1] [--family NAME]... [--write]

Every source has one call on an int vector's iterators, and includes the header of its family: hindsight/sort.h, or thrust/sort.h. Seconds are those of the processor (user and system, the compiler and all that it
starts), the least of the repetitions, so that other work on the machine counts little. Bytes are those of the text, data and device code in
the object file, without symbols and debug information; text is what the preprocessor leaves, which each of nvcc's passes reads. --write puts the table between its markers in bench/results/README.md.
"""

import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench" / "results" / "README.md"
ITS = "thrust::device_ptr<int> in, thrust::device_ptr<int> out, int n"
# The headers of Thrust that have what hindsight.h has.
ALL_OF_THRUST = ("adjacent_difference", "copy", "count", "extrema", "find", "inner_product", "logical", "partition", "reduce", "remove", "scan",
                 "sort", "transform_reduce", "transform_scan", "unique")

# name -> hindsight's header, Thrust's, and the call with a policy
CALLS = {
    "bare include": ("hindsight", ALL_OF_THRUST, ""),
    "reduce": ("reduce", ["reduce"], "int x = thrust::reduce({par}, in, in + n); (void)x;"),
    "exclusive_scan": ("scan", ["scan"], "thrust::exclusive_scan({par}, in, in + n, out);"),
    "inclusive_scan": ("scan", ["scan"], "thrust::inclusive_scan({par}, in, in + n, out);"),
    "inclusive_scan_by_key": ("scan_by_key", ["scan"], "thrust::inclusive_scan_by_key({par}, in, in + n, out, out);"),
    "copy_if": ("select", ["copy"], "thrust::copy_if({par}, in, in + n, out, is_odd{{}});"),
    "partition": ("partition", ["partition"], "thrust::partition({par}, in, in + n, is_odd{{}});"),
    "reduce_by_key": ("reduce_by_key", ["reduce"], "thrust::reduce_by_key({par}, in, in + n, out, out + n, out + 2 * n);"),
    "sort": ("sort", ["sort"], "thrust::sort({par}, in, in + n);"),
    "sort_by_key": ("sort", ["sort"], "thrust::sort_by_key({par}, in, in + n, out);"),
    "sort, user's order": ("sort", ["sort"], "thrust::sort({par}, in, in + n, by_last_digit{{}});"),
    "unique": ("unique", ["unique"], "thrust::unique({par}, in, in + n);"),
    "find": ("find", ["find"], "bool x = thrust::find({par}, in, in + n, 7) == in; (void)x;"),
    "min_element": ("extrema", ["extrema"], "bool x = thrust::min_element({par}, in, in + n) == in; (void)x;"),
    "adjacent_difference": ("adjacent_difference", ["adjacent_difference"], "thrust::adjacent_difference({par}, in, in + n, out);"),
}


def source_of(family, side):
    ours, stock, call = CALLS[family]
    par = {"ours": "hindsight::par", "stock": "thrust::cuda::par"}[side]
    headers = [f"hindsight/{ours}", "hindsight/policy"] if side == "ours" else [f"thrust/{name}" for name in (*stock, "execution_policy")]
    lines = [f"#include <{name}.h>" for name in (*headers, "thrust/device_ptr")]
    lines += ["struct is_odd {", "  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }", "};"]
    lines += ["struct by_last_digit {", "  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }", "};"]
    lines += [f"void call({ITS}) {{ {call.format(par=par)} (void)in, (void)out, (void)n; }}"]
    return "\n".join(lines) + "\n"


def bytes_of(path):
    """Allocated sections, and the ELF section that holds the device code."""
    listing = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    sections = re.findall(r"\] (\S+)\s+\w+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) \S+ +(\w*)", listing)
    return sum(int(size, 16) for name, size, flags in sections if "A" in flags or name.startswith(".nv_fatbin"))


def measure(options, family, side, folder):
    """Seconds, bytes of object code, bytes of text."""
    source, made = folder / "call.cu", folder / "call.o"
    source.write_text(source_of(family, side), encoding="utf-8")
    compiler = [options.compiler, "-std=c++17", "-O3", f"-arch={options.arch}", *(f"-I{path}" for path in options.include), f"-I{ROOT}/include", f"-I{ROOT}/detail", source]
    text = subprocess.run([*compiler, "-E"], capture_output=True, text=True, check=True).stdout
    text_bytes = sum(len(line) for line in text.splitlines() if line.strip() and not line.startswith("#"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*compiler, "-c", "-o", made], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, bytes_of(made), text_bytes


def sources():
    """The commit that is measured, where git can tell."""
    git = lambda *command: subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True, check=False)
    commit = git("rev-parse", "--short", "HEAD").stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "include", "detail").stdout.strip()
    return f" Sources of {commit}{', changed' if changed else ''}." if commit else ""


def table_of(options):
    version = subprocess.run([options.compiler, "--version"], capture_output=True, text=True, check=True).stdout.strip().splitlines()
    yield f"{next((line for line in version if 'release' in line), version[0])}, -O3, {options.arch}; one call on `int`s; seconds of processor time.{sources()}"
    yield ""
    yield "| call | ours, s | stock, s | ours, KB | stock, KB | ours, MB of text | stock, MB of text |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    with tempfile.TemporaryDirectory() as name:
        for family in CALLS:
            if options.family and family not in options.family:
                continue
            sides = [[measure(options, family, side, pathlib.Path(name)) for side in ("ours", "stock")] for _ in range(options.repeat)]
            ours, stock = (min(of_side) for of_side in zip(*sides))  # in turn: other work slows both
            yield f"| {family} | {ours[0]:.1f} | {stock[0]:.1f} | {ours[1] / 1000:.0f} | {stock[1] / 1000:.0f} | {ours[2] / 1e6:.2f} | {stock[2] / 1e6:.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--include", action="append", default=[], metavar="FOLDER", help="with another CCCL")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--family", action="append", choices=list(CALLS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat takes numbers from 1 on")
    if options.write and options.family:
        parser.error("--write puts down the whole table: it goes without --family")
    lines = []
    for line in table_of(options):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        text = TABLE.read_text(encoding="utf-8")
        begin, end = "<!-- table: compile_cost -->\n", "<!-- end of table: compile_cost -->"
        head, rest = text.split(begin)
        TABLE.write_text(head + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1], encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
