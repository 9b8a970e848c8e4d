// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts through hindsight::host::par, and without a policy, against stock: the same bits, in the
// same order.
#include <hindsight/hindsight.h>

#include <thrust/sort.h>

#include "host_testing.h"
#include <type_traits>
#include <vector>

namespace host_test {
namespace {

// Zeros of one sign: stock tells them apart.
template <class T>
std::vector<T> random_keys(std::size_t n) {
  auto keys = random_items<T>(n);
  if constexpr (std::is_floating_point_v<T>) {
    for (T& key : keys) key = key == 0 ? T(0) : key / 3;
  }
  return keys;
}

// Stock merges by operators that it does not know. Its radix sort on the host puts negative ints
// last (RadixEncoder<int> in CCCL 3.0).
const auto less = [](auto a, auto b) { return a < b; };
const auto more = [](auto a, auto b) { return a > b; };

BOOST_AUTO_TEST_CASE_TEMPLATE(sort, T, numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_keys<T>(n);
      const auto check = [&](auto call, auto reference) {
        std::vector<T> got = in, want = in;
        call(got);
        reference(want);
        BOOST_CHECK(same_bits(got, want));
      };
      const auto up = [&](auto& v) { thrust::stable_sort(stock, v.begin(), v.end(), less); };
      const auto down = [&](auto& v) { thrust::stable_sort(stock, v.begin(), v.end(), more); };
      const thrust::greater<T> greater;
      check([&](auto& v) { thrust::sort(ours, v.begin(), v.end()); }, up);
      check([&](auto& v) { thrust::sort(ours, v.begin(), v.end(), greater); }, down);
      if constexpr (alone_takes_every_overload<T>) {
        check([&](auto& v) { thrust::stable_sort(ours, v.begin(), v.end()); }, up);
        check([&](auto& v) { thrust::stable_sort(ours, v.begin(), v.end(), greater); }, down);
        check([&](auto& v) { hindsight::sort(v); }, up);
        check([&](auto& v) { hindsight::sort(v.begin(), v.end(), greater); }, down);
        check([&](auto& v) { hindsight::stable_sort(ours, v, greater); }, down);
        const auto by_third = [](T a, T b) { return int(a) / 3 < int(b) / 3; };
        check([&](auto& v) { thrust::stable_sort(ours, v.begin(), v.end(), by_third); },
              [&](auto& v) { thrust::stable_sort(stock, v.begin(), v.end(), by_third); });
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(sort_by_key, T, some_numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_keys<T>(n);
      const auto values = random_items<record>(n);
      const auto check = [&](auto call, auto reference) {
        std::vector<T> got = in, want = in;
        std::vector<record> got_values = values, want_values = values;
        call(got, got_values);
        reference(want, want_values);
        BOOST_CHECK(same_bits(got, want));
        BOOST_CHECK(same_bits(got_values, want_values));
      };
      const auto up = [&](auto& k, auto& v) {
        thrust::stable_sort_by_key(stock, k.begin(), k.end(), v.begin(), less);
      };
      check([&](auto& k, auto& v) { thrust::sort_by_key(ours, k.begin(), k.end(), v.begin()); },
            up);
      if constexpr (takes_every_overload<T>) {
        const thrust::greater<T> greater;
        const auto down = [&](auto& k, auto& v) {
          thrust::stable_sort_by_key(stock, k.begin(), k.end(), v.begin(), more);
        };
        check(
            [&](auto& k, auto& v) {
              thrust::stable_sort_by_key(ours, k.begin(), k.end(), v.begin(), greater);
            },
            down);
        check([&](auto& k, auto& v) { hindsight::sort_by_key(k, v.begin()); }, up);
        check(
            [&](auto& k, auto& v) {
              hindsight::stable_sort_by_key(k.begin(), k.end(), v.begin(), greater);
            },
            down);
      }
    }
  }
}

}  // namespace
}  // namespace host_test
