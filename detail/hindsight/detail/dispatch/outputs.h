// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items with any number of outputs.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/scan.h>
#include <hindsight/detail/dispatch/segments.h>
#include <hindsight/detail/dispatch/temporary.h>

#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/for_each_output.cuh>
#endif

namespace hindsight::detail {
namespace function {

/// Count i of n; 0 behind the last.
template <class T, class CountIt>
struct padded_counts {
  CountIt counts;
  std::size_t n;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD T operator()(std::size_t i) const {
    return i < n ? static_cast<T>(counts[static_cast<distance_t<CountIt>>(i)]) : T(0);
  }
};

/// Copies an item to one of its outputs.
template <class InputIt, class OutputIt>
struct copy_to_output {
  InputIt items;
  OutputIt out;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD void operator()(std::size_t item, std::size_t, std::size_t output) const {
    out[static_cast<distance_t<OutputIt>>(output)] = items[static_cast<distance_t<InputIt>>(item)];
  }
};

}  // namespace function

namespace dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// `Outs`: the iterators that `f` is known to write to; `touched`: those that must not be null.
template <class... Outs, class D, class System, class OffsetIt, class F, class... Its>
void for_each_output(const execution_policy<D, System>& policy, const char* name,
                     const segment_offsets<OffsetIt>& items, F f, const Its&... touched) {
  static_assert(are_random_access<OffsetIt>,
                "hindsight: offsets are given by random-access iterators");
  constexpr std::size_t unknown = ~std::size_t{0} / 2;  // only the device knows how many outputs
  const std::size_t num_items = dispatch::count_segments<System>(items, unknown, name);
  (void)policy, ((void)touched, ...);  // host threads need no memory for this
  if (num_items == 0) return;
  if constexpr (is_host<System>) {
    [[maybe_unused]] const auto team = dispatch::memory_of(policy);
    const merged_segments<OffsetIt> merged{items.first, num_items};
    dispatch::require_memory<System>(name, merged.total() - num_items, touched...);
    const host::tiling tiles{merged.total(), sizeof(std::size_t),
                             host::resources{}.template cut_for<Outs...>()};
    host::for_each_tile(tiles, [&](std::size_t tile) {
      const std::size_t begin = tiles.begin(tile);
      const segment_part part = host::part_of(merged, begin, begin + tiles.size(tile));
      F own_f = std::as_const(f);
      std::size_t s = part.segment;
      for (std::size_t j = part.item; j < part.item + std::size_t(part.num_items); ++j) {
        while (merged.end(s) <= j) ++s;
        own_f(s, j - merged.begin(s), merged.first() + j);
      }
    });
  } else {
#if HINDSIGHT_CUDA
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      if (temp == nullptr) return bytes = no_temporary_bytes, cudaSuccess;
      return cuda::for_each_output(items.first, num_items, f, stream);
    });
#endif
  }
}

template <class D, class S, class CountIt, class OutputIt>
OutputIt offsets_of(const execution_policy<D, S>& policy, const char* name, CountIt first,
                    CountIt last, OutputIt out) {
  using offset = item_t<OutputIt>;
  using padded = function::padded_counts<offset, CountIt>;
  using counting = thrust::counting_iterator<std::size_t>;
  const std::size_t n = detail::length(first, last, name);
  dispatch::require_memory<S>(name, n, first);
  dispatch::require_memory<S>(name, n + 1, out);
  const thrust::transform_iterator<padded, counting, offset, offset> counts(counting(0),
                                                                            padded{first, n});
  return dispatch::exclusive_scan(policy, name, counts, detail::advanced(counts, n + 1), out,
                                  offset(0), ::cuda::std::plus<>{});
}

template <class D, class S, class InputIt, class OffsetIt, class OutputIt>
void expand(const execution_policy<D, S>& policy, const char* name, InputIt items,
            OffsetIt offsets_first, OffsetIt offsets_last, OutputIt out) {
  dispatch::for_each_output<OutputIt>(
      policy, name, segment_offsets<OffsetIt>{offsets_first, offsets_last},
      function::copy_to_output<InputIt, OutputIt>{items, out}, items, out);
}

/// The same for n items; waits, and returns the last offset.
///   offsets  [n + 1]
template <class D, class S, class InputIt, class OutputIt>
std::size_t expand_counted(const execution_policy<D, S>& policy, const char* name, InputIt items,
                           const std::size_t* offsets, std::size_t n, OutputIt out) {
  if constexpr (is_host<S>) {
    dispatch::expand(policy, name, items, offsets, offsets + n + 1, out);
    return offsets[n];
  } else {
#if HINDSIGHT_CUDA
    return run_for<std::size_t>(
        policy, name, [&](void* temp, std::size_t& bytes, std::size_t* end, auto stream) {
          if (temp == nullptr) return bytes = no_temporary_bytes, cudaSuccess;
          const function::copy_to_output<InputIt, OutputIt> copy{items, out};
          return cuda::for_each_output(offsets, n, copy, stream, end);
        });
#endif
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace dispatch
}  // namespace hindsight::detail
