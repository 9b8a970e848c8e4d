// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort of segments. A block sorts each segment that fits its tile, in shared memory. Longer
// ones take onesweep passes, in which a tile has items of one segment only, and looks back no
// further than to the segment's first tile: so the passes of a sort of all items sort each segment.
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/digit_histogram.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>
#include <hindsight/detail/cuda/sort_pass.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/cuda/sort_tile.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A segment that does not fit a block. Places are counted from the first segment's first item on.
struct alignas(16) long_segment {
  std::size_t begin;
  unsigned size;  ///< less than 2^30
  unsigned first_tile;
};
struct alignas(16) segment_tile {
  std::size_t begin;
  unsigned segment;
  std::uint16_t count;
  bool is_first;  ///< of its segment
};

/// The long segments and their tiles. Segments are in any order; a segment's tiles are neighbours.
struct long_segments {
  struct totals {
    unsigned segments, tiles;
  };
  totals* found;           ///< [1]
  long_segment* segments;  ///< [most_segments]
  segment_tile* tiles;     ///< [most_tiles]
  unsigned most_segments, most_tiles;

  /// Adds a segment; called by all threads of a block.
  ///   segment, first_tile  in shared memory
  template <int TileItems>
  HINDSIGHT_DEVICE void add(std::size_t begin, std::size_t size, unsigned& segment,
                            unsigned& first_tile) const {
    const auto count = static_cast<unsigned>((size + TileItems - 1) / TileItems);
    if (threadIdx.x == 0) {
      segment = atomicAdd(&found->segments, 1u);
      first_tile = atomicAdd(&found->tiles, count);
      if (segment < most_segments)
        segments[segment] = {begin, static_cast<unsigned>(size), first_tile};
    }
    __syncthreads();
    for (unsigned t = threadIdx.x; t < count && first_tile + t < most_tiles; t += blockDim.x) {
      const std::size_t before = std::size_t{t} * TileItems;
      const auto left = ::cuda::std::min<std::size_t>(size - before, TileItems);
      tiles[first_tile + t] = {begin + before, segment, static_cast<std::uint16_t>(left), t == 0};
    }
  }
  HINDSIGHT_DEVICE unsigned num_segments() const {
    return ::cuda::std::min(found->segments, most_segments);
  }
  HINDSIGHT_DEVICE unsigned num_tiles() const { return ::cuda::std::min(found->tiles, most_tiles); }
};

template <class Tuning, class Key, class Value>
struct short_segment_storage {
  sort_storage<Tuning, Key, Value> sort;
  unsigned segment, first_tile;
};

/// A block for each segment: sorts it by all digits, or adds it to the long ones. The output may be
/// the input.
///   all_long  its totals are zero
template <class Tuning, int LongTileItems, class Direction, class Key, class Value, class OffsetIt>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_short_segments_kernel(sort_buffers<Key> keys, sort_buffers<Value> values,
                                OffsetIt offsets, std::size_t num_segments, digit_passes passes,
                                long_segments all_long) {
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<short_segment_storage<Tuning, Key, Value>*>(shared_room);
  const merged_segments<OffsetIt> segments{offsets, num_segments};
  const std::size_t begin = segments.begin(blockIdx.x), size = segments.end(blockIdx.x) - begin;
  if (size > Tuning::tile_items) {
    all_long.add<LongTileItems>(begin, size, shared.segment, shared.first_tile);
  } else if (size > 0) {
    const std::size_t first = segments.first() + begin;
    constexpr bool has_values = !std::is_same_v<Value, no_value>;
    cuda::sort_one_tile<Tuning, Direction>(
        keys.in + first, keys.out + first, has_values ? values.in + first : values.in,
        has_values ? values.out + first : values.out, static_cast<int>(size), passes, shared.sort);
  }
}

/// How often each digit occurs in each long segment. A block takes neighbouring tiles.
///   counts  [most_segments][passes.count()][num_digits], zero
template <class Tuning, class Direction, class Key, class OffsetIt>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void count_segment_digits_kernel(const Key* all_keys, OffsetIt offsets, digit_passes passes,
                                 long_segments all_long, unsigned* counts) {
  constexpr int num_digits = Tuning::num_digits, threads = Tuning::block_threads;
  constexpr std::size_t piece_items = Tuning::histogram_tile_items;
  using storage = digit_histogram_storage<Key, num_digits, threads / warp_lanes>;
  HINDSIGHT_SHARED(shared, storage);
  ptx::wait_for_launch_before();
  const Key* const keys = all_keys + static_cast<std::size_t>(offsets[0]);
  const std::size_t num_tiles = all_long.num_tiles();
  std::size_t tile = blockIdx.x * num_tiles / gridDim.x;
  const std::size_t last_tile = (blockIdx.x + std::size_t{1}) * num_tiles / gridDim.x;
  while (tile < last_tile) {
    const unsigned segment = all_long.tiles[tile].segment;
    std::size_t begin = all_long.tiles[tile].begin, end = begin;
    for (; tile < last_tile && all_long.tiles[tile].segment == segment; ++tile)
      end += all_long.tiles[tile].count;
    for (int p = 0; p < passes.count(); ++p) shared.counts[p][threadIdx.x] = 0;
    __syncthreads();
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
      const std::size_t row = std::size_t{segment} * passes.count() + p;
      if (count > 0) atomicAdd(&counts[row * num_digits + threadIdx.x], count);
    }
  }
}

/// Turns the counts into the places where each digit's items begin, a warp for each long segment
/// and pass, and finds the digits that vary within a segment.
///   starts  [most_segments][num_passes][num_digits], the counts before
///   plan    zero
template <int NumDigits>
HINDSIGHT_KERNEL void segment_starts_kernel(int num_passes, long_segments all_long,
                                            unsigned* starts, sort_plan* plan) {
  ptx::wait_for_launch_before();
  constexpr int lane_digits = NumDigits / warp_lanes;
  const std::size_t num_warps = std::size_t{gridDim.x} * (blockDim.x / warp_lanes);
  const std::size_t num_rows = std::size_t{all_long.num_segments()} * num_passes;
  std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_lanes;
  for (; row < num_rows; row += num_warps) {
    const long_segment segment = all_long.segments[row / num_passes];
    unsigned* const own = starts + row * NumDigits + lane_index() * lane_digits;
    unsigned counts[lane_digits], total = 0;
    bool is_constant = false;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_digits; ++i) {
      counts[i] = own[i];
      total += counts[i];
      is_constant |= counts[i] == segment.size;
    }
    const unsigned until = cuda::warp_inclusive_fold(total, ::cuda::std::plus<unsigned>{});
    unsigned start = static_cast<unsigned>(segment.begin) + until - total;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_digits; ++i) {
      own[i] = start;
      start += counts[i];
    }
    const unsigned varies = 1u << row % num_passes;
    if (__any_sync(all_lanes, is_constant) || lane_index() != 0) continue;
    // Relaxed: bits are only added, and the next launch reads them.
    if ((ptx::load_relaxed(&plan->varying) & varies) == 0) atomicOr(&plan->varying, varies);
  }
}

/// A tile of a segment in a pass.
template <class Tuning>
struct digit_tile_of_segment : digit_tile<Tuning> {
  bool is_first;
  HINDSIGHT_DEVICE digit_tile_of_segment(std::size_t index, const segment_tile& tile)
      : digit_tile<Tuning>{index, tile.begin, tile.begin + tile.count,
                           lane_rows<Tuning::lane_items>{}},
        is_first{tile.is_first} {}
  HINDSIGHT_DEVICE bool looks_back() const { return !is_first; }
};

/// One pass over the long segments: out = in, with each of them sorted stably by one digit. As
/// sort_pass_kernel, but for the tiles.
///   starts   [most_segments][num_passes][num_digits]
///   boards   [2][most_tiles] rows; this pass's are empty; each tile empties its row of the next
///   tickets  [1], zero
template <class Tuning, class Direction, class Key, class Value, class OffsetIt>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_segments_pass_kernel(sort_buffers<Key> keys, sort_buffers<Value> values, OffsetIt offsets,
                               const sort_plan* plan, int pass, int num_passes,
                               digit_of<Direction, Key> digit, long_segments all_long,
                               const unsigned* starts, ::cuda::std::array<std::uint32_t*, 2> boards,
                               unsigned* tickets) {
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using storage = sort_pass_storage<Tuning, Key, Value, std::uint32_t>;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  storage& shared = *reinterpret_cast<storage*>(shared_room);
  ptx::wait_for_launch_before();
  const unsigned num_tiles = all_long.num_tiles();
  if (num_tiles == 0) return;
  if (threadIdx.x == 0) {
    const auto first = static_cast<std::size_t>(offsets[0]);
    const pass_role role{plan->varying, pass, keys.in == keys.out};
    if constexpr (has_values) values = {values.in + first, values.out + first, values.spare};
    cuda::assign_pass(role, sort_buffers<Key>{keys.in + first, keys.out + first, keys.spare},
                      values, boards, shared);
    if (role.moves) shared.ticket = role.sorts ? atomicAdd(tickets, 1u) : blockIdx.x;
  }
  __syncthreads();
  if (!shared.moves || shared.ticket >= num_tiles) return;
  const unsigned index = shared.ticket;
  const segment_tile tile = all_long.tiles[index];
  if (shared.sorts) {
    const std::size_t row = std::size_t{tile.segment} * num_passes + pass;
    cuda::sort_tile_by_digit<Tuning, Direction, Key, Value>(
        digit_tile_of_segment<Tuning>{index, tile}, digit, starts + row * Tuning::num_digits,
        shared);
    return;
  }
  cuda::copy_items(shared.keys_in + tile.begin, shared.keys_out + tile.begin, tile.count,
                   threadIdx.x, Tuning::block_threads);
  if constexpr (has_values)
    cuda::copy_items(shared.values_in + tile.begin, shared.values_out + tile.begin, tile.count,
                     threadIdx.x, Tuning::block_threads);
}

/// Host side, in CUB's two phases.
template <class Direction, class Key, class Value, class OffsetIt>
class segmented_radix_sort {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using choice = segmented_radix_tuning<Key, Value>;
  using in_block = typename choice::in_block;
  using in_passes = typename choice::in_passes;
  using counting = sort_tuning<Key, no_value>;

 public:
  /// Counts of 32 bits need room for the state of a board's entry.
  static constexpr std::size_t most_items =
      (std::size_t{1} << digit_board<std::uint32_t>::count_bits) - 1;

  /// Whether it may be called, and takes less time than merges.
  static bool pays(std::size_t n, std::size_t num_segments, digit_passes passes) {
    return num_segments > 0 && passes.count() > 0 && n <= most_items &&
           choice::pays(n, num_segments, passes.count());
  }

  segmented_radix_sort(sort_buffers<Key> keys, sort_buffers<Value> values, std::size_t n,
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
    if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
    HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, zeroed_bytes, stream_));
    HINDSIGHT_TRY(sort_short_ones());
    if (long_.most_segments == 0) return cudaSuccess;
    HINDSIGHT_TRY(find_starts());
    for (int p = 0; p < passes_to_launch(); ++p) HINDSIGHT_TRY(pass_by_digit(p));
    return cudaSuccess;
  }

 private:
  static constexpr int num_digits = in_passes::num_digits;

  bool in_place() const { return keys_.in == keys_.out; }
  int passes_to_launch() const { return passes_.count() + (in_place() ? passes_.count() % 2 : 0); }
  std::size_t most_rows() const { return std::size_t{long_.most_segments} * passes_.count(); }

  /// Takes all memory. Returns how many bytes at its beginning have to be zero.
  std::size_t carve(carver& space) {
    constexpr int ahead = in_passes::rows_ahead * num_digits;
    static_assert(ahead * sizeof(std::uint32_t) % carver::alignment == 0,
                  "a board begins behind the rows in front of it");
    static_assert(in_passes::tile_items <= 0xffff, "segment_tile::count has 16 bits");
    const std::size_t most = n_ / (in_block::tile_items + 1);
    long_.most_segments = static_cast<unsigned>(::cuda::std::min(segments_.num_segments, most));
    long_.most_tiles = static_cast<unsigned>(n_ / in_passes::tile_items) + long_.most_segments;
    const std::size_t board_words = std::size_t{long_.most_tiles} * num_digits;
    long_.found = space.take<long_segments::totals>(1);
    plan_ = space.take<sort_plan>(1);
    tickets_ = space.take<unsigned>(passes_.count());
    if (long_.most_segments == 0) return space.used_bytes();
    starts_ = space.take<unsigned>(most_rows() * num_digits);
    boards_[0] = space.take<std::uint32_t>(ahead + board_words) + ahead;
    boards_[1] = space.take<std::uint32_t>(ahead) + ahead;
    const std::size_t zeroed_bytes = space.used_bytes();
    space.take<std::uint32_t>(board_words);
    long_.segments = space.take<long_segment>(long_.most_segments);
    long_.tiles = space.take<segment_tile>(long_.most_tiles);
    cuda::take_spare(space, true, n_, keys_);
    cuda::take_spare(space, has_values, n_, values_);
    return zeroed_bytes;
  }

  cudaError_t sort_short_ones() {
    constexpr auto kernel = sort_short_segments_kernel<in_block, int(in_passes::tile_items),
                                                       Direction, Key, Value, OffsetIt>;
    constexpr std::size_t shared_bytes = sizeof(short_segment_storage<in_block, Key, Value>);
    static_assert(shared_bytes <= in_block::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    HINDSIGHT_LAUNCH(static_cast<unsigned>(segments_.num_segments), in_block::block_threads,
                     shared_bytes, stream_, kernel)
    (keys_, values_, segments_.offsets, segments_.num_segments, passes_, long_);
    return detail::reported(cudaPeekAtLastError());
  }

  cudaError_t find_starts() {
    int multiprocessors = 0;
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
    const auto wave = static_cast<unsigned>(multiprocessors * counting::histogram_blocks);
    constexpr auto count = count_segment_digits_kernel<counting, Direction, Key, OffsetIt>;
    HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(::cuda::std::min(long_.most_tiles, wave),
                                        counting::block_threads, 0, stream_, count)(
        keys_.in, segments_.offsets, passes_, long_, starts_));
    constexpr std::size_t rows_of_block = map_threads / warp_lanes;
    const std::size_t blocks = (most_rows() + rows_of_block - 1) / rows_of_block;
    return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(::cuda::std::min<std::size_t>(blocks, wave)),
                                 map_threads, 0, stream_, segment_starts_kernel<num_digits>)(
        passes_.count(), long_, starts_, plan_);
  }

  /// One pass over a digit, or one that only copies (pass_role).
  cudaError_t pass_by_digit(int pass) {
    constexpr auto kernel = sort_segments_pass_kernel<in_passes, Direction, Key, Value, OffsetIt>;
    constexpr std::size_t shared_bytes =
        sizeof(sort_pass_storage<in_passes, Key, Value, std::uint32_t>);
    static_assert(shared_bytes <= in_passes::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    const int digit = pass < passes_.count() ? pass : 0;
    return HINDSIGHT_LAUNCH_NEXT(long_.most_tiles, in_passes::block_threads, shared_bytes, stream_,
                                 kernel)(
        keys_, values_, segments_.offsets, plan_, pass, passes_.count(),
        passes_.template digit<Direction, Key>(digit), long_, starts_, boards_, tickets_ + digit);
  }

  sort_buffers<Key> keys_;
  sort_buffers<Value> values_;
  std::size_t n_;  ///< at least the number of items
  map_of_offsets<OffsetIt> segments_;
  digit_passes passes_;
  cudaStream_t stream_;
  long_segments long_{};
  sort_plan* plan_ = nullptr;
  unsigned *tickets_ = nullptr, *starts_ = nullptr;
  ::cuda::std::array<std::uint32_t*, 2> boards_{};
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
