// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections and partitions through hindsight::host::par, and without a policy, against stock: the
// same items, also behind the end.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/remove.h>

#include "host_testing.h"
#include <vector>

namespace host_test {
namespace {

BOOST_AUTO_TEST_CASE_TEMPLATE(selection, T, moved_types) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_items<T>(n);
      const auto marks = random_items<int>(n, 3);
      const auto f = in.begin(), l = in.end();
      const auto s = marks.begin();
      const is_odd<T> odd;
      const is_odd<int> marked;
      const T blank{};
      const auto check = [&](auto call, auto reference) {  // all of the output, touched or not
        std::vector<T> got(n, blank), want(n, blank);
        const auto end = call(got.begin());
        const auto want_end = reference(want.begin());
        BOOST_CHECK((end - got.begin()) == (want_end - want.begin()));
        BOOST_CHECK(same_bits(got, want));
      };
      check([&](auto o) { return thrust::copy_if(ours, f, l, o, odd); },
            [&](auto o) { return thrust::copy_if(stock, f, l, o, odd); });
      check([&](auto o) { return thrust::copy_if(ours, f, l, s, o, marked); },
            [&](auto o) { return thrust::copy_if(stock, f, l, s, o, marked); });
      if constexpr (alone_takes_every_overload<T>) {
        check([&](auto o) { return thrust::remove_copy_if(ours, f, l, o, odd); },
              [&](auto o) { return thrust::remove_copy_if(stock, f, l, o, odd); });
        check([&](auto o) { return thrust::remove_copy_if(ours, f, l, s, o, marked); },
              [&](auto o) { return thrust::remove_copy_if(stock, f, l, s, o, marked); });
        check([&](auto o) { return hindsight::copy_if(in, o, odd); },
              [&](auto o) { return thrust::copy_if(stock, f, l, o, odd); });
        check([&](auto o) { return hindsight::copy_if(ours, in, s, o, marked); },
              [&](auto o) { return thrust::copy_if(stock, f, l, s, o, marked); });
        check([&](auto o) { return hindsight::copy_if(f, l, s, o, marked); },
              [&](auto o) { return thrust::copy_if(stock, f, l, s, o, marked); });
        if (n > 0) {
          const T value = in[n / 2];
          check([&](auto o) { return thrust::remove_copy(ours, f, l, o, value); },
                [&](auto o) { return thrust::remove_copy(stock, f, l, o, value); });
        }
      }
      const auto check_in_place = [&](auto call, auto reference) {  // up to the returned end
        std::vector<T> got = in, want = in;
        got.resize(call(got) - got.begin());
        want.resize(reference(want) - want.begin());
        BOOST_CHECK(same_bits(got, want));
      };
      check_in_place([&](auto& v) { return thrust::remove_if(ours, v.begin(), v.end(), odd); },
                     [&](auto& v) { return thrust::remove_if(stock, v.begin(), v.end(), odd); });
      if constexpr (alone_takes_every_overload<T>) {
        check_in_place(
            [&](auto& v) { return thrust::remove_if(ours, v.begin(), v.end(), s, marked); },
            [&](auto& v) { return thrust::remove_if(stock, v.begin(), v.end(), s, marked); });
        check_in_place([&](auto& v) { return hindsight::remove_if(v, odd); },
                       [&](auto& v) { return thrust::remove_if(stock, v.begin(), v.end(), odd); });
        if (n > 0) {
          const T value = in[n / 2];
          check_in_place([&](auto& v) { return hindsight::remove(v, value); },
                         [&](auto& v) { return thrust::remove(stock, v.begin(), v.end(), value); });
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(partition, T, moved_types) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_items<T>(n);
      const auto marks = random_items<int>(n, 3);
      const auto f = in.begin(), l = in.end();
      const auto s = marks.begin();
      const is_odd<T> odd;
      const is_odd<int> marked;
      const auto check_in_place = [&](auto call, auto reference) {
        std::vector<T> got = in, want = in;
        const auto border = call(got) - got.begin();
        BOOST_TEST(border == reference(want) - want.begin());
        BOOST_CHECK(same_bits(got, want));
      };
      const auto reference = [&](auto& v) {
        return thrust::stable_partition(stock, v.begin(), v.end(), odd);
      };
      const auto marked_reference = [&](auto& v) {
        return thrust::stable_partition(stock, v.begin(), v.end(), s, marked);
      };
      check_in_place(
          [&](auto& v) { return thrust::stable_partition(ours, v.begin(), v.end(), odd); },
          reference);
      if constexpr (alone_takes_every_overload<T>) {
        check_in_place([&](auto& v) { return thrust::partition(ours, v.begin(), v.end(), odd); },
                       reference);
        check_in_place([&](auto& v) { return hindsight::partition(v, odd); }, reference);
        check_in_place(
            [&](auto& v) { return thrust::stable_partition(ours, v.begin(), v.end(), s, marked); },
            marked_reference);
        check_in_place(
            [&](auto& v) { return thrust::partition(ours, v.begin(), v.end(), s, marked); },
            marked_reference);
        check_in_place(
            [&](auto& v) { return hindsight::stable_partition(v.begin(), v.end(), s, marked); },
            marked_reference);
      }
      const auto check = [&](auto call, auto copy_reference) {
        std::vector<T> got(n), got_rest(n), want(n), want_rest(n);
        const auto ends = call(got.begin(), got_rest.begin());
        const auto want_ends = copy_reference(want.begin(), want_rest.begin());
        BOOST_CHECK((ends.first - got.begin()) == (want_ends.first - want.begin()));
        BOOST_CHECK((ends.second - got_rest.begin()) == (want_ends.second - want_rest.begin()));
        BOOST_CHECK(same_bits(got, want));
        BOOST_CHECK(same_bits(got_rest, want_rest));
      };
      check([&](auto t, auto r) { return thrust::partition_copy(ours, f, l, t, r, odd); },
            [&](auto t, auto r) { return thrust::partition_copy(stock, f, l, t, r, odd); });
      if constexpr (alone_takes_every_overload<T>) {
        check([&](auto t, auto r) { return thrust::partition_copy(ours, f, l, s, t, r, marked); },
              [&](auto t, auto r) { return thrust::partition_copy(stock, f, l, s, t, r, marked); });
        check([&](auto t, auto r) { return thrust::stable_partition_copy(ours, f, l, t, r, odd); },
              [&](auto t, auto r) { return thrust::partition_copy(stock, f, l, t, r, odd); });
        check([&](auto t,
                  auto r) { return thrust::stable_partition_copy(ours, f, l, s, t, r, marked); },
              [&](auto t, auto r) { return thrust::partition_copy(stock, f, l, s, t, r, marked); });
        check([&](auto t, auto r) { return hindsight::partition_copy(in, t, r, odd); },
              [&](auto t, auto r) { return thrust::partition_copy(stock, f, l, t, r, odd); });
      }
    }
  }
}

}  // namespace
}  // namespace host_test
