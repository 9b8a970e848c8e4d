// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of segments, by offsets or by head flags.
#pragma once

#include <hindsight/detail/dispatch/segments.h>
#include <hindsight/detail/dispatch/sort.h>
#include <hindsight/detail/dispatch/temporary.h>
#include <hindsight/detail/host/sort_segments.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/segmented_sort.cuh>
#endif

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

template <class System, class KeyIt, class ValueIt, class SegmentIt>
constexpr bool require_segment_sort_types() {
  static_assert(are_random_access<KeyIt, ValueIt, SegmentIt>,
                "hindsight: calls on segments take random-access iterators");
  static_assert(moves<System, item_t<KeyIt>, item_t<ValueIt>>,
                "hindsight: on CUDA a sort of segments takes items that may be copied as bytes");
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
      return cuda::sort_segments(temp, bytes, static_cast<const item_t<KeyIt>*>(keys), keys,
                                 static_cast<const item_t<ValueIt>*>(values), values, n, map, order,
                                 stream);
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
    const auto offsets = cuda::unwrap(segments.first);
    dispatch::run_sort_segments(
        policy, name, keys_first, keys_last, values,
        cuda::map_of_offsets<std::decay_t<decltype(offsets)>>{offsets, num_segments}, compare);
#endif
  }
}

/// The same of a deferred number of segments.
template <class D, class System, class KeyIt, class ValueIt, class OffsetIt, class SizeIt,
          class Compare>
void sort_segments(const execution_policy<D, System>& policy, const char* name, KeyIt keys_first,
                   KeyIt keys_last, ValueIt values,
                   const deferred_segments<OffsetIt, SizeIt>& segments, Compare compare) {
  dispatch::sort_segments(policy, name, keys_first, keys_last, values,
                          dispatch::segments_of<System>(segments, name), compare);
}

/// The same with flags; host threads make offsets of them.
template <class D, class System, class KeyIt, class ValueIt, class FlagIt, class Compare>
void sort_segments(const execution_policy<D, System>& policy, const char* name, KeyIt keys_first,
                   KeyIt keys_last, ValueIt values, const segment_heads<FlagIt>& segments,
                   Compare compare) {
  static_assert(require_segment_sort_types<System, KeyIt, ValueIt, FlagIt>());
  const std::size_t n = detail::length(keys_first, keys_last, name);
  if (n == 0) return;
  if constexpr (is_host<System>) {
    dispatch::host_length(name, keys_first, keys_last, segments.flags);
    dispatch::with_temporary<std::size_t>(policy, n + 1, name, [&](std::size_t* offsets) {
      std::size_t num_segments = 0;
      const auto flags = host::plain(segments.flags);
      for (std::size_t i = 0; i < n; ++i)
        if (i == 0 || static_cast<bool>(flags[static_cast<distance_t<FlagIt>>(i)]))
          offsets[num_segments++] = i;
      offsets[num_segments] = n;
      dispatch::sort_segments(
          policy, name, keys_first, keys_last, values,
          segment_offsets<const std::size_t*>{offsets, offsets + num_segments + 1}, compare);
    });
  } else {
#if HINDSIGHT_CUDA
    const auto flags = cuda::unwrap(segments.flags);
    dispatch::run_sort_segments(policy, name, keys_first, keys_last, values,
                                cuda::map_of_flags<std::decay_t<decltype(flags)>>{flags}, compare);
#endif
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
