// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often each digit occurs in each pass of a sort. The keys are read once.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/key_samples.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/cuda/value_digits.cuh>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/tuning/sort.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Key, int NumDigits, int Warps>
struct digit_histogram_storage {
  static constexpr int max_passes = int(sizeof(Key)), num_warps = Warps;  ///< a pass for each byte
  unsigned counts[max_passes][NumDigits];
  unsigned value_counts[has_value_digits<Key> ? 2 : 1][has_value_digits<Key> ? NumDigits : 1];
  std::uint64_t warp_totals[Warps];
  bool is_last;
  unsigned varying;
  unsigned collisions;
};

/// counts[p][d] += how many of a warp's keys have digit d in pass p. A digit that they all share
/// is added at once; else every key would add to the same word.
template <class Direction, class Key, int MaxPasses, int NumDigits, int LaneItems>
HINDSIGHT_DEVICE void count_all_digits(const Key (&items)[LaneItems], digit_passes passes,
                                       unsigned (&counts)[MaxPasses][NumDigits]) {
  unsigned_bits_t<Key> key_bits[LaneItems], varying = 0;  // zeros agree in all digits
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    key_bits[i] = cuda::key_bits_of<Direction, Key>(pass_key<Direction, Key>::from(items[i]));
    varying |= key_bits[i] ^ key_bits[0];
  }
  HINDSIGHT_UNROLL
  for (int p = 0; p < MaxPasses; ++p) {
    if (p >= passes.count()) break;
    const auto digit = passes.template digit<Direction, Key>(p);
    const unsigned first = digit.of_key_bits(key_bits[0]);
    const unsigned of_lane_0 = __shfl_sync(all_lanes, first, 0);
    if (__all_sync(all_lanes, digit.of_key_bits(varying) == 0 && first == of_lane_0)) {
      if (lane_index() == 0) atomicAdd(&counts[p][first], unsigned{warp_lanes * LaneItems});
    } else {
      HINDSIGHT_UNROLL
      for (int i = 0; i < LaneItems; ++i) atomicAdd(&counts[p][digit.of_key_bits(key_bits[i])], 1u);
    }
  }
}

/// The same for one key of this thread.
template <class Direction, class Key, int MaxPasses, int NumDigits>
HINDSIGHT_DEVICE void count_all_digits(const Key& key, digit_passes passes,
                                       unsigned (&counts)[MaxPasses][NumDigits]) {
  const auto in_pass = pass_key<Direction, Key>::from(key);
  HINDSIGHT_UNROLL
  for (int p = 0; p < MaxPasses; ++p) {
    if (p >= passes.count()) continue;
    atomicAdd(&counts[p][passes.template digit<Direction, Key>(p)(in_pass)], 1u);
  }
}

/// counts[p][d] += how many of this thread's keys have d as digit p of their codes
/// (value_digits.cuh). Digit 0 is the lowest one.
template <class Direction, class Key, int NumDigits, int LaneItems>
HINDSIGHT_DEVICE void count_value_digits(const Key (&items)[LaneItems],
                                         const value_code<Direction, Key>& code,
                                         unsigned (&counts)[2][NumDigits]) {
  HINDSIGHT_UNROLL
  for (const Key& item : items) {
    const unsigned item_code = code(pass_key<Direction, Key>::from(item));
    atomicAdd(&counts[0][item_code % NumDigits], 1u);
    atomicAdd(&counts[1][item_code / NumDigits], 1u);
  }
}

/// counts[p][d] = how many keys of this block's tiles have digit d in pass p, and the same of their
/// codes in value_counts, where the plan says by_value.
template <class Tuning, class Direction, class Key, class Storage>
HINDSIGHT_DEVICE void count_own_digits(const Key* keys, std::size_t n, digit_passes passes,
                                       const sort_plan& plan, Storage& shared) {
  constexpr int num_digits = Tuning::num_digits, threads = Tuning::block_threads;
  auto& counts = shared.counts;
  const bool by_value = has_value_digits<Key> && plan.by_value;
  const value_code<Direction, Key> code{plan.scale};
  if constexpr (has_value_digits<Key>) {
    for (auto& of_digits : shared.value_counts) of_digits[threadIdx.x] = 0;
  }
  HINDSIGHT_ROLL
  for (int i = threadIdx.x; i < int(sizeof counts / sizeof(unsigned)); i += threads)
    counts[i / num_digits][i % num_digits] = 0;
  __syncthreads();
  const std::size_t step = std::size_t{gridDim.x} * Tuning::histogram_tile_items;
  for (std::size_t begin = std::size_t{blockIdx.x} * Tuning::histogram_tile_items; begin < n;
       begin += step) {
    const std::size_t first = begin + threadIdx.x;
    if (begin + Tuning::histogram_tile_items <= n) {
      Key items[Tuning::histogram_lane_items];
      HINDSIGHT_UNROLL
      for (int i = 0; i < Tuning::histogram_lane_items; ++i) items[i] = keys[first + i * threads];
      cuda::count_all_digits<Direction>(items, passes, counts);
      if constexpr (has_value_digits<Key>)
        if (by_value) cuda::count_value_digits(items, code, shared.value_counts);
    } else {
      for (std::size_t i = first; i < n; i += threads) {
        cuda::count_all_digits<Direction>(keys[i], passes, counts);
        if constexpr (has_value_digits<Key>) {
          const Key item[] = {keys[i]};
          if (by_value) cuda::count_value_digits(item, code, shared.value_counts);
        }
      }
    }
  }
  __syncthreads();
}

/// Turns the counts of all keys into starts, by one block, and finds the digits that vary. Returns
/// whether no digit of the last num_highest passes is too frequent.
template <class Storage>
HINDSIGHT_DEVICE bool turn_into_starts(std::uint64_t* starts, int num_digits, std::size_t n,
                                       int num_passes, int num_highest, const skew_test& test,
                                       Storage& shared) {
  bool are_even = true;
  for (int p = 0; p < num_passes; ++p) {
    std::uint64_t& entry = starts[p * num_digits + threadIdx.x];
    const std::uint64_t count = ptx::load_relaxed(&entry);
    const auto inclusive = cuda::warp_inclusive_fold(count, ::cuda::std::plus<std::uint64_t>{});
    if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = inclusive;
    __syncthreads();
    std::uint64_t start = inclusive - count;
    HINDSIGHT_UNROLL
    for (int w = 0; w < Storage::num_warps; ++w)
      start += w < warp_index() ? shared.warp_totals[w] : 0;
    entry = start;
    if (count == n) shared.varying ^= 1u << p;  // at most one thread before the next barrier
    const int lowest = num_passes - num_highest;
    const std::uint64_t most = p == lowest ? test.most_of_lowest : test.most_of_digit;
    if (__syncthreads_or(p >= lowest && count > most)) are_even = false;
  }
  return are_even;
}

/// starts[pass][d] = how many keys have a smaller digit than d in that pass.
///   starts   [passes.count()][num_digits], zero; where the plan says by_value, two more rows for
///            the digits of codes
///   plan     zero but for by_value and scale. It becomes segmented if the last num_highest rows
///            and a sample show that keys are not skewed
///   state    zero
template <class Tuning, class Direction, class Key, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void digit_histogram_kernel(const Key* keys, Size num_items, digit_passes passes,
                            std::uint64_t* starts, int num_highest, skew_test test, sort_plan* plan,
                            launch_state* state) {
  constexpr int num_digits = Tuning::num_digits;
  using storage = digit_histogram_storage<Key, num_digits, Tuning::block_threads / warp_lanes>;
  HINDSIGHT_SHARED(shared, storage);
  ptx::wait_for_launch_before();
  const std::size_t n = detail::read_items(num_items);
  if (is_deferred<Size> && n == 0) return;  // the plan stays empty: nothing is to be done
  cuda::count_own_digits<Tuning, Direction>(keys, n, passes, *plan, shared);
  const bool by_value = has_value_digits<Key> && plan->by_value;
  const int num_rows = passes.count() + (by_value ? 2 : 0);
  for (int p = 0; p < num_rows; ++p) {
    unsigned count = 0;
    if (p < passes.count()) count = shared.counts[p][threadIdx.x];
    if constexpr (has_value_digits<Key>)
      if (p >= passes.count()) count = shared.value_counts[p - passes.count()][threadIdx.x];
    using sum_t = unsigned long long;
    const auto start = reinterpret_cast<sum_t*>(starts + p * num_digits + threadIdx.x);
    if (count > 0) atomicAdd(start, sum_t{count});
  }

  // The last block turns the counts into starts.
  __syncthreads();
  if (threadIdx.x == 0) {
    shared.is_last = detail::count_finished(state) == gridDim.x;
    shared.varying = (1u << passes.count()) - 1;
  }
  __syncthreads();
  if (!shared.is_last) return;
  const bool are_even =
      cuda::turn_into_starts(starts, num_digits, n, num_rows, num_highest, test, shared);
  const unsigned varying = shared.varying & ((1u << passes.count()) - 1);
  // A few more passes over digits cost less than the segments do.
  bool segmented =
      num_highest > 0 && are_even && __popc(varying) > num_highest + Tuning::few_digits;
  if constexpr (sizeof(Key) >= least_split_key_bytes) {
    constexpr int max_bits =
        is_wide_key<Key> ? skew_test::max_bits : skew_test::max_bits_of_narrow_keys;
    static_assert(sizeof shared.counts * 8 >> max_bits > 0, "a bit for each segment");
    if (segmented && test.samples > 0 && !by_value)
      segmented = !cuda::are_skewed<Direction>(keys, n, passes.end_bit, test, shared.counts[0],
                                               shared.collisions);
  }
  if (threadIdx.x == 0) plan->varying = varying, plan->segmented = segmented;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
