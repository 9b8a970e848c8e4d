// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sort of those buckets of a sample sort that do not fit a block. They are rare, and only the
// device knows them: one launch, which mostly finds none, sorts their tiles and merges these in
// passes.
#pragma once

#include <hindsight/detail/board/phased_work.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/merge_tiles.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A tile of a large bucket.
struct bucket_part {
  unsigned begin, end;  ///< the bucket's items
  unsigned tile;        ///< its number in the bucket
};

/// The tiles of all large buckets, in any order.
struct large_buckets {
  struct totals {
    unsigned num_parts;
    int num_passes;  ///< over the bucket that needs most
    phased_work::counters work;
  };
  bucket_part* parts;
  totals* all;  ///< all zero before the first bucket is added

  /// What n items may have: a bucket of more than a tile has fewer than twice as many tiles as it
  /// would fill.
  static constexpr std::size_t most_parts(std::size_t n, int tile_items) {
    return 2 * (n / static_cast<std::size_t>(tile_items)) + 2;
  }
  /// As many passes merge the tiles of a bucket.
  static HINDSIGHT_DEVICE int passes_of(unsigned num_tiles) {
    return 32 - __clz(static_cast<int>(num_tiles - 1));
  }
  template <unsigned TileItems>
  static HINDSIGHT_DEVICE unsigned tiles_of(unsigned begin, unsigned end) {
    return (end - begin - 1) / TileItems + 1;
  }
  template <unsigned TileItems>
  HINDSIGHT_DEVICE void add(unsigned begin, unsigned end) const {
    const unsigned num_tiles = tiles_of<TileItems>(begin, end);
    const unsigned first = atomicAdd(&all->num_parts, num_tiles);
    HINDSIGHT_ROLL
    for (unsigned t = 0; t < num_tiles; ++t) parts[first + t] = {begin, end, t};
    atomicMax(&all->num_passes, passes_of(num_tiles));
  }
};

template <class Tuning, class Item>
struct large_bucket_storage : merge_storage<Tuning, Item> {
  unsigned ticket;
};

/// What a block does with a part.
template <class Tuning, class Range, class Compare>
struct large_bucket_sorter {
  using item = typename Range::item;
  static constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  static constexpr int tile_items = Tuning::tile_items;

  Range out, buffer;
  large_bucket_storage<Tuning, item>& shared;
  compare_items<Compare>& compare;

  /// Where a bucket's items are after a pass; the last one leaves them in the output.
  HINDSIGHT_DEVICE Range after_pass(int pass, const bucket_part& part) const {
    const int num_passes = large_buckets::passes_of(
        large_buckets::tiles_of<unsigned(tile_items)>(part.begin, part.end));
    return ((num_passes - pass) % 2 == 0 ? out : buffer) + part.begin;
  }

  HINDSIGHT_DEVICE void sort(const bucket_part& part) {
    item* const staged = reinterpret_cast<item*>(shared.staged);
    const std::size_t begin = std::size_t{part.tile} * tile_items;
    const int count =
        static_cast<int>(::cuda::std::min<std::size_t>(part.end - part.begin - begin, tile_items));
    const Range in = out + (part.begin + begin), to = after_pass(0, part) + begin;
    cuda::load_tile<block_threads, lane_items>(staged, count, [&](int) { return in; });
    cuda::sort_staged<Tuning>(staged, count, compare);
    cuda::for_each_place<block_threads, lane_items>(
        count, [&](int thread, int row) { (to + thread).store(row, staged[thread + row]); });
  }

  /// A tile of what pass `pass`, from 1 on, merges; nothing if the bucket is in order already.
  HINDSIGHT_DEVICE void merge(const bucket_part& part, int pass) {
    const std::size_t n = part.end - part.begin, run = std::size_t{tile_items} << (pass - 1);
    if (run >= n) return;
    const std::size_t begin = std::size_t{part.tile} * tile_items;
    const run_pair pair{begin, run, n};
    const std::size_t low = begin - pair.begin;
    const std::size_t high = ::cuda::std::min(low + tile_items, pair.size());
    const Range in = after_pass(pass - 1, part);
    cuda::split_at_ends(pair, in.keys, low, high, shared.splits, compare.compare);
    cuda::merge_part(shared, in + pair.begin, in + (pair.begin + pair.a_size), low,
                     static_cast<int>(high - low), shared.splits[0], shared.splits[1],
                     after_pass(pass, part) + begin, compare);
  }
};

/// Sorts the large buckets of `out`, in place.
///   num_pieces  at most so many pieces of each phase: the sort of tiles, and then each pass
template <class Tuning, class Range, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::sort_blocks)
void sort_large_buckets_kernel(Range out, Range buffer, large_buckets buckets, unsigned num_pieces,
                               Compare by_key) {
  ptx::wait_for_launch_before();
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  using sorter = large_bucket_sorter<Tuning, Range, Compare>;
  auto& shared =
      *reinterpret_cast<large_bucket_storage<Tuning, typename Range::item>*>(shared_room);
  const unsigned num_parts = buckets.all->num_parts;
  if (num_parts == 0) return;
  compare_items<Compare> compare{by_key};
  sorter own{out, buffer, shared, compare};
  const unsigned pieces = ::cuda::std::min(num_pieces, num_parts);
  const auto num_phases = static_cast<unsigned>(1 + buckets.all->num_passes);
  const phased_work work{&buckets.all->work, pieces};
  work.for_own_pieces(num_phases, shared.ticket, [&](unsigned phase, unsigned piece) {
    for (unsigned p = piece; p < num_parts; p += pieces) {
      const bucket_part part = buckets.parts[p];
      phase == 0 ? own.sort(part) : own.merge(part, static_cast<int>(phase));
    }
    return true;
  });
}

/// Sorts the large buckets of `out`, which has n items at most.
template <class Tuning, class Range, class Compare>
cudaError_t sort_large_buckets(Range out, Range buffer, const large_buckets& buckets, std::size_t n,
                               Compare compare, cudaStream_t stream) {
  constexpr auto sort = sort_large_buckets_kernel<Tuning, Range, Compare>;
  constexpr std::size_t shared_bytes = sizeof(large_bucket_storage<Tuning, typename Range::item>);
  HINDSIGHT_TRY(allow_shared_bytes(sort, shared_bytes));
  int multiprocessors = 0;
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  const std::size_t wave = std::size_t(multiprocessors) * Tuning::sort_blocks;
  const std::size_t parts = large_buckets::most_parts(n, Tuning::tile_items);
  const auto num_pieces =
      static_cast<unsigned>(::cuda::std::min(parts, pieces_per_merge_block * wave));
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(::cuda::std::min(parts, wave)),
                               Tuning::block_threads, shared_bytes, stream,
                               sort)(out, buffer, buckets, num_pieces, compare);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
