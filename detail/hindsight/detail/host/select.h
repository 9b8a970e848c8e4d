// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections on threads: tiles select into scratch memory, look back, and copy.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/flags.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Whether item i is the first of a run of equal neighbours.
template <class It, class Equal>
struct is_head {
  It in;
  mutable Equal equal;
  bool operator()(std::size_t i) const { return i == 0 || follows(i); }
  bool follows(std::size_t i) const { return differ(i - 1, i); }  ///< for i > 0
  bool differ(std::size_t a, std::size_t b) const {
    auto&& left = host::item_at<value_of<It>>(in, a);
    auto&& right = host::item_at<value_of<It>>(in, b);
    return !bool(equal(left, right));
  }
};

/// Whether a predicate also reads the item before its own: for the first item of a tile, the last
/// one of the tile before.
template <class Pred>
inline constexpr bool reads_previous = false;
template <class It, class Equal>
inline constexpr bool reads_previous<is_head<It, Equal>> = true;

/// Calls take(begin, bits, number of bits that are set) for blocks of items of [0, n), where bit j
/// of `bits` is pred(stencil[begin + j]). Returns where the blocks end: behind the first one in
/// which more than few_set bits are set and more than a few are not. A loop that only finds flags
/// compares several small items at once, but a mixture is faster without flags.
template <class T, class StencilIt, class Pred, class Take>
std::size_t take_blocks(StencilIt stencil, std::size_t n, Pred& pred, std::size_t few_set,
                        Take take) {
  constexpr std::size_t block = flags_at_once;
  std::size_t end = 0;
  if constexpr (sizeof(T) <= flag_tuning::most_bytes) {
    for (bool is_mixed = false; !is_mixed && n - end >= block; end += block) {
      bool flags[block];
      if constexpr (reads_previous<Pred>) {
        flags[0] = pred(stencil[end]);
        for (std::size_t j = 1; j < block; ++j) flags[j] = pred.follows(stencil[end + j]);
      } else {
        for (std::size_t j = 0; j < block; ++j) flags[j] = bool(pred(stencil[end + j]));
      }
      const std::size_t num_set = host::count_flags(flags, block);
      is_mixed = num_set > few_set && block - num_set > flag_tuning::few;
      take(end, host::load_flag_bits(flags, 0, block), num_set);
    }
  }
  return end;
}

/// A copy of an iterator if it is as good as a pointer, which the compiler then knows that no item
/// overwrites. Others, which may own functors of any size, are not copied.
template <class It>
using light_copy = std::conditional_t<std::is_trivially_copyable_v<It>, const It, const It&>;

/// Makes items from in[begin, end) at `to`; returns where they end.
template <class InputIt, class T>
T* put_all(const InputIt& in, std::size_t begin, std::size_t end, T* to) {
  light_copy<InputIt> own_in = in;
  for (std::size_t i = begin; i < end; ++i) host::put(to + (i - begin), own_in[i]);
  return to + (end - begin);
}

/// Makes items from those of a block whose bits are set, at `to`; returns where they end. If only a
/// few are not set, the items between these are made together.
template <class InputIt, class T>
T* put_block(const InputIt& in, std::size_t begin, std::uint64_t bits, std::size_t num_set, T* to) {
  const std::size_t end = begin + flags_at_once, first = begin;
  if (num_set == flags_at_once) return host::put_all(in, begin, end, to);
  if (flags_at_once - num_set > flag_tuning::few) {
    host::for_each_bit(bits, [&](std::size_t j) { host::put(to++, in[begin + j]); });
    return to;
  }
  host::for_each_bit(~bits, [&](std::size_t j) {
    to = host::put_all(in, begin, first + j, to);
    begin = first + j + 1;
  });
  return host::put_all(in, begin, end, to);
}

/// Whether any item of a range may be read, also one that is not selected: it lies in an array or
/// is a number. What another iterator would look up or compute there need not exist.
template <class It>
inline constexpr bool has_all_items = is_contiguous<It>;
template <class It>
inline constexpr bool has_all_items<std::reverse_iterator<It>> = has_all_items<It>;
template <class It>
inline constexpr bool has_all_items<thrust::reverse_iterator<It>> = has_all_items<It>;
template <class... Args>
inline constexpr bool has_all_items<thrust::counting_iterator<Args...>> = true;
template <class... Its>
inline constexpr bool has_all_items<thrust::zip_iterator<::cuda::std::tuple<Its...>>> =
    (has_all_items<Its> && ...);

/// Copies the items of in[0, n) with pred(stencil[i]) to the front of `kept` [n]; returns how many.
/// In a mixture every item is stored, if it may be read or is what pred has read; the next one
/// overwrites it unless it is kept. So there is no branch, which could not be predicted.
template <class InputIt, class StencilIt, class T, class Pred>
std::size_t compact(InputIt in, StencilIt stencil, std::size_t n, Pred pred, T* kept) {
  T* end = kept;
  std::size_t i =
      host::take_blocks<T>(stencil, n, pred, flag_tuning::few_kept,
                           [&](std::size_t begin, std::uint64_t keep, std::size_t num_kept) {
                             end = host::put_block(in, begin, keep, num_kept, end);
                           });
  std::size_t count = end - kept;
  for (; i < n; ++i) {
    const bool keep = bool(pred(stencil[i]));
    if constexpr (!has_all_items<InputIt> && !std::is_same_v<InputIt, StencilIt>) {
      if (!keep) continue;
    }
    host::put(kept + count, in[i]);
    count += keep;
  }
  return count;
}

/// keep[i] = pred(stencil[i]); returns how many are kept. For items whose copies are not cheap.
template <class StencilIt, class Pred>
std::size_t mark(StencilIt stencil, std::size_t n, Pred pred, bool* keep) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += keep[i] = bool(pred(stencil[i]));
  return count;
}

/// The last item of each tile. If all items up to it are kept, the next tile writes it: in place it
/// may be read until the next tile has its carry. Empty where each tile writes all of its items
/// itself.
template <class T>
class last_items {
 public:
  void carve(carver& space, const tiling& tiles) {
    num_tiles_ = tiles.num_tiles;
    items_ = host::take_room<T>(space, num_tiles_);
  }
  /// Called before the tile publishes its count. Returns how many items are left to the next tile
  /// if all up to here are kept.
  std::size_t leave(std::size_t tile, const T& item) {
    if (tile + 1 >= num_tiles_) return 0;
    host::put(items_ + tile, item);
    return 1;
  }
  /// Called when the tile has its carry, if all items before it are kept.
  template <class OutputIt>
  void write_previous(std::size_t tile, std::size_t begin, OutputIt out) {
    if (tile > 0 && num_tiles_ > 0) out[begin - 1] = items_[tile - 1];
  }

 private:
  std::size_t num_tiles_ = 0;
  T* items_ = nullptr;
};

/// copy_if() for items that are cheap to copy: a tile compacts them in scratch memory, looks back,
/// and copies them to their places. `LeavesLast` says whether the last item of a tile may have to
/// stay where it is until the next tile has read it.
template <bool LeavesLast, class T, class InputIt, class StencilIt, class OutputIt, class Pred>
std::size_t copy_if_cheap(InputIt in, StencilIt stencil, OutputIt out, const tiling& tiles,
                          Pred pred, count_chain& kept_before, const rooms<T>& room,
                          [[maybe_unused]] last_items<T>& last) {
  const bool in_place = host::is_in_place(in, out);
  std::size_t total = 0;
  kept_before.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    T* const kept = room[rank];
    const std::size_t count = host::compact(in + begin, stencil + begin, size, pred, kept);
    std::size_t left = 0;
    if constexpr (LeavesLast)
      if (count == size) left = last.leave(tile, kept[size - 1]);
    const std::size_t before = kept_before.carry_into(tile, count);
    if constexpr (LeavesLast)
      if (before == begin) last.write_previous(tile, begin, out);
    if (before != begin) left = 0;
    // If all items up to here are kept, they are in their places already. They are not written
    // again, since the thread of the next tile may be reading the last one.
    const bool is_done = in_place && before == begin && count == size;
    if (!is_done) std::copy(kept, kept + (count - left), out + before);
    if (tile + 1 == tiles.num_tiles) total = before + count;
  });
  return total;
}

/// copy_if() for items whose copies are not cheap: notes a flag for each item of a tile, then
/// copies each kept item once.
template <class InputIt, class StencilIt, class OutputIt, class Pred>
std::size_t copy_if_marked(InputIt in, StencilIt stencil, OutputIt out, const tiling& tiles,
                           Pred pred, count_chain& kept_before, const rooms<bool>& flags) {
  const bool in_place = host::is_in_place(in, out);
  std::size_t total = 0;
  kept_before.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    bool* const keep = flags[rank];
    const std::size_t count = host::mark(stencil + begin, size, pred, keep);
    const std::size_t before = kept_before.carry_into(tile, count);
    const auto items = in + begin;
    for (std::size_t i = 0, to = before; i < size; ++i) {
      if (!keep[i]) continue;
      if (!(in_place && to == begin + i)) out[to] = items[i];  // no item onto itself
      ++to;
    }
    if (tile + 1 == tiles.num_tiles) total = before + count;
  });
  return total;
}

/// Copies the items of in[0, n) with pred(stencil[i]) to `out`, in order; returns how many.
/// Calls pred once per item. `out` may be `in`. Then, if copies are not cheap, one thread does all:
/// others would write over items that are still to be copied.
///   Memory  a tile for each thread; if copies are not cheap, a flag for each item of a tile. An
///           item per tile if pred reads the item before and the iterators do not tell whether
///           `out` is `in`
template <class InputIt, class StencilIt, class OutputIt, class Pred>
std::size_t copy_if(InputIt first, StencilIt stencil_first, OutputIt out_first, std::size_t n,
                    Pred pred, resources with = {}) {
  using T = value_of<InputIt>;
  if (n == 0) return 0;
  const auto in = host::plain_input(first);
  const auto stencil = host::plain_input(stencil_first);
  const auto out = host::plain(out_first);
  cut wanted = with.cut_for<OutputIt>();
  if (!is_cheap<T> && host::is_in_place(in, out)) wanted.num_threads = 1;
  const tiling tiles{n, weight_of<T>, wanted};
  count_chain kept_before{tiles};
  if constexpr (is_cheap<T>) {
    constexpr bool leaves_last =
        reads_previous<Pred> &&
        !tells_if_in_place<std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(out)>>;
    rooms<T> room;
    last_items<T> last;
    const scratch memory{*with.memory, [&](carver& space) {
                           kept_before.carve(space);
                           room.carve(space, tiles.num_threads, tiles.tile_items);
                           if (leaves_last && tiles.num_threads > 1) last.carve(space, tiles);
                         }};
    return host::copy_if_cheap<leaves_last>(in, stencil, out, tiles, pred, kept_before, room, last);
  } else {
    rooms<bool> flags;
    const scratch memory{*with.memory, [&](carver& space) {
                           kept_before.carve(space);
                           flags.carve(space, tiles.num_threads, tiles.tile_items);
                         }};
    return host::copy_if_marked(in, stencil, out, tiles, pred, kept_before, flags);
  }
}

/// Moves the items with pred(stencil[i]) to the front, in order; returns how many. By one thread,
/// for items whose copies are not cheap.
template <class It, class StencilIt, class Pred>
std::size_t move_if(It first, StencilIt stencil_first, std::size_t n, Pred pred) {
  if (n == 0) return 0;
  const auto items = host::plain(first);
  const auto stencil = host::plain(stencil_first);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!bool(pred(stencil[i]))) continue;
    if (count != i) items[count] = std::move(items[i]);
    ++count;
  }
  return count;
}

/// Moves the first item of each run to the front, in order; returns how many. As move_if().
template <class It, class Equal>
std::size_t move_heads(It first, std::size_t n, Equal equal) {
  if (n == 0) return 0;
  const auto items = host::plain(first);
  const is_head<std::remove_const_t<decltype(items)>, Equal> head{items, equal};
  std::size_t count = 1, previous = 0;  // where the item before item i is now
  for (std::size_t i = 1; i < n; ++i) {
    if (!head.differ(previous, i)) {
      previous = i;
    } else {
      if (count != i) items[count] = std::move(items[i]);
      previous = count++;
    }
  }
  return count;
}

/// Number of runs.
template <class Count, class It, class Equal>
Count unique_count(It first, std::size_t n, Equal equal, resources with = {}) {
  if (n == 0) return 0;
  const auto in = host::plain(first);
  const is_head<std::remove_const_t<decltype(in)>, Equal> head{in, equal};
  const auto one = [head](std::size_t i) { return head(i) ? Count(1) : Count(0); };
  return host::transform_reduce(places{}, n, one, Count(0), ::cuda::std::plus<Count>{}, with);
}

/// Copies the items whose key is the first of a run, as copy_if does; returns how many.
template <class KeyIt, class InputIt, class OutputIt, class Equal>
std::size_t unique_by_key(KeyIt keys_first, InputIt in, OutputIt out, std::size_t n, Equal equal,
                          resources with = {}) {
  if (n == 0) return 0;
  const auto keys = host::plain(host::that_copies(keys_first));
  const is_head<std::remove_const_t<decltype(keys)>, Equal> head{keys, equal};
  return host::copy_if(in, places{}, out, n, head, with);
}

/// Copies the keys and values of the items of [begin, begin + size) for which is_kept(place);
/// returns how many. As compact() otherwise.
template <class KeyIt, class ValueIt, class Pred, class Key, class Value>
std::size_t compact_pairs(KeyIt keys, ValueIt values, std::size_t begin, std::size_t size,
                          Pred is_kept, Key* kept_keys, Value* kept_values) {
  std::size_t count = 0;
  for (std::size_t i = begin; i < begin + size; ++i) {
    const bool keep = is_kept(i);
    host::put(kept_keys + count, keys[i]);
    host::put(kept_values + count, values[i]);
    count += keep;
  }
  return count;
}

/// Moves the first key and the first value of each run to the front, in order; returns how many.
/// Copies of both are cheap.
///   Memory  a tile of keys and values for each thread
///   Errors  if equal throws, the tiles before that one have moved their keys and values, and all
///           other items are where they were. Each key still has its value
template <class KeyIt, class ValueIt, class Equal>
std::size_t unique_pairs(KeyIt keys_first, ValueIt values_first, std::size_t n, Equal equal,
                         resources with = {}) {
  using Key = value_of<KeyIt>;
  using Value = value_of<ValueIt>;
  if (n == 0) return 0;
  const auto keys = host::plain(keys_first);
  const auto values = host::plain(values_first);
  const is_head<std::remove_const_t<decltype(keys)>, Equal> head{keys, equal};
  const tiling tiles{n, weight_of<Key> + weight_of<Value>, with.cut_for<KeyIt, ValueIt>()};
  count_chain counts{tiles};
  rooms<Key> kept_keys;
  rooms<Value> kept_values;
  const scratch memory{*with.memory, [&](carver& space) {
                         counts.carve(space);
                         kept_keys.carve(space, tiles.num_threads, tiles.tile_items);
                         kept_values.carve(space, tiles.num_threads, tiles.tile_items);
                       }};
  std::size_t total = 0;
  counts.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    Key* const own_keys = kept_keys[rank];
    Value* const own_values = kept_values[rank];
    const std::size_t count =
        host::compact_pairs(keys, values, begin, size, head, own_keys, own_values);
    const std::size_t before = counts.carry_into(tile, count);
    if (before != begin || count != size) {  // else all are in their places, as in copy_if()
      std::copy(own_keys, own_keys + count, keys + before);
      std::copy(own_values, own_values + count, values + before);
    }
    if (tile + 1 == tiles.num_tiles) total = before + count;
  });
  return total;
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
