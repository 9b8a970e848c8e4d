// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts: ours or stock.
#pragma once

#include <hindsight/detail/composite_key.h>
#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/require.h>
#include <hindsight/detail/host/comparison_sort.h>
#include <hindsight/detail/host/sort.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/radix_sortable.h>

#include <thrust/copy.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/comparison_sort.cuh>
#  include <hindsight/detail/cuda/composite_sort.cuh>
#  include <hindsight/detail/cuda/radix_sort.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// Numbers, pairs, tuples and arrays of numbers by less or greater; on hosts of up to 16 bytes.
template <class S, class Key, class Compare>
inline constexpr bool goes_by_radix =
    is_host<S> ? host::sorts_by_digits<Key, Compare>
               : is_radix_sortable<Key, Compare> || is_composite_sortable<Key, Compare>;

#if HINDSIGHT_CUDA
/// Calls work(pointer) on the items themselves, or on a copy of them that is then copied back. Does
/// not wait.
template <class D, class It, class Work>
void with_pointer(const cuda_policy<D>& policy, const char* name, It first, It last, Work work) {
  if constexpr (thrust::is_contiguous_iterator_v<It>) {
    work(cuda::unwrap(first));
  } else {
    const hindsight::cuda::on_stream_nosync in_order{stream_of(policy)};
    require_usable_stream(stream_of(policy), name);
    temporary<item_t<It>, D> copy(policy, static_cast<std::size_t>(last - first), name);
    item_t<It>* const begin = copy.data();
    item_t<It>* const end = thrust::copy(in_order, first, last, begin);
    work(begin);
    thrust::copy(in_order, begin, end, first);
  }
}

/// Sorts in place, by all bits of the keys. Does not wait.
template <class Compare, class D, class Key, class Value, class Size>
void enqueue_radix_sort(const cuda_policy<D>& policy, const char* name, Key* keys, Value* values,
                        Size n) {
  enqueue(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
    return cuda::radix_sort<direction_of<Key, Compare>>(temp, bytes, static_cast<const Key*>(keys),
                                                        keys, static_cast<const Value*>(values),
                                                        values, n, 0, int(8 * sizeof(Key)), stream);
  });
}

/// Sorts items in place by keys of numbers that a function makes of them. Values, if there are any,
/// move with the items. Does not wait.
template <class Key, class Compare, class D, class Item, class Value, class KeyOf>
void enqueue_composite_sort(const cuda_policy<D>& policy, const char* name, Item* items,
                            Value* values, std::size_t n, KeyOf key_of) {
  constexpr int end_bit = int(key_words<Key>::bytes) * 8;
  enqueue(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
    return cuda::composite_sort<Key, direction_of<Key, Compare>>(
        temp, bytes, static_cast<const Item*>(items), items, static_cast<const Value*>(values),
        values, n, key_of, 0, end_bit, stream);
  });
}

/// Whether keys cannot be made again from the numbers in their order. Keys that hold floats cannot.
template <class Key>
inline constexpr bool keeps_its_items = is_composite_key<Key> && !is_exact_composite_key<Key>;

/// Calls work(keys, compare) on numbers in the order of the keys. These are the keys themselves, or
/// one number for each key, from which the sorted keys are then made. Does not wait.
template <class D, class It, class Compare, class Work>
void with_numbers(const cuda_policy<D>& policy, const char* name, It first, It last,
                  Compare compare, Work work) {
  using Key = item_t<It>;
  if constexpr (is_exact_composite_key<Key>) {
    const hindsight::cuda::on_stream_nosync in_order{stream_of(policy)};
    require_usable_stream(stream_of(policy), name);
    temporary<composite_bits_t<Key>, D> numbers(policy, std::size_t(last - first), name);
    composite_bits_t<Key>* const begin = numbers.data();
    const auto end = thrust::transform(in_order, first, last, begin, to_composite_bits<Key>{});
    if constexpr (is_radix_less<Key, Compare>) {
      work(begin, ::cuda::std::less<>{});
    } else {
      work(begin, ::cuda::std::greater<>{});
    }
    thrust::transform(in_order, begin, end, first, from_composite_bits<Key>{});
  } else {
    with_pointer(policy, name, first, last, [&](Key* keys) { work(keys, compare); });
  }
}

template <class D, class It, class Compare>
void run_sort(const cuda_policy<D>& policy, const char* name, It first, It last, Compare compare) {
  const std::size_t n = detail::length(first, last, name);
  if (n < 2) return;
  no_value* const none = nullptr;
  if constexpr (keeps_its_items<item_t<It>>) {
    with_pointer(policy, name, first, last, [&](item_t<It>* keys) {
      enqueue_composite_sort<item_t<It>, Compare>(policy, name, keys, none, n, cuda::item_itself{});
    });
  } else {
    with_numbers(policy, name, first, last, compare, [&](auto* keys, auto order) {
      enqueue_radix_sort<decltype(order)>(policy, name, keys, none, n);
    });
  }
  wait_as_asked(policy, name);
}

template <class D, class KeyIt, class ValueIt, class Compare>
void run_sort_by_key(const cuda_policy<D>& policy, const char* name, KeyIt keys_first,
                     KeyIt keys_last, ValueIt values_first, Compare compare) {
  const std::size_t n = detail::length(keys_first, keys_last, name);
  if (n < 2) return;
  const ValueIt values_last = detail::advanced(values_first, n);
  with_pointer(policy, name, values_first, values_last, [&](item_t<ValueIt>* values) {
    if constexpr (keeps_its_items<item_t<KeyIt>>) {
      with_pointer(policy, name, keys_first, keys_last, [&](item_t<KeyIt>* keys) {
        enqueue_composite_sort<item_t<KeyIt>, Compare>(policy, name, keys, values, n,
                                                       cuda::item_itself{});
      });
    } else {
      with_numbers(policy, name, keys_first, keys_last, compare, [&](auto* keys, auto order) {
        enqueue_radix_sort<decltype(order)>(policy, name, keys, values, n);
      });
    }
  });
  wait_as_asked(policy, name);
}

/// Sorts keys alone, if `values` is a null pointer to no_value.
template <class D, class KeyIt, class ValueIt, class Compare>
void run_comparison_sort(const cuda_policy<D>& policy, const char* name, KeyIt first, KeyIt last,
                         ValueIt values, Compare compare) {
  const std::size_t n = detail::length(first, last, name);
  if (n < 2) return;
  run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
    return cuda::comparison_sort(temp, bytes, first, first, values, values, n,
                                 as_twin(detail::as_order<item_t<KeyIt>>(compare)), stream);
  });
}
#endif

template <class D, class It, class Compare>
void run_sort(const host_policy<D>& policy, const char* name, It first, It last, Compare compare) {
  const std::size_t n = dispatch::host_length(name, first, last);
  auto memory = dispatch::memory_of(policy);
  host::sort(first, n, compare, memory);
}

template <class D, class KeyIt, class ValueIt, class Compare>
void run_sort_by_key(const host_policy<D>& policy, const char* name, KeyIt keys_first,
                     KeyIt keys_last, ValueIt values_first, Compare compare) {
  const std::size_t n = dispatch::host_length(name, keys_first, keys_last, values_first);
  auto memory = dispatch::memory_of(policy);
  host::sort_by_key(keys_first, values_first, n, compare, memory);
}

/// Sorts keys alone, if `values` is a null pointer to no_value.
template <class D, class KeyIt, class ValueIt, class Compare>
void run_comparison_sort(const host_policy<D>& policy, const char* name, KeyIt first, KeyIt last,
                         ValueIt values, Compare compare) {
  auto memory = dispatch::memory_of(policy);
  const auto order = host::as_order<item_t<KeyIt>>(compare);
  if constexpr (std::is_same_v<ValueIt, no_value*>) {
    const std::size_t n = dispatch::host_length(name, first, last);
    host::comparison_sort(first, n, order, memory);
  } else {
    const std::size_t n = dispatch::host_length(name, first, last, values);
    host::comparison_sort_by_key(first, values, n, order, memory);
  }
}

template <class D, class S, class It, class Compare>
void sort(const execution_policy<D, S>& policy, const char* name, It first, It last,
          Compare compare) {
  if constexpr (!require_random_access_of_stock<It>() || !require_writable<It>() ||
                !require_order<S, Compare, item_t<It>>()) {
  } else if constexpr (are_random_access<It> && goes_by_radix<S, item_t<It>, Compare>) {
    dispatch::run_sort(policy, name, first, last, compare);
  } else if constexpr (are_random_access<It> && moves<S, item_t<It>>) {
    dispatch::run_comparison_sort(policy, name, first, last, static_cast<no_value*>(nullptr),
                                  compare);
  } else {
    using thrust::system::detail::generic::stable_sort;
    stable_sort(as_stock(policy), first, last, compare);
  }
}

template <class D, class S, class KeyIt, class ValueIt, class Compare>
void sort_by_key(const execution_policy<D, S>& policy, const char* name, KeyIt keys_first,
                 KeyIt keys_last, ValueIt values_first, Compare compare) {
  if constexpr (!require_writable<KeyIt>() || !require_writable<ValueIt>() ||
                !require_order<S, Compare, item_t<KeyIt>>()) {
  } else if constexpr (are_random_access<KeyIt, ValueIt> &&
                       goes_by_radix<S, item_t<KeyIt>, Compare> && copies<S, item_t<ValueIt>>) {
    dispatch::run_sort_by_key(policy, name, keys_first, keys_last, values_first, compare);
  } else if constexpr (are_random_access<KeyIt, ValueIt> &&
                       moves<S, item_t<KeyIt>, item_t<ValueIt>>) {
    dispatch::run_comparison_sort(policy, name, keys_first, keys_last, values_first, compare);
  } else {
    using thrust::system::detail::generic::stable_sort_by_key;
    stable_sort_by_key(as_stock(policy), keys_first, keys_last, values_first, compare);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
