// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of few tiles, each of which several blocks share: more multiprocessors load and fold.
// The board has a place for each warp. Folds have the association of whole tiles (look_back.cuh),
// so the bits are the same.
#pragma once

#include <hindsight/detail/cuda/block/look_back.cuh>
#include <hindsight/detail/cuda/block/scan_tile.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/future_init.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/tuning/scan.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class Tuning, class T>
struct scan_parts_storage {
  staged_warp<T, Tuning::shape.lane_items, Tuning::at_once> items[Tuning::warps];
  uninitialized<T> aggregates[Tuning::most_tiles * Tuning::shape.warps];  ///< of warps
  chain_storage<T> chain;
};

/// aggregates[i] = what warp i of the input has published, for all i < end <= Places. Called by a
/// block of Threads, each of which waits for all of its places at the same time; a barrier has to
/// follow.
template <int Threads, int Places, class T>
HINDSIGHT_DEVICE void wait_for_warps(const tile_board<T>& board, int end,
                                     uninitialized<T> (&aggregates)[Places]) {
  constexpr int rows = (Places + Threads - 1) / Threads;
  uninitialized<T> values[rows];
  bool known[rows] = {}, all_known;
  do {
    all_known = true;
    HINDSIGHT_UNROLL
    for (int row = 0; row < rows; ++row) {
      const int place = row * Threads + static_cast<int>(threadIdx.x);
      if (place >= end || known[row]) continue;
      known[row] = board.peek_aggregate(place, values[row].ref());
      if (known[row]) aggregates[place].set(values[row].get());
      all_known = all_known && known[row];
    }
  } while (!all_known);
}

/// carry = what precedes `tile` <= 32, if anything does. Called by one full warp.
template <int TileWarps, class T, class Op, class Init>
HINDSIGHT_DEVICE void fold_tiles_before(int tile, const uninitialized<T>* aggregates, Op op,
                                        Init init, uninitialized<T>& carry) {
  const int lane = lane_index();
  // Lanes without a tile fold tile 0 again: `op` sees real values only.
  const int folded = lane < tile ? lane : 0;
  if (tile > 0) {
    const T fold = cuda::fold_first(aggregates + folded * TileWarps, TileWarps, op);
    const T before = cuda::warp_inclusive_fold(fold, op);
    if (lane == tile - 1) carry.set(cuda::prepend(init, before, op));
  } else if constexpr (!std::is_same_v<Init, no_init>) {
    if (lane == 0) carry.set(init);
  }
}

/// As scan_kernel. A block takes Tuning::warps neighbouring warps of a tile.
template <class Tuning, class Kind, class T, class InputIt, class OutputIt, class Op, class Init>
HINDSIGHT_BOUNDED_KERNEL(Tuning::warps* warp_lanes, 1)
void scan_parts_kernel(InputIt in, OutputIt out, std::size_t n, Op op, Init caller_init,
                       tile_chain<T> chain) {
  constexpr tile_shape shape = Tuning::shape;
  static_assert(shape.warps % Tuning::warps == 0, "a block is in one tile");
  static_assert(Tuning::most_tiles <= warp_lanes, "a lane folds a tile");
  HINDSIGHT_SHARED(shared, scan_parts_storage<Tuning, T>);
  const auto& init = cuda::initial_value(caller_init);

  const int begin = static_cast<int>(cuda::take_ticket(chain, shared.chain)) * Tuning::warps;
  const int own = cuda::shared_warp_index(), place = begin + own;
  const int tile = place / shape.warps, warp = place % shape.warps;
  const std::size_t first = static_cast<std::size_t>(place) * shape.warp_items();
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(first);
  const bool full = left >= shape.warp_items();
  auto& staged = shared.items[own];
  full ? staged.load(in + first) : staged.load_partial(in + first, left);

  const T lane_fold = cuda::warp_inclusive_fold(cuda::fold_own(staged, op), op);
  const T lane_before = cuda::shuffle_up(lane_fold, 1);
  if (lane_index() == warp_lanes - 1) {
    shared.aggregates[place].set(lane_fold);
    if (left > 0) chain.board.publish_aggregate(place, lane_fold);
  }
  cuda::wait_for_warps<Tuning::warps * warp_lanes>(chain.board, begin, shared.aggregates);
  __syncthreads();
  if (own == 0) {
    cuda::fold_tiles_before<shape.warps>(tile, shared.aggregates, op, init, shared.chain.carry);
  }
  __syncthreads();

  const bool has_carry = !std::is_same_v<Init, no_init> || tile > 0;
  uninitialized<T> before;
  const bool any_before =
      cuda::find_before(has_carry, shared.chain.carry, warp, shared.aggregates + (place - warp),
                        lane_before, op, before);
  cuda::scan_own<Kind>(staged, before, any_before, op);
  full ? staged.store(out + first) : staged.store_partial(out + first, left);
}

/// What a scan of n items asks for, so that blocks can share tiles. More items may take less. But
/// the memory that a caller has for them has to be enough for fewer, too: so they ask for as much.
template <class Tuning, class T>
std::size_t parts_bytes(std::size_t n) {
  constexpr std::size_t tile_items = Tuning::shape.tile_items();
  if (n <= tile_items) return 0;
  carver space{nullptr};
  tile_chain<T>{space, ::cuda::std::min(n, Tuning::most_tiles * tile_items),
                Tuning::shape.warp_items()};
  return space.bytes();
}

/// Launches the scan of few tiles; `launched` says whether they are few.
///   temp  of parts_bytes(n)
template <class Tuning, class Kind, class T, class InputIt, class OutputIt, class Op, class Init>
cudaError_t scan_in_parts(temporary_memory temp, InputIt in, OutputIt out, std::size_t n, Op op,
                          Init init, cudaStream_t stream, bool& launched) {
  constexpr std::size_t tile_items = Tuning::shape.tile_items();
  launched = n > tile_items && n <= Tuning::most_tiles * tile_items;
  if (!launched) return cudaSuccess;
  carver space{temp};
  tile_chain<T> chain{space, n, Tuning::shape.warp_items()};
  constexpr auto kernel = scan_parts_kernel<Tuning, Kind, T, InputIt, OutputIt, Op, Init>;
  constexpr int part_threads = Tuning::warps * warp_lanes;
  const std::size_t parts = (chain.num_tiles + Tuning::warps - 1) / Tuning::warps;
  HINDSIGHT_TRY(chain.prepare(space, stream));
  return HINDSIGHT_LAUNCH_NEXT_IF(chain.starts_early, static_cast<unsigned>(parts), part_threads, 0,
                                  stream, kernel)(in, out, n, op, init, chain);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
