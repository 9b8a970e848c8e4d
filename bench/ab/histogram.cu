// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/device_histogram.cuh>
#include <hindsight/histogram.h>

#include <cub/device/device_histogram.cuh>

#include "ab.h"

namespace {

template <class T, class Level>
void add(int num_bins, Level lower, Level upper, int and_of, const char* distribution) {
  ab::cases().push_back({"histogram_even", ab::name_of<T>(), "I32", distribution,
                         [=](ab::prepared& sides, std::size_t n, ab::mode mode) {
                           const auto in = std::make_shared<ab::buffer>(n * sizeof(T) + 8);
                           if (and_of > 0) {
                             ab::fill_random(in->as<void>(), n * sizeof(T) + 8, and_of);
                           } else {
                             ab::check(cudaMemset(in->as<void>(), 7, in->bytes()), "memset");
                           }
                           for (auto* results : {&sides.stock_results, &sides.our_results})
                             results->emplace_back(num_bins * sizeof(int));
                           sides.bytes = n * sizeof(T);
                           ab::both_sides<cub::DeviceHistogram, hindsight::DeviceHistogram>(
                               sides, mode, thrust::cuda::par, hindsight::cuda::par,
                               [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
                                 return device.HistogramEven(
                                     temp, bytes, in->template as<const T>(),
                                     out[0].template as<int>(), num_bins + 1, lower, upper,
                                     static_cast<std::int64_t>(n));
                               },
                               [=](const auto& policy, const auto& out) {
                                 const T* first = in->template as<const T>();
                                 hindsight::histogram_even(policy, first, first + n, num_bins,
                                                           lower, upper, out[0].template as<int>());
                               });
                         }});
}

const ab::registration registered{[] {
  add<std::uint8_t>(256, 0, 256, 1, "256 bins");
  add<std::uint8_t>(256, 0, 256, 0, "256 bins, equal");
  constexpr std::int64_t whole = std::int64_t{1} << 32;
  add<std::uint32_t>(256, std::int64_t{0}, whole, 1, "256 bins");
  add<std::uint32_t>(2048, std::int64_t{0}, whole, 1, "2048 bins");
  add<std::uint32_t>(2048, std::int64_t{0}, whole, 0, "2048 bins, equal");
  add<std::uint32_t>(65536, std::int64_t{0}, whole, 1, "65536 bins");
}};

}  // namespace
