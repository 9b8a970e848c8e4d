// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work whose items have any number of outputs each, balanced over warps. The outputs of an item
// are a segment; all warps take equal numbers of outputs and ends of segments together.
// Source: Baxter 2013, "Modern GPU", load-balancing search.
#pragma once

#include <hindsight/detail/cuda/block/segment_search.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/merged_segments.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/ptx.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda/std/utility>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Whether F copies items to outputs, as copy_to_output does, and an item may be loaded before
/// earlier outputs are stored.
template <class F>
inline constexpr bool loads_ahead = false;

/// A distance that is counted in 32 bits: all long ones are equal.
HINDSIGHT_DEVICE int clipped(std::size_t distance) {
  constexpr std::size_t most = 1 << 30;
  return static_cast<int>(::cuda::std::min(distance, most));
}

/// Where a warp has come to in the merged sequence of outputs and ends: to the output `item`, which
/// belongs to `segment`, or to ends of segments that have no output from there on.
struct output_cursor {
  std::size_t item, segment;
  HINDSIGHT_DEVICE std::size_t position() const { return item + segment; }
};

/// A warp's tile: which segment each of its outputs belongs to.
template <int TileItems>
class output_owners {
 public:
  /// Finds the owners of the outputs [from.item, end), as far as they are among the first
  /// `last_member` members. Returns the cursor behind them. Called by a full warp.
  template <class Tuning, class OffsetIt>
  HINDSIGHT_DEVICE output_cursor find(const merged_segments<OffsetIt>& merged,
                                      const output_cursor& from, std::size_t end,
                                      std::size_t last_member) {
    // From here on counted from the tile's beginning, in words of 32 bits.
    const int num_outputs = static_cast<int>(end - from.item);
    const int num_members = cuda::clipped(last_member - from.position());
    int num_ended = 0, open_since = 0;
    clear();
    for (bool all_end = true; all_end;) {
      int ends[Tuning::offsets_at_once];
      HINDSIGHT_UNROLL
      for (int k = 0; k < Tuning::offsets_at_once; ++k) {
        const std::size_t s = from.segment + num_ended + k * warp_lanes + lane_index();
        ends[k] = s < merged.num_segments() ? cuda::clipped(merged.end(s) - from.item)
                                            : cuda::clipped(~std::size_t{0});
      }
      HINDSIGHT_UNROLL
      for (int k = 0; k < Tuning::offsets_at_once && all_end; ++k) {
        const int rank = num_ended + lane_index();
        const int left = cuda::shuffle_up(ends[k], 1);
        const int begin = lane_index() > 0 ? left : open_since;
        if (begin < ends[k] && begin < num_outputs && rank > 0) ranks_[begin] = rank;
        const int count = __popc(
            __ballot_sync(all_lanes, ends[k] <= num_outputs && ends[k] + rank < num_members));
        if (count > 0) open_since = cuda::shuffle_from(ends[k], count - 1);
        num_ended += count;
        all_end = count == warp_lanes;
      }
    }
    __syncwarp();
    if (num_ended > 0) spread();
    const int item = ::cuda::std::min(num_outputs, num_members - num_ended);
    return {from.item + item, from.segment + num_ended};
  }
  /// How many segments of the tile come before the owner of output i.
  HINDSIGHT_DEVICE int rank(int i) const { return ranks_[i]; }

 private:
  static constexpr int row = 4 * warp_lanes;

  /// The lane's four of the 128 outputs from `first` on.
  HINDSIGHT_DEVICE int4& of_lane(int first) {
    return *reinterpret_cast<int4*>(ranks_ + first + 4 * lane_index());
  }
  HINDSIGHT_DEVICE void clear() {
    HINDSIGHT_UNROLL
    for (int i = 0; i < TileItems; i += row) of_lane(i) = int4{0, 0, 0, 0};
    __syncwarp();
  }
  /// From the first outputs of the segments to all others. (Ranks grow: the largest so far is that
  /// of the last segment.)
  HINDSIGHT_DEVICE void spread() {
    int last = 0;
    HINDSIGHT_UNROLL
    for (int i = 0; i < TileItems; i += row) {
      int4 ranks = of_lane(i);
      ranks.y = ::cuda::std::max(ranks.x, ranks.y);
      ranks.z = ::cuda::std::max(ranks.y, ranks.z);
      ranks.w = ::cuda::std::max(ranks.z, ranks.w);
      const unsigned lanes = __ballot_sync(all_lanes, ranks.w != 0);
      const unsigned left = lanes & ptx::lanes_below();
      const int of_left = cuda::shuffle_from(ranks.w, 31 - __clz(static_cast<int>(left)));
      const int before = left != 0 ? of_left : last;
      const int of_last = cuda::shuffle_from(ranks.w, 31 - __clz(static_cast<int>(lanes)));
      if (lanes != 0) last = of_last;
      ranks.x = ::cuda::std::max(ranks.x, before);
      ranks.y = ::cuda::std::max(ranks.y, before);
      ranks.z = ::cuda::std::max(ranks.z, before);
      ranks.w = ::cuda::std::max(ranks.w, before);
      of_lane(i) = ranks;
    }
    __syncwarp();
  }

  alignas(16) int ranks_[TileItems];
};

/// The same where no segment ends in the tile.
struct one_owner {
  HINDSIGHT_DEVICE int rank(int) const { return 0; }
};

/// Calls f for the outputs of a tile. What several of a lane's outputs need is loaded before f is
/// called for the first of them. Called by a full warp.
template <class Tuning, class OffsetIt, class Owners, class F>
HINDSIGHT_DEVICE void visit_outputs(const merged_segments<OffsetIt>& merged,
                                    const output_cursor& tile, int num_outputs,
                                    const Owners& owners, F& f) {
  constexpr int at_once = loads_ahead<F> ? Tuning::copied_at_once : Tuning::visited_at_once;
  const std::size_t first_output = merged.first() + tile.item;
  for (int row = lane_index(); row < num_outputs; row += at_once * warp_lanes) {
    const auto exists = [&](int k) { return row + k * warp_lanes < num_outputs; };
    const auto rank = [&](int k) { return owners.rank(row + k * warp_lanes); };
    if constexpr (loads_ahead<F>) {
      const auto* const items = ptx::summed_up(cuda::unwrap(f.items_from(tile.segment)));
      const auto out = f.outputs_from(first_output + row);
      typename F::item_type values[at_once];
      HINDSIGHT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        if (exists(k)) values[k] = items[rank(k)];
      }
      HINDSIGHT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        if (exists(k)) out[k * warp_lanes] = ::cuda::std::as_const(values[k]);
      }
    } else {
      std::size_t begins[at_once];
      HINDSIGHT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        if (exists(k)) begins[k] = merged.begin(tile.segment + rank(k));
      }
      HINDSIGHT_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const int place = row + k * warp_lanes;
        if (exists(k))
          f(tile.segment + rank(k), tile.item + place - begins[k], first_output + place);
      }
    }
  }
}

/// Where nobody asks for the number of outputs.
struct no_end {};

/// *out = count, in the type of out's items if they have one.
template <class It>
HINDSIGHT_DEVICE void store_count(std::size_t count, It out) {
  if constexpr (only_writes<It>) {
    *out = count;
  } else {
    *out = static_cast<value_of<It>>(count);
  }
}

/// f(s, j - offsets[s], j) for each segment s and each j in [offsets[s], offsets[s + 1]).
///   offsets  [num_segments + 1]
///   end_out  [1], the last offset; or no_end
template <class Tuning, class OffsetIt, class Size, class F, class EndIt>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void for_each_output_kernel(OffsetIt offsets, Size num_segments, F f, EndIt end_out) {
  ptx::wait_for_launch_before();
  constexpr int tile_items = Tuning::shape.warp_items();
  struct tiles {
    output_owners<tile_items> of_warps[Tuning::shape.warps];
  };
  HINDSIGHT_SHARED(shared, tiles);
  const merged_segments<OffsetIt> merged{offsets, detail::read_items(num_segments)};
  if constexpr (!std::is_same_v<EndIt, no_end>) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
      cuda::store_count(merged.first() + merged.num_items(), end_out);
  }
  const std::size_t warp = std::size_t{blockIdx.x} * Tuning::shape.warps + shared_warp_index();
  const std::size_t num_members = output_chunk_members<Tuning>(merged.total());
  const std::size_t begin = warp * num_members;
  if (begin >= merged.total()) return;
  const std::size_t last_member = ::cuda::std::min(begin + num_members, merged.total());
  output_owners<tile_items>& owners = shared.of_warps[warp_index()];

  segment_search<segment_ends<OffsetIt>> search{{merged}, begin};
  search.finish();
  output_cursor cursor{begin - search.low, search.low};
  while (cursor.position() < last_member) {
    const output_cursor tile = cursor;
    // Warps write whole lines, if out[0] begins one.
    const std::size_t misplaced = (merged.first() + tile.item) % warp_lanes;
    const std::size_t end =
        ::cuda::std::min(tile.item + (tile_items - misplaced), merged.num_items());
    cursor = owners.template find<Tuning>(merged, tile, end, last_member);
    if (cursor.position() <= tile.position()) return;  // offsets that decrease lead nowhere
    const int num_outputs = static_cast<int>(cursor.item - tile.item);
    if (cursor.segment == tile.segment) {
      cuda::visit_outputs<Tuning>(merged, tile, num_outputs, one_owner{}, f);
    } else {
      cuda::visit_outputs<Tuning>(merged, tile, num_outputs, owners, f);
    }
    __syncwarp();
  }
}

template <class OffsetIt, class F>
cudaError_t for_each_output(OffsetIt offsets, std::size_t num_segments, F f, cudaStream_t stream) {
  using tuning = output_tuning<std::size_t>;
  if (num_segments == 0) return cudaSuccess;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(tuning::blocks), tuning::shape.block_threads(), 0, stream,
                   for_each_output_kernel<tuning>)
  (cuda::unwrap(offsets), num_segments, f, no_end{});
  return detail::reported(cudaPeekAtLastError());
}

/// The same for items of which counts say how many outputs they have, in CUB's two phases. Offsets
/// are made in temporary memory.
///   counts      [n + 1], the last one 0
///   num_counts  n + 1, known to the host or read on the device, as num_items is
///   end_out     [1], the number of outputs
template <class CountIt, class Size, class NumCounts, class F, class EndIt>
cudaError_t for_each_counted_output(temporary_memory temp, std::size_t& temp_bytes, CountIt counts,
                                    Size num_items, NumCounts num_counts, F f, EndIt end_out,
                                    cudaStream_t stream) {
  using tuning = output_tuning<std::size_t>;
  cuda::nested_call make_offsets{[&](temporary_memory buffer, std::size_t& bytes,
                                     std::size_t* offsets) {
    return cuda::scan<std::size_t, exclusive, false>(buffer, bytes, counts, offsets, num_counts,
                                                     ::cuda::std::plus<>{}, std::size_t{0}, stream);
  }};
  carver space{temp};
  HINDSIGHT_TRY(make_offsets.take_memory(space, nullptr));
  auto* const offsets = space.take<std::size_t>(detail::most_items(num_counts));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  HINDSIGHT_TRY(make_offsets(offsets));
  const auto size = cuda::unwrap_size(num_items);
  const auto end = cuda::unwrap(end_out);
  constexpr auto kernel =
      for_each_output_kernel<tuning, const std::size_t*, unwrapped_size<Size>, F, unwrapped<EndIt>>;
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(tuning::blocks), tuning::shape.block_threads(),
                               0, stream, kernel)(offsets, size, f, end);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
