// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least or the greatest item and its place: a reduction of items that carry their places.
#pragma once

#include <hindsight/detail/cuda/reduce.cuh>
#include <hindsight/detail/tuning/loads.h>

#include <thrust/addressof.h>

#include <cstddef>
#include <iterator>
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
using placed_of =
    placed<value_of<It>, std::is_pointer_v<decltype(cuda::unwrap(std::declval<It>()))> &&
                             sizeof(value_of<It>) >= fewest_bytes_left_in_memory>;

/// The places 0, 1, 2, ...
struct place_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const std::size_t*;
  using reference = std::size_t;
  HINDSIGHT_HD std::size_t operator[](std::size_t i) const { return i; }
};

/// The item at a place, as a `Found`: placed, or placed_pair.
template <class Found, class It>
struct item_at_place {
  It in;
  HINDSIGHT_DEVICE Found operator()(std::size_t place) const {
    using one = typename Found::one_item;
    if constexpr (one::in_memory) {
      return Found(one(in[place], place));
    } else {
      return Found(one(static_cast<value_of<It>>(in[place]), place));
    }
  }
};

/// Takes the place of an initial value where there is none.
struct no_item {};

/// Which item is looked for. Of equivalent ones it is the first, or the last where the name says
/// so.
enum class extremum_kind { least, greatest, last_greatest };

/// The operator of a reduction that finds the extremum: which of two items it is.
template <extremum_kind Kind, class Less>
struct pick_extremum {
  mutable Less less;
  template <class Placed>
  HINDSIGHT_DEVICE Placed operator()(const Placed& a, const Placed& b) const {
    constexpr bool takes_less = Kind == extremum_kind::least;
    if (less(a.item(), b.item())) return takes_less ? a : b;
    if (less(b.item(), a.item())) return takes_less ? b : a;
    if constexpr (Kind == extremum_kind::last_greatest) return a.place < b.place ? b : a;
    return a.place < b.place ? a : b;
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

/// The result of a reduction to a placed item: *item_out and *place_out; for an empty range nothing
/// is written.
template <class ItemOut, class PlaceOut>
struct write_placed {
  ItemOut item_out;
  PlaceOut place_out;
  HINDSIGHT_HD const write_placed& operator*() const { return *this; }
  template <class T, bool InMemory>
  HINDSIGHT_DEVICE const write_placed& operator=(const placed<T, InMemory>& found) const {
    *item_out = found.item();
    if constexpr (std::is_void_v<value_of<PlaceOut>>) {
      *place_out = found.place;
    } else {
      *place_out = static_cast<value_of<PlaceOut>>(found.place);
    }
    return *this;
  }
  HINDSIGHT_DEVICE const write_placed& operator=(no_item) const { return *this; }
};

/// The place alone, or both places of a pair: out[0] and out[1].
struct write_place {
  std::size_t* out;
  HINDSIGHT_HD const write_place& operator*() const { return *this; }
  template <class T, bool InMemory>
  HINDSIGHT_DEVICE const write_place& operator=(const placed<T, InMemory>& found) const {
    out[0] = found.place;
    return *this;
  }
  template <class Placed>
  HINDSIGHT_DEVICE const write_place& operator=(const placed_pair<Placed>& found) const {
    out[0] = found.least.place;
    out[1] = found.greatest.place;
    return *this;
  }
  HINDSIGHT_DEVICE const write_place& operator=(no_item) const { return *this; }
};

/// Host side, in CUB's two phases. `Found` is what `pick` picks.
template <class Found, class It, class Size, class Pick, class Write>
cudaError_t extremum(temporary_memory temp, std::size_t& temp_bytes, It in, Size num_items,
                     Pick pick, Write write, cudaStream_t stream) {
  const auto items = cuda::unwrap(in);
  const item_at_place<Found, std::remove_const_t<decltype(items)>> item_at{items};
  return cuda::reduce<Found>(temp, temp_bytes, place_iterator{}, num_items, item_at, pick,
                             no_item{}, write, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
