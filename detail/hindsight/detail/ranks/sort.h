// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sort. Each number is sent to the rank where it belongs, which its highest bits tell, and is
// sorted there (bucket_sort.h). Where too many keys have the same highest bits, and for other
// orders, each rank sorts its shard. Then the ranks find where to cut these, send each other the
// pieces, and merge what they get.
#pragma once

#include <hindsight/detail/composite_key.h>
#include <hindsight/detail/host/composite_keys.h>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/ranks/bucket_sort.h>
#include <hindsight/detail/ranks/splitters.h>

#include <cuda/std/span>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// The order that a sort by `compare` makes at a place.
template <class Place, class Key, class Compare>
auto order_at(const Compare& compare) {
  if constexpr (std::is_same_v<Place, host_place>) {
    return host::as_order<Key>(compare);
  } else {
    return detail::as_order<Key>(compare);
  }
}

/// Merges neighbours of the sorted runs from[begins[i], begins[i + 1]) until one run is left, and
/// leaves it in `to`. Equal keys keep their order. `from` is overwritten.
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

/// Sorts `work`, which holds this rank's n records, finds where to cut it, exchanges the pieces,
/// and merges what it gets to `out`, which may be `work`. Takes any comparator and any keys.
/// Returns how many records this rank has then.
template <class Member, class Key, class Value, class Compare>
std::size_t merge_sort_shards(Member& rank, records<Key, Value> work, std::size_t n,
                              sorted_shard<Key, Value> out, std::vector<std::size_t> targets,
                              Compare compare) {
  work.sort(rank.policy(), n, compare);
  const auto less = ranks::order_at<typename Member::place_t, Key>(compare);
  const std::size_t ranks = targets.size() - 1;
  targets.erase(targets.begin());
  targets.pop_back();
  splitters<Member, Key, std::decay_t<decltype(less)>> search(
      rank, ::cuda::std::span<Key>(work.keys, n), targets, less);
  auto send = out.cuts == cut::at_sizes ? search.find() : search.find_between_keys();
  send.insert(send.begin(), 0);
  send.push_back(n);

  const auto all = rank.gather_rows(send.data(), send.size());
  std::vector<std::size_t> sizes(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t* const theirs = all.data() + r * (ranks + 1) + rank.rank();
    if (theirs[1] < theirs[0]) ranks::refuse_order();
    sizes[r] = theirs[1] - theirs[0];
  }
  const auto receive = ranks::begins_of(sizes);
  if (out.cuts == cut::at_sizes && receive.back() != n) ranks::refuse_order();
  out.require_room(receive.back());
  records_room<Key, Value, std::decay_t<decltype(rank.policy())>> room(rank.policy(),
                                                                       receive.back());
  const records<Key, Value> other = room.get();
  std::vector<piece> sent, received, sent_values, received_values;
  for (std::size_t r = 0; r < ranks; ++r) {
    (work + send[r]).add_pieces(send[r + 1] - send[r], sent, sent_values);
    (other + receive[r]).add_pieces(sizes[r], received, received_values);
  }
  sent.insert(sent.end(), sent_values.begin(), sent_values.end());
  received.insert(received.end(), received_values.begin(), received_values.end());
  rank.exchange(sent, received);
  rank.confirm();  // `less` is the caller's: it sees no keys but the caller's
  ranks::merge_runs(rank.policy(), other, out.items, receive, less);
  return receive.back();
}

/// Sorts n records of each rank to `out`, which may be `in`. Returns how many records this rank has
/// then.
template <class Member, class Key, class Value, class Compare>
std::size_t sort_shards(Member& rank, records<Key, Value> in, std::size_t n,
                        sorted_shard<Key, Value> out, Compare compare) {
  const auto targets = ranks::begins_of(rank.gather(n));
  const bool is_in_place = in.keys == out.items.keys;
  if (targets.size() == 2) {
    out.require_room(n);
    if (!is_in_place) out.items.copy(rank.policy(), in, n);
    out.items.sort(rank.policy(), n, compare);
    return n;
  }
  if constexpr (is_radix_sortable<Key, Compare>) {
    bucket_sort<Member, Key, Value, Compare> sort{rank, in, n, out, targets, compare};
    if (const auto num_out = sort.run()) return *num_out;
  }
  if (is_in_place) return ranks::merge_sort_shards(rank, in, n, out, targets, compare);
  records_room<Key, Value, std::decay_t<decltype(rank.policy())>> room(rank.policy(), n);
  const records<Key, Value> work = room.get();
  work.copy(rank.policy(), in, n);
  return ranks::merge_sort_shards(rank, work, n, out, targets, compare);
}

/// The same in place: the shards keep their sizes.
template <class Member, class Key, class Value, class Compare>
void sort_shards(Member& rank, records<Key, Value> shard, std::size_t n, Compare compare) {
  ranks::sort_shards(rank, shard, n, sorted_shard<Key, Value>{shard, n, cut::at_sizes}, compare);
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
