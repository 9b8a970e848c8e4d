// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable merge sort by any comparator: blocks sort tiles, then each pass merges pairs of runs, a
// tile of the result by each block. Blocks do not wait for each other.
// Source: Odeh, Green, Mwassi, Shmueli, Birk 2012, "Merge Path: Parallel Merging Made Simple".
#pragma once

#include <hindsight/detail/cuda/block/merge_path.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda/std/utility>
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace hindsight::detail {

/// out[i] = item, also where no item has been made yet.
template <class It, class Item>
HINDSIGHT_DEVICE void write_item(It out, std::size_t i, const Item& item) {
  if constexpr (std::is_pointer_v<It>) {
    ::new (static_cast<void*>(out + i)) Item(item);
  } else {
    out[i] = item;
  }
}

/// A block's items, in shared memory.
template <class Key, bool HasValues, int TileItems>
struct tile_storage {
  uninitialized<Key> room[TileItems];
  std::uint16_t sources[HasValues ? TileItems : 1];  ///< where an item's value is
  std::size_t splits[2];
  HINDSIGHT_DEVICE Key* keys() { return reinterpret_cast<Key*>(room); }
};
template <class Tuning, class Key>
using sort_storage_of = tile_storage<Key, Tuning::has_values, Tuning::tile_items>;
template <class Tuning, class Key>
using merge_storage_of = tile_storage<Key, Tuning::has_values, Tuning::merge_tile_items>;

/// Calls visit(j) for the `count` slots of a tile, a row of one for each thread after the other.
template <int BlockThreads, int LaneItems, class Visit>
HINDSIGHT_DEVICE void for_each_slot(int count, Visit visit) {
  const int thread = static_cast<int>(threadIdx.x);
  if (count == BlockThreads * LaneItems) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < LaneItems; ++i) visit(thread + i * BlockThreads);
  } else {
    HINDSIGHT_ROLL
    for (int j = thread; j < count; j += BlockThreads) visit(j);
  }
}

/// Items that the hardware moves to shared memory in pieces of their alignment.
template <class T, class It>
inline constexpr bool loads_async =
    std::is_pointer_v<It> && alignof(T) % 4 == 0 &&
    std::is_same_v<std::remove_cv_t<std::remove_pointer_t<It>>, T>;

/// *to = in[i], seen after finish_loads() and a barrier.
template <class T, class It>
HINDSIGHT_DEVICE void begin_load(T* to, It in, std::size_t i) {
  if constexpr (loads_async<T, It>) {
    constexpr int piece = alignof(T) % 16 == 0 ? 16 : alignof(T) % 8 == 0 ? 8 : 4;
    HINDSIGHT_UNROLL
    for (int at = 0; at < int(sizeof(T)); at += piece)
      __pipeline_memcpy_async(reinterpret_cast<char*>(to) + at,
                              reinterpret_cast<const char*>(in + i) + at, piece);
  } else {
    uninitialized<T> item;
    item.set(in[i]);
    detail::write_item(to, 0, item.get());
  }
}
HINDSIGHT_DEVICE void finish_loads() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// Merges the sorted items of neighbouring threads in turn, until all of the block's are one run.
/// The first `count` items of the block exist.
template <class Tuning, class Key, class Compare>
HINDSIGHT_DEVICE void merge_within_block(uninitialized<Key> (&items)[Tuning::lane_items],
                                    int (&sources)[Tuning::lane_items], int count,
                                    Compare& compare, sort_storage_of<Tuning, Key>& shared) {
  constexpr int lane_items = Tuning::lane_items;
  const int thread = static_cast<int>(threadIdx.x), first = thread * lane_items;
  Key* const keys = shared.keys();
  for (int threads = 1; threads < Tuning::block_threads && threads * lane_items < count;
       threads *= 2) {
    // The threads that read here before, and those that will read, may all be of this warp.
    threads <= warp_lanes ? __syncwarp() : __syncthreads();
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      detail::write_item(keys, first + i, items[i].get());
      if constexpr (Tuning::has_values)
        shared.sources[first + i] = static_cast<std::uint16_t>(sources[i]);
    }
    2 * threads <= warp_lanes ? __syncwarp() : __syncthreads();
    const int run = threads * lane_items, begin = (thread & -(2 * threads)) * lane_items;
    Key* const a = keys + begin;
    Key* const a_end = keys + min(begin + run, max(count, begin));
    Key* const b_end = keys + min(begin + 2 * run, max(count, begin));
    const int diagonal = min(first - begin, static_cast<int>(b_end - a));
    const int of_a = detail::split_merge(a, static_cast<int>(a_end - a), a_end,
                                         static_cast<int>(b_end - a_end), diagonal, compare);
    detail::merge_serially<lane_items>(a + of_a, a_end, a_end + (diagonal - of_a), b_end, compare,
                                       [&](int i, const Key* place, const Key& key) {
                                         items[i].set(key);
                                         if constexpr (Tuning::has_values)
                                           sources[i] = shared.sources[place - keys];
                                       });
  }
}

/// Sorts each tile. The outputs may be the inputs.
template <class Tuning, class Key, class Value, class KeyIn, class KeyOut, class ValueIn,
          class ValueOut, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::sort_blocks)
void sort_tiles_kernel(KeyIn keys_in, KeyOut keys_out, ValueIn values_in, ValueOut values_out,
                       std::size_t n, Compare compare) {
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<sort_storage_of<Tuning, Key>*>(shared_room);
  Key* const keys = shared.keys();
  const std::size_t tile_begin = std::size_t{blockIdx.x} * Tuning::tile_items;
  const int count =
      static_cast<int>(::cuda::std::min<std::size_t>(n - tile_begin, Tuning::tile_items));

  detail::for_each_slot<block_threads, lane_items>(
      count, [&](int j) { detail::begin_load(keys + j, keys_in, tile_begin + j); });
  detail::finish_loads();
  __syncthreads();
  uninitialized<Key> items[lane_items];
  int sources[lane_items];
  const int first = static_cast<int>(threadIdx.x) * lane_items;
  const int own_count = min(max(count - first, 0), lane_items);
  if (own_count > 0) {
    int last = 0;  // a thread with fewer items repeats the last one of their order behind them
    for (int i = 1; own_count < lane_items && i < own_count; ++i)
      if (!bool(compare(keys[first + i], keys[first + last]))) last = i;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      items[i].set(keys[first + (i < own_count ? i : last)]);
      sources[i] = first + i;
    }
    detail::sort_by_transposition(items, compare, [&](int i) {
      const int lower = sources[i];
      sources[i] = sources[i + 1];
      sources[i + 1] = lower;
    });
  }
  detail::merge_within_block<Tuning>(items, sources, count, compare, shared);

  __syncthreads();
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) {
    if (i >= own_count) continue;
    detail::write_item(keys, first + i, items[i].get());
    if constexpr (Tuning::has_values)
      shared.sources[first + i] = static_cast<std::uint16_t>(sources[i]);
  }
  __syncthreads();
  detail::for_each_slot<block_threads, lane_items>(
      count, [&](int j) { detail::write_item(keys_out, tile_begin + j, keys[j]); });
  if constexpr (Tuning::has_values) {
    uninitialized<Value> values[lane_items];
    const auto for_each_value = [&](auto visit) {
      HINDSIGHT_UNROLL
      for (int i = 0; i < lane_items; ++i) {
        const int j = static_cast<int>(threadIdx.x) + i * block_threads;
        if (j < count) visit(i, j);
      }
    };
    for_each_value([&](int i, int j) { values[i].set(values_in[tile_begin + shared.sources[j]]); });
    __syncthreads();  // all values have been read
    for_each_value([&](int i, int j) {
      detail::write_item(values_out, tile_begin + j, values[i].get());
    });
  }
}

/// The two runs that an item lies in, and will be merged with: a's items from `begin` on, then b's.
struct run_pair {
  std::size_t begin, a_size, b_size;
  HINDSIGHT_HD run_pair(std::size_t item, std::size_t run, std::size_t n)
      : begin{item / (2 * run) * (2 * run)},
        a_size{n - begin < run ? n - begin : run},
        b_size{n - begin - a_size < run ? n - begin - a_size : run} {}
  HINDSIGHT_HD std::size_t size() const { return a_size + b_size; }
  /// How many items of a come before place `diagonal` of the merged runs.
  template <class Key, class Compare>
  HINDSIGHT_DEVICE std::size_t split(Key* keys, std::size_t diagonal, Compare& compare) const {
    return detail::split_merge(keys + begin, a_size, keys + begin + a_size, b_size, diagonal,
                               compare);
  }
};

/// splits[t] = how many items of its pair's first run come before tile t.
template <class Tuning, class Key, class Compare>
HINDSIGHT_KERNEL void split_runs_kernel(Key* keys, std::size_t n, std::size_t run,
                                        std::size_t num_tiles, std::size_t* splits,
                                        Compare compare) {
  const std::size_t tile = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tile >= num_tiles) return;
  const run_pair pair{tile * Tuning::merge_tile_items, run, n};
  splits[tile] = pair.split(keys, tile * Tuning::merge_tile_items - pair.begin, compare);
}

/// Merges pairs of sorted runs, a tile of the result by each block.
///   splits  [num_tiles], or null: each block searches its own
template <class Tuning, class Key, class Value, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::merge_threads, Tuning::merge_blocks)
void merge_tiles_kernel(Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                        std::size_t n, std::size_t run, const std::size_t* splits,
                        Compare compare) {
  constexpr int lane_items = Tuning::merge_lane_items, block_threads = Tuning::merge_threads;
  constexpr int tile_items = Tuning::merge_tile_items;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<merge_storage_of<Tuning, Key>*>(shared_room);
  Key* const keys = shared.keys();
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t tile = blockIdx.x, tile_begin = tile * tile_items;
  const run_pair pair{tile_begin, run, n};
  const std::size_t diagonal = tile_begin - pair.begin;
  const std::size_t end = ::cuda::std::min<std::size_t>(diagonal + tile_items, pair.size());
  if (splits == nullptr) {
    if (thread == 0) shared.splits[0] = pair.split(keys_in, diagonal, compare);
    if (thread == warp_lanes) shared.splits[1] = pair.split(keys_in, end, compare);
    __syncthreads();
  }
  const std::size_t a_begin = splits ? splits[tile] : shared.splits[0];
  const std::size_t a_end = end == pair.size() ? pair.a_size
                            : splits           ? splits[tile + 1]
                                               : shared.splits[1];
  const int count = static_cast<int>(end - diagonal);
  // A comparator that is no order may have led astray: no more than the tile, and no less than 0.
  const int a_count =
      a_end < a_begin ? 0 : static_cast<int>(::cuda::std::min<std::size_t>(a_end - a_begin, count));
  const std::size_t from_a = pair.begin + a_begin;
  const std::size_t from_b = pair.begin + pair.a_size + (diagonal - a_begin) - a_count;
  {
    Key *const a = keys_in + from_a, *const b = keys_in + from_b;
    detail::for_each_slot<block_threads, lane_items>(
        count, [&](int j) { detail::begin_load(keys + j, j < a_count ? a : b, j); });
  }
  detail::finish_loads();
  __syncthreads();

  const int slot = thread * lane_items, first = min(slot, count);
  Key *const b = keys + a_count, *const b_end = keys + count;
  const int of_a = detail::split_merge(keys, a_count, b, count - a_count, first, compare);
  uninitialized<Key> items[lane_items];
  detail::merge_serially<lane_items>(
      keys + of_a, b, b + (first - of_a), b_end, compare,
      [&](int i, const Key* place, const Key& key) {
        items[i].set(key);
        if constexpr (Tuning::has_values)
          shared.sources[slot + i] = static_cast<std::uint16_t>(place - keys);
      });
  __syncthreads();
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) detail::write_item(keys, slot + i, items[i].get());
  __syncthreads();

  detail::for_each_slot<block_threads, lane_items>(
      count, [&](int j) { detail::write_item(keys_out, tile_begin + j, keys[j]); });
  if constexpr (Tuning::has_values) {
    const Value *const a = values_in + from_a, *const b_values = values_in + from_b;
    detail::for_each_slot<block_threads, lane_items>(count, [&](int j) {
      const int source = shared.sources[j];
      detail::write_item(values_out, tile_begin + j, (source < a_count ? a : b_values)[source]);
    });
  }
}

/// Merges runs of one sorted tile, in `keys`, until all [n] are one run. Each pass ends in what was
/// the buffer before.
///   splits  [n / merge_tile_items, rounded up]
template <class Tuning, class Key, class Value, class Compare>
cudaError_t merge_runs(Key* keys, Key* key_buffer, Value* values, Value* value_buffer,
                       std::size_t n, std::size_t* splits, Compare compare, cudaStream_t stream) {
  static_assert(2 * Tuning::tile_items % Tuning::merge_tile_items == 0,
                "a tile must not lie in two pairs of runs");
  static_assert(Tuning::merge_threads > warp_lanes, "two warps search");
  constexpr unsigned split_threads = 128;
  constexpr auto merge = merge_tiles_kernel<Tuning, Key, Value, Compare>;
  constexpr std::size_t shared_bytes = sizeof(merge_storage_of<Tuning, Key>);
  HINDSIGHT_TRY(allow_shared_bytes(merge, shared_bytes));
  const std::size_t num_tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;
  if (num_tiles <= std::size_t(Tuning::few_tiles)) splits = nullptr;
  for (std::size_t run = Tuning::tile_items; run < n; run *= 2) {
    if (splits) {
      HINDSIGHT_LAUNCH(static_cast<unsigned>((num_tiles + split_threads - 1) / split_threads),
                       split_threads, 0, stream, split_runs_kernel<Tuning, Key, Compare>)
      (keys, n, run, num_tiles, splits, compare);
    }
    HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), Tuning::merge_threads, shared_bytes, stream,
                     merge)
    (keys, key_buffer, values, value_buffer, n, run, splits, compare);
    HINDSIGHT_TRY(cudaPeekAtLastError());
    ::cuda::std::swap(keys, key_buffer);
    ::cuda::std::swap(values, value_buffer);
  }
  return cudaSuccess;
}

/// Sorts each tile.
template <class Tuning, class Key, class Value, class KeyIn, class KeyOut, class ValueIn,
          class ValueOut, class Compare>
cudaError_t sort_tiles(KeyIn keys_in, KeyOut keys_out, ValueIn values_in, ValueOut values_out,
                       std::size_t n, Compare compare, cudaStream_t stream) {
  constexpr auto sort =
      sort_tiles_kernel<Tuning, Key, Value, KeyIn, KeyOut, ValueIn, ValueOut, Compare>;
  constexpr std::size_t shared_bytes = sizeof(sort_storage_of<Tuning, Key>);
  const std::size_t num_tiles = (n + Tuning::tile_items - 1) / Tuning::tile_items;
  HINDSIGHT_TRY(allow_shared_bytes(sort, shared_bytes));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_tiles), Tuning::block_threads, shared_bytes, stream,
                   sort)
  (keys_in, keys_out, values_in, values_out, n, compare);
  return cudaPeekAtLastError();
}

/// out = in, sorted, in CUB's two phases. The outputs are arrays, and may be the inputs.
template <class Tuning, class Key, class Value, class KeyIn, class ValueIn, class Compare>
cudaError_t merge_sort(void* temp, std::size_t& temp_bytes, KeyIn keys_in, Key* keys_out,
                       ValueIn values_in, Value* values_out, std::size_t n, Compare compare,
                       cudaStream_t stream) {
  const bool has_passes = n > std::size_t(Tuning::tile_items);
  const std::size_t merge_tiles = (n + Tuning::merge_tile_items - 1) / Tuning::merge_tile_items;
  carver space{temp};
  Key* key_buffer = has_passes ? space.take<Key>(n) : nullptr;
  Value* value_buffer = has_passes && Tuning::has_values ? space.take<Value>(n) : nullptr;
  std::size_t* const splits = has_passes ? space.take<std::size_t>(merge_tiles) : nullptr;
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (merge_tiles > max_blocks) return cudaErrorInvalidConfiguration;

  bool ends_in_buffer = false;  // if the tiles are sorted into the output
  for (std::size_t run = Tuning::tile_items; run < n; run *= 2) ends_in_buffer = !ends_in_buffer;
  Key* keys = keys_out;
  Value* values = values_out;
  if (ends_in_buffer) {
    ::cuda::std::swap(keys, key_buffer);
    ::cuda::std::swap(values, value_buffer);
  }
  HINDSIGHT_TRY((detail::sort_tiles<Tuning, Key, Value>(keys_in, keys, values_in, values, n,
                                                        compare, stream)));
  return detail::merge_runs<Tuning>(keys, key_buffer, values, value_buffer, n, splits, compare,
                                    stream);
}

}  // namespace hindsight::detail
