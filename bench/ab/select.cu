// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/device_partition.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/partition.h>
#include <hindsight/select.h>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/copy.h>
#include <thrust/partition.h>

#include "ab.h"

namespace {

/// Selects a share of random items.
template <class T>
struct below {
  T limit;
  __host__ __device__ bool operator()(T item) const { return item < limit; }
};

template <class T>
void add(double share, const char* distribution) {
  const below<T> keep{static_cast<T>(static_cast<long double>(T(~T{0})) * share)};
  const auto prepare = [keep, share](bool partitions) {
    return [=](ab::prepared& sides, std::size_t n, ab::mode mode) {
      const auto in = std::make_shared<ab::buffer>(n * sizeof(T));
      ab::fill_random(in->as<void>(), n * sizeof(T), 1);
      for (auto* results : {&sides.stock_results, &sides.our_results}) {
        results->emplace_back(n * sizeof(T));
        results->emplace_back(sizeof(std::int64_t));
        if (partitions && mode == ab::mode::whole_call) results->emplace_back(n * sizeof(T));
      }
      sides.bytes = std::size_t(n * sizeof(T) * (partitions ? 2 : 1 + share));
      if (partitions) {
        ab::both_sides<cub::DevicePartition, hindsight::DevicePartition>(
            sides, mode, thrust::cuda::par, hindsight::cuda::par,
            [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
              return device.If(temp, bytes, in->template as<const T>(), out[0].template as<T>(),
                               out[1].template as<std::int64_t>(), n, keep);
            },
            [=](const auto& policy, const auto& out) {
              const T* first = in->template as<const T>();
              thrust::partition_copy(policy, first, first + n, out[0].template as<T>(),
                                     out[2].template as<T>(), keep);
            });
      } else {
        ab::both_sides<cub::DeviceSelect, hindsight::DeviceSelect>(
            sides, mode, thrust::cuda::par, hindsight::cuda::par,
            [=](auto device, void* temp, std::size_t& bytes, const auto& out) {
              return device.If(temp, bytes, in->template as<const T>(), out[0].template as<T>(),
                               out[1].template as<std::int64_t>(), n, keep);
            },
            [=](const auto& policy, const auto& out) {
              const T* first = in->template as<const T>();
              thrust::copy_if(policy, first, first + n, out[0].template as<T>(), keep);
            });
      }
    };
  };
  ab::cases().push_back({"copy_if", ab::name_of<T>(), "-", distribution, prepare(false)});
  ab::cases().push_back({"partition", ab::name_of<T>(), "-", distribution, prepare(true)});
}

const ab::registration registered{[] {
  add<std::uint8_t>(0.5, "half");
  add<std::uint32_t>(1, "all");
  add<std::uint32_t>(0.5, "half");
  add<std::uint32_t>(0, "none");
  add<std::uint64_t>(0.5, "half");
}};

}  // namespace
