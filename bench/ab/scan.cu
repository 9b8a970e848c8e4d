// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/device_scan.cuh>
#include <hindsight/scan.h>

#include <cub/device/device_scan.cuh>
#include <thrust/scan.h>

#include "ab.h"

namespace {

/// Small whole numbers, so that floating-point sums are exact and their bits comparable.
template <class T>
__global__ void small_numbers(const std::uint8_t* random, T* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step) {
    out[i] = std::is_floating_point_v<T> ? T(int(random[i] & 1) - int(random[i] >> 1 & 1))
                                         : T(random[i]);
  }
}

template <class T>
void add() {
  ab::cases().push_back(
      {"exclusive_scan", ab::name_of<T>(), "-", "random",
       [](ab::prepared& sides, std::size_t n, ab::mode mode) {
         const auto in = std::make_shared<ab::buffer>(n * sizeof(T));
         {
           const ab::buffer random(n + 8);
           ab::fill_random(random.as<void>(), n + 8, 1);
           small_numbers<<<1024, 256>>>(random.as<const std::uint8_t>(), in->as<T>(), n);
           ab::check(cudaDeviceSynchronize(), "input");
         }
         for (auto* results : {&sides.stock_results, &sides.our_results})
           results->emplace_back(n * sizeof(T));
         sides.bytes = 2 * n * sizeof(T);
         ab::both_sides<cub::DeviceScan, hindsight::DeviceScan>(
             sides, mode, thrust::cuda::par, hindsight::cuda::par,
             [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
               return device.ExclusiveSum(temp, bytes, in->template as<const T>(),
                                          out[0].template as<T>(), n);
             },
             [=](const auto& policy, const auto& out) {
               const T* first = in->template as<const T>();
               thrust::exclusive_scan(policy, first, first + n, out[0].template as<T>());
             });
       }});
}

const ab::registration registered{[] {
  add<std::uint8_t>();
  add<std::int16_t>();
  add<std::int32_t>();
  add<std::int64_t>();
  add<float>();
  add<double>();
}};

}  // namespace
