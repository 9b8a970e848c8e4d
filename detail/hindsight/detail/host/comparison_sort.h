// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by any comparator. Small items that are cheap to copy move through the passes of a merge
// sort. In place of other items their indices do, and the items are moved once, at the end.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/merge_sort.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/sort.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

template <class T>
inline constexpr bool moves_in_passes = is_cheap<T> &&
                                        sizeof(T) <= engine_tuning::most_merged_bytes;

/// A key and its value as one item.
template <class Key, class Value>
struct keyed {
  Key key;
  Value value;
};
/// Copies key i and value i to a new one.
template <class Key, class Value, class KeyIt, class ValueIt>
void put_keyed(keyed<Key, Value>* to, const KeyIt& keys, const ValueIt& values, std::size_t i) {
  host::put(std::addressof(to->key), keys[i]);
  host::put(std::addressof(to->value), values[i]);
}

template <class Compare>
struct compare_keys {
  Compare compare;
  template <class Keyed>
  bool operator()(Keyed& a, Keyed& b) {
    return bool(compare(a.key, b.key));
  }
};

/// Compares the items at two places.
template <class It, class Compare>
struct compare_places {
  It items;
  Compare compare;
  template <class Index>
  bool operator()(Index a, Index b) {
    using T = value_of<It>;
    auto&& first = host::item_at<T>(items, a);
    auto&& second = host::item_at<T>(items, b);
    return bool(compare(first, second));
  }
};

/// order[0, n) = the places of the items in a stable sort.
template <class Index, class It, class Compare>
class order_of {
  using by_place = compare_places<It, Compare>;

 public:
  order_of(It items, std::size_t n, Compare compare, cut wanted)
      : n_{n}, sorter_{n, by_place{items, compare}, wanted} {}
  void carve(carver& space) {
    order_ = space.take<Index>(n_);
    sorter_.carve(space);
  }
  const Index* sort() {
    for (std::size_t i = 0; i < n_; ++i) order_[i] = Index(i);
    sorter_.sort(order_);
    return order_;
  }

 private:
  std::size_t n_;
  merge_sorter<Index, by_place> sorter_;
  Index* order_ = nullptr;
};

template <class Index, class It, class Compare>
void sort_by_places(It items, std::size_t n, Compare compare, resources with) {
  using T = value_of<It>;
  order_of<Index, It, Compare> order{items, n, compare, with.wanted};
  T* room = nullptr;
  const scratch memory{*with.memory, [&](carver& space) {
                         order.carve(space);
                         room = host::take_room<T>(space, n);
                       }};
  moved_values<T> sorted{room};
  sorted.take(items, order.sort(), n, with);
  sorted.put_back(items, with);
}

template <class Index, class KeyIt, class ValueIt, class Compare>
void sort_by_places(KeyIt keys, ValueIt values, std::size_t n, Compare compare, resources with) {
  using Key = value_of<KeyIt>;
  using Value = value_of<ValueIt>;
  order_of<Index, KeyIt, Compare> sorter{keys, n, compare, with.wanted};
  Key* key_room = nullptr;
  Value* value_room = nullptr;
  const scratch memory{*with.memory, [&](carver& space) {
                         sorter.carve(space);
                         key_room = host::take_room<Key>(space, n);
                         value_room = host::take_room<Value>(space, n);
                       }};
  const Index* const order = sorter.sort();
  moved_values<Key> moved_keys{key_room};
  moved_values<Value> moved{value_room};
  // What may throw when it is moved is copied instead, if it can be, and before the rest is moved.
  // If a copy or a move throws, all keys and values are where they were.
  if constexpr (moves_without_throwing<Key, KeyIt>) {
    moved.take(values, order, n, with);
    moved_keys.take(keys, order, n, with);
  } else {
    moved_keys.take(keys, order, n, with);
    try {
      moved.take(values, order, n, with);
    } catch (...) {
      moved_keys.give_back(keys, order);
      throw;
    }
  }
  first_exception failure;
  failure.run([&] { moved_keys.put_back(keys, with); });
  failure.run([&] { moved.put_back(values, with); });
  failure.rethrow();
}

/// Sorts first[0, n), stably.
///   Memory  room for n items, and n more if the iterator is not contiguous. For items that are
///           large or not trivial to copy: room for n items, and two indices for each
///   Errors  if compare throws, or once the assignment of an item, the range still holds all its
///           items, in some order
template <class It, class Compare>
void comparison_sort(It first, std::size_t n, Compare compare, resources with = {}) {
  using T = value_of<It>;
  if (n < 2) return;
  if constexpr (moves_in_passes<T>) {
    as_array<It> items{first, n, with};
    merge_sorter<T, Compare> sorter{n, compare, with.wanted};
    const scratch memory{*with.memory, [&](carver& space) {
                           sorter.carve(space);
                           items.carve(space);
                         }};
    sorter.sort(items.load());
    items.store();
  } else if (n <= 0xffffffffu) {
    host::sort_by_places<std::uint32_t>(host::plain(first), n, compare, with);
  } else {
    host::sort_by_places<std::uint64_t>(host::plain(first), n, compare, with);
  }
}

/// Sorts keys[0, n) and moves the values with them, stably.
///   Memory  room for 2 n pairs of a key and a value. For pairs that are large or not trivial to
///           copy: room for n keys and n values, and two indices for each
///   Errors  as comparison_sort()
template <class KeyIt, class ValueIt, class Compare>
void comparison_sort_by_key(KeyIt keys_first, ValueIt values_first, std::size_t n, Compare compare,
                            resources with = {}) {
  using Key = value_of<KeyIt>;
  using Value = value_of<ValueIt>;
  using item = keyed<Key, Value>;
  if (n < 2) return;
  const auto keys = host::plain(keys_first);
  const auto values = host::plain(values_first);
  if constexpr (is_cheap<Key> && is_cheap<Value> && moves_in_passes<item>) {
    merge_sorter<item, compare_keys<Compare>> sorter{n, {compare}, with.wanted};
    item* items = nullptr;
    const scratch memory{*with.memory, [&](carver& space) {
                           sorter.carve(space);
                           items = host::take_room<item>(space, n);
                         }};
    host::for_each_item<item>(n, with.wanted,
                              [&](std::size_t i) { host::put_keyed(items + i, keys, values, i); });
    sorter.sort(items);
    first_exception failure;
    host::for_each_item<item>(n, with.cut_for<KeyIt, ValueIt>(), [&](std::size_t i) {
      host::store_item(keys[i], items[i].key, failure);
      host::store_item(values[i], items[i].value, failure);
    });
    failure.rethrow();
  } else if (n <= 0xffffffffu) {
    host::sort_by_places<std::uint32_t>(keys, values, n, compare, with);
  } else {
    host::sort_by_places<std::uint64_t>(keys, values, n, compare, with);
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
