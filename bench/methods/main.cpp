// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hindsight_methods: the textbook's algorithms side by side. hindsight_methods --help says how to
// use it; docs/methods.md explains the methods.
#include "../ab/arguments.h"
#include "options.h"
#include "report.h"
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

namespace methods {

namespace {

/// GPU: all powers of two from 2^10 to 2^28. Host threads: every other one up to 2^22.
std::vector<std::size_t> default_sizes(const ab::machine& on) {
  const bool has_threads = on.threads.has_value();
  std::vector<std::size_t> sizes;
  for (int power = 10; power <= (has_threads ? 22 : 28); power += has_threads ? 2 : 1)
    sizes.push_back(std::size_t{1} << power);
  return sizes;
}

std::vector<method> choose(const std::string& filter) {
  std::vector<method> chosen;
  for (const method& m : methods_of_engine())
    if ((std::string{m.family} + ", " + m.name).find(filter) != std::string::npos)
      chosen.push_back(m);
  if (chosen.empty()) ab::refuse("no method matches; --list prints those there are");
  return chosen;
}

/// Returns whether all results are right.
bool run(const options& wanted, const std::vector<method>& chosen) {
  report whole{ab::engine::describe(), ab::engine::measure_ceilings(), {}};
  if (!wanted.json.empty()) write_json(wanted.json, whole);  // a bad path is better known now
  print_head(whole);
  bool all_right = true;
  for (const std::size_t n : wanted.sizes.empty() ? default_sizes(whole.on) : wanted.sizes) {
    try {
      input in{n};
      for (const method& m : chosen) {
        if (n > m.largest_n) continue;
        whole.rows.push_back(measure(m, in));
        print_row(whole, whole.rows.back());
        std::fflush(stdout);
        all_right = all_right && whole.rows.back().is_right;
      }
    } catch (const std::bad_alloc&) {
      ab::engine::forget_failed_allocation();
      std::printf("n = %zu: the rest is left out: too little memory\n", n);
    }
  }
  if (!wanted.json.empty()) write_json(wanted.json, whole);
  if (whole.rows.empty())
    throw std::runtime_error("every method was left out: too little memory, or too many items");
  return all_right;
}

int execute(int argc, char** argv) {
  const options wanted = parse(argc, argv);
  if (wanted.action == options::help) return print_help(), 0;
  const std::vector<method> chosen = choose(wanted.filter);
  if (wanted.action == options::list) {
    for (const method& m : chosen) std::printf("%-15s %s\n", m.family, m.name);
    return 0;
  }
  if (const std::string reason = ab::engine::why_unusable(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  if (run(wanted, chosen)) return 0;
  std::fputs("hindsight_methods: some results are wrong\n", stderr);
  return 1;
}

}  // namespace

}  // namespace methods

int main(int argc, char** argv) {
  try {
    return methods::execute(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight_methods: %s\n", error.what());
    return 2;
  }
}
