// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sample of a sort's keys tells: whether they are concentrated in few segments, and whether
// digits of their values split them better.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/cuda/value_digits.cuh>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/tuning/sort.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The place of the i-th sample among n keys. Samples are spread evenly, but not at equal steps,
/// which could coincide with a period of the keys.
HINDSIGHT_DEVICE std::size_t sample_place(unsigned i, std::size_t n) {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15u;
  return __umul64hi(i * golden_ratio, n);
}

/// Sets the bit of a sample's segment. Returns whether an earlier sample has set it.
HINDSIGHT_DEVICE unsigned collides(unsigned* bits, unsigned segment) {
  return atomicOr(&bits[segment / 32], 1u << segment % 32) >> segment % 32 & 1;
}

/// Whether keys fail the test. Called by all threads of a block.
///   bits        one for each segment; they may have any values
///   collisions  a word in shared memory
template <class Direction, class Key>
HINDSIGHT_DEVICE bool are_skewed(const Key* keys, std::size_t n, int end_bit, skew_test test,
                                 unsigned* bits, unsigned& collisions) {
  for (unsigned w = threadIdx.x; (w * 32) >> test.segment_bits == 0; w += blockDim.x) bits[w] = 0;
  if (threadIdx.x == 0) collisions = 0;
  __syncthreads();
  unsigned own_collisions = 0;
  for (unsigned i = threadIdx.x; i < test.samples; i += blockDim.x) {
    const Key& key = keys[cuda::sample_place(i, n)];
    const auto in_pass = pass_key<Direction, Key>::from(key);
    const unsigned segment =
        cuda::highest_bits(cuda::key_bits_of<Direction, Key>(in_pass), end_bit, test.segment_bits);
    own_collisions += cuda::collides(bits, segment);
  }
  atomicAdd(&collisions, own_collisions);
  __syncthreads();
  return collisions > test.most_collisions;
}

/// Decides whether digits of values split the keys: they do if a sample passes the test for the
/// segments that codes name. These codes are linear between the ends of the sample. For one block.
///   plan  zero
template <class Tuning, class Direction, class Key, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void choose_value_scale_kernel(const Key* keys, Size num_items, skew_test test, sort_plan* plan) {
  constexpr int threads = Tuning::block_threads;
  using code_of = value_code<Direction, Key>;
  using word = typename code_of::word;
  struct storage {
    word least, greatest;
    unsigned bits[(1 << skew_test::max_bits) / 32], collisions;
  };
  HINDSIGHT_SHARED(shared, storage);
  const std::size_t n = detail::read_items(num_items);
  if (is_deferred<Size> && n == 0) return;
  for (unsigned w = threadIdx.x; w < sizeof shared.bits / sizeof(unsigned); w += threads)
    shared.bits[w] = 0;
  if (threadIdx.x == 0) shared.collisions = 0, shared.least = ~word{0}, shared.greatest = 0;
  __syncthreads();

  unsigned_bits_t<Key> samples[Tuning::lane_samples];
  HINDSIGHT_UNROLL
  for (int i = 0; i < Tuning::lane_samples; ++i) {
    const Key& key = keys[cuda::sample_place(threadIdx.x + i * threads, n)];
    samples[i] = pass_key<Direction, Key>::from(key);
  }
  word least = ~word{0}, greatest = 0;
  HINDSIGHT_UNROLL
  for (const auto sample : samples) {
    least = ::cuda::std::min(least, code_of::word_of(sample));
    greatest = ::cuda::std::max(greatest, code_of::word_of(sample));
  }
  atomicMin(&shared.least, least);
  atomicMax(&shared.greatest, greatest);
  __syncthreads();

  const code_of code{code_of::scale_between(shared.least, shared.greatest)};
  unsigned own_collisions = 0;
  HINDSIGHT_UNROLL
  for (int i = 0; i < Tuning::lane_samples; ++i) {
    if (threadIdx.x + i * threads < test.samples)
      own_collisions +=
          cuda::collides(shared.bits, code(samples[i]) >> (code_of::bits - test.segment_bits));
  }
  atomicAdd(&shared.collisions, own_collisions);
  __syncthreads();
  if (threadIdx.x != 0 || shared.collisions > test.most_collisions) return;
  // With fewer different keys in a segment, one more or less would make segments uneven.
  const unsigned least_keys = 16u << test.segment_bits;
  if (!code.tells_apart(least_keys, code.scale, shared.least, shared.greatest)) return;
  plan->scale = code.scale;
  plan->by_value = 1;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
