#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every overload of Thrust's, with a policy, of an algorithm that is ours has a call in ours_or_stock_test.cu.

Reads the declarations in Thrust's headers. Overloads of one name are told apart by their numbers of arguments: so many calls
with that number there have to be. ours_or_stock_test then shows that each of them is ours.

Usage: thrust_calls_test.py CCCL_INCLUDE_DIR
"""

import collections
import pathlib
import re
import sys

CALLS = pathlib.Path(__file__).resolve().parent / "ours_or_stock_test.cu"
HEADERS = ["adjacent_difference", "copy", "count", "extrema", "find", "inner_product", "logical", "partition", "reduce", "remove",
           "scan", "sort", "transform_reduce", "transform_scan", "unique"]
# Declared in these headers, and stock's.
STOCK = {"copy": "copies", "copy_n": "copies", "is_partitioned": "a search", "partition_point": "a search", "is_sorted": "a search",
         "is_sorted_until": "a search"}


def arguments(text, begin):
    """Splits what is between the parenthesis before `begin` and its end."""
    parts, depth, first = [], 0, begin
    for i in range(begin, len(text)):
        c = text[i]
        if c in "([{<" and not (c == "<" and text[i - 1] == " "):
            depth += 1
        elif c in ")]}>" and depth > 0:
            depth -= 1
        elif c == ")" or (c == "," and depth == 0):
            parts.append(text[first:i])
            first = i + 1
            if c == ")":
                return parts
    raise ValueError("a parenthesis is not closed")


def declared(include):
    """{(name, number of arguments behind the policy): number of overloads}."""
    found = collections.Counter()
    for header in HEADERS:
        text = (include / "thrust" / f"{header}.h").read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        text = re.sub(r"//[^\n]*", "", text)
        for match in re.finditer(r"\b(\w+)\(\s*const (?:thrust::)?detail::execution_policy_base<", text):
            begin = text.index("(", match.start()) + 1
            found[match.group(1), len(arguments(text, begin)) - 1] += 1
    return found


def called():
    text = re.sub(r"//[^\n]*", "", CALLS.read_text(encoding="utf-8"))
    text = text[text.index("void for_each_of_ours"):text.index("void for_each_of_stock")]
    found = collections.Counter()
    for match in re.finditer(r"\b(?:thrust|hindsight)::(\w+)\(p,", text):
        begin = text.index("(", match.start()) + 1
        found[match.group(1), len(arguments(text, begin)) - 1] += 1
    return found


def main(include):
    stock, calls = declared(pathlib.Path(include)), called()
    failures = [f"no {name} in Thrust's headers: are they read as they should be?"
                for name in ("reduce", "unique_by_key_copy", "exclusive_scan_by_key", "remove_copy_if") if not any(
                    declared_name == name for declared_name, _ in stock)]
    ours = {key: count for key, count in stock.items() if key[0] not in STOCK}
    for (name, number), count in sorted(ours.items()):
        if calls[name, number] < count:
            failures.append(f"thrust::{name} with {number} arguments behind the policy: {count} overloads, "
                            f"{calls[name, number]} calls in ours_or_stock_test.cu")
    names = {name for name, _ in ours}
    print("\n".join(failures) or f"{sum(ours.values())} overloads of {len(names)} algorithms, each with a call")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
