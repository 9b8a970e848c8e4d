// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass run-length encoding. The tile in which the next run begins closes a run: the carry is
// the number of runs begun so far and where the last of them began.
#pragma once

#include <hindsight/detail/cuda/block/head_flags.cuh>
#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail {

/// What the runs of some tiles add up to; 48 bits each, so that both fit two words with their
/// flags.
class runs_begun {
 public:
  HINDSIGHT_DEVICE static runs_begun make(std::uint64_t count, std::uint64_t last_begin) {
    runs_begun runs;
    runs.count_low_ = std::uint32_t(count);
    runs.middle_ = std::uint32_t(count >> 32) | std::uint32_t(last_begin) << 16;
    runs.begin_high_ = std::uint32_t(last_begin >> 16);
    return runs;
  }
  HINDSIGHT_DEVICE std::uint64_t count() const {
    return std::uint64_t{middle_ & 0xffff} << 32 | count_low_;
  }
  HINDSIGHT_DEVICE std::uint64_t last_begin() const {
    return std::uint64_t{begin_high_} << 16 | middle_ >> 16;
  }

  struct plus {
    HINDSIGHT_DEVICE runs_begun operator()(const runs_begun& a, const runs_begun& b) const {
      return make(a.count() + b.count(), b.count() > 0 ? b.last_begin() : a.last_begin());
    }
  };

 private:
  std::uint32_t count_low_, middle_, begin_high_;  // a slot splits them between the two numbers
};

template <class T, int TileItems, int Warps>
struct run_length_storage {
  uninitialized<T> closed[TileItems];  ///< the item before each begin
  std::uint16_t begins[TileItems];     ///< where runs begin, counted from the tile's first item
  unsigned warp_counts[Warps];
  int warp_ends[Warps];  ///< one past where the last run of the warp begins, or 0
  chain_storage<runs_begun> chain;
};

/// For run r of equal neighbours: unique[r] = its last item, lengths[r] = its length.
///   num_runs  [1]
template <class Tuning, class InputIt, class UniqueIt, class LengthIt, class CountIt, class Equal>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void run_length_encode_kernel(InputIt in, UniqueIt unique, LengthIt lengths, CountIt num_runs,
                              std::size_t n, Equal equal, tile_chain<runs_begun> chain) {
  using T = value_of<InputIt>;
  using length = value_of<LengthIt>;
  constexpr tile_shape shape = Tuning::shape;
  constexpr int lane_items = shape.lane_items, neighbours = striped_neighbours<T>;
  HINDSIGHT_SHARED(shared, run_length_storage<T, shape.tile_items(), shape.warps>);
  constexpr runs_begun::plus plus;

  std::size_t tile;
  if (!detail::claim_tile<shape.warps>(chain, plus, no_init{}, shared.chain, tile)) return;
  const int warp = warp_index();
  const std::size_t tile_begin = tile * shape.tile_items();
  const int lane_begin = warp * shape.warp_items() + neighbours * lane_index();
  const std::size_t first = tile_begin + lane_begin;
  const auto left = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);

  uninitialized<T> items[lane_items];
  detail::load_striped<neighbours>(in + first, left, items);
  // Turn each item into the one before it, and remember where they differ.
  const unsigned begins = detail::head_flags<neighbours>(
      in, first, left, items, equal,
      [](uninitialized<T>& item, const T& before) { item.set(before); });
  const int own_end =
      begins ? lane_begin + striped_position<neighbours>(31 - __clz(begins)) + 1 : 0;
  const int warp_count = __reduce_add_sync(all_lanes, __popc(begins));
  const int warp_end = __reduce_max_sync(all_lanes, own_end);
  if (lane_index() == 0) {
    shared.warp_counts[warp] = warp_count;
    shared.warp_ends[warp] = warp_end;
  }
  __syncthreads();
  const int tile_runs = sum_first(shared.warp_counts, shape.warps);
  int tile_end = 0;
  for (int w = 0; w < shape.warps; ++w) tile_end = max(tile_end, shared.warp_ends[w]);
  const auto runs = runs_begun::make(tile_runs, tile_runs > 0 ? tile_begin + tile_end - 1 : 0);
  if (threadIdx.x == 0) detail::publish(chain, tile, runs);

  // Stage what each begin closes while the carry is on its way.
  const int runs_in_tile_before = sum_first(shared.warp_counts, warp);
  detail::rank_striped<neighbours, lane_items>(
      begins, runs_in_tile_before, [&](int i, bool is_begin, int r) {
        if (!is_begin) return;
        shared.closed[r].set(items[i].get());
        shared.begins[r] =
            static_cast<std::uint16_t>(lane_begin + striped_position<neighbours>(i));
      });
  detail::look_back<shape.warps>(chain, tile, runs, plus, no_init{}, shared.chain);
  __syncthreads();

  // Begin r of the tile closes run `runs_before + r - 1` of the input.
  const runs_begun before = tile > 0 ? shared.chain.carry.get() : runs_begun::make(0, 0);
  for (int r = threadIdx.x; r < tile_runs; r += shape.block_threads()) {
    const std::uint64_t run = before.count() + r;
    if (run == 0) continue;
    const std::uint64_t begin = r > 0 ? tile_begin + shared.begins[r - 1] : before.last_begin();
    unique[run - 1] = shared.closed[r].get();
    lengths[run - 1] = static_cast<length>(tile_begin + shared.begins[r] - begin);
  }
  if (threadIdx.x == 0 && tile + 1 == chain.num_tiles) {
    const std::uint64_t total = before.count() + tile_runs;
    const std::uint64_t begin =
        tile_runs > 0 ? tile_begin + shared.begins[tile_runs - 1] : before.last_begin();
    unique[total - 1] = in[n - 1];
    lengths[total - 1] = static_cast<length>(n - begin);
    *num_runs = total;
  }
}

/// Host side, in CUB's two phases. The outputs must not overlap the input or each other.
template <class InputIt, class UniqueIt, class LengthIt, class CountIt, class Equal>
cudaError_t run_length_encode(void* temp, std::size_t& temp_bytes, InputIt in, UniqueIt unique,
                              LengthIt lengths, CountIt num_runs, std::size_t n, Equal equal,
                              cudaStream_t stream) {
  using tuning = run_length_tuning<value_of<InputIt>>;
  carver space{temp};
  const tile_chain<runs_begun> chain{space, n, tuning::shape.tile_items()};
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if (n == 0) {
    HINDSIGHT_LAUNCH(1, 1, 0, stream, store_kernel)(0, num_runs);
    return cudaPeekAtLastError();
  }
  HINDSIGHT_TRY(chain.prepare(space, stream));
  HINDSIGHT_LAUNCH(chain.num_blocks(), tuning::shape.block_threads(), 0, stream,
                   run_length_encode_kernel<tuning>)
  (detail::unwrap(in), detail::unwrap(unique), detail::unwrap(lengths), num_runs, n, equal, chain);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail
