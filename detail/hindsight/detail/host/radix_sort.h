// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stable radix sort for threads. Ranges beyond a core's cache are split by their highest digit
// that varies, with all threads, until they fit or are a thread's share of a small array; from
// there each is one thread's: least significant digit first where few bits are left, else split
// again. Bits that do not vary cost nothing.
#pragma once

#include <hindsight/detail/host/radix_scatter.h>
#include <hindsight/detail/host/records.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/key_bits.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hindsight::detail::host {

/// Number of bits up to the highest one set; 0 for 0.
template <class Bits>
int bit_length(Bits bits) {
  if constexpr (sizeof(Bits) > 8) {
    const std::uint64_t high = std::uint64_t(bits >> 64);
    return high != 0 ? 64 + bit_length(high) : bit_length(std::uint64_t(bits));
  } else {
    return bits == 0 ? 0 : 64 - __builtin_clzll(bits);
  }
}

template <class Bits>
int trailing_zeros(Bits bits) {
  return bit_length(Bits(bits & (~bits + 1))) - 1;
}

/// The bits in which the images of keys[0, n) differ.
template <class Direction, class Key>
unsigned_bits_t<Key> varying_bits(const Key* keys, std::size_t n, Key reference) {
  using bits_t = unsigned_bits_t<Key>;
  const bits_t expected = Direction::bits(reference);
  bits_t varying = 0;
  for (std::size_t i = 0; i < n; ++i) varying |= bits_t(Direction::bits(keys[i]) ^ expected);
  return varying;
}

template <class Direction, class Key, class Value>
class radix_sorter {
  using bits_t = unsigned_bits_t<Key>;
  using items = records<Key, Value>;
  using digit = digit_at<Direction>;
  static constexpr std::size_t record_bytes = sizeof(Key) + (items::has_values ? sizeof(Value) : 0);

 public:
  explicit radix_sorter(cut wanted) : wanted_{wanted} {
    if (wanted_.tile_items) cached_items_ = shared_items_ = wanted_.tile_items;
  }

  /// Sorts home[0, n), with `spare` as room for as many.
  void sort(items home, items spare, std::size_t n) {
    const unsigned threads = tiling{n, record_bytes, {wanted_.num_threads, 0}}.num_threads;
    alone_items_ = std::max(cached_items_, std::min(shared_items_, n / threads));
    if (n <= (threads < 3 ? shared_items_ : alone_items_)) {  // a split costs what a thread saves
      sort_cached(home, spare, n, ends_in::from);
      return;
    }
    std::vector<task> tasks;
    split_large(home, spare, n, ends_in::from, tasks);
    std::sort(tasks.begin(), tasks.end(),
              [](const task& a, const task& b) { return a.n > b.n; });  // none long at the end
    const tiling by_one{tasks.size(), 1, {threads, 1}};
    for_each_tile(by_one, [&](std::size_t i) {
      sort_cached(tasks[i].from, tasks[i].other, tasks[i].n, tasks[i].place);
    });
  }

 private:
  /// Where the sorted range is wanted: every split moves it to the other buffer.
  enum class ends_in { from, other };
  static constexpr ends_in opposite(ends_in place) {
    return place == ends_in::from ? ends_in::other : ends_in::from;
  }

  struct bucket {
    std::size_t begin, n;
  };
  struct task {
    items from, other;
    std::size_t n;
    ends_in place;
  };

  // ---- one thread, in its cache ----

  void sort_cached(items from, items other, std::size_t n, ends_in place) const {
    if (n <= insertion_items) {
      insertion_sort(from, n);
      if (place == ends_in::other) other.copy(from, n);
      return;
    }
    const bits_t varying = varying_bits<Direction>(from.keys, n, from.keys[0]);
    const int high = bit_length(varying);
    const int low = varying == 0 ? 0 : trailing_zeros(varying);
    const bool wide = n >= wide_items && n <= most_wide_items;
    const int widest = wide ? wide_digit_bits : digit_bits;
    const int passes = (high - low + widest - 1) / widest;
    if (passes == 0) {
      if (place == ends_in::other) other.copy(from, n);
    } else if (passes == 1) {
      sort_from_low<1>(from, other, n, low, high, place);
    } else if (passes == 2 && n >= narrow_items) {
      sort_from_low<2>(from, other, n, low, high, place);
    } else if (passes == 3 && n >= narrow_items) {
      sort_from_low<3>(from, other, n, low, high, place);
    } else if (passes == 4 && n > most_wide_items) {
      sort_from_low<4>(from, other, n, low, high, place);
    } else {
      split_cached(from, other, n, low, high, place);
    }
  }

  /// Least significant digit first over bits [low, high).
  template <int Passes>
  void sort_from_low(items from, items other, std::size_t n, int low, int high,
                     ends_in place) const {
    std::array<digit, Passes> digits;
    for (int pass = 0; pass < Passes; ++pass) {
      const int width = (high - low + Passes - pass - 1) / (Passes - pass);
      digits[pass] = {low, width};
      low += width;
    }
    unsigned starts[Passes][(1 << wide_digit_bits) + 1];
    find_starts(from.keys, n, digits, starts);
    for (int pass = 0; pass < Passes; ++pass) {
      scatter(from, other, n, digits[pass], starts[pass]);
      std::swap(from, other);
      place = opposite(place);
    }
    if (place == ends_in::other) other.copy(from, n);
  }

  /// The same in as many passes as it takes, at least Passes.
  template <int Passes>
  void sort_all_digits(items from, items other, std::size_t n, int low, int high,
                       ends_in place) const {
    if constexpr (Passes < most_passes && Passes < int(sizeof(Key))) {
      if (high - low > Passes * digit_bits)
        return sort_all_digits<Passes + 1>(from, other, n, low, high, place);
    }
    sort_from_low<Passes>(from, other, n, low, high, place);
  }

  /// One digit below `high`, about as wide as leaves a handful of items in each bucket. Where most
  /// items are in one bucket that would not get far: then from the lowest digit, too.
  void split_cached(items from, items other, std::size_t n, int low, int high,
                    ends_in place) const {
    const int width = std::min(wide_digit_bits, bit_length(n / bucket_items));
    const digit by{high - width, width};
    unsigned starts[1][(1 << wide_digit_bits) + 1];
    find_starts(from.keys, n, std::array<digit, 1>{by}, starts);
    unsigned largest = 0;
    for (std::size_t d = 0; d < by.count(); ++d)
      largest = std::max(largest, starts[0][d + 1] - starts[0][d]);
    if (largest > n / 2 && n >= narrow_items && high - low <= most_passes * digit_bits)
      return sort_all_digits<4>(from, other, n, low, high, place);
    scatter(from, other, n, by, starts[0]);
    for (std::size_t d = 0; d < by.count(); ++d) {
      const std::size_t begin = starts[0][d];
      sort_cached(other + begin, from + begin, starts[0][d + 1] - begin, opposite(place));
    }
  }

  static void insertion_sort(items range, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      const bits_t bits = Direction::bits(range.keys[i]);
      if (Direction::bits(range.keys[i - 1]) <= bits) continue;
      const Key key = range.keys[i];
      std::size_t to = i;
      if constexpr (items::has_values) {
        const Value value = range.values[i];
        for (; to > 0 && Direction::bits(range.keys[to - 1]) > bits; --to)
          range.put(to, range, to - 1);
        range.values[to] = value;
      } else {
        for (; to > 0 && Direction::bits(range.keys[to - 1]) > bits; --to)
          range.keys[to] = range.keys[to - 1];
      }
      range.keys[to] = key;
    }
  }

  // ---- all threads, in memory ----

  /// Moves parts to the buckets that they end in until each is one thread's work.
  void split_large(items from, items other, std::size_t n, ends_in place, std::vector<task>& tasks,
                   bool is_skewed = false) {
    const tiling parts = one_part_per_thread(n);
    const bits_t varying = team_varying_bits(parts, from);
    if (varying == 0) {
      if (place == ends_in::other) team_copy(parts, from, other);
      return;
    }
    const int high = bit_length(varying);
    const int wanted_bits = bit_length(n / (cached_items_ / 2 + 1));
    const int width =
        std::min({high, large_digit_bits, is_skewed ? large_digit_bits : std::max(wanted_bits, 6)});
    for (const bucket b : team_split(parts, from, other, {high - width, width})) {
      if (b.n <= alone_items_) {
        tasks.push_back({other + b.begin, from + b.begin, b.n, opposite(place)});
      } else {
        split_large(other + b.begin, from + b.begin, b.n, opposite(place), tasks, b.n > n / 2);
      }
    }
  }

  tiling one_part_per_thread(std::size_t n) const {
    const unsigned threads = tiling{n, record_bytes, {wanted_.num_threads, 0}}.num_threads;
    return tiling{n, record_bytes, {threads, (n + threads - 1) / threads}};
  }

  static bits_t team_varying_bits(const tiling& parts, items from) {
    std::vector<bits_t> varying(parts.num_tiles);
    const Key reference = from.keys[0];
    for_each_tile(parts, [&](std::size_t p) {
      varying[p] = varying_bits<Direction>(from.keys + parts.begin(p), parts.size(p), reference);
    });
    bits_t all = 0;
    for (const bits_t bits : varying) all |= bits;
    return all;
  }

  static void team_copy(const tiling& parts, items from, items to) {
    for_each_tile(parts, [&](std::size_t p) {
      (to + parts.begin(p)).copy(from + parts.begin(p), parts.size(p));
    });
  }

  /// Moves `from` to `other` by one digit; returns the buckets that are not empty.
  static std::vector<bucket> team_split(const tiling& parts, items from, items other, digit by) {
    std::vector<std::vector<std::size_t>> positions(parts.num_tiles);
    for_each_tile(parts, [&](std::size_t p) {
      positions[p].resize(by.count());
      count_digits(from.keys + parts.begin(p), parts.size(p), by, positions[p].data());
    });

    std::vector<bucket> buckets;
    std::size_t sum = 0;
    for (std::size_t d = 0; d < by.count(); ++d) {
      const std::size_t begin = sum;
      for (std::vector<std::size_t>& part : positions) sum += std::exchange(part[d], sum);
      if (sum > begin) buckets.push_back({begin, sum - begin});
    }

    for_each_tile(parts, [&](std::size_t p) {
      scatter_lines(from + parts.begin(p), other, parts.size(p), by, positions[p].data());
    });
    return buckets;
  }

  static constexpr std::size_t insertion_items = 32;  // at most: then insertion is faster
  static constexpr std::size_t bucket_items = 8;      // wanted on average after the last split
  static constexpr std::size_t narrow_items = 1 << 9;
  static constexpr std::size_t wide_items = 1 << 12;
  static constexpr std::size_t most_wide_items = 1 << 15;  // beyond: too many places at once
  static constexpr int digit_bits = 8;
  static constexpr int most_passes = 8;
  static constexpr int wide_digit_bits = 11;
  static constexpr int large_digit_bits = 11;
  std::size_t cached_items_ = (std::size_t{1} << 17) / record_bytes;  // not worth a split
  std::size_t shared_items_ = (std::size_t{1} << 19) / record_bytes;  // nor, if a fair share
  std::size_t alone_items_ = 0;                                       // one thread's work, at most
  cut wanted_;
};

/// Sorts records[0, n) by the images of their keys, stably.
///   Memory  room for n more records
template <class Direction, class Key, class Value>
void radix_sort(records<Key, Value> home, std::size_t n, cut wanted = {}) {
  if (n < 2) return;
  const record_buffer<Key, Value> spare{n};
  radix_sorter<Direction, Key, Value>{wanted}.sort(home, spare.get(), n);
}

}  // namespace hindsight::detail::host
