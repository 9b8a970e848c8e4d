// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass selection and partition: a tile counts what it keeps, looks back for how many were
// kept before it, and writes each item to its place.
// Source: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
#pragma once

#include <hindsight/detail/cuda/block/claimed_items.cuh>
#include <hindsight/detail/cuda/block/existing_items.cuh>
#include <hindsight/detail/cuda/block/head_flags.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/select_outputs.cuh>
#include <hindsight/detail/cuda/select_pipeline.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class T, int TileItems, int Warps>
struct select_storage {
  alignas(T) alignas(16)
      staging_slot<T> staged[TileItems + staging_slack<T>];  ///< selected, then rejected
  unsigned warp_counts[Warps];
  chain_storage<std::uint64_t> chain;
};

/// Bit i: item i of this lane is selected. Places past the end may have any bit.
template <int Neighbours, class InputIt, class StencilIt, class T, int LaneItems, class Predicate>
HINDSIGHT_DEVICE unsigned selected_bits(InputIt in, StencilIt stencil, const claimed_items& at,
                                        uninitialized<T> (&items)[LaneItems],
                                        Predicate& predicate) {
  if constexpr (std::is_same_v<StencilIt, input_is_stencil>) {
    return cuda::bits_where(items, existing_items<Neighbours, LaneItems>(at.left), predicate);
  } else if constexpr (std::is_same_v<StencilIt, heads_are_selected>) {
    return cuda::head_flags<Neighbours>(in, at.first, at.left, items, predicate,
                                        [](auto&&, auto&&) {});
  } else {
    unsigned bits = 0;
    using Mark = value_of<StencilIt>;
    constexpr int count = LaneItems < marks_at_once<T, Mark> ? LaneItems : marks_at_once<T, Mark>;
    static_assert(LaneItems % count == 0 && count % Neighbours == 0, "whole rows, no others");
    HINDSIGHT_ROLL
    for (int begin = 0; begin < LaneItems; begin += count) {
      const int place = striped_position<Neighbours>(begin);
      uninitialized<Mark> marks[count];
      cuda::load_striped<Neighbours, asks_all_slots<Predicate>>(stencil + at.first + place,
                                                                at.left - place, marks);
      const unsigned exist = existing_items<Neighbours, count>(at.left - place);
      const unsigned some = cuda::bits_where(marks, exist, predicate);
      bits |= some << begin;
    }
    return bits;
  }
}

/// What a selection reads and writes.
template <class InputIt, class StencilIt, class Rejected>
HINDSIGHT_HD constexpr select_memory memory_of_selection() {
  constexpr bool has_marks = !std::is_same_v<StencilIt, input_is_stencil> &&
                             !std::is_same_v<StencilIt, heads_are_selected>;
  if (!std::is_pointer_v<InputIt> || (has_marks && !std::is_pointer_v<StencilIt>))
    return select_memory::any;
  return has_marks || goes_elsewhere<Rejected> ? select_memory::arrays : select_memory::one_array;
}

/// selected[k] = the k-th in[i] with predicate(stencil[i]), or the k-th head of a run; the others
/// as `rejected` says.
///   num_selected  [1]
///   launched      the chain, which carries the number of selected items
template <class Tuning, class InputIt, class StencilIt, class SelectedIt, class Rejected,
          class Predicate, class CountIt, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(),
                         (min_select_blocks<Tuning, value_of<InputIt>,
                                            memory_of_selection<InputIt, StencilIt, Rejected>()>()))
void select_kernel(InputIt in, StencilIt stencil, SelectedIt selected, Rejected rejected,
                   CountIt num_selected, Size num_items, Predicate predicate,
                   tile_chain<std::uint64_t, hand_over::memory> launched) {
  using T = value_of<InputIt>;
  constexpr tile_shape shape = Tuning::shape;
  constexpr int lane_items = shape.lane_items, neighbours = striped_neighbours<T>;
  constexpr bool keeps_rejected = !std::is_same_v<Rejected, discard_rejected>;
  HINDSIGHT_SHARED(shared, select_storage<T, shape.tile_items(), shape.warps>);
  constexpr ::cuda::std::plus<std::uint64_t> plus;
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = cuda::chain_of(launched, num_items, n, shape.tile_items());
  if (cuda::found_none(num_items, n, num_selected)) return;

  claimed_items at;
  if (!cuda::claim_items<Tuning, neighbours>(chain, plus, no_init{}, n, shared.chain, at)) return;
  const int warp = cuda::shared_warp_index();
  const std::size_t tile_begin = at.tile * shape.tile_items();
  const int tile_count =
      static_cast<int>(::cuda::std::min<std::size_t>(n - tile_begin, shape.tile_items()));

  constexpr bool needs_values = keeps_rejected || std::is_same_v<StencilIt, heads_are_selected>;
  uninitialized<T> items[lane_items];
  cuda::load_striped_through<neighbours, needs_values>(shared.staged + warp * shape.warp_items(),
                                                       in + at.first, at.left, items);
  unsigned keeps = cuda::selected_bits<neighbours>(in, stencil, at, items, predicate);
  chain.order_memory();  // all items have arrived before the count that lets later tiles write
  keeps &= existing_items<neighbours, lane_items>(at.left);
  const int warp_count = cuda::warp_sum(__popc(keeps));
  if (lane_index() == 0) shared.warp_counts[warp] = warp_count;
  __syncthreads();
  const int tile_selected = sum_first(shared.warp_counts, shape.warps);
  if (threadIdx.x == 0) cuda::publish(chain, at.tile, std::uint64_t(tile_selected));

  // Stage the items while the carry is on its way. Places past the end go behind the rejected
  // items.
  const int rejected_begin = aligned_place<T>(tile_selected);
  const int selected_before = sum_first(shared.warp_counts, warp);
  cuda::rank_striped<neighbours, lane_items>(
      keeps, selected_before, [&](int i, bool keep, int rank) {
        const int rejected_rank = at.begin + striped_position<neighbours>(i) - rank;
        if (keep || keeps_rejected)
          shared.staged[keep ? rank : rejected_begin + rejected_rank].set(items[i].get());
      });
  cuda::look_back<shape.warps>(chain, at.tile, std::uint64_t(tile_selected), plus, no_init{},
                               shared.chain);
  __syncthreads();

  const std::size_t carry = at.tile > 0 ? shared.chain.carry.get() : 0;
  store_staged<shape.block_threads()>(shared.staged, tile_selected, selected + carry);
  if constexpr (keeps_rejected) {
    rejected.template store<shape.block_threads()>(shared.staged + rejected_begin,
                                                   tile_count - tile_selected, tile_begin - carry);
  }
  if (threadIdx.x == 0 && at.tile + 1 == chain.num_tiles) *num_selected = carry + tile_selected;
}

/// Host side of copy_if and partition_copy, in CUB's two phases. The outputs must not overlap the
/// input, except that `selected` may be the input itself.
template <class InputIt, class StencilIt, class SelectedIt, class Rejected, class CountIt,
          class Size, class Predicate>
cudaError_t select(temporary_memory temp, std::size_t& temp_bytes, InputIt in, StencilIt stencil,
                   SelectedIt selected, Rejected rejected, CountIt num_selected, Size num_items,
                   Predicate predicate, cudaStream_t stream) {
  using tuning = select_tuning<value_of<InputIt>>;
  const std::size_t n = detail::most_items(num_items);
  const auto input = cuda::unwrap(in);
  const auto marks = cuda::unwrap(stencil);
  const auto output = cuda::unwrap(selected);
  const bool in_place = cuda::may_overlap(input, output, n) || cuda::may_overlap(marks, output, n);
  carver space{temp};
  tile_chain<std::uint64_t, hand_over::memory> chain{
      space, n, tuning::shape.tile_items(), in_place ? hand_over::memory : hand_over::values};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (n == 0) return cuda::store(0, num_selected, stream);
  if constexpr (std::is_same_v<StencilIt, input_is_stencil> && !is_deferred<Size>) {
    bool launched = false;
    HINDSIGHT_TRY(cuda::select_in_pipeline<tuning>(temp, input, output, rejected, num_selected, n,
                                                   predicate, chain.hands_over, stream, launched));
    if (launched) return detail::reported(cudaPeekAtLastError());
  }
  const auto size = cuda::unwrap_size(num_items);
  constexpr auto kernel =
      select_kernel<tuning, unwrapped<InputIt>, unwrapped<StencilIt>, unwrapped<SelectedIt>,
                    Rejected, Predicate, CountIt, unwrapped_size<Size>>;
  constexpr int block_threads = tuning::shape.block_threads();
  HINDSIGHT_TRY(chain.prepare(space, stream));
  return HINDSIGHT_LAUNCH_TILES(chain, block_threads, stream, kernel)(
      input, marks, output, rejected, num_selected, size, predicate, chain);
}

/// Where the r-th rejected item of an in-place partition ends up.
struct in_input_order {  ///< stable_partition
  static HINDSIGHT_DEVICE std::size_t place(std::size_t r, std::size_t num_selected, std::size_t) {
    return num_selected + r;
  }
};
struct from_the_end {  ///< partition, as stock's CUDA backend has it
  static HINDSIGHT_DEVICE std::size_t place(std::size_t r, std::size_t, std::size_t n) {
    return n - 1 - r;
  }
};

/// to[place(r)] = parked[r] for the rejected items; their number is only known on the device.
template <class Order, class T, class It, class CountIt, class Size>
HINDSIGHT_KERNEL void unpark_kernel(const T* parked, It to, const std::size_t* num_selected,
                                    CountIt num_selected_out, Size num_items) {
  ptx::wait_for_launch_before();
  const std::size_t n = detail::read_items(num_items);
  const std::size_t selected = *num_selected;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t begin = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  for (std::size_t r = begin; r < n - selected; r += step)
    to[Order::place(r, selected, n)] = parked[r];
  if (begin == 0) *num_selected_out = selected;
}

/// The first item of every run of equal neighbours, in CUB's two phases. `out` may be `in`.
template <class InputIt, class OutputIt, class CountIt, class Size, class Equal>
cudaError_t unique(temporary_memory temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                   CountIt num_runs, Size n, Equal equal, cudaStream_t stream) {
  return cuda::select(temp, temp_bytes, in, heads_are_selected{}, out, discard_rejected{}, num_runs,
                      n, equal, stream);
}

/// Partition in place, in CUB's two phases: selected items move to the front of the range, rejected
/// ones by way of temporary memory [n] to its end. The stencil must not overlap the range.
template <class Order, class It, class StencilIt, class CountIt, class Size, class Predicate>
cudaError_t partition_in_place(void* temp, std::size_t& temp_bytes, It first, StencilIt stencil,
                               CountIt num_selected, Size num_items, Predicate predicate,
                               cudaStream_t stream) {
  using T = value_of<It>;
  const std::size_t n = detail::most_items(num_items);
  carver space{temp};
  T* const parked = space.take<T>(n);
  std::size_t* const selected = space.take<std::size_t>(1);
  cuda::nested_call partition{[&](void* buffer, std::size_t& bytes) {
    return cuda::select(buffer, bytes, first, stencil, first, keep_rejected<T*>{parked}, selected,
                        num_items, predicate, stream);
  }};
  HINDSIGHT_TRY(partition.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  HINDSIGHT_TRY(partition());
  const std::size_t blocks = (n + plain_threads) / plain_threads;
  const auto to = cuda::unwrap(first);
  const auto size = cuda::unwrap_size(num_items);
  constexpr auto unpark = unpark_kernel<Order, T, unwrapped<It>, CountIt, unwrapped_size<Size>>;
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(::cuda::std::min(blocks, unpark_blocks)),
                               plain_threads, 0, stream,
                               unpark)(parked, to, selected, num_selected, size);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
