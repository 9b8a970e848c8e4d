// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms of samples that are neither int nor float by name.
#pragma once

#include "histogram_cases.h"
#include "types.h"

namespace hindsight_test::typed {

#if HINDSIGHT_CUDA
/// Bins and levels between which no operation rounds, so that CUB counts every sample.
inline void histogram_even_of_halves(trial& t) {
  const auto samples = t.items<half>(t.size({}));
  const int num_bins = 1 << t.below(9);
  const half lower(float(t.below(100))), upper(float(lower) + float(1 << t.below(10)));
  t.note(std::to_string(num_bins) + " bins from " + std::to_string(float(lower)) + " to " +
         std::to_string(float(upper)));
  const array<half> in(samples, t.shift());
  const outputs<u32> out(std::size_t(num_bins), t.shift());
  t.both([&](const auto& policy, side which) {
    const half* const first = in.data();
    u32* const counters = out[which].data();
    return hindsight::histogram_even(policy, first, first + samples.size(), num_bins, lower, upper,
                                     counters) -
           counters;
  });
  t.compare("counters", out, std::size_t(num_bins));
}
#endif

inline const std::vector<random_case> histograms = {
    HINDSIGHT_CASE(cases::histogram_even<bool, int>),
    HINDSIGHT_CASE(cases::histogram_even<char16_t, int>),
    HINDSIGHT_CASE(cases::histogram_even<wchar_t>),
    HINDSIGHT_CASE(cases::histogram_even<types::plain_enum, int>),
    HINDSIGHT_CASE(cases::histogram_even<types::plain_enum>),
    HINDSIGHT_CASE(cases::histogram_range<bool, int>),
    HINDSIGHT_CASE(cases::histogram_range<char32_t>),
    HINDSIGHT_CASE(cases::histogram_range<types::plain_enum, int>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(histogram_even_of_halves),
    HINDSIGHT_CASE(cases::histogram_range<half>),
    HINDSIGHT_CASE(cases::histogram_range<bfloat16>),
#endif
};

}  // namespace hindsight_test::typed
