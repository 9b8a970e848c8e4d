// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alone: its headers use names that stand above them
// Summed-area tables and box filters on the GPU; tables of floats also against the host's bits. And
// Morton codes, which tests/morton_test.cpp compares with a loop on the host.
#include <hindsight/morton.h>
#include <hindsight/policy.h>

#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

namespace hindsight_test {
const auto& par = hindsight::cuda::par;
template <class T>
using vector = thrust::device_vector<T>;
}  // namespace hindsight_test

#include "gpu_testing.h"
#include "image_testing.h"
#include "morton_testing.h"

namespace hindsight_test {

// Row by row, and by tiles.
TEST(Image, FloatsHaveTheBitsOfTheHost) {
  for (const image_size& size : {image_size{1300, 100, 1300}, image_size{1301, 2300, 1302}}) {
    const auto items = rough_items<float>(size.pitch * size.height);
    std::vector<float> expected = items;
    hindsight::summed_area_table(hindsight::host::par, expected.begin(), expected.begin(),
                                 size.width, size.height, size.pitch);
    const vector<float> in = items;
    for (int run = 0; run < 3; ++run) {
      vector<float> out = in;
      if (run == 0) {
        hindsight::summed_area_table(par, out.begin(), out.begin(), size.width, size.height,
                                     size.pitch);
      } else {
        hindsight::summed_area_table(par, in.begin(), out.begin(), size.width, size.height,
                                     size.pitch);
      }
      EXPECT_EQ(difference(to_host(out), expected), "");
    }
  }
}

// By tiles, captured and replayed; small tables are in tests/stress_keys_test.cu.
TEST(Image, Capture) {
  const image_size size{640, 500, 643};
  const auto pixels = random_pixels<std::uint8_t>(size);
  const vector<std::uint8_t> in = pixels;
  vector<std::uint32_t> expected(pixels.size(), 7), table(pixels.size());
  hindsight::summed_area_table(par, in.begin(), expected.begin(), size.width, size.height,
                               size.pitch);
  vector<std::uint8_t> means_expected(pixels.size(), 7), means(pixels.size());
  hindsight::box_filter(par, in.begin(), means_expected.begin(), size.width, size.height,
                        size.pitch, 5);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  hindsight::summed_area_table(par.on(stream), in.begin(), table.begin(), size.width, size.height,
                               size.pitch);
  hindsight::box_filter(par.on(stream), in.begin(), means.begin(), size.width, size.height,
                        size.pitch, 5);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  for (int replay = 0; replay < 2; ++replay) {
    thrust::fill(table.begin(), table.end(), 7u);
    thrust::fill(means.begin(), means.end(), std::uint8_t{7});
    check(cudaDeviceSynchronize());
    check(cudaGraphLaunch(exec, stream));
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(to_host(table), to_host(expected));
    EXPECT_EQ(to_host(means), to_host(means_expected));
  }
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

/// A place of which only i is known.
struct place {
  std::uint32_t x, y, z;
  HINDSIGHT_HD explicit place(std::uint32_t i)
      : x{i * 2654435761u}, y{x * 2246822519u + 1}, z{y * 3266489917u + 7} {}
};
/// All four codes of a place, and those of a point.
struct codes {
  std::uint32_t flat, solid, of_point;
  std::uint64_t flat_wide, solid_wide, of_point_wide;
};
struct codes_of {
  HINDSIGHT_HD codes operator()(std::uint32_t i) const {
    const place at_i(i);
    const std::uint32_t x = at_i.x, y = at_i.y, z = at_i.z;
    const float at[] = {float(x) / 4e9f - 0.01f, float(y) / 4e9f, float(z) / 4.3e9f};
    return {hindsight::morton_code<std::uint32_t>(x, y),
            hindsight::morton_code<std::uint32_t>(x, y, z),
            hindsight::morton_code_of_point<std::uint32_t>(at[0], at[1], at[2]),
            hindsight::morton_code<std::uint64_t>(x, y),
            hindsight::morton_code<std::uint64_t>(x, y, z),
            hindsight::morton_code_of_point<std::uint64_t>(at[0], at[1], at[2])};
  }
};
TEST(Morton, AsOnTheHost) {
  vector<codes> on_gpu(100'000);
  const thrust::counting_iterator<std::uint32_t> first(0);
  thrust::transform(par, first, first + 100'000, on_gpu.begin(), codes_of{});
  std::vector<codes> expected;
  for (std::uint32_t i = 0; i < 100'000; ++i) expected.push_back(codes_of{}(i));
  const std::vector<codes> found = to_host(on_gpu);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const codes &a = found[i], &b = expected[i];
    ASSERT_TRUE(a.flat == b.flat && a.solid == b.solid && a.of_point == b.of_point &&
                a.flat_wide == b.flat_wide && a.solid_wide == b.solid_wide &&
                a.of_point_wide == b.of_point_wide)
        << i;
    const place at{std::uint32_t(i)};
    const std::uint32_t c[] = {at.x, at.y, at.z};
    ASSERT_TRUE(a.flat == morton_code_by_bits<std::uint32_t>(c, 2, 16) &&
                a.solid == morton_code_by_bits<std::uint32_t>(c, 3, 10) &&
                a.flat_wide == morton_code_by_bits<std::uint64_t>(c, 2, 32) &&
                a.solid_wide == morton_code_by_bits<std::uint64_t>(c, 3, 21))
        << i;
  }
}

}  // namespace hindsight_test
