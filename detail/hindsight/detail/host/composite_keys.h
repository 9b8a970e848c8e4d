// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of several numbers on threads. Each pair, tuple or array of up to 16 bytes is made into one
// unsigned number. The numbers are sorted, and the sorted keys are made from them.
#pragma once

#include <hindsight/detail/composite_key.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/team.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// The members of a key. Only the host engine takes std's pairs, tuples and arrays.
template <class Key>
struct members_on_host : members_of<Key> {};
template <class A, class B>
struct members_on_host<std::pair<A, B>> : key_members<A, B> {};
template <class... Members>
struct members_on_host<std::tuple<Members...>> : key_members<Members...> {};
template <class Member, std::size_t Count>
struct members_on_host<std::array<Member, Count>> : members_of_array<Member, Count> {};

/// Keys that are sorted as one number.
template <class Key>
inline constexpr bool is_number_key =
    members_on_host<Key>::have_order&& members_on_host<Key>::bytes <= 16 &&
    is_cheap<Key>&& std::is_default_constructible_v<Key>&& std::is_copy_assignable_v<Key>;

/// Whether the engine sorts by digits: it does for numbers, and for keys of several numbers.
template <class Key, class Compare>
inline constexpr bool sorts_by_digits = is_radix_sortable<Key, Compare> ||
                                        (is_number_key<Key> && is_less_or_greater<Key, Compare>);

/// A key as a number. Its highest bits are those of the first member. Bits that no member needs are
/// the lowest, and zero. The same key can be made from the number, with the signs of its zeros.
template <class Key>
class number_of_key {
  using members = members_on_host<Key>;

 public:
  using type = unsigned_of_size_t<bytes_of_number(members::bytes)>;

  static type from(const Key& key) {
    type number = 0;
    int place = all_bits;
    for_each(key, [&](const auto& member) {
      place -= int(sizeof member) * 8;
      number = type(number | type(type(detail::to_exact_bits(member)) << place));
    });
    return number;
  }
  static Key key(type number) {
    Key key;
    int place = all_bits;
    for_each(key, [&](auto& member) {
      using member_t = std::remove_reference_t<decltype(member)>;
      place -= int(sizeof member) * 8;
      member = detail::from_key_bits<member_t>(unsigned_bits_t<member_t>(number >> place));
    });
    return key;
  }
  /// The number by which a key is sorted: in it, zeros of both signs have the same bits.
  static type join_zeros(type number) { return join_zeros_of(members{}, number); }

 private:
  static constexpr int all_bits = int(sizeof(type)) * 8;

  template <class... Members>
  static std::index_sequence_for<Members...> places_of(key_members<Members...>);

  template <class SomeKey, class Work>
  static void for_each(SomeKey& key, Work work) {
    for_each(key, work, decltype(places_of(members{})){});
  }
  template <class SomeKey, class Work, std::size_t... Places>
  static void for_each(SomeKey& key, Work work, std::index_sequence<Places...>) {
    using std::get;  // or cuda::std's, next to the key's type
    (work(get<Places>(key)), ...);
  }

  template <class... Members>
  static type join_zeros_of(key_members<Members...>, type number) {
    int place = all_bits;
    (join_zeros_at<Members>(number, place -= int(sizeof(Members)) * 8), ...);
    return number;
  }
  template <class Member>
  static void join_zeros_at(type& number, int place) {
    if constexpr (is_float_like<Member>) {
      using bits_t = unsigned_bits_t<Member>;
      const bits_t exact = bits_t(number >> place);
      const bits_t joined = detail::join_zeros<Member>(exact);
      number = type(number ^ type(type(bits_t(exact ^ joined)) << place));
    }
  }
};

/// The direction of a sort by numbers of keys that have floats.
template <class Key, class Direction>
struct direction_of_numbers {
  template <class Number>
  static Number bits(Number number) {
    return Direction::bits(number_of_key<Key>::join_zeros(number));
  }
};

/// The order of a sort by numbers of keys as a comparator.
template <class Key, class Direction>
struct order_of_numbers {
  bool operator()(const Key& a, const Key& b) const {
    using numbers = number_of_key<Key>;
    return Direction::bits(numbers::join_zeros(numbers::from(a))) <
           Direction::bits(numbers::join_zeros(numbers::from(b)));
  }
};

/// Keys whose order by `<` is none of NaNs. Up to the size that the GPU sorts by radix.
template <class... Members>
constexpr bool have_floats(key_members<Members...>) {
  return (is_float_like<Members> || ...);
}
template <class Key, class Members = members_on_host<Key>>
inline constexpr bool may_hold_nans = Members::have_order&& Members::bytes <=
                                      most_composite_bytes&& host::have_floats(Members{});

/// The order of a sort by numbers, member by member: for keys that are too long for a number.
template <class Key, class Direction>
struct order_of_members {
  bool operator()(const Key& a, const Key& b) const { return is_less(a, b, members{}); }

 private:
  using members = members_on_host<Key>;
  static constexpr bool is_descending = std::is_same_v<Direction, descending>;

  template <class... Members>
  static bool is_less(const Key& a, const Key& b, key_members<Members...>) {
    return is_less_from<0, sizeof...(Members)>(a, b);
  }
  template <std::size_t Place, std::size_t Count>
  static bool is_less_from(const Key& a, const Key& b) {
    if constexpr (Place == Count) {
      return false;
    } else {
      using std::get;  // or cuda::std's, next to the key's type
      const auto &x = get<Place>(a), &y = get<Place>(b);
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(x)>>) {
        // As long as there is no NaN: this is quicker.
        if (x < y) return !is_descending;
        if (y < x) return is_descending;
        if (x == y) return is_less_from<Place + 1, Count>(a, b);
      }
      const auto first = Direction::bits(x), second = Direction::bits(y);
      return first == second ? is_less_from<Place + 1, Count>(a, b) : first < second;
    }
  }
};

/// The comparator for a sort by comparisons: the order of a sort by digits, which also orders NaNs,
/// where such a sort would take the keys; else the caller's.
template <class Key, class Compare>
auto as_order(Compare compare) {
  if constexpr (is_radix_sortable<Key, Compare>) {
    return radix_order<direction_of<Key, Compare>>{};
  } else if constexpr (sorts_by_digits<Key, Compare> && !members_on_host<Key>::are_exact) {
    return order_of_numbers<Key, direction_of<Key, Compare>>{};
  } else if constexpr (may_hold_nans<Key> && is_less_or_greater<Key, Compare>) {
    return order_of_members<Key, direction_of<Key, Compare>>{};
  } else {
    return compare;
  }
}

/// n keys as an array of numbers, and back.
template <class It>
class as_numbers {
  using Key = value_of<It>;
  using numbers = number_of_key<Key>;
  using number = typename numbers::type;

 public:
  as_numbers(It first, std::size_t n, resources with) : first_{first}, n_{n}, with_{with} {}
  void carve(carver& space) { numbers_ = space.take<number>(n_); }
  number* load() {
    const auto from = host::plain(first_);
    host::for_each_item<number>(n_, with_.wanted, [&](std::size_t i) {
      numbers_[i] = numbers::from(host::item_at<Key>(from, i));
    });
    return numbers_;
  }
  void store() {
    const auto to = host::plain(first_);
    host::for_each_item<number>(n_, with_.cut_for<It>(),
                                [&](std::size_t i) { to[i] = numbers::key(numbers_[i]); });
  }

 private:
  It first_;
  std::size_t n_;
  resources with_;
  number* numbers_ = nullptr;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
