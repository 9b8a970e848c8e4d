// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's value that lies in device memory.
#pragma once

namespace cub {

template <class T, class It = T*>
struct FutureValue {
  using value_type = T;
  using iterator_type = It;
  explicit FutureValue(It it) : it_{it} {}
  operator T() { return *it_; }

 private:
  It it_;
};

}  // namespace cub
