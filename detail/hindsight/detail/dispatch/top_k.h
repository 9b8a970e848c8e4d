// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first items of a sorted order. The others are not sorted where that is faster.
#pragma once

#include <hindsight/detail/dispatch/sort.h>
#include <hindsight/detail/host/top_k.h>
#include <hindsight/detail/std_basics.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/top_k.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
/// Whether a selection by radix takes these items.
template <class It, class Compare>
constexpr bool selects() {
  return cuda::is_selectable<item_t<It>>() && is_less_or_greater<item_t<It>, Compare>;
}

/// Sorts copies, and copies the first k of them. Values may be null pointers to no_value.
template <class D, class KeyIt, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare>
void top_k_of_sorted(const cuda_policy<D>& policy, const char* name, KeyIt keys, ValueIt values,
                     std::size_t n, std::size_t k, KeyOutputIt keys_out, ValueOutputIt values_out,
                     Compare compare) {
  using Key = item_t<KeyIt>;
  using Value = item_t<ValueIt>;
  const hindsight::cuda::on_stream_nosync in_order{stream_of(policy)};
  require_usable_stream(stream_of(policy), name);
  temporary<Key, D> copy(policy, n, name);
  thrust::copy(in_order, keys, detail::advanced(keys, n), copy.data());
  if constexpr (std::is_same_v<Value, no_value>) {
    dispatch::sort(policy, name, copy.data(), copy.data() + n, compare);
  } else {
    temporary<Value, D> value_copy(policy, n, name);
    thrust::copy(in_order, values, detail::advanced(values, n), value_copy.data());
    dispatch::sort_by_key(policy, name, copy.data(), copy.data() + n, value_copy.data(), compare);
    thrust::copy(in_order, value_copy.data(), value_copy.data() + k, values_out);
  }
  thrust::copy(in_order, copy.data(), copy.data() + k, keys_out);
  wait_as_asked(policy, name);
}

template <class D, class KeyIt, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare>
void run_top_k(const cuda_policy<D>& policy, const char* name, KeyIt keys, ValueIt values,
               std::size_t n, std::size_t k, KeyOutputIt keys_out, ValueOutputIt values_out,
               Compare compare) {
  if constexpr (selects<KeyIt, Compare>()) {
    if (cuda::are_sortable_arrays<KeyIt, ValueIt> ||
        (n >= fewest_selected && k <= n / selected_part)) {
      run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
        return cuda::top_k<direction_of<item_t<KeyIt>, Compare>>(temp, bytes, keys, keys_out,
                                                                 values, values_out, n, k, stream);
      });
      return;
    }
  }
  dispatch::top_k_of_sorted(policy, name, keys, values, n, k, keys_out, values_out, compare);
}

template <class D, class It, class Compare>
void run_nth_element(const cuda_policy<D>& policy, const char* name, It first, It nth, It last,
                     Compare compare) {
  const std::size_t n = detail::length(first, last, name);
  const std::size_t place = detail::length(first, nth, name);
  if (place >= n) return;
  if constexpr (selects<It, Compare>() && moves<hindsight::cuda::system, item_t<It>>) {
    if (n >= fewest_selected) {
      with_pointer(policy, name, first, last, [&](item_t<It>* items) {
        enqueue(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
          return cuda::nth_element<direction_of<item_t<It>, Compare>>(temp, bytes, items, n, place,
                                                                      stream);
        });
      });
      wait_as_asked(policy, name);
      return;
    }
  }
  dispatch::sort(policy, name, first, last, compare);
}
#endif

template <class D, class KeyIt, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare>
void run_top_k(const host_policy<D>& policy, const char* name, KeyIt keys, ValueIt values,
               std::size_t n, std::size_t k, KeyOutputIt keys_out, ValueOutputIt values_out,
               Compare compare) {
  dispatch::refuse_null(name, n, keys);
  dispatch::refuse_null(name, k, keys_out);
  if constexpr (!std::is_same_v<item_t<ValueIt>, no_value>) {
    dispatch::refuse_null(name, n, values);
    dispatch::refuse_null(name, k, values_out);
  }
  auto memory = dispatch::memory_of(policy);
  host::with_first(host::plain(keys), n, k, compare, memory, [&](const auto* places) {
    const host::cut writing =
        host::resources{memory}.template cut_for<KeyOutputIt, ValueOutputIt>();
    host::for_each_item<item_t<KeyIt>>(k, writing, [&](std::size_t i) {
      const auto from = static_cast<std::ptrdiff_t>(places[i]);
      const auto to = static_cast<std::ptrdiff_t>(i);
      keys_out[to] = keys[from];
      if constexpr (!std::is_same_v<item_t<ValueIt>, no_value>) values_out[to] = values[from];
    });
  });
}

template <class D, class It, class Compare>
void run_nth_element(const host_policy<D>& policy, const char* name, It first, It nth, It last,
                     Compare compare) {
  const std::size_t n = dispatch::host_length(name, first, last);
  if (dispatch::host_length(name, first, nth) < n)
    dispatch::sort(policy, name, first, last, compare);
}

/// Returns how many items were written. Values may be null pointers to no_value.
template <class D, class S, class KeyIt, class ValueIt, class KeyOutputIt, class ValueOutputIt,
          class Compare>
std::size_t top_k(const execution_policy<D, S>& policy, const char* name, KeyIt first, KeyIt last,
                  ValueIt values, std::size_t k, KeyOutputIt keys_out, ValueOutputIt values_out,
                  Compare compare) {
  if constexpr (!require_random_access<KeyIt>() || !require_random_access<ValueIt>() ||
                !require_random_access<KeyOutputIt>() || !require_random_access<ValueOutputIt>() ||
                !require_order<S, Compare, item_t<KeyIt>>()) {
    return 0;
  } else {
    static_assert(moves<S, item_t<KeyIt>, item_t<ValueIt>>,
                  "hindsight: items of top_k on a GPU are copied as bytes");
    const std::size_t n = detail::length(first, last, name);
    k = std::min(k, n);
    if (k > 0)
      dispatch::run_top_k(policy, name, first, values, n, k, keys_out, values_out, compare);
    return k;
  }
}

template <class D, class S, class It, class Compare>
void nth_element(const execution_policy<D, S>& policy, It first, It nth, It last, Compare compare) {
  if constexpr (require_random_access<It>() && require_writable<It>() &&
                require_order<S, Compare, item_t<It>>()) {
    const char* const name = "hindsight::nth_element";
    detail::length(nth, last, name);
    dispatch::run_nth_element(policy, name, first, nth, last, compare);
  }
}

template <class D, class S, class It, class Compare>
void partial_sort(const execution_policy<D, S>& policy, It first, It middle, It last,
                  Compare compare) {
  if constexpr (require_random_access<It>() && require_writable<It>() &&
                require_order<S, Compare, item_t<It>>()) {
    const char* const name = "hindsight::partial_sort";
    detail::length(middle, last, name);
    if (detail::length(first, middle, name) == 0) return;
#if HINDSIGHT_CUDA
    if constexpr (!is_host<S> && selects<It, Compare>()) {
      if (detail::length(first, last, name) >= fewest_selected) {
        dispatch::run_nth_element(policy, name, first, middle - 1, last, compare);
        return dispatch::sort(policy, name, first, middle, compare);
      }
    }
#endif
    dispatch::sort(policy, name, first, last, compare);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
