// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out whether keys are already in order, or in reverse order: then passes have nothing to
// sort.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/ptx.cuh>
#include <hindsight/detail/tuning/loads.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What has been seen of neighbouring keys, bit by bit.
enum seen_order : unsigned { no_pairs = 0, a_pair_rises_or_ties = 1, a_pair_falls = 2, both = 3 };

/// Returns to all threads of a block what neighbours in one tile of the n > 1 keys show.
template <class Tuning, class Direction, class Key>
HINDSIGHT_DEVICE unsigned orders_of_tile(const Key* keys, std::size_t begin, std::size_t n,
                                         digit_passes passes, unsigned known) {
  using bits_t = unsigned_bits_t<Key>;
  const int above = int{sizeof(Key)} * 8 - passes.end_bit;
  const auto counted = [&](const Key& key) {
    const bits_t key_bits = cuda::key_bits_of<Direction, Key>(pass_key<Direction, Key>::from(key));
    return bits_t(bits_t(key_bits << above) >> (above + passes.begin_bit));
  };
  uninitialized<Key> items[Tuning::lane_items], next_items[Tuning::lane_items];
  HINDSIGHT_UNROLL
  for (int i = 0; i < Tuning::lane_items; ++i) {
    // Places past the end look at the last pair: without a branch all loads are under way at once.
    const std::size_t place = begin + threadIdx.x + i * Tuning::block_threads;
    const std::size_t first = ::cuda::std::min(place, n - 2);
    items[i].set(keys[first]);
    next_items[i].set(keys[first + 1]);
  }
  bool falls = known & a_pair_falls, rises = known & a_pair_rises_or_ties;
  HINDSIGHT_UNROLL
  for (int i = 0; i < Tuning::lane_items; ++i) {
    const bool pair_falls = counted(items[i].get()) > counted(next_items[i].get());
    falls |= pair_falls, rises |= !pair_falls;
  }
  const bool any_falls = __syncthreads_or(falls), any_rises = __syncthreads_or(rises);
  return (any_falls ? a_pair_falls : 0u) | (any_rises ? a_pair_rises_or_ties : 0u);
}

/// Looks at neighbouring keys until both orders are known to be broken. It begins at the end, where
/// users add items to keys that are in order. If no pair falls, the plan says from then on that no
/// digit varies and that there are no segments, so that passes copy at most. If all pairs fall, the
/// plan says the same, and reverse_kernel reverses the copy.
///   plan   as the histogram leaves it
///   state  zero
template <class Tuning, class Direction, class Key, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void find_order_kernel(const Key* keys, Size num_items, digit_passes passes, sort_plan* plan,
                       launch_state* state) {
  ptx::wait_for_launch_before();
  if (__popc(plan->varying) <= Tuning::few_digits) return;  // passes cost less than a look
  const std::size_t n = detail::read_items(num_items);
  const std::size_t num_tiles = (n + Tuning::tile_items - 1) / Tuning::tile_items;
  unsigned seen = no_pairs;
  for (std::size_t i = blockIdx.x; i < num_tiles && seen != both; i += gridDim.x) {
    // Relaxed: other blocks' pairs save time, but nothing else is read because of them.
    const unsigned known = seen | ptx::load_relaxed(&plan->seen_orders);
    const std::size_t begin = (num_tiles - 1 - i) * Tuning::tile_items;
    const unsigned now = cuda::orders_of_tile<Tuning, Direction>(keys, begin, n, passes, known);
    if (threadIdx.x == 0 && (now & ~known) != 0) atomicOr(&plan->seen_orders, now);
    seen = now;
  }
  __syncthreads();  // all have read the plan
  if (threadIdx.x != 0 || detail::count_finished(state) != gridDim.x) return;
  const unsigned orders = ptx::load_relaxed(&plan->seen_orders);
  if (orders == both) return;
  plan->varying = plan->segmented = 0;
  plan->reversed = orders == a_pair_falls;
}

/// Reverses items in place, by `threads` threads, of which this is number `thread`.
template <class Item>
HINDSIGHT_DEVICE void reverse_items(Item* items, std::size_t n, std::size_t thread,
                                    std::size_t threads) {
  constexpr int batch = swapped_at_once<Item>;
  const auto last = items + (n - 1);
  std::size_t first = thread;
  for (; first + (batch - 1) * threads < n / 2; first += batch * threads) {
    uninitialized<Item> low[batch], high[batch];
    HINDSIGHT_UNROLL
    for (int i = 0; i < batch; ++i) {
      low[i].set(items[first + i * threads]);
      high[i].set(*(last - (first + i * threads)));
    }
    HINDSIGHT_UNROLL
    for (int i = 0; i < batch; ++i) {
      items[first + i * threads] = high[i].get();
      *(last - (first + i * threads)) = low[i].get();
    }
  }
  for (; first < n / 2; first += threads) {
    const Item low = cuda::as_item<Item>(items[first]);
    items[first] = *(last - first);
    *(last - first) = low;
  }
}

/// Reverses keys and values where the plan says so.
template <class Tuning, class Key, class Value, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void reverse_kernel(Key* keys, Value* values, Size num_items, const sort_plan* plan) {
  ptx::wait_for_launch_before();
  if (!plan->reversed) return;
  const std::size_t n = detail::read_items(num_items);
  const std::size_t threads = std::size_t{gridDim.x} * Tuning::block_threads;
  const std::size_t thread = std::size_t{blockIdx.x} * Tuning::block_threads + threadIdx.x;
  cuda::reverse_items(keys, n, thread, threads);
  if constexpr (!std::is_same_v<Value, no_value>) cuda::reverse_items(values, n, thread, threads);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
