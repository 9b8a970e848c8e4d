// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that call the sorts for users' kernels, for the GPU and the CPU's emulated one.
#pragma once

#include <hindsight/block_sort.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hindsight_test {

/// Looks at four bits, so that most threads have equivalent keys among their few.
struct by_low_bits {
  HINDSIGHT_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
    return (a & 15) < (b & 15);
  }
};

/// Each thread sorts Items keys and the values that belong to them.
template <class Network, int Items>
HINDSIGHT_KERNEL void thread_sort_kernel(std::uint32_t* keys, std::uint32_t* values) {
  std::uint32_t own_keys[Items], own_values[Items];
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * Items;
  for (int i = 0; i < Items; ++i) own_keys[i] = keys[first + i];
  for (int i = 0; i < Items; ++i) own_values[i] = values[first + i];
  hindsight::thread_sort<Network>(own_keys, own_values, by_low_bits{});
  for (int i = 0; i < Items; ++i) keys[first + i] = own_keys[i];
  for (int i = 0; i < Items; ++i) values[first + i] = own_values[i];
}

template <int Items>
struct keys_and_values {
  std::uint32_t keys[Items], values[Items];
};

/// The place of a thread in a block of up to three dimensions.
HINDSIGHT_DEVICE int rank_in_block() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

/// Each warp sorts n keys and values, or the block does; `n` is at most Most.
template <class Network, int Most>
HINDSIGHT_KERNEL void warp_sort_kernel(std::uint32_t* keys, std::uint32_t* values, int n) {
  HINDSIGHT_SHARED(shared, keys_and_values<4 * Most>);
  const int warp = rank_in_block() / 32, lane = rank_in_block() % 32;
  std::uint32_t *own_keys = shared.keys + warp * Most, *own_values = shared.values + warp * Most;
  for (int i = lane; i < n; i += 32) own_keys[i] = keys[warp * n + i];
  for (int i = lane; i < n; i += 32) own_values[i] = values[warp * n + i];
  hindsight::warp_sort<Network>(own_keys, own_values, n, by_low_bits{});
  for (int i = lane; i < n; i += 32) keys[warp * n + i] = own_keys[i];
  for (int i = lane; i < n; i += 32) values[warp * n + i] = own_values[i];
}
template <class Network, int Most>
HINDSIGHT_KERNEL void block_sort_kernel(std::uint32_t* keys, std::uint32_t* values, int n) {
  HINDSIGHT_SHARED(shared, keys_and_values<Most>);
  const int thread = rank_in_block();
  const int step = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
  for (int i = thread; i < n; i += step) shared.keys[i] = keys[i];
  for (int i = thread; i < n; i += step) shared.values[i] = values[i];
  hindsight::block_sort<Network>(shared.keys, shared.values, n, by_low_bits{});
  for (int i = thread; i < n; i += step) keys[i] = shared.keys[i];
  for (int i = thread; i < n; i += step) values[i] = shared.values[i];
}

/// Sorts n keys and values by a team's merge sort, twice, in room that it uses again.
template <class Sort, int Items>
HINDSIGHT_DEVICE void sort_blocked(const Sort& sort, int first, int n, std::uint32_t* keys,
                                   std::uint32_t* values) {
  std::uint32_t own_keys[Items], own_values[Items];
  for (int i = 0; i < Items; ++i) own_keys[i] = first + i < n ? keys[first + i] : 0;
  for (int i = 0; i < Items; ++i) own_values[i] = first + i < n ? values[first + i] : 0;
  sort.Sort(own_keys, own_values, by_low_bits{}, n, 255u);
  for (int i = 0; i < Items; ++i)
    if (first + i < n) keys[first + i] = own_keys[i];
  for (int i = 0; i < Items; ++i)
    if (first + i < n) values[first + i] = own_values[i];
}

/// Each group of so many lanes sorts n keys of its Items * Lanes.
template <int Lanes, int Items>
HINDSIGHT_KERNEL void warp_merge_sort_kernel(std::uint32_t* keys, std::uint32_t* values, int n) {
  using sort = hindsight::WarpMergeSort<std::uint32_t, Items, Lanes, std::uint32_t>;
  struct rooms {
    typename sort::TempStorage of_groups[128 / Lanes];
  };
  HINDSIGHT_SHARED(shared, rooms);
  const int group = rank_in_block() / Lanes;
  sort_blocked<sort, Items>(sort{shared.of_groups[group]}, rank_in_block() % Lanes * Items, n,
                            keys + group * Lanes * Items, values + group * Lanes * Items);
}
template <int Threads, int Items>
HINDSIGHT_KERNEL void block_merge_sort_kernel(std::uint32_t* keys, std::uint32_t* values, int n) {
  using sort = hindsight::BlockMergeSort<std::uint32_t, Threads, Items, std::uint32_t>;
  HINDSIGHT_SHARED(shared, typename sort::TempStorage);
  sort_blocked<sort, Items>(sort{shared}, rank_in_block() * Items, n, keys, values);
}

/// Whether groups of `size` keys, of which the first n of each are sorted, are as std::stable_sort
/// has them; values say where the keys were. Without `stable`, equivalent ones in any order.
enum class order_kept { yes, no };
inline std::string wrong_groups(const std::vector<std::uint32_t>& before,
                                const std::vector<std::uint32_t>& keys,
                                const std::vector<std::uint32_t>& values, std::size_t size,
                                std::size_t n, order_kept kept) {
  for (std::size_t begin = 0; begin + size <= keys.size(); begin += size) {
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = begin + i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return by_low_bits{}(before[a], before[b]);
    });
    std::vector<bool> seen(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = values[begin + i];
      const bool is_right = from >= begin && from < begin + n && keys[begin + i] == before[from] &&
                            !seen[from - begin] && (before[from] & 15) == (before[order[i]] & 15) &&
                            (kept == order_kept::no || from == order[i]);
      if (!is_right) return "item " + std::to_string(begin + i) + " of " + std::to_string(n);
      seen[from - begin] = true;
    }
  }
  return {};
}

}  // namespace hindsight_test
