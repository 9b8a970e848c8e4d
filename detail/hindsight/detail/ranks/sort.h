// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sort: each rank sorts its shard, all find where to cut them, send each other the pieces, and
// merge what they get.
#pragma once

#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/ranks/splitters.h>
#include <hindsight/sort.h>

#include <cuda/std/span>
#include <thrust/copy.h>
#include <thrust/merge.h>

#include <cstddef>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {

/// The order of the radix sort, in which -0.0 and 0.0 are equal and NaNs have places.
template <class Key, class Direction>
struct less_by_bits {
  HINDSIGHT_HD bool operator()(const Key& a, const Key& b) const {
    return Direction::bits(a) < Direction::bits(b);
  }
};

/// The order that a sort by `compare` makes.
template <class Key, class Compare>
auto order_of(const Compare& compare) {
  if constexpr (is_radix_sortable<Key, Compare>) {
    return less_by_bits<Key, direction_of<Key, Compare>>{};
  } else {
    return compare;
  }
}

/// [0], [0] + [1], ...: where each shard begins in the range of all, and at last its length.
inline std::vector<std::size_t> begins_of(const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> begins(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), begins.begin() + 1);
  return begins;
}

/// Keys that travel alone, and keys with values: the same steps.
template <class Key>
struct keys_only {
  Key* keys;
  template <class Policy, class Compare>
  void sort(const Policy& policy, std::size_t n, Compare compare) const {
    hindsight::stable_sort(policy, keys, keys + n, compare);
  }
  /// Merges [begin, middle) and [middle, end) of `from` to the same places of this.
  template <class Policy, class Less>
  void merge(const Policy& policy, const keys_only& from, const std::size_t (&at)[3],
             Less less) const {
    thrust::merge(policy, from.keys + at[0], from.keys + at[1], from.keys + at[1],
                  from.keys + at[2], keys + at[0], less);
  }
  template <class Policy>
  void copy(const Policy& policy, const keys_only& from, std::size_t begin, std::size_t end) const {
    thrust::copy(policy, from.keys + begin, from.keys + end, keys + begin);
  }
};

template <class Key, class Value>
struct keys_and_values {
  Key* keys;
  Value* values;
  template <class Policy, class Compare>
  void sort(const Policy& policy, std::size_t n, Compare compare) const {
    hindsight::stable_sort_by_key(policy, keys, keys + n, values, compare);
  }
  template <class Policy, class Less>
  void merge(const Policy& policy, const keys_and_values& from, const std::size_t (&at)[3],
             Less less) const {
    thrust::merge_by_key(policy, from.keys + at[0], from.keys + at[1], from.keys + at[1],
                         from.keys + at[2], from.values + at[0], from.values + at[1], keys + at[0],
                         values + at[0], less);
  }
  template <class Policy>
  void copy(const Policy& policy, const keys_and_values& from, std::size_t begin,
            std::size_t end) const {
    thrust::copy(policy, from.keys + begin, from.keys + end, keys + begin);
    thrust::copy(policy, from.values + begin, from.values + end, values + begin);
  }
};

/// Merges sorted runs, which begin at begins[i] in `from` and end at the last one, neighbours with
/// neighbours, until one is left; it is then in `to`. Equal keys keep their order.
template <class Policy, class Records, class Less>
void merge_runs(const Policy& policy, Records from, Records to, std::vector<std::size_t> begins,
                Less less) {
  const Records home = to;
  while (begins.size() > 2) {
    std::vector<std::size_t> merged;
    for (std::size_t i = 0; i + 1 < begins.size(); i += 2) {
      merged.push_back(begins[i]);
      if (i + 2 < begins.size()) {
        to.merge(policy, from, {begins[i], begins[i + 1], begins[i + 2]}, less);
      } else {
        to.copy(policy, from, begins[i], begins[i + 1]);
      }
    }
    merged.push_back(begins.back());
    begins = std::move(merged);
    std::swap(from, to);
  }
  if (from.keys != home.keys) home.copy(policy, from, begins.front(), begins.back());
}

/// Sends items [send[r], send[r + 1]) of `from` to rank r; what comes from rank r goes to
/// [receive[r], receive[r + 1]) of `to`.
template <class Member, class Item>
void exchange_pieces(Member& rank, Item* from, const std::vector<std::size_t>& send, Item* to,
                     const std::vector<std::size_t>& receive) {
  std::vector<piece> sent, received;
  for (std::size_t r = 0; r + 1 < send.size(); ++r) {
    sent.push_back({from + send[r], (send[r + 1] - send[r]) * sizeof(Item)});
    received.push_back({to + receive[r], (receive[r + 1] - receive[r]) * sizeof(Item)});
  }
  rank.exchange(sent, received);
}

/// Sorts; `send_all(send, receive)` moves the records from their shard to `other`, which has room
/// for as many.
template <class Member, class Key, class Records, class Compare, class SendAll>
void sort_shards(Member& rank, ::cuda::std::span<Key> keys, Records shard, Records other,
                 Compare compare, SendAll send_all) {
  shard.sort(rank.policy(), keys.size(), compare);
  const auto less = ranks::order_of<Key>(compare);
  auto targets = ranks::begins_of(rank.gather(keys.size()));
  const std::size_t ranks = targets.size() - 1;
  if (ranks == 1) return;
  targets.erase(targets.begin());
  targets.pop_back();
  splitters<Member, Key, std::decay_t<decltype(less)>> search(rank, keys, targets, less);
  auto send = search.find();
  send.insert(send.begin(), 0);
  send.push_back(keys.size());

  const auto all = rank.gather_rows(send.data(), send.size());
  std::vector<std::size_t> sizes(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t* const theirs = all.data() + r * (ranks + 1);
    sizes[r] = theirs[rank.rank() + 1] - theirs[rank.rank()];
  }
  const auto receive = ranks::begins_of(sizes);
  send_all(send, receive);
  ranks::merge_runs(rank.policy(), other, shard, receive, less);
}

}  // namespace hindsight::detail::ranks
