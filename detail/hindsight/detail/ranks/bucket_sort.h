// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sort over ranks, highest bits first: every rank counts its keys by their leading digit, moves
// them to buckets, sends each bucket to the rank whose shard it belongs to, and sorts what it gets
// by the bits that are left, while further buckets arrive.
#pragma once

#include <hindsight/detail/ranks/group_sorter.h>
#include <hindsight/detail/tuning/ranks.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {

template <class Member, class Key, class Value, class Compare, class Tuning = bucket_sort_tuning>
class bucket_sort {
  using direction = direction_of<Key, Compare>;
  using group = bucket_plan::group;
  using policy = std::decay_t<decltype(std::declval<Member&>().policy())>;
  using sorter = group_sorter<typename Member::place_t, direction, Key, Value, Compare>;
  static constexpr std::size_t record_bytes =
      sizeof(Key) + (records<Key, Value>::has_values ? sizeof(Value) : 0);

 public:
  /// Sorts n records of this rank. Rank r's shard is [targets[r], targets[r + 1]) of all records.
  bucket_sort(Member& rank, records<Key, Value> in, std::size_t n, sorted_shard<Key, Value> out,
              std::vector<std::size_t> targets, Compare compare)
      : rank_{rank},
        in_{in},
        out_{out},
        n_{n},
        me_{std::size_t(rank.rank())},
        targets_{std::move(targets)},
        compare_{compare} {}

  /// Sorts, and returns how many records this rank has then. Returns nothing, and changes nothing,
  /// where so many keys have the same leading digit that a rank would get too many. All ranks take
  /// the same decision.
  std::optional<std::size_t> run() {
    std::vector<std::size_t> rows = counted(top_shift, 1);
    shift_ = ranks::shift_of_buckets(ranks::sum_of_rows(rows, num_buckets), top_shift);
    if (shift_ < 0 && top_shift > 0) {  // all keys have the same highest bits
      constexpr std::size_t passes = sizeof(Key) - 1;
      shift_ =
          ranks::shift_of_buckets(ranks::sum_of_rows(counted(0, passes), passes * num_buckets), 0);
    }
    if (shift_ < 0) return all_equal();
    if (shift_ != top_shift) rows = counted(shift_, 1);
    bucket_plan plan{rows, targets_, fewest_items()};
    if (!plan.is_even()) return {};
    if (out_.cuts == cut::between_keys) {
      targets_ = plan.targets_between_buckets();
      plan = bucket_plan{std::move(rows), targets_, fewest_items()};
    }
    const std::size_t num_out = targets_[me_ + 1] - targets_[me_];
    out_.require_room(num_out);
    move(plan);
    return num_out;
  }

 private:
  std::optional<std::size_t> all_equal() const {
    if (out_.cuts == cut::between_keys) return {};
    return n_;
  }

  static constexpr int top_shift = int(sizeof(Key)) * 8 - bucket_bits;

  /// [ranks][passes][num_buckets]: how often each digit occurs on each rank.
  std::vector<std::size_t> counted(int shift, std::size_t passes) {
    const auto mine = ranks::count_buckets<direction>(
        rank_, rank_.policy(), static_cast<const Key*>(in_.keys), n_, shift, int(passes));
    return rank_.gather_rows(mine.data(), mine.size());
  }

  /// Large buckets are sorted one by one: the keys of one bucket differ in fewer bits than those of
  /// several, so that their sort needs fewer passes.
  bool sorts_single_buckets() const {
    return targets_.back() / num_buckets >= Tuning::single_bucket_items;
  }
  std::size_t fewest_items() const { return sorts_single_buckets() ? 1 : Tuning::group_items; }

  std::size_t num_steps() const {
    const std::size_t bytes = targets_.back() / (targets_.size() - 1) * record_bytes;
    return std::min(Tuning::most_steps, bytes / Tuning::step_bytes + 1);
  }

  void move(const bucket_plan& plan) {
    const auto layout = plan.layout_of(me_);
    records_room<Key, Value, policy> room(rank_.policy(), layout.num_sent + plan.num_received(me_));
    const records<Key, Value> work = room.get(), received = work + layout.num_sent;
    ranks::move_to_buckets<direction>(rank_, rank_.policy(), in_, work, n_, shift_, layout.places);
    const auto& groups = plan.groups(me_);
    std::vector<group_size> sizes;
    std::size_t largest_cut = 0;
    for (const group& g : groups) {
      sizes.push_back({plan.end(g) - plan.begin(g), g.varying_bits(shift_)});
      if (!is_whole(plan, g)) largest_cut = std::max(largest_cut, sizes.back().n);
    }
    records_room<Key, Value, policy> cut_group(rank_.policy(), largest_cut);
    const sorter sort{rank_.place(), sizes, sorts_single_buckets() ? Tuning::lanes : 1, compare_};
    const std::size_t steps = num_steps();
    rank_.exchange_in_steps(
        steps,
        [&](std::size_t step, std::vector<piece>& send, std::vector<piece>& receive) {
          add_pieces(plan, layout, work, received, step, steps, send, receive);
        },
        [&](std::size_t step) {
          for (std::size_t g = first_of(step, steps, groups.size());
               g < first_of(step + 1, steps, groups.size()); ++g)
            sort_group(plan, g, sizes[g], received, sort, cut_group.get());
        });
    sort.wait();
  }

  /// The first group of a step.
  static std::size_t first_of(std::size_t step, std::size_t steps, std::size_t num_groups) {
    return num_groups * step / steps;
  }

  /// The k-th piece sent to rank r holds this rank's keys of the k-th group that r sorts in this
  /// step. The k-th piece received from r holds r's keys of the k-th group that this rank sorts.
  void add_pieces(const bucket_plan& plan, const bucket_plan::layout& layout,
                  records<Key, Value> work, records<Key, Value> received, std::size_t step,
                  std::size_t steps, std::vector<piece>& send, std::vector<piece>& receive) const {
    const auto group_of = [&](std::size_t r, std::size_t k) -> const group* {
      const std::size_t num_groups = plan.groups(r).size();
      const std::size_t g = first_of(step, steps, num_groups) + k;
      return g < first_of(step + 1, steps, num_groups) ? &plan.groups(r)[g] : nullptr;
    };
    const auto is_some = [&](std::size_t k) {
      for (std::size_t r = 0; r < plan.num_ranks(); ++r)
        if (group_of(r, k)) return true;
      return false;
    };
    std::vector<piece> sent_values, received_values;
    for (std::size_t k = 0; is_some(k); ++k)
      for (std::size_t r = 0; r < plan.num_ranks(); ++r) {
        const group* const to = r == me_ ? nullptr : group_of(r, k);
        const group* const from = r == me_ ? nullptr : group_of(me_, k);
        (work + (to ? layout.places[to->first] : 0))
            .add_pieces(to ? plan.num_from(me_, *to) : 0, send, sent_values);
        (received + (from ? plan.place_from(r, me_, *from) : 0))
            .add_pieces(from ? plan.num_from(r, *from) : 0, receive, received_values);
      }
    send.insert(send.end(), sent_values.begin(), sent_values.end());
    receive.insert(receive.end(), received_values.begin(), received_values.end());
  }

  bool is_whole(const bucket_plan& plan, const group& g) const {
    return plan.begin(g) >= targets_[me_] && plan.end(g) <= targets_[me_ + 1];
  }

  /// Sorts a group from where it was received to its place in the shard. Where an end of the shard
  /// cuts a bucket, the whole bucket is sorted to `cut_group`, and only the part within the shard
  /// is copied. Such buckets share `cut_group`, so they all take lane 0. The received records are
  /// not changed: this rank's own keys among them may still have to be sent to other ranks.
  void sort_group(const bucket_plan& plan, std::size_t index, group_size size,
                  records<Key, Value> received, const sorter& sort,
                  records<Key, Value> cut_group) const {
    const group& g = plan.groups(me_)[index];
    const std::size_t begin = plan.begin(g);
    const auto from = received + (begin - plan.begin(plan.groups(me_).front()));
    if (is_whole(plan, g))
      return sort.sort(index % sort.num_lanes(), from, out_.items + (begin - targets_[me_]), size);
    const std::size_t first = std::max(begin, targets_[me_]);
    const std::size_t last = std::min(begin + size.n, targets_[me_ + 1]);
    sort.sort(0, from, cut_group, size);
    (out_.items + (first - targets_[me_]))
        .copy(sort.policy(0), cut_group + (first - begin), last - first);
  }

  Member& rank_;
  records<Key, Value> in_;
  sorted_shard<Key, Value> out_;
  std::size_t n_, me_;
  std::vector<std::size_t> targets_;
  Compare compare_;
  int shift_ = 0;
};

}  // namespace hindsight::detail::ranks
