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
    kept_.carve(space, threads_, 1);
  }

  /// Looks at some of in[0, n). If one bin has many of them, each thread counts it by itself.
  /// Returns whether one owner would count more than half of in[0, n), as far as these tell: then
  /// the other threads would have little to do.
  template <class SampleIt, class Bins>
  bool has_majority_owner(SampleIt in, Bins bins) {
    int seen[sample_size];
    for (std::size_t i = 0; i < sample_size; ++i) seen[i] = bins(in[n_ / sample_size * i]);
    if (threads_ >= engine_tuning::fewest_keeping_threads) frequent_ = find_frequent(seen);
    const auto owner_of = [&](int bin) {
      return bin == no_bin || bin == frequent_ ? threads_ : owner(std::uint32_t(bin));
    };
    std::size_t candidate = threads_, votes = 0, count = 0;  // an owner of more than half remains
    for (const int bin : seen) {
      const std::size_t here = owner_of(bin);
      if (votes == 0) candidate = here;
      votes = here == candidate ? votes + 1 : votes - 1;
    }
    for (const int bin : seen) count += owner_of(bin) == candidate;
    return candidate != threads_ && count > sample_size / 2;
  }

  /// counters[b] = how many of in[0, n) are in bin b.
  template <class SampleIt, class CounterIt, class Bins>
  void count(SampleIt in, CounterIt counters, Bins bins) const {
    using Counter = value_of<CounterIt>;
    const std::size_t round = part_ * threads_, num_rounds = n_ / round + (n_ % round != 0);
    const auto work = [&](unsigned phase, unsigned p) {
      if (phase % 2 == 1) return count_sent(p, counters);
      if (phase == 0) clear(p, counters);
      const std::size_t begin = std::min(n_, phase / 2 * round + p * part_);
      send(p, in + begin, std::min(part_, n_ - begin), bins);
    };
    const std::size_t bytes = n_ * sizeof(std::uint32_t);
    host::for_each_phase(unsigned(2 * num_rounds), threads_, threads_, bytes, work);
    if (frequent_ == no_bin) return;
    std::uint64_t sum = std::uint64_t(counters[frequent_]);
    for (unsigned p = 0; p < threads_; ++p) sum += *kept_[p];
    counters[frequent_] = Counter(sum);
  }

 private:
  static constexpr std::size_t sample_size = engine_tuning::owner_sample;

  /// The bin that has most of the samples seen, if these are many, else no_bin. It is looked for
  /// among those of one hash value.
  static int find_frequent(const int (&seen)[sample_size]) {
    constexpr unsigned hash_bits = 8;
    const auto hash = [](int bin) { return std::uint32_t(bin) * 2654435761u >> (32 - hash_bits); };
    unsigned counts[1 << hash_bits] = {};
    std::uint32_t most = 0;
    for (const int bin : seen)
      if (++counts[hash(bin)] > counts[most]) most = hash(bin);
    int candidate = no_bin;
    std::size_t votes = 0, count = 0;
    for (const int bin : seen) {
      if (hash(bin) != most) continue;
      if (votes == 0) candidate = bin;
      votes = bin == candidate ? votes + 1 : votes - 1;
    }
    for (const int bin : seen) count += bin == candidate;
    return count >= engine_tuning::frequent_of_sample ? candidate : no_bin;
  }

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
    *kept_[p] = 0;
  }

  /// Puts the bins of in[0, size) into `list`. Returns how many there are.
  template <class SampleIt, class Bins>
  static std::size_t list_bins(SampleIt in, std::size_t size, Bins bins, std::uint32_t* list) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const int bin = bins(in[i]);
      list[length] = std::uint32_t(bin);  // stays only if a bin counts it
      length += bin != no_bin;
    }
    return length;
  }

  /// The same without frequent_, which it adds to `kept`.
  template <class SampleIt, class Bins>
  std::size_t list_bins_but_one(SampleIt in, std::size_t size, Bins bins, std::uint32_t* list,
                                std::uint64_t& kept) const {
    const int frequent = frequent_;
    std::size_t length = 0, num_frequent = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const int bin = bins(in[i]);
      list[length] = std::uint32_t(bin);
      length += (bin != no_bin) & (bin != frequent);
      num_frequent += bin == frequent;
    }
    kept += num_frequent;
    return length;
  }

  /// sent_[p] = the bins of in[0, size) by owner, those of owner o from starts_[p][o] on.
  template <class SampleIt, class Bins>
  void send(unsigned p, SampleIt in, std::size_t size, Bins bins) const {
    std::uint32_t *const bins_here = bins_[p], *const sent = sent_[p], *const starts = starts_[p];
    std::fill_n(starts, threads_ + 2, 0u);
    const std::size_t num_counted = frequent_ == no_bin
                                        ? list_bins(in, size, bins, bins_here)
                                        : list_bins_but_one(in, size, bins, bins_here, *kept_[p]);
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
  int frequent_ = no_bin;
  rooms<std::uint64_t> kept_;  // how many samples each thread had of it
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
