#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has to agree before a release: the version in all its places, and the head of every public header."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM_HEADER = "#pragma once\n#if !defined(HINDSIGHT_SHOW_WARNINGS)\n#  pragma GCC system_header\n#endif\n"


def text(*path):
    return ROOT.joinpath(*path).read_text(encoding="utf-8")


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        header = text("include", "hindsight", "version.h")
        self.parts = [int(number) for number in re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)]
        self.number = int(re.search(r"HINDSIGHT_VERSION (\d+)", header)[1])

    def test_version_is_one(self):
        major, minor, patch = self.parts
        version = f"{major}.{minor}.{patch}"
        self.assertEqual(self.number, major * 10000 + minor * 100 + patch)
        self.assertEqual(json.loads(text("packaging", "vcpkg", "hindsight", "vcpkg.json"))["version"], version)
        self.assertEqual(re.search(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)[1], version)
        self.assertIn(f"hindsight/{version}", text("packaging", "README.md"))
        for document in (("README.md",), ("packaging", "README.md")):
            self.assertEqual(re.findall(r"find_package\(hindsight (\S+) REQUIRED", text(*document)), [f"{major}.{minor}"])

    def test_public_headers_are_system_headers(self):
        headers = sorted((ROOT / "include" / "hindsight").glob("*.*h"))
        self.assertGreater(len(headers), 10)
        for header in headers:
            if header.name != "version.h":  # macros alone
                self.assertTrue(SYSTEM_HEADER in header.read_text(encoding="utf-8"), header.name)


if __name__ == "__main__":
    unittest.main()
