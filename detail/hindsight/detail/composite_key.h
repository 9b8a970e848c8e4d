// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of several numbers, the first of which counts most: pairs, tuples, arrays. Their order is
// that of one unsigned number, the key's bits, so that a radix sort can sort them.
#pragma once

#include <hindsight/detail/radix_sortable.h>

#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace hindsight::detail {

template <class T>
using without_cvref = std::remove_cv_t<std::remove_reference_t<T>>;

/// Longer keys are compared: to sort by 8 bytes at a time would take longer.
inline constexpr std::size_t most_composite_bytes = 32;

template <class... Members>
struct key_members {
  static constexpr std::size_t bytes = (sizeof(Members) + ... + 0);
  static constexpr bool have_order = sizeof...(Members) > 0 && (is_radix_key<Members> && ...);
  /// Whether the key can be made from the bits. Not with floats: the bits do not tell which of two
  /// zeros a key holds.
  static constexpr bool are_exact = have_order && bytes <= 16 && (is_integer<Members> && ...);
};
template <class Member, std::size_t>
using one_of_array = Member;
template <class Member, std::size_t... Places>
key_members<one_of_array<Member, Places>...> name_members(std::index_sequence<Places...>);
/// Those of an array; none if it is too long: compilers take no lists of any length.
template <class Member, std::size_t Count>
using members_of_array = decltype(detail::name_members<Member>(
    std::make_index_sequence<(Count * sizeof(Member) <= most_composite_bytes ? Count : 0)>{}));

/// The members of a key; none if it is not composite. thrust::pair and thrust::tuple are
/// cuda::std's; kernels cannot compare or assign std's. Members may be references, as those of what
/// a decomposer returns.
template <class Key>
struct members_of : key_members<> {};
template <class A, class B>
struct members_of<::cuda::std::pair<A, B>> : key_members<without_cvref<A>, without_cvref<B>> {};
template <class... Members>
struct members_of<::cuda::std::tuple<Members...>> : key_members<without_cvref<Members>...> {};
template <class Member, std::size_t Count>
struct members_of<::cuda::std::array<Member, Count>> : members_of_array<Member, Count> {};

template <class Key>
inline constexpr bool is_composite_key =
    members_of<Key>::have_order&& members_of<Key>::bytes <= most_composite_bytes;
template <class Key>
inline constexpr bool is_exact_composite_key = members_of<Key>::are_exact;

/// Whether the order is the members', one after the other, all ascending or all descending.
template <class Key, class Compare>
inline constexpr bool is_composite_sortable =
    is_composite_key<Key>&& is_less_or_greater<Key, Compare>;

/// Calls work with each member, first to last.
template <class Key, class Work>
HINDSIGHT_HD void for_each_member(Key&& key, Work work) {
  ::cuda::std::apply([&](auto&... members) { (work(members), ...); }, key);
}

constexpr std::size_t bytes_of_number(std::size_t member_bytes) {
  std::size_t bytes = 1;
  while (bytes < member_bytes) bytes *= 2;
  return bytes;
}

/// The number that has a key's place in the order. Its highest bits are the first member's; bits
/// that no member needs are the lowest, and zero.
template <class Key>
using composite_bits_t = unsigned_of_size_t<bytes_of_number(members_of<Key>::bytes)>;

template <class Key>
struct to_composite_bits {
  using bits_t = composite_bits_t<Key>;
  HINDSIGHT_HD bits_t operator()(const Key& key) const {
    bits_t bits = 0;
    int place = int(sizeof(bits_t)) * 8;
    detail::for_each_member(key, [&](const auto& member) {
      place -= int(sizeof member) * 8;
      bits |= static_cast<bits_t>(static_cast<bits_t>(detail::to_key_bits(member)) << place);
    });
    return bits;
  }
};

template <class Key>
struct from_composite_bits {
  using bits_t = composite_bits_t<Key>;
  HINDSIGHT_HD Key operator()(bits_t bits) const {
    Key key;
    int place = int(sizeof(bits_t)) * 8;
    detail::for_each_member(key, [&](auto& member) {
      using member_t = std::remove_reference_t<decltype(member)>;
      place -= int(sizeof member) * 8;
      member =
          detail::from_key_bits<member_t>(static_cast<unsigned_bits_t<member_t>>(bits >> place));
    });
    return key;
  }
};

/// A Key (a number or a composite key) as `count` numbers, of which the first counts most: each of
/// them takes a sort. at(i, key) is number i. Their bits are the key's, then zeros.
template <class Key, class = void>
struct key_words {
  static constexpr std::size_t bytes = sizeof(Key);
  static constexpr int count = 1;
  using word = unsigned_bits_t<Key>;
  HINDSIGHT_HD static word at(int, const Key& key) { return detail::to_key_bits(key); }
};
template <class Key>
struct key_words<Key, std::enable_if_t<(is_composite_key<Key> && members_of<Key>::bytes <= 16)>> {
  static constexpr std::size_t bytes = members_of<Key>::bytes;
  static constexpr int count = 1;
  using word = composite_bits_t<Key>;
  HINDSIGHT_HD static word at(int, const Key& key) { return to_composite_bits<Key>{}(key); }
};
template <class Key>
struct key_words<Key, std::enable_if_t<(is_composite_key<Key> && members_of<Key>::bytes > 16)>> {
  static constexpr std::size_t bytes = members_of<Key>::bytes;
  static constexpr int count = int((bytes + 7) / 8);
  using word = std::uint64_t;
  HINDSIGHT_HD static word at(int wanted, const Key& key) {
    word result = 0;
    int shift = 64 * (wanted + 1);  // from the member's place in the key to that in the word
    detail::for_each_member(key, [&](const auto& member) {
      constexpr int bits = int(sizeof member) * 8;
      shift -= bits;
      if (shift <= -bits || shift >= 64) return;  // it lies in other words
      const uint128_t number = detail::to_key_bits(member);
      result |= static_cast<word>(shift >= 0 ? number << shift : number >> -shift);
    });
    return result;
  }
};

/// The order of a radix sort of composite keys as a comparator: members that are NaNs go by their
/// bits.
template <class Key, class Direction>
struct composite_order {
  HINDSIGHT_HD bool operator()(const Key& a, const Key& b) const {
    for (int i = 0; i < key_words<Key>::count; ++i) {
      const auto first = Direction::bits(key_words<Key>::at(i, a));
      const auto second = Direction::bits(key_words<Key>::at(i, b));
      if (first != second) return first < second;
    }
    return false;
  }
};

/// The comparator for a sort by comparisons: the radix sort's order, which also orders NaNs, where
/// a radix sort would take the keys; else the caller's.
template <class Key, class Compare>
HINDSIGHT_HD auto as_order(Compare compare) {
  if constexpr (is_radix_sortable<Key, Compare>) {
    return radix_order<direction_of<Key, Compare>>{};
  } else if constexpr (is_composite_sortable<Key, Compare> && !is_exact_composite_key<Key>) {
    return composite_order<Key, direction_of<Key, Compare>>{};
  } else {
    return compare;
  }
}

template <class Key>
inline constexpr bool has_key_words = is_radix_key<Key> || is_composite_key<Key>;

}  // namespace hindsight::detail
