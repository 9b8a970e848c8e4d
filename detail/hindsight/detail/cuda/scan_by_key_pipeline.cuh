// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan by key of many tiles of aligned arrays, as a pipeline.
#pragma once

#include <hindsight/detail/cuda/block/pipeline.cuh>
#include <hindsight/detail/cuda/block/scan_by_key_tile.cuh>
#include <hindsight/detail/cuda/future_init.cuh>
#include <hindsight/detail/cuda/light_operators.cuh>
#include <hindsight/detail/tuning/by_key.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What scan_by_key_kernel does with a tile, in the stages of a pipeline.
template <class Tuning, class Kind, class Key, class T, class Equal, class Op, class Init>
struct scan_by_key_step {
  static constexpr tile_shape shape = Tuning::shape;
  static constexpr int lane_items = shape.lane_items;
  static_assert(lane_items < 32, "a lane has a bit for each of its items, and one more");
  using staged_keys = staged_warp<Key, lane_items>;
  using staged_values = staged_warp<T, lane_items>;

  struct slot_type : scan_by_key_tile<Key, T, lane_items, shape.warps> {
    alignas(16) Key before[staged_keys::piece_items];  ///< the last one precedes the tile
    unsigned lane_heads[shape.block_threads()];        ///< the highest bit: a run begins before
    uninitialized<T> lanes_before[shape.block_threads()];
  };
  using storage = scouted_storage<slot_type, open_run<T>, Tuning::pipeline_slots>;

  const Key* keys;
  const T* values;
  T* out;
  std::size_t n;
  mutable Equal equal;
  Op op;
  const Init& init;
  tile_chain<open_run<T>> chain;

  HINDSIGHT_DEVICE std::ptrdiff_t items_from(std::size_t first) const {
    return static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  }

  /// The last tile may lack items: the fold squad loads what is there.
  HINDSIGHT_DEVICE void load(std::size_t tile, slot_type& slot, int part) const {
    const std::size_t first = tile * shape.tile_items();
    if (tile > 0 && part == 0 && lane_index() == 0)
      __pipeline_memcpy_async(slot.before, keys + first - staged_keys::piece_items, 16);
    if (items_from(first) < shape.tile_items()) return;
    HINDSIGHT_ROLL
    for (int w = part; w < shape.warps; w += 2) {
      slot.keys[w].begin_copy(keys + first + w * shape.warp_items());
      slot.values[w].begin_copy(values + first + w * shape.warp_items());
    }
  }

  HINDSIGHT_DEVICE void fold(std::size_t tile, slot_type& slot) const {
    const int warp = cuda::shared_warp_index(), lane = lane_index(),
              thread = warp * warp_lanes + lane;
    const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
    const auto sync = [&] { ptx::sync_some_threads(1, shape.block_threads()); };
    if (items_from(tile * shape.tile_items()) < shape.tile_items()) {
      slot.keys[warp].load_partial(keys + first, items_from(first));
      slot.values[warp].load_partial(values + first, items_from(first));
      sync();  // the warp before has loaded
    }
    unsigned heads = cuda::find_heads(slot.keys[warp], key_before(tile, slot, warp), equal);
    if (first + lane == 0) heads |= 1;
    uninitialized<T> before;
    open_run<T> tile_run;
    const unsigned head_before =
        cuda::fold_runs(slot, thread, heads, op, init, before, tile_run, sync,
                        [&](const open_run<T>& run) { cuda::publish(chain, tile, run); });
    slot.lane_heads[thread] = heads | head_before << 31;
    slot.lanes_before[thread].set(before.get());
  }

  HINDSIGHT_DEVICE void write(std::size_t tile, slot_type& slot,
                              const uninitialized<open_run<T>>& carry, int warp) const {
    cuda::write_scan_by_run<Kind>(*this, tile, slot, carry, warp);
  }

 private:
  /// The key before this lane's first one. For the first key of all, that key itself.
  HINDSIGHT_DEVICE Key key_before(std::size_t tile, slot_type& slot, int warp) const {
    if (lane_index() > 0) return slot.keys[warp][lane_index() * lane_items - 1];
    if (warp > 0) return slot.keys[warp - 1][shape.warp_items() - 1];
    return tile > 0 ? slot.before[staged_keys::piece_items - 1] : slot.keys[0][0];
  }
};

/// As scan_by_key_kernel. Requires inputs that begin at multiples of 16 bytes.
template <class Tuning, class Kind, class Key, class T, class Equal, class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(pipeline_threads(Tuning::shape.warps), 1)
void scan_by_key_pipeline_kernel(const Key* keys, const T* values, T* out, std::size_t n,
                                 Equal equal, Op op, Init caller_init,
                                 tile_chain<open_run<T>> chain) {
  // clang-format off
  HINDSIGHT_FROM_SM_90((
    HINDSIGHT_DYNAMIC_SHARED(room);
    const auto& init = cuda::initial_value(caller_init);
    using init_type = std::decay_t<decltype(init)>;
    using step = scan_by_key_step<Tuning, Kind, Key, T, Equal, Op, init_type>;
    cuda::run_scouted_pipeline(
        step{keys, values, out, n, equal, op, init, chain}, append_run<Op>{op},
        *reinterpret_cast<typename step::storage*>(room));
  ))
  // clang-format on
}

/// Launches the pipeline where it pays: arrays of numbers, by cheap operators. `launched` says
/// whether it did.
template <class Tuning, class Kind, class T, class KeyIt, class ValueIt, class OutputIt,
          class Equal, class Op, class Init>
cudaError_t scan_by_key_in_pipeline([[maybe_unused]] const carver& space, KeyIt keys,
                                    ValueIt values, OutputIt out, std::size_t n, Equal equal, Op op,
                                    Init init, tile_chain<open_run<T>>& chain,
                                    [[maybe_unused]] cudaStream_t stream, bool& launched) {
  launched = false;
  using Key = value_of<KeyIt>;
  using staged_keys = staged_warp<Key, Tuning::shape.lane_items>;
  using staged_values = staged_warp<T, Tuning::shape.lane_items>;
  if constexpr (is_light_equal<Key, Equal> && is_light<T, Op> && by_key_suits_pipeline<Key, T> &&
                staged_keys::template moves_in_pieces<KeyIt> &&
                staged_values::template moves_in_pieces<ValueIt> && std::is_same_v<OutputIt, T*>) {
    using fold = fold_with<T, Op>;
    using step = scan_by_key_step<Tuning, Kind, Key, T, Equal, fold, Init>;
    constexpr auto kernel = scan_by_key_pipeline_kernel<Tuning, Kind, Key, T, Equal, fold, Init>;
    if (!staged_keys::is_aligned(keys) || !staged_values::is_aligned(values)) return cudaSuccess;
    return cuda::launch_pipeline<Tuning, step, kernel>(space, chain, stream, launched, keys, values,
                                                       out, n, equal, fold{op}, init, chain);
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
