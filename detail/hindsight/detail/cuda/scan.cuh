// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass scan: every item is read once and written once.
// Source: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
#pragma once

#include <hindsight/detail/cuda/look_back.cuh>
#include <hindsight/detail/cuda/row.cuh>
#include <hindsight/detail/tuning/scan.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail {

struct inclusive {};
struct exclusive {};  ///< needs an initial value

/// Replaces a lane's items by their scan; `before` is the fold of all that precedes them.
template <class Kind, class T, int Vector, class Op>
HINDSIGHT_DEVICE void scan_items(T (&items)[Vector], T before, bool any_before, Op op) {
  if constexpr (std::is_same_v<Kind, exclusive>) {
    HINDSIGHT_UNROLL
    for (T& item : items) {
      const T next = op(before, item);
      item = before;
      before = next;
    }
  } else {
    if (any_before) items[0] = op(before, items[0]);
    HINDSIGHT_UNROLL
    for (int v = 1; v < Vector; ++v) items[v] = op(items[v - 1], items[v]);
  }
}

/// The fold of the first `count` > 0 values.
template <class T, class Op>
HINDSIGHT_DEVICE T fold_first(const uninitialized<T>* values, int count, Op op) {
  T fold = values[0].get();
  for (int i = 1; i < count; ++i) fold = op(fold, values[i].get());
  return fold;
}

template <class T, int BlockWarps>
struct scan_storage {
  uninitialized<T> warp_aggregates[BlockWarps];
  uninitialized<T> carry;
  baton<T> scout_carry;
  unsigned ticket;
};

/// A block scans one tile in registers and looks back for what lies before it.
///   in, out    [n] items; may be the same range
///   board      [num_tiles], all empty; unused for one tile
///   has_scout  the first block to start is the scout, and the grid has one block more than tiles
template <class Tuning, class Kind, class T, class InputIt, class OutputIt, class Op, class Init>
HINDSIGHT_KERNEL __launch_bounds__(Tuning::shape.block_threads()) void scan_kernel(
    InputIt in, OutputIt out, std::size_t n, Op op, Init init, tile_board<T> board,
    std::size_t num_tiles, launch_state* state, bool has_scout) {
  constexpr scan_shape shape = Tuning::shape;
  constexpr int vector = shape.vector, rounds = shape.rounds, warps = shape.warps;
  constexpr bool has_init = !std::is_same_v<Init, no_init>;
  __shared__ scan_storage<T, warps> shared;

  std::size_t tile = 0;
  if (num_tiles > 1) {
    if (has_scout && threadIdx.x == 0) shared.scout_carry.reset();
    tile = claim_ticket(state, shared.ticket);
    if (has_scout && tile-- == 0) {
      scout<warps>(board, num_tiles, op, init, state, shared.scout_carry);
      return;
    }
  }
  const std::size_t first =
      tile * shape.tile_items() + warp_index() * shape.warp_items() + lane_index() * vector;
  const bool full = (tile + 1) * shape.tile_items() <= n;
  const auto left = [&](int r) {
    return static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first + r * shape.row_items());
  };

  uninitialized<T[vector]> rows[rounds];
  const bool aligned_in = is_aligned_for<vector>(in);
  HINDSIGHT_UNROLL
  for (int r = 0; r < rounds; ++r) {
    const InputIt row = in + (first + r * shape.row_items());
    full ? load_vector<vector>(row, aligned_in, rows[r].get())
         : load_partial<vector>(row, left(r), rows[r].get());
  }

  uninitialized<T> lane_before[rounds], row_total[rounds];  // of a row: before this lane; all of it
  HINDSIGHT_UNROLL
  for (int r = 0; r < rounds; ++r) {
    T fold = rows[r].get()[0];
    HINDSIGHT_UNROLL
    for (int v = 1; v < vector; ++v) fold = op(fold, rows[r].get()[v]);
    fold = warp_inclusive_fold(fold, op);
    lane_before[r].set(shuffle_up(fold, 1));
    row_total[r].set(shuffle_from(fold, warp_lanes - 1));
  }
  const T warp_aggregate = [&] {
    T fold = row_total[0].get();
    HINDSIGHT_UNROLL
    for (int r = 1; r < rounds; ++r) fold = op(fold, row_total[r].get());
    return fold;
  }();
  if (lane_index() == 0) shared.warp_aggregates[warp_index()].set(warp_aggregate);
  __syncthreads();

  const bool has_carry = has_init || tile > 0;
  if (warp_index() == 0 && num_tiles > 1) {
    const T aggregate = fold_first(shared.warp_aggregates, warps, op);
    if (has_carry) {
      const T carry = look_back(board, tile, aggregate, op, init, state, has_scout);
      if (lane_index() == 0) shared.carry.set(carry);
    } else if (lane_index() == 0) {
      board.publish_aggregate(0, aggregate);
    }
  }
  if constexpr (has_init) {
    if (num_tiles == 1 && threadIdx.x == 0) shared.carry.set(init);
  }
  __syncthreads();

  // What precedes this warp's first row, folded as carry op (all warps before).
  uninitialized<T> before;
  const bool any_before = has_carry || warp_index() > 0;
  if (warp_index() > 0) before.set(fold_first(shared.warp_aggregates, warp_index(), op));
  if (has_carry) {
    before.set(warp_index() > 0 ? op(shared.carry.get(), before.get()) : shared.carry.get());
  }

  const bool aligned_out = is_aligned_for<vector>(out);
  HINDSIGHT_UNROLL
  for (int r = 0; r < rounds; ++r) {
    const bool any_row_before = any_before || r > 0;
    T before_lane = lane_before[r].get();
    if (any_row_before) {
      before_lane = lane_index() > 0 ? op(before.get(), before_lane) : before.get();
    }
    scan_items<Kind>(rows[r].get(), before_lane, any_row_before || lane_index() > 0, op);
    before.set(any_row_before ? op(before.get(), row_total[r].get()) : row_total[r].get());

    const OutputIt row = out + (first + r * shape.row_items());
    full ? store_vector<vector>(row, aligned_out, rows[r].get())
         : store_partial<vector>(row, left(r), rows[r].get());
  }
}

/// Host side of every scan, in CUB's two phases: temp == nullptr writes temp_bytes and does nothing
/// else. Asynchronous on `stream`; returns the first CUDA error, throws nothing.
template <class T, class Kind, class InputIt, class OutputIt, class Op, class Init>
cudaError_t scan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out, std::size_t n,
                 Op op, Init init, cudaStream_t stream) {
  using tuning = scan_tuning<T>;
  const std::size_t tile_items = tuning::shape.tile_items();
  const std::size_t num_tiles = (n + tile_items - 1) / tile_items;
  const bool has_scout = num_tiles > window_tiles;

  carver space{temp};
  launch_state* state = nullptr;
  tile_board<T> board;
  if (num_tiles > 1) {
    state = space.take<launch_state>(1);
    board = tile_board<T>(space, num_tiles);
  }
  if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
  if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;

  if (num_tiles > 1) HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, space.used_bytes(), stream));
  const auto input = unwrap(in);
  const auto output = unwrap(out);
  scan_kernel<tuning, Kind, T><<<static_cast<unsigned>(num_tiles + has_scout),
                                 tuning::shape.block_threads(), 0, stream>>>(
      input, output, n, op, init, board, num_tiles, state, has_scout);
  return cudaPeekAtLastError();
}

}  // namespace hindsight::detail
