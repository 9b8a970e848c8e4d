// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Items with any number of outputs, and summaries, on host threads.
#include <hindsight/policy.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <vector>

namespace hindsight_test {
const auto& par = hindsight::host::par;
template <class T>
using vector = std::vector<T>;
}  // namespace hindsight_test

#include "outputs_testing.h"

namespace hindsight_test {

// They have no type of items: offsets are std::size_t.
TEST(HostOutputs, OffsetsToWhereIteratorsOnlyWrite) {
  const std::vector<unsigned char> counts(100, 200);
  std::vector<std::size_t> offsets(101, 7);
  const auto write = [&](std::size_t i, std::size_t offset) { offsets[i] = offset; };
  hindsight::offsets_of(par, counts, thrust::make_tabulate_output_iterator(write));
  for (std::size_t i = 0; i <= 100; ++i) EXPECT_EQ(offsets[i], 200 * i);
  hindsight::offsets_of(par, counts, thrust::make_discard_iterator());
}

}  // namespace hindsight_test
