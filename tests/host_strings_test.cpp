// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Items that own memory, in the calls that Thrust does not have and those that random_objects_test
// leaves out: against the standard library. Eight threads, whatever the machine has.
#include <hindsight/adjacent_difference.h>
#include <hindsight/extrema.h>
#include <hindsight/outputs.h>
#include <hindsight/policy.h>
#include <hindsight/reduce_by_key.h>
#include <hindsight/run_length_encode.h>
#include <hindsight/scan_by_key.h>
#include <hindsight/segments.h>
#include <hindsight/select.h>
#include <hindsight/sort_by.h>
#include <hindsight/sort_segments.h>
#include <hindsight/summaries.h>
#include <hindsight/top_k.h>
#include <hindsight/unique.h>

#include <cuda/std/iterator>
#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using std::string;
using strings = std::vector<string>;

const auto many = hindsight::host::par.threads(8);

/// Strings of up to 40 letters, half of them the same as their left neighbour. Most are too long to
/// lie in the object itself.
strings some_strings(std::size_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  strings items;
  while (items.size() < n) {
    if (!items.empty() && random() % 2) {
      items.push_back(items.back());
    } else {
      items.emplace_back(random() % 40, char('a' + random() % 4));
    }
  }
  return items;
}

/// At most the last 20 characters of both: associative, does not commute.
string last_of_both(const string& a, const string& b) {
  const string both = a + b;
  return both.size() <= 20 ? both : both.substr(both.size() - 20);
}

/// Offsets of segments of 0 to 60 items that cover n items, among them one of a third of them.
std::vector<std::size_t> some_offsets(std::size_t n) {
  std::mt19937 random(7);
  std::vector<std::size_t> offsets{0};
  while (offsets.back() < n) {
    const std::size_t size = offsets.size() == 20 ? n / 3 : random() % 61;
    offsets.push_back(std::min(n, offsets.back() + size));
  }
  return offsets;
}

constexpr std::size_t sizes[] = {0, 1, 2, 777, 30000};

TEST(Strings, FoldsAndScansOfSegments) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const strings in = some_strings(n);
    const auto offsets = some_offsets(n);
    const std::size_t num_segments = offsets.size() - 1;
    const auto segments = hindsight::by_offsets(offsets.begin(), offsets.end());
    strings folds, inclusive, exclusive;
    for (std::size_t segment = 0; segment < num_segments; ++segment) {
      string fold = "init of a segment, long";
      for (std::size_t i = offsets[segment]; i < offsets[segment + 1]; ++i) {
        const bool is_first = i == offsets[segment];
        inclusive.push_back(is_first ? in[i] : last_of_both(inclusive.back(), in[i]));
        exclusive.push_back(fold);
        fold = last_of_both(fold, in[i]);
      }
      folds.push_back(fold);
    }
    strings out(num_segments);
    const auto end = hindsight::reduce_segments(many, in.begin(), in.end(), segments, out.begin(),
                                                string("init of a segment, long"), last_of_both);
    EXPECT_EQ(std::size_t(end - out.begin()), num_segments);
    EXPECT_TRUE(out == folds);

    strings scans(n), in_place = in;
    hindsight::inclusive_scan_segments(many, in.begin(), in.end(), segments, scans.begin(),
                                       last_of_both);
    EXPECT_TRUE(scans == inclusive);
    hindsight::inclusive_scan_segments(many, in_place.begin(), in_place.end(), segments,
                                       in_place.begin(), last_of_both);
    EXPECT_TRUE(in_place == inclusive);
    in_place = in;
    hindsight::exclusive_scan_segments(many, in_place.begin(), in_place.end(), segments,
                                       in_place.begin(), string("init of a segment, long"),
                                       last_of_both);
    EXPECT_TRUE(in_place == exclusive);

    std::vector<char> heads(n, 0);
    for (std::size_t segment = 0; segment < num_segments; ++segment)
      if (offsets[segment] < n) heads[offsets[segment]] = 1;
    scans.assign(n, "");
    hindsight::inclusive_scan_segments(many, in.begin(), in.end(),
                                       hindsight::by_heads(heads.begin()), scans.begin(),
                                       last_of_both);
    EXPECT_TRUE(scans == inclusive);

    const auto check_moved = [&](auto by) {
      strings moved = in;
      scans.assign(n, "");
      hindsight::inclusive_scan_segments(many, std::make_move_iterator(moved.begin()),
                                         std::make_move_iterator(moved.end()), by, scans.begin(),
                                         last_of_both);
      EXPECT_TRUE(scans == inclusive);
    };
    check_moved(segments);
    check_moved(hindsight::by_heads(heads.begin()));
  }
}

TEST(Strings, SortsOfSegments) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const strings in = some_strings(n);
    const auto offsets = some_offsets(n);
    const auto segments = hindsight::by_offsets(offsets.begin(), offsets.end());
    strings expected = in, keys = in;
    const auto longer = [](const string& a, const string& b) { return a.size() > b.size(); };
    for (std::size_t segment = 0; segment + 1 < offsets.size(); ++segment) {
      std::stable_sort(expected.begin() + std::ptrdiff_t(offsets[segment]),
                       expected.begin() + std::ptrdiff_t(offsets[segment + 1]), longer);
    }
    hindsight::sort_segments(many, keys.begin(), keys.end(), segments, longer);
    EXPECT_TRUE(keys == expected);

    std::vector<std::size_t> places(n);
    std::iota(places.begin(), places.end(), std::size_t{0});
    keys = in;
    hindsight::sort_segments_by_key(many, keys.begin(), keys.end(), places.begin(), segments,
                                    longer);
    EXPECT_TRUE(keys == expected);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(in[places[i]], expected[i]);

    strings values = in;  // moved by keys that are numbers
    std::vector<int> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = -int(in[i].size());
    hindsight::sort_segments_by_key(many, numbers.begin(), numbers.end(), values.begin(), segments);
    EXPECT_TRUE(values == expected);
  }
}

TEST(Strings, SortsByAProjectionAndSelectionsOfFirstItems) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const strings in = some_strings(n);
    strings items = in, expected = in;
    hindsight::sort_by(many, items.begin(), items.end(), [](const string& s) { return s.size(); });
    std::stable_sort(expected.begin(), expected.end(),
                     [](const string& a, const string& b) { return a.size() < b.size(); });
    EXPECT_TRUE(items == expected);

    expected = in;
    std::stable_sort(expected.begin(), expected.end(), std::greater<>{});
    for (const std::size_t k : {std::size_t{0}, std::size_t{3}, n / 2, n}) {
      SCOPED_TRACE(k);
      strings top(std::min(k, n));
      const auto end = hindsight::top_k(many, in.begin(), in.end(), k, top.begin());
      EXPECT_EQ(std::size_t(end - top.begin()), top.size());
      EXPECT_TRUE(std::equal(top.begin(), top.end(), expected.begin()));
      std::vector<int> numbers(n), top_numbers(top.size());
      for (std::size_t i = 0; i < n; ++i) numbers[i] = int(i * 7919 % n);
      strings values(top.size());
      hindsight::top_k_by_key(many, numbers.begin(), numbers.end(), in.begin(), k,
                              top_numbers.begin(), values.begin());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto place = std::find(numbers.begin(), numbers.end(), top_numbers[i]);
        ASSERT_EQ(values[i], in[std::size_t(place - numbers.begin())]);
        if (i > 50) break;
      }
      if (k < n) {
        items = in;
        const auto nth = std::ptrdiff_t(k);
        hindsight::nth_element(many, items.begin(), items.begin() + nth, items.end(),
                               std::greater<>{});
        EXPECT_EQ(items[k], expected[k]);
        std::sort(items.begin(), items.end(), std::greater<>{});
        EXPECT_TRUE(items == expected);
        items = in;
        hindsight::partial_sort(many, items.begin(), items.begin() + nth, items.end(),
                                std::greater<>{});
        EXPECT_TRUE(std::equal(items.begin(), items.begin() + nth, expected.begin()));
      }
    }
  }
}

TEST(Strings, RunsAndNeighbours) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const strings in = some_strings(n);
    strings expected = in;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());

    strings out(n), heads(n);
    EXPECT_EQ(
        std::size_t(thrust::unique_copy(many, in.begin(), in.end(), out.begin()) - out.begin()),
        expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
    strings items = in;
    EXPECT_EQ(std::size_t(thrust::unique(many, items.begin(), items.end()) - items.begin()),
              expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), items.begin()));

    std::vector<std::size_t> lengths(n);
    hindsight::run_length_encode(many, in.begin(), in.end(), heads.begin(), lengths.begin());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), heads.begin()));
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), n);
    strings decoded(n);
    const auto num_runs = std::ptrdiff_t(expected.size());
    hindsight::run_length_decode(many, heads.begin(), heads.begin() + num_runs, lengths.begin(),
                                 decoded.begin());
    EXPECT_TRUE(decoded == in);

    std::vector<int> values(n), values_out(n), firsts;
    std::iota(values.begin(), values.end(), 0);
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || in[i] != in[i - 1]) firsts.push_back(int(i));
    thrust::unique_by_key_copy(many, in.begin(), in.end(), values.begin(), out.begin(),
                               values_out.begin());
    EXPECT_TRUE(std::equal(firsts.begin(), firsts.end(), values_out.begin()));
    items = in;
    thrust::unique_by_key(many, items.begin(), items.end(), values.begin());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), items.begin()));
    EXPECT_TRUE(std::equal(firsts.begin(), firsts.end(), values.begin()));

    out.assign(n, "");
    expected.assign(n, "");
    thrust::adjacent_difference(many, in.begin(), in.end(), out.begin(), last_of_both);
    std::adjacent_difference(in.begin(), in.end(), expected.begin(), last_of_both);
    EXPECT_TRUE(out == expected);
    items = in;
    thrust::adjacent_difference(many, items.begin(), items.end(), items.begin(), last_of_both);
    EXPECT_TRUE(items == expected);

    EXPECT_EQ(thrust::max_element(many, in.begin(), in.end()),
              std::max_element(in.begin(), in.end()));
    EXPECT_EQ(thrust::min_element(many, in.begin(), in.end()),
              std::min_element(in.begin(), in.end()));
  }
}

// What is moved away cannot be read again.
TEST(Strings, MoveIterators) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const strings in = some_strings(n);
    strings items = in, heads = in, out(n);
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    const auto first = std::make_move_iterator(items.begin()), last = first + std::ptrdiff_t(n);
    const auto check = [&](strings::iterator end) {
      EXPECT_TRUE(strings(out.begin(), end) == heads);
      items = in;
    };
    check(thrust::unique_copy(many, first, last, out.begin()));
    std::vector<int> ones(n, 1), sums(n), counts(n);
    check(thrust::unique_by_key_copy(many, first, last, ones.begin(), out.begin(), sums.begin())
              .first);
    check(thrust::reduce_by_key(many, first, last, ones.begin(), out.begin(), sums.begin()).first);
    check(hindsight::run_length_encode(many, first, last, out.begin(), counts.begin()).first);
    EXPECT_EQ(sums, counts);
    // Reversed ones, too, and zipped ones.
    const auto back = std::make_reverse_iterator(last);
    const auto check_reversed = [&](strings::iterator end) {
      EXPECT_TRUE(strings(std::make_reverse_iterator(end), out.rend()) == heads);
      items = in;
    };
    check_reversed(thrust::reduce_by_key(many, back, back + std::ptrdiff_t(n), ones.begin(),
                                         out.begin(), sums.begin())
                       .first);
    check_reversed(hindsight::run_length_encode(many, back, back + std::ptrdiff_t(n), out.begin(),
                                                counts.begin())
                       .first);
    EXPECT_EQ(sums, counts);
    const auto cccls = ::cuda::std::make_move_iterator(items.begin());
    check(thrust::reduce_by_key(many, cccls, cccls + std::ptrdiff_t(n), ones.begin(), out.begin(),
                                sums.begin())
              .first);
    const auto zipped = thrust::make_zip_iterator(first, ones.begin());
    const auto heads_out = thrust::make_zip_iterator(out.begin(), counts.begin());
    check(out.begin() + (thrust::reduce_by_key(many, zipped, zipped + std::ptrdiff_t(n),
                                               ones.begin(), heads_out, sums.begin())
                             .first -
                         heads_out));
    thrust::inclusive_scan_by_key(many, first, last, ones.begin(), sums.begin());
    thrust::inclusive_scan_by_key(many, in.begin(), in.end(), ones.begin(), counts.begin());
    EXPECT_EQ(sums, counts);
    items = in;
    EXPECT_EQ(thrust::max_element(many, first, last).base() - items.begin(),
              std::max_element(in.begin(), in.end()) - in.begin());
    EXPECT_EQ(std::size_t(thrust::unique_count(many, first, last)), heads.size());
    const auto ends_with_c = [](string item) { return !item.empty() && item.back() == 'c'; };
    strings kept(n), kept_expected(n);
    kept.resize(
        std::size_t(thrust::copy_if(many, first, last, kept.begin(), ends_with_c) - kept.begin()));
    items = in;
    kept_expected.resize(
        std::size_t(std::copy_if(in.begin(), in.end(), kept_expected.begin(), ends_with_c) -
                    kept_expected.begin()));
    EXPECT_TRUE(kept == kept_expected);
    if (n > 0) {
      EXPECT_EQ(hindsight::minmax(many, first, last).first,
                *std::min_element(in.begin(), in.end()));
    }
    EXPECT_TRUE(items == in);

    const std::size_t k = std::min<std::size_t>(n, 100);
    strings highest(k), sorted = in;
    std::sort(sorted.begin(), sorted.end(), std::greater<>{});
    hindsight::top_k(many, first, last, k, highest.begin());
    EXPECT_TRUE(std::equal(highest.begin(), highest.end(), sorted.begin()));
  }
}

TEST(Strings, Expand) {
  const strings in = some_strings(3000);
  std::vector<std::size_t> offsets{0};
  strings expected;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t copies = i == 70 ? 20000 : i % 5;
    offsets.push_back(offsets.back() + copies);
    expected.insert(expected.end(), copies, in[i]);
  }
  strings out(expected.size());
  hindsight::expand(many, in.begin(), offsets.begin(), offsets.end(), out.begin());
  EXPECT_TRUE(out == expected);
  strings items = in, outputs(expected.size());
  hindsight::expand(many, std::make_move_iterator(items.begin()), offsets.begin(), offsets.end(),
                    outputs.begin());
  EXPECT_TRUE(outputs == expected);
}

}  // namespace
