// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// A table of all public functions, on host threads: each is called with a range that ends before it
// begins, and with a null pointer in place of each range. All are refused before anything is
// written. (Bins and levels: key_bits_test.cpp; on the GPU: errors_test.cu.)
#include <hindsight/hindsight.h>

#include <thrust/count.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

constexpr int n = 10;
const auto& par = hindsight::host::par;

/// The ranges of a call, each [n].
struct ranges {
  int *first, *last, *second, *out, *out2;
};
using pointer = int* ranges::*;
constexpr pointer second = &ranges::second, out = &ranges::out, out2 = &ranges::out2;

bool is_odd(int item) {
  return item % 2 != 0;
}
int negated(int item) {
  return -item;
}
int sum_of(int a, int b) {
  return a + b;
}
bool are_equal(int a, int b) {
  return a == b;
}

struct row {
  const char* name;
  void (*call)(const ranges&);
  std::vector<pointer> used;  ///< beside first and last
};
#define ROW(name, ...) name, [](const ranges& r) { __VA_ARGS__; }
const row table[] = {
    {ROW("reduce", thrust::reduce(par, r.first, r.last)), {}},
    {ROW("reduce_into", hindsight::reduce_into(par, r.first, r.last, r.out)), {out}},
    {ROW("transform_reduce", thrust::transform_reduce(par, r.first, r.last, negated, 0, sum_of)),
     {}},
    {ROW("inner_product", thrust::inner_product(par, r.first, r.last, r.second, 0)), {second}},
    {ROW("count", thrust::count(par, r.first, r.last, 1)), {}},
    {ROW("count_if", thrust::count_if(par, r.first, r.last, is_odd)), {}},
    {ROW("inclusive_scan", thrust::inclusive_scan(par, r.first, r.last, r.out)), {out}},
    {ROW("exclusive_scan", thrust::exclusive_scan(par, r.first, r.last, r.out)), {out}},
    {ROW("transform_inclusive_scan",
         thrust::transform_inclusive_scan(par, r.first, r.last, r.out, negated, sum_of)),
     {out}},
    {ROW("transform_exclusive_scan",
         thrust::transform_exclusive_scan(par, r.first, r.last, r.out, negated, 0, sum_of)),
     {out}},
    {ROW("inclusive_scan_by_key",
         thrust::inclusive_scan_by_key(par, r.first, r.last, r.second, r.out)),
     {second, out}},
    {ROW("exclusive_scan_by_key",
         thrust::exclusive_scan_by_key(par, r.first, r.last, r.second, r.out, 0, are_equal)),
     {second, out}},
    {ROW("copy_if", thrust::copy_if(par, r.first, r.last, r.out, is_odd)), {out}},
    {ROW("copy_if, stencil", thrust::copy_if(par, r.first, r.last, r.second, r.out, is_odd)),
     {second, out}},
    {ROW("remove", (void)thrust::remove(par, r.first, r.last, 1)), {}},
    {ROW("remove_if", (void)thrust::remove_if(par, r.first, r.last, is_odd)), {}},
    {ROW("remove_if, stencil", (void)thrust::remove_if(par, r.first, r.last, r.second, is_odd)),
     {second}},
    {ROW("remove_copy", thrust::remove_copy(par, r.first, r.last, r.out, 1)), {out}},
    {ROW("remove_copy_if", thrust::remove_copy_if(par, r.first, r.last, r.out, is_odd)), {out}},
    {ROW("remove_copy_if, stencil",
         thrust::remove_copy_if(par, r.first, r.last, r.second, r.out, is_odd)),
     {second, out}},
    {ROW("partition", thrust::partition(par, r.first, r.last, is_odd)), {}},
    {ROW("partition, stencil", thrust::partition(par, r.first, r.last, r.second, is_odd)),
     {second}},
    {ROW("stable_partition", thrust::stable_partition(par, r.first, r.last, is_odd)), {}},
    {ROW("stable_partition, stencil",
         thrust::stable_partition(par, r.first, r.last, r.second, is_odd)),
     {second}},
    {ROW("partition_copy", thrust::partition_copy(par, r.first, r.last, r.out, r.out2, is_odd)),
     {out, out2}},
    {ROW("stable_partition_copy, stencil",
         thrust::stable_partition_copy(par, r.first, r.last, r.second, r.out, r.out2, is_odd)),
     {second, out, out2}},
    {ROW("reduce_by_key", thrust::reduce_by_key(par, r.first, r.last, r.second, r.out, r.out2)),
     {second, out, out2}},
    {ROW("run_length_encode", hindsight::run_length_encode(par, r.first, r.last, r.out, r.out2)),
     {out, out2}},
    {ROW("sort", thrust::sort(par, r.first, r.last)), {}},
    {ROW("stable_sort", thrust::stable_sort(par, r.first, r.last)), {}},
    {ROW("sort, comparator", thrust::sort(par, r.first, r.last, thrust::greater<int>{})), {}},
    {ROW("sort_by_key", thrust::sort_by_key(par, r.first, r.last, r.out)), {out}},
    {ROW("stable_sort_by_key", thrust::stable_sort_by_key(par, r.first, r.last, r.out)), {out}},
    {ROW("histogram_even", hindsight::histogram_even(par, r.first, r.last, 5, 0, 5, r.out)), {out}},
    {ROW("histogram_range",
         hindsight::histogram_range(par, r.first, r.last, r.second, r.second + 5, r.out)),
     {out}},
};
#undef ROW

struct bad_arguments : testing::Test {
  std::vector<int> in{1, 1, 2, 2, 3, 4, 5, 6, 7, 8}, other{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
      first_out = std::vector<int>(n, -1), second_out = std::vector<int>(n, -1);
  ranges good{in.data(), in.data() + n, other.data(), first_out.data(), second_out.data()};

  /// The reason, which must be one line that names the library.
  std::string refusal_of(const row& one, const ranges& bad) {
    const auto all = [&] {
      return std::vector<std::vector<int>>{in, other, first_out, second_out};
    };
    const auto before = all();
    try {
      one.call(bad);
    } catch (const hindsight::invalid_call& refusal) {
      const std::string what = refusal.what();
      EXPECT_EQ(what.find("hindsight::"), 0u) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_EQ(all(), before) << what;
      return what;
    }
    return "not refused";
  }
};

TEST_F(bad_arguments, ranges_that_end_before_they_begin) {
  for (const row& one : table) {
    ranges bad = good;
    std::swap(bad.first, bad.last);
    const std::string what = refusal_of(one, bad);
    EXPECT_NE(what.find("last comes before first"), std::string::npos) << one.name << ": " << what;
  }
}

TEST_F(bad_arguments, null_pointers) {
  for (const row& one : table) {
    ranges bad = good;
    bad.first = nullptr;
    bad.last = bad.first + n;
    std::string what = refusal_of(one, bad);
    EXPECT_NE(what.find("null"), std::string::npos) << one.name << ", first: " << what;
    for (const pointer used : one.used) {
      bad = good;
      bad.*used = nullptr;
      what = refusal_of(one, bad);
      EXPECT_NE(what.find("null"), std::string::npos) << one.name << ": " << what;
    }
  }
}

TEST_F(bad_arguments, nothing_at_all_is_no_error) {
  for (const row& one : table) {
    const std::string name = one.name;
    ranges nothing{};
    if (name == "reduce_into" || name.find("histogram") == 0) continue;  // they write anyhow
    EXPECT_EQ(refusal_of(one, nothing), "not refused") << name;
  }
}

}  // namespace
