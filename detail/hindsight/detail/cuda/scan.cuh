// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass scan: every item is read once and written once.
// Source: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
#pragma once

#include <hindsight/detail/cuda/future_init.cuh>
#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/warp_run.cuh>
#include <hindsight/detail/tuning/scan.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail {

struct inclusive {};
struct exclusive {};  ///< needs an initial value

/// The fold of this lane's share of the run, in chains.
template <class T, int LaneItems, class Op>
HINDSIGHT_DEVICE T fold_own(warp_run<T, LaneItems>& run, Op op) {
  constexpr int chain_items = detail::chain_items<T>;
  uninitialized<T> fold, chain;
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    const T& item = run.own(i / run.piece_items)[i % run.piece_items];
    chain.set(i % chain_items > 0 ? op(chain.get(), item) : item);
    const bool is_last = i % chain_items == chain_items - 1 || i == LaneItems - 1;
    if (is_last) fold.set(i >= chain_items ? op(fold.get(), chain.get()) : chain.get());
  }
  return fold.get();
}

/// Replaces this lane's share by its scan; `before` is the fold of all that precedes it, if any.
template <class Kind, class T, int LaneItems, class Op>
HINDSIGHT_DEVICE void scan_own(warp_run<T, LaneItems>& run, const uninitialized<T>& before,
                               bool any_before, Op op) {
  uninitialized<T> next, own_fold;  // the fold up to here; the part of it that is this lane's
  if (any_before) next.set(before.get());
  HINDSIGHT_UNROLL
  for (int i = 0; i < LaneItems; ++i) {
    T& slot = run.own(i / run.piece_items)[i % run.piece_items];
    const T item = slot;
    if constexpr (std::is_same_v<Kind, exclusive>) slot = next.get();
    if constexpr (folds_own_first<T>) {
      own_fold.set(i > 0 ? op(own_fold.get(), item) : item);
      next.set(any_before ? op(before.get(), own_fold.get()) : own_fold.get());
    } else {
      next.set(i > 0 || any_before ? op(next.get(), item) : item);
    }
    if constexpr (std::is_same_v<Kind, inclusive>) slot = next.get();
  }
}

/// The fold of the first `count` > 0 values.
template <class T, class Op>
HINDSIGHT_DEVICE T fold_first(const uninitialized<T>* values, int count, Op op) {
  T fold = values[0].get();
  for (int i = 1; i < count; ++i) fold = op(fold, values[i].get());
  return fold;
}

template <class T, int LaneItems, int Warps>
struct scan_storage {
  warp_run<T, LaneItems> runs[Warps];
  uninitialized<T> warp_aggregates[Warps];
  chain_storage<T> chain;
};

/// A block stages one tile in shared memory and looks back for what lies before it.
///   in, out  [n] items; may be the same range
template <class Tuning, class Kind, class T, class InputIt, class OutputIt, class Size, class Op,
          class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void scan_kernel(InputIt in, OutputIt out, Size num_items, Op op, Init caller_init,
                 tile_chain<T> launched) {
  constexpr tile_shape shape = Tuning::shape;
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = detail::chain_of(launched, num_items, n, shape.tile_items());
  constexpr bool has_init = !std::is_same_v<Init, no_init>;
  HINDSIGHT_SHARED(shared, scan_storage<T, shape.lane_items, shape.warps>);
  const auto& init = detail::initial_value(caller_init);

  std::size_t tile;
  if (!detail::claim_tile<shape.warps>(chain, op, init, shared.chain, tile)) return;
  const int warp = warp_index();
  const std::size_t first = tile * shape.tile_items() + warp * shape.warp_items();
  const auto left = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  const bool full = left >= shape.warp_items();
  auto& run = shared.runs[warp];
  full ? run.load(in + first) : run.load_partial(in + first, left);

  const T lane_fold = detail::warp_inclusive_fold(detail::fold_own(run, op), op);
  const T lane_before = detail::shuffle_up(lane_fold, 1);
  if (lane_index() == warp_lanes - 1) shared.warp_aggregates[warp].set(lane_fold);
  __syncthreads();

  const bool has_carry = has_init || tile > 0;
  const T aggregate = detail::fold_first(shared.warp_aggregates, shape.warps, op);
  if (threadIdx.x == 0) detail::publish(chain, tile, aggregate);
  detail::look_back<shape.warps>(chain, tile, aggregate, op, init, shared.chain);
  __syncthreads();

  // What precedes this lane: carry op (all warps before) op (all lanes before).
  uninitialized<T> before;
  const bool any_warp_before = has_carry || warp > 0;
  if (warp > 0) before.set(detail::fold_first(shared.warp_aggregates, warp, op));
  if (has_carry)
    before.set(warp > 0 ? op(shared.chain.carry.get(), before.get()) : shared.chain.carry.get());
  if (lane_index() > 0) before.set(any_warp_before ? op(before.get(), lane_before) : lane_before);
  detail::scan_own<Kind>(run, before, any_warp_before || lane_index() > 0, op);
  full ? run.store(out + first) : run.store_partial(out + first, left);
}

/// Host side of every scan, in CUB's two phases: temp == nullptr writes temp_bytes and does nothing
/// else. Asynchronous on `stream`; returns the first CUDA error, throws nothing.
template <class T, class Kind, class InputIt, class OutputIt, class Size, class Op, class Init>
cudaError_t scan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out, Size num_items,
                 Op op, Init init, cudaStream_t stream) {
  using tuning = scan_tuning<T>;
  const std::size_t n = detail::most_items(num_items);
  carver space{temp};
  const tile_chain<T> chain{space, n, tuning::shape.tile_items()};
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;

  HINDSIGHT_TRY(chain.prepare(space, stream));
  const auto input = detail::unwrap(in);
  const auto output = detail::unwrap(out);
  HINDSIGHT_LAUNCH(chain.num_blocks(), tuning::shape.block_threads(), 0, stream,
                   scan_kernel<tuning, Kind, T>)
  (input, output, detail::unwrap_size(num_items), fold_with<T, Op>{op}, init, chain);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail
