// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Sorts for users' kernels: by threads, warps and blocks.
#include "block_sort_testing.h"
#include "emulation/operators.h"
#include "emulation/testing.h"
#include <numeric>

namespace {

using namespace emulation;
using namespace hindsight_test;
using hindsight::network::bitonic;
using hindsight::network::odd_even_merge;

/// launch(keys, values) on `count` random keys; groups of `size` are to have their first n sorted.
class groups {
 public:
  groups(std::size_t count, std::size_t size, std::size_t n, order_kept kept,
         std::function<void(std::uint32_t*, std::uint32_t*)> launch)
      : before_{random_items<std::uint32_t>(count)},
        places_(count),
        size_{size},
        n_{n},
        kept_{kept},
        launch_{std::move(launch)} {
    std::iota(places_.begin(), places_.end(), 0u);
  }
  experiment make() {
    return {[this] {
              keys_.assign(before_);
              values_.assign(places_);
            },
            [this] { launch_(keys_.data(), values_.data()); },
            [this] {
              return wrong_groups(before_, keys_.to_host(), values_.to_host(), size_, n_, kept_);
            }};
  }

 private:
  std::vector<std::uint32_t> before_, places_;
  std::size_t size_, n_;
  order_kept kept_;
  std::function<void(std::uint32_t*, std::uint32_t*)> launch_;
  device_array<std::uint32_t> keys_{before_.size()}, values_{before_.size()};
};

template <class Network, int Items>
groups of_threads() {
  return {64 * Items, Items, Items, order_kept::no, [](auto* keys, auto* values) {
            HINDSIGHT_LAUNCH(1, 64, 0, nullptr, thread_sort_kernel<Network, Items>)(keys, values);
          }};
}
template <class Network>
groups of_warps(int n) {
  return {std::size_t(2 * n), std::size_t(n), std::size_t(n), order_kept::no,
          [=](auto* keys, auto* values) {
            HINDSIGHT_LAUNCH(1, 64, 0, nullptr, warp_sort_kernel<Network, 128>)(keys, values, n);
          }};
}
template <class Network>
groups of_blocks(int n) {
  return {std::size_t(n), std::size_t(n), std::size_t(n), order_kept::no,
          [=](auto* keys, auto* values) {
            HINDSIGHT_LAUNCH(1, 64, 0, nullptr, block_sort_kernel<Network, 512>)(keys, values, n);
          }};
}
groups of_merging_warps(int n) {
  return {64 * 3, 16 * 3, std::size_t(n), order_kept::yes, [=](auto* keys, auto* values) {
            HINDSIGHT_LAUNCH(1, 64, 0, nullptr, warp_merge_sort_kernel<16, 3>)(keys, values, n);
          }};
}
groups of_merging_blocks(int n) {
  return {96 * 3, 96 * 3, std::size_t(n), order_kept::yes, [=](auto* keys, auto* values) {
            HINDSIGHT_LAUNCH(1, 96, 0, nullptr, block_merge_sort_kernel<96, 3>)(keys, values, n);
          }};
}

TEST(block_sort, threads_sort_any_number) {
  EXPECT_EQ(try_on_machines(2, of_threads<odd_even_merge, 7>().make()), "");
  EXPECT_EQ(try_on_machines(2, of_threads<odd_even_merge, 17>().make()), "");
  EXPECT_EQ(try_on_machines(2, of_threads<bitonic, 7>().make()), "");
  EXPECT_EQ(try_on_machines(2, of_threads<bitonic, 17>().make()), "");
}
TEST(block_sort, warps_and_blocks_sort_any_number) {
  for (const int n : {1, 3, 32, 33, 77, 127}) {
    EXPECT_EQ(try_on_machines(3, of_warps<odd_even_merge>(n).make()), "") << n;
    EXPECT_EQ(try_on_machines(3, of_warps<bitonic>(n).make()), "") << n;
    EXPECT_EQ(try_on_machines(3, of_blocks<odd_even_merge>(3 * n).make()), "") << n;
    EXPECT_EQ(try_on_machines(3, of_blocks<bitonic>(3 * n).make()), "") << n;
  }
}
TEST(block_sort, merge_sorts_are_stable) {
  for (const int n : {0, 1, 30, 48})
    EXPECT_EQ(try_on_machines(5, of_merging_warps(n).make()), "") << n;
  for (const int n : {0, 100, 288})
    EXPECT_EQ(try_on_machines(5, of_merging_blocks(n).make()), "") << n;
}
TEST(block_sort, needs_every_ordering) {
  expect_all_needed(10, of_warps<odd_even_merge>(100).make());
  expect_all_needed(10, of_blocks<bitonic>(300).make());
  expect_all_needed(10, of_merging_warps(48).make());
}

}  // namespace
