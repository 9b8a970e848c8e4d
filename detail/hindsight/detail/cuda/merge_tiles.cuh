// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stable merge sort by any comparator is made of: blocks that sort tiles, and blocks that
// merge pairs of runs, a tile of the result each. Blocks do not wait for each other.
// Source: Odeh, Green, Mwassi, Shmueli, Birk 2012, "Merge Path: Parallel Merging Made Simple".
#pragma once

#include <hindsight/detail/async_copy.cuh>
#include <hindsight/detail/cuda/block/merge_path.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/tuning/merge_sort.h>

#include <cuda/std/functional>
#include <cuda/std/utility>
#include <thrust/addressof.h>

#include <cstddef>
#include <new>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// out[i] = item, also where the memory holds no object yet.
template <class It, class Item>
HINDSIGHT_DEVICE void write_item(It out, std::size_t i, const Item& item) {
  if constexpr (std::is_pointer_v<It>) {
    using output = std::remove_pointer_t<It>;
    if constexpr (std::is_same_v<output, Item>) {
      ::new (static_cast<void*>(out + i)) Item(item);
    } else {
      ::new (static_cast<void*>(out + i)) output(static_cast<output>(item));
    }
  } else {
    out[i] = item;
  }
}

/// Whether the hardware moves items from global to shared memory past the registers.
template <class T, class It>
inline constexpr bool loads_async =
    std::is_pointer_v<It> && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
    alignof(T) == sizeof(T) && std::is_same_v<std::remove_cv_t<std::remove_pointer_t<It>>, T>;

/// A key and its value, as they move through shared memory. What has the smaller alignment comes
/// first: else there would be padding behind it, which the compiler moves byte by byte, in a
/// register for each.
template <class Key, class Value, bool ValueFirst = (alignof(Key) > alignof(Value))>
struct keyed {
  Key key;
  Value value;
  HINDSIGHT_DEVICE keyed(const Key& k, const Value& v) : key(k), value(v) {}
};
template <class Key, class Value>
struct keyed<Key, Value, true> {
  Value value;
  Key key;
  HINDSIGHT_DEVICE keyed(const Key& k, const Value& v) : value(v), key(k) {}
};
template <class Key, class Value>
HINDSIGHT_DEVICE Key& key_of(keyed<Key, Value>& item) {
  return item.key;
}
template <class Key>
HINDSIGHT_DEVICE Key& key_of(Key& item) {
  return item;
}
template <class Compare>
struct compare_items {
  Compare compare;
  template <class Item>
  HINDSIGHT_DEVICE bool operator()(Item& a, Item& b) {
    return bool(compare(cuda::key_of(a), cuda::key_of(b)));
  }
};

/// Keys in global memory, and their values in another range; Value is empty for keys alone.
template <class Key, class Value, class KeyIt = Key*, class ValueIt = Value*>
struct item_range {
  static constexpr bool has_values = !std::is_empty_v<Value>;
  static constexpr bool is_async =
      loads_async<Key, KeyIt> && (!has_values || loads_async<Value, ValueIt>);
  using item = std::conditional_t<has_values, keyed<Key, Value>, Key>;
  KeyIt keys;
  ValueIt values;

  HINDSIGHT_DEVICE item_range operator+(std::size_t offset) const {
    if constexpr (has_values) return {keys + offset, values + offset};
    return {keys + offset, values};
  }
  HINDSIGHT_DEVICE void load(uninitialized<item>& to, std::size_t i) const {
    if constexpr (has_values) {
      to.set(item{cuda::as_item<Key>(keys[i]), cuda::as_item<Value>(values[i])});
    } else {
      to.set(cuda::to_copy<Key>(keys[i]));
    }
  }
  HINDSIGHT_DEVICE void load_key(uninitialized<Key>& to, std::size_t i) const {
    to.set(cuda::as_item<Key>(keys[i]));
  }
  /// *to = item i, seen after __pipeline_wait_prior(0) and a barrier.
  HINDSIGHT_DEVICE void begin_load(item* to, std::size_t i) const {
    __pipeline_memcpy_async(::cuda::std::addressof(cuda::key_of(*to)), keys + i, sizeof(Key));
    if constexpr (has_values)
      __pipeline_memcpy_async(::cuda::std::addressof(to->value), values + i, sizeof(Value));
  }
  HINDSIGHT_DEVICE void store(std::size_t i, const item& from) const {
    if constexpr (has_values) {
      cuda::write_item(keys, i, from.key);
      cuda::write_item(values, i, from.value);
    } else {
      cuda::write_item(keys, i, from);
    }
  }
};

/// Calls visit(thread, row) for the `count` places of a tile, row by row: place thread + row. A row
/// has one place for each thread. (A thread adds `thread` to an address once, and rows are
/// constants in instructions.)
template <int BlockThreads, int LaneItems, class Visit>
HINDSIGHT_DEVICE void for_each_place(int count, Visit visit) {
  const int thread = static_cast<int>(threadIdx.x);
  if (count == BlockThreads * LaneItems) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) visit(thread, i * BlockThreads);
  } else {
    HINDSIGHT_ROLL
    for (int row = 0; thread + row < count; row += BlockThreads) visit(thread, row);
  }
}

/// items[j] = item j of range_of(j), for the `count` places of a tile in shared memory. Calls
/// meanwhile() while they are on their way.
template <int BlockThreads, int LaneItems, class Item, class RangeOf, class Meanwhile>
HINDSIGHT_DEVICE void load_tile(Item* items, int count, RangeOf range_of, Meanwhile meanwhile) {
  if constexpr (decltype(range_of(0))::is_async) {
    cuda::for_each_place<BlockThreads, LaneItems>(count, [&](int thread, int row) {
      (range_of(thread + row) + thread).begin_load(items + (thread + row), row);
    });
    __pipeline_commit();
    meanwhile();
    __pipeline_wait_prior(0);
  } else {
    uninitialized<Item> loaded[LaneItems];  // all loads are under way before the first store
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) {
      const int j = static_cast<int>(threadIdx.x) + i * BlockThreads;
      if (j < count) range_of(j).load(loaded[i], j);
    }
    meanwhile();
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) {
      const int j = static_cast<int>(threadIdx.x) + i * BlockThreads;
      if (j < count) cuda::write_item(items, j, loaded[i].get());
    }
  }
  __syncthreads();
}
template <int BlockThreads, int LaneItems, class Item, class RangeOf>
HINDSIGHT_DEVICE void load_tile(Item* items, int count, RangeOf range_of) {
  cuda::load_tile<BlockThreads, LaneItems>(items, count, range_of, [] {});
}

/// Merges the runs of neighbouring threads, until all items of the team are one run. A team is a
/// block or a part of a warp. Its first `count` items exist; `staged` has room for all.
template <class Tuning, class Item, class Compare>
HINDSIGHT_DEVICE void merge_within_team(uninitialized<Item> (&items)[Tuning::lane_items],
                                        int thread, int count, Compare& compare, Item* staged) {
  constexpr int lane_items = Tuning::lane_items;
  const int first = thread * lane_items;
  for (int threads = 1; threads < Tuning::block_threads && threads * lane_items < count;
       threads *= 2) {
    // The threads that read here before, and those that will read, may all be of this warp.
    threads <= warp_lanes ? __syncwarp() : __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) cuda::write_item(staged, first + i, items[i].get());
    2 * threads <= warp_lanes ? __syncwarp() : __syncthreads();
    const int run = threads * lane_items, begin = (thread & -(2 * threads)) * lane_items;
    Item* const a = staged + begin;
    Item* const a_end = staged + min(begin + run, max(count, begin));
    Item* const b_end = staged + min(begin + 2 * run, max(count, begin));
    const int diagonal = min(first - begin, static_cast<int>(b_end - a));
    const int of_a = cuda::split_merge(a, static_cast<int>(a_end - a), a_end,
                                       static_cast<int>(b_end - a_end), diagonal, compare);
    cuda::merge_serially<lane_items>(a + of_a, a_end, a_end + (diagonal - of_a), b_end, compare,
                                     [&](int i, const Item& item) { items[i].set(item); });
  }
}

/// Sorts a tile in shared memory, by a block; between two barriers.
///   staged  [count], with room for a whole tile
template <class Tuning, class Item, class Compare>
HINDSIGHT_DEVICE void sort_staged(Item* staged, int count, compare_items<Compare>& compare) {
  constexpr int lane_items = Tuning::lane_items;
  uninitialized<Item> items[lane_items];
  const int first = static_cast<int>(threadIdx.x) * lane_items;
  const int own_count = min(max(count - first, 0), lane_items);
  if (own_count > 0) {
    int last = 0;  // a thread with fewer items repeats behind them the one that sorts last
    for (int i = 1; own_count < lane_items && i < own_count; ++i)
      if (!compare(staged[first + i], staged[first + last])) last = i;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) items[i].set(staged[first + (i < own_count ? i : last)]);
    cuda::sort_by_transposition(items, compare);
  }
  cuda::merge_within_team<Tuning>(items, static_cast<int>(threadIdx.x), count, compare, staged);

  __syncthreads();
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i)
    if (i < own_count) cuda::write_item(staged, first + i, items[i].get());
  __syncthreads();
}

/// Sorts each tile. `out` may be `in`.
template <class Tuning, class In, class Out, class Size, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::sort_blocks)
void sort_tiles_kernel(In in, Out out, Size num_items, Compare by_key) {
  using item = typename Out::item;
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  item* const staged = reinterpret_cast<item*>(shared_room);
  compare_items<Compare> compare{by_key};
  const std::size_t n = detail::read_items(num_items);
  const std::size_t tile_begin = std::size_t{blockIdx.x} * Tuning::tile_items;
  if (is_deferred<Size> && tile_begin >= n) return;
  const int count =
      static_cast<int>(::cuda::std::min<std::size_t>(n - tile_begin, Tuning::tile_items));
  const In tile_in = in + tile_begin;
  cuda::load_tile<block_threads, lane_items>(staged, count, [&](int) { return tile_in; });
  cuda::sort_staged<Tuning>(staged, count, compare);
  const Out tile_out = out + tile_begin;
  cuda::for_each_place<block_threads, lane_items>(
      count, [&](int thread, int row) { (tile_out + thread).store(row, staged[thread + row]); });
}

/// The pair of runs that an item lies in, which are merged: a's items from `begin` on, then b's.
struct run_pair {
  std::size_t begin, a_size, b_size;  ///< no items beyond n
  HINDSIGHT_HD run_pair(std::size_t item, std::size_t run, std::size_t n)
      : begin{item / (2 * run) * (2 * run)},
        a_size{items_from(begin, run, n)},
        b_size{items_from(begin + run, run, n)} {}
  HINDSIGHT_HD std::size_t size() const { return a_size + b_size; }
  HINDSIGHT_HD static std::size_t items_from(std::size_t first, std::size_t run, std::size_t n) {
    return first >= n ? 0 : n - first < run ? n - first : run;
  }
  /// How many items of a come before place `diagonal` of the merged runs.
  template <class Key, class Compare>
  HINDSIGHT_DEVICE std::size_t split(Key* keys, std::size_t diagonal, Compare& compare) const {
    return cuda::split_merge(keys + begin, a_size, keys + begin + a_size, b_size, diagonal,
                             compare);
  }
  /// The same in less time, with more loads. All lanes of a warp call it; Lanes of them search
  /// together for one place.
  template <int Lanes, class Key, class Compare>
  HINDSIGHT_DEVICE std::size_t split_by_lanes(Key* keys, std::size_t diagonal,
                                              Compare& compare) const {
    return cuda::split_merge_by_lanes<Lanes>(keys + begin, a_size, keys + begin + a_size, b_size,
                                             diagonal, compare);
  }
};

/// splits[i] = how many items of its pair's first run come before merged item i * StepItems, found
/// by Lanes threads each.
template <int StepItems, int Lanes, class Key, class Size, class Compare>
HINDSIGHT_KERNEL void split_runs_kernel(Key* keys, Size num_items, std::size_t run,
                                        std::size_t num_splits, std::size_t* splits,
                                        Compare compare) {
  ptx::wait_for_launch_before();
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
  const std::size_t n = detail::read_items(num_items);
  const bool exists = i < num_splits && !(is_deferred<Size> && i * StepItems >= n);
  const std::size_t item = exists ? i * StepItems : 0;
  const run_pair pair{item, run, n};
  std::size_t of_first;
  if constexpr (Lanes == 1) {
    of_first = pair.split(keys, item - pair.begin, compare);
  } else {
    of_first = pair.split_by_lanes<Lanes>(keys, item - pair.begin, compare);
  }
  if (exists && lane_index() % Lanes == 0) splits[i] = of_first;
}

template <class Tuning, class Item>
struct merge_storage {
  uninitialized<Item> staged[Tuning::merge_tile_items];
  std::size_t splits[2];
};

/// staged[0, count) = the merge of staged[0, a_count) and staged[a_count, count), by a block;
/// between two barriers.
template <int LaneItems, class Item, class Compare>
HINDSIGHT_DEVICE void merge_staged(Item* staged, int a_count, int count, Compare& compare) {
  const int place = static_cast<int>(threadIdx.x) * LaneItems, first = min(place, count);
  Item *const b = staged + a_count, *const b_end = staged + count;
  const int of_a = cuda::split_merge(staged, a_count, b, count - a_count, first, compare);
  uninitialized<Item> items[LaneItems];
  cuda::merge_serially<LaneItems>(staged + of_a, b, b + (first - of_a), b_end, compare,
                                  [&](int i, const Item& merged) { items[i].set(merged); });
  __syncthreads();
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) cuda::write_item(staged, place + i, items[i].get());
  __syncthreads();
}

/// splits = how many items of the pair's first run come before its places `low` and `high`. Called
/// by a block of two warps or more; ends with a barrier.
template <class Keys, class Compare>
HINDSIGHT_DEVICE void split_at_ends(const run_pair& pair, Keys keys, std::size_t low,
                                    std::size_t high, std::size_t (&splits)[2], Compare& compare) {
  if (warp_index() < 2) {
    const std::size_t of_a =
        pair.split_by_lanes<warp_lanes>(keys, warp_index() == 0 ? low : high, compare);
    if (lane_index() == 0) splits[warp_index()] = of_a;
  }
  __syncthreads();
}

/// out = places [low, low + count) of the merge of runs a and b, of which a has a_begin items
/// before the first place and a_end before the end. Needs no barrier before it: a thread loads into
/// places that it alone read when it stored the tile before.
template <class Tuning, class Item, class Range, class Compare>
HINDSIGHT_DEVICE void merge_part(merge_storage<Tuning, Item>& shared, Range a, Range b,
                                 std::size_t low, int count, std::size_t a_begin, std::size_t a_end,
                                 Range out, compare_items<Compare>& compare) {
  constexpr int lane_items = Tuning::merge_lane_items, block_threads = Tuning::merge_threads;
  Item* const staged = reinterpret_cast<Item*>(shared.staged);
  // With a comparator that is no order, places may be wrong: a_count is kept in [0, count].
  const int a_count =
      a_end < a_begin ? 0 : static_cast<int>(::cuda::std::min<std::size_t>(a_end - a_begin, count));
  const Range in_a = a + a_begin, in_b = b + (low - a_begin - a_count);
  cuda::load_tile<block_threads, lane_items>(staged, count,
                                             [&](int j) { return j < a_count ? in_a : in_b; });
  cuda::merge_staged<lane_items>(staged, a_count, count, compare);
  cuda::for_each_place<block_threads, lane_items>(
      count, [&](int thread, int row) { (out + thread).store(row, staged[thread + row]); });
}

/// Merges pairs of sorted runs, a tile of the result by each block. A run that has no partner, as
/// where a deferred number of items ends before it, is copied.
///   splits  [num_tiles], or null: each block searches its own
template <class Tuning, class Range, class Size, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::merge_threads, Tuning::merge_blocks)
void merge_tiles_kernel(Range in, Range out, Size num_items, std::size_t run,
                        const std::size_t* splits, Compare by_key) {
  ptx::wait_for_launch_before();
  constexpr int tile_items = Tuning::merge_tile_items;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<merge_storage<Tuning, typename Range::item>*>(shared_room);
  compare_items<Compare> compare{by_key};
  const std::size_t n = detail::read_items(num_items);
  const std::size_t tile = blockIdx.x, tile_begin = tile * tile_items;
  if (is_deferred<Size> && tile_begin >= n) return;
  const run_pair pair{tile_begin, run, n};
  const std::size_t diagonal = tile_begin - pair.begin;
  const std::size_t end = ::cuda::std::min<std::size_t>(diagonal + tile_items, pair.size());
  if (splits == nullptr) cuda::split_at_ends(pair, in.keys, diagonal, end, shared.splits, by_key);
  const std::size_t a_begin = splits ? splits[tile] : shared.splits[0];
  const std::size_t a_end = end == pair.size() ? pair.a_size
                            : splits           ? splits[tile + 1]
                                               : shared.splits[1];
  cuda::merge_part(shared, in + pair.begin, in + (pair.begin + pair.a_size), diagonal,
                   static_cast<int>(end - diagonal), a_begin, a_end, out + tile_begin, compare);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
