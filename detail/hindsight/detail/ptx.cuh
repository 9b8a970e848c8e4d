// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every line of inline PTX of the library, each behind a function named after what it does.
#pragma once

#include <hindsight/detail/config.h>

#include <cstdint>

namespace hindsight::detail::ptx {

struct alignas(16) u128 {
  std::uint64_t low, high;
};

/// One 16-byte word, read and written as a whole: a reader never sees half of a write.
/// Relaxed order at device scope (PTX memory model: .b128 accesses are single-copy atomic, sm_70).
HINDSIGHT_DEVICE u128 load_relaxed(const u128* address) {
  u128 word;
  asm volatile(
      "{\n\t"
      ".reg .b128 word;\n\t"
      "ld.relaxed.gpu.b128 word, [%2];\n\t"
      "mov.b128 {%0, %1}, word;\n\t"
      "}"
      : "=l"(word.low), "=l"(word.high)
      : "l"(address)
      : "memory");
  return word;
}

HINDSIGHT_DEVICE void store_relaxed(u128* address, u128 word) {
  asm volatile(
      "{\n\t"
      ".reg .b128 word;\n\t"
      "mov.b128 word, {%1, %2};\n\t"
      "st.relaxed.gpu.b128 [%0], word;\n\t"
      "}" ::"l"(address),
      "l"(word.low), "l"(word.high)
      : "memory");
}

HINDSIGHT_DEVICE unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

}  // namespace hindsight::detail::ptx
