// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records: keys with their values, or keys alone, as a sort moves them.
#pragma once

#include <hindsight/detail/host/memory.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/std_basics.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Keys, and their values in an array of their own. In a sort of keys alone, Value is no_value.
template <class Key, class Value>
struct records {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  Key* keys;
  Value* values;

  records operator+(std::size_t offset) const {
    if constexpr (has_values) return {keys + offset, values + offset};
    return {keys + offset, nullptr};
  }
  void put(std::size_t to, records from, std::size_t i) const {
    keys[to] = from.keys[i];
    if constexpr (has_values) values[to] = from.values[i];
  }
  void copy(records from, std::size_t n) const {
    std::copy(from.keys, from.keys + n, keys);
    if constexpr (has_values) std::copy(from.values, from.values + n, values);
  }
  void stream(std::size_t to, records from, std::size_t n) const {
    host::stream_copy(keys + to, from.keys, n * sizeof(Key));
    if constexpr (has_values) host::stream_copy(values + to, from.values, n * sizeof(Value));
  }
};

/// Room for n records, not initialised. Null while the carver only counts bytes.
template <class Key, class Value>
records<Key, Value> take_records(carver& space, std::size_t n) {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>,
                "assignment must be able to begin an item's life");
  records<Key, Value> room{space.take<Key>(n), nullptr};
  if constexpr (records<Key, Value>::has_values) room.values = host::take_room<Value>(space, n);
  return room;
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
