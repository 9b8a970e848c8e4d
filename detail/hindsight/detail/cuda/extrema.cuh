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
    if constexpr (Kind == extremum_kind::least) return less(next, best);
    if constexpr (Kind == extremum_kind::greatest) return less(best, next);
    if constexpr (Kind == extremum_kind::last_greatest) return !less(next, best);
  }
  template <class Placed>
  HINDSIGHT_DEVICE Placed operator()(const Placed& a, const Placed& b) const {
    if (a.place < b.place) return takes_next(a.item(), b.item()) ? b : a;
    return takes_next(b.item(), a.item()) ? a : b;
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

/// Items of a tile of a thread, and how many of them one load brings: 128 bytes of an array, or
/// what comparisons look at in eight of its items; of computed items 64 bytes.
template <class It, class T = value_of<It>>
HINDSIGHT_HD constexpr reduce_order extremum_order() {
  constexpr int bytes = static_cast<int>(sizeof(T));
  if (!std::is_pointer_v<It>) return {256, bytes < 16 ? 64 / bytes : 4, 1};
  constexpr bool has_vectors = std::is_trivially_copyable_v<T> && 16 % bytes == 0;
  return {256, bytes < 16 ? 128 / bytes : 8, has_vectors ? 16 / bytes : 1};
}

/// What the reduction to an extremum folds, instead of a reduce_input. `Found` is placed, or
/// placed_pair.
template <class Found, class It>
struct placed_input {
  using value = Found;
  using item = cuda::value_of<It>;
  static constexpr bool has_any_order = !Found::one_item::in_memory;
  static constexpr int vectors_ahead = 4;
  static constexpr int items_ahead = Found::one_item::in_memory ? 1 : items_read_ahead<It>;
  HINDSIGHT_HD static constexpr reduce_order order() { return extremum_order<It>(); }
  static constexpr bool has_vectors = order().vector > 1;
  template <class Op>
  static constexpr int min_blocks = 0;
  It in;
  std::size_t n;
  bool vectors;  ///< read `vector` neighbours at a time

  HINDSIGHT_DEVICE Found operator[](std::size_t place) const {
    return value_of(read(place), place);
  }
  HINDSIGHT_DEVICE decltype(auto) read(std::size_t place) const {
    if constexpr (Found::one_item::in_memory) {
      return (in[place]);
    } else {
      return static_cast<item>(in[place]);
    }
  }
  HINDSIGHT_DEVICE Found value_of(const item& one, std::size_t place) const {
    return Found(typename Found::one_item(one, place));
  }

  /// As reduce_input's.
  template <reads Reads, class Pick>
  HINDSIGHT_DEVICE Found fold_full_tiles(std::size_t& begin, std::size_t stride,
                                         const Pick& pick) const {
    constexpr reduce_order o = order();
    constexpr int vector = Reads == reads::vectors ? o.vector : 1;
    const auto place_of = [&](int i) {
      return begin + (i / vector * o.block_threads + threadIdx.x) * vector + i % vector;
    };
    best_item<Found> best(read(place_of(0)), place_of(0));
    for (; begin + o.tile_items() <= n; begin += stride) {
      if constexpr (Found::one_item::in_memory) {
        HINDSIGHT_UNROLL
        for (int i = 0; i < o.items; ++i) best.look_at(in[place_of(i)], i, pick);
      } else {
        uninitialized<item> next[o.items];
        HINDSIGHT_UNROLL
        for (int i = 0; i < o.items; i += vector) {
          if constexpr (vector > 1) {
            cuda::load_aligned<vector>(in + place_of(i), next + i);
          } else {
            next[i].set(read(place_of(i)));
          }
        }
        HINDSIGHT_UNROLL
        for (int i = 0; i < o.items; ++i) best.look_at(next[i].get(), i, pick);
      }
      best.finish_tile(place_of);
    }
    return best.placed(*this);
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
  using input_t = placed_input<Found, std::remove_const_t<decltype(items)>>;
  bool vectors = false;
  if constexpr (input_t::has_vectors) vectors = reinterpret_cast<std::size_t>(items) % 16 == 0;
  const input_t input{items, detail::most_items(num_items), vectors};
  return cuda::fold(temp, temp_bytes, input, num_items, pick, no_item{}, write,
                    strip_for_each_block{}, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
