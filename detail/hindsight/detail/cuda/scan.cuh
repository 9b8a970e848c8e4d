// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass scan: every item is read once and written once.
// Source: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
#pragma once

#include <hindsight/detail/cuda/block/claimed_items.cuh>
#include <hindsight/detail/cuda/block/scan_tile.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/future_init.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/scan_parts.cuh>
#include <hindsight/detail/cuda/scan_pipeline.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/scan.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class T, int LaneItems, int Warps>
struct scan_storage {
  staged_warp<T, LaneItems> items[Warps];
  uninitialized<T> warp_aggregates[Warps];
  chain_storage<T> chain;
};

/// Whether the shared memory of a block has room for a tile of Ts.
template <class T>
inline constexpr bool scan_fits =
    sizeof(scan_storage<T, scan_tuning<T>::shape.lane_items, scan_tuning<T>::shape.warps>) <=
    48 * 1024;

/// out = the scan of in: a block claims one tile, stages it in shared memory, publishes its
/// aggregate, and looks back for what lies before it.
///   in, out  [n] items; may be the same range
template <class Tuning, class Kind, class T, class InputIt, class OutputIt, class Size, class Op,
          class Init, class Chain>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void scan_kernel(InputIt in, OutputIt out, Size num_items, Op op, Init caller_init,
                 Chain launched) {
  constexpr tile_shape shape = Tuning::shape;
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = cuda::chain_of(launched, num_items, n, shape.tile_items());
  constexpr bool has_init = !std::is_same_v<Init, no_init>;
  HINDSIGHT_SHARED(shared, scan_storage<T, shape.lane_items, shape.warps>);
  const auto& init = cuda::initial_value(caller_init);

  claimed_items at;
  if (!cuda::claim_items<Tuning>(chain, op, init, n, shared.chain, at)) return;
  const int warp = cuda::shared_warp_index();
  const bool full = at.left >= shape.warp_items();
  auto& staged = shared.items[warp];
  full ? staged.load(in + at.first) : staged.load_partial(in + at.first, at.left);

  const T lane_fold = cuda::warp_inclusive_fold(cuda::fold_own(staged, op), op);
  const T lane_before = cuda::shuffle_up(lane_fold, 1);
  if (lane_index() == warp_lanes - 1) shared.warp_aggregates[warp].set(lane_fold);
  __syncthreads();

  const bool has_carry = has_init || at.tile > 0;
  const T aggregate = cuda::fold_first(shared.warp_aggregates, shape.warps, op);
  if (threadIdx.x == 0) cuda::publish(chain, at.tile, aggregate);
  if constexpr (!only_sums<Chain>) {
    cuda::look_back<shape.warps>(chain, at.tile, aggregate, op, init, shared.chain);
    __syncthreads();

    uninitialized<T> before;
    const bool any_before = cuda::find_before(has_carry, shared.chain.carry, warp,
                                              shared.warp_aggregates, lane_before, op, before);
    cuda::scan_own<Kind>(staged, before, any_before, op);
    full ? staged.store(out + at.first) : staged.store_partial(out + at.first, at.left);
  }
}

/// Host side of every scan, in CUB's two phases: temp == nullptr writes temp_bytes and does nothing
/// else. Asynchronous on `stream`; returns the first CUDA error, throws nothing.
///   MayBePipeline  if false, each tile has a block of its own, however many there are. Then two
///                  kernels fewer are compiled
template <class T, class Kind, bool MayBePipeline = true, class InputIt, class OutputIt, class Size,
          class Op, class Init>
cudaError_t scan(temporary_memory temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                 Size num_items, Op op, Init init, cudaStream_t stream) {
  using tuning = scan_tuning<T>;
  using parts = scan_parts_tuning<T>;
  constexpr bool may_share = MayBePipeline && parts::most_tiles > 0;
  const std::size_t n = detail::most_items(num_items);
  carver space{temp};
  tile_chain<T> chain{space, n, tuning::shape.tile_items(), hand_over::values, own_scan_tiles<T>};
  std::size_t least_bytes = 0;  // also of deferred numbers: their memory serves known ones
  if constexpr (may_share) least_bytes = cuda::parts_bytes<parts, T>(n);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status, least_bytes)) return status;
  if (n == 0) return cudaSuccess;

  const auto input = cuda::unwrap(in);
  const auto output = cuda::unwrap(out);
  if constexpr (may_share && !is_deferred<Size>) {
    bool launched = false;
    HINDSIGHT_TRY((cuda::scan_in_parts<parts, Kind, T>(temp, input, output, n, fold_with<T, Op>{op},
                                                       init, stream, launched)));
    if (launched) return detail::reported(cudaPeekAtLastError());
  }
  if constexpr (MayBePipeline && !is_deferred<Size>) {
    bool launched = false;
    HINDSIGHT_TRY((cuda::scan_in_pipeline<tuning, Kind>(space, input, output, n, op, init, chain,
                                                        stream, launched)));
    if (launched) return detail::reported(cudaPeekAtLastError());
  }
  if constexpr (may_sum_first<T, Size, unwrapped<InputIt>>) {
    const fold_with<T, Op> fold{op};
    if (chain.num_tiles >= fewest_summed_tiles) {
      return cuda::scan_sums_first(chain, fold, init, stream, [&](auto tiles, bool is_next) {
        constexpr auto kernel =
            scan_kernel<tuning, Kind, T, unwrapped<InputIt>, unwrapped<OutputIt>, std::size_t,
                        fold_with<T, Op>, Init, decltype(tiles)>;
        return HINDSIGHT_LAUNCH_NEXT_IF(is_next, static_cast<unsigned>(tiles.num_tiles),
                                        tuning::shape.block_threads(), 0, stream,
                                        kernel)(input, output, n, fold, init, tiles);
      });
    }
  }
  const auto size = cuda::unwrap_size(num_items);
  constexpr auto kernel = scan_kernel<tuning, Kind, T, unwrapped<InputIt>, unwrapped<OutputIt>,
                                      unwrapped_size<Size>, fold_with<T, Op>, Init, tile_chain<T>>;
  constexpr int block_threads = tuning::shape.block_threads();
  HINDSIGHT_TRY(chain.prepare(space, stream));
  return HINDSIGHT_LAUNCH_TILES(chain, block_threads, stream, kernel)(
      input, output, size, fold_with<T, Op>{op}, init, chain);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
