#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which overloads of cub::Device* have a twin here: reads CUB's headers and ours, and compares docs/cub_calls.md.

cub_calls/*.txt list the overloads of a version of CUB, one a line: how many arguments there are beside temporary memory and
stream or environment. Where the CCCL at hand is of a listed version, its headers have to have these. An overload of a list
that is neither ours nor named below with a reason fails the test, and so does a family of CUB's that nobody has heard of, or
a single-call form that hands its arguments on in another order or to another function than the one of its name.

Usage: cub_calls_test.py CCCL_INCLUDE_DIR [--write] [--library=FOLDER]
--write: the list of its version, and the table. --library: where include/ and detail/ are, if not here.
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
            "DeviceAdjacentDifference", "DeviceSegmentedScan", "DeviceTopK"]
VERSIONS = ["3.0", "3.6"]
LISTS = ROOT / "tests" / "cub_calls"
# Functions that a struct of ours inherits.
BASES = {"decomposed_radix_sort": "DeviceRadixSort", "device_extrema": "DeviceReduce"}
LIBRARY = next((pathlib.Path(option[len("--library="):]) for option in sys.argv if option.startswith("--library=")), ROOT)
OURS = [*sorted((LIBRARY / "include" / "hindsight").glob("device_*.cuh")),
        *(LIBRARY / "detail" / "hindsight" / "detail" / "dispatch" / name for name in ("decomposed_sort.cuh", "device_extrema.cuh"))]

# Members that CUB has, and we do not, in the versions that were read (3.0 to 3.6).
NOT_OURS = {("DeviceRadixSort", "GetName"): "a name for profilers"}
NOT_OUR_FAMILIES = {
    "DeviceCopy": "copies", "DeviceMemcpy": "copies", "DeviceFor": "no data are handed on",
    "DeviceTransform": "no data are handed on", "DeviceSpmv": "spmv.h has it", "DeviceMerge": "merges of sorted ranges",
    "DeviceFind": "searches; find.h has those by a predicate", "DeviceBatchedTopK": "the first k of many ranges",
}

# Single-call forms that are another function's with more arguments, which tests of values compare with CUB.
FOLDS_BY = {"Reduce": "TransformReduce(in, out, num_items, op,", "Sum": "Reduce(in, out, num_items, ::cuda::std::plus<>{}", "Min": "Reduce(in, out, num_items, ::cuda::minimum<>{}",
            "Max": "Reduce(in, out, num_items, ::cuda::maximum<>{}"}


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


def shape_of(parameters):
    """What tells overloads of one name apart: with temporary memory or in one call, a decomposer, how many arguments."""
    names = [re.sub(r"=.*", "", one, flags=re.S).strip() for one in parameters.split(",")]
    names = [re.sub(r"\[.*", "", re.split(r"[\s&*]+", one)[-1]) for one in names if one]
    in_two_phases = bool(names) and names[0] in ("temp", "d_temp_storage")
    names = names[2:] if in_two_phases else names
    if names and names[-1] in ("stream", "env"):
        names = names[:-1]
    return ("two phases" if in_two_phases else "one call", "by a decomposer" if "decomposer" in names else "", names)


def overloads_in(text):
    """Public static functions: [(struct, name, phases, decomposer, number of arguments)]."""
    text = without_comments(text)
    found = []
    for struct in re.finditer(r"^\s*(?:struct|class)\s+(\w+)\s*(?::[^{;]*)?\{", text, flags=re.M):
        family = BASES.get(struct.group(1), struct.group(1))
        if not family.startswith("Device"):
            continue
        is_public = True
        body = re.sub(r"=\s*\{\s*\}", "", body_after(text, struct.start()))  # default arguments
        for declaration in declarations(body):
            for label in re.findall(r"\b(public|private|protected)\s*:(?!:)", declaration):
                is_public = label == "public"
            while re.search(r"<[^<>]*>", declaration):
                declaration = re.sub(r"<[^<>]*>", "", declaration)
            name = re.search(r"\bstatic\s+(?:[\w:]+\s+)*(\w+)\s*\((.*)\)", declaration, flags=re.S)
            if name and is_public and name.group(1)[0].isupper() and not name.group(1).endswith("NoNVTX"):
                found.append((family, name.group(1), *shape_of(name.group(2))))
    return found


def read_stock(folder):
    """The lines of a list."""
    found = [one for path in sorted(folder.glob("device_*.cuh")) for one in overloads_in(path.read_text(encoding="utf-8"))]
    return sorted(" ".join(filter(None, [family, name, phases, decomposer, f"of {len(names)}"]))
                  for family, name, phases, decomposer, names in found)


def read_ours():
    """The same, as a set: what follows a decomposer are no arguments or two bits."""
    found = [one for path in OURS for one in overloads_in(path.read_text(encoding="utf-8"))]
    lines = set()
    for family, name, phases, decomposer, names in found:
        counts = [len(names) - 1, len(names) + 1] if names and names[-1] == "options" else [len(names)]
        lines |= {" ".join(filter(None, [family, name, phases, decomposer, f"of {count}"])) for count in counts}
    return lines


def in_one_call_of(text):
    """The single-call forms with an environment: [(struct, name, arguments, body)]."""
    text = re.sub(r"\s*=\s*\{\s*\}", "", without_comments(text))
    for struct in re.finditer(r"^struct\s+(\w+)[^{;]*\{", text, flags=re.M):
        body = body_after(text, struct.start())
        for function in re.finditer(r"static cudaError_t (\w+)\(([^{};]*)const Env& env\) \{", body):
            parameters = re.sub(r"<[^<>]*>|=[^,]*", "", function.group(2)).split(",")
            names = [re.split(r"[\s&*]+", one.strip())[-1] for one in parameters if one.strip()]
            if names[:1] != ["temp"]:
                yield struct.group(1), function.group(1), names, body_after(body, function.end() - 1)


def hands_on(name, names, body):
    """Whether a single-call form gives all arguments, in their order, to the function of its name: in two phases with the
    environment's stream, or in one call, with an array in the place of input and output, or offsets in that of a size."""
    flat = re.sub(r"\s+", " ", body)
    called = re.search(r"\b(?:%s|%s)(?:<[^()]*>)?\( ?temp, temp_bytes, ([^()]*), stream\)" % (name, name.replace("TransformR", "transform_r")), flat)
    if called:
        return called.group(1).replace(" ", "").split(",") == names
    called = re.search(r"return (?:%s|%s)\((.*), env\)" % (name, name.removeprefix("Stable")), flat)
    given = [one.strip() for one in called.group(1).split(",")] if called else []
    given = [one for i, one in enumerate(given) if one in names and given.index(one) == i]
    return given == [one for one in names if one != "segment_size"]


def not_handed_on():
    count = 0
    for path in OURS:
        for struct, name, names, body in in_one_call_of(path.read_text(encoding="utf-8")):
            count += 1
            by = FOLDS_BY.get(name) if struct == "DeviceReduce" else None
            if not (by in re.sub(r"\s+", " ", body) if by else hands_on(name, names, body)):
                yield f"{struct}::{name} in one call does not hand on {', '.join(names)}"
    if count < 100:
        yield f"only {count} forms in one call were found: are our headers read as they should be?"


def version_of(include):
    text = (include / "cub" / "version.cuh").read_text(encoding="utf-8")
    number = int(re.search(r"#define CUB_VERSION (\d+)", text).group(1))
    return number // 100000, number // 100 % 1000


def read_list(version):
    return (LISTS / f"{version}.txt").read_text(encoding="utf-8").splitlines()


def is_excused(line):
    return tuple(line.split()[:2]) in NOT_OURS


def table_of(ours):
    heads = " | ".join(f"overloads in {version} | ours" for version in VERSIONS)
    lines = [f"| family | {heads} |", "|---|" + "--:|--:|" * len(VERSIONS)]
    totals = collections.Counter()
    for family in FAMILIES:
        cells = []
        for version in VERSIONS:
            stock = [line for line in read_list(version) if line.split()[0] == family and not is_excused(line)]
            have = sum(line in ours for line in stock)
            totals[version, "stock"] += len(stock)
            totals[version, "ours"] += have
            cells.append(f"{len(stock)} | {have}" if stock else "- | -")
        lines.append(f"| `{family}` | {' | '.join(cells)} |")
    cells = (f"{totals[version, 'stock']} | {totals[version, 'ours']}" for version in VERSIONS)
    lines.append(f"| all | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(include, *options):
    include = pathlib.Path(include)
    ours, at_hand = read_ours(), read_stock(include / "cub" / "device")
    version = ".".join(map(str, version_of(include)))
    failures = list(not_handed_on())
    if version in VERSIONS and "--write" in options:
        (LISTS / f"{version}.txt").write_text("\n".join(at_hand) + "\n", encoding="utf-8")
    if version in VERSIONS and at_hand != read_list(version):
        failures.append(f"tests/cub_calls/{version}.txt is not what CUB's headers have")
    stock = set(at_hand).union(*map(read_list, VERSIONS))
    for family in FAMILIES:
        if not any(line.startswith(family + " ") for line in stock):
            failures.append(f"CUB's headers have no {family}: are they read as they should be?")
    for line in sorted(stock):
        family = line.split()[0]
        if family in FAMILIES:
            if line not in ours and not is_excused(line):
                failures.append(f"cub::{line} is neither ours nor listed with a reason")
        elif family not in NOT_OUR_FAMILIES:
            failures.append(f"cub::{family} is a new family")
    names = {tuple(line.split()[:2]) for line in stock}
    for line in sorted(ours):
        if line.split()[0] in FAMILIES and tuple(line.split()[:2]) not in names:
            failures.append(f"hindsight::{line} is not CUB's")
        if is_excused(line):
            failures.append(f"{line} is ours, but listed as missing")

    table = table_of(ours)
    before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    written, after = rest.split(END, 1)
    if "--write" in options:
        DOCUMENT.write_text(before + BEGIN + table + END + after, encoding="utf-8")
    elif written != table:
        failures.append("docs/cub_calls.md should say\n" + table)
    print("\n".join(failures) or f"{len(stock)} overloads of CUB's, none unknown")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
