// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes at any address, which a warp loads in words of 32 bits: it loads those at multiples of four
// bytes, and shifts what they have.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Bytes [begin, end) of a word, each by itself; zeros in the place of the others.
HINDSIGHT_DEVICE unsigned load_part_of_word(const unsigned* word, int begin, int end) {
  const auto bytes = reinterpret_cast<const unsigned char*>(word);
  unsigned part = 0;
  HINDSIGHT_UNROLL
  for (int i = 0; i < 4; ++i) {
    if (i >= begin && i < end) part |= static_cast<unsigned>(bytes[i]) << 8 * i;
  }
  return part;
}

/// put(w, word w of the bytes at `from`) for each w < Words, by one lane each. Words past the last
/// of `bytes` are of no use. Called by a full warp. It loads no byte that is not among them: others
/// may be writing there.
template <int Words, class Put>
HINDSIGHT_DEVICE void load_words(const void* from, int bytes, Put put) {
  constexpr int own = warp_lanes - 1;  // the last lane of a row loads for the one before
  constexpr int rows = (Words + own - 1) / own, at_once = 8;
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const int skipped = static_cast<int>(address % 4), lane = lane_index();
  const auto words = reinterpret_cast<const unsigned*>(address - skipped);
  const int first_whole = skipped > 0, end = skipped + bytes, end_whole = end / 4;
  const unsigned first =
      skipped > 0 ? cuda::load_part_of_word(words, skipped, ::cuda::std::min(end, 4)) : 0;
  const unsigned last =
      end_whole < first_whole ? first : cuda::load_part_of_word(words + end_whole, 0, end % 4);
  HINDSIGHT_ROLL
  for (int row = 0; row < rows; row += at_once) {
    unsigned loaded[at_once];
    HINDSIGHT_UNROLL
    for (int i = 0; i < at_once; ++i) {
      const int w = (row + i) * own + lane;
      loaded[i] = w < first_whole ? first : w < end_whole ? words[w] : last;
    }
    HINDSIGHT_UNROLL
    for (int i = 0; i < at_once; ++i) {
      const int w = (row + i) * own + lane;
      const unsigned next = __shfl_down_sync(all_lanes, loaded[i], 1);
      if (lane < own && w < Words) put(w, __funnelshift_r(loaded[i], next, 8 * skipped));
    }
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
