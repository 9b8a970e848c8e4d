// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sort of at most one tile: all passes in one block, in shared memory.
#pragma once

#include <hindsight/detail/cuda/block/digit_rank.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/num_items.h>

#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Tuning, class Key, class Value>
struct sort_storage {
  static constexpr int num_staged_values = Tuning::stages_values ? Tuning::tile_items : 1;
  using staged_items = room_for<unsigned_bits_t<Key>[Tuning::tile_items], Value[num_staged_values]>;
  rank_storage<Tuning::num_digits, Tuning::block_threads / warp_lanes> ranking;
  staged_items staged;
};

/// out = in, stably sorted by all digits, by a block: n <= tile_items. Fewer items take fewer rows
/// of lanes. The output may be the input.
template <class Tuning, class Direction, class Key, class Value>
HINDSIGHT_DEVICE void sort_one_tile(const Key* keys_in, Key* keys_out, const Value* values_in,
                                    Value* values_out, int n, digit_passes passes,
                                    sort_storage<Tuning, Key, Value>& shared) {
  constexpr int lane_items = Tuning::lane_items, step = Tuning::row_step;
  constexpr int step_items = step * Tuning::block_threads;
  const int num_rows = (n + step_items - 1) / step_items * step;
  const lane_rows<lane_items, step> rows{__shfl_sync(all_lanes, num_rows, 0)};
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  auto& staged_keys = shared.staged.first();
  auto& staged_values = shared.staged.second();

  const int first = warp_index() * (warp_lanes * rows.count) + lane_index();
  const auto exists = [&](int i) { return first + i * warp_lanes < n; };
  using in_pass = pass_key<Direction, Key>;
  unsigned_bits_t<Key> keys[lane_items];
  uninitialized<Value> values[has_values ? lane_items : 1];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    if (rows.end_at(i)) break;
    keys[i] = in_pass::last();  // places past the end: they stay there in every pass
    if (!exists(i)) continue;
    keys[i] = in_pass::from(keys_in[first + i * warp_lanes]);
    if constexpr (has_values) values[i].set(values_in[first + i * warp_lanes]);
  }
  for (int p = 0; p < passes.count(); ++p) {
    const auto digit = passes.template digit<Direction, Key>(p);
    count_digits(keys, digit, shared.ranking, rows);
    __syncthreads();
    unsigned count;
    offset_digits(shared.ranking, count);
    __syncthreads();
    packed_ranks<lane_items> ranks;
    const auto stage = [&](int i, unsigned rank) {
      staged_keys[rank] = keys[i];
      if constexpr (has_values) ranks.set(i, rank);
    };
    rank_digits(keys, digit.again(), shared.ranking, stage, rows);
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items && !rows.end_at(i); ++i)
      keys[i] = staged_keys[first + i * warp_lanes];
    if constexpr (has_values) {
      __syncthreads();
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items && !rows.end_at(i); ++i)
        staged_values[ranks.get(i)] = values[i].get();
      __syncthreads();
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items && !rows.end_at(i); ++i)
        values[i].set(staged_values[first + i * warp_lanes]);
    }
    // No barrier: the next pass has two before it stages again.
  }
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    if (rows.end_at(i)) break;
    if (!exists(i)) continue;
    keys_out[first + i * warp_lanes] = in_pass::to_key(keys[i]);
    if constexpr (has_values) values_out[first + i * warp_lanes] = values[i].get();
  }
}

/// The same for a whole input.
template <class Tuning, class Direction, class Key, class Value, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 1)
void sort_tile_kernel(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                      Size num_items, digit_passes passes) {
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<sort_storage<Tuning, Key, Value>*>(shared_room);
  cuda::sort_one_tile<Tuning, Direction>(keys_in, keys_out, values_in, values_out,
                                         static_cast<int>(detail::read_items(num_items)), passes,
                                         shared);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
