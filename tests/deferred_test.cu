// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of items that lie in device memory: by key, differences, histograms, and functions in
// CUB's shape, each beside the same call with a number that the host knows.
#include <hindsight/adjacent_difference.h>
#include <hindsight/counts.h>
#include <hindsight/device_adjacent_difference.cuh>
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/histogram.h>
#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>
#include <hindsight/segments.h>
#include <hindsight/sort.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::deferred;
using hindsight::cuda::par;

struct is_small {
  HINDSIGHT_HD bool operator()(u32 item) const { return item < 1u << 30; }
};

/// The input, and what two calls write: one with a known number of items, one with a deferred.
struct two_calls {
  explicit two_calls(std::size_t num_items, std::size_t room)
      : n{num_items},
        most{room},
        keys(room),
        items(room),
        floats(room),
        size(std::vector<std::int64_t>{std::int64_t(num_items)}) {
    keys.assign(items_in_runs<u32>(n, runs::random));
    items.assign(random_items<u32>(n));
    floats.assign(rough_items<float>(n));
  }

  /// call(n, out, out2, counts) of both; `out` has to be untouched behind n items.
  template <class T = u32, class Call>
  void expect_same(const char* what, Call call) const {
    const device_array<T> out(most), known_out(most);
    const device_array<u32> out2(most), known_out2(most);
    const device_array<std::size_t> counts(3), known_counts(3);
    call(n, known_out.data(), known_out2.data(), known_counts.data());
    call(deferred{size.data(), most}, out.data(), out2.data(), counts.data());
    EXPECT_EQ(difference(out.to_host(), known_out.to_host()), "") << what;
    EXPECT_EQ(difference(out2.to_host(), known_out2.to_host()), "") << what;
    EXPECT_EQ(difference(counts.to_host(), known_counts.to_host()), "") << what;
  }

  std::size_t n, most;
  device_array<u32> keys, items;
  device_array<float> floats;
  device_array<std::int64_t> size;
};

/// Where the items of a call with a policy end.
template <class It>
It end_of(It first, std::size_t n) {
  return first + n;
}
template <class It, class CountIt>
deferred<CountIt> end_of(It, deferred<CountIt> size) {
  return size;
}

void expect_policy_calls(const two_calls& t) {
  const auto keys = t.keys.data();
  const auto floats = t.floats.data();
  t.expect_same<float>("inclusive_scan_by_key", [&](auto n, float* out, auto...) {
    hindsight::inclusive_scan_by_key(par, keys, end_of(keys, n), floats, out);
  });
  t.expect_same<float>("exclusive_scan_by_key", [&](auto n, float* out, auto...) {
    hindsight::exclusive_scan_by_key(par, keys, end_of(keys, n), floats, out, 0.5f);
  });
  t.expect_same<float>("exclusive_scan_by_key from zero", [&](auto n, float* out, auto...) {
    hindsight::exclusive_scan_by_key(par, keys, end_of(keys, n), floats, out);
  });
  t.expect_same("inclusive_scan_by_key into the keys", [&](auto n, u32* out, auto...) {
    check(cudaMemcpy(out, keys, t.n * sizeof(u32), cudaMemcpyDefault));
    hindsight::inclusive_scan_by_key(par, out, end_of(out, n), keys, out);
  });
  t.expect_same("adjacent_difference", [&](auto n, u32* out, u32* in_place, auto...) {
    hindsight::adjacent_difference(par, keys, end_of(keys, n), out);
    check(cudaMemcpy(in_place, keys, t.n * sizeof(u32), cudaMemcpyDefault));
    hindsight::adjacent_difference(par, in_place, end_of(in_place, n), in_place);
  });
}

struct tripled {
  HINDSIGHT_HD float operator()(float x) const { return 3 * x; }
};

void expect_scans(const two_calls& t) {
  const auto floats = t.floats.data();
  const auto plus = ::cuda::std::plus<>{};
  t.expect_same<float>("exclusive_scan from zero", [&](auto n, float* out, auto...) {
    hindsight::exclusive_scan(par, floats, end_of(floats, n), out);
  });
  t.expect_same<float>("transform_inclusive_scan", [&](auto n, float* out, auto...) {
    hindsight::transform_inclusive_scan(par, floats, end_of(floats, n), out, tripled{}, plus);
  });
  t.expect_same<float>("the same with an initial value", [&](auto n, float* out, auto...) {
    hindsight::transform_inclusive_scan(par, floats, end_of(floats, n), out, tripled{}, 0.5f, plus);
  });
  t.expect_same<float>("transform_exclusive_scan", [&](auto n, float* out, auto...) {
    hindsight::transform_exclusive_scan(par, floats, end_of(floats, n), out, tripled{}, 0.5f, plus);
  });
}

struct by_remainder {
  HINDSIGHT_HD bool operator()(u32 a, u32 b) const { return a % 1000 < b % 1000; }
};

void expect_sorts(const two_calls& t) {
  t.expect_same("sort_by_key", [&](auto n, u32* out, u32* out2, auto) {
    check(cudaMemcpy(out, t.items.data(), t.n * sizeof(u32), cudaMemcpyDefault));
    check(cudaMemcpy(out2, t.keys.data(), t.n * sizeof(u32), cudaMemcpyDefault));
    hindsight::sort_by_key(par, out, end_of(out, n), out2, by_remainder{});
  });
  t.expect_same("stable_sort_by_key", [&](auto n, u32* out, u32* out2, auto) {
    check(cudaMemcpy(out, t.items.data(), t.n * sizeof(u32), cudaMemcpyDefault));
    check(cudaMemcpy(out2, t.keys.data(), t.n * sizeof(u32), cudaMemcpyDefault));
    hindsight::stable_sort_by_key(par, out, end_of(out, n), out2, by_remainder{});
    hindsight::stable_sort_by_key(par, out, end_of(out, n), out2);
  });
  t.expect_same("stable_sort", [&](auto n, u32* out, u32* out2, auto) {
    check(cudaMemcpy(out, t.items.data(), t.n * sizeof(u32), cudaMemcpyDefault));
    check(cudaMemcpy(out2, t.keys.data(), t.n * sizeof(u32), cudaMemcpyDefault));
    hindsight::stable_sort(par, out, end_of(out, n));
    hindsight::stable_sort(par, out2, end_of(out2, n), by_remainder{});
  });
  t.expect_same("DeviceMergeSort", [&](auto n, u32* out, auto...) {
    check(hindsight::DeviceMergeSort::SortKeysCopy(t.items.data(), out, n, by_remainder{}));
  });
}

void expect_histograms(const two_calls& t) {
  const device_array<u32> few(300), many(70000), bytes(256);
  const u32 levels[] = {0, 1000, 1u << 20, 1u << 31};
  t.expect_same("histograms", [&](auto n, u32* out, auto, std::size_t* counts) {
    const auto items = t.items.data();
    hindsight::histogram_even(par, items, end_of(items, n), 300, 0u, 1u << 31, few.data());
    hindsight::histogram_even(par, items, end_of(items, n), 70000, 0u, ~0u, many.data());
    const auto as_bytes = reinterpret_cast<const unsigned char*>(items);
    hindsight::histogram_even(par, as_bytes, end_of(as_bytes, n), 256, 0, 256, bytes.data());
    hindsight::histogram_range(par, items, end_of(items, n), levels, levels + 4, counts);
    u32 sums[3] = {};
    for (const u32 count : few.to_host()) sums[0] = sums[0] * 31 + count;
    for (const u32 count : many.to_host()) sums[1] = sums[1] * 31 + count;
    for (const u32 count : bytes.to_host()) sums[2] = sums[2] * 31 + count;
    check(cudaMemcpy(out, sums, std::min<std::size_t>(t.most, 3) * sizeof(u32), cudaMemcpyDefault));
  });
}

void expect_in_cubs_shape(const two_calls& t) {
  const auto keys = t.keys.data();
  const u32* const items = t.items.data();
  const auto floats = t.floats.data();
  const auto plus = ::cuda::std::plus<>{};
  t.expect_same<float>("DeviceScan", [&](auto n, float* out, auto...) {
    check(hindsight::DeviceScan::InclusiveSum(floats, out, n));
    check(hindsight::DeviceScan::ExclusiveScanByKey(keys, out, out, plus, 0.25f, n));
  });
  t.expect_same("DeviceSelect", [&](auto n, u32* out, u32* out2, std::size_t* counts) {
    check(hindsight::DeviceSelect::Flagged(items, keys, out, counts, n));
    check(hindsight::DeviceSelect::Unique(keys, out2, counts + 1, n));
  });
  t.expect_same("DevicePartition", [&](auto n, u32* out, u32* out2, std::size_t* counts) {
    check(hindsight::DevicePartition::If(items, out, counts, n, is_odd_number{}));
    check(hindsight::DevicePartition::Flagged(items, keys, out2, counts + 1, n));
  });
  t.expect_same("three parts", [&](auto n, u32* out, u32* out2, std::size_t* counts) {
    const device_array<u32> rest(t.most);
    check(hindsight::DevicePartition::If(items, out, out2, rest.data(), counts, n, is_odd_number{},
                                         is_small{}));
    check(cudaDeviceSynchronize());
  });
  t.expect_same("DeviceRunLengthEncode", [&](auto n, u32* out, u32* out2, std::size_t* counts) {
    check(hindsight::DeviceRunLengthEncode::NonTrivialRuns(keys, out, out2, counts, n));
  });
  t.expect_same("DeviceReduce", [&](auto n, u32* out, u32* out2, std::size_t* counts) {
    check(hindsight::DeviceReduce::ReduceByKey(keys, out, items, out2, counts, plus, n));
    if (t.n > 0) check(hindsight::DeviceReduce::ArgMax(items, counts + 1, counts + 1, n));
  });
  t.expect_same<float>("sums", [&](auto n, float* out, auto...) {
    if (t.most < 2) return;
    check(hindsight::DeviceReduce::Sum(floats, out, n));
    check(hindsight::DeviceReduce::Sum(
        floats, out + 1, n,
        hindsight::execution::require(hindsight::execution::determinism::gpu_to_gpu)));
  });
  t.expect_same("DeviceRadixSort", [&](auto n, u32* out, u32* out2, auto) {
    check(hindsight::DeviceRadixSort::SortPairs(items, out, keys, out2, n, 3, 27));
  });
  t.expect_same("DeviceAdjacentDifference", [&](auto n, u32* out, auto...) {
    check(hindsight::DeviceAdjacentDifference::SubtractLeftCopy(items, out, n));
  });
  t.expect_same("DeviceHistogram", [&](auto n, u32*, u32*, std::size_t* counts) {
    check(hindsight::DeviceHistogram::HistogramEven(
        items, reinterpret_cast<unsigned long long*>(counts), 3, 0u, ~0u, n));
  });
}

TEST(Deferred, NumbersOfItems) {
  for (const auto& [n, most] : {std::pair<std::size_t, std::size_t>{0, 5000},
                                {1, 1},
                                {33, 9000},
                                {8193, 8193},
                                {300007, 800000},
                                {5000011, 5100000}}) {
    SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(most));
    const two_calls t(n, most);
    expect_policy_calls(t);
    expect_scans(t);
    expect_sorts(t);
    expect_histograms(t);
    expect_in_cubs_shape(t);
  }
}

/// Nobody may write &item.
template <int NumWords>
struct no_address {
  u32 word;
  u32 rest[NumWords - 1];
  void operator&() const = delete;
};
template <>
struct no_address<1> {
  u32 word;
  void operator&() const = delete;
};
struct add_first_words {
  template <class Item>
  HINDSIGHT_HD Item operator()(Item a, const Item& b) const {
    a.word += b.word;
    return a;
  }
};

template <int NumWords>
void expect_without_addresses() {
  using item = no_address<NumWords>;
  const std::size_t n = 3000000;
  item two{}, five{};
  two.word = 2, five.word = 5;
  const device_array<item> in(std::vector<item>(n, two)), out(n), by_key(n), sums(n);
  const device_array<u32> keys(std::vector<u32>(n, 7)), offsets(std::vector<u32>{0, 9, 9, 3000});
  const device_array<std::size_t> size(std::vector<std::size_t>{n});
  const deferred deferred_size{size.data(), n};
  hindsight::inclusive_scan(par, in.data(), deferred_size, out.data(), add_first_words{});
  hindsight::inclusive_scan_by_key(par, keys.data(), deferred_size, in.data(), by_key.data(),
                                   ::cuda::std::equal_to<>{}, add_first_words{});
  const auto segments = hindsight::by_offsets(offsets.begin(), offsets.end());
  hindsight::reduce_segments(par, in.begin(), in.end(), segments, sums.data(), five,
                             add_first_words{});
  const auto scanned = out.to_host(), scanned_by_key = by_key.to_host();
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(scanned[i].word, 2 * (i + 1));
    ASSERT_EQ(scanned_by_key[i].word, 2 * (i + 1));
  }
  const auto folds = sums.to_host(3);
  EXPECT_EQ(folds[0].word, 5u + 2 * 9);
  EXPECT_EQ(folds[1].word, 5u);
  EXPECT_EQ(folds[2].word, 5u + 2 * 2991);
}

TEST(Deferred, ItemsWithoutAnAddress) {
  expect_without_addresses<1>();
  expect_without_addresses<4>();
  expect_without_addresses<9>();
}

#if __has_include(<cuda/argument>)
// CCCL's own deferred numbers; their bound is the most that there may be.
TEST(Deferred, NumbersOfCccl) {
  const int n = 5000, most = 20000;
  const auto items = random_items<u32>(n);
  const device_array<u32> in(most), out(most);
  const device_array<int> size(std::vector<int>{n});
  in.assign(items);
  const ::cuda::args::deferred number{size.data(), ::cuda::args::bounds(0, most)};
  check(hindsight::DeviceScan::InclusiveSum(in.data(), out.data(), number));
  std::vector<u32> sums(n);
  std::partial_sum(items.begin(), items.end(), sums.begin());
  EXPECT_EQ(difference(out.to_host(n), sums), "");
  EXPECT_TRUE(out.is_untouched(n));
  check(hindsight::DeviceReduce::Sum(in.data(), out.data(), number));
  EXPECT_EQ(out.to_host()[0], sums.back());
}

// CCCL's deferred numbers in a span of one number.
TEST(Deferred, SpansOfCccl) {
  const int n = 5000, most = 20000;
  const auto items = random_items<u32>(n);
  const device_array<u32> in(most), out(1);
  const device_array<int> size(std::vector<int>{n});
  in.assign(items);
  const u32 sum = std::accumulate(items.begin(), items.end(), u32{0});
  const ::cuda::std::span<const int, 1> fixed(size.data(), 1);
  const ::cuda::std::span<int> any(size.data(), 1);
  const auto bounds = ::cuda::args::bounds(0, most);
  check(hindsight::DeviceReduce::Sum(in.data(), out.data(), ::cuda::args::deferred{fixed, bounds}));
  EXPECT_EQ(out.to_host()[0], sum);
  check(hindsight::DeviceReduce::Min(in.data(), out.data(), ::cuda::args::deferred{any, bounds}));
  EXPECT_EQ(out.to_host()[0], *std::min_element(items.begin(), items.end()));
}
#endif

}  // namespace hindsight_test
