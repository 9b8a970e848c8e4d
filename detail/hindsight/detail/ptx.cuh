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

HINDSIGHT_DEVICE unsigned lanes_above() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
  return mask;
}

/// `value`, but the compiler does not know that.
HINDSIGHT_DEVICE unsigned opaque(unsigned value) {
  unsigned all_lanes;
  asm("{\n\t"
      ".reg .b32 from_here;\n\t"
      "mov.u32 %0, %%lanemask_lt;\n\t"
      "mov.u32 from_here, %%lanemask_ge;\n\t"
      "or.b32 %0, %0, from_here;\n\t"
      "}"
      : "=r"(all_lanes));
  return value & all_lanes;
}

/// a & b & c
HINDSIGHT_DEVICE unsigned and3(unsigned a, unsigned b, unsigned c) {
  unsigned all;
  asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(all) : "r"(a), "r"(b), "r"(c));
  return all;
}

/// The lanes of a full warp whose `value` has the same bit `Place` as this one's: a ballot, or its
/// complement. In these terms the compiler turns all bits of `value` into predicates at once.
/// Requires minus_one = opaque(-1): the complement is then a multiply-add, and not one more
/// operation for the pipe that does the ballots.
template <unsigned Place>
HINDSIGHT_DEVICE unsigned lanes_that_agree(unsigned value, unsigned minus_one) {
  unsigned lanes;
  asm volatile(
      "{\n\t"
      ".reg .pred own;\n\t"
      "and.b32 %0, %1, %2;\n\t"
      "setp.ne.u32 own, %0, 0;\n\t"
      "vote.sync.ballot.b32 %0, own, 0xffffffff;\n\t"
      "@!own mad.lo.u32 %0, %0, %3, %3;\n\t"
      "}"
      : "=&r"(lanes)
      : "r"(value), "n"(Place), "r"(minus_one));
  return lanes;
}

}  // namespace hindsight::detail::ptx
