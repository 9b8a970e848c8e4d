// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first items in the order of keys for which no number of 64 bits can stand, so that they
// cannot be selected: a sort of all places.
#pragma once

#include <hindsight/detail/composite_key.h>
#include <hindsight/detail/cuda/comparison_sort.cuh>
#include <hindsight/detail/cuda/composite_sort.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/for_each_index.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/array>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The key of the item at a place, as the words that a sort takes.
template <class Members, class KeyIt, class Decomposer>
struct key_words_at {
  using words = key_words<Members>;
  using key_t = ::cuda::std::array<typename words::word, words::count>;
  KeyIt keys;
  Decomposer decompose;
  template <class Index>
  HINDSIGHT_DEVICE key_t operator()(Index place) {
    auto key = cuda::as_item<value_of<KeyIt>>(keys[place]);
    key_t result{};
    for (int w = 0; w < words::count; ++w) result[w] = words::at(w, decompose(key));
    return result;
  }
};

/// top_k_by_places() with an Index that can count n items. Requires k > 0.
template <class Members, class Direction, class Index, class KeyIt, class KeyOutputIt,
          class ValueIt, class ValueOutputIt, class Decomposer>
cudaError_t top_k_by_indices(void* temp, std::size_t& temp_bytes, KeyIt keys, KeyOutputIt keys_out,
                             ValueIt values, ValueOutputIt values_out, std::size_t n, std::size_t k,
                             Decomposer decompose, cudaStream_t stream) {
  using key_at = key_words_at<Members, KeyIt, Decomposer>;
  using key = typename key_at::key_t;
  carver space{temp};
  Index* const places = space.take<Index>(n);
  const Index* const order = places;
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    no_value* const none = nullptr;
    return cuda::composite_sort<key, Direction>(
        buffer, bytes, order, places, static_cast<const no_value*>(none), none, n,
        key_at{keys, decompose}, 0, int(sizeof(key)) * 8, stream);
  }};
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(cuda::for_each_index(n, number_items<Index>{places}, stream));
  HINDSIGHT_TRY(sort());
  HINDSIGHT_TRY(cuda::gather(keys, order, keys_out, k, stream));
  if constexpr (!std::is_same_v<ValueIt, no_value*>)
    return cuda::gather(values, order, values_out, k, stream);
  return cudaSuccess;
}

/// keys_out [k] = the first k of the keys, stably sorted by the Members that decompose(key)
/// returns; values_out [k] = their values. In CUB's two phases. Requires k <= n and outputs that do
/// not overlap inputs.
///   Memory  40 bytes for each key, or 32 where its Members have more than 16, and tables;
///           from 2^32 keys on 48
template <class Members, class Direction, class KeyIt, class KeyOutputIt, class ValueIt,
          class ValueOutputIt, class Decomposer>
cudaError_t top_k_by_places(void* temp, std::size_t& temp_bytes, KeyIt keys, KeyOutputIt keys_out,
                            ValueIt values, ValueOutputIt values_out, std::size_t n, std::size_t k,
                            Decomposer decompose, cudaStream_t stream) {
  if (k == 0) {
    if (temp == nullptr) temp_bytes = 1;
    return cudaSuccess;
  }
  const auto call = [&](auto index) {
    return cuda::top_k_by_indices<Members, Direction, decltype(index)>(
        temp, temp_bytes, cuda::unwrap(keys), cuda::unwrap(keys_out), cuda::unwrap(values),
        cuda::unwrap(values_out), n, k, decompose, stream);
  };
  return n <= 0xffffffffu ? call(std::uint32_t{}) : call(std::uint64_t{});
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
