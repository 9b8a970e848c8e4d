#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the comments of the public headers.

    docstrings.py HEADER             the header as Doxygen takes it (a filter): "///   Memory  text" becomes a paragraph of
                                     that name, the lines under "///   Example" become code
    docstrings.py --examples HEADER...   a C++ source with every example of the headers as a function of its own
    docstrings.py --check HEADER...  what the comments of the functions lack, a line for each

A field may have several names: "///   Sync, Errors  as copy_if".
"""

import pathlib
import re
import sys

FIELD = re.compile(r"^(\s*)///   (\S+(?:, \S+)*)  +(\S.*)$")
EXAMPLE = re.compile(r"^\s*///   Example$")
CODE = re.compile(r"^\s*///     (.*)$")
FIELDS = ("Time", "Memory", "Order", "Sync", "Errors", "Example")
COMMENTED = re.compile(r"((?:^///.*\n)+)((?:^(?!///).*\n)+?)(?=^\}|^///|^\n|\Z)", re.MULTILINE)
DETAIL = re.compile(r"^namespace (?:[\w:]*::)?detail\b.*?^\}  // namespace (?:[\w:]*::)?detail", re.MULTILINE | re.DOTALL)
HOOKS = ("get_stream",)  # Thrust calls them, no program does
NEED_GPU = ("nccl.h",)  # the examples of these are for a compiler for GPUs


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


def function_declared(code):
    """The name of the function that the code declares first; None where that is no function."""
    code = re.sub(r"^(?:#|_CCCL_EXEC).*\n", "", code, flags=re.MULTILINE)
    while code.startswith("template"):
        depth = 0
        for end in range(code.index("<"), len(code)):
            depth += {"<": 1, ">": -1}.get(code[end], 0)
            if depth == 0:
                break
        code = code[end + 1 :].lstrip()
    if re.match(r"(struct|class|using|namespace|inline namespace|enum|friend|_CCCL_GLOBAL_CONSTANT|inline constexpr)\b", code):
        return None
    head, before = re.split(r"[{;]", code, maxsplit=1)[0], None
    while head != before:
        head, before = re.sub(r"<[^<>]*>", "", head), head
    name = re.match(r"[^(]*\W(\w+)\(", head)  # behind the type of its result, which deduction guides lack
    return name[1] if name else None


def functions(path):
    """(name, comment) of every function of a header that programs call and that has a comment, overloads in their order."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    text = DETAIL.sub("", re.sub(r"/// \\cond.*?/// \\endcond", "", text, flags=re.DOTALL))
    for comment, code in COMMENTED.findall(text):
        name = function_declared(code)
        if name and name not in HOOKS:
            yield name, comment


def fields_of(comment):
    """{name: text} of the fields of a comment."""
    fields, names = {}, []
    for line in comment.splitlines():
        if EXAMPLE.match(line):
            names = ["Example"]
            fields["Example"] = ""
        elif (field := FIELD.match(line)) and names != ["Example"]:
            names = field[2].split(", ")
            fields.update(dict.fromkeys(names, field[3]))
        elif names and line.startswith("///     "):
            for name in names:
                fields[name] += " " + line[3:].strip()
        else:
            names = []
    return fields


def lacking(headers):
    """What a user does not learn: the first comment of each function in a header has all fields. Where one is "as f", f is
    another function of the same header, and says it itself."""
    stated = {}  # (header, function): fields
    for header in headers:
        for name, comment in functions(header):
            stated.setdefault((header, name), fields_of(comment))
    all_names = {name for _, name in stated}
    for (header, name), fields in stated.items():
        place = f"{pathlib.Path(header).name}: {name}"
        yield from (f"{place} does not say {field}" for field in FIELDS if field not in fields)
        if fields.get("Example") == "":
            yield f"{place} has an empty Example"
        for field, text in fields.items():
            other = re.match(r"as (\w+)", text)
            if field not in FIELDS or not other or other[1] not in all_names:
                continue
            said = stated.get((header, other[1]), {}).get(field, "")
            if other[1] == name or not said or re.match(r"as (?!the)", said):
                yield f"{place}: {field} is said to be that of {other[1]}, which does not say it in this header"


def source_of(headers):
    out = [f"#include <{'/'.join(pathlib.Path(header).parts[-2:])}>" for header in headers]
    out += [f"#include <{name}>" for name in ("cuda/functional", "cuda/std/mdspan", "thrust/device_vector.h", "thrust/functional.h")]
    calls = []
    for header in headers:
        needs_gpu = pathlib.Path(header).name in NEED_GPU
        for first, code in examples(header):
            types = code.index("};") + 1 if code[0].startswith("struct ") else 0  # kernels take no local types
            example = f"example_{len(calls) + 1}"
            lines = [f"namespace {example} {{", f'#line {first} "{header}"', *code[:types]]
            lines += ["void run() {", f'#line {first + types} "{header}"', *code[types:], "}", "}"]
            guard = ("#if HINDSIGHT_CUDA", "#endif") if needs_gpu else ()
            out += [*guard[:1], *lines, *guard[1:]]
            calls.append([*guard[:1], f"  {example}::run();", *guard[1:]])
    out += ["int main() {", *(line for call in calls for line in call), "}"]
    return "\n".join(out) + "\n"


def main(*arguments):
    if arguments and arguments[0] == "--examples":
        sys.stdout.write(source_of(arguments[1:]))
    elif arguments and arguments[0] == "--check":
        if found := list(lacking(arguments[1:])):
            sys.exit("\n".join(found))
    elif len(arguments) == 1:
        sys.stdout.write(for_doxygen(pathlib.Path(arguments[0]).read_text(encoding="utf-8")))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
