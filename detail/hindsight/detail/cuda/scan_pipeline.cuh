// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of many tiles of aligned arrays, as a pipeline.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/pipeline.cuh>
#include <hindsight/detail/cuda/block/scan_tile.cuh>
#include <hindsight/detail/cuda/future_init.cuh>
#include <hindsight/detail/cuda/light_operators.cuh>
#include <hindsight/detail/tuning/scan.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What scan_kernel does with a tile, in the stages of a pipeline.
template <class Tuning, class Kind, class T, class Op, class Init>
struct scan_step {
  static constexpr tile_shape shape = Tuning::shape;
  struct slot_type {
    staged_warp<T, shape.lane_items> items[shape.warps];
    uninitialized<T> warp_aggregates[shape.warps];
    uninitialized<T> lanes_before[shape.block_threads()];
  };
  using storage = pipeline_storage<slot_type, T, Tuning::pipeline_slots>;

  const T* in;
  T* out;
  std::size_t n;
  Op op;
  tile_chain<T> chain;

  HINDSIGHT_DEVICE std::ptrdiff_t items_from(std::size_t first) const {
    return static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  }

  /// The last tile may lack items: the fold squad loads what is there.
  HINDSIGHT_DEVICE void load(std::size_t tile, slot_type& slot, int part) const {
    const std::size_t first = tile * shape.tile_items();
    if (items_from(first) < shape.tile_items()) return;
    HINDSIGHT_ROLL
    for (int w = part; w < shape.warps; w += 2)
      slot.items[w].begin_copy(in + first + w * shape.warp_items());
  }

  HINDSIGHT_DEVICE void fold(std::size_t tile, slot_type& slot) const {
    const int warp = cuda::shared_warp_index();
    auto& staged = slot.items[warp];
    if (items_from(tile * shape.tile_items()) < shape.tile_items()) {
      const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
      staged.load_partial(in + first, items_from(first));
    }
    const T lane_fold = cuda::warp_inclusive_fold(cuda::fold_own(staged, op), op);
    slot.lanes_before[threadIdx.x].set(cuda::shuffle_up(lane_fold, 1));
    if (lane_index() == warp_lanes - 1) slot.warp_aggregates[warp].set(lane_fold);
    ptx::sync_some_threads(1, shape.block_threads());
    if (threadIdx.x == 0)
      cuda::publish(chain, tile, cuda::fold_first(slot.warp_aggregates, shape.warps, op));
  }

  HINDSIGHT_DEVICE void write(std::size_t tile, slot_type& slot, const uninitialized<T>& carry,
                              int warp) const {
    const bool has_carry = !std::is_same_v<Init, no_init> || tile > 0;
    const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
    const T lane_before = slot.lanes_before[warp * warp_lanes + lane_index()].get();
    auto& staged = slot.items[warp];
    uninitialized<T> before;
    const bool any_before =
        cuda::find_before(has_carry, carry, warp, slot.warp_aggregates, lane_before, op, before);
    cuda::scan_own<Kind>(staged, before, any_before, op);
    const std::ptrdiff_t left = items_from(first);
    left >= shape.warp_items() ? staged.store(out + first)
                               : staged.store_partial(out + first, left);
  }
};

/// As scan_kernel. Requires an `in` that begins at a multiple of 16 bytes.
template <class Tuning, class Kind, class T, class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(pipeline_threads(Tuning::shape.warps), 1)
void scan_pipeline_kernel(const T* in, T* out, std::size_t n, Op op, Init caller_init,
                          tile_chain<T> chain) {
  // clang-format off
  HINDSIGHT_FROM_SM_90((
    using step = scan_step<Tuning, Kind, T, Op, Init>;
    HINDSIGHT_DYNAMIC_SHARED(room);
    const auto& init = cuda::initial_value(caller_init);
    using init_type = std::decay_t<decltype(init)>;
    cuda::run_pipeline<Tuning::shape.warps>(
        step{in, out, n, op, chain}, chain, carry_fold<T, Op, init_type>{op, init},
        *reinterpret_cast<typename step::storage*>(room));
  ))
  // clang-format on
}

/// Whether a scan by `Op` may be a pipeline: arrays of 4- or 8-byte items.
template <class T, class InputIt, class OutputIt, class Op, class Staged>
inline constexpr bool scans_in_pipeline = scan_suits_pipeline<T>&& is_light<T, Op>&&
    Staged::template moves_in_pieces<InputIt>&& std::is_same_v<OutputIt, T*>;

/// Launches the pipeline where it pays; `launched` says whether it did.
template <class Tuning, class Kind, class T, class InputIt, class OutputIt, class Op, class Init>
cudaError_t scan_in_pipeline([[maybe_unused]] const carver& space, InputIt in, OutputIt out,
                             std::size_t n, Op op, Init init, tile_chain<T>& chain,
                             [[maybe_unused]] cudaStream_t stream, bool& launched) {
  launched = false;
  using staged_items = staged_warp<T, Tuning::shape.lane_items>;
  if constexpr (scans_in_pipeline<T, InputIt, OutputIt, Op, staged_items>) {
    using fold = fold_with<T, Op>;
    using step = scan_step<Tuning, Kind, T, fold, Init>;
    constexpr auto kernel = scan_pipeline_kernel<Tuning, Kind, T, fold, Init>;
    if (!staged_items::is_aligned(in)) return cudaSuccess;
    return cuda::launch_pipeline<Tuning, step, kernel>(space, chain, stream, launched, in, out, n,
                                                       fold{op}, init, chain);
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
