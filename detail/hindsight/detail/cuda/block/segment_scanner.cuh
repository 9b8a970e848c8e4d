// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a block scans a tile of items by segment: it searches the offsets for the segments that begin
// there, folds the tile, and writes it once it knows what is open where the tile begins.
#pragma once

#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/scan_by_key_tile.cuh>
#include <hindsight/detail/cuda/block/segment_heads.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>

#include <cuda/std/functional>

#include <cstddef>
#include <cstring>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class T, int LaneItems, int Warps>
struct segment_scan_storage : tile_of_runs<T, LaneItems, Warps> {
  segment_heads<Warps * warp_lanes * LaneItems> heads;
};

/// A block that scans tiles of items.
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
struct segment_scanner {
  static constexpr tile_shape shape = Tuning::shape;
  using value_type = T;
  using offset_iterator = OffsetIt;
  using storage = segment_scan_storage<T, shape.lane_items, shape.warps>;

  InputIt in;
  merged_segments<OffsetIt> merged;
  OutputIt out;
  mutable Op op;
  Init init;
  storage& shared;
  std::size_t begin{}, end{};  ///< the tile's items
  std::ptrdiff_t left{};       ///< how many there are from this warp's first one on
  unsigned heads{};            ///< which of this lane's items begin a segment
  bool head_before{};          ///< one begins in the tile before this lane
  uninitialized<T> before{};   ///< the tile's part of the fold of what is open before this lane;
                               ///< not in thread 0

  /// Loads a tile and folds it by segment. What is open behind it is the result.
  HINDSIGHT_DEVICE open_run<T> fold(std::size_t tile) {
    const int thread = static_cast<int>(threadIdx.x);
    turn_to(tile, merged.num_items());
    if (begin == end) {
      uninitialized<T> none;  // the next item begins a segment: no operator sees this fold
      memset(static_cast<void*>(&none), 0, sizeof none);
      return open_run<T>::make(1, none.get());
    }
    begin_load();
    shared.heads.clear(thread, shape.block_threads());
    const segment_span own = cuda::find_segments(begin, end, merged);
    __syncthreads();
    shared.heads.mark(merged, own, begin, thread, shape.block_threads());
    finish_load();
    __syncthreads();
    return fold_loaded();
  }

  /// Turns to a tile. n: how many items there are in all.
  HINDSIGHT_DEVICE void turn_to(std::size_t tile, std::size_t n) {
    begin = ::cuda::std::min(tile * shape.tile_items(), n);
    end = ::cuda::std::min(begin + shape.tile_items(), n);
    left = static_cast<std::ptrdiff_t>(n - begin) - warp_index() * shape.warp_items();
  }
  /// Loads this warp's items, in two steps.
  HINDSIGHT_DEVICE void begin_load() {
    if (left >= shape.warp_items()) shared.values[warp_index()].begin_load(items_of_warp(in));
  }
  HINDSIGHT_DEVICE void finish_load() {
    auto& run = shared.values[warp_index()];
    left >= shape.warp_items() ? run.finish_loads() : run.load_partial(items_of_warp(in), left);
  }
  /// fold() of a tile whose items are loaded and whose heads are marked.
  HINDSIGHT_DEVICE open_run<T> fold_loaded() {
    const int thread = static_cast<int>(threadIdx.x);
    heads =
        shared.heads.template of_lane<shape.lane_items>(merged, begin, thread * shape.lane_items);
    open_run<T> run_of_tile;
    head_before = cuda::fold_runs(
        shared, thread, heads, op, init, before, run_of_tile, [] { __syncthreads(); },
        [](const open_run<T>&) {});
    return run_of_tile;
  }

  /// Whether this lane's scan depends on what is open where the tile begins.
  HINDSIGHT_DEVICE bool needs_carry() const {
    return !head_before && begin > 0 && (heads & 1) == 0;
  }
  /// Writes the scan of the tile that was folded last; `open` is what is open where it begins.
  HINDSIGHT_DEVICE void write(const uninitialized<open_run<T>>& open) {
    if (left <= 0) return;
    if (needs_carry()) {
      const T carry = open.get().fold();
      before.set(threadIdx.x > 0 ? op(carry, before.get()) : carry);
    }
    auto& run = shared.values[warp_index()];
    cuda::scan_own_runs<Kind>(run, heads, before, op, init);
    const auto to = items_of_warp(out);
    left >= shape.warp_items() ? run.store(to) : run.store_partial(to, left);
  }

 private:
  /// The tile's items of this warp in a range.
  template <class It>
  HINDSIGHT_DEVICE auto items_of_warp(It range) const {
    return range + (merged.first() + begin + warp_index() * shape.warp_items());
  }
};

/// Scans tiles [first, last] of a chunk. Its last tiles are folded first, as far back as the
/// segment begins that is open behind the chunk. Then `begin_writing(run, before)` is told what
/// the chunk hands on, and says whether the chunk is to be written; if so, it puts what is open
/// before the chunk, if that is not the first one, into `before`.
template <class Scanner, class Append, class BeginWriting>
HINDSIGHT_DEVICE void scan_chunk(Scanner& block, const Append& append, std::size_t first,
                                 std::size_t last, BeginWriting begin_writing) {
  using run_type = open_run<typename Scanner::value_type>;
  uninitialized<run_type> run, before;
  bool is_written = false;
  for (std::size_t tile = last;;) {
    const run_type tile_run = block.fold(tile);
    if (!is_written) {
      run.set(tile == last ? tile_run : append(tile_run, run.get()));
      if (run.get().count() == 0 && tile > first) {
        --tile;
        continue;
      }
      if (!begin_writing(run.get(), before)) return;
      is_written = true;
      if (first < last) {
        tile = first;
        continue;
      }
    }
    block.write(before);
    if (tile == last) return;
    before.set(tile > 0 ? append(before.get(), tile_run) : tile_run);
    ++tile;
    __syncwarp();  // the warp's items have left its room
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
