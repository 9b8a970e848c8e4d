#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles calls with types of a namespace that has functions of the same names as the library's own.

An unqualified call of a function finds those of its arguments' namespaces, too. So the library names the namespace of
each function that it calls.

Usage: names_test.py COMPILER SOURCE OPTION...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What the standard library and Thrust themselves look up among a type's friends.
LOOKED_UP = set("""
begin data empty end get iter_move iter_swap rbegin rend size swap
adjacent_difference all_of any_of copy copy_if count count_if exclusive_scan exclusive_scan_by_key find find_if
find_if_not for_each get_temporary_buffer inclusive_scan inclusive_scan_by_key inner_product max_element merge
min_element minmax_element none_of partition partition_copy reduce reduce_by_key remove remove_copy remove_copy_if
remove_if return_temporary_buffer sort sort_by_key stable_partition stable_partition_copy stable_sort
stable_sort_by_key transform transform_exclusive_scan transform_inclusive_scan transform_reduce unique unique_by_key
unique_by_key_copy unique_copy unique_count
""".split())
NO_NAMES = set("alignas alignof catch decltype explicit for if noexcept operator requires int return sizeof static_assert switch unsigned while".split())
TYPES_OF_THE_PROGRAM = set("call_all is_before is_odd is_same item itself joined number_of".split())


def functions_of_the_library():
    """The names before a parameter list and a body, in all headers."""
    names = set()
    for header in sorted([*ROOT.glob("include/**/*.*h"), *ROOT.glob("detail/**/*.*h")]):
        names.update(re.findall(r"(?m)^(?:[\w:<>,&* \[\]()]+ )?[*&]?([a-z]\w+)\([^;{}]*?\)[^;{}()]*\{", header.read_text()))
    return sorted(names - LOOKED_UP - NO_NAMES - TYPES_OF_THE_PROGRAM)


def main(compiler, source, *options):
    names = functions_of_the_library()
    with tempfile.TemporaryDirectory() as folder:
        functions = pathlib.Path(folder, "functions_of_the_program.h")
        functions.write_text("".join(
            f'template <class... Args> void {name}(Args&&...) {{ static_assert(sizeof...(Args) > 999, "called: {name}"); }}\n'
            for name in names))
        run = subprocess.run([compiler, *options, "-I", folder, source], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
    print(f"{len(names)} names")
    if run.returncode != 0:
        print("\n".join([line for line in run.stdout.splitlines() if "error" in line][:10]))
    if len(names) < 500:
        print("FAIL: too few names were found")
        return 1
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
