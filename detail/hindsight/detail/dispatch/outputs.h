// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items with any number of outputs.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/segments.h>
#include <hindsight/detail/dispatch/temporary.h>

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

/// `Outs`: the iterators that `f` is known to write to; `touched`: those that must not be null.
template <class... Outs, class D, class System, class OffsetIt, class F, class... Its>
void for_each_output(const execution_policy<D, System>& policy, const char* name,
                     const segment_offsets<OffsetIt>& items, F f, const Its&... touched) {
  static_assert(are_random_access<OffsetIt>, "offsets need random-access iterators");
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

}  // namespace dispatch
}  // namespace hindsight::detail
