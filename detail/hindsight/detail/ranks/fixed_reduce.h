// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fold over all shards whose result does not depend on where the shards end. It folds tiles,
// which begin at multiples of a fixed number of items in the range of all shards.
#pragma once

#include <hindsight/detail/ranks/select.h>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/tuning/ranks.h>
#include <hindsight/reduce.h>

#include <cuda/std/span>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {

/// Lane l of a tile folds items l, l + lanes, l + 2 * lanes, ... of it. Then the lanes' results are
/// folded.
struct fixed_tiles {
  static constexpr std::size_t lanes = rank_tile_lanes, tile_items = lanes * rank_lane_items;
  static std::size_t count(std::size_t n) { return (n + tile_items - 1) / tile_items; }
};

/// The fold of lane i % lanes of tile i / lanes; items[0] is the first one of tile 0. In the last
/// tile there may be lanes without items: fold_lanes does not read their results.
template <class Acc, class T, class Op>
class fold_lane {
 public:
  fold_lane(const T* first, std::size_t num_items, Op fold)
      : items{first}, n{num_items}, op{fold} {}

  HINDSIGHT_HD Acc operator()(std::size_t i) const {
    const std::size_t tile = i / fixed_tiles::lanes * fixed_tiles::tile_items;
    const std::size_t first = tile + i % fixed_tiles::lanes;
    if (tile + fixed_tiles::tile_items <= n) return fold_full_lane(items + first);
    Acc sum = static_cast<Acc>(items[first < n ? first : n - 1]);
    for (std::size_t at = first + fixed_tiles::lanes; at < n; at += fixed_tiles::lanes)
      sum = op(sum, items[at]);
    return sum;
  }

 private:
  /// Loads several items before it folds them, so that a thread waits less for memory. Items that
  /// have no default constructor are folded one by one, in the same order.
  HINDSIGHT_HD Acc fold_full_lane(const T* lane) const {
    constexpr std::size_t abreast = rank_items_at_once, step = abreast * fixed_tiles::lanes;
    Acc sum = static_cast<Acc>(lane[0]);
    if constexpr (std::is_default_constructible_v<T>) {
      for (std::size_t at = 0; at < fixed_tiles::tile_items; at += step) {
        T loaded[abreast];
        HINDSIGHT_UNROLL
        for (std::size_t k = 0; k < abreast; ++k) loaded[k] = lane[at + k * fixed_tiles::lanes];
        HINDSIGHT_UNROLL
        for (std::size_t k = 0; k < abreast; ++k)
          if (at + k > 0) sum = op(sum, loaded[k]);
      }
    } else {
      for (std::size_t at = fixed_tiles::lanes; at < fixed_tiles::tile_items;
           at += fixed_tiles::lanes)
        sum = op(sum, lane[at]);
    }
    return sum;
  }

  const T* items;
  std::size_t n;
  mutable Op op;
};

/// The fold of a tile's lanes.
template <class Acc, class Op>
struct fold_lanes {
  const Acc* sums;
  std::size_t n;  ///< items of all tiles
  mutable Op op;
  HINDSIGHT_HD Acc operator()(std::size_t tile) const {
    const std::size_t left = n - tile * fixed_tiles::tile_items;
    const Acc* const lanes = sums + tile * fixed_tiles::lanes;
    Acc sum = lanes[0];
    for (std::size_t l = 1; l < fixed_tiles::lanes && l < left; ++l) sum = op(sum, lanes[l]);
    return sum;
  }
};

/// tile_sums[t] = the fold of tile t of items[0, n).
template <class Acc, class Policy, class T, class Op>
void fold_tiles(const Policy& policy, const T* items, std::size_t n, Acc* tile_sums, Op op) {
  const std::size_t tiles = fixed_tiles::count(n);
  if (tiles == 0) return;
  room<Acc, Policy> sums(policy, tiles * fixed_tiles::lanes);
  const thrust::counting_iterator<std::size_t> first(0);
  thrust::transform(policy, first, first + std::ptrdiff_t(tiles * fixed_tiles::lanes), sums.data(),
                    fold_lane<Acc, T, Op>{items, n, op});
  thrust::transform(policy, first, first + std::ptrdiff_t(tiles), tile_sums,
                    fold_lanes<Acc, Op>{sums.data(), n, op});
}

/// init op shard[0] op ... over all shards. A tile belongs to the rank where it begins. That rank
/// gets the other items of the tile from the ranks after it. Then all ranks get the folds of all
/// tiles, and each rank folds these.
template <class Member, class T, class Acc, class Op>
Acc fold_fixed(Member& rank, ::cuda::std::span<T> shard, Acc init, Op op) {
  using item = std::remove_const_t<T>;
  using policy = std::decay_t<decltype(rank.policy())>;
  const std::size_t me = std::size_t(rank.rank());
  const auto shards = ranks::blocks_of(rank.gather(shard.size()));
  const std::size_t total = ranks::end_of(shards);
  if (total == 0) return init;

  std::vector<block> cut_tiles;  // of each rank: its last tile, if that ends in a later shard
  std::vector<std::size_t> first_tiles{0};  // of each rank; the last element is the number of tiles
  for (const block& each : shards) {
    const std::size_t end = each.begin + each.size;
    const std::size_t next = fixed_tiles::count(end), last = next == 0 ? 0 : next - 1;
    const bool owns_last = first_tiles.back() < next;
    const std::size_t begin = last * fixed_tiles::tile_items;
    const std::size_t size = std::min(fixed_tiles::tile_items, total - begin);
    cut_tiles.push_back({begin, owns_last && begin + size > end ? size : 0});
    first_tiles.push_back(next);
  }
  room<item, policy> cut_tile(rank.policy(), cut_tiles[me].size);
  if (std::any_of(cut_tiles.begin(), cut_tiles.end(), [](block tile) { return tile.size > 0; })) {
    ranks::move_blocks(rank, static_cast<const item*>(shard.data()), shards, cut_tile.data(),
                       cut_tiles);
    rank.confirm();  // `op` is the caller's: it sees no items but the caller's
  }

  room<Acc, policy> sums(rank.policy(), first_tiles.back());
  Acc* const mine = sums.data() + first_tiles[me];
  const std::size_t num_mine = first_tiles[me + 1] - first_tiles[me];
  if (num_mine > 0) {
    const std::size_t begin = first_tiles[me] * fixed_tiles::tile_items;
    const std::size_t end =
        cut_tiles[me].size ? cut_tiles[me].begin : shards[me].begin + shards[me].size;
    ranks::fold_tiles(rank.policy(),
                      static_cast<const item*>(shard.data()) + (begin - shards[me].begin),
                      end - begin, mine, op);
    ranks::fold_tiles(rank.policy(), static_cast<const item*>(cut_tile.data()), cut_tiles[me].size,
                      mine + num_mine - 1, op);
  }
  std::vector<piece> send, receive;
  for (std::size_t r = 0; r + 1 < first_tiles.size(); ++r) {
    const std::size_t theirs = first_tiles[r + 1] - first_tiles[r];
    send.push_back({mine, r == me ? 0 : num_mine * sizeof(Acc)});
    receive.push_back({sums.data() + first_tiles[r], r == me ? 0 : theirs * sizeof(Acc)});
  }
  rank.exchange(send, receive);
  rank.confirm();
  return hindsight::reduce(rank.policy(), sums.data(), sums.data() + first_tiles.back(), init, op);
}

}  // namespace hindsight::detail::ranks
