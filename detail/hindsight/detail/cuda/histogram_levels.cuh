// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels of a histogram by ranges: how they get to the device and into shared memory, and how
// blocks search them there.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/tuning/histogram.h>
#include <hindsight/detail/tuning/plain.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Levels with a slot of padding after every 128 bytes, or without: the steps of a binary search
/// are powers of two apart, which without it would be the same bank of shared memory.
template <class Level>
class skewed_levels {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Level;
  using difference_type = std::ptrdiff_t;
  using pointer = const Level*;
  using reference = const Level&;

  HINDSIGHT_DEVICE skewed_levels(const Level* levels, bool is_skewed)
      : levels_{levels}, is_skewed_{is_skewed} {}
  HINDSIGHT_DEVICE const Level& operator[](unsigned i) const {
    return levels_[is_skewed_ ? place(i) : i];
  }
  HINDSIGHT_HD static constexpr unsigned place(unsigned i) {
    return i + i / unsigned(128 / sizeof(Level));
  }

 private:
  const Level* levels_;
  bool is_skewed_;
};

/// Gives each value of [first, end] the number of its cell, below num_cells. Cells are about
/// equally wide. The number never falls where the value rises, because each step of the computation
/// is monotone; nothing more is required of it. Infinite and overflowing ranges end up in few
/// cells.
template <class Sample, class Level, class = void>
class level_cells {
  using common_t = bin_common_t<Sample, Level>;
  static_assert(!is_integer<common_t>, "offsets between integers may overflow");

 public:
  static constexpr bool exist = true;
  HINDSIGHT_DEVICE level_cells(const Level& first, const Level& end, int num_cells)
      : first_{common_t(first)},
        scale_{common_t(num_cells) / (common_t(end) - first_)},
        last_{num_cells - 1} {}
  template <class Value>
  HINDSIGHT_DEVICE int operator()(const Value& value) const {
    const int cell = int((common_t(value) - first_) * scale_);  // NaN: 0
    return min(max(cell, 0), last_);
  }

 private:
  common_t first_, scale_;
  int last_;
};
/// The same for integers. The cell follows from the highest 32 of those bits of the value's offset
/// that vary in the range.
template <class Sample, class Level>
class level_cells<Sample, Level, std::enable_if_t<is_integer<Sample> && is_integer<Level>>> {
  using offset_t = typename offset_between<Sample, Level>::type;

 public:
  static constexpr bool exist = sizeof(offset_t) <= 8;
  HINDSIGHT_DEVICE level_cells(const Level& first, const Level& end, int num_cells)
      : first_{offset_t(first)}, last_{unsigned(num_cells) - 1} {
    const auto range = std::uint64_t(offset_t(end) - first_);
    shift_ = max(0, 32 - __clzll(static_cast<long long>(range)));
    const std::uint64_t scale = (std::uint64_t(num_cells) << 32) / ((range >> shift_) + 1);
    scale_ = scale >> 32 ? ~0u : unsigned(scale);
  }
  template <class Value>
  HINDSIGHT_DEVICE int operator()(const Value& value) const {
    const auto offset = unsigned((offset_t(value) - first_) >> shift_);
    // A value outside of the range may get any cell. Its product may be more than an int holds.
    return int(min(__umulhi(offset, scale_), last_));
  }

 private:
  offset_t first_;
  unsigned scale_, last_;
  int shift_;
};

/// Bins between levels, in shared memory, with a guide to them: how many levels lie in lower cells
/// than a sample's (16 bits), and how many in its own. Mostly one comparison is left to do.
template <class Sample, class Level>
class guided_bins {
  using cells_t = level_cells<number_t<Sample>, number_t<Level>>;

 public:
  using levels_t = skewed_levels<Level>;
  static constexpr bool exist = cells_t::exist;
  static constexpr int threads =
      histogram_tuning::block_threads;  ///< that build a guide; num_cells is a multiple

  HINDSIGHT_DEVICE guided_bins(int num_bins, levels_t levels, const Level& first, const Level& end,
                               unsigned* guide, int num_cells)
      : range_{num_bins, levels},
        cells_{first, end, num_cells},
        first_{first},
        end_{end},
        guide_{guide} {}

  /// Called by the whole block between two barriers: guide [num_cells + threads / 32]
  HINDSIGHT_DEVICE void build(int num_cells) const {
    constexpr int warps = threads / 32;
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    for (int c = thread; c < num_cells; c += threads) guide_[c] = 0;
    __syncthreads();
    for (int i = thread; i <= range_.num_bins(); i += threads)
      atomicAdd(guide_ + cells_(range_.levels()[unsigned(i)]), 1u);
    __syncthreads();
    unsigned* const warp_sums = guide_ + num_cells;
    const int share = num_cells / warps, begin = warp * share;
    unsigned sum = 0;
    for (int c = lane; c < share; c += 32) sum += guide_[begin + c];
    sum = cuda::warp_inclusive_fold(sum, ::cuda::std::plus<unsigned>{});
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    unsigned below = 0;
    for (int w = 0; w < warp; ++w) below += warp_sums[w];
    for (int c = lane; c < share; c += 32) {
      const unsigned count = guide_[begin + c];
      const unsigned through = cuda::warp_inclusive_fold(count, ::cuda::std::plus<unsigned>{});
      guide_[begin + c] = (below + through - count) | count << 16;
      below += __shfl_sync(~0u, through, 31);
    }
  }

  HINDSIGHT_DEVICE bool is_guided() const { return guide_ != nullptr; }
  /// The same bins without the guide.
  HINDSIGHT_DEVICE const range_bins<levels_t>& searched() const { return range_; }

  HINDSIGHT_DEVICE int operator()(const Sample& sample) const { return range_(sample); }

  /// bins[i] = the bin of samples[i]. Requires a guide.
  template <int Count>
  HINDSIGHT_DEVICE void find(const Sample (&samples)[Count], int (&bins)[Count]) const {
    unsigned entries[Count];
    HINDSIGHT_UNROLL
    for (int i = 0; i < Count; ++i) entries[i] = guide_[cells_(samples[i])];
    const int last_bin = range_.num_bins() - 1;
    bool any_needs_search = false;
    HINDSIGHT_UNROLL
    for (int i = 0; i < Count; ++i) {
      const unsigned lower = entries[i] & 0xffff, count = entries[i] >> 16;
      const bool is_above =
          !less_in_value(samples[i], range_.levels()[min(lower, unsigned(last_bin))]);
      bins[i] = int(lower) - 1 + int(count > 0 && is_above);
      any_needs_search = any_needs_search || count > 1;
    }
    if (any_needs_search) {
      HINDSIGHT_UNROLL
      for (int i = 0; i < Count; ++i) {
        if (entries[i] >> 16 > 1) bins[i] = search(samples[i], entries[i]);
      }
    }
    HINDSIGHT_UNROLL
    for (int i = 0; i < Count; ++i) {  // a NaN is not less than the end
      const bool is_in = !less_in_value(samples[i], first_) && less_in_value(samples[i], end_);
      bins[i] = is_in ? min(bins[i], last_bin) : no_bin;
    }
  }

 private:
  HINDSIGHT_DEVICE int search(const Sample& sample, unsigned entry) const {
    unsigned lower = entry & 0xffff, left = entry >> 16;
    while (left > 0) {
      const unsigned half = left / 2;
      const bool is_above = !less_in_value(sample, range_.levels()[lower + half]);
      lower += is_above ? half + 1 : 0;
      left = is_above ? left - half - 1 : half;
    }
    return int(lower) - 1;
  }

  range_bins<levels_t> range_;
  cells_t cells_;
  Level first_, end_;
  unsigned* guide_;
};

/// Bytes of shared memory for the levels of a rule that searches them; 0 for other rules. In shared
/// memory, lanes that look at different levels are served at once.
template <class Rule>
std::size_t level_bytes(const Rule&) {
  return 0;
}
template <class Level>
HINDSIGHT_HD std::size_t level_bytes(const range_bins<const Level*>& rule) {
  const std::size_t num_places = skewed_levels<Level>::place(unsigned(rule.num_bins())) + 1;
  return (num_places * sizeof(Level) + 15) / 16 * 16;
}

/// Bytes for a guide to the levels.
template <class Sample, class Rule>
std::size_t guide_bytes(const Rule&) {
  return 0;
}
template <class Sample, class Level>
std::size_t guide_bytes(const range_bins<const Level*>& rule) {
  using guided = guided_bins<Sample, Level>;
  if (!guided::exist || rule.num_bins() >= 0xffff) return 0;
  const std::size_t cells =
      (std::size_t(rule.num_bins()) * histogram_tuning::guide_cells_per_bin / guided::threads + 1) *
      guided::threads;
  return (cells + guided::threads / 32) * sizeof(unsigned);
}

/// The rule, with its levels in `room` if that has any bytes, and with a guide if it has more than
/// levels take. Called by a whole block; a barrier has to follow.
template <class Sample, class Rule>
HINDSIGHT_DEVICE Rule stage_levels(const Rule& rule, void*, int) {
  return rule;
}
template <class Sample, class Level>
HINDSIGHT_DEVICE auto stage_levels(const range_bins<const Level*>& rule, void* room, int bytes) {
  using skewed = skewed_levels<Level>;
  const auto staged = static_cast<Level*>(room);
  if (bytes > 0) {
    for (int i = threadIdx.x; i <= rule.num_bins(); i += blockDim.x)
      staged[skewed::place(i)] = rule.levels()[i];
  }
  const skewed levels{bytes > 0 ? staged : rule.levels(), bytes > 0};
  if constexpr (guided_bins<Sample, Level>::exist) {
    using guided = guided_bins<Sample, Level>;
    // Levels that are not staged may have more bytes than an int holds.
    const int beyond_levels = bytes > 0 ? bytes - int(level_bytes(rule)) : 0;
    const int num_cells = max(0, beyond_levels / int(sizeof(unsigned)) - guided::threads / 32);
    unsigned* const guide =
        num_cells > 0 ? reinterpret_cast<unsigned*>(static_cast<char*>(room) + level_bytes(rule))
                      : nullptr;
    const guided bins{rule.num_bins(), levels,   rule.levels()[0], rule.levels()[rule.num_bins()],
                      guide,           num_cells};
    if (guide) bins.build(num_cells);
    return bins;
  } else {
    return range_bins<skewed>{rule.num_bins(), levels};
  }
}

/// Levels that travel in the arguments of one launch.
template <class Level>
struct level_chunk {
  static constexpr int size = histogram_tuning::level_chunk_bytes / int(sizeof(Level));
  Level levels[size];
};

/// to[i] = chunk.levels[i], i < count.
template <class Level>
HINDSIGHT_KERNEL void store_levels_kernel(level_chunk<Level> chunk, Level* to, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = chunk.levels[i];
}

/// to = levels [n], on the host, as Levels or as their bytes, by way of the arguments of launches.
/// A graph keeps arguments; the source of a copy it would read only when it runs.
template <class HostLevel, class Level>
cudaError_t send_levels(const HostLevel* levels, std::size_t n, Level* to, cudaStream_t stream) {
  static_assert(sizeof(HostLevel) == sizeof(Level));
  using chunk_t = level_chunk<Level>;
  for (std::size_t begin = 0; begin < n; begin += chunk_t::size) {
    const auto count = ::cuda::std::min<std::size_t>(chunk_t::size, n - begin);
    chunk_t chunk{};
    memcpy(chunk.levels, levels + begin, count * sizeof(Level));
    HINDSIGHT_LAUNCH(1, plain_threads, 0, stream, store_levels_kernel)
    (chunk, to + begin, static_cast<int>(count));
    HINDSIGHT_TRY(cudaPeekAtLastError());
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
