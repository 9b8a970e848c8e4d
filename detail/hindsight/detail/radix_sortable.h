// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which keys and comparators a radix sort takes: those that stock sorts so.
#pragma once

#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/std_basics.h>

#include <cuda/std/functional>

#include <type_traits>

namespace hindsight::detail {

/// Keys that a radix sort takes. Not long double, wchar_t, char16_t, char32_t: stock does not
/// compile those.
template <class Key>
inline constexpr bool is_radix_key =
    has_key_bits<Key> && !std::is_same_v<Key, wchar_t> && !std::is_same_v<Key, char16_t> &&
    !std::is_same_v<Key, char32_t>;

/// less and greater of cuda::std, which are Thrust's, and of std. They are no order of NaNs, so no
/// place of a NaN in the result is wrong. The radix sort places NaNs by their bits.
template <class Key, class Compare>
inline constexpr bool is_radix_less =
    std::is_same_v<Compare, ::cuda::std::less<Key>> ||
    std::is_same_v<Compare, ::cuda::std::less<>> || std::is_same_v<Compare, std::less<Key>> ||
    std::is_same_v<Compare, std::less<>>;

template <class Key, class Compare>
inline constexpr bool is_radix_greater =
    std::is_same_v<Compare, ::cuda::std::greater<Key>> ||
    std::is_same_v<Compare, ::cuda::std::greater<>> || std::is_same_v<Compare, std::greater<Key>> ||
    std::is_same_v<Compare, std::greater<>>;

/// Whether a comparator is exactly one of these types: one derived from them, or one for another
/// type than Key, is not known.
template <class Key, class Compare>
inline constexpr bool is_less_or_greater =
    is_radix_less<Key, std::decay_t<Compare>> || is_radix_greater<Key, std::decay_t<Compare>>;

/// Sorts whose order is that of the keys' bits.
template <class Key, class Compare>
inline constexpr bool is_radix_sortable = is_radix_key<Key>&& is_less_or_greater<Key, Compare>;

/// Requires is_less_or_greater.
template <class Key, class Compare>
inline constexpr bool is_descending = is_radix_greater<Key, std::decay_t<Compare>>;

/// The direction of a radix sort, as a type. Keys sort by bits(key), which is
/// join_zeros(exact(key)); key(exact(k)) is k.
struct ascending {
  template <class Key>
  HINDSIGHT_HD static constexpr unsigned_bits_t<Key> bits(Key key) {
    return to_key_bits(key);
  }
  template <class Key>
  HINDSIGHT_HD static constexpr unsigned_bits_t<Key> exact(Key key) {
    return to_exact_bits(key);
  }
  template <class Key>
  HINDSIGHT_HD static constexpr unsigned_bits_t<Key> join_zeros(unsigned_bits_t<Key> exact) {
    return detail::join_zeros<Key>(exact);
  }
  template <class Key>
  HINDSIGHT_HD static constexpr Key key(unsigned_bits_t<Key> bits) {
    return from_key_bits<Key>(bits);
  }
};
struct descending {
  template <class Key>
  HINDSIGHT_HD static constexpr unsigned_bits_t<Key> bits(Key key) {
    return to_descending_key_bits(key);
  }
  template <class Key>
  HINDSIGHT_HD static constexpr unsigned_bits_t<Key> exact(Key key) {
    return unsigned_bits_t<Key>(~to_exact_bits(key));
  }
  template <class Key>
  HINDSIGHT_HD static constexpr unsigned_bits_t<Key> join_zeros(unsigned_bits_t<Key> exact) {
    return unsigned_bits_t<Key>(~detail::join_zeros<Key>(unsigned_bits_t<Key>(~exact)));
  }
  template <class Key>
  HINDSIGHT_HD static constexpr Key key(unsigned_bits_t<Key> bits) {
    return from_key_bits<Key>(unsigned_bits_t<Key>(~bits));
  }
};

template <class Key, class Compare>
using direction_of = std::conditional_t<is_descending<Key, Compare>, descending, ascending>;

/// The order of a radix sort as a comparator: NaNs by their bits, equal zeros.
template <class Direction>
struct radix_order {
  template <class Key>
  HINDSIGHT_HD bool operator()(const Key& a, const Key& b) const {
    return Direction::bits(a) < Direction::bits(b);
  }
};

/// The order of bits [first_bit, last_bit) of keys. All keys are equivalent where there are none.
template <class Direction>
struct order_of_bits {
  using direction = Direction;
  int first_bit, last_bit;
  template <class Key>
  HINDSIGHT_HD constexpr bool operator()(const Key& a, const Key& b) const {
    return first_bit < last_bit && part(Direction::bits(a)) < part(Direction::bits(b));
  }

 private:
  template <class Bits>
  HINDSIGHT_HD constexpr Bits part(Bits bits) const {
    const int unused = int(sizeof(Bits)) * 8 - last_bit;
    return static_cast<Bits>(static_cast<Bits>(bits << unused) >> (unused + first_bit));
  }
};

/// Whether a comparator is one of these two orders, and which bits it looks at.
template <class Compare>
inline constexpr bool is_order_of_radix_sort = false;
template <class Direction>
inline constexpr bool is_order_of_radix_sort<radix_order<Direction>> = true;
template <class Direction>
inline constexpr bool is_order_of_radix_sort<order_of_bits<Direction>> = true;

template <class Key, class Direction>
constexpr order_of_bits<Direction> bits_of_order(radix_order<Direction>) {
  return {0, int(sizeof(Key)) * 8};
}
template <class Key, class Direction>
constexpr order_of_bits<Direction> bits_of_order(order_of_bits<Direction> order) {
  return order;
}

}  // namespace hindsight::detail
