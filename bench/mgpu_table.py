#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/several_gpus.md, and README's, from what hindsight_ab_mgpu measured.

mgpu_table.py          writes them between their markers
mgpu_table.py --check  exits 1 unless the documents show exactly these tables
mgpu_table.py --merge FILE REMARK
                       first takes over what FILE has of another run, in the place of older rows; REMARK says which
                       rows are of which sources
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results" / "h200_several_gpus.json"
H100 = ROOT / "bench" / "results" / "h100_several_gpus.json"
DOCUMENT, README = ROOT / "docs" / "several_gpus.md", ROOT / "README.md"
WEAK_LOG2_N, FLOOR_LOG2_N = 30, 32
BEGIN, END = "<!-- table: {} -->", "<!-- end of table: {} -->"


def times_of(results):
    """Milliseconds of (algorithm, key, log2 of n, GPUs)."""
    rows = sorted(results["rows"], key=lambda row: row["log2_n"])
    return {(row["algorithm"], row["key"], row["log2_n"], row["gpus"]): row["ms"] for row in rows}


def calls_of(results):
    return list(dict.fromkeys((row["algorithm"], row["key"]) for row in results["rows"]))


def several_gpus(results):
    """The same items on more GPUs."""
    times = times_of(results)
    gpus = sorted({case[3] for case in times})
    links = ", ".join(f"{link['gbytes_per_s']:.0f} GB/s with {link['gpus']} GPUs" for link in results["head"]["links"])
    lines = [
        f"{results['head']['device']}; each GPU sends, and receives at the same time, {links}. Milliseconds from call to return; in brackets how many times "
        f"faster than one GPU. n is the size of all shards together. {results['head'].get('remark', '')}".rstrip(),
        "",
        "| call | key | n | " + " | ".join(f"{count} GPU{'s' if count > 1 else ''}" for count in gpus) + " |",
        "|---|---|--:|" + "--:|" * len(gpus),
    ]
    calls = calls_of(results)
    for algorithm, key, log2_n in sorted(dict.fromkeys(case[:3] for case in times), key=lambda case: (calls.index(case[:2]), case[2])):
        one = times.get((algorithm, key, log2_n, 1))
        cells = []
        for count in gpus:
            ms = times.get((algorithm, key, log2_n, count))
            ratio = f" ({one / ms:.2f})" if one and ms and count > 1 else ""
            cells.append(f"{ms:.3f}{ratio}" if ms else "-")
        lines.append(f"| {algorithm} | {key} | 2^{log2_n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def weak_scaling(results):
    """As many more items as GPUs: 1 where more GPUs take no longer."""
    times = times_of(results)
    gpus = sorted({case[3] for case in times})
    lines = [
        f"2^{WEAK_LOG2_N} items on each GPU, milliseconds; in brackets what one GPU takes for its share, divided by that.",
        "",
        "| call | key | " + " | ".join(f"{count} GPU{'s' if count > 1 else ''}" for count in gpus) + " |",
        "|---|---|" + "--:|" * len(gpus),
    ]
    for algorithm, key in calls_of(results):
        one = times.get((algorithm, key, WEAK_LOG2_N, 1))
        cells = []
        for count in gpus:
            ms = times.get((algorithm, key, WEAK_LOG2_N + count.bit_length() - 1, count))
            ratio = f" ({one / ms:.2f})" if one and ms and count > 1 else ""
            cells.append(f"{ms:.3f}{ratio}" if ms else "-")
        lines.append(f"| {algorithm} | {key} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def floor_ms(results, call, log2_n, count):
    """What the call takes at least, by what was measured on one GPU and of the links; None where that is not known."""
    times = times_of(results)
    algorithm, key = call
    reads = ["reduce"] if algorithm == "inclusive_scan" else []  # a shard is read before the one behind it can be scanned
    parts = [times.get((name, key, log2_n, 1)) for name in (algorithm, *reads)]
    link = next((each["gbytes_per_s"] for each in results["head"]["links"] if each["gpus"] == count), None)
    if None in parts or link is None:
        return None
    moves = algorithm.startswith("sort")
    record_bytes = {"U32": 4, "U64": 8}[key] * (2 if algorithm == "sort_by_key" else 1)
    moved_bytes = 2**log2_n / count * (count - 1) / count * record_bytes if moves else 0
    return max(sum(parts) / count, moved_bytes / link / 1e6)


def floors(results):
    """How near to what is possible."""
    times = times_of(results)
    counts = sorted({case[3] for case in times} - {1})
    lines = [
        f"2^{FLOOR_LOG2_N} items, milliseconds: what the call takes at least, what it took, and the former as a share of the latter.",
        "",
        "| call | key | " + " | ".join(f"{count} GPUs: at least | took | share" for count in counts) + " |",
        "|---|---|" + "--:|--:|--:|" * len(counts),
    ]
    for call in calls_of(results):
        cells = []
        for count in counts:
            floor, ms = floor_ms(results, call, FLOOR_LOG2_N, count), times.get((*call, FLOOR_LOG2_N, count))
            cells += [f"{floor:.2f}" if floor else "-", f"{ms:.2f}" if ms else "-", f"{100 * floor / ms:.0f} %" if floor and ms else "-"]
        lines.append(f"| {call[0]} | {call[1]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def several_gpus_at_once(results):
    """README's: how many times faster than one GPU, with as many items as one GPU takes, but 2^32 at most."""
    times = times_of(results)
    counts = sorted({case[3] for case in times} - {1})
    lines = ["| call | n, all shards together | 1 GPU, ms | " + " | ".join(f"{count} GPUs" for count in counts) + " |", "|---|--:|--:|" + "--:|" * len(counts)]
    for call in calls_of(results):
        log2_n = max(case[2] for case in times if case[:2] == call and case[3] == 1 and case[2] <= FLOOR_LOG2_N)
        one = times[(*call, log2_n, 1)]
        several = [times.get((*call, log2_n, count)) for count in counts]
        cells = [f"{one / ms:.2f}x" if ms else "-" for ms in several]
        lines.append(f"| `{call[0]}` {call[1].lower()} | 2^{log2_n} | {one:.2f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


TABLES = {
    DOCUMENT: {
        "several_gpus": (several_gpus, RESULTS),
        "weak_scaling": (weak_scaling, RESULTS),
        "floors": (floors, RESULTS),
        "several_h100": (several_gpus, H100),
        "floors_of_h100": (floors, H100),
    },
    README: {"several_gpus_at_once": (several_gpus_at_once, H100)},
}
CASES = {"rows": ("algorithm", "key", "log2_n", "gpus"), "phases": ("algorithm", "key", "log2_n", "gpus")}


def merge(results, other, remark):
    """What both measured, where they differ as `other` has it."""
    devices = [each["head"]["device"] for each in (results, other)]
    if devices[0] != devices[1]:
        sys.exit(f"{RESULTS.name} is of {devices[0]}, the other file of {devices[1]}")

    def merged(old, new, names):
        by_case = {tuple(each[name] for name in names): each for each in [*old, *new]}
        return list(by_case.values())

    head = {**other["head"], "links": merged(results["head"]["links"], other["head"]["links"], ("gpus",)), "remark": remark}
    return {"head": head, **{part: merged(results.get(part, []), other.get(part, []), names) for part, names in CASES.items()}}


def lines_of(rows):
    return ",\n".join("    " + json.dumps(row) for row in rows)


def write(results):
    """One line for each row, as hindsight_ab_mgpu has it."""
    parts = [f'  "head": {json.dumps(results["head"])}', *(f'  "{part}": [\n{lines_of(results[part])}\n  ]' for part in CASES)]
    RESULTS.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--check", action="store_true")
    way.add_argument("--merge", nargs=2, metavar=("FILE", "REMARK"))
    options = parser.parse_args()
    if options.merge:
        path, remark = options.merge
        write(merge(json.loads(RESULTS.read_text(encoding="utf-8")), json.loads(pathlib.Path(path).read_text(encoding="utf-8")), remark))
    for document, tables in TABLES.items():
        text = wanted = document.read_text(encoding="utf-8")
        for name, (table, file) in tables.items():
            begin, end = BEGIN.format(name), END.format(name)
            before, rest = wanted.split(begin)
            wanted = f"{before}{begin}\n{table(json.loads(file.read_text(encoding='utf-8')))}\n{end}{rest.split(end)[1]}"
        if not options.check:
            document.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            sys.exit(f"{document.name} does not show what bench/results has: run bench/mgpu_table.py")


if __name__ == "__main__":
    main()
