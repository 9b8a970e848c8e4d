// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/counting_sort.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/radix_sort.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/radix_sortable.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::detail::host {

/// Values that travel with their keys through every pass; others are moved once, at the end.
template <class Value>
inline constexpr bool is_light =
    std::is_trivially_copyable_v<Value>&& std::is_copy_assignable_v<Value> && sizeof(Value) <= 16;

template <class Direction, class Key>
void radix_sort_keys(Key* keys, std::size_t n, Direction, cut wanted = {}) {
  if constexpr (is_countable<Key>) {
    if (n >= (std::size_t{64} << 8 * (sizeof(Key) - 1))) {
      counting_sort<Direction>(keys, n, wanted);
      return;
    }
  }
  radix_sort<Direction>(records<Key, no_value>{keys, nullptr}, n, wanted);
}

template <class Direction, class Key, class Value>
void radix_sort_pairs(Key* keys, Value* values, std::size_t n, Direction, cut wanted = {}) {
  static_assert(is_light<Value>);
  radix_sort<Direction>(records<Key, Value>{keys, values}, n, wanted);
}

template <class FromIt, class ToIt>
void copy_by_team(FromIt from, std::size_t n, ToIt to, cut wanted) {
  const tiling tiles{n, sizeof(value_of<FromIt>), wanted};
  for_each_tile(tiles, [&](std::size_t tile) {
    for (std::size_t i = tiles.begin(tile), end = i + tiles.size(tile); i < end; ++i)
      to[i] = from[i];
  });
}

/// Calls work(pointer) on the items themselves, or on a copy of them that is then copied back.
template <class It, class Work>
void with_pointer(It first, std::size_t n, cut wanted, Work work) {
  if constexpr (std::is_pointer_v<decltype(host::plain(first))>) {
    work(host::plain(first));
  } else {
    const aligned_array<value_of<It>> copy{n};
    copy_by_team(first, n, copy.get(), wanted);
    work(copy.get());
    copy_by_team(copy.get(), n, first, wanted);
  }
}

/// values[i] = old values[order[i]].
template <class ValueIt, class Index>
void permute(ValueIt values, const Index* order, std::size_t n, cut wanted) {
  using Value = value_of<ValueIt>;
  if constexpr (std::is_trivially_copyable_v<Value>) {
    const aligned_array<Value> sorted{n};
    const tiling tiles{n, sizeof(Value), wanted};
    for_each_tile(tiles, [&](std::size_t tile) {
      for (std::size_t i = tiles.begin(tile), end = i + tiles.size(tile); i < end; ++i)
        sorted.get()[i] = values[order[i]];
    });
    copy_by_team(sorted.get(), n, values, wanted);
  } else {
    std::vector<Value> sorted;
    sorted.reserve(n);
    for (std::size_t i = 0; i < n; ++i) sorted.push_back(std::move(values[order[i]]));
    std::move(sorted.begin(), sorted.end(), values);
  }
}

template <class Index, class Direction, class Key, class ValueIt>
void sort_by_permutation(Key* keys, ValueIt values, std::size_t n, Direction direction,
                         cut wanted) {
  const aligned_array<Index> order{n};
  for (std::size_t i = 0; i < n; ++i) order.get()[i] = Index(i);
  radix_sort_pairs(keys, order.get(), n, direction, wanted);
  permute(values, order.get(), n, wanted);
}

/// Sorts first[0, n), stably. Requires is_radix_sortable.
///   Memory  room for n more keys, and n more if the iterator is not contiguous
template <class KeyIt, class Compare>
void sort(KeyIt first, std::size_t n, Compare, cut wanted = {}) {
  using Key = value_of<KeyIt>;
  static_assert(is_radix_sortable<Key, Compare>, "other orders are stock's");
  if (n < 2) return;
  with_pointer(first, n, wanted,
               [&](Key* keys) { radix_sort_keys(keys, n, direction_of<Key, Compare>{}, wanted); });
}

/// Sorts keys[0, n) and moves the values with them, stably. Requires is_radix_sortable.
///   Memory  room for n more keys and values; indices in place of values that are large
template <class KeyIt, class ValueIt, class Compare>
void sort_by_key(KeyIt first, ValueIt values_first, std::size_t n, Compare, cut wanted = {}) {
  using Key = value_of<KeyIt>;
  using Value = value_of<ValueIt>;
  using direction = direction_of<Key, Compare>;
  static_assert(is_radix_sortable<Key, Compare>, "other orders are stock's");
  if (n < 2) return;
  with_pointer(first, n, wanted, [&](Key* keys) {
    if constexpr (is_light<Value>) {
      with_pointer(values_first, n, wanted,
                   [&](Value* values) { radix_sort_pairs(keys, values, n, direction{}, wanted); });
    } else if (n <= 0xffffffffu) {
      sort_by_permutation<std::uint32_t>(keys, host::plain(values_first), n, direction{}, wanted);
    } else {
      sort_by_permutation<std::uint64_t>(keys, host::plain(values_first), n, direction{}, wanted);
    }
  });
}

}  // namespace hindsight::detail::host
