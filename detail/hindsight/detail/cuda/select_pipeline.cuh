// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The selection from many tiles of aligned arrays, as a pipeline.
#pragma once

#include <hindsight/detail/cuda/block/existing_items.cuh>
#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/pipeline.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/select_outputs.cuh>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What select_kernel does with a tile, in the stages of a pipeline. The board has 32-bit counts.
template <class Tuning, class T, class SelectedIt, class Rejected, class Predicate, class CountIt>
struct select_step {
  static constexpr tile_shape shape = Tuning::pipeline_shape;
  static constexpr int lane_items = shape.lane_items;
  static_assert(lane_items <= 32, "a lane has a bit for each of its items");
  static_assert(shape.tile_items() >= Tuning::shape.tile_items(),
                "the workspace has room for both");
  using staged_items = staged_warp<T, lane_items>;
  using chain_type = tile_chain<std::uint32_t, hand_over::memory>;

  struct loaded_tile {
    staged_items items[shape.warps];
  };
  /// Selected items, then rejected ones. Item r sits in slot r + r / lane_items: lanes that stage
  /// all or none of their items then have no bank conflicts.
  class staged_tile {
   public:
    HINDSIGHT_DEVICE uninitialized<T>& operator[](int r) { return items_[r + r / lane_items]; }

   private:
    uninitialized<T> items_[shape.tile_items() + shape.tile_items() / lane_items];
  };
  struct slot_type {
    room_for<loaded_tile, staged_tile> stage;  ///< one after the other
    unsigned warp_counts[shape.warps];
  };
  using storage = pipeline_storage<slot_type, std::uint64_t, Tuning::pipeline_slots>;

  const T* in;
  SelectedIt selected;
  Rejected rejected;
  CountIt num_selected;
  std::size_t n;
  mutable Predicate predicate;
  chain_type chain;

  HINDSIGHT_DEVICE std::ptrdiff_t items_from(std::size_t first) const {
    return static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  }

  /// The last tile may lack items: the fold squad loads what is there.
  HINDSIGHT_DEVICE void load(std::size_t tile, slot_type& slot, int part) const {
    const std::size_t first = tile * shape.tile_items();
    if (items_from(first) < shape.tile_items()) return;
    HINDSIGHT_ROLL
    for (int w = part; w < shape.warps; w += 2)
      slot.stage.first().items[w].begin_copy(in + first + w * shape.warp_items());
  }

  HINDSIGHT_DEVICE void fold(std::size_t tile, slot_type& slot) const {
    const int warp = cuda::shared_warp_index();
    const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
    const int lane_begin = warp * shape.warp_items() + lane_index() * lane_items;
    auto& loaded = slot.stage.first().items[warp];
    unsigned exist = ~0u >> (32 - lane_items);
    if (items_from(tile * shape.tile_items()) < shape.tile_items()) {
      loaded.load_partial(in + first, items_from(first));
      exist = cuda::existing_neighbours<lane_items>(items_from(first) - lane_index() * lane_items);
    }
    uninitialized<T> items[lane_items];
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) items[i].set(loaded.lane_item(i));
    const unsigned keeps = cuda::bits_where(items, exist, predicate);
    const int count = __popc(keeps);
    const int through = cuda::warp_inclusive_fold(count, ::cuda::std::plus<int>{});
    if (lane_index() == warp_lanes - 1) slot.warp_counts[warp] = through;
    ptx::sync_some_threads(1, shape.block_threads());  // also: all items are in registers
    const int tile_selected = sum_first(slot.warp_counts, shape.warps);
    if (threadIdx.x == 0) cuda::publish(chain, tile, std::uint32_t(tile_selected));

    staged_tile& staged = slot.stage.second();
    int rank = sum_first(slot.warp_counts, warp) + through - count;
    int rejected_at = tile_selected + lane_begin - rank;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      if (keeps >> i & 1) {
        staged[rank++].set(items[i].get());
      } else if constexpr (keeps_rejected) {
        if (exist >> i & 1) staged[rejected_at++].set(items[i].get());
      }
    }
  }

  HINDSIGHT_DEVICE void write(std::size_t tile, slot_type& slot,
                              const uninitialized<std::uint64_t>& carry, int warp) const {
    const std::size_t tile_begin = tile * shape.tile_items(), before = carry.get();
    const int tile_selected = sum_first(slot.warp_counts, shape.warps);
    staged_tile& staged = slot.stage.second();
    const auto to = selected + before;
    const int thread = warp * warp_lanes + lane_index();
    HINDSIGHT_UNROLL_BY(4)
    for (int j = thread - lanes_past_line(to); j < tile_selected; j += shape.block_threads()) {
      if (j >= 0) to[j] = staged[j].get();
    }
    if constexpr (keeps_rejected) {
      const int tile_count = static_cast<int>(
          ::cuda::std::min<std::ptrdiff_t>(items_from(tile_begin), shape.tile_items()));
      HINDSIGHT_UNROLL_BY(4)
      for (int j = tile_selected + thread; j < tile_count; j += shape.block_threads())
        rejected.put(tile_begin - before + j - tile_selected, staged[j].get());
    }
    if (thread == 0 && tile + 1 == chain.num_tiles) *num_selected = before + tile_selected;
  }

 private:
  static constexpr bool keeps_rejected = !std::is_same_v<Rejected, discard_rejected>;

  /// How far `to` is into a line of memory, so that warps write whole lines.
  static HINDSIGHT_DEVICE int lanes_past_line(const T* to) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % warp_lanes);
  }
};

/// As select_kernel without a stencil. Requires an `in` that begins at a multiple of 16 bytes.
template <class Step>
HINDSIGHT_BOUNDED_KERNEL(pipeline_threads(Step::shape.warps), 1)
void select_pipeline_kernel(Step step) {
  HINDSIGHT_FROM_SM_90(
      (HINDSIGHT_DYNAMIC_SHARED(room); cuda::run_pipeline<Step::shape.warps>(
           step, step.chain, count_fold{}, *reinterpret_cast<typename Step::storage*>(room));))
}

/// Whether a selection may be a pipeline: from arrays of small items.
template <class T, class InputIt, class SelectedIt, class Rejected, class Staged>
inline constexpr bool selects_in_pipeline = (std::is_same_v<Rejected, discard_rejected>
                                                 ? select_suits_pipeline<T>
                                                 : partition_suits_pipeline<T>)&&Staged::
    template moves_in_pieces<InputIt>&& std::is_same_v<SelectedIt, T*>;

/// Launches the pipeline where it pays; `launched` says whether it did. Its board takes less of the
/// workspace than that of select_kernel.
template <class Tuning, class InputIt, class SelectedIt, class Rejected, class CountIt,
          class Predicate>
cudaError_t select_in_pipeline([[maybe_unused]] temporary_memory temp, InputIt in,
                               SelectedIt selected, Rejected rejected, CountIt num_selected,
                               std::size_t n, Predicate predicate,
                               [[maybe_unused]] hand_over handing,
                               [[maybe_unused]] cudaStream_t stream, bool& launched) {
  launched = false;
  using T = value_of<InputIt>;
  using staged_items = staged_warp<T, Tuning::pipeline_shape.lane_items>;
  if constexpr (selects_in_pipeline<T, InputIt, SelectedIt, Rejected, staged_items>) {
    using step = select_step<Tuning, T, SelectedIt, Rejected, Predicate, CountIt>;
    constexpr auto kernel = select_pipeline_kernel<step>;
    if (!staged_items::is_aligned(in)) return cudaSuccess;
    carver space{temp};
    typename step::chain_type chain{space, n, step::shape.tile_items(), handing};
    step stages{in, selected, rejected, num_selected, n, predicate, chain};
    return cuda::launch_pipeline<Tuning, step, kernel>(space, stages.chain, stream, launched,
                                                       stages);
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
