// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/errors.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace hindsight::detail::host {

/// Samples of so few values that a table of all of them replaces the bin rule.
template <class Sample>
inline constexpr bool is_tabled = is_integer<Sample> && sizeof(Sample) <= 2;

/// Adds the samples in[0, n) to counts [num_bins + 1], bin b at b + 1: what no bin counts has a
/// place as well, and nothing is asked. Two tables, so that equal neighbours do not wait for each
/// other.
template <class Count, class SampleIt, class Bins>
void count_samples(SampleIt in, std::size_t n, Bins bins, Count* counts, Count* other) {
  std::size_t i = 0;
  for (; i + 1 < n; i += 2) {
    ++counts[bins(in[i]) + 1];
    ++other[bins(in[i + 1]) + 1];
  }
  if (i < n) ++counts[bins(in[i]) + 1];
}

/// Maps every value of a small type to itself, so that values are counted first and put into bins
/// once each.
template <class Sample>
struct own_bin {
  static constexpr int num_bins = 1 << 8 * sizeof(Sample);
  int operator()(Sample sample) const { return int(to_key_bits(sample)); }
};

/// How many threads are worth counters of their own: those must stay in a core's cache, and be few
/// beside the samples. 0: not even one is.
inline std::size_t num_counting_threads(std::size_t n, std::size_t sample_bytes,
                                        std::size_t num_bins, cut wanted) {
  constexpr std::size_t most_bins = std::size_t{1} << 17, fewest_samples_per_bin = 4;
  if (num_bins > most_bins) return 0;
  const std::size_t asked = tiling{n, sample_bytes, {wanted.num_threads, 0}}.num_threads;
  return std::min(asked, n / (fewest_samples_per_bin * num_bins));
}

/// Counts in[0, n) in the caller's counters, by one thread: among so many bins increments seldom
/// wait for each other.
template <class SampleIt, class CounterIt, class Bins>
void count_in_place(SampleIt in, std::size_t n, CounterIt counters, std::size_t num_bins, Bins bins,
                    cut wanted) {
  using Counter = value_of<CounterIt>;
  const tiling rows{num_bins, sizeof(Counter), wanted};
  for_each_tile(rows, [&](std::size_t row) {
    std::fill_n(counters + rows.begin(row), rows.size(row), Counter(0));
  });
  for (std::size_t i = 0; i < n; ++i) {
    const int bin = bins(in[i]);
    if (bin != no_bin) counters[bin] = Counter(std::uint64_t(counters[bin]) + 1);
  }
}

/// Counts in[0, n) with every thread's own counters; calls take(bin, count) for all bins, from
/// several threads at once.
///   Memory  8 bytes (16 from 2^32 samples on) per bin and thread
template <class Count, class SampleIt, class Bins, class Take>
void count_by_team(SampleIt in, std::size_t n, std::size_t num_bins, Bins bins, std::size_t threads,
                   Take take) {
  const tiling parts{n, 1, {unsigned(threads), n / threads + 1}};
  std::vector<std::vector<Count>> counts(parts.num_tiles);
  for_each_tile(parts, [&](std::size_t p) {
    counts[p].resize(2 * (num_bins + 1));
    Count* const own = counts[p].data();
    count_samples(in + parts.begin(p), parts.size(p), bins, own, own + num_bins + 1);
  });

  const tiling rows{num_bins, sizeof(Count), {unsigned(threads), 0}};
  for_each_tile(rows, [&](std::size_t row) {
    for (std::size_t b = rows.begin(row), end = b + rows.size(row); b < end; ++b) {
      std::uint64_t sum = 0;
      for (const std::vector<Count>& own : counts)
        sum += std::uint64_t{own[b + 1]} + own[b + 1 + num_bins + 1];
      take(b, sum);
    }
  });
}

template <class SampleIt, class CounterIt, class Bins>
void histogram(SampleIt samples, std::size_t n, CounterIt counters, int num_bins, Bins bins,
               cut wanted) {
  using Sample = value_of<SampleIt>;
  using Counter = value_of<CounterIt>;
  const auto count = [&](std::size_t num_rows, auto rule, std::size_t threads, auto take) {
    if (n < (std::uint64_t{1} << 32)) {
      count_by_team<std::uint32_t>(samples, n, num_rows, rule, threads, take);
    } else {
      count_by_team<std::uint64_t>(samples, n, num_rows, rule, threads, take);
    }
  };
  const auto num_threads = [&](std::size_t num_rows) {
    return num_counting_threads(n, sizeof(Sample), num_rows, wanted);
  };
  if constexpr (is_tabled<Sample>) {
    std::vector<std::uint64_t> values(own_bin<Sample>::num_bins);
    if (const std::size_t threads = num_threads(values.size())) {
      count(values.size(), own_bin<Sample>{}, threads,
            [&](std::size_t v, std::uint64_t c) { values[v] = c; });
      std::fill(counters, counters + num_bins, Counter(0));
      for (std::size_t v = 0; v < values.size(); ++v) {
        const int bin = bins(from_key_bits<Sample>(unsigned_bits_t<Sample>(v)));
        if (bin != no_bin) counters[bin] = Counter(counters[bin] + Counter(values[v]));
      }
      return;
    }
  }
  const std::size_t threads = num_threads(std::size_t(num_bins));
  if constexpr (std::is_integral_v<Counter>) {
    if (threads == 0) {
      count_in_place(samples, n, counters, std::size_t(num_bins), bins, wanted);
      return;
    }
  }
  count(std::size_t(num_bins), bins, std::max<std::size_t>(threads, 1),
        [&](std::size_t b, std::uint64_t c) { counters[b] = Counter(c); });
}

/// counters[b] = number of samples in [0, n) that fall into bin b of num_bins equal bins between
/// lower and upper; see even_bins for the rule.
///   Errors  invalid_call before anything is written
template <class SampleIt, class CounterIt, class Level>
void histogram_even(SampleIt samples, std::size_t n, CounterIt counters, int num_bins, Level lower,
                    Level upper, cut wanted = {}) {
  if (const char* reason = refuse_even_bins(num_bins, lower, upper))
    throw invalid_call{std::string{"hindsight::histogram_even: "} + reason};
  const even_bins<value_of<SampleIt>, Level> bins{num_bins, lower, upper};
  if (n == 0) {
    std::fill(counters, counters + num_bins, value_of<CounterIt>(0));
  } else {
    histogram(host::plain(samples), n, host::plain(counters), num_bins, bins, wanted);
  }
}

/// counters[b] = number of samples in [0, n) that are in [levels[b], levels[b + 1]).
///   Errors  invalid_call before anything is written
template <class SampleIt, class CounterIt, class LevelIt>
void histogram_range(SampleIt samples, std::size_t n, CounterIt counters, int num_bins,
                     LevelIt levels, cut wanted = {}) {
  if (const char* reason = refuse_range_bins(num_bins, levels))
    throw invalid_call{std::string{"hindsight::histogram_range: "} + reason};
  if (n == 0) {
    std::fill(counters, counters + num_bins, value_of<CounterIt>(0));
  } else {
    const auto plain_levels = host::plain(levels);
    const range_bins<std::remove_cv_t<decltype(plain_levels)>> bins{num_bins, plain_levels};
    histogram(host::plain(samples), n, host::plain(counters), num_bins, bins, wanted);
  }
}

}  // namespace hindsight::detail::host
