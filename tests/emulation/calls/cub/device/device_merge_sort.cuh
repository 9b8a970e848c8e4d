// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stock's sorts by a comparator, by insertion: g++ does not compile their kernels.
#pragma once

#include <cub/util_type.cuh>

#include "stock_phases.h"
#include <utility>

namespace cub {

struct DeviceMergeSort {
  template <class KeyIt, class ValueIt, class NumItems, class Compare>
  static cudaError_t StableSortPairs(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                     ValueIt values, NumItems n, Compare less,
                                     cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] { insert(keys, values, n, less); });
  }
  template <class KeyInputIt, class ValueInputIt, class KeyIt, class ValueIt, class NumItems,
            class Compare>
  static cudaError_t SortPairsCopy(void* temp, std::size_t& temp_bytes, KeyInputIt keys_in,
                                   ValueInputIt values_in, KeyIt keys, ValueIt values, NumItems n,
                                   Compare less, cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      for (NumItems i = 0; i < n; ++i) {
        keys[i] = keys_in[i];
        if constexpr (has_values<ValueIt>) values[i] = values_in[i];
      }
      insert(keys, values, n, less);
    });
  }

 private:
  template <class ValueIt>
  static constexpr bool has_values = !std::is_same_v<ValueIt, NullType*>;

  template <class KeyIt, class ValueIt, class NumItems, class Compare>
  static void insert(KeyIt keys, ValueIt values, NumItems n, Compare less) {
    for (NumItems i = 1; i < n; ++i) {
      for (NumItems k = i; k > 0 && less(keys[k], keys[k - 1]); --k) {
        std::swap(keys[k], keys[k - 1]);
        if constexpr (has_values<ValueIt>) std::swap(values[k], values[k - 1]);
      }
    }
  }
};

}  // namespace cub
