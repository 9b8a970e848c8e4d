#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles misuses that can be known at compile time: each is refused with a sentence of the library's.

Usage: misuse_test.py NVCC INCLUDE_DIR... (in the order in which nvcc gets them)
"""

import os
import re
import subprocess
import sys
import tempfile

HEAD = """
#include <hindsight/hindsight.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/universal_vector.h>
#include <array>
#include <vector>
struct mark { int weight; bool is_set; };
void f(thrust::device_vector<int>& d, std::vector<int>& v, thrust::host_vector<int>& h,
       thrust::universal_vector<int>& u, std::vector<float>& levels, mark* marks) {
  int* raw = thrust::raw_pointer_cast(d.data());
"""
MEMBER = "a pointer to a member cannot be called as a function"
MIXED = "mixes iterators of device memory and of a host container"
UNREACHABLE = "host::par cannot reach device memory"
REFUSED = {
    "hindsight::inclusive_scan(d, v.begin());": MIXED,
    "hindsight::inclusive_scan(d.begin(), d.end(), h.begin());": MIXED,
    "hindsight::copy_if(v.begin(), v.end(), d.begin(), ::cuda::std::identity{});": MIXED,
    "hindsight::sort_by_key(d, h.begin());": MIXED,
    "hindsight::histogram_even(d, 10, 0, 10, v.begin());": MIXED,
    "hindsight::filter(std::array<int, 3>{}, ::cuda::std::identity{});": "so the range has to be a vector",
    "thrust::sort(hindsight::host::par, d.begin(), d.end());": UNREACHABLE,
    "thrust::inclusive_scan(hindsight::host::par, v.begin(), v.end(), d.begin());": UNREACHABLE,
    "hindsight::count_if(hindsight::cuda::par, marks, marks + 9, &mark::is_set);": MEMBER,
    "hindsight::copy_if_into(hindsight::cuda::par, marks, marks + 9, marks, raw, &mark::is_set);": MEMBER,
    "hindsight::transform_reduce(hindsight::cuda::par, marks, marks + 9, &mark::weight, 0, ::cuda::std::plus<>{});": MEMBER,
}
OUTPUT = "is given by where it begins: pass v.begin(), not the container"
NO_ITERATOR = "has something else in the place of an iterator"
RANDOM_ACCESS = "needs a range of random access"
READ_ONLY = "but the range is const"
NOT_SENT = "ranks exchange items that are trivially copyable"
NO_INSERTER = "in place of an inserter pass begin() of a vector that has its size"
# The likeliest mistakes with data on the host: the first error that the compiler writes is the library's sentence.
HOST_HEAD = """
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>
#include <cuda/std/mdspan>
#include <cuda/std/span>
#include <thrust/device_vector.h>
#include <iterator>
#include <list>
#include <string>
#include <vector>
struct point {
  float x, y;
  bool is_set;
  bool is_before(const point&) const;
};
struct doubled {
  using element_type = const int;
  using reference = int;
  using data_handle_type = const int*;
  using offset_policy = doubled;
  constexpr int access(const int* p, std::size_t i) const { return 2 * p[i]; }
  constexpr const int* offset(const int* p, std::size_t i) const { return p + i; }
};
struct backwards {
  template <class Extents>
  struct mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = typename Extents::rank_type;
    using layout_type = backwards;
    mapping() = default;
    constexpr mapping(const Extents& size) : size_(size) {}
    constexpr const Extents& extents() const { return size_; }
    constexpr index_type required_span_size() const { return size_.extent(0); }
    constexpr index_type operator()(index_type i) const { return size_.extent(0) - 1 - i; }
    static constexpr bool is_always_unique() { return true; }
    static constexpr bool is_always_exhaustive() { return true; }
    static constexpr bool is_always_strided() { return false; }
    static constexpr bool is_unique() { return true; }
    static constexpr bool is_exhaustive() { return true; }
    static constexpr bool is_strided() { return false; }
    constexpr bool operator==(const mapping& other) const { return size_ == other.size_; }
    Extents size_;
  };
};
void f(std::vector<int>& v, std::vector<int>& w, const std::vector<int>& c, std::list<int>& l, std::vector<point>& p,
       hindsight::loopback::group& g, hindsight::sharded<int>& k, hindsight::sharded<std::string>& s) {
  (void)v, (void)w, (void)c, (void)l, (void)p, (void)g, (void)k, (void)s;
  int three[3] = {}, three_more[3] = {};
  (void)three, (void)three_more;
"""
REFUSED_ON_HOST = {
    "hindsight::histogram_even(l, 10, 0, 10, w.begin());": RANDOM_ACCESS,
    "hindsight::sort(l);": RANDOM_ACCESS,
    "hindsight::inclusive_scan(v, w);": OUTPUT,
    "hindsight::copy_if(v, w, [](int) { return true; });": OUTPUT,
    "hindsight::histogram_even(v, 10, 0, 10, w);": OUTPUT,
    "hindsight::copy_if(v, w.begin(), [](const std::string&) { return true; });": "the predicate cannot be called with one item",
    "hindsight::sort(v, 3);": "the order cannot compare two items",
    "hindsight::sort(p);": "or give their type an operator<",
    "hindsight::sort(p, std::greater<>{});": "or give their type an operator>",
    "hindsight::sort(c);": READ_ONLY,
    "hindsight::unique(c);": READ_ONLY,
    "hindsight::unique_by_key(w, c.begin());": READ_ONLY,
    "hindsight::partition(c, [](int) { return true; });": READ_ONLY,
    "hindsight::stable_partition(c, [](int) { return true; });": READ_ONLY,
    "const thrust::device_vector<int> d(3); hindsight::sort(d);": READ_ONLY,
    "const thrust::device_vector<int> d(3); hindsight::remove(d, 3);": READ_ONLY,
    "hindsight::reduce(::cuda::std::mdspan<const int, ::cuda::std::dextents<int, 1>, ::cuda::std::layout_right, doubled>(v.data(), 3));": "the accessor of this mdspan changes its items",
    "hindsight::inclusive_scan(::cuda::std::mdspan<int, ::cuda::std::dextents<int, 1>, backwards>(v.data(), 3), w.begin());": "the layout of this mdspan has no strides",
    "hindsight::sorted(::cuda::std::span<int>(v.data(), v.size()));": "sorted() of a view would sort the items that it refers to",
    "hindsight::sorted(three);": "sorted() of a view would sort the items that it refers to",
    "hindsight::reduce(p);": "the operator cannot join two items",
    "hindsight::top_k(hindsight::host::par, v.begin(), hindsight::deferred{v.begin(), 3}, 2, w.begin());": "selections take no deferred size",
    "hindsight::top_k(l, 2, w.begin());": RANDOM_ACCESS,
    "hindsight::mean(l);": RANDOM_ACCESS,
    "hindsight::minmax(l);": RANDOM_ACCESS,
    "hindsight::offsets_of(l, w.begin());": RANDOM_ACCESS,
    "hindsight::run_length_decode(v, c.begin(), std::back_inserter(w));": NO_INSERTER,
    "hindsight::expand(v, c, std::back_inserter(w));": NO_INSERTER,
    "hindsight::spmv(hindsight::csr(v, l, v), v.begin(), w.begin());": "spmv takes random-access iterators",
    "hindsight::run_lengths(std::string{});": "so the range has to be a vector",
    "hindsight::filter(std::string{}, [](char) { return true; });": "so the range has to be a vector",
    "hindsight::top_k(p, 2, p.begin());": "or give their type an operator>",
    "hindsight::partial_sort(c.begin(), c.begin() + 1, c.end());": READ_ONLY,
    "hindsight::inclusive_scan(hindsight::host::par, v, w);": NO_ITERATOR,
    "hindsight::sort_by_key(hindsight::host::par, v.begin(), v.end(), w);": NO_ITERATOR,
    "hindsight::inclusive_scan(hindsight::host::par, three, three_more, std::plus<>{});": NO_ITERATOR,
    "hindsight::count_if(p, &point::is_set);": MEMBER,
    "hindsight::copy_if(p, p.begin(), &point::is_set);": MEMBER,
    "hindsight::remove_copy_if(p, p.begin(), &point::is_set);": MEMBER,
    "hindsight::any_of(p, &point::is_set);": MEMBER,
    "hindsight::partition(p, &point::is_set);": MEMBER,
    "hindsight::partition_copy(p, p.begin(), p.begin(), &point::is_set);": MEMBER,
    "hindsight::copy_if_into(hindsight::host::par, p.begin(), p.end(), p.begin(), v.begin(), &point::is_set);": MEMBER,
    "hindsight::transform_reduce(p, &point::x, 0.0f, std::plus<>{});": MEMBER,
    "hindsight::transform_inclusive_scan(p, v.begin(), &point::x, std::plus<>{});": MEMBER,
    "hindsight::sort(p, &point::is_before);": MEMBER,
    "hindsight::run_length_encode(p, p.begin(), v.begin(), &point::is_before);": MEMBER,
    "hindsight::sort_by_key(g.par, k, s);": NOT_SENT,
    "hindsight::stable_partition(g.par, s, [](const std::string&) { return true; });": NOT_SENT,
    "hindsight::rebalance(g.par, s, s);": NOT_SENT,
    "hindsight::reduce_same_bits(g.par, s, std::string{});": NOT_SENT,
}
# What is said to functions in CUB's shape.
DEVICE_HEAD = """
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_topk.cuh>
struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
struct left {
  __host__ __device__ float operator()(float a, float) const { return a; }
};
struct copied {
  int value;
  __host__ __device__ copied(int number = 0) : value{number} {}
  __host__ __device__ copied(const copied& other) : value{other.value} {}
  __host__ __device__ copied& operator=(const copied& other) { return value = other.value, *this; }
  __host__ __device__ copied operator+(const copied& other) const { return value + other.value; }
  __host__ __device__ bool operator<(const copied& other) const { return value < other.value; }
};
using wide = ::cuda::std::array<double, 5>;
void f(float* in, float* out, copied* items, int* o, wide* wides) {
  using namespace hindsight::execution;
  const auto everywhere = require(determinism::gpu_to_gpu);
"""
NOT_DEFERRED = "items that are large or not trivially copyable need a number of items that the host knows"
NOT_ORDERED = "items that are large or not trivially copyable are scanned by CUB"
NOT_MET = "gpu_to_gpu is met for integers, and for floating-point numbers in memory"
REFUSED_BY_DEVICE = {
    "hindsight::DeviceReduce::TransformReduce(in, out, 9, ::cuda::std::plus<>{}, twice{}, 0.0f, everywhere);": NOT_MET,
    "hindsight::DeviceScan::InclusiveScan(in, out, left{}, 9, everywhere);": NOT_MET,
    "hindsight::DeviceScan::InclusiveSum(items, hindsight::deferred{o, 9});": NOT_DEFERRED,
    "hindsight::DeviceScan::ExclusiveScanByKey(o, items, items, ::cuda::std::plus<>{}, copied{}, hindsight::deferred{o, 9});": NOT_DEFERRED,
    "hindsight::DeviceScan::InclusiveSum(items, items, 9, require(determinism::run_to_run));": NOT_ORDERED,
    "hindsight::DeviceScan::ExclusiveScanByKey(o, items, items, ::cuda::std::plus<>{}, copied{}, 9, ::cuda::std::equal_to<>{}, require(determinism::run_to_run));": NOT_ORDERED,
    "hindsight::DeviceMergeSort::SortKeys(items, hindsight::deferred{o, 9}, ::cuda::std::less<>{});": NOT_DEFERRED,
    "hindsight::DeviceMergeSort::SortPairsCopy(o, items, o, items, hindsight::deferred{o, 9}, ::cuda::std::less<>{});": NOT_DEFERRED,
    "hindsight::DeviceTopK::MaxKeys(wides, wides + 9, 9, 3);": "DeviceTopK takes numbers, tuples of them",
    "hindsight::DeviceScan::InclusiveSum(in, out, 9, env{twice{}});": "env{...} takes streams, memory resources",
    "hindsight::DeviceScan::InclusiveSum(in, out, 9, require(twice{}));": "require() takes determinism::gpu_to_gpu",
}
# Every single-call form that folds: under gpu_to_gpu with an operator of the caller's, or of computed items. One source: each
# has a line of its own, at which the compiler has to point.
FOLDS_HEAD = """
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_segmented_scan.cuh>
#include <thrust/iterator/transform_iterator.h>
using namespace hindsight;
template <int>
struct left {
  __host__ __device__ float operator()(float a, float) const { return a; }
};
template <int>
struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
void f(float* in, float* out, int* keys, int* to, int* o) {
  const auto env = execution::require(execution::determinism::gpu_to_gpu);
"""
FOLDS = """
DeviceReduce::Reduce(in, out, 9, left<LINE>{}, 0.f, env);
DeviceReduce::Sum(thrust::make_transform_iterator(in, twice<LINE>{}), out, 9, env);
DeviceReduce::Min(thrust::make_transform_iterator(in, twice<LINE>{}), out, 9, env);
DeviceReduce::Max(thrust::make_transform_iterator(in, twice<LINE>{}), out, 9, env);
DeviceReduce::TransformReduce(in, out, 9, left<LINE>{}, ::cuda::std::identity{}, 0.f, env);
DeviceReduce::ReduceByKey(keys, to, in, out, o, left<LINE>{}, 9, env);
DeviceScan::InclusiveScan(in, out, left<LINE>{}, 9, env);
DeviceScan::InclusiveScan(in, left<LINE>{}, 9, env);
DeviceScan::InclusiveScanInit(in, out, left<LINE>{}, 0.f, 9, env);
DeviceScan::ExclusiveScan(in, out, left<LINE>{}, 0.f, 9, env);
DeviceScan::ExclusiveScan(in, left<LINE>{}, 0.f, 9, env);
DeviceScan::InclusiveSum(thrust::make_transform_iterator(in, twice<LINE>{}), out, 9, env);
DeviceScan::ExclusiveSum(thrust::make_transform_iterator(in, twice<LINE>{}), out, 9, env);
DeviceScan::InclusiveScanByKey(keys, in, out, left<LINE>{}, 9, ::cuda::std::equal_to<>{}, env);
DeviceScan::ExclusiveScanByKey(keys, in, out, left<LINE>{}, 0.f, 9, ::cuda::std::equal_to<>{}, env);
DeviceScan::InclusiveSumByKey(keys, thrust::make_transform_iterator(in, twice<LINE>{}), out, 9, ::cuda::std::equal_to<>{}, env);
DeviceScan::ExclusiveSumByKey(keys, thrust::make_transform_iterator(in, twice<LINE>{}), out, 9, ::cuda::std::equal_to<>{}, env);
DeviceSegmentedReduce::Reduce(in, out, 3, o, o + 1, left<LINE>{}, 0.f, env);
DeviceSegmentedReduce::Sum(thrust::make_transform_iterator(in, twice<LINE>{}), out, 3, o, o + 1, env);
DeviceSegmentedReduce::Sum(thrust::make_transform_iterator(in, twice<LINE>{}), to, 3, o, o + 1, env);
DeviceSegmentedReduce::Min(thrust::make_transform_iterator(in, twice<LINE>{}), out, 3, o, o + 1, env);
DeviceSegmentedReduce::Max(thrust::make_transform_iterator(in, twice<LINE>{}), out, 3, o, o + 1, env);
DeviceSegmentedReduce::Reduce(in, out, 3, 5, left<LINE>{}, 0.f, env);
DeviceSegmentedReduce::Sum(thrust::make_transform_iterator(in, twice<LINE>{}), out, 3, 5, env);
DeviceSegmentedReduce::Min(thrust::make_transform_iterator(in, twice<LINE>{}), out, 3, 5, env);
DeviceSegmentedReduce::Max(thrust::make_transform_iterator(in, twice<LINE>{}), out, 3, 5, env);
DeviceSegmentedScan::InclusiveSegmentedScan(in, out, o, o + 1, o, 3, left<LINE>{}, env);
DeviceSegmentedScan::InclusiveSegmentedScan(in, out, o, o + 1, 3, left<LINE>{}, env);
DeviceSegmentedScan::InclusiveSegmentedScanInit(in, out, o, o + 1, o, 3, left<LINE>{}, 0.f, env);
DeviceSegmentedScan::InclusiveSegmentedScanInit(in, out, o, o + 1, 3, left<LINE>{}, 0.f, env);
DeviceSegmentedScan::ExclusiveSegmentedScan(in, out, o, o + 1, o, 3, left<LINE>{}, 0.f, env);
DeviceSegmentedScan::ExclusiveSegmentedScan(in, out, o, o + 1, 3, left<LINE>{}, 0.f, env);
DeviceSegmentedScan::InclusiveSegmentedSum(thrust::make_transform_iterator(in, twice<LINE>{}), out, o, o + 1, o, 3, env);
DeviceSegmentedScan::InclusiveSegmentedSum(thrust::make_transform_iterator(in, twice<LINE>{}), out, o, o + 1, 3, env);
DeviceSegmentedScan::ExclusiveSegmentedSum(thrust::make_transform_iterator(in, twice<LINE>{}), out, o, o + 1, o, 3, env);
DeviceSegmentedScan::ExclusiveSegmentedSum(thrust::make_transform_iterator(in, twice<LINE>{}), out, o, o + 1, 3, env);
""".strip().splitlines()
TAKEN_BY_DEVICE = """
  hindsight::DeviceReduce::Sum(in, out, 9, everywhere);
  hindsight::DeviceScan::InclusiveSum(in, 9, env{cudaStreamPerThread, everywhere});
  hindsight::DeviceScan::InclusiveSum(items, 9);
  hindsight::DeviceScan::ExclusiveScanByKey(o, items, items, ::cuda::std::plus<>{}, copied{}, 9);
  hindsight::DeviceSegmentedReduce::Sum(items, items, 3, o, o + 1);
  hindsight::DeviceSegmentedReduce::Sum(items, items, 3, 3);
  hindsight::DeviceMergeSort::SortKeys(items, 9, ::cuda::std::less<>{});
  hindsight::DeviceMergeSort::SortPairs(o, items, 9, ::cuda::std::less<>{});
}
"""
MOST_LINES = 150
TAKEN = """
  hindsight::inclusive_scan(d, raw);  // a raw pointer may point to device memory
  hindsight::inclusive_scan(v, h.begin());
  hindsight::all_of(hindsight::cuda::par, marks, marks + 9, &mark::is_set);  // as stock
  hindsight::histogram_range(d, levels.begin(), levels.end(), d.begin());  // levels may be anywhere
  thrust::sort(hindsight::cuda::par, v.begin(), v.end());  // where the GPU reaches the host's memory
  thrust::sort(hindsight::host::par, u.begin(), u.end());
}
"""


def compile_source(nvcc, includes, text, step="-c"):
    return run_compiler([nvcc, "-std=c++17", *("-I" + path for path in includes), step, "-o", os.devnull], "misuse.cu", text)


def toolkit_includes(nvcc):
    """Where nvcc itself looks: a C++ compiler has to be told."""
    root = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "include")
    return [os.path.join(root, "cccl"), root]


def host_compiler(includes, standard):
    command = [os.environ.get("CXX", "c++"), "-std=" + standard, "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]
    return [*command, *("-I" + path for path in includes)]


def compile_on_host(includes, source, standard):
    return run_compiler([*host_compiler(includes, standard), "-fsyntax-only"], "misuse.cpp", source)


def run_compiler(command, name, text):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = [*command, source]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def missing_under_cxx20(includes):
    """The sentences that the errors lack of all misuses in one source."""
    head, begin, rest = HOST_HEAD.partition("void f")
    functions = "".join(f"{begin}{i}{rest}{statement}\n}}\n" for i, statement in enumerate(REFUSED_ON_HOST))
    _, output = compile_on_host(includes, head + functions, "c++20")
    errors = [line for line in output.splitlines() if "error:" in line]
    return {sentence for sentence in REFUSED_ON_HOST.values() if not any(sentence in line for line in errors)}


def refused_at_once(nvcc, includes, head, refused):
    """Of statements in one source those at whose lines the compiler points with their sentences."""
    source = "".join(f'#line {number} "statement"\n{{ {statement} }}\n' for number, statement in enumerate(refused, 1))
    _, output = compile_source(nvcc, includes, head + source + "}\n", "-cuda")
    refusals = [part for part in output.split(": error: ") if part.startswith("static assertion failed with")]
    lines = [(part, {int(line) for line in re.findall(r"at line (\d+) of statement$", part, re.M)}) for part in refusals]
    return {statement for number, (statement, sentence) in enumerate(refused.items(), 1)
            if any(sentence in part and number in at for part, at in lines)}


def refused_together(nvcc, includes, head, refused):
    """The same in few sources, for most of the compiler's time goes into the headers: an error may hide others, which the next one shows."""
    found = set()
    while rest := {statement: sentence for statement, sentence in refused.items() if statement not in found}:
        more = refused_at_once(nvcc, includes, head, rest)
        if not more:
            break
        found |= more
    return found


def folds_not_refused(nvcc, includes):
    folds = {fold.replace("LINE", str(number)): NOT_MET for number, fold in enumerate(FOLDS, 1)}
    return sorted(folds.keys() - refused_together(nvcc, includes, FOLDS_HEAD, folds))


def refusals_on_host(includes):
    """Statement -> exit status and output of the compiler, which reads the headers once for all of them."""
    headers, begin, function = HOST_HEAD.partition("void f")
    with tempfile.TemporaryDirectory() as folder:
        header = os.path.join(folder, "headers.h")
        with open(header, "w", encoding="utf-8") as file:
            file.write(headers)
        compiler = host_compiler(includes, "c++17")
        subprocess.run([*compiler, "-x", "c++-header", header, "-o", header + ".gch"], check=True)
        for statement in REFUSED_ON_HOST:
            source = begin + function + statement + "\n}\n"
            yield statement, *run_compiler([*compiler, "-fsyntax-only", "-include", header], "misuse.cpp", source)


def main(nvcc, *includes):
    failures = 0
    for head, taken, refused in ((HEAD, TAKEN, REFUSED), (DEVICE_HEAD, TAKEN_BY_DEVICE, REFUSED_BY_DEVICE)):
        status, output = compile_source(nvcc, includes, head + taken)
        if status != 0:
            failures += 1
            print("FAIL: what should compile does not:\n" + output)
        together = refused_together(nvcc, includes, head, refused)
        for statement, sentence in refused.items():
            is_refused, output = statement in together, ""
            if not is_refused:
                status, output = compile_source(nvcc, includes, head + statement + "\n}\n")
                is_refused = status != 0 and sentence in output
            failures += not is_refused
            print("ok:" if is_refused else "FAIL:", statement, "" if is_refused else output[:2000])
    host_includes = [*includes, *toolkit_includes(nvcc)]
    for statement, status, output in refusals_on_host(host_includes):
        sentence = REFUSED_ON_HOST[statement]
        first = next((line for line in output.splitlines() if "error:" in line), "")
        is_refused = status != 0 and sentence in first and len(output.splitlines()) <= MOST_LINES
        failures += not is_refused
        print("ok:" if is_refused else "FAIL:", statement, "" if is_refused else output[:2000])
    missing = missing_under_cxx20(host_includes)
    print("FAIL: C++20 lacks" if missing else "ok: C++20", *missing)
    compiled = folds_not_refused(nvcc, includes)
    print("FAIL: gpu_to_gpu is promised by" if compiled else "ok: every fold refuses gpu_to_gpu", *compiled)
    return 1 if failures or missing or compiled else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
