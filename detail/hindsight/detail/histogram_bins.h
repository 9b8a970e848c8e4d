// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule that sends a sample to its bin, one for both engines.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/key_bits.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace hindsight::detail {

/// What a bin rule returns for a sample that no bin counts.
inline constexpr int no_bin = -1;

/// High half of a 64 x 64 bit product.
HINDSIGHT_HD constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return std::uint64_t((uint128_t(a) * b) >> 64);
}

/// An integer type that holds every value of A and of B (up to 64 bits each).
template <class A, class B>
struct wide_integer {
  static_assert(sizeof(A) <= 8 && sizeof(B) <= 8, "histograms take integers of up to 64 bits");
  static constexpr bool has_negative = A(-1) < A(0) || B(-1) < B(0);
  // An unsigned type needs one more bit when the common type has a sign.
  static constexpr std::size_t bytes_of_a = sizeof(A) * (has_negative && !(A(-1) < A(0)) ? 2 : 1);
  static constexpr std::size_t bytes_of_b = sizeof(B) * (has_negative && !(B(-1) < B(0)) ? 2 : 1);
  static constexpr std::size_t bytes = bytes_of_a > bytes_of_b ? bytes_of_a : bytes_of_b;
  using offset_type = typename unsigned_of_size<(bytes < 4 ? 4 : bytes)>::type;
};

/// Even bins over integer levels: bin = floor((sample - lower) * num_bins / (upper - lower)),
/// computed exactly for every sample, pair of levels and number of bins.
///
/// With num_bins = whole * range + part (part < range) the quotient is offset * whole +
/// floor(offset * part / range), and the latter is a multiplication by the 64-bit fraction
/// part / range. Rounded up, the fraction is exact as long as offset and range are below 2^32;
/// rounded down it is at most one too small beyond that, which one comparison repairs.
template <class Sample, class Level>
class even_integer_bins {
  using offset_t = typename wide_integer<Sample, Level>::offset_type;

 public:
  /// Requires lower < upper and num_bins > 0.
  HINDSIGHT_HD even_integer_bins(int num_bins, Level lower, Level upper)
      : lower_{offset_t(lower)},
        range_{std::uint64_t(offset_t(upper) - offset_t(lower))},
        whole_{std::uint64_t(num_bins) / range_},
        part_{std::uint64_t(num_bins) % range_},
        fraction_{std::uint64_t((uint128_t(part_) << 64) / range_)} {
    if (part_ != 0 && range_ <= narrow) ++fraction_;
  }

  HINDSIGHT_HD int operator()(Sample sample) const {
    const offset_t wide_offset = offset_t(sample) - lower_;  // below lower: wraps to beyond range
    if (wide_offset >= offset_t(range_)) return no_bin;
    const std::uint64_t offset = std::uint64_t(wide_offset);
    std::uint64_t bin = multiply_high(offset, fraction_);
    if constexpr (sizeof(offset_t) > 4) {
      if (range_ > narrow && uint128_t(bin + 1) * range_ <= uint128_t(offset) * part_) ++bin;
    }
    return int(bin + offset * whole_);
  }

 private:
  static constexpr std::uint64_t narrow = std::uint64_t{1} << 32;
  offset_t lower_;
  std::uint64_t range_, whole_, part_, fraction_;
};

/// Rounds after every operation, as the device's half instructions do: float is wide enough for
/// the result of one operation on halves to be rounded twice without harm.
template <class T>
HINDSIGHT_HD T rounded(float x) {
  return T(x);
}

/// Even bins over floating-point levels, CUB's rule: int((sample - lower) * (num_bins / range)).
/// Where that rule leaves its ground this one does not: a product that rounds up to num_bins counts
/// in the last bin, and a range that overflows, or is so small that its reciprocal does, is brought
/// into reach by a power of two. NaNs and samples outside [lower, upper) are not counted.
template <class Sample, class Level>
class even_float_bins {
  using common_t = std::common_type_t<Sample, Level>;

 public:
  HINDSIGHT_HD even_float_bins(int num_bins, Level lower, Level upper)
      : lower_{common_t(lower)}, upper_{common_t(upper)}, last_bin_{num_bins - 1} {
    constexpr common_t largest = std::numeric_limits<common_t>::max();
    const common_t bins = common_t(num_bins);
    if (upper_ * common_t(0.5) - lower_ * common_t(0.5) > largest * common_t(0.5)) {
      zoom_ = common_t(0.5);
    } else if (upper_ - lower_ < bins / largest * 2) {
      zoom_ = sizeof(common_t) == 4 ? common_t(two_to_64) : common_t(two_to_64) * two_to_64;
    }
    zoomed_lower_ = lower_ * zoom_;
    scale_ = bins / (upper_ * zoom_ - zoomed_lower_);
  }

  HINDSIGHT_HD int operator()(Sample raw) const {
    const common_t sample = common_t(raw);
    if (!(sample >= lower_ && sample < upper_)) return no_bin;
    // Times one is exact, contracted to a fused multiply-add or not: CUB's difference to the bit.
    const int bin = int((sample * zoom_ - zoomed_lower_) * scale_);
    return bin < last_bin_ ? bin : last_bin_;
  }

 private:
  static constexpr double two_to_64 = 18446744073709551616.0;
  common_t lower_, upper_;
  common_t zoom_ = 1;
  common_t zoomed_lower_, scale_;
  int last_bin_;
};

/// The same for __half, whose rounding CUB's rule includes: difference, scale and product are each
/// rounded to half. The scale is computed in float and rounded, as CUB does on the host.
template <class Half>
class even_half_bins {
 public:
  HINDSIGHT_HD even_half_bins(int num_bins, Half lower, Half upper)
      : lower_{float(lower)}, upper_{float(upper)}, last_bin_{num_bins - 1} {
    const float scale = float(num_bins) / (upper_ - lower_);
    const float as_half = float(Half(scale));
    rounds_ = as_half <= largest_half && upper_ - lower_ <= largest_half;
    scale_ = rounds_ ? as_half : scale;
  }

  HINDSIGHT_HD int operator()(Half raw) const {
    const float sample = float(raw);
    if (!(sample >= lower_ && sample < upper_)) return no_bin;
    float product = 0;
    if (rounds_) {
      product = float(Half(float(Half(sample - lower_)) * scale_));
    } else {  // CUB's scale or difference would be infinite
      product = (sample - lower_) * scale_;
    }
    return product < float(last_bin_) ? int(product) : last_bin_;
  }

 private:
  static constexpr float largest_half = 65504.0f;
  float lower_, upper_, scale_;
  int last_bin_;
  bool rounds_;
};

template <class Sample, class Level>
struct select_even_bins {
  using type = std::conditional_t<is_integer<Sample> && is_integer<Level>,
                                  even_integer_bins<Sample, Level>, even_float_bins<Sample, Level>>;
};
