// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Onesweep radix sort of long segments. A tile has items of one segment only, and looks back no
// further than to the segment's first tile: so the passes of a sort of all items sort each segment,
// and need no more bytes.
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/digit_histogram.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>
#include <hindsight/detail/cuda/sort_pass.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {

/// Items are counted from the first segment's first item on.
struct alignas(16) segment_tile {
  std::size_t begin;
  unsigned segment;
  std::uint16_t count;
  bool is_first;  ///< of its segment
};

/// The tiles of all segments, in order.
struct segment_tile_list {
  unsigned* first;  ///< [num_segments + 1], the number of each segment's first tile; of all tiles
  segment_tile* tiles;  ///< [most]
  std::size_t most;
};

template <int Warps>
struct number_tiles_storage {
  unsigned warp_totals[Warps];
};

/// list.first, by one block.
template <int TileItems, int BlockThreads, class OffsetIt>
HINDSIGHT_BOUNDED_KERNEL(BlockThreads, 1)
void number_tiles_kernel(OffsetIt offsets, std::size_t num_segments, segment_tile_list list) {
  constexpr int num_warps = BlockThreads / warp_lanes;
  HINDSIGHT_SHARED(shared, number_tiles_storage<num_warps>);
  const merged_segments<OffsetIt> segments{offsets, num_segments};
  unsigned before = 0;
  for (std::size_t chunk = 0; chunk <= num_segments; chunk += BlockThreads) {
    const std::size_t s = chunk + threadIdx.x;
    std::size_t own = 0;
    if (s < num_segments) own = (segments.end(s) - segments.begin(s) + TileItems - 1) / TileItems;
    // Only with offsets that decrease there would be more.
    const auto count = static_cast<unsigned>(::cuda::std::min(own, list.most));
    const unsigned until = cuda::warp_inclusive_fold(count, ::cuda::std::plus<unsigned>{});
    if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = until;
    __syncthreads();
    unsigned first = before + until - count;
    for (int w = 0; w < num_warps; ++w) {
      const unsigned total = shared.warp_totals[w];
      first += w < warp_index() ? total : 0;
      before += total;
    }
    __syncthreads();
    if (s <= num_segments)
      list.first[s] = ::cuda::std::min(first, static_cast<unsigned>(list.most));
  }
}

/// list.tiles, a block for each segment.
template <int TileItems, class OffsetIt>
HINDSIGHT_KERNEL void list_tiles_kernel(OffsetIt offsets, std::size_t num_segments,
                                        segment_tile_list list) {
  const merged_segments<OffsetIt> segments{offsets, num_segments};
  for (std::size_t s = blockIdx.x; s < num_segments; s += gridDim.x) {
    const std::size_t begin = segments.begin(s), end = segments.end(s);
    const unsigned first = list.first[s], last = list.first[s + 1];
    for (unsigned t = first + threadIdx.x; t < last; t += blockDim.x) {
      const std::size_t tile_begin = begin + std::size_t{t - first} * TileItems;
      const std::size_t left = ::cuda::std::min<std::size_t>(end - tile_begin, TileItems);
      list.tiles[t] = {tile_begin, static_cast<unsigned>(s), static_cast<std::uint16_t>(left),
                       t == first};
    }
  }
}

/// How often each digit occurs in each segment. A block takes neighbouring tiles.
///   counts  [num_segments][passes.count()][num_digits], zero
template <class Tuning, class Direction, class Key, class OffsetIt>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void count_segment_digits_kernel(const Key* all_keys, OffsetIt offsets, std::size_t num_segments,
                                 digit_passes passes, segment_tile_list list, unsigned* counts) {
  constexpr int num_digits = Tuning::num_digits, threads = Tuning::block_threads;
  constexpr std::size_t piece_items = Tuning::histogram_tile_items;
  using storage = digit_histogram_storage<Key, num_digits, threads / warp_lanes>;
  HINDSIGHT_SHARED(shared, storage);
  const merged_segments<OffsetIt> segments{offsets, num_segments};
  const Key* const keys = all_keys + segments.first();
  const std::size_t num_tiles = list.first[num_segments];
  std::size_t tile = blockIdx.x * num_tiles / gridDim.x;
  const std::size_t last_tile = (blockIdx.x + std::size_t{1}) * num_tiles / gridDim.x;
  while (tile < last_tile) {
    const std::size_t segment = list.tiles[tile].segment, own_begin = list.tiles[tile].begin;
    tile = ::cuda::std::min<std::size_t>(list.first[segment + 1], last_tile);
    const std::size_t end = list.tiles[tile - 1].begin + list.tiles[tile - 1].count;
    for (int p = 0; p < passes.count(); ++p) shared.counts[p][threadIdx.x] = 0;
    __syncthreads();
    std::size_t begin = own_begin;
    for (; begin + piece_items <= end; begin += piece_items) {
      Key items[Tuning::histogram_lane_items];
      HINDSIGHT_UNROLL
      for (int i = 0; i < Tuning::histogram_lane_items; ++i)
        items[i] = keys[begin + threadIdx.x + i * threads];
      cuda::count_all_digits<Direction>(items, passes, shared.counts);
    }
    for (std::size_t i = begin + threadIdx.x; i < end; i += threads)
      cuda::count_all_digits<Direction>(keys[i], passes, shared.counts);
    __syncthreads();
    for (int p = 0; p < passes.count(); ++p) {
      const unsigned count = shared.counts[p][threadIdx.x];
      const std::size_t row = segment * passes.count() + p;
      if (count > 0) atomicAdd(&counts[row * num_digits + threadIdx.x], count);
    }
  }
}

/// Turns the counts into the places where each digit's items begin, a warp for each segment and
/// pass, and finds the digits that vary within a segment.
///   starts  [num_segments][num_passes][num_digits], the counts before
///   plan    zero
template <int NumDigits, class OffsetIt>
HINDSIGHT_KERNEL void segment_starts_kernel(OffsetIt offsets, std::size_t num_segments,
                                            int num_passes, unsigned* starts, sort_plan* plan) {
  constexpr int lane_digits = NumDigits / warp_lanes;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t row = thread / warp_lanes;
  const std::size_t segment = row / num_passes;
  if (segment >= num_segments) return;
  const merged_segments<OffsetIt> segments{offsets, num_segments};
  const auto begin = static_cast<unsigned>(segments.begin(segment));
  const auto size = static_cast<unsigned>(segments.end(segment)) - begin;
  unsigned* const own = starts + row * NumDigits + lane_index() * lane_digits;
  unsigned counts[lane_digits], total = 0;
  bool is_constant = false;
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_digits; ++i) {
    counts[i] = own[i];
    total += counts[i];
    is_constant |= counts[i] == size;
  }
  unsigned start = begin + cuda::warp_inclusive_fold(total, ::cuda::std::plus<unsigned>{}) - total;
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_digits; ++i) {
    own[i] = start;
    start += counts[i];
  }
  const unsigned varies = 1u << row % num_passes;
  if (__any_sync(all_lanes, is_constant) || lane_index() != 0) return;
  // Relaxed: bits are only added, and the next launch reads them.
  if ((ptx::load_relaxed(&plan->varying) & varies) == 0) atomicOr(&plan->varying, varies);
}

/// A tile of a segment in a pass.
template <class Tuning>
struct segment_tile_slots : tile_slots<Tuning> {
  bool is_first;
  HINDSIGHT_DEVICE segment_tile_slots(std::size_t index, const segment_tile& tile)
      : tile_slots<Tuning>{index, tile.begin, tile.begin + tile.count,
                           lane_rows<Tuning::lane_items>{}},
        is_first{tile.is_first} {}
  HINDSIGHT_DEVICE bool looks_back() const { return !is_first; }
};

/// One pass: out = in, with each segment sorted stably by one digit. As sort_pass_kernel, but for
/// the tiles.
///   starts   [num_segments][num_passes][num_digits]
///   boards   [2][list.most] rows; this pass's are empty, and each tile empties its row of the next
///   tickets  [1], zero
template <class Tuning, class Direction, class Key, class Value, class OffsetIt>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_segments_pass_kernel(sort_buffers<Key> keys, sort_buffers<Value> values, OffsetIt offsets,
                               std::size_t num_segments, const sort_plan* plan, int pass,
                               int num_passes, digit_of<Direction, Key> digit,
                               segment_tile_list list, const unsigned* starts,
                               ::cuda::std::array<std::uint32_t*, 2> boards, unsigned* tickets) {
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using storage = sort_pass_storage<Tuning, Key, Value, std::uint32_t>;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  storage& shared = *reinterpret_cast<storage*>(shared_room);
  if (threadIdx.x == 0) {
    const auto first = static_cast<std::size_t>(offsets[0]);
    const pass_role role{plan->varying, pass, keys.in == keys.out};
    if constexpr (has_values) values = {values.in + first, values.out + first, values.spare};
    cuda::assign_pass(role, sort_buffers<Key>{keys.in + first, keys.out + first, keys.spare},
                      values, boards, shared);
    if (role.moves && role.sorts) shared.ticket = atomicAdd(tickets, 1u);
  }
  __syncthreads();
  if (!shared.moves) return;
  if (!shared.sorts) {
    const std::size_t n = merged_segments<OffsetIt>{offsets, num_segments}.num_items();
    const std::size_t threads = std::size_t{gridDim.x} * Tuning::block_threads;
    const std::size_t thread = std::size_t{blockIdx.x} * Tuning::block_threads + threadIdx.x;
    cuda::copy_items(shared.keys_in, shared.keys_out, n, thread, threads);
    if constexpr (has_values)
      cuda::copy_items(shared.values_in, shared.values_out, n, thread, threads);
    return;
  }
  const unsigned index = shared.ticket;
  if (index >= list.first[num_segments]) return;
  const segment_tile tile = list.tiles[index];
  const std::size_t row = std::size_t{tile.segment} * num_passes + pass;
  cuda::sort_tile_by_digit<Tuning, Direction, Key, Value>(
      segment_tile_slots<Tuning>{index, tile}, digit, starts + row * Tuning::num_digits, shared);
}

/// Host side, in CUB's two phases. At most 2^30 items, so that counts of 32 bits have room for the
/// state of a board's entry.
template <class Direction, class Key, class Value, class OffsetIt>
class sort_of_long_segments {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using choice = long_segment_tuning<Key, Value>;
  using tuning = typename choice::pass;
  using counting = sort_tuning<Key, no_value>;

 public:
  /// Whether passes over digits take less time than merges. Only the mean length is known here:
  /// segments may be of any lengths, for each wastes less than a tile.
  static bool pays(std::size_t n, std::size_t num_segments, digit_passes passes) {
    constexpr std::size_t most = std::size_t{1} << digit_board<std::uint32_t>::count_bits;
    const int count = passes.count();
    return count > 0 && count <= choice::most_passes && n < most &&
           n >= choice::least_items(count) && num_segments <= n / choice::least_mean(count);
  }

  sort_of_long_segments(sort_buffers<Key> keys, sort_buffers<Value> values, std::size_t n,
                        const map_of_offsets<OffsetIt>& segments, digit_passes passes,
                        cudaStream_t stream)
      : keys_{keys},
        values_{values},
        n_{n},
        segments_{segments},
        passes_{passes},
        stream_{stream} {}

  cudaError_t operator()(void* temp, std::size_t& temp_bytes) {
    carver space{temp};
    const std::size_t zeroed_bytes = carve(space);
    if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
    if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
    HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, zeroed_bytes, stream_));
    HINDSIGHT_TRY(list_tiles());
    HINDSIGHT_TRY(find_starts());
    for (int p = 0; p < num_sweeps(); ++p) HINDSIGHT_TRY(sweep(p));
    return cudaSuccess;
  }

 private:
  static constexpr int num_digits = tuning::num_digits;

  bool in_place() const { return keys_.in == keys_.out; }
  int num_sweeps() const { return passes_.count() + (in_place() ? passes_.count() % 2 : 0); }
  std::size_t num_rows() const { return segments_.num_segments * passes_.count(); }

  /// Takes all memory. Returns how many bytes at its beginning have to be zero.
  std::size_t carve(carver& space) {
    constexpr int ahead = tuning::rows_ahead * num_digits;
    static_assert(ahead * sizeof(std::uint32_t) % carver::alignment == 0,
                  "a board begins behind the rows in front of it");
    list_.most = n_ / tuning::tile_items + segments_.num_segments;
    const std::size_t board_words = list_.most * num_digits;
    plan_ = space.take<sort_plan>(1);
    tickets_ = space.take<unsigned>(passes_.count());
    starts_ = space.take<unsigned>(num_rows() * num_digits);
    boards_[0] = space.take<std::uint32_t>(ahead + board_words) + ahead;
    boards_[1] = space.take<std::uint32_t>(ahead) + ahead;
    const std::size_t zeroed_bytes = space.used_bytes();
    space.take<std::uint32_t>(board_words);
    list_.first = space.take<unsigned>(segments_.num_segments + 1);
    list_.tiles = space.take<segment_tile>(list_.most);
    cuda::take_spare(space, true, n_, keys_);
    cuda::take_spare(space, has_values, n_, values_);
    return zeroed_bytes;
  }

  cudaError_t list_tiles() {
    constexpr int tile_items = tuning::tile_items, threads = choice::numbering_threads;
    HINDSIGHT_LAUNCH(1, threads, 0, stream_, number_tiles_kernel<tile_items, threads>)
    (segments_.offsets, segments_.num_segments, list_);
    HINDSIGHT_TRY(cudaPeekAtLastError());
    const std::size_t blocks = ::cuda::std::min(segments_.num_segments, most_map_blocks);
    HINDSIGHT_LAUNCH(static_cast<unsigned>(blocks), map_threads, 0, stream_,
                     list_tiles_kernel<tile_items>)
    (segments_.offsets, segments_.num_segments, list_);
    return cudaPeekAtLastError();
  }

  cudaError_t find_starts() {
    int multiprocessors = 0;
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
    const std::size_t most = std::size_t(multiprocessors) * counting::histogram_blocks;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(::cuda::std::min(list_.most, most)),
                     counting::block_threads, 0, stream_,
                     count_segment_digits_kernel<counting, Direction>)
    (keys_.in, segments_.offsets, segments_.num_segments, passes_, list_, starts_);
    HINDSIGHT_TRY(cudaPeekAtLastError());
    constexpr std::size_t rows_of_block = map_threads / warp_lanes;
    const std::size_t blocks = (num_rows() + rows_of_block - 1) / rows_of_block;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(blocks), map_threads, 0, stream_,
                     segment_starts_kernel<num_digits>)
    (segments_.offsets, segments_.num_segments, passes_.count(), starts_, plan_);
    return cudaPeekAtLastError();
  }

  /// One pass over a digit, or one that only copies (pass_role).
  cudaError_t sweep(int pass) {
    constexpr auto kernel = sort_segments_pass_kernel<tuning, Direction, Key, Value, OffsetIt>;
    constexpr std::size_t shared_bytes =
        sizeof(sort_pass_storage<tuning, Key, Value, std::uint32_t>);
    static_assert(shared_bytes <= tuning::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    const int digit = pass < passes_.count() ? pass : 0;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(list_.most), tuning::block_threads, shared_bytes,
                     stream_, kernel)
    (keys_, values_, segments_.offsets, segments_.num_segments, plan_, pass, passes_.count(),
     passes_.template digit<Direction, Key>(digit), list_, starts_, boards_, tickets_ + digit);
    return cudaPeekAtLastError();
  }

  sort_buffers<Key> keys_;
  sort_buffers<Value> values_;
  std::size_t n_;  ///< at least the number of items
  map_of_offsets<OffsetIt> segments_;
  digit_passes passes_;
  cudaStream_t stream_;
  segment_tile_list list_{};
  sort_plan* plan_ = nullptr;
  unsigned *tickets_ = nullptr, *starts_ = nullptr;
  ::cuda::std::array<std::uint32_t*, 2> boards_{};
};

}  // namespace hindsight::detail::cuda
