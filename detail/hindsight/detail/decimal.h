// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number in a message.
#pragma once

#include <hindsight/detail/config.h>

#include <cstdio>
#include <string>

namespace hindsight::detail {

/// As std::to_string, which would be a kilobyte of each object that calls the library.
HINDSIGHT_OUT_OF_LINE inline std::string decimal(long long n) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%lld", n);
  return digits;
}

}  // namespace hindsight::detail
