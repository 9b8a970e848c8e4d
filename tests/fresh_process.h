// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests in a process of their own: where nothing has used the library before, and where the device
// may be reset and static objects may be destroyed.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace hindsight_test {

inline void require(bool is_right, const std::string& what) {
  if (!is_right) throw std::runtime_error(what);
}

/// Calls `body`, which throws what is wrong, and exits with 0 or 1.
template <class Body>
[[noreturn]] void run_and_exit(Body body) {
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(1);
  }
  std::exit(0);
}

}  // namespace hindsight_test

/// Runs the body, a callable, in a fresh process of this program.
#define HINDSIGHT_EXPECT_IN_FRESH_PROCESS(...)                                                \
  do {                                                                                        \
    testing::GTEST_FLAG(death_test_style) = "threadsafe";                                     \
    EXPECT_EXIT(::hindsight_test::run_and_exit(__VA_ARGS__), testing::ExitedWithCode(0), ""); \
  } while (false)
