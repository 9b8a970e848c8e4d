// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hindsight::host::par where the families do not matter: iterators, what stock does, bad arguments,
// users' namespaces and exceptions. host_{folds,selection,by_key,sort}_test.cpp have the families.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include "host_testing.h"
#include <algorithm>
#include <limits>
#include <list>
#include <stdexcept>
#include <string>
#include <vector>

namespace host_test {
namespace {

BOOST_AUTO_TEST_CASE(fancy_iterators) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto a = random_items<int>(n), b = random_items<int>(n, 5);
      std::vector<int> places(n);
      for (std::size_t i = 0; i < n; ++i) places[i] = int((i * 7919) % n);
      const auto count = thrust::make_counting_iterator(3L);
      const auto low = thrust::make_transform_iterator(a.begin(), thrust::placeholders::_1 & 15);
      const auto mixed = thrust::make_permutation_iterator(a.begin(), places.begin());
      const auto pairs = thrust::make_zip_iterator(a.begin(), b.begin());
      const auto both_odd = [](const auto& t) {
        return (thrust::get<0>(t) & thrust::get<1>(t) & 1) != 0;
      };
      const auto d = static_cast<std::ptrdiff_t>(n);

      BOOST_TEST(thrust::reduce(ours, count, count + d) == thrust::reduce(stock, count, count + d));
      BOOST_TEST(hindsight::reduce(low, low + d, 0L) == thrust::reduce(stock, low, low + d, 0L));
      BOOST_TEST(thrust::count_if(ours, pairs, pairs + d, both_odd) ==
                 thrust::count_if(stock, pairs, pairs + d, both_odd));

      std::vector<int> got(n), want(n), got2(n), want2(n);
      thrust::inclusive_scan(ours, mixed, mixed + d, got.begin());
      thrust::inclusive_scan(stock, mixed, mixed + d, want.begin());
      BOOST_CHECK(same_bits(got, want));
      thrust::exclusive_scan(ours, low, low + d,
                             thrust::make_permutation_iterator(got.begin(), places.begin()), 1);
      thrust::exclusive_scan(stock, low, low + d,
                             thrust::make_permutation_iterator(want.begin(), places.begin()), 1);
      BOOST_CHECK(same_bits(got, want));

      const auto end = thrust::copy_if(
          ours, pairs, pairs + d, thrust::make_zip_iterator(got.begin(), got2.begin()), both_odd);
      thrust::copy_if(stock, pairs, pairs + d,
                      thrust::make_zip_iterator(want.begin(), want2.begin()), both_odd);
      BOOST_CHECK((end - thrust::make_zip_iterator(got.begin(), got2.begin())) ==
                  thrust::count_if(stock, pairs, pairs + d, both_odd));
      BOOST_CHECK(same_bits(got, want));
      BOOST_CHECK(same_bits(got2, want2));

      got = want = a, got2 = want2 = b;
      const auto zip = [](auto& l, auto& r) {
        return thrust::make_zip_iterator(l.begin(), r.begin());
      };
      thrust::stable_partition(ours, zip(got, got2), zip(got, got2) + d, both_odd);
      thrust::stable_partition(stock, zip(want, want2), zip(want, want2) + d, both_odd);
      BOOST_CHECK(same_bits(got, want));
      BOOST_CHECK(same_bits(got2, want2));

      const auto ends = thrust::reduce_by_key(ours, low, low + d, mixed,
                                              thrust::make_discard_iterator(), got.begin());
      const auto want_ends = thrust::reduce_by_key(stock, low, low + d, mixed,
                                                   thrust::make_discard_iterator(), want.begin());
      BOOST_CHECK((ends.second - got.begin()) == (want_ends.second - want.begin()));
      BOOST_CHECK(same_bits(got, want));

      got = want = a, got2 = want2 = b;
      const auto permuted = [&](auto& v) {
        return thrust::make_permutation_iterator(v.begin(), places.begin());
      };
      const auto less = [](int l, int r) { return l < r; };
      thrust::sort(ours, permuted(got), permuted(got) + d);
      thrust::stable_sort(stock, permuted(want), permuted(want) + d, less);
      BOOST_CHECK(same_bits(got, want));
      auto got3 = places, want3 = places;
      thrust::sort_by_key(ours, got.begin(), got.end(), zip(got2, got3));
      thrust::stable_sort_by_key(stock, want.begin(), want.end(), zip(want2, want3), less);
      BOOST_CHECK(same_bits(got, want));
      BOOST_CHECK(same_bits(got2, want2));
      BOOST_CHECK(same_bits(got3, want3));
    }
  }
  thrust::device_vector<int> v(1000, 2);
  BOOST_TEST(hindsight::reduce(v) == 2000);
  BOOST_TEST(hindsight::reduce(hindsight::host::par, v.begin(), v.end()) == 2000);
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP
  const std::list<int> list{3, 1, 2};  // no random access: stock's, of which only CPP takes it
  BOOST_TEST(thrust::reduce(ours, list.begin(), list.end()) == 6);
#endif
}

BOOST_AUTO_TEST_CASE(everything_else_is_stock) {
  const std::size_t n = 65537;
  auto a = random_runs<int>(n), b = random_runs<int>(n, 5);
  std::vector<int> got(2 * n), want(2 * n);
  const auto check = [&](auto call) {
    const auto end = call(ours, got.begin());
    const auto want_end = call(stock, want.begin());
    BOOST_CHECK((end - got.begin()) == (want_end - want.begin()));
    BOOST_CHECK(same_bits(got, want));
  };
  check([&](auto policy, auto o) {
    return thrust::transform(policy, a.begin(), a.end(), b.begin(), o, thrust::plus<>{});
  });
  check([&](auto policy, auto o) {
    thrust::for_each(policy, o, o + 100, [](int& x) { ++x; });
    return o;
  });
  check([&](auto policy, auto o) {
    return thrust::gather(policy, b.begin(), b.end(), a.begin(), o);
  });
  check([&](auto policy, auto o) { return thrust::unique_copy(policy, a.begin(), a.end(), o); });
  check([&](auto policy, auto o) {
    return thrust::adjacent_difference(policy, a.begin(), a.end(), o);
  });
  BOOST_CHECK((thrust::min_element(ours, a.begin(), a.end()) ==
               thrust::min_element(stock, a.begin(), a.end())));
  BOOST_CHECK((thrust::max_element(ours, a.begin(), a.end()) ==
               thrust::max_element(stock, a.begin(), a.end())));
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  check([&](auto policy, auto o) {
    return thrust::merge(policy, a.begin(), a.end(), b.begin(), b.end(), o);
  });
  check([&](auto policy, auto o) {
    return thrust::set_union(policy, a.begin(), a.end(), b.begin(), b.end(), o);
  });
  check([&](auto policy, auto o) {
    std::copy(a.begin(), a.end(), o);
    return thrust::unique(policy, o, o + n);
  });
}

BOOST_AUTO_TEST_CASE(a_range_that_ends_before_it_begins_is_refused) {
  std::vector<int> v = random_items<int>(100), out(100, -1);
  const std::vector<int> v_before = v, out_before = out;
  const auto f = v.end(), l = v.begin();
  const auto o = out.begin(), o2 = out.begin() + 50;
  const is_odd<int> odd;
  const auto refused = [&](auto call) {
    BOOST_CHECK_EXCEPTION(call(), hindsight::invalid_call, [](const hindsight::invalid_call& e) {
      const std::string what = e.what();
      return what.find("hindsight::") == 0 && what.find("-100") != std::string::npos;
    });
    BOOST_TEST(v == v_before);
    BOOST_TEST(out == out_before);
  };
  refused([&] { thrust::reduce(ours, f, l); });
  refused([&] { hindsight::reduce_into(ours, f, l, o); });
  refused([&] { thrust::transform_reduce(ours, f, l, odd, 0, thrust::plus<>{}); });
  refused([&] { thrust::inner_product(ours, f, l, o, 0); });
  refused([&] { thrust::count(ours, f, l, 0); });
  refused([&] { thrust::inclusive_scan(ours, f, l, o); });
  refused([&] { thrust::exclusive_scan(ours, f, l, o); });
  refused([&] { thrust::copy_if(ours, f, l, o, odd); });
  refused([&] { thrust::copy_if(ours, f, l, o2, o, odd); });
  refused([&] { thrust::remove_if(ours, f, l, odd); });
  refused([&] { thrust::partition(ours, f, l, odd); });
  refused([&] { thrust::stable_partition(ours, f, l, odd); });
  refused([&] { thrust::partition_copy(ours, f, l, o, o2, odd); });
  refused([&] { thrust::reduce_by_key(ours, f, l, o2, o, o2); });
  refused([&] { thrust::inclusive_scan_by_key(ours, f, l, o2, o); });
  refused([&] { thrust::exclusive_scan_by_key(ours, f, l, o2, o); });
  refused([&] { hindsight::run_length_encode(ours, f, l, o, o2); });
  refused([&] { thrust::sort(ours, f, l); });
  refused([&] { thrust::sort_by_key(ours, f, l, o); });
  refused([&] { hindsight::histogram_even(ours, f, l, 10, 0, 10, o); });
  refused([&] { hindsight::histogram_range(ours, f, l, v.begin(), v.begin() + 2, o); });
  refused([&] { hindsight::histogram_even(stock, f, l, 10, 0, 10, o); });
}

BOOST_AUTO_TEST_CASE(histogram_levels_that_make_no_bins_are_refused) {
  const std::vector<double> in(10, 0.5);
  std::vector<int> out(10, -1);
  const std::vector<int> before = out;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> bad = {{}, {1}, {0, 2, 1}, {0, nan, 1}};
  const auto check = [&](const auto& policy) {
    const auto even = [&](int num_bins, double lower, double upper) {
      hindsight::histogram_even(policy, in.begin(), in.end(), num_bins, lower, upper, out.begin());
    };
    BOOST_CHECK_THROW(even(0, 0, 1), hindsight::invalid_call);
    BOOST_CHECK_THROW(even(-1, 0, 1), hindsight::invalid_call);
    BOOST_CHECK_THROW(even(4, 1, 1), hindsight::invalid_call);
    BOOST_CHECK_THROW(even(4, 2, 1), hindsight::invalid_call);
    BOOST_CHECK_THROW(even(4, nan, 1), hindsight::invalid_call);
    BOOST_CHECK_THROW(even(4, 0, infinity), hindsight::invalid_call);
    for (const auto& levels : bad) {
      BOOST_CHECK_THROW(hindsight::histogram_range(policy, in.begin(), in.end(), levels.begin(),
                                                   levels.end(), out.begin()),
                        hindsight::invalid_call);
    }
    BOOST_TEST(out == before);
  };
  check(ours);
  check(stock);
  check(thrust::device);
}

// Names that the library uses itself, in the namespace of a user's items, are not called by it.
namespace same_names {
struct item {
  int value;
  friend bool operator==(const item& a, const item& b) { return a.value == b.value; }
  friend item operator+(const item& a, const item& b) { return {a.value + b.value}; }
};
template <class It>
It advanced(It, std::size_t) = delete;
template <class It>
std::size_t length(It, It, const char*) = delete;
template <class It>
It plain(It) = delete;
template <class It>
It unwrap(It) = delete;
template <class... Args>
void run(Args&&...) = delete;
template <class... Args>
void fold(Args&&...) = delete;
}  // namespace same_names

BOOST_AUTO_TEST_CASE(names_of_a_users_namespace) {
  const std::size_t n = 5000;
  std::vector<same_names::item> in(n, {1}), out(n), out2(n);
  const auto f = in.begin(), l = in.end();
  const auto is_one = [](const same_names::item& item) { return item.value == 1; };
  BOOST_TEST(thrust::reduce(ours, f, l, same_names::item{0}, thrust::plus<>{}).value == int(n));
  thrust::inclusive_scan(ours, f, l, out.begin(), thrust::plus<>{});
  BOOST_TEST(out.back().value == int(n));
  thrust::inclusive_scan_by_key(ours, f, l, f, out.begin());
  BOOST_TEST(out.back().value == int(n));
  BOOST_CHECK(thrust::copy_if(ours, f, l, out.begin(), is_one) == out.end());
  BOOST_CHECK(thrust::stable_partition(ours, in.begin(), in.end(), is_one) == in.end());
  BOOST_CHECK(thrust::reduce_by_key(ours, f, l, f, out.begin(), out2.begin()).first ==
              out.begin() + 1);
  BOOST_CHECK(
      hindsight::run_length_encode(ours, f, l, out.begin(), std::vector<int>(n).begin()).first ==
      out.begin() + 1);
}

BOOST_AUTO_TEST_CASE(exceptions_of_operators_arrive) {
  const std::vector<int> in(1 << 20, 1);
  const auto throws = [](int, int) -> int { throw std::logic_error("from the operator"); };
  BOOST_CHECK_THROW(thrust::reduce(ours, in.begin(), in.end(), 0, throws), std::logic_error);
  std::vector<int> out(in.size());
  BOOST_CHECK_THROW(thrust::inclusive_scan(ours, in.begin(), in.end(), out.begin(), throws),
                    std::logic_error);
  BOOST_TEST(thrust::reduce(ours, in.begin(), in.end()) == 1 << 20);
}

}  // namespace
}  // namespace host_test
