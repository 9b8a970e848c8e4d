// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partition on threads: each tile is split into selected and rejected items; where these go is
// known after look-back. In place, the rejected ones wait in scratch memory.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/select.h>
#include <hindsight/detail/std_basics.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Splits in[0, n) into selected and rejected items, both in order; returns how many are selected.
/// Both outputs have room for n. A mixture is split without a branch, as in compact().
template <class InputIt, class StencilIt, class T, class Pred>
std::size_t split(InputIt in, StencilIt stencil, std::size_t n, Pred pred, T* selected,
                  T* rejected) {
  T *selected_end = selected, *rejected_end = rejected;
  std::size_t i = host::take_blocks<T>(
      stencil, n, pred, flag_tuning::few,
      [&](std::size_t begin, std::uint64_t select, std::size_t num_selected) {
        selected_end = host::put_block(in, begin, select, num_selected, selected_end);
        rejected_end =
            host::put_block(in, begin, ~select, flags_at_once - num_selected, rejected_end);
      });
  std::size_t count = selected_end - selected;
  for (; i < n; ++i) {
    const bool select = bool(pred(stencil[i]));
    host::put(selected + count, in[i]);
    host::put(rejected + (i - count), in[i]);
    count += select;
  }
  return count;
}

/// Where a partition keeps its tiles until it knows their places.
template <class T>
struct split_tiles {
  rooms<T> selected, rejected;
  void carve(carver& space, const tiling& tiles) {
    selected.carve(space, tiles.num_threads, tiles.tile_items);
    rejected.carve(space, tiles.num_threads, tiles.tile_items);
  }
};

/// Copies the items with pred(stencil[i]) to out_true and the others to out_false, both in order;
/// returns how many went to out_true. Calls pred once per item. Copies of T are cheap: out_true may
/// be `in`. `IsRoom`: out_false is memory that holds no objects, to which nothing can be assigned.
template <bool IsRoom, class T, class InputIt, class StencilIt, class OutputTrueIt,
          class OutputFalseIt, class Pred>
std::size_t partition_copy_cheap(InputIt in, StencilIt stencil, OutputTrueIt out_true,
                                 OutputFalseIt out_false, const tiling& tiles, Pred pred,
                                 count_chain& selected_before, const split_tiles<T>& room) {
  std::size_t total = 0;
  selected_before.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    T *const selected = room.selected[rank], *const rejected = room.rejected[rank];
    const std::size_t count =
        host::split(in + begin, stencil + begin, size, pred, selected, rejected);

    // Once the carry is known, every tile before this one has been read.
    const std::size_t before = selected_before.carry_into(tile, count);
    std::copy(selected, selected + count, out_true + before);
    if constexpr (IsRoom) {
      host::put_all(rejected, 0, size - count, out_false + (begin - before));
    } else {
      std::copy(rejected, rejected + (size - count), out_false + (begin - before));
    }
    if (tile + 1 == tiles.num_tiles) total = before + count;
  });
  return total;
}

/// Partitions items whose copies are not cheap: notes a flag for each item of a tile, then copies
/// each item once. out_true may not be `in`.
template <class InputIt, class StencilIt, class OutputTrueIt, class OutputFalseIt, class Pred>
std::size_t partition_copy_marked(InputIt in, StencilIt stencil, OutputTrueIt out_true,
                                  OutputFalseIt out_false, const tiling& tiles, Pred pred,
                                  count_chain& selected_before, const rooms<bool>& flags) {
  std::size_t total = 0;
  selected_before.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    bool* const select = flags[rank];
    const std::size_t count = host::mark(stencil + begin, size, pred, select);
    const std::size_t before = selected_before.carry_into(tile, count);
    std::size_t to_true = before, to_false = begin - before;
    const auto items = in + begin;
    for (std::size_t i = 0; i < size; ++i) {
      if (select[i]) {
        out_true[to_true++] = items[i];
      } else {
        out_false[to_false++] = items[i];
      }
    }
    if (tile + 1 == tiles.num_tiles) total = before + count;
  });
  return total;
}

/// Copies the items with pred(stencil[i]) to out_true and the others to out_false, both in order;
/// returns how many went to out_true. Calls pred once per item.
///   Memory  two tiles for each thread; if copies are not cheap, a flag for each item of a tile
template <class InputIt, class StencilIt, class OutputTrueIt, class OutputFalseIt, class Pred>
std::size_t partition_copy(InputIt in_first, StencilIt stencil_first, OutputTrueIt true_first,
                           OutputFalseIt false_first, std::size_t n, Pred pred,
                           resources with = {}) {
  using T = value_of<InputIt>;
  if (n == 0) return 0;
  const auto in = host::plain_input(in_first);
  const auto stencil = host::plain_input(stencil_first);
  const auto out_true = host::plain(true_first);
  const auto out_false = host::plain(false_first);
  const tiling tiles{n, weight_of<T>, with.cut_for<OutputTrueIt, OutputFalseIt>()};
  count_chain selected_before{tiles};
  if constexpr (is_cheap<T>) {
    split_tiles<T> room;
    const scratch memory{*with.memory, [&](carver& space) {
                           selected_before.carve(space);
                           room.carve(space, tiles);
                         }};
    return host::partition_copy_cheap<false, T>(in, stencil, out_true, out_false, tiles, pred,
                                                selected_before, room);
  } else {
    rooms<bool> flags;
    const scratch memory{*with.memory, [&](carver& space) {
                           selected_before.carve(space);
                           flags.carve(space, tiles.num_threads, tiles.tile_items);
                         }};
    return host::partition_copy_marked(in, stencil, out_true, out_false, tiles, pred,
                                       selected_before, flags);
  }
}

/// stable_partition for items that are cheap to copy and to assign. Selected ones move forward;
/// rejected ones wait in scratch memory.
template <class T, class It, class StencilIt, class Pred>
std::size_t stable_partition_cheap(It items, StencilIt stencil, std::size_t n, Pred pred,
                                   resources with) {
  const cut wanted = with.cut_for<It>();
  const tiling tiles{n, weight_of<T>, wanted};
  count_chain selected_before{tiles};
  split_tiles<T> room;
  T* rejected = nullptr;
  const scratch memory{*with.memory, [&](carver& space) {
                         rejected = host::take_room<T>(space, n);
                         selected_before.carve(space);
                         room.carve(space, tiles);
                       }};
  std::size_t total = 0;
  try {
    total = host::partition_copy_cheap<true, T>(items, stencil, items, rejected, tiles, pred,
                                                selected_before, room);
  } catch (...) {
    // Complete tiles have moved their items, the others have not: no item is lost.
    const std::size_t selected = selected_before.num_written();
    const std::size_t moved = std::min(n, selected_before.num_complete() * tiles.tile_items);
    std::copy(rejected, rejected + (moved - selected), items + selected);
    throw;
  }
  if (total == n) return total;
  const tiling rest{n - total, sizeof(T), wanted};
  host::for_each_tile(rest, [&](std::size_t tile) {
    const T* const from = rejected + rest.begin(tile);
    std::copy(from, from + rest.size(tile), items + (total + rest.begin(tile)));
  });
  return total;
}

/// Items that wait in scratch memory until they are put after the others.
template <class T, class It>
class moved_aside {
 public:
  explicit moved_aside(T* room) : room_{room} {}
  moved_aside(const moved_aside&) = delete;
  moved_aside& operator=(const moved_aside&) = delete;
  ~moved_aside() { std::destroy_n(room_, count_); }

  /// An item whose move may throw is copied instead, if it can be: then it is still where it was
  /// until another one is assigned to its place.
  void take(It items, std::size_t i) {
    if constexpr (moves_without_throwing<T, It>) {
      host::put(room_ + count_, std::move(items[i]));
    } else {
      auto&& item = items[i];  // a reference, or a proxy for one
      host::put(room_ + count_, std::move_if_noexcept(item));
    }
    ++count_;
  }
  /// An assignment that throws is tried once more, and all others are made all the same.
  void put_back(It to) {
    first_exception failure;
    for (std::size_t i = 0; i < count_; ++i)
      failure.run_again([&] { to[i] = std::move(room_[i]); });
    failure.rethrow();
  }

 private:
  T* room_;
  std::size_t count_ = 0;
};

/// stable_partition for all other items, by one thread.
template <class T, class It, class StencilIt, class Pred>
std::size_t stable_partition_alone(It items, StencilIt stencil, std::size_t n, Pred pred,
                                   resources with) {
  T* room = nullptr;
  const scratch memory{*with.memory, [&](carver& space) { room = host::take_room<T>(space, n); }};
  moved_aside<T, It> rejected{room};
  std::size_t total = 0;
  try {
    for (std::size_t i = 0; i < n; ++i) {
      if (!bool(pred(stencil[i]))) {
        rejected.take(items, i);
      } else {
        if (total != i) items[total] = std::move(items[i]);
        ++total;
      }
    }
  } catch (...) {
    rejected.put_back(items + total);
    throw;
  }
  rejected.put_back(items + total);
  return total;
}

/// Puts the items with pred(stencil[i]) first and the others after them, both in order; returns how
/// many come first. Calls pred once per item. `stencil` may be `first`.
///   Memory  room for n items, of which only as many are touched as are rejected; if copies are
///           cheap, two tiles for each thread as well
///   Errors  if pred throws, or once a copy, a move or an assignment of an item, the range still
///           holds all its items, in some order. Also if every assignment throws, where items can
///           be copied and their moves are not noexcept
template <class It, class StencilIt, class Pred>
std::size_t stable_partition(It first, StencilIt stencil_first, std::size_t n, Pred pred,
                             resources with = {}) {
  using T = value_of<It>;
  if (n == 0) return 0;
  const auto items = host::plain(first);
  const auto stencil = host::plain(stencil_first);
  // A tile whose assignment throws would have lost what it has overwritten.
  if constexpr (is_cheap<T> && std::is_nothrow_copy_assignable_v<T> &&
                std::is_nothrow_assignable_v<T&, T&>) {
    return host::stable_partition_cheap<T>(items, stencil, n, pred, with);
  } else {
    return host::stable_partition_alone<T>(items, stencil, n, pred, with);
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
