// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place of the least or the greatest item. Each tile is searched as one thread would search the
// whole range; then the places found in the tiles are searched in the same way.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/reduce.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Of two places a < b, the one with the lesser item; a if neither is less.
template <class It, class Less>
struct place_of_least {
  It in;
  mutable Less less;
  std::size_t operator()(std::size_t a, std::size_t b) const { return less(in[b], in[a]) ? b : a; }
};

/// Of two places a < b, the one with the greater item; a if neither is greater.
template <class It, class Less>
struct place_of_greatest {
  It in;
  mutable Less less;
  std::size_t operator()(std::size_t a, std::size_t b) const { return less(in[a], in[b]) ? b : a; }
};

/// The places of the least and of the greatest item.
struct place_pair {
  std::size_t least, greatest;
};
template <class It, class Less>
struct places_of_both {
  place_of_least<It, Less> least;
  place_of_greatest<It, Less> greatest;
  place_pair operator()(const place_pair& a, const place_pair& b) const {
    return {least(a.least, b.least), greatest(a.greatest, b.greatest)};
  }
};

/// Folds the places [0, n), n > 0, by `pick`.
template <class Found, class Pick>
Found pick_place(std::size_t n, Pick pick, resources with) {
  const auto places_from = [](std::size_t begin) {
    return [begin](std::size_t i) {
      if constexpr (std::is_same_v<Found, place_pair>) {
        return place_pair{begin + i, begin + i};
      } else {
        return begin + i;
      }
    };
  };
  return host::fold_by_team<Found>(places_from, n, Found{}, pick, with);
}

template <class It, class Less>
std::size_t min_element(It first, std::size_t n, Less less, resources with = {}) {
  const auto in = host::plain(first);
  using pick = place_of_least<std::remove_const_t<decltype(in)>, Less>;
  return host::pick_place<std::size_t>(n, pick{in, less}, with);
}
template <class It, class Less>
std::size_t max_element(It first, std::size_t n, Less less, resources with = {}) {
  const auto in = host::plain(first);
  using pick = place_of_greatest<std::remove_const_t<decltype(in)>, Less>;
  return host::pick_place<std::size_t>(n, pick{in, less}, with);
}
template <class It, class Less>
place_pair minmax_element(It first, std::size_t n, Less less, resources with = {}) {
  const auto in = host::plain(first);
  using pick = places_of_both<std::remove_const_t<decltype(in)>, Less>;
  return host::pick_place<place_pair>(n, pick{{in, less}, {in, less}}, with);
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
