// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole calls, as a program makes them: every family by every kind of policy, in streams, with its
// temporary memory, captured in a graph and replayed.
#include <hindsight/hindsight.h>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include "calls_testing.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace {

using namespace emulation;
using std::size_t, std::ptrdiff_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct is_odd {
  template <class T>
  bool operator()(T item) const {
    return item % 2 != 0;
  }
};
struct by_last_digit {
  bool operator()(u32 a, u32 b) const { return a % 10 < b % 10; }
};
struct same_tens {
  bool operator()(u32 a, u32 b) const { return a / 10 == b / 10; }
};

constexpr u32 filler = 0xfeedbeef;
constexpr size_t sizes[] = {0, 1, 33, 1000, 5003, 30'011};
constexpr size_t few[] = {0, 1, 33, 1000, 1999};

/// Input items, and room for `outputs` times as many.
std::vector<u32> with_room(std::vector<u32> items, size_t outputs) {
  items.resize(items.size() * (1 + outputs), filler);
  return items;
}
/// [n] numbers in runs.
std::vector<u32> runs(size_t n) {
  std::vector<u32> items = numbers<u32>(n);
  for (size_t i = 1; i < n; ++i) items[i] = items[i] % 4 == 0 ? items[i] % 50 : items[i - 1];
  return items;
}

TEST(WholeCalls, Sort) {
  for (const size_t n : few) {
    call_of<u32> call{numbers<u32>(n)};
    std::sort(call.expected.begin(), call.expected.end());
    call.every_way([n](auto policy, u32* items) { thrust::sort(policy, items, items + n); });
  }
}

TEST(WholeCalls, SortOfSeveralTiles) {
  constexpr size_t n = 9001;
  call_of<u32> call{numbers<u32>(n)};
  std::sort(call.expected.begin(), call.expected.end());
  call.every_way([](auto policy, u32* items) { thrust::sort(policy, items, items + n); });
}

TEST(WholeCalls, SortDescending) {
  for (const size_t n : few) {
    call_of<std::int64_t> call{numbers<std::int64_t>(n)};
    std::sort(call.expected.begin(), call.expected.end(), std::greater<>{});
    call.every_way([n](auto policy, std::int64_t* items) {
      thrust::sort(policy, items, items + n, thrust::greater<std::int64_t>{});
    });
  }
}

TEST(WholeCalls, SortByKey) {
  for (const size_t n : few) {
    std::vector<u32> items = numbers<u32>(n);
    for (size_t i = 0; i < n; ++i) items.push_back(static_cast<u32>(i));
    call_of<u32> call{items};
    std::stable_sort(call.expected.begin() + ptrdiff_t(n), call.expected.end(),
                     [&](u32 a, u32 b) { return items[a] < items[b]; });
    for (size_t i = 0; i < n; ++i) call.expected[i] = items[call.expected[n + i]];
    call.every_way([n](auto policy, u32* keys) {
      thrust::stable_sort_by_key(policy, keys, keys + n, keys + n);
    });
  }
}

TEST(WholeCalls, StableSortByAnyOrder) {
  for (const size_t n : sizes) {
    call_of<u32> call{numbers<u32>(n)};
    std::stable_sort(call.expected.begin(), call.expected.end(), by_last_digit{});
    call.every_way([n](auto policy, u32* items) {
      thrust::stable_sort(policy, items, items + n, by_last_digit{});
    });
  }
}

TEST(WholeCalls, ScanInPlace) {
  for (const size_t n : sizes) {
    call_of<u32> call{numbers<u32>(n)};
    std::partial_sum(call.expected.begin(), call.expected.end(), call.expected.begin());
    call.every_way(
        [n](auto policy, u32* items) { thrust::inclusive_scan(policy, items, items + n, items); });
  }
}

TEST(WholeCalls, ExclusiveScan) {
  for (const size_t n : sizes) {
    const std::vector<u32> items = numbers<u32>(n);
    call_of<u32> call{with_room(items, 1)};
    u32 most = 7;
    for (size_t i = 0; i < n; most = std::max(most, items[i++])) call.expected[n + i] = most;
    call.every_way([n](auto policy, u32* in) {
      thrust::exclusive_scan(policy, in, in + n, in + n, 7u, thrust::maximum<u32>{});
    });
  }
}

TEST(WholeCalls, ScanByKey) {
  for (const size_t n : sizes) {
    const std::vector<u32> keys = runs(n);
    call_of<u32> call{with_room(keys, 1)};
    for (size_t i = 0; i < n; ++i) {
      const bool begins = i == 0 || keys[i] != keys[i - 1];
      call.expected[n + i] = keys[i] + (begins ? 0 : call.expected[n + i - 1]);
    }
    call.every_way([n](auto policy, u32* in) {
      thrust::inclusive_scan_by_key(policy, in, in + n, in, in + n);
    });
  }
}

TEST(WholeCalls, AdjacentDifference) {
  for (const size_t n : sizes) {
    call_of<u32> call{with_room(numbers<u32>(n), 1)};
    std::adjacent_difference(call.expected.begin(), call.expected.begin() + ptrdiff_t(n),
                             call.expected.begin() + ptrdiff_t(n));
    call.every_way(
        [n](auto policy, u32* in) { thrust::adjacent_difference(policy, in, in + n, in + n); });
  }
}

// Of no items there is nothing to find out, and a capture is not refused.
TEST(WholeCalls, ReduceAndFind) {
  for (const size_t n : sizes) {
    if (n == 0) continue;
    const std::vector<u32> items = numbers<u32>(n);
    const u32 sum = std::accumulate(items.begin(), items.end(), 5u);
    const ptrdiff_t odd = std::count_if(items.begin(), items.end(), is_odd{});
    const auto least = std::min_element(items.begin(), items.end()) - items.begin();
    const auto found = std::find(items.begin(), items.end(), 17u) - items.begin();
    const bool all = std::all_of(items.begin(), items.end(), is_odd{});
    call_of<u32> call{items};
    call.every_way_but_captured([=](auto policy, u32* in) {
      EXPECT_EQ(thrust::reduce(policy, in, in + n, 5u), sum);
      EXPECT_EQ(thrust::count_if(policy, in, in + n, is_odd{}), odd);
      EXPECT_EQ(thrust::min_element(policy, in, in + n), in + least);
      EXPECT_EQ(thrust::find(policy, in, in + n, 17u), in + found);
      EXPECT_EQ(thrust::all_of(policy, in, in + n, is_odd{}), all);
    });
  }
}

/// Braces around one of them make a list, as with many types of JSON values.
struct makes_lists {
  int value = 0;
  makes_lists() = default;
  makes_lists(int number) : value{number} {}
  makes_lists(std::initializer_list<makes_lists>) : value{-1} {}
  friend bool operator<(const makes_lists& a, const makes_lists& b) { return a.value < b.value; }
};

TEST(WholeCalls, ExtremaOfItemsThatMakeLists) {
  for (const size_t n : sizes) {
    if (n == 0) continue;
    std::vector<makes_lists> items;
    for (const u32 number : numbers<u32>(n)) items.push_back(int(number % 1000));
    const auto least = std::min_element(items.begin(), items.end()) - items.begin();
    const auto greatest = std::max_element(items.begin(), items.end()) - items.begin();
    call_of<makes_lists> call{items};
    call.every_way_but_captured([&](auto policy, makes_lists* in) {
      EXPECT_EQ(thrust::min_element(policy, in, in + n), in + least);
      EXPECT_EQ(thrust::max_element(policy, in, in + n), in + greatest);
      const auto both = thrust::minmax_element(policy, in, in + n);
      EXPECT_EQ(both.first, in + least);
      EXPECT_EQ(both.second, in + greatest);
    });
  }
}

TEST(WholeCalls, Selections) {
  for (const size_t n : sizes) {
    if (n == 0) continue;
    const std::vector<u32> items = numbers<u32>(n);
    call_of<u32> call{with_room(items, 1)};
    const auto end =
        std::copy_if(items.begin(), items.end(), call.expected.begin() + ptrdiff_t(n), is_odd{});
    const auto kept = end - call.expected.begin();
    call.every_way_but_captured([=](auto policy, u32* in) {
      EXPECT_EQ(thrust::copy_if(policy, in, in + n, in + n, is_odd{}), in + kept);
    });
  }
}

TEST(WholeCalls, PartitionInPlace) {
  for (const size_t n : sizes) {
    if (n == 0) continue;
    call_of<u32> call{numbers<u32>(n)};
    const auto odd = std::stable_partition(call.expected.begin(), call.expected.end(), is_odd{}) -
                     call.expected.begin();
    call.every_way_but_captured([=](auto policy, u32* in) {
      EXPECT_EQ(thrust::stable_partition(policy, in, in + n, is_odd{}), in + odd);
    });
  }
}

TEST(WholeCalls, ReduceByKey) {
  for (const size_t n : sizes) {
    if (n == 0) continue;
    const std::vector<u32> keys = runs(n);
    call_of<u32> call{with_room(keys, 2)};
    ptrdiff_t count = 0;
    for (size_t i = 0; i < n; ++i) {
      if (i > 0 && same_tens{}(keys[i - 1], keys[i])) {
        call.expected[n + size_t(count) - 1] = keys[i];
        call.expected[2 * n + size_t(count) - 1] += keys[i];
      } else {
        call.expected[n + size_t(count)] = keys[i];
        call.expected[2 * n + size_t(count++)] = keys[i];
      }
    }
    call.every_way_but_captured([=](auto policy, u32* in) {
      const auto ends = thrust::reduce_by_key(policy, in, in + n, in, in + n, in + 2 * n,
                                              same_tens{}, thrust::plus<u32>{});
      EXPECT_EQ(ends.first, in + n + count);
      EXPECT_EQ(ends.second, in + 2 * n + count);
    });
  }
}

TEST(WholeCalls, RunLengths) {
  for (const size_t n : sizes) {
    const std::vector<u32> items = runs(n);
    call_of<u32> call{with_room(items, 5)};
    std::copy(items.begin(), items.end(), call.expected.begin() + ptrdiff_t(3 * n));
    u32 count = 0;
    for (size_t i = 0; i < n; ++i) {
      if (i == 0 || items[i] != items[i - 1]) {
        call.expected[n + count] = items[i];
        call.expected[2 * n + count++] = 0;
      }
      ++call.expected[2 * n + count - 1];
    }
    if (n > 0) {
      call.expected[4 * n] = count;
      call.expected[5 * n] = u32(n);
    }
    call.every_way([n](auto policy, u32* in) {
      if (n == 0) return;
      u32 *const heads = in + n, *const lengths = in + 2 * n, *const num_runs = in + 4 * n;
      hindsight::run_length_encode_into(policy, in, in + n, heads, lengths, num_runs);
      hindsight::run_length_decode_into(policy, heads, hindsight::deferred{num_runs, n}, lengths,
                                        in + 3 * n, in + 5 * n);
    });
  }
}

/// The first k where the output has items of another type.
template <class T, class Output>
void expect_first_as(size_t n, size_t k) {
  SCOPED_TRACE(testing::Message() << k << " of " << n);
  reset_device(n);
  std::vector<T> items;
  for (const u32 number : numbers<u32>(n)) items.push_back(T(number) - T(3));
  std::vector<T> sorted = items;
  std::stable_sort(sorted.begin(), sorted.end(), std::greater<>{});
  const std::vector<Output> expected(sorted.begin(), sorted.begin() + ptrdiff_t(k));
  const device_array<T> in{items};
  device_array<Output> out{k};
  out.poison();
  hindsight::top_k(hindsight::par, in.data(), in.data() + n, ptrdiff_t(k), out.data());
  EXPECT_EQ(out.to_host(), expected);
}
TEST(WholeCalls, TopKAsOtherTypes) {
  for (const size_t n : {size_t{1000}, size_t{1} << 16}) {
    expect_first_as<int, std::int64_t>(n, 10);
    expect_first_as<float, double>(n, 10);
    expect_first_as<int, float>(n, 10);
    expect_first_as<std::int16_t, int>(n, 10);
  }
}

/// A negative count is none; of a count beyond the bound, the bound.
TEST(WholeCalls, RunLengthsOfCountsOutOfBounds) {
  using number = std::int64_t;
  for (const size_t n : {size_t{3}, size_t{3001}}) {
    for (const number count : {number{-1}, number{-5}, std::numeric_limits<number>::min(),
                               std::numeric_limits<number>::max()}) {
      const size_t values = 1, lengths = 1 + n, out = 1 + 2 * n, total = 1 + 4 * n;
      std::vector<number> items(2 + 4 * n, filler);
      items[0] = count;
      for (size_t i = 0; i < n; ++i) {
        items[values + i] = number(i);
        items[lengths + i] = 2;
      }
      call_of<number> call{items};
      call.expected[total] = count < 0 ? 0 : number(2 * n);
      for (size_t i = 0; count > 0 && i < 2 * n; ++i) call.expected[out + i] = number(i / 2);
      call.every_way([=](auto policy, number* in) {
        hindsight::run_length_decode_into(policy, in + values, hindsight::deferred{in, n},
                                          in + lengths, in + out, in + total);
      });
    }
  }
}

/// Negative lengths are none.
TEST(WholeCalls, RunsOfNegativeLengths) {
  for (const size_t n : few) {
    std::vector<int> items(5 * n + 1, int(filler));
    size_t total = 0;
    for (size_t i = 0; i < n; ++i) {
      items[i] = int(i);
      items[n + i] = int(i % 7) - 3;
      for (int j = 0; j < items[n + i]; ++j) items[2 * n + total++] = 0;
    }
    call_of<int> call{items};
    total = 0;
    for (size_t i = 0; i < n; ++i)
      for (int j = 0; j < items[n + i]; ++j) call.expected[2 * n + total++] = int(i);
    call.expected[5 * n] = int(total);
    call.every_way([n](auto policy, int* in) {
      hindsight::run_length_decode_into(policy, in, in + n, in + n, in + 2 * n, in + 5 * n);
    });
  }
}

TEST(WholeCalls, HistogramEven) {
  constexpr u32 bins = 31;
  for (const size_t n : sizes) {
    std::vector<u32> items = numbers<u32>(n);
    items.resize(n + bins, filler);
    call_of<u32> call{items};
    std::fill(call.expected.begin() + ptrdiff_t(n), call.expected.end(), 0);
    for (size_t i = 0; i < n; ++i)
      if (items[i] < 100 / bins * bins) ++call.expected[n + items[i] / (100 / bins)];
    call.every_way([n](auto policy, u32* in) {
      hindsight::histogram_even(policy, in, in + n, bins, 0u, 100 / bins * bins, in + n);
    });
  }
}

/// A stock policy gets CUB's, which has an int for the number of levels.
TEST(WholeCalls, StockHistogramOfTooManyBins) {
  reset_device(0);
  u32* const none = nullptr;
  EXPECT_THROW(hindsight::histogram_even(thrust::cuda::par, none, none,
                                         std::numeric_limits<int>::max(), 0u, ~0u, none),
               hindsight::invalid_call);
}

// Their kernel is the same, and has more shared memory where there are more bins.
TEST(WholeCalls, HistogramsOfManyBins) {
  for (const u32 bins : {20000u, 13000u, 20001u}) {
    const std::vector<u32> samples{0, 7, bins - 1, 7, bins};
    std::vector<u32> items = samples;
    items.resize(samples.size() + bins, filler);
    call_of<u32> call{items};
    std::fill(call.expected.begin() + ptrdiff_t(samples.size()), call.expected.end(), 0);
    for (const u32 sample : samples)
      if (sample < bins) ++call.expected[samples.size() + sample];
    call.by_every_policy([bins, n = samples.size()](auto policy, u32* in) {
      hindsight::histogram_even(policy, in, in + n, int(bins), 0u, bins, in + n);
    });
  }
}

/// Levels on the host, few and many: they are gone when the call returns. (Nobody emulates what
/// pointers to levels ask for.)
TEST(WholeCalls, HistogramRange) {
  for (const size_t num_levels : {size_t{9}, size_t{5000}}) {
    const size_t n = 5003, num_bins = num_levels - 1;
    std::vector<u32> items = numbers<u32>(n);
    for (u32& item : items) item %= u32(2 * num_levels);
    items.resize(n + num_bins, filler);
    call_of<u32> call{items};
    std::fill(call.expected.begin() + ptrdiff_t(n), call.expected.end(), 0);
    for (size_t i = 0; i < n; ++i)
      if (items[i] < 2 * num_bins) ++call.expected[n + items[i] / 2];
    call.every_way([=](auto policy, u32* in) {
      std::vector<u32> levels(num_levels);
      for (size_t i = 0; i < num_levels; ++i) levels[num_bins - i] = u32(2 * i);
      hindsight::histogram_range(policy, in, in + n, levels.rbegin(), levels.rend(), in + n);
      std::fill(levels.begin(), levels.end(), 0);
    });
  }
}

TEST(WholeCalls, HistogramRangeOfBools) {
  const size_t n = 5003;
  std::vector<u32> items = numbers<u32>(n);
  for (u32& item : items) item %= 3;
  items.push_back(filler);
  call_of<u32> call{items};
  call.expected[n] = u32(std::count(items.begin(), items.end() - 1, 0u));
  call.every_way([=](auto policy, u32* in) {
    const bool levels[] = {true, false};
    hindsight::histogram_range(policy, in, in + n, std::make_reverse_iterator(levels + 2),
                               std::make_reverse_iterator(levels), in + n);
  });
}

/// Offsets of segments of very different lengths, and the items.
struct segmented {
  explicit segmented(size_t n) : items(numbers<u32>(n)) {
    offsets.push_back(0);
    for (u32 length = 1; offsets.back() < n;
         length = (length * 7 + 3) % 1009 * (offsets.size() % 3))
      offsets.push_back(std::min(static_cast<u32>(n), offsets.back() + length));
  }
  size_t count() const { return offsets.size() - 1; }
  /// offsets, items, room for results
  std::vector<u32> all(size_t room) const {
    std::vector<u32> result = offsets;
    result.insert(result.end(), items.begin(), items.end());
    result.resize(result.size() + room, filler);
    return result;
  }
  std::vector<u32> offsets, items;
};

TEST(WholeCalls, SumsOfSegments) {
  for (const size_t n : sizes) {
    const segmented s{n};
    const size_t k = s.count();
    call_of<u32> call{s.all(k)};
    for (size_t i = 0; i < k; ++i)
      call.expected[k + 1 + n + i] =
          std::accumulate(s.items.begin() + s.offsets[i], s.items.begin() + s.offsets[i + 1], 0u);
    call.every_way([=](auto policy, u32* offsets) {
      u32* const in = offsets + k + 1;
      hindsight::reduce_segments(policy, in, in + n,
                                 hindsight::by_offsets(offsets, offsets + k + 1), in + n);
    });
  }
}

TEST(WholeCalls, ScansOfSegments) {
  for (const size_t n : sizes) {
    const segmented s{n};
    const size_t k = s.count();
    call_of<u32> call{s.all(n)};
    for (size_t i = 0; i < k; ++i)
      std::partial_sum(s.items.begin() + s.offsets[i], s.items.begin() + s.offsets[i + 1],
                       call.expected.begin() + ptrdiff_t(k + 1 + n + s.offsets[i]));
    call.every_way([=](auto policy, u32* offsets) {
      u32* const in = offsets + k + 1;
      hindsight::inclusive_scan_segments(policy, in, in + n,
                                         hindsight::by_offsets(offsets, offsets + k + 1), in + n);
    });
  }
}

TEST(WholeCalls, SortsOfSegments) {
  for (const size_t n : sizes) {
    const segmented s{n};
    const size_t k = s.count();
    call_of<u32> call{s.all(0)};
    for (size_t i = 0; i < k; ++i)
      std::sort(call.expected.begin() + ptrdiff_t(k + 1 + s.offsets[i]),
                call.expected.begin() + ptrdiff_t(k + 1 + s.offsets[i + 1]));
    call.every_way([=](auto policy, u32* offsets) {
      u32* const in = offsets + k + 1;
      hindsight::sort_segments(policy, in, in + n, hindsight::by_offsets(offsets, offsets + k + 1));
    });
  }
}

TEST(WholeCalls, TopK) {
  for (const size_t n : few) {
    const size_t k = n / 3;
    std::vector<u32> items = numbers<u32>(n);
    std::vector<u32> sorted = items;
    std::sort(sorted.begin(), sorted.end(), std::greater<>{});
    items.resize(n + k, filler);
    call_of<u32> call{items};
    std::copy_n(sorted.begin(), k, call.expected.begin() + ptrdiff_t(n));
    call.every_way(
        [=](auto policy, u32* in) { hindsight::top_k(policy, in, in + n, ptrdiff_t(k), in + n); });
  }
}

/// The count of one call stays on the device, and is the size of the next one.
TEST(WholeCalls, DeferredSizes) {
  for (const size_t n : sizes) {
    const std::vector<u32> items = numbers<u32>(n);
    std::vector<u32> all = with_room(items, 1);
    all.push_back(filler);
    call_of<u32> call{all};
    const auto end =
        std::copy_if(items.begin(), items.end(), call.expected.begin() + ptrdiff_t(n), is_odd{});
    std::partial_sum(call.expected.begin() + ptrdiff_t(n), end,
                     call.expected.begin() + ptrdiff_t(n));
    call.expected.back() = static_cast<u32>(end - call.expected.begin() - ptrdiff_t(n));
    call.every_way([n](auto policy, u32* in) {
      u32 *const out = in + n, *const count = in + 2 * n;
      hindsight::copy_if_into(policy, in, in + n, out, count, is_odd{});
      hindsight::inclusive_scan(policy, out, hindsight::deferred{count, n}, out);
    });
  }
}

TEST(WholeCalls, Iterators) {
  const auto square = [](u32 i) { return i * i; };
  for (const size_t n : sizes) {
    call_of<u32> call{std::vector<u32>(n, filler)};
    for (u32 i = 0, sum = 0; i < n; ++i) call.expected[i] = sum += square(i);
    call.every_way([=](auto policy, u32* out) {
      const auto squares =
          thrust::make_transform_iterator(thrust::counting_iterator<u32>{0}, square);
      thrust::inclusive_scan(policy, squares, squares + ptrdiff_t(n), out);
    });
  }
}

// --- what belongs to no family -------------------------------------------------------------------

TEST(WholeCalls, SmallCallsAskForLittle) {
  reset_device(0);
  device_array<u32> items{std::vector<u32>(1000, 3)};
  const auto reduce = [&] {
    return thrust::reduce(hindsight::par, items.data(), items.data() + 1000);
  };
  EXPECT_EQ(reduce(), 3000u);  // the first call takes what the library keeps
  asked_so_far() = {};
  EXPECT_EQ(reduce(), 3000u);
  EXPECT_EQ(asked_so_far().launches, 1u);
  EXPECT_EQ(asked_so_far().waits, 1u);
  EXPECT_EQ(asked_so_far().allocations, 0u);
}

// No argument tells how many entries a matrix by rows has: the allocation of its values does.
TEST(WholeCalls, SmallMatricesTakeOneLaunch) {
  reset_device(0);
  const device_array<u32> offsets{{0, 2, 2, 3}}, columns{{1, 0, 1}}, x{{10, 100}};
  const device_array<u32> y{std::vector<u32>(3, filler)};
  u32* values = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&values), 3 * sizeof(u32)), cudaSuccess);
  std::iota(values, values + 3, 1u);
  const auto rows = hindsight::csr(offsets.data(), offsets.data() + 4, columns.data(), values);
  const auto multiply = [&] { hindsight::spmv(hindsight::par, rows, x.data(), y.data()); };
  multiply();
  asked_so_far() = {};
  multiply();
  EXPECT_EQ(asked_so_far().launches, 1u);
  EXPECT_EQ(y.to_host(), (std::vector<u32>{120, 0, 300}));
  EXPECT_EQ(cudaFree(values), cudaSuccess);
}

TEST(WholeCalls, TwoStreams) {
  for (u64 seed = 0; seed < 20; ++seed) {
    reset_device(seed);
    constexpr size_t n = 4000;
    const std::vector<u32> items = numbers<u32>(n);
    std::vector<u32> sorted = items, sums(n);
    std::stable_sort(sorted.begin(), sorted.end(), by_last_digit{});
    std::partial_sum(items.begin(), items.end(), sums.begin());
    device_array<u32> one{items}, other{items};
    {
      const own_stream first, second;
      const auto policy = hindsight::par_nosync;
      for (int times = 0; times < 3; ++times) {
        thrust::stable_sort(policy.on(first), one.data(), one.data() + n, by_last_digit{});
        if (times == 0)
          thrust::inclusive_scan(policy.on(second), other.data(), other.data() + n, other.data());
      }
      EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
      EXPECT_EQ(difference(other.to_host(), sums), "");
      EXPECT_EQ(cudaStreamSynchronize(first), cudaSuccess);
      EXPECT_EQ(difference(one.to_host(), sorted), "");
    }
    EXPECT_EQ(failed_launch(), "");
  }
}

/// The default stream cannot be used while a stream that it waits for is captured. Calls say so,
/// and the capture goes on.
TEST(WholeCalls, DefaultStreamBesideACapture) {
  reset_device(0);
  device_array<u32> items{std::vector<u32>(1000, 3)};
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);  // the default stream waits for it
  const auto exec = graph_of(stream, [&](auto) {
    const auto expect_refusals = [&](auto policy) {
      u32 *const first = items.data(), *const last = first + 1000;
      EXPECT_THROW(thrust::inclusive_scan(policy, first, last, first), thrust::system_error);
      EXPECT_THROW(thrust::sort(policy, first, last), thrust::system_error);
      EXPECT_THROW(thrust::stable_sort(policy, first, last, by_last_digit{}), thrust::system_error);
      EXPECT_THROW(thrust::reduce(policy, first, last), thrust::system_error);
      EXPECT_THROW(hindsight::reduce_into(policy, first, last, first), thrust::system_error);
      EXPECT_THROW(hindsight::box_filter(policy, first, first, 10, 100, 10, 1),
                   thrust::system_error)
          << "its temporary memory comes before its first step";
    };
    expect_refusals(hindsight::par);
    expect_refusals(hindsight::par_nosync);
    expect_refusals(hindsight::par_nosync.on(cudaStreamLegacy));
  });
  ASSERT_NE(exec, nullptr) << "the capture was broken";
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(difference(items.to_host(), std::vector<u32>(1000, 3)), "");
}

/// Items may be aligned more strictly than memory is: their arrays are still apart from others.
TEST(WholeCalls, ArraysOfStrictlyAlignedItems) {
  struct alignas(1024) wide_item {
    char bytes[1024];
  };
  reset_device(0);
  const device_array<char> buffer{1 << 14};
  for (const size_t shift : {0, 256, 512, 768}) {
    hindsight::workspace space{buffer.data() + shift, 1 << 13};
    const auto policy = hindsight::par(space);
    using policy_t = std::decay_t<decltype(policy)>;
    hindsight::detail::temporary<wide_item, policy_t> items(policy, 3, "a test");
    hindsight::detail::temporary<char, policy_t> next(policy, 1, "a test");
    EXPECT_LE(reinterpret_cast<char*>(items.data() + 3), next.data());
  }
}

}  // namespace
