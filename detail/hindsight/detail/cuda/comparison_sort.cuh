// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by any comparator. Small items move in each pass of a merge sort, or of a sample sort if
// they are many. Larger ones stay where they are while their indices move in the passes, and move
// once at the end.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/merge_sort.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/sample_sort.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The range first, first + 1, ...
template <class Index>
struct all_indices {
  Index first = 0;
  HINDSIGHT_HD Index operator[](std::size_t i) const { return static_cast<Index>(first + i); }
  HINDSIGHT_HD all_indices operator+(std::size_t i) const { return {(*this)[i]}; }
};

/// Compares the keys at two places, as merges would that move them: as Keys, which a comparator may
/// take by reference.
template <class Key, class KeyIt, class Compare>
struct compare_at {
  KeyIt keys;
  Compare compare;
  template <class Index>
  HINDSIGHT_DEVICE bool operator()(Index a, Index b) {
    if constexpr (std::is_same_v<KeyIt, const Key*> || std::is_same_v<KeyIt, Key*>) {
      Key* const items = const_cast<Key*>(keys);
      return bool(compare(items[a], items[b]));
    } else {
      Key first = cuda::as_item<Key>(keys[a]), second = cuda::as_item<Key>(keys[b]);
      return bool(compare(first, second));
    }
  }
};

/// The widest word that the alignment of T allows; below 4 bytes T itself.
template <class T>
using word_of = std::conditional_t<
    alignof(T) % 16 == 0, uint4,
    std::conditional_t<alignof(T) % 8 == 0, std::uint64_t,
                       std::conditional_t<alignof(T) % 4 == 0, std::uint32_t, T>>>;

/// Whether items are moved as words, between arrays of one type. It need not be assignable.
template <class It, class OutputIt>
inline constexpr bool moves_words = false;
template <class In, class Out>
inline constexpr bool moves_words<In*, Out*> = std::is_same_v<std::remove_cv_t<In>, Out> &&
                                               alignof(Out) % 4 == 0;

/// out[to] = in[from].
template <class It, class OutputIt>
HINDSIGHT_DEVICE void gather_item(It in, std::size_t from, OutputIt out, std::size_t to) {
  using T = value_of<It>;
  if constexpr (moves_words<It, OutputIt>) {
    using word = word_of<T>;
    constexpr int item_words = int(sizeof(T) / sizeof(word));
    const auto source = static_cast<const word*>(static_cast<const void*>(in + from));
    const auto target = static_cast<word*>(static_cast<void*>(out + to));
    for (int w = 0; w < item_words; ++w) target[w] = source[w];
  } else {
    const T item = cuda::as_item<T>(in[from]);
    cuda::write_item(out, to, item);
  }
}

/// out[i] = in[order[i]]. Neighbouring threads move neighbouring words of an item.
template <class It, class Order, class OutputIt>
HINDSIGHT_KERNEL void gather_kernel(It in, Order order, OutputIt out, std::size_t n) {
  ptx::wait_for_launch_before();
  using T = value_of<It>;
  const std::size_t thread = std::size_t{blockIdx.x} * plain_threads + threadIdx.x;
  const std::size_t step = std::size_t{gridDim.x} * plain_threads;
  if constexpr (moves_words<It, OutputIt>) {
    using word = word_of<T>;
    constexpr std::size_t item_words = sizeof(T) / sizeof(word);
    const auto from = static_cast<const word*>(static_cast<const void*>(in));
    const auto to = static_cast<word*>(static_cast<void*>(out));
    for (std::size_t w = thread; w < n * item_words; w += step)
      to[w] = from[order[w / item_words] * item_words + w % item_words];
  } else {
    for (std::size_t i = thread; i < n; i += step) cuda::gather_item(in, order[i], out, i);
  }
}

template <class It, class Order, class OutputIt>
cudaError_t gather(It in, Order order, OutputIt out, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t item_threads = (sizeof(value_of<It>) + 15) / 16;
  const std::size_t blocks = (n * item_threads + plain_threads - 1) / plain_threads;
  return HINDSIGHT_LAUNCH_NEXT(
      static_cast<unsigned>(blocks < gather_blocks ? blocks : gather_blocks), plain_threads, 0,
      stream, gather_kernel<It, Order, OutputIt>)(in, order, out, n);
}

/// out = items.
template <class T, class OutputIt>
cudaError_t copy_items(const T* items, OutputIt out, std::size_t n, cudaStream_t stream) {
  if constexpr (std::is_pointer_v<OutputIt>) {
    return detail::reported(cudaMemcpyAsync(static_cast<void*>(out), items, n * sizeof(T),
                                            cudaMemcpyDeviceToDevice, stream));
  } else {
    return cuda::gather(items, all_indices<std::size_t>{}, out, n, stream);
  }
}

/// Where [n] sorted items are made: in the output itself, if it is an array, else in temporary
/// memory, to be copied.
template <class OutputIt>
class sorted_items {
  using T = value_of<OutputIt>;

 public:
  template <class InputIt>
  sorted_items(carver& space, InputIt, OutputIt out, std::size_t n) : out_{out}, n_{n} {
    if constexpr (std::is_pointer_v<OutputIt>) {
      items_ = out;
    } else {
      items_ = space.take<T>(n);
    }
  }
  T* data() const { return items_; }
  cudaError_t finish(cudaStream_t stream) const {
    if constexpr (std::is_pointer_v<OutputIt>) return cudaSuccess;
    return cuda::copy_items(items_, out_, n_, stream);
  }

 private:
  OutputIt out_;
  std::size_t n_;
  T* items_;
};

/// Items that a gather moves. Where the output may overlap them, they go by way of temporary
/// memory.
template <class It, class OutputIt>
class gathered_items {
  using T = value_of<OutputIt>;

 public:
  gathered_items(carver& space, It in, OutputIt out, std::size_t n)
      : in_{in}, out_{out}, n_{n}, has_room_{cuda::may_overlap(in, out, n)} {
    if (has_room_) room_ = space.take<T>(n);
  }
  template <class Index>
  cudaError_t gather(const Index* order, cudaStream_t stream) const {
    if (!has_room_) return cuda::gather(in_, order, out_, n_, stream);
    HINDSIGHT_TRY(cuda::gather(in_, order, room_, n_, stream));
    return cuda::copy_items(room_, out_, n_, stream);
  }

 private:
  It in_;
  OutputIt out_;
  std::size_t n_;
  bool has_room_;
  T* room_ = nullptr;
};

/// Calls sort(tuning) with the tuning for n items.
template <class Key, class Value, class Sort>
cudaError_t with_merge_tiles(std::size_t n, Sort sort) {
  using few = merge_sort_tuning_of_few<Key, Value>;
  return n <= few::most_items ? sort(few{}) : sort(merge_sort_tuning<Key, Value>{});
}

/// Sorts items that move in every pass, in CUB's two phases. `out` are arrays, and may be `in`.
///   Memory  enough for fewer items, too
template <class Tuning, class In, class Key, class Value, class Size, class Compare>
cudaError_t sort_items(void* temp, std::size_t& temp_bytes, In in, item_range<Key, Value> out,
                       Size num_items, Compare compare, cudaStream_t stream) {
  using sampling = sample_sort_tuning<Key, Value>;
  constexpr bool is_of_many = std::is_same_v<Tuning, merge_sort_tuning<Key, Value>>;
  if constexpr (is_of_many && sampling::has_room && !is_deferred<Size>) {
    const auto sort_by_samples = [&](std::size_t n, std::size_t& bytes) {
      return cuda::sample_sort<sampling>(temp, bytes, in, out, n, compare, stream);
    };
    if (sampling::pays(num_items)) return sort_by_samples(num_items, temp_bytes);
    if (temp == nullptr && num_items > sampling::most_items) {
      std::size_t bytes_of_fewer = 0;
      HINDSIGHT_TRY(sort_by_samples(sampling::most_items, bytes_of_fewer));
      HINDSIGHT_TRY(
          cuda::merge_sort<Tuning>(temp, temp_bytes, in, out, num_items, compare, stream));
      return temp_bytes = ::cuda::std::max(temp_bytes, bytes_of_fewer), cudaSuccess;
    }
  }
  return cuda::merge_sort<Tuning>(temp, temp_bytes, in, out, num_items, compare, stream);
}

/// comparison_sort() of keys and values that both move in every pass.
template <class Tuning, class KeyIn, class KeyOut, class ValueIn, class ValueOut, class Size,
          class Compare>
cudaError_t sort_by_moving(void* temp, std::size_t& temp_bytes, KeyIn keys_in, KeyOut keys_out,
                           ValueIn values_in, ValueOut values_out, Size num_items, Compare compare,
                           cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  using Key = value_of<KeyOut>;
  using Value = value_of<ValueOut>;
  static_assert(!is_deferred<Size> || (std::is_pointer_v<KeyOut> && std::is_pointer_v<ValueOut>),
                "hindsight: on the GPU a sort of a deferred size takes pointers or a vector's "
                "iterators");
  const item_range<Key, Value, KeyIn, ValueIn> in{keys_in, values_in};
  if (n <= std::size_t(Tuning::tile_items)) {
    if (temp == nullptr) return temp_bytes = 1, cudaSuccess;
    if (n == 0) return cudaSuccess;
    const item_range<Key, Value, KeyOut, ValueOut> out{keys_out, values_out};
    return cuda::sort_tiles<Tuning>(in, out, num_items, compare, stream);
  }
  carver space{temp};
  const sorted_items<KeyOut> keys{space, keys_in, keys_out, n};
  const sorted_items<ValueOut> values{space, values_in, values_out, n};
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    const item_range<Key, Value> out{keys.data(), values.data()};
    return cuda::sort_items<Tuning>(buffer, bytes, in, out, num_items, compare, stream);
  }};
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(sort());
  HINDSIGHT_TRY(keys.finish(stream));
  return values.finish(stream);
}

/// comparison_sort() of large keys or values: these stay where they are, and indices move in their
/// place. An Index can count n items.
template <class Index, class KeyIn, class KeyOut, class ValueIn, class ValueOut, class Compare>
cudaError_t sort_by_index(void* temp, std::size_t& temp_bytes, KeyIn keys_in, KeyOut keys_out,
                          ValueIn values_in, ValueOut values_out, std::size_t n, Compare compare,
                          cudaStream_t stream) {
  using Key = value_of<KeyOut>;
  using Value = value_of<ValueOut>;
  constexpr bool moves_keys = sizeof(Key) <= most_key_bytes_beside_index;
  constexpr bool has_values = !std::is_empty_v<Value>;
  carver space{temp};
  Index* const order = space.take<Index>(n);
  const std::conditional_t<moves_keys, sorted_items<KeyOut>, gathered_items<KeyIn, KeyOut>> keys{
      space, keys_in, keys_out, n};
  const gathered_items<ValueIn, ValueOut> values{space, values_in, values_out, has_values ? n : 0};
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    using indices = all_indices<Index>;
    if constexpr (moves_keys) {
      const item_range<Key, Index, KeyIn, indices> in{keys_in, {}};
      const item_range<Key, Index> out{keys.data(), order};
      return cuda::with_merge_tiles<Key, Index>(n, [&](auto tuning) {
        return cuda::sort_items<decltype(tuning)>(buffer, bytes, in, out, n, compare, stream);
      });
    } else {
      const item_range<Index, no_value, indices> in{{}, nullptr};
      const item_range<Index, no_value> out{order, nullptr};
      const compare_at<Key, KeyIn, Compare> by_place{keys_in, compare};
      return cuda::with_merge_tiles<Index, no_value>(n, [&](auto tuning) {
        return cuda::sort_items<decltype(tuning)>(buffer, bytes, in, out, n, by_place, stream);
      });
    }
  }};
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(sort());
  if constexpr (moves_keys) {
    HINDSIGHT_TRY(keys.finish(stream));
  } else {
    HINDSIGHT_TRY(keys.gather(order, stream));
  }
  if constexpr (has_values) return values.gather(order, stream);
  return cudaSuccess;
}

/// out = in, stably sorted, in CUB's two phases. The outputs may be the inputs; they may overlap
/// them in no other way. Values are no_value and null for keys alone. Items may be copied as bytes.
///   Memory  small items: none up to one tile, else room for n keys and values, and for many items
///           1.7 bytes each; large items: two or three indices for each, and in place room for n of
///           them
template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class Size,
          class Compare>
cudaError_t comparison_sort(void* temp, std::size_t& temp_bytes, KeyIt keys,
                            KeyOutputIt sorted_keys, ValueIt values, ValueOutputIt sorted_values,
                            Size num_items, Compare compare, cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  const auto keys_in = cuda::unwrap(keys);
  const auto keys_out = cuda::unwrap(sorted_keys);
  const auto values_in = cuda::unwrap(values);
  const auto values_out = cuda::unwrap(sorted_values);
  using Key = value_of<KeyOutputIt>;
  using Value = value_of<ValueOutputIt>;
  using sampling = sample_sort_tuning<Key, Value>;
  constexpr bool is_small_value = sizeof(Value) <= most_merged_value_bytes;
  const auto sort_by_moving = [&](auto tuning, auto size, std::size_t& bytes) {
    return cuda::sort_by_moving<decltype(tuning)>(temp, bytes, keys_in, keys_out, values_in,
                                                  values_out, size, compare, stream);
  };
  if constexpr (sizeof(Key) <= most_merged_key_bytes && is_small_value) {
    return cuda::with_merge_tiles<Key, Value>(n, [&](auto tuning) {
      return sort_by_moving(tuning, cuda::unwrap_size(num_items), temp_bytes);
    });
  } else {
    static_assert(
        !is_deferred<Size>,
        "hindsight: on the GPU a sort of a deferred size by a comparator takes keys of up "
        "to 24 bytes and values of up to 8");
    if (n == 0) {
      if (temp == nullptr) temp_bytes = 1;
      return cudaSuccess;
    }
    const auto sort_by_index = [&](std::size_t count, std::size_t& bytes) {
      return count <= 0xffffffffu
                 ? cuda::sort_by_index<std::uint32_t>(temp, bytes, keys_in, keys_out, values_in,
                                                      values_out, count, compare, stream)
                 : cuda::sort_by_index<std::uint64_t>(temp, bytes, keys_in, keys_out, values_in,
                                                      values_out, count, compare, stream);
    };
    if constexpr (sizeof(Key) <= most_sampled_key_bytes && is_small_value && sampling::has_room) {
      const merge_sort_tuning<Key, Value> tuning;
      if (temp != nullptr && sampling::pays(n)) return sort_by_moving(tuning, n, temp_bytes);
      if (temp == nullptr && n >= sampling::least_items) {
        // Memory for n items must be enough for fewer items, too.
        const std::size_t most_moved = ::cuda::std::min(n, sampling::most_items);
        std::size_t bytes_of_moved = 0;
        HINDSIGHT_TRY(sort_by_moving(tuning, most_moved, bytes_of_moved));
        HINDSIGHT_TRY(sort_by_index(n == most_moved ? sampling::least_items - 1 : n, temp_bytes));
        return temp_bytes = ::cuda::std::max(temp_bytes, bytes_of_moved), cudaSuccess;
      }
    }
    return sort_by_index(n, temp_bytes);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
