// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A grid of blocks, warps and threads on one thread of the CPU. Each thread of a block is a fiber;
// it runs until it waits for others, or until the schedule has another one run.
#pragma once

#include "clock.h"
#include "fiber.h"
#include "memory.h"
#include "schedule.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <vector_types.h>  // stub/, or the toolkit's

namespace emulation {

inline constexpr unsigned warp_size = 32;

struct block;

/// One thread of a block.
struct lane {
  lane(block& home, unsigned thread, std::uint32_t id) : home{home}, thread{thread}, clock{id} {}

  block& home;
  unsigned thread;  ///< threadIdx.x
  emulation::fiber fiber;
  bool has_ended = false;
  bool waits_for_launch = false;  ///< has yet to wait for the launch before
  thread_clock clock;
  knowledge read_relaxed;  ///< what an acquire fence would make known
  knowledge fenced;        ///< what relaxed stores after a release fence tell
  /// Words that were loaded last, and which of their values: who polls finds the same ones again.
  struct load {
    const void* word = nullptr;
    std::size_t index = 0;
  };
  static constexpr unsigned remembered = 16;
  load loads[remembered];
  unsigned num_loads = 0, next_load = 0;
  unsigned loads_without_news = 0;
  bool takes_newest = false;  ///< the next loads: nothing else can happen any more
  struct copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  std::vector<copy> copies;         ///< asynchronous ones under way
  std::vector<std::size_t> groups;  ///< how many of them each group ends with
  const char* waits_for = "its turn";
  place at;
};

struct warp {
  std::uint32_t runnable = 0, polling = 0, arrived = 0, alive = 0;
  const char* operation = nullptr;  ///< that the arrived lanes take part in
  std::uint64_t given[2][warp_size];
  unsigned phase = 0;
};

struct block {
  unsigned index;    ///< counts blockIdx.x, then blockIdx.y
  unsigned started;  ///< how many blocks started before
  std::vector<std::unique_ptr<lane>> lanes;
  std::vector<warp> warps;
  std::map<const void*, void*> shared;  ///< static shared memory by variable
  void* dynamic_shared = nullptr;
  unsigned alive = 0, at_barrier = 0;
  int counts[2] = {};  ///< of threads that said yes at barriers, of every other one
  unsigned phase = 0;
  std::map<int, std::vector<lane*>> at_named_barrier;
  std::uint64_t stalled_until = 0;
  unsigned rank = 0;  ///< for preference::fixed: the warp that comes first
};

/// What a failed launch is reported with: a race, a deadlock, a misused warp operation.
struct failure {
  std::string what;
};

// --- for the code of threads ---------------------------------------------------------------------

/// The thread that runs, or null on the host.
lane* current();

/// Ends the launch.
[[noreturn]] void fail(const std::string& what);

/// Before an access that others may see: time passes, others may run.
void may_switch(place);

/// The current thread has found nothing new in the words that it loads. Returns when there may be.
void wait_for_news();
void wait_for_launch_before();
/// A word has a new value.
void wake_pollers(const void* word);
/// The current block may stop for a while: it has just published something.
void may_stall();

decisions& deciding();
const habits& machine();

void sync_threads(place);
int sync_threads_count(bool yes, place);
void sync_some_threads(int id, unsigned threads, place);
void sync_warp(place);
/// Gives a value to the lanes of the warp; returns all lanes' values. Orders no memory.
const std::uint64_t* exchange(std::uint64_t value, const char* operation, place);
std::int64_t cycles();
void copy_later(void* to, const void* from, std::size_t bytes);
void end_copy_group();
/// Of all groups but so many, the last ones.
void finish_copies(std::size_t but);

/// This block's copy of a static variable in shared memory.
void* shared_memory(const void* variable, std::size_t bytes);
void* dynamic_shared_memory();

// --- for the host --------------------------------------------------------------------------------

/// What launches from here on meet.
struct world {
  habits machine;
  decisions* decide;
};
void enter(const world&);

/// When the threads of a grid start. Grids run one after the other here. But it is a failure if a
/// thread that starts early ends without waiting for the launch before, or if, before it waits, it
/// touches what that launch wrote, or writes what that one touched.
enum class start { after_launch_before, early };

/// Runs `kernel` in all threads of a grid. Throws failure.
void run_grid(const char* name, dim3 blocks, unsigned threads, std::size_t shared_bytes,
              const std::function<void()>& kernel, start = start::after_launch_before);

/// A line of the sources, in this function, launches a kernel.
void note_launch(const char* file, int line, const std::string& function);

/// All scheduled steps since the program began, for tests that want to know that something ran.
std::uint64_t steps();

}  // namespace emulation
