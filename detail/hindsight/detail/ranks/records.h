// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys that travel alone or with values, and what a sort over ranks does with them on one rank.
#pragma once

#include <hindsight/detail/host/digit_partition.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/ranks/bucket_plan.h>
#include <hindsight/detail/ranks/member.h>
#include <hindsight/errors.h>
#include <hindsight/sort.h>

#include <thrust/copy.h>
#include <thrust/merge.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/digit_partition.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {

/// Keys with their values. In a sort of keys alone, Value is no_value and `values` is null.
template <class Key, class Value>
struct records {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  Key* keys;
  Value* values;

  records operator+(std::size_t offset) const {
    return {keys + offset, has_values ? values + offset : values};
  }

  template <class Policy, class Compare>
  void sort(const Policy& policy, std::size_t n, Compare compare) const {
    if constexpr (has_values) {
      hindsight::stable_sort_by_key(policy, keys, keys + n, values, compare);
    } else {
      hindsight::stable_sort(policy, keys, keys + n, compare);
    }
  }

  /// Merges [at[0], at[1]) and [at[1], at[2]) of `from` to [at[0], at[2]) of this.
  template <class Policy, class Less>
  void merge(const Policy& policy, const records& from, const std::size_t (&at)[3],
             Less less) const {
    Key* const k = from.keys;
    if constexpr (has_values) {
      Value* const v = from.values;
      thrust::merge_by_key(policy, k + at[0], k + at[1], k + at[1], k + at[2], v + at[0], v + at[1],
                           keys + at[0], values + at[0], less);
    } else {
      thrust::merge(policy, k + at[0], k + at[1], k + at[1], k + at[2], keys + at[0], less);
    }
  }

  template <class Policy>
  void copy(const Policy& policy, const records& from, std::size_t n) const {
    thrust::copy(policy, from.keys, from.keys + n, keys);
    if constexpr (has_values) thrust::copy(policy, from.values, from.values + n, values);
  }

  /// The n records as bytes that ranks exchange.
  void add_pieces(std::size_t n, std::vector<piece>& key_pieces,
                  std::vector<piece>& value_pieces) const {
    key_pieces.push_back(ranks::piece_of(keys, n));
    if constexpr (has_values) value_pieces.push_back(ranks::piece_of(values, n));
  }
};

/// Where the shards of a sorted range end: at the sizes that they had, or near there, but only
/// where a key differs from the one before it.
enum class cut { at_sizes, between_keys };

/// Where a rank's part of the sorted range goes; it has room for `room` records.
template <class Key, class Value>
struct sorted_shard {
  records<Key, Value> items;
  std::size_t room;
  cut cuts;

  void require_room(std::size_t n) const {
    if (room < n)
      throw invalid_call("hindsight::sort_to_ragged: an output shard has room for " +
                         std::to_string(room) + " items; " + std::to_string(n) +
                         " belong to this rank");
  }
};

/// Room for n records.
template <class Key, class Value, class Policy>
class records_room {
  static constexpr bool has_values = records<Key, Value>::has_values;

 public:
  records_room(const Policy& policy, std::size_t n)
      : keys_{policy, n}, values_{policy, has_values ? n : 0} {}
  records<Key, Value> get() { return {keys_.data(), has_values ? values_.data() : nullptr}; }

 private:
  room<Key, Policy> keys_;
  room<Value, Policy> values_;
};

// --- the steps of a sort that begins with the highest bits: Direction gives the keys' order ---

inline namespace HINDSIGHT_HOST_ABI {

/// [num_passes][num_buckets]: how often each value of bits [shift, shift + 8), [shift + 8, ...) of
/// the key bits occurs in keys[0, n).
template <class Direction, class Member, class D, class Key>
std::vector<std::size_t> count_buckets(Member&, const execution_policy<D, hindsight::host::system>&,
                                       const Key* keys, std::size_t n, int shift, int num_passes) {
  std::vector<std::size_t> counts;
  for (int p = 0; p < num_passes; ++p) {
    const host::digit_at<Direction> digit{shift + p * bucket_bits, bucket_bits};
    const auto of_pass = host::digit_slices{keys, n, digit}.totals();
    counts.insert(counts.end(), of_pass.begin(), of_pass.end());
  }
  return counts;
}

/// Moves from[0, n) to the places of their buckets in `to`, stably.
template <class Direction, class Member, class D, class Key, class Value>
void move_to_buckets(Member&, const execution_policy<D, hindsight::host::system>&,
                     records<Key, Value> from, records<Key, Value> to, std::size_t n, int shift,
                     const std::vector<std::size_t>& places) {
  host::digit_slices slices{from.keys, n, host::digit_at<Direction>{shift, bucket_bits}};
  slices.scatter(from.keys, places.data(), [&](std::size_t place, std::size_t i) {
    to.keys[place] = from.keys[i];
    if constexpr (records<Key, Value>::has_values) to.values[place] = from.values[i];
  });
}

}  // namespace HINDSIGHT_HOST_ABI

#if HINDSIGHT_CUDA

template <class Direction, class Member, class D, class Key>
std::vector<std::size_t> count_buckets(Member& rank,
                                       const execution_policy<D, hindsight::cuda::system>& policy,
                                       const Key* keys, std::size_t n, int shift, int num_passes) {
  const int end = std::min(shift + num_passes * bucket_bits, int(sizeof(Key)) * 8);
  const cuda::digit_passes passes{shift, end, bucket_bits};
  const std::size_t num_counts = std::size_t(num_passes) * num_buckets;
  room<std::uint64_t, D> starts(derived(policy), num_counts);
  detail::enqueue(policy, "hindsight::sort", [&](void* temp, std::size_t& bytes, auto stream) {
    return cuda::find_digit_starts<Direction>(temp, bytes, keys, n, passes, starts.data(), stream);
  });
  const auto of_all = rank.read(starts.data(), num_counts);
  std::vector<std::size_t> counts(num_counts);
  for (std::size_t i = 0; i < num_counts; ++i)
    counts[i] = ((i + 1) % num_buckets == 0 ? n : std::size_t(of_all[i + 1])) - of_all[i];
  return counts;
}

template <class Direction, class Member, class D, class Key, class Value>
void move_to_buckets(Member& rank, const execution_policy<D, hindsight::cuda::system>& policy,
                     records<Key, Value> from, records<Key, Value> to, std::size_t n, int shift,
                     const std::vector<std::size_t>& places) {
  const cuda::digit_passes passes{shift, std::min(shift + bucket_bits, int(sizeof(Key)) * 8),
                                  bucket_bits};
  room<std::uint64_t, D> starts(derived(policy), num_buckets);
  const std::vector<std::uint64_t> words(places.begin(), places.end());
  rank.write(starts.data(), words.data(), num_buckets);
  detail::enqueue(policy, "hindsight::sort", [&](void* temp, std::size_t& bytes, auto stream) {
    return cuda::partition_by_digit<Direction>(
        temp, bytes, static_cast<const Key*>(from.keys), to.keys,
        static_cast<const Value*>(from.values), to.values, n,
        passes.template digit<Direction, Key>(0), starts.data(), stream);
  });
}

#endif

}  // namespace hindsight::detail::ranks
