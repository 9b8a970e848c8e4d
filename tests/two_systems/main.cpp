// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of one program that were compiled for different systems of Thrust, in different versions of
// C++, or with different versions of hindsight: each runs its own code.
#include "part.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

int main() {
  int num_failures = 0;
  const auto expect = [&](bool is_right, const char* what) {
    std::printf("%s: %s\n", is_right ? "ok" : "FAIL", what);
    num_failures += !is_right;
  };
  const auto start = std::chrono::steady_clock::now();
  const part_result cpp = for_cpp::run();
  const part_result alone = for_cpp_without_openmp::run();
  const part_result cxx20 = for_cpp_as_cxx20::run();
  const part_result omp = for_omp::run();
  const part_result other = for_cpp_of_other_version::run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  expect(cpp.numbers.size() == 16 && cpp.numbers[2] == cpp.numbers[4], "results are there");
  expect(cpp.numbers == alone.numbers && cpp.numbers == omp.numbers &&
             cpp.numbers == cxx20.numbers && cpp.numbers == other.numbers,
         "results are the same");
  const std::set<std::string> policies{cpp.policy, alone.policy, omp.policy, cxx20.policy,
                                       other.policy};
  expect(policies.size() == 5, "the policies are different types");
  for (const std::string& policy : policies) std::printf("%s\n", policy.c_str());
  std::printf("%.2f seconds\n", seconds.count());
  expect(seconds.count() < 10, "none does the work of another's threads alone");
  return num_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
