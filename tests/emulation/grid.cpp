// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulation {

namespace {

constexpr std::uint32_t all = ~0u;  ///< lanes

unsigned lowest(std::uint32_t lanes) {
  return static_cast<unsigned>(__builtin_ctz(lanes));
}
unsigned highest(std::uint32_t lanes) {
  return 31 - static_cast<unsigned>(__builtin_clz(lanes));
}

world now_in{habits{}, nullptr};
random_decisions default_decisions{0};
std::uint64_t total_steps = 0;

/// The lines of the library that have launched kernels: at the end they go into the file that
/// HINDSIGHT_TEST_LAUNCHES names, for tests/emulated_kernels_test.py. Where a function has its
/// kernel as the template argument `Kernel`, the line has it too.
class launch_lines {
 public:
  void add(const std::string& file, int line, const std::string& function) {
    lines_.insert(file + ":" + std::to_string(line) + kernel_argument(function));
  }
  ~launch_lines() {
    const char* const path = std::getenv("HINDSIGHT_TEST_LAUNCHES");
    if (!path) return;
    std::ofstream out{path};
    for (const std::string& line : lines_) out << line << "\n";
  }

 private:
  static std::string kernel_argument(const std::string& function) {
    const std::size_t begin = function.find("auto Kernel = ");
    if (begin == std::string::npos) return {};
    const std::string argument = function.substr(begin, function.find('<', begin) - begin);
    return ":" + argument.substr(argument.find_last_of(": ") + 1);
  }

  std::set<std::string> lines_;
};
launch_lines launched_from;

/// One launch.
class grid {
 public:
  grid(const char* name, unsigned blocks, unsigned threads, std::size_t shared_bytes,
       const std::function<void()>& kernel, start when)
      : name_{name},
        threads_{threads},
        shared_bytes_{shared_bytes},
        kernel_{kernel},
        starts_early_{when == start::early} {
    to_start_.resize(blocks);
    std::iota(to_start_.rbegin(), to_start_.rend(), 0u);
    if (!machine().starts_in_order)
      for (unsigned i = blocks; i > 1; --i)
        std::swap(to_start_[i - 1], to_start_[deciding().choose(i)]);
    if (machine().blocks == preference::fixed) favourite_ = deciding().choose(blocks);
  }
  ~grid() {
    for (const auto& b : resident_) free_shared(*b);
  }

  void run() {
    for (;;) {
      while (!to_start_.empty() && resident_.size() < machine().resident_blocks) start_block();
      if (resident_.empty()) return;
      if (warp* const w = choose_warp()) {
        step(*w);
      } else {
        idle();
      }
      if (!what_failed_.empty()) throw failure{what_failed_};
    }
  }

  lane* running() const { return running_; }

  [[noreturn]] void fail(const std::string& what) {
    what_failed_ = std::string{name_} + ": " + what + "\n  in " + describe(*running_);
    for (;;) back_to_grid();
  }

  void may_switch(place at) {
    running_->at = at;
    ++steps_;
    ++total_steps;
    cycles_ += machine().cycles_per_step;
    if (steps_ > 40'000'000) fail("livelock: no end after 40 million steps\n" + describe_all());
    if (preemptions_ < machine().most_preemptions && deciding().happens(machine().preempt_one_in)) {
      ++preemptions_;
      changes_warp_ = true;
      back_to_grid();
    }
  }

  void may_stall() {
    if (deciding().happens(machine().stall_one_in)) {
      running_->home.stalled_until = steps_ + 1 + deciding().choose(machine().stall_steps);
      changes_warp_ = true;
      back_to_grid();
    }
  }

  void wait_for_news() {
    lane& self = *running_;
    warp& w = own_warp();
    const std::uint32_t bit = own_bit();
    for (unsigned i = 0; i < self.num_loads; ++i)
      pollers_[self.loads[i].word].push_back({&self.home, self.thread / warp_size});
    w.polling |= bit;
    w.runnable &= ~bit;
    wait("news of a word");
  }

  void wake_pollers(const void* word) {
    idle_rounds_ = 0;
    const auto found = pollers_.find(word);
    if (found == pollers_.end()) return;
    // The lanes of a warp that poll do so together: one may wait for another's next operation.
    for (const auto& [home, index] : found->second) wake(*home, home->warps[index]);
    pollers_.erase(found);
  }

  void sync_threads(place at) {
    block& home = running_->home;
    running_->at = at;
    ++home.at_barrier;
    if (release_barrier(home, at)) return;
    own_warp().runnable &= ~own_bit();
    wait("__syncthreads()");
  }

  int sync_threads_count(bool yes, place at) {
    block& home = running_->home;
    const unsigned phase = home.phase;
    home.counts[phase] += yes;
    if (home.at_barrier + 1 == home.alive) {
      home.phase ^= 1;  // who has not read yet still finds what was said
      home.counts[home.phase] = 0;
    }
    sync_threads(at);
    return home.counts[phase];
  }

  void sync_some_threads(int id, unsigned threads, place at) {
    std::vector<lane*>& come = running_->home.at_named_barrier[id];
    running_->at = at;
    come.push_back(running_);
    if (come.size() < threads) {
      own_warp().runnable &= ~own_bit();
      wait("a barrier of some threads");
      return;
    }
    std::vector<thread_clock*> clocks;
    for (lane* const l : come) {
      l->home.warps[l->thread / warp_size].runnable |= 1u << l->thread % warp_size;
      clocks.push_back(&l->clock);
    }
    come.clear();
    if (orders_at(at, "barrier of some threads")) thread_clock::meet(clocks);
  }

  const std::uint64_t* exchange(std::uint64_t value, const char* operation, place at) {
    warp& w = own_warp();
    const std::uint32_t bit = own_bit();
    running_->at = at;
    if (w.alive != all) fail(std::string{operation} + " in a warp that has lost lanes");
    if (w.arrived != 0 && std::strcmp(w.operation, operation) != 0)
      fail(std::string{operation} + " meets " + w.operation);
    w.operation = operation;
    std::uint64_t* const given = w.given[w.phase];
    given[running_->thread % warp_size] = value;
    w.arrived |= bit;
    if (w.arrived == all) {
      w.arrived = 0;
      w.phase ^= 1;  // who has not read yet still finds what was given
      w.runnable = all;
    } else {
      w.runnable &= ~bit;
      wait(operation);
    }
    return given;
  }

  void sync_warp(place at) {
    const bool is_last = (own_warp().arrived | own_bit()) == all;
    if (is_last && orders_at(at, "__syncwarp()")) {
      std::vector<thread_clock*> clocks;
      const std::size_t first = running_->thread / warp_size * warp_size;
      for (std::size_t i = 0; i < warp_size; ++i)
        clocks.push_back(&running_->home.lanes[first + i]->clock);
      thread_clock::meet(clocks);
    }
    exchange(0, "__syncwarp()", at);
  }

  std::int64_t cycles() { return cycles_ += machine().cycles_per_step; }

  void* shared(const void* variable, std::size_t bytes) {
    void*& room = running_->home.shared[variable];
    if (!room) room = allocate(bytes);
    return room;
  }
  void* dynamic_shared() {
    void*& room = running_->home.dynamic_shared;
    if (!room) room = allocate(shared_bytes_);
    return room;
  }

 private:
  warp& own_warp() { return running_->home.warps[running_->thread / warp_size]; }
  std::uint32_t own_bit() const { return 1u << running_->thread % warp_size; }

  void wait(const char* what) {
    lane& self = *running_;
    self.waits_for = what;
    back_to_grid();
    self.waits_for = "its turn";
  }
  void back_to_grid() { running_->fiber.give_way(); }

  void start_block() {
    auto b = std::make_unique<block>();
    b->index = to_start_.back();
    to_start_.pop_back();
    b->started = num_started_++;
    if (machine().warps == preference::fixed) b->rank = deciding().choose(32);
    b->alive = threads_;
    b->warps.resize((threads_ + warp_size - 1) / warp_size);
    for (unsigned t = 0; t < threads_; ++t) {
      b->lanes.push_back(std::make_unique<lane>(*b, t, b->started * threads_ + t));
      b->lanes.back()->waits_for_launch = starts_early_;
      warp& w = b->warps[t / warp_size];
      w.alive |= 1u << t % warp_size;
      w.runnable = w.alive;
    }
    able_.push_back(b.get());
    resident_.push_back(std::move(b));
  }

  void free_shared(block& b) {
    for (const auto& [variable, room] : b.shared) free(room);
    if (b.dynamic_shared) free(b.dynamic_shared);
  }

  static std::uint32_t runnable_lanes(const block& b) {
    std::uint32_t any = 0;
    for (const warp& w : b.warps) any |= w.runnable;
    return any;
  }

  /// The one that ran last goes on unless it was preempted; else as the machine prefers.
  warp* choose_warp() {
    if (last_warp_ && last_warp_->runnable && !changes_warp_) return last_warp_;
    changes_warp_ = false;
    block* const b = choose_block();
    if (!b) return last_warp_ = nullptr;
    std::uint32_t able = 0;  // at most 32 warps
    for (std::size_t w = 0; w < b->warps.size(); ++w)
      if (b->warps[w].runnable) able |= 1u << w;
    running_block_ = b;
    return last_warp_ = &b->warps[pick(machine().warps, able, b->rank)];
  }

  block* choose_block() {
    const auto count = static_cast<unsigned>(able_.size());
    switch (machine().blocks) {
      case preference::first_started:
        return next_able(0, 1);
      case preference::last_started:
        return next_able(count - 1, count - 1);
      case preference::random:
        return count > 8 ? next_able(deciding().choose(count), 1) : one_of_few();
      case preference::fixed:
        break;
    }
    return next_able(favourite_ % count, 1);
  }

  /// Any block that can run, each of them once for every_decision.
  block* one_of_few() {
    block* able[8];
    unsigned count = 0;
    for (block* const b : able_)
      if (b && runnable_lanes(*b)) able[count++] = b;
    return count > 0 ? able[deciding().choose(count)] : nullptr;
  }

  /// The first block from `from` on, in steps, that can run; a stalled one if there is no other.
  block* next_able(unsigned from, unsigned step) {
    block* stalled = nullptr;
    const auto count = static_cast<unsigned>(able_.size());
    for (unsigned i = 0, at = from; i < count; ++i, at = (at + step) % count) {
      block* const b = able_[at];
      if (!b) continue;
      if (!runnable_lanes(*b)) {
        able_[at] = nullptr;
      } else if (b->stalled_until <= steps_) {
        return b;
      } else if (!stalled) {
        stalled = b;
      }
    }
    return stalled;
  }

  /// One of a set of warps or lanes.
  static unsigned pick(preference how, std::uint32_t able, unsigned rank) {
    switch (how) {
      case preference::first_started:
        return lowest(able);
      case preference::last_started:
        return highest(able);
      case preference::random: {
        const auto count = static_cast<unsigned>(__builtin_popcount(able));
        for (unsigned skipped = deciding().choose(count); skipped > 0; --skipped) able &= able - 1;
        return lowest(able);
      }
      case preference::fixed:
        break;
    }
    const std::uint32_t from_rank = able >> rank % 32 << rank % 32;
    return lowest(from_rank ? from_rank : able);
  }

  void step(warp& w) {
    const auto first = static_cast<unsigned>(&w - running_block_->warps.data()) * warp_size;
    lane& self = *running_block_->lanes[first + pick(machine().lanes, w.runnable, 5)];
    running_ = &self;
    threadIdx = {self.thread, 0, 0};
    blockIdx = {self.home.index % gridDim.x, self.home.index / gridDim.x, 0};
    if (self.fiber.has_started()) {
      self.fiber.resume();
    } else {
      self.fiber.start([](void* launch) { static_cast<grid*>(launch)->run_thread(); }, this);
    }
    running_ = nullptr;
    if (self.has_ended) end_of(self);
  }

  void run_thread() {
    kernel_();
    if (running_->waits_for_launch) fail("a thread has not waited for the launch before");
    running_->has_ended = true;
    for (;;) back_to_grid();
  }

  void end_of(lane& self) {
    block& home = self.home;
    warp& w = home.warps[self.thread / warp_size];
    const std::uint32_t bit = 1u << self.thread % warp_size;
    w.runnable &= ~bit;
    w.alive &= ~bit;
    if (w.arrived)
      what_failed_ =
          std::string{name_} + ": a lane ends while others of its warp are in " + w.operation;
    if (--home.alive > 0) {
      if (home.at_barrier > 0) release_barrier(home, place{});
      return;
    }
    last_warp_ = nullptr;
    free_shared(home);
    able_[home.started] = nullptr;
    home.lanes.clear();  // others need their stacks
    for (std::size_t i = 0; i < resident_.size(); ++i) {
      if (resident_[i].get() != &home) continue;
      ended_.push_back(std::move(resident_[i]));
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }

  /// Whether all threads of a block that are alive have come to the barrier.
  bool release_barrier(block& home, place at) {
    if (home.at_barrier < home.alive) return false;
    home.at_barrier = 0;
    std::vector<thread_clock*> clocks;
    for (const auto& l : home.lanes) {
      warp& w = home.warps[l->thread / warp_size];
      const std::uint32_t bit = 1u << l->thread % warp_size;
      if (!(w.alive & bit)) continue;
      w.runnable |= bit;
      clocks.push_back(&l->clock);
    }
    if (orders_at(at, "__syncthreads()")) thread_clock::meet(clocks);
    return true;
  }

  void wake(block& home, warp& w) {
    if (!w.polling) return;
    w.runnable |= w.polling;
    w.polling = 0;
    able_[home.started] = &home;
  }

  /// Nobody can run but who polls: time passes, and what was stored is there at last.
  void idle() {
    bool anyone = false;
    for (const auto& b : resident_)
      for (warp& w : b->warps)
        if (w.polling) anyone = true;
    if (!anyone) throw failure{std::string{name_} + ": deadlock\n" + describe_all()};
    if (++idle_rounds_ > 500) throw failure{std::string{name_} + ": livelock\n" + describe_all()};
    cycles_ += 1000ll << (idle_rounds_ < 10 ? idle_rounds_ : 10);
    for (const auto& b : resident_) {
      for (const auto& l : b->lanes) l->takes_newest = true;
      for (warp& w : b->warps) wake(*b, w);
    }
    pollers_.clear();
  }

  static std::string describe(const lane& l) {
    std::ostringstream text;
    text << "thread " << l.thread << " of block " << l.home.index << " (number " << l.home.started
         << " to start), at " << l.at.file << ":" << l.at.line;
    return text.str();
  }

  /// What everyone waits for, and the words that blocks tell each other.
  std::string describe_all() const {
    std::ostringstream text;
    for (const auto& b : resident_)
      for (const auto& l : b->lanes)
        if (b->warps[l->thread / warp_size].alive >> l->thread % warp_size & 1)
          text << "  " << describe(*l) << ", waits for " << l->waits_for << "\n";
    text << to_start_.size() << " blocks have not started\n" << describe_atomics();
    return text.str();
  }

  const char* name_;
  unsigned threads_;
  std::size_t shared_bytes_;
  const std::function<void()>& kernel_;
  bool starts_early_;
  std::vector<unsigned> to_start_;
  unsigned num_started_ = 0;
  std::vector<std::unique_ptr<block>> resident_, ended_;
  std::vector<block*> able_;  ///< by their number to start: all that can run, and some that cannot
  unsigned favourite_ = 0;
  struct poller {
    block* home;
    unsigned warp;
  };
  std::map<const void*, std::vector<poller>> pollers_;
  lane* running_ = nullptr;
  block* running_block_ = nullptr;
  warp* last_warp_ = nullptr;
  bool changes_warp_ = false;
  std::uint64_t steps_ = 0;
  std::int64_t cycles_ = 0;
  unsigned idle_rounds_ = 0, preemptions_ = 0;
  std::string what_failed_;
};

grid* running_grid = nullptr;

}  // namespace

lane* current() {
  return running_grid ? running_grid->running() : nullptr;
}
void fail(const std::string& what) {
  running_grid->fail(what);
}
void may_switch(place at) {
  running_grid->may_switch(at);
}
void wait_for_news() {
  running_grid->wait_for_news();
}
void wake_pollers(const void* word) {
  running_grid->wake_pollers(word);
}
void may_stall() {
  running_grid->may_stall();
}
void sync_threads(place at) {
  running_grid->sync_threads(at.in(__builtin_return_address(0)));
}
int sync_threads_count(bool yes, place at) {
  return running_grid->sync_threads_count(yes, at.in(__builtin_return_address(0)));
}
void sync_some_threads(int id, unsigned threads, place at) {
  running_grid->sync_some_threads(id, threads, at.in(__builtin_return_address(0)));
}
void sync_warp(place at) {
  running_grid->sync_warp(at.in(__builtin_return_address(0)));
}
const std::uint64_t* exchange(std::uint64_t value, const char* operation, place at) {
  return running_grid->exchange(value, operation, at);
}
std::int64_t cycles() {
  return running_grid->cycles();
}
void* shared_memory(const void* variable, std::size_t bytes) {
  return running_grid->shared(variable, bytes);
}
void* dynamic_shared_memory() {
  return running_grid->dynamic_shared();
}

void wait_for_launch_before() {
  current()->waits_for_launch = false;
}

void copy_later(void* to, const void* from, std::size_t bytes) {
  const bool is_late = deciding().happens(machine().late_copy_one_in);
  read_word(from, bytes, bytes, __builtin_return_address(0));
  write_word(to, bytes, bytes, __builtin_return_address(0));
  if (!is_late) std::memcpy(to, from, bytes);
  current()->copies.push_back({to, from, bytes});
}
void end_copy_group() {
  current()->groups.push_back(current()->copies.size());
}
void finish_copies(std::size_t but) {
  auto& copies = current()->copies;
  auto& groups = current()->groups;
  if (groups.size() <= but) return;
  const std::size_t finished = groups.size() - but, count = groups[finished - 1];
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(copies[i].to, copies[i].from, copies[i].bytes);
  copies.erase(copies.begin(), copies.begin() + std::ptrdiff_t(count));
  groups.erase(groups.begin(), groups.begin() + std::ptrdiff_t(finished));
  for (std::size_t& end : groups) end -= count;
}

decisions& deciding() {
  return now_in.decide ? *now_in.decide : default_decisions;
}
const habits& machine() {
  return now_in.machine;
}
void enter(const world& w) {
  now_in = w;
}
std::uint64_t steps() {
  return total_steps;
}

void note_launch(const char* file, int line, const std::string& function) {
  launched_from.add(file, line, function);
}

void run_grid(const char* name, dim3 blocks, unsigned threads, std::size_t shared_bytes,
              const std::function<void()>& kernel, start when) {
  grid launch{name, blocks.x * blocks.y, threads, shared_bytes, kernel, when};
  blockDim = {threads, 1, 1};
  gridDim = blocks;
  begin_launch();
  running_grid = &launch;
  const auto leave = [] {
    running_grid = nullptr;
    end_launch();
  };
  try {
    launch.run();
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

}  // namespace emulation
