// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowest place that any thread has found, while others still look.
#pragma once

#include <hindsight/detail/board/word.h>

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail {

/// The lowest place found so far. The word holds its complement: zeroed memory says that nothing
/// was found, and an atomic maximum keeps the lowest place.
class first_place {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  HINDSIGHT_HD explicit first_place(std::uint64_t* word) : word_{word} {}

  /// What was found so far, or `none`. Others may lower it at any time.
  HINDSIGHT_HD std::size_t place() const { return static_cast<std::size_t>(~load_word(*word_)); }

  /// place() is now `place` or lower. Orders no other access.
  HINDSIGHT_HD void note(std::size_t place) const {
    ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>{*word_}.fetch_max(
        ~std::uint64_t{place}, ::cuda::memory_order_relaxed);
  }

 private:
  std::uint64_t* word_;
};

}  // namespace hindsight::detail
