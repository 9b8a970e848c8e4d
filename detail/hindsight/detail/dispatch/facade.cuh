// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the Device* functions share: their accumulator types and checks.
#pragma once

#include <hindsight/detail/dispatch/call.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail {

template <class NumItems>
constexpr bool is_negative(NumItems n) {
  static_assert(std::is_integral_v<NumItems>, "the number of items is an integer");
  if constexpr (std::is_signed_v<NumItems>) {
    return n < 0;
  } else {
    return false;
  }
}

template <class NumItems>
constexpr std::size_t to_size(NumItems n) {
  return static_cast<std::size_t>(n);
}

/// What an output iterator holds, or the input if the output has no value type.
template <class OutputIt, class InputIt>
using output_t =
    std::conditional_t<std::is_void_v<item_t<OutputIt>>, item_t<InputIt>, item_t<OutputIt>>;

/// Where a sum may be accumulated in its output's type instead of `Accumulator`: integers, and no
/// bit of the output needs more than the accumulator had.
template <class Accumulator, class Output>
using modular_sum_t =
    std::conditional_t<std::is_integral_v<Accumulator> && std::is_integral_v<Output> &&
                           !std::is_same_v<Output, bool> && sizeof(Output) <= sizeof(Accumulator),
                       Output, Accumulator>;

namespace function {

struct is_set {
  template <class Flag>
  HINDSIGHT_HD bool operator()(const Flag& flag) const {
    return static_cast<bool>(flag);
  }
};

}  // namespace function
}  // namespace hindsight::detail
