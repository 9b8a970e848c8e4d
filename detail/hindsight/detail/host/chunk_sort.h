// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of small arrays by all threads: each sorts a chunk by radix, then they merge neighbouring
// runs. All of this is done by one team. The time hardly depends on the keys.
#pragma once

#include <hindsight/detail/host/cached_radix_sort.h>
#include <hindsight/detail/host/phases.h>
#include <hindsight/detail/host/records.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <atomic>
#include <cstddef>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Gives a team to one small sort of the process at a time. Others that run meanwhile use their own
/// thread alone, which is faster. While other programs contend for the processors, all sorts do so.
/// If the caller has asked for threads, each sort has a team.
class small_sort_team {
 public:
  small_sort_team() : is_mine_{!is_taken().exchange(true, std::memory_order_relaxed)} {}
  small_sort_team(const small_sort_team&) = delete;
  small_sort_team& operator=(const small_sort_team&) = delete;
  ~small_sort_team() {
    if (is_mine_) is_taken().store(false, std::memory_order_relaxed);
  }
  bool is_worthwhile() const {
    return asked_team_size() > 0 || (is_mine_ && !other_programs.is_likely());
  }

 private:
  static std::atomic<bool>& is_taken() {
    static std::atomic<bool> taken{false};
    return taken;
  }
  const bool is_mine_;
};

template <class Direction, class Key, class Value>
class chunk_sorter : radix_tuning {
  using items = records<Key, Value>;

 public:
  /// Into how many chunks n records are cut; 0 where the caller has cut them otherwise.
  static unsigned worthwhile(std::size_t n, cut wanted) {
    if (wanted.tile_items != 0) return 0;
    return host::worthwhile_threads(n, 1, wanted, engine_tuning::sort_thread_items);
  }

  chunk_sorter(std::size_t n, unsigned num_chunks) : n_{n}, num_chunks_{num_chunks} {}

  /// Sorts home[0, n); `spare` is for n records.
  void sort(items home, items spare) const {
    unsigned num_levels = 0;
    while ((1u << num_levels) < num_chunks_) ++num_levels;
    const std::size_t bytes = n_ * sizeof(Key) * engine_tuning::weight_of_sort;
    const auto work = [&](unsigned phase, unsigned c) {
      const bool starts_at_home = phase == 0 || (num_levels - phase) % 2 == 1;
      const items from = starts_at_home ? home : spare, to = starts_at_home ? spare : home;
      if (phase > 0) return merge_piece(from, to, c, 1u << (phase - 1));
      const std::size_t begin = chunk_begin(c), size = chunk_begin(c + 1) - begin;
      cached_radix_sorter<Direction, Key, Value>::sort_cached(
          from + begin, to + begin, size, num_levels % 2 == 0 ? ends_in::from : ends_in::other);
    };
    host::for_each_phase(num_levels + 1, num_chunks_, num_chunks_, bytes, work);
  }

 private:
  std::size_t chunk_begin(std::size_t chunk) const {
    return host::share_begin(n_, num_chunks_, chunk);
  }

  /// Merges two runs of `run` chunks each, but writes only what comes to the place of chunk c.
  void merge_piece(items from, items to, unsigned c, unsigned run) const {
    const std::size_t first = c / (2 * run) * (2 * run);
    const std::size_t begin = chunk_begin(first), middle = chunk_begin(first + run);
    const std::size_t end = chunk_begin(first + 2 * run);
    const std::size_t out = chunk_begin(c), out_end = chunk_begin(c + 1);
    const std::size_t a = begin + split(from.keys, begin, middle, end, out - begin);
    const std::size_t a_end = begin + split(from.keys, begin, middle, end, out_end - begin);
    merge(from, a, a_end, middle + (out - a), middle + (out_end - a_end), to, out);
  }

  static bool comes_first(const Key& key, const Key& other) {
    return Direction::bits(key) < Direction::bits(other);
  }

  /// Of the first `diagonal` records of the merge of [begin, middle) and [middle, end): how many
  /// come from [begin, middle).
  static std::size_t split(const Key* keys, std::size_t begin, std::size_t middle, std::size_t end,
                           std::size_t diagonal) {
    std::size_t low = diagonal > end - middle ? diagonal - (end - middle) : 0;
    std::size_t high = std::min(diagonal, middle - begin);
    while (low < high) {
      const std::size_t half = low + (high - low) / 2;
      if (comes_first(keys[middle + diagonal - 1 - half], keys[begin + half])) {
        high = half;
      } else {
        low = half + 1;
      }
    }
    return low;
  }

  /// Merges [a, a_end) and [b, b_end) to `out`, from both ends at once and without branches.
  static void merge(items from, std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end,
                    items to, std::size_t out) {
    std::size_t out_end = out + (a_end - a) + (b_end - b);
    const auto take_first = [&] {
      const bool takes_b = comes_first(from.keys[b], from.keys[a]);
      to.put(out++, from, takes_b ? b : a);
      b += takes_b;
      a += !takes_b;
    };
    const auto take_last = [&] {
      const bool takes_a = comes_first(from.keys[b_end - 1], from.keys[a_end - 1]);
      to.put(--out_end, from, (takes_a ? a_end : b_end) - 1);
      a_end -= takes_a;
      b_end -= !takes_a;
    };
    const auto shorter = [&] { return std::min(a_end - a, b_end - b); };
    for (std::size_t steps = shorter() / 2; steps > 0; steps = shorter() / 2) {
      for (std::size_t i = 0; i < steps; ++i) {
        take_first();
        take_last();
      }
    }
    while (shorter() > 0) take_first();
    (to + out).copy(from + a, a_end - a);
    (to + (out + (a_end - a))).copy(from + b, b_end - b);
  }

  std::size_t n_;
  unsigned num_chunks_;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
