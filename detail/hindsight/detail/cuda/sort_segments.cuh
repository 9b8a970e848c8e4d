// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable merge sort of many segments at once, by any comparator. Blocks sort the pieces of segments
// that lie in their tile, however many these are. Then each pass merges pairs of runs, but only the
// pieces of the one segment that lies in both. So a pass moves only items of segments that are not
// yet in order, and the time does not depend on how items are spread over segments.
// Source: Baxter 2013, "Modern GPU: Segmented Sort".
#pragma once

#include <hindsight/detail/cuda/block/head_bits.cuh>
#include <hindsight/detail/cuda/block/sort_in_segments.cuh>
#include <hindsight/detail/cuda/merge_sort.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>

#include <cstddef>

namespace hindsight::detail::cuda {

template <class Tuning, class Item>
struct sort_segments_storage {
  uninitialized<Item> staged[Tuning::tile_items];
  head_bits<Tuning::tile_items> heads;
  int longest;  ///< segment of the tile, at least
};

/// Where a tile's sorted pieces go: those of segments that later passes move an odd number of times
/// to the buffer, all others to the output.
template <class Range>
struct tile_outputs {
  Range out, buffer;
  int buffered_until, buffered_from;

  template <int TileItems>
  static HINDSIGHT_DEVICE tile_outputs of_tile(Range out, Range buffer, const segment_map& map,
                                               std::size_t tile, int count) {
    const std::size_t begin = tile * TileItems, place = map.whole->first + begin;
    tile_outputs outputs{out + place, buffer + place, 0, count};
    const crossing_segment before = map.crossing[tile], behind = map.crossing[tile + 1];
    if (before.exists() && before.num_passes<TileItems>() % 2 != 0)
      outputs.buffered_until =
          static_cast<int>(::cuda::std::min<std::size_t>(before.end - begin, count));
    if (behind.exists() && behind.num_passes<TileItems>() % 2 != 0)
      outputs.buffered_from = behind.begin > begin ? static_cast<int>(behind.begin - begin) : 0;
    return outputs;
  }
  HINDSIGHT_DEVICE void store(int j, const typename Range::item& item) const {
    (j < buffered_until || j >= buffered_from ? buffer : out).store(j, item);
  }
};

/// Sorts the pieces of segments in each tile. The output may be the input.
template <class Tuning, class In, class Out, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::sort_blocks)
void sort_segment_tiles_kernel(In in, Out out, Out buffer, segment_map map, Compare by_key) {
  using item = typename Out::item;
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  constexpr int tile_items = Tuning::tile_items;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<sort_segments_storage<Tuning, item>*>(shared_room);
  item* const staged = reinterpret_cast<item*>(shared.staged);
  compare_items<Compare> compare{by_key};
  const std::size_t tile = blockIdx.x, tile_begin = tile * tile_items;
  const std::size_t num_items = map.whole->num_items;
  if (tile_begin >= num_items) return;
  const int count =
      static_cast<int>(::cuda::std::min<std::size_t>(num_items - tile_begin, tile_items));
  shared.heads.template load<block_threads>(map.heads + tile_begin / 32, count);
  if (threadIdx.x == 0) shared.longest = lane_items;
  const In tile_in = in + (map.whole->first + tile_begin);
  cuda::load_tile<block_threads, lane_items>(staged, count, [&](int) { return tile_in; });
  const int first = static_cast<int>(threadIdx.x) * lane_items;
  const unsigned begins = first < count ? shared.heads.template at<lane_items>(first) : 0;
  if (begins != 0) {
    const int last = first + 31 - __clz(static_cast<int>(begins));
    const int length = shared.heads.first_after(last) - last;
    if (length > lane_items) atomicMax(&shared.longest, length);
  }
  __syncthreads();
  uninitialized<item> items[lane_items];
  const int own_count = min(max(count - first, 0), lane_items);
  if (own_count > 0) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) items[i].set(staged[first + min(i, own_count - 1)]);
    cuda::sort_lane_in_segments(items, begins, compare);
  }
  cuda::merge_segments_within_block<Tuning>(items, count, shared.longest, compare, staged,
                                            shared.heads);
  __syncthreads();
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i)
    if (i < own_count) cuda::write_item(staged, first + i, items[i].get());
  const auto outputs =
      tile_outputs<Out>::template of_tile<tile_items>(out, buffer, map, tile, count);
  __syncthreads();
  cuda::for_each_slot<block_threads, lane_items>(count,
                                                 [&](int j) { outputs.store(j, staged[j]); });
}

/// The pieces of one segment that a pass merges: [begin, middle) and [middle, end).
struct segment_pair {
  std::size_t begin = 0, middle = 0, end = 0;
  crossing_segment segment{0, 0};

  /// In the runs that `tile` lies in.
  template <int TileItems>
  static HINDSIGHT_DEVICE segment_pair of_pass(const segment_map& map, std::size_t tile, int pass) {
    const std::size_t first = tile >> (pass + 1) << (pass + 1), step = std::size_t{1} << pass;
    segment_pair pair;
    if ((first + step) * TileItems >= map.whole->num_items) return pair;
    pair.segment = map.crossing[first + step];
    if (!pair.segment.exists()) return pair;
    pair.begin = ::cuda::std::max(pair.segment.begin, first * TileItems);
    pair.middle = (first + step) * TileItems;
    pair.end = ::cuda::std::min(pair.segment.end, (first + 2 * step) * TileItems);
    return pair;
  }
  /// How many of the first `diagonal` items are of the first run.
  template <class Keys, class Compare>
  HINDSIGHT_DEVICE std::size_t split(Keys keys, std::size_t diagonal, Compare& compare) const {
    return cuda::split_merge(keys + begin, middle - begin, keys + middle, end - middle, diagonal,
                             compare);
  }
};

/// Where a segment's items are before a pass, and where they go.
template <class Tuning, class Range>
struct pass_ranges {
  Range from, to;
  HINDSIGHT_DEVICE pass_ranges(Range out, Range buffer, const crossing_segment& segment, int pass)
      : from{out}, to{buffer} {
    if ((segment.num_passes<Tuning::tile_items>() - pass) % 2 != 0) {
      from = buffer;
      to = out;
    }
  }
};

/// splits[t] = how many items of a pair's first run come before merge tile t.
template <class Tuning, class Range, class Compare>
HINDSIGHT_KERNEL void split_segments_kernel(Range out, Range buffer, segment_map map, int pass,
                                            std::size_t* splits, Compare compare) {
  if (pass >= map.whole->num_passes) return;
  const std::size_t first = map.whole->first, num_items = map.whole->num_items;
  const std::size_t num_threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t t = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
       t * Tuning::merge_tile_items < num_items; t += num_threads) {
    const std::size_t begin = t * Tuning::merge_tile_items;
    const auto pair =
        segment_pair::of_pass<Tuning::tile_items>(map, begin / Tuning::tile_items, pass);
    if (begin <= pair.begin || begin >= pair.end) continue;
    const pass_ranges<Tuning, Range> ranges{out, buffer, pair.segment, pass};
    splits[t] = pair.split(ranges.from.keys + first, begin - pair.begin, compare);
  }
}

/// out[begin, end) = in[begin, end).
template <int BlockThreads, class Range>
HINDSIGHT_DEVICE void copy_part(Range in, Range out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin + threadIdx.x; i < end; i += BlockThreads) {
    uninitialized<typename Range::item> moved;
    in.load(moved, i);
    out.store(i, moved.get());
  }
}

/// Moves those of the items [begin, end) that are of `segment`, if a pass after this one merges it.
template <class Tuning, class Range>
HINDSIGHT_DEVICE void move_waiting(Range out, Range buffer, const crossing_segment& segment,
                                   int pass, std::size_t begin, std::size_t end) {
  if (!segment.exists() || segment.num_passes<Tuning::tile_items>() <= pass) return;
  const pass_ranges<Tuning, Range> ranges{out, buffer, segment, pass};
  cuda::copy_part<Tuning::merge_threads>(ranges.from, ranges.to,
                                         ::cuda::std::max(begin, segment.begin),
                                         ::cuda::std::min(end, segment.end));
}

/// One pass: merges the pairs of pieces, and moves what else lies in segments that a later pass
/// merges.
///   splits  [number of merge tiles], or null: each block searches its own
template <class Tuning, class Range, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::merge_threads, Tuning::merge_blocks)
void merge_segments_kernel(Range out, Range buffer, segment_map map, int pass,
                           const std::size_t* splits, Compare by_key) {
  using item = typename Range::item;
  constexpr std::size_t tile_items = Tuning::tile_items, merge_items = Tuning::merge_tile_items;
  constexpr int lane_items = Tuning::merge_lane_items, block_threads = Tuning::merge_threads;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<merge_storage<Tuning, item>*>(shared_room);
  item* const staged = reinterpret_cast<item*>(shared.staged);
  compare_items<Compare> compare{by_key};
  if (pass >= map.whole->num_passes) return;
  const std::size_t first_place = map.whole->first, num_items = map.whole->num_items;
  for (std::size_t t = blockIdx.x; t * merge_items < num_items; t += gridDim.x) {
    const std::size_t begin = t * merge_items, tile = begin / tile_items;
    const std::size_t end = ::cuda::std::min(begin + merge_items, num_items);
    const auto pair = segment_pair::of_pass<Tuning::tile_items>(map, tile, pass);
    const crossing_segment before = map.crossing[tile], behind = map.crossing[tile + 1];
    const auto move = [&](const crossing_segment& segment) {
      if (segment == pair.segment) return;
      cuda::move_waiting<Tuning>(out + first_place, buffer + first_place, segment, pass, begin,
                                 end);
    };
    move(before);
    if (!(behind == before)) move(behind);

    const std::size_t low = ::cuda::std::max(begin, pair.begin);
    const std::size_t high = ::cuda::std::min(end, pair.end);
    if (low >= high) continue;
    const pass_ranges<Tuning, Range> ranges{out, buffer, pair.segment, pass};
    if (splits == nullptr) {
      const int thread = static_cast<int>(threadIdx.x);
      const auto keys = ranges.from.keys + first_place;
      if (thread == 0) shared.splits[0] = pair.split(keys, low - pair.begin, by_key);
      if (thread == warp_lanes) shared.splits[1] = pair.split(keys, high - pair.begin, by_key);
      __syncthreads();
    }
    const std::size_t a_begin = splits == nullptr   ? shared.splits[0]
                                : low == pair.begin ? 0
                                                    : splits[t];
    const std::size_t a_end = splits == nullptr  ? shared.splits[1]
                              : high == pair.end ? pair.middle - pair.begin
                                                 : splits[t + 1];
    const int count = static_cast<int>(high - low);
    // A comparator that is no order may have led astray: no more than the tile, and no less than 0.
    const int a_count =
        a_end < a_begin ? 0
                        : static_cast<int>(::cuda::std::min<std::size_t>(a_end - a_begin, count));
    const Range in_a = ranges.from + (first_place + pair.begin + a_begin);
    const Range in_b =
        ranges.from + (first_place + pair.middle + (low - pair.begin - a_begin) - a_count);
    // No barrier: a thread loads into slots that it alone read when it stored the tile before.
    cuda::load_tile<block_threads, lane_items>(staged, count,
                                               [&](int j) { return j < a_count ? in_a : in_b; });
    cuda::merge_staged<block_threads, lane_items>(staged, a_count, count, compare);
    const Range tile_out = ranges.to + (first_place + low);
    cuda::for_each_slot<block_threads, lane_items>(count,
                                                   [&](int j) { tile_out.store(j, staged[j]); });
  }
}

}  // namespace hindsight::detail::cuda
