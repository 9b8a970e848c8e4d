// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/relay.h>
#include <hindsight/detail/host/select.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace hindsight::detail::host {

/// Splits in[0, n) into accepted and rejected items, both in order, without a branch; returns how
/// many are accepted. Both outputs have room for n.
template <class InputIt, class StencilIt, class T, class Pred>
std::size_t split(InputIt in, StencilIt stencil, std::size_t n, Pred pred, T* accepted,
                  T* rejected) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool accept = bool(pred(stencil[i]));
    accepted[count] = in[i];
    rejected[i - count] = in[i];
    count += accept;
  }
  return count;
}

/// Copies the items with pred(stencil[i]) to out_true and the others to out_false, both in order;
/// returns how many went to out_true. Calls pred once per item. Copies of T are cheap: out_true may
/// be `in`.
template <class InputIt, class StencilIt, class OutputTrueIt, class OutputFalseIt, class Pred>
std::size_t partition_copy_cheap(InputIt in, StencilIt stencil, OutputTrueIt out_true,
                                 OutputFalseIt out_false, const tiling& tiles, Pred pred) {
  using T = value_of<InputIt>;
  tally accepted_before{tiles};
  std::size_t total = 0;
  accepted_before.run(tiles, [&](std::size_t tile) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    const auto accepted = scratch<T>(size), rejected = scratch<T>(size);
    const std::size_t count =
        split(in + begin, stencil + begin, size, pred, accepted.get(), rejected.get());

    // Once the carry is known, every tile before this one has been read.
    const std::size_t before = accepted_before.pass(tile, count);
    std::copy(accepted.get(), accepted.get() + count, out_true + before);
    std::copy(rejected.get(), rejected.get() + (size - count), out_false + (begin - before));
    if (tile + 1 == tiles.num_tiles) total = before + count;
  });
  return total;
}

/// The same for items that are better not copied in vain.
template <class InputIt, class StencilIt, class OutputTrueIt, class OutputFalseIt, class Pred>
std::size_t partition_copy_marked(InputIt in, StencilIt stencil, OutputTrueIt out_true,
                                  OutputFalseIt out_false, const tiling& tiles, Pred pred) {
  tally accepted_before{tiles};
  std::size_t total = 0;
  accepted_before.run(tiles, [&](std::size_t tile) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    const auto accept = scratch<bool>(size);
    const std::size_t count = mark(stencil + begin, size, pred, accept.get());
    const std::size_t before = accepted_before.pass(tile, count);
    std::size_t to_true = before, to_false = begin - before;
    for (std::size_t i = 0; i < size; ++i) {
      if (accept[i]) {
        out_true[to_true++] = in[begin + i];
      } else {
        out_false[to_false++] = in[begin + i];
      }
    }
    if (tile + 1 == tiles.num_tiles) total = before + count;
  });
  return total;
}

/// Copies the items with pred(stencil[i]) to out_true and the others to out_false, both in order;
/// returns how many went to out_true. Calls pred once per item.
template <class InputIt, class StencilIt, class OutputTrueIt, class OutputFalseIt, class Pred>
std::size_t partition_copy(InputIt in, StencilIt stencil, OutputTrueIt out_true,
                           OutputFalseIt out_false, std::size_t n, Pred pred, cut wanted = {}) {
  using T = value_of<InputIt>;
  if (n == 0) return 0;
  const tiling tiles{n, sizeof(T), wanted};
  if constexpr (is_cheap<T>) {
    return partition_copy_cheap(host::plain(in), host::plain(stencil), host::plain(out_true),
                                host::plain(out_false), tiles, pred);
  } else {
    return partition_copy_marked(host::plain(in), host::plain(stencil), host::plain(out_true),
                                 host::plain(out_false), tiles, pred);
  }
}

/// Puts the items with pred(stencil[i]) first and the others behind them, both in order; returns
/// how many came first. Calls pred once per item. `stencil` may be `first`.
///   Memory  room for n items, of which as many are touched as are rejected
template <class It, class StencilIt, class Pred>
std::size_t stable_partition(It first, StencilIt stencil_first, std::size_t n, Pred pred,
                             cut wanted = {}) {
  using T = value_of<It>;
  if (n == 0) return 0;
  const auto items = host::plain(first);
  const auto stencil = host::plain(stencil_first);
  if constexpr (is_cheap<T>) {
    const auto rejected = scratch<T>(n);
    const std::size_t total = partition_copy_cheap(items, stencil, items, rejected.get(),
                                                   tiling{n, sizeof(T), wanted}, pred);
    if (total == n) return total;
    const tiling rest{n - total, sizeof(T), wanted};
    for_each_tile(rest, [&](std::size_t tile) {
      const T* const from = rejected.get() + rest.begin(tile);
      std::copy(from, from + rest.size(tile), items + (total + rest.begin(tile)));
    });
    return total;
  } else {
    std::vector<T> rejected;
    std::size_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (bool(pred(stencil[i]))) {
        if (total != i) items[total] = std::move(items[i]);
        ++total;
      } else {
        rejected.push_back(std::move(items[i]));
      }
    }
    std::move(rejected.begin(), rejected.end(), items + total);
    return total;
  }
}

}  // namespace hindsight::detail::host
