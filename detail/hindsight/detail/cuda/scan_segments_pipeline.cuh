// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of segments of many tiles of arrays, as a pipeline.
#pragma once

#include <hindsight/detail/cuda/block/pipeline.cuh>
#include <hindsight/detail/cuda/block/scan_by_key_tile.cuh>
#include <hindsight/detail/cuda/block/segment_heads.cuh>
#include <hindsight/detail/cuda/light_operators.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What scan_segments_kernel does with a tile, in the stages of a pipeline: the search of the
/// offsets is one more stage, with warps of its own.
template <class Tuning, class Kind, class T, class OffsetIt, class Op, class Init>
struct scan_segments_step {
  static constexpr tile_shape shape = Tuning::shape;
  static constexpr int mark_warps = Tuning::mark_warps;
  static constexpr int lane_items = shape.lane_items;
  static_assert(lane_items < 32, "a lane has a bit for each of its items, and one more");
  using staged_values = staged_warp<T, lane_items>;

  struct slot_type : tile_of_runs<T, lane_items, shape.warps> {
    segment_heads<shape.tile_items()> heads;
    unsigned lane_heads[shape.block_threads()];  ///< the highest bit: a segment begins before
    uninitialized<T> lanes_before[shape.block_threads()];
  };
  using storage = scouted_storage<slot_type, open_run<T>, Tuning::pipeline_slots>;

  const T* in;  ///< the first segment's first item; `out`: where its scan goes
  T* out;
  merged_segments<OffsetIt> merged;
  std::size_t n;
  mutable Op op;
  const Init& init;
  tile_chain<open_run<T>> chain;

  HINDSIGHT_DEVICE std::ptrdiff_t items_from(std::size_t first) const {
    return static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  }
  /// Whether two warps copy the tile. If not, the fold squad loads what is there.
  HINDSIGHT_DEVICE bool is_copied(std::size_t tile) const {
    return items_from(tile * shape.tile_items()) >= shape.tile_items() &&
           staged_values::is_aligned(in);
  }

  HINDSIGHT_DEVICE void load(std::size_t tile, slot_type& slot, int part) const {
    if (!is_copied(tile)) return;
    const std::size_t first = tile * shape.tile_items();
    HINDSIGHT_ROLL
    for (int w = part; w < shape.warps; w += 2)
      slot.values[w].begin_copy(in + first + w * shape.warp_items());
  }

  HINDSIGHT_DEVICE void mark(std::size_t tile, slot_type& slot) const {
    const std::size_t first = tile * shape.tile_items();
    slot.heads.clear(lane_index(), warp_lanes);
    const segment_span own =
        cuda::find_segments(first, ::cuda::std::min(first + shape.tile_items(), n), merged);
    __syncwarp();  // the bits are clear
    slot.heads.mark(merged, own, first, lane_index(), warp_lanes);
  }

  HINDSIGHT_DEVICE void fold(std::size_t tile, slot_type& slot) const {
    const int warp = cuda::shared_warp_index(), thread = warp * warp_lanes + lane_index();
    const std::size_t begin = tile * shape.tile_items();
    const std::size_t first = begin + warp * shape.warp_items();
    if (!is_copied(tile)) slot.values[warp].load_partial(in + first, items_from(first));
    const unsigned heads =
        slot.heads.template of_lane<lane_items>(merged, begin, thread * lane_items);
    uninitialized<T> before;
    open_run<T> tile_run;
    const unsigned head_before = cuda::fold_runs(
        slot, thread, heads, op, init, before, tile_run,
        [] { ptx::sync_some_threads(1, shape.block_threads()); },
        [&](const open_run<T>& run) { chain.board.publish_aggregate(tile, run); });
    slot.lane_heads[thread] = heads | head_before << 31;
    slot.lanes_before[thread].set(before.get());
  }

  HINDSIGHT_DEVICE void write(std::size_t tile, slot_type& slot,
                              const uninitialized<open_run<T>>& carry, int warp) const {
    cuda::write_scan_by_run<Kind>(*this, tile, slot, carry, warp);
  }
};

/// As scan_segments_kernel, where there are no more tiles than `launched` has places; else it does
/// nothing.
template <class Tuning, class Kind, class T, class OffsetIt, class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(pipeline_threads(Tuning::shape.warps, Tuning::mark_warps), 1)
void scan_segments_pipeline_kernel(const T* in, OffsetIt offsets, std::size_t num_segments, T* out,
                                   Op op, Init init, tile_chain<open_run<T>> launched) {
  // clang-format off
  HINDSIGHT_FROM_SM_90((
    using step = scan_segments_step<Tuning, Kind, T, OffsetIt, Op, Init>;
    HINDSIGHT_DYNAMIC_SHARED(room);
    const merged_segments<OffsetIt> merged(offsets, num_segments);
    const std::size_t n = merged.num_items();
    const deferred_chain<open_run<T>, hand_over::values> chain(
        launched, n, step::shape.tile_items());
    if (chain.num_tiles > launched.num_tiles) return ptx::wait_for_launch_before();
    cuda::run_scouted_pipeline(
        step{in + merged.first(), out + merged.first(), merged, n, op, init, chain},
        append_run<Op>{op}, *reinterpret_cast<typename step::storage*>(room));
  ))
  // clang-format on
}

/// Launches the pipeline where it pays: arrays of numbers, by cheap operators. `launched` says
/// whether it did. The chain is prepared. In the end there may be more or fewer than
/// `likely_tiles`.
template <class Tuning, class Kind, class T, class InputIt, class OffsetIt, class OutputIt,
          class Op, class Init>
cudaError_t scan_segments_in_pipeline(InputIt in, OffsetIt offsets, std::size_t num_segments,
                                      OutputIt out, Op op, Init init,
                                      const tile_chain<open_run<T>>& chain,
                                      [[maybe_unused]] std::size_t likely_tiles,
                                      [[maybe_unused]] cudaStream_t stream, bool& launched) {
  launched = false;
  using staged_values = staged_warp<T, Tuning::shape.lane_items>;
  if constexpr (is_light<T, Op> && segment_scan_suits_pipeline<T> &&
                staged_values::template moves_in_pieces<InputIt> && std::is_same_v<OutputIt, T*>) {
    using fold = fold_with<T, Op>;
    constexpr auto kernel = scan_segments_pipeline_kernel<Tuning, Kind, T, OffsetIt, fold, Init>;
    using storage = typename scan_segments_step<Tuning, Kind, T, OffsetIt, fold, Init>::storage;
    if (!staged_values::is_aligned(in)) return cudaSuccess;
    unsigned blocks = 0;
    HINDSIGHT_TRY((cuda::pipeline_blocks<Tuning, kernel, storage>(likely_tiles, blocks)));
    if (blocks == 0) return cudaSuccess;
    HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT_IF(
        chain.starts_early, blocks, pipeline_threads(Tuning::shape.warps, Tuning::mark_warps),
        sizeof(storage), stream, kernel)(in, offsets, num_segments, out, fold{op}, init, chain));
    launched = true;
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
