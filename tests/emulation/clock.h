// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks: what happened before what.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace emulation {

/// A line of the kernels' source: for reports, and to take away what stands there.
struct place {
  const char* file = "";
  int line = 0;
  const void* code = nullptr;  ///< tells the uses of an inline function apart
  /// As a default argument: the place of the call.
  static constexpr place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line, nullptr};
  }
  place in(const void* code_address) const { return {file, line, code_address}; }
};

/// A moment in the life of one thread.
struct moment {
  std::uint32_t thread = 0;
  std::uint32_t time = 0;  ///< 0: never
};

/// For each thread, up to which of its moments all is known. A tree whose nodes are shared until
/// they change: threads know almost the same, and a launch has thousands of them.
class knowledge {
 public:
  explicit operator bool() const { return root_ != nullptr; }

  std::uint32_t time_of(std::uint32_t thread) const {
    if (!root_) return 0;
    const auto& b = root_->below[thread / (fan_out * leaf_size) % fan_out];
    if (!b) return 0;
    const auto& l = b->below[thread / leaf_size % fan_out];
    return l ? l->times[thread % leaf_size] : 0;
  }
  void set(std::uint32_t thread, std::uint32_t time) {
    branch& b = own(own(root_).below[thread / (fan_out * leaf_size) % fan_out]);
    own(b.below[thread / leaf_size % fan_out]).times[thread % leaf_size] = time;
  }
  /// What either knows.
  void join(const knowledge& other) { join(root_, other.root_); }

 private:
  static constexpr std::uint32_t leaf_size = 64, fan_out = 32;
  struct leaf {
    std::uint32_t times[leaf_size] = {};
  };
  template <class Node>
  struct inner {
    std::shared_ptr<Node> below[fan_out];
  };
  using branch = inner<leaf>;

  /// The node, not shared with anyone.
  template <class Node>
  static Node& own(std::shared_ptr<Node>& node) {
    if (!node) {
      node = std::make_shared<Node>();
    } else if (node.use_count() > 1) {
      node = std::make_shared<Node>(*node);
    }
    return *node;
  }
  template <class Node>
  static void join(std::shared_ptr<Node>& to, const std::shared_ptr<Node>& from) {
    if (!from || to == from) return;
    if (!to) {
      to = from;
      return;
    }
    Node& node = own(to);
    if constexpr (std::is_same_v<Node, leaf>) {
      for (std::uint32_t i = 0; i < leaf_size; ++i)
        node.times[i] = std::max(node.times[i], from->times[i]);
    } else {
      for (std::uint32_t i = 0; i < fan_out; ++i) join(node.below[i], from->below[i]);
    }
  }

  std::shared_ptr<inner<branch>> root_;
};

/// What one thread knows of the others, and its own time.
class thread_clock {
 public:
  explicit thread_clock(std::uint32_t thread) : now_{thread, 1} {}

  moment now() const { return now_; }
  bool knows(moment m) const {
    return m.time == 0 || m.thread == now_.thread || known_.time_of(m.thread) >= m.time;
  }
  void learn(const knowledge& more) { known_.join(more); }

  /// All that this thread knows, its own past included. What it does from now on is not.
  knowledge tell() {
    known_.set(now_.thread, now_.time++);
    return known_;
  }

  /// After a barrier each of the threads knows what any of them knew.
  static void meet(const std::vector<thread_clock*>& threads) {
    knowledge all;
    for (const thread_clock* t : threads) all.join(t->known_);
    for (thread_clock* t : threads) all.set(t->now_.thread, t->now_.time++);
    for (thread_clock* t : threads) t->known_ = all;
  }

 private:
  moment now_;
  knowledge known_;
};

}  // namespace emulation
