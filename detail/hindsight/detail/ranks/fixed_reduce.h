// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fold over all shards whose result does not depend on where the shards end. It folds tiles,
// which begin at multiples of a fixed number of items in the range of all shards.
#pragma once

#include <hindsight/detail/ranks/make_items.h>
#include <hindsight/detail/ranks/select.h>
#include <hindsight/detail/tuning/order.h>
#include <hindsight/detail/tuning/ranks.h>
#include <hindsight/reduce.h>

#include <cuda/std/span>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

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
    constexpr std::size_t batch = rank_items_at_once, step = batch * fixed_tiles::lanes;
    Acc sum = static_cast<Acc>(lane[0]);
    if constexpr (std::is_default_constructible_v<T>) {
      for (std::size_t at = 0; at < fixed_tiles::tile_items; at += step) {
        T loaded[batch];
        HINDSIGHT_UNROLL
        for (std::size_t k = 0; k < batch; ++k) loaded[k] = lane[at + k * fixed_tiles::lanes];
        HINDSIGHT_UNROLL
        for (std::size_t k = 0; k < batch; ++k)
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
  ranks::make_items(policy, tiles * fixed_tiles::lanes, rank_lane_items * sizeof(T), sums.data(),
                    fold_lane<Acc, T, Op>{items, n, op});
  ranks::make_items(policy, tiles, fixed_tiles::lanes * sizeof(Acc), tile_sums,
                    fold_lanes<Acc, Op>{sums.data(), n, op});
}

/// Which rank folds which tiles: a tile belongs to the rank where it begins.
struct tile_owners {
  /// Of each rank: its last tile, if that ends in a later shard; else of no size.
  std::vector<block> cut_tiles;
  /// Of each rank; the last element is the number of tiles.
  std::vector<std::size_t> first_tiles{0};

  explicit tile_owners(const std::vector<block>& shards) {
    const std::size_t total = ranks::end_of(shards);
    for (const block& each : shards) {
      const std::size_t end = each.begin + each.size;
      const std::size_t next = fixed_tiles::count(end), last = next == 0 ? 0 : next - 1;
      const bool owns_last = first_tiles.back() < next;
      const std::size_t begin = last * fixed_tiles::tile_items;
      const std::size_t size = std::min(fixed_tiles::tile_items, total - begin);
      cut_tiles.push_back({begin, owns_last && begin + size > end ? size : 0});
      first_tiles.push_back(next);
    }
  }
  std::size_t num_tiles() const { return first_tiles.back(); }
  std::size_t num_tiles(std::size_t rank) const {
    return first_tiles[rank + 1] - first_tiles[rank];
  }
  bool cuts_a_tile() const {
    return std::any_of(cut_tiles.begin(), cut_tiles.end(),
                       [](block tile) { return tile.size > 0; });
  }
};

/// Gives the folds of all tiles to all ranks.
///   sums  [owners.num_tiles()], at the rank's place; this rank's own are known
template <class Member, class Acc>
void exchange_sums(Member& rank, const tile_owners& owners, Acc* sums) {
  const std::size_t me = std::size_t(rank.rank());
  std::vector<piece> send, receive;
  for (std::size_t r = 0; r < owners.cut_tiles.size(); ++r) {
    const auto part_of = [&](std::size_t owner) {
      return ranks::piece_of(sums + owners.first_tiles[owner],
                             r == me ? 0 : owners.num_tiles(owner));
    };
    send.push_back(part_of(me));
    receive.push_back(part_of(r));
  }
  rank.exchange(send, receive);
  rank.confirm();
}

/// init op shard[0] op ... over all shards. The rank where a tile begins gets its other items from
/// the ranks after it. Then all ranks get the folds of all tiles, and each rank folds these.
template <class Member, class T, class Acc, class Op>
Acc fold_fixed(Member& rank, ::cuda::std::span<T> shard, Acc init, Op op) {
  using item = std::remove_const_t<T>;
  using policy = std::decay_t<decltype(rank.policy())>;
  const std::size_t me = std::size_t(rank.rank());
  const auto shards = ranks::blocks_of(rank.gather(shard.size()));
  if (ranks::end_of(shards) == 0) return init;

  const tile_owners owners{shards};
  const item* const items = shard.data();
  const block cut = owners.cut_tiles[me];
  room<item, policy> cut_tile(rank.policy(), cut.size);
  if (owners.cuts_a_tile()) {
    ranks::move_blocks(rank, items, shards, cut_tile.data(), owners.cut_tiles);
    rank.confirm();  // `op` is the caller's: it sees no items but the caller's
  }

  room<Acc, policy> sums(rank.policy(), owners.num_tiles());
  if (const std::size_t num_mine = owners.num_tiles(me); num_mine > 0) {
    Acc* const mine = sums.data() + owners.first_tiles[me];
    const std::size_t begin = owners.first_tiles[me] * fixed_tiles::tile_items;
    const std::size_t end = cut.size ? cut.begin : shards[me].begin + shards[me].size;
    ranks::fold_tiles(rank.policy(), items + (begin - shards[me].begin), end - begin, mine, op);
    ranks::fold_tiles(rank.policy(), static_cast<const item*>(cut_tile.data()), cut.size,
                      mine + num_mine - 1, op);
  }
  ranks::exchange_sums(rank, owners, sums.data());
  return hindsight::reduce(rank.policy(), sums.data(), sums.data() + owners.num_tiles(), init, op);
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
