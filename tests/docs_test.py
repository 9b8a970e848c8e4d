#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comments of public headers are complete, and excerpts in documents are in the tree."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include" / "hindsight"
FIELDS = ("Time", "Memory", "Order", "Sync", "Errors", "Example")


def families():
    return [path for path in PUBLIC.glob("*.h") if "detail::dispatch::" in path.read_text(encoding="utf-8")]


def functions_of(text):
    """The names of a header's functions that take a policy."""
    return set(re.findall(r"^(?:HINDSIGHT_HD )?[\w:<>, ]+ (\w+)\(\s*const execution_policy", text, re.MULTILINE))


def comments(path):
    """(comment, name) of every function and class of a header that has a comment."""
    text = path.read_text(encoding="utf-8")
    found = re.finditer(r"((?:^ *///.*\n)+)((?:^(?! *///).*\n)*?^.*?(?:(?:struct|class) (\w+)[^;]*?\{|\b(\w+)\())", text, re.MULTILINE)
    for match in found:
        yield match[1], match[3] or match[4]


class DocsTest(unittest.TestCase):
    def test_the_first_function_of_a_family_says_everything(self):
        self.assertGreaterEqual(len(families()), 9)
        for path in families():
            comment, name = next(comments(path))
            for field in FIELDS:
                with self.subTest(header=path.name, function=name, field=field):
                    self.assertRegex(comment, rf"(?m)^ */// +{field}\b")

    def test_every_function_has_an_example(self):
        for path in families():
            text = path.read_text(encoding="utf-8")
            for name in functions_of(text):
                with self.subTest(function=name):
                    self.assertRegex(text, rf"(?m)^///     .*hindsight::{name}\(")
        for path in PUBLIC.glob("device_*.cuh"):
            with self.subTest(header=path.name):
                self.assertRegex(path.read_text(encoding="utf-8"), r"(?m)^ *///   Example$")

    def test_every_function_is_called_with_bad_arguments(self):
        tables = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("bad_arguments*_test.cpp"))
        for path in families():
            for name in functions_of(path.read_text(encoding="utf-8")):
                with self.subTest(function=name):
                    self.assertTrue(re.search(rf"(thrust|hindsight)::{name}\(", tables), "no table has it")

    def test_excerpts_are_in_the_tree(self):
        """A block of code under a line that is a path: its parts between "..." stand there in this order."""
        count = 0
        for document in (ROOT / "docs").glob("*.md"):
            blocks = re.findall(r"^`([\w/.]+)`:\n+```\w*\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
            for path, block in blocks:
                text, place = squeezed((ROOT / path).read_text(encoding="utf-8")), 0
                for part in re.split(r"^ *(?://)? ?\.\.\.$", block, flags=re.MULTILINE):
                    with self.subTest(document=document.name, path=path, part=part):
                        self.assertIn(squeezed(part), text[place:])
                        place = text.find(squeezed(part), place) + len(squeezed(part))
                        count += 1
        self.assertGreaterEqual(count, 8)

    def test_the_table_of_families_names_the_calls_of_the_stress_tests(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("stress_*test.cu"))
        calls = set(re.findall(r"HINDSIGHT_TEST_ROW\((\w+)\)[,}]", sources)) | set(re.findall(r"row_\w+<.*?>\(\s*\"(\w+)\"", sources))
        text = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
        table = text[text.index("## Families and checks"):text.index("## Types of the random tests")]
        named = re.findall(r"^\| [^|]* \| (.*?) \|", table, re.MULTILINE)
        self.assertGreaterEqual(len(calls), 25)
        self.assertEqual(calls, {call for cell in named if cell[0] != "-" for call in re.findall(r"`(\w+)`", cell)})

    def test_headers_that_documents_name_exist(self):
        names = {path.name for root in ("include", "detail", "tests", "bench", "examples") for path in (ROOT / root).rglob("*.*h")}
        count = 0
        for document in [*(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md"]:
            for path in re.findall(r"(?<![\w/<])((?:\w+/)*\w+\.c?u?h)\b", document.read_text(encoding="utf-8")):
                if not re.search(r"X|^cub?/|^thrust/|^cuda", path) or path.startswith("cuda/block/"):
                    with self.subTest(document=document.name, header=path):
                        self.assertIn(path.split("/")[-1], names)
                        count += 1
        self.assertGreater(count, 40)

    def test_the_five_questions_of_a_stranger_are_answered(self):
        """The protocol; a kernel and its launch; where to tune; what to write for a new algorithm; where stock is chosen."""
        rows = re.findall(r"^\| (.*?\?) \| \[docs/(\w+\.md)\]", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
        for words in ("the protocol work", "a kernel and its launch", "tune for a GPU", "write for a new algorithm", "stock chosen"):
            with self.subTest(question=words):
                documents = [document for question, document in rows if words in question]
                self.assertEqual(len(documents), 1)
                self.assertTrue((ROOT / "docs" / documents[0]).exists())

    def test_constants_in_the_tuning_guide_exist(self):
        text = (ROOT / "docs" / "tuning.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `([\w/.]+)` \| (.*?) \|", text, re.MULTILINE)
        folder = ROOT / "detail" / "hindsight" / "detail" / "tuning"
        self.assertEqual({path for path, _ in rows}, {f"tuning/{path.name}" for path in folder.iterdir()})
        for path, names in rows:
            source = (ROOT / "detail" / "hindsight" / "detail" / path).read_text(encoding="utf-8")
            for name in re.findall(r"`(\w+)`", names):
                with self.subTest(path=path, name=name):
                    self.assertRegex(source, rf"\b{name}\b")

    def test_what_is_said_of_the_tree_is_so(self):
        """One line says what an internal header is; compilers are tested in config.h, memory orders chosen in board/, PTX written in ptx.cuh."""
        detail = ROOT / "detail" / "hindsight" / "detail"
        for path in sorted([*detail.rglob("*.h"), *detail.rglob("*.cuh")]):
            text, name = path.read_text(encoding="utf-8"), path.relative_to(detail).as_posix()
            with self.subTest(header=name):
                self.assertTrue(text.splitlines()[1].startswith("// "), "the second line is a comment")
                if name != "config.h":
                    self.assertNotRegex(text, r"\b(_OPENMP|__GNUC__|__clang__|__CUDACC__|__CUDA_ARCH__|__SSE2__|__linux__|__unix__)\b")
                if name != "ptx.cuh":
                    self.assertNotRegex(text, r"\basm\b")
                if name.startswith("cuda/"):
                    self.assertNotRegex(text, r"memory_order|__threadfence")
                if not name.startswith(("ranks/", "ab/", "std_")):
                    self.assertNotRegex(text, r"include <(algorithm|functional|mutex|cuda/std/memory|cuda\.h)>")  # see std_basics.h

    def test_long_functions_have_a_reason(self):
        """No kernel has more than 60 lines, and no function but those that design.md gives a reason for."""
        excused = set(re.findall(r"^\| `(\w+)` \| \d+ \|", (ROOT / "docs" / "design.md").read_text(encoding="utf-8"), re.MULTILINE))
        count = 0
        for path in sorted([*(ROOT / "detail").rglob("*.h"), *(ROOT / "detail").rglob("*.cuh")]):
            for name, is_kernel, lines in functions_in(path.read_text(encoding="utf-8")):
                count += is_kernel
                with self.subTest(header=path.name, function=name):
                    self.assertTrue(lines <= 60 or (name in excused and not is_kernel), f"{lines} lines")
        self.assertGreater(count, 40)

    def test_the_engines_have_namespaces_of_their_own(self):
        for engine in ("cuda", "host"):
            for path in sorted((ROOT / "detail" / "hindsight" / "detail" / engine).rglob("*.*")):
                opened = re.findall(r"^namespace (hindsight[\w:]*) \{", path.read_text(encoding="utf-8"), re.MULTILINE)
                with self.subTest(header=path.name):
                    self.assertIn(f"hindsight::detail::{engine}", opened)

    def test_layers(self):
        """Headers include each other in no circle, and what kernels are made of knows no policies."""
        headers = {}
        for root in (ROOT / "include", ROOT / "detail"):
            for path in [*root.rglob("*.h"), *root.rglob("*.cuh")]:
                found = re.findall(r"^# *include <(hindsight/[^>]+)>", path.read_text(encoding="utf-8"), re.MULTILINE)
                headers[path.relative_to(root).as_posix()] = found
        for name, included in headers.items():
            for other in included:
                self.assertIn(other, headers, name)
                if name.startswith(("hindsight/detail/cuda/", "hindsight/detail/board/", "hindsight/detail/tuning/")):
                    self.assertNotRegex(other, r"policy|runtime/|dispatch/", name)
        done = set()

        def follow(name, path):
            self.assertNotIn(name, path, " -> ".join((*path, name)))
            if name not in done:
                for other in headers[name]:
                    follow(other, (*path, name))
                done.add(name)

        for name in headers:
            follow(name, ())


def functions_in(text):
    """(name, whether it is a kernel, lines of its body) of functions and of members, as the formatter lays them out."""
    for indent in ("", "  "):
        body = rf"((?:^(?:{indent} .*|#.*|)\n)*?)"
        for match in re.finditer(rf"^{indent}(?!namespace|inline namespace)[^\s/#}}][^;{{]*(?:\([^;{{]*|= default;)?\{{\n{body}^{indent}\}}$", text, re.MULTILINE):
            head = match[0][: match[0].index("{\n")]
            kernel = re.search(r"\b(\w+_kernel)\(", head)
            name = kernel or re.search(r"\b(\w+)\(", head)
            yield name[1] if name else "?", "KERNEL" in head, match[1].count("\n")


def squeezed(text):
    """Without indentation, line ends and spaces, so that a formatter may move them."""
    return re.sub(r"\s+", "", text)


if __name__ == "__main__":
    unittest.main()
