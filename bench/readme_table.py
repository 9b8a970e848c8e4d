#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of README.md and bench/results/README.md, from the files of hindsight_ab beside them.

readme_table.py          writes each table between its markers
readme_table.py --check  exits 1 unless the documents show exactly these tables
"""
import argparse
import math
import pathlib
import statistics
import sys

import ab_results

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
HOST = ("host_OMP.json", "host_TBB.json", "host_CPP.json")
GPU = "h200"  # this version
EARLIER_GPU = "h100"  # kernel times of the sources that its files name
MAIN = ("reduce", "inclusive_scan", "exclusive_scan", "reduce_by_key", "copy_if", "partition", "run_length_encode", "sort", "histogram_even")


def load(name):
    results = ab_results.read(RESULTS / name)
    wrong = [str(case) for case, row in results.rows.items() if not row.same_bits]
    if wrong:
        sys.exit(f"{name}: results differ from stock's: {', '.join(wrong)}")
    return results


def load_beside(first, name, alike=("device", "system", "source_digest", "seed"), **way):
    """Results that share a table with others: of the same machine and sources, measured on the same inputs in the way that the table says."""
    results = load(name)
    of_first, of_these = ({**ab_results.WAYS, **each.head} for each in (first, results))
    for field, value in {**{field: of_first.get(field) for field in (*alike, *ab_results.WAYS)}, **way}.items():
        if of_these.get(field) != value:
            sys.exit(f"{name} has another {field} than its table: {of_these.get(field)}, not {value}")
    return results


def kernel_times(gpu=GPU):
    """For each case the run against the faster stock: the toolkit's CCCL, or the newest one where it was measured, too."""
    kernel = load(f"{gpu}_kernel.json")
    stocks = [version(kernel.head["cccl"], 1000000, 1000)]
    newest_file = f"{gpu}_kernel_newest_cccl.json"
    if (RESULTS / newest_file).exists():
        newest = load_beside(kernel, newest_file)
        stocks.append(version(newest.head["cccl"], 1000000, 1000))
        rows = dict(newest.rows)  # some calls only the newest CCCL has
        for case, row in kernel.rows.items():
            rows[case] = min(row, newest.rows.get(case, row), key=lambda r: r.ratio)
        kernel = kernel._replace(rows=rows)
    return kernel, "CCCL " + stocks[0] if len(stocks) == 1 else "the faster of CCCL " + " and ".join(stocks)


def whole_calls(kernel, small_buffers=False):
    """They may be of earlier sources: earlier() says so."""
    name = f"{GPU}_whole_call{'_small_buffers' if small_buffers else ''}.json"
    return load_beside(kernel, name, alike=("device", "system", "seed"), small_buffers=small_buffers)


def earlier(kernel, whole):
    """When whole calls were measured, if with other sources than kernels."""
    return "" if whole.head["source_digest"] == kernel.head["source_digest"] else f" (sources of {whole.head['date']})"


def version(number, major, minor):
    parts = [number // major, number % major // minor]
    return ".".join(map(str, parts + [number % minor] if minor > 10 else parts))


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def rows_of(results, family, n):
    return [row for case, row in results.rows.items() if case.family == family and case.n == n]


def ratios(results, family, n):
    return [row.ratio for row in rows_of(results, family, n)]


def num_cases(results, family):
    """At the size that the most of them have."""
    return max(len(rows_of(results, family, n)) for n in {case.n for case in results.rows})


def mean_and_range(values):
    if not values:
        return "-"
    lowest, mean = min(values), geometric_mean(values)
    return f"{mean:.2f} ({lowest:.2f} to {max(values):.2f})"


def mean(values):
    return f"{geometric_mean(values):.2f}" if values else "-"


def families(results):
    return list(dict.fromkeys(case.family for case in results.rows))


def notes():
    """Which rows are of another run, if any: a line for each file."""
    found = {name: load(name).head.get("note") for name in (f"{GPU}_kernel.json", f"{GPU}_kernel_newest_cccl.json")}
    return [f"{name}: {note}." for name, note in found.items() if note]


def gpu_table(gpu=GPU):
    """A row for each family. Whole calls are those of this version, or none."""
    kernel, stock = kernel_times(gpu)
    whole, small = (whole_calls(kernel), whole_calls(kernel, small_buffers=True)) if gpu == GPU else (None, None)
    head = kernel.head
    columns = ["algorithm", "cases", "2^28: ratio (lowest to highest)", "of ceiling", "2^24", "2^20", "2^16"]
    columns += [f"whole call, 2^18{earlier(kernel, whole)}", "with room in the heap"] if whole else []
    lines = [
        f"{head['device']}, CUDA {version(head['toolkit'], 1000, 10)}, stock = {stock}, "
        f"{head['date']}; copies {head['copy_gbytes_per_s']:.0f} GB/s, reads {head['read_gbytes_per_s']:.0f} GB/s. Ratio = stock / ours.",
        "",
        f"| {' | '.join(columns)} |",
        "|---|" + "--:|" * (len(columns) - 1),
    ]
    for family in families(kernel):
        big = rows_of(kernel, family, 1 << 28)
        shares = [row.share for row in big if row.share is not None]
        share = f"{100 * statistics.median(shares):.0f} %" if shares else "-"
        cells = [family, str(num_cases(kernel, family)), mean_and_range([row.ratio for row in big]), share]
        cells += [mean(ratios(kernel, family, n)) for n in (1 << 24, 1 << 20, 1 << 16)]
        if whole:
            cells += [mean_and_range(ratios(whole, family, 1 << 18)), mean(ratios(small, family, 1 << 18))]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def headline():
    """The result in one row, for the first screen."""
    kernel, _ = kernel_times()
    largest = max(case.n for case in kernel.rows)
    found = {family: ratios(kernel, family, largest) for family in families(kernel)}
    means = {family: geometric_mean(values) for family, values in found.items() if values}
    listed = sorted(MAIN, key=means.get, reverse=True)
    others = [mean for family, mean in means.items() if family not in MAIN]
    sizes = [case.n for case in kernel.rows]
    lost = {n: sum(row.ratio < 0.97 for case, row in kernel.rows.items() if case.n == n) for n in sorted(set(sizes))}
    of_small = lost.pop(min(sizes))
    whole = whole_calls(kernel)
    calls = [row.ratio for row in whole.rows.values()]
    return [
        f"**Measured** on an {kernel.head['device']} with {ab_results.count_text(largest)} items: stock's time divided by ours, kernels alone, geometric means over "
        "types and inputs.",
        "",
        "| " + " | ".join(f"`{algorithm}`" for algorithm in listed) + (f" | {len(others)} further families |" if others else " |"),
        "|" + "--:|" * (len(listed) + bool(others)),
        "| " + " | ".join(f"{means[algorithm]:.2f}" for algorithm in listed) + (f" | {min(others):.2f} to {max(others):.2f} |" if others else " |"),
        "",
        f"Kernels alone: of {len(kernel.rows)} cases of {ab_results.count_text(min(sizes))} to {ab_results.count_text(largest)} items stock is faster by more than 3 % in "
        f"{of_small} of {ab_results.count_text(min(sizes))} and in {sum(lost.values())} others ([which, and why](#measured)). Whole Thrust calls of 2^18 items{earlier(kernel, whole)}: "
        f"stock is faster by more than 3 % in {sum(ratio < 0.97 for ratio in calls)} of {len(calls)} cases; stock's time divided by ours is {mean_and_range(calls)}.",
    ]


def losses():
    """The lowest ratios at each size, so that nobody has to look for them."""
    return losses_of(kernel_times()[0])


def host_losses():
    return losses_of(host_times())


def losses_of(results):
    lines = ["| n | where stock is faster by more than 3 %, worst first (ratio) |", "|--:|---|"]
    for n in sorted({case.n for case in results.rows}, reverse=True):
        lost = sorted((row.ratio, case) for case, row in results.rows.items() if case.n == n and row.ratio < 0.97)
        total = sum(case.n == n for case in results.rows)
        listed = "; ".join(f"{case.algorithm} {case.types}, {case.distribution} ({ratio:.2f})" for ratio, case in lost[:8])
        more = f"; and {len(lost) - 8} more" if len(lost) > 8 else ""
        lines.append(f"| {ab_results.count_text(n)} | {len(lost)} of {total}{': ' if lost else ''}{listed}{more} |")
    return lines


def host_times():
    """For each case the fastest of Thrust's host systems, and the median of our times beside the three."""
    return ab_results.fastest_stock([load(name) for name in HOST])


def host_table():
    host = host_times()
    head = host.head
    sizes = sorted({case.n for case in host.rows}, reverse=True)
    lines = [
        f"{head['threads']} threads ({head['device']}), stock = {head['system']} of CCCL "
        f"{version(head['cccl'], 1000000, 1000)}, hindsight {head['hindsight']}, {head['date']}; copies {head['copy_gbytes_per_s']:.1f} GB/s. Ratio = stock / ours.",
        "",
        "| algorithm | cases | " + " | ".join(f"{ab_results.count_text(n)}: ratio (lowest to highest)" for n in sizes) + " |",
        "|---|--:|" + "--:|" * len(sizes),
    ]
    for family in families(host):
        cells = " | ".join(mean_and_range(ratios(host, family, n)) for n in sizes)
        lines.append(f"| {family} | {num_cases(host, family)} | {cells} |")
    return lines


def all_rows(results):
    lines = [
        "| algorithm | types | input | n | ours ms | stock ms | ratio | GB/s | of ceiling |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for case, row in results.rows.items():
        share = "-" if row.share is None else f"{100 * row.share:.0f} %"
        ratio = f"**{row.ratio:.2f}**" if row.ratio < 0.97 else f"{row.ratio:.2f}"
        bandwidth = "-" if row.gbytes_per_s is None else f"{row.gbytes_per_s:.0f}"
        lines.append(
            f"| {case.algorithm} | {case.types} | {case.distribution} | {ab_results.count_text(case.n)} | {row.our_ms:.4f} "
            f"| {row.stock_ms:.4f} | {ratio} | {bandwidth} | {share} |"
        )
    return lines


TABLES = {
    ROOT / "README.md": {"headline": headline, "gpu": gpu_table, "losses": losses, "host": host_table, "host_losses": host_losses},
    RESULTS / "README.md": {
        **{
            name: (lambda file: lambda: all_rows(load(file)))(f"{gpu}_{name}.json")
            for gpu, name in ((GPU, "kernel"), (GPU, "whole_call"), (GPU, "whole_call_small_buffers"))
        },
        "earlier_gpu": lambda: gpu_table(EARLIER_GPU),
        "notes": notes,
        "host": lambda: all_rows(host_times()),
    },
}


def with_tables(text, tables):
    for name, table in tables.items():
        begin, end = f"<!-- table: {name} -->", f"<!-- end of table: {name} -->"
        before, rest = text.split(begin)
        _, after = rest.split(end)
        text = f"{before}{begin}\n" + "\n".join(table()) + f"\n{end}{after}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    for document, tables in TABLES.items():
        text = document.read_text()
        wanted = with_tables(text, tables)
        if not options.check:
            document.write_text(wanted)
        elif wanted != text:
            sys.exit(f"{document.relative_to(ROOT)} does not show the tables of bench/results: run bench/readme_table.py")
    print("the documents agree with bench/results")


if __name__ == "__main__":
    try:
        main()
    except ab_results.Unusable as reason:
        sys.exit(f"readme_table.py: {reason}")
