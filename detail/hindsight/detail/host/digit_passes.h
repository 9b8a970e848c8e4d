// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of skewed keys by all threads, from the lowest digit on: a pass moves all records, so it
// does not matter that most have the same digit. All passes are done by one team.
#pragma once

#include <hindsight/detail/host/phases.h>
#include <hindsight/detail/host/radix_scatter.h>
#include <hindsight/detail/host/records.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Sorts n records by bits [low, high) of their keys. Each thread counts the digits of its part of
/// the records, and then moves them.
///   counts   for each thread, room for the digits of large_digit_bits
template <class Direction, class Key, class Value>
class pass_sorter : radix_tuning {
  using items = records<Key, Value>;
  using digit = digit_at<Direction>;

 public:
  pass_sorter(std::size_t n, unsigned threads, const rooms<unsigned>& counts)
      : n_{n}, threads_{threads}, counts_{counts} {}

  static constexpr std::size_t num_passes(int low, int high) {
    return std::size_t(high - low + large_digit_bits - 1) / large_digit_bits;
  }

  /// Sorts home[0, n); `spare` is for n records.
  void sort(items home, items spare, int low, int high) const {
    const int passes = int(num_passes(low, high));
    const auto work = [&](unsigned phase, unsigned part) {
      const int pass = int(phase / 2);
      const int first = low + (high - low) * pass / passes;
      const digit by{first, low + (high - low) * (pass + 1) / passes - first};
      const items from = pass % 2 == 0 ? home : spare, to = pass % 2 == 0 ? spare : home;
      if (pass == passes) return (to + begin(part)).copy(from + begin(part), size(part));
      if (phase % 2 == 0) return count(from, by, part);
      move(from, to, by, part);
    };
    const unsigned num_phases = unsigned(2 * passes + passes % 2);
    const std::size_t bytes = n_ * sizeof(Key) * engine_tuning::weight_of_sort;
    host::for_each_phase(num_phases, threads_, threads_, bytes, work);
  }

 private:
  static constexpr std::size_t most_digits = std::size_t{1} << large_digit_bits;

  std::size_t begin(unsigned part) const { return host::share_begin(n_, threads_, part); }
  std::size_t size(unsigned part) const { return begin(part + 1) - begin(part); }

  void count(items from, digit by, unsigned part) const {
    unsigned other[most_digits];
    host::count_digits(from.keys + begin(part), size(part), by, counts_[part], other);
  }

  /// Moves a part's records. Those of a digit go behind those that lower parts have of it.
  void move(items from, items to, digit by, unsigned part) const {
    unsigned begins[most_digits], ends[most_digits];
    unsigned sum = 0;
    for (std::size_t d = 0; d < by.count(); ++d) {
      for (unsigned p = 0; p < part; ++p) sum += counts_[p][d];
      begins[d] = sum;
      ends[d] = sum += counts_[part][d];
      for (unsigned p = part + 1; p < threads_; ++p) sum += counts_[p][d];
    }
    host::scatter(from + begin(part), to, size(part), by, begins, ends);
  }

  std::size_t n_;
  unsigned threads_;
  const rooms<unsigned>& counts_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
