// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on threads: folds each tile, then the tiles' results in order of the tiles.
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/tuning/order.h>

#include <thrust/functional.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

template <class Op, class T, template <class> class... Known>
inline constexpr bool is_one_of =
    ((std::is_same_v<Op, Known<T>> || std::is_same_v<Op, Known<void>>) || ...);

/// Operators that may take items in any order. The result is the same; for floating-point sums and
/// products it is one of those allowed. Minima and maxima of floats are not among them: in another
/// order they may return -0.0 in place of 0.0.
template <class Op, class T>
inline constexpr bool is_commutative =
    (std::is_arithmetic_v<T> && is_one_of<Op, T, ::cuda::std::plus, ::cuda::std::multiplies>) ||
    (std::is_integral_v<T> && is_one_of<Op, T, ::cuda::std::bit_and, ::cuda::std::bit_or,
                                        ::cuda::std::bit_xor, ::cuda::minimum, ::cuda::maximum>);

/// Whether an Item can be taken for a T. A T that is only made of it explicitly need not mean the
/// same: a number is no vector of so many items.
template <class Item, class T>
inline constexpr bool stands_for = std::is_same_v<Item, T> || std::is_convertible_v<Item, T>;

/// Item i of a range as an operator gets it: a T.
template <class T, class It>
struct items_of {
  It in;
  decltype(auto) operator()(std::size_t i) const { return host::item_at<T>(in, i); }
};

/// Item i of a range, seen through `unary`.
template <class It, class Unary>
struct mapped_items {
  It in;
  mutable Unary unary;
  auto operator()(std::size_t i) const { return unary(in[i]); }
};

/// Folds item(0) to item(n - 1), n > 0, in order.
template <class T, class Items, class Op>
T fold_in_order(const Items& item, std::size_t n, Op op) {
  T sum = host::as_item<T>(item(0));
  for (std::size_t i = 1; i < n; ++i) {
    auto&& next = item(i);
    sum = op(sum, next);
  }
  return sum;
}

/// Folds item(0) to item(n - 1) in independent strands: strand j takes items j, j + num_strands,
/// and so on. So a processor adds many at a time. The order depends on n and T alone.
template <class T, class Items, class Op>
T fold_in_strands(const Items& item, std::size_t n, Op op) {
  constexpr std::size_t strands = num_strands<T>;
  if (n < 2 * strands) return host::fold_in_order<T>(item, n, op);
  T sums[strands];
  for (std::size_t j = 0; j < strands; ++j) sums[j] = T(item(j));
  std::size_t i = strands;
  for (; i + strands <= n; i += strands)
    for (std::size_t j = 0; j < strands; ++j) sums[j] = op(sums[j], item(i + j));
  T sum = sums[0];
  for (std::size_t j = 1; j < strands; ++j) sum = op(sum, sums[j]);
  for (; i < n; ++i) sum = op(sum, item(i));
  return sum;
}

template <class T, class Items, class Op>
T fold(const Items& item, std::size_t n, Op op) {
  // Integers give one result in any order. Those of 16 bytes have no vectors, and strands of them
  // would not stay in registers.
  constexpr bool has_strands = !std::is_integral_v<T> || sizeof(T) <= 8;
  if constexpr (is_commutative<Op, T> && has_strands) {
    return host::fold_in_strands<T>(item, n, op);
  } else {
    return host::fold_in_order<T>(item, n, op);
  }
}

/// Results of tiles, each made when its tile ends.
template <class T>
class tile_results {
 public:
  tile_results(std::optional<T>* room, std::size_t n) : first_{room}, n_{n} {
    std::uninitialized_default_construct_n(first_, n_);
  }
  ~tile_results() { std::destroy_n(first_, n_); }
  tile_results(const tile_results&) = delete;
  tile_results& operator=(const tile_results&) = delete;

  std::optional<T>& operator[](std::size_t tile) const { return first_[tile]; }

 private:
  std::optional<T>* first_;
  std::size_t n_;
};

/// init op fold_tile(0) op ... op fold_tile(num_tiles - 1); every partial result is a T.
///   Memory  with two threads or more, an optional T for every tile
template <class T, class FoldTile, class Op>
T fold_tiles_by_team(const tiling& tiles, FoldTile fold_tile, T init, Op op, resources with) {
  const auto fold_into_init = [&](T& sum) { init = op(init, sum); };
  if (tiles.num_threads == 1) {
    for (std::size_t tile = 0; tile < tiles.num_tiles; ++tile) {
      T sum = fold_tile(tile);
      fold_into_init(sum);
    }
    return init;
  }
  std::optional<T>* room = nullptr;
  const scratch memory{*with.memory, [&](carver& space) {
                         room = host::take_room<std::optional<T>>(space, tiles.num_tiles);
                       }};
  const tile_results<T> sums{room, tiles.num_tiles};
  host::for_each_tile(tiles, [&](std::size_t tile) { sums[tile].emplace(fold_tile(tile)); });
  for (std::size_t tile = 0; tile < tiles.num_tiles; ++tile) fold_into_init(*sums[tile]);
  return init;
}

/// init op item(0) op ... op item(n - 1). items_from(i) makes a functor that returns item i + j for
/// j. It is called for each tile.
///   Order  depends on n and T alone: the same bits for every team and schedule
template <class T, class ItemsFrom, class Op>
T fold_by_team(ItemsFrom items_from, std::size_t n, T init, Op op, resources with) {
  const tiling tiles{n, sizeof(T), with.wanted, host_reduce_tile_bytes};
  const auto fold_tile = [&](std::size_t tile) {
    return host::fold<T>(items_from(tiles.begin(tile)), tiles.size(tile), op);
  };
  return host::fold_tiles_by_team<T>(tiles, fold_tile, std::move(init), op, with);
}

/// init op unary(in[0]) op ... op unary(in[n - 1]).
template <class T, class InputIt, class Unary, class Op>
T transform_reduce(InputIt first, std::size_t n, Unary unary, T init, Op op, resources with = {}) {
  if (n == 0) return init;
  const auto in = host::plain_input(first);
  const auto items_from = [&](std::size_t i) {
    return mapped_items<std::remove_cv_t<decltype(in)>, Unary>{in + i, unary};
  };
  return host::fold_by_team<T>(items_from, n, std::move(init), op, with);
}

/// init op in[0] op ... op in[n - 1]. By one thread, item after item, if no item stands for a T.
template <class InputIt, class T, class Op>
T reduce(InputIt first, std::size_t n, T init, Op op, resources with = {}) {
  using Item = value_of<InputIt>;
  if (n == 0) return init;
  const auto in = host::plain_input(first);
  const auto items_from = [&](std::size_t i) {
    return items_of<Item, std::remove_cv_t<decltype(in)>>{in + i};
  };
  if constexpr (stands_for<Item, T>) {
    return host::fold_by_team<T>(items_from, n, std::move(init), op, with);
  } else {
    const auto item = items_from(0);
    for (std::size_t i = 0; i < n; ++i) {
      auto&& next = item(i);
      init = op(init, next);
    }
    return init;
  }
}

/// The same with all items folded into a Sum, as on the GPU; the result alone becomes a T.
template <class Sum, class InputIt, class T, class Op>
T reduce_in(InputIt first, std::size_t n, T init, Op op, resources with = {}) {
  if (n == 0) return init;
  Sum sum = static_cast<Sum>(static_cast<value_of<InputIt>>(*first));
  sum = host::reduce(first + 1, n - 1, sum, op, with);
  return static_cast<T>(op(init, sum));
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
