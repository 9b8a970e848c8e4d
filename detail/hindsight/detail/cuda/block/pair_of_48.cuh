// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A carry of two numbers of 48 bits each: both fit in two words, together with the words' flags.
#pragma once

#include <hindsight/detail/config.h>

#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

class pair_of_48 {
 public:
  HINDSIGHT_DEVICE static pair_of_48 make(std::uint64_t first, std::uint64_t second) {
    pair_of_48 pair;
    pair.first_low_ = std::uint32_t(first);
    pair.middle_ = std::uint32_t(first >> 32) | std::uint32_t(second) << 16;
    pair.second_high_ = std::uint32_t(second >> 16);
    return pair;
  }
  HINDSIGHT_DEVICE std::uint64_t first() const {
    return std::uint64_t{middle_ & 0xffff} << 32 | first_low_;
  }
  HINDSIGHT_DEVICE std::uint64_t second() const {
    return std::uint64_t{second_high_} << 16 | middle_ >> 16;
  }

 private:
  std::uint32_t first_low_, middle_, second_high_;  // each word of a slot gets one of the two
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
