// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which items of a tile begin a segment, for sorts: as bits, with a summary that makes it quick to
// find where the segment of an item begins and ends.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A bit for each item of a tile, set where a segment begins, and a bit for each word that has one.
/// Places after the tile's last item count as segments of their own.
template <int TileItems>
class head_bits {
  static_assert(TileItems % 32 == 0, "a tile begins with a word");
  static constexpr int num_words = TileItems / 32, num_summaries = (num_words + 32) / 32;

 public:
  /// Takes the tile's bits; a barrier has to follow.
  ///   bits  [count / 32, rounded up]
  template <int BlockThreads>
  HINDSIGHT_DEVICE void load(const unsigned* bits, int count) {
    for_each_word<BlockThreads>([&](int w) {
      const unsigned word = (32 * w < count ? bits[w] : 0u) | certain_heads(w, count);
      if (w <= num_words) words_[w] = word;
      return word;
    });
  }
  /// The same in three steps, with a barrier after each: clear() leaves no head but item 0, any
  /// thread may mark() heads, and finish_marks() makes what searches need.
  template <int BlockThreads>
  HINDSIGHT_DEVICE void clear(int count) {
    for (int w = static_cast<int>(threadIdx.x); w <= num_words; w += BlockThreads)
      words_[w] = certain_heads(w, count);
  }
  HINDSIGHT_DEVICE void mark(int i) { atomicOr(&words_[i / 32], 1u << i % 32); }
  template <int BlockThreads>
  HINDSIGHT_DEVICE void finish_marks() {
    for_each_word<BlockThreads>([&](int w) { return w <= num_words ? words_[w] : ~0u; });
  }

  /// Bits of the items [i, i + Items).
  template <int Items>
  HINDSIGHT_DEVICE unsigned at(int i) const {
    static_assert(Items < 32, "a word");
    const unsigned low = words_[i / 32], high = words_[i / 32 + 1];
    return __funnelshift_r(low, high, i % 32) & ((1u << Items) - 1);
  }
  /// The place of the last head that is not after i.
  HINDSIGHT_DEVICE int last_until(int i) const {
    int w = i / 32;
    unsigned word = words_[w] & (~0u >> (31 - i % 32));
    if (word == 0) {
      int s = w / 32;
      unsigned summary = summaries_[s] & ((1u << w % 32) - 1);
      while (summary == 0 && s > 0) summary = summaries_[--s];  // item 0 is a head
      w = s * 32 + 31 - __clz(static_cast<int>(summary));
      word = words_[w];
    }
    return w * 32 + 31 - __clz(static_cast<int>(word));
  }
  /// The place of the first head after i; the number of the tile's items, if there is none.
  HINDSIGHT_DEVICE int first_after(int i) const {
    int w = (i + 1) / 32;
    unsigned word = words_[w] & (~0u << (i + 1) % 32);
    if (word == 0) {
      ++w;
      int s = w / 32;
      unsigned summary = summaries_[s] & (~0u << w % 32);
      while (summary == 0) summary = summaries_[++s];  // places after the tile are heads
      w = s * 32 + __ffs(static_cast<int>(summary)) - 1;
      word = words_[w];
    }
    return w * 32 + __ffs(static_cast<int>(word)) - 1;
  }

 private:
  /// Item 0, and all places behind the last item.
  static HINDSIGHT_DEVICE unsigned certain_heads(int w, int count) {
    const unsigned first = w == 0 ? 1 : 0;
    if (32 * w + 32 <= count) return first;
    return 32 * w < count ? first | ~0u << (count - 32 * w) : ~0u;
  }
  /// Sets the summaries: the bit of word w is set unless word_at(w) is zero.
  template <int BlockThreads, class WordAt>
  HINDSIGHT_DEVICE void for_each_word(WordAt word_at) {
    for (int first = static_cast<int>(threadIdx.x) & -warp_lanes; first < 32 * num_summaries;
         first += BlockThreads) {
      const unsigned summary = __ballot_sync(all_lanes, word_at(first + lane_index()) != 0);
      if (lane_index() == 0) summaries_[first / 32] = summary;
    }
  }

  unsigned words_[num_words + 1], summaries_[num_summaries];
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
