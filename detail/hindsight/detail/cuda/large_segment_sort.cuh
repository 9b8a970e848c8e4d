// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second half of a sort by segments: a block sorts each segment that passes over the highest
// digits have left. A segment that does not fit the block is sorted in parts: the passes may have
// sorted by more bits than name the segments, so a part may end where these bits change. A part
// that still does not fit is sorted in pieces, which are merged.
// Source: Stehle & Jacobsen 2017, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs".
#pragma once

#include <hindsight/detail/cuda/block/merge_path.cuh>
#include <hindsight/detail/cuda/segment_sort.cuh>
#include <hindsight/detail/cuda/segment_split.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/num_items.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Keys and their values, if there are any.
template <class Key, class Value>
struct segment_range {
  Key* keys;
  Value* values;
  HINDSIGHT_DEVICE segment_range operator+(std::size_t i) const {
    if constexpr (std::is_same_v<Value, no_value>) return {keys + i, values};
    return {keys + i, values + i};
  }
};

/// Merges two neighbouring runs, one tile of the result after another: all threads of a block take
/// equal parts of it, in shared memory.
template <class Tuning, class Direction, class Key, class Value>
class merge_of_pieces {
  using bits_t = unsigned_bits_t<Key>;
  using in_pass = pass_key<Direction, Key>;
  using storage = segment_storage<Tuning, Key, Value>;
  using items = segment_range<Key, Value>;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr int threads = Tuning::block_threads;
  /// Odd: neighbours' items at the same place lie in different banks of shared memory. Few keys of
  /// 4 bytes are merged, so for these the code is short rather than fast.
  static constexpr int most_lane_items = (Tuning::lane_items - 1) | 1;
  static constexpr int lane_items =
      is_wide_key<Key> ? most_lane_items : ::cuda::std::min(most_lane_items, 9);
  static constexpr int tile_items = threads * lane_items;

 public:
  HINDSIGHT_DEVICE merge_of_pieces(int end_bit, storage& shared)
      : counted_{static_cast<bits_t>(static_cast<bits_t>(~bits_t{0}) >>
                                     (int(sizeof(Key)) * 8 - end_bit))},
        shared_{shared} {}

  /// to[0, n) = the merge of from[0, a_size) and from[a_size, n). A barrier precedes it.
  HINDSIGHT_DEVICE void operator()(items from, int a_size, int n, items to) {
    const auto before = [&](const Key& a, const Key& b) {
      return comes_before(in_pass::from(a), in_pass::from(b));
    };
    int of_a = 0;  // of the keys before the tile
    for (int begin = 0; begin < n; begin += tile_items) {
      const int count = min(tile_items, n - begin);
      const int end_of_a = cuda::split_merge_by_warp(from.keys, a_size, from.keys + a_size,
                                                     n - a_size, begin + count, before);
      const part_of_runs part{from + of_a, from + (a_size + begin - of_a), end_of_a - of_a, count};
      merge_tile(part, to + begin);
      of_a = end_of_a;
    }
  }

 private:
  /// The parts of both runs that a tile consists of.
  struct part_of_runs {
    items a, b;
    int a_count, count;
    HINDSIGHT_DEVICE const Key& key(int i) const {
      return i < a_count ? a.keys[i] : b.keys[i - a_count];
    }
    HINDSIGHT_DEVICE const Value& value(int i) const {
      return i < a_count ? a.values[i] : b.values[i - a_count];
    }
  };

  HINDSIGHT_DEVICE void merge_tile(const part_of_runs& part, items to) {
    const int thread = static_cast<int>(threadIdx.x);
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      const int j = thread + i * threads;
      if (j < part.count) shared_.keys[j] = in_pass::from(part.key(j));
    }
    __syncthreads();
    bits_t merged[lane_items];
    packed_ranks<has_values ? lane_items : 1> sources;
    const int place = thread * lane_items;
    merge_own_items(part, min(place, part.count), merged, sources);
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      if (place + i >= part.count) break;
      shared_.keys[place + i] = merged[i];
      if constexpr (has_values)
        shared_.sources[place + i] = static_cast<std::uint16_t>(sources.get(i));
    }
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      const int j = thread + i * threads;
      if (j >= part.count) break;
      to.keys[j] = in_pass::to_key(shared_.keys[j]);
      if constexpr (has_values) to.values[j] = part.value(shared_.sources[j]);
    }
    __syncthreads();
  }

  /// The items from `first` on of the merged tile. Of equal keys, a's come first.
  template <class Sources>
  HINDSIGHT_DEVICE void merge_own_items(const part_of_runs& part, int first,
                                        bits_t (&merged)[lane_items], Sources& sources) {
    const auto before = [&](const bits_t& a, const bits_t& b) { return comes_before(a, b); };
    bits_t* const keys = shared_.keys;
    int a = cuda::split_merge(keys, part.a_count, keys + part.a_count, part.count - part.a_count,
                              first, before);
    int b = part.a_count + first - a;
    const auto at = [&](int place) { return keys[min(place, part.count - 1)]; };
    bits_t head_of_a = at(a), head_of_b = at(b);
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      const bool takes_a =
          b >= part.count || (a < part.a_count && !comes_before(head_of_b, head_of_a));
      merged[i] = takes_a ? head_of_a : head_of_b;
      if constexpr (has_values) sources.set(i, unsigned(takes_a ? a : b));
      a += takes_a;
      b += !takes_a;
      const bits_t following = at(takes_a ? a : b);
      head_of_a = takes_a ? following : head_of_a;
      head_of_b = takes_a ? head_of_b : following;
    }
  }

  HINDSIGHT_DEVICE bool comes_before(bits_t a, bits_t b) const {
    return bits_t(cuda::key_bits_of<Direction, Key>(a) & counted_) <
           bits_t(cuda::key_bits_of<Direction, Key>(b) & counted_);
  }

  bits_t counted_;  ///< a mask of the bits that count
  storage& shared_;
};

/// Where the segments' items are, and where they go.
template <class Key, class Value>
struct segment_buffers {
  segment_range<Key, Value> in, out, spare;
  HINDSIGHT_DEVICE segment_buffers(const sort_buffers<Key>& keys, const sort_buffers<Value>& values,
                                   int num_passes)
      : out{keys.out, values.out}, spare{keys.spare, values.spare} {
    const pass_role role{(1u << num_passes) - 1, num_passes, keys.in == keys.out};
    in = role.moves ? spare : out;
  }
};

/// How far a block is in its segment. In shared memory: while the block sorts a piece, all
/// registers are needed.
template <class Key, class Value>
struct segment_progress {
  segment_buffers<Key, Value> buffers;
  std::size_t part_begin, part_end;  ///< the part at hand
  std::size_t segment_end;
  int piece_begin;  ///< in the part
};

/// A block's room for the items of a piece, and how far it is.
template <class Tuning, class Key, class Value>
struct segment_parts_storage {
  segment_storage<Tuning, Key, Value> items;
  uninitialized<segment_progress<Key, Value>> progress;
};

/// Returns where the part of a segment that begins at `first` ends. It has no more keys than fit a
/// block, unless more keys than that agree in all sorted bits.
template <class Key, class SegmentOf>
HINDSIGHT_DEVICE std::size_t end_of_part(const Key* keys, std::size_t first, std::size_t end,
                                         int capacity, const SegmentOf& sorted_bits_of) {
  if (end - first <= std::size_t(capacity)) return end;
  const unsigned next = sorted_bits_of(keys[first + capacity]);
  const std::size_t fit = cuda::find_segment(keys, first, first + capacity, next, sorted_bits_of);
  if (fit > first) return fit;
  return cuda::find_segment(keys, first + capacity, end, next + 1, sorted_bits_of);
}

/// Sorts a segment by bits [0, segment_bit), part by part. A part that does not fit the block is
/// sorted in pieces. These begin in the buffer from which that many merges end in the output.
template <class Tuning, class Direction, class Key, class Value>
class segment_sorter {
  static constexpr int piece_items = Tuning::tile_items;
  using buffers_t = segment_buffers<Key, Value>;

 public:
  using storage = segment_parts_storage<Tuning, Key, Value>;
  HINDSIGHT_DEVICE segment_sorter(int segment_bit, int end_bit, storage& shared)
      : segment_bit_{segment_bit}, end_bit_{end_bit}, shared_{shared} {}

  /// Sorts items [begin, end), of which there are some.
  template <class SegmentOf>
  HINDSIGHT_DEVICE void operator()(const buffers_t& buffers, std::size_t begin, std::size_t end,
                                   const SegmentOf& sorted_bits_of) {
    __syncthreads();
    if (threadIdx.x == 0)
      progress().buffers = buffers, progress().part_end = begin, progress().segment_end = end;
    __syncthreads();
    while (progress().part_end != progress().segment_end) {
      begin_part(sorted_bits_of);
      while (progress().piece_begin < part_items()) sort_piece();
      merge_pieces();
    }
  }

 private:
  HINDSIGHT_DEVICE segment_progress<Key, Value>& progress() const { return shared_.progress.ref(); }
  HINDSIGHT_DEVICE int part_items() const {
    return static_cast<int>(progress().part_end - progress().part_begin);
  }
  HINDSIGHT_DEVICE bool begins_in_output() const {
    int merges = 0;
    for (int run = piece_items; run < part_items(); run *= 2) ++merges;
    return merges % 2 == 0;
  }

  template <class SegmentOf>
  HINDSIGHT_DEVICE void begin_part(const SegmentOf& sorted_bits_of) {
    const std::size_t part = progress().part_end;
    const std::size_t part_end = cuda::end_of_part<Key>(
        progress().buffers.in.keys, part, progress().segment_end, piece_items, sorted_bits_of);
    __syncthreads();
    if (threadIdx.x == 0)
      progress().part_begin = part, progress().part_end = part_end, progress().piece_begin = 0;
    __syncthreads();
  }

  HINDSIGHT_DEVICE void sort_piece() {
    const std::size_t first = progress().part_begin + progress().piece_begin;
    const auto& buffers = progress().buffers;
    const auto from = buffers.in + first;
    const auto to = (begins_in_output() ? buffers.out : buffers.spare) + first;
    cuda::sort_segment<Tuning, Direction>(static_cast<const Key*>(from.keys), to.keys,
                                          static_cast<const Value*>(from.values), to.values,
                                          min(piece_items, part_items() - progress().piece_begin),
                                          segment_bit_, end_bit_, shared_.items);
    __syncthreads();
    if (threadIdx.x == 0) progress().piece_begin += piece_items;
    __syncthreads();
  }

  HINDSIGHT_DEVICE void merge_pieces() {
    const int n = part_items();
    const auto out = progress().buffers.out + progress().part_begin;
    const auto spare = progress().buffers.spare + progress().part_begin;
    bool in_output = begins_in_output();
    merge_of_pieces<Tuning, Direction, Key, Value> merge{end_bit_, shared_.items};
    for (int run = piece_items; run < n; run *= 2, in_output = !in_output) {
      for (int first = 0; first < n; first += 2 * run) {
        const int count = min(2 * run, n - first);
        merge((in_output ? out : spare) + first, min(run, count), count,
              (in_output ? spare : out) + first);
      }
      __syncthreads();
    }
  }

  int segment_bit_, end_bit_;
  storage& shared_;
};

/// Sorts each segment by bits [0, segment_bit): its keys agree in bits [segment_bit, end_bit).
/// Leaves segments of wide keys that do not fit a block to sort_large_segments_kernel().
///   starts  [gridDim.x]
template <class Tuning, class Direction, class Key, class Value, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_segments_kernel(sort_buffers<Key> key_buffers, sort_buffers<Value> value_buffers,
                          Size num_items, const sort_plan* plan, const std::uint64_t* starts,
                          int num_passes, int segment_bit, int end_bit) {
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  using sorter = segment_sorter<Tuning, Direction, Key, Value>;
  auto& shared = *reinterpret_cast<typename sorter::storage*>(shared_room);
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  ptx::wait_for_launch_before();
  if (!plan->segmented) return;
  const std::size_t n = detail::read_items(num_items);
  const segment_buffers<Key, Value> buffers{key_buffers, value_buffers, num_passes};
  if (plan->oversized) {  // passes over all digits go on from the output
    const std::size_t step = std::size_t{gridDim.x} * Tuning::block_threads;
    const std::size_t thread = std::size_t{blockIdx.x} * Tuning::block_threads + threadIdx.x;
    for (std::size_t i = thread; buffers.in.keys != buffers.out.keys && i < n; i += step) {
      buffers.out.keys[i] = buffers.in.keys[i];
      if constexpr (has_values) buffers.out.values[i] = buffers.in.values[i];
    }
    return;
  }
  const std::size_t begin = starts[blockIdx.x];
  const std::size_t end = blockIdx.x + 1 < gridDim.x ? starts[blockIdx.x + 1] : n;
  if (begin == end) return;
  if constexpr (is_wide_key<Key>) {
    if (end - begin > std::size_t{Tuning::tile_items}) return;
    if (has_value_digits<Key> && plan->by_value) segment_bit = 0;
    const auto in = buffers.in + begin, out = buffers.out + begin;
    cuda::sort_segment<Tuning, Direction>(
        static_cast<const Key*>(in.keys), out.keys, static_cast<const Value*>(in.values),
        out.values, static_cast<int>(end - begin), segment_bit, end_bit, shared.items);
  } else {
    const segment_of_key<Direction, Key> sorted_bits_of{plan, end_bit,
                                                        num_passes * Tuning::digit_bits};
    sorter{segment_bit, end_bit, shared}(buffers, begin, end, sorted_bits_of);
  }
}

/// Sorts the segments of wide keys that do not fit a block: each block takes one after the other.
/// Does nothing if one of them is too large: then passes over all digits follow.
///   starts          [num_segments]
///   large_segments  [plan->num_large]
template <class Tuning, class Direction, class Key, class Value, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::min_blocks)
void sort_large_segments_kernel(sort_buffers<Key> keys, sort_buffers<Value> values, Size num_items,
                                const sort_plan* plan, const std::uint64_t* starts,
                                const unsigned* large_segments, unsigned num_segments,
                                int num_passes, int segment_bit, int end_bit) {
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  using sorter = segment_sorter<Tuning, Direction, Key, Value>;
  auto& shared = *reinterpret_cast<typename sorter::storage*>(shared_room);
  ptx::wait_for_launch_before();
  if (!plan->segmented || plan->oversized) return;
  const int agree_from = has_value_digits<Key> && plan->by_value ? 0 : segment_bit;
  const segment_buffers<Key, Value> buffers{keys, values, num_passes};
  const segment_of_key<Direction, Key> sorted_bits_of{plan, end_bit,
                                                      num_passes * Tuning::digit_bits};
  for (unsigned i = blockIdx.x; i < plan->num_large; i += gridDim.x) {
    const unsigned segment = large_segments[i];
    const std::size_t end = segment + 1 < num_segments ? std::size_t(starts[segment + 1])
                                                       : detail::read_items(num_items);
    sorter{agree_from, end_bit, shared}(buffers, starts[segment], end, sorted_bits_of);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
