// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What expand and run_length_decode do with an output. Both engines know it by its type.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/iterator>

#include <cstddef>

namespace hindsight::detail::function {

/// Copies an item to one of its outputs.
template <class InputIt, class OutputIt>
struct copy_to_output {
  template <class It>
  using distance_t = typename ::cuda::std::iterator_traits<It>::difference_type;
  using item_type = typename ::cuda::std::iterator_traits<InputIt>::value_type;
  InputIt items;
  OutputIt out;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD InputIt items_from(std::size_t item) const {
    return items + static_cast<distance_t<InputIt>>(item);
  }
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD OutputIt outputs_from(std::size_t output) const {
    return out + static_cast<distance_t<OutputIt>>(output);
  }
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD void operator()(std::size_t item, std::size_t, std::size_t output) const {
    out[static_cast<distance_t<OutputIt>>(output)] = items[static_cast<distance_t<InputIt>>(item)];
  }
};

}  // namespace hindsight::detail::function
