// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of 256 bytes that all ranks exchange in each step of a call, and their checksums.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// A checksum of the bytes, of the rank that sends them and of its message's `number`. Bytes of
/// another rank, of an earlier message, or that no rank sent have another one. It is needed because
/// a rank may end its communicator while others receive. NCCL's kernels there can then end as if
/// all bytes had arrived, and the memory holds what it held before.
inline std::uint64_t checksum_of(const void* bytes, std::size_t n, std::size_t rank,
                                 std::uint64_t number) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  const auto* const at = static_cast<const unsigned char*>(bytes);
  std::uint64_t checksum = (number + 1) * odd ^ rank;
  const auto add = [&](std::uint64_t word) {
    checksum = (checksum ^ word) * odd;
    checksum ^= checksum >> 29;
  };
  for (std::size_t i = 0; i + sizeof checksum <= n; i += sizeof checksum) {
    std::uint64_t word;
    std::memcpy(&word, at + i, sizeof word);
    add(word);
  }
  std::uint64_t last = n;
  for (std::size_t i = n / sizeof checksum * sizeof checksum; i < n; ++i) last = last << 8 | at[i];
  add(last);
  return checksum;
}

/// What every rank sends to all others in each step. A rank that has failed sends its error in
/// place of what the others expect. So all ranks fail in the same step, none waits for one that has
/// left, and the communicator stays usable.
struct message {
  std::uint64_t checksum = 0;    ///< of the rest
  std::uint64_t is_failure = 0;  ///< 0 or 1; no bool: any bytes may be here
  alignas(16) char content[240] = {};

  std::uint64_t expected_checksum(std::size_t rank, std::uint64_t number) const {
    return ranks::checksum_of(content, sizeof content, rank, 2 * number + (is_failure != 0));
  }
};

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
