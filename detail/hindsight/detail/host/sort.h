// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by digits on threads: chooses the algorithm for the keys, values and iterators of a call.
#pragma once

#include <hindsight/detail/host/composite_keys.h>
#include <hindsight/detail/host/counting_sort.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/radix_sort.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Values that move with their keys in every pass. Others are moved once, at the end.
template <class Value>
inline constexpr bool is_light =
    std::is_trivially_copyable_v<Value>&& std::is_copy_assignable_v<Value> &&
    sizeof(Value) <= engine_tuning::most_light_bytes;

/// Whether a key can be made from the bits by which it is sorted. It cannot where zeros of both
/// signs have the same bits.
template <class Direction>
inline constexpr bool tells_keys =
    std::is_same_v<Direction, ascending> || std::is_same_v<Direction, descending>;

/// Whether keys[0, n) are in order. Of keys in random order it reads the first few hundred only.
template <class Direction, class Key>
bool are_sorted(const Key* keys, std::size_t n, cut wanted) {
  constexpr std::size_t step = engine_tuning::compared_keys;
  const auto in_order = [keys](std::size_t at, std::size_t last) {
    while (at < last) {
      unsigned falls = 0;
      for (const std::size_t stop = std::min(last, at + step); at < stop; ++at)
        falls |= unsigned(Direction::bits(keys[at + 1]) < Direction::bits(keys[at]));
      if (falls != 0) return false;
    }
    return true;
  };
  const tiling tiles{n, sizeof(Key), wanted};
  if (!in_order(0, std::min(tiles.tile_items, n) - 1)) return false;
  std::atomic<bool> falls{false};
  host::for_each_tile(tiles, [&](std::size_t tile) {
    if (falls.load(std::memory_order_relaxed)) return;
    const std::size_t begin = tiles.begin(tile);
    if (!in_order(begin, std::min(begin + tiles.size(tile), n - 1)))
      falls.store(true, std::memory_order_relaxed);
  });
  return !falls.load(std::memory_order_relaxed);
}

/// Sorts n records: by counting if there are keys alone and these have few possible values, else by
/// radix.
template <class Direction, class Key, class Value>
class record_sorter {
  static constexpr bool may_count =
      is_countable<Key> && tells_keys<Direction> && !records<Key, Value>::has_values;

 public:
  record_sorter(std::size_t n, cut wanted)
      : n_{n}, wanted_{wanted}, by_radix_{n, wanted}, by_count_{n, wanted} {}
  void carve(carver& space) {
    if constexpr (may_count)
      if (counts()) return by_count_.carve(space);
    by_radix_.carve(space);
  }
  /// Returns false if the keys were in order already; then nothing was moved.
  bool sort(records<Key, Value> home) {
    if (host::are_sorted<Direction>(home.keys, n_, wanted_)) return false;
    if constexpr (may_count)
      if (counts()) return by_count_.sort(home.keys), true;
    by_radix_.sort(home);
    return true;
  }

  /// Room for n keys, free for other use after a sort with values.
  Key* spare_keys() const { return by_radix_.spare_keys(); }

 private:
  using counting = counting_sorter<Direction, Key>;
  bool counts() const { return n_ >= counting::fewest; }

  std::size_t n_;
  cut wanted_;
  radix_sorter<Direction, Key, Value> by_radix_;
  counting by_count_;
};

/// n items as a plain array: where they lie if they are contiguous, else a copy that store() writes
/// back.
template <class It>
class as_array {
  using T = value_of<It>;
  static constexpr bool is_array = std::is_pointer_v<decltype(host::plain(std::declval<It>()))>;

 public:
  as_array(It first, std::size_t n, resources with) : first_{first}, n_{n}, with_{with} {}
  void carve(carver& space) {
    if constexpr (!is_array) items_ = host::take_room<T>(space, n_);
  }
  T* load() {
    if constexpr (is_array) return host::plain(first_);
    if constexpr (!is_array)
      host::for_each_item<T>(n_, with_.wanted, [&](std::size_t i) {
        host::put(items_ + i, host::item_at<T>(first_, i));  // there is nothing to assign to
      });
    return items_;
  }
  void store() {
    if constexpr (!is_array) {
      first_exception failure;
      host::for_each_item<T>(n_, with_.cut_for<It>(), [&](std::size_t i) {
        host::store_item(first_[i], items_[i], failure);
      });
      failure.rethrow();
    }
  }

 private:
  It first_;
  std::size_t n_;
  resources with_;
  T* items_ = nullptr;
};

/// How keys are sorted: the number that a key becomes, the direction, and the array of numbers.
template <class Key, class Compare, bool IsComposite = is_number_key<Key>>
struct digit_sort {
  using number = Key;
  using direction = direction_of<Key, Compare>;
  template <class It>
  using array = as_array<It>;
};
template <class Key, class Compare>
struct digit_sort<Key, Compare, true> {
  using number = typename number_of_key<Key>::type;
  using by_number = direction_of<Key, Compare>;
  using direction = std::conditional_t<members_on_host<Key>::are_exact, by_number,
                                       direction_of_numbers<Key, by_number>>;
  template <class It>
  using array = as_numbers<It>;
};

/// Items that wait in scratch memory to be moved back.
template <class T>
class moved_values {
 public:
  explicit moved_values(T* room) : room_{room} {}
  moved_values(const moved_values&) = delete;
  moved_values& operator=(const moved_values&) = delete;
  ~moved_values() { std::destroy_n(room_, count_); }

  /// Moves items[order[i]] here, for i in [0, n). Items whose move may throw are copied instead:
  /// then all items are still where they were if a copy throws. If there is no copy either, those
  /// that were moved go back when a move throws.
  template <class It, class Index>
  void take(It items, const Index* order, std::size_t n, resources with) {
    if constexpr (moves_without_throwing<T, It>) {
      host::for_each_item<T>(n, with.cut_for<It>(), [&](std::size_t i) {
        host::put(room_ + i, std::move(items[order[i]]));
      });
      count_ = n;
    } else {
      try {
        for (; count_ < n; ++count_) {
          auto&& item = items[order[count_]];  // a reference, or a proxy for one
          host::put(room_ + count_, std::move_if_noexcept(item));
        }
      } catch (...) {
        give_back(items, order);
        throw;
      }
    }
  }
  /// Undoes take() where it moved items that cannot be copied.
  template <class It, class Index>
  void give_back([[maybe_unused]] It items, [[maybe_unused]] const Index* order) {
    if constexpr (!moves_without_throwing<T, It> && !std::is_copy_constructible_v<T>)
      for (std::size_t i = 0; i < count_; ++i) items[order[i]] = std::move(room_[i]);
  }
  /// Moves the items back, in the new order. An assignment that throws is tried once more, and all
  /// others are made all the same. So an item is lost only if its assignment throws twice.
  template <class It>
  void put_back(It items, resources with) {
    first_exception failure;
    host::for_each_item<T>(count_, with.cut_for<It>(), [&](std::size_t i) {
      failure.run_again([&] { items[i] = std::move(room_[i]); });
    });
    failure.rethrow();
  }

 private:
  T* room_;
  std::size_t count_ = 0;
};

/// keys[order[i]] = old keys[i]: undoes a sort. `room` is for n keys.
template <class Key, class Index>
void undo(Key* keys, const Index* order, std::size_t n, Key* room) {
  for (std::size_t i = 0; i < n; ++i) room[order[i]] = keys[i];
  std::copy(room, room + n, keys);
}

/// For values that are not is_light: sorts the keys with their indices, then moves each value once.
template <class Index, class DigitSort, class KeyIt, class ValueIt>
void sort_by_permutation(KeyIt keys_first, ValueIt values, std::size_t n, resources with) {
  using number = typename DigitSort::number;
  using Value = value_of<ValueIt>;
  typename DigitSort::template array<KeyIt> keys{keys_first, n, with};
  record_sorter<typename DigitSort::direction, number, Index> sorter{n, with.wanted};
  Index* order = nullptr;
  Value* value_room = nullptr;
  const scratch memory{*with.memory, [&](carver& space) {
                         sorter.carve(space);
                         keys.carve(space);
                         order = space.take<Index>(n);
                         value_room = host::take_room<Value>(space, n);
                       }};
  for (std::size_t i = 0; i < n; ++i) order[i] = Index(i);
  number* const own_keys = keys.load();
  if (!sorter.sort({own_keys, order})) return;
  moved_values<Value> sorted{value_room};
  if constexpr (is_cheap<Value>) {
    sorted.take(values, order, n, with);
  } else {
    try {
      sorted.take(values, order, n, with);
    } catch (...) {
      host::undo(own_keys, order, n, sorter.spare_keys());
      throw;
    }
  }
  first_exception failure;
  failure.run([&] { sorted.put_back(values, with); });
  failure.run([&] { keys.store(); });
  failure.rethrow();
}

/// Sorts first[0, n), stably. Requires sorts_by_digits.
///   Memory  what radix_sorter or counting_sorter takes; an array of n keys more if the iterator is
///           not contiguous. Keys of several numbers are unsigned numbers here, in such an array
template <class KeyIt, class Compare>
void sort(KeyIt first, std::size_t n, Compare, resources with = {}) {
  using Key = value_of<KeyIt>;
  static_assert(sorts_by_digits<Key, Compare>, "other orders are a merge sort's");
  using by_digits = digit_sort<Key, Compare>;
  if (n < 2) return;
  typename by_digits::template array<KeyIt> keys{first, n, with};
  record_sorter<typename by_digits::direction, typename by_digits::number, no_value> sorter{
      n, with.wanted};
  const scratch memory{*with.memory, [&](carver& space) {
                         sorter.carve(space);
                         keys.carve(space);
                       }};
  if (sorter.sort({keys.load(), nullptr})) keys.store();
}

/// Sorts keys[0, n) and moves the values with them, stably. Requires sorts_by_digits.
///   Memory  room for n more keys and tables as radix_sorter; arrays of keys as sort(). For values
///           that are is_light: room for n more, and n more if their iterator is not contiguous.
///           For other values: room for n, and two indices for each
template <class KeyIt, class ValueIt, class Compare>
void sort_by_key(KeyIt first, ValueIt values_first, std::size_t n, Compare, resources with = {}) {
  using Key = value_of<KeyIt>;
  using Value = value_of<ValueIt>;
  using by_digits = digit_sort<Key, Compare>;
  static_assert(sorts_by_digits<Key, Compare>, "other orders are a merge sort's");
  if (n < 2) return;
  if constexpr (is_light<Value>) {
    typename by_digits::template array<KeyIt> keys{first, n, with};
    as_array<ValueIt> values{values_first, n, with};
    record_sorter<typename by_digits::direction, typename by_digits::number, Value> sorter{
        n, with.wanted};
    const scratch memory{*with.memory, [&](carver& space) {
                           sorter.carve(space);
                           keys.carve(space);
                           values.carve(space);
                         }};
    if (!sorter.sort({keys.load(), values.load()})) return;
    keys.store();
    values.store();
  } else if (n <= 0xffffffffu) {
    host::sort_by_permutation<std::uint32_t, by_digits>(first, host::plain(values_first), n, with);
  } else {
    host::sort_by_permutation<std::uint64_t, by_digits>(first, host::plain(values_first), n, with);
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
