// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of several members that passes of a sort move as they are: a digit is made of the members
// whenever it is needed, so that no number has to be kept beside an item.
#pragma once

#include <hindsight/detail/composite_key.h>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/tuning/merge_sort.h>

#include <cuda/std/tuple>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The key of an item that is itself a key.
struct item_itself {
  template <class Item>
  HINDSIGHT_HD const Item& operator()(const Item& item) const {
    return item;
  }
};

/// The bytes of an item, as one word.
template <class Item, class KeyOf>
struct item_as_key {
  unsigned_of_size_t<sizeof(Item)> bytes;
};

/// Whether a function object returns references to members, which may be written to.
template <class Members>
inline constexpr bool are_references = false;
template <class... Members>
inline constexpr bool are_references<::cuda::std::tuple<Members&...>> =
    !(std::is_const_v<Members> || ...);

/// Whether passes move the items themselves. The function object must have no state, since kernels
/// have no argument for it. With large values items do not move in passes, but once, by an order of
/// indices.
template <class Key, class Item, class Value, class KeyOf>
constexpr bool moves_items() {
  constexpr std::size_t size = sizeof(Item);
  if constexpr (!is_composite_key<Key> || key_words<Key>::count != 1 ||
                size > most_moved_item_bytes || (size & (size - 1)) != 0 ||
                !std::is_empty_v<KeyOf>) {
    return false;
  } else if constexpr (sizeof(typename key_words<Key>::word) > size ||
                       !(std::is_empty_v<Value> ||
                         sizeof(Value) <= most_value_bytes_beside_items)) {
    return false;
  } else {
    return std::is_same_v<KeyOf, item_itself> ||
           (std::is_default_constructible_v<KeyOf> && are_references<Key>);
  }
}

template <class Direction, class Item, class KeyOf>
struct pass_key<Direction, item_as_key<Item, KeyOf>> {
  using Key = item_as_key<Item, KeyOf>;
  using bits_t = unsigned_bits_t<Key>;
  static constexpr bool moves_key_bits = false, flips_digits = false;

  HINDSIGHT_DEVICE static bits_t from(const Key& key) { return key.bytes; }
  HINDSIGHT_DEVICE static Key to_key(bits_t in_pass) { return {in_pass}; }
  HINDSIGHT_HD static constexpr bits_t flips() { return 0; }

  HINDSIGHT_DEVICE static bits_t last() {
    constexpr bits_t none = 0;
    uninitialized<Item> item;
    memcpy(static_cast<void*>(&item), &none, sizeof item);
    decltype(auto) key = members(item.ref());
    detail::for_each_member(key, [](auto& member) {
      using member_t = std::remove_reference_t<decltype(member)>;
      using member_bits = unsigned_bits_t<member_t>;
      constexpr bool is_descending = std::is_same_v<Direction, descending>;
      member = detail::from_key_bits<member_t>(is_descending ? member_bits{0}
                                                             : member_bits(~member_bits{0}));
    });
    bits_t bytes;
    memcpy(&bytes, static_cast<const void*>(&item), sizeof bytes);
    return bytes;
  }
  HINDSIGHT_DEVICE static bits_t key_bits(bits_t in_pass) {
    uninitialized<Item> item;
    memcpy(static_cast<void*>(&item), &in_pass, sizeof item);
    decltype(auto) key = members(item.ref());
    return Direction::bits(to_composite_bits<without_cvref<decltype(key)>>{}(key));
  }

 private:
  HINDSIGHT_DEVICE static decltype(auto) members(Item& item) {
    if constexpr (std::is_same_v<KeyOf, item_itself>) {
      return (item);
    } else {
      KeyOf key_of{};
      return key_of(item);
    }
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
