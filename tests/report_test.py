#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests bench/report.py from outside, on files made up here."""
import importlib.util
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

REPORT = pathlib.Path(__file__).resolve().parent.parent / "bench" / "report.py"
sys.path.insert(0, str(REPORT.parent))
import ab_results  # noqa: E402

PICTURES = ("share_of_ceiling", "over_n", "ratios", "sort")
HEAD = {"device": "Test GPU", "driver": 13000, "toolkit": 13000, "cccl": 3000001, "date": "2026-01-31"}
NEW_HEAD = {**HEAD, "copy_gbytes_per_s": 4000.0, "read_gbytes_per_s": 4500.0, "system": "CUDA", "source_digest": "ab"}


def row(algorithm="reduce", our_ms=1.0, stock_ms=1.2, **changes):
    n = changes.get("n", 1 << 20)
    return {
        "algorithm": algorithm, "key": "U32", "value": "-", "n": n, "distribution": "random", "mode": "kernel",
        "hindsight_ms": our_ms, "stock_ms": stock_ms, "ratio": stock_ms / our_ms, "gbytes_per_s": n * 4 / our_ms / 1e6,
        "share_of_ceiling": n * 4 / our_ms / 1e6 / 4000, "same_bits": True, **changes,
    }  # fmt: skip


def without(record, *names):
    return {name: value for name, value in record.items() if name not in names}


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, rows, head=None):
        return self.text(name, json.dumps({"head": head or NEW_HEAD, "rows": rows}))

    def text(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def report(self, *arguments, **environment):
        command = [sys.executable, REPORT, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})

    def compare(self, old, new, *options, old_head=None, new_head=None):
        old_path, new_path = self.file("old.json", old, old_head), self.file("new.json", new, new_head)
        return self.report("compare", old_path, new_path, *options)

    def assert_refused(self, result, *words):
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class CompareTest(ReportTest):
    def assert_verdict(self, result, summary, status):
        self.assertEqual(result.stderr, "")
        self.assertIn(summary, result.stdout.splitlines()[-1])
        self.assertEqual(result.returncode, status, result.stdout)

    def test_same(self):
        result = self.compare([row()], [row(our_ms=1.04)])
        self.assert_verdict(result, "0 faster, 0 slower, 1 same, 0 wrong, 0 only in old, 0 only in new", 0)
        self.assertIn("our time x1.040, ratio x0.962", result.stdout)

    def test_faster(self):
        result = self.compare([row()], [row(our_ms=0.9)])
        self.assert_verdict(result, "1 faster, 0 slower, 0 same", 0)
        self.assertRegex(result.stdout, r"faster:.*\n  reduce U32, random, 2\^20, kernel +1\.0000 +0\.9000 +-10\.0%")

    def test_slower(self):
        result = self.compare([row(), row("sort")], [row(), row("sort", our_ms=1.1)])
        self.assert_verdict(result, "0 faster, 1 slower, 1 same", 1)
        self.assertRegex(result.stdout, r"slower:.*\n  sort U32, random, 2\^20, kernel")

    def test_tolerance(self):
        self.assert_verdict(self.compare([row()], [row(our_ms=1.1)], "--tolerance", "0.2"), "0 slower, 1 same", 0)
        self.assert_verdict(self.compare([row()], [row(our_ms=1.04)], "--tolerance", "0.03"), "1 slower, 0 same", 1)

    def test_noise_of_either_file_counts(self):
        quiet, noisy = {"hindsight_noise": 0.01}, {"hindsight_noise": 0.3}
        for old, new in ((quiet, noisy), (noisy, quiet)):
            self.assert_verdict(self.compare([row(**old)], [row(our_ms=1.2, **new)]), "0 slower, 1 same", 0)
        self.assert_verdict(self.compare([row(**quiet)], [row(our_ms=1.2, **quiet)]), "1 slower, 0 same", 1)

    def test_unrecorded_noise_is_3_percent(self):
        for our_ms, slower in ((1.029, 0), (1.031, 1)):
            result = self.compare([row()], [row(our_ms=our_ms)], "--tolerance", "0")
            self.assert_verdict(result, f"{slower} slower, {1 - slower} same", slower)

    def test_a_slow_machine_is_no_regression(self):
        self.assert_verdict(self.compare([row()], [row(our_ms=1.5, stock_ms=1.8)]), "0 slower, 1 same", 0)

    def test_a_fast_machine_is_no_improvement(self):
        self.assert_verdict(self.compare([row()], [row(our_ms=0.5, stock_ms=0.6)]), "0 faster, 0 slower, 1 same", 0)

    def test_stock_alone_moving_is_neither(self):
        for stock_ms in (0.6, 2.4):
            self.assert_verdict(self.compare([row()], [row(stock_ms=stock_ms)]), "0 faster, 0 slower, 1 same", 0)

    def test_cases_of_one_file(self):
        result = self.compare([row(), row("gone")], [row(), row("come", key="F64")])
        self.assert_verdict(result, "1 same, 0 wrong, 1 only in old, 1 only in new", 0)
        self.assertRegex(result.stdout, r"only in \S+old.json:\n  gone U32, random")
        self.assertRegex(result.stdout, r"only in \S+new.json:\n  come F64, random")

    def test_every_part_of_a_case_distinguishes_it(self):
        others = ({"key": "F32"}, {"value": "U32"}, {"distribution": "equal"}, {"n": 1 << 16}, {"mode": "whole_call"})
        for other in others:
            with self.subTest(**other):
                self.assert_verdict(self.compare([row()], [row(), row(**other)]), "1 same, 0 wrong, 0 only in old, 1 only", 0)

    def test_bits(self):
        good, bad = {"same_bits": True}, {"same_bits": False}
        self.assert_verdict(self.compare([row(**good)], [row(our_ms=0.5, **bad)]), "0 faster, 0 slower, 0 same, 1 wrong", 1)
        self.assert_verdict(self.compare([row(**bad)], [row(**bad)]), "1 same, 0 wrong", 0)
        self.assert_verdict(self.compare([row(**bad)], [row(**good)]), "1 same, 0 wrong", 0)
        self.assert_verdict(self.compare([row()], [row(), row("come", **bad)]), "1 wrong, 0 only in old, 1 only in new", 1)

    def test_other_machines(self):
        changes = ({"device": "Other GPU"}, {"system": "OMP"}, {"threads": 8})
        for change in changes:
            with self.subTest(**change):
                head = {**NEW_HEAD, **change}
                self.assert_refused(self.compare([row()], [row()], new_head=head), "--across-devices")
                result = self.compare([row()], [row(our_ms=9, stock_ms=10.8)], "--across-devices", new_head=head)
                self.assert_verdict(result, "0 slower, 1 same", 0)
                result = self.compare([row()], [row(our_ms=0.5, stock_ms=0.5)], "--across-devices", new_head=head)
                self.assert_verdict(result, "1 slower, 0 same", 1)

    def test_other_ways_of_measuring(self):
        for change in ({"begin_items": 1}, {"small_buffers": True}):
            with self.subTest(**change):
                head = {**NEW_HEAD, **change}
                for options in ((), ("--across-devices",)):
                    self.assert_refused(self.compare([row()], [row()], *options, new_head=head), "have different", *change)
                    self.assert_refused(self.compare([row()], [row()], *options, old_head=head), "have different", *change)
                self.assert_verdict(self.compare([row()], [row()], old_head=head, new_head=head), "1 same", 0)
        explicit = {**NEW_HEAD, "begin_items": 0, "small_buffers": False}
        self.assert_verdict(self.compare([row()], [row()], new_head=explicit), "1 same", 0)

    def test_another_stock_is_named(self):
        for options, new_head in (((), {"cccl": 3006000}), (("--across-devices",), {"device": "Other GPU", "cccl": 3006000})):
            result = self.compare([row()], [row()], *options, new_head={**NEW_HEAD, **new_head})
            self.assert_verdict(result, "1 same", 0)
            self.assertRegex(result.stdout, r"old: .*, CCCL 3\.0\.1, .*\nnew: .*, CCCL 3\.6\.0, ")
            self.assertEqual("stock is not the same" in result.stdout, bool(options))

    def test_stock_noise_counts_across_devices(self):
        new = [row(stock_ms=1.0, stock_noise=0.3)]
        result = self.compare([row()], new, "--across-devices", new_head={**NEW_HEAD, "device": "Other GPU"})
        self.assert_verdict(result, "0 slower, 1 same", 0)

    def test_a_file_without_the_new_fields(self):
        self.assert_verdict(self.compare([row()], [row()], old_head=HEAD), "1 same", 0)


class BadInputTest(ReportTest):
    def test_files(self):
        good = self.file("good.json", [row()])
        bad = {
            "missing.json": None,
            "empty.json": "",
            "broken.json": '{"head": {',
            "list.json": "[]",
            "no_rows.json": json.dumps({"head": NEW_HEAD}),
            "zero_rows.json": json.dumps({"head": NEW_HEAD, "rows": []}),
            "number.json": json.dumps({"head": NEW_HEAD, "rows": [7]}),
            "twice.json": json.dumps({"head": NEW_HEAD, "rows": [row(), row()]}),
            "no_device.json": json.dumps({"head": without(NEW_HEAD, "device"), "rows": [row()]}),
        }
        for name, text in bad.items():
            with self.subTest(name):
                path = self.folder / name if text is None else self.text(name, text)
                self.assert_refused(self.report("compare", good, path), name)
                self.assert_refused(self.report("pictures", path, "--output", self.folder / "out"), name)
        self.assertFalse((self.folder / "out").exists())

    def test_fields(self):
        bad = {"hindsight_ms": 0, "stock_ms": -1, "ratio": "2", "n": 1.5, "same_bits": 1, "share_of_ceiling": math.inf}
        for name, value in bad.items():
            with self.subTest(name):
                self.assert_refused(self.compare([row()], [row(), {**row("sort"), name: value}]), "row 1", name)
        self.assert_refused(self.compare([row()], [without(row(), "mode")]), "row 0", "no mode")

    def test_nothing_in_common(self):
        self.assert_refused(self.compare([row()], [row("sort")]), "no case in common")

    def test_command_line(self):
        path = self.file("good.json", [row()])
        for arguments in ((), ("compare", path), ("compare", path, path, "--tolerance", "2"),
                          ("pictures", path, "--output", self.folder, "--format", "gif")):  # fmt: skip
            with self.subTest(arguments):
                result = self.report(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertIn("usage:", result.stderr)

    def test_without_matplotlib(self):
        (self.folder / "matplotlib.py").write_text("raise ModuleNotFoundError('No module named matplotlib')\n")
        path, lame = self.file("good.json", [row()]), {"PYTHONPATH": str(self.folder)}
        self.assert_refused(self.report("pictures", path, "--output", self.folder, **lame), "python3-matplotlib", "pip")
        self.assertEqual(self.report("compare", path, path, **lame).returncode, 0)
        self.assertEqual(self.report("--help", **lame).returncode, 0)


def many_rows(keys=("U8", "U32", "I128")):
    """All kinds of rows: wins and losses, bound by memory or not, largest n that differ."""
    random.seed(42)
    rows = []
    for algorithm in ("reduce", "inclusive_scan", "copy_if", "sort"):
        for key in keys:
            for value, distribution in (("-", "entropy 1.000"), ("-", "entropy 0.201"), ("U64", "entropy 1.000")):
                for n in (1 << 16, 1 << 20, 1 << (24 if key == "I128" else 28)):
                    ours, ratio = n * random.uniform(1, 2) / 1e9, random.uniform(0.5, 3)
                    made = row(algorithm, ours, ours * ratio, key=key, value=value, distribution=distribution, n=n)
                    if algorithm == "sort":
                        made["share_of_ceiling"] = made["ceiling"] = None
                    rows.append(made)
    return rows


class FastestStockTest(ReportTest):
    """Of programs for several of Thrust's systems on the same host threads."""

    def fastest(self, *heads_and_rows):
        files = [self.file(f"{i}.json", rows, {**NEW_HEAD, "threads": 16, **head}) for i, (head, rows) in enumerate(heads_and_rows)]
        return ab_results.fastest_stock([ab_results.read(file) for file in files])

    def test_shares_are_of_one_ceiling(self):
        bound = {"ceiling": "copy", "gbytes_per_s": 50.0}
        slow = {"system": "TBB", "copy_gbytes_per_s": 50.0}, [row(our_ms=1, stock_ms=2, **{**bound, "share_of_ceiling": 1.0})]
        fast = {"system": "OMP", "copy_gbytes_per_s": 100.0}, [row(our_ms=1, stock_ms=3, **{**bound, "share_of_ceiling": 0.5})]
        for files in ((slow, fast), (fast, slow)):
            merged = self.fastest(*files)
            self.assertEqual(merged.head["copy_gbytes_per_s"], 100)
            self.assertEqual([(each.stock_ms, each.share) for each in merged.rows.values()], [(2, 0.5)])

    def test_a_wrong_result_beside_any_system_counts(self):
        for wrong in (0, 1):
            files = [({"system": name}, [row(stock_ms=1 + i, same_bits=i != wrong)]) for i, name in enumerate(("OMP", "TBB"))]
            self.assertEqual([each.same_bits for each in self.fastest(*files).rows.values()], [False])

    def test_files_that_do_not_go_together(self):
        for change in ({"threads": 8}, {"seed": 7}, {"begin_items": 1}):
            with self.subTest(**change), self.assertRaisesRegex(ab_results.Unusable, next(iter(change))):
                self.fastest(({"system": "OMP"}, [row()]), ({"system": "TBB", **change}, [row()]))

    def test_a_head_without_a_system(self):
        path = self.file("old.json", [row()], HEAD)
        merged = ab_results.fastest_stock([ab_results.read(path)])
        self.assertEqual(merged.machine, "Test GPU, CUDA")


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
class PicturesTest(ReportTest):
    def draw(self, *paths, output="out", options=()):
        result = self.report("pictures", *paths, "--output", self.folder / output, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.folder / output

    def drawn(self, output):
        return sorted(path.name for path in output.iterdir())

    def assert_png(self, path):
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreaterEqual(int.from_bytes(data[16:20], "big"), 900, "width in pixels")
        self.assertTrue(3_000 < len(data) <= 150_000, f"{path.name} has {len(data)} bytes")

    def words(self, path):
        root = xml.parse(path).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_four_pictures_in_both_formats(self):
        output = self.draw(self.file("a.json", many_rows()))
        self.assertEqual(self.drawn(output), sorted(f"{name}.{suffix}" for name in PICTURES for suffix in ("png", "svg")))
        for name in PICTURES:
            self.assert_png(output / f"{name}.png")
            words = self.words(output / f"{name}.svg")
            self.assertIn("Test GPU, CUDA; stock = CCCL 3.0.1; kernel times; 2026-01-31", words)

    def test_every_ratio_is_in_the_map(self):
        rows = [row(n=1 << 16, stock_ms=0.83), row(n=1 << 20, stock_ms=1.234), row(n=1 << 24, stock_ms=12.34)]
        words = self.words(self.draw(self.file("a.json", rows)) / "ratios.svg")
        for ratio in ("0.83", "1.23", "12.3"):
            self.assertIn(ratio, words)
        counts = "Of 3 cases we are more than 3 % faster in 2 and slower in 1; 0 lie between."
        self.assertIn(f"Above 1 we are faster. {counts}", words)

    def test_over_n_takes_the_plain_input(self):
        rows = [row(key=key, stock_ms=ratio) for key, ratio in (("U8", 3), ("F32", 1.2), ("I32", 0.9), ("F64", 1.1))]
        rows += [row("copy_if", key="I32", distribution=name) for name in ("keep 0", "keep 0.544", "keep 1")]
        words = self.words(self.draw(self.file("a.json", rows)) / "over_n.svg")
        self.assertIn("I32 · random", words)
        self.assertIn("I32 · keep 0.544", words)
        self.assertIn("keep 0.544: 54 % of the items, at random, are selected.", words)
        self.assertFalse([word for word in words if "F32" in word or "keep 1" in word])

    def test_one_picture_under_another_name(self):
        output = self.draw(self.file("a.json", [row()]), options=["--only", "over_n", "--suffix", "_host"])
        self.assertEqual(self.drawn(output), ["over_n_host.png", "over_n_host.svg"])

    def test_same_bytes_again(self):
        path = self.file("a.json", many_rows())
        one, two = self.draw(path, output="one"), self.draw(path, output="two")
        for name in self.drawn(one):
            self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), name)

    def test_one_format_and_pngs_that_stay_small(self):
        rows = many_rows(["U8", "I8", "I16", "U32", "I32", "U64", "I64", "I128", "F32", "F64"])
        output = self.draw(self.file("a.json", rows), options=["--format", "png"])
        self.assertEqual(self.drawn(output), sorted(f"{name}.png" for name in PICTURES))
        for name in PICTURES:
            self.assert_png(output / f"{name}.png")

    def test_a_single_row(self):
        output = self.draw(self.file("a.json", [row(n=1000)], HEAD))
        self.assertEqual(len(self.drawn(output)), 6)
        self.assertFalse((output / "sort.svg").exists())
        self.assertIn("Share of the memory ceiling at 1,000 items", self.words(output / "share_of_ceiling.svg"))

    def test_no_shares(self):
        nothing = {"share_of_ceiling": None, "ceiling": None}
        output = self.draw(self.file("a.json", [row("sort", **nothing), row("sort", n=1 << 16, **nothing)]))
        self.assertEqual(self.drawn(output), sorted(f"{n}.{s}" for n in PICTURES[1:] for s in ("png", "svg")))
        self.assertIn("sort, G items/s", self.words(output / "over_n.svg"))

    def test_several_files(self):
        kernel = self.file("kernel.json", [row()])
        more = self.file("more.json", [row("copy_if"), row("partition", mode="whole_call")], {**NEW_HEAD, "date": "2026-02-01"})
        words = self.words(self.draw(kernel, more) / "ratios.svg")
        self.assertIn("Test GPU, CUDA; stock = CCCL 3.0.1; kernel times; 2026-01-31 to 2026-02-01", words)
        self.assertTrue({"reduce", "copy_if"} <= set(words) and "partition" not in words)
        words = self.words(self.draw(kernel, more, options=["--mode", "whole_call"]) / "ratios.svg")
        self.assertTrue("partition" in words and "reduce" not in words)

    def test_files_that_do_not_go_together(self):
        one = self.file("one.json", [row()])
        other = self.file("other.json", [row("sort")], {**NEW_HEAD, "device": "Other GPU"})
        output = self.folder / "out"
        self.assert_refused(self.report("pictures", one, other, "--output", output), "different machines")
        self.assert_refused(self.report("pictures", one, one, "--output", output), "both have reduce U32")
        other = self.file("other.json", [row("sort")], {**NEW_HEAD, "begin_items": 1})
        self.assert_refused(self.report("pictures", one, other, "--output", output), "different begin_items")
        self.assert_refused(self.report("pictures", one, "--output", output, "--only", "over_m"), "over_m", "over_n")
        self.assert_refused(self.report("pictures", one, "--output", output, "--mode", "whole_call"), "whole_call")
        self.assert_refused(self.report("pictures", one, "--output", one), "one.json")
        self.assertFalse(output.exists())


if __name__ == "__main__":
    unittest.main()
