// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs when, and how late memory is: everything that a launch leaves open is decided here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulation {

/// Which block runs if several can.
enum class preference {
  first_started,  ///< in ticket order
  last_started,   ///< the lowest ticket runs when nobody else can
  random,         ///< drawn anew each time
  fixed,          ///< random, but the same all along: some block, or warp, runs far ahead
};

/// The habits of one machine. Each "one_in" is how often something happens on average; 0: never.
struct habits {
  preference blocks = preference::first_started;
  preference warps = preference::first_started;
  preference lanes = preference::first_started;
  unsigned resident_blocks = 1000;
  bool starts_in_order = true;  ///< else block indices start in a random order
  unsigned preempt_one_in = 0;  ///< another warp runs before an atomic access
  unsigned most_preemptions = ~0u;
  unsigned stall_one_in = 0;       ///< a block stops for a while after it published something
  unsigned stall_steps = 2000;     ///< for how long
  unsigned stale_one_in = 0;       ///< a load takes an older value, if nothing forbids that
  unsigned cycles_per_step = 100;  ///< of clock64(); a step is an atomic access
  unsigned late_copy_one_in = 2;   ///< an asynchronous copy runs when it is waited for
};

std::string describe(const habits& machine);

/// Where decisions come from.
class decisions {
 public:
  virtual ~decisions() = default;
  /// A number below n > 0; 0 is what an ordinary machine would do.
  virtual unsigned choose(unsigned n) = 0;
  /// True about once in n times.
  virtual bool happens(unsigned one_in) = 0;
};

/// By a seeded generator: the same seed, the same launch.
class random_decisions : public decisions {
 public:
  explicit random_decisions(std::uint64_t seed) : state_{seed * 2 + 1} { next(); }
  unsigned choose(unsigned n) override {
    return static_cast<unsigned>((next() >> 32) * std::uint64_t{n} >> 32);
  }
  bool happens(unsigned one_in) override { return one_in > 0 && choose(one_in) == 0; }

 private:
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  std::uint64_t state_;
};

/// All that is possible, one launch after the other: depth first over the tree of decisions.
///
///   every_decision all;
///   do { run a launch with `all`; } while (all.next());
class every_decision : public decisions {
 public:
  unsigned choose(unsigned n) override {
    if (n < 2) return 0;
    if (depth_ == path_.size()) path_.push_back({0, n});
    return path_[depth_++].chosen;
  }
  bool happens(unsigned one_in) override { return one_in > 0 && choose(2) == 1; }

  /// Turns to the next branch that was not taken yet; false if there is none.
  bool next() {
    depth_ = 0;
    while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().chosen;
    return true;
  }

 private:
  struct decision {
    unsigned chosen, count;
  };
  std::vector<decision> path_;
  std::size_t depth_ = 0;
};

/// A machine for each seed: the named ones first, then habits drawn at random.
habits machine_of_seed(std::uint64_t seed);

}  // namespace emulation
