// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the items of a selection go, and what its predicate is asked about.
#pragma once

#include <hindsight/detail/cuda/block/striped.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/num_items.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Where rejected items go: nowhere.
struct discard_rejected {};
/// The r-th to out[r].
template <class OutputIt>
struct keep_rejected {
  OutputIt out;
  template <int BlockThreads, class Slot>
  HINDSIGHT_DEVICE void store(const Slot* staged, int count, std::size_t before) const {
    cuda::store_staged<BlockThreads>(staged, count, out + before);
  }
  template <class T>
  HINDSIGHT_DEVICE void put(std::size_t r, const T& item) const {
    out[r] = item;
  }
};
template <class Rejected>
inline constexpr bool goes_elsewhere = false;  ///< than into the output of what is selected
template <class OutputIt>
inline constexpr bool goes_elsewhere<keep_rejected<OutputIt>> = true;
/// The r-th to out[n - 1 - r], from the end, as CUB's DevicePartition has it.
template <class OutputIt, class Size>
struct reverse_rejected {
  OutputIt out;
  Size num_items;
  template <int BlockThreads, class Slot>
  HINDSIGHT_DEVICE void store(const Slot* staged, int count, std::size_t before) const {
    const std::size_t first = detail::read_items(num_items) - 1 - before;
    HINDSIGHT_UNROLL_BY(4)
    for (int j = static_cast<int>(threadIdx.x); j < count; j += BlockThreads)
      out[first - static_cast<unsigned>(j)] = staged[j].get();
  }
  template <class T>
  HINDSIGHT_DEVICE void put(std::size_t r, const T& item) const {
    out[detail::read_items(num_items) - 1 - r] = item;
  }
};

/// The stencil is the input itself: no second read.
struct input_is_stencil {};
/// The first item of every run is selected; the predicate says whether neighbours are equal. Where
/// the output is the input, the item before a tile may be overwritten before the tile reads it, but
/// only by itself: that tile then kept all items up to there.
struct heads_are_selected {};

template <class OutputIt>
bool may_overlap(input_is_stencil, OutputIt, std::size_t) {
  return false;  // the check of the input covers it
}
template <class OutputIt>
bool may_overlap(heads_are_selected, OutputIt, std::size_t) {
  return false;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
