// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranking a block's keys by one digit, stably: where each key goes if the tile is sorted by digit.
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/key_bits.h>

#include <cuda/std/bit>
#include <cuda/std/functional>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A key as the passes of a sort move it: a float by its exact key bits (key_bits.h), an integer by
/// its own bits, whose digits differ from those of its key bits by the constant `flips`.
template <class Direction, class Key>
struct pass_key {
  using bits_t = unsigned_bits_t<Key>;
  static constexpr bool moves_key_bits = is_float_like<Key>;

  HINDSIGHT_DEVICE static bits_t from(const Key& key) {
    if constexpr (moves_key_bits) return Direction::exact(key);
    return ::cuda::std::bit_cast<bits_t>(key);
  }
  HINDSIGHT_DEVICE static Key to_key(bits_t in_pass) {
    if constexpr (moves_key_bits) return Direction::template key<Key>(in_pass);
    return ::cuda::std::bit_cast<Key>(in_pass);
  }
  HINDSIGHT_HD static constexpr bits_t flips() {
    if constexpr (moves_key_bits) return 0;
    return Direction::bits(Key{});
  }
  /// None of its digits is smaller than another key's.
  HINDSIGHT_HD static constexpr bits_t last() { return bits_t(~flips()); }
  /// Whether digits differ from those of the key bits by `flips` alone.
  static constexpr bool flips_digits = !moves_key_bits;
  HINDSIGHT_DEVICE static bits_t key_bits(bits_t in_pass) {
    if constexpr (moves_key_bits) return Direction::template join_zeros<Key>(in_pass);
    return bits_t(in_pass ^ flips());
  }
};

/// The key bits of a key in a pass.
template <class Direction, class Key>
HINDSIGHT_DEVICE unsigned_bits_t<Key> key_bits_of(unsigned_bits_t<Key> in_pass) {
  return pass_key<Direction, Key>::key_bits(in_pass);
}

/// Bits [end_bit - num_bits, end_bit) of key bits; fewer than 32.
template <class Bits>
HINDSIGHT_DEVICE unsigned highest_bits(Bits key_bits, int end_bit, int num_bits) {
  return static_cast<unsigned>(key_bits >> (end_bit - num_bits)) & ((1u << num_bits) - 1);
}

/// The digit of a key in a pass: its key bits from `shift` on, as many as `mask` has.
template <class Direction, class Key>
struct digit_of {
  unsigned shift;
  unsigned mask;
  unsigned flips;
  HINDSIGHT_DEVICE unsigned operator()(unsigned_bits_t<Key> in_pass) const {
    if constexpr (pass_key<Direction, Key>::flips_digits) {
      return (static_cast<unsigned>(in_pass >> shift) & mask) ^ flips;
    } else {
      return of_key_bits(cuda::key_bits_of<Direction, Key>(in_pass));
    }
  }
  /// The same, given key_bits_of(in_pass).
  HINDSIGHT_DEVICE unsigned of_key_bits(unsigned_bits_t<Key> key_bits) const {
    return static_cast<unsigned>(key_bits >> shift) & mask;
  }
  /// The same, but the compiler does not know that it is the same. Else it would keep the digits of
  /// one use for the next, and run out of registers.
  HINDSIGHT_DEVICE digit_of again() const { return {ptx::opaque(shift), mask, flips}; }
};

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
