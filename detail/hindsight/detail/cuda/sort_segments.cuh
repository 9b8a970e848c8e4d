// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable merge sort of many segments at once, by any comparator. Blocks sort the pieces of segments
// that lie in their tile, however many these are. One more launch merges the pieces: those of
// seams, which lie in two tiles, and then in passes over pairs of runs those of longer segments. A
// pass merges the one segment that lies in both runs, and so moves only items of segments that are
// not yet in order: the time does not depend on how items are spread over segments.
// Source: Baxter 2013, "Modern GPU: Segmented Sort".
#pragma once

#include <hindsight/detail/board/phased_work.cuh>
#include <hindsight/detail/cuda/block/head_bits.cuh>
#include <hindsight/detail/cuda/block/sort_in_segments.cuh>
#include <hindsight/detail/cuda/merge_sort.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>
#include <hindsight/detail/tuning/merge_sort.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Which of a tile's sorted pieces go to the output: those [first, first + count). The others are
/// of segments that then move an odd number of times, and go to the buffer.
struct pieces_in_out {
  unsigned first, count;

  ///   begin, size     the tile's items
  ///   before, behind  the segments that lie on both sides of its ends
  template <int TileItems>
  static HINDSIGHT_DEVICE pieces_in_out of_tile(std::size_t begin, int size,
                                                const crossing_segment& before,
                                                const crossing_segment& behind) {
    std::size_t first = begin, last = begin + size;
    if (before.exists() && before.num_moves<TileItems>() % 2 != 0)
      first = ::cuda::std::min(before.end, last);
    if (behind.exists() && behind.num_moves<TileItems>() % 2 != 0)
      last = ::cuda::std::max(behind.begin, first);
    return {static_cast<unsigned>(first - begin), static_cast<unsigned>(last - first)};
  }
  HINDSIGHT_DEVICE bool has(int j) const { return static_cast<unsigned>(j) - first < count; }
};

template <class Tuning, class Item>
struct sort_segments_storage {
  uninitialized<Item> staged[Tuning::tile_items];
  head_bits<Tuning::tile_items> heads;
  int longest;  ///< items of the tile's longest segment, or more; only for rounds of merges
  pieces_in_out in_out;
};

/// Stores a tile's sorted pieces where shared.in_out says. A barrier has to precede.
///   Form         staged_form
///   out, buffer  where the tile begins
template <class Tuning, class Form, class Item, class Range>
HINDSIGHT_DEVICE void store_sorted_tile(const sort_segments_storage<Tuning, Item>& shared, int size,
                                        const Range& out, const Range& buffer) {
  const auto* const staged = reinterpret_cast<const typename Form::item*>(shared.staged);
  const pieces_in_out in_out = shared.in_out;
  constexpr int block_threads = Tuning::block_threads, lane_items = Tuning::lane_items;
  const int first = static_cast<int>(threadIdx.x), last = first + (lane_items - 1) * block_threads;
  if (in_out.has(first) && in_out.has(last)) {  // as have most
    cuda::for_each_place<block_threads, lane_items>(size, [&](int thread, int row) {
      (out + thread).store(row, Form::restore(staged[thread + row]));
    });
  } else {
    cuda::for_each_place<block_threads, lane_items>(size, [&](int thread, int row) {
      const int j = thread + row;
      ((in_out.has(j) ? out : buffer) + thread).store(row, Form::restore(staged[j]));
    });
  }
}

/// Sorts the pieces of segments in a tile, in shared memory. A barrier has to follow.
///   shared.staged   [count], the items
///   shared.longest  lane_items
template <class Tuning, class Form, class Item, class Compare>
HINDSIGHT_DEVICE void sort_staged_tile(sort_segments_storage<Tuning, Item>& shared, int count,
                                       Compare by_key) {
  constexpr int lane_items = Tuning::lane_items;
  auto* const staged = reinterpret_cast<typename Form::item*>(shared.staged);
  auto compare = Form::order(by_key);
  const int first = static_cast<int>(threadIdx.x) * lane_items;
  const int own_count = min(max(count - first, 0), lane_items);
  const unsigned heads = own_count > 0 ? shared.heads.template at<lane_items>(first) : 0;
  last_segment<lane_items> last{first, first, first};
  if (heads != 0) {
    last.begin = first + 31 - __clz(static_cast<int>(heads));
    last.end = shared.heads.first_after(last.begin);
  }
  const bool is_long = last.goes_on() && !last.fits_thread();
  if (is_long) atomicMax(&shared.longest, last.size());
  uninitialized<typename Form::item> items[lane_items];
  cuda::load_own_items<Form>(items, reinterpret_cast<const Item*>(shared.staged) + first,
                             own_count);
  if (own_count > 0) cuda::sort_lane_in_segments(items, heads, compare);
  cuda::store_own_items(items, staged + first, own_count);
  const unsigned long_lanes = __ballot_sync(all_lanes, is_long);
  const bool takes_rounds = __syncthreads_or(__popc(long_lanes) > most_long_segments_of_warp ||
                                             (is_long && last.size() > warp_lanes));
  if (takes_rounds)
    return cuda::merge_segments_within_block<Tuning>(items, count, shared.longest, compare, staged,
                                                     shared.heads);
  if (last.goes_on() && !is_long)
    cuda::merge_across_threads(items, last.begin, first + lane_items, last.end, compare, staged);
  for (unsigned lanes = long_lanes; lanes != 0; lanes &= lanes - 1) {
    const int lane = __ffs(static_cast<int>(lanes)) - 1;
    cuda::sort_by_warp(__shfl_sync(all_lanes, last.begin, lane),
                       __shfl_sync(all_lanes, last.end, lane), compare, staged);
  }
}

/// Sorts the pieces of segments in each tile. The output may be the input.
///   heads  heads_of_offsets or heads_of_flags
template <class Tuning, class In, class Out, class Heads, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::sort_blocks)
void sort_segment_tiles_kernel(In in, Out out, Out buffer, segment_map map, Heads heads,
                               Compare by_key) {
  ptx::wait_for_launch_before();
  using item = typename Out::item;
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  constexpr int tile_items = Tuning::tile_items;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<sort_segments_storage<Tuning, item>*>(shared_room);
  item* const staged = reinterpret_cast<item*>(shared.staged);
  const std::size_t tile = blockIdx.x, tile_begin = tile * tile_items;
  const std::size_t num_items = map.whole->num_items;
  if (tile_begin >= num_items) return;
  const int count =
      static_cast<int>(::cuda::std::min<std::size_t>(num_items - tile_begin, tile_items));
  const std::size_t first = map.whole->first;
  if (threadIdx.x == 0) {
    shared.longest = lane_items;
    shared.in_out = pieces_in_out::of_tile<tile_items>(tile_begin, count, map.crossing[tile],
                                                       map.crossing[tile + 1]);
  }
  heads.template clear<Tuning>(shared.heads, count);
  const In tile_in = in + (first + tile_begin);
  cuda::load_tile<block_threads, lane_items>(
      staged, count, [&](int) { return tile_in; },
      [&] { heads.template mark<Tuning>(shared.heads, tile, count); });
  heads.template finish<Tuning>(shared.heads);
  using form = staged_form<Compare, item>;
  cuda::sort_staged_tile<Tuning, form>(shared, count, by_key);
  __syncthreads();
  cuda::store_sorted_tile<Tuning, form>(shared, count, out + (first + tile_begin),
                                        buffer + tile_begin);
}

/// The pieces of one segment that are merged: [begin, middle) and [middle, end).
struct segment_pair {
  std::size_t begin = 0, middle = 0, end = 0;
  crossing_segment segment{0, 0};

  /// Those in the runs that `tile` lies in.
  template <int TileItems>
  static HINDSIGHT_DEVICE segment_pair of_pass(const segment_map& map, std::size_t num_items,
                                               std::size_t tile, int pass) {
    const std::size_t first = tile >> (pass + 1) << (pass + 1), step = std::size_t{1} << pass;
    segment_pair pair;
    if ((first + step) * TileItems >= num_items) return pair;
    const crossing_segment crossing = map.crossing[first + step];
    if (!crossing.needs_passes<TileItems>()) return pair;
    pair.segment = crossing;
    pair.begin = ::cuda::std::max(crossing.begin, first * TileItems);
    pair.middle = (first + step) * TileItems;
    pair.end = ::cuda::std::min(crossing.end, (first + 2 * step) * TileItems);
    return pair;
  }
  /// The seam at the beginning of `tile`; empty, if there is none.
  template <int TileItems>
  static HINDSIGHT_DEVICE segment_pair of_seam(const segment_map& map, std::size_t num_items,
                                               std::size_t tile) {
    if (tile * TileItems >= num_items || !map.crossing[tile].is_seam<TileItems>()) return {};
    const crossing_segment seam = map.crossing[tile];
    return {seam.begin, tile * TileItems, seam.end, seam};
  }
  HINDSIGHT_DEVICE std::size_t size() const { return end - begin; }

  /// How many of the first `diagonal` items are of the first run.
  template <class Keys, class Compare>
  HINDSIGHT_DEVICE std::size_t split(Keys keys, std::size_t diagonal, Compare& compare) const {
    return cuda::split_merge(keys + begin, middle - begin, keys + middle, end - middle, diagonal,
                             compare);
  }
  /// The same, found by all lanes of a warp.
  template <class Keys, class Compare>
  HINDSIGHT_DEVICE std::size_t split_by_warp(Keys keys, std::size_t diagonal,
                                             Compare& compare) const {
    return cuda::split_merge_by_warp(keys + begin, middle - begin, keys + middle, end - middle,
                                     diagonal, compare);
  }
};

/// Where a segment's items are before a pass, and where they go.
template <class Tuning, class Range>
struct pass_ranges {
  Range from, to;
  HINDSIGHT_DEVICE pass_ranges(Range out, Range buffer, const crossing_segment& segment, int pass)
      : from{out}, to{buffer} {
    if ((segment.num_moves<Tuning::tile_items>() - pass) % 2 != 0) {
      from = buffer;
      to = out;
    }
  }
};

/// out[begin, end) = in[begin, end).
template <int BlockThreads, class Range>
HINDSIGHT_DEVICE void copy_part(Range in, Range out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin + threadIdx.x; i < end; i += BlockThreads) {
    uninitialized<typename Range::item> moved;
    in.load(moved, i);
    out.store(i, moved.get());
  }
}

template <class Tuning, class Item>
struct merge_segments_storage : merge_storage<Tuning, Item> {
  unsigned ticket;
  int num_passes;
};

/// Merges the sorted pieces of segments. Places are counted from the first segment's first item on.
///   splits  [number of merge tiles], or null: each block searches its own
template <class Tuning, class Range, class Compare>
struct segment_merger {
  using item = typename Range::item;
  static constexpr std::size_t tile_items = Tuning::tile_items;
  static constexpr std::size_t merge_items = Tuning::merge_tile_items;
  static constexpr int block_threads = Tuning::merge_threads;
  static constexpr std::size_t short_items = most_short_seam_items;

  Range out, buffer;
  segment_map map;
  std::size_t num_items;
  std::size_t* splits;
  merge_segments_storage<Tuning, item>& shared;
  Compare by_key;

  /// Stores places [low, high) of the merge of a pair. Before `low` lie a_begin items of the first
  /// run, before `high` a_end.
  HINDSIGHT_DEVICE void merge_part(const segment_pair& pair, const Range& from, const Range& to,
                                   std::size_t low, std::size_t high, std::size_t a_begin,
                                   std::size_t a_end) {
    compare_items<Compare> compare{by_key};
    cuda::merge_part(shared, from + pair.begin, from + pair.middle, low - pair.begin,
                     static_cast<int>(high - low), a_begin, a_end, to + low, compare);
  }
  /// shared.splits = how many items of the first run come before places `low` and `high`.
  HINDSIGHT_DEVICE void split_at_ends(const segment_pair& pair, const Range& from, std::size_t low,
                                      std::size_t high) {
    if (warp_index() < 2) {
      const std::size_t place = warp_index() == 0 ? low : high;
      const std::size_t split = pair.split_by_warp(from.keys, place - pair.begin, by_key);
      if (lane_index() == 0) shared.splits[warp_index()] = split;
    }
    __syncthreads();
  }

  /// Each item finds its place by how many of the other piece come before it.
  HINDSIGHT_DEVICE void merge_by_warp(const segment_pair& pair, const Range& from,
                                      const Range& to) {
    const auto keys = from.keys;
    for (std::size_t i = pair.begin + lane_index(); i < pair.end; i += warp_lanes) {
      uninitialized<item> own;
      from.load(own, i);
      const bool is_of_a = i < pair.middle;
      const std::size_t others = is_of_a ? pair.middle : pair.begin;
      std::size_t low = others, high = is_of_a ? pair.end : pair.middle;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const bool is_before = is_of_a ? bool(by_key(keys[middle], cuda::key_of(own.ref())))
                                       : !bool(by_key(cuda::key_of(own.ref()), keys[middle]));
        (is_before ? low : high) = is_before ? middle + 1 : middle;
      }
      const std::size_t of_own = i - (is_of_a ? pair.begin : pair.middle);
      to.store(pair.begin + of_own + (low - others), own.get());
    }
  }

  /// Merges every num_pieces-th of the short seams, with a warp for each.
  HINDSIGHT_DEVICE void merge_short_seams(std::size_t piece, std::size_t num_pieces) {
    constexpr std::size_t warps = block_threads / warp_lanes;
    std::size_t tile = piece * warps + static_cast<std::size_t>(warp_index()) + 1;
    for (; tile * tile_items < num_items; tile += num_pieces * warps) {
      const auto seam = segment_pair::of_seam<Tuning::tile_items>(map, num_items, tile);
      if (seam.size() <= short_items) merge_by_warp(seam, buffer, out);
    }
  }
  /// Merges what merge tile t has of the other seams. One that is no longer than a merge tile is
  /// merged as a whole, by the tile at its boundary.
  HINDSIGHT_DEVICE void merge_seams(std::size_t t) {
    const std::size_t begin = t * merge_items, tile = begin / tile_items;
    for (std::size_t boundary = tile; boundary <= tile + 1; ++boundary) {
      const auto seam = segment_pair::of_seam<Tuning::tile_items>(map, num_items, boundary);
      if (seam.size() <= short_items) continue;
      std::size_t low = seam.begin, high = seam.end;
      if (seam.size() <= merge_items) {
        if (begin != seam.middle) continue;
      } else {
        low = ::cuda::std::max(begin, low);
        high = ::cuda::std::min(begin + merge_items, high);
        if (low >= high) continue;
      }
      split_at_ends(seam, buffer, low, high);
      merge_part(seam, buffer, out, low, high, shared.splits[0], shared.splits[1]);
    }
  }

  /// The first of the merge tiles t, t + step, ... that may have some of these, or one behind the
  /// last. Each lane of a warp looks at one tile.
  HINDSIGHT_DEVICE std::size_t first_with_seams(std::size_t t, std::size_t step) const {
    for (; t * merge_items < num_items; t += warp_lanes * step) {
      const std::size_t begin = (t + lane_index() * step) * merge_items, tile = begin / tile_items;
      const bool has_some = begin < num_items && (map.crossing[tile].size() > short_items ||
                                                  map.crossing[tile + 1].size() > short_items);
      const unsigned some = __ballot_sync(all_lanes, has_some);
      if (some != 0) return t + (__ffs(static_cast<int>(some)) - 1) * step;
    }
    return t;
  }

  /// splits[t] = how many items of a pair's first run come before merge tile t, for every
  /// num_pieces-th `block_threads` tiles.
  HINDSIGHT_DEVICE void find_splits(int pass, std::size_t piece, std::size_t num_pieces) {
    std::size_t t = piece * block_threads + threadIdx.x;
    for (; t * merge_items < num_items; t += num_pieces * block_threads) {
      const std::size_t begin = t * merge_items;
      const auto pair =
          segment_pair::of_pass<Tuning::tile_items>(map, num_items, begin / tile_items, pass);
      if (begin <= pair.begin || begin >= pair.end) continue;
      const pass_ranges<Tuning, Range> ranges{out, buffer, pair.segment, pass};
      splits[t] = pair.split(ranges.from.keys, begin - pair.begin, by_key);
    }
  }

  /// Moves those of the items [begin, end) that are of `segment`, if a pass after this one merges
  /// it.
  HINDSIGHT_DEVICE void move_waiting(const crossing_segment& segment, int pass, std::size_t begin,
                                     std::size_t end) {
    if (!segment.needs_passes<Tuning::tile_items>() ||
        segment.num_moves<Tuning::tile_items>() <= pass)
      return;
    const pass_ranges<Tuning, Range> ranges{out, buffer, segment, pass};
    cuda::copy_part<block_threads>(ranges.from, ranges.to, ::cuda::std::max(begin, segment.begin),
                                   ::cuda::std::min(end, segment.end));
  }

  /// A pass over a merge tile: merges the pieces of its pair, and moves what else in it lies in
  /// segments that a later pass merges.
  HINDSIGHT_DEVICE void merge_tile(std::size_t t, int pass) {
    const std::size_t begin = t * merge_items, tile = begin / tile_items;
    const std::size_t end = ::cuda::std::min(begin + merge_items, num_items);
    const auto pair = segment_pair::of_pass<Tuning::tile_items>(map, num_items, tile, pass);
    const crossing_segment before = map.crossing[tile], behind = map.crossing[tile + 1];
    if (!(before == pair.segment)) move_waiting(before, pass, begin, end);
    if (!(behind == before) && !(behind == pair.segment)) move_waiting(behind, pass, begin, end);

    const std::size_t low = ::cuda::std::max(begin, pair.begin);
    const std::size_t high = ::cuda::std::min(end, pair.end);
    if (low >= high) return;
    const pass_ranges<Tuning, Range> ranges{out, buffer, pair.segment, pass};
    if (splits == nullptr) split_at_ends(pair, ranges.from, low, high);
    const std::size_t a_begin = splits == nullptr   ? shared.splits[0]
                                : low == pair.begin ? 0
                                                    : splits[t];
    const std::size_t a_end = splits == nullptr  ? shared.splits[1]
                              : high == pair.end ? pair.middle - pair.begin
                                                 : splits[t + 1];
    merge_part(pair, ranges.from, ranges.to, low, high, a_begin, a_end);
  }
};

/// Phase 0 merges seams. Then comes a phase for each pass; with `splits` two, of which the first
/// finds the splits. A phase has `num_pieces` pieces, between which its work is dealt out.
template <class Tuning, class Range, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::merge_threads, Tuning::merge_blocks)
void merge_segments_kernel(Range out, Range buffer, segment_map map, std::size_t* splits,
                           unsigned num_pieces, phased_work::counters* counters, Compare by_key) {
  ptx::wait_for_launch_before();
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  using storage = merge_segments_storage<Tuning, typename Range::item>;
  storage& shared = *reinterpret_cast<storage*>(shared_room);
  segment_map::extent whole = *map.whole;
  if constexpr (Tuning::merges_count_passes) {
    whole.num_passes = cuda::count_passes<Tuning::tile_items, Tuning::merge_threads>(
        map, whole.num_items, shared.num_passes);
    if (whole.num_passes == 0) return;  // there are no seams where merges count passes
  }
  segment_merger<Tuning, Range, Compare> merger{
      out + whole.first, buffer, map, whole.num_items, splits, shared, by_key};
  const phased_work work{counters, num_pieces};
  const unsigned pass_phases = splits == nullptr ? 1 : 2;
  const unsigned num_phases = 1 + pass_phases * static_cast<unsigned>(whole.num_passes);
  work.for_own_pieces(num_phases, shared.ticket, [&](unsigned phase, unsigned piece) {
    const int pass = static_cast<int>((phase + pass_phases - 1) / pass_phases) - 1;
    if (phase == 0) merger.merge_short_seams(piece, num_pieces);
    if (phase % 2 != 0 && pass_phases == 2) {
      merger.find_splits(pass, piece, num_pieces);
      return true;
    }
    for (std::size_t t = piece;; t += num_pieces) {
      if (phase == 0) t = merger.first_with_seams(t, num_pieces);
      if (t * Tuning::merge_tile_items >= whole.num_items) break;
      phase == 0 ? merger.merge_seams(t) : merger.merge_tile(t, pass);
    }
    return true;
  });
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
