// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every family through hindsight::host::par, and without a policy, against stock: the same bits.
// Stock is one thread here (thrust::seq), so that floating-point sums are exact in this file.
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

#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <list>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

const std::vector<std::size_t> sizes = {0, 1, 2, 777, 65535, 65536, 65537, (1u << 20) + 7};

struct record {
  std::int32_t a, b, c;
  friend bool operator==(const record& l, const record& r) {
    return l.a == r.a && l.b == r.b && l.c == r.c;
  }
};

/// Two by two matrices of bytes: their product is associative and does not commute.
struct matrix {
  std::uint8_t m[4];
  friend bool operator==(const matrix& l, const matrix& r) {
    return std::memcmp(l.m, r.m, sizeof l.m) == 0;
  }
};
struct product {
  matrix operator()(const matrix& l, const matrix& r) const {
    const auto entry = [&](int i, int j) {
      return static_cast<std::uint8_t>(l.m[2 * i] * r.m[j] + l.m[2 * i + 1] * r.m[2 + j]);
    };
    return {{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)}};
  }
};
struct add_records {
  record operator()(const record& l, const record& r) const {
    return {l.a + r.a, std::min(l.b, r.b), r.c};  // c: the last one, does not commute
  }
};

template <class T>
struct maker {
  static T make(std::mt19937_64& random) {
    if constexpr (std::is_floating_point_v<T>) {
      return T(int(random() % 9) - 4);  // sums of 2^20 squares of them are exact
    } else {
      return T(random() >> 7);
    }
  }
};
template <>
struct maker<record> {
  static record make(std::mt19937_64& random) {
    return {int(random() % 7), int(random() % 1000), int(random() % 100)};
  }
};
template <>
struct maker<matrix> {
  static matrix make(std::mt19937_64& random) {
    matrix made;
    for (std::uint8_t& entry : made.m) entry = std::uint8_t(random());
    return made;
  }
};

template <class T>
std::vector<T> random_items(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random{seed};
  std::vector<T> items(n);
  for (T& item : items) item = maker<T>::make(random);
  return items;
}
/// Items of few values, in runs of random lengths.
template <class T>
std::vector<T> random_runs(std::size_t n, unsigned seed = 2) {
  std::mt19937_64 random{seed};
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i)
    items[i] = i > 0 && random() % 4 != 0 ? items[i - 1] : T(random() % 5);
  return items;
}

template <class T>
struct is_odd {
  bool operator()(const T& item) const {
    if constexpr (std::is_same_v<T, record>) {
      return item.a % 2 != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      return int(item) % 2 != 0;
    } else {
      return item % 2 != 0;
    }
  }
};

/// Same bits, whatever == says of them.
template <class T>
bool same_bits(const std::vector<T>& l, const std::vector<T>& r) {
  return l.size() == r.size() &&
         (l.empty() || std::memcmp(l.data(), r.data(), l.size() * sizeof(T)) == 0);
}
template <class T>
bool same_bits(const T& l, const T& r) {
  return std::memcmp(&l, &r, sizeof l) == 0;
}

const auto ours = hindsight::host::par;
const auto stock = thrust::seq;

using numbers =
    boost::mpl::list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float, double>;

/// All types take the main forms; one of each kind takes every overload, which are long to compile.
template <class T>
inline constexpr bool all_forms = std::is_same_v<T, std::int32_t> || std::is_same_v<T, double>;

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(reduce, T, numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const auto in = random_items<T>(n);
      const auto f = in.begin(), l = in.end();
      const auto square = [](T x) { return T(x * x); };
      BOOST_CHECK(same_bits(thrust::reduce(ours, f, l), thrust::reduce(stock, f, l)));
      BOOST_CHECK(same_bits(thrust::reduce(ours, f, l, T(3)), thrust::reduce(stock, f, l, T(3))));
      if constexpr (all_forms<T>) {
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
      if constexpr (all_forms<T>) {
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
      if constexpr (all_forms<T>) {
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

using selectable =
    boost::mpl::list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float, double, record>;

BOOST_AUTO_TEST_CASE_TEMPLATE(selection, T, selectable) {
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
      if constexpr (all_forms<T>) {
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
      if constexpr (all_forms<T>) {
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

BOOST_AUTO_TEST_CASE_TEMPLATE(partition, T, selectable) {
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
      if constexpr (all_forms<T>) {
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
      if constexpr (all_forms<T>) {
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

BOOST_AUTO_TEST_CASE_TEMPLATE(scans_by_key, T, numbers) {
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
      if constexpr (all_forms<T>) {
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

BOOST_AUTO_TEST_CASE_TEMPLATE(by_key, T, numbers) {
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
      if constexpr (all_forms<T>) {
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
      if constexpr (all_forms<T>) {
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

BOOST_AUTO_TEST_CASE_TEMPLATE(sort, T, numbers) {
  for (const std::size_t n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      auto in = random_items<T>(n);
      if constexpr (std::is_floating_point_v<T>) {  // zeros of one sign: stock tells them apart
        for (T& item : in) item = item == 0 ? T(0) : item / 3;
      }
      const auto values = random_items<record>(n);
      const auto check = [&](auto call, auto reference) {
        std::vector<T> got = in, want = in;
        call(got);
        reference(want);
        BOOST_CHECK(same_bits(got, want));
      };
      // By operators that stock does not know it merges: its radix sort on the host puts negative
      // ints last (RadixEncoder<int> in CCCL 3.0).
      const auto less = [](T a, T b) { return a < b; };
      const auto more = [](T a, T b) { return a > b; };
      const auto up = [&](auto& v) { thrust::stable_sort(stock, v.begin(), v.end(), less); };
      const auto down = [&](auto& v) { thrust::stable_sort(stock, v.begin(), v.end(), more); };
      const thrust::greater<T> greater;
      check([&](auto& v) { thrust::sort(ours, v.begin(), v.end()); }, up);
      check([&](auto& v) { thrust::sort(ours, v.begin(), v.end(), greater); }, down);
      if constexpr (all_forms<T>) {
        check([&](auto& v) { thrust::stable_sort(ours, v.begin(), v.end()); }, up);
        check([&](auto& v) { thrust::stable_sort(ours, v.begin(), v.end(), greater); }, down);
        check([&](auto& v) { hindsight::sort(v); }, up);
        check([&](auto& v) { hindsight::sort(v.begin(), v.end(), greater); }, down);
        check([&](auto& v) { hindsight::stable_sort(ours, v, greater); }, down);
        const auto by_third = [](T a, T b) {
          return int(a) / 3 < int(b) / 3;
        };
        check([&](auto& v) { thrust::stable_sort(ours, v.begin(), v.end(), by_third); },
              [&](auto& v) { thrust::stable_sort(stock, v.begin(), v.end(), by_third); });
      }
      const auto check_by_key = [&](auto call, auto reference) {
        std::vector<T> got = in, want = in;
        std::vector<record> got_values = values, want_values = values;
        call(got, got_values);
        reference(want, want_values);
        BOOST_CHECK(same_bits(got, want));
        BOOST_CHECK(same_bits(got_values, want_values));
      };
      const auto by_key_up = [&](auto& k, auto& v) {
        thrust::stable_sort_by_key(stock, k.begin(), k.end(), v.begin(), less);
      };
      const auto by_key_down = [&](auto& k, auto& v) {
        thrust::stable_sort_by_key(stock, k.begin(), k.end(), v.begin(), more);
      };
      check_by_key(
          [&](auto& k, auto& v) { thrust::sort_by_key(ours, k.begin(), k.end(), v.begin()); },
          by_key_up);
      check_by_key(
          [&](auto& k, auto& v) {
            thrust::stable_sort_by_key(ours, k.begin(), k.end(), v.begin(), greater);
          },
          by_key_down);
      if constexpr (all_forms<T>) {
        check_by_key([&](auto& k, auto& v) { hindsight::sort_by_key(k, v.begin()); }, by_key_up);
        check_by_key(
            [&](auto& k, auto& v) {
              hindsight::stable_sort_by_key(k.begin(), k.end(), v.begin(), greater);
            },
            by_key_down);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(histogram, T, numbers) {
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
      if constexpr (all_forms<T>) {
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
namespace crowded {
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
}  // namespace crowded

BOOST_AUTO_TEST_CASE(names_of_a_users_namespace) {
  const std::size_t n = 5000;
  std::vector<crowded::item> in(n, {1}), out(n), out2(n);
  const auto f = in.begin(), l = in.end();
  const auto is_one = [](const crowded::item& item) { return item.value == 1; };
  BOOST_TEST(thrust::reduce(ours, f, l, crowded::item{0}, thrust::plus<>{}).value == int(n));
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
