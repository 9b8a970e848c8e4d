// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a table of cases over and over, each time with other random choices, for a given time.
//
//   HINDSIGHT_TEST_SEED=N     other choices (default: always the same)
//   HINDSIGHT_TEST_SECONDS=N  for how long (default 20 on the GPU, 4 on hosts); every case runs at
//                             least three times, or once where there are many
//   HINDSIGHT_TEST_CASE=N     only trial N, to repeat a failure
//   HINDSIGHT_TEST_TRACE=1    describes each trial before it runs, to find one that hangs
#pragma once

#include "trial.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hindsight_test {

/// A case: draws its choices from the trial, calls both sides, compares.
struct random_case {
  std::string name;
  void (*run)(trial&);
};

/// A case that is named as it is written.
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP || \
    THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
/// Thrust's other host systems get one line of four: enough to see that they do the same.
#  define HINDSIGHT_CASE(...)                     \
    case_of_line<__LINE__ % 4 == 0>(#__VA_ARGS__, \
                                    [](auto) -> void (*)(trial&) { return __VA_ARGS__; })
#else
#  define HINDSIGHT_CASE(...) \
    { #__VA_ARGS__, __VA_ARGS__ }
#endif

/// A case, or one without a function, which is not compiled then.
template <bool IsTaken, class Function>
random_case case_of_line(const char* name, Function function) {
  if constexpr (IsTaken) return {name, function(0)};
  return {name, nullptr};
}

struct run_options {
  u64 seed = 20240607;
  double seconds = HINDSIGHT_CUDA ? 20 : 4;
  std::optional<u64> only;
  u64 least_rounds = 3;

  static run_options from_environment() {
    run_options options;
    if (const char* text = std::getenv("HINDSIGHT_TEST_SEED"))
      options.seed = std::strtoull(text, nullptr, 0);
    if (const char* text = std::getenv("HINDSIGHT_TEST_SECONDS"))
      options.seconds = std::strtod(text, nullptr);
    if (const char* text = std::getenv("HINDSIGHT_TEST_CASE"))
      options.only = std::strtoull(text, nullptr, 0);
    return options;
  }
};

struct run_report {
  u64 trials = 0;
  std::map<std::string, u64> trials_of;  ///< per algorithm: the case's name up to its types
  std::vector<std::string> failures;
};

inline std::string algorithm_of(const random_case& one) {
  return one.name.substr(0, one.name.find('<'));
}

/// Trial `number` of the table; says what failed, or nothing.
inline std::string run_trial(const std::vector<random_case>& cases, u64 seed, u64 number) {
  const random_case& chosen = cases[number % cases.size()];
  trial one{seed, number, chosen.name};
  try {
    chosen.run(one);
  } catch (const std::exception& error) {
    one.differ(std::string{"threw "} + error.what());
  }
  if (std::exchange(an_input_has_changed(), false)) one.differ("an input has changed");
  if (one.differences().empty()) return {};
  std::ostringstream text;
  text << "HINDSIGHT_TEST_SEED=" << seed << " HINDSIGHT_TEST_CASE=" << number << ": "
       << one.description() << ": " << one.differences();
  return text.str();
}

inline run_report run_trials(const std::vector<random_case>& cases, const run_options& options) {
  constexpr std::size_t most_failures = 10;
  run_report report;
  const auto start = std::chrono::steady_clock::now();
  const auto wants_more = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (options.only) return report.trials == 0;
    return report.failures.size() < most_failures &&
           (report.trials < options.least_rounds * cases.size() ||
            passed.count() < options.seconds);
  };
  while (wants_more()) {
    const u64 number = options.only.value_or(report.trials);
    const std::string failure = run_trial(cases, options.seed, number);
    if (!failure.empty()) report.failures.push_back(failure);
    ++report.trials_of[algorithm_of(cases[number % cases.size()])];
    ++report.trials;
  }
  return report;
}

/// The body of a test: fails for each trial whose two sides differ.
inline void expect_same_bits(std::vector<random_case> cases, u64 least_rounds = 3) {
  const auto is_left_out = [](const random_case& one) { return one.run == nullptr; };
  cases.erase(std::remove_if(cases.begin(), cases.end(), is_left_out), cases.end());
  run_options options = run_options::from_environment();
  options.least_rounds = least_rounds;
  std::cout << "HINDSIGHT_TEST_SEED=" << options.seed << ", " << cases.size() << " cases for "
            << options.seconds << " s" << std::endl;
  const run_report report = run_trials(cases, options);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  for (const auto& [algorithm, count] : report.trials_of) {
    std::cout << "  " << count << " trials of " << algorithm << '\n';
    testing::Test::RecordProperty(algorithm, std::to_string(count));
  }
  std::cout << "  " << report.trials << " trials in all" << std::endl;
  EXPECT_TRUE(options.only || !report.failures.empty() ||
              report.trials >= least_rounds * cases.size());
}

}  // namespace hindsight_test
