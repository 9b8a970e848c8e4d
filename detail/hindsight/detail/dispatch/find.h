// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first item with a property: ours or stock.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/find.h>

#include <cuda/std/functional>
#include <thrust/find.h>
#include <thrust/logical.h>

#include <cstddef>
#include <type_traits>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/find.cuh>
#endif

namespace hindsight::detail {

namespace function {

/// A predicate that only takes items which it may change, for code that calls it with what stands
/// for an item.
template <class Item, class Pred>
struct on_own_item {
  mutable Pred pred;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Reference>
  HINDSIGHT_HD bool operator()(Reference&& reference) const {
    Item item(reference);
    return bool(pred(item));
  }
};

}  // namespace function

namespace dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
template <class D, class It, class Pred>
std::size_t run_find(const cuda_policy<D>& policy, const char* name, It first, It last, Pred pred) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return 0;
  return run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return cuda::find(temp, bytes, first, n, as_twin(pred), result, stream);
      });
}
#endif

template <class D, class It, class Pred>
std::size_t run_find(const host_policy<D>& policy, const char* name, It first, It last, Pred pred) {
  const std::size_t n = dispatch::host_length(name, first, last);
  [[maybe_unused]] const auto team = dispatch::memory_of(policy);
  return host::find(first, n, host::for_items_of(first, pred));
}

/// A pointer to a member as a function object. Thrust takes such a pointer where it looks for an
/// item without the property, and nowhere else.
template <class Pred>
auto as_function(Pred pred) {
  if constexpr (std::is_member_pointer_v<Pred>) {
    return ::cuda::std::mem_fn(pred);
  } else {
    return pred;
  }
}

/// Whether `pred` does not hold, for predicates of any of these forms.
template <class Pred>
auto rejected_by(Pred pred) {
  return function::negated<decltype(dispatch::as_function(pred))>{dispatch::as_function(pred)};
}

/// A predicate for Thrust's sequential code. Our kernels call it with an item of their own.
_CCCL_EXEC_CHECK_DISABLE
template <class It, class Pred>
HINDSIGHT_HD auto in_sequence(Pred pred) {
  using reference = typename ::cuda::std::iterator_traits<It>::reference;
  if constexpr (std::is_invocable_v<Pred&, reference>) {
    return pred;
  } else {
    return function::on_own_item<item_t<It>, Pred>{pred};
  }
}

/// Thrust's find, find_if_not, all_of and the like come here too, each under its own name.
template <class D, class S, class It, class Pred>
It find_if(const execution_policy<D, S>& policy, const char* name, It first, It last, Pred pred) {
  if constexpr (!require_call_operators<Pred>()) {
    return last;
  } else if constexpr (are_random_access<It> && copies<S, item_t<It>>) {
    return detail::advanced(first, dispatch::run_find(policy, name, first, last, pred));
  } else {
    using thrust::system::detail::generic::find_if;
    return find_if(as_stock(policy), first, last, pred);
  }
}

template <class D, class S, class It, class Pred>
It find_if(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  return dispatch::find_if(policy, "hindsight::find_if", first, last, pred);
}
template <class D, class S, class It, class Pred>
It find_if_not(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  return dispatch::find_if(policy, "hindsight::find_if_not", first, last,
                           dispatch::rejected_by(pred));
}
template <class D, class S, class It, class Value>
It find(const execution_policy<D, S>& policy, It first, It last, const Value& value) {
  const equals_value<It, Value> equal{value};
  return dispatch::find_if(policy, "hindsight::find", first, last, equal);
}
template <class D, class S, class It, class Pred>
bool all_of(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  return dispatch::find_if(policy, "hindsight::all_of", first, last, dispatch::rejected_by(pred)) ==
         last;
}
template <class D, class S, class It, class Pred>
bool any_of(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  return dispatch::find_if(policy, "hindsight::any_of", first, last, pred) != last;
}
template <class D, class S, class It, class Pred>
bool none_of(const execution_policy<D, S>& policy, It first, It last, Pred pred) {
  return dispatch::find_if(policy, "hindsight::none_of", first, last, pred) == last;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace dispatch

}  // namespace hindsight::detail
