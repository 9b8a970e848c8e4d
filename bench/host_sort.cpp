// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts on host threads beside those of the standard library and of oneTBB, and beside Highway's
// vqsort where it is installed. Milliseconds, medians; each run sorts a fresh copy.
//   hindsight_host_sort [log2 of n ...]
#include <hindsight/detail/host/team.h>
#include <hindsight/policy.h>
#include <hindsight/sort.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <random>
#include <tbb/parallel_sort.h>
#include <vector>
#if HINDSIGHT_BENCH_HAS_VQSORT
#  include <hwy/contrib/sort/vqsort.h>
#endif

namespace {

/// An order that no library knows.
struct any_order {
  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    return a < b;
  }
};

enum class keys_are { random, skewed, sorted };

template <class Key>
std::vector<Key> keys_like(keys_are kind, std::size_t n) {
  std::mt19937_64 random{n};
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = random();
    if (kind == keys_are::skewed)
      for (int k = 0; k < 4; ++k) bits &= random();  // one bit in 32
    keys[i] = kind == keys_are::sorted ? Key(i) : Key(bits);
  }
  return keys;
}

template <class Key>
class contest {
 public:
  explicit contest(const std::vector<Key>& keys) : keys_{keys}, sorted_{keys} {
    std::stable_sort(sorted_.begin(), sorted_.end());
  }

  /// The median of several runs; ends the program if the keys are not sorted.
  template <class Sort>
  double milliseconds(Sort sort) const {
    using clock = std::chrono::steady_clock;
    std::vector<double> times;
    const auto begin = clock::now();
    while (times.empty() ||
           (times.size() < 25 && clock::now() - begin < std::chrono::milliseconds(150))) {
      std::vector<Key> keys = keys_;
      const auto start = clock::now();
      sort(keys);
      times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
      if (keys != sorted_) {
        std::puts("wrong order");
        std::exit(1);
      }
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

 private:
  const std::vector<Key>& keys_;
  std::vector<Key> sorted_;
};

template <class Key>
void measure(const char* type, keys_are kind, const char* name, int log2_n) {
  namespace execution = std::execution;
  const auto keys = keys_like<Key>(kind, std::size_t{1} << log2_n);
  const contest<Key> run{keys};
  const double sequential = run.milliseconds([](auto& k) { std::stable_sort(k.begin(), k.end()); });
  const double stable = run.milliseconds(
      [](auto& k) { std::stable_sort(execution::par, k.begin(), k.end(), any_order{}); });
  const double parallel =
      run.milliseconds([](auto& k) { std::sort(execution::par, k.begin(), k.end()); });
  const double tbb_sort = run.milliseconds([](auto& k) { tbb::parallel_sort(k.begin(), k.end()); });
#if HINDSIGHT_BENCH_HAS_VQSORT
  hwy::Sorter vqsort;
  const double vq =
      run.milliseconds([&](auto& k) { vqsort(k.data(), k.size(), hwy::SortAscending{}); });
#else
  const double vq = 0;  // not installed
#endif
  const double by_order =
      run.milliseconds([](auto& k) { hindsight::sort(hindsight::host::par, k, any_order{}); });
  const double by_less =
      run.milliseconds([](auto& k) { hindsight::sort(hindsight::host::par, k); });
  std::printf("%-4s %-7s 2^%-2d %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f %7.1f %10.3f %7.1f\n",
              type, name, log2_n, sequential, stable, parallel, tbb_sort, vq, by_order,
              sequential / by_order, by_less, std::min(parallel, tbb_sort) / by_less);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%u threads\n", hindsight::detail::host::default_team_size());
  std::printf("%-4s %-7s %-4s %10s %10s %10s %10s %10s %10s %7s %10s %7s\n", "key", "input", "n",
              "std stable", "par stable", "par sort", "tbb", "vqsort", "ours, any", "of std",
              "ours, <", "of best");
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {16, 20, 24};
  for (const int log2_n : sizes) {
    if (log2_n < 0 || log2_n > 40) return 2;
    measure<std::int32_t>("I32", keys_are::random, "random", log2_n);
    measure<std::int32_t>("I32", keys_are::skewed, "skewed", log2_n);
    measure<std::int32_t>("I32", keys_are::sorted, "sorted", log2_n);
    measure<double>("F64", keys_are::random, "random", log2_n);
    measure<std::uint64_t>("U64", keys_are::skewed, "skewed", log2_n);
  }
}
