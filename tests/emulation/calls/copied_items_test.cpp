// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device* functions on items with a copy constructor of their own, and on items of which a tile
// does not fit in shared memory: they call CUB's functions, with the same arguments, and ask for
// CUB's temporary memory.
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_reduce.cuh>

#include <cuda/std/functional>
#include <cuda/std/limits>

#include "calls_testing.h"
#include <cstddef>
#include <type_traits>
#include <vector>

namespace {

/// A number that a constructor copies.
struct copied {
  int number;
  copied(int value = 0) : number{value} {}
  copied(const copied& other) : number{other.number} {}
  copied& operator=(const copied& other) {
    number = other.number;
    return *this;
  }
  friend copied operator+(const copied& a, const copied& b) { return a.number + b.number; }
  friend bool operator<(const copied& a, const copied& b) { return a.number < b.number; }
  friend bool operator>(const copied& a, const copied& b) { return b < a; }
  friend bool operator==(const copied& a, const copied& b) { return a.number == b.number; }
};
static_assert(!std::is_trivially_copyable_v<copied>);

}  // namespace

template <>
class cuda::std::numeric_limits<copied> {
 public:
  static constexpr bool is_specialized = true;
  static copied max() { return 1000; }
  static copied lowest() { return -1000; }
};

namespace {

using namespace emulation;
using items = std::vector<int>;

/// What both phases of `call(temp, temp_bytes)` write to `out`, if it is CUB that runs them.
template <class T, class Call>
std::vector<T> written_by_stock(std::vector<T>& out, Call call) {
  std::size_t bytes = 0;
  EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
  EXPECT_EQ(bytes, cub::stock_bytes);
  std::vector<unsigned char> temp(bytes);
  EXPECT_EQ(call(temp.data(), bytes), cudaSuccess);
  return out;
}

struct copied_items : testing::Test {
  std::vector<copied> in{3, 1, 4, 1, 5, 9};
  std::vector<copied> out = std::vector<copied>(6);
  std::vector<int> keys{7, 7, 8, 8, 8, 7}, places{0, 2, 2, 6};
  ::cuda::std::plus<> plus;
  ::cuda::std::equal_to<> equal;

  /// The numbers that a call writes.
  template <class Call>
  items numbers(Call call) {
    items found;
    for (const copied& item : written_by_stock(out, call)) found.push_back(item.number);
    return found;
  }
};

TEST_F(copied_items, scans_are_stocks) {
  using Scan = hindsight::DeviceScan;
  const auto from = in.data(), to = out.data();
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) { return Scan::InclusiveSum(t, s, from, to, 6); }),
            (items{3, 4, 8, 9, 14, 23}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) { return Scan::ExclusiveSum(t, s, from, to, 6); }),
            (items{0, 3, 4, 8, 9, 14}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Scan::InclusiveScan(t, s, from, to, ::cuda::maximum<>{}, 6);
            }),
            (items{3, 3, 4, 4, 5, 9}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Scan::InclusiveScanInit(t, s, from, to, plus, copied{10}, 6);
            }),
            (items{13, 14, 18, 19, 24, 33}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Scan::ExclusiveScan(t, s, from, to, plus, copied{10}, 6u);
            }),
            (items{10, 13, 14, 18, 19, 24}));
}

TEST_F(copied_items, scans_of_large_items_are_stocks) {
  struct large {
    int number, rest[149];
    large operator+(const large& other) const { return {number + other.number, {}}; }
  };
  static_assert(sizeof(large) == 600);
  const std::vector<large> large_in{{3, {}}, {1, {}}, {4, {}}};
  std::vector<large> large_out(3);
  const auto written = [&](auto call) {
    items found;
    for (const large& item : written_by_stock(large_out, call)) found.push_back(item.number);
    return found;
  };
  using Scan = hindsight::DeviceScan;
  const auto from = large_in.data();
  const auto to = large_out.data();
  EXPECT_EQ(written([&](void* t, std::size_t& s) { return Scan::InclusiveSum(t, s, from, to, 3); }),
            (items{3, 4, 8}));
  EXPECT_EQ(written([&](void* t, std::size_t& s) {
              return Scan::ExclusiveScan(t, s, from, to, plus, large{10, {}}, 3);
            }),
            (items{10, 13, 14}));
}

TEST_F(copied_items, scans_by_key_are_stocks) {
  using Scan = hindsight::DeviceScan;
  const auto from = in.data(), to = out.data();
  const auto key = keys.data();
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Scan::InclusiveSumByKey(t, s, key, from, to, 6);
            }),
            (items{3, 4, 4, 5, 10, 9}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Scan::ExclusiveSumByKey(t, s, key, from, to, 6);
            }),
            (items{0, 3, 0, 4, 5, 0}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Scan::InclusiveScanByKey(t, s, key, from, to, plus, 6, equal);
            }),
            (items{3, 4, 4, 5, 10, 9}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Scan::ExclusiveScanByKey(t, s, key, from, to, plus, copied{10}, 6);
            }),
            (items{10, 13, 10, 14, 15, 10}));
}

TEST_F(copied_items, sums_of_segments_are_stocks) {
  using Segments = hindsight::DeviceSegmentedReduce;
  const auto from = in.data(), to = out.data();
  const int* const begins = places.data();
  out.resize(3);
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Segments::Sum(t, s, from, to, 3, begins, begins + 1);
            }),
            (items{4, 0, 19}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Segments::Reduce(t, s, from, to, 3, begins, begins + 1, plus, copied{10});
            }),
            (items{14, 10, 29}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Segments::Max(t, s, from, to, 3, begins, begins + 1);
            }),
            (items{3, -1000, 9}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) { return Segments::Sum(t, s, from, to, 3, 2); }),
            (items{4, 5, 14}));
}

TEST_F(copied_items, extrema_of_segments_are_stocks) {
  using Segments = hindsight::DeviceSegmentedReduce;
  std::vector<cub::KeyValuePair<int, copied>> pairs(2);
  const int* const begins = places.data();
  const auto least = written_by_stock(pairs, [&](void* t, std::size_t& s) {
    return Segments::ArgMin(t, s, in.data(), pairs.data(), 2, begins + 2, begins + 3);
  });
  EXPECT_EQ(least[0].key, 1);
  const auto greatest = written_by_stock(pairs, [&](void* t, std::size_t& s) {
    return Segments::ArgMax(t, s, in.data(), pairs.data(), 1, begins + 2, begins + 3);
  });
  EXPECT_EQ(greatest[0].key, 3);
}

TEST_F(copied_items, merge_sorts_are_stocks) {
  using Sort = hindsight::DeviceMergeSort;
  const ::cuda::std::less<> less;
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Sort::SortKeysCopy(t, s, in.data(), out.data(), 6, less);
            }),
            (items{1, 1, 3, 4, 5, 9}));
  std::vector<int> keys_out(6);
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Sort::SortPairsCopy(t, s, keys.data(), in.data(), keys_out.data(), out.data(),
                                         6, less);
            }),
            (items{3, 1, 9, 4, 1, 5}));
  EXPECT_EQ(keys_out, (items{7, 7, 7, 8, 8, 8}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Sort::SortPairs(t, s, out.data(), keys_out.data(), 6, less);
            }),
            (items{1, 1, 3, 4, 5, 9}));
  EXPECT_EQ(keys_out, (items{7, 8, 7, 8, 8, 7}));
  EXPECT_EQ(numbers([&](void* t, std::size_t& s) {
              return Sort::StableSortKeys(t, s, out.data(), 6, ::cuda::std::greater<>{});
            }),
            (items{9, 5, 4, 3, 1, 1}));
}

}  // namespace
