// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass reduction of segments. Each block takes a chunk of the merged sequence of items and
// ends, tile by tile. Only the segment that is open where its chunk begins has to wait for the
// chunks before.
#pragma once

#include <hindsight/detail/cuda/block/segment_chunk.cuh>
#include <hindsight/detail/cuda/block/segment_tile.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {

/// Where folds of segments go: after an initial value, which is what an empty segment gets.
template <class OutputIt, class T, class Op>
struct segment_sums {
  OutputIt out;
  T init;
  Op op;
  HINDSIGHT_DEVICE void put_empty(std::size_t s) const { out[s] = init; }
  HINDSIGHT_DEVICE void put(std::size_t s, std::size_t, const T& fold) const {
    out[s] = op(init, fold);
  }
};

template <class T, int LaneItems, int Warps>
struct reduce_segments_storage {
  segment_items<T, LaneItems, Warps> items[2];  ///< of this tile and of the next
  segment_tile_storage<T, LaneItems, Warps> tile;
};

/// The part of size `size` that follows.
template <class OffsetIt>
HINDSIGHT_DEVICE segment_part part_after(const segment_part& part, int size,
                                         const merged_segments<OffsetIt>& merged) {
  segment_part next{part.segment + part.num_ends, part.item + part.num_items, size, 0};
  const std::size_t end = next.segment + next.item + size;
  const std::size_t most = ::cuda::std::min(next.segment + size, merged.num_segments());
  if (next.segment == most || merged.position_of_end(next.segment) >= end) return next;
  next.num_ends = int(cuda::warp_count_ends(merged, end, next.segment + 1, most) - next.segment);
  next.num_items = size - next.num_ends;
  return next;
}

/// Gives `results` the fold of each segment that ends in a part whose items were scanned. `carry`
/// is the fold of what is open before the part. The first segment of the chunk, if it began before
/// it, is kept in `partial`, which is thread 0's.
template <class T, int LaneItems, int Warps, class OffsetIt, class Results>
HINDSIGHT_DEVICE void put_ended(segment_items<T, LaneItems, Warps>& items,
                                const merged_segments<OffsetIt>& merged, const segment_part& part,
                                const uninitialized<T>& carry, bool keeps_first,
                                uninitialized<T>& partial, const Results& results) {
  for (int j = threadIdx.x; j < part.num_ends; j += Warps * warp_lanes) {
    const std::size_t s = part.segment + j, begin = merged.begin(s), end = merged.end(s);
    if (begin == end) {
      results.put_empty(s);
      continue;
    }
    const T fold = end > part.item ? items[int(end - part.item) - 1] : carry.get();
    if (j == 0 && keeps_first) {
      partial.set(fold);
    } else {
      results.put(s, merged.first() + begin, fold);
    }
  }
}

/// The fold of a segment that began before the chunk and ends in it: `before`, then `partial`.
template <class OffsetIt, class T, class Op, class Results>
HINDSIGHT_DEVICE void put_first(const segment_chunk& own, const merged_segments<OffsetIt>& merged,
                                const T& before, const uninitialized<T>& partial, Op op,
                                const Results& results) {
  const std::size_t begin = merged.begin(own.first_segment);
  const bool is_whole = merged.end(own.first_segment) == own.first_item;  // only its end is here
  results.put(own.first_segment, merged.first() + begin,
              is_whole ? before : op(before, partial.get()));
}

/// For each segment: results.put(segment, its first item's index, the fold of its items), or
/// results.put_empty(segment).
///   offsets  [num_segments + 1]
///   real     any value that `op` may see
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void reduce_segments_kernel(InputIt in, OffsetIt offsets, std::size_t num_segments, Results results,
                            T real, Op op, tile_chain<open_run<T>> chain) {
  constexpr tile_shape shape = Tuning::shape;
  constexpr std::size_t tile_items = shape.tile_items();
  HINDSIGHT_SHARED(shared, reduce_segments_storage<T, shape.lane_items, shape.warps>);
  const append_run<Op> append{op};

  std::size_t chunk;
  if (!cuda::claim_tile<shape.warps>(chain, append, no_init{}, shared.tile.chain, chunk)) return;
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  const segment_chunk own = cuda::chunk_of<Tuning>(chunk, merged);
  segment_part part{own.first_segment, own.first_item, 0, 0};
  uninitialized<T> open, partial;  // the fold of the open segment's items in this chunk
  open.set(real);
  const auto size_at = [=](std::size_t begin) {
    return static_cast<int>(::cuda::std::min(tile_items, own.end - begin));
  };
  segment_part next = cuda::part_after(part, size_at(own.begin), merged);
  shared.items[0].begin_load(in, merged, next);
  for (std::size_t begin = own.begin; begin < own.end; begin += tile_items) {
    part = next;
    auto& items = shared.items[(begin - own.begin) / tile_items % 2];
    auto& next_items = shared.items[((begin - own.begin) / tile_items + 1) % 2];
    const bool is_first = part.item == own.first_item;  // folded as if a segment began here
    const bool is_head =
        is_first || (part.num_items > 0 && merged.begin(part.segment) == part.item);
    cuda::mark_heads<shape.block_threads()>(shared.tile, merged, part, is_head);
    if (begin + tile_items < own.end) {
      next = cuda::part_after(part, size_at(begin + tile_items), merged);
      next_items.begin_load(in, merged, next);
      warp_run<T, shape.lane_items>::finish_earlier_loads();
    } else {
      warp_run<T, shape.lane_items>::finish_loads();
    }
    __syncthreads();

    const uninitialized<T> carry = open;
    if (part.num_items > 0) {
      segment_folds<T> folds;
      cuda::fold_segments(shared.tile, items, part.num_items, op, no_init{}, folds);
      if (part.num_ends > 0 && cuda::ends_in_warp(shared.tile, part.num_items))
        cuda::scan_segment_tile<inclusive>(items, part.num_items, folds, !is_first, carry, op,
                                           no_init{});
      open.set(folds.tile_begun ? folds.tile.get() : op(carry.get(), folds.tile.get()));
      __syncthreads();
    }
    const bool keeps_first = own.began_before && part.segment == own.first_segment;
    cuda::put_ended(items, merged, part, carry, keeps_first, partial, results);
  }
  part.segment += part.num_ends;
  part.item += part.num_items;

  const bool any_items = part.item > own.first_item, any_ends = part.segment > own.first_segment;
  const auto run = open_run<T>::make(!own.began_before || any_ends || !any_items, open.get());
  if (threadIdx.x == 0) cuda::publish(chain, chunk, run);
  if (own.begin == own.end) return;  // nobody needs what comes after the last chunk
  cuda::look_back<shape.warps>(chain, chunk, run, append, no_init{}, shared.tile.chain);
  if (threadIdx.x == 0 && own.began_before && any_ends) {
    const T before = shared.tile.chain.carry.get().fold();
    cuda::put_first(own, merged, before, partial, op, results);
  }
}

/// Host side, in CUB's two phases. T is the accumulator. `most_items`: at least the number of items
/// in all segments, which only the device knows.
template <class T, class InputIt, class OffsetIt, class Results, class Op>
cudaError_t reduce_segments(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                            OffsetIt offsets, std::size_t num_segments, std::size_t most_items,
                            Results results, T real, Op op, cudaStream_t stream) {
  using tuning = segment_reduce_tuning<T>;
  constexpr std::size_t tile_items = tuning::shape.tile_items();
  const bool is_small = most_items < tuning::most_chunks * tile_items &&
                        num_segments < tuning::most_chunks * tile_items;
  const std::size_t bound =
      is_small ? most_items + num_segments + (num_segments == 0) : ~std::size_t{0};
  const std::size_t num_chunks =  // without segments: as if there were one member
      ::cuda::std::min((bound - 1) / tile_items + 1, tuning::most_chunks);
  carver space{temp};
  const tile_chain<open_run<T>> chain{space, num_chunks, 1};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_segments == 0) return cudaSuccess;
  HINDSIGHT_LAUNCH_TILES(chain, space, tuning, stream, reduce_segments_kernel<tuning, T>)
  (cuda::unwrap(in), cuda::unwrap(offsets), num_segments, results, real, fold_with<T, Op>{op},
   chain);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail::cuda
