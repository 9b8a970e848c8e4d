// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable merge sort by any comparator: blocks sort tiles, then passes merge runs, two at a time, or
// four in large inputs.
#pragma once

#include <hindsight/detail/cuda/merge_four_runs.cuh>
#include <hindsight/detail/cuda/merge_tiles.cuh>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/tuning/plain.h>

#include <cuda/std/utility>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Where runs are split, as passes over large inputs note it.
template <class Tuning>
struct split_tables {
  std::size_t* splits;  ///< [num_splits()]
  std::size_t* lefts;   ///< [num_fours()]
  static std::size_t num_splits(std::size_t n) {
    return (n + Tuning::split_items - 1) / Tuning::split_items;
  }
  static std::size_t num_fours(std::size_t n) {
    if constexpr (!Tuning::merges_four)
      return 0;
    else
      return (n + Tuning::four_tile_items - 1) / Tuning::four_tile_items;
  }
};

template <int StepItems, int Lanes, class Key, class Size, class Compare>
void split_runs_by(Key* keys, Size num_items, std::size_t run, std::size_t* splits, Compare compare,
                   cudaStream_t stream) {
  const std::size_t count = (detail::most_items(num_items) + StepItems - 1) / StepItems;
  HINDSIGHT_LAUNCH(static_cast<unsigned>((count * Lanes + search_threads - 1) / search_threads),
                   search_threads, 0, stream,
                   split_runs_kernel<StepItems, Lanes, Key, Size, Compare>)
  (keys, num_items, run, count, splits, compare);
}

/// Finds all splits. If there are few, several lanes search for each, since each step waits for
/// memory. If there are many, one lane for each keeps the memory busy.
template <int StepItems, class Key, class Size, class Compare>
void split_runs(Key* keys, Size num_items, std::size_t run, std::size_t* splits, Compare compare,
                cudaStream_t stream) {
  if (detail::most_items(num_items) <= StepItems * most_splits_by_lanes) {
    cuda::split_runs_by<StepItems, lanes_per_split>(keys, num_items, run, splits, compare, stream);
  } else {
    cuda::split_runs_by<StepItems, 1>(keys, num_items, run, splits, compare, stream);
  }
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
    cuda::split_runs<Tuning::merge_tile_items>(in.keys, num_items, run, splits, compare, stream);
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), Tuning::merge_threads, shared_bytes, stream,
                   merge)
  (in, out, num_items, run, splits, compare);
  return cudaPeekAtLastError();
}

/// Merges four runs at a time: out = in.
template <class Tuning, class Range, class Compare>
cudaError_t merge_four(Range in, Range out, std::size_t n, std::size_t run,
                       const split_tables<Tuning>& tables, Compare compare, cudaStream_t stream) {
  static_assert(4 * Tuning::tile_items % Tuning::four_tile_items == 0 &&
                    Tuning::four_tile_items % Tuning::split_items == 0 &&
                    2 * Tuning::tile_items % Tuning::split_items == 0,
                "a tile must not lie in two groups of runs");
  constexpr auto merge = merge_four_kernel<Tuning, Range, Compare>;
  constexpr std::size_t shared_bytes = sizeof(merge_four_storage<Tuning, typename Range::item>);
  HINDSIGHT_TRY(allow_shared_bytes(merge, shared_bytes));
  const std::size_t num_tiles = tables.num_fours(n);
  cuda::split_runs<Tuning::split_items>(in.keys, n, run, tables.splits, compare, stream);
  HINDSIGHT_LAUNCH(static_cast<unsigned>((num_tiles + search_threads - 1) / search_threads),
                   search_threads, 0, stream, split_pairs_kernel<Tuning>)
  (in.keys, n, run, num_tiles, tables.splits, tables.lefts, compare);
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), Tuning::four_threads, shared_bytes, stream,
                   merge)
  (in, out, n, run, tables.splits, tables.lefts, compare);
  return cudaPeekAtLastError();
}

/// How runs of one sorted tile become one run of n items. With a deferred number of items some runs
/// may be empty, so all passes merge pairs.
template <class Tuning, class Size>
struct merge_plan {
  static constexpr bool merges_four = Tuning::merges_four && !is_deferred<Size>;
  bool has_tables;  ///< else each block searches its part itself
  int twos, fours;  ///< passes
  explicit merge_plan(std::size_t n) : twos{0}, fours{0} {
    const std::size_t tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;
    has_tables = tiles > std::size_t(Tuning::few_tiles);
    for (std::size_t run = Tuning::tile_items; run < n; run *= 2) ++twos;
    if (merges_four && has_tables) {
      fours = twos / 2;
      twos %= 2;
    }
  }
  bool ends_in_buffer() const { return (twos + fours) % 2 != 0; }
};

/// Merges runs of one sorted tile, in `items`, until all [n] are one run. In each pass `items` and
/// `buffer` change places.
template <class Tuning, class Range, class Size, class Compare>
cudaError_t merge_runs(Range items, Range buffer, Size num_items, split_tables<Tuning> tables,
                       Compare compare, cudaStream_t stream) {
  using plan_t = merge_plan<Tuning, Size>;
  const plan_t plan{detail::most_items(num_items)};
  std::size_t run = Tuning::tile_items;
  for (int i = 0; i < plan.twos; ++i, run *= 2) {
    HINDSIGHT_TRY(cuda::merge_two<Tuning>(
        items, buffer, num_items, run, plan.has_tables ? tables.splits : nullptr, compare, stream));
    ::cuda::std::swap(items, buffer);
  }
  if constexpr (plan_t::merges_four) {
    for (int i = 0; i < plan.fours; ++i, run *= 4) {
      HINDSIGHT_TRY(
          cuda::merge_four<Tuning>(items, buffer, num_items, run, tables, compare, stream));
      ::cuda::std::swap(items, buffer);
    }
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
  return cudaPeekAtLastError();
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
  using tables = split_tables<Tuning>;
  const tables split{space.take<std::size_t>(has_passes ? tables::num_splits(n) : 0),
                     space.take<std::size_t>(has_passes ? tables::num_fours(n) : 0)};
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (merge_tiles > max_blocks) return cudaErrorInvalidConfiguration;

  if (merge_plan<Tuning, Size>{n}.ends_in_buffer()) ::cuda::std::swap(out, buffer);
  HINDSIGHT_TRY(cuda::sort_tiles<Tuning>(in, out, num_items, compare, stream));
  return cuda::merge_runs<Tuning>(out, buffer, num_items, split, compare, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
