// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A case is one algorithm on one input, run by stock and by hindsight.
#pragma once

#include "engine.h"
#include <memory>

namespace ab {

extern unsigned long long seed;  ///< of all inputs
/// How many items behind a multiple of 256 bytes arrays begin.
extern unsigned long long begin_items;
extern bool small_buffers;  ///< whether whole calls find partly used chunks: --small-buffers

/// What one side of a case writes: compared with the other side's, bit by bit.
class results {
 public:
  explicit results(mode wanted) : measured{wanted} {}

  template <class T>
  void add(const char* name, std::size_t n) {
    all_.push_back(
        {name, sizeof(T), n, begin_items * sizeof(T), buffer{(begin_items + n) * sizeof(T)}});
  }
  /// One item. A whole call returns it to the host, a Device* call leaves it in the engine's
  /// memory.
  template <class T>
  void add_scalar(const char* name) {
    const memory where = measured == mode::kernel ? memory::engine : memory::shared;
    all_.push_back({name, sizeof(T), 1, 0, buffer{sizeof(T), where}});
  }
  template <class T>
  T* as(std::size_t i) const {
    return reinterpret_cast<T*>(all_[i].data.as<char>() + all_[i].begin_bytes);
  }

  void poison() const;
  /// Which of these items is the first that differs from stock's, and how; empty if none does.
  std::string difference(const results& stock) const;

  const mode measured;

 private:
  struct result {
    std::string name;
    std::size_t item_bytes, n, begin_bytes;
    buffer data;
  };
  std::vector<result> all_;
};

/// Both sides of a case, ready to be timed: inputs made, all buffers allocated.
struct prepared {
  std::function<void()> stock, ours;
  std::function<void(const results&)> reset;  ///< before each run, outside the time
  std::shared_ptr<results> stock_results, our_results;
};

/// The measured rate that bounds a case.
enum class ceiling { none, copy, read };

struct names {
  std::string algorithm, key, value, distribution;
};
struct traffic {
  double bytes_per_item;  ///< that must move, at least
  ceiling bound;
};

inline const char* any_size(std::size_t) {
  return nullptr;
}

struct ab_case {
  names named;
  traffic moves;
  std::vector<mode> modes;  ///< that the case has
  std::function<prepared(std::size_t n, mode)> prepare;
  std::size_t most_items = std::size_t(-1);  ///< the greatest default size
  /// Why the case has no input of n items, or nullptr.
  const char* (*why_not)(std::size_t n) = any_size;
};

/// Those of the engine that suit a case.
std::vector<std::size_t> default_sizes(const ab_case& of);

/// All cases; each algorithm's file adds its own.
std::vector<ab_case>& cases();
struct registration {
  explicit registration(const std::function<void()>& add) { add(); }
};

/// Times of both sides, in turn: medians, and the interquartile range as a share of the median.
/// Results are compared after the first runs and again after the timed ones.
struct measurement {
  double stock_ms, our_ms, stock_noise, our_noise;
  int runs;
  std::string difference;
};
measurement measure(const ab_case& of, std::size_t n, mode measured);

}  // namespace ab
