// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Google Benchmark on the cases that are linked in, each side a benchmark of its own:
//
//   bench_sort [--whole-call] --benchmark_filter='sort/I32/-/.*/1048576/' ...
//
// The time is the engine's: between two events on the GPU, of the whole call on the host. It is
// reported as "manual", since a sort gets a fresh copy of its input outside the time. Results are
// not compared: that is what hindsight_ab is for.
#include "case.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <tuple>

namespace {

enum class side { stock, hindsight };

/// The case prepared last: the two sides of a case follow each other.
const ab::prepared& prepare(const ab::ab_case& of, std::size_t n, ab::mode measured) {
  static struct {
    const ab::ab_case* of = nullptr;
    std::size_t n = 0;
    ab::prepared sides;
  } last;
  if (last.of != &of || last.n != n) {
    last = {};
    last = {&of, n, of.prepare(n, measured)};
  }
  return last.sides;
}

void time_side(benchmark::State& state, const ab::ab_case& of, std::size_t n, ab::mode measured,
               side which) {
  const ab::prepared& sides = prepare(of, n, measured);
  const bool is_stock = which == side::stock;
  const std::function<void()>& call = is_stock ? sides.stock : sides.ours;
  const ab::results& out = is_stock ? *sides.stock_results : *sides.our_results;
  for (auto _ : state) {
    sides.reset(out);
    state.SetIterationTime(ab::engine::milliseconds(call, measured) / 1e3);
  }
  const double items = double(state.iterations()) * double(n);
  state.SetItemsProcessed(std::int64_t(items));
  state.SetBytesProcessed(std::int64_t(items * of.moves.bytes_per_item));
}

/// The same; what there is too little memory for is left out.
void run(benchmark::State& state, const ab::ab_case& of, std::size_t n, ab::mode measured,
         side which) {
  try {
    time_side(state, of, n, measured, which);
  } catch (const std::bad_alloc&) {
    ab::engine::forget_failed_allocation();
    state.SkipWithError("too little memory");
  }
}

void add(const ab::ab_case& of, std::size_t n, ab::mode measured) {
  const ab::names& named = of.named;
  const std::string name = named.algorithm + "/" + named.key + "/" + named.value + "/" +
                           named.distribution + "/" + std::to_string(n);
  for (const side which : {side::stock, side::hindsight}) {
    benchmark::RegisterBenchmark(
        (name + (which == side::stock ? "/stock" : "/hindsight")).c_str(),
        [&of, n, measured, which](benchmark::State& state) { run(state, of, n, measured, which); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

int run_all(int argc, char** argv) {
  ab::mode measured = ab::engine::modes.front();
  const auto is_mode = [](const char* argument) {
    return std::string_view{argument} == "--whole-call";
  };
  if (std::any_of(argv + 1, argv + argc, is_mode)) measured = ab::mode::whole_call;
  // As in hindsight_ab.
  if (measured == ab::mode::kernel) std::ignore = ab::engine::use_small_buffers();
  argc = int(std::remove_if(argv + 1, argv + argc, is_mode) - argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (const std::string reason = ab::engine::why_unusable(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  for (const ab::ab_case& of : ab::cases()) {
    if (std::find(of.modes.begin(), of.modes.end(), measured) == of.modes.end()) continue;
    for (const std::size_t n : ab::default_sizes(of)) add(of, n, measured);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_all(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}
