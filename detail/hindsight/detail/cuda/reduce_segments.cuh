// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of segments in two launches. Each warp folds chunks of the merged sequence of items and
// ends, tile by tile. What a chunk leaves of segments that began before it or go on behind it is
// joined by one block at the end: no block waits for another.
// Source: Merrill & Garland 2016, "Merge-based Parallel Sparse Matrix-Vector Multiplication".
#pragma once

#include <hindsight/detail/cuda/block/segment_fold.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/likely_items.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/reduce_whole_segments.cuh>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Where folds of segments go. Each is folded behind an initial value; an empty segment gets that
/// value alone.
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

/// The same behind an initial value of another type than T, which stock hands to the operator as it
/// is.
template <class OutputIt, class T, class Op, class Init>
struct segment_sums_from {
  OutputIt out;
  Init init;
  mutable Op op;
  HINDSIGHT_DEVICE void put_empty(std::size_t s) const { out[s] = init; }
  HINDSIGHT_DEVICE void put(std::size_t s, std::size_t, const T& fold) const {
    out[s] = op(init, fold);
  }
};

/// What a chunk leaves to the second launch.
template <class T>
struct chunk_edges {
  enum class first_part { nothing, its_end, items };
  open_run<T> open;        ///< the fold of what is open behind the chunk; a head cuts it off
  uninitialized<T> first;  ///< the fold of the chunk's part of a segment that began before it
  std::size_t first_segment;
  first_part kind;  ///< what the chunk has of such a segment, if that ends in it
};

/// Folds chunks, a warp each.
template <class Tuning, class T, class InputIt, class OffsetIt, class Results, class Op>
struct chunk_folder {
  static constexpr int lane_items = Tuning::shape.lane_items;
  using staged_items = staged_warp<T, lane_items>;
  using cut = segment_cut<T, Tuning>;
  using storage = segment_fold_storage<T, lane_items>;
  using first_part = typename chunk_edges<T>::first_part;

  InputIt in;
  merged_segments<OffsetIt> merged;
  Results results;
  Op op;
  storage& shared;

  /// Gives `results` the folds of segments [first, first + count), which end in the tile that
  /// begins at `begin`. `carry` is the fold of the items of the first one that lie before the tile,
  /// if the chunk has some.
  HINDSIGHT_DEVICE void put_ended(const member_range& chunk, staged_items& items, std::size_t begin,
                                  std::size_t first, std::size_t count,
                                  const uninitialized<T>& carry, chunk_edges<T>& edges) const {
    for (std::size_t j = lane_index(); j < count; j += warp_lanes) {
      const std::size_t s = first + j, from = merged.begin(s), end = merged.end(s);
      if (from == end) {
        results.put_empty(s);
        continue;
      }
      const bool has_items = end > begin, has_carry = from < begin && begin > chunk.item;
      uninitialized<T> fold = carry;
      if (has_items) {
        const T& own = items[static_cast<int>(end - begin) - 1];
        fold.set(has_carry ? op(carry.get(), own) : own);
      }
      if (s == chunk.segment && from < chunk.item) {
        edges.first.set(fold.get());
        edges.kind = end > chunk.item ? first_part::items : first_part::its_end;
      } else {
        results.put(s, merged.first() + from, fold.get());
      }
    }
  }

  /// Folds a tile of items [begin, end), in which `num_ended` segments end from `segment` on.
  /// `open` is the chunk's part of the open segment: before the call up to the tile, after it up to
  /// the tile's end.
  HINDSIGHT_DEVICE void fold_tile(const member_range& chunk, staged_items& items, std::size_t begin,
                                  int num_items, std::size_t segment, std::size_t num_ended,
                                  uninitialized<T>& open) const {
    if (num_ended > 0) {
      cuda::fold_tile_by_segment(items, shared.heads, num_items, op);
      __syncwarp();
      open.set(items[num_items - 1]);
    } else {
      const T tile = cuda::fold_tile(items, num_items, op);
      const bool goes_on = begin > chunk.item && merged.begin(segment) < begin;
      open.set(goes_on ? op(open.get(), tile) : tile);
    }
  }

  ///   real   any value that `op` may see
  ///   edges  whose `kind` is nothing
  HINDSIGHT_DEVICE void fold(const member_range& chunk, const T& real,
                             chunk_edges<T>& edges) const {
    std::size_t segment = chunk.segment, begin = chunk.item, end = begin;
    uninitialized<T> open;
    open.set(real);
    for (int round = 0;; ++round) {  // round 0 only begins to load the first tile
      const std::size_t next_end = cut::tile_end(end, chunk.last_item);
      cuda::begin_load_tile(shared.items[round % 2], in + (merged.first() + end),
                            static_cast<int>(next_end - end));
      if (round > 0) {
        if (lane_index() < lane_items) shared.heads[lane_index()] = 0;
        __syncwarp();
        const std::size_t num_ended =
            cuda::mark_ended(merged, segment, chunk.last_segment, begin, end, shared.heads);
        staged_items::finish_earlier_loads();
        staged_items& items = shared.items[(round + 1) % 2];
        const uninitialized<T> carry = open;
        const int num_items = static_cast<int>(end - begin);
        if (num_items > 0) fold_tile(chunk, items, begin, num_items, segment, num_ended, open);
        put_ended(chunk, items, begin, segment, num_ended, carry, edges);
        segment += num_ended;
        __syncwarp();  // the items' room and the heads are free again
        if (end == chunk.last_item) break;
      }
      begin = end;
      end = next_end;
    }
    if (lane_index() != 0) return;
    const bool began_before =
        chunk.segment < merged.num_segments() && merged.begin(chunk.segment) < chunk.item;
    const bool any_items = chunk.item < chunk.last_item;
    const bool any_ended = segment > chunk.segment;
    edges.open = open_run<T>::make(!began_before || any_ended || !any_items, open.get());
    edges.first_segment = chunk.segment;
  }
};

/// For each segment that lies in one chunk: results.put(segment, its first item's index, the fold
/// of its items), or results.put_empty(segment).
///   offsets  [num_segments + 1]
///   edges    [chunks], written
template <class Tuning, class T, class InputIt, class OffsetIt, class Size, class Results, class Op>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void reduce_segments_kernel(InputIt in, OffsetIt offsets, Size num_segments, Results results,
                            T real, Op op, chunk_edges<T>* edges) {
  using folder = chunk_folder<Tuning, T, InputIt, OffsetIt, Results, Op>;
  struct storage {
    typename folder::storage warps[Tuning::shape.warps];
  };
  HINDSIGHT_SHARED(shared, storage);
  const merged_segments<OffsetIt> merged{offsets, detail::read_items(num_segments)};
  const folder own{in, merged, results, op, shared.warps[warp_index()]};
  const std::size_t members = folder::cut::chunk_members(merged.total());
  const std::size_t num_chunks = folder::cut::num_chunks(merged.total());
  // Neighbouring chunks go to different blocks: so that few chunks have a multiprocessor each.
  const std::size_t stride = std::size_t{gridDim.x} * Tuning::shape.warps;
  std::size_t chunk = std::size_t(warp_index()) * gridDim.x + blockIdx.x;
  for (; chunk < num_chunks; chunk += stride) {
    if (lane_index() == 0) edges[chunk].kind = chunk_edges<T>::first_part::nothing;
    own.fold(cuda::find_members(chunk * members, members, merged), real, edges[chunk]);
  }
}

/// The same for segments that lie in several chunks.
///   edges  [chunks], as the kernel above wrote them; each is read where it is used. If threads
///          kept theirs in registers, the block would need, and wait for, a whole multiprocessor.
template <class Tuning, class T, class OffsetIt, class Size, class Results, class Op>
HINDSIGHT_BOUNDED_KERNEL(int(join_threads), 1)
void join_chunks_kernel(OffsetIt offsets, Size num_segments, Results results, T real, Op op,
                        const chunk_edges<T>* edges) {
  constexpr int num_warps = int(join_threads) / warp_lanes;
  struct storage {
    open_run<T> warps[num_warps];
  };
  HINDSIGHT_SHARED(shared, storage);
  ptx::wait_for_launch_before();
  const append_run<Op> append{op};
  const merged_segments<OffsetIt> merged{offsets, detail::read_items(num_segments)};
  const std::size_t num_chunks = segment_cut<T, Tuning>::num_chunks(merged.total());
  const std::size_t share = (num_chunks + join_threads - 1) / join_threads;
  const std::size_t first = ::cuda::std::min(threadIdx.x * share, num_chunks);
  const std::size_t last = ::cuda::std::min(first + share, num_chunks);

  open_run<T> own = first < last ? edges[first].open : open_run<T>::make(1, real);
  for (std::size_t c = first + 1; c < last; ++c) own = append(own, edges[c].open);
  const open_run<T> until = cuda::warp_inclusive_fold(own, append);
  open_run<T> before = cuda::shuffle_up(until, 1);
  if (lane_index() == warp_lanes - 1) shared.warps[warp_index()] = until;
  __syncthreads();
  if (warp_index() > 0) {
    open_run<T> warps_before = shared.warps[0];
    for (int w = 1; w < warp_index(); ++w) warps_before = append(warps_before, shared.warps[w]);
    before = lane_index() > 0 ? append(warps_before, before) : warps_before;
  }
  for (std::size_t c = first; c < last; ++c) {
    if (edges[c].kind != chunk_edges<T>::first_part::nothing) {
      const bool has_items = edges[c].kind == chunk_edges<T>::first_part::items;
      const std::size_t s = edges[c].first_segment;
      const T left = before.fold();
      results.put(s, merged.first() + merged.begin(s),
                  has_items ? op(left, edges[c].first.get()) : left);
    }
    before = append(before, edges[c].open);
  }
}

/// Host side, in CUB's two phases. T is the accumulator. `most_items`: at least the number of items
/// in all segments, which only the device knows. `num_segments`: a number, or a deferred one.
template <class T, class InputIt, class OffsetIt, class Size, class Results, class Op>
cudaError_t reduce_segments(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                            OffsetIt offsets, const Size& num_segments, std::size_t most_items,
                            Results results, T real, Op op, cudaStream_t stream) {
  using tuning = segment_reduce_tuning<T>;
  using fold = fold_with<T, Op>;
  constexpr std::size_t fewest_members = segment_cut<T, tuning>::chunk_members(0);
  constexpr std::size_t known_items = tuning::most_chunks * fewest_members;
  const std::size_t most_segments = detail::most_items(num_segments);
  const bool is_small = most_items < known_items && most_segments < known_items;
  const std::size_t num_chunks = ::cuda::std::min(
      is_small ? (most_items + most_segments) / fewest_members + 1 : tuning::most_chunks,
      tuning::most_chunks);
  carver space{temp};
  constexpr bool may_be_one_launch = sizeof(T) <= whole_segment_tuning<T>::most_item_bytes;
  const std::size_t num_counts = may_be_one_launch ? num_chunks / 2 + 1 : 0;
  unsigned* counts = space.take<unsigned>(num_counts);
  auto* const edges = space.take<chunk_edges<T>>(num_chunks);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (most_segments == 0) return cudaSuccess;
  const auto items = cuda::unwrap(in);
  const auto ends = cuda::unwrap(offsets);
  const auto size = cuda::unwrap_size(num_segments);
  if constexpr (may_be_one_launch) {
    const std::size_t likely = ::cuda::std::min(most_items, cuda::likely_items(items));
    constexpr std::size_t most_members = fewest_members * whole_segment_tuning<T>::most_chunks;
    if (likely < most_members && most_segments < most_members - likely) {
      static_assert(sizeof(chunk_parts<T>) <= sizeof *edges);
      auto* const parts = static_cast<chunk_parts<T>*>(static_cast<void*>(edges));
      HINDSIGHT_TRY(cuda::provide_zeroed(space, counts, num_counts, stream));
      return cuda::reduce_whole_segments<tuning, T>(items, ends, size, likely, results, fold{op},
                                                    parts, counts, stream);
    }
  }
  constexpr auto kernel = reduce_segments_kernel<tuning, T, unwrapped<InputIt>, unwrapped<OffsetIt>,
                                                 unwrapped_size<Size>, Results, fold>;
  constexpr int block_threads = tuning::shape.block_threads();
  std::size_t wave = 0;
  HINDSIGHT_TRY(resident_blocks<kernel>(block_threads, wave));
  const std::size_t num_blocks = ::cuda::std::min(num_chunks, wave);
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_blocks), block_threads, 0, stream, kernel)
  (items, ends, size, results, real, fold{op}, edges);
  if (num_chunks > 1) {
    constexpr auto join =
        join_chunks_kernel<tuning, T, unwrapped<OffsetIt>, unwrapped_size<Size>, Results, fold>;
    HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(1, int(join_threads), 0, stream, join)(
        ends, size, results, real, fold{op}, edges));
  }
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
