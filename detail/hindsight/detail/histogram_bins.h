// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule that sends a sample to its bin, one for both engines, and what both refuse.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/key_bits.h>

#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <thrust/detail/raw_reference_cast.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace hindsight::detail {

/// What a bin rule returns for a sample that no bin counts.
inline constexpr int no_bin = -1;

template <class T>
inline constexpr bool is_half_like = is_float_like<T> && sizeof(T) == 2;

/// The type that samples and levels are compared in, as CUB has it; float for mixed halves.
template <class Sample, class Level>
using bin_common_t = std::common_type_t<std::conditional_t<is_half_like<Sample>, float, Sample>,
                                        std::conditional_t<is_half_like<Level>, float, Level>>;

/// An unsigned type in which (b - a) mod 2^bits is right for all values of both integer types.
template <class A, class B>
struct offset_between {
  static_assert(sizeof(A) <= 8 && sizeof(B) <= 8, "histograms take integers of up to 64 bits");
  template <class T>
  static constexpr bool has_sign = T(-1) < T(0);
  template <class T>  // beside a signed type an unsigned one needs one more bit
  static constexpr std::size_t bytes_of = sizeof(T) *
                                          ((has_sign<A> || has_sign<B>)&&!has_sign<T> ? 2 : 1);
  static constexpr std::size_t bytes = bytes_of<A> > bytes_of<B> ? bytes_of<A> : bytes_of<B>;
  using type = unsigned_of_size_t<(bytes < 4 ? 4 : bytes)>;
};

/// Even bins over integer levels: bin = floor((sample - lower) * num_bins / (upper - lower)),
/// exact for every sample, pair of levels and number of bins, and without a division.
///
/// With num_bins = whole * range + part (part < range) the quotient is offset * whole +
/// floor(offset * part / range), and the latter is a multiplication by part / range as a 64-bit
/// fraction. Rounded up, the fraction is exact as long as the range is at most 2^32 (the error
/// stays below 1 / range); rounded down, the product is at most one too small, which one comparison
/// corrects. For the same reason the 32 highest bits of the fraction, rounded up, are exact for a
/// range of at most 2^16: that saves a multiplication.
template <class Sample, class Level>
class even_integer_bins {
  using offset_t = typename offset_between<Sample, Level>::type;

 public:
  /// Requires lower < upper and num_bins > 0.
  HINDSIGHT_HD even_integer_bins(int num_bins, Level lower, Level upper)
      : lower_{offset_t(lower)},
        range_{std::uint64_t(offset_t(upper) - offset_t(lower))},
        whole_{std::uint64_t(num_bins) / range_},
        part_{std::uint64_t(num_bins) % range_},
        fraction_{std::uint64_t((uint128_t(part_) << 64) / range_)} {
    if (part_ != 0 && range_ <= narrow) ++fraction_;
    if (range_ <= tiny) fraction_ = (fraction_ + low_bits) & ~low_bits;
  }

  HINDSIGHT_HD int operator()(Sample sample) const {
    const offset_t offset = offset_t(sample) - lower_;  // from below lower it wraps past the range
    if (offset >= offset_t(range_)) return no_bin;
    return bin_of(std::conditional_t<sizeof(offset_t) == 4, std::uint32_t, std::uint64_t>(offset));
  }

 private:
  static constexpr std::uint64_t narrow = std::uint64_t{1} << 32;
  static constexpr std::uint64_t tiny = std::uint64_t{1} << 16;
  static constexpr std::uint64_t low_bits = narrow - 1;

  HINDSIGHT_HD int bin_of(std::uint32_t offset) const {
    std::uint64_t product = std::uint64_t(offset) * std::uint32_t(fraction_ >> 32);
    if (range_ > tiny) product += std::uint64_t(offset) * std::uint32_t(fraction_) >> 32;
    return int(product >> 32) + int(offset * std::uint32_t(whole_));
  }

  HINDSIGHT_HD int bin_of(std::uint64_t offset) const {
    std::uint64_t bin = std::uint64_t((uint128_t(offset) * fraction_) >> 64);
    if (range_ > narrow && uint128_t(bin + 1) * range_ <= uint128_t(offset) * part_) ++bin;
    return int(bin + offset * whole_);
  }

  offset_t lower_;
  std::uint64_t range_, whole_, part_, fraction_;
};

/// Even bins over floating-point levels, by CUB's rule: int((sample - lower) * (num_bins / range)).
/// CUB's rule fails at its limits; there this one differs. A product that rounds up to num_bins
/// counts in the last bin. A range that overflows, or whose reciprocal does, is first scaled by a
/// power of two. NaNs and samples outside [lower, upper) are not counted.
template <class Sample, class Level>
class even_float_bins {
  using common_t = bin_common_t<Sample, Level>;

 public:
  /// Requires finite levels, lower < upper and num_bins > 0.
  HINDSIGHT_HD even_float_bins(int num_bins, Level lower, Level upper)
      : lower_{common_t(lower)}, upper_{common_t(upper)}, last_bin_{num_bins - 1} {
    constexpr common_t largest = ::cuda::std::numeric_limits<common_t>::max();
    const common_t bins = common_t(num_bins);
    if (upper_ / 2 - lower_ / 2 > largest / 2) {
      zoom_ = common_t(0.5);
    } else if (upper_ - lower_ < bins / largest * 2) {
      zoom_ = sizeof(common_t) == 4 ? common_t(two_to_64) : common_t(two_to_64 * two_to_64);
    }
    zoomed_lower_ = lower_ * zoom_;
    scale_ = bins / (upper_ * zoom_ - zoomed_lower_);
  }

  HINDSIGHT_HD int operator()(Sample raw) const {
    const common_t sample = common_t(raw);
    if (!(sample >= lower_ && sample < upper_)) return no_bin;
    // Times one is exact, fused with the subtraction or not: the difference is CUB's to the bit.
    return bin_of((sample * zoom_ - zoomed_lower_) * scale_);
  }

 private:
  /// A product may round up to num_bins. The largest num_bins, as a float, is too large for an int:
  /// the device then takes the largest int.
  HINDSIGHT_HD int bin_of(common_t product) const {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (const int bin = int(product); return bin < last_bin_ ? bin : last_bin_;),
                 (const std::int64_t bin = std::int64_t(product);
                  return bin < last_bin_ ? int(bin) : last_bin_;))
  }

  static constexpr double two_to_64 = 18446744073709551616.0;
  common_t lower_, upper_;
  common_t zoom_ = 1;
  common_t zoomed_lower_, scale_;
  int last_bin_;
};

/// The same for __half, where CUB rounds the scale, the difference and the product to half each.
/// One operation on halves may be done in float and then rounded: the result is the same. Halves
/// cannot hold every bin beyond 2048, nor every scale and range: there all is done in float.
template <class Half>
class even_half_bins {
 public:
  /// Requires finite levels, lower < upper and num_bins > 0.
  HINDSIGHT_HD even_half_bins(int num_bins, Half lower, Half upper)
      : lower_{float(lower)}, upper_{float(upper)}, last_bin_{num_bins - 1} {
    scale_ = float(num_bins) / (upper_ - lower_);
    rounds_ = num_bins <= 2048 && scale_ < half_overflow && upper_ - lower_ < half_overflow;
    if (rounds_) scale_ = float(Half(scale_));
  }

  HINDSIGHT_HD int operator()(Half raw) const {
    const float sample = float(raw);
    if (!(sample >= lower_ && sample < upper_)) return no_bin;
    float bin;
    if (rounds_) {
      bin = float(Half(float(Half(sample - lower_)) * scale_));
    } else {
      bin = (sample - lower_) * scale_;
    }
    return bin < float(last_bin_) ? int(bin) : last_bin_;
  }

 private:
  static constexpr float half_overflow = 65520.0f;  ///< the least number that rounds to infinity
  float lower_, upper_, scale_;
  int last_bin_;
  bool rounds_;
};

/// The rule for numbers.
template <class Sample, class Level>
using even_bins_of_numbers = std::conditional_t<
    is_integer<Sample> && is_integer<Level>, even_integer_bins<Sample, Level>,
    std::conditional_t<std::is_same_v<Sample, __half> && std::is_same_v<Level, __half>,
                       even_half_bins<Sample>, even_float_bins<Sample, Level>>>;

/// What an enumeration without `class` converts to; other types are numbers themselves.
template <class T, bool = std::is_enum_v<T>>
struct number {
  using type = T;
};
template <class Enum>
struct number<Enum, true> {
  using type = std::underlying_type_t<Enum>;
};
template <class T>
using number_t = typename number<T>::type;

/// The even rule for a pair of types: `even_bins<Sample, Level>{num_bins, lower, upper}(sample)`.
template <class Sample, class Level>
using even_bins = even_bins_of_numbers<number_t<Sample>, number_t<Level>>;

/// a < b in value, also between integers of different signs.
template <class A, class B>
HINDSIGHT_HD constexpr bool less_in_value(const A& a, const B& b) {
  if constexpr (std::is_enum_v<A> || std::is_enum_v<B>) {
    return detail::less_in_value(static_cast<number_t<A>>(a), static_cast<number_t<B>>(b));
  } else if constexpr (is_integer<A> && is_integer<B>) {
    if constexpr (A(-1) < A(0) && !(B(-1) < B(0))) {
      return a < 0 || unsigned_bits_t<A>(a) < b;
    } else if constexpr (!(A(-1) < A(0)) && B(-1) < B(0)) {
      return b > 0 && a < unsigned_bits_t<B>(b);
    } else {
      return a < b;
    }
  } else {
    using common_t = bin_common_t<A, B>;
    return common_t(a) < common_t(b);
  }
}

/// Bins between any levels: bin i counts the samples in [levels[i], levels[i + 1]), i < num_bins.
/// Equal neighbours make an empty bin. NaNs are not counted.
template <class LevelIt>
class range_bins {
 public:
  /// levels [num_bins + 1], not decreasing
  HINDSIGHT_HD range_bins(int num_bins, LevelIt levels) : levels_{levels}, num_bins_{num_bins} {}

  template <class Sample>
  HINDSIGHT_HD int operator()(const Sample& sample) const {
    int bin[1];
    find(&sample, bin);
    return bin[0];
  }

  /// bins[i] = the bin of samples[i]. The searches run side by side, because each step of one waits
  /// for a level.
  _CCCL_EXEC_CHECK_DISABLE  // iterators of std are for the host
      template <class Sample, int Count>
      HINDSIGHT_HD void find(const Sample* samples, int (&bins)[Count]) const {
    unsigned below[Count] = {};  // the last level known to be at or below, if the first one is
    for (unsigned left = unsigned(num_bins_); left > 1;) {
      const unsigned half = left / 2;  // each sample takes equally many steps, without a branch
      HINDSIGHT_UNROLL
      for (int i = 0; i < Count; ++i)
        below[i] += less_in_value(samples[i], level(below[i] + half)) ? 0 : half;
      left -= half;
    }
    const level_t first = level(0), end = level(unsigned(num_bins_));
    HINDSIGHT_UNROLL
    for (int i = 0; i < Count; ++i) {  // a NaN is not less than the end
      const bool is_in = !less_in_value(samples[i], first) && less_in_value(samples[i], end);
      bins[i] = is_in ? int(below[i]) : no_bin;
    }
  }

  HINDSIGHT_HD const LevelIt& levels() const { return levels_; }
  HINDSIGHT_HD int num_bins() const { return num_bins_; }

 private:
  using level_t = typename ::cuda::std::iterator_traits<LevelIt>::value_type;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD level_t level(unsigned i) const { return levels_[i]; }
  LevelIt levels_;
  int num_bins_;
};

/// The type of a level; of a reference to device memory the type of what lies there.
template <class Level>
using level_of =
    std::remove_cv_t<std::remove_reference_t<typename thrust::detail::raw_reference<Level>::type>>;

_CCCL_EXEC_CHECK_DISABLE
template <class Level>
HINDSIGHT_HD level_of<Level> as_level(const Level& level) {
  return static_cast<level_of<Level>>(level);
}

template <class Level>
bool is_nan(const Level& level) {
  if constexpr (is_integer<Level>) {
    return false;
  } else {
    return float(level) != float(level);
  }
}

/// How many counters histogram_even writes: none where it refuses the number of bins.
HINDSIGHT_HD inline std::size_t num_counters(long long num_bins) {
  constexpr int most = ::cuda::std::numeric_limits<int>::max();
  return num_bins < 1 || num_bins > most ? 0 : static_cast<std::size_t>(num_bins);
}

/// Why histogram_even would refuse these arguments, or null.
template <class Level>
const char* refuse_even_bins(long long num_bins, const Level& lower, const Level& upper) {
  if (num_bins < 1) return "there must be at least one bin (two levels)";
  if (num_bins > ::cuda::std::numeric_limits<int>::max())
    return "there are more than 2^31 - 1 bins";
  if (is_nan(lower) || is_nan(upper)) return "a level is NaN; levels must be numbers";
  if (!less_in_value(lower, upper)) return "the lower level must be less than the upper level";
  if constexpr (!is_integer<number_t<Level>>) {
    using common_t = bin_common_t<Level, Level>;
    constexpr common_t largest = ::cuda::std::numeric_limits<common_t>::max();
    if (common_t(lower) < -largest || common_t(upper) > largest)
      return "a level is infinite; even bins need finite levels";
  }
  return nullptr;
}

/// Why histogram_range would refuse these arguments, or null. Reads levels [num_bins + 1].
template <class LevelIt>
const char* refuse_range_bins(long long num_bins, LevelIt levels) {
  if (num_bins < 1) return "there must be at least one bin (two levels)";
  using level_t = typename ::cuda::std::iterator_traits<LevelIt>::value_type;
  level_t previous = levels[0];
  for (long long i = 0; i <= num_bins; ++i) {
    const level_t level = levels[i];
    if (is_nan(level)) return "a level is NaN; levels must be numbers";
    if (less_in_value(level, previous))
      return "a level is less than the one before it; levels must not decrease";
    previous = level;
  }
  return nullptr;
}

}  // namespace hindsight::detail
