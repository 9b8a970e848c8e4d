// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reduction by key of many tiles of aligned arrays, as a pipeline.
#pragma once

#include <hindsight/detail/cuda/block/pipeline.cuh>
#include <hindsight/detail/cuda/block/reduce_by_key_tile.cuh>
#include <hindsight/detail/cuda/light_operators.cuh>
#include <hindsight/detail/tuning/by_key.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What reduce_by_key_kernel does with a tile, in the stages of a pipeline.
template <class Tuning, class Key, class T, class KeyOutIt, class ValueOutIt, class CountIt,
          class Equal, class Op>
struct reduce_by_key_step {
  static constexpr tile_shape shape = Tuning::shape;
  static constexpr int lane_items = shape.lane_items;
  using staged_keys = staged_warp<Key, lane_items>;
  using staged_values = staged_warp<T, lane_items>;
  using chain_type = tile_chain<open_run<T>>;

  struct slot_type : reduce_by_key_tile<Key, T, lane_items, shape.warps> {
    alignas(16) Key before[staged_keys::piece_items];  ///< the last one precedes the tile
    uninitialized<Key> last_key;                       ///< the input's
    uninitialized<T> last_fold;  ///< of the run that it ends, without the carry
    int num_heads;
  };
  using storage = scouted_storage<slot_type, open_run<T>, Tuning::pipeline_slots>;

  const Key* keys_in;
  const T* values_in;
  KeyOutIt keys_out;
  ValueOutIt values_out;
  CountIt num_runs;
  std::size_t n;
  mutable Equal equal;
  Op op;
  chain_type chain;

  HINDSIGHT_DEVICE std::ptrdiff_t items_from(std::size_t first) const {
    return static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  }

  /// The last tile may lack items: the fold squad loads what is there.
  HINDSIGHT_DEVICE void load(std::size_t tile, slot_type& slot, int part) const {
    const std::size_t first = tile * shape.tile_items();
    if (tile > 0 && part == 0 && lane_index() == 0)
      __pipeline_memcpy_async(slot.before, keys_in + first - staged_keys::piece_items, 16);
    if (items_from(first) < shape.tile_items()) return;
    auto& loaded = slot.stage.first();
    HINDSIGHT_ROLL
    for (int w = part; w < shape.warps; w += 2) {
      loaded.keys[w].begin_copy(keys_in + first + w * shape.warp_items());
      loaded.values[w].begin_copy(values_in + first + w * shape.warp_items());
    }
  }

  HINDSIGHT_DEVICE void fold(std::size_t tile, slot_type& slot) const {
    const int warp = cuda::shared_warp_index(), lane = lane_index(),
              thread = warp * warp_lanes + lane;
    const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
    const bool is_full = items_from(tile * shape.tile_items()) >= shape.tile_items();
    auto& loaded = slot.stage.first();
    lane_pairs<Key, T, lane_items> own;
    if (!is_full) {
      loaded.keys[warp].load_partial(keys_in + first, items_from(first));
      loaded.values[warp].load_partial(values_in + first, items_from(first));
      ptx::sync_some_threads(1, shape.block_threads());  // the warp before has loaded
    }
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      own.keys[i].set(loaded.keys[warp].lane_item(i));
      own.values[i].set(loaded.values[warp].lane_item(i));
    }
    own.key_before.set(key_before(tile, slot, warp, own.keys[0].get()));

    uninitialized<T> open;
    const open_run<T> run = cuda::fold_pairs(
        slot, thread, first + lane == 0, items_from(first) - lane * lane_items, own, equal, op,
        open, [&] { ptx::sync_some_threads(1, shape.block_threads()); },
        [&](const open_run<T>& fold) { cuda::publish(chain, tile, fold); });
    if (thread == 0) slot.num_heads = static_cast<int>(run.count());
    if (is_full && tile + 1 == chain.num_tiles && thread + 1 == shape.block_threads()) {
      slot.last_key.set(own.keys[lane_items - 1].get());
      slot.last_fold.set(open.get());
    }
  }

  HINDSIGHT_DEVICE void write(std::size_t tile, slot_type& slot,
                              const uninitialized<open_run<T>>& carry, int warp) const {
    const std::uint64_t runs_before = tile > 0 ? carry.get().count() : 0;
    const int thread = warp * warp_lanes + lane_index(), num_heads = slot.num_heads;
    // Head r of the tile closes run `runs_before + r - 1` of the input. Warps write whole lines,
    // if the outputs begin with one.
    const int past_line = static_cast<int>((runs_before + warp_lanes - 1) % warp_lanes);
    HINDSIGHT_UNROLL_BY(4)
    for (int r = thread - past_line; r < num_heads; r += shape.block_threads()) {
      const std::uint64_t run = runs_before + r;
      if (r >= 0 && run > 0) cuda::write_closed(slot, carry, r, run - 1, keys_out, values_out, op);
    }
    if (thread > 0 || tile + 1 < chain.num_tiles) return;
    const bool is_full = n % shape.tile_items() == 0;  // otherwise its end has closed the last run
    const std::uint64_t total = runs_before + num_heads - !is_full;
    if (is_full) {
      const T& own = slot.last_fold.get();
      keys_out[total - 1] = slot.last_key.get();
      const T& fold = tile > 0 && num_heads == 0 ? op(carry.get().fold(), own) : own;
      values_out[total - 1] = fold;
    }
    *num_runs = total;
  }

 private:
  /// The key before this lane's first one, which is `own`. For the first key of all, that key
  /// itself.
  HINDSIGHT_DEVICE Key key_before(std::size_t tile, slot_type& slot, int warp,
                                  const Key& own) const {
    auto& keys = slot.stage.first().keys;
    if (lane_index() > 0) return keys[warp][lane_index() * lane_items - 1];
    if (warp > 0) return keys[warp - 1][shape.warp_items() - 1];
    return tile > 0 ? slot.before[staged_keys::piece_items - 1] : own;
  }
};

/// As reduce_by_key_kernel. Requires inputs that begin at multiples of 16 bytes.
template <class Step>
HINDSIGHT_BOUNDED_KERNEL(pipeline_threads(Step::shape.warps), 1)
void reduce_by_key_pipeline_kernel(Step step) {
  HINDSIGHT_FROM_SM_90((HINDSIGHT_DYNAMIC_SHARED(room); cuda::run_scouted_pipeline(
                            step, append_run<decltype(step.op)>{step.op},
                            *reinterpret_cast<typename Step::storage*>(room));))
}

/// Whether a reduction by key may be a pipeline: of arrays of numbers, by cheap operators.
template <class Key, class T, class KeyIt, class ValueIt, class Equal, class Op, int LaneItems>
inline constexpr bool reduces_by_key_in_pipeline = is_light_equal<Key, Equal>&& is_light<T, Op>&&
    by_key_suits_pipeline<Key, T>&& staged_warp<Key, LaneItems>::template moves_in_pieces<KeyIt>&&
        staged_warp<T, LaneItems>::template moves_in_pieces<ValueIt>;

/// Launches the pipeline where it pays; `launched` says whether it did.
template <class Tuning, class T, class KeyIt, class ValueIt, class KeyOutIt, class ValueOutIt,
          class CountIt, class Equal, class Op>
cudaError_t reduce_by_key_in_pipeline([[maybe_unused]] const carver& space, KeyIt keys_in,
                                      ValueIt values_in, KeyOutIt keys_out, ValueOutIt values_out,
                                      CountIt num_runs, std::size_t n, Equal equal, Op op,
                                      const tile_chain<open_run<T>>& chain,
                                      [[maybe_unused]] cudaStream_t stream, bool& launched) {
  launched = false;
  using Key = value_of<KeyIt>;
  constexpr int lane_items = Tuning::shape.lane_items;
  if constexpr (reduces_by_key_in_pipeline<Key, T, KeyIt, ValueIt, Equal, Op, lane_items>) {
    using step =
        reduce_by_key_step<Tuning, Key, T, KeyOutIt, ValueOutIt, CountIt, Equal, fold_with<T, Op>>;
    constexpr auto kernel = reduce_by_key_pipeline_kernel<step>;
    if (!step::staged_keys::is_aligned(keys_in) || !step::staged_values::is_aligned(values_in))
      return cudaSuccess;
    step stages{keys_in, values_in, keys_out, values_out, num_runs, n, equal, fold_with<T, Op>{op},
                chain};
    return cuda::launch_pipeline<Tuning, step, kernel>(space, stages.chain, stream, launched,
                                                       stages);
  }
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
