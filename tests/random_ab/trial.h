// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One randomised comparison of hindsight with stock Thrust: what a case draws, and what it says of
// itself if the two differ.
#pragma once

#include "arrays.h"
#include "edges.h"
#include "memory_load.h"
#include "sides.h"
#include "values.h"
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight_test {

class trial {
 public:
  static constexpr std::size_t most_items = std::size_t{1} << (HINDSIGHT_CUDA ? 23 : 21);
  static constexpr std::size_t most_bytes = std::size_t{1} << (HINDSIGHT_CUDA ? 27 : 25);

  trial(u64 seed, u64 number, std::string name) : name_{std::move(name)} {
    std::seed_seq words{u32(seed), u32(seed >> 32), u32(number), u32(number >> 32)};
    random_.seed(words);
  }

  // ---- what a case draws ----
  u64 below(u64 bound) { return random_() % bound; }
  bool one_in(u64 count) { return below(count) == 0; }

  /// Nothing, a few, around powers of two, around `edges`, anything up to most_items; mostly small,
  /// and not too many bytes.
  std::size_t size(const edge_list& edges, std::size_t item_bytes = 1) {
    const bool is_edge = !edges.empty() && one_in(3);
    std::size_t n = is_edge ? draw_edge(edges) : draw_size();
    while (n > (is_edge ? most_bytes : most_bytes / 16) / item_bytes) n /= 2;
    text_ << ", n = " << n;
    return n;
  }

  /// Items away from alignment.
  std::size_t shift() {
    const std::size_t items = one_in(3) ? 0 : below(8);
    text_ << ", shift " << items;
    return items;
  }

  bool in_place(bool is_possible = true) {
    const bool chosen = is_possible && one_in(3);
    if (chosen) text_ << ", in place";
    return chosen;
  }

  template <class T>
  T item(values kind = values::any) {
    return allowed(one_in(2) ? special_item<T>(random_) : any_item<T>(random_), kind);
  }

  /// [n] items of any distribution.
  template <class T>
  std::vector<stored<T>> items(std::size_t n, values kind = values::any) {
    switch (below(8)) {
      case 0:
        return fill<T>("of few values", n, kind, few<T>(2 + below(4)));
      case 1:
        return fill<T>("all equal", n, kind, few<T>(1));
      case 2:
        return sorted<T>(n, kind);
      case 3:
        return keys<T>(n, kind);
      case 4:
        return fill<T>("special", n, kind, [this] { return special_item<T>(random_); });
      case 5: {
        const u64 words = 2 + below(5);
        return fill<T>("of few bits", n, kind, [this, words] { return few_bits<T>(words); });
      }
      default:
        return fill<T>("uniform", n, kind, [this] { return any_item<T>(random_); });
    }
  }

  /// [n] items in runs of equal ones.
  template <class T>
  std::vector<stored<T>> keys(std::size_t n, values kind = values::any) {
    const u64 means[] = {1, 2, 16, 256, 65536};
    const u64 mean = means[below(5)];
    const bool special = one_in(3);
    T key{};
    const auto next = [&, left = u64{0}]() mutable {
      if (left == 0) {
        key = special ? special_item<T>(random_) : any_item<T>(random_);
        left = 1 + below(2 * mean - 1);
      }
      --left;
      return key;
    };
    return fill<T>("in runs of " + std::to_string(mean), n, kind, next);
  }

  // ---- what a case compares ----
  /// Calls call(policy, side) with stock's policy and with one of ours; compares what they return.
  /// On the GPU ours sometimes runs while another stream keeps memory busy.
  template <class Call>
  auto both(Call call) {
    const policy_kind policy = draw_policy();
    const bool busy = draw_load();
    if (trace()) std::fprintf(stderr, "%s\n", description().c_str());
    memory::wait();
    const auto expected = call(stock_policy, side::stock);
    prepare(policy);
    const memory_load load{busy};
    const auto actual = ours(policy, call);
    load.stop();
    memory::wait();
    if (std::memcmp(&actual, &expected, sizeof actual) != 0) {
      differ("the call returned " + hex_of(actual) + " instead of " + hex_of(expected));
    }
    return expected;
  }

  /// Calls call(policy, side) with a policy that is right and with one of ours; each has memory of
  /// its own (twin.h). On the GPU sometimes while another stream keeps memory busy.
  template <class Reference, class Call>
  void with_twins(const Reference& reference, Call call) {
    const policy_kind policy = draw_policy();
    const bool busy = draw_load();
    if (trace()) std::fprintf(stderr, "%s\n", description().c_str());
    memory::wait();
    const std::ptrdiff_t expected = call(reference, stock_side{});
    prepare(policy);
    const memory_load load{busy};
    const auto call_ours = [&](const auto& chosen, side) { return call(chosen, our_side{}); };
    const std::ptrdiff_t actual = ours(policy, call_ours);
    load.stop();
    memory::wait();
    if (actual != expected) {
      differ("the call returned " + std::to_string(actual) + " instead of " +
             std::to_string(expected));
    }
  }

  /// Compares [0, count) of both sides; ours may have written [0, room).
  template <class T>
  void compare(const char* what, const outputs<T>& out, std::size_t count, std::size_t room) {
    const std::string text = difference(out.ours, out.stock, count, room);
    if (!text.empty()) differ(std::string{what} + ": " + text);
  }
  template <class T>
  void compare(const char* what, const outputs<T>& out, std::size_t count) {
    compare(what, out, count, count);
  }

  void note(const std::string& text) { text_ << ", " << text; }
  void differ(const std::string& text) {
    differences_ += (differences_.empty() ? "" : "; ") + text;
  }

  /// Whether each case is to be described before it runs: to find one that hangs or crashes.
  static bool trace() { return std::getenv("HINDSIGHT_TEST_TRACE") != nullptr; }

  std::string description() const { return name_ + text_.str(); }
  const std::string& differences() const { return differences_; }

 private:
  enum class policy_kind { par, with_workspace, nosync, on_stream };

  policy_kind draw_policy() {
    const char* const names[] = {"par", "par(workspace)", "par_nosync", "par.on(stream)"};
    const u64 kind = below(HINDSIGHT_CUDA ? 4 : 2);
    note(names[kind]);
    threads_ = !HINDSIGHT_CUDA && one_in(2) ? u32(2 + below(7)) : 0;
    if (threads_ > 0) note(std::to_string(threads_) + " threads");
    return static_cast<policy_kind>(kind);
  }

  bool draw_load() {
    const bool busy = HINDSIGHT_CUDA && one_in(3);
    if (busy) note("memory under load");
    return busy;
  }

  /// Fills the workspace: whatever lies there must not be taken for a state of the protocol.
  void prepare(policy_kind policy) {
    const lent& own = lent::instance();
    if (HINDSIGHT_CUDA && policy == policy_kind::with_workspace)
      memory::fill(own.workspace(), int(below(256)), lent::workspace_bytes);
    memory::wait();
  }

  template <class Call>
  auto ours(policy_kind policy, Call& call) {
    const hindsight::detail::host::team_size_scope team{threads_};
    const lent& own = lent::instance();
    if (policy == policy_kind::with_workspace) {
      hindsight::workspace space{own.workspace(), lent::workspace_bytes};
      return call(hindsight::par(space), side::ours);
    }
#if HINDSIGHT_CUDA
    if (policy == policy_kind::nosync) return call(hindsight::cuda::par_nosync, side::ours);
    if (policy == policy_kind::on_stream)
      return call(hindsight::cuda::par.on(own.stream()), side::ours);
#endif
    return call(hindsight::par, side::ours);
  }

  template <class T>
  static std::string hex_of(const T& value) {
    return hex(&value, sizeof value);
  }

  std::size_t draw_edge(const edge_list& edges) {
    const std::size_t edge = edges[below(edges.size())];
    constexpr std::size_t large = std::size_t{1} << 20;
    if (edge > large && !one_in(4)) return draw_edge(edges);  // they take long
    return edge + below(3) - 1;
  }
  std::size_t draw_size() {
    const std::size_t tile = std::size_t{512} << below(6);  // up to 16384
    const std::size_t off_by_one = below(3) - 1;            // -1, 0, 1
    switch (below(10)) {
      case 0:
        return below(4);
      case 1:
        return below(200);
      case 2:
      case 3:
        return (std::size_t{2} << below(19)) + off_by_one;
      case 4:
      case 5:
        return tile * (1 + below(6)) + off_by_one;
      case 6:
        return one_in(3) ? tile * 32 * (1 + below(2)) + off_by_one : below(tile * 4);
      case 7:
        return one_in(8) ? below(most_items) : below(1u << 15);
      default:
        return below(std::size_t{2} << below(17));
    }
  }

  template <class T, class Next>
  std::vector<stored<T>> fill(const std::string& name, std::size_t n, values kind, Next next) {
    text_ << ", items " << name;
    std::vector<stored<T>> items(n);
    for (auto& item : items) item = allowed<T>(next(), kind);
    return items;
  }

  template <class T>
  auto few(u64 count) {
    std::vector<stored<T>> palette(count);
    for (auto& one : palette) one = item<T>();
    return [this, palette] { return static_cast<T>(palette[below(palette.size())]); };
  }

  /// Bits that are set in all of several words: the more words, the fewer bits.
  template <class T>
  T few_bits(u64 words) {
    u64 low = random_(), high = random_();
    while (--words > 0) {
      low &= random_();
      high &= random_();
    }
    return from_words<T>(low, high);
  }

  template <class T>
  std::vector<stored<T>> sorted(std::size_t n, values kind) {
    auto items = fill<T>("sorted", n, kind, [this] { return any_item<T>(random_); });
    std::vector<std::pair<u128, std::size_t>> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = {rank_of<T>(static_cast<T>(items[i])), i};
    std::sort(places.begin(), places.end());
    if (one_in(2)) {
      note("descending");
      std::reverse(places.begin(), places.end());
    }
    auto result = items;
    for (std::size_t i = 0; i < n; ++i) result[i] = items[places[i].second];
    return result;
  }

  std::mt19937_64 random_;
  /// On hosts, of ours; 0: as many as the machine has, and while others contend for it fewer.
  u32 threads_ = 0;
  std::string name_;
  std::ostringstream text_;
  std::string differences_;
};

}  // namespace hindsight_test
