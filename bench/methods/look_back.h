// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tiles write for each other while they run: a word each, for blocks and host threads alike.
#pragma once

#include <cuda/atomic>

#include "method.h"
#include <thread>

namespace methods {

enum class tile_state : std::uint32_t {
  empty = 0,      ///< nothing yet; zeroed memory is empty
  aggregate = 1,  ///< `value` is the sum of this tile
  prefix = 2,     ///< `value` is the sum of all tiles up to this one
};

struct tile_word {
  tile_state state;
  item value;
};

/// State and value share one 64-bit word, so a reader sees both or neither. All accesses are
/// relaxed: a word hands over itself, and the reader uses no other memory that its writer wrote.
using word = std::uint64_t;
using word_ref = ::cuda::atomic_ref<word, ::cuda::thread_scope_device>;

HINDSIGHT_HD inline void publish(word& to, tile_word w) {
  word_ref{to}.store(word{static_cast<std::uint32_t>(w.state)} << 32 | w.value,
                     ::cuda::memory_order_relaxed);
}

HINDSIGHT_HD inline tile_word peek(word& from) {
  const word bits = word_ref{from}.load(::cuda::memory_order_relaxed);
  return {static_cast<tile_state>(bits >> 32), static_cast<item>(bits)};
}

/// Spins until the word is not empty. Its writer holds a lower ticket, so it is running.
HINDSIGHT_HD inline tile_word wait(word& from) {
  tile_word w = peek(from);
  while (w.state == tile_state::empty) {
    NV_IF_TARGET(NV_IS_HOST, (std::this_thread::yield();))  // the writer may need this core
    w = peek(from);
  }
  return w;
}

}  // namespace methods
