// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What items are in shared memory while a block merges them: themselves, or bits in their place.
#pragma once

#include <hindsight/detail/cuda/merge_tiles.cuh>
#include <hindsight/detail/radix_sortable.h>

#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The order of floats by their exact bits. These are numbers, of which those of the two zeros are
/// neighbours, and equivalent.
template <class Direction, class Key>
struct order_of_exact_bits {
  using bits = unsigned_bits_t<Key>;
  static constexpr bits lower_zero = bits(sign_bit<Key> - 1), upper_zero = sign_bit<Key>;
  static constexpr bits minus_zero = std::is_same_v<Direction, ascending> ? lower_zero : upper_zero;
  HINDSIGHT_DEVICE bool operator()(bits a, bits b) const {
    return a < (b == upper_zero ? lower_zero : b);
  }
};

/// What the items of a tile are while a block sorts it, and their order.
template <class Compare, class Item, bool IsFloat = is_float_like<Item>>
struct staged_form {
  using item = Item;
  static HINDSIGHT_DEVICE const Item& stage(const Item& item) { return item; }
  static HINDSIGHT_DEVICE const Item& restore(const Item& item) { return item; }
  static HINDSIGHT_DEVICE compare_items<Compare> order(const Compare& compare) { return {compare}; }
};
/// Bits: to compare two takes fewer instructions.
template <class Direction, class Key>
struct staged_form<radix_order<Direction>, Key, true> {
  using item = unsigned_bits_t<Key>;
  static HINDSIGHT_DEVICE item stage(Key key) { return Direction::exact(key); }
  static HINDSIGHT_DEVICE Key restore(item bits) { return Direction::template key<Key>(bits); }
  static HINDSIGHT_DEVICE compare_items<order_of_exact_bits<Direction, Key>> order(
      const radix_order<Direction>&) {
    return {};
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
