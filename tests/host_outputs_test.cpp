// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Items with any number of outputs, and summaries, on host threads.
#include <hindsight/policy.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <string>
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

// Nobody has said how many outputs there are.
TEST(HostOutputs, OffsetsThatAreRefused) {
  for (const std::vector<int>& offsets : {std::vector<int>{-1, 2}, {2, 1}}) {
    std::string text;
    try {
      hindsight::for_each_output(par, offsets, [](std::size_t, std::size_t, std::size_t) {});
    } catch (const hindsight::invalid_call& error) {
      text = error.what();
    }
    EXPECT_EQ(text, "hindsight::for_each_output: the offsets go from " +
                        std::to_string(offsets[0]) + " to " + std::to_string(offsets[1]) +
                        "; they must not be negative or decrease");
  }
}

}  // namespace hindsight_test
