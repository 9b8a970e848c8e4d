// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.h"

#include <hindsight/detail/ab/bits.h>

#include <algorithm>
#include <chrono>

namespace ab {

unsigned long long seed = 42;
unsigned long long begin_items = 0;
bool small_buffers = false;

std::vector<ab_case>& cases() {
  static std::vector<ab_case> all;
  return all;
}

std::vector<std::size_t> default_sizes(const ab_case& of) {
  std::vector<std::size_t> sizes;
  for (const std::size_t n : engine::default_sizes)
    if (n <= of.most_items) sizes.push_back(n);
  return sizes;
}

void results::poison() const {
  for (const result& one : all_) one.data.poison();
}

std::string results::difference(const results& stock) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const std::size_t item_bytes = all_[i].item_bytes, n = all_[i].n;
    const char *ours = as<char>(i), *theirs = stock.as<char>(i);
    const std::size_t at = engine::first_difference(ours, theirs, item_bytes, n);
    if (at == n) continue;
    const auto text_of = [&](const char* items) {
      std::vector<char> item(item_bytes);
      engine::copy(item.data(), items + at * item_bytes, item_bytes);
      return hindsight::detail::ab::hex(item.data(), item_bytes);
    };
    return all_[i].name + '[' + std::to_string(at) + "]: " + text_of(ours) + ", stock " +
           text_of(theirs);
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
