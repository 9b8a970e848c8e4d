// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls without a policy and calls with a range: how iterators, ranges and policies are told apart,
// and which policy a call gets.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/dispatch/range.h>
#include <hindsight/policy.h>

#include <thrust/detail/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace hindsight::detail {

template <class Arg>
inline constexpr bool may_be_output =
    is_iterator<std::decay_t<Arg>> || is_range<std::remove_reference_t<Arg>>;

/// Whether a range is one item of what an iterator refers to, as a string among strings: then it is
/// an initial value, and no output.
template <class It, class Arg, class = void>
inline constexpr bool is_one_item = false;
template <class It, class Arg>
inline constexpr bool
    is_one_item<It, Arg, std::enable_if_t<is_iterator<It> && is_range<std::decay_t<Arg>>>> =
        std::is_same_v<std::remove_cv_t<typename ::cuda::std::iterator_traits<It>::value_type>,
                       std::decay_t<Arg>>;

/// The data of a call without a policy: a range, or first and last; then what else is read or
/// written is given by iterators. (Two C arrays in a row are a range and an output.)
template <class Data, class... Args>
inline constexpr bool is_data = is_range<std::remove_reference_t<Data>>;
template <class First, class Last, class... Args>
inline constexpr bool is_data<First, Last, Args...> =
    is_range<std::remove_reference_t<First>> ||
    (is_iterator<std::decay_t<First>> && std::is_same_v<std::decay_t<First>, Last> &&
     ((may_be_output<Args> && !is_one_item<std::decay_t<First>, Args>)&&...));

/// Whether `Arg` is an iterator, or a range, of a system that derives from `System`.
template <class System, class Arg>
constexpr bool is_in_system() {
  if constexpr (is_range<Arg>) {
    return is_in_system<System, range_iterator_t<Arg>>();
  } else if constexpr (is_iterator<Arg>) {
    using system = typename thrust::iterator_system<Arg>::type;
    return !std::is_same_v<system, thrust::any_system_tag> &&
           std::is_convertible_v<std::add_pointer_t<system>, std::add_pointer_t<System>>;
  } else {
    return false;
  }
}

/// Iterators of host containers. Not raw pointers, which may point to anything.
template <class Arg>
inline constexpr bool is_host_container =
    !std::is_pointer_v<Arg> && is_in_system<thrust::host_system_tag, Arg>();

/// The policy of a call that names none: its iterators choose it, as in Thrust. Raw pointers and
/// std iterators run on the host, device_vector's on the device system. Iterators that have no
/// system (counting, constant) follow the others; if none has one, it is hindsight::par.
template <class Data, class... Outputs>
struct policy_of {
  static_assert((!is_range<std::remove_reference_t<Outputs>> && ...),
                "hindsight: an output, or a second input, is given by where it begins: pass "
                "v.begin(), not the container");
#if HINDSIGHT_CUDA
  static constexpr bool on_cuda = (is_in_system<thrust::cuda::tag, std::decay_t<Data>>() || ... ||
                                   is_in_system<thrust::cuda::tag, std::decay_t<Outputs>>());
  static constexpr bool on_host =
      (is_in_system<thrust::host_system_tag, std::decay_t<Data>>() || ... ||
       is_in_system<thrust::host_system_tag, std::decay_t<Outputs>>());
  static_assert(!on_cuda || !(is_host_container<std::decay_t<Data>> || ... ||
                              is_host_container<std::decay_t<Outputs>>),
                "hindsight: this call mixes iterators of device memory and of a host container; "
                "copy one side to the other's memory, or name the policy that reaches both");
  using type =
      std::conditional_t<on_cuda, hindsight::cuda::par_t,
                         std::conditional_t<on_host, hindsight::host::par_t, hindsight::par_t>>;
#else
  using type = hindsight::host::par_t;
#endif
};

/// The same, if the arguments are data. It is a template argument of every call without a policy:
/// so functions of translation units that choose differently have different names.
template <class Data, class... Args>
using default_policy =
    typename std::enable_if_t<is_data<Data, Args...>, policy_of<Data, Args...>>::type;

}  // namespace hindsight::detail
