// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms of so many bins that threads cannot have counters of their own: each counter is owned
// by one thread, and the others send it their samples' bins.
#pragma once

#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/phases.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Counts in rounds of two phases. First each thread groups the bins of some samples by their
/// owners. Then each owner counts its bins of all threads.
///   Memory  8 bytes for each sample of a round: at most 256 KB a thread
class owned_counters {
 public:
  owned_counters(std::size_t n, std::size_t num_bins, unsigned threads)
      : n_{n}, num_bins_{num_bins}, threads_{threads}, part_{n / threads + (n % threads != 0)} {
    part_ = std::min(part_, engine_tuning::sent_items);
  }

  void carve(carver& space) {
    bins_.carve(space, threads_, part_);
    sent_.carve(space, threads_, part_);
    starts_.carve(space, threads_, threads_ + 2);
  }

  /// Whether one owner would count more than half of in[0, n), as far as a sample tells: then the
  /// other threads would have little to do.
  template <class SampleIt, class Bins>
  bool has_majority_owner(SampleIt in, Bins bins) const {
    constexpr std::size_t size = engine_tuning::owner_sample;
    const auto owner_of = [&](std::size_t i) {
      const int bin = bins(in[n_ / size * i]);
      return bin == no_bin ? threads_ : owner(std::uint32_t(bin));
    };
    std::size_t candidate = threads_, votes = 0, count = 0;  // an owner of more than half remains
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t here = owner_of(i);
      if (votes == 0) candidate = here;
      votes = here == candidate ? votes + 1 : votes - 1;
    }
    for (std::size_t i = 0; i < size; ++i) count += owner_of(i) == candidate;
    return candidate != threads_ && count > size / 2;
  }

  /// counters[b] = how many of in[0, n) are in bin b.
  template <class SampleIt, class CounterIt, class Bins>
  void count(SampleIt in, CounterIt counters, Bins bins) const {
    const std::size_t round = part_ * threads_, num_rounds = n_ / round + (n_ % round != 0);
    const auto work = [&](unsigned phase, unsigned p) {
      if (phase % 2 == 1) return count_sent(p, counters);
      if (phase == 0) clear(p, counters);
      const std::size_t begin = std::min(n_, phase / 2 * round + p * part_);
      send(p, in + begin, std::min(part_, n_ - begin), bins);
    };
    const std::size_t bytes = n_ * sizeof(std::uint32_t);
    host::for_each_phase(unsigned(2 * num_rounds), threads_, threads_, bytes, work);
  }

 private:
  /// Neighbours on a line of memory have one owner. Bins of skewed samples often have the same bits
  /// in one place. So the owner is a sum of bits from several places.
  std::size_t owner(std::uint32_t bin) const {
    constexpr unsigned width = engine_tuning::owner_bits;
    std::uint32_t mixed = bin >> engine_tuning::owned_line_bins;
    mixed ^= mixed >> width;
    mixed ^= mixed >> width / 2;
    return (mixed & ((1u << width) - 1)) * threads_ >> width;
  }

  template <class CounterIt>
  void clear(unsigned p, CounterIt counters) const {
    const std::size_t begin = num_bins_ * p / threads_, end = num_bins_ * (p + 1) / threads_;
    std::fill(counters + begin, counters + end, value_of<CounterIt>(0));
  }

  /// sent_[p] = the bins of in[0, size) by owner, those of owner o from starts_[p][o] on.
  template <class SampleIt, class Bins>
  void send(unsigned p, SampleIt in, std::size_t size, Bins bins) const {
    std::uint32_t *const bins_here = bins_[p], *const sent = sent_[p], *const starts = starts_[p];
    std::fill_n(starts, threads_ + 2, 0u);
    std::size_t num_counted = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const int bin = bins(in[i]);
      bins_here[num_counted] = std::uint32_t(bin);  // stays only if a bin counts it
      num_counted += bin != no_bin;
    }
    for (std::size_t i = 0; i < num_counted; ++i) ++starts[owner(bins_here[i]) + 2];
    for (std::size_t o = 2; o < threads_ + 2; ++o) starts[o] += starts[o - 1];
    for (std::size_t i = 0; i < num_counted; ++i)
      sent[starts[owner(bins_here[i]) + 1]++] = bins_here[i];
  }

  template <class CounterIt>
  void count_sent(unsigned o, CounterIt counters) const {
    using Counter = value_of<CounterIt>;
    for (unsigned p = 0; p < threads_; ++p)
      for (std::size_t i = starts_[p][o]; i < starts_[p][o + 1]; ++i) {
        auto&& counter = counters[sent_[p][i]];
        counter = Counter(std::uint64_t(counter) + 1);
      }
  }

  std::size_t n_, num_bins_;
  unsigned threads_;
  std::size_t part_;  // samples that a thread sends in a round, at most
  rooms<std::uint32_t> bins_, sent_, starts_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
