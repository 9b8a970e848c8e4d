// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts for users' kernels on the GPU.
#include "block_sort_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>
#include <numeric>

namespace hindsight_test {

using hindsight::network::bitonic;
using hindsight::network::odd_even_merge;

/// Calls launch(keys, values) on `count` random keys; groups of `size` are to have their first n
/// sorted.
template <class Launch>
void expect_groups(std::size_t count, std::size_t size, std::size_t n, order_kept kept,
                   Launch launch) {
  const auto before = random_items<std::uint32_t>(count, unsigned(n));
  std::vector<std::uint32_t> places(count);
  std::iota(places.begin(), places.end(), 0u);
  const device_array<std::uint32_t> keys(before), values(places);
  launch(keys.data(), values.data());
  check(cudaDeviceSynchronize());
  EXPECT_EQ(wrong_groups(before, keys.to_host(), values.to_host(), size, n, kept), "");
}

template <class Network, int Items>
void expect_thread_sort() {
  expect_groups(256 * Items, Items, Items, order_kept::no, [](auto* keys, auto* values) {
    thread_sort_kernel<Network, Items><<<2, 128>>>(keys, values);
  });
}
template <class Network, int... Items>
void expect_thread_sorts() {
  (expect_thread_sort<Network, Items>(), ...);
}

TEST(BlockSort, ThreadsSortAnyNumber) {
  expect_thread_sorts<odd_even_merge, 1, 2, 3, 5, 7, 9, 13, 16, 17>();
  expect_thread_sorts<bitonic, 1, 3, 6, 8, 11, 17>();
}

TEST(BlockSort, WarpsAndBlocksSortAnyNumber) {
  for (const int n : {1, 2, 3, 31, 32, 33, 100, 127}) {
    expect_groups(4 * n, n, n, order_kept::no, [=](auto* keys, auto* values) {
      warp_sort_kernel<odd_even_merge, 128><<<1, 128>>>(keys, values, n);
    });
    expect_groups(4 * n, n, n, order_kept::no, [=](auto* keys, auto* values) {
      warp_sort_kernel<bitonic, 128><<<1, 128>>>(keys, values, n);
    });
  }
  for (const int n : {1, 5, 63, 64, 65, 1000, 1023, 2000}) {
    expect_groups(n, n, n, order_kept::no, [=](auto* keys, auto* values) {
      block_sort_kernel<odd_even_merge, 2000><<<1, 192>>>(keys, values, n);
    });
    expect_groups(n, n, n, order_kept::no, [=](auto* keys, auto* values) {
      block_sort_kernel<bitonic, 2000><<<1, 192>>>(keys, values, n);
    });
  }
}

TEST(BlockSort, MergeSortsAreStable) {
  for (const int n : {0, 1, 17, 95, 96}) {
    expect_groups(4 * 96, 96, n, order_kept::yes, [=](auto* keys, auto* values) {
      warp_merge_sort_kernel<32, 3><<<1, 128>>>(keys, values, n);
    });
  }
  for (const int n : {5, 32}) {
    expect_groups(16 * 32, 32, n, order_kept::yes, [=](auto* keys, auto* values) {
      warp_merge_sort_kernel<8, 4><<<1, 128>>>(keys, values, n);
    });
  }
  for (const int n : {0, 100, 671, 672}) {
    expect_groups(672, 672, n, order_kept::yes, [=](auto* keys, auto* values) {
      block_merge_sort_kernel<96, 7><<<1, 96>>>(keys, values, n);
    });
  }
}

/// Lanes are neighbours by x first, then by y, then by z.
TEST(BlockSort, InBlocksOfSeveralDimensions) {
  expect_groups(4 * 100, 100, 100, order_kept::no, [](auto* keys, auto* values) {
    warp_sort_kernel<odd_even_merge, 128><<<1, dim3(8, 8, 2)>>>(keys, values, 100);
  });
  expect_groups(1000, 1000, 1000, order_kept::no, [](auto* keys, auto* values) {
    block_sort_kernel<bitonic, 2000><<<1, dim3(12, 4, 4)>>>(keys, values, 1000);
  });
  expect_groups(4 * 96, 96, 96, order_kept::yes, [](auto* keys, auto* values) {
    warp_merge_sort_kernel<32, 3><<<1, dim3(4, 32)>>>(keys, values, 96);
  });
  expect_groups(672, 672, 672, order_kept::yes, [](auto* keys, auto* values) {
    block_merge_sort_kernel<96, 7><<<1, dim3(6, 16)>>>(keys, values, 672);
  });
}

}  // namespace hindsight_test
