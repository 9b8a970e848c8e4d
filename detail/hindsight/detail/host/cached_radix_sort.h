// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stable radix sort by one thread, for data in its core's cache. Where few bits vary, it sorts by
// the least significant digit first. Else it splits by the most significant one.
#pragma once

#include <hindsight/detail/host/radix_scatter.h>
#include <hindsight/detail/host/records.h>
#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/std_basics.h>
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

/// The buffer in which the sorted range is wanted. Every pass moves the range to the other buffer.
enum class ends_in { from, other };
constexpr ends_in opposite(ends_in place) {
  return place == ends_in::from ? ends_in::other : ends_in::from;
}

template <class Direction, class Key, class Value>
class cached_radix_sorter : radix_tuning {
  using bits_t = unsigned_bits_t<Key>;
  using items = records<Key, Value>;
  using digit = digit_at<Direction>;

 public:
  /// Sorts from[0, n) to the buffer that `place` names. Both buffers are overwritten.
  static void sort_cached(items from, items other, std::size_t n, ends_in place) {
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

 private:
  /// Least significant digit first over bits [low, high).
  template <int Passes>
  static void sort_from_low(items from, items other, std::size_t n, int low, int high,
                            ends_in place) {
    std::array<digit, Passes> digits;
    for (int pass = 0; pass < Passes; ++pass) {
      const int width = (high - low + Passes - pass - 1) / (Passes - pass);
      digits[pass] = {low, width};
      low += width;
    }
    unsigned starts[Passes][(1 << wide_digit_bits) + 1];
    find_starts(from.keys, n, digits, starts);
    for (int pass = 0; pass < Passes; ++pass) {
      host::scatter(from, other, n, digits[pass], starts[pass]);
      std::swap(from, other);
      place = opposite(place);
    }
    if (place == ends_in::other) other.copy(from, n);
  }

  /// sort_from_low() in as many passes as the bits need, at least Passes.
  template <int Passes>
  static void sort_all_digits(items from, items other, std::size_t n, int low, int high,
                              ends_in place) {
    if constexpr (Passes < most_passes && Passes < int(sizeof(Key))) {
      if (high - low > Passes * digit_bits)
        return sort_all_digits<Passes + 1>(from, other, n, low, high, place);
    }
    sort_from_low<Passes>(from, other, n, low, high, place);
  }

  /// Splits by one digit below `high`, so wide that a handful of items are left in each bucket.
  /// Where most items are in one bucket, it sorts from the lowest digit instead.
  static void split_cached(items from, items other, std::size_t n, int low, int high,
                           ends_in place) {
    const int width = std::min(wide_digit_bits, bit_length(n / bucket_items));
    const digit by{high - width, width};
    unsigned starts[1][(1 << wide_digit_bits) + 1];
    find_starts(from.keys, n, std::array<digit, 1>{by}, starts);
    unsigned largest = 0;
    for (std::size_t d = 0; d < by.count(); ++d)
      largest = std::max(largest, starts[0][d + 1] - starts[0][d]);
    if (largest > n / 2 && n >= narrow_items && high - low <= most_passes * digit_bits)
      return sort_all_digits<4>(from, other, n, low, high, place);
    host::scatter(from, other, n, by, starts[0]);
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
        const Value value(std::as_const(range.values[i]));  // its copy may be explicit
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
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
