// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items with their places in the input, which of two is picked, and the best that a thread has
// seen.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/loads.h>

#include <thrust/addressof.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// An item and its place in the input. It has no default constructor, so stock's kernel does not
/// compile for it, and reduce() does not ask how stock would launch.
template <class T, bool InMemory = false>
class placed {
 public:
  using one_item = placed;
  static constexpr bool in_memory = InMemory;
  std::size_t place;
  // No braces: they would call a constructor of T that takes a list of Ts.
  HINDSIGHT_HD placed(const T& item_at, std::size_t at) : place{at}, item_(item_at) {}
  HINDSIGHT_HD const T& item() const { return item_; }

 private:
  T item_;
};
/// The same of an item that stays where it lies in memory: comparisons load what they look at.
template <class T>
class placed<T, true> {
 public:
  using one_item = placed;
  static constexpr bool in_memory = true;
  std::size_t place;
  HINDSIGHT_HD placed(const T& item_at, std::size_t at)
      : place{at}, item_{::cuda::std::addressof(item_at)} {}
  HINDSIGHT_HD const T& item() const { return *item_; }

 private:
  const T* item_;
};

/// What minmax_element looks for.
template <class Placed>
struct placed_pair {
  using one_item = Placed;
  Placed least, greatest;
  HINDSIGHT_HD explicit placed_pair(const Placed& one) : least{one}, greatest{one} {}
  HINDSIGHT_HD placed_pair(const Placed& a, const Placed& b) : least{a}, greatest{b} {}
};

/// The placed items of an input. Wide ones of an array stay there.
template <class It>
using placed_of = placed<value_of<It>, std::is_pointer_v<unwrapped<It>> &&
                                           sizeof(value_of<It>) >= fewest_bytes_left_in_memory>;

/// Takes the place of an initial value where there is none.
struct no_item {};

/// Which item is looked for. Of equivalent ones it is the first, or the last where the name says
/// so.
enum class extremum_kind { least, greatest, last_greatest };

/// The operator of a reduction that finds the extremum: which of two items it is.
template <extremum_kind Kind, class Less>
struct pick_extremum {
  mutable Less less;
  /// Whether `next`, which comes later in the input, is picked and not `best`.
  template <class T>
  HINDSIGHT_DEVICE bool takes_next(const T& best, const T& next) const {
    if constexpr (Kind == extremum_kind::least) return static_cast<bool>(less(next, best));
    if constexpr (Kind == extremum_kind::greatest) return static_cast<bool>(less(best, next));
    if constexpr (Kind == extremum_kind::last_greatest) return !less(next, best);
  }
  template <class Placed>
  HINDSIGHT_DEVICE Placed operator()(const Placed& a, const Placed& b) const {
    // The same item twice: a comparison may look at all of it, and in memory that takes long.
    if (Placed::in_memory && a.place == b.place) return a;
    const bool picks_b =
        a.place < b.place ? takes_next(a.item(), b.item()) : !takes_next(b.item(), a.item());
    return picks_b ? b : a;
  }
  template <class Placed>
  HINDSIGHT_DEVICE Placed operator()(no_item, const Placed& only) const {
    return only;
  }
};
template <class Less>
using pick_least = pick_extremum<extremum_kind::least, Less>;
template <class Less>
using pick_greatest = pick_extremum<extremum_kind::greatest, Less>;
template <class Less>
using pick_last_greatest = pick_extremum<extremum_kind::last_greatest, Less>;

/// The operator that finds both extrema: the first of the least items, and of the greatest ones the
/// one that `Greatest` picks.
template <class Less, class Greatest = pick_greatest<Less>>
struct pick_both {
  pick_least<Less> least;
  Greatest greatest;
  template <class Placed>
  HINDSIGHT_DEVICE placed_pair<Placed> operator()(const placed_pair<Placed>& a,
                                                  const placed_pair<Placed>& b) const {
    return {least(a.least, b.least), greatest(a.greatest, b.greatest)};
  }
  template <class Placed>
  HINDSIGHT_DEVICE placed_pair<Placed> operator()(no_item, const placed_pair<Placed>& only) const {
    return only;
  }
};

/// The best of the items that a thread has seen, which come in the order of their places. A wide
/// item of an array is copied too, unless it is very wide: the compiler keeps what is compared in
/// registers, and drops the rest.
template <class Placed>
class best_item {
  using item = std::decay_t<decltype(std::declval<Placed>().item())>;
  static constexpr bool is_copied = !Placed::in_memory || (std::is_trivially_copyable_v<item> &&
                                                           std::is_copy_constructible_v<item> &&
                                                           sizeof(item) <= most_bytes_of_best);

 public:
  HINDSIGHT_DEVICE best_item(const item& first, std::size_t at) : place_{at} { hold(first); }
  /// Item number i of the tile.
  template <class Pick>
  HINDSIGHT_DEVICE void look_at(const item& next, int i, const Pick& pick) {
    if (pick.takes_next(held(), next)) hold(next), number_ = i;
  }
  /// After a tile: place_of(i) is the place of its item i. (A place has 64 bits. The tile's code
  /// has a constant for each.)
  template <class PlaceOf>
  HINDSIGHT_DEVICE void finish_tile(PlaceOf place_of) {
    if (number_ != none) place_ = place_of(number_), number_ = none;
  }
  template <class Input>
  HINDSIGHT_DEVICE Placed placed(const Input& input) const {
    if constexpr (Placed::in_memory) {
      return Placed(input.in[place_], place_);
    } else {
      return Placed(held(), place_);
    }
  }

 private:
  static constexpr int none = -1;
  HINDSIGHT_DEVICE void hold(const item& next) {
    if constexpr (is_copied) {
      held_.set(next);
    } else {
      held_ = ::cuda::std::addressof(next);
    }
  }
  HINDSIGHT_DEVICE const item& held() const {
    if constexpr (is_copied) {
      return held_.get();
    } else {
      return *held_;
    }
  }
  std::conditional_t<is_copied, uninitialized<item>, const item*> held_;
  std::size_t place_;
  int number_ = none;
};

/// The same of both extrema, for pick_both.
template <class Placed>
class best_item<placed_pair<Placed>> {
 public:
  template <class Item>
  HINDSIGHT_DEVICE best_item(const Item& first, std::size_t at)
      : least_(first, at), greatest_(first, at) {}
  template <class Item, class Pick>
  HINDSIGHT_DEVICE void look_at(const Item& next, int i, const Pick& pick) {
    least_.look_at(next, i, pick.least);
    greatest_.look_at(next, i, pick.greatest);
  }
  template <class PlaceOf>
  HINDSIGHT_DEVICE void finish_tile(PlaceOf place_of) {
    least_.finish_tile(place_of);
    greatest_.finish_tile(place_of);
  }
  template <class Input>
  HINDSIGHT_DEVICE placed_pair<Placed> placed(const Input& input) const {
    return {least_.placed(input), greatest_.placed(input)};
  }

 private:
  best_item<Placed> least_, greatest_;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
