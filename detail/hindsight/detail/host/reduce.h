// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/team.h>

#include <thrust/functional.h>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::detail::host {

template <class Op, class T, template <class> class... Known>
inline constexpr bool is_one_of =
    ((std::is_same_v<Op, Known<T>> || std::is_same_v<Op, Known<void>>) || ...);

/// Operators that may take items in any order and still give one result; for floating-point sums
/// and products, one of the results allowed. Not min and max of floats, which tell -0.0 from +0.0.
template <class Op, class T>
inline constexpr bool is_commutative =
    (std::is_arithmetic_v<T> && is_one_of<Op, T, ::cuda::std::plus, ::cuda::std::multiplies>) ||
    (std::is_integral_v<T> && is_one_of<Op, T, ::cuda::std::bit_and, ::cuda::std::bit_or,
                                        ::cuda::std::bit_xor, ::cuda::minimum, ::cuda::maximum>);

/// Folds in[0, n), n > 0, in order.
template <class T, class InputIt, class Unary, class Op>
T fold_in_order(InputIt in, std::size_t n, Unary unary, Op op) {
  T sum = T(unary(in[0]));
  for (std::size_t i = 1; i < n; ++i) sum = op(sum, unary(in[i]));
  return sum;
}

/// Strands fill the vector registers of a core; compilers make vectors of narrow items only where
/// there are too many to unroll.
template <class T>
inline constexpr std::size_t num_strands = sizeof(T) < 4 ? 256 / sizeof(T) : 32;

/// Folds in[0, n) in independent strands, strand j taking item j of every num_strands: a processor
/// adds many at a time. The order depends on n and T alone.
template <class T, class InputIt, class Unary, class Op>
T fold_in_strands(InputIt in, std::size_t n, Unary unary, Op op) {
  constexpr std::size_t strands = num_strands<T>;
  if (n < 2 * strands) return fold_in_order<T>(in, n, unary, op);
  T sums[strands];
  for (std::size_t j = 0; j < strands; ++j) sums[j] = T(unary(in[j]));
  std::size_t i = strands;
  for (; i + strands <= n; i += strands)
    for (std::size_t j = 0; j < strands; ++j) sums[j] = op(sums[j], unary(in[i + j]));
  T sum = sums[0];
  for (std::size_t j = 1; j < strands; ++j) sum = op(sum, sums[j]);
  for (; i < n; ++i) sum = op(sum, unary(in[i]));
  return sum;
}

template <class T, class InputIt, class Unary, class Op>
T fold(InputIt in, std::size_t n, Unary unary, Op op) {
  if constexpr (is_commutative<Op, T>) {
    return fold_in_strands<T>(in, n, unary, op);
  } else {
    return fold_in_order<T>(in, n, unary, op);
  }
}

/// init op unary(in[0]) op ... op unary(in[n - 1]), every partial result being a T.
///   Order  depends on n and T alone: the same bits for every team and schedule
template <class T, class InputIt, class Unary, class Op>
T transform_reduce(InputIt first, std::size_t n, Unary unary, T init, Op op, cut wanted = {}) {
  if (n == 0) return init;
  const auto in = host::plain(first);
  constexpr std::size_t tile_bytes = std::size_t{1} << 17;  // read in microseconds
  const tiling tiles{n, sizeof(T), wanted, tile_bytes};
  std::vector<std::optional<T>> sums(tiles.num_tiles);
  for_each_tile(tiles, [&](std::size_t tile) {
    sums[tile].emplace(fold<T>(in + tiles.begin(tile), tiles.size(tile), unary, op));
  });
  for (const std::optional<T>& sum : sums) init = op(std::move(init), *sum);
  return init;
}

template <class InputIt, class T, class Op>
T reduce(InputIt first, std::size_t n, T init, Op op, cut wanted = {}) {
  using Item = value_of<InputIt>;  // `op` is not to see a reference that only converts to it
  const auto same = [](const Item& item) -> const Item& { return item; };
  return transform_reduce(first, n, same, std::move(init), op, wanted);
}

}  // namespace hindsight::detail::host
