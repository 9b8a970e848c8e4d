// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal keys that go on in the next shard: each belongs to the rank where it begins.
#pragma once

#include <hindsight/detail/ranks/scan.h>
#include <hindsight/reduce_by_key.h>
#include <hindsight/run_length_encode.h>

#include <cuda/std/span>
#include <thrust/transform.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// What the other ranks need to know of a shard.
template <class Key, class KeyOut, class Sum>
struct shard_runs {
  Key first_key, last_key;
  KeyOut first_run_key;  ///< as it was written
  Sum first_run_sum, last_run_sum;
  std::size_t num_runs;
};

/// Whether an output keeps sums of Items so that further Items can be folded into them: it holds
/// every Item, or the bits of an integer on which those of the result depend.
template <class Item, class Out, class Op>
constexpr bool keeps_sums() {
  constexpr bool is_narrower = sizeof(Out) < sizeof(Item);
  if constexpr (std::is_same_v<Item, Out>) {
    return true;
  } else if constexpr (std::is_integral_v<Item> && std::is_integral_v<Out>) {
    if constexpr (std::is_same_v<Out, bool>) return false;
    if constexpr (is_narrower && commutes<Op>)
      return std::is_integral_v<accumulator_t<Op, Item, Item>>;
    return !is_narrower;
  } else {
    return std::is_floating_point_v<Item> && std::is_floating_point_v<Out> && !is_narrower;
  }
}

/// Whether the first run of shard `me` began in an earlier shard. all[r]: nothing, if shard r is
/// empty.
template <class Seen, class Equal>
bool first_run_began_earlier(const std::vector<std::optional<Seen>>& all, std::size_t me,
                             Equal equal) {
  for (std::size_t r = me; r-- > 0;)
    if (all[r]) return bool(equal(all[r]->last_key, all[me]->first_key));
  return false;
}

/// A run that may go on in later shards: its fold, the key that it has where it ends, and the shard
/// of that key.
template <class Seen, class Sum>
struct long_run {
  Sum sum;
  decltype(Seen::first_run_key) key;
  std::size_t last_shard;
};

/// The last run of shard `me`, as far as it goes on in later shards.
template <class Sum, class Seen, class Equal, class Op>
long_run<Seen, Sum> follow_last_run(const std::vector<std::optional<Seen>>& all, std::size_t me,
                                    Equal equal, Op op) {
  long_run<Seen, Sum> run{all[me]->last_run_sum, all[me]->first_run_key, me};
  for (std::size_t r = me + 1; r < all.size(); ++r) {
    if (!all[r]) continue;
    if (!bool(equal(all[run.last_shard]->last_key, all[r]->first_key))) break;
    run = {static_cast<Sum>(op(run.sum, all[r]->first_run_sum)), all[r]->first_run_key, r};
    if (all[r]->num_runs > 1) break;
  }
  return run;
}

/// `keys_out` and `values_out` begin with the num_runs runs of a shard, whose folds are `sums`.
/// Removes the first run if it began in an earlier shard, and folds into the last run its items in
/// later shards. Sums are Items, as in a shard: bytes, whose sum is an int, stay bytes.
template <class Item, class Member, class Key, class KeyOut, class Value, class Sum, class Equal,
          class Op>
void join_across_shards(Member& rank, ::cuda::std::span<Key> keys, std::size_t num_runs,
                        const Sum* sums, ::cuda::std::span<KeyOut>& keys_out,
                        ::cuda::std::span<Value>& values_out, Equal equal, Op op) {
  using seen = shard_runs<std::remove_const_t<Key>, KeyOut, Item>;
  std::optional<seen> mine;
  if (num_runs > 0)
    mine.emplace(seen{rank.read(keys.data()), rank.read(keys.data() + keys.size() - 1),
                      rank.read(keys_out.data()), static_cast<Item>(rank.read(sums)),
                      static_cast<Item>(rank.read(sums + num_runs - 1)), num_runs});
  const auto all = rank.gather(mine);
  keys_out = keys_out.first(num_runs);
  values_out = values_out.first(num_runs);
  if (num_runs == 0) return;

  const std::size_t me = std::size_t(rank.rank());
  const bool began_earlier = ranks::first_run_began_earlier(all, me, equal);
  if (!began_earlier || num_runs > 1) {
    const auto run = ranks::follow_last_run<Item>(all, me, equal, op);
    if (run.last_shard != me) {
      const Value value = static_cast<Value>(run.sum);
      rank.write(values_out.data() + num_runs - 1, std::addressof(value), 1);
      if (Member::place_t::key_of_run == run_key::last)
        rank.write(keys_out.data() + num_runs - 1, std::addressof(run.key), 1);
    }
  }
  if (began_earlier) {
    keys_out = keys_out.subspan(1);
    values_out = values_out.subspan(1);
  }
}

/// reduce_by_key of this rank's shards, and of the runs that they share with others.
template <class Member, class Key, class Value, class KeyOut, class ValueOut, class Equal, class Op>
void reduce_by_key(Member& rank, ::cuda::std::span<Key> keys, ::cuda::std::span<Value> values,
                   ::cuda::std::span<KeyOut>& keys_out, ::cuda::std::span<ValueOut>& values_out,
                   Equal equal, Op op) {
  using item = std::remove_const_t<Value>;
  const Key* const first = keys.data();
  const auto reduce_to = [&](auto* sums) {
    const auto ends = hindsight::reduce_by_key(rank.policy(), first, first + keys.size(),
                                               values.data(), keys_out.data(), sums, equal, op);
    return std::size_t(ends.first - keys_out.data());
  };
  if constexpr (keeps_sums<item, ValueOut, Op>()) {
    const std::size_t num_runs = reduce_to(values_out.data());
    ranks::join_across_shards<item>(rank, keys, num_runs, values_out.data(), keys_out, values_out,
                                    equal, op);
  } else {
    room<item, std::decay_t<decltype(rank.policy())>> sums(rank.policy(), keys.size());
    const std::size_t num_runs = reduce_to(sums.data());
    thrust::transform(rank.policy(), sums.data(), sums.data() + num_runs, values_out.data(),
                      cast_to<ValueOut>{});
    ranks::join_across_shards<item>(rank, keys, num_runs, sums.data(), keys_out, values_out, equal,
                                    op);
  }
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
