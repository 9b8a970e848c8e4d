#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions of cub::Device* have a twin here: reads CUB's headers and ours, and compares docs/cub_calls.md.

A member of CUB's that is neither ours nor named below with a reason fails the test: so a new CCCL does not go unnoticed.

Usage: cub_calls_test.py CCCL_INCLUDE_DIR [--write]
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "cub_calls.md"
BEGIN, END = "<!-- written by tests/cub_calls_test.py -->\n", "<!-- end -->\n"

FAMILIES = ["DeviceReduce", "DeviceScan", "DeviceSelect", "DevicePartition", "DeviceRunLengthEncode", "DeviceRadixSort",
            "DeviceMergeSort", "DeviceHistogram", "DeviceSegmentedReduce", "DeviceSegmentedSort", "DeviceSegmentedRadixSort",
            "DeviceAdjacentDifference"]

# Members that CUB has, and we do not, in the versions that were read (3.0 to 3.6).
NOT_OURS = {
    ("DeviceRadixSort", "GetName"): "a name for profilers",
    ("DeviceReduce", "ArgMinMax"): "hindsight::minmax gives both in one pass",
    ("DeviceReduce", "ArgMinLastMax"): "hindsight::minmax gives both in one pass",
}
NOT_OUR_FAMILIES = {
    "DeviceCopy": "copies", "DeviceMemcpy": "copies", "DeviceFor": "no data are handed on",
    "DeviceTransform": "no data are handed on", "DeviceMerge": "not built yet", "DeviceSegmentedScan": "segments.h has it",
    "DeviceSpmv": "spmv.h has it", "DeviceFind": "not built yet",
    "DeviceTopK": "device_topk.cuh has it: sorted, and the same every run", "DeviceBatchedTopK": "not built yet",
}


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M)


def body_after(text, begin):
    """What is between the brace that opens at or after `begin` and its end."""
    depth, first = 0, text.index("{", begin)
    for i in range(first, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[first + 1:i]
    raise ValueError("a brace is not closed")


def declarations(body):
    """The texts in front of what is in braces, at the depth of members."""
    depth, begin = 0, 0
    for i, c in enumerate(body):
        if c == "{":
            if depth == 0:
                yield body[begin:i]
            depth += 1
        elif c == "}":
            depth -= 1
            begin = i + 1
        elif c == ";" and depth == 0:
            begin = i + 1


def public_members(text):
    """Counts public static functions: {(struct, name): number of overloads}."""
    text = without_comments(text)
    found = collections.Counter()
    for struct in re.finditer(r"^\s*(?:struct|class)\s+(Device\w+)\s*(?::[^{;]*)?\{", text, flags=re.M):
        is_public = True
        body = body_after(text, struct.start())
        body = re.sub(r"=\s*\{\s*\}", "", body)  # default arguments
        for declaration in declarations(body):
            for label in re.findall(r"\b(public|private|protected)\s*:(?!:)", declaration):
                is_public = label == "public"
            while re.search(r"<[^<>]*>", declaration):
                declaration = re.sub(r"<[^<>]*>", "", declaration)
            name = re.search(r"\bstatic\s+(?:[\w:]+\s+)*(\w+)\s*\(", declaration)
            if name and is_public and name.group(1)[0].isupper() and not name.group(1).endswith("NoNVTX"):
                found[struct.group(1), name.group(1)] += 1
    return found


def read(folder):
    found = collections.Counter()
    for path in sorted(folder.glob("device_*.cuh")):
        found += public_members(path.read_text(encoding="utf-8"))
    return found


def version_of(include):
    text = (include / "cub" / "version.cuh").read_text(encoding="utf-8")
    number = int(re.search(r"#define CUB_VERSION (\d+)", text).group(1))
    return number // 100000, number // 100 % 1000


def table_of(stock, ours):
    lines = ["| family | functions of CUB's | ours | not ours |", "|---|--:|--:|---|"]
    total = have = 0
    for family in FAMILIES:
        names = sorted(name for struct, name in stock if struct == family and name != "GetName")
        missing = [name for name in names if (family, name) not in ours]
        total, have = total + len(names), have + len(names) - len(missing)
        lines.append(f"| `{family}` | {len(names)} | {len(names) - len(missing)} | {', '.join(missing)} |")
    lines.append(f"| all | {total} | {have} | |")
    return "\n".join(lines) + "\n"


def main(include, *options):
    include = pathlib.Path(include)
    stock, ours = read(include / "cub" / "device"), read(ROOT / "include" / "hindsight")
    failures = []
    for family in FAMILIES:
        if not any(struct == family for struct, _ in stock):
            failures.append(f"CUB's headers have no {family}: are they read as they should be?")
    for struct, name in sorted(stock):
        if struct in FAMILIES:
            if (struct, name) not in ours and (struct, name) not in NOT_OURS:
                failures.append(f"cub::{struct}::{name} is neither ours nor listed with a reason")
        elif struct not in NOT_OUR_FAMILIES:
            failures.append(f"cub::{struct} is a new family")
    for struct, name in NOT_OURS:
        if (struct, name) in ours:
            failures.append(f"{struct}::{name} is ours, but listed as missing")
    for struct, name in sorted(ours):
        if struct in FAMILIES and (struct, name) not in stock:
            failures.append(f"hindsight::{struct}::{name} is not CUB's")

    if version_of(include) == (3, 0):  # of this version the document tells
        table = table_of(stock, ours)
        before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
        written, after = rest.split(END, 1)
        if "--write" in options:
            DOCUMENT.write_text(before + BEGIN + table + END + after, encoding="utf-8")
        elif written != table:
            failures.append("docs/cub_calls.md should say\n" + table)
    print("\n".join(failures) or f"{len(stock)} functions of CUB's, none unknown")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
