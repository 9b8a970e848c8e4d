// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrices of every kind, and what they make of a vector, found by plain loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace hindsight_test {

/// Empty rows, short ones, and a dense one.
template <class T>
struct sparse_case {
  std::size_t num_rows, num_columns;
  std::vector<std::uint32_t> rows, offsets{0};
  std::vector<int> columns;
  std::vector<T> values, x;

  sparse_case(std::size_t num_rows_wanted, std::size_t num_columns_wanted, unsigned seed)
      : num_rows{num_rows_wanted}, num_columns{num_columns_wanted} {
    std::mt19937 random{seed};
    for (std::size_t r = 0; r < num_rows; ++r) {
      const std::size_t length = r == num_rows / 3   ? 5 * num_columns
                                 : random() % 4 == 0 ? 0
                                                     : random() % 9;
      for (std::size_t i = 0; i < length; ++i) {
        rows.push_back(std::uint32_t(r));
        columns.push_back(int(random() % num_columns));
        values.push_back(T(int(random() % 15) - 7));
      }
      offsets.push_back(std::uint32_t(columns.size()));
    }
    for (std::size_t c = 0; c < num_columns; ++c) x.push_back(T(int(random() % 15) - 7));
  }

  template <class Sum, class Plus, class Times>
  std::vector<Sum> times_x(Sum zero, Plus plus, Times times) const {
    std::vector<Sum> y(num_rows, zero);
    for (std::size_t i = 0; i < rows.size(); ++i)
      y[rows[i]] = plus(y[rows[i]], static_cast<Sum>(times(values[i], x[std::size_t(columns[i])])));
    return y;
  }
};

}  // namespace hindsight_test
