// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number of items that lies in device memory: counts.h has the calls that take it.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight {

/// A size that lies in device memory: *count, but 0 if *count is negative, and `most` if it is
/// larger. It stands in the place of `last` in a call. Kernels read *count when they start, so the
/// host need not know it.
///   count  an iterator that the call's policy can read. The call must not write there
///   most   decides temporary memory and launches; outputs must have room for so many items. A call
///          with a negative one is refused
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000), num_items(1, 600);
///     hindsight::inclusive_scan(hindsight::par, in.begin(),
///         hindsight::deferred{num_items.begin(), 1000}, out.begin(), ::cuda::std::plus<>{});
template <class CountIt>
struct deferred {
  CountIt count;     ///< where the device finds the number of items
  std::size_t most;  ///< no more than these are read

  deferred() = default;
  /// `most` may be an integer of any type.
  template <class Size>
  HINDSIGHT_HD constexpr deferred(CountIt at, Size bound)
      : count(at), most(static_cast<std::size_t>(bound)) {}
};
/// The same without CountIt's name.
template <class CountIt, class Size>
deferred(CountIt, Size) -> deferred<CountIt>;

}  // namespace hindsight
