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
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail {

/// The value type of a sort of keys alone.
struct no_value {};

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
///   varying  [1], bit p: not all keys have the same digit in pass p
///   state    zero
template <class Tuning, class Direction, class Key, class Word>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void digit_histogram_kernel(const Key* keys, std::size_t n, digit_passes passes, Word* starts,
                            unsigned* varying, launch_state* state) {
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
    __syncthreads();
  }
  if (threadIdx.x == 0) *varying = shared.varying;
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
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
  bool is_last;
};

/// out[0, n) = in[0, n) where one block does `Items` of them.
template <int Items, class Item>
HINDSIGHT_DEVICE void copy_tile(const Item* in, Item* out, std::size_t n) {
  const std::size_t begin = std::size_t{blockIdx.x} * Items;
  const std::size_t end = ::cuda::std::min(n, begin + Items);
  HINDSIGHT_UNROLL_BY(4)
  for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) out[i] = in[i];
}

/// One pass: out = in, stably sorted by one digit; nothing where the digit is constant, or a copy
/// (sort_plan.cuh). Where passes carry images, the first one that sorts makes them, and the last one
/// turns them back to keys.
///   varying  [1], of all passes
///   starts   [num_digits] of this pass
///   boards   [2][num_tiles] rows; this pass's are empty, and each tile empties its row of the next
///   tickets  [1], zero
template <class Tuning, class Direction, class Key, class Value, class Word>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_pass_kernel(sort_buffers<Key> key_buffers, sort_buffers<Value> value_buffers,
                      std::size_t n, const unsigned* varying, int pass,
                      digit_of<Direction, Key> digit, const Word* starts,
                      ::cuda::std::array<Word*, 2> boards, unsigned* tickets) {
  using bits_t = unsigned_bits_t<Key>;
  using carried = carried_key<Direction, Key>;
  constexpr int num_digits = Tuning::num_digits, lane_items = Tuning::lane_items;
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using storage = sort_pass_storage<Tuning, Key, Value, Word>;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  storage& shared = *reinterpret_cast<storage*>(shared_room);
  constexpr ::cuda::std::true_type yes;
  constexpr ::cuda::std::false_type no;

  const pass_role role{*varying, pass, key_buffers.in == key_buffers.out};
  if (!role.moves) return;
  const Key* const keys_in = role.from(key_buffers);
  if (!role.sorts) {
    copy_tile<Tuning::tile_items>(keys_in, role.to(key_buffers), n);
    if constexpr (has_values)
      copy_tile<Tuning::tile_items>(role.from(value_buffers), role.to(value_buffers), n);
    return;
  }
  if (threadIdx.x == 0) {
    shared.ticket = atomicAdd(tickets, 1u);
    shared.keys_out = role.to(key_buffers);  // from here when they are used: registers are short
    shared.values_in = role.from(value_buffers);
    shared.values_out = role.to(value_buffers);
    shared.is_last = role.is_last;
  }
  const digit_board<Word> board{role.board == 0 ? boards[0] : boards[1], num_digits};
  __syncthreads();
  const std::size_t tile = shared.ticket;
  const std::size_t tile_begin = tile * Tuning::tile_items;
  const std::size_t first = tile_begin + warp_index() * (warp_lanes * lane_items) + lane_index();
  const int tile_count =
      static_cast<int>(::cuda::std::min<std::size_t>(n - tile_begin, Tuning::tile_items));
  const bool full = tile_count == Tuning::tile_items;
  const int d = static_cast<int>(threadIdx.x);  // the digit that this thread looks after
  if (!role.is_last) (role.board == 0 ? boards[1] : boards[0])[tile * num_digits + d] = 0;

  // Slots past the end rank last: their digits are the largest, and they come after all others.
  bits_t keys[lane_items];
  const bool makes_images = carried::is_image && role.is_first;
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
  board.publish(tile, d, {tile == 0 ? digit_state::prefix : digit_state::aggregate, count});
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
    before = look_back_digit<Tuning::rows_ahead>(board, tile, d);
    board.publish(tile, d, {digit_state::prefix, before + count});
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

/// All passes over more than one tile. Word counts keys, with two bits to spare.
template <class Tuning, class Direction, class Word, class Key, class Value>
cudaError_t onesweep(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                     const Value* values_in, Value* values_out, std::size_t n, digit_passes passes,
                     cudaStream_t stream) {
  using tuning = Tuning;
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  const std::size_t num_tiles = (n + tuning::tile_items - 1) / tuning::tile_items;
  const int num_passes = passes.count();
  constexpr int ahead = tuning::rows_ahead * tuning::num_digits;
  const std::size_t board_words = ahead + num_tiles * tuning::num_digits;
  const bool in_place = keys_in == keys_out;
  const bool needs_buffer = in_place || num_passes > 1;
  // An odd number of passes in place gets one more, by a digit of no bits, for pass_role's sake.
  const int num_launches = num_passes + (in_place && num_passes % 2 != 0 ? 1 : 0);

  carver space{temp};
  launch_state* const state = space.take<launch_state>(1);
  unsigned* const varying = space.take<unsigned>(1);
  unsigned* const tickets = space.take<unsigned>(num_passes);
  Word* const starts = space.take<Word>(num_passes * tuning::num_digits);
  ::cuda::std::array<Word*, 2> boards{};
  boards[0] = space.take<Word>(board_words) + ahead;
  const std::size_t zeroed_bytes = space.used_bytes();
  boards[1] = num_passes > 1 ? space.take<Word>(board_words) + ahead : nullptr;
  Key* const key_buffer = needs_buffer ? space.take<Key>(n) : nullptr;
  Value* const value_buffer = needs_buffer && has_values ? space.take<Value>(n) : nullptr;
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;

  if (num_tiles > max_blocks) return cudaErrorInvalidConfiguration;
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  HINDSIGHT_TRY(cudaMemsetAsync(state, 0, zeroed_bytes, stream));
  const std::size_t histogram_tiles =
      (n + tuning::histogram_tile_items - 1) / tuning::histogram_tile_items;
  const auto histogram_blocks = static_cast<unsigned>(::cuda::std::min<std::size_t>(
      histogram_tiles, std::size_t(multiprocessors) * tuning::histogram_blocks));
  HINDSIGHT_LAUNCH(histogram_blocks, tuning::block_threads, 0, stream,
                   digit_histogram_kernel<tuning, Direction>)
  (keys_in, n, passes, starts, varying, state);
  HINDSIGHT_TRY(cudaPeekAtLastError());

  constexpr auto pass = sort_pass_kernel<tuning, Direction, Key, Value, Word>;
  constexpr std::size_t shared_bytes = sizeof(sort_pass_storage<tuning, Key, Value, Word>);
  static_assert(shared_bytes <= tuning::max_shared_bytes, "the tile has to be smaller");
  HINDSIGHT_TRY(allow_shared_bytes(pass, shared_bytes));
  const sort_buffers<Key> keys{keys_in, keys_out, key_buffer};
  const sort_buffers<Value> values{values_in, values_out, value_buffer};
  for (int p = 0; p < num_launches; ++p) {
    const int row = p < num_passes ? p : 0;
    HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), tuning::block_threads, shared_bytes, stream,
                     pass)
    (keys, values, n, varying, p, passes.template digit<Direction, Key>(row),
     starts + row * tuning::num_digits, boards, tickets + row);
    HINDSIGHT_TRY(cudaPeekAtLastError());
  }
  return cudaSuccess;
}

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
    return onesweep<decltype(row), Direction, decltype(word)>(
        temp, temp_bytes, keys_in, keys_out, values_in, values_out, n, passes, stream);
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
