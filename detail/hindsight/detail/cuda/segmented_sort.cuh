// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host side of sorts of segments. Small items move in each pass of a merge sort. Larger ones stay
// where they are while their indices move in the passes, and move once at the end. Numbers in
// segments that are not short take a radix sort.
#pragma once

#include <hindsight/detail/cuda/comparison_sort.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/segment_map.cuh>
#include <hindsight/detail/cuda/segmented_merge_sort.cuh>
#include <hindsight/detail/cuda/segmented_radix_sort.cuh>
#include <hindsight/detail/cuda/sort_each_segment.cuh>
#include <hindsight/detail/cuda/sort_whole_segments.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/tuning/plain.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Memory of a sort of few items in segments by offsets: steps of them, and merges.
template <class Tuning, class Range>
struct memory_of_few {
  std::size_t num_steps;
  Range buffer{nullptr, nullptr};
  few_segments few;

  memory_of_few(carver& space, std::size_t n)
      : num_steps{(n + std::size_t{Tuning::tile_items} - 1) / std::size_t{Tuning::tile_items}} {
    using key = std::remove_pointer_t<decltype(buffer.keys)>;
    using value = std::remove_pointer_t<decltype(buffer.values)>;
    buffer.keys = space.take<key>(n);
    if (Range::has_values) buffer.values = space.take<value>(n);
    few.counters = space.take<phased_work::counters>(1);
    few.map = {space.take<crossing_segment>(num_steps + 1), space.take<segment_map::extent>(1)};
  }
};

/// merge_sort_segments() of few items in segments by offsets, in two launches; in one, if they fit
/// a tile.
template <class Tuning, class In, class Key, class Value, class OffsetIt, class Compare>
cudaError_t sort_whole_segments(void* temp, std::size_t& temp_bytes, In in,
                                item_range<Key, Value> out, std::size_t n,
                                const map_of_offsets<OffsetIt>& segments, Compare compare,
                                cudaStream_t stream) {
  using range = item_range<Key, Value>;
  using steps = merge_tuning_of_steps<Tuning>;
  constexpr auto sort = sort_whole_segments_kernel<Tuning, In, range, OffsetIt, Compare>;
  constexpr std::size_t sort_bytes = sizeof(sort_whole_storage<Tuning, typename range::item>);
  carver space{temp};
  const memory_of_few<steps, range> memory{space, n};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  const std::size_t num_blocks = n <= std::size_t{Tuning::tile_items} ? 1 : memory.num_steps;
  HINDSIGHT_TRY(allow_shared_bytes(sort, sort_bytes));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_blocks), Tuning::block_threads, sort_bytes, stream,
                   sort)
  (in, out, memory.buffer, segments.offsets, segments.num_segments, memory.few, compare);
  HINDSIGHT_TRY(cudaPeekAtLastError());
  if (num_blocks == 1) return cudaSuccess;
  return cuda::merge_segments<steps>(out, memory.buffer, memory.few.map, nullptr, n,
                                     memory.few.counters, compare, stream);
}

/// The same for numbers, whose segments are sorted by digits.
template <class Direction, class Key, class Value, class OffsetIt, class Compare>
cudaError_t sort_each_segment(void* temp, std::size_t& temp_bytes,
                              item_range<Key, Value, const Key*, const Value*> in,
                              item_range<Key, Value> out, std::size_t n,
                              const map_of_offsets<OffsetIt>& segments, digit_passes passes,
                              Compare compare, cudaStream_t stream) {
  using tuning = typename each_segment_tuning<Key, Value>::in_block;
  using steps = merge_tuning_of_steps<merge_sort_tuning_of_few<Key, Value>>;
  using range = item_range<Key, Value>;
  constexpr auto sort = sort_each_segment_kernel<tuning, steps, Direction, Key, Value, OffsetIt>;
  constexpr std::size_t sort_bytes = sizeof(sort_storage<tuning, Key, Value>);
  static_assert(sort_bytes <= tuning::max_shared_bytes, "the tile has to be smaller");
  carver space{temp};
  const memory_of_few<steps, range> memory{space, n};
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  const bool all_fit = n <= std::size_t(tuning::tile_items);
  const std::size_t num_blocks = segments.num_segments + (all_fit ? 0 : memory.num_steps);
  HINDSIGHT_TRY(allow_shared_bytes(sort, sort_bytes));
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_blocks), tuning::block_threads, sort_bytes, stream,
                   sort)
  (in, out, memory.buffer, segments.offsets, segments.num_segments, memory.few, passes);
  HINDSIGHT_TRY(cudaPeekAtLastError());
  if (all_fit) return cudaSuccess;
  return cuda::merge_segments<steps>(out, memory.buffer, memory.few.map, nullptr, n,
                                     memory.few.counters, compare, stream);
}

/// order[i] = i.
template <class Index>
HINDSIGHT_KERNEL void number_items_kernel(Index* order, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    order[i] = static_cast<Index>(i);
}

/// out[i] = in[order[i]], or in[i] without an order, for the items that lie in segments.
template <class T, class Index>
HINDSIGHT_KERNEL void move_in_segments_kernel(const T* in, const Index* order, T* out,
                                              const segment_map::extent* whole) {
  ptx::wait_for_launch_before();
  const std::size_t end = whole->first + whole->num_items;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = whole->first + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end;
       i += step)
    cuda::write_item(out, i, in[order ? order[i] : i]);
}

/// Items that move once, to the places that an order says: by way of temporary memory, where the
/// output is the input.
template <class T>
class moved_in_segments {
 public:
  moved_in_segments(carver& space, const T* in, T* out, std::size_t n) : in_{in}, out_{out}, n_{n} {
    if (in == out) room_ = space.take<T>(n);
  }
  template <class Index>
  cudaError_t move(const Index* order, const segment_map& map, cudaStream_t stream) const {
    T* const to = in_ == out_ ? room_ : out_;
    HINDSIGHT_TRY(move(in_, order, to, map, stream));
    return to == out_ ? cudaSuccess
                      : move(to, static_cast<const Index*>(nullptr), out_, map, stream);
  }

 private:
  template <class Index>
  cudaError_t move(const T* in, const Index* order, T* out, const segment_map& map,
                   cudaStream_t stream) const {
    const std::size_t blocks = ::cuda::std::min(n_ / plain_threads + 1, move_blocks);
    return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(blocks), plain_threads, 0, stream,
                                 move_in_segments_kernel<T, Index>)(in, order, out, map.whole);
  }

  const T* in_;
  T* out_;
  std::size_t n_;
  T* room_ = nullptr;
};

/// sort_segments() of large keys or values: these stay where they are, and indices move in their
/// place. An Index can count n items.
template <class Index, class Key, class Value, class Segments, class Compare>
cudaError_t sort_segments_by_index(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                   Key* keys_out, const Value* values_in, Value* values_out,
                                   std::size_t n, Segments segments, Compare compare,
                                   cudaStream_t stream) {
  constexpr bool moves_keys = sizeof(Key) <= most_key_bytes_beside_index;
  constexpr bool has_values = !std::is_empty_v<Value>;
  carver space{temp};
  segment_map map;
  Index* const order = space.take<Index>(n);
  const moved_in_segments<Key> keys{space, keys_in, keys_out, moves_keys ? 0 : n};
  const moved_in_segments<Value> values{space, values_in, values_out, has_values ? n : 0};
  cuda::nested_call sort{[&](void* buffer, std::size_t& bytes) {
    if constexpr (moves_keys) {
      const item_range<Key, Index, const Key*, const Index*> in{keys_in, order};
      const item_range<Key, Index> out{keys_out, order};
      return cuda::merge_sort_segments<merge_sort_tuning<Key, Index>>(
          buffer, bytes, in, out, n, segments, map, compare, stream);
    } else {
      const item_range<Index, no_value> out{order, nullptr};
      const compare_at<Key, const Key*, Compare> by_place{keys_in, compare};
      return cuda::merge_sort_segments<merge_sort_tuning<Index, no_value>>(
          buffer, bytes, out, out, n, segments, map, by_place, stream);
    }
  }};
  HINDSIGHT_TRY(sort.take_memory(space));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  const std::size_t blocks = ::cuda::std::min(n / plain_threads + 1, move_blocks);
  HINDSIGHT_LAUNCH(static_cast<unsigned>(blocks), plain_threads, 0, stream,
                   number_items_kernel<Index>)
  (order, n);
  HINDSIGHT_TRY(sort());
  if constexpr (!moves_keys) HINDSIGHT_TRY(keys.move(order, map, stream));
  if constexpr (has_values) return values.move(order, map, stream);
  return cudaSuccess;
}

/// sort_segments() by merges.
template <class Key, class Value, class Segments, class Compare>
cudaError_t sort_segments_by_merges(void* temp, std::size_t& temp_bytes, const Key* keys_in,
                                    Key* keys_out, const Value* values_in, Value* values_out,
                                    std::size_t n, Segments segments, Compare compare,
                                    cudaStream_t stream) {
  if constexpr (sizeof(Key) <= most_key_bytes_in_segments &&
                sizeof(Value) <= most_merged_value_bytes) {
    using few = merge_sort_tuning_of_few<Key, Value>;
    segment_map map;
    const item_range<Key, Value, const Key*, const Value*> in{keys_in, values_in};
    const item_range<Key, Value> out{keys_out, values_out};
    if (n <= few::most_items) {
      if constexpr (Segments::are_offsets) {
        return cuda::sort_whole_segments<few>(temp, temp_bytes, in, out, n, segments, compare,
                                              stream);
      } else {
        return cuda::merge_sort_segments<few>(temp, temp_bytes, in, out, n, segments, map, compare,
                                              stream);
      }
    }
    std::size_t bytes_of_few = 0;  // tables of few items may be larger
    if (temp == nullptr)
      HINDSIGHT_TRY(cuda::sort_segments_by_merges(nullptr, bytes_of_few, keys_in, keys_out,
                                                  values_in, values_out, few::most_items, segments,
                                                  compare, stream));
    HINDSIGHT_TRY((cuda::merge_sort_segments<merge_sort_tuning<Key, Value>>(
        temp, temp_bytes, in, out, n, segments, map, compare, stream)));
    if (temp == nullptr) temp_bytes = ::cuda::std::max(temp_bytes, bytes_of_few);
    return cudaSuccess;
  } else {
    return n <= 0xffffffffu
               ? cuda::sort_segments_by_index<std::uint32_t>(temp, temp_bytes, keys_in, keys_out,
                                                             values_in, values_out, n, segments,
                                                             compare, stream)
               : cuda::sort_segments_by_index<std::uint64_t>(temp, temp_bytes, keys_in, keys_out,
                                                             values_in, values_out, n, segments,
                                                             compare, stream);
  }
}

/// out = in, with each segment sorted, stably, in CUB's two phases; items in no segment are not
/// written. The outputs may be the inputs; they may overlap them in no other way. Values are
/// no_value and null for keys alone. Items may be copied as bytes.
///   segments  map_of_offsets or map_of_flags
///   n         at least the number of items in all segments
template <class Key, class Value, class Segments, class Compare>
cudaError_t sort_segments(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, std::size_t n,
                          Segments segments, Compare compare, cudaStream_t stream) {
  if (n == 0) {
    if (temp == nullptr) temp_bytes = 1;
    return cudaSuccess;
  }
  std::size_t bytes_by_radix = 0;
  if constexpr (Segments::are_offsets && is_order_of_radix_sort<Compare> &&
                sort_tuning<Key, Value>::stages_values) {
    const auto order = detail::bits_of_order<Key>(compare);
    using sort = segmented_radix_sort<typename decltype(order)::direction, Key, Value,
                                      decltype(segments.offsets)>;
    const digit_passes passes{order.first_bit, order.last_bit, sort_tuning<Key, Value>::digit_bits};
    const auto sort_by_radix = [&](std::size_t num_items, std::size_t& bytes) {
      const sort_buffers<Key> keys{keys_in, keys_out, nullptr};
      const sort_buffers<Value> values{values_in, values_out, nullptr};
      return sort{keys, values, num_items, segments, passes, stream}(temp, bytes);
    };
    if constexpr (each_segment_tuning<Key, Value>::may_pay) {
      if (temp != nullptr &&
          each_segment_tuning<Key, Value>::pays(n, segments.num_segments, passes.count())) {
        const item_range<Key, Value, const Key*, const Value*> in{keys_in, values_in};
        const item_range<Key, Value> out{keys_out, values_out};
        return cuda::sort_each_segment<typename decltype(order)::direction>(
            temp, temp_bytes, in, out, n, segments, passes, compare, stream);
      }
    }
    if (temp == nullptr) {
      HINDSIGHT_TRY(sort_by_radix(::cuda::std::min(n, sort::most_items), bytes_by_radix));
    } else if (sort::pays(n, segments.num_segments, passes)) {
      return sort_by_radix(n, temp_bytes);
    }
  }
  HINDSIGHT_TRY(cuda::sort_segments_by_merges(temp, temp_bytes, keys_in, keys_out, values_in,
                                              values_out, n, segments, compare, stream));
  // Memory for n items must be enough for fewer items, too, and these may be sorted the other way.
  if (temp == nullptr) temp_bytes = ::cuda::std::max(temp_bytes, bytes_by_radix);
  return cudaSuccess;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
