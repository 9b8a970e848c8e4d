// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One method on one input: its costs, its time, and whether its result is right.
#pragma once

#include "input.h"

namespace methods {

struct row {
  const method* of;
  std::size_t n;
  cost costs;
  double ms;          ///< median
  int runs;           ///< that it is the median of
  unsigned launches;  ///< counted: kernels and memory operations, or teams of host threads
  bool is_right;
};

/// All methods of the engine that the program was built for.
const std::vector<method>& methods_of_engine();

/// Throws std::bad_alloc where there is too little memory.
row measure(const method&, input&);

inline double gbytes_per_s(const row& r) {
  return r.costs.bytes / (r.ms * 1e6);
}

}  // namespace methods
