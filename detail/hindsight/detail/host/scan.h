// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans on threads: by integer operators that commute in any order, by all others in the order of
// the CUDA kernel.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/host/scan_tile.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/tuning/scan.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Writes the scan of in[0, n), n > 0, item after item. `before`, if not null, precedes in[0].
template <class T, emits Emits, class InputIt, class OutputIt, class Op>
void scan_alone(InputIt in, OutputIt out, std::size_t n, Op op, const T* before) {
  std::size_t i = 0;
  T running = before ? *before : host::copy_at<T>(in, i);
  if (!before) out[i++] = running;
  for (; i < n; ++i) {
    auto&& item = host::item_at<T>(in, i);
    T next = op(running, item);  // read before the write: out may be in
    out[i] = Emits == emits::with_item ? next : running;
    running = std::move(next);
  }
}

/// For operators that give one result in any association: the size of tiles suits this machine.
template <class T, emits Emits, class InputIt, class OutputIt, class Op>
void scan_in_any_order(InputIt in, OutputIt out, const tiling& tiles, Op op, const T* init,
                       memory_source& source) {
  if (tiles.num_threads == 1) return host::scan_alone<T, Emits>(in, out, tiles.n, op, init);
  carry_chain<T, Op> carries{tiles, op, init};
  const scratch memory{source, [&](carver& space) { carries.carve(space); }};
  carries.run([&](std::size_t tile, unsigned) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    const auto own_in = in + begin;
    const auto items = [&](std::size_t i) { return static_cast<T>(own_in[i]); };
    const T carry = carries.carry_into(tile, host::fold<T>(items, size, op));
    host::scan_alone<T, Emits>(own_in, out + begin, size, op,
                               carries.has_carry(tile) ? std::addressof(carry) : nullptr);
  });
}

/// For all other operators: the tiles and the order of the CUDA kernel.
///   Memory  a T for each lane of a tile, for each thread
template <class T, emits Emits, int LaneItems, class InputIt, class OutputIt, class Op>
void scan_in_order(InputIt in, OutputIt out, const tiling& tiles, Op op, const T* init,
                   memory_source& source) {
  using tile_t = scan_tile<T, LaneItems, Op>;
  carry_chain<T, Op> carries{tiles, op, init};
  rooms<T> room;
  const scratch memory{source, [&](carver& space) {
                         carries.carve(space);
                         room.carve(space, tiles.num_threads, tile_t::room_items(tiles.tile_items));
                       }};
  carries.run([&](std::size_t tile, unsigned rank) {
    const std::size_t begin = tiles.begin(tile);
    tile_t items{tiles.size(tile), op, room[rank]};
    T carry = carries.carry_into(tile, items.fold(in + begin));
    items.template scan<Emits>(in + begin, out + begin,
                               carries.has_carry(tile) ? std::addressof(carry) : nullptr);
  });
}

template <class T, emits Emits, class Tuning, class InputIt, class OutputIt, class Op>
void scan(InputIt first, OutputIt out_first, std::size_t n, Op op, const T* init, resources with) {
  if (n == 0) return;
  const auto in = host::plain_input(first);
  const auto out = host::plain(out_first);
  const cut wanted = with.cut_for<OutputIt>();
  if constexpr (std::is_integral_v<T> && is_commutative<Op, T>) {
    const tiling tiles{n, weight_of<T>, wanted};
    host::scan_in_any_order<T, Emits>(in, out, tiles, op, init, *with.memory);
  } else if constexpr (can_be_carried<T>) {
    constexpr tile_shape shape = Tuning::shape;
    const tiling tiles{n, sizeof(T), {wanted.num_threads, std::size_t(shape.tile_items())}};
    host::scan_in_order<T, Emits, shape.lane_items>(in, out, tiles, host::keep_operands<T>(op),
                                                    init, *with.memory);
  } else {
    host::scan_alone<T, Emits>(in, out, n, host::keep_operands<T>(op), init);
  }
}

/// out[i] = in[0] op ... op in[i]; every partial result is an Accum. `out` may be `in`.
///   Order  depends on n and Accum alone, and is that of the CUDA engine
template <class Accum, class Tuning = scan_tuning<Accum>, class InputIt, class OutputIt, class Op>
void inclusive_scan(InputIt in, OutputIt out, std::size_t n, Op op, resources with = {}) {
  host::scan<Accum, emits::with_item, Tuning>(in, out, n, op, nullptr, with);
}

/// out[i] = init op in[0] op ... op in[i]. Accum may be made of anything, also of `with`, so the
/// number of arguments says which function is meant.
template <class Accum, class Tuning = scan_tuning<Accum>, class InputIt, class OutputIt, class Op>
void inclusive_scan(InputIt in, OutputIt out, std::size_t n, Op op,
                    const std::common_type_t<Accum>& init, resources with) {
  host::scan<Accum, emits::with_item, Tuning>(in, out, n, op, std::addressof(init), with);
}

/// out[i] = init op in[0] op ... op in[i - 1].
template <class Accum, class Tuning = scan_tuning<Accum>, class InputIt, class OutputIt, class Op>
void exclusive_scan(InputIt in, OutputIt out, std::size_t n, Op op,
                    const std::common_type_t<Accum>& init, resources with = {}) {
  host::scan<Accum, emits::before_item, Tuning>(in, out, n, op, std::addressof(init), with);
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
