// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranking a block's keys by one digit, stably: where each key goes if the tile is sorted by digit.
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/ptx.cuh>

#include <cuda/std/functional>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How many of its `Most` items a lane has: all, or a multiple of Step. So one kernel takes tiles
/// of several sizes.
template <int Most, int Step = Most>
struct lane_rows {
  int count = Most;  ///< the same for all lanes
  HINDSIGHT_DEVICE bool end_at(int i) const {
    return Step < Most && i > 0 && i % Step == 0 && i >= count;
  }
};

/// Room to rank in: for each warp and digit, first the number of its keys, then where the next key
/// goes.
template <int NumDigits, int Warps>
struct rank_storage {
  unsigned digits[Warps][NumDigits];
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

 private:
  unsigned words_[(LaneItems + 1) / 2];
};

/// Counts each warp's keys by digit; digit(keys[i]) is that of the lane's i-th. A barrier has to
/// follow.
template <int NumDigits, int Warps, int LaneItems, class Bits, class Digit,
          class Rows = lane_rows<LaneItems>>
HINDSIGHT_DEVICE void count_digits(const Bits (&keys)[LaneItems], Digit digit,
                                   rank_storage<NumDigits, Warps>& shared, Rows rows = {}) {
  auto& counts = shared.digits[warp_index()];
  for (int d = lane_index(); d < NumDigits; d += warp_lanes) counts[d] = 0;
  __syncwarp();
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    if (rows.end_at(i)) break;
    atomicAdd(&counts[digit(keys[i])], 1u);
  }
}

/// Thread d's view of digit d after count_digits(): turns the warps' counts into where each warp's
/// first key of the digit goes within the tile. Returns where the tile's first key of the digit
/// goes; `count` = how many keys of the digit the tile has. A barrier has to follow. Requires as
/// many threads as digits.
template <int NumDigits, int Warps>
HINDSIGHT_DEVICE unsigned offset_digits(rank_storage<NumDigits, Warps>& shared, unsigned& count) {
  static_assert(NumDigits == Warps * warp_lanes, "a thread for each digit");
  const int d = static_cast<int>(threadIdx.x);
  count = 0;
  HINDSIGHT_UNROLL
  for (int w = 0; w < Warps; ++w) count += shared.digits[w][d];

  const unsigned inclusive = cuda::warp_inclusive_fold(count, ::cuda::std::plus<unsigned>{});
  if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = inclusive;
  __syncthreads();
  unsigned begin = inclusive - count;
  // Unrolled, this makes the lane's keys spill, if they have 8 bytes.
  HINDSIGHT_ROLL
  for (int w = 0; w < Warps; ++w) begin += w < warp_index() ? shared.warp_totals[w] : 0;

  unsigned warp_begin = begin;
  HINDSIGHT_UNROLL
  for (int w = 0; w < Warps; ++w) {
    const unsigned warp_count = shared.digits[w][d];
    shared.digits[w][d] = warp_begin;
    warp_begin += warp_count;
  }
  return begin;
}

/// Calls place(i, rank): the lane's i-th key goes to `rank` within the tile. Keys are striped: lane
/// l of a warp holds its items l, 32 + l, ... Keys of one digit keep their order: row after row of
/// lanes, and within a row from the lowest lane on. Ballots find the lanes with the same digit.
template <int NumDigits, int Warps, int LaneItems, class Bits, class Digit, class Place,
          class Rows = lane_rows<LaneItems>>
HINDSIGHT_DEVICE void rank_digits(const Bits (&keys)[LaneItems], Digit digit,
                                  rank_storage<NumDigits, Warps>& shared, Place place,
                                  Rows rows = {}) {
  static_assert(NumDigits == 256, "a ballot for each of eight bits");
  auto& next = shared.digits[warp_index()];
  const unsigned below = ptx::lanes_below(), above = ptx::lanes_above();
  const unsigned minus_one = ptx::opaque(~0u);
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    using namespace ptx;
    if (rows.end_at(i)) break;
    const unsigned d = digit(keys[i]);
    unsigned peers = and3(lanes_that_agree<1>(d, minus_one), lanes_that_agree<2>(d, minus_one),
                          lanes_that_agree<4>(d, minus_one));
    peers = and3(peers, lanes_that_agree<8>(d, minus_one), lanes_that_agree<16>(d, minus_one));
    peers = and3(peers, lanes_that_agree<32>(d, minus_one), lanes_that_agree<64>(d, minus_one));
    const unsigned last_peers = lanes_that_agree<128>(d, minus_one);
    const unsigned rank = next[d] + __popc(and3(peers, last_peers, below));
    __syncwarp();
    if (and3(peers, last_peers, above) == 0) next[d] = rank + 1;
    place(i, rank);
    __syncwarp();
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
