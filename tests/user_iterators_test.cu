// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU: calls through iterators that a user wrote.
#include "gpu_testing.h"
#include "user_iterators_testing.h"

namespace hindsight_test {
namespace {

class device_items {
 public:
  explicit device_items(const std::vector<int>& items) : items_{items} {}
  int* data() const { return items_.data(); }
  std::vector<int> all() const { return items_.to_host(); }

 private:
  device_array<int> items_;
};

TEST(UserIterators, OverEveryOtherItem) {
  for (const std::size_t n : {0, 1, 33, 5000, 300'007, 3'000'001})
    expect_right_results<device_items>(hindsight::cuda::par, n);
}

}  // namespace
}  // namespace hindsight_test
