// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words that tiles write for each other, and how they are accessed. An access to a word of 32
// or 64 bits is whole; one to a pair may be torn between its two words.
//
// On the device accesses are relaxed: a word hands over itself and nothing else. Host threads store
// with release and load with acquire, so a word also hands over the memory that was written and
// read before it. On x86-64 this costs nothing.
#pragma once

#include <hindsight/detail/config.h>
#if HINDSIGHT_HAS_KERNELS
#  include <hindsight/detail/ptx.cuh>
#endif

#include <cuda/atomic>

#include <cstdint>

namespace hindsight::detail {

struct alignas(16) word_pair {
  std::uint64_t low, high;
};

/// Word is std::uint32_t or std::uint64_t.
template <class Word>
HINDSIGHT_HD Word load_word(const Word& word) {
  using ref [[maybe_unused]] = ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>;
  HINDSIGHT_ON_DEVICE((return ptx::load_relaxed(&word);),
                      (return ref{const_cast<Word&>(word)}.load(::cuda::memory_order_acquire);))
}
template <class Word>
HINDSIGHT_HD void store_word(Word& word, Word value) {
  using ref [[maybe_unused]] = ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>;
  HINDSIGHT_ON_DEVICE((ptx::store_relaxed(&word, value);),
                      (ref{word}.store(value, ::cuda::memory_order_release);))
}

HINDSIGHT_HD inline word_pair load_pair(const word_pair& pair) {
  HINDSIGHT_ON_DEVICE(
      (word_pair words; ptx::load_relaxed_pair(&pair, words.low, words.high); return words;),
      (return {load_word(pair.low), load_word(pair.high)};))
}
HINDSIGHT_HD inline void store_pair(word_pair& pair, word_pair words) {
  HINDSIGHT_ON_DEVICE((ptx::store_relaxed_pair(&pair, words.low, words.high);),
                      (store_word(pair.low, words.low); store_word(pair.high, words.high);))
}

}  // namespace hindsight::detail
