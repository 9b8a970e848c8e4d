// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Summed-area tables and box filters on host threads.
#include <hindsight/policy.h>

#include <thrust/iterator/tabulate_output_iterator.h>

#include <atomic>
#include <vector>

namespace hindsight_test {
const auto& par = hindsight::host::par;
template <class T>
using vector = std::vector<T>;
}  // namespace hindsight_test

#include "image_testing.h"

namespace hindsight_test {

struct five_numbers {
  int values[5];
};
TEST(HostImage, TakesOperatorsOfLvaluesOnly) {
  const std::vector<five_numbers> image(64 * 48, five_numbers{{1, 0, 0, 0, 2}});
  std::vector<five_numbers> table(image.size());
  hindsight::summed_area_table(
      hindsight::host::par, image.begin(), table.begin(), 64, 48, 64, [](auto& a, auto& b) {
        return five_numbers{{a.values[0] + b.values[0], 0, 0, 0, a.values[4]}};
      });
  EXPECT_EQ(table.back().values[0], 64 * 48);
}

// Floats that are rounded: how many threads there are does not show.
TEST(HostImage, FloatsOnAnyThreads) {
  for (const image_size& size : {image_size{513, 700, 515}, image_size{50, 900, 50}}) {
    std::vector<float> image(size.pitch * size.height);
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = 1.0f / float(i % 1013 + 1);
    std::vector<float> expected(image.size());
    hindsight::summed_area_table(par.threads(1), image.begin(), expected.begin(), size.width,
                                 size.height, size.pitch);
    const float sum = expected[(size.height - 1) * size.pitch + size.width - 1];
    double exact = 0;
    for (std::size_t y = 0; y < size.height; ++y)
      for (std::size_t x = 0; x < size.width; ++x) exact += double(image[y * size.pitch + x]);
    EXPECT_NEAR(double(sum), exact, exact * 1e-6);
    for (const unsigned threads : {2u, 3u, 7u}) {
      std::vector<float> table(image.size());
      hindsight::summed_area_table(par.threads(threads), image.begin(), table.begin(), size.width,
                                   size.height, size.pitch);
      EXPECT_EQ(table, expected) << threads << " threads";
    }
  }
}

struct owner {
  static std::atomic<long> num_alive;
  int value;
  owner(int v = 0) : value{v} { ++num_alive; }
  owner(const owner& other) : value{other.value} { ++num_alive; }
  owner& operator=(const owner&) = default;
  ~owner() { --num_alive; }
  friend owner operator+(const owner& a, const owner& b) { return {a.value + b.value}; }
};
std::atomic<long> owner::num_alive{0};

TEST(HostImage, EveryItemThatIsMadeIsDestroyed) {
  for (const std::size_t width : {std::size_t{100}, std::size_t{1000}}) {
    const std::size_t height = 300;
    std::vector<owner> image(width * height, owner{1});
    const long before = owner::num_alive;
    hindsight::summed_area_table(par.threads(4), image.begin(), image.begin(), width, height,
                                 width);
    EXPECT_EQ(owner::num_alive, before);
    for (std::size_t i = 0; i < image.size(); ++i)
      ASSERT_EQ(image[i].value, int((i / width + 1) * (i % width + 1))) << i;
  }
}

TEST(HostImage, VolatilePixels) {
  for (const std::size_t pitch : {std::size_t{90}, std::size_t{93}}) {
    const std::size_t width = 90, height = 70, n = pitch * height;
    std::vector<float> image(n);
    for (std::size_t i = 0; i < n; ++i) image[i] = float(i * 7919 % 256);
    std::vector<float> expected(n), mean(n), table(n), expected_table(n);
    hindsight::box_filter(par, image.data(), expected.data(), width, height, pitch, 3);
    hindsight::summed_area_table(par, image.data(), expected_table.data(), width, height, pitch);
    const volatile float* const pixels = image.data();
    volatile float *const to = mean.data(), *const sums = table.data();
    hindsight::box_filter(par, pixels, to, width, height, pitch, 3);
    hindsight::summed_area_table(par, pixels, sums, width, height, pitch);
    EXPECT_EQ(mean, expected);
    EXPECT_EQ(table, expected_table);
    const std::vector<unsigned char> bytes(image.begin(), image.end());
    std::vector<unsigned char> byte_means(n), expected_bytes(n);
    const volatile unsigned char* const some = bytes.data();
    hindsight::box_filter(par, bytes.data(), expected_bytes.data(), width, height, pitch, 2);
    hindsight::box_filter(par, some, byte_means.data(), width, height, pitch, 2);
    EXPECT_EQ(byte_means, expected_bytes);
  }
}

struct add_to {
  template <class T>
  T operator()(T& a, const T& b) const {
    return a += b;
  }
};

TEST(HostImage, OperatorsThatChangeTheirOperandsGetCopies) {
  for (const image_size& size : {image_size{513, 700, 515}, image_size{50, 90, 50}}) {
    const std::size_t n = size.pitch * size.height;
    const std::vector<float> image(n, 0.3f);
    const std::vector<int> whole(n, 3);
    std::vector<float> table(n), expected(n);
    std::vector<int> whole_table(n), expected_whole(n);
    hindsight::summed_area_table(par, image.begin(), expected.begin(), size.width, size.height,
                                 size.pitch);
    hindsight::summed_area_table(par, image.begin(), table.begin(), size.width, size.height,
                                 size.pitch, add_to{});
    hindsight::summed_area_table(par, whole.begin(), expected_whole.begin(), size.width,
                                 size.height, size.pitch);
    hindsight::summed_area_table(par, whole.begin(), whole_table.begin(), size.width, size.height,
                                 size.pitch, add_to{});
    EXPECT_EQ(table, expected);
    EXPECT_EQ(whole_table, expected_whole);
  }
}

TEST(HostImage, FiltersToWhereIteratorsOnlyWrite) {
  std::vector<unsigned char> image(40 * 30), expected(image.size()), written(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<unsigned char>(i * 37);
  hindsight::box_filter(par, image.begin(), expected.begin(), 40, 30, 40, 3);
  const auto write = [&](std::size_t i, unsigned char mean) { written[i] = mean; };
  hindsight::box_filter(par, image.begin(), thrust::make_tabulate_output_iterator(write), 40, 30,
                        40, 3);
  EXPECT_EQ(written, expected);
}

TEST(HostImage, ARadiusOfMinusOneIsThatOfTheImage) {
  const std::vector<int> image{1, 2, 3, 4, 5, 9};
  std::vector<int> means(6);
  hindsight::box_filter(image.begin(), means.begin(), 3, 2, 3, -1);
  EXPECT_EQ(means, std::vector<int>(6, 4));
}

}  // namespace hindsight_test
