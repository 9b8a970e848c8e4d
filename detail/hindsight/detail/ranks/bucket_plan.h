// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank sorts which keys, where a sort over ranks begins with their highest bits. All ranks
// make the same plan from the same counts.
#pragma once

#include <hindsight/detail/tuning/ranks.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// [0], [0] + [1], ...: where each shard begins in the range of all, and at last its length.
inline std::vector<std::size_t> begins_of(const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> begins(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), begins.begin() + 1);
  return begins;
}

/// rows [num_rows][num_columns], added up.
inline std::vector<std::size_t> sum_of_rows(const std::vector<std::size_t>& rows,
                                            std::size_t num_columns) {
  std::vector<std::size_t> sums(num_columns, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i % num_columns] += rows[i];
  return sums;
}

/// A bucket holds the keys with the same digit. A digit is `bucket_bits` bits, above which all keys
/// are the same.
inline constexpr std::size_t num_buckets = std::size_t{1} << bucket_bits;

inline int bit_length_of(std::size_t bits) {
  int length = 0;
  for (; bits != 0; bits >>= 1) ++length;
  return length;
}

/// Takes the highest bit in which any two keys differ, and returns the lowest bit of the digit that
/// has it on top; -1 where the keys do not differ in the bits that were counted.
///   counts  [passes][num_buckets]: how often each digit occurs, 8 bits from `shift` on,
///           then the next 8, and so on
inline int shift_of_buckets(const std::vector<std::size_t>& counts, int shift) {
  for (std::size_t p = counts.size() / num_buckets; p-- > 0;) {
    std::size_t first = num_buckets, last = 0;
    for (std::size_t d = 0; d < num_buckets; ++d) {
      if (counts[p * num_buckets + d] == 0) continue;
      first = std::min(first, d);
      last = d;
    }
    if (first >= last) continue;
    const int highest = shift + int(p) * bucket_bits + bit_length_of(first ^ last);
    return std::max(0, highest - bucket_bits);
  }
  return -1;
}

class bucket_plan {
 public:
  /// Neighbouring buckets [first, end) that a rank sorts together.
  struct group {
    std::size_t first, end;
    /// Number of low bits in which its keys may differ.
    int varying_bits(int shift) const { return shift + bit_length_of(first ^ (end - 1)); }
  };

  /// Makes the plan from counts [ranks][num_buckets]. Rank r is to have items [targets[r],
  /// targets[r + 1]) of the sorted range. A bucket of one rank alone joins the group before it
  /// until that has `fewest` items. A bucket that several ranks share is a group of its own in
  /// each.
  bucket_plan(std::vector<std::size_t> counts, std::vector<std::size_t> targets, std::size_t fewest)
      : counts_{std::move(counts)},
        targets_{std::move(targets)},
        begins_{ranks::begins_of(ranks::sum_of_rows(counts_, num_buckets))},
        groups_(num_ranks()) {
    for (std::size_t r = 0; r < num_ranks(); ++r) group_buckets_of(r, fewest);
  }

  std::size_t num_ranks() const { return targets_.size() - 1; }
  std::size_t target(std::size_t rank) const { return targets_[rank]; }
  const std::vector<group>& groups(std::size_t rank) const { return groups_[rank]; }

  /// The place of a group in the sorted range of all shards. A bucket in which a shard ends goes to
  /// each rank that has a part of it, which then sorts all of it.
  std::size_t begin(const group& g) const { return begins_[g.first]; }
  std::size_t end(const group& g) const { return begins_[g.end]; }

  /// How many of a group's keys come from a rank.
  std::size_t num_from(std::size_t rank, const group& g) const {
    const auto row = counts_.begin() + std::ptrdiff_t(rank * num_buckets);
    return std::accumulate(row + std::ptrdiff_t(g.first), row + std::ptrdiff_t(g.end),
                           std::size_t{0});
  }

  std::size_t num_received(std::size_t rank) const {
    return groups_[rank].empty() ? 0 : end(groups_[rank].back()) - begin(groups_[rank].front());
  }

  /// Whether no rank gets much more than its shard.
  bool is_even() const {
    const std::size_t most_in_excess =
        targets_.back() / num_ranks() / bucket_sort_tuning::excess_divisor;
    for (std::size_t r = 0; r < num_ranks(); ++r)
      if (num_received(r) > targets_[r + 1] - targets_[r] + most_in_excess) return false;
    return true;
  }

  /// The targets, each moved to the nearest end of a bucket.
  std::vector<std::size_t> targets_between_buckets() const {
    auto targets = targets_;
    for (std::size_t& target : targets) {
      const auto next = std::lower_bound(begins_.begin(), begins_.end(), target);
      const std::size_t before = next == begins_.begin() ? 0 : *(next - 1);
      target = target - before < *next - target ? before : *next;
    }
    return targets;
  }

  /// Where a rank moves its own keys of each bucket before the exchange. First come the keys that
  /// it only sends away. The room after them is for what it gets: group after group, and in each
  /// group the keys of rank 0, then those of rank 1, and so on.
  struct layout {
    std::vector<std::size_t> places;  ///< [num_buckets]
    std::size_t num_sent = 0;
  };
  layout layout_of(std::size_t rank) const {
    layout all{std::vector<std::size_t>(num_buckets), 0};
    const auto mine = groups_[rank].empty()
                          ? group{num_buckets, num_buckets}
                          : group{groups_[rank].front().first, groups_[rank].back().end};
    for (std::size_t b = 0; b < num_buckets; ++b) {
      all.places[b] = all.num_sent;
      if (b < mine.first || b >= mine.end) all.num_sent += num_from(rank, {b, b + 1});
    }
    for (const group& g : groups_[rank]) {
      std::size_t place = all.num_sent + place_from(rank, rank, g);
      for (std::size_t b = g.first; b < g.end; ++b) {
        all.places[b] = place;
        place += num_from(rank, {b, b + 1});
      }
    }
    return all;
  }

  /// Where the keys of a group that come from `source` begin in the room for what `rank` gets.
  std::size_t place_from(std::size_t source, std::size_t rank, const group& g) const {
    std::size_t place = begin(g) - begin(groups_[rank].front());
    for (std::size_t r = 0; r < source; ++r) place += num_from(r, g);
    return place;
  }

 private:
  void group_buckets_of(std::size_t rank, std::size_t fewest) {
    const std::size_t first = targets_[rank], last = targets_[rank + 1];
    bool is_open = false;  // whether the last group may grow
    for (std::size_t b = 0; b < num_buckets; ++b) {
      const std::size_t from = begins_[b], to = begins_[b + 1];
      if (from == to || to <= first || from >= last || first == last) continue;
      const bool is_whole = from >= first && to <= last;
      if (is_open && is_whole) {
        groups_[rank].back().end = b + 1;
      } else {
        groups_[rank].push_back({b, b + 1});
      }
      is_open = is_whole && end(groups_[rank].back()) - begin(groups_[rank].back()) < fewest;
    }
  }

  std::vector<std::size_t> counts_, targets_, begins_;
  std::vector<std::vector<group>> groups_;  // [ranks]
};

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
