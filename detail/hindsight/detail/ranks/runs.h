// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal keys that go on in the next shard: each belongs to the rank where it begins.
#pragma once

#include <hindsight/detail/ranks/run.h>
#include <hindsight/reduce_by_key.h>
#include <hindsight/run_length_encode.h>

#include <cuda/std/span>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {

/// What the other ranks need to know of a shard.
template <class Key, class KeyOut, class Value>
struct shard_runs {
  Key first_key, last_key;
  KeyOut first_run_key;  ///< as it was written
  Value first_run_value, last_run_value;
  std::size_t num_runs;
};

/// `keys_out` and `values_out` begin with the num_runs runs of a shard. Removes the first run if it
/// began in an earlier shard, and folds into the last run its items in later shards. Integers are
/// folded as Items, as in a shard: bytes, whose sum is an int, stay bytes.
template <class Item, class Member, class Key, class KeyOut, class Value, class Equal, class Op>
void mend_runs(Member& rank, ::cuda::std::span<Key> keys, std::size_t num_runs,
               ::cuda::std::span<KeyOut>& keys_out, ::cuda::std::span<Value>& values_out,
               Equal equal, Op op) {
  using seen = shard_runs<std::remove_const_t<Key>, KeyOut, Value>;
  constexpr bool are_integers = std::is_integral_v<Item> && std::is_integral_v<Value>;
  using accumulator = std::conditional_t<are_integers, Item, Value>;
  std::optional<seen> mine;
  if (num_runs > 0)
    mine.emplace(seen{rank.read(keys.data()), rank.read(keys.data() + keys.size() - 1),
                      rank.read(keys_out.data()), rank.read(values_out.data()),
                      rank.read(values_out.data() + num_runs - 1), num_runs});
  const auto all = rank.gather(mine);
  keys_out = keys_out.first(num_runs);
  values_out = values_out.first(num_runs);
  if (num_runs == 0) return;

  const std::size_t me = std::size_t(rank.rank());
  bool goes_on = false;  // the first run began earlier
  for (std::size_t r = me; r-- > 0;) {
    if (!all[r]) continue;
    goes_on = bool(equal(all[r]->last_key, mine->first_key));
    break;
  }
  if (!goes_on || num_runs > 1) {
    accumulator sum = static_cast<accumulator>(mine->last_run_value);
    KeyOut key = mine->first_run_key;
    const auto* last = &*mine;  // the shard where the run was seen last
    for (std::size_t r = me + 1; r < all.size(); ++r) {
      if (!all[r]) continue;
      if (!bool(equal(last->last_key, all[r]->first_key))) break;
      sum = static_cast<accumulator>(op(sum, static_cast<accumulator>(all[r]->first_run_value)));
      key = all[r]->first_run_key;
      last = &*all[r];
      if (last->num_runs > 1) break;
    }
    if (last != &*mine) {
      const Value value = static_cast<Value>(sum);
      rank.write(values_out.data() + num_runs - 1, &value, 1);
      if (Member::place_t::key_of_run == run_key::last)
        rank.write(keys_out.data() + num_runs - 1, &key, 1);
    }
  }
  if (goes_on) {
    keys_out = keys_out.subspan(1);
    values_out = values_out.subspan(1);
  }
}

}  // namespace hindsight::detail::ranks
