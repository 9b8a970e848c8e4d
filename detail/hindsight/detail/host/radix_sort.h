// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stable radix sort for threads. Small arrays are sorted in chunks, which are merged. Larger
// arrays are split by all threads, by the highest digit that varies, until the parts fit into a
// core's cache. Then each part is sorted by one thread. Where such a split would leave most keys
// together, and for short keys, all threads sort from the lowest digit instead; large arrays are
// split by a sample of the keys there.
#pragma once

#include <hindsight/detail/host/cached_radix_sort.h>
#include <hindsight/detail/host/chunk_sort.h>
#include <hindsight/detail/host/digit_passes.h>
#include <hindsight/detail/host/radix_scatter.h>
#include <hindsight/detail/host/records.h>
#include <hindsight/detail/host/sampled_split.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/std_heap.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

template <class Direction, class Key, class Value>
class radix_sorter : radix_tuning {
  using in_cache = cached_radix_sorter<Direction, Key, Value>;
  using in_chunks = chunk_sorter<Direction, Key, Value>;
  using in_passes = pass_sorter<Direction, Key, Value>;
  using bits_t = unsigned_bits_t<Key>;
  using items = records<Key, Value>;
  using digit = digit_at<Direction>;
  static constexpr bool has_short_keys = sizeof(Key) <= 2;
  static constexpr std::size_t record_bytes = sizeof(Key) + (items::has_values ? sizeof(Value) : 0);
  static constexpr bool is_wide = sizeof(Key) >= 8 || record_bytes >= 12;

 public:
  /// For n records.
  radix_sorter(std::size_t n, cut wanted)
      : n_{n},
        wanted_threads_{wanted.num_threads},
        threads_{tiling{n, record_bytes, {wanted_threads_, 0}}.num_threads},
        chunks_{in_chunks::worthwhile(n, wanted)},
        in_chunks_{chunks_ > 1 && n <= most_chunked_bytes / record_bytes} {
    if (wanted.tile_items) cached_items_ = shared_items_ = least_sampled_items_ = wanted.tile_items;
    alone_items_ = std::max(cached_items_, std::min(shared_items_, n / threads_));
    is_alone_ = n <= (threads_ <= few_threads ? shared_items_ : alone_items_);
  }

  ///   Memory  room for n more records. For arrays that are split, tables for each thread as well:
  ///           about 170 KB with 4- or 8-byte keys alone, more with values; for small arrays of
  ///           keys of two bytes, 8 KB
  void carve(carver& space) {
    spare_ = host::take_records<Key, Value>(space, n_);
    if (is_alone_ || in_chunks_) {
      if (in_chunks_ && has_short_keys) others_.carve(space, chunks_, most_digits);
      return;
    }
    varying_ = space.take<bits_t>(threads_);
    positions_.carve(space, threads_, most_digits);
    firsts_.carve(space, threads_, most_digits);
    others_.carve(space, threads_, most_digits);
    lines_ = host::take_records<Key, Value>(space, threads_ * most_digits * line);
    large_ = space.take<range>(n_ / (alone_items_ + 1) + 1);
    small_ = space.take<range>(most_small_ranges);
  }

  /// Room for n keys, free for other use after a sort.
  Key* spare_keys() const { return spare_.keys; }

  /// Sorts home[0, n).
  void sort(items home) {
    home_ = home;
    if (in_chunks_) {
      const small_sort_team team;
      if (wanted_threads_ != 0 || team.is_worthwhile()) {
        if (!has_short_keys) return in_chunks{n_, chunks_}.sort(home, spare_);
        return in_passes{n_, chunks_, others_}.sort(home, spare_, 0, int(sizeof(Key)) * 8);
      }
    }
    if (in_chunks_ || is_alone_) {
      in_cache::sort_cached(home, spare_, n_, ends_in::from);
    } else {
      split_all();
    }
  }

 private:
  /// Records that have all digits in common, except the lower ones.
  struct range {
    std::size_t begin, n;
    ends_in place;  // `from` if it lies where the caller's records are
    bool is_skewed, was_sampled;
    items from(const radix_sorter& all) const {
      return (place == ends_in::from ? all.home_ : all.spare_) + begin;
    }
    items other(const radix_sorter& all) const {
      return (place == ends_in::from ? all.spare_ : all.home_) + begin;
    }
  };

  /// Splits ranges until each can be sorted by one thread. These are sorted as soon as there are
  /// many.
  void split_all() {
    large_[num_large_++] = {0, n_, ends_in::from, false, false};
    while (num_large_ > 0) {
      split(large_[--num_large_]);
      if (num_small_ > most_small_ranges - most_digits) sort_small();
    }
    sort_small();
  }

  void sort_small() {
    const auto is_longer = [](const range& a, const range& b) { return a.n > b.n; };
    // Longest first, so that no thread begins a long one at the end.
    std::make_heap(small_, small_ + num_small_, is_longer);
    std::sort_heap(small_, small_ + num_small_, is_longer);
    if (num_small_ == 0) return;
    const tiling by_one{num_small_, n_ * weight / num_small_, {threads_, 1}};
    host::for_each_tile(by_one, [&](std::size_t i) {
      in_cache::sort_cached(small_[i].from(*this), small_[i].other(*this), small_[i].n,
                            small_[i].place);
    });
    num_small_ = 0;
  }

  /// Moves a range to the other buffer by its highest digit that varies, or by a sample, and notes
  /// its parts.
  void split(range whole) {
    const items from = whole.from(*this), other = whole.other(*this);
    const tiling parts = one_part_per_thread(whole.n);
    const bits_t varying = team_varying_bits(parts, from);
    if (varying == 0) {
      if (whole.place == ends_in::other) team_copy(parts, from, other);
      return;
    }
    const int high = bit_length(varying);
    const int wanted_bits = bit_length(whole.n / (cached_items_ / 2 + 1));
    const int most_bits =
        whole.is_skewed ? large_digit_bits : std::max(wanted_bits, int{least_split_bits});
    const int width =  // so few bits need no second split
        high <= digit_bits ? high : std::min(std::min(high, large_digit_bits), most_bits);
    const digit by{high - width, width};
    find_positions(parts, from, by);
    const std::size_t largest = largest_part(whole.n, by);
    if (whole.n == n_ && chunks_ > 0 && largest > alone_items_ &&
        sort_skewed(parts.num_tiles, trailing_zeros(varying), high, largest))
      return;
    using sampled = sampled_split<Direction, Key>;
    const bool is_even = largest <= whole.n / least_uneven_part;
    if (!is_wide || is_even || width == high || whole.was_sampled ||
        whole.n < std::max(least_sampled_items_, sampled::num_samples))
      return move_parts(whole, parts, by);
    const sampled by_samples{from.keys, whole.n};
    find_positions(parts, from, by_samples);
    whole.was_sampled = true;
    move_parts(whole, parts, by_samples);
  }

  /// Where the part of a digit ends, after find_positions().
  template <class Digit>
  std::size_t part_end(std::size_t n, const Digit& by, std::size_t d) const {
    return d + 1 < by.count() ? positions_[0][d + 1] : n;
  }
  template <class Digit>
  std::size_t largest_part(std::size_t n, const Digit& by) const {
    std::size_t largest = 0;
    for (std::size_t d = 0; d < by.count(); ++d)
      largest = std::max(largest, part_end(n, by, d) - positions_[0][d]);
    return largest;
  }

  /// Moves each record of a range to the part of its digit, after find_positions().
  template <class Digit>
  void move_parts(const range& whole, const tiling& parts, const Digit& by) {
    for (std::size_t d = 0; d < by.count(); ++d) {
      const std::size_t begin = positions_[0][d], n = part_end(whole.n, by, d) - begin;
      if (n == 0) continue;
      const range part{whole.begin + begin, n, opposite(whole.place), n > whole.n / 2,
                       whole.was_sampled};
      (n <= alone_items_ ? small_[num_small_++] : large_[num_large_++]) = part;
    }
    const items from = whole.from(*this), other = whole.other(*this);
    host::for_each_tile(parts, [&](std::size_t p) {
      host::scatter_lines(from + parts.begin(p), other, parts.size(p), by, positions_[p],
                          firsts_[p], lines_ + p * most_digits * line);
    });
  }

  /// A split would leave `largest` records together. Sorts all records without splits if that is
  /// faster; returns whether it did.
  bool sort_skewed(std::size_t threads, int low, int high, std::size_t largest) const {
    const bool has_majority = largest > n_ / 2;
    const std::size_t passes = in_passes::num_passes(low, high);
    const bool is_fast =
        has_majority ? passes <= most_skewed_passes : passes * record_bytes <= most_moved_bytes;
    if (is_fast && threads >= fewest_passing_threads && n_ <= most_passed_bytes / record_bytes) {
      in_passes{n_, unsigned(threads), others_}.sort(home_, spare_, low, high);
    } else if (n_ <= most_skewed_bytes / record_bytes && has_majority) {
      in_chunks{n_, chunks_}.sort(home_, spare_);
    } else {
      return false;
    }
    return true;
  }

  tiling one_part_per_thread(std::size_t n) const {
    const unsigned worth = tiling{n, record_bytes, {wanted_threads_, 0}}.num_threads;
    const unsigned threads = std::min(threads_, worth);
    return tiling{n, weight, {threads, (n + threads - 1) / threads}};
  }

  bits_t team_varying_bits(const tiling& parts, items from) const {
    const Key reference = from.keys[0];
    host::for_each_tile(parts, [&](std::size_t p) {
      varying_[p] = varying_bits<Direction>(from.keys + parts.begin(p), parts.size(p), reference);
    });
    bits_t all = 0;
    for (std::size_t p = 0; p < parts.num_tiles; ++p) all |= varying_[p];
    return all;
  }

  static void team_copy(const tiling& parts, items from, items to) {
    host::for_each_tile(parts, [&](std::size_t p) {
      (to + parts.begin(p)).copy(from + parts.begin(p), parts.size(p));
    });
  }

  /// positions_[p][d] = where part p of the range puts its first record of digit d.
  template <class Digit>
  void find_positions(const tiling& parts, items from, const Digit& by) const {
    host::for_each_tile(parts, [&](std::size_t p) {
      host::count_digits(from.keys + parts.begin(p), parts.size(p), by, positions_[p], others_[p]);
    });
    std::size_t sum = 0;
    for (std::size_t d = 0; d < by.count(); ++d)
      for (std::size_t p = 0; p < parts.num_tiles; ++p) sum += std::exchange(positions_[p][d], sum);
  }

  static constexpr std::size_t most_digits = std::size_t{1}
                                             << std::min(large_digit_bits, int(sizeof(Key)) * 8);
  static constexpr std::size_t weight = record_bytes * engine_tuning::weight_of_sort;
  static constexpr std::size_t line = line_records<Key, Value>();

  std::size_t n_;
  unsigned wanted_threads_, threads_;
  unsigned chunks_;  // if they are sorted in chunks; 0: never
  bool in_chunks_;
  std::size_t cached_items_ = cached_bytes / record_bytes;
  std::size_t shared_items_ = shared_bytes / record_bytes;
  std::size_t least_sampled_items_ = least_sampled_bytes / record_bytes;
  std::size_t alone_items_ = 0;  // the most that one thread sorts
  bool is_alone_ = false;
  items home_{}, spare_{};

  // For each part of a range that is split: the bits that vary, tables, and lines not yet written.
  bits_t* varying_ = nullptr;
  rooms<std::size_t> positions_, firsts_;
  rooms<unsigned> others_;
  items lines_{};

  range* large_ = nullptr;  // to be split
  range* small_ = nullptr;  // to be sorted
  std::size_t num_large_ = 0, num_small_ = 0;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
