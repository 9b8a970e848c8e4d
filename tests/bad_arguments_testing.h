// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls on host threads with a range that ends before it begins, and with a null pointer in place
// of each range. All are refused before anything is written.
#pragma once

#include <hindsight/hindsight.h>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

constexpr int n = 10;
const auto& par = hindsight::host::par;

/// The ranges of a call, each [n].
struct ranges {
  int *first, *last, *second, *out, *out2;
};
using pointer = int* ranges::*;
constexpr pointer second = &ranges::second, out = &ranges::out, out2 = &ranges::out2;

bool is_odd(int item) {
  return item % 2 != 0;
}
struct row {
  const char* name;
  void (*call)(const ranges&);
  std::vector<pointer> used;         ///< beside first and last
  bool does_nothing_to_none = true;  ///< called with empty ranges and null pointers
};
#define ROW(name, ...) name, [](const ranges& r) { __VA_ARGS__; }
/// The calls of a test.
std::vector<row> table();

struct bad_arguments : testing::Test {
  std::vector<int> in{1, 1, 2, 2, 3, 4, 5, 6, 7, 8}, other{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
      first_out = std::vector<int>(n, -1), second_out = std::vector<int>(n, -1);
  ranges good{in.data(), in.data() + n, other.data(), first_out.data(), second_out.data()};

  /// The reason, which must be one line that begins with the algorithm's name.
  std::string refusal_of(const row& one, const ranges& bad) {
    const auto all = [&] {
      return std::vector<std::vector<int>>{in, other, first_out, second_out};
    };
    const auto before = all();
    try {
      one.call(bad);
    } catch (const hindsight::invalid_call& refusal) {
      const std::string what = refusal.what();
      const std::string row = one.name;
      EXPECT_EQ(what.find("hindsight::" + row.substr(0, row.find_first_of(", ")) + ":"), 0u)
          << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_EQ(all(), before) << what;
      return what;
    }
    return "not refused";
  }
};

TEST_F(bad_arguments, ranges_that_end_before_they_begin) {
  for (const row& one : table()) {
    ranges bad = good;
    std::swap(bad.first, bad.last);
    const std::string what = refusal_of(one, bad);
    EXPECT_NE(what.find("last comes before first"), std::string::npos) << one.name << ": " << what;
  }
}

TEST_F(bad_arguments, null_pointers) {
  for (const row& one : table()) {
    ranges bad = good;
    bad.first = nullptr;
    bad.last = bad.first + n;
    std::string what = refusal_of(one, bad);
    EXPECT_NE(what.find("null"), std::string::npos) << one.name << ", first: " << what;
    for (const pointer used : one.used) {
      bad = good;
      bad.*used = nullptr;
      what = refusal_of(one, bad);
      EXPECT_NE(what.find("null"), std::string::npos) << one.name << ": " << what;
    }
  }
}

TEST_F(bad_arguments, nothing_at_all_is_no_error) {
  for (const row& one : table()) {
    if (!one.does_nothing_to_none) continue;
    EXPECT_EQ(refusal_of(one, ranges{}), "not refused") << one.name;
  }
}

}  // namespace
