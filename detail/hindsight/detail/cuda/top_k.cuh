// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first items of a sorted order, without sorting the others: top_k, and nth_element's
// rearrangement.
#pragma once

#include <hindsight/detail/composite_key.h>
#include <hindsight/detail/cuda/comparison_sort.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/for_each_index.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/radix_select.cuh>
#include <hindsight/detail/cuda/radix_sort.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Keys that a selection takes: those for which one number of up to 64 bits can stand.
template <class Key>
constexpr bool is_selectable() {
  if constexpr (has_key_words<Key>) {
    return key_words<Key>::count == 1 && sizeof(typename key_words<Key>::word) <= 8;
  } else {
    return false;
  }
}

/// Item i as a number of the keys' order.
template <class Key, class Direction, class It>
struct key_bits_at {
  using key_bits_t = typename key_words<Key>::word;
  using number = key_bits_t;
  static constexpr int place_bits = 0, bits = int(sizeof(key_bits_t)) * 8;
  It items;
  HINDSIGHT_DEVICE key_bits_t key_bits(std::size_t i) const {
    const Key key = items[i];
    const key_bits_t word = key_words<Key>::at(0, key);
    return Direction::bits(word);
  }
  HINDSIGHT_DEVICE number number_of(key_bits_t key_bits, std::size_t) const { return key_bits; }
};

/// Item i as a number in which its place counts after its key: no two are equal, so that the k
/// lowest are these and no others.
template <class Key, class Direction, class It, int PlaceBits>
struct key_bits_and_place_at : key_bits_at<Key, Direction, It> {
  using typename key_bits_at<Key, Direction, It>::key_bits_t;
  static constexpr int place_bits = PlaceBits, bits = int(sizeof(key_bits_t)) * 8 + PlaceBits;
  using number = std::conditional_t<bits <= 64, std::uint64_t, uint128_t>;
  HINDSIGHT_DEVICE number number_of(key_bits_t key_bits, std::size_t i) const {
    return static_cast<number>(static_cast<number>(key_bits) << place_bits) |
           static_cast<number>(i);
  }
};

/// The same of keys of any type, of which `decompose` returns the members that count.
template <class Members, class Direction, class It, class Decomposer, int PlaceBits>
struct decomposed_key_bits_at {
  using key_bits_t = typename key_words<Members>::word;
  static constexpr int place_bits = PlaceBits, bits = int(sizeof(key_bits_t)) * 8 + PlaceBits;
  using number = std::conditional_t<bits <= 64, std::uint64_t, uint128_t>;
  It items;
  mutable Decomposer decompose;
  HINDSIGHT_DEVICE key_bits_t key_bits(std::size_t i) const {
    auto key = cuda::as_item<value_of<It>>(items[i]);
    const key_bits_t word = key_words<Members>::at(0, decompose(key));
    return Direction::bits(word);
  }
  HINDSIGHT_DEVICE number number_of(key_bits_t key_bits, std::size_t i) const {
    return static_cast<number>(static_cast<number>(key_bits) << place_bits) |
           static_cast<number>(i);
  }
};

/// How a selection sees keys that are numbers, or tuples of them.
template <class Direction>
struct keys_as_numbers {
  template <int PlaceBits, class KeyIt>
  key_bits_and_place_at<value_of<KeyIt>, Direction, KeyIt, PlaceBits> input(KeyIt keys) const {
    return {{keys}};
  }
};
/// How it sees those that a decomposer takes apart into `Members`.
template <class Members, class Direction, class Decomposer>
struct keys_as_members {
  Decomposer decompose;
  template <int PlaceBits, class KeyIt>
  decomposed_key_bits_at<Members, Direction, KeyIt, Decomposer, PlaceBits> input(KeyIt keys) const {
    return {keys, decompose};
  }
};

/// The place in a number.
template <int PlaceBits, class Number>
HINDSIGHT_DEVICE std::size_t place_in(Number number) {
  return static_cast<std::size_t>(number & ((Number{1} << PlaceBits) - 1));
}
/// The places in sorted numbers, as an order to gather by.
template <class Number, int PlaceBits>
struct places_in {
  const Number* numbers;
  HINDSIGHT_DEVICE std::size_t operator[](std::size_t i) const {
    return cuda::place_in<PlaceBits>(numbers[i]);
  }
};

/// Writes the key, and the value if there is one, of a number that has its place.
template <int PlaceBits, class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt>
struct write_at_rank {
  KeyIt keys;
  KeyOutputIt keys_out;
  ValueIt values;
  ValueOutputIt values_out;
  template <class Number>
  HINDSIGHT_DEVICE void operator()(std::size_t rank, Number number) const {
    const std::size_t place = cuda::place_in<PlaceBits>(number);
    cuda::gather_item(keys, place, keys_out, rank);
    if constexpr (!std::is_same_v<ValueIt, no_value*>)
      cuda::gather_item(values, place, values_out, rank);
  }
};

template <int PlaceBits, class View, class KeyIt, class KeyOutputIt, class ValueIt,
          class ValueOutputIt>
cudaError_t top_k_counted(View view, void* temp, std::size_t& temp_bytes, KeyIt keys,
                          KeyOutputIt keys_out, ValueIt values, ValueOutputIt values_out,
                          std::size_t n, std::size_t k, cudaStream_t stream) {
  using input = decltype(view.template input<PlaceBits>(keys));
  using number = typename input::number;
  using tuning = radix_select_tuning;
  radix_selection<number, input> select{view.template input<PlaceBits>(keys), n, k, input::bits};
  carver space{temp};
  select.carve(space);
  number* const selected = space.take<number>(k);
  const bool are_few = k <= tuning::most_ranked;
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    no_value* const none = nullptr;
    return cuda::radix_sort<ascending>(buffer, bytes, static_cast<const number*>(selected),
                                       selected, static_cast<const no_value*>(none), none, k, 0,
                                       int(sizeof(number)) * 8, stream);
  }};
  if (!are_few) HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(select.clear(stream));
  if (n >= tuning::fewest_sampled && k <= n / tuning::sampled_part)
    HINDSIGHT_TRY(select.list_lowest(sample_rank<tuning>(n, k), stream));
  HINDSIGHT_TRY(select(selected, are_few ? tuning::most_ranked : 0, stream));
  if (are_few) {
    using write = write_at_rank<PlaceBits, KeyIt, KeyOutputIt, ValueIt, ValueOutputIt>;
    return select.rank(selected, write{keys, keys_out, values, values_out}, stream);
  }
  HINDSIGHT_TRY(sort());
  const places_in<number, PlaceBits> order{selected};
  HINDSIGHT_TRY(cuda::gather(keys, order, keys_out, k, stream));
  if constexpr (!std::is_same_v<ValueIt, no_value*>)
    return cuda::gather(values, order, values_out, k, stream);
  return cudaSuccess;
}

/// keys_out [k] = the first k of the keys, stably sorted; values_out [k] = their values. In CUB's
/// two phases. Requires k <= n and outputs that do not overlap inputs.
///   Memory  16 to 32 bytes for each of the k, tables, and two numbers of 8 or 16 bytes for a
///           sixth of the keys
template <class View, class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt>
cudaError_t top_k_of(View view, void* temp, std::size_t& temp_bytes, KeyIt keys,
                     KeyOutputIt keys_out, ValueIt values, ValueOutputIt values_out, std::size_t n,
                     std::size_t k, cudaStream_t stream) {
  if (k == 0) {
    if (temp == nullptr) temp_bytes = 1;
    return cudaSuccess;
  }
  const auto call = [&](auto place_bits) {
    return cuda::top_k_counted<decltype(place_bits)::value>(
        view, temp, temp_bytes, cuda::unwrap(keys), cuda::unwrap(keys_out), cuda::unwrap(values),
        cuda::unwrap(values_out), n, k, stream);
  };
  return n <= 0xffffffffu ? call(std::integral_constant<int, 32>{})
                          : call(std::integral_constant<int, 64>{});
}
/// Keys, and values if there are any, that a sort takes from where they are. Values with const
/// members cannot be assigned, and are only written at the end.
template <class KeyIt, class ValueIt>
inline constexpr bool are_sortable_arrays =
    std::is_pointer_v<unwrapped<KeyIt>>&& std::is_pointer_v<unwrapped<ValueIt>>&&
        is_radix_key<value_of<KeyIt>>&& std::is_trivially_copyable_v<value_of<ValueIt>>&&
            std::is_copy_assignable_v<value_of<ValueIt>>;

/// The same by a sort of all keys.
///   Memory  room for the keys and values, and a sort's
template <class Direction, class Key, class KeyOutputIt, class Value, class ValueOutputIt>
cudaError_t top_k_of_sorted(void* temp, std::size_t& temp_bytes, const Key* keys,
                            KeyOutputIt keys_out, const Value* values, ValueOutputIt values_out,
                            std::size_t n, std::size_t k, cudaStream_t stream) {
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  carver space{temp};
  Key* const sorted = space.take<Key>(n);
  Value* const sorted_values = has_values ? space.take<Value>(n) : nullptr;
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    return cuda::radix_sort<Direction>(buffer, bytes, keys, sorted, values, sorted_values, n, 0,
                                       int(sizeof(Key)) * 8, stream);
  }};
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(sort());
  const all_indices<std::size_t> in_order{};
  HINDSIGHT_TRY(cuda::gather(static_cast<const Key*>(sorted), in_order, keys_out, k, stream));
  if constexpr (has_values)
    return cuda::gather(static_cast<const Value*>(sorted_values), in_order, values_out, k, stream);
  return cudaSuccess;
}

/// The same of keys that are numbers, or tuples of them, by the faster of the two ways. Memory that
/// is enough for n items and k is enough for fewer of both.
template <class Direction, class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt>
cudaError_t top_k(void* temp, std::size_t& temp_bytes, KeyIt keys, KeyOutputIt keys_out,
                  ValueIt values, ValueOutputIt values_out, std::size_t n, std::size_t k,
                  cudaStream_t stream) {
  const auto select = [&](std::size_t num_items, std::size_t num_out) {
    return cuda::top_k_of(keys_as_numbers<Direction>{}, temp, temp_bytes, keys, keys_out, values,
                          values_out, num_items, num_out, stream);
  };
  if constexpr (!are_sortable_arrays<KeyIt, ValueIt>) {
    return select(n, k);
  } else {
    const auto sort = [&](std::size_t num_items) {
      return cuda::top_k_of_sorted<Direction>(
          temp, temp_bytes, cuda::unwrap(keys), cuda::unwrap(keys_out), cuda::unwrap(values),
          cuda::unwrap(values_out), num_items, ::cuda::std::min(k, num_items), stream);
    };
    const bool are_few = n < fewest_selected || k > n / selected_part;
    if (k == 0 || (temp != nullptr && !are_few)) return select(n, k);
    if (temp != nullptr) return sort(n);
    HINDSIGHT_TRY(
        sort(::cuda::std::min(n, ::cuda::std::max(fewest_selected, (k + 1) * selected_part) - 1)));
    const std::size_t enough = temp_bytes;
    if (n >= fewest_selected) HINDSIGHT_TRY(select(n, ::cuda::std::min(k, n / selected_part)));
    return temp_bytes = ::cuda::std::max(enough, temp_bytes), cudaSuccess;
  }
}

/// classes[i] = 0, 1, 2: item i is before, equivalent to, behind the item of number *middle.
template <class Input>
struct classify {
  Input input;
  const typename Input::number* middle;
  std::uint8_t* classes;
  HINDSIGHT_DEVICE void operator()(std::size_t i) const {
    const auto number = input.key_bits(i), nth = *middle;
    classes[i] = static_cast<std::uint8_t>((number >= nth) + (number > nth));
  }
};

/// Rearranges the items: those before the one that a sort would put at place `nth`, those
/// equivalent to it, those behind it, each in their input order. Requires nth < n. In CUB's two
/// phases.
///   Memory  room for n items and 2 n bytes, tables, and two numbers for a sixth of the items
template <class Direction, class Item>
cudaError_t nth_element(void* temp, std::size_t& temp_bytes, Item* items, std::size_t n,
                        std::size_t nth, cudaStream_t stream) {
  using input = key_bits_at<Item, Direction, const Item*>;
  using number = typename input::number;
  const input numbers{items};
  radix_selection<number, input> select{numbers, n, nth + 1, input::bits};
  carver space{temp};
  select.carve(space);
  std::uint8_t* const classes = space.take<std::uint8_t>(n);
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    return cuda::radix_sort<ascending>(buffer, bytes, static_cast<const std::uint8_t*>(classes),
                                       classes, static_cast<const Item*>(items), items, n, 0, 2,
                                       stream);
  }};
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(select.clear(stream));
  HINDSIGHT_TRY(select(nullptr, 0, stream));
  HINDSIGHT_TRY(cuda::for_each_index(n, classify<input>{numbers, &select.result()->first, classes},
                                     stream, true));
  return sort();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
