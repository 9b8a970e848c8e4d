// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many items a thread reads before it uses the first of them. More of them wait for memory
// together, and take more registers. No number here changes a result.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_VERSION_ABI {

/// Items of a lane that go to shared memory: as many at a time as divide the lane's items.
template <int LaneItems>
inline constexpr int staged_at_once = LaneItems % 8 == 0   ? 8
                                      : LaneItems % 4 == 0 ? 4
                                                           : 1;

/// Items that a thread copies, and pairs that it swaps; larger ones fill its registers sooner.
template <class Item>
inline constexpr int copied_at_once = sizeof(Item) <= 8 ? 8 : 1;
template <class Item>
inline constexpr int swapped_at_once = sizeof(Item) <= 8 ? 4 : 1;

/// Items of an array of at least so many bytes are compared where they lie. Smaller ones are faster
/// in registers.
inline constexpr std::size_t fewest_bytes_left_in_memory = 32;
/// Of these, the best that a thread has seen is copied up to so many bytes.
inline constexpr std::size_t most_bytes_of_best = 128;

/// Up to so many bytes one block alone looks for an extremum.
struct extremum_tuning {
  static constexpr std::size_t block_alone_bytes = 128 * 1024;
};

/// Offsets that a thread reads before it marks their items.
inline constexpr int marked_at_once = 4;

/// Up to so many bytes an item, lanes load items one by one, with nothing else for each. (Items of
/// 8 bytes do not gain by it: a tile has half as many.)
inline constexpr std::size_t most_lone_load_bytes = 4;

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail
