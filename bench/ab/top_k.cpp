// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The k greatest items, in order. Stock's DeviceTopK leaves them in no order, so it sorts them
// then. Older CCCLs have none: then stock sorts a copy of all.
#include <hindsight/top_k.h>

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include "inputs.h"
#include "sides.h"
#include <string>
#include <type_traits>

#if HINDSIGHT_CUDA
#  include <hindsight/device_topk.cuh>

#  include <cub/device/device_radix_sort.cuh>
#  if __has_include(<cub/device/device_topk.cuh>)
#    include <cub/device/device_topk.cuh>
#    define STOCK_SELECTS 1
#  endif
#endif

namespace {

#if HINDSIGHT_CUDA
/// Stock's way.
struct stock_top_k {
#  ifdef STOCK_SELECTS
  template <class T>
  static cudaError_t MaxKeys(void* temp, std::size_t& bytes, const T* in, T* out, std::size_t n,
                             std::size_t k) {
    namespace execution = cuda::execution;
    const auto any_order = cuda::std::execution::env{execution::require(
        execution::determinism::not_guaranteed, execution::output_ordering::unsorted)};
    const auto steps = [&](T* selected, void* rest, std::size_t& rest_bytes) {
      std::size_t select_bytes = rest_bytes, sort_bytes = rest_bytes;
      auto status = cub::DeviceTopK::MaxKeys(rest, select_bytes, in, selected, n, k, any_order);
      if (status == cudaSuccess)
        status = cub::DeviceRadixSort::SortKeysDescending(rest, sort_bytes, selected, out, k);
      if (!rest) rest_bytes = select_bytes < sort_bytes ? sort_bytes : select_bytes;
      return status;
    };
    return with_room_for<T>(k, temp, bytes, steps);
  }
#  else
  template <class T>
  static cudaError_t MaxKeys(void* temp, std::size_t& bytes, const T* in, T* out, std::size_t n,
                             std::size_t k) {
    const auto steps = [&](T* sorted, void* rest, std::size_t& rest_bytes) {
      const auto status = cub::DeviceRadixSort::SortKeysDescending(rest, rest_bytes, in, sorted, n);
      if (!rest || status != cudaSuccess) return status;
      return cudaMemcpyAsync(out, sorted, k * sizeof(T), cudaMemcpyDeviceToDevice);
    };
    return with_room_for<T>(n, temp, bytes, steps);
  }
#  endif

 private:
  /// Temporary memory of `count` items and of what `steps` asks for.
  template <class T, class Steps>
  static cudaError_t with_room_for(std::size_t count, void* temp, std::size_t& bytes,
                                   const Steps& steps) {
    const std::size_t room = (count * sizeof(T) + 255) / 256 * 256;
    void* const rest = temp ? static_cast<char*>(temp) + room : nullptr;
    std::size_t rest_bytes = temp ? bytes - room : 0;
    const auto status = steps(static_cast<T*>(temp), rest, rest_bytes);
    if (!temp) bytes = room + rest_bytes;
    return status;
  }
};
#endif

template <class T>
class top_k : public ab::input {
 public:
  using devices = HINDSIGHT_AB_DEVICES(stock_top_k, hindsight::DeviceTopK);
  top_k(std::size_t n, std::size_t k)
      : n_{n}, k_{k < n ? k : n}, in_{n, ab::uniform<T>{}}, sorted_{n * sizeof(T)} {}

  void add_results(ab::results& out) const { out.add<T>("items", k_); }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.MaxKeys(temp, bytes, in_.get(), out.as<T>(0), n_, k_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* const in = in_.get();
    if constexpr (std::is_same_v<Policy, std::decay_t<decltype(hindsight::par)>>) {
      hindsight::top_k(policy, in, in + n_, k_, out.as<T>(0));
    } else {
      T* const sorted = sorted_.template as<T>();
      thrust::copy(policy, in, in + n_, sorted);
      thrust::sort(policy, sorted, sorted + n_, thrust::greater<T>{});
      thrust::copy(policy, sorted, sorted + k_, out.as<T>(0));
    }
  }

 private:
  std::size_t n_, k_;
  ab::items<T> in_;
  ab::buffer sorted_;
};

const ab::registration registered{[] {
  for (const std::size_t k : {10, 1000, 100'000}) {
    const std::string name = "k " + std::to_string(k);
    ab::add<top_k<float>>({"top_k", "F32", "-", name}, {4, ab::ceiling::read}, k);
    ab::add<top_k<std::int64_t>>({"top_k", "I64", "-", name}, {8, ab::ceiling::read}, k);
  }
}};

}  // namespace
