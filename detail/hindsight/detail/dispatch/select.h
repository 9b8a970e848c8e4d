// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection: ours or stock. A stencil, where a call has one, comes last here.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/require.h>
#include <hindsight/detail/host/select.h>

#include <thrust/copy.h>
#include <thrust/remove.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/select.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

#if HINDSIGHT_CUDA
/// Copies the items for which `pred` holds: of their marks in the stencil, if there is one, else of
/// the items themselves. `out` may be first.
template <class D, class InputIt, class OutputIt, class Pred, class... StencilIt>
OutputIt run_select(const cuda_policy<D>& policy, const char* name, InputIt first, InputIt last,
                    OutputIt out, Pred pred, StencilIt... stencil) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return out;
  const std::size_t count = run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return cuda::select(temp, bytes, first,
                            detail::value_or(cuda::input_is_stencil{}, stencil...), out,
                            cuda::discard_rejected{}, result, n, as_twin(pred), stream);
      });
  return detail::advanced(out, count);
}
#endif

/// On host threads; returns how many are copied. The difference of two outputs need not tell it.
template <class D, class InputIt, class OutputIt, class Pred, class... StencilIt>
std::size_t run_counted_select(const host_policy<D>& policy, const char* name, InputIt first,
                               InputIt last, OutputIt out, Pred pred, StencilIt... stencil) {
  const std::size_t n = dispatch::host_length(name, first, last, stencil...);
  auto memory = dispatch::memory_of(policy);
  const auto marks = detail::value_or(first, stencil...);
  auto is_kept = host::for_items_of(marks, pred);
  if (dispatch::is_null_output(out)) {
    dispatch::refuse_null_output(
        name, n, out, [&](std::size_t i) { return bool(is_kept(host::plain(marks)[i])); });
    return 0;
  }
  return host::copy_if(first, marks, out, n, is_kept, memory);
}

template <class D, class InputIt, class OutputIt, class Pred, class... StencilIt>
OutputIt run_select(const host_policy<D>& policy, const char* name, InputIt first, InputIt last,
                    OutputIt out, Pred pred, StencilIt... stencil) {
  return detail::advanced(
      out, dispatch::run_counted_select(policy, name, first, last, out, pred, stencil...));
}

template <class D, class S, class InputIt, class OutputIt, class Pred, class... StencilIt>
OutputIt copy_if(const execution_policy<D, S>& policy, const char* name, InputIt first,
                 InputIt last, OutputIt out, Pred pred, StencilIt... stencil) {
  using marks = decltype(detail::value_or(first, stencil...));
  if constexpr (!require_predicate<S, Pred, item_t<marks>, marks>()) {
    return out;
  } else if constexpr (are_random_access<InputIt, OutputIt, StencilIt...> &&
                       copies<S, item_t<InputIt>, item_t<StencilIt>...>) {
    return dispatch::run_select(policy, name, first, last, out, pred, stencil...);
  } else {
    using thrust::system::detail::generic::copy_if;
    return copy_if(as_stock(policy), first, last, stencil..., out, pred);
  }
}

/// Host threads leave items whose copies are not cheap to stock: ours copies them twice.
template <class D, class S, class It, class Pred, class... StencilIt>
It remove_if(const execution_policy<D, S>& policy, const char* name, It first, It last, Pred pred,
             StencilIt... stencil) {
  using marks = decltype(detail::value_or(first, stencil...));
  if constexpr (!require_writable<It>() || !require_predicate<S, Pred, item_t<marks>, marks>()) {
    return first;
  } else if constexpr (are_random_access<It, StencilIt...> &&
                       copies<S, item_t<It>, item_t<StencilIt>...> &&
                       (!is_host<S> || host::is_cheap<item_t<It>>)) {
    return dispatch::run_select(policy, name, first, last, first, function::negated<Pred>{pred},
                                stencil...);
  } else {
    using thrust::system::detail::generic::remove_if;
    return remove_if(as_stock(policy), first, last, stencil..., pred);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
