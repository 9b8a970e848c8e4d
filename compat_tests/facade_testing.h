// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the Device* functions share: buffers, and a record of all that a call wrote.
#pragma once

#include "../tests/gpu_testing.h"
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace facade_test {

using namespace hindsight_test;
using u32 = std::uint32_t;

/// Joins runs of 2 and 3.
struct equal_halves {
  HINDSIGHT_HD bool operator()(u32 a, u32 b) const { return a / 2 == b / 2; }
};

/// Flags of which some are not set, and some are even.
inline std::vector<unsigned char> random_flags(std::size_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<unsigned char> flags(n);
  for (unsigned char& flag : flags) flag = static_cast<unsigned char>(random() % 3);
  return flags;
}

/// Everything that a call may have written, in the order of calls.
using results = std::vector<std::vector<u32>>;

struct buffers {
  int n;
  device_array<u32> in, runs_in, out, out2, count;
  device_array<unsigned char> flags;
  results written;

  explicit buffers(int size)
      : n{size},
        in{random_items<u32>(size)},
        runs_in{items_in_runs<u32>(size, runs::random)},
        out(size + 600),
        out2(size),
        count(1),
        flags{random_flags(std::size_t(size))} {}

  template <class Call>
  void run(Call call) {
    in_two_phases(call);
    for (const auto* array : {&out, &out2, &count}) {
      written.push_back(array->to_host());
      array->fill_with_poison();
    }
  }
};

inline void expect_same(const results& actual, const results& expected) {
  BOOST_TEST_REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    BOOST_TEST_CONTEXT("call " << i / 3 << ", array " << i % 3) {
      BOOST_TEST(difference(actual[i], expected[i]) == "");
    }
  }
}

constexpr int sizes[] = {1, 33, 1000, 8193, 300007};

}  // namespace facade_test
