// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every method of bench/methods on the GPU, at odd sizes, against plain loops.
#include "gpu_testing.h"
#include "methods_testing.h"

namespace {

using namespace methods_test;
using hindsight_test::check;
using hindsight_test::device_array;

std::vector<std::size_t> sizes() {
  constexpr std::size_t tile = methods::cuda::tile_items, window = 32 * tile;
  return {0,
          1,
          2,
          3,
          31,
          32,
          33,
          255,
          256,
          257,
          511,
          512,
          513,
          1000,
          2047,
          2048,
          2049,
          tile - 1,
          tile,
          tile + 1,
          4095,
          4097,
          6145,
          2 * tile,
          3 * tile + 1,
          100'003,
          window - 1,
          window,
          window + 1,
          262'145,
          300 * tile + 7,
          (1u << 21) + 5};
}

std::string run(const method& m, const items& in, scan_kind kind, methods::scratch& memory) {
  const std::size_t n = in.size(), size = out_items(m.family, n) + guard_items;
  const device_array<item> on_gpu(in), out(size), num_kept(1);
  memory.reuse();
  m.run({on_gpu.data(), n, out.data(), num_kept.data(), kind, memory, nullptr});
  check(cudaDeviceSynchronize());
  return difference(m, in, kind, out.to_host(), num_kept.to_host()[0]);
}

TEST_P(each_method, is_right_at_odd_sizes) {
  constexpr std::size_t largest_quadratic = 4097;  // n launches
  methods::scratch memory{[](std::size_t bytes) {
                            void* data = nullptr;
                            check(cudaMalloc(&data, bytes));
                            check(cudaMemset(data, device_array<char>::poison, bytes));
                            return data;
                          },
                          [](void* data) { cudaFree(data); }};
  for (const std::size_t n : sizes()) {
    if (tested().largest_n < ~std::size_t{0} && n > largest_quadratic) continue;
    for (const std::string& input : inputs)
      for (const scan_kind kind : kinds_of(tested()))
        ASSERT_EQ(run(tested(), make_input(input, n), kind, memory), "")
            << tested().name << ", n = " << n << ", " << input
            << (kind == scan_kind::exclusive ? ", exclusive" : "");
  }
}

INSTANTIATE_TEST_SUITE_P(methods, each_method, all_indices(), name_of);

}  // namespace
