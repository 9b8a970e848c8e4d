// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranking a block's keys by one digit, stably: where each key goes if the tile is sorted by digit.
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/cuda/warp.cuh>
#include <hindsight/detail/key_bits.h>

#include <cuda/std/bit>

#include <cstddef>

namespace hindsight::detail {

/// What the passes of a sort carry for a key: an integer's own bits, whose digits differ from those
/// of its order-preserving image in constant `flips`, or a float's exact image.
template <class Direction, class Key>
struct carried_key {
  using bits_t = unsigned_bits_t<Key>;
  static constexpr bool is_image = is_float_like<Key>;

  HINDSIGHT_DEVICE static bits_t from(const Key& key) {
    if constexpr (is_image) return Direction::exact(key);
    return ::cuda::std::bit_cast<bits_t>(key);
  }
  HINDSIGHT_DEVICE static Key to_key(bits_t carried) {
    if constexpr (is_image) return Direction::template key<Key>(carried);
    return ::cuda::std::bit_cast<Key>(carried);
  }
  HINDSIGHT_HD static constexpr bits_t flips() {
    if constexpr (is_image) return 0;
    return Direction::bits(Key{});
  }
  /// None of its digits is smaller than another key's.
  HINDSIGHT_HD static constexpr bits_t last() { return bits_t(~flips()); }
};

/// Digit `shift .. shift + bits` of a key that passes carry.
template <class Direction, class Key>
struct digit_of {
  int shift;
  unsigned mask;
  unsigned flips;
  HINDSIGHT_DEVICE unsigned operator()(unsigned_bits_t<Key> carried) const {
    if constexpr (is_float_like<Key>) carried = Direction::template join_zeros<Key>(carried);
    return (static_cast<unsigned>(carried >> shift) & mask) ^ flips;
  }
};

/// Room to rank in. A warp finds the lanes that hold its digit in `peers`, where each of them has
/// set its bit, and the number of earlier keys of that digit beside it: one access brings both.
template <int NumDigits, int Warps>
struct rank_storage {
  struct alignas(8) entry {
    unsigned peers;
    unsigned count;
  };
  entry warps[Warps][NumDigits];
  unsigned warp_totals[Warps];
};

/// The ranks of a lane's keys, two to a register.
template <int LaneItems>
class packed_ranks {
 public:
  HINDSIGHT_DEVICE unsigned get(int i) const { return words_[i / 2] >> i % 2 * 16 & 0xffff; }
  HINDSIGHT_DEVICE void set(int i, unsigned rank) {
    words_[i / 2] = i % 2 == 0 ? rank : words_[i / 2] | rank << 16;  // in order: 0, 1, 2, ...
  }
  HINDSIGHT_DEVICE void add(int i, unsigned offset) { words_[i / 2] += offset << i % 2 * 16; }

 private:
  unsigned words_[(LaneItems + 1) / 2];
};

/// A digit that many keys have, or none: then a number beyond all digits.
struct heavy_digit {
  unsigned digit;
  bool is_majority;
};

/// The lanes of a warp that hold the same digit, from a ballot per bit.
template <int NumDigits>
HINDSIGHT_DEVICE unsigned match_digit(unsigned digit) {
  unsigned peers = all_lanes;
  HINDSIGHT_UNROLL
  for (int place = 1; place < NumDigits; place *= 2) {
    const bool has_bit = (digit & place) != 0;
    const unsigned lanes_with_bit = __ballot_sync(all_lanes, has_bit);
    peers &= has_bit ? lanes_with_bit : ~lanes_with_bit;
  }
  return peers;
}

/// Ranks each key among its warp's keys of the same digit. Keys are striped: lane l holds items
/// l, 32 + l, ... of its warp, and digit_at(i) is the digit of its i-th. Ends with a barrier; after
/// it, shared holds each warp's counts.
///
/// Lanes of one digit find each other in shared memory, whose bandwidth is what a sort is short of,
/// or by ballots, which cost instructions: rows alternate. The lanes of a heavy digit would queue
/// for one word; they need but one ballot, and where they are the majority it serves every row.
template <int NumDigits, int Warps, int LaneItems, class DigitAt>
HINDSIGHT_DEVICE void rank_in_warps(DigitAt digit_at, heavy_digit heavy,
                                    rank_storage<NumDigits, Warps>& shared,
                                    packed_ranks<LaneItems>& ranks) {
  auto& own = shared.warps[warp_index()];
  for (int d = lane_index(); d < NumDigits; d += warp_lanes) own[d] = {0, 0};
  __syncwarp();
  const auto rank_by_ballots = [&](int i) {
    const unsigned digit = digit_at(i);
    const unsigned count = own[digit].count;
    const unsigned peers = match_digit<NumDigits>(digit);
    const int before = __popc(peers & ptx::lanes_below());
    __syncwarp();
    if (before == 0) own[digit].count = count + __popc(peers);
    ranks.set(i, count + before);
    __syncwarp();
  };
  const auto rank_in_memory = [&](int i) {
    const unsigned digit = digit_at(i);
    auto& entry = own[digit];
    const bool is_heavy = digit == heavy.digit;
    const unsigned heavy_peers = heavy.digit < NumDigits ? __ballot_sync(all_lanes, is_heavy) : 0;
    if (!is_heavy) atomicOr(&entry.peers, 1u << lane_index());
    __syncwarp();
    const auto seen = entry;
    __syncwarp();
    const unsigned peers = is_heavy ? heavy_peers : seen.peers;
    const int before = __popc(peers & ptx::lanes_below());
    if (before == 0) entry = {0, seen.count + __popc(peers)};
    ranks.set(i, seen.count + before);
    __syncwarp();
  };
  if (heavy.is_majority) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) rank_in_memory(i);
  } else {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) i % 2 == 0 ? rank_by_ballots(i) : rank_in_memory(i);
  }
  __syncthreads();
}

/// Thread d's view of digit d after rank_in_warps(): turns the warps' counts into where each warp's
/// first key of the digit goes within the tile. Returns that of the tile and, in `count`, how many
/// there are. Needs a barrier before ranks are read. Requires as many threads as digits.
template <int NumDigits, int Warps>
HINDSIGHT_DEVICE unsigned offset_digits(rank_storage<NumDigits, Warps>& shared, unsigned& count) {
  static_assert(NumDigits == Warps * warp_lanes, "a thread for each digit");
  const int d = static_cast<int>(threadIdx.x);
  count = 0;
  HINDSIGHT_UNROLL
  for (int w = 0; w < Warps; ++w) count += shared.warps[w][d].count;

  const unsigned inclusive = warp_inclusive_fold(count, ::cuda::std::plus<unsigned>{});
  if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = inclusive;
  __syncthreads();
  unsigned begin = inclusive - count;
  for (int w = 0; w < warp_index(); ++w) begin += shared.warp_totals[w];

  unsigned warp_begin = begin;
  HINDSIGHT_UNROLL
  for (int w = 0; w < Warps; ++w) {
    const unsigned warp_count = shared.warps[w][d].count;
    shared.warps[w][d].count = warp_begin;
    warp_begin += warp_count;
  }
  return begin;
}

/// Completes the ranks: within the tile instead of within the warp and digit.
template <int NumDigits, int Warps, int LaneItems, class DigitAt>
HINDSIGHT_DEVICE void rank_in_tile(DigitAt digit_at, const rank_storage<NumDigits, Warps>& shared,
                                   packed_ranks<LaneItems>& ranks) {
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    ranks.add(i, shared.warps[warp_index()][digit_at(i)].count);
  }
}

}  // namespace hindsight::detail
