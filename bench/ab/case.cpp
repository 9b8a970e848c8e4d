// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace ab {

unsigned long long seed = 42;

std::vector<ab_case>& cases() {
  static std::vector<ab_case> all;
  return all;
}

void results::poison() const {
  for (const result& one : all_) one.data.poison();
}

std::string results::difference(const results& stock) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    using word = unsigned long long;
    const word *ours = as<word>(i), *theirs = stock.as<word>(i);
    const std::size_t at = engine::first_difference(ours, theirs, all_[i].data.words());
    if (at == all_[i].data.words()) continue;
    word our_word, stock_word;
    engine::copy(&our_word, ours + at, sizeof(word));
    engine::copy(&stock_word, theirs + at, sizeof(word));
    const std::size_t byte = __builtin_ctzll(our_word ^ stock_word) / 8;  // little-endian
    char text[128];
    std::snprintf(text, sizeof text, "%s[%zu]: word %016llx, stock %016llx", all_[i].name.c_str(),
                  (at * sizeof(word) + byte) / all_[i].item_bytes, our_word, stock_word);
    return text;
  }
  return "";
}

namespace {

struct summary {
  double median, noise;
};
summary summarise(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  return {median, (times[times.size() * 3 / 4] - times[times.size() / 4]) / median};
}

}  // namespace

measurement measure(const ab_case& of, std::size_t n, mode measured) {
  const prepared sides = of.prepare(n, measured);
  const auto poison = [&] {
    sides.stock_results->poison();
    sides.our_results->poison();
  };
  const auto difference = [&] { return sides.our_results->difference(*sides.stock_results); };
  const auto time = [&](const std::function<void()>& side, const results& out) {
    sides.reset(out);
    return engine::milliseconds(side, measured);
  };
  const run_limits& limits = engine::limits;
  poison();
  for (int run = 0; run < limits.warm_up; ++run) {
    time(sides.stock, *sides.stock_results);
    time(sides.ours, *sides.our_results);
  }
  const std::string first_difference = difference();
  poison();  // so that the timed runs cannot pass for what the first ones wrote

  std::vector<double> stock_ms, our_ms;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int run = 0; run < limits.least || (run < limits.most && seconds() < limits.seconds);
       ++run) {
    stock_ms.push_back(time(sides.stock, *sides.stock_results));
    our_ms.push_back(time(sides.ours, *sides.our_results));
  }
  const summary stock = summarise(stock_ms), ours = summarise(our_ms);
  return {stock.median,       ours.median,
          stock.noise,        ours.noise,
          int(our_ms.size()), first_difference.empty() ? difference() : first_difference};
}

}  // namespace ab
