// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of histogram_even and histogram_range. Stock has none on hosts, and CUB's are wrong
// in places (NVIDIA/cccl issues 10975, 10976, 10977): a rule in 128 bits and a search decide.
#pragma once

#include <hindsight/histogram.h>

#include "run.h"
#include <algorithm>

namespace hindsight_test::cases {

/// Calls ours(policy, counters), and rule(sample) for all that `In` shows: its bin, or -1.
template <class In, class Counter, class Out, class Sample, class Ours, class Rule>
void compare_histograms(trial& t, const std::vector<stored<Sample>>& samples, std::size_t num_bins,
                        Ours ours, Rule rule) {
  const std::size_t n = samples.size();
  const outputs<Counter> out(num_bins, t.shift());
  t.both([&](const auto& policy, side which) {
    const auto counters = Out::begin(out[which]);
    if constexpr (!is_stock<decltype(policy)>) return ours(policy, counters) - counters;
    std::vector<Counter> counts(num_bins);
    for (std::size_t i = 0; i < n; ++i) {
      const i64 bin = rule(In::of(static_cast<Sample>(samples[i]), i));
      if (bin >= 0) ++counts[std::size_t(bin)];
    }
    if (!Out::is_in_order) std::reverse(counts.begin(), counts.end());
    memory::copy(out[which].data(), counts.data(), num_bins * sizeof(Counter));
    return std::ptrdiff_t(num_bins);
  });
  t.compare("counters", out, num_bins);
}

// What a view shows of item i, for the rule on the host.
struct through_pointer : pointer {
  template <class T>
  static T of(const T& item, std::size_t) {
    return item;
  }
};
struct through_vector : vector {
  template <class T>
  static T of(const T& item, std::size_t) {
    return item;
  }
};
struct through_permutation : permuted {  // the order of samples does not matter
  template <class T>
  static T of(const T& item, std::size_t) {
    return item;
  }
};
struct through_map : mapped {
  template <class T>
  static T of(const T& item, std::size_t) {
    return flipped<T>{}(item);
  }
};

inline std::size_t draw_num_bins(trial& t) {
  const std::size_t few = 1 + t.below(300);
  const std::size_t num_bins = t.one_in(2) ? few : t.one_in(2) ? 256 : 1 + t.below(100000);
  t.note(std::to_string(num_bins) + " bins");
  return num_bins;
}

/// Integer samples and levels.
template <class Sample, class Level = Sample, class Counter = u32, class In = through_pointer,
          class Out = pointer>
void histogram_even(trial& t) {
  const auto samples = t.items<Sample>(t.size({}));
  const std::size_t num_bins = draw_num_bins(t);
  Level lower = static_cast<Level>(t.item<Sample>());
  Level upper = static_cast<Level>(t.item<Sample>());
  if (upper < lower) std::swap(lower, upper);
  if (lower == upper) {
    lower = Level(0);
    upper = Level(100);
  }
  t.note("from " + std::to_string(lower) + " to " + std::to_string(upper));
  const array<Sample> in(samples, t.shift());
  const auto first = In::begin(in);
  compare_histograms<In, Counter, Out, Sample>(
      t, samples, num_bins,
      [&](const auto& policy, auto counters) {
        return hindsight::histogram_even(policy, first, ahead(first, samples.size()), int(num_bins),
                                         lower, upper, counters);
      },
      [&](Sample sample) -> i64 {
        const i128 s = sample, from = lower, to = upper;
        return s < from || s >= to ? -1 : i64((s - from) * i64(num_bins) / (to - from));
      });
}

/// Levels that increase, equal neighbours among them.
template <class Sample, class Level = Sample, class Counter = u32, class In = through_pointer>
void histogram_range(trial& t) {
  const auto samples = t.items<Sample>(t.size({}));
  const std::size_t num_bins = draw_num_bins(t);
  std::vector<stored<Level>> levels(num_bins + 1);
  for (auto& level : levels) level = t.item<Level>(values::ordered);
  std::sort(levels.begin(), levels.end());
  const array<Sample> in(samples, t.shift());
  const array<Level> on_device(levels, t.shift());
  const auto first = In::begin(in);
  compare_histograms<In, Counter, pointer, Sample>(
      t, samples, num_bins,
      [&](const auto& policy, auto counters) {
        const Level* const from = on_device.data();
        return hindsight::histogram_range(policy, first, ahead(first, samples.size()), from,
                                          from + levels.size(), counters);
      },
      [&](Sample sample) -> i64 {
        if (sample != sample) return -1;
        const auto above = std::upper_bound(levels.begin(), levels.end(), sample);
        return above == levels.end() ? -1 : above - levels.begin() - 1;
      });
}

inline const std::vector<random_case> histograms = {
    HINDSIGHT_CASE(histogram_even<u8, int>),
    HINDSIGHT_CASE(histogram_even<u8, u8, u64, through_vector>),
    HINDSIGHT_CASE(histogram_even<i8>),
    HINDSIGHT_CASE(histogram_even<i8, int, i32, through_map>),
    HINDSIGHT_CASE(histogram_even<i16, i16, i32>),
    HINDSIGHT_CASE(histogram_even<u16, i64>),
    HINDSIGHT_CASE(histogram_even<i32>),
    HINDSIGHT_CASE(histogram_even<u32, u32, u64, through_permutation>),
    HINDSIGHT_CASE(histogram_even<u32, u32, u32, through_pointer, reversed>),
    HINDSIGHT_CASE(histogram_even<i64>),
    HINDSIGHT_CASE(histogram_even<u64>),
    HINDSIGHT_CASE(histogram_range<u8>),
    HINDSIGHT_CASE(histogram_range<i16>),
    HINDSIGHT_CASE(histogram_range<i32, i32, u64, through_map>),
    HINDSIGHT_CASE(histogram_range<u64, u64, i32, through_vector>),
    HINDSIGHT_CASE(histogram_range<float>),
    HINDSIGHT_CASE(histogram_range<double>),
};

}  // namespace hindsight_test::cases
