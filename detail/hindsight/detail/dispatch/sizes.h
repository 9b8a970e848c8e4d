// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call's size: from first and last, or deferred.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/errors.h>

#include <cstddef>
#include <string>

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// Refuses a deferred size whose bound was negative.
template <class SizeIt>
void refuse_negative_bound(const deferred<SizeIt>& size, const char* name) {
  if (detail::has_negative_bound(size))
    throw invalid_call(std::string{name} + ": a deferred size is at most " +
                       std::to_string(static_cast<std::ptrdiff_t>(size.most)) +
                       "; pass a bound of 0 or more");
}

/// The items of a call from `first` to `last`, or as many as a deferred size says.
template <class It>
std::size_t size_of(It first, It last, const char* name) {
  return detail::length(first, last, name);
}
template <class It, class SizeIt>
deferred<SizeIt> size_of(It, const deferred<SizeIt>& size, const char* name) {
  dispatch::refuse_negative_bound(size, name);
  return size;
}

/// Their end, where the size can be read now.
template <class It>
It last_of(It, It last, const char*) {
  return last;
}
template <class It, class SizeIt>
It last_of(It first, const deferred<SizeIt>& size, const char* name) {
  dispatch::refuse_negative_bound(size, name);
  dispatch::refuse_null(name, 1, size.count);
  return detail::advanced(first, detail::read_items(size));
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
