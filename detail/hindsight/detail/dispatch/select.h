// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/host/select.h>

#include <thrust/copy.h>
#include <thrust/remove.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/select.cuh>
#endif

namespace hindsight::detail::dispatch {

#if HINDSIGHT_CUDA

/// Copies what `pred` accepts of the stencil; `stencil` may be input_is_stencil, `out` may be
/// first.
template <class D, class InputIt, class StencilIt, class OutputIt, class Pred>
OutputIt run_select(const execution_policy<D, hindsight::cuda::system>& policy, const char* name,
                    InputIt first, InputIt last, StencilIt stencil, OutputIt out, Pred pred) {
  const std::size_t n = detail::length(first, last, name);
  if (n == 0) return out;
  const std::size_t count = run_for<std::size_t>(
      policy, name, [&](void* temp, std::size_t& bytes, std::size_t* result, auto stream) {
        return detail::select(temp, bytes, first, stencil, out, discard_rejected{}, result, n, pred,
                              stream);
      });
  return detail::advanced(out, count);
}

template <class D, class InputIt, class OutputIt, class Pred>
OutputIt copy_if(hindsight::cuda::system,
                 const execution_policy<D, hindsight::cuda::system>& policy, InputIt first,
                 InputIt last, OutputIt out, Pred pred) {
  if constexpr (are_random_access<InputIt, OutputIt> && are_copyable<item_t<InputIt>>) {
    return run_select(policy, "hindsight::copy_if", first, last, input_is_stencil{}, out, pred);
  } else {
    using thrust::system::detail::generic::copy_if;
    return copy_if(as_stock(policy), first, last, out, pred);
  }
}

template <class D, class InputIt, class StencilIt, class OutputIt, class Pred>
OutputIt copy_if(hindsight::cuda::system,
                 const execution_policy<D, hindsight::cuda::system>& policy, InputIt first,
                 InputIt last, StencilIt stencil, OutputIt out, Pred pred) {
  if constexpr (are_random_access<InputIt, StencilIt, OutputIt> &&
                are_copyable<item_t<InputIt>, item_t<StencilIt>>) {
    return run_select(policy, "hindsight::copy_if", first, last, stencil, out, pred);
  } else {
    using thrust::system::detail::generic::copy_if;
    return copy_if(as_stock(policy), first, last, stencil, out, pred);
  }
}

template <class D, class It, class Pred>
It remove_if(hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
             It first, It last, Pred pred) {
  if constexpr (are_random_access<It> && are_copyable<item_t<It>>) {
    return run_select(policy, "hindsight::remove_if", first, last, input_is_stencil{}, first,
                      function::negated<Pred>{pred});
  } else {
    using thrust::system::detail::generic::remove_if;
    return remove_if(as_stock(policy), first, last, pred);
  }
}

template <class D, class It, class StencilIt, class Pred>
It remove_if(hindsight::cuda::system, const execution_policy<D, hindsight::cuda::system>& policy,
             It first, It last, StencilIt stencil, Pred pred) {
  if constexpr (are_random_access<It, StencilIt> && are_copyable<item_t<It>, item_t<StencilIt>>) {
    return run_select(policy, "hindsight::remove_if", first, last, stencil, first,
                      function::negated<Pred>{pred});
  } else {
    using thrust::system::detail::generic::remove_if;
    return remove_if(as_stock(policy), first, last, stencil, pred);
  }
}

#endif  // HINDSIGHT_CUDA

template <class D, class InputIt, class StencilIt, class OutputIt, class Pred>
OutputIt copy_if(hindsight::host::system,
                 const execution_policy<D, hindsight::host::system>& policy, InputIt first,
                 InputIt last, StencilIt stencil, OutputIt out, Pred pred) {
  if constexpr (are_random_access<InputIt, StencilIt, OutputIt>) {
    const std::size_t n = dispatch::host_length("hindsight::copy_if", first, last, stencil, out);
    auto memory = dispatch::memory_of(policy);
    return detail::advanced(out, host::copy_if(first, stencil, out, n, pred, memory));
  } else {
    using thrust::system::detail::generic::copy_if;
    return copy_if(as_stock(policy), first, last, stencil, out, pred);
  }
}

template <class D, class InputIt, class OutputIt, class Pred>
OutputIt copy_if(hindsight::host::system,
                 const execution_policy<D, hindsight::host::system>& policy, InputIt first,
                 InputIt last, OutputIt out, Pred pred) {
  if constexpr (are_random_access<InputIt, OutputIt>) {
    const std::size_t n = dispatch::host_length("hindsight::copy_if", first, last, out);
    auto memory = dispatch::memory_of(policy);
    return detail::advanced(out, host::copy_if(first, first, out, n, pred, memory));
  } else {
    using thrust::system::detail::generic::copy_if;
    return copy_if(as_stock(policy), first, last, out, pred);
  }
}

template <class D, class It, class StencilIt, class Pred>
It remove_if(hindsight::host::system, const execution_policy<D, hindsight::host::system>& policy,
             It first, It last, StencilIt stencil, Pred pred) {
  if constexpr (are_random_access<It, StencilIt> && host::is_cheap<item_t<It>>) {
    const std::size_t n = dispatch::host_length("hindsight::remove_if", first, last, stencil);
    auto memory = dispatch::memory_of(policy);
    const function::negated<Pred> kept{pred};
    return detail::advanced(first, host::copy_if(first, stencil, first, n, kept, memory));
  } else {
    using thrust::system::detail::generic::remove_if;
    return remove_if(as_stock(policy), first, last, stencil, pred);
  }
}

template <class D, class It, class Pred>
It remove_if(hindsight::host::system, const execution_policy<D, hindsight::host::system>& policy,
             It first, It last, Pred pred) {
  if constexpr (are_random_access<It> && host::is_cheap<item_t<It>>) {
    const std::size_t n = dispatch::host_length("hindsight::remove_if", first, last);
    auto memory = dispatch::memory_of(policy);
    const function::negated<Pred> kept{pred};
    return detail::advanced(first, host::copy_if(first, first, first, n, kept, memory));
  } else {
    using thrust::system::detail::generic::remove_if;
    return remove_if(as_stock(policy), first, last, pred);
  }
}

}  // namespace hindsight::detail::dispatch
