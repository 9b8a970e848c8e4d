// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rounds of a selection of the k lowest numbers hand to each other, and how the digit of
// the next round's candidates is chosen.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/board/phased_work.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/ptx.cuh>
#include <hindsight/detail/tuning/radix_select.h>

#include <cuda/std/bit>
#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What is known before a round. Candidates are the numbers from `first` on that differ from it in
/// the lowest `undecided` bits only; the k-th lowest number is among them.
template <class Number>
struct selection_progress {
  using count = unsigned long long;
  unsigned round;
  int undecided;
  Number first;
  Number first_before;  ///< what it was a round before
  count rank;           ///< the k-th lowest's place among the candidates, from 1 on
  count num_candidates;
  count list_size;     ///< of the list that the round reads; 0: it reads all
  count num_selected;  ///< written by the rounds before
  bool takes_all;      ///< all candidates are among the k
  bool is_over;        ///< there is nothing to do in this round

  /// Whether the round counts a digit of the candidates. Else it selects them.
  HINDSIGHT_DEVICE bool counts() const { return undecided > 0 && !takes_all; }
};

/// Bits that some number has, and bits that some number lacks.
struct seen_bits {
  unsigned long long ones[2], zeros[2];
};

/// What the blocks share, zero at the start.
template <class Number>
struct selection_state {
  phased_work::counters work;
  launch_state samplers;
  unsigned long long num_selected;  ///< numbers that have a place among the k
  seen_bits seen;
  selection_progress<Number> result;  ///< what was known at the end
};

/// Of each round, zero at the start.
template <class Tuning>
struct selection_sums {
  unsigned long long counts[Tuning::num_digits];  ///< of candidates, by their digit
  unsigned long long num_listed;                  ///< numbers in the list for the round
};

/// A selection, and its memory.
template <class Tuning, class Number>
struct selection {
  std::size_t n, k;
  int num_bits;
  std::size_t list_room;
  Number* lists[2];
  /// The rounds end when so many numbers are left at most: those selected, and those on a list.
  std::size_t few;
  Number* selected;  ///< [k], or null if only the k-th number is asked for
  selection_state<Number>* state;
  selection_sums<Tuning>* rounds;  ///< [most_rounds() + 1]

  /// The last one selects all candidates.
  HINDSIGHT_HD unsigned most_rounds() const {
    return static_cast<unsigned>((num_bits + Tuning::digit_bits - 1) / Tuning::digit_bits) + 1;
  }
  /// The first two rounds read the same list. A round writes the other one, for the next round.
  HINDSIGHT_DEVICE const Number* list_for(unsigned round) const {
    return lists[round == 0 ? 0 : (round + 1) % 2];
  }
  HINDSIGHT_DEVICE Number* list_of(unsigned round) const { return lists[round % 2]; }
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
  seen_bits seen;
  unsigned long long warp_totals[warps];
  selection_progress<Number> now;
  unsigned ticket;
};

/// Bits of the numbers that one thread has seen.
template <class Number>
struct thread_seen_bits {
  Number ones{0}, zeros{0};
  HINDSIGHT_DEVICE void see(Number number) {
    ones |= number;
    zeros |= static_cast<Number>(~number);
  }
  /// Adds those of a warp to the block's.
  HINDSIGHT_DEVICE void gather(seen_bits& block) const {
    add_to(ones, block.ones);
    add_to(zeros, block.zeros);
  }

 private:
  static HINDSIGHT_DEVICE void add_to(Number bits, unsigned long long* words) {
    bits = cuda::warp_butterfly_fold(bits, [](Number a, Number b) { return a | b; });
    if (lane_index() != 0 || bits == 0) return;
    atomicOr(words, static_cast<unsigned long long>(bits));
    if constexpr (sizeof(Number) == 16)
      atomicOr(words + 1, static_cast<unsigned long long>(bits >> 64));
  }
};
/// Adds the block's to those of all blocks.
HINDSIGHT_DEVICE void gather_bits(const seen_bits& block, seen_bits& all) {
  const unsigned word = threadIdx.x;
  if (word >= 2) return;
  if (block.ones[word] != 0) atomicOr(all.ones + word, block.ones[word]);
  if (block.zeros[word] != 0) atomicOr(all.zeros + word, block.zeros[word]);
}
/// From which bit on all numbers agree.
template <class Number>
HINDSIGHT_DEVICE int bits_that_vary(const seen_bits& seen) {
  if constexpr (sizeof(Number) == 16) {
    const std::uint64_t high = seen.ones[1] & seen.zeros[1];
    if (high != 0) return 64 + static_cast<int>(::cuda::std::bit_width(high));
  }
  return static_cast<int>(
      ::cuda::std::bit_width(static_cast<std::uint64_t>(seen.ones[0] & seen.zeros[0])));
}
/// The highest of the undecided bits that all numbers share are decided; at least `least` bits are
/// left.
template <class Number>
HINDSIGHT_DEVICE void skip_shared_bits(const seen_bits& seen, int least,
                                       selection_progress<Number>& now) {
  auto ones = static_cast<Number>(seen.ones[0]);
  if constexpr (sizeof(Number) == 16) ones |= Number{seen.ones[1]} << 64;
  const int varying = ::cuda::std::max(least, cuda::bits_that_vary<Number>(seen));
  now.undecided = ::cuda::std::min(now.undecided, varying);
  now.first = static_cast<Number>(ones & ~cuda::lowest_bits<Number>(now.undecided));
}

/// Whether the numbers in the list for a round and those that are selected are few enough.
template <class Tuning, class Number>
HINDSIGHT_DEVICE bool are_few(const selection<Tuning, Number>& all,
                              const selection_progress<Number>& now) {
  return now.list_size > 0 && now.num_selected + now.list_size <= all.few;
}

/// What is known before the first round: it reads the list, if there is one that has the k lowest.
template <class Tuning, class Number>
HINDSIGHT_DEVICE selection_progress<Number> at_first_round(const selection<Tuning, Number>& all) {
  const auto listed = all.rounds[0].num_listed;
  const bool is_list = all.k <= listed && listed <= all.list_room;
  selection_progress<Number> now{};
  now.undecided = all.num_bits;
  now.rank = all.k;
  now.list_size = is_list ? listed : 0;
  now.num_candidates = is_list ? listed : all.n;
  if (is_list) cuda::skip_shared_bits(all.state->seen, 1, now);
  now.is_over = cuda::are_few(all, now);
  return now;
}

/// Finds the digit of the k-th lowest number, from the counts of the round in shared.now, and
/// goes on to the next round. Every block does so for itself; all its threads call this.
template <class Tuning, class Number>
HINDSIGHT_DEVICE void choose_digit(const selection<Tuning, Number>& all,
                                   selection_storage<Tuning, Number>& shared) {
  using count = unsigned long long;
  constexpr int lane_digits =
      (Tuning::num_digits + Tuning::block_threads - 1) / Tuning::block_threads;
  static_assert(Tuning::num_digits % lane_digits == 0);
  const selection_progress<Number> before_round = shared.now;
  const selection_sums<Tuning>& sums = all.rounds[before_round.round];
  const digit_of_round<Tuning> digit{before_round.undecided};
  count own[lane_digits], sum = 0;
  const int first = static_cast<int>(threadIdx.x) * lane_digits;
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_digits; ++i) {
    own[i] = first < Tuning::num_digits ? sums.counts[first + i] : 0;
    sum += own[i];
  }
  const count inclusive = cuda::warp_inclusive_fold(sum, ::cuda::std::plus<count>{});
  if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = inclusive;
  __syncthreads();  // all have read shared.now, too
  auto next = before_round;
  ++next.round;
  next.num_selected = all.k - before_round.rank;
  if (!before_round.counts()) {  // all candidates are selected now
    next.num_selected = all.k;
    next.list_size = 0;
    next.is_over = true;
    if (threadIdx.x == 0) shared.now = next;
  }
  count before = inclusive - sum;
  for (int w = 0; w < warp_index(); ++w) before += shared.warp_totals[w];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_digits; ++i) {
    const bool is_its_digit = before < before_round.rank && before_round.rank <= before + own[i];
    if (before_round.counts() && is_its_digit) {  // in one thread, for one digit
      next.first_before = before_round.first;
      next.first |= static_cast<Number>(static_cast<Number>(first + i) << digit.behind);
      next.undecided = digit.behind;
      next.rank = before_round.rank - before;
      next.num_candidates = own[i];
      next.list_size =
          before_round.round == 0 ? before_round.list_size : all.rounds[next.round].num_listed;
      next.takes_all = all.selected != nullptr && next.rank == own[i];
      if (before_round.round == 0 && own[i] == all.n)
        cuda::skip_shared_bits(all.state->seen, 0, next);
      next.is_over = all.selected == nullptr ? next.undecided == 0 : cuda::are_few(all, next);
      shared.now = next;
    }
    before += own[i];
  }
  __syncthreads();
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
