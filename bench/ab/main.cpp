// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hindsight_ab: stock and hindsight in turn, in one process, results compared bit by bit.
// hindsight_ab --help says how to use it.
#include "options.h"
#include "report.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <unistd.h>

namespace ab {

namespace {

/// Time left, by a guess at the seconds that each row takes. Only the ratio of guesses matters.
class progress {
 public:
  progress(const std::vector<const ab_case*>& chosen, const options& wanted, double gbytes_per_s)
      : bytes_per_s_{gbytes_per_s * 1e9} {
    for (const ab_case* one : chosen) {
      for (const std::size_t n : wanted.sizes_of(*one)) {
        left_ += guess(*one, n);
        ++num_rows_;
      }
    }
  }

  void show() const {
    if (!on_terminal || row_ == 0) return;
    constexpr int width = 30;
    const double share = done_ / (done_ + left_);
    std::printf("[%-*.*s] %zu of %zu, %.0f s left", width, int(width * share + 0.5),
                "##############################", row_, num_rows_, seconds() / done_ * left_);
    std::fflush(stdout);
  }
  void hide() const {
    if (on_terminal) std::fputs("\r\033[K", stdout);
  }
  void advance(const ab_case& one, std::size_t n) {
    ++row_;
    done_ += guess(one, n);
    left_ = std::max(left_ - guess(one, n), 0.0);
  }

 private:
  using clock = std::chrono::steady_clock;

  /// One run of both sides at half the ceiling, as often as the engine's limits ask for.
  double guess(const ab_case& one, std::size_t n) const {
    const run_limits& limits = engine::limits;
    const double run = 50e-6 + 4 * one.moves.bytes_per_item * double(n) / bytes_per_s_;
    const double runs = std::clamp(limits.seconds / run, double(limits.least), double(limits.most));
    return (limits.warm_up + runs) * run;
  }
  double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

  const bool on_terminal = isatty(STDOUT_FILENO);
  const clock::time_point begin_ = clock::now();
  double bytes_per_s_;
  std::size_t num_rows_ = 0, row_ = 0;
  double done_ = 0, left_ = 0;
};

void print_list(const std::vector<const ab_case*>& chosen) {
  for (const ab_case* one : chosen) {
    const names& of = one->named;
    std::printf("%-21s %-4s %-4s %s\n", of.algorithm.c_str(), of.key.c_str(), of.value.c_str(),
                of.distribution.c_str());
  }
}

void write(const options& wanted, const report& whole) {
  if (!wanted.json.empty()) write_json(wanted.json, whole);
  if (!wanted.csv.empty()) write_csv(wanted.csv, whole);
}

void warn_of_load(const char* when) {
  if (const std::string reason = engine::why_unreliable(); !reason.empty())
    std::fprintf(stderr, "hindsight_ab: %s: %s\n", when, reason.c_str());
}

void print_left_out(const ab_case& one, std::size_t n, const char* reason) {
  const names& of = one.named;
  std::printf("%-21s %-4s %-4s %11zu %-27s left out: %s\n", of.algorithm.c_str(), of.key.c_str(),
              of.value.c_str(), n, of.distribution.c_str(), reason);
}

/// Adds a row; returns why it is left out, or nullptr.
const char* add_row(const options& wanted, const ab_case& one, std::size_t n, const progress& bar,
                    report& whole) {
  if (const char* const reason = one.why_not(n)) return reason;
  try {
    whole.rows.push_back({&one, n, wanted.measured, measure(one, n, wanted.measured)});
    bar.hide();
    print_row(whole, whole.rows.back());
    write(wanted, whole);  // after each row: an interrupted run leaves what it has
    return nullptr;
  } catch (const std::bad_alloc&) {
    engine::forget_failed_allocation();
    return "too little memory";
  }
}

/// Returns whether all results are the same. Throws if every case was left out.
bool run(const options& wanted, const std::vector<const ab_case*>& chosen) {
  report whole{engine::describe(), engine::measure_ceilings(), {}};
  write(wanted, whole);  // a path that cannot be written is better known before the measurements
  print_head(whole);
  warn_of_load("before the first row");
  progress bar(chosen, wanted, whole.measured.copy_gbytes_per_s);
  for (const ab_case* one : chosen) {
    for (const std::size_t n : wanted.sizes_of(*one)) {
      bar.show();
      if (const char* const reason = add_row(wanted, *one, n, bar, whole)) {
        bar.hide();
        print_left_out(*one, n, reason);
      }
      std::fflush(stdout);
      bar.advance(*one, n);
    }
  }
  warn_of_load("after the last row");
  if (whole.rows.empty()) throw std::runtime_error("every case was left out");
  return std::all_of(whole.rows.begin(), whole.rows.end(),
                     [](const row& r) { return r.times.difference.empty(); });
}

int execute(int argc, char** argv) {
  const options wanted = parse(argc, argv);
  if (wanted.action == options::help) {
    print_help();
    return 0;
  }
  const auto chosen = choose(wanted);
  if (wanted.action == options::list) {
    print_list(chosen);
    return 0;
  }
  if (const std::string reason = engine::why_unusable(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  if (run(wanted, chosen)) return 0;
  std::fputs("hindsight_ab: some results differ from stock's\n", stderr);
  return 1;
}

}  // namespace

}  // namespace ab

int main(int argc, char** argv) {
  try {
    return ab::execute(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight_ab: %s\n", error.what());
    return 2;
  }
}
