// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
#include "random_ab/partition_cases.h"

namespace hindsight_test {

TEST(RandomPartition, EqualsStock) {
  expect_same_bits(cases::partitions);
}

}  // namespace hindsight_test
