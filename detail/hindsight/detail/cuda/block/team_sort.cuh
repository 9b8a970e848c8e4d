// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sorts in a user's kernel are made of: comparators over arrays, and stable merges by a team.
#pragma once

#include <hindsight/detail/cuda/block/sorting_network.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/merge_sort.cuh>
#include <hindsight/detail/no_value.h>

#include <cuda/std/utility>

#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The place of this thread in its block, which may have several dimensions; warps are made of
/// neighbours in this order.
HINDSIGHT_DEVICE int rank_in_block() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
HINDSIGHT_DEVICE int threads_of_block() {
  return static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
}

template <class T>
HINDSIGHT_DEVICE void swap_places(T* items, int low, int high) {
  const T lower = ::cuda::std::as_const(items[high]);
  items[high] = items[low];
  items[low] = lower;
}

/// A network's comparator over keys, with which values move. `Value` is no_value without any.
template <class Key, class Value, class Compare>
struct array_exchange {
  Key* keys;
  Value* values;
  mutable Compare compare;
  HINDSIGHT_DEVICE void operator()(int low, int high) const {
    if (!bool(compare(keys[high], keys[low]))) return;
    cuda::swap_places(keys, low, high);
    if constexpr (!std::is_same_v<Value, no_value>) cuda::swap_places(values, low, high);
  }
};

template <int Threads, int Items>
struct team_shape {
  static constexpr int block_threads = Threads, lane_items = Items;
};

/// Sorts the items of a team's members, a blocked arrangement, stably.
///   thread  the member's rank
///   staged  [Threads * Items], shared memory of the team
template <int Threads, int Items, class Key, class Value, class Compare>
HINDSIGHT_DEVICE void sort_by_team(int thread, Key* keys, Value* values, Compare by_key,
                                   typename item_range<Key, Value>::item* staged) {
  using item = typename item_range<Key, Value>::item;
  compare_items<Compare> compare{by_key};
  uninitialized<item> own[Items];
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if constexpr (std::is_empty_v<Value>) {
      own[i].set(keys[i]);
    } else {
      own[i].set(item{keys[i], values[i]});
    }
  }
  cuda::sort_by_transposition(own, compare);
  cuda::merge_within_team<team_shape<Threads, Items>>(own, thread, Threads * Items, compare,
                                                      staged);
  HINDSIGHT_UNROLL
  for (int i = 0; i < Items; ++i) {
    keys[i] = cuda::key_of(own[i].ref());
    if constexpr (!std::is_empty_v<Value>) values[i] = own[i].get().value;
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
