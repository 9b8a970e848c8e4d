// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histogram: each block counts its share of the samples in shared memory, then adds its counts to
// the result. With very many bins, shared memory is a cache of counters: bins that find no place in
// it are counted in global memory.
#pragma once

#include <hindsight/detail/cuda/bin_clearing.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/histogram_levels.cuh>
#include <hindsight/detail/cuda/histogram_samples.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/histogram.h>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/workspace.h>
#include <hindsight/detail/zeroed_memory.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Calls count(bin) for each of the items that has a bin.
template <class Rule, class Sample, int Count, class CountBin>
HINDSIGHT_DEVICE void count_bins(const Rule& rule, const Sample (&items)[Count], CountBin count) {
  HINDSIGHT_UNROLL
  for (const Sample& item : items) {
    if (const int bin = rule(item); bin != no_bin) count(bin);
  }
}
template <class LevelIt, class Sample, int Count, class CountBin>
HINDSIGHT_DEVICE void count_bins(const range_bins<LevelIt>& rule, const Sample (&items)[Count],
                                 CountBin count) {
  int bins[Count];
  rule.find(items, bins);
  HINDSIGHT_UNROLL
  for (const int bin : bins) {
    if (bin != no_bin) count(bin);
  }
}

template <class Sample, class Level, int Count, class CountBin>
HINDSIGHT_DEVICE void count_bins(const guided_bins<Sample, Level>& rule,
                                 const Sample (&items)[Count], CountBin count) {
  if (!rule.is_guided()) return cuda::count_bins(rule.searched(), items, count);
  constexpr int wanted =
      ::cuda::std::max(1, histogram_tuning::searched_bytes / int(sizeof(Sample)));
  constexpr int batch = Count % wanted == 0 ? wanted : 1;
  HINDSIGHT_UNROLL
  for (int i = 0; i < Count; i += batch) {
    Sample some[batch];
    memcpy(static_cast<void*>(some), items + i, sizeof some);
    int bins[batch];
    rule.find(some, bins);
    HINDSIGHT_UNROLL
    for (const int bin : bins) {
      if (bin != no_bin) count(bin);
    }
  }
}

/// Samples of several channels, pixel after pixel; channels without a rule are not counted.
template <class Rule, int Channels, int Active, class Sample, int Count, class CountBin>
HINDSIGHT_DEVICE void count_bins(const channel_rules<Rule, Channels, Active>& channels,
                                 const Sample (&items)[Count], CountBin count) {
  HINDSIGHT_UNROLL
  for (int i = 0; i < Count; ++i) {
    const int channel = i % Channels;
    if (channel >= Active) continue;
    const int bin = channels.rules[channel](items[i]);
    if (bin != no_bin) count(channels.first_bins[channel] + bin);
  }
}

/// Where a block counts.
enum class counting {
  by_value,   ///< one-byte samples: a counter for each value and lane, so that the lanes of a
              ///< warp have no bank conflicts; the rule is applied 256 times at the end
  in_shared,  ///< a counter per bin
  in_parts,   ///< up to twice as many bins: two blocks look at the same samples, and each counts
              ///< one half of the bins
  in_cache,   ///< still more bins: counters in shared memory for the bins that are met first,
              ///< the others in global memory; so a bin that takes most samples does not slow all
              ///< threads down
};
template <counting Where>
using counting_in = std::integral_constant<counting, Where>;

/// A direct-mapped cache of counters in shared memory. Slots are hashed: bins that many samples
/// fall into are often apart by powers of two.
template <int Slots>
struct counter_cache {
  int bins[Slots];  ///< no_bin: free
  unsigned counts[Slots];

  template <class Counter>
  HINDSIGHT_DEVICE void add(int bin, Counter* global_bins) {
    constexpr unsigned golden_ratio = 0x9E3779B9u;
    const unsigned slot = static_cast<unsigned>(bin) * golden_ratio / (~0u / Slots + 1);
    int owner = *static_cast<volatile int*>(bins + slot);
    if (owner == no_bin) {
      const int before = atomicCAS(bins + slot, no_bin, bin);
      owner = before == no_bin ? bin : before;
    }
    if (owner == bin) {
      atomicAdd(counts + slot, 1u);
    } else {
      atomicAdd(global_bins + bin, Counter{1});
    }
  }
};

/// What a block in counting::by_value has in shared memory.
struct value_counters {
  static constexpr int values = 256;
  unsigned of_lanes[values][warp_lanes];
  unsigned sums[values];
};

/// What a block does in counting::by_value. wait_for_bins() is called in front of a barrier.
template <class Tuning, class Samples, class Counter, class Rule, class Wait>
HINDSIGHT_DEVICE void count_by_value(const Samples& samples, counting_blocks blocks, Counter* bins,
                                     const Rule& rule, value_counters& counts, Wait wait_for_bins) {
  using Sample = typename Samples::value_type;
  constexpr int values = value_counters::values, words = sizeof counts / sizeof(uint4);
  for (int i = threadIdx.x; i < words; i += Tuning::block_threads)
    reinterpret_cast<uint4*>(&counts)[i] = uint4{};
  __syncthreads();
  unsigned* const own = &counts.of_lanes[0][lane_index()];
  samples.template visit_share<Tuning>(blocks, [&](const auto& items) {
    HINDSIGHT_UNROLL
    for (const Sample& sample : items) {
      std::uint8_t value;
      memcpy(&value, &sample, 1);
      atomicAdd(own + value * warp_lanes, 1u);
    }
  });
  wait_for_bins();
  __syncthreads();

  // Several threads add the counts of a value. Neighbours start in different banks.
  static_assert(Tuning::block_threads % values == 0);
  constexpr int adders = Tuning::block_threads / values, summands = warp_lanes / adders;
  const int i = static_cast<int>(threadIdx.x) % values;
  const int first = i + static_cast<int>(threadIdx.x) / values * summands;
  unsigned sum = 0;
  HINDSIGHT_UNROLL
  for (int lane = 0; lane < summands; ++lane)
    sum += counts.of_lanes[i][(first + lane) % warp_lanes];
  atomicAdd(counts.sums + i, sum);
  __syncthreads();
  if (threadIdx.x >= values) return;
  const unsigned count = counts.sums[i];
  const auto value = static_cast<std::uint8_t>(i);
  Sample sample;
  memcpy(&sample, &value, 1);
  const int bin = rule(sample);
  if (count > 0 && bin != no_bin) atomicAdd(bins + bin, Counter(count));
}

/// What a block does in counting::in_parts: it counts its own part of the bins. Blocks (x, 0) and
/// (x, 1) look at the same samples at about the same time, so the second one finds them in the
/// cache.
template <class Tuning, class Samples, class Counter, class Rule>
HINDSIGHT_DEVICE void count_part(const Samples& samples, counting_blocks blocks, Counter* bins,
                                 int num_bins, const Rule& rule, unsigned* counts) {
  const int part_bins = (num_bins - 1) / int(gridDim.y) + 1, first = int(blockIdx.y) * part_bins;
  const auto own_bins = static_cast<unsigned>(min(part_bins, num_bins - first));
  for (unsigned i = threadIdx.x; i < own_bins; i += Tuning::block_threads) counts[i] = 0;
  __syncthreads();
  samples.template visit_share<Tuning>(blocks, [&](const auto& items) {
    cuda::count_bins(rule, items, [&](int bin) {
      const auto own = static_cast<unsigned>(bin - first);
      if (own < own_bins) atomicAdd(counts + own, 1u);
    });
  });
  __syncthreads();
  for (unsigned i = threadIdx.x; i < own_bins; i += Tuning::block_threads) {
    if (counts[i] > 0) atomicAdd(bins + first + i, Counter(counts[i]));
  }
}

/// bins[b] += how many samples fall into bin b, as `rule` has it. Dynamic shared memory holds
/// staged_bytes of levels, then num_copies copies of num_bins counters, or [256][32] counters, or
/// one counter_cache.
///   clearing  null: all bins are zero; else the first block clears them, and counts nothing
template <class Tuning, counting Where, class Samples, class Counter, class Rule>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::blocks)
void histogram_kernel(Samples samples, Counter* bins, int num_bins, int num_copies,
                      Rule caller_rule, int staged_bytes, bin_clearing* clearing) {
  using Sample = typename Samples::value_type;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  if (clearing && blockIdx.x == 0)
    return clearing->clear(bins, num_bins, *reinterpret_cast<unsigned*>(shared_room));
  const auto blocks = counting_blocks::behind(clearing ? 1 : 0);
  [[maybe_unused]] const auto wait_for_bins = [&] {
    // The last warp has the fewest samples.
    if (clearing && threadIdx.x == Tuning::block_threads - 1) clearing->wait(bins, num_bins);
  };
  const auto rule = cuda::stage_levels<Sample>(caller_rule, shared_room, staged_bytes);
  unsigned* const shared_counts = reinterpret_cast<unsigned*>(shared_room + staged_bytes / 16);
  if constexpr (Where == counting::in_cache) {
    using cache_t = counter_cache<Tuning::cache_slots>;
    cache_t& cache = *reinterpret_cast<cache_t*>(shared_counts);
    for (int i = threadIdx.x; i < Tuning::cache_slots; i += Tuning::block_threads) {
      cache.bins[i] = no_bin;
      cache.counts[i] = 0;
    }
    __syncthreads();
    samples.template visit_share<Tuning>(blocks, [&](const auto& items) {
      cuda::count_bins(rule, items, [&](int bin) { cache.add(bin, bins); });
    });
    __syncthreads();
    for (int i = threadIdx.x; i < Tuning::cache_slots; i += Tuning::block_threads) {
      if (cache.counts[i] > 0) atomicAdd(bins + cache.bins[i], Counter(cache.counts[i]));
    }
  } else if constexpr (Where == counting::in_parts) {
    cuda::count_part<Tuning>(samples, blocks, bins, num_bins, rule, shared_counts);
  } else if constexpr (Where == counting::by_value) {
    cuda::count_by_value<Tuning>(samples, blocks, bins, rule,
                                 *reinterpret_cast<value_counters*>(shared_counts), wait_for_bins);
  } else {
    for (int i = threadIdx.x; i < num_copies * num_bins; i += Tuning::block_threads)
      shared_counts[i] = 0;
    __syncthreads();
    unsigned* const own = shared_counts + warp_index() % num_copies * num_bins;
    samples.template visit_share<Tuning>(blocks, [&](const auto& items) {
      cuda::count_bins(rule, items, [&](int bin) { atomicAdd(own + bin, 1u); });
    });
    wait_for_bins();
    __syncthreads();
    for (int bin = threadIdx.x; bin < num_bins; bin += Tuning::block_threads) {
      unsigned count = 0;
      for (int c = 0; c < num_copies; ++c) count += shared_counts[c * num_bins + bin];
      if (count > 0) atomicAdd(bins + bin, Counter(count));
    }
  }
}

/// Whether two blocks may look at each sample: rules that search levels take too long.
template <class Rule>
inline constexpr bool is_cheap = true;
template <class LevelIt>
inline constexpr bool is_cheap<range_bins<LevelIt>> = false;
template <class Samples, class Rule>
inline constexpr bool counts_in_parts = Samples::channels == 1 && is_cheap<Rule>;

/// Whether a block of the launch clears the bins: blocks add to them only when they have counted.
inline constexpr bool clears_beside(counting where) {
  return where == counting::by_value || where == counting::in_shared;
}

/// A block has at least so many of n samples: those that its threads read at once, and enough for
/// its bins; more if multiprocessors have a block each anyway.
template <class Tuning, class Sample>
std::size_t least_block_samples(std::size_t n, int num_bins, int multiprocessors) {
  using ::cuda::std::max;
  constexpr std::size_t threads = Tuning::block_threads, word_samples = 16 / sizeof(Sample);
  constexpr std::size_t at_once =
      threads * max<std::size_t>(1, Tuning::lane_vectors * word_samples);
  constexpr std::size_t many = threads * Tuning::template least_lane_samples<Sample>;
  const std::size_t share = n / std::size_t(multiprocessors);
  return ::cuda::std::min(many, max({at_once, std::size_t(num_bins) * 4, share}));
}

/// How many blocks count n samples, of which each has `least` or more, where the device has room
/// for `resident` blocks. A counter in shared memory has 32 bits, so no block may have more
/// samples.
inline std::size_t num_histogram_blocks(std::size_t n, std::size_t least, std::size_t resident) {
  constexpr std::size_t most = std::size_t{1} << 31;
  return ::cuda::std::min((n - 1) / least + 1, ::cuda::std::max(resident, (n - 1) / most + 1));
}

/// Dynamic shared memory of a block: its counters, in one or several copies, and levels.
struct histogram_memory {
  std::size_t counter_bytes;
  std::size_t num_copies = 1;
  std::size_t level_bytes = 0;
};

/// As many copies of the counters as fit copies_bytes; and the rule's levels and a guide to them,
/// as far as there is room. n: the number of samples.
template <class Sample, class Rule>
histogram_memory copies_in_shared(std::size_t n, std::size_t one_copy, const Rule& rule,
                                  std::size_t max_bytes) {
  using tuning = histogram_tuning;
  constexpr std::size_t warps = tuning::block_threads / warp_lanes;
  const std::size_t copies = ::cuda::std::min<std::size_t>(
      ::cuda::std::max<std::size_t>(tuning::copies_bytes / one_copy, 1), warps);
  std::size_t levels = level_bytes(rule);
  const std::size_t guide = n >= tuning::guided_samples ? guide_bytes<Sample>(rule) : 0;
  if (copies * one_copy + levels + guide <= max_bytes) levels += guide;
  const bool fits = copies * one_copy + levels <= max_bytes;
  return {copies * one_copy, copies, fits ? levels : 0};
}

/// The most shared memory that a block may have here.
inline std::size_t most_shared_bytes(const launch_limits& limits) {
  return ::cuda::std::min<std::size_t>(histogram_tuning::max_shared_bytes, limits.block_bytes);
}

/// The threads of a launch that counts in `Where`.
template <counting Where>
using tuning_of = std::conditional_t<
    Where == counting::in_parts, histogram_parts_tuning,
    std::conditional_t<Where == counting::by_value, histogram_bytes_tuning, histogram_tuning>>;

/// Launches the kernel that counts in `Where`, and has the bins cleared.
template <counting Where, class Samples, class Counter, class Rule>
cudaError_t launch_histogram(Samples samples, Counter* bins, int num_bins, Rule rule,
                             const launch_limits& limits, histogram_memory memory,
                             cudaStream_t stream) {
  using tuning = tuning_of<Where>;
  constexpr auto kernel = histogram_kernel<tuning, Where, Samples, Counter, Rule>;
  const std::size_t shared_bytes = memory.counter_bytes + memory.level_bytes;
  int architecture = 0;  // a program without code for this GPU fails before anything is written
  HINDSIGHT_TRY(architecture_of_code<kernel>(architecture));
  HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes, cuda::most_shared_bytes(limits)));
  void* clearing = nullptr;
  if (clears_beside(Where) && num_bins <= tuning::most_bins_cleared_beside)
    HINDSIGHT_TRY(detail::take_zeroed_memory(sizeof(bin_clearing), stream, clearing));
  const unsigned clearing_blocks = clearing ? 1 : 0;
  constexpr unsigned parts = Where == counting::in_parts ? 2 : 1;
  const std::size_t fit =
      ::cuda::std::min<std::size_t>(tuning::blocks, limits.blocks(shared_bytes));
  const std::size_t resident = fit * std::size_t(limits.multiprocessors) / parts;
  const std::size_t blocks =
      clearing_blocks +
      num_histogram_blocks(samples.most(),
                           least_block_samples<tuning, typename Samples::value_type>(
                               samples.most(), num_bins, limits.multiprocessors),
                           resident - clearing_blocks);
  if (blocks > max_blocks) return cudaErrorInvalidConfiguration;
  if (!clearing)
    HINDSIGHT_TRY(cudaMemsetAsync(bins, 0, std::size_t(num_bins) * sizeof *bins, stream));
  HINDSIGHT_LAUNCH(dim3(static_cast<unsigned>(blocks), parts), tuning::block_threads, shared_bytes,
                   stream, kernel)
  (samples, bins, num_bins, static_cast<int>(memory.num_copies), rule,
   static_cast<int>(memory.level_bytes), static_cast<bin_clearing*>(clearing));
  return detail::reported(cudaPeekAtLastError());
}

/// bins[b] = how many samples fall into bin b: chooses where to count, and launches. Requires
/// samples.most() > 0.
template <class Samples, class Counter, class Rule>
cudaError_t count_samples(Samples samples, Counter* bins, int num_bins, Rule rule,
                          cudaStream_t stream) {
  using tuning = histogram_tuning;
  using Sample = typename Samples::value_type;
  constexpr bool one_byte = sizeof(Sample) == 1 && std::is_integral_v<Sample> &&
                            !std::is_same_v<Sample, bool> && Samples::channels == 1;
  launch_limits limits;
  HINDSIGHT_TRY(limits.ask());
  const auto launch = [&](auto where, histogram_memory memory) {
    return cuda::launch_histogram<where()>(samples, bins, num_bins, rule, limits, memory, stream);
  };
  if constexpr (one_byte) {
    return launch(counting_in<counting::by_value>{}, {sizeof(value_counters)});
  } else {
    const std::size_t n = samples.most();
    const std::size_t max_bytes = cuda::most_shared_bytes(limits);
    const std::size_t one_copy = std::size_t(num_bins) * sizeof(unsigned);
    if (one_copy <= max_bytes)
      return launch(counting_in<counting::in_shared>{},
                    cuda::copies_in_shared<Sample>(n, one_copy, rule, max_bytes));
    if constexpr (counts_in_parts<Samples, Rule>) {
      const std::size_t half = (one_copy / 2 + 15) / 16 * 16;
      if (n >= tuning::samples_in_parts && half <= max_bytes)
        return launch(counting_in<counting::in_parts>{}, {half});
    }
    return launch(counting_in<counting::in_cache>{}, {sizeof(counter_cache<tuning::cache_slots>)});
  }
}

/// out[b] = bins[b], converted.
template <class Counter, class CounterIt>
HINDSIGHT_KERNEL void store_bins_kernel(const Counter* bins, CounterIt out, int num_bins) {
  ptx::wait_for_launch_before();
  const unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < unsigned(num_bins)) out[b] = static_cast<value_of<CounterIt>>(bins[b]);
}

/// A thread for each bin.
inline unsigned num_bin_blocks(int num_bins) {
  return (unsigned(num_bins) + plain_threads - 1) / plain_threads;
}

/// The type in which a counter of T can be added to atomically; void where there is none.
template <class T>
using atomic_counter_t = std::conditional_t<
    !std::is_integral_v<T>, void,
    std::conditional_t<sizeof(T) == 4, unsigned,
                       std::conditional_t<sizeof(T) == 8, unsigned long long, void>>>;

/// counters[b] = how many samples fall into bin b, for b in [0, num_bins), in CUB's two phases.
/// What `rule` refers to must be readable by the device.
template <class Samples, class CounterIt, class Rule>
cudaError_t histogram_of(void* temp, std::size_t& temp_bytes, Samples samples, CounterIt counters,
                         int num_bins, Rule rule, cudaStream_t stream) {
  const auto out = cuda::unwrap(counters);
  using out_t = unwrapped<CounterIt>;
  using atomic_t = atomic_counter_t<value_of<CounterIt>>;
  constexpr bool counts_in_place = std::is_pointer_v<out_t> && !std::is_void_v<atomic_t>;
  using counter_t = std::conditional_t<counts_in_place, atomic_t, unsigned long long>;

  carver space{temp};
  counter_t* bins = nullptr;
  if constexpr (!counts_in_place) bins = space.take<counter_t>(num_bins);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if constexpr (counts_in_place) bins = reinterpret_cast<counter_t*>(out);

  if (samples.most() > 0) {
    HINDSIGHT_TRY(count_samples(samples, bins, num_bins, rule, stream));
  } else {
    HINDSIGHT_TRY(cudaMemsetAsync(bins, 0, std::size_t(num_bins) * sizeof *bins, stream));
  }
  if constexpr (!counts_in_place) {
    constexpr auto store_bins = store_bins_kernel<counter_t, out_t>;
    return HINDSIGHT_LAUNCH_NEXT(num_bin_blocks(num_bins), plain_threads, 0, stream, store_bins)(
        bins, out, num_bins);
  }
  return cudaSuccess;
}

/// The same for the samples of a range.
template <class SampleIt, class Size, class CounterIt, class Rule>
cudaError_t histogram(void* temp, std::size_t& temp_bytes, SampleIt samples, Size num_items,
                      CounterIt counters, int num_bins, Rule rule, cudaStream_t stream) {
  const flat_samples<unwrapped<SampleIt>, unwrapped_size<Size>> range{cuda::unwrap(samples),
                                                                      cuda::unwrap_size(num_items)};
  return cuda::histogram_of(temp, temp_bytes, range, counters, num_bins, rule, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
