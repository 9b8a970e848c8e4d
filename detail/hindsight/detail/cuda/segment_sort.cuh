// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes over the highest digits leave segments, whose keys agree in these digits. A block sorts a
// segment in shared memory, by the bits below them.
// Source: Stehle & Jacobsen 2017, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs".
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/block/digit_rank.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/value_digits.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/tuning/sort.h>

#include <cuda/std/bit>

#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Tuning, class Key, class Value>
struct segment_storage {
  rank_storage<Tuning::num_digits, Tuning::block_threads / warp_lanes> ranking;
  unsigned_bits_t<Key> keys[Tuning::tile_items];
  /// Where in the segment they come from; values move once, when all is known.
  std::uint16_t sources[std::is_same_v<Value, no_value> ? 1 : Tuning::tile_items];
};

enum class tied_keys { in_order, few, many };

/// A block's keys: in registers, striped, and after a pass in shared memory, in order.
template <class Tuning, class Direction, class Key, class Value>
class staged_segment {
  using bits_t = unsigned_bits_t<Key>;
  using in_pass = pass_key<Direction, Key>;
  using storage = segment_storage<Tuning, Key, Value>;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr int threads = Tuning::block_threads, lane_items = Tuning::lane_items;

 public:
  /// keys[0, n), of which bits [0, end_bit) count.
  HINDSIGHT_DEVICE staged_segment(const Key* keys, int n, int end_bit, storage& shared)
      : counted_{static_cast<bits_t>(static_cast<bits_t>(~bits_t{0}) >>
                                     (int(sizeof(Key)) * 8 - end_bit))},
        shared_{shared},
        n_{n},
        rows_{(n + threads - 1) / threads} {
    first_ = warp_index() * (warp_lanes * rows_.count) + lane_index();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      keys_[i] = in_pass::last();
      if (i < rows_.count && first_ + i * warp_lanes < n)
        keys_[i] = ::cuda::std::bit_cast<bits_t>(keys[first_ + i * warp_lanes]);
      if constexpr (has_values) sources_.set(i, unsigned(first_ + i * warp_lanes));
    }
  }

  /// Sorts by bits [shift, shift + bits), stably; a barrier precedes its return.
  HINDSIGHT_DEVICE void sort_by(int shift, int bits) {
    if (is_staged_) unstage();
    const unsigned mask = (1u << bits) - 1;
    const digit_of<Direction, Key> digit{unsigned(shift), mask,
                                         unsigned(in_pass::flips() >> shift) & mask};
    count_digits(keys_, digit, shared_.ranking, rows_);
    __syncthreads();
    unsigned count;
    offset_digits(shared_.ranking, count);
    // Places past the end. Their digit is less than `mask` where a bool or unused bits lie in it.
    if (threadIdx.x == digit(in_pass::last())) count -= rows_.count * threads - n_;
    const bool in_order = __syncthreads_or(is_staged_ && count == unsigned(n_));
    // The vote tells the compiler that all lanes go on together. Else it would give each ballot a
    // second path, for lanes that do not.
    if (__any_sync(all_lanes, in_order)) return;
    const auto stage = [&](int i, unsigned rank) {
      shared_.keys[rank] = keys_[i];
      if constexpr (has_values) shared_.sources[rank] = static_cast<std::uint16_t>(sources_.get(i));
    };
    rank_digits(keys_, digit.again(), shared_.ranking, stage, rows_);
    is_staged_ = true;
    __syncthreads();
  }

  /// One more than the highest bit in which keys differ. Requires keys that are not yet sorted, and
  /// of which all bits count.
  HINDSIGHT_DEVICE int end_of_varying_bits(const Key& first) const {
    const bits_t first_bits =
        cuda::key_bits_of<Direction, Key>(::cuda::std::bit_cast<bits_t>(first));
    bits_t varying = 0;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      if (first_ + i * warp_lanes < n_ && i < rows_.count)
        varying |= cuda::key_bits_of<Direction, Key>(keys_[i]) ^ first_bits;
    }
    int end = 0;
    for (int step = int(sizeof(Key)) * 4; step > 0; step /= 2)
      if (__syncthreads_or(varying >> end >> step != 0)) end += step;
    return end + 1;
  }

  /// Whether keys that agree from bit `shift` on are in the wrong order, and if so, whether they
  /// are few.
  HINDSIGHT_DEVICE tied_keys tied(int shift) const {
    bool disordered = false, many = false;
    for (int j = threadIdx.x; j + 1 < n_; j += threads) {
      if (key_bits(j) >> shift != key_bits(j + 1) >> shift) continue;
      disordered |= key_bits(j) > key_bits(j + 1);
      const int far = j + Tuning::most_tied;
      many |= far < n_ && key_bits(j) >> shift == key_bits(far) >> shift;
    }
    if (!__syncthreads_or(disordered)) return tied_keys::in_order;
    return __syncthreads_or(many) ? tied_keys::many : tied_keys::few;
  }

  /// Requires keys in order, except for few that agree from bit `shift` on, which it puts right.
  /// The outputs may be the inputs.
  HINDSIGHT_DEVICE void store(Key* keys_out, const Value* values_in, Value* values_out,
                              tied_keys tied, int shift) const {
    uninitialized<Value> values[has_values ? lane_items : 1];
    if constexpr (has_values) {
      // Places past the end take the last value. If they were left unset, the compiler would keep
      // in them what an earlier segment has left, all through the sort.
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items; ++i) {
        const int j = ::cuda::std::min(int(threadIdx.x) + i * threads, n_ - 1);
        values[i].set(values_in[shared_.sources[j]]);
      }
      __syncthreads();
    }
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      const int j = threadIdx.x + i * threads;
      if (j >= n_) break;
      const int place = tied == tied_keys::few ? place_among_tied(j, shift) : j;
      keys_out[place] = in_pass::to_key(shared_.keys[j]);
      if constexpr (has_values) values_out[place] = values[i].get();
    }
  }

 private:
  HINDSIGHT_DEVICE void unstage() {
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      if (rows_.end_at(i)) break;
      keys_[i] = shared_.keys[first_ + i * warp_lanes];
      if constexpr (has_values) sources_.set(i, shared_.sources[first_ + i * warp_lanes]);
    }
  }
  HINDSIGHT_DEVICE bits_t key_bits(int j) const {
    return cuda::key_bits_of<Direction, Key>(shared_.keys[j]) & counted_;
  }
  HINDSIGHT_DEVICE int place_among_tied(int j, int shift) const {
    const bits_t own = key_bits(j);
    int place = j;
    for (int k = j - 1; k >= 0 && key_bits(k) >> shift == own >> shift; --k)
      place -= key_bits(k) > own;
    for (int k = j + 1; k < n_ && key_bits(k) >> shift == own >> shift; ++k)
      place += key_bits(k) < own;
    return place;
  }

  bits_t counted_;  ///< a mask of the bits that count
  bits_t keys_[lane_items];
  packed_ranks<has_values ? lane_items : 1> sources_;
  storage& shared_;
  int n_;
  lane_rows<lane_items, 1> rows_;
  int first_;
  /// False. If the compiler knew, it would compile a pass twice.
  bool is_staged_ = ptx::opaque(0) != 0;
};

/// Sorts a segment of n > 0 items, whose keys agree in bits [segment_bit, end_bit), by the bits
/// below. It sorts by the highest window_bits of these first, because few keys tie in all of them.
/// Keys of 4 bytes have no more bits below their highest digit, which names a segment at least. If
/// segment_bit is 0, it is not known, and the block finds it. The outputs may be the inputs.
template <class Tuning, class Direction, class Key, class Value>
HINDSIGHT_DEVICE void sort_segment(const Key* keys_in, Key* keys_out, const Value* values_in,
                                   Value* values_out, int n, int segment_bit, int end_bit,
                                   segment_storage<Tuning, Key, Value>& shared) {
  staged_segment<Tuning, Direction, Key, Value> segment{keys_in, n, end_bit, shared};
  if constexpr (has_value_digits<Key>)
    if (segment_bit == 0) segment_bit = segment.end_of_varying_bits(keys_in[0]);
  constexpr bool may_tie = int(sizeof(Key)) * 8 - Tuning::digit_bits > Tuning::window_bits;
  int from_bit = may_tie ? ::cuda::std::max(0, segment_bit - Tuning::window_bits) : 0;
  tied_keys tied;
  for (;;) {
    HINDSIGHT_ROLL
    for (int shift = from_bit; shift < segment_bit; shift += Tuning::digit_bits)
      segment.sort_by(shift, ::cuda::std::min(int{Tuning::digit_bits}, segment_bit - shift));
    tied = !may_tie || from_bit == 0 ? tied_keys::in_order : segment.tied(from_bit);
    if (tied != tied_keys::many) break;
    from_bit = 0;
  }
  segment.store(keys_out, values_in, values_out, tied, from_bit);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
