// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// The host engine against the standard library: odd teams, tiny tiles, every edge of a tile.
#include <hindsight/detail/host/partition.h>
#include <hindsight/detail/host/reduce.h>
#include <hindsight/detail/host/reduce_by_key.h>
#include <hindsight/detail/host/run_length_encode.h>
#include <hindsight/detail/host/select.h>

#include <thrust/device_ptr.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "host_engine_testing.h"
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace host = hindsight::detail::host;
using hindsight_test::compose_packed;
using host::cut;

const cut cuts[] = {{}, {1, 1}, {2, 1}, {3, 3}, {7, 64}, {2, 1000}};
const std::size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 95, 97, 999, 1000, 1001, 4097};
const std::size_t large_sizes[] = {(1 << 17) + 7, (1 << 13) * 33 + 1};

/// Calls check(n, cut) over small sizes in all cuts, and large sizes in the default cut and in
/// teams of 1, 2, 3, 7.
template <class Check>
void over_sizes_and_cuts(Check check) {
  for (std::size_t n : sizes)
    for (cut wanted : cuts) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", threads " << wanted.num_threads
                                      << ", tile " << wanted.tile_items);
      check(n, wanted);
    }
  for (std::size_t n : large_sizes)
    for (unsigned threads : {0u, 1u, 2u, 3u, 7u}) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", threads " << threads);
      check(n, cut{threads, 0});
    }
}

template <class T>
std::vector<T> random_items(std::size_t n, unsigned distinct = 1u << 31) {
  std::mt19937 random{unsigned(n) + 1};
  std::vector<T> items(n);
  for (T& item : items) item = T(random() % distinct);
  return items;
}

struct is_odd {
  template <class T>
  bool operator()(const T& x) const {
    return std::int64_t(x) % 2 != 0;
  }
};

/// Items of which long stretches are all odd or all even, but for a few.
template <class T>
std::vector<T> items_in_stretches(std::size_t n) {
  std::mt19937 random{unsigned(n) + 2};
  std::vector<T> items;
  while (items.size() < n) {
    const unsigned parity = random() % 2, odd_one_out = random() % 300;
    for (unsigned left = std::min<std::size_t>(random() % 600, n - items.size()); left > 0; --left)
      items.push_back(T(random() % 50 * 2 + (left == odd_one_out ? 1 - parity : parity)));
  }
  return items;
}

struct throw_at {
  std::uint32_t bad;
  bool operator()(std::uint32_t x) const {
    if (x == bad) throw std::runtime_error{"bad item"};
    return x % 2 != 0;
  }
};

// ---- reduce ----

TEST(host_reduce, is_accumulate) {
  over_sizes_and_cuts([](std::size_t n, cut wanted) {
    const auto items = random_items<std::uint32_t>(n);
    EXPECT_EQ(host::reduce(items.begin(), n, 5u, thrust::plus<std::uint32_t>{}, wanted),
              std::accumulate(items.begin(), items.end(), 5u));
    EXPECT_EQ(host::reduce(items.data(), n, 1u << 16, compose_packed{}, wanted),
              std::accumulate(items.begin(), items.end(), 1u << 16, compose_packed{}));
    EXPECT_EQ(host::reduce(items.data(), n, 0u, thrust::maximum<std::uint32_t>{}, wanted),
              n ? *std::max_element(items.begin(), items.end()) : 0u);
    EXPECT_EQ(host::transform_reduce(
                  thrust::counting_iterator<int>{0}, n, [](int i) { return std::int64_t(i) * i; },
                  std::int64_t(0), thrust::plus<>{}, wanted),
              std::int64_t(n) * (std::int64_t(n) - 1) * (2 * std::int64_t(n) - 1) / 6);
  });
}

TEST(host_reduce, floats_do_not_depend_on_the_team) {
  for (std::size_t n : large_sizes) {
    std::mt19937 random{3};
    std::vector<float> items(n);
    for (float& item : items) item = std::ldexp(float(random()), -int(random() % 40));
    const float one = host::reduce(items.begin(), n, 0.f, thrust::plus<float>{}, cut{1, 0});
    const double exact = std::accumulate(items.begin(), items.end(), 0.0);
    EXPECT_NEAR(one / exact, 1.0, 1e-6);
    for (unsigned threads : {2u, 3u, 7u})
      EXPECT_EQ(one, host::reduce(items.begin(), n, 0.f, thrust::plus<float>{}, cut{threads, 0}));
  }
}

// Zeros of both signs are equal, so which one an extremum is depends on the order.
TEST(host_reduce, extrema_are_those_of_the_order) {
  over_sizes_and_cuts([](std::size_t n, cut wanted) {
    std::mt19937 random{unsigned(n) + 3};
    std::vector<float> items(n), negative(n);
    for (std::size_t i = 0; i < n; ++i) {
      items[i] = random() % 8 ? 1.0f : std::copysign(0.0f, random() % 2 ? 1.0f : -1.0f);
      negative[i] = -items[i];
    }
    const thrust::minimum<float> least;
    const thrust::maximum<> greatest;
    EXPECT_EQ(std::signbit(host::reduce(items.begin(), n, 1.0f, least, wanted)),
              std::signbit(std::accumulate(items.begin(), items.end(), 1.0f, least)));
    EXPECT_EQ(std::signbit(host::reduce(negative.begin(), n, -1.0f, greatest, wanted)),
              std::signbit(std::accumulate(negative.begin(), negative.end(), -1.0f, greatest)));
  });
}

TEST(host_reduce, accumulates_in_the_type_of_init) {
  const std::vector<float> items(10, 1.9f);
  EXPECT_EQ(host::reduce(items.begin(), 10, 0, thrust::plus<int>{}), 10);
  const std::vector<std::string> words{"a", "b", "c", "d", "e"};
  EXPECT_EQ(host::reduce(words.begin(), 5, std::string{">"}, std::plus<>{}, cut{2, 2}), ">abcde");
}

TEST(host_reduce, rethrows) {
  const auto op = [](std::uint32_t a, std::uint32_t b) -> std::uint32_t {
    if (a == 777 || b == 777) throw std::runtime_error{"bad item"};
    return b;
  };
  std::vector<std::uint32_t> items(1000);
  std::iota(items.begin(), items.end(), 0u);
  for (cut wanted : cuts)
    EXPECT_THROW(host::reduce(items.begin(), 1000, 0u, op, wanted), std::runtime_error);
}

// ---- copy_if, partition ----

template <class T>
class host_select : public testing::Test {};
using item_types = testing::Types<std::int8_t, std::uint16_t, std::uint32_t, std::int64_t, double>;
TYPED_TEST_SUITE(host_select, item_types);

template <class T, class Check>
void over_inputs(Check check) {
  over_sizes_and_cuts([&](std::size_t n, cut wanted) {
    check(random_items<T>(n, 100), n, wanted);
    check(items_in_stretches<T>(n), n, wanted);
  });
}

TYPED_TEST(host_select, copy_if_is_copy_if) {
  over_inputs<TypeParam>([](const auto& items, std::size_t n, cut wanted) {
    std::vector<TypeParam> expected, out(n);
    std::copy_if(items.begin(), items.end(), std::back_inserter(expected), is_odd{});
    out.resize(host::copy_if(items.begin(), items.begin(), out.begin(), n, is_odd{}, wanted));
    ASSERT_EQ(out, expected);

    auto in_place = items;
    in_place.resize(
        host::copy_if(in_place.begin(), in_place.begin(), in_place.begin(), n, is_odd{}, wanted));
    ASSERT_EQ(in_place, expected);
  });
}

TYPED_TEST(host_select, partitions_keep_order) {
  over_inputs<TypeParam>([](const auto& items, std::size_t n, cut wanted) {
    std::vector<TypeParam> yes, no, out_yes(n), out_no(n);
    std::partition_copy(items.begin(), items.end(), std::back_inserter(yes), std::back_inserter(no),
                        is_odd{});
    const std::size_t count = host::partition_copy(items.begin(), items.begin(), out_yes.begin(),
                                                   out_no.begin(), n, is_odd{}, wanted);
    ASSERT_EQ(count, yes.size());
    out_yes.resize(count);
    out_no.resize(n - count);
    ASSERT_EQ(out_yes, yes);
    ASSERT_EQ(out_no, no);

    auto in_place = items;
    ASSERT_EQ(host::stable_partition(in_place.begin(), in_place.begin(), n, is_odd{}, wanted),
              count);
    yes.insert(yes.end(), no.begin(), no.end());
    ASSERT_EQ(in_place, yes);
  });
}

TEST(host_select, stencils_and_fancy_iterators) {
  over_sizes_and_cuts([](std::size_t n, cut wanted) {
    const auto stencil = random_items<std::uint32_t>(n);
    const auto items = thrust::counting_iterator<std::int64_t>{0};
    std::vector<std::int64_t> out(n), expected;
    for (std::size_t i = 0; i < n; ++i)
      if (stencil[i] % 2) expected.push_back(std::int64_t(i));
    out.resize(host::copy_if(items, stencil.begin(), out.begin(), n, is_odd{}, wanted));
    ASSERT_EQ(out, expected);

    std::vector<std::int64_t> first(n);
    std::vector<std::uint32_t> second(n);
    const std::size_t count = host::copy_if(
        thrust::make_zip_iterator(items, stencil.begin()), stencil.begin(),
        thrust::make_zip_iterator(first.begin(), second.begin()), n, is_odd{}, wanted);
    ASSERT_EQ(count, expected.size());
    first.resize(count);
    ASSERT_EQ(first, expected);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(second[i], stencil[std::size_t(first[i])]);

    EXPECT_EQ(host::partition_copy(items, items, thrust::make_discard_iterator(),
                                   thrust::make_discard_iterator(), n, is_odd{}, wanted),
              n / 2);
  });
}

// What is not selected need not exist, as behind a null pointer: stock does not look it up.
TEST(host_select, items_that_are_not_selected_are_not_read) {
  over_sizes_and_cuts([](std::size_t n, cut wanted) {
    const auto stencil = random_items<std::uint32_t>(n);
    std::vector<const std::uint32_t*> places(n);
    std::vector<std::uint32_t> expected, out(n), others(n);
    for (std::size_t i = 0; i < n; ++i)
      if (is_odd{}(stencil[i])) {
        places[i] = stencil.data() + i;
        expected.push_back(stencil[i]);
      }
    const auto look_up = [](const std::uint32_t* place) { return *place; };
    const auto items = thrust::make_transform_iterator(places.begin(), look_up);
    out.resize(host::copy_if(items, stencil.begin(), out.begin(), n, is_odd{}, wanted));
    ASSERT_EQ(out, expected);
    const std::size_t count =
        host::copy_if(thrust::make_zip_iterator(items, places.begin()), stencil.begin(),
                      thrust::make_zip_iterator(others.begin(), thrust::make_discard_iterator()), n,
                      is_odd{}, wanted);
    others.resize(count);
    ASSERT_EQ(others, expected);
  });
}

// The iterators of input and output are equal: their == compares the places alone.
TEST(host_select, one_permutation_of_two_arrays) {
  over_sizes_and_cuts([](std::size_t n, cut wanted) {
    const auto items = random_items<std::uint32_t>(n);
    std::vector<std::uint32_t> copies(n, 77), other(n, 77);
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = n - 1 - i;
    const auto any = [](std::uint32_t) { return true; };
    auto in = items;
    const auto from = thrust::make_permutation_iterator(in.begin(), places.begin());
    const auto to = thrust::make_permutation_iterator(copies.begin(), places.begin());
    ASSERT_EQ(host::copy_if(from, from, to, n, any, wanted), n);
    ASSERT_EQ(copies, items);
    std::fill(copies.begin(), copies.end(), 77);
    const auto zip_to = thrust::make_zip_iterator(to, other.begin());
    ASSERT_EQ(
        host::copy_if(thrust::make_zip_iterator(from, in.begin()), from, zip_to, n, any, wanted),
        n);
    ASSERT_EQ(copies, items);
    ASSERT_EQ(other, items);
    ASSERT_EQ(host::copy_if(from, from, from, n, is_odd{}, wanted),
              std::size_t(std::count_if(items.begin(), items.end(), is_odd{})));
  });
}

// The same with what stands for a reference: on devices that are the host, and to a bit.
template <class It, class OutputIt>
void expect_copies_by_one_permutation(It items, OutputIt copies, std::size_t n, cut wanted) {
  std::vector<std::size_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = n - 1 - i;
  const auto from = thrust::make_permutation_iterator(items, places.begin());
  const auto to = thrust::make_permutation_iterator(copies, places.begin());
  const auto any = [](int) { return true; };
  const auto expect_copies = [&](std::size_t count) {
    ASSERT_EQ(count, n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(int(copies[i]), int(i % 2)) << i;
    for (std::size_t i = 0; i < n; ++i) copies[i] = 0;
  };
  std::vector<int> lengths(n, 1), sums(n);
  expect_copies(host::copy_if(from, from, to, n, any, wanted));
  expect_copies(host::unique_by_key(from, from, to, n, thrust::equal_to<>{}, wanted));
  expect_copies(host::run_length_encode(from, n, to, lengths.begin(), wanted));
  expect_copies(host::reduce_by_key(from, lengths.begin(), to, sums.begin(), n,
                                    thrust::equal_to<>{}, thrust::plus<int>{}, wanted));
}
TEST(host_select, one_permutation_of_two_arrays_behind_proxies) {
  over_sizes_and_cuts([](std::size_t n, cut wanted) {
    std::vector<bool> bits(n), bit_copies(n);
    std::vector<int> items(n), copies(n);
    for (std::size_t i = 0; i < n; ++i) bits[i] = items[i] = int(i % 2);
    expect_copies_by_one_permutation(bits.begin(), bit_copies.begin(), n, wanted);
    expect_copies_by_one_permutation(thrust::device_pointer_cast(items.data()),
                                     thrust::device_pointer_cast(copies.data()), n, wanted);
  });
}

// One of two zipped outputs is an input.
TEST(host_select, zipped_outputs_of_which_one_is_in_place) {
  over_sizes_and_cuts([](std::size_t n, cut wanted) {
    std::vector<int> keys(n, 1), values(n, 2), copies(n, 77);
    const auto from = thrust::make_zip_iterator(keys.begin(), values.begin());
    const auto any = [](int) { return true; };
    ASSERT_EQ(
        host::copy_if(from, keys.begin(), thrust::make_zip_iterator(keys.begin(), copies.begin()),
                      n, any, wanted),
        n);
    ASSERT_EQ(copies, values);
  });
}

TEST(host_select, strings) {
  const auto longer = [](const std::string& s) { return s.size() > 1; };
  std::vector<std::string> words, yes, no;
  for (int i = 0; i < 500; ++i) words.push_back(std::to_string(i * 7919 % 23));
  std::partition_copy(words.begin(), words.end(), std::back_inserter(yes), std::back_inserter(no),
                      longer);
  for (cut wanted : cuts) {
    std::vector<std::string> a(500), b(500);
    a.resize(host::copy_if(words.begin(), words.begin(), a.begin(), 500, longer, wanted));
    EXPECT_EQ(a, yes);
    a.resize(500);
    host::partition_copy(words.begin(), words.begin(), a.begin(), b.begin(), 500, longer, wanted);
    a.resize(yes.size());
    b.resize(no.size());
    EXPECT_EQ(a, yes);
    EXPECT_EQ(b, no);
    auto in_place = words;
    EXPECT_EQ(host::stable_partition(in_place.begin(), in_place.begin(), 500, longer, wanted),
              yes.size());
    a.insert(a.end(), no.begin(), no.end());
    EXPECT_EQ(in_place, a);
  }
}

TEST(host_select, rethrows_and_does_not_hang) {
  std::vector<std::uint32_t> items(5000), out(5000);
  std::iota(items.begin(), items.end(), 0u);
  for (cut wanted : cuts)
    for (std::uint32_t bad : {0u, 63u, 2500u, 4999u})
      EXPECT_THROW(
          host::copy_if(items.begin(), items.begin(), out.begin(), 5000, throw_at{bad}, wanted),
          std::runtime_error);
}

// ---- runs ----

template <class Key, class T>
struct runs {
  std::vector<Key> keys;
  std::vector<T> values;
};

template <class Key, class T, class Op>
runs<Key, T> runs_of(const std::vector<Key>& keys, const std::vector<T>& values, Op op) {
  runs<Key, T> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) {
      result.values.back() = op(result.values.back(), values[i]);
    } else {
      result.keys.push_back(keys[i]);
      result.values.push_back(values[i]);
    }
  }
  return result;
}

std::vector<std::int32_t> keys_in_runs(std::size_t n, unsigned mean) {
  std::mt19937 random{unsigned(n) * 31 + mean};
  std::vector<std::int32_t> keys(n);
  std::int32_t key = 0;
  for (auto& k : keys) k = key += random() % mean == 0;
  return keys;
}

TEST(host_runs, reduce_by_key_folds_runs) {
  for (unsigned mean : {1u, 2u, 8u, 256u, 1u << 30})
    over_sizes_and_cuts([mean](std::size_t n, cut wanted) {
      const auto keys = keys_in_runs(n, mean);
      const auto values = random_items<std::uint32_t>(n);
      const auto expected = runs_of(keys, values, compose_packed{});
      runs<std::int32_t, std::uint32_t> got{std::vector<std::int32_t>(n),
                                            std::vector<std::uint32_t>(n)};
      const std::size_t count =
          host::reduce_by_key(keys.begin(), values.begin(), got.keys.begin(), got.values.begin(), n,
                              thrust::equal_to<std::int32_t>{}, compose_packed{}, wanted);
      ASSERT_EQ(count, expected.keys.size());
      got.keys.resize(count);
      got.values.resize(count);
      ASSERT_EQ(got.keys, expected.keys);
      ASSERT_EQ(got.values, expected.values);
    });
}

TEST(host_runs, reduce_by_key_writes_the_first_key) {
  const std::vector<int> keys{1, 2, 3, 11, 12, 25}, ones(6, 1);
  for (cut wanted : cuts) {
    std::vector<int> k(6), v(6);
    ASSERT_EQ(host::reduce_by_key(
                  keys.begin(), ones.begin(), k.begin(), v.begin(), 6,
                  [](int a, int b) { return a / 10 == b / 10; }, thrust::plus<int>{}, wanted),
              3u);
    EXPECT_EQ((std::vector<int>{k[0], k[1], k[2], v[0], v[1], v[2]}),
              (std::vector<int>{1, 11, 25, 3, 2, 1}));
  }
}

TEST(host_runs, float_sums_do_not_depend_on_the_team) {
  const std::size_t n = (1 << 20) + 7;
  for (unsigned mean : {1u, 8u, 5000u, 1u << 30}) {
    const auto keys = keys_in_runs(n, mean);
    std::mt19937 random{3};
    std::vector<float> values(n), one(n), many(n);
    for (float& value : values) value = std::ldexp(float(random()), -int(random() % 40));
    const auto reduce = [&](std::vector<float>& out, unsigned threads) {
      out.resize(host::reduce_by_key(keys.begin(), values.begin(), thrust::make_discard_iterator(),
                                     out.begin(), n, thrust::equal_to<>{}, thrust::plus<float>{},
                                     cut{threads, 0}));
    };
    reduce(one, 1);
    for (unsigned threads : {2u, 3u, 7u}) {
      many.assign(n, 0);
      reduce(many, threads);
      EXPECT_EQ(one, many);
    }
  }
}

TEST(host_runs, strings_as_keys_and_as_values) {
  const std::vector<std::string> words{"a", "a", "b", "c", "c", "c"};
  std::vector<std::string> k(6), v(6);
  ASSERT_EQ(host::reduce_by_key(words.begin(), words.begin(), k.begin(), v.begin(), 6,
                                std::equal_to<>{}, std::plus<>{}, cut{2, 1}),
            3u);
  EXPECT_EQ(k[2] + v[0] + v[2], "caaccc");
  std::vector<int> lengths(6);
  ASSERT_EQ(host::run_length_encode(words.begin(), 6, k.begin(), lengths.begin(), cut{2, 1}), 3u);
  EXPECT_EQ(lengths, (std::vector<int>{2, 1, 3, 0, 0, 0}));
}

/// Writes numbers of any type, halved and with the other sign.
struct write_half_below_zero {
  double* out;
  template <class Place, class Number>
  void operator()(Place place, Number number) const {
    out[place] = -number / 2.0;
  }
};

TEST(host_runs, run_lengths_have_a_sign_where_the_output_has_no_type_of_items) {
  const std::vector<double> expected{-1.5, -0.5};
  const auto check = [&](const auto& items) {
    auto unique = items;
    std::vector<double> halves(2);
    const auto out = thrust::make_tabulate_output_iterator(write_half_below_zero{halves.data()});
    EXPECT_EQ(host::run_length_encode(items.begin(), 4, unique.begin(), out, cut{2, 1}), 2u);
    EXPECT_EQ(halves, expected);
  };
  check(std::vector<int>{7, 7, 7, 4});
  check(std::vector<std::string>{"a", "a", "a", "b"});
}

/// For a while, an assignment leaves neither value.
struct slow_to_assign {
  int value;
  slow_to_assign(int number = 0) : value{number} {}
  slow_to_assign(const slow_to_assign&) = default;
  slow_to_assign& operator=(const slow_to_assign& other) {
    volatile int& to = value;
    to = -1;
    std::this_thread::sleep_for(std::chrono::microseconds(100 * (other.value * 7 % 5)));
    to = other.value;
    return *this;
  }
  bool operator==(const slow_to_assign& other) const { return value == other.value; }
};

// As long as each item is a run, a tile must not write its last item: the next one may read that.
TEST(host_runs, keys_that_stay_in_place_are_not_assigned) {
  const host::team_size_scope three{3};
  constexpr std::size_t n = 64;
  for (std::size_t border = 10; border < 50; border += 2) {
    std::vector<slow_to_assign> items(n);
    std::vector<int> lengths(n), ones(n, 1);
    const auto fill = [&] {
      for (std::size_t i = 0; i < n; ++i) items[i].value = int(i < border ? i : i - 1);
    };
    fill();
    EXPECT_EQ(host::run_length_encode(items.begin(), n, items.begin(), lengths.begin(), cut{3, 2}),
              n - 1);
    fill();
    EXPECT_EQ(
        host::reduce_by_key(items.begin(), ones.begin(), items.begin(), ones.begin(), n,
                            thrust::equal_to<slow_to_assign>{}, thrust::plus<int>{}, cut{3, 2}),
        n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      ASSERT_EQ(items[i].value, int(i));
      ASSERT_EQ(lengths[i], i + 1 == border ? 2 : 1);
      ASSERT_EQ(ones[i], lengths[i]);
    }
  }
}

TEST(host_runs, run_length_encode_counts_runs) {
  for (unsigned mean : {1u, 2u, 8u, 256u, 1u << 30})
    over_sizes_and_cuts([mean](std::size_t n, cut wanted) {
      const auto keys = keys_in_runs(n, mean);
      const auto expected = runs_of(keys, std::vector<int>(n, 1), thrust::plus<int>{});
      std::vector<std::int32_t> unique(n);
      std::vector<int> counts(n);
      const std::size_t count =
          host::run_length_encode(keys.begin(), n, unique.begin(), counts.begin(), wanted);
      ASSERT_EQ(count, expected.keys.size());
      unique.resize(count);
      counts.resize(count);
      ASSERT_EQ(unique, expected.keys);
      ASSERT_EQ(counts, expected.values);
    });
}

}  // namespace
