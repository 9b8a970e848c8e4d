// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of neighbours on threads. Where the output may be the input, the last item of each
// tile is put aside first, for the tile after it.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>

#include <cstddef>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// out[i] = op(item, previous). The result may refer to both until it is written, also to copies.
template <class T, class OutputIt, class Op, class Item, class Previous>
void write_difference(OutputIt out, std::size_t i, Op& op, Item&& item, Previous&& previous) {
  if constexpr (gets_copies<Op, T>()) {
    T own_item(host::as_item<T>(item)), own_previous(host::as_item<T>(previous));
    out[i] = op(own_item, own_previous);
  } else {
    out[i] = op(item, previous);
  }
}

/// out[i] = op(in[i], in[i - 1]), out[0] = in[0]. `out` may be `in`; one thread then, from the last
/// item to the first, if copies are not cheap.
///   Memory  an item for each tile if `out` is `in`, or if the iterators cannot tell; else none
template <class InputIt, class OutputIt, class Op>
void adjacent_difference(InputIt first, OutputIt out_first, std::size_t n, Op op,
                         resources with = {}) {
  using T = value_of<InputIt>;
  if (n == 0) return;
  const auto in = host::plain(first);
  const auto out = host::plain(out_first);
  const tiling tiles{n, sizeof(T), with.cut_for<OutputIt>()};
  if constexpr (is_cheap<T>) {
    if (host::may_be_in_place(in, out)) {
      T* lasts = nullptr;
      const scratch memory{
          *with.memory, [&](carver& space) { lasts = host::take_room<T>(space, tiles.num_tiles); }};
      for (std::size_t tile = 0; tile < tiles.num_tiles; ++tile)
        host::put(lasts + tile, in[tiles.begin(tile) + tiles.size(tile) - 1]);
      host::for_each_tile(tiles, [&](std::size_t tile) {
        Op own = op;  // functors are not shared between threads
        const std::size_t begin = tiles.begin(tile), end = begin + tiles.size(tile);
        for (std::size_t i = end - 1; i > begin; --i)
          host::write_difference<T>(out, i, own, host::item_at<T>(in, i),
                                    host::item_at<T>(in, i - 1));
        if (tile > 0) {
          host::write_difference<T>(out, begin, own, host::item_at<T>(in, begin), lasts[tile - 1]);
        } else {
          out[begin] = host::item_at<T>(in, begin);
        }
      });
      return;
    }
  } else if (host::may_be_in_place(in, out)) {
    for (std::size_t i = n - 1; i > 0; --i)
      host::write_difference<T>(out, i, op, host::item_at<T>(in, i), host::item_at<T>(in, i - 1));
    out[0] = host::copy_at<T>(in, 0);  // a copy: no item is assigned to itself
    return;
  }
  host::for_each_tile(tiles, [&](std::size_t tile) {
    Op own = op;
    std::size_t i = tiles.begin(tile);
    const std::size_t end = i + tiles.size(tile);
    if (i == 0) {
      out[0] = host::item_at<T>(in, 0);
      ++i;
    }
    for (; i < end; ++i)
      host::write_difference<T>(out, i, own, host::item_at<T>(in, i), host::item_at<T>(in, i - 1));
  });
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
