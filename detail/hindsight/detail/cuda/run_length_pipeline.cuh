// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The run-length encoding of many tiles of an aligned array, as a pipeline.
#pragma once

#include <hindsight/detail/cuda/block/existing_items.cuh>
#include <hindsight/detail/cuda/block/pipeline.cuh>
#include <hindsight/detail/cuda/block/runs_begun.cuh>
#include <hindsight/detail/cuda/block/staged_warp.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/light_operators.cuh>
#include <hindsight/detail/tuning/select.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What run_length_encode_kernel does with a tile, in the stages of a pipeline. Items stay where
/// they were loaded: what is staged is where runs begin.
template <class Tuning, class T, class Runs, class CountIt, class Equal>
struct run_length_step {
  static constexpr tile_shape shape = Tuning::shape;
  static constexpr int lane_items = shape.lane_items;
  static_assert(lane_items <= 32, "a lane has a bit for each of its items");
  using staged_items = staged_warp<T, lane_items>;
  using chain_type = tile_chain<runs_begun>;

  struct slot_type {
    staged_items items[shape.warps];
    alignas(16) T before[staged_items::piece_items];  ///< the last one precedes the tile
    std::uint16_t head_places[shape.tile_items()];    ///< counted from the tile's first item
    unsigned warp_counts[shape.warps];
    int warp_head_ends[shape.warps];  ///< one past the warp's last head, or 0
  };
  using storage = scouted_storage<slot_type, runs_begun, Tuning::pipeline_slots>;

  const T* in;
  mutable Runs runs_out;
  CountIt num_runs;
  std::size_t n;
  mutable Equal equal;
  chain_type chain;

  HINDSIGHT_DEVICE std::ptrdiff_t items_from(std::size_t first) const {
    return static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  }

  /// The last tile may lack items: the fold squad loads what is there.
  HINDSIGHT_DEVICE void load(std::size_t tile, slot_type& slot, int part) const {
    const std::size_t first = tile * shape.tile_items();
    if (tile > 0 && part == 0 && lane_index() == 0)
      __pipeline_memcpy_async(slot.before, in + first - staged_items::piece_items, 16);
    if (items_from(first) < shape.tile_items()) return;
    HINDSIGHT_ROLL
    for (int w = part; w < shape.warps; w += 2)
      slot.items[w].begin_copy(in + first + w * shape.warp_items());
  }

  HINDSIGHT_DEVICE void fold(std::size_t tile, slot_type& slot) const {
    const int warp = cuda::shared_warp_index();
    const std::size_t tile_begin = tile * shape.tile_items();
    const int lane_begin = warp * shape.warp_items() + lane_index() * lane_items;
    unsigned exist = ~0u >> (32 - lane_items);
    if (items_from(tile_begin) < shape.tile_items()) {
      const std::size_t first = tile_begin + warp * shape.warp_items();
      slot.items[warp].load_partial(in + first, items_from(first));
      exist = cuda::existing_neighbours<lane_items>(items_from(tile_begin + lane_begin));
      ptx::sync_some_threads(1, shape.block_threads());  // the warp before has loaded
    }
    const unsigned heads = find_heads(tile, slot, warp) & exist;
    const int count = __popc(heads);
    const int through = cuda::warp_inclusive_fold(count, ::cuda::std::plus<int>{});
    const int head_end =
        __reduce_max_sync(all_lanes, heads ? lane_begin + 32 - __clz(int(heads)) : 0);
    if (lane_index() == warp_lanes - 1) {
      slot.warp_counts[warp] = through;
      slot.warp_head_ends[warp] = head_end;
    }
    ptx::sync_some_threads(1, shape.block_threads());
    if (warp == 0 && lane_index() == 0) {
      int tile_head_end = 0;
      for (int w = 0; w < shape.warps; ++w)
        tile_head_end = max(tile_head_end, slot.warp_head_ends[w]);
      const unsigned tile_runs = sum_first(slot.warp_counts, shape.warps);
      cuda::publish(
          chain, tile,
          runs_begun::make(tile_runs, tile_runs > 0 ? tile_begin + tile_head_end - 1 : 0));
    }
    const int rank = sum_first(slot.warp_counts, warp) + through - count;
    stage_heads(heads, lane_begin, slot.head_places + rank);
  }

  HINDSIGHT_DEVICE void write(std::size_t tile, slot_type& slot,
                              const uninitialized<runs_begun>& carry, int warp) const {
    const runs_begun before = tile > 0 ? carry.get() : runs_begun::make(0, 0);
    const std::uint64_t tile_begin = tile * shape.tile_items(), runs_before = before.count();
    const int tile_runs = sum_first(slot.warp_counts, shape.warps);
    const int thread = warp * warp_lanes + lane_index();
    // Head r of the tile closes run `runs_before + r - 1` of the input. Warps write whole lines,
    // if the outputs begin with one.
    const int past_line = static_cast<int>((runs_before + warp_lanes - 1) % warp_lanes);
    HINDSIGHT_UNROLL_BY(4)
    for (int r = thread - past_line; r < tile_runs; r += shape.block_threads()) {
      const std::uint64_t run = runs_before + r;
      if (r < 0 || run == 0) continue;
      const int end = slot.head_places[r];
      const std::uint64_t begin =
          r > 0 ? tile_begin + slot.head_places[r - 1] : before.last_begin();
      runs_out.store(run - 1, begin, tile_begin + end, item_before(slot, end));
    }
    if (thread > 0 || tile + 1 < chain.num_tiles) return;
    const std::uint64_t total = runs_before + tile_runs;
    const std::uint64_t begin =
        tile_runs > 0 ? tile_begin + slot.head_places[tile_runs - 1] : before.last_begin();
    runs_out.store(total - 1, begin, n, in[n - 1]);
    *num_runs = Runs::count(total);
  }

 private:
  static HINDSIGHT_DEVICE T item_before(slot_type& slot, int i) {
    if (i == 0) return slot.before[staged_items::piece_items - 1];
    return slot.items[(i - 1) / shape.warp_items()][(i - 1) % shape.warp_items()];
  }

  /// Bit i: a run begins with item i of this lane, if it exists.
  HINDSIGHT_DEVICE unsigned find_heads(std::size_t tile, slot_type& slot, int warp) const {
    auto& staged = slot.items[warp];
    uninitialized<T> items[lane_items], before;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) items[i].set(staged.lane_item(i));
    const int first = warp * shape.warp_items() + lane_index() * lane_items;
    const bool is_first_of_all = tile == 0 && first == 0;
    before.set(is_first_of_all ? items[0].get() : item_before(slot, first));
    unsigned heads = is_first_of_all;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      const T& left = i > 0 ? items[i - 1].get() : before.get();
      heads |= unsigned(!equal(left, items[i].get())) << i;
    }
    return heads;
  }

  /// to[k] = the place of this lane's k-th head.
  static HINDSIGHT_DEVICE void stage_heads(unsigned heads, int lane_begin, std::uint16_t* to) {
    if (__reduce_max_sync(all_lanes, __popc(heads)) <= lane_items / items_per_rare_head) {
      for (; heads != 0; heads &= heads - 1)
        *to++ = static_cast<std::uint16_t>(lane_begin + __ffs(int(heads)) - 1);
      return;
    }
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      if (heads >> i & 1) *to++ = static_cast<std::uint16_t>(lane_begin + i);
    }
  }
};

/// As run_length_encode_kernel. Requires an `in` that begins at a multiple of 16 bytes.
template <class Step>
HINDSIGHT_BOUNDED_KERNEL(pipeline_threads(Step::shape.warps), 1)
void run_length_pipeline_kernel(Step step) {
  HINDSIGHT_FROM_SM_90(
      (HINDSIGHT_DYNAMIC_SHARED(room); cuda::run_scouted_pipeline(
           step, runs_begun::plus{}, *reinterpret_cast<typename Step::storage*>(room));))
}

/// Launches the pipeline where it pays: arrays of numbers of 4 or 8 bytes. `launched` says whether
/// it did.
template <class Tuning, class InputIt, class Runs, class CountIt, class Equal>
cudaError_t encode_runs_in_pipeline([[maybe_unused]] const carver& space, InputIt in, Runs runs_out,
                                    CountIt num_runs, std::size_t n, Equal equal,
                                    const tile_chain<runs_begun>& chain,
                                    [[maybe_unused]] cudaStream_t stream, bool& launched) {
  launched = false;
  using T = value_of<InputIt>;
  using staged_items = staged_warp<T, Tuning::shape.lane_items>;
  if constexpr (is_light_equal<T, Equal> && run_length_suits_pipeline<T> &&
                staged_items::template moves_in_pieces<InputIt> && Runs::keeps_items) {
    using step = run_length_step<Tuning, T, Runs, CountIt, Equal>;
    constexpr auto kernel = run_length_pipeline_kernel<step>;
    if (!staged_items::is_aligned(in)) return cudaSuccess;
    step stages{in, runs_out, num_runs, n, equal, chain};
    return cuda::launch_pipeline<Tuning, step, kernel>(space, stages.chain, stream, launched,
                                                       stages);
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
