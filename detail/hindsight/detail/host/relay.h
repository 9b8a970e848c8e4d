// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/detail/host/team.h>
#include <hindsight/detail/lookback/look_back.h>
#include <hindsight/detail/lookback/tile_board.h>
#include <hindsight/detail/workspace.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <type_traits>

namespace hindsight::detail::host {

/// Values that tiles can hand to each other. Algorithms over other types run on one thread.
template <class T>
inline constexpr bool can_relay =
    std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T>;

/// Hands a carry from tile to tile while threads work on them in the order of their tickets.
template <class T, class Op>
class relay {
 public:
  /// `initial`, if not null, is put before tile 0: then every tile has a carry.
  relay(const tiling& tiles, Op op, const T* initial = nullptr) : op_{op} {
    carver count{nullptr};
    tile_board<T>{count, tiles.num_tiles};
    memory_.reset(std::calloc(count.bytes(), 1));  // zero is empty
    if (!memory_) throw std::bad_alloc{};
    carver space{memory_.get()};
    board_ = tile_board<T>{space, tiles.num_tiles};
    if (initial == nullptr) return;
    first_ = before_first::initial;
    board_.publish_carry(0, *initial);
  }

  bool has_carry(std::size_t tile) const { return host::has_carry(tile, first_); }

  /// Publishes a tile's aggregate and returns the fold of all before it, in an order that depends
  /// on the tile alone. Means nothing unless has_carry(tile).
  T pass(std::size_t tile, const T& aggregate) {
    return look_back(board_, tile, aggregate, op_, first_, [this](auto peek, T& value) {
      for (int turns = 0; !peek(value); ++turns) {
        if (stop_.load(std::memory_order_relaxed)) throw abandoned{};
        if (turns > spins) std::this_thread::yield();  // the owner may be waiting for this core
      }
    });
  }

  /// Runs f(tile) over all tiles. If one throws, those that wait for it give up.
  template <class F>
  void run(const tiling& tiles, F f) {
    for_each_tile(tiles, stop_, [&](std::size_t tile) {
      try {
        f(tile);
      } catch (const abandoned&) {
        // The exception that the caller shall see is another worker's.
      }
    });
  }

 private:
  static constexpr int spins = 1 << 10;
  struct abandoned {};
  struct release {
    void operator()(void* memory) const { std::free(memory); }
  };

  Op op_;
  before_first first_ = before_first::nothing;
  std::unique_ptr<void, release> memory_;
  tile_board<T> board_;
  std::atomic<bool> stop_{false};
};

/// Positions: how many items the tiles before this one have written.
class tally : public relay<std::size_t, std::plus<>> {
 public:
  explicit tally(const tiling& tiles) : relay{tiles, {}, &none} {}

 private:
  static constexpr std::size_t none = 0;
};

}  // namespace hindsight::detail::host
