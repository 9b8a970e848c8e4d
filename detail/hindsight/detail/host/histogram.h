// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms on threads. With few bins each thread has counters of its own, which are then added
// up. With many bins either each counter has an owner that counts in it, or one thread counts.
#pragma once

#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/owned_counters.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>
#include <hindsight/errors.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Samples of so few possible values that each value can be counted in a table.
template <class Sample>
inline constexpr bool is_tabled = is_integer<Sample> && sizeof(Sample) <= 2;

/// Adds the samples in[0, n) to counts and other [num_bins + 1], bin b at b + 1. Samples that no
/// bin counts are counted at 0, which saves a branch. There are two tables so that equal neighbours
/// do not wait for each other.
template <class Count, class SampleIt, class Bins>
void count_samples(SampleIt in, std::size_t n, Bins bins, Count* counts, Count* other) {
  std::size_t i = 0;
  for (; i + 1 < n; i += 2) {
    ++counts[bins(in[i]) + 1];
    ++other[bins(in[i + 1]) + 1];
  }
  if (i < n) ++counts[bins(in[i]) + 1];
}

/// A bin for every value of a small type. Values are counted first; then each value's count is
/// added to its bin.
template <class Sample>
struct own_bin {
  static constexpr int num_bins = 1 << 8 * sizeof(Sample);
  int operator()(Sample sample) const { return int(to_key_bits(sample)); }
};

/// How many threads to use for n samples.
inline std::size_t num_sampling_threads(std::size_t n, cut wanted) {
  return host::worthwhile_threads(n, 1, wanted, engine_tuning::samples_per_thread);
}

/// How many of the threads should have counters of their own. These must stay in a core's cache,
/// and there must be enough samples for them. 0: no thread.
inline std::size_t num_counting_threads(std::size_t n, std::size_t num_bins, std::size_t threads) {
  if (num_bins > engine_tuning::most_private_bins) return 0;
  return std::min(threads, n / (engine_tuning::fewest_samples_per_bin * num_bins));
}

/// Counts in[0, n) in the caller's counters, by one thread. It is for so many bins that an
/// increment seldom waits for the one before.
template <class SampleIt, class CounterIt, class Bins>
void count_in_place(SampleIt in, std::size_t n, CounterIt counters, std::size_t num_bins, Bins bins,
                    cut writing) {
  using Counter = value_of<CounterIt>;
  const tiling rows{num_bins, sizeof(Counter), writing};
  host::for_each_tile(rows, [&](std::size_t row) {
    std::fill_n(counters + rows.begin(row), rows.size(row), Counter(0));
  });
  for (std::size_t i = 0; i < n; ++i) {
    const int bin = bins(in[i]);
    if (bin != no_bin) counters[bin] = Counter(std::uint64_t(counters[bin]) + 1);
  }
}

/// Whether no count of n samples exceeds 32 bits.
constexpr bool counts_in_32_bits(std::size_t n) {
  return n < (std::uint64_t{1} << 32);
}

/// Counters for each thread, and their sums.
///   Memory  8 bytes (16 from 2^32 samples on) per bin and thread
template <class Count>
class team_counters {
 public:
  team_counters(std::size_t n, std::size_t num_bins, std::size_t threads)
      : num_bins_{num_bins}, parts_{n, 1, {unsigned(threads), n / threads + 1}} {}

  void carve(carver& space) { counts_.carve(space, parts_.num_tiles, 2 * (num_bins_ + 1)); }

  /// Counts in[0, n).
  template <class SampleIt, class Bins>
  void count(SampleIt in, Bins bins) const {
    host::for_each_tile(parts_, [&](std::size_t p) {
      Count* const own = counts_[p];
      std::fill_n(own, 2 * (num_bins_ + 1), Count{0});
      host::count_samples(in + parts_.begin(p), parts_.size(p), bins, own, own + num_bins_ + 1);
    });
  }

  /// Calls take(bin, count) for all bins, by so many threads.
  template <class Take>
  void sum(unsigned threads, Take take) const {
    const tiling rows{num_bins_, sizeof(Count), {threads, 0}};
    host::for_each_tile(rows, [&](std::size_t row) {
      for (std::size_t b = rows.begin(row), end = b + rows.size(row); b < end; ++b) {
        std::uint64_t sum = 0;
        for (std::size_t p = 0; p < parts_.num_tiles; ++p)
          sum += std::uint64_t{counts_[p][b + 1]} + counts_[p][b + 1 + num_bins_ + 1];
        take(b, sum);
      }
    });
  }
  unsigned threads() const { return parts_.num_threads; }

 private:
  std::size_t num_bins_;
  tiling parts_;
  rooms<Count> counts_;  // of each part
};

/// For samples of few possible values: counts each value, then puts each value's count into its
/// bin.
template <class Count, class SampleIt, class CounterIt, class Bins>
void count_values(SampleIt samples, std::size_t n, CounterIt counters, std::size_t num_bins,
                  Bins bins, std::size_t threads, memory_source& source) {
  using Sample = value_of<SampleIt>;
  using Counter = value_of<CounterIt>;
  constexpr std::size_t num_values = own_bin<Sample>::num_bins;
  team_counters<Count> table{n, num_values, threads};
  std::uint64_t* values = nullptr;
  const scratch memory{source, [&](carver& space) {
                         table.carve(space);
                         values = space.take<std::uint64_t>(num_values);
                       }};
  table.count(samples, own_bin<Sample>{});
  table.sum(table.threads(), [&](std::size_t v, std::uint64_t c) { values[v] = c; });
  std::fill_n(counters, num_bins, Counter(0));
  for (std::size_t v = 0; v < num_values; ++v) {
    const int bin = bins(from_key_bits<Sample>(unsigned_bits_t<Sample>(v)));
    if (bin != no_bin) counters[bin] = Counter(counters[bin] + Counter(values[v]));
  }
}

template <class Count, class SampleIt, class CounterIt, class Bins>
void count_by_team(SampleIt samples, std::size_t n, CounterIt counters, std::size_t num_bins,
                   Bins bins, std::size_t threads, const resources& with) {
  using Counter = value_of<CounterIt>;
  team_counters<Count> table{n, num_bins, threads};
  const scratch memory{*with.memory, [&](carver& space) { table.carve(space); }};
  table.count(samples, bins);
  const unsigned writing = writes_apart<CounterIt>::value ? table.threads() : 1;
  table.sum(writing, [&](std::size_t b, std::uint64_t c) { counters[b] = Counter(c); });
}

template <class Count, class SampleIt, class CounterIt, class Bins>
void histogram(SampleIt samples, std::size_t n, CounterIt counters, std::size_t num_bins, Bins bins,
               const resources& with) {
  using Sample = value_of<SampleIt>;
  const std::size_t most = host::num_sampling_threads(n, with.wanted);
  if constexpr (is_tabled<Sample>) {
    if (const std::size_t threads = host::num_counting_threads(n, own_bin<Sample>::num_bins, most))
      return host::count_values<Count>(samples, n, counters, num_bins, bins, threads, *with.memory);
  }
  const std::size_t threads = host::num_counting_threads(n, num_bins, most);
  if constexpr (std::is_integral_v<value_of<CounterIt>>) {
    const cut writing = with.cut_for<CounterIt>();
    if (most >= engine_tuning::fewest_owners &&
        threads * engine_tuning::owners_per_counting_thread <= most && writing.num_threads != 1) {
      owned_counters owned{n, num_bins, unsigned(most)};
      if (!owned.has_majority_owner(samples, bins)) {
        const scratch memory{*with.memory, [&](carver& space) { owned.carve(space); }};
        return owned.count(samples, counters, bins);
      }
    }
    if (threads == 0) return host::count_in_place(samples, n, counters, num_bins, bins, writing);
  }
  host::count_by_team<Count>(samples, n, counters, num_bins, bins,
                             std::max<std::size_t>(threads, 1), with);
}

template <class SampleIt, class CounterIt, class Bins>
void histogram(SampleIt samples, std::size_t n, CounterIt counters, int num_bins, Bins bins,
               const resources& with) {
  const auto out = host::plain(counters);
  if (n == 0) {
    std::fill_n(out, num_bins, value_of<CounterIt>(0));
    return;
  }
  const auto in = host::plain(samples);
  if (counts_in_32_bits(n)) {
    host::histogram<std::uint32_t>(in, n, out, std::size_t(num_bins), bins, with);
  } else {
    host::histogram<std::uint64_t>(in, n, out, std::size_t(num_bins), bins, with);
  }
}

/// counters[b] = number of samples in [0, n) that fall into bin b of num_bins equal bins between
/// lower and upper; see even_bins for the rule.
///   Errors  invalid_call before anything is written
template <class SampleIt, class CounterIt, class Level>
void histogram_even(SampleIt samples, std::size_t n, CounterIt counters, long long num_bins,
                    Level lower, Level upper, resources with = {}) {
  if (const char* reason = refuse_even_bins(num_bins, lower, upper))
    throw invalid_call{std::string{"hindsight::histogram_even: "} + reason};
  const even_bins<value_of<SampleIt>, Level> bins{static_cast<int>(num_bins), lower, upper};
  host::histogram(samples, n, counters, static_cast<int>(num_bins), bins, with);
}

/// counters[b] = number of samples in [0, n) that are in [levels[b], levels[b + 1]).
///   Errors  invalid_call before anything is written
template <class SampleIt, class CounterIt, class LevelIt>
void histogram_range(SampleIt samples, std::size_t n, CounterIt counters, int num_bins,
                     LevelIt levels, resources with = {}) {
  if (const char* reason = refuse_range_bins(num_bins, levels))
    throw invalid_call{std::string{"hindsight::histogram_range: "} + reason};
  const auto plain_levels = host::plain(levels);
  const range_bins<std::remove_cv_t<decltype(plain_levels)>> bins{num_bins, plain_levels};
  // What an iterator returns for a sample may be of another type.
  const auto bin_of = [bins](const value_of<SampleIt>& sample) { return bins(sample); };
  host::histogram(samples, n, counters, num_bins, bin_of, with);
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
