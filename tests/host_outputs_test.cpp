// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Items with any number of outputs, and summaries, on host threads.
#include <hindsight/policy.h>

#include <vector>

namespace hindsight_test {
const auto& par = hindsight::host::par;
template <class T>
using vector = std::vector<T>;
}  // namespace hindsight_test

#include "outputs_testing.h"
