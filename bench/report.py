#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what hindsight_ab writes: draws it, or compares two files of it.

  report.py pictures FILE.json... --output DIR    share_of_ceiling, over_n, ratios and sort, as PNG and SVG
  report.py compare OLD.json NEW.json             what got faster or slower beyond the noise

How `compare` judges. Users feel our milliseconds, but those move with clocks and neighbours as well; the ratio
(stock's time / ours, taken in turn in one process) hardly does, but moves when stock does. So both are printed, and a case
is slower or faster only if both say so by more than the noise: our time rose and the ratio fell, or the reverse. A machine
that slows both sides down changes the time alone, a new stock or a disturbed run of it the ratio alone; neither is our
doing. Across devices times mean nothing, and the ratio decides alone. The noise of a pair is the largest of --tolerance
and the spread (interquartile range / median) of our runs in both files, across devices that of stock's runs too.

Exit status: 0 nothing regressed, 1 a case got slower or its results began to differ from stock's, 2 unusable input.
"""
import argparse
import math
import pathlib
import sys

from ab_results import Results, Unusable, fastest_stock, read

# --- compare ---------------------------------------------------------------------------------------------------------
def verdict(old, new, tolerance, across_devices):
    slowdowns = [old.ratio / new.ratio]
    noise = max(tolerance, old.our_noise, new.our_noise)
    if across_devices:
        noise = max(noise, old.stock_noise, new.stock_noise)
    else:
        slowdowns.append(new.our_ms / old.our_ms)
    if old.same_bits and not new.same_bits:
        return "wrong"
    if min(slowdowns) > 1 + noise:
        return "slower"
    if max(slowdowns) < 1 / (1 + noise):
        return "faster"
    return "same"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_pairs(title, pairs):
    if not pairs:
        return
    width = max(len(str(new.case)) for _, new in pairs)
    print(f"{title + ':':{width + 2}}      old ms      new ms     time  old ratio  new ratio    ratio")
    for old, new in pairs:
        print(
            f"  {str(new.case):{width}} {old.our_ms:11.4f} {new.our_ms:11.4f} {new.our_ms / old.our_ms - 1:+8.1%}"
            f" {old.ratio:10.2f} {new.ratio:10.2f} {new.ratio / old.ratio - 1:+8.1%}"
        )
    print()


def print_cases(title, cases):
    if cases:
        print(f"{title}:", *(f"  {case}" for case in cases), "", sep="\n")


def compare(old, new, tolerance, across_devices):
    """Prints what changed, what matters most last; returns the exit status."""
    if old.machine != new.machine and not across_devices:
        raise Unusable(
            f"{old.name} was measured on {old.machine}, {new.name} on {new.machine}: "
            "their times do not compare; --across-devices compares the ratios"
        )
    old.refuse_other_way(new)
    shared = [case for case in new.rows if case in old.rows]
    if not shared:
        raise Unusable(f"{old.name} and {new.name} have no case in common")
    pairs = {name: [] for name in ("same", "faster", "slower", "wrong")}
    for case in shared:
        pair = old.rows[case], new.rows[case]
        pairs[verdict(*pair, tolerance, across_devices)].append(pair)
    only_old = [case for case in old.rows if case not in new.rows]
    only_new = [case for case in new.rows if case not in old.rows]
    wrong_from_the_start = [case for case in only_new if not new.rows[case].same_bits]

    for name, results in (("old", old), ("new", new)):
        print(f"{name}: {results.name}: {results.machine}, CCCL {results.cccl}, {results.head['date']}")
    if across_devices and old.cccl != new.cccl:
        print("stock is not the same: a ratio that differs may be its doing")
    print()
    print_pairs("same within the noise", pairs["same"])
    print_cases(f"only in {old.name}", only_old)
    print_cases(f"only in {new.name}", only_new)
    print_pairs("faster", pairs["faster"])
    print_pairs("slower", pairs["slower"])
    print_pairs("results began to differ from stock's", pairs["wrong"])
    print_cases("new cases whose results differ from stock's", wrong_from_the_start)

    matched = [(old.rows[case], new.rows[case]) for case in shared]
    wrong = len(pairs["wrong"]) + len(wrong_from_the_start)
    print(
        f"{len(pairs['faster'])} faster, {len(pairs['slower'])} slower, {len(pairs['same'])} same, {wrong} wrong, "
        f"{len(only_old)} only in old, {len(only_new)} only in new; geometric mean of {len(shared)}: "
        f"our time x{geometric_mean([b.our_ms / a.our_ms for a, b in matched]):.3f}, "
        f"ratio x{geometric_mean([b.ratio / a.ratio for a, b in matched]):.3f}"
    )
    return 1 if pairs["slower"] or wrong else 0


# --- pictures --------------------------------------------------------------------------------------------------------
def merge(files, mode):
    """One Results of the rows of one mode: kernel times, if there are any and no mode was asked for."""
    for other in files[1:]:
        if other.machine != files[0].machine or other.head["cccl"] != files[0].head["cccl"]:
            raise Unusable(f"{files[0].name} and {other.name} are of different machines or CCCL versions: draw them apart")
        files[0].refuse_other_way(other)
    modes = {case.mode for results in files for case in results.rows}
    mode = mode or ("kernel" if "kernel" in modes else "whole_call")
    rows, heads = {}, []
    for results in files:
        chosen = {case: row for case, row in results.rows.items() if case.mode == mode}
        for case in chosen:
            if case in rows:
                raise Unusable(f"{results.name} and a file before it both have {case}")
        rows.update(chosen)
        heads += [results.head] if chosen else []
    if not rows:
        raise Unusable(f"no row has mode {mode}")
    dates = sorted({head["date"] for head in heads})
    head = {**heads[0], "date": dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"}
    return Results(files[0].name, head, rows)


def draw(files, options):
    merged = merge([fastest_stock(files)] if options.fastest_stock else files, options.mode)
    output = options.output
    try:
        import report_pictures  # not above: all else works without matplotlib
    except ModuleNotFoundError as error:
        raise Unusable(
            f"pictures need matplotlib ({error}): apt install python3-matplotlib, or pip install matplotlib"
        ) from error
    names = [picture.__name__ for picture in report_pictures.PICTURES]
    unknown = [name for name in options.only if name not in names]
    if unknown:
        raise Unusable(f"--only {unknown[0]}: there are {', '.join(names)}")
    try:
        output.mkdir(parents=True, exist_ok=True)
        for line in report_pictures.draw_all(merged, output, options.format, options.only, options.suffix):
            print(line)
    except OSError as error:
        raise Unusable(f"{error.filename}: {error.strerror}") from error
    return 0


# --- command line ----------------------------------------------------------------------------------------------------
def format_list(text):
    formats = text.split(",")
    if not set(formats) <= {"png", "svg"}:
        raise argparse.ArgumentTypeError(f"{text}: png, svg or png,svg")
    return formats


def fraction(text):
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 up to 1")
    return value


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="pictures | compare")
    pictures = commands.add_parser("pictures", help="draw the results of one machine (needs matplotlib)")
    pictures.add_argument("files", nargs="+", metavar="FILE.json")
    pictures.add_argument("--output", required=True, type=pathlib.Path, metavar="DIR", help="made if it is missing")
    pictures.add_argument("--format", type=format_list, default=["png", "svg"], metavar="png,svg", help="default: both")
    pictures.add_argument("--mode", choices=["kernel", "whole_call"], help="default: kernel, if there are such rows")
    pictures.add_argument("--only", action="append", default=[], metavar="NAME", help="this picture; may be repeated")
    pictures.add_argument("--fastest-stock", action="store_true", help="of each case the file with the fastest stock: host threads beside several systems")
    pictures.add_argument("--suffix", default="", metavar="TEXT", help="behind the names of the files, as in over_n_host")
    comparison = commands.add_parser("compare", help="name what got faster or slower; exit status 1 on a regression")
    comparison.add_argument("old", metavar="OLD.json")
    comparison.add_argument("new", metavar="NEW.json")
    comparison.add_argument("--tolerance", type=fraction, default=0.05, help="least change that counts (default 0.05)")
    comparison.add_argument("--across-devices", action="store_true", help="compare ratios of different machines")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    try:
        if options.command == "pictures":
            return draw([read(path) for path in options.files], options)
        return compare(read(options.old), read(options.new), options.tolerance, options.across_devices)
    except Unusable as reason:
        print(f"report.py: {reason}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
