// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sorts of items by numbers that are made of them: members of a struct, a projection, floats
// in tuples. Where passes can take digits from the members, the items move as they are
// (item_as_key.cuh). Else the numbers are sorted, and the items move with the numbers, or once at
// the end.
#pragma once

#include <hindsight/detail/composite_key.h>
#include <hindsight/detail/cuda/comparison_sort.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/for_each_index.cuh>
#include <hindsight/detail/cuda/item_as_key.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/radix_sort.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>
#include <thrust/addressof.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// An item's bytes, for copies. A tuple would be copied member by member, and the assembler fails
/// where many tuples have small members.
template <class Item>
struct item_bytes {
  unsigned_of_size_t<alignof(Item)> words[sizeof(Item) / alignof(Item)];
};

/// words[i] = word w of the key of items[order[i]]; for descending order its complement, so that
/// one radix sort serves both. Copies the items, too, unless `copies` is null.
template <class Key, class Direction, class Item, class Order, class KeyOf>
struct make_words {
  const Item* items;
  Order order;
  typename key_words<Key>::word* words;
  KeyOf key_of;
  int w;
  Item* copies = nullptr;
  HINDSIGHT_DEVICE void operator()(std::size_t i) {
    Item item = cuda::as_item<Item>(items[order[i]]);
    if (copies != nullptr)
      memcpy(static_cast<void*>(copies + i), static_cast<const void*>(::cuda::std::addressof(item)),
             sizeof item);
    const auto word = key_words<Key>::at(w, key_of(item));
    words[i] = Direction::bits(word);
  }
};

/// order[i] = i.
template <class Index>
struct number_items {
  Index* order;
  HINDSIGHT_DEVICE void operator()(std::size_t i) { order[i] = static_cast<Index>(i); }
};

/// composite_sort() of items that passes move as they are. They move as words. Items at an address
/// where no word may be, which is rare, are copied to temporary memory and back.
template <class Direction, class Item, class Value, class KeyOf>
cudaError_t sort_items(void* temp, std::size_t& temp_bytes, const Item* in, Item* out,
                       const Value* values_in, Value* values_out, std::size_t n, int begin_bit,
                       int end_bit, cudaStream_t stream) {
  using key = item_as_key<Item, KeyOf>;
  const auto sort = [&](void* buffer, std::size_t& bytes, const key* keys, key* sorted,
                        const Value* values) {
    return cuda::radix_sort<Direction>(buffer, bytes, keys, sorted, values, values_out, n,
                                       begin_bit, end_bit, stream);
  };
  const auto from = reinterpret_cast<const key*>(in);
  const auto to = reinterpret_cast<key*>(out);
  if constexpr (alignof(Item) >= alignof(key)) {
    return sort(temp, temp_bytes, from, to, values_in);
  } else {
    carver space{temp};
    key* const copies = space.take<key>(n);
    std::size_t apart = 0, in_place = 0;  // in place, a spare buffer is always needed
    HINDSIGHT_TRY(sort(nullptr, apart, from, to, values_in));
    HINDSIGHT_TRY(sort(nullptr, in_place, to, to, values_out));
    std::size_t bytes = ::cuda::std::max(apart, in_place);
    char* const sort_temp = space.take<char>(bytes);
    if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
    const auto are_words = [](const void* address) {
      return reinterpret_cast<std::size_t>(address) % alignof(key) == 0;
    };
    if (are_words(in) && are_words(out)) return sort(sort_temp, bytes, from, to, values_in);
    const auto copy = [&](void* to, const void* from, std::size_t item_bytes) {
      return detail::reported(
          cudaMemcpyAsync(to, from, n * item_bytes, cudaMemcpyDeviceToDevice, stream));
    };
    HINDSIGHT_TRY(copy(copies, in, sizeof(key)));
    if (!std::is_empty_v<Value> && values_in != values_out)
      HINDSIGHT_TRY(copy(values_out, values_in, sizeof(Value)));
    HINDSIGHT_TRY(sort(sort_temp, bytes, copies, copies, values_out));
    return copy(out, copies, sizeof(key));
  }
}

/// composite_sort() of small items without values, which move with the numbers.
template <class Key, class Direction, class Item, class KeyOf>
cudaError_t sort_with_numbers(void* temp, std::size_t& temp_bytes, const Item* in, Item* out,
                              std::size_t n, KeyOf key_of, int begin_bit, int end_bit,
                              cudaStream_t stream) {
  using word = typename key_words<Key>::word;
  using moved = item_bytes<Item>;
  carver space{temp};
  word* const numbers = space.take<word>(n);
  moved* const to = reinterpret_cast<moved*>(out);
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    return cuda::radix_sort<ascending>(buffer, bytes, static_cast<const word*>(numbers), numbers,
                                       static_cast<const moved*>(to), to, n, begin_bit, end_bit,
                                       stream);
  }};
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  using make = make_words<Key, Direction, Item, all_indices<std::size_t>, KeyOf>;
  Item* const copies = in != out ? out : nullptr;  // numbers are sorted in place, so items are, too
  HINDSIGHT_TRY(cuda::for_each_index(n, make{in, {}, numbers, key_of, 0, copies}, stream));
  return sort();
}

/// composite_sort() that moves items and values once. An Index can count n items. The words of a
/// key are sorted by one after the other, the least significant one first.
template <class Key, class Index, class Direction, class Item, class Value, class KeyOf>
cudaError_t sort_by_numbers(void* temp, std::size_t& temp_bytes, const Item* in, Item* out,
                            const Value* values_in, Value* values_out, std::size_t n, KeyOf key_of,
                            int begin_bit, int end_bit, cudaStream_t stream) {
  using words = key_words<Key>;
  using word = typename words::word;
  constexpr int word_bits = int(sizeof(word)) * 8;
  constexpr bool has_values = !std::is_empty_v<Value>;
  carver space{temp};
  word* const numbers = space.take<word>(n);
  Index* const order = space.take<Index>(n);
  const gathered_items<const Item*, Item*> items{space, in, out, n};
  const gathered_items<const Value*, Value*> values{space, values_in, values_out,
                                                    has_values ? n : 0};
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes, int begin, int end) {
    return cuda::radix_sort<ascending>(buffer, bytes, static_cast<const word*>(numbers), numbers,
                                       static_cast<const Index*>(order), order, n, begin, end,
                                       stream);
  }};
  HINDSIGHT_TRY(sort.take_memory(space, 0, word_bits));  // fewer bits need no more
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(cuda::for_each_index(n, number_items<Index>{order}, stream));
  for (int w = words::count - 1; w >= 0; --w) {
    const int first_bit = word_bits * (words::count - 1 - w);
    const int begin = begin_bit > first_bit ? begin_bit - first_bit : 0;
    const int end = end_bit - first_bit < word_bits ? end_bit - first_bit : word_bits;
    if (begin >= end) continue;
    using make = make_words<Key, Direction, Item, const Index*, KeyOf>;
    HINDSIGHT_TRY(cuda::for_each_index(n, make{in, order, numbers, key_of, w}, stream, true));
    HINDSIGHT_TRY(sort(begin, end));
  }
  HINDSIGHT_TRY(items.gather(order, stream));
  if constexpr (has_values) return values.gather(order, stream);
  return cudaSuccess;
}

/// out = in, stably sorted by bits [begin_bit, end_bit) of Keys, which are key_of(item), in CUB's
/// two phases. Bit 0 is the lowest of a Key's last member. in [n] may be out, values_in then
/// values_out; they may overlap in no other way. Values are no_value and null for items alone.
/// Equal keys with different bits, as of -0.0 and 0.0, stay in their input order.
///   Memory  [n] items twice, and values, where items move as they are; else [n] words of a key
///           twice, and [n] items if they are small and alone, else two indices each and, in place,
///           [n] items and values
template <class Key, class Direction, class Item, class Value, class KeyOf>
cudaError_t composite_sort(void* temp, std::size_t& temp_bytes, const Item* in, Item* out,
                           const Value* values_in, Value* values_out, std::size_t n, KeyOf key_of,
                           int begin_bit, int end_bit, cudaStream_t stream) {
  using words = key_words<Key>;
  if (n == 0 || begin_bit == end_bit) {  // no bits: all keys are equivalent
    if (temp == nullptr) return temp_bytes = 1, cudaSuccess;
    if (n == 0) return cudaSuccess;
    if (in != out) HINDSIGHT_TRY(cuda::copy_items(in, out, n, stream));
    if (std::is_empty_v<Value> || values_in == values_out) return cudaSuccess;
    return cuda::copy_items(values_in, values_out, n, stream);
  }
  constexpr int all_bits = int(sizeof(typename words::word)) * 8 * words::count;
  constexpr int unused_bits = all_bits - int(words::bytes) * 8;
  if (begin_bit > 0) begin_bit += unused_bits;  // else the zeros behind a key are sorted, too
  end_bit += unused_bits;
  if constexpr (cuda::moves_items<Key, Item, Value, KeyOf>()) {
    return cuda::sort_items<Direction, Item, Value, KeyOf>(
        temp, temp_bytes, in, out, values_in, values_out, n, begin_bit, end_bit, stream);
  } else if constexpr (std::is_empty_v<Value> && words::count == 1 &&
                       sizeof(Item) <= most_moved_item_bytes) {
    return cuda::sort_with_numbers<Key, Direction>(temp, temp_bytes, in, out, n, key_of, begin_bit,
                                                   end_bit, stream);
  } else {
    return n <= 0xffffffffu ? cuda::sort_by_numbers<Key, std::uint32_t, Direction>(
                                  temp, temp_bytes, in, out, values_in, values_out, n, key_of,
                                  begin_bit, end_bit, stream)
                            : cuda::sort_by_numbers<Key, std::uint64_t, Direction>(
                                  temp, temp_bytes, in, out, values_in, values_out, n, key_of,
                                  begin_bit, end_bit, stream);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
