#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen makes the API reference without a warning, and no link in it leads nowhere.

Usage: api_reference_test.py DOXYGEN FOLDER (that has the Doxyfile; the reference is written to FOLDER/html)
"""

import pathlib
import re
import subprocess
import sys
import tempfile

UNDOCUMENTED = """
/// \\namespace hindsight
/// What a program calls.
namespace hindsight {
/// This one has a comment.
void documented();
void forgotten();
}
"""


def doxygen(program, settings):
    return subprocess.run([program, "-"], input=settings, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def broken_links(folder):
    names = {path.name: set(re.findall(r'(?:id|name)="([^"]+)"', path.read_text(encoding="utf-8"))) for path in folder.glob("*.html")}
    for page in folder.glob("*.html"):
        for link in set(re.findall(r'href="([^"]+)"', page.read_text(encoding="utf-8"))):
            file, _, anchor = link.partition("#")
            target = file or page.name
            if link.startswith(("http", "javascript")):
                continue
            if not (folder / target).exists() or (anchor and target in names and anchor not in names[target]):
                yield f"{page.name}: {link}"


def main(program, folder):
    folder = pathlib.Path(folder)
    settings = (folder / "Doxyfile").read_text(encoding="utf-8")
    made = doxygen(program, settings)
    if made.returncode != 0 or "warning:" in made.stdout or "error:" in made.stdout:
        sys.exit("Doxygen:\n" + made.stdout)
    if "inclusive_scan" not in (folder / "html" / "namespacehindsight.html").read_text(encoding="utf-8"):
        sys.exit("the page of namespace hindsight lacks its functions")
    if broken := list(broken_links(folder / "html")):
        sys.exit("links that lead nowhere:\n" + "\n".join(broken))
    with tempfile.TemporaryDirectory() as other:
        pathlib.Path(other, "forgotten.h").write_text(UNDOCUMENTED, encoding="utf-8")
        seen = doxygen(program, f"{settings}\nINPUT={other}\nUSE_MDFILE_AS_MAINPAGE=\nOUTPUT_DIRECTORY={other}\n")
    if seen.returncode == 0 or "forgotten" not in seen.stdout:
        sys.exit("a function without a comment goes unnoticed:\n" + seen.stdout)
    print("the API reference is complete")


if __name__ == "__main__":
    main(*sys.argv[1:])
