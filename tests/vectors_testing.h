// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of both engines do with Thrust's vectors.
#pragma once

#include <thrust/copy.h>

#include <vector>

namespace hindsight_test {

/// All items, in one copy.
template <class Vector>
auto to_host(const Vector& items) {
  std::vector<typename Vector::value_type> on_host(items.size());
  thrust::copy(items.begin(), items.end(), on_host.begin());
  return on_host;
}

}  // namespace hindsight_test
