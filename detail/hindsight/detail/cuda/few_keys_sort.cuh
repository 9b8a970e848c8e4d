// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sort of few tiles in one launch: the histogram of digits and all passes, or one pass and the
// segments that it leaves. With so few keys, most of the time of a pass would be its launch.
#pragma once

#include <hindsight/detail/board/phased_work.cuh>
#include <hindsight/detail/cuda/clear.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/digit_histogram.cuh>
#include <hindsight/detail/cuda/segment_sort.cuh>
#include <hindsight/detail/cuda/sort_pass.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Tuning, class Key, class Value>
struct few_keys_storage {
  using segments = segment_tuning<Key, Value, true>;
  static constexpr int max_passes = int(sizeof(Key)) * 8 / Tuning::digit_bits;
  /// One pass over the highest digit and segments may be less work than passes over all digits.
  static constexpr bool may_be_segmented = max_passes > 1 + Tuning::few_digits_of_few_keys &&
                                           sizeof(Value) <= most_split_value_bytes;
  using pass_storage = sort_pass_storage<Tuning, Key, Value, std::uint32_t>;
  using segments_storage =
      std::conditional_t<may_be_segmented, segment_storage<segments, Key, Value>, no_value>;

  room_for<pass_storage, segments_storage> room;
  /// First how often each digit occurs in a tile, then how many of all keys have a smaller one.
  unsigned starts[max_passes][Tuning::num_digits];
  unsigned warp_totals[max_passes][Tuning::block_threads / warp_lanes];
  unsigned constant;  ///< bit p: all keys have the same digit in pass p
  unsigned ticket;
};

/// The rows of a tile of this launch: a medium tile, or a small one, which has fewer.
template <class Tuning>
using few_rows = lane_rows<Tuning::lane_items, Tuning::row_step>;

/// counts[p][d] += how many of a tile's keys have digit d in pass p.
template <class Tuning, class Direction, class Key, class Value>
HINDSIGHT_DEVICE void count_tile(const Key* keys, unsigned n, unsigned tile, few_rows<Tuning> rows,
                                 digit_passes passes, unsigned* counts,
                                 few_keys_storage<Tuning, Key, Value>& shared) {
  constexpr int threads = Tuning::block_threads, step = Tuning::row_step;
  constexpr int num_digits = Tuning::num_digits;
  const unsigned tile_items = rows.count * threads;
  const int d = static_cast<int>(threadIdx.x);
  HINDSIGHT_ROLL
  for (int p = 0; p < passes.count(); ++p) shared.starts[p][d] = 0;
  __syncthreads();
  const unsigned first = tile * tile_items + threadIdx.x;
  if ((tile + 1) * tile_items <= n) {
    Key items[Tuning::lane_items / step][step];
    HINDSIGHT_UNROLL
    for (int i = 0; i < Tuning::lane_items && !rows.end_at(i); ++i)
      items[i / step][i % step] = keys[first + i * threads];
    HINDSIGHT_UNROLL
    for (int i = 0; i < Tuning::lane_items && !rows.end_at(i); i += step)
      cuda::count_all_digits<Direction>(items[i / step], passes, shared.starts);
  } else {
    for (unsigned i = first; i < n; i += threads)
      cuda::count_all_digits<Direction>(keys[i], passes, shared.starts);
  }
  __syncthreads();
  HINDSIGHT_ROLL
  for (int p = 0; p < passes.count(); ++p) {
    const unsigned count = shared.starts[p][d];
    if (count > 0) atomicAdd(&counts[p * num_digits + d], count);
  }
}

/// Turns the counts of all tiles into where each digit's keys start. Returns whether each value of
/// the highest digit has at most as many keys as a segment may hold. A barrier has to come before
/// it, and another one before `starts` is read; `constant` may be read at once.
template <class Tuning, class Key, class Value>
HINDSIGHT_DEVICE bool find_starts(const unsigned* counts, unsigned n, digit_passes passes,
                                  unsigned segment_items,
                                  few_keys_storage<Tuning, Key, Value>& shared) {
  using storage = few_keys_storage<Tuning, Key, Value>;
  const int d = static_cast<int>(threadIdx.x);
  unsigned all_counts[storage::max_passes];
  HINDSIGHT_UNROLL
  for (int p = 0; p < storage::max_passes; ++p) {
    if (p < passes.count()) all_counts[p] = ptx::load_relaxed(&counts[p * Tuning::num_digits + d]);
  }
  unsigned highest = 0;
  HINDSIGHT_UNROLL
  for (int p = 0; p < storage::max_passes; ++p) {
    if (p < passes.count()) {
      const unsigned count = all_counts[p];
      const unsigned end = cuda::warp_inclusive_fold(count, ::cuda::std::plus<unsigned>{});
      if (lane_index() == warp_lanes - 1) shared.warp_totals[p][warp_index()] = end;
      shared.starts[p][d] = end - count;
      if (count == n) atomicOr(&shared.constant, 1u << p);
      highest = count;
    }
  }
  const bool fit = !__syncthreads_or(highest > segment_items);
  for (int p = 0; p < passes.count(); ++p) {
    unsigned before = 0;
    HINDSIGHT_UNROLL
    for (int w = 0; w < Tuning::block_threads / warp_lanes; ++w)
      before += w < warp_index() ? shared.warp_totals[p][w] : 0;
    shared.starts[p][d] += before;
  }
  return fit;
}

/// The pieces of work that a block takes. It claims the next one when it begins with the present
/// one, so that the answer comes meanwhile. It does not claim one while it waits: with two pieces
/// of a phase it would keep all others waiting.
class own_pieces {
 public:
  /// ticket: in shared memory
  HINDSIGHT_DEVICE own_pieces(const phased_work& work, unsigned& ticket)
      : work_{work}, ticket_{ticket} {
    if (threadIdx.x == 0) ticket_ = work_.take();
  }
  /// Begins and ends with all threads of the block.
  HINDSIGHT_DEVICE unsigned take() {
    __syncthreads();
    return ticket_;
  }
  /// The piece begins: nothing is left to wait for.
  HINDSIGHT_DEVICE void claim_next() {
    if (threadIdx.x == 0) next_ = work_.take();
  }
  HINDSIGHT_DEVICE void finish() {
    __syncthreads();
    if (threadIdx.x == 0) {
      work_.finish();
      ticket_ = next_;
    }
  }
  /// Ends a piece of the last phase, for which no other piece waits.
  HINDSIGHT_DEVICE void finish_last_phase() {
    __syncthreads();
    if (threadIdx.x == 0) ticket_ = next_;
  }

 private:
  const phased_work& work_;
  unsigned& ticket_;
  unsigned next_ = 0;
};

/// What a pass does with tile `index`: sorts or copies it.
template <class Tuning, class Direction, class Key, class Value>
HINDSIGHT_DEVICE void move_tile(unsigned index, unsigned n, few_rows<Tuning> rows,
                                digit_of<Direction, Key> digit, const unsigned* starts,
                                sort_pass_storage<Tuning, Key, Value, std::uint32_t>& room) {
  if (room.sorts) {
    const digit_tile<Tuning, few_rows<Tuning>> tile{index, n, rows};
    cuda::sort_tile_by_digit<Tuning, Direction, Key, Value>(tile, digit, starts, room);
    return;
  }
  const unsigned tile_items = rows.count * Tuning::block_threads;
  const unsigned begin = index * tile_items;
  const unsigned count = ::cuda::std::min(n - begin, tile_items);
  cuda::copy_items(room.keys_in + begin, room.keys_out + begin, count, threadIdx.x,
                   Tuning::block_threads);
  if constexpr (!std::is_same_v<Value, no_value>) {
    cuda::copy_items(room.values_in + begin, room.values_out + begin, count, threadIdx.x,
                     Tuning::block_threads);
  }
}

/// The last phase of keys that are sorted by their highest digit: a piece for each of its values.
///   ticket        the block's first one of this phase
///   first_ticket  the first one of this phase
template <class Tuning, class Direction, class Key, class Value>
HINDSIGHT_DEVICE void sort_few_segments(const sort_buffers<Key>& keys,
                                        const sort_buffers<Value>& values, unsigned n,
                                        const phased_work& work, unsigned ticket,
                                        unsigned first_ticket, digit_passes passes,
                                        own_pieces& pieces,
                                        few_keys_storage<Tuning, Key, Value>& shared) {
  using segments = typename few_keys_storage<Tuning, Key, Value>::segments;
  const bool in_place = keys.in == keys.out;
  const Key* const keys_in = in_place ? keys.spare : keys.out;
  const Value* const values_in = in_place ? values.spare : values.out;
  const unsigned* const starts = shared.starts[passes.count() - 1];
  if (threadIdx.x == 0) work.wait_for_phases_before(2);
  __syncthreads();
  for (;; pieces.finish_last_phase(), ticket = pieces.take()) {
    const unsigned segment = ticket - first_ticket;
    if (segment >= Tuning::num_digits) return;
    pieces.claim_next();
    const unsigned begin = starts[segment];
    const unsigned end = segment + 1 < Tuning::num_digits ? starts[segment + 1] : n;
    if (begin == end) continue;
    cuda::sort_segment<segments, Direction>(keys_in + begin, keys.out + begin, values_in + begin,
                                            values.out + begin, static_cast<int>(end - begin),
                                            passes.end_bit - Tuning::digit_bits, passes.end_bit,
                                            shared.room.second());
  }
}

/// Phase 0 counts the digits of all passes; then comes a phase for each pass that moves keys, or
/// one for the highest digit and one for the segments that it leaves. A phase has a piece for each
/// tile or segment.
///   tile_rows  items of a lane: Tuning::lane_items, or Tuning::row_step where tiles are small
///   counts  [passes.count()][num_digits], zero
///   boards  [2][num_tiles] rows; the first is empty, and each tile empties its row of the next
template <class Tuning, class Direction, class Key, class Value>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 2)
void sort_few_keys_kernel(sort_buffers<Key> keys, sort_buffers<Value> values, unsigned n,
                          int tile_rows, digit_passes passes, unsigned* counts,
                          ::cuda::std::array<std::uint32_t*, 2> boards,
                          phased_work::counters* counters) {
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  using storage = few_keys_storage<Tuning, Key, Value>;
  storage& shared = *reinterpret_cast<storage*>(shared_room);
  const few_rows<Tuning> rows{tile_rows};
  const unsigned tile_items = tile_rows * Tuning::block_threads;
  const unsigned num_tiles = (n + tile_items - 1) / tile_items;
  const phased_work work{counters, num_tiles};
  const bool in_place = keys.in == keys.out;
  if (threadIdx.x == 0) shared.constant = 0;
  ptx::wait_for_launch_before();  // it clears what blocks share
  own_pieces pieces{work, shared.ticket};
  unsigned ticket = pieces.take();
  for (; ticket < num_tiles; pieces.finish(), ticket = pieces.take()) {
    pieces.claim_next();
    cuda::count_tile<Tuning, Direction>(keys.in, n, ticket, rows, passes, counts, shared);
  }
  if (threadIdx.x == 0) work.wait_for_phases_before(1);
  __syncthreads();
  using segments = typename storage::segments;
  const bool is_small = tile_rows < Tuning::lane_items;
  const unsigned segment_items = is_small ? segments::small_tile_items : segments::tile_items;
  const bool segments_fit = cuda::find_starts(counts, n, passes, segment_items, shared);

  const unsigned varying = ((1u << passes.count()) - 1) & ~shared.constant;
  bool segmented = false;
  if constexpr (storage::may_be_segmented) {
    segmented = passes.begin_bit == 0 && segments_fit &&
                __popc(varying) > 1 + Tuning::few_digits_of_few_keys;
  }
  const unsigned all_moving = pass_role::moving(segmented ? 1 : varying, in_place);
  auto& room = shared.room.first();
  for (;; pieces.finish(), ticket = pieces.take()) {
    const unsigned phase = ticket / num_tiles, tile = ticket % num_tiles;
    if (segmented && phase > 1) break;
    unsigned moving = all_moving;  // bit p: pass p has yet to move keys
    HINDSIGHT_ROLL
    for (unsigned i = 1; i < phase; ++i) moving &= moving - 1;  // clears the lowest bit
    if (moving == 0) return;
    const int pass = segmented ? passes.count() - 1 : __popc((moving & (0 - moving)) - 1);
    if (threadIdx.x == 0) {
      pass_role role{segmented ? 1 : varying, segmented ? 0 : pass, in_place};
      role.is_last = role.is_last && !segmented;
      cuda::assign_pass(role, keys, values, boards, room);
      work.wait_for_phases_before(phase);
    }
    pieces.claim_next();
    __syncthreads();
    const int digit = pass < passes.count() ? pass : 0;  // a pass behind the last one copies
    cuda::move_tile<Tuning, Direction>(tile, n, rows, passes.template digit<Direction, Key>(digit),
                                       shared.starts[digit], room);
  }
  if constexpr (storage::may_be_segmented)
    cuda::sort_few_segments<Tuning, Direction>(keys, values, n, work, ticket, 2 * num_tiles, passes,
                                               pieces, shared);
}

/// As radix_sort, for few tiles.
template <class Tuning, class Direction, class Key, class Value>
cudaError_t sort_few_keys(void* temp, std::size_t& temp_bytes, sort_buffers<Key> keys,
                          sort_buffers<Value> values, std::size_t n, int tile_rows,
                          digit_passes passes, cudaStream_t stream) {
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  constexpr int num_digits = Tuning::num_digits, ahead = Tuning::rows_ahead * num_digits;
  const std::size_t tile_items = std::size_t(tile_rows) * Tuning::block_threads;
  const std::size_t num_tiles = (n + tile_items - 1) / tile_items;
  const bool needs_buffer = keys.in == keys.out || passes.count() > 1;
  carver space{temp};
  auto* const counters = space.take<phased_work::counters>(1);
  auto* const counts = space.take<unsigned>(passes.count() * num_digits);
  // The rows in front of a board are read, though nothing depends on them: they are zero, too.
  static_assert(ahead * sizeof(std::uint32_t) % carver::alignment == 0,
                "a board begins behind them");
  ::cuda::std::array<std::uint32_t*, 2> boards{};
  boards[0] = space.take<std::uint32_t>(ahead + num_tiles * num_digits) + ahead;
  if (passes.count() > 1) boards[1] = space.take<std::uint32_t>(ahead) + ahead;
  const std::size_t zeroed_bytes = space.used_bytes();
  if (passes.count() > 1) space.take<std::uint32_t>(num_tiles * num_digits);
  cuda::take_spare(space, needs_buffer, n, keys);
  cuda::take_spare(space, needs_buffer && has_values, n, values);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  HINDSIGHT_TRY(cuda::clear(space.begin(), zeroed_bytes, true, stream));
  constexpr auto kernel = sort_few_keys_kernel<Tuning, Direction, Key, Value>;
  constexpr std::size_t shared_bytes = sizeof(few_keys_storage<Tuning, Key, Value>);
  static_assert(shared_bytes <= Tuning::max_shared_bytes, "the tile has to be smaller");
  HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
  const std::size_t blocks = few_keys_storage<Tuning, Key, Value>::may_be_segmented
                                 ? ::cuda::std::max<std::size_t>(num_tiles, Tuning::segment_blocks)
                                 : num_tiles;
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(blocks), Tuning::block_threads, shared_bytes,
                               stream, kernel)(keys, values, static_cast<unsigned>(n), tile_rows,
                                               passes, counts, boards, counters);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
