// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Summed-area tables and box filters on host threads.
#include <hindsight/policy.h>

#include <atomic>
#include <vector>

namespace hindsight_test {
const auto& par = hindsight::host::par;
template <class T>
using vector = std::vector<T>;
}  // namespace hindsight_test

#include "image_testing.h"

namespace hindsight_test {

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

}  // namespace hindsight_test
