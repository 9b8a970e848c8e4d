// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of A/B runs on both engines ask of the report.
#pragma once

#include <hindsight/ab.h>

#include <cstddef>
#include <gtest/gtest.h>

namespace hindsight_test {

inline hindsight::ab_row only_row() {
  const auto rows = hindsight::ab_report().rows();
  EXPECT_EQ(rows.size(), 1u);
  return rows.empty() ? hindsight::ab_row{} : rows[0];
}

/// The only row: so many calls of n items each, and nothing wrong with them.
inline void expect_row_without_blemish(const char* algorithm, std::size_t calls, std::size_t n) {
  const hindsight::ab_row row = only_row();
  EXPECT_EQ(row.name, algorithm);
  EXPECT_EQ(row.algorithm, algorithm);
  EXPECT_EQ(row.calls, calls);
  EXPECT_EQ(row.items, calls * n);
  EXPECT_EQ(row.differing, 0u) << row.first_difference;
  EXPECT_EQ(row.not_compared, 0u);
  EXPECT_EQ(row.errors, 0u) << row.first_error;
  EXPECT_GT(row.stock_ms, 0);
  EXPECT_GT(row.our_ms, 0);
}

}  // namespace hindsight_test
