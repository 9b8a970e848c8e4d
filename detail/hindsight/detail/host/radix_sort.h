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
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/std_sort.h>
#include <hindsight/detail/tuning/host.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

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

/// The bits in which the key bits of keys[0, n) differ.
template <class Direction, class Key>
unsigned_bits_t<Key> varying_bits(const Key* keys, std::size_t n, Key reference) {
  using bits_t = unsigned_bits_t<Key>;
  const bits_t expected = Direction::bits(reference);
  bits_t varying = 0;
  for (std::size_t i = 0; i < n; ++i) varying |= bits_t(Direction::bits(keys[i]) ^ expected);
  return varying;
}

template <class Direction, class Key, class Value>
class radix_sorter : radix_tuning {
  using bits_t = unsigned_bits_t<Key>;
  using items = records<Key, Value>;
  using digit = digit_at<Direction>;
  static constexpr std::size_t record_bytes = sizeof(Key) + (items::has_values ? sizeof(Value) : 0);

 public:
  /// Of n records.
  radix_sorter(std::size_t n, cut wanted)
      : n_{n},
        wanted_threads_{wanted.num_threads},
        threads_{tiling{n, record_bytes, {wanted_threads_, 0}}.num_threads} {
    if (wanted.tile_items) cached_items_ = shared_items_ = wanted.tile_items;
    alone_items_ = std::max(cached_items_, std::min(shared_items_, n / threads_));
    is_alone_ = n <= (threads_ < 3 ? shared_items_ : alone_items_);  // a split costs what it saves
  }

  ///   Memory  room for n more records; beyond a core's cache, about 170 KB of tables a thread
  void carve(carver& space) {
    spare_ = host::take_records<Key, Value>(space, n_);
    if (is_alone_) return;
    varying_ = space.take<bits_t>(threads_);
    positions_.carve(space, threads_, most_digits);
    firsts_.carve(space, threads_, most_digits);
    others_.carve(space, threads_, most_digits);
    lines_ = host::take_records<Key, Value>(space, threads_ * most_digits * line);
    large_ = space.take<range>(n_ / (alone_items_ + 1) + 1);
    small_ = space.take<range>(most_small_items);
  }

  /// Room for n keys, which a sort leaves behind.
  Key* spare_keys() const { return spare_.keys; }

  /// Sorts home[0, n).
  void sort(items home) {
    home_ = home;
    if (is_alone_) {
      sort_cached(home, spare_, n_, ends_in::from);
    } else {
      split_all();
    }
  }

 private:
  /// Where the sorted range is wanted: every split moves it to the other buffer.
  enum class ends_in { from, other };
  static constexpr ends_in opposite(ends_in place) {
    return place == ends_in::from ? ends_in::other : ends_in::from;
  }

  /// Records with all digits but the lower ones in common.
  struct range {
    std::size_t begin, n;
    ends_in place;  // `from` if it lies where the caller's records are
    bool is_skewed;
    items from(const radix_sorter& all) const {
      return (place == ends_in::from ? all.home_ : all.spare_) + begin;
    }
    items other(const radix_sorter& all) const {
      return (place == ends_in::from ? all.spare_ : all.home_) + begin;
    }
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

  /// Splits ranges until each is one thread's work. Those are sorted when there are many.
  void split_all() {
    large_[num_large_++] = {0, n_, ends_in::from, false};
    while (num_large_ > 0) {
      split(large_[--num_large_]);
      if (num_small_ > most_small_items - most_digits) sort_small();
    }
    sort_small();
  }

  void sort_small() {
    std::sort(small_, small_ + num_small_,
              [](const range& a, const range& b) { return a.n > b.n; });  // none long at the end
    const tiling by_one{num_small_, 1, {threads_, 1}};
    host::for_each_tile(by_one, [&](std::size_t i) {
      sort_cached(small_[i].from(*this), small_[i].other(*this), small_[i].n, small_[i].place);
    });
    num_small_ = 0;
  }

  /// Moves a range to the other buffer by its highest digit that varies, and notes its parts.
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
    const int most_bits = whole.is_skewed ? large_digit_bits : std::max(wanted_bits, 6);
    const int width = std::min(std::min(high, large_digit_bits), most_bits);
    const digit by{high - width, width};
    find_positions(parts, from, by);
    for (std::size_t d = 0; d < by.count(); ++d) {
      const std::size_t begin = positions_[0][d];
      const std::size_t end = d + 1 < by.count() ? positions_[0][d + 1] : whole.n;
      if (begin == end) continue;
      const range part{whole.begin + begin, end - begin, opposite(whole.place),
                       end - begin > whole.n / 2};
      (part.n <= alone_items_ ? small_[num_small_++] : large_[num_large_++]) = part;
    }
    host::for_each_tile(parts, [&](std::size_t p) {
      host::scatter_lines(from + parts.begin(p), other, parts.size(p), by, positions_[p],
                          firsts_[p], lines_ + p * most_digits * line);
    });
  }

  tiling one_part_per_thread(std::size_t n) const {
    const unsigned worth = tiling{n, record_bytes, {wanted_threads_, 0}}.num_threads;
    const unsigned threads = std::min(threads_, worth);
    return tiling{n, record_bytes, {threads, (n + threads - 1) / threads}};
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
  void find_positions(const tiling& parts, items from, digit by) const {
    host::for_each_tile(parts, [&](std::size_t p) {
      host::count_digits(from.keys + parts.begin(p), parts.size(p), by, positions_[p], others_[p]);
    });
    std::size_t sum = 0;
    for (std::size_t d = 0; d < by.count(); ++d)
      for (std::size_t p = 0; p < parts.num_tiles; ++p) sum += std::exchange(positions_[p][d], sum);
  }

  static constexpr std::size_t most_digits = std::size_t{1}
                                             << std::min(large_digit_bits, int(sizeof(Key)) * 8);
  static constexpr std::size_t line = line_records<Key, Value>();

  std::size_t n_;
  unsigned wanted_threads_, threads_;
  std::size_t cached_items_ = cached_bytes / record_bytes;
  std::size_t shared_items_ = shared_bytes / record_bytes;
  std::size_t alone_items_ = 0;  // one thread's work, at most
  bool is_alone_ = false;
  items home_{}, spare_{};

  // Of each part of a range that is split: the bits that vary, tables, and lines on their way out.
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
