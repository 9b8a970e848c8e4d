// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stock's scans, as plain loops: g++ does not compile their kernels.
#pragma once

#include "stock_phases.h"

namespace cub {

struct DeviceScan {
  template <class InputIt, class OutputIt, class Op, class NumItems>
  static cudaError_t InclusiveScan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                   Op op, NumItems n, cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      if (n == 0) return;
      auto sum = in[0];
      out[0] = sum;
      for (NumItems i = 1; i < n; ++i) out[i] = sum = op(sum, in[i]);
    });
  }
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems>
  static cudaError_t InclusiveScanInit(void* temp, std::size_t& temp_bytes, InputIt in,
                                       OutputIt out, Op op, Init init, NumItems n,
                                       cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      for (NumItems i = 0; i < n; ++i) out[i] = init = op(init, in[i]);
    });
  }
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems>
  static cudaError_t ExclusiveScan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                   Op op, Init init, NumItems n, cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      for (NumItems i = 0; i < n; ++i) {
        const auto item = in[i];
        out[i] = init;
        init = op(init, item);
      }
    });
  }
  template <class KeyIt, class ValueIt, class OutputIt, class Op, class NumItems, class Equal>
  static cudaError_t InclusiveScanByKey(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                        ValueIt values, OutputIt out, Op op, NumItems n,
                                        Equal equal, cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      if (n == 0) return;
      auto sum = values[0];
      out[0] = sum;
      for (NumItems i = 1; i < n; ++i) {
        sum = equal(keys[i - 1], keys[i]) ? op(sum, values[i]) : values[i];
        out[i] = sum;
      }
    });
  }
  template <class KeyIt, class ValueIt, class OutputIt, class Op, class Init, class NumItems,
            class Equal>
  static cudaError_t ExclusiveScanByKey(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                        ValueIt values, OutputIt out, Op op, Init init, NumItems n,
                                        Equal equal, cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      auto sum = init;
      for (NumItems i = 0; i < n; ++i) {
        if (i > 0 && !equal(keys[i - 1], keys[i])) sum = init;
        const auto value = values[i];
        out[i] = sum;
        sum = op(sum, value);
      }
    });
  }
};

}  // namespace cub
