// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Kernels that read how many items there are: fewer than the launch has blocks for, or none.
#include <hindsight/detail/cuda/adjacent_difference.cuh>
#include <hindsight/detail/cuda/reduce.cuh>
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/run_length_encode.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/cuda/select.cuh>
#include <hindsight/detail/cuda/three_way_partition.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

template <int LaneItems, int Warps>
struct tiny {
  static constexpr tile_shape shape{LaneItems, Warps};
  static constexpr int min_blocks = 1;
};
template <>
struct select_tuning<std::uint32_t> : tiny<1, 1> {};  // many tiles: a scout
template <>
struct run_length_tuning<std::uint32_t> : tiny<1, 1> {};
template <>
struct scan_tuning<std::uint32_t> : tiny<1, 1> {};
template <class T>
struct reduce_by_key_tuning<std::uint32_t, T> : tiny<1, 1> {};
template <class T>
struct scan_by_key_tuning<std::uint32_t, T> : tiny<1, 1> {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;
using u32 = std::uint32_t;
using size = hindsight::deferred<const int*>;

struct is_odd {
  bool operator()(u32 item) const { return item % 2 != 0; }
};

/// A call on `n` items that has room for `most`: call(arrays, size, temp, bytes).
class deferred_call {
 public:
  using function = std::function<cudaError_t(deferred_call&, size, void*, std::size_t&)>;

  deferred_call(std::size_t n, std::size_t most, function call)
      : items(random_items<u32>(n)),
        num_items{std::vector<int>{int(n)}},
        in{most},
        out{most},
        lengths{2 * most},
        call_{[=](void* temp, std::size_t& bytes) {
          return call(*this, {num_items.data(), most}, temp, bytes);
        }} {
    for (u32& item : items) item %= 3;
  }
  /// Whether `expected` and nothing more was written; the number of items, too, if it is one.
  std::string wrong(const std::vector<u32>& expected, bool counts) {
    if (counts && *count.data() != expected.size()) return "wrong number of items";
    std::vector<u32> written = out.to_host();  // once: it is a copy
    for (std::size_t i = expected.size(); i < written.size(); ++i)
      if (written[i] != blank) return "item " + std::to_string(i) + " was written to";
    written.resize(expected.size());
    return difference(written, expected);
  }
  std::string try_on_all(std::uint64_t machines, const std::vector<u32>& expected, bool counts) {
    return try_on_machines(machines,
                           {[this] {
                              std::copy(items.begin(), items.end(), in.data());
                              std::fill_n(out.data(), out.to_host().size(), blank);
                              count.poison();
                            },
                            [this] { call_(); }, [&] { return wrong(expected, counts); }});
  }

  static constexpr u32 blank = 77;
  std::vector<u32> items;
  device_array<int> num_items;
  device_array<u32> in, out, lengths;
  device_array<std::size_t> count{2};

 private:
  two_phases call_;
};

/// One tile; a few; more than 16 windows of 32 tiles.
const std::pair<std::size_t, std::size_t> sizes[] = {
    {0, 1}, {0, 40}, {0, 20000}, {1, 32}, {20, 300}, {100, 100}, {100, 20000}, {17000, 18000}};

TEST(Deferred, Select) {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      return select(temp, bytes, c.in.data(), input_is_stencil{}, c.out.data(), discard_rejected{},
                    c.count.data(), s, is_odd{}, nullptr);
    });
    std::vector<u32> expected;
    std::copy_if(call.items.begin(), call.items.end(), std::back_inserter(expected), is_odd{});
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 20, expected, true), "") << n << " of " << most;
  }
}

TEST(Deferred, RunLengths) {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      return run_length_encode(temp, bytes, c.in.data(), c.out.data(), c.lengths.data(),
                               c.count.data(), s, ::cuda::std::equal_to<>{}, nullptr);
    });
    std::vector<u32> expected;
    std::unique_copy(call.items.begin(), call.items.end(), std::back_inserter(expected));
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 20, expected, true), "") << n << " of " << most;
  }
}

TEST(Deferred, Partition) {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      return select(temp, bytes, c.in.data(), input_is_stencil{}, c.lengths.data(),
                    keep_rejected<u32*>{c.out.data()}, c.count.data(), s, is_odd{}, nullptr);
    });
    std::vector<u32> rejected;
    std::remove_copy_if(call.items.begin(), call.items.end(), std::back_inserter(rejected),
                        is_odd{});
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 20, rejected, false), "") << n << " of " << most;
    EXPECT_EQ(*call.count.data(), n - rejected.size());
  }
}

// Rejected items are parked, and come back behind the selected ones: in order, or from the end.
template <class Order>
void expect_partitions_in_place() {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      if (temp != nullptr) std::copy_n(c.items.begin(), c.items.size(), c.out.data());
      return partition_in_place<Order>(temp, bytes, c.out.data(), input_is_stencil{},
                                       c.count.data(), s, is_odd{}, nullptr);
    });
    std::vector<u32> expected = call.items;
    const auto border = std::stable_partition(expected.begin(), expected.end(), is_odd{});
    if (std::is_same_v<Order, from_the_end>) std::reverse(border, expected.end());
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 10, expected, false), "") << n << " of " << most;
    EXPECT_EQ(std::ptrdiff_t(*call.count.data()), border - expected.begin());
  }
}
TEST(Deferred, PartitionInPlace) {
  expect_partitions_in_place<in_input_order>();
  expect_partitions_in_place<from_the_end>();
}

// By key into another array, and into the keys, which other tiles look at.
TEST(Deferred, ScanByKey) {
  for (const auto& [n, most] : sizes) {
    std::vector<u32> expected;
    deferred_call apart(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      return scan_by_key<u32, inclusive>(temp, bytes, c.in.data(), c.in.data(), c.out.data(), s,
                                         ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{},
                                         no_init{}, nullptr);
    });
    for (std::size_t i = 0; i < n; ++i) {
      const bool begins = i == 0 || apart.items[i] != apart.items[i - 1];
      expected.push_back(begins ? apart.items[i] : expected.back() + apart.items[i]);
    }
    EXPECT_EQ(apart.try_on_all(most > 1000 ? 2 : 20, expected, false), "") << n << " of " << most;
    deferred_call in_place(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      std::copy(c.in.data(), c.in.data() + c.items.size(), c.out.data());
      return scan_by_key<u32, inclusive>(temp, bytes, c.out.data(), c.in.data(), c.out.data(), s,
                                         ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{},
                                         no_init{}, nullptr);
    });
    EXPECT_EQ(in_place.try_on_all(most > 1000 ? 2 : 10, expected, false), "")
        << n << " of " << most;
  }
}

TEST(Deferred, AdjacentDifference) {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      std::copy(c.in.data(), c.in.data() + c.items.size(), c.out.data());
      return adjacent_difference(temp, bytes, c.out.data(), c.out.data(), s, ::cuda::std::plus<>{},
                                 nullptr);
    });
    std::vector<u32> expected = call.items;
    for (std::size_t i = n; i-- > 1;) expected[i] += expected[i - 1];
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 10, expected, false), "") << n << " of " << most;
  }
}

struct is_two {
  bool operator()(u32 item) const { return item == 2; }
};

TEST(Deferred, ThreeWayPartition) {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      u32* const back = c.lengths.data() + s.most;  // the second part lies in front of the third
      return three_way_partition(temp, bytes, c.in.data(), c.out.data(), back, back - s.most,
                                 c.count.data(), s, is_odd{}, is_two{}, nullptr);
    });
    std::vector<u32> expected;
    std::copy_if(call.items.begin(), call.items.end(), std::back_inserter(expected), is_odd{});
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 10, expected, false), "") << n << " of " << most;
    EXPECT_EQ(call.count.data()[0], expected.size());
    EXPECT_EQ(std::ptrdiff_t(call.count.data()[1]),
              std::count(call.items.begin(), call.items.end(), 2u));
  }
}

TEST(Deferred, ReduceByKey) {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      return reduce_by_key<u32>(temp, bytes, c.in.data(), c.in.data(), c.lengths.data(),
                                c.out.data(), c.count.data(), s, ::cuda::std::equal_to<>{},
                                ::cuda::std::plus<>{}, nullptr);
    });
    std::vector<u32> sums;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || call.items[i] != call.items[i - 1]) sums.push_back(0);
      sums.back() += call.items[i];
    }
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 20, sums, true), "") << n << " of " << most;
  }
}

// One tile and many, of launches for one and for many.
TEST(Deferred, Reduce) {
  using sizes = std::pair<std::size_t, std::size_t>;
  for (const auto& [n, most] :
       {sizes{0, 1}, sizes{0, 60000}, sizes{7, 60000}, sizes{9000, 60000}, sizes{50000, 50000}}) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      return reduce<u32>(temp, bytes, c.in.data(), s, ::cuda::std::identity{},
                         ::cuda::std::plus<u32>{}, u32{5}, c.out.data(), nullptr);
    });
    u32 sum = 5;
    for (const u32 item : call.items) sum += item;
    EXPECT_EQ(call.try_on_all(4, {sum}, false), "") << n << " of " << most;
  }
}

TEST(Deferred, Scan) {
  for (const auto& [n, most] : sizes) {
    deferred_call call(n, most, [](deferred_call& c, size s, void* temp, std::size_t& bytes) {
      return hindsight::detail::cuda::scan<u32, inclusive>(
          temp, bytes, c.in.data(), c.out.data(), s, ::cuda::std::plus<>{}, no_init{}, nullptr);
    });
    std::vector<u32> expected;
    u32 sum = 0;
    for (const u32 item : call.items) expected.push_back(sum += item);
    EXPECT_EQ(call.try_on_all(most > 1000 ? 2 : 20, expected, false), "") << n << " of " << most;
  }
}

}  // namespace
