// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of items by keys that a function makes of them.
#pragma once

#include <hindsight/detail/dispatch/sort.h>
#include <hindsight/detail/dispatch/temporary.h>

#include <cuda/std/functional>
#include <thrust/detail/raw_reference_cast.h>

#include <type_traits>

namespace hindsight::detail {
namespace function {

/// What `key_of`, a function or a pointer to a member, makes of an item.
template <class KeyOf>
struct key_of_item {
  mutable KeyOf key_of;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Item>
  HINDSIGHT_HD decltype(auto) operator()(Item& item) const {
    if constexpr (std::is_same_v<typename thrust::detail::raw_reference<Item>::type, Item&>) {
      return ::cuda::std::invoke(key_of, item);  // its type may have an operator & of its own
    } else {
      return ::cuda::std::invoke(key_of, thrust::raw_reference_cast(item));  // device_vector's
    }
  }
};

template <class KeyOf, class Compare>
struct compare_by {
  key_of_item<KeyOf> key_of;
  mutable Compare compare;
  _CCCL_EXEC_CHECK_DISABLE
  template <class A, class B>
  HINDSIGHT_HD bool operator()(A&& a, B&& b) const {
    return bool(compare(key_of(a), key_of(b)));
  }
};

}  // namespace function

/// The twin of `key_of`. A pointer to a member has none.
template <class KeyOf>
twin_t<KeyOf> as_key_of(KeyOf key_of) {
  if constexpr (std::is_member_pointer_v<KeyOf>) {
    return key_of;
  } else {
    return detail::as_twin(key_of);
  }
}

template <class KeyOf, class Item>
using key_made_of = without_cvref<::cuda::std::invoke_result_t<KeyOf&, Item&>>;

namespace dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
template <class Key, class D, class It, class KeyOf, class Compare>
void run_sort_by(const cuda_policy<D>& policy, const char* name, It first, It last, KeyOf key_of,
                 Compare) {
  const std::size_t n = detail::length(first, last, name);
  if (n < 2) return;
  with_pointer(policy, name, first, last, [&](item_t<It>* items) {
    enqueue_composite_sort<Key, Compare>(policy, name, items, static_cast<no_value*>(nullptr), n,
                                         function::key_of_item<KeyOf>{key_of});
  });
  wait_as_asked(policy, name);
}
#endif

template <class Key, class D, class It, class KeyOf, class Compare>
void run_sort_by(const host_policy<D>& policy, const char* name, It first, It last, KeyOf key_of,
                 Compare compare) {
  const std::size_t n = dispatch::host_length(name, first, last);
  if (n < 2) return;
  const function::key_of_item<KeyOf> key{key_of};
  dispatch::with_temporary<Key>(policy, n, name, [&](Key* keys) {
    for (std::size_t i = 0; i < n; ++i) {
      auto&& item = first[static_cast<distance_t<It>>(i)];
      keys[i] = key(item);
    }
    auto memory = dispatch::memory_of(policy);
    host::sort_by_key(keys, first, n, compare, memory);
  });
}

/// Whether keys are made once, and sorted by radix.
template <class S, class It, class Key, class Compare>
inline constexpr bool sorts_made_keys =
    are_random_access<It>&& moves<S, item_t<It>>&& goes_by_radix<S, Key, Compare>;

/// The comparator for a sort by comparisons: it orders NaNs in keys of several numbers, too.
template <class S, class Key, class Compare>
auto order_of_keys(Compare compare) {
  if constexpr (is_host<S>) {
    return host::as_order<Key>(compare);
  } else {
    return detail::as_order<Key>(compare);
  }
}

template <class D, class S, class It, class KeyOf, class Compare>
void sort_by(const execution_policy<D, S>& policy, It first, It last, KeyOf key_of,
             Compare compare) {
  using Key = key_made_of<KeyOf, item_t<It>>;
  if constexpr (sorts_made_keys<S, It, Key, Compare>) {
    dispatch::run_sort_by<Key>(policy, "hindsight::sort_by", first, last, key_of, compare);
  } else {
    const auto order = order_of_keys<S, Key>(compare);
    using order_t = std::remove_const_t<decltype(order)>;
    dispatch::sort(policy, "hindsight::sort_by", first, last,
                   function::compare_by<KeyOf, order_t>{{key_of}, order});
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace dispatch
}  // namespace hindsight::detail
