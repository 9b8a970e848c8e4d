// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/host/relay.h>
#include <hindsight/detail/host/scan_tile.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/tuning/scan.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {

/// Writes the scan of in[0, n), n > 0, item after item; `before`, if not null, precedes it.
template <class T, emits Emits, class InputIt, class OutputIt, class Op>
void scan_alone(InputIt in, OutputIt out, std::size_t n, Op op, const T* before) {
  std::size_t i = 0;
  T running = before ? *before : T(in[i]);
  if (!before) out[i++] = running;
  for (; i < n; ++i) {
    T next = op(running, T(in[i]));  // read before the write: out may be in
    out[i] = Emits == emits::with_item ? next : running;
    running = std::move(next);
  }
}

/// For operators that give one result in any association: tiles as they suit this machine.
template <class T, emits Emits, class InputIt, class OutputIt, class Op>
void scan_in_any_order(InputIt in, OutputIt out, std::size_t n, Op op, const T* init, cut wanted) {
  const tiling tiles{n, sizeof(T), wanted};
  if (tiles.num_threads == 1) return scan_alone<T, Emits>(in, out, n, op, init);
  relay<T, Op> carries{tiles, op, init};
  carries.run(tiles, [&](std::size_t tile) {
    const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
    const auto to_accumulator = [](const auto& item) { return T(item); };
    const T carry = carries.pass(tile, host::fold<T>(in + begin, size, to_accumulator, op));
    scan_alone<T, Emits>(in + begin, out + begin, size, op,
                         carries.has_carry(tile) ? &carry : nullptr);
  });
}

/// For all others: the tiles and the order of the CUDA kernel.
template <class T, emits Emits, class Tuning, class InputIt, class OutputIt, class Op>
void scan_in_order(InputIt in, OutputIt out, std::size_t n, Op op, const T* init, cut wanted) {
  constexpr tile_shape shape = Tuning::shape;
  const unsigned threads = tiling{n, sizeof(T), {wanted.num_threads, 0}}.num_threads;
  const tiling tiles{n, sizeof(T), {threads, std::size_t(shape.tile_items())}};
  relay<T, Op> carries{tiles, op, init};
  carries.run(tiles, [&](std::size_t tile) {
    const std::size_t begin = tiles.begin(tile);
    scan_tile<T, shape.lane_items, Op> items{tiles.size(tile), op};
    const T carry = carries.pass(tile, items.fold(in + begin));
    items.template scan<Emits>(in + begin, out + begin, carries.has_carry(tile) ? &carry : nullptr);
  });
}

template <class T, emits Emits, class Tuning, class InputIt, class OutputIt, class Op>
void scan(InputIt first, OutputIt out_first, std::size_t n, Op op, const T* init, cut wanted) {
  if (n == 0) return;
  const auto in = host::plain(first);
  const auto out = host::plain(out_first);
  if constexpr (std::is_integral_v<T> && is_commutative<Op, T>) {
    scan_in_any_order<T, Emits>(in, out, n, op, init, wanted);
  } else if constexpr (can_relay<T>) {
    scan_in_order<T, Emits, Tuning>(in, out, n, op, init, wanted);
  } else {
    scan_alone<T, Emits>(in, out, n, op, init);
  }
}

/// out[i] = in[0] op ... op in[i], every partial result being an Accum. `out` may be `in`.
///   Order  depends on n and Accum alone, and is that of the CUDA engine
template <class Accum, class Tuning = scan_tuning<Accum>, class InputIt, class OutputIt, class Op>
void inclusive_scan(InputIt in, OutputIt out, std::size_t n, Op op, cut wanted = {}) {
  scan<Accum, emits::with_item, Tuning>(in, out, n, op, nullptr, wanted);
}

/// out[i] = init op in[0] op ... op in[i].
template <class Accum, class Tuning = scan_tuning<Accum>, class InputIt, class OutputIt, class Op>
void inclusive_scan(InputIt in, OutputIt out, std::size_t n, Op op,
                    const std::common_type_t<Accum>& init, cut wanted = {}) {
  scan<Accum, emits::with_item, Tuning>(in, out, n, op, &init, wanted);
}

/// out[i] = init op in[0] op ... op in[i - 1].
template <class Accum, class Tuning = scan_tuning<Accum>, class InputIt, class OutputIt, class Op>
void exclusive_scan(InputIt in, OutputIt out, std::size_t n, Op op,
                    const std::common_type_t<Accum>& init, cut wanted = {}) {
  scan<Accum, emits::before_item, Tuning>(in, out, n, op, &init, wanted);
}

}  // namespace hindsight::detail::host
