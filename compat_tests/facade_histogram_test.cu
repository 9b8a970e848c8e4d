// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One body, compiled against cub:: and against hindsight::. Same calls, same bits: histograms of
// images and of several channels.
#include <hindsight/device_histogram.cuh>

#include <cub/device/device_histogram.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "facade_testing.h"

namespace facade_test {

/// An image in a larger one: a row has gaps behind it, and begins at any sample.
template <class T, int Channels>
struct image {
  int width, height, stride, shift;
  device_array<T> samples;

  image(int w, int h, int gap, int first)
      : width{w},
        height{h},
        stride{w * Channels + gap},
        shift{first},
        samples{random_items<T>(std::size_t(stride) * h), std::size_t(first)} {}
  std::size_t stride_bytes() const { return stride * sizeof(T); }
};

/// Every form once, of samples that are numbers up to 255 or so.
template <class Histogram, int Channels, int Active, class T, class Level>
results of_channels(const image<T, Channels>& in, Level low, Level high) {
  const int bins = 700;
  const device_array<u32> tables(std::size_t(Active) * bins);
  ::cuda::std::array<u32*, Active> counters;
  ::cuda::std::array<int, Active> num_levels, num_range_levels;
  ::cuda::std::array<Level, Active> lower, upper;
  ::cuda::std::array<const Level*, Active> range;
  const device_array<Level> levels(
      std::vector<Level>{low, Level(low + 1), Level(low + 1), Level(high / 2), Level(high)});
  for (int c = 0; c < Active; ++c) {
    counters[c] = tables.data() + bins * c;
    num_levels[c] = 2 + c * 60;
    lower[c] = Level(low + c);
    upper[c] = Level(high - c);
    range[c] = levels.data();
    num_range_levels[c] = 5 - c;
  }
  const T* const first = in.samples.data();
  const int pixels = in.stride * in.height / Channels;
  results written;
  const auto run = [&](auto call) {
    in_two_phases(call);
    written.push_back(tables.to_host());
    tables.fill_with_poison();
  };
  run([&](void* t, std::size_t& s) {
    return Histogram::template MultiHistogramEven<Channels, Active>(
        t, s, first, counters, num_levels, lower, upper, pixels);
  });
  run([&](void* t, std::size_t& s) {
    return Histogram::template MultiHistogramEven<Channels, Active>(
        t, s, first, counters, num_levels, lower, upper, in.width, in.height, in.stride_bytes(),
        cudaStreamPerThread);
  });
  run([&](void* t, std::size_t& s) {
    return Histogram::template MultiHistogramRange<Channels, Active>(
        t, s, first, counters, num_range_levels, range, pixels);
  });
  run([&](void* t, std::size_t& s) {
    return Histogram::template MultiHistogramRange<Channels, Active>(
        t, s, first, counters, num_range_levels, range, in.width, in.height, in.stride_bytes());
  });
  run([&](void* t, std::size_t& s) {
    return Histogram::HistogramEven(t, s, first, counters[0], 256, low, high, in.width, in.height,
                                    in.stride_bytes());
  });
  run([&](void* t, std::size_t& s) {
    return Histogram::HistogramRange(t, s, first, counters[0], 5, range[0], in.width, in.height,
                                     in.stride_bytes());
  });
  return written;
}

template <class T, int Channels, int Active, class Level>
void expect_as_cub(Level low, Level high) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{31, 7}, std::pair{1000, 100},
                                      std::pair{100, 3000}, std::pair{40000, 3}}) {
    for (const int gap : {0, 1, 16}) {
      for (const int shift : {0, 1}) {
        BOOST_TEST_CONTEXT(width << " x " << height << ", gap " << gap << ", shift " << shift) {
          const image<T, Channels> in(width, height, gap, shift);
          expect_same(of_channels<hindsight::DeviceHistogram, Channels, Active>(in, low, high),
                      of_channels<cub::DeviceHistogram, Channels, Active>(in, low, high));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(four_channels_of_bytes) {
  expect_as_cub<unsigned char, 4, 3>(0, 255);
}
BOOST_AUTO_TEST_CASE(three_channels_of_bytes) {
  expect_as_cub<unsigned char, 3, 3>(10, 200);
}
BOOST_AUTO_TEST_CASE(two_channels_of_shorts) {
  expect_as_cub<unsigned short, 2, 1>(0, 65535);
}
BOOST_AUTO_TEST_CASE(four_channels_of_floats) {
  expect_as_cub<float, 4, 4>(-7.0f, 7.0f);
}

// The same with plain arrays for the channels, which CUB has deprecated.
BOOST_AUTO_TEST_CASE(plain_arrays) {
  const device_array<unsigned char> samples(random_items<unsigned char>(3000));
  const device_array<u32> tables(4 * 256);
  const device_array<int> levels(std::vector<int>{0, 100, 256});
  u32* counters[2] = {tables.data(), tables.data() + 256};
  u32* others[2] = {tables.data() + 512, tables.data() + 768};
  const int num_levels[] = {257, 3}, lower[] = {0, 0}, upper[] = {256, 256};
  const int range_levels[] = {3, 3};
  const int* range[] = {levels.data(), levels.data()};
  const auto in = samples.data();
  const auto even = [&](void* t, std::size_t& s, auto... shape) {
    return hindsight::DeviceHistogram::MultiHistogramEven<3, 2>(t, s, in, counters, num_levels,
                                                                lower, upper, shape...);
  };
  const auto by_range = [&](void* t, std::size_t& s, auto... shape) {
    return hindsight::DeviceHistogram::MultiHistogramRange<3, 2>(t, s, in, others, range_levels,
                                                                 range, shape...);
  };
  const auto sum = [&](int first, int count) {
    const auto all = tables.to_host();
    u32 counted = 0;
    for (int i = first; i < first + count; ++i) counted += all[i];
    return counted;
  };
  in_two_phases([&](void* t, std::size_t& s) { return even(t, s, 1000); });
  in_two_phases([&](void* t, std::size_t& s) { return by_range(t, s, 1000); });
  BOOST_TEST(sum(0, 256) == 1000u);
  BOOST_TEST(sum(256, 2) == 1000u);
  BOOST_TEST(sum(512, 2) == 1000u);
  in_two_phases([&](void* t, std::size_t& s) { return even(t, s, 90, 10, std::size_t{300}); });
  in_two_phases([&](void* t, std::size_t& s) { return by_range(t, s, 90, 10, std::size_t{300}); });
  BOOST_TEST(sum(0, 256) == 900u);
  BOOST_TEST(sum(768, 2) == 900u);
}

// More bins than shared memory has room for, samples through an iterator, counters of 64 bits.
struct times_ten {
  HINDSIGHT_HD int operator()(unsigned char sample) const { return sample * 10; }
};
BOOST_AUTO_TEST_CASE(large_tables_of_computed_samples) {
  using counter = unsigned long long;
  const int pixels = 100000, bins = 70000;
  const auto items = random_items<unsigned char>(2 * pixels);
  const device_array<unsigned char> samples(items);
  const auto in = thrust::make_transform_iterator(samples.data(), times_ten{});
  const device_array<counter> tables(2 * bins);
  const ::cuda::std::array<counter*, 2> counters{tables.data(), tables.data() + bins};
  const ::cuda::std::array<int, 2> num_levels{bins + 1, bins + 1}, lower{0, 100},
      upper{bins, bins + 100};
  const auto call = [&](void* t, std::size_t& s, int rows) {
    return hindsight::DeviceHistogram::MultiHistogramEven<2, 2>(t, s, in, counters, num_levels,
                                                                lower, upper, pixels / 10, rows,
                                                                std::size_t(pixels / 10) * 8);
  };
  in_two_phases([&](void* t, std::size_t& s) { return call(t, s, 10); });
  std::vector<counter> expected(2 * bins, 0);
  for (int i = 0; i < 2 * pixels; ++i) {
    const int sample = items[i] * 10, bin = i % 2 ? sample - 100 : sample;
    if (bin >= 0) ++expected[i % 2 * bins + bin];
  }
  BOOST_TEST(difference(tables.to_host(), expected) == "");
  std::size_t bytes = 0;
  BOOST_TEST(call(nullptr, bytes, -1) == cudaErrorInvalidValue);
  in_two_phases([&](void* t, std::size_t& s) { return call(t, s, 0); });
  BOOST_TEST(difference(tables.to_host(), std::vector<counter>(2 * bins, 0)) == "");
}

}  // namespace facade_test
