// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// systems: CPP OMP
// labels: asan tsan
// A/B runs on host threads: the caller gets stock's bits whatever our side does, and the report
// says what it did. Our side is made wrong here by policies that hand a call to ours and spoil it.
#include <hindsight/ab.h>

#include <thrust/adjacent_difference.h>
#include <thrust/for_each.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>

#include "ab_par_testing.h"
#include <algorithm>
#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <list>
#include <locale>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ab_par_test {

using hindsight::ab_par;
using hindsight::ab_report;
using hindsight::ab_row;
using hindsight_test::expect_row_without_blemish;
using hindsight_test::only_row;
using list = std::vector<int>;

constexpr std::size_t n = 20011;  // prime
constexpr int poison = -77;
const hindsight::host::stock_par_t stock{};

/// Not negative: stock's radix sort on the host puts negative numbers last.
list random_items(std::size_t num_items = n, unsigned below = 1000) {
  std::mt19937 random{7};
  list items(num_items);
  for (int& item : items) item = int(random() % below);
  return items;
}
list random_runs() {
  std::mt19937 random{8};
  list items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = random() % 3 && i ? items[i - 1] : int(i);
  return items;
}

struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};
struct twice {
  int operator()(int x) const { return 2 * x; }
};

class AbPar : public testing::Test {
 protected:
  void SetUp() override { ab_report().clear(); }
};

/// Memory that one call works on.
struct memory {
  list in = random_items(), runs = random_runs();
  list stencil = random_items(n, 7);
  list out = list(n, poison), out2 = list(n, poison);
  std::vector<long> bins = std::vector<long>(10, poison);
  long long value = poison;  // whatever was returned, as a number

  friend bool operator==(const memory& l, const memory& r) {
    return l.in == r.in && l.runs == r.runs && l.stencil == r.stencil && l.out == r.out &&
           l.out2 == r.out2 && l.bins == r.bins && l.value == r.value;
  }
};

/// Calls `call(policy, memory)` with ab_par and with stock, in both orders of the sides: the same
/// results, the same memory, and a row that says so.
template <class Call>
void expect_same(const char* algorithm, Call call) {
  SCOPED_TRACE(algorithm);
  ab_report().clear();
  memory expected;
  expected.value = call(stock, expected);
  for (int turn = 0; turn < 2; ++turn) {
    memory got;
    got.value = call(ab_par, got);
    EXPECT_TRUE(got == expected);
  }
  expect_row_without_blemish(algorithm, 2, n);
}

TEST_F(AbPar, Reductions) {
  const thrust::plus<int> plus;
  expect_same("reduce",
              [](auto& p, memory& m) { return thrust::reduce(p, m.in.begin(), m.in.end()); });
  expect_same("reduce",
              [](auto& p, memory& m) { return thrust::reduce(p, m.in.begin(), m.in.end(), 5LL); });
  expect_same("reduce", [](auto& p, memory& m) {
    return thrust::reduce(p, m.in.begin(), m.in.end(), 5, thrust::maximum<int>{});
  });
  expect_same("transform_reduce", [&](auto& p, memory& m) {
    return thrust::transform_reduce(p, m.in.begin(), m.in.end(), twice{}, 3, plus);
  });
  expect_same("inner_product", [](auto& p, memory& m) {
    return thrust::inner_product(p, m.in.begin(), m.in.end(), m.stencil.begin(), 3LL);
  });
  expect_same("inner_product", [&](auto& p, memory& m) {
    return thrust::inner_product(p, m.in.begin(), m.in.end(), m.stencil.begin(), 3, plus, plus);
  });
  expect_same("count",
              [](auto& p, memory& m) { return thrust::count(p, m.in.begin(), m.in.end(), 7); });
  expect_same("count_if", [](auto& p, memory& m) {
    return thrust::count_if(p, m.in.begin(), m.in.end(), is_odd{});
  });
}

#if CCCL_VERSION >= 3002000
TEST_F(AbPar, FoldsIntoAnItem) {
  expect_same("reduce_into", [](auto& p, memory& m) {
    thrust::reduce_into(p, m.in.begin(), m.in.end(), m.in.begin());
    return 0;
  });
}
#endif

TEST_F(AbPar, Answers) {
  const auto is_any = [](int) { return true; };
  expect_same("all_of", [&](auto& p, memory& m) {
    return thrust::all_of(p, m.in.begin(), m.in.end(), is_any);
  });
  expect_same("any_of", [](auto& p, memory& m) {
    return thrust::any_of(p, m.in.begin(), m.in.end(), is_odd{});
  });
  expect_same("none_of", [](auto& p, memory& m) {
    return thrust::none_of(p, m.in.begin(), m.in.end(), is_odd{});
  });
}

TEST_F(AbPar, Scans) {
  const thrust::plus<int> plus;
  expect_same("inclusive_scan", [](auto& p, memory& m) {
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), m.out.begin()) - m.out.begin();
  });
  expect_same("inclusive_scan", [&](auto& p, memory& m) {
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), m.out.begin(), 3, plus) -
           m.out.begin();
  });
  expect_same("inclusive_scan", [](auto& p, memory& m) {
    volatile int* const out = m.out.data();
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), out) - out;
  });
  expect_same("exclusive_scan", [](auto& p, memory& m) {
    return thrust::exclusive_scan(p, m.in.begin(), m.in.end(), m.out.begin(), 3) - m.out.begin();
  });
  expect_same("transform_inclusive_scan", [&](auto& p, memory& m) {
    const auto f = m.in.begin();
    return thrust::transform_inclusive_scan(p, f, m.in.end(), m.out.begin(), twice{}, plus) -
           m.out.begin();
  });
  expect_same("transform_exclusive_scan", [&](auto& p, memory& m) {
    const auto f = m.in.begin();
    return thrust::transform_exclusive_scan(p, f, m.in.end(), m.out.begin(), twice{}, 3, plus) -
           m.out.begin();
  });
  expect_same("inclusive_scan_by_key", [](auto& p, memory& m) {
    const auto f = m.runs.begin();
    return thrust::inclusive_scan_by_key(p, f, m.runs.end(), m.in.begin(), m.out.begin()) -
           m.out.begin();
  });
  expect_same("exclusive_scan_by_key", [](auto& p, memory& m) {
    const auto f = m.runs.begin();
    return thrust::exclusive_scan_by_key(p, f, m.runs.end(), m.in.begin(), m.out.begin(), 3) -
           m.out.begin();
  });
}

TEST_F(AbPar, ScansInPlace) {
  expect_same("inclusive_scan", [](auto& p, memory& m) {
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), m.in.begin()) - m.in.begin();
  });
  expect_same("exclusive_scan", [](auto& p, memory& m) {
    return thrust::exclusive_scan(p, m.in.begin(), m.in.end(), m.in.begin()) - m.in.begin();
  });
  expect_same("inclusive_scan", [](auto& p, memory& m) {  // an overlap that no iterator shows
    const auto first = thrust::make_transform_iterator(m.in.begin(), twice{});
    return thrust::inclusive_scan(p, first, first + n, m.in.begin()) - m.in.begin();
  });
  expect_same("inclusive_scan_by_key", [](auto& p, memory& m) {
    const auto f = m.runs.begin();
    return thrust::inclusive_scan_by_key(p, f, m.runs.end(), m.in.begin(), m.runs.begin()) - f;
  });
}

TEST_F(AbPar, Selections) {
  expect_same("copy_if", [](auto& p, memory& m) {
    return thrust::copy_if(p, m.in.begin(), m.in.end(), m.out.begin(), is_odd{}) - m.out.begin();
  });
  expect_same("copy_if", [](auto& p, memory& m) {
    const auto st = m.stencil.begin();
    return thrust::copy_if(p, m.in.begin(), m.in.end(), st, m.out.begin(), is_odd{}) -
           m.out.begin();
  });
  expect_same("remove_copy", [](auto& p, memory& m) {
    return thrust::remove_copy(p, m.in.begin(), m.in.end(), m.out.begin(), 7) - m.out.begin();
  });
  expect_same("remove_copy_if", [](auto& p, memory& m) {
    const auto out = m.out.begin();
    return thrust::remove_copy_if(p, m.in.begin(), m.in.end(), out, is_odd{}) - out;
  });
  expect_same("remove_copy_if", [](auto& p, memory& m) {
    const auto st = m.stencil.begin(), out = m.out.begin();
    return thrust::remove_copy_if(p, m.in.begin(), m.in.end(), st, out, is_odd{}) - out;
  });
  const auto forget_rest = [](memory& m, auto end) {  // what is left behind it is unspecified
    std::fill(end, m.in.end(), poison);
    return end - m.in.begin();
  };
  expect_same("remove", [&](auto& p, memory& m) {
    return forget_rest(m, thrust::remove(p, m.in.begin(), m.in.end(), 7));
  });
  expect_same("remove_if", [&](auto& p, memory& m) {
    return forget_rest(m, thrust::remove_if(p, m.in.begin(), m.in.end(), is_odd{}));
  });
  expect_same("remove_if", [&](auto& p, memory& m) {
    const auto st = m.stencil.begin();
    return forget_rest(m, thrust::remove_if(p, m.in.begin(), m.in.end(), st, is_odd{}));
  });
}

TEST_F(AbPar, SelectionsInPlace) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
  GTEST_SKIP() << "stock's OpenMP threads overwrite items that other threads have yet to read";
#endif
  const auto forget_rest = [](list& to, auto end) {
    std::fill(end, to.end(), poison);
    return end - to.begin();
  };
  expect_same("copy_if", [&](auto& p, memory& m) {
    const auto f = m.in.begin();
    return forget_rest(m.in, thrust::copy_if(p, f, m.in.end(), f, is_odd{}));
  });
  expect_same("copy_if", [&](auto& p, memory& m) {
    const int* const f = m.in.data();
    thrust::copy_if(p, f, f + n, m.stencil.begin(), m.in.data(), is_odd{});
    return 0;
  });
  expect_same("copy_if", [&](auto& p, memory& m) {
    const auto st = m.stencil.begin();
    return forget_rest(m.stencil, thrust::copy_if(p, m.in.begin(), m.in.end(), st, st, is_odd{}));
  });
  expect_same("copy_if", [&](auto& p, memory& m) {
    const auto f = thrust::make_zip_iterator(m.in.begin(), m.runs.begin());
    const auto end = thrust::copy_if(p, f, f + n, m.stencil.begin(), f, is_odd{});
    std::fill(m.in.begin() + (end - f), m.in.end(), poison);
    return forget_rest(m.runs, m.runs.begin() + (end - f));
  });
  expect_same("remove_copy", [&](auto& p, memory& m) {
    const auto f = m.in.begin();
    return forget_rest(m.in, thrust::remove_copy(p, f, m.in.end(), f, 7));
  });
  expect_same("remove_copy_if", [&](auto& p, memory& m) {
    const auto f = m.in.begin();
    return forget_rest(m.in, thrust::remove_copy_if(p, f, m.in.end(), f, is_odd{}));
  });
  expect_same("remove_copy_if", [&](auto& p, memory& m) {
    const auto f = m.in.begin(), st = m.stencil.begin();
    return forget_rest(m.in, thrust::remove_copy_if(p, f, m.in.end(), st, f, is_odd{}));
  });
  expect_same("unique_copy", [&](auto& p, memory& m) {
    const auto f = m.runs.begin();
    return forget_rest(m.runs, thrust::unique_copy(p, f, m.runs.end(), f));
  });
}

// Nothing but what is selected has room in the output.
TEST_F(AbPar, SelectionsToAShortOutput) {
  list items(n, 2), out(1, poison);
  items[n / 2] = 1;
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_EQ(thrust::copy_if(ab_par, items.begin(), items.end(), out.begin(), is_odd{}),
              out.end());
  expect_row_without_blemish("copy_if", 2, n);
}

TEST_F(AbPar, Partitions) {
  expect_same("partition", [](auto& p, memory& m) {
    return thrust::partition(p, m.in.begin(), m.in.end(), is_odd{}) - m.in.begin();
  });
  expect_same("stable_partition", [](auto& p, memory& m) {
    return thrust::stable_partition(p, m.in.begin(), m.in.end(), is_odd{}) - m.in.begin();
  });
  expect_same("stable_partition", [](auto& p, memory& m) {
    const auto st = m.stencil.begin();
    return thrust::stable_partition(p, m.in.begin(), m.in.end(), st, is_odd{}) - m.in.begin();
  });
  const auto number = [](memory& m, auto ends) {
    return (ends.first - m.out.begin()) * 100000 + (ends.second - m.out2.begin());
  };
  expect_same("partition_copy", [&](auto& p, memory& m) {
    return number(m, thrust::partition_copy(p, m.in.begin(), m.in.end(), m.out.begin(),
                                            m.out2.begin(), is_odd{}));
  });
  expect_same("stable_partition_copy", [&](auto& p, memory& m) {
    return number(m, thrust::stable_partition_copy(p, m.in.begin(), m.in.end(), m.stencil.begin(),
                                                   m.out.begin(), m.out2.begin(), is_odd{}));
  });
}

TEST_F(AbPar, Runs) {
  const auto number = [](memory& m, auto ends) {
    return (ends.first - m.out.begin()) * 100000 + (ends.second - m.out2.begin());
  };
  expect_same("reduce_by_key", [&](auto& p, memory& m) {
    return number(m, thrust::reduce_by_key(p, m.runs.begin(), m.runs.end(), m.in.begin(),
                                           m.out.begin(), m.out2.begin()));
  });
  expect_same("reduce_by_key", [&](auto& p, memory& m) {
    return number(
        m, thrust::reduce_by_key(p, m.runs.begin(), m.runs.end(), m.in.begin(), m.out.begin(),
                                 m.out2.begin(), thrust::equal_to<int>{}, thrust::maximum<int>{}));
  });
  expect_same("unique_copy", [](auto& p, memory& m) {
    return thrust::unique_copy(p, m.runs.begin(), m.runs.end(), m.out.begin()) - m.out.begin();
  });
  expect_same("unique_count", [](auto& p, memory& m) {
    return thrust::unique_count(p, m.runs.begin(), m.runs.end(), thrust::equal_to<int>{});
  });
  expect_same("unique", [](auto& p, memory& m) {
    const auto end = thrust::unique(p, m.runs.begin(), m.runs.end());
    std::fill(end, m.runs.end(), poison);  // unspecified
    return end - m.runs.begin();
  });
  expect_same("unique_by_key", [](auto& p, memory& m) {
    const auto ends = thrust::unique_by_key(p, m.runs.begin(), m.runs.end(), m.in.begin());
    std::fill(ends.first, m.runs.end(), poison);
    std::fill(ends.second, m.in.end(), poison);
    return ends.first - m.runs.begin();
  });
  expect_same("unique_by_key_copy", [&](auto& p, memory& m) {
    return number(m, thrust::unique_by_key_copy(p, m.runs.begin(), m.runs.end(), m.in.begin(),
                                                m.out.begin(), m.out2.begin()));
  });
  expect_same("adjacent_difference", [](auto& p, memory& m) {
    return thrust::adjacent_difference(p, m.in.begin(), m.in.end(), m.out.begin()) - m.out.begin();
  });
  expect_same("adjacent_difference", [](auto& p, memory& m) {
    return thrust::adjacent_difference(p, m.in.begin(), m.in.end(), m.in.begin()) - m.in.begin();
  });
  expect_same("run_length_encode", [&](auto& p, memory& m) {
    return number(m, hindsight::run_length_encode(p, m.runs.begin(), m.runs.end(), m.out.begin(),
                                                  m.out2.begin()));
  });
}

TEST_F(AbPar, Sorts) {
  expect_same("sort",
              [](auto& p, memory& m) { return thrust::sort(p, m.in.begin(), m.in.end()), 0; });
  expect_same("stable_sort", [](auto& p, memory& m) {
    return thrust::stable_sort(p, m.in.begin(), m.in.end(), thrust::greater<int>{}), 0;
  });
  expect_same("sort_by_key", [](auto& p, memory& m) {
    return thrust::sort_by_key(p, m.in.begin(), m.in.end(), m.runs.begin()), 0;
  });
  expect_same("stable_sort_by_key", [](auto& p, memory& m) {
    const auto values = thrust::make_zip_iterator(m.runs.begin(), m.stencil.begin());
    return thrust::stable_sort_by_key(p, m.in.begin(), m.in.end(), values), 0;
  });
}

TEST_F(AbPar, Histograms) {
  expect_same("histogram_even", [](auto& p, memory& m) {
    return hindsight::histogram_even(p, m.in.begin(), m.in.end(), 10, 0, 900, m.bins.begin()) -
           m.bins.begin();
  });
  const list levels = {0, 10, 500, 501};
  expect_same("histogram_range", [&](auto& p, memory& m) {
    return hindsight::histogram_range(p, m.in.begin(), m.in.end(), levels.begin(), levels.end(),
                                      m.bins.begin()) -
           m.bins.begin();
  });
}

// There may be more bins than samples.
TEST_F(AbPar, HistogramsOfFewSamples) {
  const list levels = {0, 3, 100, 200, 300, 400, 1000};
  for (const std::ptrdiff_t num_samples : {0, 1, 3}) {
    SCOPED_TRACE(num_samples);
    const list samples = {999, 2, 1};
    const auto first = samples.begin(), last = first + num_samples;
    const auto expect_counts = [&](const char* algorithm, auto call) {
      ab_report().clear();
      std::vector<long> expected(6, poison), got(6, poison);
      call(stock, expected);
      for (int turn = 0; turn < 2; ++turn) call(ab_par, got);
      EXPECT_EQ(got, expected);
      expect_row_without_blemish(algorithm, 2, std::size_t(num_samples));
    };
    expect_counts("histogram_even", [&](auto& p, std::vector<long>& bins) {
      hindsight::histogram_even(p, first, last, 6, 0, 1200, bins.begin());
    });
    expect_counts("histogram_range", [&](auto& p, std::vector<long>& bins) {
      hindsight::histogram_range(p, first, last, levels.begin(), levels.end(), bins.begin());
    });
  }
}

TEST_F(AbPar, NothingAtAll) {
  list none;
  EXPECT_EQ(thrust::reduce(ab_par, none.begin(), none.end(), 3), 3);
  thrust::sort(ab_par, none.begin(), none.end());
  EXPECT_TRUE(thrust::inclusive_scan(ab_par, none.begin(), none.end(), none.begin()) == none.end());
  EXPECT_TRUE(thrust::copy_if(ab_par, none.begin(), none.end(), none.begin(), is_odd{}) ==
              none.end());
  for (const ab_row& row : ab_report().rows()) {
    EXPECT_EQ(row.calls + row.items + row.differing + row.not_compared + row.errors, 1u)
        << row.name;
  }
  EXPECT_EQ(ab_report().rows().size(), 4u);
}

/// Ours, but item 17 of what it writes is wrong, or the last, a count is one too many and a sum one
/// too high.
struct wrong_at_17 : hindsight::host::execution_policy<wrong_at_17> {};

template <class It, class Out>
Out inclusive_scan(wrong_at_17&, It first, It last, Out out) {
  const Out end = thrust::inclusive_scan(hindsight::host::par, first, last, out);
  out[17] = std::is_same_v<std::decay_t<decltype(*out)>, float> ? -out[17] : out[17] + 1;
  return end;
}
template <class It, class Out>
Out exclusive_scan(wrong_at_17&, It first, It last, Out out) {
  const Out end = thrust::exclusive_scan(hindsight::host::par, first, last, out);
  ++*(end - 1);
  return end;
}
template <class It>
void sort(wrong_at_17&, It first, It last) {
  thrust::sort(hindsight::host::par, first, last);
  ++first[17];
}
template <class It, class ValueIt>
void sort_by_key(wrong_at_17&, It first, It last, ValueIt values) {
  thrust::sort_by_key(hindsight::host::par, first, last, values);
  ++cuda::std::get<1>(values[17]);
}
template <class It, class Pred>
It remove_if(wrong_at_17&, It first, It last, Pred pred) {
  std::fill(first, last, poison);
  return thrust::remove_if(hindsight::host::par, first, last, pred);
}
template <class It, class Out, class Pred>
Out copy_if(wrong_at_17&, It first, It last, Out out, Pred pred) {
  return thrust::copy_if(hindsight::host::par, first, last, out, pred) + 1;
}
template <class It, class True, class False, class Pred>
cuda::std::pair<True, False> partition_copy(wrong_at_17&, It first, It last, True out_true,
                                            False out_false, Pred pred) {
  const auto ends =
      thrust::partition_copy(hindsight::host::par, first, last, out_true, out_false, pred);
  ++out_false[17];
  return ends;
}
template <class It>
int reduce(wrong_at_17&, It first, It last) {
  return thrust::reduce(hindsight::host::par, first, last) + 1;
}

/// As expect_same, but every call differs.
template <class Call>
void expect_difference(const std::string& difference, Call call) {
  SCOPED_TRACE(difference);
  ab_report().clear();
  memory expected;
  expected.value = call(stock, expected);
  for (int turn = 0; turn < 2; ++turn) {
    memory got;
    const auto wrong = hindsight::ab(stock, wrong_at_17{});
    got.value = call(wrong, got);
    EXPECT_TRUE(got == expected);
  }
  const ab_row row = only_row();
  EXPECT_EQ(row.differing, 2u);
  EXPECT_EQ(row.first_difference, difference + " in call 1");
  EXPECT_EQ(row.errors, 0u) << row.first_error;
}

TEST_F(AbPar, SaysWhereOurSideDiffersAndKeepsStocksBits) {
  expect_difference("out[17]", [](auto& p, memory& m) {
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), m.out.begin()) - m.out.begin();
  });
  expect_difference("out[17]", [](auto& p, memory& m) {
    return thrust::inclusive_scan(p, m.in.begin(), m.in.end(), m.in.begin()) - m.in.begin();
  });
  expect_difference("out[" + std::to_string(n - 1) + "]", [](auto& p, memory& m) {
    return thrust::exclusive_scan(p, m.in.begin(), m.in.end(), m.out.begin()) - m.out.begin();
  });
  expect_difference(
      "keys[17]", [](auto& p, memory& m) { return thrust::sort(p, m.in.begin(), m.in.end()), 0; });
  expect_difference("values.1[17]", [](auto& p, memory& m) {
    const auto values = thrust::make_zip_iterator(m.runs.begin(), m.stencil.begin());
    return thrust::sort_by_key(p, m.in.begin(), m.in.end(), values), 0;
  });
  expect_difference("out_false[17]", [](auto& p, memory& m) {
    thrust::partition_copy(p, m.in.begin(), m.in.end(), m.out.begin(), m.out2.begin(), is_odd{});
    return 0;
  });
  expect_difference("result",
                    [](auto& p, memory& m) { return thrust::reduce(p, m.in.begin(), m.in.end()); });
  const list in = memory{}.in;
  const auto odd = std::count_if(in.begin(), in.end(), is_odd{});
  expect_difference(
      "end of out (" + std::to_string(odd + 1) + ", stock " + std::to_string(odd) + ")",
      [](auto& p, memory& m) {
        const auto out = m.out.begin();
        return thrust::copy_if(p, m.in.begin(), m.in.end(), out, is_odd{}) - out;
      });
  const auto even = std::to_string(n - std::size_t(odd));
  expect_difference("end of items (0, stock " + even + ")", [](auto& p, memory& m) {
    const auto end = thrust::remove_if(p, m.in.begin(), m.in.end(), is_odd{});
    std::fill(end, m.in.end(), poison);
    return end - m.in.begin();
  });
}

/// Takes item 3 the first `accepted` times only.
struct fickle {
  std::atomic<int>* left;
  bool operator()(int x) const { return x != 3 || left->fetch_sub(1) > 0; }
};

TEST_F(AbPar, NoticesAPredicateThatChangesItsMind) {
  const list in = {1, 2, 3, 4, 5};
  list out(5, poison);
  std::atomic<int> left{1};
  const auto end = thrust::copy_if(ab_par, in.begin(), in.end(), out.begin(), fickle{&left});
  EXPECT_EQ(end - out.begin(), 5);  // stock went first
  EXPECT_EQ(out, in);
  EXPECT_EQ(only_row().first_difference, "end of out (4, stock 5) in call 1");
}

TEST_F(AbPar, ComparesBitsNotValues) {
  const std::vector<float> nans(n, std::numeric_limits<float>::quiet_NaN()), zeros(n, 0.0f);
  std::vector<float> out(n, 1.0f);
  thrust::copy_if(ab_par, nans.begin(), nans.end(), out.begin(), [](float) { return true; });
  EXPECT_EQ(only_row().differing, 0u);
  ab_report().clear();
  const auto wrong = hindsight::ab(stock, wrong_at_17{});
  thrust::inclusive_scan(wrong, zeros.begin(), zeros.end(), out.begin());
  EXPECT_EQ(only_row().first_difference, "out[17] in call 1");  // -0.0
}

/// Ours in its first call; then it writes nothing.
struct forgetful : hindsight::host::execution_policy<forgetful> {
  int* calls;
};

template <class It, class Out>
Out inclusive_scan(forgetful& policy, It first, It last, Out out) {
  if (++*policy.calls > 1) return out + (last - first);
  return thrust::inclusive_scan(hindsight::host::par, first, last, out);
}

// The same memory may serve every call: what the first wrote there is no result of the second.
TEST_F(AbPar, SeesWhatIsNotWritten) {
  const list in = random_items();
  list out(n);
  int calls = 0;
  forgetful ours;
  ours.calls = &calls;
  const auto policy = hindsight::ab(stock, ours);
  for (int call = 0; call < 4; ++call)
    thrust::inclusive_scan(policy, in.begin(), in.end(), out.begin());
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(only_row().differing, 3u);
}

/// Fails, in the middle of what it writes.
struct failing : hindsight::host::execution_policy<failing> {};

template <class It>
void sort(failing&, It first, It) {
  *first = poison;
  throw std::runtime_error("no luck");
}
template <class It, class Out>
Out exclusive_scan(failing&, It, It, Out out) {
  *out = poison;
  throw 5;
}

TEST_F(AbPar, OurExceptionsStayInTheReport) {
  const auto policy = hindsight::ab(stock, failing{});
  for (int turn = 0; turn < 2; ++turn) {
    list items = random_items(), sorted = items;
    thrust::sort(policy.named("sorted"), items.begin(), items.end());
    thrust::sort(stock, sorted.begin(), sorted.end());
    EXPECT_EQ(items, sorted);

    list sums = random_items(), expected = sums;
    thrust::exclusive_scan(policy.named("sums"), sums.begin(), sums.end(), sums.begin());
    thrust::exclusive_scan(stock, expected.begin(), expected.end(), expected.begin());
    EXPECT_EQ(sums, expected);
  }
  const auto rows = ab_report().rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].errors, 2u);
  EXPECT_EQ(rows[0].first_error, "no luck");
  EXPECT_EQ(rows[0].our_ms, 0);
  EXPECT_EQ(rows[1].errors, 2u);
  std::ostringstream text;
  ab_report().print(text);
  EXPECT_NE(text.str().find("first error of sorted: no luck"), std::string::npos);
}

/// Its exceptions say nothing.
struct mute : hindsight::host::execution_policy<mute> {
  struct error : std::exception {
    const char* what() const noexcept override { return ""; }
  };
};
template <class It>
void sort(mute&, It, It) {
  throw mute::error{};
}

TEST_F(AbPar, ExceptionsWithoutATextCount) {
  list items = random_items();
  thrust::sort(hindsight::ab(stock, mute{}), items.begin(), items.end());
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
  EXPECT_EQ(only_row().errors, 1u);
  EXPECT_NE(only_row().first_error, "");
}

TEST_F(AbPar, StringLiteralsStandForItems) {
  std::vector<std::string> words = {"b", "a", "b"}, copies(3);
  EXPECT_EQ(thrust::count(ab_par, words.begin(), words.end(), "b"), 2);
  EXPECT_EQ(only_row().not_compared, 0u);
  EXPECT_EQ(thrust::remove_copy(ab_par, words.begin(), words.end(), copies.begin(), "b"),
            copies.begin() + 1);
  EXPECT_EQ(thrust::remove(ab_par, words.begin(), words.end(), "b"), words.begin() + 1);
}

/// Moves anywhere, but has no order.
struct unordered_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = int;
  using pointer = const int*;
  using reference = const int&;
  const int* at;

  reference operator*() const { return *at; }
  reference operator[](difference_type i) const { return at[i]; }
  unordered_iterator& operator++() { return ++at, *this; }
  unordered_iterator& operator+=(difference_type i) { return at += i, *this; }
  friend unordered_iterator operator+(unordered_iterator it, difference_type i) { return it += i; }
  friend difference_type operator-(unordered_iterator a, unordered_iterator b) {
    return a.at - b.at;
  }
  friend bool operator==(unordered_iterator a, unordered_iterator b) { return a.at == b.at; }
  friend bool operator!=(unordered_iterator a, unordered_iterator b) { return a.at != b.at; }
};

TEST_F(AbPar, InputsWithoutAnOrder) {
  const list in = random_items();
  const unordered_iterator first{in.data()}, last{in.data() + n};
  EXPECT_EQ(thrust::count_if(ab_par, first, last, is_odd{}),
            std::count_if(in.begin(), in.end(), is_odd{}));
  expect_row_without_blemish("count_if", 1, n);
}

TEST_F(AbPar, WhatCannotBeComparedRunsOnceOnStock) {
  const list in = random_items();
  const auto odd = std::count_if(in.begin(), in.end(), is_odd{});
  std::atomic<long> written{0};
  list sums(n);
  const auto spy = thrust::make_transform_output_iterator(sums.begin(), [&written](int x) {
    ++written;
    return x;
  });
  thrust::inclusive_scan(ab_par.named("spied"), in.begin(), in.end(), spy);
  EXPECT_EQ(written, long(n));
  EXPECT_EQ(sums.back(), thrust::reduce(stock, in.begin(), in.end()));

  const thrust::discard_iterator<> nowhere;
  EXPECT_EQ(
      thrust::copy_if(ab_par.named("discarded"), in.begin(), in.end(), nowhere, is_odd{}) - nowhere,
      odd);

  list doubled(n);
  int* const to = doubled.data();
  const auto tabulated =
      thrust::make_tabulate_output_iterator([to](std::ptrdiff_t i, int sum) { to[i] = sum + sum; });
  thrust::inclusive_scan(ab_par.named("tabulated"), in.begin(), in.end(), tabulated);
  EXPECT_EQ(doubled.back(), 2 * sums.back());

  std::vector<std::string> words = {"b", "c", "a"};
  thrust::sort(ab_par.named("words"), words.begin(), words.end());
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b", "c"}));

  EXPECT_EQ(ab_report().rows().size(), 4u);
  for (const ab_row& row : ab_report().rows()) {
    EXPECT_EQ(row.calls, 1u) << row.name;
    EXPECT_EQ(row.not_compared, 1u) << row.name;
    EXPECT_EQ(row.our_ms, 0) << row.name;
  }
}

#if THRUST_DEVICE_SYSTEM == \
    THRUST_DEVICE_SYSTEM_CPP  // other stock wants random access and no throw
TEST_F(AbPar, StocksExceptionsReachTheCaller) {
  const list in = random_items();
  const auto refuse = [](int x) -> bool {
    if (x == 7) throw std::out_of_range("seven");
    return true;
  };
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_THROW(thrust::count_if(ab_par, in.begin(), in.end(), refuse), std::out_of_range);
  }
}

TEST_F(AbPar, InputsWithoutRandomAccessAreStocks) {
  const list in = random_items();
  const std::list<int> linked(in.begin(), in.end());
  EXPECT_EQ(thrust::count_if(ab_par, linked.begin(), linked.end(), is_odd{}),
            std::count_if(in.begin(), in.end(), is_odd{}));
  EXPECT_EQ(only_row().not_compared, 1u);
}
#endif

TEST_F(AbPar, WhatIsNotOursIsNotRecorded) {
  const list in = random_items();
  list out(n, poison), expected(n);
  thrust::transform(ab_par, in.begin(), in.end(), out.begin(), twice{});
  std::transform(in.begin(), in.end(), expected.begin(), twice{});
  EXPECT_EQ(out, expected);
  thrust::for_each(ab_par, out.begin(), out.end(), [](int& x) { ++x; });
  EXPECT_EQ(out[100], expected[100] + 1);
  EXPECT_TRUE(ab_report().rows().empty());
}

/// Ours; remembers whether a predicate has run before it.
struct watching : hindsight::host::execution_policy<watching> {
  const std::atomic<long>* evaluations;
  std::vector<bool>* was_second;
};
template <class It, class Pred>
std::ptrdiff_t count_if(watching& policy, It first, It last, Pred pred) {
  policy.was_second->push_back(*policy.evaluations > 0);
  return thrust::count_if(hindsight::host::par, first, last, pred);
}

TEST_F(AbPar, SidesTakeTurnsInGoingFirst) {
  const list in = random_items();
  std::atomic<long> evaluations{0};
  std::vector<bool> was_second;
  watching ours;
  ours.evaluations = &evaluations;
  ours.was_second = &was_second;
  const auto policy = hindsight::ab(stock, ours);
  for (int call = 0; call < 4; ++call) {
    evaluations = 0;
    thrust::count_if(policy, in.begin(), in.end(), [&](int) { return ++evaluations, true; });
    evaluations = 0;
    thrust::count_if(policy.named("other"), in.begin(), in.end(),
                     [&](int) { return ++evaluations, true; });
  }
  EXPECT_EQ(was_second, (std::vector<bool>{true, true, false, false, true, true, false, false}));
}

TEST_F(AbPar, NamesMakeRows) {
  const list in = random_items();
  for (int i = 0; i < 3; ++i) thrust::reduce(ab_par.named("energy"), in.begin(), in.end());
  thrust::reduce(ab_par, in.begin(), in.end() - 1);
  thrust::count(ab_par.named("energy"), in.begin(), in.end(), 1);
  const auto rows = ab_report().rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name + '/' + rows[0].algorithm, "energy/reduce");
  EXPECT_EQ(rows[0].calls, 3u);
  EXPECT_EQ(rows[1].name + '/' + rows[1].algorithm, "reduce/reduce");
  EXPECT_EQ(rows[1].items, n - 1);
  EXPECT_EQ(rows[2].name + '/' + rows[2].algorithm, "energy/count");
  ab_report().clear();
  EXPECT_TRUE(ab_report().rows().empty());
}

TEST_F(AbPar, ManyThreadsRecord) {
  const list in = random_items(101);
  const int sum = std::accumulate(in.begin(), in.end(), 0);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto policy = t % 2 ? ab_par.named("odd") : ab_par;
        wrong += thrust::reduce(policy, in.begin(), in.end()) != sum;
        list out(101);
        thrust::inclusive_scan(policy, in.begin(), in.end(), out.begin());
        wrong += out.back() != sum;
        if (i % 10 == 0) ab_report().rows();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ab_report().rows().size(), 4u);
  for (const ab_row& row : ab_report().rows()) {
    EXPECT_EQ(row.calls, 150u);
    EXPECT_EQ(row.items, 150 * 101u);
    EXPECT_EQ(row.differing + row.errors, 0u);
  }
}

TEST_F(AbPar, PrintsATable) {
  const list in = random_items();
  thrust::reduce(ab_par.named("a long name"), in.begin(), in.end());
  list out(n);
  thrust::inclusive_scan(hindsight::ab(stock, wrong_at_17{}), in.begin(), in.end(), out.begin());
  std::ostringstream text;
  ab_report().print(text);
  std::istringstream lines{text.str()};
  std::string header, first, second, note;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_EQ(header.find("name"), 0u);
  EXPECT_EQ(first.find("a long name"), 0u);
  EXPECT_EQ(second.find("inclusive_scan"), 0u);
  EXPECT_NE(second.find("out[17] in call 1"), std::string::npos);
  const auto column = header.find("calls") + 4;  // the numbers below end where it ends
  EXPECT_EQ(first[column], '1');
  EXPECT_EQ(second[column], '1');
  EXPECT_TRUE(std::getline(lines, note) && !note.empty());
}

TEST_F(AbPar, WritesJson) {
  std::ostringstream none;
  ab_report().write_json(none);
  EXPECT_EQ(none.str(), "[]\n");
  const list in = {1, 2, 3};
  thrust::reduce(ab_par.named("a \"quoted\" name\n"), in.begin(), in.end());
  thrust::count(ab_par, in.begin(), in.end(), 1);
  std::ostringstream text;
  ab_report().write_json(text);
  EXPECT_EQ(text.str().rfind("[\n  {\"name\": \"a \\\"quoted\\\" name\\u000a\", \"algorithm\": "
                             "\"reduce\", \"calls\": 1, \"items\": 3, \"stock_ms\": ",
                             0),
            0u)
      << text.str();
  EXPECT_NE(text.str().find("},\n  {\"name\": \"count\""), std::string::npos);
  EXPECT_EQ(text.str().substr(text.str().size() - 4), "}\n]\n");
}

/// Numbers as some countries write them.
struct numbers_with_commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// JSON has one way to write numbers, whatever the locale of the program or of its stream.
TEST_F(AbPar, WritesTheSameJsonInEveryLocale) {
  const list in(n);
  thrust::reduce(ab_par, in.begin(), in.end());
  std::ostringstream usual, other;
  ab_report().write_json(usual);
  const std::locale with_commas{std::locale::classic(), new numbers_with_commas};
  other.imbue(with_commas);
  const std::locale before = std::locale::global(with_commas);
  const std::string c_locale = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"})
    if (std::setlocale(LC_NUMERIC, name)) break;
  ab_report().write_json(other);
  std::setlocale(LC_NUMERIC, c_locale.c_str());
  std::locale::global(before);
  EXPECT_EQ(other.str(), usual.str());
}

/// Ends the process after one call with HINDSIGHT_AB_REPORT=path.
[[noreturn]] void exit_after_a_call(const std::string& path) {
  setenv("HINDSIGHT_AB_REPORT", path.c_str(), 1);
  const list in = {1, 2, 3};
  thrust::reduce(ab_par.named("energy"), in.begin(), in.end());
  std::exit(0);
}

std::string content_of(const std::string& path) {
  std::ifstream file{path};
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// No other test has it that runs at the same time. The child of a death test, which begins anew,
/// has the same.
std::string own_path(const std::string& ending) {
  constexpr const char* variable = "HINDSIGHT_AB_PAR_TEST_PROCESS";
  setenv(variable, std::to_string(getpid()).c_str(), 0);
  return testing::TempDir() + "hindsight_ab_par_test_" + std::getenv(variable) + ending;
}

TEST_F(AbPar, ReportsAtExitWhereTheEnvironmentSays) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  unsetenv("OMP_DISPLAY_ENV");  // OpenMP's own report goes where ours does
  const auto success = testing::ExitedWithCode(0);
  EXPECT_EXIT(exit_after_a_call("-"), success, "energy +reduce +1 +3");
  for (const std::string ending : {".txt", ".json"}) {
    const std::string path = own_path(ending);
    std::remove(path.c_str());
    EXPECT_EXIT(exit_after_a_call(path), success, "");
    EXPECT_NE(content_of(path).find("energy"), std::string::npos);
    EXPECT_EQ(content_of(path).substr(0, 1), ending == ".json" ? "[" : "n");
    std::remove(path.c_str());
  }
  EXPECT_EXIT(exit_after_a_call("/nowhere/at/all"), success, "cannot write HINDSIGHT_AB_REPORT");
  EXPECT_EXIT(exit_after_a_call(""), success, "^$");
}

}  // namespace ab_par_test
