#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comments of public headers are complete, and excerpts in documents are in the tree."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include" / "hindsight"

sys.path.insert(0, str(ROOT / "docs" / "api"))
import docstrings  # noqa: E402


def families():
    return [path for path in PUBLIC.glob("*.h") if "detail::dispatch::" in path.read_text(encoding="utf-8")]


def functions_of(text):
    """The names of a header's functions that take a policy."""
    return set(re.findall(r"^(?:HINDSIGHT_HD )?[\w:<>, ]+ (\w+)\(\s*const execution_policy", text, re.MULTILINE))


COMPLETE = """
/// Says everything.
///   Time    none
///   Memory  a byte
///           and another one
///   Order, Sync, Errors  none
///   Example
///     ours::first(1);
template <class T>
void first(const policy<T, int>& policy, T item);

/// Says what differs.
///   Time    two calls
///   Memory, Order, Sync, Errors  as first
///   Example
///     ours::second(1);
template <class T>
std::pair<T, T> second(T item) {
"""


class DocsTest(unittest.TestCase):
    def test_every_public_function_says_everything(self):
        headers = sorted(PUBLIC.glob("*.h"))
        self.assertGreaterEqual(sum(len({name for name, _ in docstrings.functions(path)}) for path in headers), 125)
        self.assertEqual(list(docstrings.lacking(headers)), [])
        for path in families():
            missing = functions_of(path.read_text(encoding="utf-8")) - {name for name, _ in docstrings.functions(path)}
            self.assertEqual(missing, set(), path.name)

    def test_what_a_comment_lacks_is_noticed(self):
        changes = {
            "": [],
            "///   Time    none": ["ours.h: first does not say Time"],
            "///   Order, Sync": ["ours.h: first does not say Order", "ours.h: first does not say Sync", "ours.h: first does not say Errors"]
            + [f"ours.h: second: {field} is said to be that of first, which does not say it in this header" for field in ("Order", "Sync", "Errors")],
            "///     ours::second": ["ours.h: second has an empty Example"],
            "///   Example\n///     ours::second": ["ours.h: second does not say Example"],
        }
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "ours.h")
            for removed, expected in changes.items():
                line = re.search(rf"{re.escape(removed)}.*\n", COMPLETE)[0] if removed else ""
                header.write_text(COMPLETE.replace(line, ""), encoding="utf-8")
                with self.subTest(removed=removed):
                    self.assertEqual(list(docstrings.lacking([header])), expected)
            header.write_text(COMPLETE.replace("as first", "as second"), encoding="utf-8")
            self.assertEqual(len(list(docstrings.lacking([header]))), 4, "a function that says it is as itself")

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

    def test_the_swap_of_the_readme_is_an_example(self):
        """It is compiled and run as such."""
        block = re.search(r"^```cpp\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
        self.assertIn(squeezed(block), squeezed((ROOT / "examples" / "swap.cpp").read_text(encoding="utf-8")))

    def test_the_table_of_families_names_the_calls_of_the_stress_tests(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("stress_*test.cu"))
        calls = set(re.findall(r"HINDSIGHT_TEST_ROW\((\w+)\)[,}]", sources)) | set(re.findall(r"row_\w+<.*?>\(\s*\"(\w+)\"", sources))
        text = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
        table = text[text.index("## Families and checks"):text.index("## Types of the random tests")]
        named = re.findall(r"^\| [^|]* \| (.*?) \|", table, re.MULTILINE)
        self.assertGreaterEqual(len(calls), 25)
        self.assertEqual(calls, {call for cell in named if cell[0] != "-" for call in re.findall(r"`(\w+)`", cell)})

    def test_each_guarantee_names_its_test_and_each_test_is_named(self):
        """In the table of guarantees; tests of documents, measurements and releases prove none."""
        text = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
        table = text[text.index("| guarantee |"):text.index("## Whether these tests would notice")]
        named = set()
        for line in re.findall(r"^\| (?!guarantee)(.*) \|$", table, re.MULTILINE):
            guarantee, tests = line.rsplit(" | ", 1)
            found = [path for path in re.findall(r"`((?:compat_)?tests/[^`]*)`", tests) for path in with_braces(path)]
            with self.subTest(guarantee=guarantee):
                self.assertTrue(found, "no test")
                for path in found:
                    self.assertTrue(list(ROOT.glob(path)), path)
            named.update(match for path in found for match in ROOT.glob(path))
        for path in sorted(path for folder in ("tests", "compat_tests") for path in (ROOT / folder).glob("*_test.*")):
            with self.subTest(test=path.name):
                self.assertTrue(path in named or path.stem in ("compile_cost_test", "methods_test", "readme_test", "release_test", "report_test"))

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

    def test_documents_begin_with_their_titles(self):
        for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
            with self.subTest(document=document.name):
                self.assertTrue(document.read_text(encoding="utf-8").startswith("# "))

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

    def test_numbers_in_sentences_are_the_constants_of_the_tree(self):
        count = 0
        for document, sentences in sentences_with_constants().items():
            text = re.sub(r"\s+(///? )?\s*", " ", (ROOT / document).read_text(encoding="utf-8"))
            for sentence in sentences:
                count += 1
                with self.subTest(document=document):
                    self.assertTrue(sentence in text, sentence)
        self.assertGreaterEqual(count, 30)

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

    def test_no_header_uses_a_name_that_programs_define_as_a_macro(self):
        macros = set(re.findall(r"#define (\w+) \d+", (ROOT / "tests" / "compilers" / "names_of_programs.h").read_text(encoding="utf-8")))
        self.assertIn("N", macros)
        for path in sorted([*(ROOT / "include").rglob("*.*h"), *(ROOT / "detail").rglob("*.*h")]):
            code = re.sub(r"//.*|\"[^\"\n]*\"|^#\s*(error|undef).*|'[^'\n]'", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            self.assertEqual(sorted(macros & set(re.findall(r"\w+", code))), [], path.relative_to(ROOT))

    def test_sources_for_both_engines_need_no_word_of_cuda(self):
        """Where only CCCL is installed, nothing defines __host__ for a host compiler. Files of .cu are for nvcc."""
        for path in [*sorted((ROOT / "examples").glob("*.cpp")), *sorted((ROOT / "include" / "hindsight").glob("*.h"))]:
            words = re.findall(r"__(?:host|device)__", path.read_text(encoding="utf-8"))
            self.assertFalse(words, f"{path.name}: write HINDSIGHT_HD")

    def test_no_function_is_long(self):
        """No kernel and no other function has more than 60 lines."""
        count = 0
        for path in sorted([*(ROOT / "detail").rglob("*.h"), *(ROOT / "detail").rglob("*.cuh")]):
            for name, is_kernel, lines in functions_in(path.read_text(encoding="utf-8")):
                count += is_kernel
                with self.subTest(header=path.name, function=name):
                    self.assertLessEqual(lines, 60)
        self.assertGreater(count, 40)

    def test_the_methods_are_short_and_explained(self):
        """bench/methods is written to be read: no file over 120 lines, and docs/methods.md links each method's."""
        document = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
        for path in (ROOT / "bench" / "methods").rglob("*.*"):
            with self.subTest(path=path.relative_to(ROOT)):
                if path.suffix != ".pyc":
                    self.assertLessEqual(len(path.read_text(encoding="utf-8").splitlines()), 120)
                if path.suffix == ".h" and path.parent.name != "methods":
                    self.assertIn(f"(../{path.relative_to(ROOT).as_posix()})", document)
        for method in re.split(r"(?m)^(?=\*\*)", document.split("\n## Reduction\n")[1])[1:]:
            with self.subTest(method=method.splitlines()[0]):
                self.assertRegex(method, r"Source:|The library's own")
                self.assertRegex(method, r"Still\s+wins:")

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


def with_braces(path):
    """What a shell makes of a path with {a,b} in it."""
    inner = re.search(r"\{([^{}]*)\}", path)
    if not inner:
        return [path]
    return [whole for part in inner[1].split(",") for whole in with_braces(path[: inner.start()] + part + path[inner.end() :])]


def squeezed(text):
    """Without indentation, line ends and spaces, so that a formatter may move them."""
    return re.sub(r"\s+", "", text)


def constant(path, words):
    """The number that stands at the "#" of these words in an internal header, where they are once; "..." is any code between."""
    number = r"((?:std::size_t\{1\}|[\d.']+)(?:\s+(?:<<|\*)\s+\d+)?)"
    pattern = re.escape(words).replace(r"\#", number).replace(r"\.\.\.", "[^}]*?").replace(r"\ ", r"\s+")
    found = re.findall(rf"\b{pattern}", (ROOT / "detail" / "hindsight" / "detail" / path).read_text(encoding="utf-8"))
    assert len(found) == 1, f"{path}: {words} is there {len(found)} times"
    return eval(" ".join(found[0].split()).replace("'", "").replace("std::size_t{1}", "1"))  # a number of this repository


def power(value):
    assert value & (value - 1) == 0, value
    return f"2^{value.bit_length() - 1}"


def sentences_with_constants():
    look_back, order, segments, select = (f"tuning/{name}.h" for name in ("look_back", "order", "segments", "radix_select"))
    sort, merge, histogram, host = (f"tuning/{name}.h" for name in ("sort", "merge_sort", "histogram", "host"))
    context, call = "runtime/context.h", "dispatch/call.h"
    own, window = constant(look_back, "own_windows = #"), constant(order, "window_tiles = #")
    few = constant(sort, "few_tiles = Size == tiles::small ? 128 : #") * constant(sort, "struct sort_tuning {...block_threads = #")
    rows = [2 * constant(sort, "row_step = item_bytes <= 4 ? # : 4"), 2 * constant(sort, "row_step = item_bytes <= 4 ? 8 : #")]
    samples = constant(sort, "struct value_sample_tuning {...block_threads = #") * constant(sort, "lane_samples = #")
    by_value = [constant(sort, "is_same_v<Key, double> ? # : 26)"), constant(sort, "is_same_v<Key, double> ? 23 : #)")]
    contended = constant(host, "contended_bytes = #") >> 20
    contended_sorts = [contended // constant(host, "weight_of_sort = #"), contended // constant(host, "weight_of_merge_sort = #")]
    words = {2.5: "two and a half", 5: "five", 8: "eight"}
    parts = {6: "a sixth", 8: "an eighth", 32: "a 32nd", 64: "a 64th"}
    skews = [words[constant(sort, "most_skew = #")], words[constant(sort, "most_skew_without_bits = #")]]
    listed, selected = parts[constant(select, "list_part = #")], parts[constant(select, "selected_part = #")]
    samples_of_keys = 1 << constant(select, "num_samples = 1 << #")
    heap = parts[constant(host, "items_per_heap_place = #")]
    fewest, plain = power(constant(select, "fewest_selected = #")), constant(call, "are_plain = ((is_plain<Ts> && sizeof(Ts) <= #")
    methods = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8").split("table: methods -->")[1].count("\n| ") - 1  # without the head
    slot, slab = constant(context, "slot_bytes = #") >> 10, constant("zeroed_memory.h", "std::size_t bytes = #") >> 10
    return {
        "docs/design.md": [
            f"{window} tiles make a window",
            f"the chunk into tiles of {constant(segments, 'struct output_tuning {...shape{#') * 32} outputs",
            f"a bound among {samples_of_keys:,} samples",
            f"Once up to {constant(select, 'most_ranked = #'):,} numbers are left",
            f"If there are {power(constant(select, 'fewest_sampled = #'))} items or more, and k is at most {parts[constant(select, 'sampled_part = #')]} of n",
            f"Up to {own * window} tiles ({own} windows), each block folds",
            f"{constant(look_back, 'scout_patience = #'):,} cycles",
            f"read that flag every {constant(look_back, 'polls_per_check = #')} polls",
            f"in chains of {words[constant(order, 'chain_items = is_integer<T> ? 64 : #')]}",
            f"room for {constant(order, 'most_scan_chunks = sizeof(T) <= 16 ? #'):,} of them on the board",
            f"(for {constant(order, 'most_scan_chunks = sizeof(T) <= 16 ? 131072 : #'):,} of items over 16 bytes)",
            f"take three launches from {constant(look_back, 'fewest_summed_tiles = #')} tiles on",
            f"a kernel empties boards of {constant(look_back, 'fewest_cleared_tiles = #')} and more tiles",
            f"a tile with more than {words[constant(segments, 'crowded_segments_per_item = #')]} segments for each item",
            f"up to {constant(sort, 'most_passes = #') // 4} segments for keys of 4 bytes",
            f"at most {constant(order, 'most_segment_chunks = sizeof(T) <= 16 ? #'):,} chunks",
            f"min(tiles, {constant(order, 'most_strips = #')}) strips",
            f"bands of {constant(order, 'band_rows = #')} rows",
            f"(up to {power(few * rows[0])} of 4 bytes, {power(few * rows[1])} of 8)",
            f"a sample of up to {samples:,} keys",
            f"{skews[0]} times the mean size, or {skews[1]} times",
            f"{constant(sort, 'most_pieces = #')} times the keys that fit",
            f"for two passes, from 2^{by_value[0]} to 2^28 keys",
            f"from 2^{by_value[1]} keys on",
            f"({constant(select, 'digit_bits = #')} bits) to the lowest",
            f"{listed} of the input or less",
            f"faster from about {selected} on",
            f"Up to {constant(merge, 'few_tiles = #; /// In a sort'):,} tiles a block searches itself",
            f"up to {constant(merge, 'most_splits_by_lanes = #'):,} tiles {words[constant(merge, 'lanes_per_split = #')]} lanes search for each",
            f"as fit {constant(histogram, 'sm_90 */ {# * 1024')} KB",
            f"beyond {constant(histogram, 'sm_90 */ {40 * 1024, # * 1024')} KB",
            f"from {power(constant(histogram, 'samples_in_parts = #'))} samples on",
            f"From {power(constant(histogram, 'guided_samples = #'))} samples on each block builds a guide",
            f"for more than {constant(histogram, 'most_bins_cleared_beside = #'):,} bins, there is a memset",
            f"tiles ({constant(host, 'tile_bytes = #') >> 10} KB) come from tickets",
            f"tiles of {constant(order, 'host_reduce_tile_bytes = #') >> 10} KB in order",
            f"each in {constant(order, 'num_strands = sizeof(T) < 4 ? 256 / sizeof(T) : #')} strands",
            f"arrays of up to {constant(host, 'most_chunked_bytes = #') >> 20} MB",
            f"up to {constant(host, 'most_skewed_bytes = #') >> 20} MB where most keys share their highest digit",
            f"bins, {constant(host, 'sent_items = #'):,} at a time",
            f"From {constant(host, 'fewest_keeping_threads = #')} threads on a bin that has {constant(host, 'frequent_of_sample = #')} or more of {constant(host, 'owner_sample = #')} samples",
            f"began more than {constant(host, 'late_ms = #')} ms late",
            f"for the next {constant(host, 'first_period_ms = #')} ms and longer",
            f"calls below {contended} MB, of sorts below {contended_sorts[0]} MB, of merge sorts below {contended_sorts[1]} MB",
            f"pinned slots of {slot} KiB",
            f"slabs of {slab} KiB",
            f"At most {constant('zeroed_memory.h', 'most = #')} slabs ({constant('zeroed_memory.h', 'most = #') * slab >> 10} MiB) are made in a context",
            f"needs at most {constant('zeroed_memory.h', 'most_bytes = #') >> 10} KiB",
            f"at most {plain} bytes), the call is ours",
            f"or exceed {plain} bytes",
        ],
        "README.md": [f"{methods} textbook algorithms"],
        "docs/calls.md": [f"have more than {plain} bytes"],
        "include/hindsight/top_k.h": [f"fewer than {fewest} of them, and where k is more than {selected}", f"less than {heap} of a thread's items", f"{listed} of the items as numbers"],
        "include/hindsight/policy.h": [f"{slot} KiB of pinned memory", f"{slab} KiB for each small call"],
    }


if __name__ == "__main__":
    unittest.main()
