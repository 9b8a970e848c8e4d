// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work whose items have any number of outputs each, balanced over blocks. The outputs of an item
// are a segment; all blocks take equal numbers of outputs and ends of segments together.
// Source: Baxter 2013, "Modern GPU", load-balancing search.
#pragma once

#include <hindsight/detail/cuda/block/segment_chunk.cuh>
#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/segments.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Which segment each output of a tile belongs to.
template <int TileItems>
struct output_owners {
  static_assert(TileItems % 32 == 0, "the last word is a whole one");
  static constexpr int num_words = TileItems / 32;
  unsigned heads[num_words];   ///< a bit for each output that is the first of its segment
  int last_before[num_words];  ///< the last one of those before the word; -1 if there is none
  int ended[TileItems];        ///< at each of those: how many of the tile's segments end before it

  /// Called by a full warp, between barriers.
  HINDSIGHT_DEVICE void find_last_before() {
    const auto later = [](int a, int b) { return ::cuda::std::max(a, b); };
    int before = -1;
    for (int first = 0; first < num_words; first += warp_lanes) {
      const int w = first + lane_index();
      const unsigned word = w < num_words ? heads[w] : 0;
      const int until = cuda::warp_inclusive_fold(
          word != 0 ? 32 * w + 31 - __clz(static_cast<int>(word)) : -1, later);
      const int left = cuda::shuffle_up(until, 1);
      if (w < num_words) last_before[w] = lane_index() > 0 ? later(before, left) : before;
      before = later(before, cuda::shuffle_from(until, warp_lanes - 1));
    }
  }
  /// The last head that is at most i, or -1.
  HINDSIGHT_DEVICE int head_of(int i) const {
    const unsigned word = heads[i / 32] & (~0u >> (31 - i % 32));
    return word != 0 ? i / 32 * 32 + 31 - __clz(static_cast<int>(word)) : last_before[i / 32];
  }
};

/// Counts the ends of segments, from the part's on, that lie before `end` in the merged sequence,
/// and marks the outputs behind them. Of segments that end at one place the last one marks it.
/// Called by the whole block, after a barrier; it ends with one.
///   owners  no head is set yet
template <int BlockThreads, int TileItems, class OffsetIt>
HINDSIGHT_DEVICE int mark_owners(const merged_segments<OffsetIt>& merged, const segment_part& part,
                                 std::size_t end, output_owners<TileItems>& owners) {
  int num_ends = 0;
  for (int ended = BlockThreads; ended == BlockThreads; num_ends += ended) {
    const int j = num_ends + static_cast<int>(threadIdx.x);
    const std::size_t s = part.segment + j;
    const bool ends = s < merged.num_segments() && merged.position_of_end(s) < end;
    if (ends && s + 1 < merged.num_segments() && merged.end(s + 1) > merged.end(s)) {
      const auto head = static_cast<int>(merged.end(s) - part.item);
      owners.ended[head] = j + 1;
      atomicOr(&owners.heads[head / 32], 1u << head % 32);
    }
    ended = __syncthreads_count(ends);
  }
  return num_ends;
}

/// f(s, j - offsets[s], j) for each segment s and each j in [offsets[s], offsets[s + 1]).
///   end_out  [1], the last offset; or null
template <class Tuning, class OffsetIt, class F>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), 1)
void for_each_output_kernel(OffsetIt offsets, std::size_t num_segments, F f, std::size_t* end_out) {
  constexpr int tile_items = Tuning::shape.tile_items();
  constexpr int block_threads = Tuning::shape.block_threads();
  using owners = output_owners<tile_items>;
  HINDSIGHT_SHARED(shared, owners);
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  if (end_out != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
    *end_out = merged.first() + merged.num_items();
  const segment_chunk chunk = cuda::chunk_of<Tuning>(blockIdx.x, merged);

  segment_part part{chunk.first_segment, chunk.first_item, 0, 0};
  for (std::size_t begin = chunk.begin; begin < chunk.end; begin += tile_items) {
    const std::size_t end = ::cuda::std::min(begin + tile_items, chunk.end);
    for (int w = threadIdx.x; w < owners::num_words; w += block_threads) shared.heads[w] = 0;
    __syncthreads();
    part.num_ends = cuda::mark_owners<block_threads>(merged, part, end, shared);
    part.num_items = int(end - begin) - part.num_ends;
    const bool any_ends = part.num_ends > 0;
    if (any_ends) {
      if (warp_index() == 0) shared.find_last_before();
      __syncthreads();
    }

    const std::size_t open_since = merged.begin(part.segment);
    for (int i = threadIdx.x; i < part.num_items; i += block_threads) {
      const int head = any_ends ? shared.head_of(i) : -1;
      const int ended = head >= 0 ? shared.ended[head] : 0;
      const std::size_t output = part.item + i;
      f(part.segment + ended, output - (head >= 0 ? part.item + head : open_since),
        merged.first() + output);
    }
    __syncthreads();
    part.segment += part.num_ends;
    part.item += part.num_items;
  }
}

template <class OffsetIt, class F>
cudaError_t for_each_output(OffsetIt offsets, std::size_t num_segments, F f, cudaStream_t stream,
                            std::size_t* end_out = nullptr) {
  using tuning = output_tuning<std::size_t>;
  if (num_segments == 0) return cudaSuccess;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(tuning::most_chunks), tuning::shape.block_threads(), 0,
                   stream, for_each_output_kernel<tuning>)
  (cuda::unwrap(offsets), num_segments, f, end_out);
  return cudaPeekAtLastError();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
