// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rounds of a selection of the k lowest numbers hand to each other, and how a round's last
// block chooses its digit.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/ptx.cuh>
#include <hindsight/detail/tuning/radix_select.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What a round leaves for the next one. Candidates are the numbers from `first` on that differ
/// from it in the lowest `undecided` bits only; the k-th lowest number is among them.
template <class Number>
struct selection_state {
  Number first;
  Number first_before;  ///< what it was a round before
  int undecided;
  unsigned long long rank;  ///< the k-th lowest's place among the candidates, from 1 on
  unsigned long long num_candidates;
  unsigned long long num_listed;  ///< numbers in the list that this round writes
  // For even and for odd rounds: when a round's last block tells the next one, others may still
  // ask.
  bool is_over[2];
  /// Of the list that the round reads; 0: it reads all.
  unsigned long long list_size[2];
  unsigned long long num_selected;       ///< numbers that are known to be among the k
  unsigned long long ones[2], zeros[2];  ///< bits that some number has; bits that some number lacks
  bool takes_all;                        ///< all candidates are among the k
};

/// One of the rounds, and its memory.
template <class Tuning, class Number>
struct selection_round {
  using count = unsigned long long;
  int round, num_bits;
  std::size_t k;
  std::size_t list_room;
  Number* lists[2];
  Number* selected;  ///< [k], or null if only the k-th number is asked for
  selection_state<Number>* state;
  count* counts;  ///< [num_digits], zero
  launch_state* launch;
};

/// The highest digit of the undecided bits.
template <class Tuning>
struct digit_of_round {
  int bits, behind;
  HINDSIGHT_DEVICE explicit digit_of_round(int undecided)
      : bits{undecided < Tuning::digit_bits ? undecided : Tuning::digit_bits},
        behind{undecided - bits} {}
  template <class Number>
  HINDSIGHT_DEVICE unsigned operator()(Number number) const {
    const unsigned mask = (1u << bits) - 1;
    if constexpr (sizeof(Number) == 16) {  // without a shift by 128 bits for each number
      const auto low = static_cast<std::uint64_t>(number);
      const auto high = static_cast<std::uint64_t>(number >> 64);
      if (behind >= 64) return static_cast<unsigned>(high >> (behind - 64)) & mask;
      return static_cast<unsigned>(low >> behind | high << 1 << (63 - behind)) & mask;
    } else {
      return static_cast<unsigned>(number >> behind) & mask;
    }
  }
};

template <class Number>
HINDSIGHT_HD constexpr Number lowest_bits(int count) {
  if (count >= int(sizeof(Number)) * 8) return static_cast<Number>(~Number{0});
  return static_cast<Number>((Number{1} << count) - 1);
}

/// Appends a warp's numbers to an array in global memory, in no order. All warps ask one counter
/// for places. So a warp collects a row of numbers in shared memory first, and asks once for all of
/// it.
template <class Number>
class warp_appender {
 public:
  static constexpr int row_items = collected_items<Number>;
  using room = Number[row_items + warp_lanes];

  /// Called by a full warp. Numbers for which there is no place below `limit` are dropped.
  HINDSIGHT_DEVICE warp_appender(room& collected, Number* out, std::size_t limit,
                                 unsigned long long* count)
      : collected_{collected}, out_{out}, limit_{limit}, count_{count} {}
  /// Appends the numbers of lanes that take part; all lanes call it.
  HINDSIGHT_DEVICE void append(bool takes_part, Number number) {
    const unsigned lanes = __ballot_sync(all_lanes, takes_part);
    if (lanes == 0) return;
    if (takes_part) collected_[size_ + __popc(lanes & ptx::lanes_below())] = number;
    size_ += __popc(lanes);
    if (size_ < row_items) return;
    write(row_items);
    const bool has_more = lane_index() < size_ - row_items;
    if (has_more) collected_[lane_index()] = collected_[row_items + lane_index()];
    size_ -= row_items;
    __syncwarp();  // places behind them are free
  }
  /// Writes what is left; all lanes call it.
  HINDSIGHT_DEVICE void finish() {
    if (size_ > 0) write(size_);
    size_ = 0;
  }

 private:
  HINDSIGHT_DEVICE void write(int count) {
    unsigned long long first = 0;
    if (lane_index() == 0) first = atomicAdd(count_, static_cast<unsigned long long>(count));
    first = cuda::shuffle_from(first, 0);
    __syncwarp();  // all numbers are there
    for (int i = lane_index(); i < count; i += warp_lanes)
      if (first + i < limit_) out_[first + i] = collected_[i];
  }

  room& collected_;
  Number* out_;
  std::size_t limit_;
  unsigned long long* count_;
  int size_ = 0;
};

/// counts[digit] += 1 for each lane that takes part.
HINDSIGHT_DEVICE void count_in_warp(bool takes_part, unsigned digit, unsigned* counts) {
  const unsigned of_lane_0 = __shfl_sync(all_lanes, digit, 0);
  if (__all_sync(all_lanes, takes_part && digit == of_lane_0)) {
    if (lane_index() == 0) atomicAdd(counts + digit, unsigned{warp_lanes});
  } else if (takes_part) {
    atomicAdd(counts + digit, 1u);
  }
}

template <class Tuning, class Number>
struct selection_storage {
  static constexpr int warps = Tuning::block_threads / warp_lanes;
  typename warp_appender<Number>::room selected[warps], listed[warps];
  unsigned counts[Tuning::num_digits];
  unsigned long long warp_totals[warps];
  bool is_last;
};

/// *words |= bits, of all lanes.
template <class Number>
HINDSIGHT_DEVICE void gather_bits(Number bits, unsigned long long* words) {
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2)
    bits |= cuda::shuffle_from(bits, lane_index() ^ distance);
  if (lane_index() != 0) return;
  atomicOr(words, static_cast<unsigned long long>(bits));
  if constexpr (sizeof(Number) == 16)
    atomicOr(words + 1, static_cast<unsigned long long>(bits >> 64));
}
template <class Number>
HINDSIGHT_DEVICE Number gathered_bits(const unsigned long long* words) {
  const auto word = [=](int i) {
    return ptx::load_relaxed(reinterpret_cast<const std::uint64_t*>(words + i));
  };
  if constexpr (sizeof(Number) == 16) return Number{word(1)} << 64 | word(0);
  return static_cast<Number>(word(0));
}

/// After a first round in which all numbers have the same digit: further digits that all numbers
/// share cost no round.
template <class Number>
HINDSIGHT_DEVICE void skip_shared_digits(selection_state<Number>& state) {
  const auto ones = cuda::gathered_bits<Number>(state.ones);
  const auto varying = static_cast<Number>(ones & cuda::gathered_bits<Number>(state.zeros));
  while (state.undecided > 0 && (varying >> (state.undecided - 1) & 1) == 0) --state.undecided;
  state.first = static_cast<Number>(ones & ~cuda::lowest_bits<Number>(state.undecided));
}

/// Finds the digit of the k-th lowest of n numbers, and tells the next round. One block.
template <class Tuning, class Number>
HINDSIGHT_DEVICE void choose_digit(const selection_round<Tuning, Number>& at, std::size_t n,
                                   selection_storage<Tuning, Number>& shared) {
  using count = unsigned long long;
  constexpr int lane_digits =
      (Tuning::num_digits + Tuning::block_threads - 1) / Tuning::block_threads;
  static_assert(Tuning::num_digits % lane_digits == 0);
  auto& state = *at.state;
  const bool is_first = at.round == 0;
  const count rank = is_first ? at.k : state.rank;
  const count listed = is_first ? state.list_size[0] : state.num_listed;  // the first writes none
  const Number before_all = is_first ? Number{0} : state.first;
  const digit_of_round<Tuning> digit{is_first ? at.num_bits : state.undecided};
  count own[lane_digits], sum = 0;
  const int first = static_cast<int>(threadIdx.x) * lane_digits;
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_digits; ++i) {
    own[i] = 0;
    if (first < Tuning::num_digits)
      own[i] = ptx::load_relaxed(reinterpret_cast<const std::uint64_t*>(at.counts + first + i));
    sum += own[i];
  }
  const count inclusive = cuda::warp_inclusive_fold(sum, ::cuda::std::plus<count>{});
  if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = inclusive;
  __syncthreads();  // all have read the state, too
  count before = inclusive - sum;
  for (int w = 0; w < warp_index(); ++w) before += shared.warp_totals[w];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_digits; ++i) {
    if (before < rank && rank <= before + own[i]) {  // in one thread, for one digit
      state.first_before = before_all;
      state.first =
          before_all | static_cast<Number>(static_cast<Number>(first + i) << digit.behind);
      state.undecided = digit.behind;
      state.rank = rank - before;
      state.num_candidates = own[i];
      state.list_size[(at.round + 1) % 2] = listed;
      state.num_listed = 0;
      state.takes_all = at.selected != nullptr && rank - before == own[i];
      if (is_first && own[i] == n) cuda::skip_shared_digits(state);
    }
    before += own[i];
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
