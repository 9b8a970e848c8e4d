// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass partition into three: as select.cuh, with two counts in the carry.
#pragma once

#include <hindsight/detail/cuda/block/claimed_items.cuh>
#include <hindsight/detail/cuda/block/existing_items.cuh>
#include <hindsight/detail/cuda/block/pair_of_48.cuh>
#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/tuning/select.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How many items went to the first part, and how many to the second.
class part_counts {
 public:
  HINDSIGHT_DEVICE static part_counts make(std::uint64_t first, std::uint64_t second) {
    part_counts counts;
    counts.numbers_ = pair_of_48::make(first, second);
    return counts;
  }
  HINDSIGHT_DEVICE std::uint64_t first() const { return numbers_.first(); }
  HINDSIGHT_DEVICE std::uint64_t second() const { return numbers_.second(); }

  struct plus {
    HINDSIGHT_DEVICE part_counts operator()(const part_counts& a, const part_counts& b) const {
      return make(a.first() + b.first(), a.second() + b.second());
    }
  };

 private:
  pair_of_48 numbers_;
};

template <class T, int TileItems, int Warps>
struct three_way_storage {
  alignas(T) alignas(16)
      uninitialized<T> staged[TileItems + 2 * staging_slack<T>];  ///< part after part
  unsigned warp_counts[Warps];  ///< of the first part, and 65536 times those of the second
  chain_storage<part_counts> chain;
};

/// Bit i of a member: item i of this lane belongs to that part.
struct part_bits {
  unsigned first = 0, second = 0, rest = 0;
};

/// Bit i of `existing`: there is an item i.
template <class T, int LaneItems, class IsFirst, class IsSecond>
HINDSIGHT_DEVICE part_bits parts_of(uninitialized<T> (&items)[LaneItems], unsigned existing,
                                    IsFirst& is_first, IsSecond& is_second) {
  part_bits bits;
  cuda::visit_existing<LaneItems>(existing, [&](int i) {
    T& item = items[i].ref();
    if (is_first(item)) {
      bits.first |= 1u << i;
    } else if (is_second(item)) {
      bits.second |= 1u << i;
    }
  });
  bits.rest = existing & ~bits.first & ~bits.second;
  return bits;
}

/// Items with is_first() go to the first part, of the others those with is_second() to the second,
/// and what is left to the rest. Each part has the input's order.
///   num_selected  [2]: how many went to the first part and to the second
template <class Tuning, class InputIt, class FirstIt, class SecondIt, class RestIt, class IsFirst,
          class IsSecond, class CountIt, class Size>
HINDSIGHT_BOUNDED_KERNEL(Tuning::shape.block_threads(), Tuning::min_blocks)
void three_way_partition_kernel(InputIt in, FirstIt first_out, SecondIt second_out, RestIt rest_out,
                                CountIt num_selected, Size num_items, IsFirst is_first,
                                IsSecond is_second, tile_chain<part_counts> launched) {
  using T = value_of<InputIt>;
  constexpr tile_shape shape = Tuning::shape;
  constexpr int lane_items = shape.lane_items, neighbours = striped_neighbours<T>;
  constexpr int block_threads = shape.block_threads();
  static_assert(shape.tile_items() < 1 << 16, "two counts share a word");
  HINDSIGHT_SHARED(shared, three_way_storage<T, shape.tile_items(), shape.warps>);
  constexpr part_counts::plus plus;
  const std::size_t n = detail::read_items(num_items);
  const auto& chain = cuda::chain_of(launched, num_items, n, shape.tile_items());
  cuda::found_none(num_items, n, num_selected + 1);
  if (cuda::found_none(num_items, n, num_selected)) return;

  claimed_items at;
  if (!cuda::claim_items<Tuning, neighbours>(chain, plus, no_init{}, n, shared.chain, at)) return;
  const int warp = warp_index();
  const std::size_t tile_begin = at.tile * shape.tile_items();

  uninitialized<T> items[lane_items];
  cuda::load_striped<neighbours>(in + at.first, at.left, items);
  const part_bits bits =
      cuda::parts_of(items, existing_items<neighbours, lane_items>(at.left), is_first, is_second);
  const unsigned warp_count = cuda::warp_sum(__popc(bits.first) | __popc(bits.second) << 16);
  if (lane_index() == 0) shared.warp_counts[warp] = warp_count;
  __syncthreads();
  const unsigned tile_counts = sum_first(shared.warp_counts, shape.warps);
  const unsigned num_first = tile_counts & 0xffff, num_second = tile_counts >> 16;
  const part_counts counts = part_counts::make(num_first, num_second);
  if (threadIdx.x == 0) cuda::publish(chain, at.tile, counts);

  // Stage the items while the carry is on its way.
  uninitialized<T>* const staged_second = shared.staged + aligned_place<T>(num_first);
  uninitialized<T>* const staged_rest = staged_second + aligned_place<T>(num_second);
  const unsigned before = sum_first(shared.warp_counts, warp);
  const unsigned first_before = before & 0xffff, second_before = before >> 16;
  const auto stage = [&](unsigned part, int rank_before, uninitialized<T>* to) {
    cuda::rank_striped<neighbours, lane_items>(part, rank_before,
                                               [&](int i, bool is_in_part, int rank) {
                                                 if (is_in_part) to[rank].set(items[i].get());
                                               });
  };
  stage(bits.first, first_before, shared.staged);
  stage(bits.second, second_before, staged_second);
  stage(bits.rest, warp * shape.warp_items() - first_before - second_before, staged_rest);
  cuda::look_back<shape.warps>(chain, at.tile, counts, plus, no_init{}, shared.chain);
  __syncthreads();

  const part_counts carry = at.tile > 0 ? shared.chain.carry.get() : part_counts::make(0, 0);
  const auto tile_count = ::cuda::std::min<std::size_t>(n - tile_begin, shape.tile_items());
  store_staged<block_threads>(shared.staged, num_first, first_out + carry.first());
  store_staged<block_threads>(staged_second, num_second, second_out + carry.second());
  store_staged<block_threads>(staged_rest, static_cast<int>(tile_count - num_first - num_second),
                              rest_out + (tile_begin - carry.first() - carry.second()));
  if (threadIdx.x == 0 && at.tile + 1 == chain.num_tiles) {
    num_selected[0] = carry.first() + num_first;
    num_selected[1] = carry.second() + num_second;
  }
}

/// Host side, in CUB's two phases. The outputs must not overlap the input or each other.
template <class InputIt, class FirstIt, class SecondIt, class RestIt, class CountIt, class Size,
          class IsFirst, class IsSecond>
cudaError_t three_way_partition(temporary_memory temp, std::size_t& temp_bytes, InputIt in,
                                FirstIt first_out, SecondIt second_out, RestIt rest_out,
                                CountIt num_selected, Size num_items, IsFirst is_first,
                                IsSecond is_second, cudaStream_t stream) {
  const std::size_t n = detail::most_items(num_items);
  using tuning = select_tuning<value_of<InputIt>>;
  carver space{temp};
  tile_chain<part_counts> chain{space, n, tuning::shape.tile_items()};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  const auto counts = cuda::unwrap(num_selected);
  if (n == 0) {
    HINDSIGHT_TRY(cuda::store(0, counts, stream));
    return cuda::store(0, counts + 1, stream);
  }
  const auto input = cuda::unwrap(in);
  const auto first_to = cuda::unwrap(first_out);
  const auto second_to = cuda::unwrap(second_out);
  const auto rest_to = cuda::unwrap(rest_out);
  const auto size = cuda::unwrap_size(num_items);
  constexpr auto kernel =
      three_way_partition_kernel<tuning, unwrapped<InputIt>, unwrapped<FirstIt>,
                                 unwrapped<SecondIt>, unwrapped<RestIt>, IsFirst, IsSecond,
                                 unwrapped<CountIt>, unwrapped_size<Size>>;
  constexpr int block_threads = tuning::shape.block_threads();
  HINDSIGHT_TRY(chain.prepare(space, stream));
  return HINDSIGHT_LAUNCH_TILES(chain, block_threads, stream, kernel)(
      input, first_to, second_to, rest_to, counts, size, is_first, is_second, chain);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
