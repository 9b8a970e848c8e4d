// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable merge sort by any comparator: blocks sort tiles, then passes merge pairs of runs.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/merge_tiles.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/tuning/plain.h>

#include <cuda/std/utility>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <int StepItems, int Lanes, class Key, class Size, class Compare>
cudaError_t split_runs_by(Key* keys, Size num_items, std::size_t run, std::size_t* splits,
                          Compare compare, cudaStream_t stream) {
  const std::size_t count = (detail::most_items(num_items) + StepItems - 1) / StepItems;
  constexpr auto split = split_runs_kernel<StepItems, Lanes, Key, Size, Compare>;
  const std::size_t blocks = (count * Lanes + search_threads - 1) / search_threads;
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(blocks), search_threads, 0, stream, split)(
      keys, num_items, run, count, splits, compare);
}

/// Finds all splits. If there are few, several lanes search for each, since each step waits for
/// memory. If there are many, one lane for each keeps the memory busy.
template <int StepItems, class Key, class Size, class Compare>
cudaError_t split_runs(Key* keys, Size num_items, std::size_t run, std::size_t* splits,
                       Compare compare, cudaStream_t stream) {
  if (detail::most_items(num_items) <= StepItems * most_splits_by_lanes) {
    return cuda::split_runs_by<StepItems, lanes_per_split>(keys, num_items, run, splits, compare,
                                                           stream);
  }
  return cuda::split_runs_by<StepItems, 1>(keys, num_items, run, splits, compare, stream);
}

/// Merges pairs of runs: out = in.
template <class Tuning, class Range, class Size, class Compare>
cudaError_t merge_two(Range in, Range out, Size num_items, std::size_t run, std::size_t* splits,
                      Compare compare, cudaStream_t stream) {
  static_assert(2 * Tuning::tile_items % Tuning::merge_tile_items == 0,
                "a tile must not lie in two pairs of runs");
  static_assert(Tuning::merge_threads > warp_lanes, "two warps search");
  const std::size_t n = detail::most_items(num_items);
  constexpr auto merge = merge_tiles_kernel<Tuning, Range, Size, Compare>;
  constexpr std::size_t shared_bytes = sizeof(merge_storage<Tuning, typename Range::item>);
  HINDSIGHT_TRY(allow_shared_bytes(merge, shared_bytes));
  const std::size_t num_tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;
  if (splits)
    HINDSIGHT_TRY((cuda::split_runs<Tuning::merge_tile_items>(in.keys, num_items, run, splits,
                                                              compare, stream)));
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(num_tiles), Tuning::merge_threads,
                               shared_bytes, stream,
                               merge)(in, out, num_items, run, splits, compare);
}

/// How runs of one sorted tile become one run of n items.
template <class Tuning>
struct merge_plan {
  std::size_t num_splits;  ///< that a pass notes; 0: each block searches its part itself
  int passes;
  explicit merge_plan(std::size_t n)
      : num_splits{(n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items}, passes{0} {
    if (num_splits <= std::size_t(Tuning::few_tiles)) num_splits = 0;
    for (std::size_t run = Tuning::tile_items; run < n; run *= 2) ++passes;
  }
};

/// Merges runs of one sorted tile, in `items`, until all [n] are one run. In each pass `items` and
/// `buffer` change places.
///   splits  room for plan.num_splits
template <class Tuning, class Range, class Size, class Compare>
cudaError_t merge_runs(Range items, Range buffer, Size num_items, const merge_plan<Tuning>& plan,
                       std::size_t* splits, Compare compare, cudaStream_t stream) {
  std::size_t run = Tuning::tile_items;
  for (int i = 0; i < plan.passes; ++i, run *= 2) {
    HINDSIGHT_TRY(cuda::merge_two<Tuning>(items, buffer, num_items, run,
                                          plan.num_splits > 0 ? splits : nullptr, compare, stream));
    ::cuda::std::swap(items, buffer);
  }
  return cudaSuccess;
}

/// Sorts each tile.
template <class Tuning, class In, class Out, class Size, class Compare>
cudaError_t sort_tiles(In in, Out out, Size num_items, Compare compare, cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  constexpr auto sort = sort_tiles_kernel<Tuning, In, Out, Size, Compare>;
  constexpr std::size_t shared_bytes = Tuning::tile_items * sizeof(typename Out::item);
  const std::size_t num_tiles = (n + Tuning::tile_items - 1) / Tuning::tile_items;
  HINDSIGHT_TRY(allow_shared_bytes(sort, shared_bytes));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), Tuning::block_threads, shared_bytes, stream,
                   sort)
  (in, out, num_items, compare);
  return detail::reported(cudaPeekAtLastError());
}

/// out = in, sorted, in CUB's two phases. `out` are arrays, and may be `in`.
template <class Tuning, class In, class Key, class Value, class Size, class Compare>
cudaError_t merge_sort(void* temp, std::size_t& temp_bytes, In in, item_range<Key, Value> out,
                       Size num_items, Compare compare, cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  const bool has_passes = n > std::size_t(Tuning::tile_items);
  const std::size_t merge_tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;
  carver space{temp};
  item_range<Key, Value> buffer{nullptr, nullptr};
  if (has_passes) buffer.keys = space.take<Key>(n);
  if (has_passes && out.has_values) buffer.values = space.take<Value>(n);
  const merge_plan<Tuning> plan{n};
  auto* const splits = space.take<std::size_t>(plan.num_splits);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0) return cudaSuccess;
  if (merge_tiles > max_blocks) return cudaErrorInvalidConfiguration;

  if (plan.passes % 2 != 0) ::cuda::std::swap(out, buffer);
  HINDSIGHT_TRY(cuda::sort_tiles<Tuning>(in, out, num_items, compare, stream));
  return cuda::merge_runs<Tuning>(out, buffer, num_items, plan, splits, compare, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
