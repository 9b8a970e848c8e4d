// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection that returns a container of its own: std::vector in, std::vector out; device_vector in,
// device_vector out.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/temporary.h>
#include <hindsight/select.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight {

namespace detail {

/// Whether a container can be made with a size, and then made smaller.
template <class Range, class = void>
inline constexpr bool is_resizable = false;
template <class Range>
inline constexpr bool is_resizable<Range, std::void_t<decltype(Range(std::declval<std::size_t>())),
                                                      decltype(std::declval<Range&>().resize(0))>> =
    true;

}  // namespace detail

/// A new container of the range's type with those of its n items that have pred(item), in order.
///   Time    n calls of pred; every item is read once, every selected one is written once
///   Memory  a container of n items, then made smaller. Temporary: CUDA: 32 bytes for each 4 K to
///           16 K items of up to 8 bytes; host: as much for each 32 KB, and 32 KB for each thread
///   Order   that of the range
///   Sync    waits for the result
///   Errors  the policy's, and the container's
///   Example
///     thrust::device_vector<int> items(1000, 2);
///     auto none = hindsight::filter(hindsight::par, items, thrust::logical_not<int>{});
template <class D, class S, class Range, class Pred, detail::if_range<Range> = 0>
std::decay_t<Range> filter(const execution_policy<D, S>& policy, Range&& range, Pred pred) {
  using container = std::decay_t<Range>;
  static_assert(detail::is_resizable<container>,
                "hindsight::filter returns a container of the range's type, so the range has to be "
                "a vector; call copy_if with an output for others");
  detail::require_no_capture(policy, "hindsight::filter");
  container kept(range.size());
  kept.resize(
      static_cast<std::size_t>(hindsight::copy_if(policy, detail::begin_of(range),
                                                  detail::end_of(range), kept.begin(), pred) -
                               kept.begin()));
  return kept;
}
/// The same, run where the range's iterators say.
template <class Range, class Pred, detail::if_range<Range> = 0,
          class Policy = detail::default_policy<Range>>
std::decay_t<Range> filter(Range&& range, Pred pred) {
  return hindsight::filter(Policy{}, range, pred);
}

}  // namespace hindsight
