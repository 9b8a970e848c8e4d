#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the comments of the public headers.

    docstrings.py HEADER             the header as Doxygen takes it (a filter): "///   Memory  text" becomes a paragraph of
                                     that name, the lines under "///   Example" become code
    docstrings.py --examples HEADER...   a C++ source with every example of the headers as a function of its own
"""

import pathlib
import re
import sys

FIELD = re.compile(r"^(\s*)///   (\S+)  +(\S.*)$")
EXAMPLE = re.compile(r"^\s*///   Example$")
CODE = re.compile(r"^\s*///     (.*)$")


def for_doxygen(text):
    """Keeps the number of lines: Doxygen's warnings then name the right ones."""
    lines, in_example = [], False
    for line in text.splitlines():
        if EXAMPLE.match(line):
            in_example = True
            lines.append("/// \\par Example \n/// \\code{.cpp}")
            continue
        if in_example and not CODE.match(line):
            in_example = False
            lines[-1] += "\n/// \\endcode"
        field = FIELD.match(line)
        if field and not in_example:
            line = f"{field[1]}/// \\par {field[2]}\n{field[1]}/// {field[3]}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def examples(path):
    """(number of the first line, its lines) of every example in a header."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        if EXAMPLE.match(line):
            code = []
            while found := CODE.match(lines[i + 1 + len(code)]):
                code.append(found[1])
            yield i + 2, code


def source_of(headers):
    out = [f"#include <{'/'.join(pathlib.Path(header).parts[-2:])}>" for header in headers]
    out += [f"#include <{name}>" for name in ("cuda/functional", "cuda/std/mdspan", "thrust/device_vector.h", "thrust/functional.h")]
    number = 0
    for header in headers:
        for first, code in examples(header):
            number += 1
            types = code.index("};") + 1 if code[0].startswith("struct ") else 0  # kernels take no local types
            out += [f"namespace example_{number} {{", f'#line {first} "{header}"', *code[:types]]
            out += ["void run() {", f'#line {first + types} "{header}"', *code[types:], "}", "}"]
    out += ["int main() {", *(f"  example_{i + 1}::run();" for i in range(number)), "}"]
    return "\n".join(out) + "\n"


def main(*arguments):
    if arguments and arguments[0] == "--examples":
        sys.stdout.write(source_of(arguments[1:]))
    elif len(arguments) == 1:
        sys.stdout.write(for_doxygen(pathlib.Path(arguments[0]).read_text(encoding="utf-8")))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
