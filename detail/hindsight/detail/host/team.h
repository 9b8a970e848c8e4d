// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads for the host engine: oneTBB's where a system of Thrust's is oneTBB's, else OpenMP's where
// the translation unit is compiled with OpenMP, else std::thread. So a program that includes the
// headers need not link a library for them.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/host/contention.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/std_mutex.h>
#include <hindsight/detail/tuning/host.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <thread>
#include <type_traits>
#include <utility>

#if HINDSIGHT_HAS_TBB
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>
#elif HINDSIGHT_HAS_OPENMP
#  include <omp.h>
#endif
#if HINDSIGHT_ON_UNIX
#  include <unistd.h>
#endif

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Keeps the first exception of a team for the caller.
class first_exception {
 public:
  /// Returns whether f did not throw.
  template <class F>
  bool run(F&& f) noexcept {
    try {
      f();
      return true;
    } catch (...) {
      const std::lock_guard<std::mutex> lock{mutex_};
      if (!exception_) exception_ = std::current_exception();
      return false;
    }
  }
  /// Runs f once more if it throws.
  template <class F>
  void run_again(F&& f) noexcept {
    if (!run(f)) run(f);
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
};

/// to = item. An assignment that throws is tried once more, and noted in `failure`.
template <class To, class Item>
void store_item(To&& to, Item& item, first_exception& failure) {
  if constexpr (std::is_nothrow_assignable_v<std::remove_const_t<Item>&, Item&>) {
    std::forward<To>(to) = item;
  } else {
    failure.run_again([&] { std::forward<To>(to) = item; });
  }
}

/// Calls f(rank) for the ranks in [first, end): some on this thread, the others on threads that it
/// starts. These start further threads in the same way.
template <class F>
void run_ranks(unsigned first, unsigned end, first_exception& failure, F& f) {
  std::thread others[std::numeric_limits<unsigned>::digits];  // each takes half of what is left
  try {
    for (std::thread& other : others) {
      if (end - first < 2) break;
      const unsigned middle = end - (end - first) / 2;
      other = std::thread{[&failure, &f, middle, end] { run_ranks(middle, end, failure, f); }};
      end = middle;
    }
  } catch (...) {
    // No thread is to be had, or no memory for one: this one takes the ranks that are left.
  }
  for (unsigned rank = first; rank < end; ++rank) failure.run([&] { f(rank); });
  for (std::thread& other : others)
    if (other.joinable()) other.join();
}

#if (HINDSIGHT_HAS_TBB || HINDSIGHT_HAS_OPENMP) && HINDSIGHT_ON_UNIX
inline const pid_t first_process = ::getpid();

/// Whether this process was forked after this code was loaded. A fork does not copy the threads of
/// a library. But GCC's OpenMP still waits for them: a parallel region may never end.
inline bool lacks_library_threads() {
  return ::getpid() != first_process;
}
#else
inline bool lacks_library_threads() {
  return false;
}
#endif

/// How many threads the teams that this thread starts shall have; 0: nothing was asked for.
inline unsigned& asked_team_size() {
  thread_local unsigned size = 0;
  return size;
}

/// While an object lives, teams that this thread starts have so many threads; 0: as many as before.
class team_size_scope {
 public:
  explicit team_size_scope(unsigned num_threads) : before_{asked_team_size()} {
    if (num_threads > 0) asked_team_size() = num_threads;
  }
  team_size_scope(const team_size_scope&) = delete;
  team_size_scope& operator=(const team_size_scope&) = delete;
  ~team_size_scope() { asked_team_size() = before_; }

 private:
  const unsigned before_;
};

/// How many threads a team has if nothing was asked for.
inline unsigned machine_team_size() {
#if HINDSIGHT_HAS_TBB
  return unsigned(std::max(1, tbb::this_task_arena::max_concurrency()));
#elif HINDSIGHT_HAS_OPENMP
  return unsigned(omp_get_max_threads());
#else
  static const unsigned size = std::max(1u, std::thread::hardware_concurrency());
  return size;
#endif
}

/// How many threads a team has at most. Inside an OpenMP parallel region it is one.
inline unsigned default_team_size() {
#if HINDSIGHT_HAS_OPENMP && !HINDSIGHT_HAS_TBB
  if (omp_in_parallel()) return 1;
#endif
  const unsigned machine = host::machine_team_size();
  if (asked_team_size() == 0) return machine;
  return std::min(asked_team_size(), std::max(machine, engine_tuning::most_asked_threads));
}

#if HINDSIGHT_HAS_TBB
/// Calls f(rank) for every rank in [0, num_threads). While this thread waits, it does no other
/// work of the program, and a caller that gives up its own tasks does not take ranks away. Nor does
/// a functor that waits for tasks of its own begin another rank, which might wait for this one.
template <class F>
void run_library_team(unsigned num_threads, first_exception& failure, F& f) {
  const auto run_rank = [&](unsigned rank) {
    failure.run([&] { tbb::this_task_arena::isolate([&] { f(rank); }); });
  };
  tbb::this_task_arena::isolate([&] {
    tbb::task_group_context apart{tbb::task_group_context::isolated};
    tbb::parallel_for(0u, num_threads, run_rank, tbb::simple_partitioner{}, apart);
  });
}
#elif HINDSIGHT_HAS_OPENMP
/// Calls f(rank) for every rank in [0, num_threads), and notes whether a thread was late.
template <class F>
void run_library_team(unsigned num_threads, first_exception& failure, F& f) {
  // A smaller team would be cheaper by itself. But GCC's run-time library ends the threads that a
  // team has no work for, and the next team has to start them again (docs/design.md, section 6).
  const unsigned usual = std::min(default_team_size(), machine_team_size());
  const int team = int(std::max(num_threads, usual));
  const contention::clock::time_point begin = contention::clock::now();
  std::atomic<bool> is_late{false};
#  pragma omp parallel num_threads(team)
  {
    if (contention::clock::now() - begin >= contention::late)
      is_late.store(true, std::memory_order_relaxed);
#  pragma omp for schedule(static, 1)
    for (int rank = 0; rank < int(num_threads); ++rank) failure.run([&] { f(unsigned(rank)); });
  }
  if (is_late.load(std::memory_order_relaxed)) {
    other_programs.note_late_team(contention::clock::now());
  } else {
    other_programs.note_punctual_team();
  }
}
#endif

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
#if HINDSIGHT_HAS_TBB || HINDSIGHT_HAS_OPENMP
  if (!lacks_library_threads()) {
    host::run_library_team(num_threads, failure, f);
    failure.rethrow();
    return;
  }
#endif
  host::run_ranks(0, num_threads, failure, f);
  failure.rethrow();
}

/// run_team() for work on so many bytes. While other programs contend for the processors, this
/// thread does little work alone, unless the caller has asked for threads.
template <class F>
void run_team(unsigned num_threads, std::size_t bytes, F f) {
  if (num_threads < 2 || bytes >= engine_tuning::contended_bytes || asked_team_size() > 0 ||
      !other_programs.is_likely())
    return host::run_team(num_threads, f);
  first_exception failure;
  for (unsigned rank = 0; rank < num_threads; ++rank) failure.run([&] { f(rank); });
  failure.rethrow();
}

/// How a thread waits for another one: it looks again at once for a while, then yields.
class waiting_thread {
 public:
  void pause() {
    if (turns_ < engine_tuning::spins) {
      ++turns_;
    } else {
      std::this_thread::yield();  // the other one may be waiting for this core
    }
  }

 private:
  int turns_ = 0;
};

/// Into how many threads and how large tiles a call is cut. Zero: chosen from the size. Tests ask
/// for unusual teams and tiny tiles.
struct cut {
  unsigned num_threads = 0;
  std::size_t tile_items = 0;
};

/// What a call may use: a team, and memory.
struct resources {
  cut wanted;
  memory_source* memory;

  resources(cut wanted_cut = {}, memory_source& source = heap)
      : wanted{wanted_cut}, memory{&source} {}
  resources(memory_source& source) : memory{&source} {}

  /// The wanted cut if several threads may write to the outputs, else one thread.
  template <class... Outs>
  cut cut_for() const {
    return (writes_apart<Outs>::value && ...) ? wanted : cut{1, wanted.tile_items};
  }
};

/// The number of threads asked for. If none was: one for each `thread_bytes` of n items, at most
/// default_team_size(), but a single one where there would be fewer than fewest_threads.
inline unsigned worthwhile_threads(std::size_t n, std::size_t item_bytes, cut wanted,
                                   std::size_t thread_bytes) {
  if (wanted.num_threads != 0) return wanted.num_threads;
  const std::size_t most = n / (thread_bytes / std::min(item_bytes, thread_bytes));
  return most < engine_tuning::fewest_threads
             ? 1
             : unsigned(std::min<std::size_t>(most, host::default_team_size()));
}

/// A range of n items as tiles. A tile has `cached_bytes` unless something else is asked for, so
/// that it stays in a core's own cache between two passes over it. An algorithm that reads its
/// items once may ask for larger tiles.
struct tiling {
  static constexpr std::size_t cached_bytes = engine_tuning::tile_bytes;
  static constexpr std::size_t thread_bytes = engine_tuning::thread_bytes;

  std::size_t n;
  std::size_t bytes;
  std::size_t tile_items;
  std::size_t num_tiles;
  unsigned num_threads;

  tiling(std::size_t num_items, std::size_t item_bytes, cut wanted,
         std::size_t tile_bytes = cached_bytes)
      : n{num_items}, bytes{num_items * item_bytes} {
    const std::size_t fitting =
        std::max(std::size_t{engine_tuning::fewest_tile_items}, tile_bytes / item_bytes);
    tile_items = wanted.tile_items ? wanted.tile_items : fitting;
    num_tiles = n / tile_items + (n % tile_items != 0);
    const std::size_t threads = host::worthwhile_threads(n, item_bytes, wanted, thread_bytes);
    num_threads = unsigned(std::min(threads, std::max(num_tiles, std::size_t{1})));
  }

  std::size_t begin(std::size_t tile) const { return tile * tile_items; }
  std::size_t size(std::size_t tile) const { return std::min(tile_items, n - begin(tile)); }
};

/// How many bytes a T counts as where items are handled one by one.
template <class T>
inline constexpr std::size_t weight_of = std::max(sizeof(T), engine_tuning::least_item_weight);

/// The lowest tile that has thrown, while others still run.
class lowest_failure {
 public:
  static constexpr std::size_t none = std::size_t(-1);

  void note(std::size_t tile) {
    std::size_t lowest = tile_.load(std::memory_order_relaxed);
    while (tile < lowest && !tile_.compare_exchange_weak(lowest, tile, std::memory_order_relaxed)) {
    }
  }
  std::size_t tile() const { return tile_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> tile_{none};
};

/// Calls f(tile, rank) for every tile. Threads take tiles by ticket: when a tile starts, all lower
/// ones have started, so it may wait for them. `rank` tells the threads of the team apart.
///   Errors  rethrows the first exception. By then all tiles below failure.tile() have ended,
///           without an exception; some of the others may not have started
template <class F>
void for_each_tile(const tiling& tiles, lowest_failure& failure, F f) {
  std::atomic<std::size_t> ticket{0};
  host::run_team(tiles.num_threads, tiles.bytes, [&](unsigned rank) {
    while (failure.tile() == lowest_failure::none) {
      const std::size_t tile = ticket.fetch_add(1, std::memory_order_relaxed);
      if (tile >= tiles.num_tiles) return;
      try {
        f(tile, rank);
      } catch (...) {
        failure.note(tile);
        throw;
      }
    }
  });
}

/// for_each_tile() where no tile waits for another; calls f(tile).
template <class F>
void for_each_tile(const tiling& tiles, F f) {
  lowest_failure failure;
  host::for_each_tile(tiles, failure, [&](std::size_t tile, unsigned) { f(tile); });
}

/// Calls f(i) for i in [0, n), by a team. A call takes about as long as moving a T.
template <class T, class F>
void for_each_item(std::size_t n, cut wanted, F f) {
  const tiling tiles{n, sizeof(T), wanted};
  host::for_each_tile(tiles, [&](std::size_t tile) {
    for (std::size_t i = tiles.begin(tile), end = i + tiles.size(tile); i < end; ++i) f(i);
  });
}

/// Where share i begins if n items are cut into num_shares shares, whose sizes differ by one at
/// most. Shares from num_shares on begin at n.
constexpr std::size_t share_begin(std::size_t n, std::size_t num_shares, std::size_t i) {
  if (i >= num_shares) return n;
  return n / num_shares * i + std::min(i, n % num_shares);
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
