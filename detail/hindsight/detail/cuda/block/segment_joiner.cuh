// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of so many chunks that no block folds all of them. Each chunk leaves its part, and the
// last block to do so joins all parts, in the order of the second launch of reduce_segments.cuh.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/block/open_run.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/tuning/order.h>

#include <cuda/std/functional>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What a chunk has of long segments.
template <class T>
struct chunk_parts {
  uninitialized<T> first;  ///< of the one that ends in it
  uninitialized<T> open;   ///< of the one that goes on behind it
};

template <class T, class Chunks, class Results, class Op>
struct segment_joiner {
  using position = typename Chunks::position;
  struct storage {
    uninitialized<T> windows[join_threads / warp_lanes];  ///< folds of parts
    bool is_last;
  };
  const Chunks& chunks;
  Results results;
  Op op;
  chunk_parts<T>* parts;
  unsigned* counts;  ///< 16 bits for each chunk in which a long segment begins

  /// A segment of two chunks is folded by the block that has its end. A longer one is long, and if
  /// chunks are long, also one of two.
  HINDSIGHT_DEVICE int near_chunks() const { return chunks.has_short_ones() ? 1 : 0; }
  /// Whether a segment that ends in a chunk is long.
  ///   begin  the position of its first item
  HINDSIGHT_DEVICE bool is_long_before(int chunk, position begin) const {
    return begin < chunks.begin(::cuda::std::max(0, chunk - near_chunks()));
  }
  /// Whether a segment that does not end before a chunk's end has items in it, and is long.
  HINDSIGHT_DEVICE bool is_long_behind(int chunk, int segment) const {
    if (segment == chunks.num_segments()) return false;
    const position begin = chunks.merged.begin(segment) + segment;
    return begin < chunks.begin(chunk + 1) &&
           (begin < chunks.begin(chunk + 1 - near_chunks()) ||
            chunks.merged.position_of_end(segment) >= chunks.begin(chunk + 1 + near_chunks()));
  }

  /// Counts parts that thread 0 has left: of the segment that ends in the chunk, and of the one
  /// that goes on behind it; num_segments() for none. The block that counts the last part of a
  /// segment joins all of them, so no block waits. A count releases the part and acquires those
  /// that were counted before: the block sees them after the barrier. At most one segment begins in
  /// a chunk and goes on behind it: so a count has one segment, and no more parts than chunks.
  HINDSIGHT_DEVICE void count_parts(int first_one, int open_one, storage& shared) const {
    HINDSIGHT_ROLL
    for (int i = 0; i < 2; ++i) {
      const int segment = i == 0 ? first_one : open_one;
      if (segment == chunks.num_segments()) continue;
      const int first = chunks.at(chunks.merged.begin(segment) + segment);
      const int last = chunks.at(chunks.merged.position_of_end(segment));
      if (threadIdx.x == 0)
        shared.is_last = int(detail::count_finished(counts, first)) == last - first + 1;
      __syncthreads();
      if (shared.is_last) join(segment, first, last, shared);
      __syncthreads();  // the room is free again
    }
  }

 private:
  /// Puts the fold of a segment's parts. Before its last chunk these are joined as lanes of
  /// windows: each lane's share in turn, the lanes of a window by Kogge-Stone, then window after
  /// window, and at the end one by one those of the last chunk's lane.
  ///   first, last  the chunks that have its first item and its end
  HINDSIGHT_DEVICE void join(int segment, int first, int last, storage& shared) const {
    const int share = chunks.share();
    const int last_shared = last - last % share, window = warp_lanes * share;
    const int begin = first - first % window;
    const int num_windows = last_shared > first ? (last_shared - begin - 1) / window + 1 : 0;
    HINDSIGHT_ROLL
    for (int w = warp_index(); w < num_windows; w += int(blockDim.x) / warp_lanes) {
      const int low = begin + w * window;
      const int first_lane = ::cuda::std::max(0, (first - low) / share);
      const int last_lane = ::cuda::std::min(+warp_lanes, (last_shared - low) / share) - 1;
      // Lanes without chunks take a neighbour's, so that operators see real values only.
      const int lane = ::cuda::std::max(first_lane, ::cuda::std::min(lane_index(), last_lane));
      const int end = low + (lane + 1) * share;
      int c = ::cuda::std::max(first, end - share);
      uninitialized<T> fold = parts[c].open;
      HINDSIGHT_ROLL
      while (++c < end) fold.set(op(fold.get(), parts[c].open.get()));
      fold.set(cuda::warp_segmented_fold(fold.get(), 1u << first_lane, op));
      if (lane_index() == last_lane) shared.windows[w].set(fold.get());
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    uninitialized<T> fold;
    bool any = false;
    const auto append = [&](const uninitialized<T>& next) {
      fold.set(any ? op(fold.get(), next.get()) : next.get());
      any = true;
    };
    HINDSIGHT_ROLL
    for (int w = 0; w < num_windows; ++w) append(shared.windows[w]);
    HINDSIGHT_ROLL
    for (int c = ::cuda::std::max(first, last_shared); c < last; ++c) append(parts[c].open);
    if (chunks.merged.position_of_end(segment) > chunks.begin(last)) append(parts[last].first);
    results.put(segment, chunks.merged.first() + chunks.merged.begin(segment), fold.get());
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
