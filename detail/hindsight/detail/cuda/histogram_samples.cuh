// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The samples of a histogram and how the threads of a grid share them: a range, or rows of pixels
// of several channels.
#pragma once

#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/histogram_bins.h>
#include <hindsight/detail/num_items.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Whether samples may be read 16 bytes at a time where they are aligned.
template <class SampleIt>
inline constexpr bool are_read_in_words =
    std::is_pointer_v<SampleIt>&& std::is_trivially_copyable_v<value_of<SampleIt>> &&
    16 % sizeof(value_of<SampleIt>) == 0;

/// The blocks of a grid that share its samples: all but the first `others`.
struct counting_blocks {
  unsigned index, count;  ///< the number of this block among them, and how many they are

  HINDSIGHT_DEVICE static counting_blocks behind(unsigned others) {
    return {blockIdx.x - others, gridDim.x - others};
  }
  /// The number of this thread among those of all, of blocks of so many, for so many words. Where
  /// these are fewer than threads, warps are dealt to blocks in turn: so each block has some.
  HINDSIGHT_DEVICE std::size_t thread(int block_threads, std::size_t num_words) const {
    const std::size_t warp = num_words < std::size_t{count} * block_threads
                                 ? std::size_t{count} * warp_index() + index
                                 : std::size_t{index} * (block_threads / warp_lanes) + warp_index();
    return warp * warp_lanes + lane_index();
  }
};

/// As many samples as `num_items` says.
template <class SampleIt, class Size>
struct flat_samples {
  SampleIt samples;
  Size num_items;

  using value_type = value_of<SampleIt>;
  static constexpr int channels = 1;
  std::size_t most() const { return detail::most_items(num_items); }

  /// Calls visit(items) with arrays that together are this thread's share of the samples. Samples
  /// in memory are read 16 bytes at a time; those in front of the first multiple of 16 bytes and
  /// behind the last one are read one by one.
  template <class Tuning, class Visit>
  HINDSIGHT_DEVICE void visit_share(counting_blocks blocks, Visit visit) const;
};

/// `rows` rows of [row_pixels] pixels, each Channels samples; a row begins `stride` samples after
/// the one before.
template <class SampleIt, int Channels>
struct image_samples {
  SampleIt samples;
  std::size_t row_pixels, rows, stride;

  using value_type = value_of<SampleIt>;
  static constexpr int channels = Channels;
  std::size_t most() const { return row_pixels * rows * Channels; }

  /// Calls visit(items) with arrays of whole pixels that together are this thread's share. A warp
  /// takes segments of rows, and a lane pixels that make up 16-byte words.
  template <class Tuning, class Visit>
  HINDSIGHT_DEVICE void visit_share(counting_blocks blocks, Visit visit) const {
    constexpr int lane_chunks = chunks_in_flight<Tuning>();
    constexpr std::size_t segment_pixels = warp_lanes * lane_chunks * chunk_pixels;
    constexpr int block_warps = Tuning::block_threads / warp_lanes;
    const std::size_t row_segments = (row_pixels + segment_pixels - 1) / segment_pixels;
    const std::size_t num_segments = rows * row_segments;
    const std::size_t num_warps = std::size_t{blocks.count} * block_warps;
    for (std::size_t s = std::size_t{blocks.index} * block_warps + warp_index(); s < num_segments;
         s += num_warps) {
      const std::size_t row = rows > 1 ? s / row_segments : 0;
      const std::size_t begin = (s - row * row_segments) * segment_pixels;
      const auto count =
          static_cast<int>(::cuda::std::min<std::size_t>(segment_pixels, row_pixels - begin));
      visit_segment<lane_chunks>(samples + (row * stride + begin * Channels), count, visit);
    }
  }

 private:
  /// Pixels that fill as many words as there are channels.
  static constexpr int chunk_pixels =
      are_read_in_words<SampleIt> ? 16 / int(sizeof(value_type)) : 1;

  template <class Tuning>
  HINDSIGHT_DEVICE static constexpr int chunks_in_flight() {
    return Channels < 2 * Tuning::lane_vectors ? 2 * Tuning::lane_vectors / Channels : 1;
  }

  template <int Count, class Visit>
  HINDSIGHT_DEVICE static void visit_chunks(const uint4* chunk, Visit visit) {
    constexpr int chunk_items = chunk_pixels * Channels;
    value_type items[Count * chunk_items];
    HINDSIGHT_UNROLL
    for (int c = 0; c < Count; ++c) {
      HINDSIGHT_UNROLL
      for (int w = 0; w < Channels; ++w) {
        const uint4 word = ptx::load_streaming(chunk + c * warp_lanes * Channels + w);
        memcpy(static_cast<void*>(items + c * chunk_items + w * chunk_pixels), &word, sizeof word);
      }
    }
    visit(items);
  }

  template <class Visit>
  HINDSIGHT_DEVICE static void visit_pixel(SampleIt pixel, Visit visit) {
    value_type items[Channels];
    HINDSIGHT_UNROLL
    for (int c = 0; c < Channels; ++c) items[c] = value_type(pixel[c]);
    visit(items);
  }

  template <int LaneChunks, class Visit>
  HINDSIGHT_DEVICE static void visit_segment(SampleIt begin, int count, Visit visit) {
    int head = 0, in_chunks = 0;  // pixels before the first word, and in whole chunks
    if constexpr (are_read_in_words<SampleIt>) {
      constexpr unsigned pixel_bytes = Channels * sizeof(value_type);
      const auto address = reinterpret_cast<std::uintptr_t>(begin);
      while (head < chunk_pixels && (address + head * pixel_bytes) % 16 != 0) ++head;
      head = min(head, count);
      const int num_chunks = (count - head) / chunk_pixels;
      if ((address + head * pixel_bytes) % 16 == 0) {
        in_chunks = num_chunks * chunk_pixels;
        const auto words = reinterpret_cast<const uint4*>(begin + head * Channels);
        if (num_chunks == LaneChunks * warp_lanes) {
          visit_chunks<LaneChunks>(words + lane_index() * Channels, visit);
        } else {
          for (int i = lane_index(); i < num_chunks; i += warp_lanes)
            visit_chunks<1>(words + i * Channels, visit);
        }
      }
    }
    for (int i = lane_index(); i < count - in_chunks; i += warp_lanes)
      visit_pixel(begin + (i < head ? i : i + in_chunks) * Channels, visit);
  }
};

/// A rule for each of the first `Active` channels of a pixel, and where its bins begin among those
/// of all channels.
template <class Rule, int Channels, int Active>
struct channel_rules {
  Rule rules[Active];
  int first_bins[Active];

  /// The bin of a sample of channel 0.
  template <class Sample>
  HINDSIGHT_HD int operator()(const Sample& sample) const {
    return rules[0](sample);
  }
};

template <class SampleIt, class Size>
template <class Tuning, class Visit>
HINDSIGHT_DEVICE void flat_samples<SampleIt, Size>::visit_share(counting_blocks blocks,
                                                                Visit visit) const {
  const std::size_t n = detail::read_items(num_items);
  using Sample = value_of<SampleIt>;
  constexpr std::size_t word_samples =
      are_read_in_words<SampleIt> ? 16 / sizeof(Sample) : std::size_t{1};
  const std::size_t thread = blocks.thread(Tuning::block_threads, n / word_samples);
  const std::size_t num_threads = std::size_t{blocks.count} * Tuning::block_threads;
  std::size_t head = 0, in_words = 0;
  if constexpr (are_read_in_words<SampleIt>) {
    constexpr int vector = 16 / int(sizeof(Sample));
    const auto misaligned = reinterpret_cast<std::uintptr_t>(samples) % 16;
    if (misaligned % sizeof(Sample) == 0) {
      head = ::cuda::std::min<std::size_t>(n, (16 - misaligned) % 16 / sizeof(Sample));
      const auto words = reinterpret_cast<const uint4*>(samples + head);
      const std::size_t num_words = (n - head) / vector;
      std::size_t w = thread;
      for (; w + (Tuning::lane_vectors - 1) * num_threads < num_words;
           w += Tuning::lane_vectors * num_threads) {
        Sample items[Tuning::lane_vectors * vector];
        HINDSIGHT_UNROLL
        for (int i = 0; i < Tuning::lane_vectors; ++i) {
          const uint4 word = ptx::load_streaming(words + w + i * num_threads);
          memcpy(items + i * vector, &word, sizeof word);
        }
        visit(items);
      }
      for (; w < num_words; w += num_threads) {
        const uint4 word = ptx::load_streaming(words + w);
        Sample items[vector];
        memcpy(items, &word, sizeof word);
        visit(items);
      }
      in_words = num_words * vector;
    }
  }
  for (std::size_t i = thread; i < n - in_words; i += num_threads) {
    const Sample items[] = {Sample(samples[i < head ? i : i + in_words])};
    visit(items);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
