// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <stdexcept>

namespace hindsight {

/// A call that was refused because of its arguments: nothing was launched and nothing was written.
/// what() names the algorithm, what was wrong and what would be right. Faults of the machine
/// (no GPU, no memory, a failed launch) are thrust::system_error or std::bad_alloc instead.
class invalid_call : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hindsight
