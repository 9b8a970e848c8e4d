// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/reduce_by_key.h>
#include <hindsight/run_length_encode.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cuda/functional>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include "ab.h"
#include <algorithm>

namespace {

using key_t = std::uint32_t;

template <class V>
__global__ void ones(V* values, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    values[i] = V(i % 7);
}

template <class V>
void add_reduce_by_key(std::size_t mean, const char* distribution) {
  ab::cases().push_back(
      {"reduce_by_key", "U32", ab::name_of<V>(), distribution,
       [=](ab::prepared& sides, std::size_t n, ab::mode mode) {
         const auto keys = std::make_shared<ab::buffer>(n * sizeof(key_t));
         const auto values = std::make_shared<ab::buffer>(n * sizeof(V));
         ab::fill_runs(keys->as<key_t>(), n, mean);
         ones<<<1024, 256>>>(values->as<V>(), n);
         for (auto* results : {&sides.stock_results, &sides.our_results}) {
           results->emplace_back(n * sizeof(key_t));
           results->emplace_back(n * sizeof(V));
           results->emplace_back(sizeof(std::int64_t));
         }
         sides.bytes = (n + n / mean) * (sizeof(key_t) + sizeof(V));
         ab::both_sides<cub::DeviceReduce, hindsight::DeviceReduce>(
             sides, mode, thrust::cuda::par, hindsight::cuda::par,
             [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
               return device.ReduceByKey(
                   temp, bytes, keys->template as<const key_t>(), out[0].template as<key_t>(),
                   values->template as<const V>(), out[1].template as<V>(),
                   out[2].template as<std::int64_t>(), ::cuda::std::plus<>{}, n);
             },
             [=](const auto& policy, const auto& out) {
               const key_t* first = keys->template as<const key_t>();
               thrust::reduce_by_key(policy, first, first + n, values->template as<const V>(),
                                     out[0].template as<key_t>(), out[1].template as<V>());
             });
       }});
}

void add_run_length_encode(std::size_t mean, const char* distribution) {
  ab::cases().push_back(
      {"run_length_encode", "U32", "I32", distribution,
       [=](ab::prepared& sides, std::size_t n, ab::mode mode) {
         const auto keys = std::make_shared<ab::buffer>(n * sizeof(key_t));
         ab::fill_runs(keys->as<key_t>(), n, mean);
         for (auto* results : {&sides.stock_results, &sides.our_results}) {
           results->emplace_back(n * sizeof(key_t));
           results->emplace_back(n * sizeof(std::int32_t));
           results->emplace_back(sizeof(std::int64_t));
         }
         sides.bytes = n * sizeof(key_t) + n / mean * (sizeof(key_t) + sizeof(std::int32_t));
         ab::both_sides<cub::DeviceRunLengthEncode, hindsight::DeviceRunLengthEncode>(
             sides, mode, thrust::cuda::par, hindsight::cuda::par,
             [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
               return device.Encode(temp, bytes, keys->template as<const key_t>(),
                                    out[0].template as<key_t>(), out[1].template as<std::int32_t>(),
                                    out[2].template as<std::int64_t>(), n);
             },
             [=](const auto& policy, const auto& out) {
               const key_t* first = keys->template as<const key_t>();
               hindsight::run_length_encode(policy, first, first + n, out[0].template as<key_t>(),
                                            out[1].template as<std::int32_t>());
             });
       }});
}

const ab::registration registered{[] {
  for (const auto& [mean, name] : {std::pair<std::size_t, const char*>{1, "runs of 1"},
                                   {8, "runs of 8"},
                                   {256, "runs of 256"}}) {
    add_reduce_by_key<std::int32_t>(mean, name);
    add_reduce_by_key<double>(mean, name);
    add_run_length_encode(mean, name);
  }
}};

}  // namespace
