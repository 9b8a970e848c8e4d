// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, reductions and run lengths by key through hindsight::host::par, and without a policy,
// against stock: the same bits.
#include <hindsight/hindsight.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "host_testing.h"
#include <utility>
#include <vector>

namespace host_test {
namespace {

BOOST_AUTO_TEST_CASE_TEMPLATE(scans_by_key, T, some_numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto keys = random_runs<T>(n);
      const auto values = random_items<T>(n);
      const auto f = keys.begin(), l = keys.end();
      const auto v = values.begin();
      const auto close = [](T a, T b) { return int(a) / 2 == int(b) / 2; };
      const thrust::maximum<T> max;
      std::vector<T> got(n), want(n);
      const auto check = [&](auto call, auto reference) {
        BOOST_CHECK(call(got.begin()) == got.end());
        BOOST_CHECK(reference(want.begin()) == want.end());
        BOOST_CHECK(same_bits(got, want));
      };
      check([&](auto o) { return thrust::inclusive_scan_by_key(ours, f, l, v, o); },
            [&](auto o) { return thrust::inclusive_scan_by_key(stock, f, l, v, o); });
      check([&](auto o) { return thrust::exclusive_scan_by_key(ours, f, l, v, o); },
            [&](auto o) { return thrust::exclusive_scan_by_key(stock, f, l, v, o); });
      if constexpr (takes_every_overload<T>) {
        check([&](auto o) { return thrust::inclusive_scan_by_key(ours, f, l, v, o, close); },
              [&](auto o) { return thrust::inclusive_scan_by_key(stock, f, l, v, o, close); });
        check([&](auto o) { return thrust::inclusive_scan_by_key(ours, f, l, v, o, close, max); },
              [&](auto o) { return thrust::inclusive_scan_by_key(stock, f, l, v, o, close, max); });
        check([&](auto o) { return thrust::exclusive_scan_by_key(ours, f, l, v, o, T(3)); },
              [&](auto o) { return thrust::exclusive_scan_by_key(stock, f, l, v, o, T(3)); });
        check(
            [&](auto o) { return thrust::exclusive_scan_by_key(ours, f, l, v, o, T(3), close); },
            [&](auto o) { return thrust::exclusive_scan_by_key(stock, f, l, v, o, T(3), close); });
        check(
            [&](auto o) {
              return thrust::exclusive_scan_by_key(ours, f, l, v, o, T(3), close, max);
            },
            [&](auto o) {
              return thrust::exclusive_scan_by_key(stock, f, l, v, o, T(3), close, max);
            });
        check([&](auto o) { return hindsight::inclusive_scan_by_key(keys, v, o); },
              [&](auto o) { return thrust::inclusive_scan_by_key(stock, f, l, v, o); });
        check([&](auto o) { return hindsight::exclusive_scan_by_key(ours, keys, v, o, T(3)); },
              [&](auto o) { return thrust::exclusive_scan_by_key(stock, f, l, v, o, T(3)); });
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(by_key, T, some_numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto keys = random_runs<T>(n);
      const auto values = random_items<T>(n);
      const auto f = keys.begin(), l = keys.end();
      const auto v = values.begin();
      const auto close = [](T a, T b) { return int(a) / 2 == int(b) / 2; };
      const auto check = [&](auto call, auto reference) {
        std::vector<T> got_keys(n), want_keys(n);
        std::vector<T> got(n), want(n);
        const auto ends = call(got_keys.begin(), got.begin());
        const auto want_ends = reference(want_keys.begin(), want.begin());
        BOOST_CHECK((ends.first - got_keys.begin()) == (want_ends.first - want_keys.begin()));
        BOOST_CHECK((ends.second - got.begin()) == (want_ends.second - want.begin()));
        BOOST_CHECK(same_bits(got_keys, want_keys));
        BOOST_CHECK(same_bits(got, want));
      };
      check([&](auto k, auto o) { return thrust::reduce_by_key(ours, f, l, v, k, o); },
            [&](auto k, auto o) { return thrust::reduce_by_key(stock, f, l, v, k, o); });
      check([&](auto k, auto o) { return thrust::reduce_by_key(ours, f, l, v, k, o, close); },
            [&](auto k, auto o) { return thrust::reduce_by_key(stock, f, l, v, k, o, close); });
      if constexpr (takes_every_overload<T>) {
        const thrust::maximum<T> max;
        check(
            [&](auto k, auto o) { return thrust::reduce_by_key(ours, f, l, v, k, o, close, max); },
            [&](auto k, auto o) {
              return thrust::reduce_by_key(stock, f, l, v, k, o, close, max);
            });
        check([&](auto k, auto o) { return hindsight::reduce_by_key(keys, v, k, o); },
              [&](auto k, auto o) { return thrust::reduce_by_key(stock, f, l, v, k, o); });
        check([&](auto k, auto o) { return hindsight::reduce_by_key(f, l, v, k, o, close, max); },
              [&](auto k, auto o) {
                return thrust::reduce_by_key(stock, f, l, v, k, o, close, max);
              });
      }
      const auto encoded = [&](auto call) {
        std::vector<T> unique(n);
        std::vector<int> counts(n);
        const auto ends = call(unique.begin(), counts.begin());
        unique.resize(ends.first - unique.begin());
        counts.resize(ends.second - counts.begin());
        return std::make_pair(unique, counts);
      };
      const auto recipe = [&](auto... equal) {
        return encoded([&](auto u, auto c) {
          return thrust::reduce_by_key(stock, f, l, thrust::make_constant_iterator(1), u, c,
                                       equal...);
        });
      };
      BOOST_CHECK((encoded([&](auto u, auto c) {
                     return hindsight::run_length_encode(ours, f, l, u, c);
                   }) == recipe()));
      if constexpr (alone_takes_every_overload<T>) {
        BOOST_CHECK((encoded([&](auto u, auto c) {
                       return hindsight::run_length_encode(ours, f, l, u, c, close);
                     }) == recipe(close)));
        BOOST_CHECK((encoded([&](auto u, auto c) {
                       return hindsight::run_length_encode(keys, u, c);
                     }) == recipe()));
        BOOST_CHECK((encoded([&](auto u, auto c) {
                       return hindsight::run_length_encode(thrust::host, f, l, u, c);
                     }) == recipe()));
        BOOST_CHECK((encoded([&](auto u, auto c) {
                       return hindsight::run_length_encode(stock, f, l, u, c, close);
                     }) == recipe(close)));
      }
    }
  }
}

}  // namespace
}  // namespace host_test
