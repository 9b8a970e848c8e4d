// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of one byte without values need no moving: each follows from its key bits, so it is enough
// to count them and to write that many of each. One read and one write of memory, in place too.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/histogram.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Keys of one byte, equal ones with equal bits: so few values that each has a counter.
template <class Key>
inline constexpr bool is_counted_key = is_integer<Key> && sizeof(Key) == 1;

/// The byte that such a key is, signed or not.
template <class Key>
using key_byte_t = std::conditional_t<(Key(-1) < Key(0)), std::int8_t, std::uint8_t>;

/// The rule of a histogram: sends a key to its place among the 256 values.
template <class Direction>
struct value_rank {
  template <class Byte>
  HINDSIGHT_DEVICE int operator()(Byte key) const {
    return Direction::bits(key);
  }
};

template <int Warps, class Word>
struct fill_storage {
  Word ends[256];  ///< where each value's keys end
  Word warp_totals[Warps];
};

/// out = counts[0] keys of rank 0, then counts[1] of rank 1, and so on; 16 bytes at a time between
/// the first and the last multiple of 16 bytes.
template <class Tuning, class Direction, class Byte, class Word>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void fill_sorted_kernel(Byte* out, std::size_t n, const Word* counts) {
  static_assert(Tuning::block_threads == 256, "a thread for each value");
  HINDSIGHT_SHARED(shared, fill_storage<Tuning::block_threads / warp_lanes, Word>);
  ptx::wait_for_launch_before();
  const Word own_end = cuda::warp_inclusive_fold(counts[threadIdx.x], ::cuda::std::plus<Word>{});
  if (lane_index() == warp_lanes - 1) shared.warp_totals[warp_index()] = own_end;
  __syncthreads();
  Word before = 0;
  for (int w = 0; w < warp_index(); ++w) before += shared.warp_totals[w];
  shared.ends[threadIdx.x] = before + own_end;
  __syncthreads();

  const auto rank_at = [&](Word place) {
    int rank = 0;
    HINDSIGHT_UNROLL
    for (int step = 128; step > 0; step /= 2)
      if (shared.ends[rank + step - 1] <= place) rank += step;
    return rank;
  };
  const auto key_of = [](int rank) {
    return Direction::template key<Byte>(static_cast<std::uint8_t>(rank));
  };
  const auto misaligned = reinterpret_cast<std::uintptr_t>(out) % 16;
  const std::size_t head = ::cuda::std::min<std::size_t>(n, (16 - misaligned) % 16);
  const std::size_t num_words = (n - head) / 16;
  const std::size_t step = std::size_t{gridDim.x} * Tuning::block_threads;
  const std::size_t thread = std::size_t{blockIdx.x} * Tuning::block_threads + threadIdx.x;
  for (std::size_t w = thread; w < num_words; w += step) {
    const Word begin = static_cast<Word>(head + w * 16);
    int rank = rank_at(begin);
    uint4 word;
    if (shared.ends[rank] >= begin + 16) {
      const unsigned four = static_cast<std::uint8_t>(key_of(rank)) * 0x01010101u;
      word = uint4{four, four, four, four};
    } else {
      Byte keys[16];
      HINDSIGHT_UNROLL
      for (int i = 0; i < 16; ++i) {
        while (shared.ends[rank] <= begin + i) ++rank;
        keys[i] = key_of(rank);
      }
      memcpy(&word, keys, sizeof word);
    }
    ptx::store_streaming(reinterpret_cast<uint4*>(out + head) + w, word);
  }
  const std::size_t in_words = num_words * 16;
  for (std::size_t i = thread; i < n - in_words; i += step) {
    const std::size_t place = i < head ? i : i + in_words;
    out[place] = key_of(rank_at(static_cast<Word>(place)));
  }
}

/// out = in, sorted by all bits; in CUB's two phases. `out` may be `in`. Word counts keys.
template <class Word, class Direction, class Key>
cudaError_t counting_sort(void* temp, std::size_t& temp_bytes, const Key* in, Key* out,
                          std::size_t n, cudaStream_t stream) {
  using tuning = counting_sort_tuning;
  using byte = key_byte_t<Key>;
  carver space{temp};
  Word* const counts = space.take<Word>(256);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  const flat_samples<const byte*, std::size_t> bytes{reinterpret_cast<const byte*>(in), n};
  HINDSIGHT_TRY(cuda::count_samples(bytes, counts, 256, value_rank<Direction>{}, stream));
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  const std::size_t blocks = (n / 16) / tuning::block_threads + 1;
  const std::size_t most = std::size_t(multiprocessors) * tuning::fill_blocks;
  constexpr auto fill = fill_sorted_kernel<tuning, Direction, byte, Word>;
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(::cuda::std::min(blocks, most)),
                               tuning::block_threads, 0, stream,
                               fill)(reinterpret_cast<byte*>(out), n, counts);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
