// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run-length encoding carries from tile to tile.
#pragma once

#include <hindsight/detail/cuda/block/pair_of_48.cuh>

#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How many runs begin in a stretch of tiles, and where the last of them begins.
class runs_begun {
 public:
  HINDSIGHT_DEVICE static runs_begun make(std::uint64_t count, std::uint64_t last_begin) {
    runs_begun runs;
    runs.numbers_ = pair_of_48::make(count, last_begin);
    return runs;
  }
  HINDSIGHT_DEVICE std::uint64_t count() const { return numbers_.first(); }
  HINDSIGHT_DEVICE std::uint64_t last_begin() const { return numbers_.second(); }

  struct plus {
    HINDSIGHT_DEVICE runs_begun operator()(const runs_begun& a, const runs_begun& b) const {
      return make(a.count() + b.count(), b.count() > 0 ? b.last_begin() : a.last_begin());
    }
  };

 private:
  pair_of_48 numbers_;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
