// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sort. Numbers go by their highest bits to the rank where they belong, and are sorted there
// (bucket_sort.h). Where too many have the same ones, and for other orders, each rank sorts its
// shard, all find where to cut them, send each other the pieces, and merge what they get.
#pragma once

#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/ranks/bucket_sort.h>
#include <hindsight/detail/ranks/splitters.h>

#include <cuda/std/span>

#include <cstddef>
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
        (to + begins[i]).copy(policy, from + begins[i], begins[i + 1] - begins[i]);
      }
    }
    merged.push_back(begins.back());
    begins = std::move(merged);
    std::swap(from, to);
  }
  if (from.keys != home.keys) home.copy(policy, from, begins.back());
}

/// Sorts the shard, finds where all have to cut theirs, exchanges the pieces and merges them: for
/// any comparator and any keys.
template <class Member, class Key, class Value, class Compare>
void merge_sort_shards(Member& rank, records<Key, Value> shard, std::size_t n,
                       std::vector<std::size_t> targets, Compare compare) {
  shard.sort(rank.policy(), n, compare);
  const auto less = ranks::order_of<Key>(compare);
  const std::size_t ranks = targets.size() - 1;
  targets.erase(targets.begin());
  targets.pop_back();
  splitters<Member, Key, std::decay_t<decltype(less)>> search(
      rank, ::cuda::std::span<Key>(shard.keys, n), targets, less);
  auto send = search.find();
  send.insert(send.begin(), 0);
  send.push_back(n);

  const auto all = rank.gather_rows(send.data(), send.size());
  std::vector<std::size_t> sizes(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t* const theirs = all.data() + r * (ranks + 1);
    sizes[r] = theirs[rank.rank() + 1] - theirs[rank.rank()];
  }
  const auto receive = ranks::begins_of(sizes);
  records_room<Key, Value, std::decay_t<decltype(rank.policy())>> room(rank.policy(), n);
  const records<Key, Value> other = room.get();
  std::vector<piece> sent, received, sent_values, received_values;
  for (std::size_t r = 0; r < ranks; ++r) {
    (shard + send[r]).add_pieces(send[r + 1] - send[r], sent, sent_values);
    (other + receive[r]).add_pieces(sizes[r], received, received_values);
  }
  sent.insert(sent.end(), sent_values.begin(), sent_values.end());
  received.insert(received.end(), received_values.begin(), received_values.end());
  rank.exchange(sent, received);
  ranks::merge_runs(rank.policy(), other, shard, receive, less);
}

/// Sorts n records of each rank.
template <class Member, class Key, class Value, class Compare>
void sort_shards(Member& rank, records<Key, Value> shard, std::size_t n, Compare compare) {
  const auto targets = ranks::begins_of(rank.gather(n));
  if (targets.size() == 2) return shard.sort(rank.policy(), n, compare);
  if constexpr (is_radix_sortable<Key, Compare>) {
    if (bucket_sort<Member, Key, Value, Compare>{rank, shard, n, targets, compare}.run()) return;
  }
  ranks::merge_sort_shards(rank, shard, n, targets, compare);
}

}  // namespace hindsight::detail::ranks
