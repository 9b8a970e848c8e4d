// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms on the GPU: each entry point against a loop on the CPU that knows nothing of our rules
// for bins, also where CUB's are wrong (full ranges of narrow types, negative samples).
#include <hindsight/device_histogram.cuh>
#include <hindsight/histogram.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "gpu_testing.h"
#include <algorithm>
#include <cfloat>
#include <gtest/gtest.h>

namespace hindsight_test {

const auto& par = hindsight::cuda::par;
const auto& stock = thrust::cuda::par;

__extension__ typedef __int128 int128;
using counters = std::vector<std::uint32_t>;

/// Integers: floor((sample - lower) * num_bins / (upper - lower)), in 128 bits.
template <class Sample>
counters even_on_cpu(const std::vector<Sample>& samples, int num_bins, int128 lower, int128 upper) {
  counters counts(num_bins);
  for (const Sample sample : samples) {
    const int128 s = sample;
    if (s >= lower && s < upper) ++counts[std::size_t((s - lower) * num_bins / (upper - lower))];
  }
  return counts;
}

template <class Sample, class Level>
counters range_on_cpu(const std::vector<Sample>& samples, const std::vector<Level>& levels) {
  counters counts(levels.size() - 1);
  const auto below = [](auto sample, auto level) {
    return (long double)sample < (long double)level;
  };
  for (const Sample sample : samples) {
    if (sample != sample) continue;
    const auto level = std::upper_bound(levels.begin(), levels.end(), sample, below);
    if (level != levels.begin() && level != levels.end()) ++counts[level - levels.begin() - 1];
  }
  return counts;
}

template <class Sample, class Level>
void expect_even(const std::vector<Sample>& samples, int num_bins, Level lower, Level upper,
                 std::size_t shift = 0) {
  SCOPED_TRACE(testing::Message() << "n = " << samples.size() << ", " << num_bins
                                  << " bins, shift = " << shift);
  const device_array<Sample> in(samples, shift);
  const device_array<std::uint32_t> out(num_bins);
  EXPECT_EQ(
      hindsight::histogram_even(par, in.begin(), in.end(), num_bins, lower, upper, out.data()),
      out.end());
  EXPECT_EQ(difference(out.to_host(), even_on_cpu(samples, num_bins, lower, upper)), "");
  EXPECT_TRUE(out.is_untouched(num_bins));
}

template <class Sample, class Level>
void expect_range(const std::vector<Sample>& samples, const std::vector<Level>& levels,
                  std::size_t shift = 0) {
  SCOPED_TRACE(testing::Message() << "n = " << samples.size() << ", " << levels.size()
                                  << " levels, shift = " << shift);
  const device_array<Sample> in(samples, shift);
  const device_array<Level> device_levels(levels);
  const device_array<std::uint32_t> out(levels.size() - 1);
  EXPECT_EQ(hindsight::histogram_range(par, in.begin(), in.end(), device_levels.begin(),
                                       device_levels.end(), out.data()),
            out.end());
  EXPECT_EQ(difference(out.to_host(), range_on_cpu(samples, levels)), "");
}

const std::vector<std::size_t> sizes = {
    0, 1, 2, 15, 16, 17, 31, 32, 33, 1000, 8191, 8192, 8193, 32769, (1u << 20) + 7};

TEST(Histogram, OfBytes) {
  for (const std::size_t n : sizes) {
    for (const std::size_t shift : {0, 1, 5}) {
      expect_even(random_items<std::uint8_t>(n), 256, 0, 256, shift);
      expect_even(random_items<std::uint8_t>(n), 7, 20, 200, shift);
    }
  }
}

TEST(Histogram, OfBytesThatAreAllTheSame) {
  expect_even(std::vector<std::uint8_t>((1u << 20) + 7, 77), 256, 0, 256);
  expect_even(std::vector<std::int32_t>((1u << 20) + 7, 77), 100000, 0, 100000);
}

// The cases of NVIDIA/cccl issues 10975, 10976 and 10977.
TEST(Histogram, OfSignedBytesAndShorts) {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300001}}) {
    const auto bytes = random_items<std::int8_t>(n);
    expect_even(bytes, 256, -128, 128);
    expect_even(bytes, 255, std::int8_t(-128), std::int8_t(127));
    expect_even(bytes, 10, std::int8_t(-100), std::int8_t(100));
    expect_even(bytes, 10, -100, -20);
    expect_even(bytes, 1000, -128, 128);  // more bins than bytes
    const auto shorts = random_items<std::int16_t>(n, 5);
    expect_even(shorts, 65535, std::int16_t(-32768), std::int16_t(32767));
    expect_even(shorts, 65536, -32768, 32768);
    expect_even(shorts, 3, std::int16_t(-30000), std::int16_t(30000), 1);
    expect_range(bytes, std::vector<std::int8_t>{-128, -100, -5, 0, 0, 100, 127});
    expect_range(bytes, std::vector<int>{-200, -128, -1, 1, 300});
  }
}

TEST(Histogram, OfWideIntegers) {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300001}}) {
    for (const int num_bins : {1, 256, 1000, 30000, 100000}) {
      auto ints = random_items<std::int32_t>(n);
      expect_even(ints, num_bins, INT32_MIN, INT32_MAX);
      for (auto& item : ints) item %= 500000;
      expect_even(ints, num_bins, -499999, 499999, 1);
      auto longs = random_items<std::int64_t>(n);
      expect_even(longs, num_bins, INT64_MIN, INT64_MAX);
      expect_even(random_items<std::uint64_t>(n), num_bins, std::uint64_t{3}, UINT64_MAX);
    }
    expect_even(random_items<std::uint32_t>(n), 1000, std::uint32_t{0}, std::uint32_t{1000003});
  }
}

/// From 2^23 samples on two blocks look at each sample where there are too many bins for one; with
/// still more bins they go to global memory.
TEST(Histogram, OfMoreBinsThanABlockHas) {
  auto items = random_items<std::int32_t>((std::size_t{1} << 23) + 7);
  for (const int num_bins : {52001, 65536, 102399, 102400, 103000})
    expect_even(items, num_bins, INT32_MIN + 5000, INT32_MAX - 9, std::size_t(num_bins % 2));
  for (auto& item : items) item = item % 3 == 0 ? 70000 : item % 90000;
  expect_even(items, 80001, 0, 80001);
}

// Bins of 1/16, so that every way to compute them gives the same.
template <class Sample>
void expect_even_of_floats(std::size_t n) {
  auto samples = random_items<Sample>(n);
  std::mt19937 random{unsigned(n)};
  std::vector<std::int64_t> scaled(n);
  for (std::size_t i = 0; i < n; ++i) {
    scaled[i] = int(random() % 1200) - 600;  // 32nds
    samples[i] = Sample(scaled[i]) / 32;
    if (i % 50 == 7) {
      samples[i] = i % 100 == 7 ? NAN : (i % 200 == 57 ? INFINITY : -INFINITY);
      scaled[i] = 1 << 20;
    }
  }
  const device_array<Sample> in(samples, 1);
  const device_array<std::uint32_t> out(256);
  hindsight::histogram_even(par, in.begin(), in.end(), 256, Sample(-8), Sample(8), out.data());
  EXPECT_EQ(difference(out.to_host(), even_on_cpu(scaled, 256, -256, 256)), "") << "n = " << n;

  std::vector<Sample> levels;
  for (int i = 0; i < 300; ++i) levels.push_back(Sample(i * i) / 4096 - 3);
  expect_range(samples, levels, 1);
}

TEST(Histogram, OfFloatsWithNans) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{33}, std::size_t{1000}, std::size_t{300001}}) {
    expect_even_of_floats<float>(n);
    expect_even_of_floats<double>(n);
  }
}

/// Levels that no bin's width is exact for: CUB's rule decides.
template <class Sample>
void expect_cubs_bins() {
  const std::size_t n = 300001;
  const device_array<Sample> in(rough_items<Sample>(n));
  for (const int num_bins : {10, 256, 3000, 100000}) {
    const device_array<int> ours(num_bins), theirs(num_bins);
    const Sample lower = Sample(-0.7), upper = Sample(1.3);
    hindsight::histogram_even(par, in.begin(), in.end(), num_bins, lower, upper, ours.data());
    hindsight::histogram_even(stock, in.begin(), in.end(), num_bins, lower, upper, theirs.data());
    EXPECT_EQ(difference(ours.to_host(), theirs.to_host()), "") << num_bins << " bins";
  }
}

TEST(Histogram, OfFloatsEqualsCub) {
  expect_cubs_bins<float>();
  expect_cubs_bins<double>();
}

// A sample at a level belongs to the bin above it; one at the last level, to none.
TEST(Histogram, OfLevelsThatAreInfinite) {
  auto samples = rough_items<float>(300001);
  for (std::size_t i = 0; i < samples.size(); i += 7) {
    const float special[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, -0.0f, 1e-45f};
    samples[i] = special[i / 7 % 7];
  }
  expect_range(samples, std::vector<float>{-INFINITY, -FLT_MAX, -1, 0, 0, 1e-45f, 1, INFINITY});
  expect_range(samples, std::vector<float>{-FLT_MAX, -FLT_MAX, FLT_MAX});
}

TEST(Histogram, OfManyLevels) {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300001}}) {
    for (const std::size_t num_levels : {2, 257, 5000, 100001}) {
      auto levels = random_items<std::int32_t>(num_levels, 9);
      std::sort(levels.begin(), levels.end());
      if (num_levels > 100) std::fill(levels.begin() + 50, levels.begin() + 60, levels[50]);
      expect_range(random_items<std::int32_t>(n), levels);
    }
  }
}

/// Samples within, beyond, at and next to the levels, as many as make a guide pay.
template <class Sample, class Level>
void expect_guided(std::vector<Level> levels) {
  std::sort(levels.begin(), levels.end());
  std::mt19937_64 random{5};
  std::vector<Sample> samples(hindsight::detail::histogram_tuning::guided_samples + 3);
  const long double first = std::max<long double>(levels.front(), -1e30L),
                    width = std::min<long double>(levels.back(), 1e30L) - first;
  for (Sample& sample : samples) {
    const Level level = levels[random() % levels.size()];
    const auto share = static_cast<long double>(random() % 1200001) / 1000000 - 0.1L;
    const long double value = random() % 2 ? first + share * width : level;
    if constexpr (std::is_floating_point_v<Sample>) {
      const Sample nearest[] = {Sample(value), std::nextafter(Sample(value), Sample(-INFINITY)),
                                std::nextafter(Sample(value), Sample(INFINITY)), Sample(NAN)};
      sample = nearest[random() % 50 ? random() % 3 : 3];
    } else {
      sample = static_cast<Sample>(static_cast<int128>(value) + int(random() % 3) - 1);
    }
  }
  expect_range(samples, levels);
}

TEST(Histogram, OfLevelsWithAGuide) {
  std::vector<float> squares, clustered{-1000, 1000};
  for (int i = 0; i <= 2048; ++i) squares.push_back(float(i * i) / 4096);
  for (int i = 0; i < 700; ++i)
    clustered.push_back(std::nextafter(1.0f, 2.0f) + float(i % 300) * 1e-7f);
  expect_guided<float>(squares);
  expect_guided<float>(clustered);
  expect_guided<float>(std::vector<float>{-INFINITY, -1, 0, 0, 1, INFINITY});
  expect_guided<float>(std::vector<float>{-FLT_MAX, -5, 7, FLT_MAX});
  expect_guided<double>(std::vector<double>{0, 4e-324, 8e-324, 1e-320});
  expect_guided<double>(std::vector<double>(clustered.begin(), clustered.end()));
  expect_guided<std::int32_t>(random_items<std::int32_t>(3000));
  expect_guided<std::int32_t>(std::vector<std::int32_t>{-3, 0, 1, 2, 2, 9});
  expect_guided<std::int32_t>(std::vector<std::int32_t>{INT32_MIN, 5, INT32_MAX});
  expect_guided<std::uint64_t>(random_items<std::int64_t>(500));
  expect_guided<std::int64_t>(random_items<std::int32_t>(500));
}

struct hash {
  HINDSIGHT_HD std::uint32_t operator()(std::uint64_t i) const {
    return std::uint32_t(i * 2654435761u) >> 8;
  }
};

TEST(Histogram, ThroughIterators) {
  const std::size_t n = 300001;
  std::vector<std::uint32_t> samples(n);
  for (std::size_t i = 0; i < n; ++i) samples[i] = hash{}(i);
  const auto expected = even_on_cpu(samples, 1000, 0, 1 << 24);
  const auto numbers = thrust::make_counting_iterator(std::uint64_t{0});
  thrust::device_vector<std::uint32_t> in(samples.begin(), samples.end()), out(1000);
  const auto expect_right = [&](const char* what) {
    counters counts(1000);
    thrust::copy(out.begin(), out.end(), counts.begin());
    EXPECT_EQ(difference(counts, expected), "") << what;
    thrust::fill(out.begin(), out.end(), 12345);
  };
  const auto hashes = thrust::make_transform_iterator(numbers, hash{});
  EXPECT_EQ(hindsight::histogram_even(par, hashes, hashes + n, 1000, 0, 1 << 24, out.begin()),
            out.end());
  expect_right("transform iterator");
  const auto gathered = thrust::make_permutation_iterator(in.begin(), numbers);
  hindsight::histogram_even(par, gathered, gathered + n, 1000, 0, 1 << 24, out.begin());
  expect_right("permutation iterator");
  hindsight::histogram_even(in, 1000, 0, 1 << 24, out.begin());
  expect_right("no policy, a range");
  const auto backwards = thrust::make_reverse_iterator(out.end());
  hindsight::histogram_even(par, in.begin(), in.end(), 1000, 0, 1 << 24, backwards);
  counters counts(1000);
  thrust::copy(out.begin(), out.end(), counts.rbegin());
  EXPECT_EQ(difference(counts, expected), "") << "reverse iterator as counters";
}

template <class Counter>
void expect_counters_of_type() {
  const auto samples = random_items<std::uint8_t>(300001);
  const device_array<std::uint8_t> in(samples);
  const device_array<Counter> out(256);
  std::size_t bytes = 0;
  check(hindsight::DeviceHistogram::HistogramEven(nullptr, bytes, in.data(), out.data(), 257, 0,
                                                  256, samples.size()));
  const device_array<char> temp(bytes);
  check(hindsight::DeviceHistogram::HistogramEven(temp.data(), bytes, in.data(), out.data(), 257, 0,
                                                  256, samples.size()));
  std::vector<Counter> expected;
  for (const auto count : even_on_cpu(samples, 256, 0, 256)) expected.push_back(Counter(count));
  EXPECT_EQ(difference(out.to_host(), expected), "");
}

TEST(Histogram, InCubsShapeWithCountersOfAnyType) {
  expect_counters_of_type<int>();
  expect_counters_of_type<unsigned long long>();
  expect_counters_of_type<std::int64_t>();
  expect_counters_of_type<std::uint16_t>();
  expect_counters_of_type<float>();
}

}  // namespace hindsight_test
