// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of segments that have a begin and an end each; the host does not know how many items they
// have together. Where they do not lie one behind the other, a block takes a few segments. First
// each warp scans a short one, then the whole block the long ones, tile by tile. No block waits for
// another.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/scan_tile.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/scan_segments.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/scan.h>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class T, int LaneItems, int Warps>
struct scan_ranges_storage {
  staged_warp<T, LaneItems> items[Warps];
  uninitialized<T> warp_aggregates[Warps];
};

/// The part of a segment that a warp or a block scans: items [begin, begin + count), which go to
/// `out`.
struct range_of_items {
  std::size_t begin, count, out;
};

template <class BeginIt, class EndIt, class OutBeginIt>
struct ranges_of_items {
  BeginIt begins;
  EndIt ends;
  OutBeginIt out_begins;
  HINDSIGHT_DEVICE range_of_items operator[](std::size_t s) const {
    const auto begin = static_cast<std::size_t>(begins[s]), end = static_cast<std::size_t>(ends[s]);
    return {begin, begins[s] < ends[s] ? end - begin : 0, static_cast<std::size_t>(out_begins[s])};
  }
};

/// This warp scans a segment, tile by tile.
template <class Kind, class T, int LaneItems, class InputIt, class OutputIt, class Op, class Init>
HINDSIGHT_DEVICE void scan_by_warp(staged_warp<T, LaneItems>& staged, const range_of_items& range,
                                   InputIt in, OutputIt out, Op op, Init init) {
  constexpr int warp_items = warp_lanes * LaneItems;
  bool has_carry = !std::is_same_v<Init, no_init>;
  uninitialized<T> carry, before;
  if constexpr (!std::is_same_v<Init, no_init>) carry.set(init);
  for (std::size_t at = 0; at < range.count; at += warp_items) {
    const auto left = static_cast<std::ptrdiff_t>(range.count - at);
    staged.load_partial(in + (range.begin + at), left);
    const T lane_fold = cuda::warp_inclusive_fold(cuda::fold_own(staged, op), op);
    const bool any_before =
        cuda::find_before(has_carry, carry, 0, &carry, cuda::shuffle_up(lane_fold, 1), op, before);
    const T tile_fold = cuda::shuffle_from(lane_fold, warp_lanes - 1);
    cuda::scan_own<Kind>(staged, before, any_before, op);
    staged.store_partial(out + (range.out + at), left);
    carry.set(has_carry ? op(carry.get(), tile_fold) : tile_fold);
    has_carry = true;
    __syncwarp();
  }
}

/// The whole block scans a longer segment. All threads keep the fold of what precedes a tile.
template <class Tuning, class Kind, class Storage, class T, class InputIt, class OutputIt, class Op,
          class Init>
HINDSIGHT_DEVICE void scan_by_block(Storage& shared, const range_of_items& range, InputIt in,
                                    OutputIt out, Op op, Init init, uninitialized<T>& carry) {
  constexpr tile_shape shape = Tuning::shape;
  bool has_carry = !std::is_same_v<Init, no_init>;
  if constexpr (!std::is_same_v<Init, no_init>) carry.set(init);
  const int warp = warp_index();
  auto& staged = shared.items[warp];
  for (std::size_t tile = 0; tile < range.count; tile += shape.tile_items()) {
    const std::size_t at = tile + warp * shape.warp_items();
    const auto left = static_cast<std::ptrdiff_t>(range.count) - static_cast<std::ptrdiff_t>(at);
    const bool full = left >= shape.warp_items();
    const auto from = in + (range.begin + at);
    full ? staged.load(from) : staged.load_partial(from, left);
    const T lane_fold = cuda::warp_inclusive_fold(cuda::fold_own(staged, op), op);
    const T lane_before = cuda::shuffle_up(lane_fold, 1);
    if (lane_index() == warp_lanes - 1) shared.warp_aggregates[warp].set(lane_fold);
    __syncthreads();
    uninitialized<T> before;
    const bool any_before =
        cuda::find_before(has_carry, carry, warp, shared.warp_aggregates, lane_before, op, before);
    const T aggregate = cuda::fold_first(shared.warp_aggregates, shape.warps, op);
    cuda::scan_own<Kind>(staged, before, any_before, op);
    const auto to = out + (range.out + at);
    full ? staged.store(to) : staged.store_partial(to, left);
    carry.set(has_carry ? op(carry.get(), aggregate) : aggregate);
    has_carry = true;
    __syncthreads();
  }
}

///   ranges    [num_segments]; no item is in two
///   of_block  segments that a block takes at once, at most as many as it has warps
///   in, out  may be the same range, where each segment's outputs are at its inputs
template <class Tuning, class Kind, class T, class InputIt, class Ranges, class OutputIt, class Op,
          class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void scan_ranges_kernel(InputIt in, Ranges ranges, std::size_t num_segments, std::size_t of_block,
                        OutputIt out, Op op, Init init) {
  constexpr tile_shape shape = Tuning::shape;
  using storage = scan_ranges_storage<T, shape.lane_items, shape.warps>;
  HINDSIGHT_SHARED(shared, storage);
  const auto most_of_warp = static_cast<std::size_t>(shape.tile_items());
  const std::size_t step = std::size_t{gridDim.x} * of_block;
  for (std::size_t group = std::size_t{blockIdx.x} * of_block; group < num_segments;
       group += step) {
    const std::size_t last = ::cuda::std::min(group + of_block, num_segments);
    const std::size_t own = group + warp_index();
    if (own < last) {
      const range_of_items range = ranges[own];
      if (range.count <= most_of_warp)
        cuda::scan_by_warp<Kind>(shared.items[warp_index()], range, in, out, op, init);
    }
    for (std::size_t s = group; s < last; ++s) {
      const range_of_items range = ranges[s];
      uninitialized<T> carry;
      if (range.count > most_of_warp)
        cuda::scan_by_block<Tuning, Kind>(shared, range, in, out, op, init, carry);
    }
  }
}

/// Host side, in CUB's two phases. T is the accumulator.
template <class T, class Kind, class InputIt, class BeginIt, class EndIt, class OutBeginIt,
          class OutputIt, class Op, class Init>
cudaError_t scan_ranges(temporary_memory temp, std::size_t& temp_bytes, InputIt in, BeginIt begins,
                        EndIt ends, OutBeginIt out_begins, std::size_t num_segments, OutputIt out,
                        Op op, Init init, cudaStream_t stream) {
  using tuning = scan_tuning<T>;
  const auto all_begins = cuda::unwrap(begins);
  const auto all_ends = cuda::unwrap(ends);
  const auto all_out_begins = cuda::unwrap(out_begins);
  using offsets = unwrapped<BeginIt>;
  using end_offsets = unwrapped<EndIt>;
  using out_offsets = unwrapped<OutBeginIt>;
  if constexpr (std::is_pointer_v<offsets> && std::is_same_v<offsets, end_offsets> &&
                std::is_same_v<offsets, out_offsets> && std::is_trivially_copyable_v<T> &&
                sizeof(T) <= 512) {
    // The offsets may be null where only the size is asked for: then any case may follow.
    const bool is_unknown = temp == nullptr && all_begins == nullptr;
    if (is_unknown || (all_ends == all_begins + 1 && all_out_begins == all_begins))
      return cuda::scan_segment_chunks<T, Kind>(temp, temp_bytes, in, all_begins, num_segments, out,
                                                op, init, stream);
  }
  carver space{temp};  // nothing is taken
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_segments == 0) return cudaSuccess;
  const auto from = cuda::unwrap(in);
  const auto to = cuda::unwrap(out);
  using ranges = ranges_of_items<offsets, end_offsets, out_offsets>;
  using fold = fold_with<T, Op>;
  constexpr auto kernel = scan_ranges_kernel<tuning, Kind, T, unwrapped<InputIt>, ranges,
                                             unwrapped<OutputIt>, fold, Init>;
  constexpr int block_threads = tuning::shape.block_threads();
  constexpr auto warps = static_cast<std::size_t>(tuning::shape.warps);
  std::size_t wave = 0;
  HINDSIGHT_TRY(resident_blocks<kernel>(block_threads, wave));
  const std::size_t of_block =
      ::cuda::std::min(warps, (num_segments - 1) / ::cuda::std::max<std::size_t>(wave, 1) + 1);
  const std::size_t groups = (num_segments - 1) / of_block + 1;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(::cuda::std::min(groups, range_blocks)), block_threads, 0,
                   stream, kernel)
  (from, ranges{all_begins, all_ends, all_out_begins}, num_segments, of_block, to, fold{op}, init);
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
