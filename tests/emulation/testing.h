// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emulated kernels' tests share: device arrays, machines by seed, what a run is held to.
#pragma once

#include "grid.h"
#include "memory.h"
#include "schedule.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace emulation {

/// [n] items in device memory.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : n_{n}, items_{static_cast<T*>(allocate(n * sizeof(T)))} {}
  explicit device_array(const std::vector<T>& items) : device_array(items.size()) { assign(items); }
  device_array(const device_array&) = delete;
  ~device_array() { emulation::free(items_); }

  T* data() const { return items_; }
  void assign(const std::vector<T>& items) { std::memcpy(bytes(), items.data(), n_ * sizeof(T)); }
  void poison() { emulation::poison(bytes(), n_ * sizeof(T)); }
  std::vector<T> to_host() const { return {items_, items_ + n_}; }
  std::vector<T> to_host(std::size_t n) const { return {items_, items_ + n}; }

 private:
  void* bytes() { return static_cast<void*>(items_); }
  std::size_t n_;
  T* items_;
};

/// One call of the library and what it has to come to.
struct experiment {
  std::function<void()> prepare;       ///< resets the outputs
  std::function<void()> run;           ///< launches; throws failure
  std::function<std::string()> check;  ///< what is wrong with the result, or nothing
};

/// Several calls, one after the other.
inline experiment all_of(std::vector<experiment> several) {
  const auto calls = std::make_shared<std::vector<experiment>>(std::move(several));
  return {[=] {
            for (const experiment& each : *calls) each.prepare();
          },
          [=] {
            for (const experiment& each : *calls) each.run();
          },
          [=] {
            std::string wrong;
            for (const experiment& each : *calls) wrong += each.check();
            return wrong;
          }};
}

/// What went wrong on one machine, or nothing.
inline std::string try_on(const habits& machine, decisions& decide, const experiment& e) {
  e.prepare();
  enter({machine, &decide});
  std::string wrong;
  try {
    e.run();
    wrong = e.check();
  } catch (const failure& f) {
    wrong = f.what;
  }
  enter({habits{}, nullptr});
  return wrong;
}
inline std::string try_on_seed(std::uint64_t seed, const experiment& e) {
  random_decisions decide{seed};
  const habits machine = machine_of_seed(seed);
  start_poison(seed);
  const std::string wrong = try_on(machine, decide, e);
  return wrong.empty() ? wrong
                       : "seed " + std::to_string(seed) + ", " + describe(machine) + "\n" + wrong;
}

/// The first thing that goes wrong on so many machines, or nothing. AddressSanitizer, which is
/// slow, sees what it looks for on fewer.
inline std::string try_on_machines(std::uint64_t count, const experiment& e) {
  if (!watches_memory()) count = std::min(count, 2 + count / 10);
  for (std::uint64_t seed = 0; seed < count; ++seed)
    if (std::string wrong = try_on_seed(seed, e); !wrong.empty()) return wrong;
  return {};
}

using names = std::set<std::string>;

/// Takes the orderings of the kernels away, one place at a time: each is missed on one of so many
/// machines, but for the `needless` ones: see ordering::name().
inline void expect_all_needed(std::uint64_t count, const experiment& e,
                              const names& needless = {}) {
  if (!watches_memory()) return;
  forget_orderings();
  EXPECT_EQ(try_on_machines(20, e), "");
  const std::set<ordering> all = orderings();
  EXPECT_FALSE(all.empty());
  names not_missed;
  for (const ordering& o : all) {
    weaken(&o);
    if (try_on_machines(count, e).empty()) {
      not_missed.insert(o.name());
      std::cout << "not missed: " << o.what << " at " << o.file << ":" << o.line << "\n";
    }
    weaken(nullptr);
  }
  EXPECT_EQ(not_missed, needless);
}

/// A call in two phases, with temporary memory of its own: call(temp, bytes).
class two_phases {
 public:
  using function = std::function<cudaError_t(void*, std::size_t&)>;
  explicit two_phases(function call)
      : call_{std::move(call)}, temp_{std::make_shared<device_array<unsigned char>>(size())} {}
  void operator()() {
    temp_->poison();
    std::size_t bytes = size();
    if (call_(temp_->data(), bytes) != cudaSuccess) throw failure{"the call refuses its arguments"};
  }
  void* temp() const { return temp_->data(); }

 private:
  std::size_t size() const {
    std::size_t bytes = 0;
    call_(nullptr, bytes);
    return bytes;
  }
  function call_;
  std::shared_ptr<device_array<unsigned char>> temp_;
};

/// Empty if `actual` begins with the bits of `expected`, else what differs first.
template <class T>
std::string difference(const std::vector<T>& actual, const std::vector<T>& expected) {
  if (actual.size() < expected.size())
    return std::to_string(actual.size()) + " items of " + std::to_string(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) != 0)
      return "item " + std::to_string(i) + " of " + std::to_string(expected.size()) + " is wrong";
  return {};
}

}  // namespace emulation
