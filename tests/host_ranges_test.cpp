// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Ranges that have no begin(): C arrays, rows and columns of matrices. host_views_test.cpp has the
// views of C++20.
#include <hindsight/hindsight.h>
#include <hindsight/rows.h>

#include <cuda/std/mdspan>
#include <cuda/std/span>
#include <thrust/device_vector.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace {

const auto& par = hindsight::host::par;

TEST(Ranges, CArrays) {
  int items[] = {5, 3, 9, 1}, out[4] = {};
  EXPECT_EQ(hindsight::reduce(items), 18);
  EXPECT_EQ(hindsight::reduce(par, items, 2), 20);
  hindsight::inclusive_scan(items, out);
  EXPECT_EQ(out[3], 18);
  hindsight::inclusive_scan(items, out, ::cuda::maximum<int>{});  // an output, not an end
  EXPECT_EQ(out[1], 5);
  hindsight::exclusive_scan(par, ::cuda::std::span<int>(items), out, 7);
  EXPECT_EQ(out[3], 24);
  const auto is_large = [](int item) { return item > 4; };
  EXPECT_EQ(hindsight::copy_if(items, out, is_large) - out, 2);
  EXPECT_EQ(*hindsight::max_element(items), 9);
  EXPECT_EQ(hindsight::count_if(items, is_large), 2);
  hindsight::sort(par, items);
  EXPECT_TRUE(std::is_sorted(items, items + 4));
  hindsight::sort(items, ::cuda::std::greater<int>{});
  EXPECT_EQ(items[0], 9);
  hindsight::sort_by_key(items, out);
  EXPECT_EQ(items[0], 1);
  EXPECT_EQ(hindsight::unique(items) - items, 4);
  const int offsets[] = {0, 1, 4};
  EXPECT_EQ(hindsight::reduce_segments(items, hindsight::by_offsets(offsets), out) - out, 2);
  EXPECT_EQ(out[1], 17);
}

// A string is a range, and among strings one item.
TEST(Ranges, CArraysOfStringsFromAString) {
  std::string items[] = {"a", "b", "c"}, out[3];
  EXPECT_EQ(hindsight::exclusive_scan(items, out, std::string("-")) - out, 3);
  EXPECT_EQ(out[2], "-ab");
  hindsight::exclusive_scan(items, out, std::string("+"), std::plus<>{});
  EXPECT_EQ(out[1], "+a");
  hindsight::inclusive_scan(items, out, std::string("-"), std::plus<>{});
  EXPECT_EQ(out[2], "-abc");
}

int sum_of(int a, int b) {
  return a + b;
}
bool comes_after(int a, int b) {
  return b < a;
}
bool have_one_parity(int a, int b) {
  return (a - b) % 2 == 0;
}
bool is_large_item(int item) {
  return item > 4;
}

// A function is no output, though a pointer to it names an iterator's category before C++20.
TEST(Ranges, CArraysAndFunctions) {
  int items[] = {5, 3, 9, 1, 2}, out[5] = {}, counts[5] = {};
  hindsight::inclusive_scan(items, out, sum_of);
  EXPECT_EQ(out[4], 20);
  hindsight::adjacent_difference(items, out, sum_of);
  EXPECT_EQ(out[4], 3);
  EXPECT_EQ(hindsight::unique_copy(items, out, have_one_parity) - out, 2);
  EXPECT_EQ(hindsight::run_length_encode(items, out, counts, have_one_parity).first - out, 2);
  EXPECT_EQ(counts[0], 4);
  EXPECT_EQ(hindsight::pack_index(items, out, is_large_item) - out, 2);
  EXPECT_EQ(out[1], 2);
  hindsight::sort_by_key(items, out, comes_after);
  EXPECT_EQ(items[0], 9);
  EXPECT_EQ(out[0], 12);
}

// Beside another array of its type: a span.
TEST(Ranges, SpansOfCArrays) {
  int items[] = {5, 3, 9, 1}, marks[] = {0, 1, 0, 1}, out[4] = {};
  const ::cuda::std::span<int> all(items);
  hindsight::inclusive_scan(par, all, out, ::cuda::maximum<int>{});
  EXPECT_EQ(out[3], 9);
  const ::cuda::std::identity is_set;
  EXPECT_EQ(hindsight::copy_if(par, all, marks, out, is_set) - out, 2);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(hindsight::stable_partition(all, marks, is_set) - all.begin(), 2);
  EXPECT_EQ(items[2], 5);
}

// First and last of an array are what they were.
TEST(Ranges, EndsOfCArrays) {
  int items[] = {5, 3, 9, 1}, out[4] = {};
  EXPECT_EQ(hindsight::reduce(items, items + 3), 17);
  EXPECT_EQ(hindsight::reduce(par, items, items + 3, 1), 18);
  hindsight::inclusive_scan(par, items, items + 4, out);
  EXPECT_EQ(out[3], 18);
  thrust::exclusive_scan(par, items, items + 4, out, 1);
  EXPECT_EQ(out[3], 18);
  hindsight::sort(items, items + 2);
  EXPECT_EQ(items[0], 3);
  thrust::sort(par, items, items + 4, ::cuda::std::greater<int>{});
  EXPECT_EQ(items[3], 1);
}

template <class Layout>
void try_matrix() {
  using matrix = ::cuda::std::mdspan<int, ::cuda::std::dextents<int, 2>, Layout>;
  std::vector<int> items(5 * 7);
  const matrix m{items.data(), 5, 7};
  const auto at = [&](int i, int j) -> int& { return items[std::size_t(m.mapping()(i, j))]; };
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) at(i, j) = (i * 31 + j * 17) % 23;
  const std::vector<int> before = items;
  int row_sum = 0, column_sum = 0;
  for (int j = 0; j < 7; ++j) row_sum += at(2, j);
  for (int i = 0; i < 5; ++i) column_sum += at(i, 3);
  EXPECT_EQ(hindsight::reduce(hindsight::row(m, 2)), row_sum);
  EXPECT_EQ(hindsight::reduce(par, hindsight::column(m, 3)), column_sum);
  hindsight::sort(hindsight::column(m, 3));
  hindsight::inclusive_scan(par, hindsight::row(m, 0), hindsight::row(m, 0).begin());
  for (int i = 1; i < 5; ++i) {
    if (i > 1) {
      EXPECT_LE(at(i - 1, 3), at(i, 3));
    }
    for (int j = 0; j < 7; ++j) {
      if (j != 3) {
        EXPECT_EQ(at(i, j), before[std::size_t(m.mapping()(i, j))]);
      }
    }
  }
  EXPECT_EQ(at(0, 1),
            before[std::size_t(m.mapping()(0, 0))] + before[std::size_t(m.mapping()(0, 1))]);
  EXPECT_EQ(hindsight::row(m, 4).size(), 7u);
  EXPECT_EQ(hindsight::row(m, 4)[6], at(4, 6));
}

// *first of a device_vector is no number, but refers to one.
TEST(Ranges, LevelsOfAHistogramInADeviceVector) {
  const thrust::device_vector<float> samples(100, 0.3f);
  thrust::device_vector<float> levels(2, 0.0f);
  thrust::device_vector<int> counters(10);
  levels[1] = 1;
  const auto lower = levels.begin(), upper = lower + 1;
  hindsight::histogram_even(samples, 10, *lower, *upper, counters.begin());
  EXPECT_EQ(counters[3], 100);
  EXPECT_EQ(hindsight::histogram(samples, 10, *lower, *upper)[3], 100u);
  hindsight::histogram_even(thrust::seq, samples.begin(), samples.end(), 5, *lower, *upper,
                            counters.begin());
  EXPECT_EQ(counters[1], 100);
}

TEST(Ranges, AHistogramOfMoreBinsThanAnIntCounts) {
  const std::vector<float> samples(100, 0.3f);
  std::vector<int> counters(10, 7);
  const std::size_t num_bins = (std::size_t{1} << 32) + 10;
  EXPECT_THROW(hindsight::histogram_even(samples, num_bins, 0.0f, 1.0f, counters.begin()),
               hindsight::invalid_call);
  EXPECT_THROW(hindsight::histogram(samples, num_bins, 0.0f, 1.0f), hindsight::invalid_call);
  EXPECT_EQ(counters, std::vector<int>(10, 7));
}

TEST(Ranges, RowsAndColumns) {
  try_matrix<::cuda::std::layout_right>();
  try_matrix<::cuda::std::layout_left>();
  using matrix = ::cuda::std::mdspan<int, ::cuda::std::dextents<int, 2>>;
  int items[6] = {};
  const matrix m{items, 2, 3};
  static_assert(std::is_same_v<decltype(hindsight::row(m, 1).begin()), int*>);
}

// An mdspan of one dimension, side by side and with a stride.
TEST(Ranges, VectorsAsMdspans) {
  int items[] = {9, 1, 8, 2, 7, 3};
  const ::cuda::std::mdspan<int, ::cuda::std::dextents<int, 1>> all{items, 6};
  EXPECT_EQ(hindsight::reduce(all), 30);
  using strided =
      ::cuda::std::mdspan<int, ::cuda::std::dextents<int, 1>, ::cuda::std::layout_stride>;
  const strided odd{items + 1, strided::mapping_type{::cuda::std::dextents<int, 1>{3},
                                                     ::cuda::std::array<int, 1>{2}}};
  EXPECT_EQ(hindsight::reduce(par, odd), 6);
  hindsight::sort(odd, ::cuda::std::greater<int>{});
  EXPECT_EQ(items[1], 3);
  EXPECT_EQ(items[0], 9);
  hindsight::sort(all);
  EXPECT_EQ(items[0], 1);
  EXPECT_EQ(items[5], 9);
}

}  // namespace
