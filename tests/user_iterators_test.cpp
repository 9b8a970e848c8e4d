// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Host threads: calls through iterators that a user wrote.
#include "user_iterators_testing.h"
#include <utility>

namespace hindsight_test {
namespace {

class host_items {
 public:
  explicit host_items(std::vector<int> items) : items_{std::move(items)} {}
  int* data() const { return items_.data(); }
  std::vector<int> all() const { return items_; }

 private:
  mutable std::vector<int> items_;
};

TEST(UserIterators, OverEveryOtherItem) {
  for (const std::size_t n : {0, 1, 33, 5000, 300'007})
    expect_right_results<host_items>(hindsight::host::par, n);
}

}  // namespace
}  // namespace hindsight_test
