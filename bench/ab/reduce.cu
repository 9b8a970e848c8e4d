// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/device_reduce.cuh>
#include <hindsight/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>

#include "ab.h"

namespace {

template <class T>
void add() {
  ab::cases().push_back({"reduce", ab::name_of<T>(), "-", "random",
                         [](ab::prepared& sides, std::size_t n, ab::mode mode) {
                           const auto in = std::make_shared<ab::buffer>(n * sizeof(T));
                           ab::fill_random(in->as<void>(), n * sizeof(T), 5);
                           for (auto* results : {&sides.stock_results, &sides.our_results})
                             results->emplace_back(sizeof(T));
                           sides.bytes = n * sizeof(T);
                           ab::both_sides<cub::DeviceReduce, hindsight::DeviceReduce>(
                               sides, mode, thrust::cuda::par, hindsight::cuda::par,
                               [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
                                 return device.Sum(temp, bytes, in->template as<const T>(),
                                                   out[0].template as<T>(), n);
                               },
                               [=](const auto& policy, const auto& out) {
                                 const T* first = in->template as<const T>();
                                 const T sum = thrust::reduce(policy, first, first + n);
                                 ab::check(cudaMemcpyAsync(out[0].template as<T>(), &sum,
                                                           sizeof sum, cudaMemcpyDefault),
                                           "copy");
                               });
                         }});
}

const ab::registration registered{[] {
  add<std::uint8_t>();
  add<std::int32_t>();
  add<std::int64_t>();
  add<float>();
  add<double>();
}};

}  // namespace
