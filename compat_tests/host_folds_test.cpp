// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, counts, scans and histograms through hindsight::host::par, and without a policy,
// against stock: the same bits.
#include <hindsight/hindsight.h>

#include <thrust/count.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include "host_testing.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace host_test {
namespace {

BOOST_AUTO_TEST_CASE_TEMPLATE(reduce, T, numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_items<T>(n);
      const auto f = in.begin(), l = in.end();
      const auto square = [](T x) { return T(x * x); };
      BOOST_CHECK(same_bits(thrust::reduce(ours, f, l), thrust::reduce(stock, f, l)));
      BOOST_CHECK(same_bits(thrust::reduce(ours, f, l, T(3)), thrust::reduce(stock, f, l, T(3))));
      if constexpr (takes_every_overload<T>) {
        BOOST_CHECK(same_bits(thrust::reduce(ours, f, l, 3LL), thrust::reduce(stock, f, l, 3LL)));
        BOOST_CHECK(same_bits(thrust::reduce(ours, f, l, T(3), thrust::maximum<T>{}),
                              thrust::reduce(stock, f, l, T(3), thrust::maximum<T>{})));
        BOOST_CHECK(
            same_bits(thrust::transform_reduce(ours, f, l, square, T(1), thrust::plus<T>{}),
                      thrust::transform_reduce(stock, f, l, square, T(1), thrust::plus<T>{})));
        BOOST_CHECK(same_bits(thrust::inner_product(ours, f, l, f, T(0)),
                              thrust::inner_product(stock, f, l, f, T(0))));
      }
      BOOST_TEST(thrust::count_if(ours, f, l, is_odd<T>{}) ==
                 thrust::count_if(stock, f, l, is_odd<T>{}));
      if constexpr (takes_every_overload<T>) {
        BOOST_TEST(thrust::count(ours, f, l, T(3)) == thrust::count(stock, f, l, T(3)));
        T into = 0;
        hindsight::reduce_into(ours, f, l, &into, T(5));
        BOOST_CHECK(same_bits(into, thrust::reduce(stock, f, l, T(5))));

        BOOST_CHECK(same_bits(hindsight::reduce(f, l), thrust::reduce(stock, f, l)));
        BOOST_CHECK(same_bits(hindsight::reduce(in, T(3)), thrust::reduce(stock, f, l, T(3))));
        BOOST_CHECK(same_bits(hindsight::reduce(ours, in, T(3), thrust::maximum<T>{}),
                              thrust::reduce(stock, f, l, T(3), thrust::maximum<T>{})));
        BOOST_TEST(hindsight::count(in, T(3)) == thrust::count(stock, f, l, T(3)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(scan, T, numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_items<T>(n);
      const auto f = in.begin(), l = in.end();
      std::vector<T> got(n), want(n);
      const auto check = [&](auto call, auto reference) {
        BOOST_CHECK((call(got.begin()) == got.end()));
        reference(want.begin());
        BOOST_CHECK(same_bits(got, want));
      };
      const thrust::maximum<T> max;
      const auto twice = [](T x) { return T(x + x); };
      check([&](auto o) { return thrust::inclusive_scan(ours, f, l, o); },
            [&](auto o) { return thrust::inclusive_scan(stock, f, l, o); });
      check([&](auto o) { return thrust::exclusive_scan(ours, f, l, o); },
            [&](auto o) { return thrust::exclusive_scan(stock, f, l, o); });
      if constexpr (takes_every_overload<T>) {
        check([&](auto o) { return thrust::inclusive_scan(ours, f, l, o, max); },
              [&](auto o) { return thrust::inclusive_scan(stock, f, l, o, max); });
        check([&](auto o) { return thrust::inclusive_scan(ours, f, l, o, T(3), max); },
              [&](auto o) { return thrust::inclusive_scan(stock, f, l, o, T(3), max); });
        check([&](auto o) { return thrust::exclusive_scan(ours, f, l, o, T(3)); },
              [&](auto o) { return thrust::exclusive_scan(stock, f, l, o, T(3)); });
        check([&](auto o) { return thrust::exclusive_scan(ours, f, l, o, T(3), max); },
              [&](auto o) { return thrust::exclusive_scan(stock, f, l, o, T(3), max); });
        check([&](auto o) { return thrust::transform_inclusive_scan(ours, f, l, o, twice, max); },
              [&](auto o) { return thrust::transform_inclusive_scan(stock, f, l, o, twice, max); });
        check(
            [&](auto o) {
              return thrust::transform_inclusive_scan(ours, f, l, o, twice, T(3), max);
            },
            [&](auto o) {
              return thrust::transform_inclusive_scan(stock, f, l, o, twice, T(3), max);
            });
        check(
            [&](auto o) {
              return thrust::transform_exclusive_scan(ours, f, l, o, twice, T(3), max);
            },
            [&](auto o) {
              return thrust::transform_exclusive_scan(stock, f, l, o, twice, T(3), max);
            });
        check([&](auto o) { return hindsight::inclusive_scan(in, o); },
              [&](auto o) { return thrust::inclusive_scan(stock, f, l, o); });
        check([&](auto o) { return hindsight::exclusive_scan(f, l, o, T(3), max); },
              [&](auto o) { return thrust::exclusive_scan(stock, f, l, o, T(3), max); });
        check([&](auto o) { return hindsight::exclusive_scan(ours, in, o, T(3)); },
              [&](auto o) { return thrust::exclusive_scan(stock, f, l, o, T(3)); });
      }
      check(  // in place
          [&](auto o) {
            std::copy(f, l, o);
            return thrust::inclusive_scan(ours, got.begin(), got.end(), o);
          },
          [&](auto o) { return thrust::inclusive_scan(stock, f, l, o); });
    }
  }
}

BOOST_AUTO_TEST_CASE(accumulator_types) {
  const std::vector<std::int8_t> bytes = {100, 100, 100};
  const std::vector<float> halves = {1.5f, 1.5f, 1.5f};
  std::vector<int> got(3), want(3);
  const auto check = [&] { BOOST_TEST(got == want, boost::test_tools::per_element()); };
  thrust::inclusive_scan(ours, bytes.begin(), bytes.end(), got.begin());
  thrust::inclusive_scan(stock, bytes.begin(), bytes.end(), want.begin());
  check();
  thrust::inclusive_scan(ours, bytes.begin(), bytes.end(), got.begin(), 1, thrust::plus<>{});
  thrust::inclusive_scan(stock, bytes.begin(), bytes.end(), want.begin(), 1, thrust::plus<>{});
  check();
  thrust::exclusive_scan(ours, halves.begin(), halves.end(), got.begin(), 0);
  thrust::exclusive_scan(stock, halves.begin(), halves.end(), want.begin(), 0);
  check();
  BOOST_TEST(thrust::reduce(ours, halves.begin(), halves.end(), 0) ==
             thrust::reduce(stock, halves.begin(), halves.end(), 0));
  BOOST_TEST(thrust::reduce(ours, bytes.begin(), bytes.end(), 0) == 300);
}

BOOST_AUTO_TEST_CASE(operators_that_do_not_commute) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_items<matrix>(n);
      const auto records = random_items<record>(n);
      const matrix one = {{1, 2, 3, 5}};
      const record init = {1, 2, 3};
      BOOST_CHECK((thrust::reduce(ours, in.begin(), in.end(), one, product{}) ==
                   thrust::reduce(stock, in.begin(), in.end(), one, product{})));
      BOOST_CHECK((thrust::reduce(ours, records.begin(), records.end(), init, add_records{}) ==
                   thrust::reduce(stock, records.begin(), records.end(), init, add_records{})));
      std::vector<matrix> got(n), want(n);
      thrust::inclusive_scan(ours, in.begin(), in.end(), got.begin(), product{});
      thrust::inclusive_scan(stock, in.begin(), in.end(), want.begin(), product{});
      BOOST_CHECK(same_bits(got, want));
      thrust::exclusive_scan(ours, in.begin(), in.end(), got.begin(), one, product{});
      thrust::exclusive_scan(stock, in.begin(), in.end(), want.begin(), one, product{});
      BOOST_CHECK(same_bits(got, want));
      std::vector<record> got_records(n), want_records(n);
      thrust::inclusive_scan(ours, records.begin(), records.end(), got_records.begin(),
                             add_records{});
      thrust::inclusive_scan(stock, records.begin(), records.end(), want_records.begin(),
                             add_records{});
      BOOST_CHECK(same_bits(got_records, want_records));

      const auto keys = random_runs<int>(n);
      std::vector<int> got_keys(n), want_keys(n);
      const auto ends =
          thrust::reduce_by_key(ours, keys.begin(), keys.end(), in.begin(), got_keys.begin(),
                                got.begin(), thrust::equal_to<>{}, product{});
      const auto want_ends =
          thrust::reduce_by_key(stock, keys.begin(), keys.end(), in.begin(), want_keys.begin(),
                                want.begin(), thrust::equal_to<>{}, product{});
      BOOST_CHECK((ends.first - got_keys.begin()) == (want_ends.first - want_keys.begin()));
      BOOST_CHECK((ends.second - got.begin()) == (want_ends.second - want.begin()));
      BOOST_CHECK(same_bits(got_keys, want_keys));
      BOOST_TEST(std::equal(got.begin(), ends.second, want.begin()));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(histogram, T, some_numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      std::vector<T> in = random_items<T>(n);
      const int lower = std::is_unsigned_v<T> ? 3 : -7, upper = 6;
      const int num_bins = upper - lower;  // a bin is one value of an integer
      std::vector<T> levels;
      for (int level = lower; level <= upper; ++level) levels.push_back(T(level));
      std::vector<long> want(num_bins);  // sort + lower_bound
      std::vector<T> sorted = in;
      std::sort(sorted.begin(), sorted.end());
      for (int b = 0; b < num_bins; ++b) {
        want[b] = std::lower_bound(sorted.begin(), sorted.end(), levels[b + 1]) -
                  std::lower_bound(sorted.begin(), sorted.end(), levels[b]);
      }
      const auto check = [&](auto call) {
        std::vector<long> got(num_bins, -1);
        BOOST_CHECK((call(got.begin()) == got.end()));
        BOOST_TEST(got == want, boost::test_tools::per_element());
      };
      const auto f = in.begin(), l = in.end();
      const T low = T(lower), high = T(upper);
      const auto lf = levels.begin(), ll = levels.end();
      check([&](auto c) { return hindsight::histogram_even(ours, f, l, num_bins, low, high, c); });
      check([&](auto c) { return hindsight::histogram_range(ours, f, l, lf, ll, c); });
      if constexpr (alone_takes_every_overload<T>) {
        check([&](auto c) { return hindsight::histogram_even(f, l, num_bins, low, high, c); });
        check([&](auto c) { return hindsight::histogram_even(in, num_bins, low, high, c); });
        check([&](auto c) {
          return hindsight::histogram_even(thrust::device, f, l, num_bins, low, high, c);
        });
        check([&](auto c) { return hindsight::histogram_range(f, l, lf, ll, c); });
        check([&](auto c) { return hindsight::histogram_range(ours, in, lf, ll, c); });
        check([&](auto c) { return hindsight::histogram_range(thrust::host, f, l, lf, ll, c); });
      }
    }
  }
}

}  // namespace
}  // namespace host_test
