// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Onesweep radix sort: one histogram of all digits up front, then one pass per digit in which each
// tile learns by look-back how many keys of each digit come before its own.
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/board/digit_board.h>
#include <hindsight/detail/cuda/block/digit_rank.cuh>
#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/counting_sort.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/segment_sort.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail {

/// The digits of a sort: pass p takes bits [begin_bit + 8 p, begin_bit + 8 p + 8), cut at end_bit.
struct digit_passes {
  int begin_bit, end_bit, digit_bits;
  HINDSIGHT_HD int count() const { return (end_bit - begin_bit + digit_bits - 1) / digit_bits; }
  template <class Direction, class Key>
  HINDSIGHT_HD digit_of<Direction, Key> digit(int pass) const {
    const int shift = begin_bit + pass * digit_bits;
    const int bits = end_bit - shift < digit_bits ? end_bit - shift : digit_bits;
    const unsigned mask = (1u << bits) - 1;
    return {unsigned(shift), mask, unsigned(carried_key<Direction, Key>::flips() >> shift) & mask};
  }
};

template <class Word, int MaxPasses, int NumDigits, int Warps>
struct digit_histogram_storage {
  unsigned counts[MaxPasses][NumDigits];
  Word warp_totals[Warps];
  bool is_last;
  unsigned varying;
};

/// counts[p][d] += how many of a warp's keys have digit d in pass p. A digit that they share is
/// counted at once: one word would be added to once for every key.
template <class Direction, class Key, int MaxPasses, int NumDigits, int LaneItems>
HINDSIGHT_DEVICE void count_all_digits(const Key (&items)[LaneItems], digit_passes passes,
                                       unsigned (&counts)[MaxPasses][NumDigits]) {
  using carried = carried_key<Direction, Key>;
  unsigned_bits_t<Key> keys[LaneItems], varying = 0;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    keys[i] = carried::from(items[i]);
    varying |= keys[i] ^ keys[0];
  }
  HINDSIGHT_UNROLL
  for (int p = 0; p < MaxPasses; ++p) {
    if (p >= passes.count()) break;
    const auto digit = passes.template digit<Direction, Key>(p);
    const unsigned first = digit(keys[0]), of_lane_0 = __shfl_sync(all_lanes, first, 0);
    const unsigned differing = static_cast<unsigned>(varying >> digit.shift) & digit.mask;
    if (__all_sync(all_lanes, differing == 0 && first == of_lane_0)) {
      if (lane_index() == 0) atomicAdd(&counts[p][first], unsigned{warp_lanes * LaneItems});
    } else {
      HINDSIGHT_UNROLL
      for (int i = 0; i < LaneItems; ++i) atomicAdd(&counts[p][digit(keys[i])], 1u);
    }
  }
}

/// starts[pass][d] = how many keys have a smaller digit than d in that pass.
///   starts   [passes.count()][num_digits], zero
///   plan     zero; to be segmented if no digit of the last num_highest passes is more frequent
///            than most_of_digit
///   state    zero
template <class Tuning, class Direction, class Key, class Word>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void digit_histogram_kernel(const Key* keys, std::size_t n, digit_passes passes, Word* starts,
                            int num_highest, Word most_of_digit, sort_plan* plan,
                            launch_state* state) {
  constexpr int num_digits = Tuning::num_digits, threads = Tuning::block_threads;
  constexpr int max_passes = int(sizeof(Key)) * 8 / Tuning::digit_bits;
  using storage = digit_histogram_storage<Word, max_passes, num_digits, threads / warp_lanes>;
  HINDSIGHT_SHARED(shared, storage);
  auto& counts = shared.counts;

  for (int i = threadIdx.x; i < max_passes * num_digits; i += threads)
    counts[i / num_digits][i % num_digits] = 0;
  __syncthreads();
  const auto count_key = [&](const Key& key) {
    const auto carried = carried_key<Direction, Key>::from(key);
    HINDSIGHT_UNROLL
    for (int p = 0; p < max_passes; ++p) {
      if (p >= passes.count()) continue;
      atomicAdd(&counts[p][passes.template digit<Direction, Key>(p)(carried)], 1u);
    }
  };
  const std::size_t step = std::size_t{gridDim.x} * Tuning::histogram_tile_items;
  for (std::size_t begin = std::size_t{blockIdx.x} * Tuning::histogram_tile_items; begin < n;
       begin += step) {
    const std::size_t first = begin + threadIdx.x;
    if (begin + Tuning::histogram_tile_items <= n) {
      Key items[Tuning::histogram_lane_items];
      HINDSIGHT_UNROLL
      for (int i = 0; i < Tuning::histogram_lane_items; ++i) items[i] = keys[first + i * threads];
      detail::count_all_digits<Direction>(items, passes, counts);
    } else {
      for (std::size_t i = first; i < n; i += threads) count_key(keys[i]);
    }
  }
  __syncthreads();
  for (int p = 0; p < passes.count(); ++p) {
    const unsigned count = counts[p][threadIdx.x];
    using sum_t = std::conditional_t<sizeof(Word) == 8, unsigned long long, unsigned>;
    const auto start = reinterpret_cast<sum_t*>(starts + p * num_digits + threadIdx.x);
    if (count > 0) atomicAdd(start, sum_t{count});
  }

  // The last block turns the counts into starts.
  __syncthreads();
  if (threadIdx.x == 0) {
    shared.is_last = detail::count_finished(state) == gridDim.x;
    shared.varying = (1u << passes.count()) - 1;
  }
  __syncthreads();
  if (!shared.is_last) return;
  bool segmented = num_highest > 0;
  for (int p = 0; p < passes.count(); ++p) {
    Word& entry = starts[p * num_digits + threadIdx.x];
    const Word count = ptx::load_relaxed(&entry);
    const Word inclusive = detail::warp_inclusive_fold(count, ::cuda::std::plus<Word>{});
    if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = inclusive;
    __syncthreads();
    Word start = inclusive - count;
    for (int w = 0; w < warp_index(); ++w) start += shared.warp_totals[w];
    entry = start;
    if (count == n) shared.varying ^= 1u << p;  // one thread at most, before the next barrier
    const bool is_highest = p >= passes.count() - num_highest;
    if (__syncthreads_or(is_highest && count > most_of_digit)) segmented = false;
  }
  // A few more passes over digits cost less than the segments do.
  segmented = segmented && __popc(shared.varying) > num_highest + Tuning::few_digits;
  if (threadIdx.x == 0) *plan = {shared.varying, segmented, 0};
}

template <class Tuning, class Key, class Value>
struct sort_storage {
  static constexpr int num_staged_values = Tuning::stages_values ? Tuning::tile_items : 1;
  using staged_items = room_for<unsigned_bits_t<Key>[Tuning::tile_items], Value[num_staged_values]>;
  rank_storage<Tuning::num_digits, Tuning::block_threads / warp_lanes> ranking;
  staged_items staged;
};

template <class Tuning, class Key, class Value, class Word>
struct sort_pass_storage : sort_storage<Tuning, Key, Value> {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr bool stages_values = has_values && Tuning::stages_values;
  Word places[Tuning::num_digits];  ///< place of staged item j of digit d in the output, less j
  std::uint8_t digits[has_values ? Tuning::tile_items : 1];  ///< of the staged items
  /// Where in the tile they come from, unless their values are staged, too.
  std::uint16_t sources[has_values && !stages_values ? Tuning::tile_items : 1];
  unsigned ticket;
  // What the plan says, read from here when it is used: registers are short.
  bool moves, sorts, is_first, is_last;
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
  Word *board, *next_board;
};

/// out[0, n) = in[0, n), by all blocks.
template <class Item>
HINDSIGHT_DEVICE void copy_items(const Item* in, Item* out, std::size_t n) {
  constexpr int abreast = sizeof(Item) <= 8 ? 8 : 1;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; first + (abreast - 1) * step < n; first += abreast * step) {
    uninitialized<Item> items[abreast];
    HINDSIGHT_UNROLL
    for (int i = 0; i < abreast; ++i) items[i].set(in[first + i * step]);
    HINDSIGHT_UNROLL
    for (int i = 0; i < abreast; ++i) out[first + i * step] = items[i].get();
  }
  for (; first < n; first += step) out[first] = in[first];
}

/// What a pass does with one tile.
template <class Tuning, class Direction, class Key, class Value, class Word>
HINDSIGHT_DEVICE void sort_tile_by_digit(std::size_t tile, std::size_t n,
                                         digit_of<Direction, Key> digit, const Word* starts,
                                         sort_pass_storage<Tuning, Key, Value, Word>& shared) {
  using bits_t = unsigned_bits_t<Key>;
  using carried = carried_key<Direction, Key>;
  using storage = sort_pass_storage<Tuning, Key, Value, Word>;
  constexpr int num_digits = Tuning::num_digits, lane_items = Tuning::lane_items;
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  constexpr ::cuda::std::true_type yes;
  constexpr ::cuda::std::false_type no;
  const Key* const keys_in = shared.keys_in;
  const auto board = [&] { return digit_board<Word>{shared.board, num_digits}; };
  const std::size_t tile_begin = tile * Tuning::tile_items;
  const std::size_t first = tile_begin + warp_index() * (warp_lanes * lane_items) + lane_index();
  const int tile_count =
      static_cast<int>(::cuda::std::min<std::size_t>(n - tile_begin, Tuning::tile_items));
  const bool full = tile_count == Tuning::tile_items;
  const int d = static_cast<int>(threadIdx.x);  // the digit that this thread looks after
  if (!shared.is_last) shared.next_board[tile * num_digits + d] = 0;

  // Slots past the end rank last: their digits are the largest, and they come after all others.
  bits_t keys[lane_items];
  const bool makes_images = carried::is_image && shared.is_first;
  const bits_t past_end = makes_images
                              ? ::cuda::std::bit_cast<bits_t>(carried::to_key(carried::last()))
                              : carried::last();
  const auto load_keys = [&](auto is_full) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      keys[i] = is_full || first + i * warp_lanes < n
                    ? ::cuda::std::bit_cast<bits_t>(keys_in[first + i * warp_lanes])
                    : past_end;
    }
  };
  full ? load_keys(yes) : load_keys(no);
  if (makes_images) {
    HINDSIGHT_UNROLL
    for (bits_t& key : keys) key = carried::from(::cuda::std::bit_cast<Key>(key));
  }
  count_digits(keys, digit, shared.ranking);
  __syncthreads();
  unsigned count;
  const unsigned digit_begin = offset_digits(shared.ranking, count);
  board().publish(tile, d, {tile == 0 ? digit_state::prefix : digit_state::aggregate, count});
  __syncthreads();

  // Stage the keys in digit order; meanwhile the tiles before tell how many of each digit they
  // have.
  auto& staged_keys = shared.staged.first();
  packed_ranks<lane_items> ranks;
  rank_digits(keys, digit.again(), shared.ranking, [&](int i, unsigned rank) {
    staged_keys[rank] = keys[i];
    if constexpr (storage::stages_values) {
      ranks.set(i, rank);
    } else if constexpr (has_values) {
      shared.sources[rank] = static_cast<std::uint16_t>(first - tile_begin + i * warp_lanes);
    }
  });
  Word before = 0;
  if (tile > 0) {
    before = look_back_digit<Tuning::rows_ahead>(board(), tile, d);
    board().publish(tile, d, {digit_state::prefix, before + count});
  }
  shared.places[d] = starts[d] + before - digit_begin;
  __syncthreads();

  const Value* const values_in = shared.values_in;
  Value* const values_out = shared.values_out;
  uninitialized<Value> values[storage::stages_values ? lane_items : 1];
  if constexpr (storage::stages_values) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      if (full || first + i * warp_lanes < n) values[i].set(values_in[first + i * warp_lanes]);
    }
  }
  Key* const keys_out = shared.keys_out;
  const bool is_last = shared.is_last;
  const auto store_keys = [&](auto is_full, auto turn_back) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      const int j = threadIdx.x + i * Tuning::block_threads;
      if (!is_full && j >= tile_count) continue;
      const bits_t key = staged_keys[j];
      const unsigned key_digit = digit(key);
      keys_out[shared.places[key_digit] + j] =
          turn_back ? carried::to_key(key) : ::cuda::std::bit_cast<Key>(key);
      if constexpr (has_values) shared.digits[j] = static_cast<std::uint8_t>(key_digit);
    }
  };
  if (!full) {
    store_keys(no, is_last);
  } else if (carried::is_image && is_last) {
    store_keys(yes, yes);
  } else {
    store_keys(yes, no);
  }
  if constexpr (storage::stages_values) {
    auto& staged_values = shared.staged.second();
    __syncthreads();  // all keys have left
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) staged_values[ranks.get(i)] = values[i].get();
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      const int j = threadIdx.x + i * Tuning::block_threads;
      if (!full && j >= tile_count) continue;
      values_out[shared.places[shared.digits[j]] + j] = staged_values[j];
    }
  } else if constexpr (has_values) {
    HINDSIGHT_UNROLL_BY(4)
    for (int i = 0; i < lane_items; ++i) {
      const int j = threadIdx.x + i * Tuning::block_threads;
      if (!full && j >= tile_count) continue;
      values_out[shared.places[shared.digits[j]] + j] = values_in[tile_begin + shared.sources[j]];
    }
  }
}

/// One pass: out = in, stably sorted by one digit; nothing where the digit is constant, or a copy
/// (sort_plan.cuh). Where passes carry images, the first one that sorts makes them, and the last one
/// turns them back to keys.
///   starts   [num_digits] of this pass
///   boards   [2][num_tiles] rows; this pass's are empty, and each tile empties its row of the next
///   tickets  [1], zero
template <class Tuning, class Direction, class Key, class Value, class Word>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_pass_kernel(sort_buffers<Key> key_buffers, sort_buffers<Value> value_buffers,
                      std::size_t n, const sort_plan* plan, sort_step step,
                      digit_of<Direction, Key> digit, const Word* starts,
                      ::cuda::std::array<Word*, 2> boards, unsigned* tickets) {
  using storage = sort_pass_storage<Tuning, Key, Value, Word>;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  storage& shared = *reinterpret_cast<storage*>(shared_room);
  if (threadIdx.x == 0) {
    const pass_role role{*plan, step, key_buffers.in == key_buffers.out};
    shared.moves = role.moves, shared.sorts = role.sorts;
    shared.is_first = role.is_first, shared.is_last = role.is_last;
    shared.keys_in = role.from(key_buffers), shared.keys_out = role.to(key_buffers);
    shared.values_in = role.from(value_buffers), shared.values_out = role.to(value_buffers);
    shared.board = role.board == 0 ? boards[0] : boards[1];
    shared.next_board = role.board == 0 ? boards[1] : boards[0];
  }
  __syncthreads();
  if (!shared.moves) return;
  if (!shared.sorts) {
    copy_items(shared.keys_in, shared.keys_out, n);
    if constexpr (!std::is_same_v<Value, no_value>)
      copy_items(shared.values_in, shared.values_out, n);
    return;
  }
  const std::size_t num_tiles = (n + Tuning::tile_items - 1) / Tuning::tile_items;
  do {
    if (threadIdx.x == 0) shared.ticket = atomicAdd(tickets, 1u);
    __syncthreads();
    const std::size_t tile = shared.ticket;
    if (Tuning::takes_many_tiles && tile >= num_tiles) return;
    sort_tile_by_digit<Tuning, Direction, Key, Value>(tile, n, digit, starts, shared);
  } while (Tuning::takes_many_tiles);
}

/// A sort of at most one tile: all passes in one block, in shared memory.
template <class Tuning, class Direction, class Key, class Value>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 1)
void sort_tile_kernel(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                      int n, digit_passes passes) {
  constexpr int lane_items = Tuning::lane_items;
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<sort_storage<Tuning, Key, Value>*>(shared_room);
  auto& staged_keys = shared.staged.first();
  auto& staged_values = shared.staged.second();

  const int first = warp_index() * (warp_lanes * lane_items) + lane_index();
  const auto exists = [&](int i) { return first + i * warp_lanes < n; };
  using carried = carried_key<Direction, Key>;
  unsigned_bits_t<Key> keys[lane_items];
  uninitialized<Value> values[has_values ? lane_items : 1];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    keys[i] = carried::last();  // slots past the end: they stay there in every pass
    if (!exists(i)) continue;
    keys[i] = carried::from(keys_in[first + i * warp_lanes]);
    if constexpr (has_values) values[i].set(values_in[first + i * warp_lanes]);
  }
  for (int p = 0; p < passes.count(); ++p) {
    const auto digit = passes.template digit<Direction, Key>(p);
    count_digits(keys, digit, shared.ranking);
    __syncthreads();
    unsigned count;
    offset_digits(shared.ranking, count);
    __syncthreads();
    packed_ranks<lane_items> ranks;
    rank_digits(keys, digit.again(), shared.ranking, [&](int i, unsigned rank) {
      staged_keys[rank] = keys[i];
      if constexpr (has_values) ranks.set(i, rank);
    });
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) keys[i] = staged_keys[first + i * warp_lanes];
    if constexpr (has_values) {
      __syncthreads();
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items; ++i) staged_values[ranks.get(i)] = values[i].get();
      __syncthreads();
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items; ++i) values[i].set(staged_values[first + i * warp_lanes]);
    }
    // No barrier: the next pass has two before it stages again.
  }
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    if (!exists(i)) continue;
    keys_out[first + i * warp_lanes] = carried::to_key(keys[i]);
    if constexpr (has_values) values_out[first + i * warp_lanes] = values[i].get();
  }
}

/// A sort of more than one tile. Word counts keys, with two bits to spare.
template <class Tuning, class Direction, class Word, class Key, class Value>
class onesweep {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr bool may_be_split = sizeof(Key) >= 8 && sizeof(Value) <= 8;
  using segments = segment_tuning<Key, Value>;

 public:
  onesweep(sort_buffers<Key> keys, sort_buffers<Value> values, std::size_t n, digit_passes passes,
           cudaStream_t stream)
      : keys_{keys}, values_{values}, n_{n}, passes_{passes}, stream_{stream} {
    const bool all_bits = passes.begin_bit == 0 && passes.end_bit == int(sizeof(Key)) * 8;
    if (may_be_split && all_bits) split_ = {n, segments::tile_items, Tuning::digit_bits};
  }

  cudaError_t operator()(void* temp, std::size_t& temp_bytes) {
    carver space{temp};
    const std::size_t zeroed_bytes = carve(space);
    if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
    if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
    if (num_tiles() > max_blocks) return cudaErrorInvalidConfiguration;  // tickets have 32 bits
    HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, zeroed_bytes, stream_));
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors_));
    HINDSIGHT_TRY(count_digits());
    constexpr auto kernel = sort_pass_kernel<Tuning, Direction, Key, Value, Word>;
    static_assert(shared_bytes <= Tuning::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    if constexpr (may_be_split) {
      const int first_digit = passes_.count() - split_.num_passes;
      for (int p = 0; p < split_.num_passes; ++p)
        HINDSIGHT_TRY(sweep(sort_phase::highest_digits, p, first_digit + p));
      if (split_.num_passes > 0) HINDSIGHT_TRY(sort_segments());
    }
    for (int p = 0; p < num_sweeps(); ++p)
      HINDSIGHT_TRY(sweep(sort_phase::all_digits, p, p < passes_.count() ? p : 0));
    return cudaSuccess;
  }

 private:
  static constexpr std::size_t shared_bytes =
      sizeof(sort_pass_storage<Tuning, Key, Value, Word>);

  bool in_place() const { return keys_.in == keys_.out; }
  std::size_t num_tiles() const { return (n_ + Tuning::tile_items - 1) / Tuning::tile_items; }
  /// Over all digits. An odd number in place gets one more, that does not sort: for pass_role's sake.
  int num_sweeps() const { return passes_.count() + (in_place() ? passes_.count() % 2 : 0); }

  /// Returns how many bytes have to be zero.
  std::size_t carve(carver& space) {
    const int num_passes = passes_.count();
    constexpr int ahead = Tuning::rows_ahead * Tuning::num_digits;
    const std::size_t board_words = num_tiles() * Tuning::num_digits;
    const bool needs_buffer = in_place() || num_passes > 1;
    state_ = space.take<launch_state>(1);
    plan_ = space.take<sort_plan>(1);
    tickets_ = space.take<unsigned>(split_.num_passes + num_passes);
    starts_ = space.take<Word>(num_passes * Tuning::num_digits);
    boards_[0] = space.take<Word>(ahead + board_words) + ahead;
    // The rows in front of a board are read, though nothing depends on them: they are zero, too.
    static_assert(ahead * sizeof(Word) % carver::alignment == 0, "a board begins behind them");
    if (num_passes > 1) boards_[1] = space.take<Word>(ahead) + ahead;
    const std::size_t zeroed_bytes = space.used_bytes();
    if (num_passes > 1) space.take<Word>(board_words);
    segment_starts_ =
        split_.num_passes > 1 ? space.take<Word>(std::size_t{1} << split_.bits) : nullptr;
    keys_.spare = needs_buffer ? space.take<Key>(n_) : nullptr;
    values_.spare = needs_buffer && has_values ? space.take<Value>(n_) : nullptr;
    return zeroed_bytes;
  }

  /// Tiles of all sizes, and keys with any values, share a kernel, which saves the compiler three.
  cudaError_t count_digits() {
    using one_for_all_tiles = sort_tuning<Key, no_value>;
    static_assert(one_for_all_tiles::histogram_tile_items == Tuning::histogram_tile_items);
    const std::size_t tiles =
        (n_ + Tuning::histogram_tile_items - 1) / Tuning::histogram_tile_items;
    const auto blocks = static_cast<unsigned>(::cuda::std::min<std::size_t>(
        tiles, std::size_t(multiprocessors_) * Tuning::histogram_blocks));
    HINDSIGHT_LAUNCH(blocks, Tuning::block_threads, 0, stream_,
                     digit_histogram_kernel<one_for_all_tiles, Direction>)
    (keys_.in, n_, passes_, starts_, split_.num_passes, static_cast<Word>(split_.most_of_digit),
     plan_, state_);
    return cudaPeekAtLastError();
  }

  /// One pass over a digit of the keys.
  cudaError_t sweep(sort_phase phase, int pass, int digit) {
    constexpr auto kernel = sort_pass_kernel<Tuning, Direction, Key, Value, Word>;
    const int first_ticket = phase == sort_phase::highest_digits ? 0 : split_.num_passes;
    const sort_step step{phase, pass, split_.num_passes};
    unsigned* const ticket = tickets_ + first_ticket + (pass < passes_.count() ? pass : 0);
    const std::size_t most = Tuning::takes_many_tiles
                                 ? std::size_t(multiprocessors_) * Tuning::pass_blocks
                                 : num_tiles();
    const auto blocks = static_cast<unsigned>(::cuda::std::min(num_tiles(), most));
    HINDSIGHT_LAUNCH(blocks, Tuning::block_threads, shared_bytes, stream_, kernel)
    (keys_, values_, n_, plan_, step, passes_.template digit<Direction, Key>(digit),
     starts_ + digit * Tuning::num_digits, boards_, ticket);
    return cudaPeekAtLastError();
  }

  cudaError_t sort_segments() {
    const int num_passes = split_.num_passes, bits = split_.bits;
    const unsigned num_segments = 1u << bits;
    const Word* starts = starts_ + (passes_.count() - 1) * Tuning::num_digits;
    if (num_passes > 1) {
      constexpr int threads = segments::block_threads;
      HINDSIGHT_LAUNCH(num_segments / (threads / warp_lanes), threads, 0, stream_,
                       find_segments_kernel<threads, Direction>)
      (keys_, n_, plan_, segment_starts_, num_passes, bits, segments::tile_items);
      HINDSIGHT_TRY(cudaPeekAtLastError());
      starts = segment_starts_;
    }
    constexpr auto kernel = sort_segments_kernel<segments, Direction, Key, Value, Word>;
    constexpr std::size_t bytes = sizeof(segment_storage<segments, Key, Value>);
    HINDSIGHT_TRY(allow_shared_bytes(kernel, bytes));
    HINDSIGHT_LAUNCH(num_segments, segments::block_threads, bytes, stream_, kernel)
    (keys_, values_, n_, plan_, starts, num_passes, int(sizeof(Key)) * 8 - bits);
    return cudaPeekAtLastError();
  }

  sort_buffers<Key> keys_;
  sort_buffers<Value> values_;
  std::size_t n_;
  digit_passes passes_;
  cudaStream_t stream_;
  segment_split split_{};
  int multiprocessors_ = 0;
  launch_state* state_ = nullptr;
  sort_plan* plan_ = nullptr;
  unsigned* tickets_ = nullptr;
  Word *starts_ = nullptr, *segment_starts_ = nullptr;
  ::cuda::std::array<Word*, 2> boards_{};
};

/// out = in, stably sorted by bits [begin_bit, end_bit) of the keys' order-preserving images
/// (key_bits.h), in CUB's two phases. keys_in [n] may be keys_out, values_in then values_out.
/// Values are no_value and null for keys alone.
template <class Direction, class Key, class Value>
cudaError_t radix_sort(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                       const Value* values_in, Value* values_out, std::size_t n, int begin_bit,
                       int end_bit, cudaStream_t stream) {
  using many = sort_tuning<Key, Value, tiles::large>;
  using medium = sort_tuning<Key, Value, tiles::medium>;
  using few = sort_tuning<Key, Value, tiles::small>;
  const digit_passes passes{begin_bit, end_bit, many::digit_bits};
  if (many::stages_values && n <= many::tile_items) {
    if (temp == nullptr) return temp_bytes = 1, cudaSuccess;
    if (n == 0) return cudaSuccess;
    const auto sort_tile = [&](auto row) {
      using tuning = decltype(row);
      constexpr auto kernel = sort_tile_kernel<tuning, Direction, Key, Value>;
      constexpr std::size_t shared_bytes = sizeof(sort_storage<tuning, Key, Value>);
      static_assert(shared_bytes <= tuning::max_shared_bytes, "the tile has to be smaller");
      HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
      HINDSIGHT_LAUNCH(1, tuning::block_threads, shared_bytes, stream, kernel)
      (keys_in, keys_out, values_in, values_out, static_cast<int>(n), passes);
      return cudaPeekAtLastError();
    };
    if (n <= few::tile_items) return sort_tile(few{});
    if (n <= medium::tile_items) return sort_tile(medium{});
    return sort_tile(many{});
  }
  if constexpr (is_counted_key<Key> && std::is_same_v<Value, no_value>) {
    if (begin_bit == 0 && end_bit == 8) {
      return n < (std::size_t{1} << 31) ? counting_sort<unsigned, Direction>(
                                              temp, temp_bytes, keys_in, keys_out, n, stream)
                                        : counting_sort<unsigned long long, Direction>(
                                              temp, temp_bytes, keys_in, keys_out, n, stream);
    }
  }
  const auto sweep = [&](auto row, auto word) {
    using sort = onesweep<decltype(row), Direction, decltype(word), Key, Value>;
    sort way{{keys_in, keys_out, nullptr}, {values_in, values_out, nullptr}, n, passes, stream};
    return way(temp, temp_bytes);
  };
  const auto are_few = [&](auto row) {
    using tuning = decltype(row);
    return n <= std::size_t{tuning::tile_items} * tuning::few_tiles;
  };
  if (are_few(few{})) return sweep(few{}, std::uint32_t{});
  if (are_few(medium{})) return sweep(medium{}, std::uint32_t{});
  constexpr std::size_t counted_in_32_bits = std::size_t{1}
                                             << digit_board<std::uint32_t>::count_bits;
  return n < counted_in_32_bits ? sweep(many{}, std::uint32_t{}) : sweep(many{}, std::uint64_t{});
}

}  // namespace hindsight::detail
