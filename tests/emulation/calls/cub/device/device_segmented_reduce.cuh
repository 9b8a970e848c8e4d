// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stock's sums of segments, as plain loops: g++ does not compile their kernels.
#pragma once

#include <cub/util_type.cuh>

#include "stock_phases.h"

namespace cub {

struct DeviceSegmentedReduce {
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class T>
  static cudaError_t Reduce(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            std::size_t num_segments, BeginIt begins, EndIt ends, Op op, T init,
                            cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      for (std::size_t s = 0; s < num_segments; ++s) {
        T sum = init;
        for (auto i = begins[s]; i < ends[s]; ++i) sum = op(sum, in[i]);
        out[s] = sum;
      }
    });
  }
  template <class InputIt, class OutputIt, class BeginIt, class EndIt>
  static cudaError_t ArgMin(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            std::size_t num_segments, BeginIt begins, EndIt ends,
                            cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      for (std::size_t s = 0; s < num_segments; ++s) {
        auto least = begins[s];
        for (auto i = begins[s]; i < ends[s]; ++i) {
          if (in[i] < in[least]) least = i;
        }
        out[s] = {int(least - begins[s]), in[least]};
      }
    });
  }
  template <class InputIt, class OutputIt, class BeginIt, class EndIt>
  static cudaError_t ArgMax(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            std::size_t num_segments, BeginIt begins, EndIt ends,
                            cudaStream_t stream) {
    return in_stock_phases(temp, temp_bytes, stream, [&] {
      for (std::size_t s = 0; s < num_segments; ++s) {
        auto greatest = begins[s];
        for (auto i = begins[s]; i < ends[s]; ++i) {
          if (in[greatest] < in[i]) greatest = i;
        }
        out[s] = {int(greatest - begins[s]), in[greatest]};
      }
    });
  }
};

}  // namespace cub
