// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partition: ours or stock. A stencil, where a call has one, comes last here.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/require.h>
#include <hindsight/detail/host/partition.h>

#include <thrust/partition.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/select.cuh>
#else
namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {
struct in_input_order;  // orders of the rejected items; on host threads both mean input order
struct from_the_end;
}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

template <class TrueIt, class FalseIt>
::cuda::std::pair<TrueIt, FalseIt> ends_of_partition(TrueIt out_true, FalseIt out_false,
                                                     std::size_t n, std::size_t num_true) {
  return {detail::advanced(out_true, num_true), detail::advanced(out_false, n - num_true)};
}

#if HINDSIGHT_CUDA
template <class Order, class D, class It, class Pred, class... StencilIt>
It run_partition(const cuda_policy<D>& policy, const char* name, It first, It last, Pred pred,
                 StencilIt... stencil) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return first;
  const std::size_t count = run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return cuda::partition_in_place<Order>(
            temp, bytes, first, detail::value_or(cuda::input_is_stencil{}, stencil...), result, n,
            as_twin(pred), stream);
      });
  return detail::advanced(first, count);
}

template <class D, class InputIt, class TrueIt, class FalseIt, class Pred, class... StencilIt>
::cuda::std::pair<TrueIt, FalseIt> run_partition_copy(const cuda_policy<D>& policy,
                                                      const char* name, InputIt first, InputIt last,
                                                      TrueIt out_true, FalseIt out_false, Pred pred,
                                                      StencilIt... stencil) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return {out_true, out_false};
  const cuda::keep_rejected<cuda::unwrapped<FalseIt>> keep{cuda::unwrap(out_false)};
  const std::size_t count = run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return cuda::select(temp, bytes, first,
                            detail::value_or(cuda::input_is_stencil{}, stencil...), out_true, keep,
                            result, n, as_twin(pred), stream);
      });
  return dispatch::ends_of_partition(out_true, out_false, n, count);
}
#endif

/// `pred` of the items of a range that is partitioned in place. It gets items of its own and no
/// tuples that refer to them, as from stock's stable partition: so it cannot change the range.
template <class It, class Pred>
auto for_own_items_of(const It& it, Pred pred) {
  using item = item_t<It>;
  using reference = decltype(host::plain(it)[0]);
  if constexpr (!std::is_lvalue_reference_v<reference> && std::is_copy_constructible_v<item> &&
                std::is_constructible_v<item, reference> && std::is_invocable_v<Pred&, item&>) {
    return function::on_own_item<item, Pred>{pred};
  } else {
    return host::for_items_of(it, pred);
  }
}

/// Both parts keep the input's order. (Thrust does not require that of partition().)
template <class Order, class D, class It, class Pred, class... StencilIt>
It run_partition(const host_policy<D>& policy, const char* name, It first, It last, Pred pred,
                 StencilIt... stencil) {
  const std::size_t n = dispatch::host_length(name, first, last, stencil...);
  auto memory = dispatch::memory_of(policy);
  if constexpr (sizeof...(StencilIt) == 0) {
    return detail::advanced(
        first,
        host::stable_partition(first, first, n, dispatch::for_own_items_of(first, pred), memory));
  } else {
    const auto is_first = host::for_items_of(stencil..., pred);
    return detail::advanced(first, host::stable_partition(first, stencil..., n, is_first, memory));
  }
}

/// On host threads; returns how many go to out_true.
template <class D, class InputIt, class TrueIt, class FalseIt, class Pred, class... StencilIt>
std::size_t run_counted_partition_copy(const host_policy<D>& policy, const char* name,
                                       InputIt first, InputIt last, TrueIt out_true,
                                       FalseIt out_false, Pred pred, StencilIt... stencil) {
  const std::size_t n = dispatch::host_length(name, first, last, stencil...);
  auto memory = dispatch::memory_of(policy);
  const auto marks = detail::value_or(first, stencil...);
  const auto copy = [&](auto is_true) {
    return host::partition_copy(first, marks, out_true, out_false, n, is_true, memory);
  };
  auto own_pred = host::for_items_of(marks, pred);
  const auto is_true = [&](std::size_t i) { return bool(own_pred(host::plain(marks)[i])); };
  if (dispatch::is_null_output(out_true)) {
    dispatch::refuse_null_output(name, n, out_true, is_true);
    if (n > 0) dispatch::refuse_null(name, n, out_false);
    return copy(function::always<false>{});
  }
  if (dispatch::is_null_output(out_false)) {
    dispatch::refuse_null_output(name, n, out_false, [&](std::size_t i) { return !is_true(i); });
    return copy(function::always<true>{});
  }
  return copy(own_pred);
}

template <class D, class InputIt, class TrueIt, class FalseIt, class Pred, class... StencilIt>
::cuda::std::pair<TrueIt, FalseIt> run_partition_copy(const host_policy<D>& policy,
                                                      const char* name, InputIt first, InputIt last,
                                                      TrueIt out_true, FalseIt out_false, Pred pred,
                                                      StencilIt... stencil) {
  const std::size_t count = dispatch::run_counted_partition_copy(
      policy, name, first, last, out_true, out_false, pred, stencil...);
  return dispatch::ends_of_partition(out_true, out_false, detail::length(first, last, name), count);
}

template <class D, class S, class It, class Pred, class... StencilIt>
It stable_partition(const execution_policy<D, S>& policy, const char* name, It first, It last,
                    Pred pred, StencilIt... stencil) {
  if constexpr (!require_writable<It>() || !require_call_operators<Pred>()) {
    return first;
  } else if constexpr (are_random_access<It, StencilIt...> &&
                       copies<S, item_t<It>, item_t<StencilIt>...>) {
    return dispatch::run_partition<cuda::in_input_order>(policy, name, first, last, pred,
                                                         stencil...);
  } else {
    using thrust::system::detail::generic::stable_partition;
    return stable_partition(as_stock(policy), first, last, stencil..., pred);
  }
}

/// On host threads in order, where items can be copied: where iterators go to stock, its stable
/// partition copies them.
template <class D, class S, class It, class Pred, class... StencilIt>
It partition(const execution_policy<D, S>& policy, It first, It last, Pred pred,
             StencilIt... stencil) {
  if constexpr (!require_writable<It>() || !require_call_operators<Pred>()) {
    return first;
  } else if constexpr (is_host<S> && std::is_copy_constructible_v<item_t<It>>) {
    return dispatch::stable_partition(policy, "hindsight::partition", first, last, pred,
                                      stencil...);
  } else if constexpr (are_random_access<It, StencilIt...> &&
                       copies<S, item_t<It>, item_t<StencilIt>...>) {
    return dispatch::run_partition<cuda::from_the_end>(policy, "hindsight::partition", first, last,
                                                       pred, stencil...);
  } else {
    using thrust::system::detail::generic::partition;
    return partition(as_stock(policy), first, last, stencil..., pred);
  }
}

template <class D, class S, class InputIt, class TrueIt, class FalseIt, class Pred,
          class... StencilIt>
::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(const execution_policy<D, S>& policy,
                                                         const char* name, InputIt first,
                                                         InputIt last, TrueIt out_true,
                                                         FalseIt out_false, Pred pred,
                                                         StencilIt... stencil) {
  if constexpr (!require_call_operators<Pred>()) {
    return {out_true, out_false};
  } else if constexpr (are_random_access<InputIt, TrueIt, FalseIt, StencilIt...> &&
                       copies<S, item_t<InputIt>, item_t<StencilIt>...>) {
    return dispatch::run_partition_copy(policy, name, first, last, out_true, out_false, pred,
                                        stencil...);
  } else {
    using thrust::system::detail::generic::stable_partition_copy;
    return stable_partition_copy(as_stock(policy), first, last, stencil..., out_true, out_false,
                                 pred);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
