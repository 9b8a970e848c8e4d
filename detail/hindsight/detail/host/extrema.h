// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place of the least or the greatest item. Each tile is searched as one thread would search the
// whole range; then the places found in the tiles are searched in the same way.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/radix_sortable.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// What is looked for: the first of the least items, or the first of the greatest ones.
template <class Less>
struct pick_least {
  mutable Less less;
  /// Whether `next`, which comes later in the input, is picked and not `best`.
  template <class Best, class Next>
  bool takes_next(Best&& best, Next&& next) const {
    return static_cast<bool>(less(next, best));
  }
};
template <class Less>
struct pick_greatest {
  mutable Less less;
  template <class Best, class Next>
  bool takes_next(Best&& best, Next&& next) const {
    return static_cast<bool>(less(best, next));
  }
};

/// The best of in[0, n) and `best`, for whole strands of numbers: a processor compares many at
/// once.
template <class T, class Pick>
T best_number(const T* in, std::size_t n, T best, const Pick& pick) {
  constexpr std::size_t strands = num_strands<T>;
  T found[strands];
  for (std::size_t j = 0; j < strands; ++j) found[j] = best;
  for (std::size_t i = 0; i < n; i += strands) {
    for (std::size_t j = 0; j < strands; ++j) {
      const T next = in[i + j];
      found[j] = pick.takes_next(found[j], next) ? next : found[j];
    }
  }
  for (std::size_t j = 0; j < strands; ++j)
    best = pick.takes_next(best, found[j]) ? found[j] : best;
  return best;
}

/// The place of the extremum of in[0, n), n > 0, by the operators < and > of numbers. A first pass
/// finds the number and its group, a second one looks through this group.
template <class T, class Pick>
std::size_t place_of_number(const T* in, std::size_t n, const Pick& pick) {
  constexpr std::size_t group = 16 * num_strands<T>;
  T best = in[0];
  std::size_t i = 0, place = 0;
  const auto look_at = [&](const T& next) {
    if (pick.takes_next(best, next)) best = next, place = i;
  };
  for (; i + group <= n; i += group) look_at(host::best_number(in + i, group, best, pick));
  for (; i < n; ++i) look_at(in[i]);
  if (place == 0 && in[0] != best && !pick.takes_next(in[0], best)) return 0;  // it is a NaN
  while (in[place] != best) ++place;
  return place;
}

/// Whether copies of items stay in registers, or in those that comparisons look at.
template <class T>
inline constexpr bool is_copied_to_compare =
    std::is_trivially_copyable_v<T>&& std::is_copy_constructible_v<T>&&
        std::is_copy_assignable_v<T> &&
    sizeof(T) <= engine_tuning::most_bytes_of_best;

/// The place of the extremum of in[0, n), n > 0.
template <class It, class Pick>
std::size_t place_of_item(It in, std::size_t n, const Pick& pick) {
  using item = value_of<It>;
  std::size_t place = 0;
  if constexpr (is_copied_to_compare<item>) {
    const item& first = in[0];
    item best(first);  // its copy constructor may be explicit
    for (std::size_t i = 1; i < n; ++i) {
      auto&& next = host::item_at<item>(in, i);
      if (!pick.takes_next(best, next)) continue;
      best = next;
      place = i;
    }
  } else {
    for (std::size_t i = 1; i < n; ++i)
      if (pick.takes_next(host::item_at<item>(in, place), host::item_at<item>(in, i))) place = i;
  }
  return place;
}

/// Whether place_of_number does it.
template <class It, class Less, class T = value_of<It>>
inline constexpr bool are_numbers = std::is_pointer_v<It>&& std::is_arithmetic_v<T> &&
                                    sizeof(T) <= 8 &&
                                    (is_radix_less<T, Less> || is_radix_greater<T, Less>);

/// The extremum of a range, and that of one of its tiles.
template <class It, template <class> class Pick, class Less>
struct place_of_extremum {
  using found = std::size_t;
  It in;
  Pick<Less> pick;
  /// Of two places, the first of which is the lower one.
  std::size_t operator()(std::size_t a, std::size_t b) const {
    using item = value_of<It>;
    return pick.takes_next(host::item_at<item>(in, a), host::item_at<item>(in, b)) ? b : a;
  }
  std::size_t in_tile(std::size_t begin, std::size_t size) const {
    if constexpr (are_numbers<It, Less>) {
      return begin + host::place_of_number(in + begin, size, pick);
    } else {
      return begin + host::place_of_item(in + begin, size, pick);
    }
  }
};

/// The places of the least and of the greatest item.
struct place_pair {
  std::size_t least, greatest;
};
template <class It, class Less>
struct places_of_both {
  using found = place_pair;
  place_of_extremum<It, pick_least, Less> least;
  place_of_extremum<It, pick_greatest, Less> greatest;
  place_pair operator()(const place_pair& a, const place_pair& b) const {
    return {least(a.least, b.least), greatest(a.greatest, b.greatest)};
  }
  place_pair in_tile(std::size_t begin, std::size_t size) const {
    return {least.in_tile(begin, size), greatest.in_tile(begin, size)};
  }
};

/// What `extremum` finds in n > 0 items.
template <class Item, class Extremum>
auto find_extremum(std::size_t n, const Extremum& extremum, resources with) {
  const tiling tiles{n, sizeof(Item), with.wanted, host_reduce_tile_bytes};
  const auto find_in_tile = [&](std::size_t tile) {
    const Extremum own = extremum;  // no two threads call one comparator
    return own.in_tile(tiles.begin(tile), tiles.size(tile));
  };
  using found = typename Extremum::found;
  return host::fold_tiles_by_team<found>(tiles, find_in_tile, found{}, extremum, with);
}

template <class It, class Less>
std::size_t min_element(It first, std::size_t n, Less less, resources with = {}) {
  const auto in = host::plain(first);
  using extremum = place_of_extremum<std::remove_const_t<decltype(in)>, pick_least, Less>;
  return host::find_extremum<value_of<It>>(n, extremum{in, {less}}, with);
}
template <class It, class Less>
std::size_t max_element(It first, std::size_t n, Less less, resources with = {}) {
  const auto in = host::plain(first);
  using extremum = place_of_extremum<std::remove_const_t<decltype(in)>, pick_greatest, Less>;
  return host::find_extremum<value_of<It>>(n, extremum{in, {less}}, with);
}
template <class It, class Less>
place_pair minmax_element(It first, std::size_t n, Less less, resources with = {}) {
  const auto in = host::plain(first);
  using extrema = places_of_both<std::remove_const_t<decltype(in)>, Less>;
  return host::find_extremum<value_of<It>>(n, extrema{{in, {less}}, {in, {less}}}, with);
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
