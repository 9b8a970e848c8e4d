// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/sort.h>

#include <cub/device/device_radix_sort.cuh>
#include <thrust/sort.h>

#include "ab.h"

namespace {

struct keys_only {};

template <class K, class V>
void add(int and_of, const char* distribution) {
  constexpr bool pairs = !std::is_same_v<V, keys_only>;
  const char* value_name = "-";
  if constexpr (pairs) value_name = ab::name_of<V>();
  ab::cases().push_back(
      {"sort", ab::name_of<K>(), value_name, distribution,
       [=](ab::prepared& sides, std::size_t n, ab::mode mode) {
         const auto keys = std::make_shared<ab::buffer>(n * sizeof(K) + 8);
         const auto values = std::make_shared<ab::buffer>(n * sizeof(V) + 8);
         ab::fill_random(keys->as<void>(), n * sizeof(K) + 8, and_of);
         ab::fill_random(values->as<void>(), n * sizeof(V) + 8, 1);
         for (auto* results : {&sides.stock_results, &sides.our_results}) {
           results->emplace_back(n * sizeof(K));
           if (pairs) results->emplace_back(n * sizeof(V));
         }
         sides.bytes = 2 * n * (sizeof(K) + (pairs ? sizeof(V) : 0));
         if (mode == ab::mode::whole_call) {  // Thrust sorts in place: a fresh copy for each run
           const auto* stock = &sides.stock_results;
           const auto* ours = &sides.our_results;
           sides.reset = [=](const std::vector<ab::buffer>& out) {
             ab::check(
                 cudaMemcpy(out[0].as<void>(), keys->as<void>(), n * sizeof(K), cudaMemcpyDefault),
                 "copy");
             if (pairs)
               ab::check(cudaMemcpy(out[1].as<void>(), values->as<void>(), n * sizeof(V),
                                    cudaMemcpyDefault),
                         "copy");
           };
           const auto whole = [=](const auto& policy, const auto* out) {
             K* first = (*out)[0].template as<K>();
             if constexpr (pairs) {
               thrust::sort_by_key(policy, first, first + n, (*out)[1].template as<V>());
             } else {
               thrust::sort(policy, first, first + n);
             }
           };
           sides.stock = [=] { whole(thrust::cuda::par, stock); };
           sides.ours = [=] { whole(hindsight::cuda::par, ours); };
           return;
         }
         ab::both_sides<cub::DeviceRadixSort, hindsight::DeviceRadixSort>(
             sides, mode, thrust::cuda::par, hindsight::cuda::par,
             [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
               if constexpr (pairs) {
                 return device.SortPairs(temp, bytes, keys->template as<const K>(),
                                         out[0].template as<K>(), values->template as<const V>(),
                                         out[1].template as<V>(), n);
               } else {
                 return device.SortKeys(temp, bytes, keys->template as<const K>(),
                                        out[0].template as<K>(), n);
               }
             },
             [](const auto&, const auto&) {});
       }});
}

const ab::registration registered{[] {
  add<std::uint8_t, keys_only>(1, "entropy 1.000");
  add<std::uint32_t, keys_only>(1, "entropy 1.000");
  add<std::uint32_t, keys_only>(3, "entropy 0.544");
  add<std::uint32_t, keys_only>(5, "entropy 0.201");
  add<std::uint64_t, keys_only>(1, "entropy 1.000");
  add<float, keys_only>(1, "entropy 1.000");
  add<std::uint32_t, std::uint32_t>(1, "entropy 1.000");
  add<std::uint64_t, std::uint64_t>(1, "entropy 1.000");
}};

}  // namespace
