// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// The host engine's histograms against a rule evaluated in 128 bits or by searching the levels.
#include <hindsight/detail/host/histogram.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight::detail::int128_t;
using host::cut;

template <class Sample>
std::vector<Sample> random_samples(std::size_t n) {
  std::mt19937_64 random{n + 1};
  std::vector<Sample> samples(n);
  for (Sample& s : samples) {
    if constexpr (std::is_floating_point_v<Sample>) {
      s = Sample(std::int64_t(random() % 2000) - 1000) / 64;
      if (random() % 50 == 0) s = std::numeric_limits<Sample>::quiet_NaN();
      if (random() % 50 == 0) s = std::numeric_limits<Sample>::infinity();
      if (random() % 50 == 0) s = -std::numeric_limits<Sample>::infinity();
    } else {
      s = Sample(random() >> random() % 64);
    }
  }
  return samples;
}

const cut cuts[] = {{}, {1, 0}, {2, 0}, {3, 0}, {7, 0}};
const std::size_t sizes[] = {0, 1, 2, 255, 256, 257, 5000, 70001, 300001};

template <class Sample>
class host_histogram : public testing::Test {};
using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(host_histogram, integers);

TYPED_TEST(host_histogram, even_bins_over_the_full_range) {
  using limits = std::numeric_limits<TypeParam>;
  const int128_t lower = limits::min(), upper = limits::max();
  for (std::size_t n : sizes)
    for (int num_bins : {1, 2, 7, 256, 257, 70000}) {
      const auto samples = random_samples<TypeParam>(n);
      std::vector<std::uint64_t> expected(num_bins);
      for (const TypeParam s : samples)
        if (s < upper) ++expected[std::size_t((s - lower) * num_bins / (upper - lower))];
      for (cut wanted : cuts) {
        std::vector<std::uint64_t> counters(num_bins, 99);
        host::histogram_even(samples.begin(), n, counters.begin(), num_bins, limits::min(),
                             limits::max(), wanted);
        ASSERT_EQ(counters, expected) << "n " << n << ", bins " << num_bins;
      }
    }
}

template <class Sample, class Level>
void check_range(const std::vector<Level>& levels) {
  const int num_bins = int(levels.size()) - 1;
  for (std::size_t n : sizes) {
    const auto samples = random_samples<Sample>(n);
    std::vector<int> expected(num_bins);
    for (const Sample s : samples)
      for (int b = 0; b < num_bins; ++b) expected[b] += s >= levels[b] && s < levels[b + 1];
    for (cut wanted : cuts) {
      std::vector<int> counters(num_bins, 99);
      host::histogram_range(samples.begin(), n, counters.begin(), num_bins, levels.begin(), wanted);
      ASSERT_EQ(counters, expected) << "n " << n;
    }
  }
}

TEST(host_histogram, ranges) {
  check_range<std::int8_t, std::int8_t>({-128, -100, -3, 0, 0, 7, 127});
  check_range<std::int32_t, std::int32_t>({-1000, 0, 1, 2, 1 << 20});
  check_range<float, float>({-8.5f, 0, 0.25f, 3, 3, 12});
  constexpr float infinity = std::numeric_limits<float>::infinity();
  check_range<float, float>({-infinity, -8.5f, 0, infinity});
  check_range<double, int>({-3, 0, 2, 9});
}

/// What an iterator may return in place of a sample: it becomes other types, too.
template <class T>
struct sample_reference {
  const T* sample;
  operator T() const { return *sample; }
};
template <class T>
struct refer_to {
  sample_reference<T> operator()(const T& sample) const { return {&sample}; }
};

template <class Sample, class Level>
void check_range_by_references(const std::vector<Sample>& samples,
                               const std::vector<Level>& levels) {
  const int num_bins = int(levels.size()) - 1;
  const thrust::transform_iterator<refer_to<Sample>, const Sample*, sample_reference<Sample>,
                                   Sample>
      by_references(samples.data(), refer_to<Sample>{});
  std::vector<int> expected(num_bins), counters(num_bins, 99);
  host::histogram_range(samples.data(), samples.size(), expected.begin(), num_bins, levels.data());
  host::histogram_range(by_references, samples.size(), counters.begin(), num_bins, levels.data());
  EXPECT_EQ(counters, expected);
}

TEST(host_histogram, ranges_of_samples_by_references) {
  check_range_by_references<float, int>({-0.5f, 0.25f, 2.75f, 3}, {0, 2, 3, 9});
  check_range_by_references<int, unsigned>({-5, 3, 20, -1}, {0, 10, 4294967295u});
}

TEST(host_histogram, floats_without_nan_and_infinity) {
  const auto samples = random_samples<double>(50000);
  std::vector<int> expected(20), counters(20);
  for (const double s : samples)
    if (s >= -10 && s < 10) ++expected[int((s + 10) * (20 / 20.0))];
  host::histogram_even(samples.begin(), samples.size(), counters.begin(), 20, -10.0, 10.0);
  EXPECT_EQ(counters, expected);
}

TEST(host_histogram, counts_through_iterators) {
  std::vector<long> counters(10);
  host::histogram_even(thrust::counting_iterator<int>{0}, 100000, counters.rbegin(), 10, 0, 1000);
  EXPECT_EQ(counters, std::vector<long>(10, 100));
}

TEST(host_histogram, more_bins_than_samples_of_any_counter_type) {
  const int samples[] = {7, 7, 999, 1000, -1, 0};
  std::vector<double> reals(1000, 99);
  host::histogram_even(samples, 6, reals.begin(), 1000, 0, 1000);
  std::vector<std::uint8_t> bytes(1000, 99);
  host::histogram_even(samples, 6, bytes.begin(), 1000, 0, 1000);
  for (int b = 0; b < 1000; ++b) {
    const int expected = b == 7 ? 2 : b == 0 || b == 999;
    ASSERT_EQ(reals[b], expected);
    ASSERT_EQ(bytes[b], expected);
  }
}

// Many bins, with few to most samples in one of them or in none. One thread would own it, unless
// there are so many threads that each counts it by itself.
TEST(host_histogram, many_bins_of_which_few_have_the_most) {
  constexpr int n = 300003, num_bins = 70000;
  for (const int frequent : {5, 69999, -1}) {
    for (const unsigned percent : {0u, 45u, 55u, 100u}) {
      std::mt19937 random{percent};
      std::vector<int> samples(n), expected(num_bins);
      for (int& sample : samples) {
        sample = random() % 100 < percent ? frequent : int(random() % num_bins);
        if (sample >= 0) ++expected[sample];
      }
      for (const unsigned threads : {0u, 1u, 2u, 5u, 8u, 16u}) {
        std::vector<int> counters(num_bins, 99);
        host::histogram_even(samples.begin(), n, counters.begin(), num_bins, 0, num_bins,
                             cut{threads, 0});
        ASSERT_EQ(counters, expected) << frequent << ", " << percent << " percent";
      }
    }
  }
}

TEST(host_histogram, a_sample_that_throws_ends_all_threads) {
  const auto sample = [](int i) { return i == 54321 ? throw i : i; };
  const auto samples = thrust::make_transform_iterator(thrust::counting_iterator<int>{0}, sample);
  std::vector<int> counters(70000);
  for (int n : {54321, 300000}) {
    int thrown = 0;
    try {
      host::histogram_even(samples, n, counters.begin(), 70000, 0, 70000, cut{7, 0});
    } catch (int i) {
      thrown = i;
    }
    EXPECT_EQ(thrown, n > 54321 ? 54321 : 0);
  }
}

TEST(host_histogram, refuses_before_it_writes) {
  const std::vector<float> samples(10);
  std::vector<int> counters(4, 7);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> down{0, 2, 1};
  const auto even = [&](int bins, float lower, float upper) {
    host::histogram_even(samples.begin(), 10, counters.begin(), bins, lower, upper);
  };
  EXPECT_THROW(even(0, 0, 1), hindsight::invalid_call);
  EXPECT_THROW(even(4, 1, 1), hindsight::invalid_call);
  EXPECT_THROW(even(4, 2, 1), hindsight::invalid_call);
  EXPECT_THROW(even(4, nan, 1), hindsight::invalid_call);
  EXPECT_THROW(host::histogram_range(samples.begin(), 10, counters.begin(), 2, down.begin()),
               hindsight::invalid_call);
  EXPECT_EQ(counters, std::vector<int>(4, 7));
}

}  // namespace
