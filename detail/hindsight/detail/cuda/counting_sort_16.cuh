// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many keys of two bytes without values, sorted by counting, as keys of one byte are
// (counting_sort.cuh). A block counts the keys of a part of the 65,536 values only, in as many
// counters as its shared memory holds; so the keys are read once for each part. A launch waits for
// the part, and a warp for the bank of shared memory, that most keys belong to. So both are chosen
// by a hash of the key.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

inline constexpr unsigned num_short_values = 1u << 16;

/// An array of 2-byte items as vectors of 16 bytes, and what is in front of them and behind.
struct short_vectors {
  static constexpr int items = 8;
  std::size_t head, vectors, n;
  HINDSIGHT_DEVICE short_vectors(const std::uint16_t* first, std::size_t size) : n{size} {
    const auto misaligned = reinterpret_cast<std::uintptr_t>(first) % 16;
    head = ::cuda::std::min<std::size_t>(n, (16 - misaligned) % 16 / sizeof *first);
    vectors = (n - head) / items;
  }
  HINDSIGHT_DEVICE std::size_t num_others() const { return n - vectors * items; }
  HINDSIGHT_DEVICE std::size_t other(std::size_t i) const {
    return i < head ? i : i + vectors * items;
  }
};

/// A hash of a key is its product with this, modulo 2^16. It is odd, so no two keys share a hash.
/// The hash's highest bits depend on all bits of the key. It is -429, which is small: so neighbours
/// mostly have the same highest bit, and one access to global memory adds many of their counts.
inline constexpr unsigned short_multiplier = 0xfe53;

/// The hashes of the two keys in a word, times 2^16.
HINDSIGHT_DEVICE unsigned hash_of_low_key(unsigned pair) {
  return pair * (short_multiplier << 16);
}
HINDSIGHT_DEVICE unsigned hash_of_high_key(unsigned pair) {
  return (pair & 0xffff0000u) * short_multiplier;
}

/// The keys whose hashes are in one of num_parts equal ranges, and where their counters are.
struct short_part {
  unsigned begin, size;  ///< of the range, times 2^16
  HINDSIGHT_HD short_part(unsigned part, unsigned num_parts)
      : begin{num_short_values / num_parts * part << 16},
        size{num_short_values / num_parts << 16} {}

  /// The counter of a key, given its hash times 2^16. All keys of other parts have the last one.
  /// The shared memory's bank follows from the hash's highest bits as well as from its lowest.
  HINDSIGHT_HD unsigned counter(unsigned hash) const {
    const unsigned place = ::cuda::std::min(hash - begin, size);
    return (place >> 16) + (place >> 26);
  }
  HINDSIGHT_HD unsigned last_counter() const { return (size >> 16) + (size >> 26); }
};

/// counts[key ^ flips] += how often each key occurs. Block b counts the keys of part b % num_parts
/// in dynamic shared memory, and all others in one counter, which nobody reads: an addition costs
/// less than a branch around it. Blocks of all parts read the same keys at about the same time.
template <class Tuning>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 1)
void count_shorts_kernel(const std::uint16_t* keys, std::size_t n, unsigned* counts, unsigned flips,
                         unsigned num_parts) {
  constexpr int threads = Tuning::block_threads, batch = Tuning::lane_vectors;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  unsigned* const shared_counts = reinterpret_cast<unsigned*>(shared_room);
  const short_part part{blockIdx.x % num_parts, num_parts};
  for (unsigned c = threadIdx.x; c <= part.last_counter(); c += threads) shared_counts[c] = 0;
  __syncthreads();
  const auto count_key = [&](unsigned hash) { atomicAdd(shared_counts + part.counter(hash), 1u); };
  const auto count_pair = [&](unsigned pair) {
    count_key(cuda::hash_of_low_key(pair));
    count_key(cuda::hash_of_high_key(pair));
  };
  const auto count_vector = [&](const uint4& vector) {
    count_pair(vector.x), count_pair(vector.y), count_pair(vector.z), count_pair(vector.w);
  };
  const short_vectors all{keys, n};
  const auto vectors = reinterpret_cast<const uint4*>(keys + all.head);
  const std::size_t step = std::size_t{gridDim.x / num_parts} * threads;
  const std::size_t thread = std::size_t{blockIdx.x / num_parts} * threads + threadIdx.x;
  std::size_t i = thread;
  for (; i + (batch - 1) * step < all.vectors; i += batch * step) {
    uint4 several[batch];
    HINDSIGHT_UNROLL
    for (int k = 0; k < batch; ++k) several[k] = vectors[i + k * step];
    HINDSIGHT_UNROLL
    for (int k = 0; k < batch; ++k) count_vector(several[k]);
  }
  for (; i < all.vectors; i += step) count_vector(vectors[i]);
  for (i = thread; i < all.num_others(); i += step) {
    count_key(cuda::hash_of_low_key(keys[all.other(i)]));
  }
  __syncthreads();
  for (unsigned value = threadIdx.x; value < num_short_values; value += threads) {
    const unsigned counter = part.counter(cuda::hash_of_low_key(value));
    const unsigned count = counter < part.last_counter() ? shared_counts[counter] : 0;
    if (count > 0) atomicAdd(counts + (value ^ flips), count);
  }
}

/// The runs of equal keys in the output.
struct short_runs {
  unsigned* ends;        ///< where each run ends; place in the output
  std::uint16_t* ranks;  ///< of its keys
  unsigned* count;
};

/// Makes runs of the values that occur; a block for each Tuning::block_threads values.
template <class Tuning>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 1)
void find_short_runs_kernel(const unsigned* counts, short_runs runs) {
  ptx::wait_for_launch_before();
  constexpr int threads = Tuning::block_threads, warps = threads / warp_lanes;
  struct storage {
    std::uint64_t before[warps], own[warps];
  };
  HINDSIGHT_SHARED(shared, storage);
  // In the upper half how many values occur, in the lower half how many keys there are.
  const auto pack = [](unsigned count) { return std::uint64_t{count > 0} << 32 | count; };
  const unsigned begin = blockIdx.x * threads, value = begin + threadIdx.x;
  std::uint64_t before = 0;  // this thread's share of the values before the block's
  for (unsigned v = threadIdx.x; v < begin; v += threads) before += pack(counts[v]);
  const unsigned count = counts[value];
  constexpr ::cuda::std::plus<std::uint64_t> plus;
  const std::uint64_t warp_before = cuda::warp_inclusive_fold(before, plus);
  const std::uint64_t own = cuda::warp_inclusive_fold(pack(count), plus);
  if (lane_index() == warp_lanes - 1) {
    shared.before[warp_index()] = warp_before;
    shared.own[warp_index()] = own;
  }
  __syncthreads();
  std::uint64_t end = own;
  for (int w = 0; w < warps; ++w) {
    end += shared.before[w];
    if (w < warp_index()) end += shared.own[w];
  }
  const auto num_runs = static_cast<unsigned>(end >> 32);
  if (count > 0) {
    runs.ends[num_runs - 1] = static_cast<unsigned>(end);
    runs.ranks[num_runs - 1] = static_cast<std::uint16_t>(value);
  }
  if (value == num_short_values - 1) *runs.count = num_runs;
}

/// The run in [low, high] that the key at a place belongs to, found by a warp.
HINDSIGHT_DEVICE unsigned run_of_warp(const unsigned* ends, std::size_t place, unsigned low,
                                      unsigned high) {
  while (low < high) {
    const unsigned step = (high - low + warp_lanes - 1) / warp_lanes;
    const unsigned at = low + lane_index() * step;
    const unsigned num_before = __popc(__ballot_sync(all_lanes, at < high && ends[at] <= place));
    high = ::cuda::std::min(high, low + num_before * step);
    if (num_before > 0) low += (num_before - 1) * step + 1;
  }
  return low;
}

/// out = the runs' keys. A block fills Tuning::lane_vectors vectors for each of its threads.
template <class Tuning>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, 0)
void fill_short_runs_kernel(std::uint16_t* out, std::size_t n, short_runs runs, unsigned flips) {
  ptx::wait_for_launch_before();
  constexpr int threads = Tuning::block_threads, items = short_vectors::items;
  constexpr std::size_t block_vectors = std::size_t{threads} * Tuning::lane_vectors;
  struct storage {
    unsigned runs[2];  ///< of the block's first key and of its last
  };
  HINDSIGHT_SHARED(shared, storage);
  const unsigned* const ends = runs.ends;
  const auto run_at = [&](std::size_t place, unsigned low, unsigned high) {
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      const bool is_before = ends[middle] <= place;
      low = is_before ? middle + 1 : low;
      high = is_before ? high : middle;
    }
    return low;
  };
  const auto key_of = [&](unsigned run) {
    return static_cast<std::uint16_t>(runs.ranks[run] ^ flips);
  };
  const unsigned last_run = *runs.count - 1;
  const short_vectors all{out, n};
  const std::size_t begin = blockIdx.x * block_vectors;
  const std::size_t end = ::cuda::std::min<std::size_t>(all.vectors, begin + block_vectors);
  if (begin < end && warp_index() < 2) {
    const std::size_t place = all.head + (warp_index() == 0 ? begin * items : end * items - 1);
    const unsigned run = cuda::run_of_warp(ends, place, 0, last_run);
    if (lane_index() == 0) shared.runs[warp_index()] = run;
  }
  __syncthreads();
  for (std::size_t i = begin + threadIdx.x; i < end; i += threads) {
    const std::size_t place = all.head + i * items;
    unsigned run = run_at(place, shared.runs[0], shared.runs[1]);
    std::uint16_t key = key_of(run);
    std::size_t run_end = ends[run];
    uint4 vector;
    if (run_end >= place + items) {
      const unsigned two = key * 0x10001u;
      vector = uint4{two, two, two, two};
    } else {
      std::uint16_t keys[items];
      HINDSIGHT_UNROLL
      for (int k = 0; k < items; ++k) {
        if (run_end <= place + k) {  // no run is empty
          ++run;
          key = key_of(run);
          run_end = ends[run];
        }
        keys[k] = key;
      }
      memcpy(&vector, keys, sizeof vector);
    }
    ptx::store_streaming(reinterpret_cast<uint4*>(out + all.head) + i, vector);
  }
  if (blockIdx.x == 0 && threadIdx.x < all.num_others()) {  // fewer than two vectors
    const std::size_t place = all.other(threadIdx.x);
    out[place] = key_of(run_at(place, 0, last_run));
  }
}

/// out = in, sorted by key ^ flips; in CUB's two phases. `out` may be `in`. 0 < n < 2^32.
template <class Tuning>
cudaError_t sort_shorts(void* temp, std::size_t& temp_bytes, const std::uint16_t* in,
                        std::uint16_t* out, std::size_t n, unsigned flips, cudaStream_t stream) {
  using fill = typename Tuning::fill;
  carver space{temp};
  unsigned* const counts = space.take<unsigned>(num_short_values);
  const short_runs runs{space.take<unsigned>(num_short_values),
                        space.take<std::uint16_t>(num_short_values), space.take<unsigned>(1)};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  launch_limits limits;
  HINDSIGHT_TRY(limits.ask());
  unsigned num_parts = 2;
  const auto shared_bytes = [&] {
    return (short_part{0, num_parts}.last_counter() + 1) * sizeof(unsigned);
  };
  while (shared_bytes() > limits.block_bytes) num_parts *= 2;
  const unsigned blocks = ::cuda::std::max(1u, limits.multiprocessors / num_parts) * num_parts;
  constexpr auto count = count_shorts_kernel<Tuning>;
  HINDSIGHT_TRY(cudaMemsetAsync(counts, 0, num_short_values * sizeof *counts, stream));
  HINDSIGHT_TRY(allow_shared_bytes(count, shared_bytes()));
  HINDSIGHT_LAUNCH(blocks, Tuning::block_threads, shared_bytes(), stream, count)
  (in, n, counts, flips, num_parts);
  HINDSIGHT_TRY(cudaPeekAtLastError());
  HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(
      num_short_values / Tuning::block_threads, Tuning::block_threads, 0, stream,
      find_short_runs_kernel<Tuning>)(static_cast<const unsigned*>(counts), runs));
  constexpr std::size_t block_items =
      std::size_t{fill::block_threads} * fill::lane_vectors * short_vectors::items;
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>((n - 1) / block_items + 1),
                               fill::block_threads, 0, stream,
                               fill_short_runs_kernel<fill>)(out, n, runs, flips);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
