// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass run-length encoding. The tile in which the next run begins closes a run: the carry is
// the number of runs begun so far and where the last of them began. The same kernel finds only the
// runs of two items or more, if it marks other items: such a run is every other stretch between
// marks.
#pragma once

#include <hindsight/detail/cuda/block/claimed_items.cuh>
#include <hindsight/detail/cuda/block/head_flags.cuh>
#include <hindsight/detail/cuda/block/runs_begun.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/run_length_pipeline.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The type in which an output gets a number: that of what it holds, or std::ptrdiff_t if it has no
/// value type.
template <class OutputIt>
using written_number =
    std::conditional_t<only_writes<OutputIt>, std::ptrdiff_t, value_of<OutputIt>>;

/// Each run: its last item and its length. All items that begin a run are marked.
template <class UniqueIt, class LengthIt>
struct every_run {
  UniqueIt unique;
  LengthIt lengths;
  static constexpr bool keeps_items = true;

  /// Turns each item into the one before it, and says where they differ.
  template <int Neighbours, class It, class T, int LaneItems, class Equal>
  HINDSIGHT_DEVICE static unsigned marks(It in, std::size_t first, std::ptrdiff_t left,
                                         uninitialized<T> (&items)[LaneItems], Equal equal) {
    return cuda::head_flags<Neighbours>(
        in, first, left, items, equal,
        [](uninitialized<T>& item, const T& before) { item.set(before); });
  }
  /// Writes what lies between mark `r` and the next one, or the end of the input.
  template <class T>
  HINDSIGHT_DEVICE void store(std::uint64_t r, std::uint64_t begin, std::uint64_t end,
                              const T& last) {
    unique[r] = last;
    lengths[r] = static_cast<written_number<LengthIt>>(end - begin);
  }
  HINDSIGHT_DEVICE static std::uint64_t count(std::uint64_t num_marks) { return num_marks; }
};

/// Each run of two items or more: its place and its length. Marked are its second item and the item
/// that begins the next run. The two kinds of marks take turns, and the first mark is a second
/// item.
template <class OffsetIt, class LengthIt>
struct runs_of_several {
  OffsetIt offsets;
  LengthIt lengths;
  static constexpr bool keeps_items = false;

  template <int Neighbours, class It, class T, int LaneItems, class Equal>
  HINDSIGHT_DEVICE static unsigned marks(It in, std::size_t first, std::ptrdiff_t left,
                                         uninitialized<T> (&items)[LaneItems], Equal equal) {
    return cuda::head_flag_changes<Neighbours>(in, first, left, items, equal);
  }
  template <class T>
  HINDSIGHT_DEVICE void store(std::uint64_t m, std::uint64_t begin, std::uint64_t end, const T&) {
    if (m % 2 != 0) return;
    offsets[m / 2] = static_cast<written_number<OffsetIt>>(begin - 1);
    lengths[m / 2] = static_cast<written_number<LengthIt>>(end - begin + 1);
  }
  HINDSIGHT_DEVICE static std::uint64_t count(std::uint64_t num_marks) {
    return (num_marks + 1) / 2;
  }
};

template <class T, int TileItems, int Warps>
struct run_length_storage {
  uninitialized<T> closed[TileItems];  ///< the item before each mark
  std::uint16_t places[TileItems];     ///< of marks, counted from the tile's first item
  unsigned warp_counts[Warps];
  int warp_mark_ends[Warps];  ///< one past the warp's last mark, or 0
  chain_storage<runs_begun> chain;
};

/// Finds the runs of equal neighbours, and passes them to `runs_out`.
///   num_runs  [1]
template <class Tuning, class InputIt, class Runs, class CountIt, class Size, class Equal>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void run_length_encode_kernel(InputIt in, Runs runs_out, CountIt num_runs, Size num_items,
                              Equal equal, tile_chain<runs_begun> launched) {
  using T = value_of<InputIt>;
  constexpr tile_shape shape = Tuning::shape;
  constexpr int lane_items = shape.lane_items, neighbours = striped_neighbours<T>;
  HINDSIGHT_SHARED(shared, run_length_storage<T, shape.tile_items(), shape.warps>);
  constexpr runs_begun::plus plus;
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = cuda::chain_of(launched, num_items, n, shape.tile_items());
  if (cuda::found_none(num_items, n, num_runs)) return;

  claimed_items at;
  if (!cuda::claim_items<Tuning, neighbours>(chain, plus, no_init{}, n, shared.chain, at)) return;
  const int warp = cuda::shared_warp_index();
  const std::size_t tile_begin = at.tile * shape.tile_items();

  uninitialized<T> items[lane_items];
  cuda::load_striped<neighbours>(in + at.first, at.left, items);
  const unsigned marks = Runs::template marks<neighbours>(in, at.first, at.left, items, equal);
  const int own_mark_end =
      marks ? at.begin + striped_position<neighbours>(31 - __clz(marks)) + 1 : 0;
  const int warp_count = cuda::warp_sum(__popc(marks));
  const int warp_mark_end = cuda::warp_maximum(own_mark_end);
  if (lane_index() == 0) {
    shared.warp_counts[warp] = warp_count;
    shared.warp_mark_ends[warp] = warp_mark_end;
  }
  __syncthreads();
  const int tile_runs = sum_first(shared.warp_counts, shape.warps);
  int tile_mark_end = 0;
  for (int w = 0; w < shape.warps; ++w)
    tile_mark_end = max(tile_mark_end, shared.warp_mark_ends[w]);
  const auto runs = runs_begun::make(tile_runs, tile_runs > 0 ? tile_begin + tile_mark_end - 1 : 0);
  if (threadIdx.x == 0) cuda::publish(chain, at.tile, runs);

  // Stage what each mark closes while the carry is on its way.
  const int runs_in_tile_before = sum_first(shared.warp_counts, warp);
  cuda::rank_striped<neighbours, lane_items>(
      marks, runs_in_tile_before, [&](int i, bool is_marked, int r) {
        if (!is_marked) return;
        if constexpr (Runs::keeps_items) shared.closed[r].set(items[i].get());
        shared.places[r] = static_cast<std::uint16_t>(at.begin + striped_position<neighbours>(i));
      });
  cuda::look_back<shape.warps>(chain, at.tile, runs, plus, no_init{}, shared.chain);
  __syncthreads();

  // Mark r of the tile closes run `runs_before + r - 1` of the input.
  const runs_begun before = at.tile > 0 ? shared.chain.carry.get() : runs_begun::make(0, 0);
  for (int r = threadIdx.x; r < tile_runs; r += shape.block_threads()) {
    const std::uint64_t run = before.count() + r;
    if (run == 0) continue;
    const std::uint64_t begin = r > 0 ? tile_begin + shared.places[r - 1] : before.last_begin();
    runs_out.store(run - 1, begin, tile_begin + shared.places[r], shared.closed[r].get());
  }
  if (threadIdx.x == 0 && at.tile + 1 == chain.num_tiles) {
    const std::uint64_t total = before.count() + tile_runs;
    const std::uint64_t begin =
        tile_runs > 0 ? tile_begin + shared.places[tile_runs - 1] : before.last_begin();
    if (total > 0) runs_out.store(total - 1, begin, n, cuda::item_at(in, n - 1).get());
    *num_runs = Runs::count(total);
  }
}

/// Host side, in CUB's two phases. The outputs must not overlap the input or each other.
template <class InputIt, class Runs, class CountIt, class Size, class Equal>
cudaError_t encode_runs(temporary_memory temp, std::size_t& temp_bytes, InputIt in, Runs runs_out,
                        CountIt num_runs, Size num_items, Equal equal, cudaStream_t stream) {
  using tuning = run_length_tuning<value_of<InputIt>>;
  const std::size_t n = detail::most_items(num_items);
  carver space{temp};
  tile_chain<runs_begun> chain{space, n, tuning::shape.tile_items()};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0) return cuda::store(0, num_runs, stream);
  const auto input = cuda::unwrap(in);
  if constexpr (!is_deferred<Size>) {
    bool launched = false;
    HINDSIGHT_TRY((cuda::encode_runs_in_pipeline<tuning>(space, input, runs_out, num_runs, n, equal,
                                                         chain, stream, launched)));
    if (launched) return detail::reported(cudaPeekAtLastError());
  }
  const auto size = cuda::unwrap_size(num_items);
  constexpr auto kernel = run_length_encode_kernel<tuning, unwrapped<InputIt>, Runs, CountIt,
                                                   unwrapped_size<Size>, Equal>;
  constexpr int block_threads = tuning::shape.block_threads();
  HINDSIGHT_TRY(chain.prepare(space, stream));
  return HINDSIGHT_LAUNCH_TILES(chain, block_threads, stream, kernel)(input, runs_out, num_runs,
                                                                      size, equal, chain);
}

/// For run r of equal neighbours: unique[r] = its last item, lengths[r] = its length.
template <class InputIt, class UniqueIt, class LengthIt, class CountIt, class Size, class Equal>
cudaError_t run_length_encode(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                              UniqueIt unique, LengthIt lengths, CountIt num_runs, Size n,
                              Equal equal, cudaStream_t stream) {
  const every_run<unwrapped<UniqueIt>, unwrapped<LengthIt>> runs{cuda::unwrap(unique),
                                                                 cuda::unwrap(lengths)};
  return cuda::encode_runs(temp, temp_bytes, in, runs, num_runs, n, equal, stream);
}

/// For run r of two items or more: offsets[r] = where it begins, lengths[r] = its length.
template <class InputIt, class OffsetIt, class LengthIt, class CountIt, class Size, class Equal>
cudaError_t non_trivial_runs(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                             OffsetIt offsets, LengthIt lengths, CountIt num_runs, Size n,
                             Equal equal, cudaStream_t stream) {
  const runs_of_several<unwrapped<OffsetIt>, unwrapped<LengthIt>> runs{cuda::unwrap(offsets),
                                                                       cuda::unwrap(lengths)};
  if constexpr (!is_deferred<Size>) {
    if (n < 2) n = 0;  // one item is no run of several: as in CUB, nobody reads it
  }
  return cuda::encode_runs(temp, temp_bytes, in, runs, num_runs, n, equal, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
