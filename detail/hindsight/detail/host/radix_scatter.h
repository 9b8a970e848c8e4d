// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One digit of a radix sort: counting, and moving records to where their digit begins.
#pragma once

#include <hindsight/detail/host/records.h>
#include <hindsight/detail/std_basics.h>

#include <array>
#include <cstddef>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Some neighbouring bits of the key bits.
template <class Direction>
struct digit_at {
  int shift;
  int width;
  std::size_t count() const { return std::size_t{1} << width; }
  template <class Key>
  std::size_t operator()(Key key) const {
    return std::size_t(Direction::bits(key) >> shift) & (count() - 1);
  }
};

/// counts[d] = how many of keys[0, n) have digit d. `other` [digit.count()] is a second table, so
/// that equal neighbours do not wait for each other.
template <class Key, class Digit, class Count>
void count_digits(const Key* keys, std::size_t n, const Digit& digit, Count* counts,
                  unsigned* other) {
  std::fill_n(counts, digit.count(), Count{0});
  std::fill_n(other, digit.count(), 0u);
  std::size_t i = 0;
  while (i + 1 < n) {
    const std::size_t stop = std::min(n - 1, i + (std::size_t{1} << 30));
    for (; i < stop; i += 2) {
      ++counts[digit(keys[i])];
      ++other[digit(keys[i + 1])];
    }
    for (std::size_t d = 0; d < digit.count(); ++d) counts[d] += other[d];
    std::fill_n(other, digit.count(), 0u);
  }
  if (i < n) ++counts[digit(keys[i])];
}

/// starts[k][d] = where keys with value d of digits[k] begin, if keys[0, n) are sorted by
/// digits[k]; starts[k][digits[k].count()] = n. Reads the keys once for all digits.
template <std::size_t NumDigits, class Key, class Digit, std::size_t Room>
void find_starts(const Key* keys, std::size_t n, std::array<Digit, NumDigits> digits,
                 unsigned (*starts)[Room]) {
  for (std::size_t k = 0; k < NumDigits; ++k) std::fill_n(starts[k], digits[k].count() + 1, 0u);
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = keys[i];
    for (std::size_t k = 0; k < NumDigits; ++k) ++starts[k][digits[k](key)];
  }
  for (std::size_t k = 0; k < NumDigits; ++k) {
    unsigned sum = 0;
    for (std::size_t d = 0; d <= digits[k].count(); ++d) sum += std::exchange(starts[k][d], sum);
  }
}

/// Moves from[0, n) to the places of their digits, stably: those of digit d to [begins[d],
/// ends[d]). It is for data in cache. Items are taken from both ends of the range, and fill their
/// digit's place from the same end. So two items of one digit do not wait for each other.
///   begins, ends  [digit.count()], overwritten
template <class Records, class Digit>
void scatter(Records from, Records to, std::size_t n, Digit digit, unsigned* begins,
             unsigned* ends) {
  for (std::size_t i = 0, j = n; i < j; ++i) {
    to.put(begins[digit(from.keys[i])]++, from, i);
    if (i < --j) to.put(--ends[digit(from.keys[j])], from, j);
  }
}
/// The same; `starts` is what find_starts() found.
template <class Records, class Digit, std::size_t Room>
void scatter(Records from, Records to, std::size_t n, Digit digit, const unsigned (&starts)[Room]) {
  unsigned begins[Room], ends[Room];
  std::copy(starts, starts + digit.count(), begins);
  std::copy(starts + 1, starts + 1 + digit.count(), ends);
  host::scatter(from, to, n, digit, begins, ends);
}

/// How many records make a line. Lines of keys begin at multiples of a line of memory. Where the
/// size of a value is no power of two, a line has more records, so that this holds for values, too.
template <class Key, class Value>
constexpr std::size_t line_records() {
  constexpr std::size_t value_bytes =
      records<Key, Value>::has_values ? sizeof(Value) & ~(sizeof(Value) - 1) : sizeof(Key);
  return line_bytes / std::min(sizeof(Key), value_bytes);
}

/// scatter() for data larger than any cache: collects a line of records for each digit, and writes
/// whole lines to memory.
///   positions  [digit.count()], where the next record of each digit goes; advanced
///   firsts     [digit.count()], overwritten
///   lines      [digit.count() * line_records()], overwritten
template <class Key, class Value, class Digit>
void scatter_lines(records<Key, Value> from, records<Key, Value> to, std::size_t n,
                   const Digit& digit, std::size_t* positions, std::size_t* firsts,
                   records<Key, Value> lines) {
  constexpr std::size_t line = line_records<Key, Value>();
  const std::size_t skew = reinterpret_cast<std::size_t>(to.keys) / sizeof(Key) % line;
  std::copy(positions, positions + digit.count(), firsts);
  const auto flush = [&](std::size_t d, std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) to.put(at, lines + d * line, (at + skew) % line);
  };

  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = digit(from.keys[i]);
    const std::size_t at = positions[d]++;
    const std::size_t place = (at + skew) % line;
    lines.put(d * line + place, from, i);
    if (place != line - 1) continue;
    if (at + 1 >= firsts[d] + line) {
      to.stream(at + 1 - line, lines + d * line, line);
    } else {
      flush(d, firsts[d], at + 1);
    }
  }
  for (std::size_t d = 0; d < digit.count(); ++d) {
    const std::size_t partial = (positions[d] + skew) % line;
    flush(d, positions[d] - std::min(partial, positions[d] - firsts[d]), positions[d]);
  }
  stream_fence();
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
