// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass of the onesweep radix sort: each tile learns by look-back how many keys of each digit come
// before its own.
#pragma once

#include <hindsight/detail/board/digit_board.h>
#include <hindsight/detail/cuda/block/digit_rank.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/cuda/sort_tile.cuh>
#include <hindsight/detail/cuda/value_digits.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/tuning/loads.h>
#include <hindsight/detail/tuning/sort.h>

#include <cuda/std/array>
#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Tuning, class Key, class Value, class Word>
struct sort_pass_storage : sort_storage<Tuning, Key, Value> {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr bool stages_values = has_values && Tuning::stages_values;
  Word places[Tuning::num_digits];  ///< staged item j of digit d goes to places[d] + j
  std::uint8_t digits[has_values ? Tuning::tile_items : 1];  ///< of the staged items
  /// Where in the tile they come from, unless their values are staged, too.
  std::uint16_t sources[has_values && !stages_values ? Tuning::tile_items : 1];
  unsigned ticket;
  // What the plan says. It is read from here whenever it is used, because registers are scarce.
  bool moves, sorts, is_first, is_last;
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
  Word *board, *next_board;
};

/// out[0, n) = in[0, n), by `threads` threads, of which this is number `thread`.
template <class Item>
HINDSIGHT_DEVICE void copy_items(const Item* in, Item* out, std::size_t n, std::size_t thread,
                                 std::size_t threads) {
  constexpr int batch = copied_at_once<Item>;
  std::size_t first = thread;
  for (; first + (batch - 1) * threads < n; first += batch * threads) {
    uninitialized<Item> items[batch];
    HINDSIGHT_UNROLL
    for (int i = 0; i < batch; ++i) items[i].set(in[first + i * threads]);
    HINDSIGHT_UNROLL
    for (int i = 0; i < batch; ++i) out[first + i * threads] = items[i].get();
  }
  for (; first < n; first += threads) out[first] = in[first];
}

/// A tile that is sorted by one digit, and which of its items this thread loads: one in each row of
/// its warp.
template <class Tuning, class Rows = lane_rows<Tuning::lane_items>>
struct digit_tile {
  Rows rows;
  std::size_t index;  ///< of the tile
  std::size_t begin;  ///< the tile's first item
  std::size_t end;    ///< of all items
  std::size_t first;  ///< the thread's first item
  int count;          ///< items of the tile
  bool full;

  /// Tile `tile` of n items.
  HINDSIGHT_DEVICE digit_tile(std::size_t tile, std::size_t n, Rows rows_of_tile)
      : digit_tile{tile, tile * unsigned(rows_of_tile.count * Tuning::block_threads), n,
                   rows_of_tile} {}
  /// The tile that begins with item `begin_item` of n.
  HINDSIGHT_DEVICE digit_tile(std::size_t tile, std::size_t begin_item, std::size_t n,
                              Rows rows_of_tile)
      : rows{rows_of_tile},
        index{tile},
        begin{begin_item},
        end{n},
        first{begin + warp_index() * (warp_lanes * rows.count) + lane_index()},
        count{static_cast<int>(::cuda::std::min<std::size_t>(n - begin, tile_items()))},
        full{unsigned(count) == tile_items()} {}
  HINDSIGHT_DEVICE unsigned tile_items() const { return rows.count * Tuning::block_threads; }
  HINDSIGHT_DEVICE std::size_t at(int i) const { return first + i * warp_lanes; }
  /// Whether tiles come before it.
  HINDSIGHT_DEVICE bool looks_back() const { return index > 0; }

  static constexpr bool may_be_wide = false;
  /// Whether it is stored by the code that is fast rather than short.
  HINDSIGHT_DEVICE bool is_stored_fast() const { return full; }
};

/// The same where places in the output may need 64 bits.
template <class Tuning>
struct wide_digit_tile : digit_tile<Tuning> {
  bool is_wide;
  HINDSIGHT_DEVICE wide_digit_tile(std::size_t tile, std::size_t n, bool has_wide_places)
      : digit_tile<Tuning>{tile, n, lane_rows<Tuning::lane_items>{}}, is_wide{has_wide_places} {}

  static constexpr bool may_be_wide = true;
  HINDSIGHT_DEVICE bool is_stored_fast() const { return this->full && !is_wide; }
};

/// Where staged item j goes, if its digit is d.
///   IsWide  whether find_wide_places() has been called
template <class IsWide, class Storage>
HINDSIGHT_DEVICE auto place_of(IsWide, const Storage& shared, unsigned d, int j) {
  if constexpr (IsWide::value) {
    return (std::uint64_t{shared.ranking.digits[0][d]} << 32 | shared.places[d]) + j;
  } else {
    return shared.places[d] + j;
  }
}
/// The higher halves of places[d], after the ranking. Called by the whole block.
template <class Storage>
HINDSIGHT_DEVICE void find_wide_places(std::uint64_t place, Storage& shared) {
  shared.ranking.digits[0][threadIdx.x] = static_cast<unsigned>(place >> 32);
  __syncthreads();
}

/// Calls store(j, is_wide) for the staged items j of this thread.
template <class Tuning, int Unroll, class Tile, class Store>
HINDSIGHT_DEVICE void for_each_staged(const Tile& tile, Store store) {
  if (Tile::may_be_wide && !tile.is_stored_fast()) {
    HINDSIGHT_UNROLL_BY(last_tile_unroll)
    for (int i = 0; i < Tuning::lane_items; ++i) {
      const int j = threadIdx.x + i * Tuning::block_threads;
      if (j < tile.count) store(j, std::bool_constant<Tile::may_be_wide>{});
    }
    return;
  }
  HINDSIGHT_UNROLL_BY(Unroll)
  for (int i = 0; i < Tuning::lane_items && !tile.rows.end_at(i); ++i) {
    const int j = threadIdx.x + i * Tuning::block_threads;
    if (!Tile::may_be_wide && !tile.full && j >= tile.count) continue;
    store(j, std::false_type{});
  }
}

/// Loads a thread's keys. Places past the end rank last: their digits are the largest, and they
/// come after all others.
template <class Tuning, class Direction, class Key, class Rows, class Storage>
HINDSIGHT_DEVICE void load_keys(const digit_tile<Tuning, Rows>& tile, const Storage& shared,
                                unsigned_bits_t<Key> (&keys)[Tuning::lane_items]) {
  using bits_t = unsigned_bits_t<Key>;
  using in_pass = pass_key<Direction, Key>;
  const Key* const keys_in = shared.keys_in;
  const bool makes_key_bits = in_pass::moves_key_bits && shared.is_first;
  const bits_t past_end = makes_key_bits
                              ? ::cuda::std::bit_cast<bits_t>(in_pass::to_key(in_pass::last()))
                              : in_pass::last();
  const auto load = [&](auto is_full) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Tuning::lane_items; ++i) {
      if (tile.rows.end_at(i)) break;
      keys[i] = is_full || tile.at(i) < tile.end
                    ? ::cuda::std::bit_cast<bits_t>(keys_in[tile.at(i)])
                    : past_end;
    }
  };
  tile.full ? load(::cuda::std::true_type{}) : load(::cuda::std::false_type{});
  if (makes_key_bits) {
    HINDSIGHT_UNROLL
    for (bits_t& key : keys) key = in_pass::from(::cuda::std::bit_cast<Key>(key));
  }
}

/// Puts the keys into shared memory in the order of their digits. Where values are staged, `ranks`
/// tells where this thread's keys are; else `shared.sources` tells where in the tile each key comes
/// from.
template <class Tuning, class Rows, class Digit, class Bits, class Ranks, class Storage>
HINDSIGHT_DEVICE void stage_keys(const digit_tile<Tuning, Rows>& tile,
                                 const Bits (&keys)[Tuning::lane_items], Digit digit, Ranks& ranks,
                                 Storage& shared) {
  auto& staged_keys = shared.staged.first();
  const auto stage = [&](int i, unsigned rank) {
    staged_keys[rank] = keys[i];
    if constexpr (Storage::stages_values) {
      ranks.set(i, rank);
    } else if constexpr (Storage::has_values) {
      shared.sources[rank] = static_cast<std::uint16_t>(tile.at(i) - tile.begin);
    }
  };
  rank_digits(keys, digit, shared.ranking, stage, tile.rows);
}

/// Writes the staged keys. Their digits stay in shared memory for the values.
template <class Tuning, class Direction, class Key, class Tile, class Digit, class Storage>
HINDSIGHT_DEVICE void store_keys(const Tile& tile, Digit digit, Storage& shared) {
  using in_pass = pass_key<Direction, Key>;
  const auto& staged_keys = shared.staged.first();
  Key* const keys_out = shared.keys_out;
  const bool is_last = shared.is_last;
  // Arguments are types, which decide at compile time. Only a tile that is not stored fast has a
  // bool, so that its code exists once.
  const auto store = [&](auto is_full, auto turn_back) {
    [[maybe_unused]] constexpr int unroll = is_full ? Tuning::lane_items : last_tile_unroll;
    constexpr std::bool_constant<!is_full && Tile::may_be_wide> is_wide{};
    HINDSIGHT_UNROLL_BY(unroll)
    for (int i = 0; i < Tuning::lane_items; ++i) {
      if (tile.rows.end_at(i)) break;
      const int j = threadIdx.x + i * Tuning::block_threads;
      if (!is_full && j >= tile.count) continue;
      const unsigned_bits_t<Key> key = staged_keys[j];
      const unsigned key_digit = digit(key);
      keys_out[cuda::place_of(is_wide, shared, key_digit, j)] =
          turn_back ? in_pass::to_key(key) : ::cuda::std::bit_cast<Key>(key);
      if constexpr (Storage::has_values) shared.digits[j] = static_cast<std::uint8_t>(key_digit);
    }
  };
  if (!tile.is_stored_fast()) {
    store(::cuda::std::false_type{}, is_last);
  } else if (in_pass::moves_key_bits && is_last) {
    store(::cuda::std::true_type{}, ::cuda::std::true_type{});
  } else {
    store(::cuda::std::true_type{}, ::cuda::std::false_type{});
  }
}

/// Writes the values that a thread holds, by way of the shared memory in which the keys were.
template <class Tuning, class Tile, class Value, class Ranks, class Storage>
HINDSIGHT_DEVICE void store_staged_values(const Tile& tile,
                                          const uninitialized<Value> (&values)[Tuning::lane_items],
                                          const Ranks& ranks, Value* values_out, Storage& shared) {
  auto& staged_values = shared.staged.second();
  __syncthreads();  // all keys have left
  HINDSIGHT_UNROLL
  for (int i = 0; i < Tuning::lane_items && !tile.rows.end_at(i); ++i)
    staged_values[ranks.get(i)] = values[i].get();
  __syncthreads();
  cuda::for_each_staged<Tuning, Tuning::lane_items>(tile, [&](int j, auto is_wide) {
    values_out[cuda::place_of(is_wide, shared, shared.digits[j], j)] = staged_values[j];
  });
}

/// Reads values in the order of the output, and writes them.
template <class Tuning, class Tile, class Value, class Storage>
HINDSIGHT_DEVICE void move_values(const Tile& tile, const Value* values_in, Value* values_out,
                                  const Storage& shared) {
  cuda::for_each_staged<Tuning, 4>(tile, [&](int j, auto is_wide) {
    values_out[cuda::place_of(is_wide, shared, shared.digits[j], j)] =
        values_in[tile.begin + shared.sources[j]];
  });
}

/// What a pass does with one tile: counts its digits, publishes the counts, ranks and stages its
/// keys, learns by look-back where each digit goes, and writes the items there.
///   tile  a digit_tile, or what extends it
template <class Tuning, class Direction, class Key, class Value, class Word, class Tile,
          class Digit, class Start>
HINDSIGHT_DEVICE void sort_tile_by_digit(const Tile& tile, Digit digit, const Start* starts,
                                         sort_pass_storage<Tuning, Key, Value, Word>& shared) {
  using storage = sort_pass_storage<Tuning, Key, Value, Word>;
  constexpr int num_digits = Tuning::num_digits, lane_items = Tuning::lane_items;
  const auto board = [&] { return digit_board<Word>{shared.board, num_digits}; };
  const auto rows = tile.rows;
  const int d = static_cast<int>(threadIdx.x);  // the digit that this thread looks after
  if (!shared.is_last) shared.next_board[tile.index * num_digits + d] = 0;

  unsigned_bits_t<Key> keys[lane_items];
  cuda::load_keys<Tuning, Direction, Key>(tile, shared, keys);
  count_digits(keys, digit, shared.ranking, rows);
  __syncthreads();
  unsigned count;
  const unsigned digit_begin = offset_digits(shared.ranking, count);
  const auto own_state = tile.looks_back() ? digit_state::aggregate : digit_state::prefix;
  board().publish(tile.index, d, {own_state, count});
  __syncthreads();

  // Meanwhile the tiles before this one publish how many keys of each digit they have.
  packed_ranks<lane_items> ranks;
  cuda::stage_keys<Tuning>(tile, keys, digit.again(), ranks, shared);
  Word before = 0;
  if (tile.looks_back()) {
    before = look_back_digit<Tuning::rows_ahead>(board(), tile.index, d);
    board().publish(tile.index, d, {digit_state::prefix, before + count});
  }
  shared.places[d] = static_cast<Word>(starts[d]) + before - digit_begin;
  __syncthreads();
  if constexpr (Tile::may_be_wide) {
    if (!tile.is_stored_fast()) cuda::find_wide_places(starts[d] + before - digit_begin, shared);
  }

  const Value* const values_in = shared.values_in;
  Value* const values_out = shared.values_out;
  if constexpr (storage::stages_values) {
    uninitialized<Value> values[lane_items];
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items && !rows.end_at(i); ++i)
      if (tile.full || tile.at(i) < tile.end) values[i].set(values_in[tile.at(i)]);
    cuda::store_keys<Tuning, Direction, Key>(tile, digit, shared);
    cuda::store_staged_values<Tuning>(tile, values, ranks, values_out, shared);
  } else {
    cuda::store_keys<Tuning, Direction, Key>(tile, digit, shared);
    if constexpr (storage::has_values)
      cuda::move_values<Tuning>(tile, values_in, values_out, shared);
  }
}

/// Writes to shared memory what a pass has to do.
template <class Storage, class Key, class Value, class Word>
HINDSIGHT_DEVICE void assign_pass(const pass_role& role, const sort_buffers<Key>& keys,
                                  const sort_buffers<Value>& values,
                                  const ::cuda::std::array<Word*, 2>& boards, Storage& shared) {
  shared.moves = role.moves, shared.sorts = role.sorts;
  shared.is_first = role.is_first, shared.is_last = role.is_last;
  shared.keys_in = role.from(keys), shared.keys_out = role.to(keys);
  shared.values_in = role.from(values), shared.values_out = role.to(values);
  shared.board = role.board == 0 ? boards[0] : boards[1];
  shared.next_board = role.board == 0 ? boards[1] : boards[0];
}

/// One pass: out = in, stably sorted by one digit. A pass whose digit is constant does nothing, or
/// copies (sort_plan.cuh). Where passes move key bits, the first one that sorts makes them, and the
/// last one turns them back to keys.
///   starts   [num_digits] of this pass, from this portion on
///   boards   [2][num_tiles] rows; this pass's are empty, and each tile empties its row of the next
///   tickets  [1], zero
template <class Tuning, class Direction, class Key, class Value, class Size, class Word,
          class Digit = digit_of<Direction, Key>>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_pass_kernel(sort_buffers<Key> key_buffers, sort_buffers<Value> value_buffers,
                      Size num_items, const sort_plan* plan, pass_launch launch, Digit digit,
                      const std::uint64_t* starts, ::cuda::std::array<Word*, 2> boards,
                      unsigned* tickets) {
  using storage = sort_pass_storage<Tuning, Key, Value, Word>;
  ptx::wait_for_launch_before();
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  storage& shared = *reinterpret_cast<storage*>(shared_room);
  if (threadIdx.x == 0) {
    const pass_role role{*plan, launch, key_buffers.in == key_buffers.out};
    cuda::assign_pass(role, key_buffers, value_buffers, boards, shared);
  }
  __syncthreads();
  if (!shared.moves) return;
  const std::size_t n = detail::read_items(num_items);
  if (!shared.sorts) {
    const std::size_t threads = std::size_t{gridDim.x} * Tuning::block_threads;
    const std::size_t thread = std::size_t{blockIdx.x} * Tuning::block_threads + threadIdx.x;
    cuda::copy_items(shared.keys_in, shared.keys_out, n, thread, threads);
    if constexpr (!std::is_same_v<Value, no_value>)
      cuda::copy_items(shared.values_in, shared.values_out, n, thread, threads);
    return;
  }
  const std::size_t num_tiles = ::cuda::std::min<std::size_t>(
      (n + Tuning::tile_items - 1) / Tuning::tile_items, launch.end_tile);
  do {
    if (threadIdx.x == 0) shared.ticket = atomicAdd(tickets, 1u);
    __syncthreads();
    const std::size_t index = shared.ticket;
    if ((Tuning::takes_many_tiles || is_deferred<Size>)&&index >= num_tiles) return;
    const auto planned = cuda::planned_digit(*plan, digit);
    const wide_digit_tile<Tuning> tile{index, n, launch.has_wide_places};
    cuda::sort_tile_by_digit<Tuning, Direction, Key, Value>(tile, planned, starts, shared);
  } while (Tuning::takes_many_tiles);
}

/// Runs between two portions of a pass; `launch` is that of the first. The second one's starts also
/// count what the first one had. So the board now says that nothing comes before the second one's
/// tiles.
///   starts, next_starts  [num_digits] of the first and of the second; may be the same
template <int NumDigits, class Word>
HINDSIGHT_BOUNDED_KERNEL(NumDigits, 0)
void begin_portion_kernel(const sort_plan* plan, pass_launch launch, bool in_place,
                          const std::uint64_t* starts, std::uint64_t* next_starts,
                          ::cuda::std::array<Word*, 2> boards, unsigned* tickets) {
  ptx::wait_for_launch_before();
  const pass_role role{*plan, launch, in_place};
  if (!role.moves || !role.sorts) return;
  const digit_board<Word> board{role.board == 0 ? boards[0] : boards[1], NumDigits};
  const int d = static_cast<int>(threadIdx.x);
  const auto last = static_cast<std::ptrdiff_t>(launch.end_tile) - 1;
  next_starts[d] = starts[d] + board.peek(last, d).count;
  board.publish(last, d, {digit_state::prefix, 0});
  if (d == 0) *tickets = launch.end_tile;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
