// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound for a selection of the k lowest of many numbers, from a sample: hardly any but the k
// lowest are below it.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/selection_round.cuh>
#include <hindsight/detail/ptx.cuh>

#include <cuda/std/functional>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Key bits that hardly any but the k lowest numbers are below, as a sample tells.
template <class KeyBits>
struct sampled_bound {
  KeyBits key_bits;
  unsigned num_samples;  ///< samples up to it
};

/// Where sample i is: one of each `stride` neighbours, at no regular distance.
HINDSIGHT_HD inline std::size_t place_in_stride(std::size_t i, std::size_t stride) {
  constexpr std::size_t golden_ratio = 0x9E3779B97F4A7C15u;
  return i * stride + (i * golden_ratio >> 32) % stride;
}

struct sample_storage {
  static constexpr int digit_bits = 8, num_digits = 1 << digit_bits;
  unsigned counts[num_digits];
  unsigned digit, num_before;
  bool is_last;
};

/// Finds a bound that `rank` of the samples are not above, or an eighth more. The blocks share the
/// reads, which are far apart. The last block then holds all samples in registers, and goes on from
/// digit to digit as the rounds do.
///   samples  [num_samples]
template <class Tuning, class Number, class Input>
HINDSIGHT_BOUNDED_KERNEL(Tuning::sample_threads, 1)
void sample_kernel(Input input, std::size_t n, unsigned rank, typename Input::key_bits_t* samples,
                   sampled_bound<typename Input::key_bits_t>* bound,
                   selection_state<Number>* state) {
  using key_bits_t = typename Input::key_bits_t;
  constexpr int threads = Tuning::sample_threads, count = Tuning::num_samples / threads;
  constexpr int digit_bits = sample_storage::digit_bits, num_digits = sample_storage::num_digits;
  static_assert(count % Tuning::sample_blocks == 0);
  HINDSIGHT_SHARED(shared, sample_storage);
  const int thread = static_cast<int>(threadIdx.x);
  ptx::wait_for_launch_before();
  HINDSIGHT_UNROLL
  for (int s = 0; s < count / Tuning::sample_blocks; ++s) {
    const std::size_t i =
        (std::size_t(s) * Tuning::sample_blocks + blockIdx.x) * threads + threadIdx.x;
    samples[i] = input.key_bits(cuda::place_in_stride(i, n / Tuning::num_samples));
  }
  __syncthreads();
  if (thread == 0)
    shared.is_last = detail::count_finished(&state->samplers) == Tuning::sample_blocks;
  __syncthreads();
  if (!shared.is_last) return;
  key_bits_t own[count];
  HINDSIGHT_UNROLL
  for (int s = 0; s < count; ++s) own[s] = samples[s * threads + thread];
  key_bits_t first{0};
  unsigned num_lower = 0, num_up_to = Tuning::num_samples;
  int behind = int(sizeof(key_bits_t)) * 8;
  while (behind > 0 && num_up_to > rank + rank / 8) {
    behind -= digit_bits;
    for (int d = thread; d < num_digits; d += Tuning::sample_threads) shared.counts[d] = 0;
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int s = 0; s < count; ++s) {
      const auto bits_that_differ = static_cast<key_bits_t>(own[s] ^ first);
      if (bits_that_differ >> behind >> digit_bits == 0)
        atomicAdd(shared.counts + (own[s] >> behind & (num_digits - 1)), 1u);
    }
    __syncthreads();
    if (warp_index() == 0) {
      constexpr int lane_digits = num_digits / warp_lanes;
      unsigned counts[lane_digits], sum = 0;
      HINDSIGHT_UNROLL
      for (int d = 0; d < lane_digits; ++d)
        sum += counts[d] = shared.counts[lane_index() * lane_digits + d];
      unsigned before =
          cuda::warp_inclusive_fold(sum, ::cuda::std::plus<unsigned>{}) - sum + num_lower;
      HINDSIGHT_UNROLL
      for (int d = 0; d < lane_digits; ++d) {
        if (before < rank && rank <= before + counts[d]) {  // in one lane, for one digit
          shared.digit = lane_index() * lane_digits + d;
          shared.num_before = before;
        }
        before += counts[d];
      }
    }
    __syncthreads();
    first |= static_cast<key_bits_t>(static_cast<key_bits_t>(shared.digit) << behind);
    num_lower = shared.num_before;
    num_up_to = num_lower + shared.counts[shared.digit];
    __syncthreads();
  }
  const key_bits_t bits_below = cuda::lowest_bits<key_bits_t>(behind);
  if (thread == 0) *bound = {static_cast<key_bits_t>(first | bits_below), num_up_to};
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
