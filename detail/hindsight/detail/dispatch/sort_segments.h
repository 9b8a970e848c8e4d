// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of segments, by offsets or by head flags.
#pragma once

#include <hindsight/detail/dispatch/segments.h>
#include <hindsight/detail/dispatch/select.h>
#include <hindsight/detail/dispatch/sort.h>
#include <hindsight/detail/dispatch/temporary.h>
#include <hindsight/detail/host/sort_segments.h>

#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/segmented_sort.cuh>
#endif

namespace hindsight::detail::function {

/// Whether a segment begins at an item, by the flags of all.
template <class FlagIt>
struct begins_segment {
  FlagIt flags;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD bool operator()(std::size_t i) const {
    return i == 0 ||
           static_cast<bool>(
               flags[static_cast<typename ::cuda::std::iterator_traits<FlagIt>::difference_type>(
                   i)]);
  }
};

}  // namespace hindsight::detail::function

namespace hindsight::detail::dispatch {

template <class System, class KeyIt, class ValueIt, class SegmentIt>
constexpr bool require_segment_sort_types() {
  static_assert(are_random_access<KeyIt, ValueIt, SegmentIt>,
                "segments need random-access iterators");
  static_assert(moves<System, item_t<KeyIt>, item_t<ValueIt>>,
                "on CUDA a sort of segments copies items as bytes");
  return true;
}

#if HINDSIGHT_CUDA
/// Sorts keys alone, if `values` is a null pointer to no_value.
template <class D, class KeyIt, class ValueIt, class Map, class Compare>
void run_sort_segments(const cuda_policy<D>& policy, const char* name, KeyIt keys_first,
                       KeyIt keys_last, ValueIt values_first, Map map, Compare compare) {
  const std::size_t n = static_cast<std::size_t>(keys_last - keys_first);
  const auto order = detail::as_order<item_t<KeyIt>>(compare);
  const auto sort = [&](item_t<KeyIt>* keys, item_t<ValueIt>* values) {
    enqueue(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      return detail::sort_segments(temp, bytes, static_cast<const item_t<KeyIt>*>(keys), keys,
                                   static_cast<const item_t<ValueIt>*>(values), values, n, map,
                                   order, stream);
    });
  };
  with_pointer(policy, name, keys_first, keys_last, [&](item_t<KeyIt>* keys) {
    if constexpr (std::is_same_v<ValueIt, no_value*>) {
      sort(keys, values_first);
    } else {
      with_pointer(policy, name, values_first, detail::advanced(values_first, n),
                   [&](item_t<ValueIt>* values) { sort(keys, values); });
    }
  });
  wait_as_asked(policy, name);
}
#endif

template <class System, class D, class KeyIt, class ValueIt, class OffsetIt, class Compare>
void sort_host_segments(const execution_policy<D, System>& policy, KeyIt keys, ValueIt values,
                        OffsetIt offsets, std::size_t num_segments, Compare compare) {
  auto memory = dispatch::memory_of(policy);
  if constexpr (std::is_same_v<ValueIt, no_value*>) {
    host::sort_segments(keys, offsets, num_segments, compare, memory);
  } else {
    host::sort_segments_by_key(keys, values, offsets, num_segments, compare, memory);
  }
}

/// Keys alone, if `values` is a null pointer to no_value.
template <class D, class System, class KeyIt, class ValueIt, class OffsetIt, class Compare>
void sort_segments(const execution_policy<D, System>& policy, const char* name, KeyIt keys_first,
                   KeyIt keys_last, ValueIt values, const segment_offsets<OffsetIt>& segments,
                   Compare compare) {
  static_assert(require_segment_sort_types<System, KeyIt, ValueIt, OffsetIt>());
  const std::size_t n = detail::length(keys_first, keys_last, name);
  const std::size_t num_segments = dispatch::count_segments<System>(segments, n, name);
  if (n == 0 || num_segments == 0) return;
  if constexpr (is_host<System>) {
    dispatch::host_length(name, keys_first, keys_last);
    if constexpr (!std::is_same_v<ValueIt, no_value*>) dispatch::refuse_null(name, n, values);
    dispatch::sort_host_segments(policy, keys_first, values, host::plain(segments.first),
                                 num_segments, compare);
  } else {
#if HINDSIGHT_CUDA
    const auto offsets = detail::unwrap(segments.first);
    dispatch::run_sort_segments(
        policy, name, keys_first, keys_last, values,
        map_of_offsets<std::decay_t<decltype(offsets)>>{offsets, num_segments}, compare);
#endif
  }
}

/// The same with flags, of which it makes offsets.
template <class D, class System, class KeyIt, class ValueIt, class FlagIt, class Compare>
void sort_segments(const execution_policy<D, System>& policy, const char* name, KeyIt keys_first,
                   KeyIt keys_last, ValueIt values, const segment_heads<FlagIt>& segments,
                   Compare compare) {
  static_assert(require_segment_sort_types<System, KeyIt, ValueIt, FlagIt>());
  const std::size_t n = detail::length(keys_first, keys_last, name);
  if (n == 0) return;
  dispatch::require_memory<System>(name, n, keys_first, segments.flags);
  dispatch::with_temporary<std::size_t>(policy, n + 1, name, [&](std::size_t* offsets) {
    const thrust::counting_iterator<std::size_t> first(0);
    std::size_t* const end =
        dispatch::copy_if(policy, first, first + static_cast<std::ptrdiff_t>(n), offsets,
                          function::begins_segment<FlagIt>{segments.flags});
    if constexpr (is_host<System>) {
      *end = n;
    } else {
      thrust::fill(policy, end, end + 1, n);
    }
    const segment_offsets<const std::size_t*> by_offsets{offsets, end + 1};
    dispatch::sort_segments(policy, name, keys_first, keys_last, values, by_offsets, compare);
  });
}

}  // namespace hindsight::detail::dispatch
