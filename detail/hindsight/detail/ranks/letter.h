// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks send each other whenever they meet, and how they know that it was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hindsight::detail::ranks {

/// A number that only the `number`-th letter of that rank has: bytes of another rank, of an earlier
/// letter, or that nobody sent have another one. It is needed because a rank may end its
/// communicator while others receive: NCCL's kernels there can then end as if all had arrived,
/// and the memory holds what it held before.
inline std::uint64_t seal_of(const void* bytes, std::size_t n, std::size_t rank,
                             std::uint64_t number) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
  const auto* const at = static_cast<const unsigned char*>(bytes);
  std::uint64_t seal = (number + 1) * odd ^ rank;
  const auto add = [&](std::uint64_t word) {
    seal = (seal ^ word) * odd;
    seal ^= seal >> 29;
  };
  for (std::size_t i = 0; i + sizeof seal <= n; i += sizeof seal) {
    std::uint64_t word;
    std::memcpy(&word, at + i, sizeof word);
    add(word);
  }
  std::uint64_t last = n;
  for (std::size_t i = n / sizeof seal * sizeof seal; i < n; ++i) last = last << 8 | at[i];
  add(last);
  return seal;
}

/// What every rank sends to all others whenever they meet. A rank that has failed sends its error
/// in place of what the others expect. So all ranks fail in the same step, none waits for one that
/// has left, and the communicator stays usable.
struct letter {
  std::uint64_t seal = 0;        ///< of the rest
  std::uint64_t is_failure = 0;  ///< 0 or 1; no bool: bytes that nobody sent may be here
  alignas(16) char content[240] = {};

  std::uint64_t expected_seal(std::size_t rank, std::uint64_t number) const {
    return ranks::seal_of(content, sizeof content, rank, 2 * number + (is_failure != 0));
  }
};

}  // namespace hindsight::detail::ranks
