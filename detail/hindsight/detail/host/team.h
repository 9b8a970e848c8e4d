// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads for the host engine: OpenMP's where the translation unit is compiled with it, else
// std::thread, so that a user of the headers needs no library.
#pragma once

#include <hindsight/detail/config.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(_OPENMP)
#  include <omp.h>
#  define HINDSIGHT_TEAM openmp_team
#else
#  define HINDSIGHT_TEAM std_team
#endif

namespace hindsight::detail::host {

/// Keeps the first exception of a team for the caller.
class first_exception {
 public:
  template <class F>
  void run(F&& f) noexcept {
    try {
      f();
    } catch (...) {
      const std::lock_guard<std::mutex> lock{mutex_};
      if (!exception_) exception_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
};

// Named after the kind of threads: both kinds may meet in one program.
inline namespace HINDSIGHT_TEAM {

/// Threads of a team when the caller does not say.
inline unsigned default_team_size() {
#if defined(_OPENMP)
  return omp_in_parallel() ? 1 : unsigned(omp_get_max_threads());
#else
  static const unsigned size = std::max(1u, std::thread::hardware_concurrency());
  return size;
#endif
}

/// Calls f(rank) for every rank in [0, num_threads), as far as possible at the same time. There may
/// be fewer threads than ranks, so a rank must not wait for a higher one.
///   Errors  rethrows the first exception after all ranks have ended
template <class F>
void run_team(unsigned num_threads, F f) {
  if (num_threads <= 1) {
    if (num_threads == 1) f(0u);
    return;
  }
  first_exception failure;
#if defined(_OPENMP)
#  pragma omp parallel for schedule(static, 1) num_threads(int(num_threads))
  for (int rank = 0; rank < int(num_threads); ++rank) failure.run([&] { f(unsigned(rank)); });
#else
  std::vector<std::thread> others;
  others.reserve(num_threads - 1);
  try {
    while (others.size() + 1 < num_threads) {
      const unsigned rank = unsigned(others.size()) + 1;
      others.emplace_back([&failure, &f, rank] { failure.run([&] { f(rank); }); });
    }
  } catch (const std::system_error&) {
    // No more threads to be had: the caller takes the ranks that are left.
  }
  failure.run([&] { f(0u); });
  for (unsigned rank = unsigned(others.size()) + 1; rank < num_threads; ++rank)
    failure.run([&] { f(rank); });
  for (std::thread& other : others) other.join();
#endif
  failure.rethrow();
}

}  // namespace HINDSIGHT_TEAM

/// How a call is cut up; zero means: chosen from the size. Tests ask for odd teams and tiny tiles.
struct cut {
  unsigned num_threads = 0;
  std::size_t tile_items = 0;
};

/// A range of n items as tiles: of `cached_bytes`, which stay in a core's own cache between two
/// scans of them, or as large as whoever reads them once likes them.
struct tiling {
  static constexpr std::size_t cached_bytes = std::size_t{1} << 15;
  /// From here on another thread pays off: it starts within 2 us, or 50 if it slept.
  static constexpr std::size_t thread_bytes = std::size_t{1} << 17;

  std::size_t n;
  std::size_t tile_items;
  std::size_t num_tiles;
  unsigned num_threads;

  tiling(std::size_t num_items, std::size_t item_bytes, cut wanted,
         std::size_t tile_bytes = cached_bytes)
      : n{num_items} {
    const std::size_t fitting = std::max(std::size_t{64}, tile_bytes / item_bytes);
    tile_items = wanted.tile_items ? wanted.tile_items : fitting;
    num_tiles = n / tile_items + (n % tile_items != 0);
    std::size_t threads = wanted.num_threads;
    if (threads == 0) {
      threads = std::max(n / (thread_bytes / std::min(item_bytes, thread_bytes)), std::size_t{1});
      if (threads > 1) threads = std::min<std::size_t>(threads, default_team_size());
    }
    num_threads = unsigned(std::min(threads, std::max(num_tiles, std::size_t{1})));
  }

  std::size_t begin(std::size_t tile) const { return tile * tile_items; }
  std::size_t size(std::size_t tile) const { return std::min(tile_items, n - begin(tile)); }
};

/// Calls f(tile) for every tile, from tickets: when a tile starts, all lower ones have started, and
/// may be waited for.
///   Errors  rethrows the first exception; `stop` is then set, and whoever waits must give up
template <class F>
void for_each_tile(const tiling& tiles, std::atomic<bool>& stop, F f) {
  std::atomic<std::size_t> ticket{0};
  run_team(tiles.num_threads, [&](unsigned) {
    try {
      while (!stop.load(std::memory_order_relaxed)) {
        const std::size_t tile = ticket.fetch_add(1, std::memory_order_relaxed);
        if (tile >= tiles.num_tiles) return;
        f(tile);
      }
    } catch (...) {
      stop.store(true, std::memory_order_relaxed);
      throw;
    }
  });
}

/// The same where no tile waits for another.
template <class F>
void for_each_tile(const tiling& tiles, F f) {
  std::atomic<bool> stop{false};
  for_each_tile(tiles, stop, f);
}

}  // namespace hindsight::detail::host
