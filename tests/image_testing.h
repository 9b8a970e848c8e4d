// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of image.h that hold on both engines. The file that includes this defines `par` and
// `vector`.
#pragma once

#include <hindsight/image.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/mdspan>
#if __has_include(<cuda/mdspan>)
#  include <cuda/mdspan>
#endif

#include "vectors_testing.h"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace hindsight_test {

struct image_size {
  std::size_t width, height, pitch;
};
/// Small ones, narrow ones, wide ones; those that are made of tiles, also of one row of them, of
/// one column, and of many.
inline const image_size image_sizes[] = {
    {1, 1, 1},         {7, 1, 9},           {1, 300, 1},         {64, 64, 64},
    {65, 129, 70},     {1000, 65, 1000},    {513, 400, 513},     {2, 20000, 3},
    {20000, 2, 20001}, {1001, 270, 1001},   {640, 4200, 643},    {64, 4099, 64},
    {65, 4100, 70},    {131072, 2, 131072}, {131073, 3, 131073}, {5000, 53, 5000}};

template <class T>
std::vector<T> random_pixels(const image_size& size) {
  std::mt19937 random{unsigned(size.width)};
  std::vector<T> pixels(size.pitch * size.height);
  for (T& pixel : pixels) pixel = T(random() % 256);
  return pixels;
}

TEST(Image, SummedAreaTablesEqualPlainLoops) {
  for (const image_size& size : image_sizes) {
    SCOPED_TRACE(testing::Message() << size.width << " by " << size.height);
    const auto pixels = random_pixels<std::uint8_t>(size);
    std::vector<std::uint32_t> expected(pixels.size(), 0xABABABAB);
    for (std::size_t y = 0; y < size.height; ++y) {
      std::uint32_t row = 0;
      for (std::size_t x = 0; x < size.width; ++x) {
        row += pixels[y * size.pitch + x];
        expected[y * size.pitch + x] = row + (y > 0 ? expected[(y - 1) * size.pitch + x] : 0);
      }
    }
    const vector<std::uint8_t> in = pixels;
    vector<std::uint32_t> out(pixels.size(), 0xABABABAB);
    hindsight::summed_area_table(par, in.begin(), out.begin(), size.width, size.height, size.pitch);
    EXPECT_EQ(to_host(out), expected);
  }
}

/// Sums of small integers, which are exact in any order.
template <class T>
void expect_exact_sums(const image_size& size) {
  SCOPED_TRACE(testing::Message() << size.width << " by " << size.height);
  std::vector<T> pixels = random_pixels<T>(size);
  for (T& pixel : pixels) pixel = T(int(pixel) % 8 - 3);
  std::vector<T> expected = pixels;
  for (std::size_t y = 0; y < size.height; ++y) {
    T row = 0;
    for (std::size_t x = 0; x < size.width; ++x) {
      row += pixels[y * size.pitch + x];
      expected[y * size.pitch + x] = row + (y > 0 ? expected[(y - 1) * size.pitch + x] : 0);
    }
  }
  vector<T> table = pixels;
  hindsight::summed_area_table(par, table.begin(), table.begin(), size.width, size.height,
                               size.pitch);
  EXPECT_EQ(to_host(table), expected);
}
TEST(Image, TablesOfFloats) {
  for (const image_size& size : image_sizes) {
    expect_exact_sums<float>(size);
    expect_exact_sums<double>(size);
  }
}

/// Of any operator: the greatest item of each rectangle that begins at the corner.
template <class T>
void expect_maxima(const image_size& size) {
  SCOPED_TRACE(testing::Message() << size.width << " by " << size.height);
  std::vector<T> pixels = random_pixels<T>(size);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] += T(i / 700);
  std::vector<T> expected = pixels;
  for (std::size_t y = 0; y < size.height; ++y) {
    T row = pixels[y * size.pitch];
    for (std::size_t x = 0; x < size.width; ++x) {
      const std::size_t at = y * size.pitch + x;
      row = std::max(row, pixels[at]);
      expected[at] = y > 0 ? std::max(row, expected[at - size.pitch]) : row;
    }
  }
  const vector<T> in = pixels;
  vector<T> table = pixels;
  hindsight::summed_area_table(par, in.begin(), table.begin(), size.width, size.height, size.pitch,
                               ::cuda::maximum<>{});
  EXPECT_EQ(to_host(table), expected);
}
TEST(Image, TablesOfMaxima) {
  for (const image_size& size : image_sizes) {
    expect_maxima<float>(size);
    expect_maxima<int>(size);
  }
}

// Rows lie farther apart in the table than in the picture.
TEST(Image, TablesOfMdspans) {
  namespace std_ = ::cuda::std;
  using extents = std_::dextents<int, 2>;
  const image_size size{65, 129, 70};
  const auto pixels = random_pixels<std::uint8_t>(size);
  std::vector<int> expected(99 * size.height, -1);
  for (std::size_t y = 0; y < size.height; ++y) {
    int row = 0;
    for (std::size_t x = 0; x < size.width; ++x) {
      row += pixels[y * size.pitch + x];
      expected[y * 99 + x] = row + (y > 0 ? expected[(y - 1) * 99 + x] : 0);
    }
  }
  const vector<std::uint8_t> in = pixels;
  vector<int> out(expected.size(), -1);
  const extents shape(129, 65);
  using strides = std_::array<int, 2>;
  using layout = std_::layout_stride;
  const std_::mdspan<const std::uint8_t, extents, layout> picture(
      thrust::raw_pointer_cast(in.data()), layout::mapping<extents>(shape, strides{70, 1}));
  int* const to = thrust::raw_pointer_cast(out.data());
  const std_::mdspan<int, extents, layout> table(to,
                                                 layout::mapping<extents>(shape, strides{99, 1}));
  hindsight::summed_area_table(par, picture, table);
  EXPECT_EQ(to_host(out), expected);
  const std_::mdspan<int, extents> narrow(to, 129, 64);
  EXPECT_THROW(hindsight::summed_area_table(par, picture, narrow), hindsight::invalid_call);
  const std_::mdspan<int, extents, std_::layout_left> columns(to, shape);
  EXPECT_THROW(hindsight::summed_area_table(par, picture, columns), hindsight::invalid_call);
}

TEST(Image, BoxFiltersEqualPlainLoops) {
  const image_size size{61, 47, 64};
  const auto pixels = random_pixels<std::uint8_t>(size);
  for (const std::ptrdiff_t radius : {0, 1, 7, 1000}) {
    std::vector<std::uint8_t> expected = pixels;
    const auto height = std::ptrdiff_t(size.height), width = std::ptrdiff_t(size.width);
    for (std::ptrdiff_t y = 0; y < height; ++y)
      for (std::ptrdiff_t x = 0; x < width; ++x) {
        double sum = 0, count = 0;
        for (auto v = std::max<std::ptrdiff_t>(0, y - radius);
             v <= std::min(height - 1, y + radius); ++v)
          for (auto u = std::max<std::ptrdiff_t>(0, x - radius);
               u <= std::min(width - 1, x + radius); ++u) {
            sum += pixels[std::size_t(v) * size.pitch + std::size_t(u)];
            ++count;
          }
        expected[std::size_t(y) * size.pitch + std::size_t(x)] =
            std::uint8_t(std::floor(sum / count + 0.5));
      }
    vector<std::uint8_t> image = pixels;  // in place
    hindsight::box_filter(par, image.begin(), image.begin(), size.width, size.height, size.pitch,
                          std::size_t(radius));
    EXPECT_EQ(to_host(image), expected);
  }
}

// Means of floats are not rounded to whole numbers. Sums of such items are exact.
TEST(Image, BoxFiltersOfFloats) {
  const image_size size{61, 47, 64};
  const auto pixels = random_pixels<float>(size);
  const auto height = std::ptrdiff_t(size.height), width = std::ptrdiff_t(size.width);
  constexpr std::ptrdiff_t radius = 2;
  std::vector<float> expected(pixels.size(), -1);
  for (std::ptrdiff_t y = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      double sum = 0, count = 0;
      for (auto v = std::max<std::ptrdiff_t>(0, y - radius); v <= std::min(height - 1, y + radius);
           ++v)
        for (auto u = std::max<std::ptrdiff_t>(0, x - radius); u <= std::min(width - 1, x + radius);
             ++u) {
          sum += double(pixels[std::size_t(v) * size.pitch + std::size_t(u)]);
          ++count;
        }
      expected[std::size_t(y) * size.pitch + std::size_t(x)] = float(sum / count);
    }
  const vector<float> image = pixels;
  vector<float> means(pixels.size(), -1);
  hindsight::box_filter(par, image.begin(), means.begin(), size.width, size.height, size.pitch,
                        std::size_t(radius));
  EXPECT_EQ(to_host(means), expected);
}

/// All sums that begin at the corner and have the pixel are no numbers.
TEST(Image, BoxFiltersOfWhatIsNotFinite) {
  constexpr std::size_t width = 9, height = 7, row = 2, column = 3;
  for (const float odd :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> pixels(width * height, 1);
    pixels[row * width + column] = odd;
    const vector<float> image = pixels;
    vector<float> means(width * height);
    hindsight::box_filter(par, image.begin(), means.begin(), width, height, width, std::size_t{1});
    const std::vector<float> got = to_host(means);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const float mean = got[y * width + x];
        const bool is_in_window = y <= row + 1 && x <= column + 1;
        if (y + 1 < row || x + 1 < column) {
          EXPECT_EQ(mean, 1) << y << ", " << x;
        } else if (std::isinf(odd) && is_in_window) {
          EXPECT_EQ(mean, odd) << y << ", " << x;
        } else {
          EXPECT_TRUE(std::isnan(mean)) << y << ", " << x;
        }
      }
  }
}

/// -4 / 3 is nearest to -1, -3 / 2 lies between -2 and -1, and -5 / 3 is nearest to -2.
TEST(Image, MeansOfNegativeNumbers) {
  vector<int> image(3, -1);
  image[2] = -2;
  vector<int> means(3);
  hindsight::box_filter(par, image.begin(), means.begin(), std::size_t{3}, std::size_t{1},
                        std::size_t{3}, std::size_t{2});
  EXPECT_EQ(to_host(means), (std::vector<int>{-1, -1, -1}));
  hindsight::box_filter(par, image.begin() + 1, means.begin(), std::size_t{2}, std::size_t{1},
                        std::size_t{2}, std::size_t{1});
  EXPECT_EQ(to_host(means), (std::vector<int>{-1, -1, -1}));
  image[1] = -2;
  hindsight::box_filter(par, image.begin(), means.begin(), std::size_t{3}, std::size_t{1},
                        std::size_t{3}, std::size_t{2});
  EXPECT_EQ(to_host(means), (std::vector<int>{-2, -2, -2}));
}

/// Only the type of the result decides whether a mean is rounded.
TEST(Image, MeansOfIntegersAsFloatsAndOfFloatsAsIntegers) {
  const vector<int> integers = std::vector<int>{1, 2, -4, -3};
  vector<float> means(4);
  hindsight::box_filter(par, integers.begin(), means.begin(), 2, 2, 2, 0);
  EXPECT_EQ(to_host(means), (std::vector<float>{1, 2, -4, -3}));
  hindsight::box_filter(par, integers.begin(), means.begin(), 2, 1, 2, 1);
  EXPECT_EQ(to_host(means), (std::vector<float>{1.5f, 1.5f, -4, -3}));
  const vector<double> numbers = std::vector<double>{0.5, -0.5, -1.5, -1.25, 2.75, 2.25, -7};
  vector<int> rounded(7);
  hindsight::box_filter(par, numbers.begin(), rounded.begin(), 7, 1, 7, 0);
  EXPECT_EQ(to_host(rounded), (std::vector<int>{1, 0, -1, -1, 3, 2, -7}));
}

/// Twice a sum need not fit.
TEST(Image, MeansOfLargeIntegers) {
  using wide = std::int64_t;
  const wide most = std::numeric_limits<wide>::max();
  const vector<wide> one(1, most), two = std::vector<wide>{most - 3, 2};
  vector<wide> means(2);
  hindsight::box_filter(par, one.begin(), means.begin(), 1, 1, 1, 0);
  hindsight::box_filter(par, two.begin(), means.begin() + 1, 1, 1, 1, 0);
  EXPECT_EQ(to_host(means), (std::vector<wide>{most, most - 3}));
  hindsight::box_filter(par, two.begin(), means.begin(), 2, 1, 2, 1);
  EXPECT_EQ(to_host(means), (std::vector<wide>{most / 2, most / 2}));
  const vector<std::uint64_t> high(2, ~std::uint64_t{0} / 2 - 3);  // their sum is above 2^63
  vector<std::uint64_t> high_means(2);
  hindsight::box_filter(par, high.begin(), high_means.begin(), 2, 1, 2, 1);
  EXPECT_EQ(to_host(high_means), to_host(high));
}

/// Rows of 2^32 items and more; nobody has them in memory.
TEST(Image, PlacesInWideRows) {
  const std::size_t wide = std::size_t{1} << 32;
  const hindsight::detail::function::place_of_pixel even{wide, wide + 3}, odd{wide + 5, wide + 8};
  EXPECT_EQ(even(7), 7u);
  EXPECT_EQ(even(wide + 7), wide + 10);
  EXPECT_EQ(odd(7), 7u);
  EXPECT_EQ(odd(wide + 7), wide + 10);
}

// Without a policy: where the iterators are; mdspans on the host.
TEST(Image, WithoutAPolicy) {
  const vector<int> image = std::vector<int>{1, 2, 3, 4, 5, 6};
  vector<int> table(6), products(6), means(6);
  hindsight::summed_area_table(image.begin(), table.begin(), 3, 2, 3);
  EXPECT_EQ(to_host(table), (std::vector<int>{1, 3, 6, 5, 12, 21}));
  hindsight::summed_area_table(image.begin(), products.begin(), 3, 2, 3,
                               ::cuda::std::multiplies<int>{});
  EXPECT_EQ(to_host(products), (std::vector<int>{1, 2, 6, 4, 40, 720}));
  hindsight::box_filter(image.begin(), means.begin(), 3, 2, 3, 1);
  EXPECT_EQ(to_host(means), (std::vector<int>{3, 4, 4, 3, 4, 4}));
  std::vector<int> on_host = to_host(image);
  const ::cuda::std::mdspan<int, ::cuda::std::dextents<int, 2>> matrix(on_host.data(), 2, 3);
  hindsight::summed_area_table(matrix, matrix);
  EXPECT_EQ(on_host, to_host(table));
}

#if __has_include(<cuda/mdspan>)
// The handle of such an mdspan is a pointer with __restrict__.
TEST(Image, OfRestrictedMdspans) {
  const vector<int> image = std::vector<int>{1, 2, 3, 4, 5, 6};
  vector<int> table(6);
  using extents = ::cuda::std::dextents<int, 2>;
  const ::cuda::restrict_mdspan<const int, extents> in(thrust::raw_pointer_cast(image.data()), 2,
                                                       3);
  const ::cuda::restrict_mdspan<int, extents> out(thrust::raw_pointer_cast(table.data()), 2, 3);
  hindsight::summed_area_table(par, in, out);
  EXPECT_EQ(to_host(table), (std::vector<int>{1, 3, 6, 5, 12, 21}));
}
#endif

TEST(Image, RefusesRowsThatOverlap) {
  vector<int> image(4, 5);
  EXPECT_THROW(hindsight::summed_area_table(par, image.begin(), image.begin(), std::size_t{2},
                                            std::size_t{2}, std::size_t{1}),
               hindsight::invalid_call);
  EXPECT_EQ(image[3], 5);
}

}  // namespace hindsight_test
