// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of both engines do with Thrust's vectors.
#pragma once

#include <thrust/copy.h>

#include <type_traits>
#include <vector>

namespace hindsight_test {

/// All items, in one copy.
template <class Vector>
auto to_host(const Vector& items) {
  using item = typename Vector::value_type;
  if constexpr (std::is_default_constructible_v<item>) {
    std::vector<item> on_host(items.size());
    thrust::copy(items.begin(), items.end(), on_host.begin());
    return on_host;
  } else if (items.empty()) {
    return std::vector<item>{};
  } else {
    std::vector<item> on_host(items.size(), item(items.front()));
    thrust::copy(items.begin(), items.end(), on_host.begin());
    return on_host;
  }
}

}  // namespace hindsight_test
