// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two halves of a radix sort's pass as calls of their own: counting how often each digit
// occurs, and moving records to their digits' places, which the caller gives.
#pragma once

#include <hindsight/detail/host/radix_scatter.h>
#include <hindsight/detail/host/team.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Slices of a range, one for each thread of a team, and how often each digit occurs in each.
template <class Digit>
class digit_slices {
 public:
  template <class Key>
  digit_slices(const Key* keys, std::size_t n, Digit digit)
      : tiles_{n, sizeof(Key), {}}, digit_{digit}, counts_(tiles_.num_threads * digit.count(), 0) {
    host::run_team(tiles_.num_threads, [&](unsigned thread) {
      std::size_t* const mine = counts_of(thread);
      for (std::size_t i = begin(thread); i < begin(thread + 1); ++i) ++mine[digit_(keys[i])];
    });
  }

  /// How often each digit occurs among all keys: [digit.count()].
  std::vector<std::size_t> totals() const {
    std::vector<std::size_t> sums(digit_.count(), 0);
    for (std::size_t i = 0; i < counts_.size(); ++i) sums[i % sums.size()] += counts_[i];
    return sums;
  }

  /// Calls put(place, i) for each record i, by all threads. Records of digit d get the places from
  /// starts[d] on, in their order. May be called once.
  template <class Key, class Put>
  void scatter(const Key* keys, const std::size_t* starts, Put put) {
    for (std::size_t d = 0; d < digit_.count(); ++d) {
      std::size_t place = starts[d];
      for (unsigned thread = 0; thread < tiles_.num_threads; ++thread)
        place += std::exchange(counts_of(thread)[d], place);
    }
    host::run_team(tiles_.num_threads, [&](unsigned thread) {
      std::size_t* const places = counts_of(thread);
      for (std::size_t i = begin(thread); i < begin(thread + 1); ++i)
        put(places[digit_(keys[i])]++, i);
    });
  }

 private:
  std::size_t* counts_of(unsigned thread) { return counts_.data() + thread * digit_.count(); }
  std::size_t begin(unsigned thread) const {
    const std::size_t threads = tiles_.num_threads;
    return tiles_.n / threads * thread + tiles_.n % threads * thread / threads;
  }

  tiling tiles_;
  Digit digit_;
  std::vector<std::size_t> counts_;  // [thread][digit]
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
