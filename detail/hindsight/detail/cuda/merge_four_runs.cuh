// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass of the merge sort over four runs at once, for large inputs: it reads and writes the memory
// once, where two passes over pairs of runs would do so twice.
//
// Runs a and b are the left pair, c and d the right pair. A tile of the result takes a window of
// each pair's merged items. Two kernels, with a thread for each search, find where windows begin.
// The first writes `splits`: for every split_items-th merged item of a pair, how many items of its
// first run come before it. The second writes `lefts`: where each tile's window begins, searched
// among these places only. So a window may begin up to split_items too early, and end as much too
// late. A block merges each pair's window in shared memory; each thread then finds its part of the
// merge of the two.
#pragma once

#include <hindsight/detail/cuda/merge_tiles.cuh>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Four runs that are merged, or fewer at the end: two pairs of them.
struct run_group {
  std::size_t begin;
  run_pair left, right;
  HINDSIGHT_HD run_group(std::size_t item, std::size_t run, std::size_t n)
      : begin{item / (4 * run) * (4 * run)}, left{begin, run, n}, right{begin + 2 * run, run, n} {}
  HINDSIGHT_HD std::size_t size() const { return left.size() + right.size(); }
};

/// The places among a pair's merged items that `splits` knows: multiples of SplitItems, and the
/// end.
template <int SplitItems>
struct known_places {
  const std::size_t* splits;
  HINDSIGHT_DEVICE std::size_t of_first(const run_pair& pair, std::size_t place) const {
    return place >= pair.size() ? pair.a_size : splits[(pair.begin + place) / SplitItems];
  }
  /// The merged item at a place before the end.
  template <class Key, class Compare>
  HINDSIGHT_DEVICE Key& item_at(Key* keys, const run_pair& pair, std::size_t place,
                                Compare& compare) const {
    const std::size_t of_a = of_first(pair, place), of_b = place - of_a;
    Key *const a = keys + pair.begin + of_a, *const b = keys + pair.begin + pair.a_size + of_b;
    if (of_a >= pair.a_size) return *b;
    return of_b < pair.b_size && bool(compare(*b, *a)) ? *b : *a;
  }
};

/// lefts[t] = where tile t's window of the left pair may begin: a multiple of split_items, no more
/// than split_items too early.
template <class Tuning, class Key, class Compare>
HINDSIGHT_KERNEL void split_pairs_kernel(Key* keys, std::size_t n, std::size_t run,
                                         std::size_t num_tiles, const std::size_t* splits,
                                         std::size_t* lefts, Compare compare) {
  constexpr std::size_t step = Tuning::split_items;
  const std::size_t tile = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tile >= num_tiles) return;
  const run_group group{tile * Tuning::four_tile_items, run, n};
  const std::size_t diagonal = tile * Tuning::four_tile_items - group.begin;
  const std::size_t left_size = group.left.size(), right_size = group.right.size();
  const known_places<Tuning::split_items> places{splits};
  const std::size_t least = diagonal > right_size ? diagonal - right_size : 0;
  const std::size_t most = diagonal < left_size ? diagonal : left_size;
  std::size_t low = least / step, high = (most + step - 1) / step;  // the last that is not too late
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    Key& of_left = places.item_at(keys, group.left, middle * step, compare);
    Key& of_right = places.item_at(keys, group.right, diagonal - middle * step, compare);
    if (bool(compare(of_right, of_left))) {
      high = middle;
    } else {
      low = middle;
    }
  }
  lefts[tile] = low * step;
}

/// A tile's window of a pair's merged items: its parts of both runs.
struct merge_window {
  std::size_t a_begin, b_begin;  ///< in the whole range
  int a_count, size;
};

/// The window of a pair's merged items [first, last). With a comparator that is no order, these are
/// other items of the pair, but as many.
template <int SplitItems>
HINDSIGHT_DEVICE merge_window window_of(const run_pair& pair, std::size_t first, std::size_t last,
                                        const known_places<SplitItems>& places) {
  const std::size_t of_a = places.of_first(pair, first), end_of_a = places.of_first(pair, last);
  const int size = static_cast<int>(last - first);
  const int a_count =
      end_of_a < of_a ? 0 : static_cast<int>(::cuda::std::min<std::size_t>(end_of_a - of_a, size));
  return {pair.begin + of_a, pair.begin + pair.a_size + (first - of_a), a_count, size};
}

template <class Tuning, class Item>
struct merge_four_storage {
  static constexpr int room = Tuning::four_threads * Tuning::window_lane_items;
  uninitialized<Item> staged[room];
};

/// Merges two windows, each of two sorted parts, in place. A barrier has to come before it; it ends
/// with one. Threads of the first window come before those of the second one.
template <int BlockThreads, int LaneItems, class Item, class Compare>
HINDSIGHT_DEVICE void merge_windows(Item* staged, const merge_window& left,
                                    const merge_window& right, Compare& compare) {
  const int left_threads = (left.size + LaneItems - 1) / LaneItems;
  const int thread = static_cast<int>(threadIdx.x);
  const bool is_left = thread < left_threads;
  const int slot = (is_left ? thread : thread - left_threads) * LaneItems;
  const int size = is_left ? left.size : right.size, first = min(slot, size);
  const int a_count = is_left ? left.a_count : right.a_count;
  Item* const a = is_left ? staged : staged + left.size;
  Item *const b = a + a_count, *const b_end = a + size;
  const int of_a = cuda::split_merge(a, a_count, b, size - a_count, first, compare);
  uninitialized<Item> items[LaneItems];
  cuda::merge_serially<LaneItems>(a + of_a, b, b + (first - of_a), b_end, compare,
                                  [&](int i, const Item& merged) { items[i].set(merged); });
  __syncthreads();
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i)
    if (slot + i < size) cuda::write_item(a, slot + i, items[i].get());
  __syncthreads();
}

/// Merges four sorted runs at a time, a tile of the result by each block.
///   splits  [n / split_items, rounded up] of this pass; lefts [num_tiles]
template <class Tuning, class Range, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::four_threads, Tuning::four_blocks)
void merge_four_kernel(Range in, Range out, std::size_t n, std::size_t run,
                       const std::size_t* splits, const std::size_t* lefts, Compare by_key) {
  using item = typename Range::item;
  constexpr int lane_items = Tuning::four_lane_items, block_threads = Tuning::four_threads;
  constexpr std::size_t tile_items = Tuning::four_tile_items, step = Tuning::split_items;
  static_assert((block_threads - 2) * Tuning::window_lane_items + 2 >= int(tile_items + 2 * step),
                "threads for all items of both windows");
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  item* const staged = reinterpret_cast<item*>(shared_room);
  compare_items<Compare> compare{by_key};
  const std::size_t tile = blockIdx.x, tile_begin = tile * tile_items;
  const run_group group{tile_begin, run, n};
  const std::size_t left_size = group.left.size(), right_size = group.right.size();
  const std::size_t begin = tile_begin - group.begin;
  const std::size_t end = ::cuda::std::min(begin + tile_items, group.size());

  // Where the windows begin, and where they end. With a comparator that is no order, places may be
  // wrong: the next tile's window begins at most a tile later, and no earlier.
  const std::size_t left = lefts[tile];
  const std::size_t right = begin > left + step ? begin - left - step : 0;
  std::size_t left_end = left_size, right_end = right_size;
  if (end < group.size()) {
    const std::size_t next =
        ::cuda::std::min(::cuda::std::max(lefts[tile + 1], left), left + tile_items);
    left_end = ::cuda::std::min(next + step, left_size);
    right_end = ::cuda::std::min(end - next, right_size);
  }
  const known_places<Tuning::split_items> places{splits};
  const merge_window of_left = cuda::window_of(group.left, left, left_end, places);
  const merge_window of_right = cuda::window_of(group.right, right, right_end, places);

  const int count = of_left.size + of_right.size;
  const int c = of_left.size, d = of_left.size + of_right.a_count;
  const Range in_a = in + of_left.a_begin;
  const Range in_b = in + (of_left.b_begin - of_left.a_count);
  const Range in_c = in + (of_right.a_begin - c);
  const Range in_d = in + (of_right.b_begin - d);
  cuda::load_tile<block_threads, Tuning::window_lane_items>(staged, count, [&](int j) {
    return j < c ? (j < of_left.a_count ? in_a : in_b) : (j < d ? in_c : in_d);
  });
  cuda::merge_windows<block_threads, Tuning::window_lane_items>(staged, of_left, of_right, compare);
  cuda::merge_staged<block_threads, lane_items>(staged, c, count,
                                                static_cast<int>(begin - left - right),
                                                static_cast<int>(end - begin), compare);
  const Range tile_out = out + tile_begin;
  cuda::for_each_slot<block_threads, lane_items>(static_cast<int>(end - begin),
                                                 [&](int j) { tile_out.store(j, staged[j]); });
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
