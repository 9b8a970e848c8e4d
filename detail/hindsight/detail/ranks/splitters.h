// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where sorted shards have to be cut, so that the pieces make shards of given sizes: exact for any
// keys and any comparator, in a few rounds.
#pragma once

#include <hindsight/detail/ranks/make_items.h>
#include <hindsight/detail/ranks/run.h>
#include <hindsight/errors.h>

#include <cuda/std/span>
#include <thrust/gather.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// A comparator that is no order, as `<` of NaNs, need not lead to cuts that fit together.
[[noreturn]] inline void refuse_order() {
  throw invalid_call("hindsight::sort: the comparator makes no strict weak order of these keys");
}

/// Number of items in a sorted range that come before a key, and of those that do not come after.
struct key_bounds {
  std::size_t before, through;
};

/// The bounds of wanted[i].
template <class Key, class Less>
struct find_bounds {
  const Key* keys;  ///< [n], sorted
  std::size_t n;
  const Key* wanted;
  mutable Less less;
  static constexpr std::size_t bytes_read = 1024;  ///< lines of a cache, one for each of few steps

  HINDSIGHT_HD key_bounds operator()(std::size_t i) const {
    const Key& key = wanted[i];
    std::size_t begin = 0;
    for (std::size_t left = n; left > 0;) {
      const std::size_t half = left / 2;
      const bool comes_before = bool(less(keys[begin + half], key));
      begin = comes_before ? begin + half + 1 : begin;
      left = comes_before ? left - half - 1 : half;
    }
    std::size_t end = begin;
    for (std::size_t left = n - begin; left > 0;) {
      const std::size_t half = left / 2;
      const bool comes_after = bool(less(key, keys[end + half]));
      end = comes_after ? end : end + half + 1;
      left = comes_after ? half : left - half - 1;
    }
    return {begin, end};
  }
};

/// Finds cuts. Take the sorted range that all shards make together, where equal keys are in the
/// order of their ranks: its first target[b] items are the first cut[b] items of each rank.
///
/// Each rank keeps an interval in which its cut b lies. In each round every rank takes samples
/// evenly from its interval of each cut. All ranks learn all samples, and how many keys come before
/// each in all shards. If the run of keys equal to a sample holds the target, the cuts are found.
/// Otherwise two neighbouring samples bound the target, and a rank's interval becomes at most one
/// gap between its own samples.
template <class Member, class Key, class Less>
class splitters {
 public:
  splitters(Member& rank, ::cuda::std::span<Key> shard, std::vector<std::size_t> targets, Less less)
      : rank_{rank},
        shard_{shard},
        less_{less},
        ranks_{std::size_t(rank.size())},
        num_samples_{samples_for(ranks_)},
        targets_{std::move(targets)},
        intervals_(targets_.size(), interval{0, shard.size(), false}) {}

  std::vector<std::size_t> find() {
    for (int rounds = 1; refine(); ++rounds)  // each leaves less than half of an interval
      if (rounds > std::numeric_limits<std::size_t>::digits) ranks::refuse_order();
    std::vector<std::size_t> cuts;
    for (const interval& each : intervals_) cuts.push_back(each.begin);
    return cuts;
  }

  /// The same cuts, but each is moved back to where the run of equal keys in which it lies begins.
  std::vector<std::size_t> find_between_keys() {
    auto cuts = find();
    std::vector<wanted_key> keys;  // the first key after each cut, of all ranks' keys
    for (const std::optional<Key>& key : first_keys_at(cuts))
      if (key) keys.push_back({*key});
    const auto bounds = bounds_of(keys);
    for (std::size_t b = 0; b < keys.size(); ++b) cuts[b] = bounds[b].before;
    return cuts;  // after the other cuts there are no keys
  }

 private:
  struct interval {
    std::size_t begin, end;  ///< the cut is in [begin, end]
    bool is_found;
  };
  struct sample {
    Key key;
    bool is_any;  ///< false: there is no key here, or none is needed
  };
  struct wanted_key {  // std::vector has no array of bools
    Key key;
  };
  using policy = std::decay_t<decltype(std::declval<Member&>().policy())>;

  /// With more samples there are fewer rounds, but each rank counts and sends more in each.
  static std::size_t samples_for(std::size_t ranks) {
    return std::min<std::size_t>(512, std::max<std::size_t>(16, 2048 / (ranks * ranks)));
  }

  /// One round. Returns whether another one is needed: the same on all ranks. So many cuts at a
  /// time that 64 ranks of one process do not take gigabytes for the bounds of all samples.
  bool refine() {
    constexpr std::size_t samples_at_once = 4096;
    const std::size_t at_once = std::max<std::size_t>(1, samples_at_once / (ranks_ * num_samples_));
    bool is_done = true;
    for (std::size_t first = 0; first < targets_.size(); first += at_once)
      if (refine(first, std::min(at_once, targets_.size() - first))) is_done = false;
    return !is_done;
  }
  /// The same for cuts [first, first + num_cuts).
  bool refine(std::size_t first, std::size_t num_cuts) {
    const auto all = rank_.gather_rows(sampled(first, num_cuts).data(), num_cuts * num_samples_);
    std::vector<wanted_key> keys;
    std::vector<std::size_t> owners;  // of the keys: which cut
    for (std::size_t b = 0; b < num_cuts; ++b)
      for (std::size_t r = 0; r < ranks_; ++r)
        for (std::size_t s = 0; s < num_samples_; ++s) {
          const sample& each = all[(r * num_cuts + b) * num_samples_ + s];
          if (intervals_[first + b].is_found || !each.is_any) continue;
          keys.push_back({each.key});
          owners.push_back(first + b);
        }
    if (keys.empty()) return false;
    const auto bounds = rank_.gather_rows(bounds_of(keys).data(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) narrow(owners[i], &bounds[i], keys.size());
    return true;
  }

  std::vector<std::optional<Key>> first_keys_at(const std::vector<std::size_t>& cuts) {
    std::vector<std::size_t> places;
    for (const std::size_t cut : cuts)
      if (cut < shard_.size()) places.push_back(cut);
    const auto keys = keys_at(places);
    std::vector<sample> mine;
    for (std::size_t b = 0; b < cuts.size(); ++b)
      mine.push_back(b < keys.size() ? sample{keys[b], true} : sample{Key{}, false});
    const auto all = rank_.gather_rows(mine.data(), mine.size());
    std::vector<std::optional<Key>> first(cuts.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::optional<Key>& key = first[i % cuts.size()];
      if (all[i].is_any && (!key || less_(all[i].key, *key))) key = all[i].key;
    }
    return first;
  }

  /// Of the intervals of cuts [first, first + num_cuts).
  std::vector<sample> sampled(std::size_t first, std::size_t num_cuts) {
    const ::cuda::std::span<const interval> intervals(intervals_.data() + first, num_cuts);
    std::vector<std::size_t> places;
    for (const interval& each : intervals)
      for (std::size_t s = 0; s < num_samples_; ++s) {
        const std::size_t left = each.is_found ? 0 : each.end - each.begin;
        if (left > 0) places.push_back(each.begin + place_of(s, left));
      }
    const auto keys = keys_at(places);
    std::vector<sample> samples;
    std::size_t next = 0;
    for (const interval& each : intervals)
      for (std::size_t s = 0; s < num_samples_; ++s) {
        const bool is_any = !each.is_found && each.end > each.begin;
        samples.push_back(is_any ? sample{keys[next], true} : sample{Key{}, false});
        next += is_any ? 1 : 0;
      }
    return samples;
  }

  /// Evenly in [0, left), without a product that overflows.
  std::size_t place_of(std::size_t s, std::size_t left) const {
    const std::size_t parts = num_samples_ + 1, i = s + 1;
    return std::min(left - 1, left / parts * i + left % parts * i / parts);
  }

  std::vector<Key> keys_at(const std::vector<std::size_t>& places) {
    if (places.empty()) return {};
    room<std::size_t, policy> indices(rank_.policy(), places.size());
    room<Key, policy> keys(rank_.policy(), places.size());
    rank_.write(indices.data(), places.data(), places.size());
    thrust::gather(rank_.policy(), indices.data(), indices.data() + places.size(), shard_.data(),
                   keys.data());
    return rank_.read(keys.data(), places.size());
  }

  std::vector<key_bounds> bounds_of(const std::vector<wanted_key>& wanted) {
    if (wanted.empty()) return {};
    room<Key, policy> keys(rank_.policy(), wanted.size());
    room<key_bounds, policy> bounds(rank_.policy(), wanted.size());
    rank_.write(keys.data(), std::addressof(wanted.front().key), wanted.size());
    using find = find_bounds<Key, Less>;
    ranks::make_items(rank_.policy(), wanted.size(), find::bytes_read, bounds.data(),
                      find{shard_.data(), shard_.size(), keys.data(), less_});
    return rank_.read(bounds.data(), wanted.size());
  }

  /// bounds[r * stride]: those of rank r for one sample of cut b.
  void narrow(std::size_t b, const key_bounds* bounds, std::size_t stride) {
    interval& mine = intervals_[b];
    if (mine.is_found) return;
    const std::size_t me = std::size_t(rank_.rank()), target = targets_[b];
    std::size_t before = 0, through = 0, equal_in_lower_ranks = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      const key_bounds& each = bounds[r * stride];
      before += each.before;
      through += each.through;
      if (r < me) equal_in_lower_ranks += each.through - each.before;
    }
    const key_bounds& own = bounds[me * stride];
    if (through < target) {
      mine.begin = std::clamp(own.through, mine.begin, mine.end);
    } else if (before > target) {
      mine.end = std::clamp(own.before, mine.begin, mine.end);
    } else {  // the target is within this run of equal keys, or at one of its ends
      const std::size_t wanted = target - before - std::min(target - before, equal_in_lower_ranks);
      mine.begin = mine.end = own.before + std::min(wanted, own.through - own.before);
      mine.is_found = true;
    }
  }

  Member& rank_;
  ::cuda::std::span<Key> shard_;
  Less less_;
  std::size_t ranks_, num_samples_;
  std::vector<std::size_t> targets_;
  std::vector<interval> intervals_;
};

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
