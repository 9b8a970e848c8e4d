// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of many segments on threads. Each thread sorts short segments: by digits where the keys are
// numbers, else by merging. Long segments are sorted one after the other, each by all threads. So
// are all segments of items that are large or not cheap to copy.
#pragma once

#include <hindsight/detail/host/cached_radix_sort.h>
#include <hindsight/detail/host/comparison_sort.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/records.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/segments.h>
#include <hindsight/detail/host/sort.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Sorts segments of at most `most` items by merging, one after the other, in the memory that
/// carve() took.
///   load(to, i)     makes item i at `to`; Item is cheap to copy
///   store(i, item, failure)  puts it back to place i, by store_item()
template <class Item, class Compare, class Load, class Store>
class segment_merger {
  using sorter = merge_sorter<Item, Compare>;

 public:
  static constexpr std::size_t item_bytes = sizeof(Item);

  /// The operands have to stay.
  segment_merger(const Compare& compare, const Load& load, const Store& store)
      : compare_{std::addressof(compare)},
        load_{std::addressof(load)},
        store_{std::addressof(store)} {}

  void carve(carver& space, std::size_t most) {
    items_ = host::take_room<Item>(space, most);
    carver count{nullptr};
    sorter{most, Compare(*compare_), alone}.carve(count);
    room_ = space.take<char>(count.bytes());
  }

  void sort(std::size_t begin, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i) (*load_)(items_ + i, begin + i);
    sorter own{n, Compare(*compare_), alone};
    carver space{room_};
    own.carve(space);
    own.sort(items_);
    first_exception failure;
    for (std::size_t i = 0; i < n; ++i) (*store_)(begin + i, items_[i], failure);
    failure.rethrow();
  }

 private:
  static inline const cut alone{1, 0};
  const Compare* compare_;
  const Load* load_;
  const Store* store_;
  Item* items_ = nullptr;
  char* room_ = nullptr;
};

/// Sorts segments of at most `most` records by digits. Those in arrays are sorted where they are.
template <class Direction, class Key, class Value, class KeyIt, class ValueIt>
class segment_digit_sorter {
  using items = records<Key, Value>;
  static constexpr bool are_arrays =
      std::is_same_v<KeyIt, Key*> && (!items::has_values || std::is_same_v<ValueIt, Value*>);

 public:
  static constexpr std::size_t item_bytes = sizeof(Key) + (items::has_values ? sizeof(Value) : 0);

  segment_digit_sorter(KeyIt keys, ValueIt values) : keys_{keys}, values_{values} {}

  void carve(carver& space, std::size_t most) {
    other_ = host::take_records<Key, Value>(space, most);
    if constexpr (!are_arrays) own_ = host::take_records<Key, Value>(space, most);
  }

  void sort(std::size_t begin, std::size_t n) const {
    using sorter = cached_radix_sorter<Direction, Key, Value>;
    if constexpr (are_arrays) {
      if constexpr (items::has_values)
        return sorter::sort_cached({keys_ + begin, values_ + begin}, other_, n, ends_in::from);
      return sorter::sort_cached({keys_ + begin, nullptr}, other_, n, ends_in::from);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        host::put(own_.keys + i, keys_[begin + i]);
        if constexpr (items::has_values) host::put(own_.values + i, values_[begin + i]);
      }
      sorter::sort_cached(own_, other_, n, ends_in::from);
      for (std::size_t i = 0; i < n; ++i) {
        keys_[begin + i] = own_.keys[i];
        if constexpr (items::has_values) values_[begin + i] = own_.values[i];
      }
    }
  }

 private:
  KeyIt keys_;
  ValueIt values_;
  items own_{}, other_{};
};

/// Whether segments of such records are sorted by digits.
template <class Key, class Value, class Compare>
constexpr bool sorts_segments_by_digits() {
  if constexpr (sorts_by_digits<Key, Compare> && is_light<Value>) {
    return std::is_same_v<typename digit_sort<Key, Compare>::number, Key>;
  } else {
    return false;
  }
}

/// Cuts the merged sequence of items and ends of segments into chunks, which threads take. A
/// segment of more items than a chunk is long. A segment_part counts the members of a chunk by int.
inline tiling segment_chunks(std::size_t total, std::size_t item_bytes, cut wanted) {
  const unsigned threads =
      host::worthwhile_threads(total, 1, wanted, engine_tuning::sort_thread_items);
  const tiling whole{total, item_bytes, {threads, 0}};
  constexpr std::size_t most = std::numeric_limits<int>::max();
  const std::size_t share =
      std::min(total / (engine_tuning::chunks_per_thread * whole.num_threads) + 1, most);
  const std::size_t chunk =
      wanted.tile_items ? wanted.tile_items : std::max(whole.tile_items, share);
  return {total, item_bytes, {whole.num_threads, chunk}};
}

/// Calls sort_long(begin, size) for each segment of more than a chunk, one after the other.
template <class OffsetIt, class SortLong>
void sort_long_segments(const merged_segments<OffsetIt>& merged, const tiling& chunks,
                        SortLong sort_long) {
  std::size_t next = 0;  // a long segment holds the last member of a chunk; those before are done
  for (std::size_t chunk = 0; chunk < chunks.num_tiles; ++chunk) {
    const std::size_t at = chunks.begin(chunk) + chunks.size(chunk);
    const std::size_t s =
        host::count_ends(merged, at, merged.fewest_ends(at), merged.most_ends(at));
    if (s >= merged.num_segments() || s < next) continue;
    next = s + 1;
    const std::size_t size = merged.end(s) - merged.begin(s);
    if (size > chunks.tile_items) sort_long(merged.first() + merged.begin(s), size);
  }
}

/// Ends the lives of sorters in scratch memory: they may own what an iterator owns.
template <class Sorter>
class ends_sorters {
 public:
  explicit ends_sorters(Sorter* sorters, std::size_t count = 0)
      : sorters_{sorters}, count_{count} {}
  ends_sorters(const ends_sorters&) = delete;
  ends_sorters& operator=(const ends_sorters&) = delete;
  ~ends_sorters() { std::destroy_n(sorters_, count_); }

  /// Makes one more.
  void add(const Sorter& sorter) {
    host::put(sorters_ + count_, sorter);
    ++count_;
  }
  /// They stay alive.
  void release() { count_ = 0; }

 private:
  Sorter* sorters_;
  std::size_t count_;
};

/// Sorts each segment, stably: each thread has a copy of `sorter`.
///   sort_long(begin, size)  sorts items [begin, begin + size) by all threads
template <class OffsetIt, class Sorter, class SortLong>
void sort_segments_by(const Sorter& sorter, OffsetIt offsets, std::size_t num_segments,
                      SortLong sort_long, resources with) {
  const merged_segments<OffsetIt> merged{offsets, num_segments};
  if (!host::are_in_order(merged, with.wanted)) {
    for (std::size_t s = 0; s < num_segments; ++s)
      sort_long(merged.first() + merged.begin(s), host::size_of_segment(merged, s));
    return;
  }
  const tiling chunks = host::segment_chunks(merged.total(), Sorter::item_bytes, with.wanted);
  {
    Sorter* sorters = nullptr;
    const scratch memory{*with.memory, [&](carver& space) {
                           sorters = space.take<Sorter>(chunks.num_threads);
                           ends_sorters<Sorter> made{sorters};  // a copy of an iterator may throw
                           for (unsigned rank = 0; rank < chunks.num_threads; ++rank) {
                             Sorter own = sorter;
                             own.carve(space, chunks.tile_items);
                             if (sorters != nullptr) made.add(own);
                           }
                           made.release();
                         }};
    const ends_sorters<Sorter> lives{sorters, chunks.num_threads};
    lowest_failure failure;
    host::for_each_tile(chunks, failure, [&](std::size_t chunk, unsigned rank) {
      const std::size_t begin = chunks.begin(chunk);
      const segment_part part = host::part_of(merged, begin, begin + chunks.size(chunk));
      for (std::size_t s = part.segment; s < part.segment + std::size_t(part.num_ends); ++s) {
        const std::size_t size = merged.end(s) - merged.begin(s);
        if (size > 1 && size <= chunks.tile_items)
          sorters[rank].sort(merged.first() + merged.begin(s), size);
      }
    });
  }
  host::sort_long_segments(merged, chunks, sort_long);
}

/// Sorts each segment of `keys`, stably.
///   offsets  [num_segments + 1]
///   Errors  if compare throws, or once the assignment of an item, the range still holds all its
///           items
template <class KeyIt, class OffsetIt, class Compare>
void sort_segments(KeyIt keys_first, OffsetIt offsets, std::size_t num_segments, Compare compare,
                   resources with = {}) {
  using Key = value_of<KeyIt>;
  const auto keys = host::plain(keys_first);
  const auto sort_whole = [&](std::size_t begin, std::size_t size) {
    if constexpr (sorts_by_digits<Key, Compare>) {
      host::sort(keys_first + distance_t<KeyIt>(begin), size, compare, with);
    } else {
      host::comparison_sort(keys_first + distance_t<KeyIt>(begin), size,
                            host::as_order<Key>(compare), with);
    }
  };
  const resources own{with.template cut_for<KeyIt>(), *with.memory};
  if constexpr (sorts_segments_by_digits<Key, no_value, Compare>()) {
    using direction = typename digit_sort<Key, Compare>::direction;
    using sorter = segment_digit_sorter<direction, Key, no_value, std::decay_t<decltype(keys)>,
                                        std::nullptr_t>;
    host::sort_segments_by(sorter{keys, nullptr}, offsets, num_segments, sort_whole, own);
  } else if constexpr (moves_in_passes<Key>) {
    const auto order = host::as_order<Key>(compare);
    const auto load = [&](Key* to, std::size_t i) { host::put(to, host::item_at<Key>(keys, i)); };
    const auto store = [&](std::size_t i, const Key& key, first_exception& failure) {
      host::store_item(keys[i], key, failure);
    };
    using sorter =
        segment_merger<Key, std::decay_t<decltype(order)>, decltype(load), decltype(store)>;
    host::sort_segments_by(sorter{order, load, store}, offsets, num_segments, sort_whole, own);
  } else {
    const merged_segments<OffsetIt> merged{offsets, num_segments};
    for (std::size_t s = 0; s < num_segments; ++s)
      sort_whole(merged.first() + merged.begin(s), host::size_of_segment(merged, s));
  }
}

/// sort_segments() that moves the values with their keys.
template <class KeyIt, class ValueIt, class OffsetIt, class Compare>
void sort_segments_by_key(KeyIt keys_first, ValueIt values_first, OffsetIt offsets,
                          std::size_t num_segments, Compare compare, resources with = {}) {
  using Key = value_of<KeyIt>;
  using Value = value_of<ValueIt>;
  using item = keyed<Key, Value>;
  const auto keys = host::plain(keys_first);
  const auto values = host::plain(values_first);
  const auto sort_whole = [&](std::size_t begin, std::size_t size) {
    const auto own_keys = keys_first + distance_t<KeyIt>(begin);
    const auto own_values = values_first + distance_t<ValueIt>(begin);
    if constexpr (sorts_by_digits<Key, Compare>) {
      host::sort_by_key(own_keys, own_values, size, compare, with);
    } else {
      host::comparison_sort_by_key(own_keys, own_values, size, host::as_order<Key>(compare), with);
    }
  };
  const resources own{with.template cut_for<KeyIt, ValueIt>(), *with.memory};
  if constexpr (sorts_segments_by_digits<Key, Value, Compare>()) {
    using direction = typename digit_sort<Key, Compare>::direction;
    using sorter = segment_digit_sorter<direction, Key, Value, std::decay_t<decltype(keys)>,
                                        std::decay_t<decltype(values)>>;
    host::sort_segments_by(sorter{keys, values}, offsets, num_segments, sort_whole, own);
  } else if constexpr (is_cheap<Key> && is_cheap<Value> && moves_in_passes<item>) {
    const auto by_key = host::as_order<Key>(compare);
    const compare_keys<std::decay_t<decltype(by_key)>> order{by_key};
    const auto load = [&](item* to, std::size_t i) { host::put_keyed(to, keys, values, i); };
    const auto store = [&](std::size_t i, const item& sorted, first_exception& failure) {
      host::store_item(keys[i], sorted.key, failure);
      host::store_item(values[i], sorted.value, failure);
    };
    using sorter =
        segment_merger<item, std::decay_t<decltype(order)>, decltype(load), decltype(store)>;
    host::sort_segments_by(sorter{order, load, store}, offsets, num_segments, sort_whole, own);
  } else {
    const merged_segments<OffsetIt> merged{offsets, num_segments};
    for (std::size_t s = 0; s < num_segments; ++s)
      sort_whole(merged.first() + merged.begin(s), host::size_of_segment(merged, s));
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
