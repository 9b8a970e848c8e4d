// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU: calls through iterators that a user wrote.
#include <thrust/find.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/unique.h>

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

TEST(UserIterators, OverVolatileItems) {
  const auto& par = hindsight::cuda::par;
  expect_volatile_items_are_taken<device_items>(par);

  const device_items in({1, 1, 2, 2, 2, 5}), keys(std::vector<int>(6)), sums(std::vector<int>(6));
  volatile int *const first = in.data(), *const last = first + 6;
  volatile int *const keys_out = keys.data(), *const sums_out = sums.data();
  const auto ends = thrust::reduce_by_key(par, first, last, first, keys_out, sums_out);
  EXPECT_EQ(ends.first - keys_out, 3);
  EXPECT_EQ(keys.all(), (std::vector<int>{1, 2, 5, 0, 0, 0}));
  EXPECT_EQ(sums.all(), (std::vector<int>{2, 6, 5, 0, 0, 0}));
  EXPECT_EQ(thrust::find_if(par, first, last, is_odd_int{}), first);
  EXPECT_EQ(thrust::unique(par, first, last) - first, 3);
}

TEST(UserIterators, WhoseSubscriptIsNotConst) {
  expect_forgetful_iterators_are_taken<device_items>(hindsight::cuda::par);
}

/// As a generic lambda by auto&: it takes two operands of one type, also const ones, but no
/// temporary.
struct same_of_any {
  template <class T>
  HINDSIGHT_HD bool operator()(T& a, T& b) {
    return a == b;
  }
};
/// The same of the first elements of tuples.
struct same_first_of_any {
  template <class T>
  HINDSIGHT_HD bool operator()(T& a, T& b) {
    return thrust::get<0>(a) == thrust::get<0>(b);
  }
};

TEST(UserFunctors, EqualitiesThatTakeLvalues) {
  const auto& par = hindsight::cuda::par;
  const std::vector<int> items{1, 1, 2, 2, 2, 5};
  const device_items in(items), out(std::vector<int>(6)), more(std::vector<int>(6));
  int *const first = in.data(), *const last = first + 6;
  thrust::inclusive_scan_by_key(par, first, last, first, out.data(), same_of_any{});
  EXPECT_EQ(out.all(), (std::vector<int>{1, 2, 2, 4, 6, 5}));
  thrust::exclusive_scan_by_key(par, first, last, first, out.data(), 0, same_of_any{});
  EXPECT_EQ(out.all(), (std::vector<int>{0, 1, 0, 2, 4, 0}));
  const auto zipped = thrust::make_zip_iterator(first, first);
  thrust::inclusive_scan_by_key(par, zipped, zipped + 6, first, out.data(), same_first_of_any{});
  EXPECT_EQ(out.all(), (std::vector<int>{1, 2, 2, 4, 6, 5}));
  const auto sums =
      thrust::reduce_by_key(par, first, last, first, more.data(), out.data(), same_of_any{});
  EXPECT_EQ(sums.second - out.data(), 3);
  const auto runs =
      hindsight::run_length_encode(par, first, last, more.data(), out.data(), same_of_any{});
  EXPECT_EQ(runs.second - out.data(), 3);
  EXPECT_EQ(thrust::unique_copy(par, first, last, out.data(), same_of_any{}) - out.data(), 3);
  EXPECT_EQ(thrust::unique_count(par, first, last, same_of_any{}), 3);
}

}  // namespace
}  // namespace hindsight_test
