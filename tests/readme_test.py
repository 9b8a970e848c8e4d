#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documents say what bench/results says: their tables, their pictures, their links."""
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = pathlib.Path("bench", "results")
DOCUMENTS = (pathlib.Path("README.md"), pathlib.Path("packaging", "README.md"), pathlib.Path("docs", "design.md"), pathlib.Path("docs", "guarantees.md"), pathlib.Path("docs", "methods.md"), pathlib.Path("docs", "several_gpus.md"), pathlib.Path("docs", "adding_an_algorithm.md"), pathlib.Path("docs", "tuning.md"), pathlib.Path("CONTRIBUTING.md"), RESULTS / "README.md", RESULTS / "NOTES.md")


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


class ReadmeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, root, *arguments):
        return subprocess.run([sys.executable, root / arguments[0], *arguments[1:]], capture_output=True, text=True, check=False)

    def check_tables(self, file, old, new):
        """The exit status of the check, and what it says, after a change in a copy of the documents and the results."""
        copy = self.folder / "copy"
        shutil.copytree(ROOT / "bench", copy / "bench", ignore=shutil.ignore_patterns("data", "pictures", "ab"))
        shutil.copy(ROOT / "README.md", copy)
        text = (copy / file).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (copy / file).write_text(text.replace(old, new), encoding="utf-8")
        result = self.run_script(copy, "bench/readme_table.py", "--check")
        self.assertNotIn("Traceback", result.stderr)
        shutil.rmtree(copy)
        return result.returncode, result.stdout + result.stderr

    def test_tables_are_those_of_the_results(self):
        self.assertEqual(self.check_tables("README.md", "hindsight", "hindsight"), (0, "the documents agree with bench/results\n"))

    def test_a_number_that_differs_is_seen(self):
        for file, old, new in (
            ("README.md", "| reduce | 8 | 1.", "| reduce | 8 | 2."),
            (RESULTS / "README.md", "| reduce | I8 |", "| reduce | I9 |"),
            (RESULTS / "h200_kernel.json", '"ratio": 1.', '"ratio": 2.'),
            (RESULTS / "h200_whole_call.json", '"ratio": ', '"ratio": 1'),
            (RESULTS / "host_OMP.json", '"stock_ms": ', '"stock_ms": 1'),
            (RESULTS / "host_CPP.json", '"threads": 16', '"threads": 15'),
            (RESULTS / "h200_kernel_newest_cccl.json", '"same_bits": true', '"same_bits": false'),
            (RESULTS / "h200_kernel_newest_cccl.json", '"device": "NVIDIA H200"', '"device": "NVIDIA H100"'),
            (RESULTS / "h200_kernel_newest_cccl.json", '"source_digest": "', '"source_digest": "0'),
            (RESULTS / "h200_whole_call.json", '"seed": 42', '"seed": 43'),
            (RESULTS / "h200_whole_call.json", '"seed": 42', '"seed": 42, "small_buffers": true'),
            (RESULTS / "h200_whole_call_small_buffers.json", '"small_buffers": true, ', ""),
        ):
            with self.subTest(file=str(file), new=new):
                self.assertNotEqual(self.check_tables(file, old, new)[0], 0)

    def test_an_unknown_option_writes_nothing(self):
        copy = self.folder / "copy"
        shutil.copytree(ROOT / "bench", copy / "bench", ignore=shutil.ignore_patterns("data", "pictures", "ab"))
        shutil.copytree(ROOT / "docs", copy / "docs")
        shutil.copy(ROOT / "README.md", copy)
        for document in ("README.md", "docs/several_gpus.md"):
            (copy / document).write_text((copy / document).read_text(encoding="utf-8").replace("| reduce ", "| Reduce "), encoding="utf-8")
        before = {path: path.read_bytes() for path in copy.rglob("*") if path.suffix in (".md", ".json")}
        for arguments in (("bench/readme_table.py", "--chek"), ("bench/mgpu_table.py", "--chek"), ("bench/mgpu_table.py", "--merge", "one.json"),
                          ("bench/mgpu_table.py", "--merge", "h100_several_gpus.json", "rows of another GPU"),
                          ("bench/compile_cost.py", "--family", "sort", "--write"), ("bench/compile_cost.py", "--repeat", "0"),
                          ("bench/methods/report.py", "--pictures"), ("bench/methods/report.py", "--check", "more"),
                          ("bench/methods/report.py", "--pictures", ".", "no_such.json"), ("bench/methods/report.py", "--pictures", ".", "README.md")):
            with self.subTest(arguments=arguments):
                arguments = [str(copy / RESULTS / word) if word.startswith("h100") else word for word in arguments]
                result = self.run_script(copy, *arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertNotIn("Traceback", result.stderr)
                self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_structs_have_lines_of_their_own(self):
        copy = self.folder / "copy"
        shutil.copytree(ROOT / "bench", copy / "bench", ignore=shutil.ignore_patterns("data", "pictures", "ab"))
        shutil.copy(ROOT / "README.md", copy)
        path = copy / RESULTS / "h200_kernel.json"
        results = json.loads(path.read_text(encoding="utf-8"))
        pattern = next(row for row in results["rows"] if row["algorithm"] == "inclusive_scan")
        for changes in (
            {"algorithm": "copy_flagged", "key": "S64", "n": 1 << 24, "ratio": 0.5},
            {"algorithm": "run_length_encode", "value": "S128", "n": 1 << 16, "ratio": 0.25},
            {"algorithm": "only_small", "key": "F32", "n": 1 << 20, "ratio": 2.0},
        ):
            results["rows"].append({**pattern, **changes})
        path.write_text(json.dumps(results), encoding="utf-8")
        self.assertEqual(self.run_script(copy, "bench/readme_table.py").returncode, 0)
        before = set((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
        after = [line for line in (copy / "README.md").read_text(encoding="utf-8").splitlines() if line not in before]
        for line in (
            "| copy_flagged, structs | 1 | - | - | 0.50 | - | - | - | - |",
            "| run_length_encode, structs | 1 | - | - | - | - | 0.25 | - | - |",
            "| only_small | 1 | - | - | - | 2.00 | - | - | - |",
        ):
            self.assertIn(line, after)
        self.assertTrue(all(line.startswith(("| copy_flagged, ", "| run_length_encode, ", "| only_small", "Kernels alone", "| 2^")) for line in after), after)

    def test_the_table_of_methods_is_that_of_the_results(self):
        copy = self.folder / "copy"
        shutil.copytree(ROOT / "bench", copy / "bench", ignore=shutil.ignore_patterns("data", "pictures", "ab"))
        shutil.copytree(ROOT / "docs", copy / "docs")
        self.assertEqual(self.run_script(copy, "bench/methods/report.py", "--check").returncode, 0)
        for file, old, new in (
            (pathlib.Path("docs", "methods.md"), "| scan | chained | ", "| scan | chained | 1"),
            (RESULTS / "methods_h200.json", '"launches": 2', '"launches": 3'),
            (RESULTS / "methods_h200.json", '"is_right": true', '"is_right": false'),
        ):
            with self.subTest(file=str(file), new=new):
                text = (copy / file).read_text(encoding="utf-8")
                self.assertIn(old, text)
                (copy / file).write_text(text.replace(old, new), encoding="utf-8")
                self.assertNotEqual(self.run_script(copy, "bench/methods/report.py", "--check").returncode, 0)
                (copy / file).write_text(text, encoding="utf-8")

    def test_links_lead_somewhere(self):
        """Of all documents: to files that exist, and to headings that do."""
        documents = [path.relative_to(ROOT) for folder in ("docs", "bench", "tests", "packaging", "examples") for path in (ROOT / folder).rglob("*.md")]
        count = 0
        for document in {*DOCUMENTS, *documents}:
            text = re.sub(r"`[^`\n]*`", "", without_code((ROOT / document).read_text(encoding="utf-8")))
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if link.startswith("http"):
                    continue
                count += 1
                file, _, heading = link.partition("#")
                target = ROOT / document.parent / file if file else ROOT / document
                self.assertTrue(target.exists(), f"{document}: {link}")
                if heading:
                    headings = re.findall(r"^#+ (.*)$", without_code(target.read_text(encoding="utf-8")), re.MULTILINE)
                    self.assertIn(heading, [re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-") for words in headings], f"{document}: {link}")
        self.assertGreater(count, 60)

    def test_files_that_prove_something_are_there(self):
        text = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
        names = re.findall(r"`((?:tests|compat_tests|examples|bench)/[^`\s]+)`", text)
        self.assertGreater(len(names), 10)
        for name in names:
            for path in expanded(name):
                self.assertTrue(list(ROOT.glob(path)), path)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_pictures_are_of_these_results(self):
        host = [ROOT / RESULTS / f"host_{system}.json" for system in ("OMP", "TBB", "CPP")]
        for arguments in (
            ("bench/report.py", "pictures", ROOT / RESULTS / "h200_kernel.json", "--output", self.folder),
            ("bench/report.py", "pictures", *host, "--fastest-stock", "--only", "over_n", "--suffix", "_host", "--output", self.folder),
            ("bench/methods/report.py", "--pictures", self.folder),
            ("bench/mgpu_picture.py", self.folder),
        ):
            drawn = self.run_script(ROOT, *arguments)
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
        for picture in self.folder.glob("*.svg"):
            committed = ROOT / RESULTS / "pictures" / picture.name
            self.assertEqual(words(picture), words(committed), picture.name)
            self.assertTrue(committed.with_suffix(".png").exists())


def expanded(name):
    """a_{b,c} as the shell has it."""
    parts = re.fullmatch(r"(.*?)\{([^}]*)\}(.*)", name)
    if not parts:
        return [name]
    return [path for word in parts[2].split(",") for path in expanded(parts[1] + word + parts[3])]


def words(path):
    """All texts of a picture, numbers included: the same whatever the version of matplotlib."""
    return [text.text for text in xml.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text")]


if __name__ == "__main__":
    unittest.main()
