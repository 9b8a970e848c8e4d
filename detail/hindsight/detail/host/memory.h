// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine offers for memory that is larger than its caches.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if HINDSIGHT_ON_LINUX
#  include <sys/mman.h>
#endif

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t large_page_bytes = std::size_t{1} << 21;

#if HINDSIGHT_HAS_SSE2
using wide_word = long long __attribute__((vector_size(16), may_alias));
#endif

/// memcpy past the caches, for lines that nobody reads soon. The processor then need not load the
/// lines that are overwritten. Call stream_fence() before another thread reads them.
inline void stream_copy(void* to, const void* from, std::size_t bytes) {
#if HINDSIGHT_HAS_SSE2
  if (reinterpret_cast<std::uintptr_t>(to) % line_bytes == 0 && bytes % line_bytes == 0) {
    const auto* source = static_cast<const char*>(from);
    auto* target = static_cast<wide_word*>(to);
    for (std::size_t i = 0; i < bytes / sizeof(wide_word); ++i) {
      wide_word word;
      std::memcpy(&word, source + i * sizeof word, sizeof word);
      HINDSIGHT_STREAM_STORE(target + i, word);
    }
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

inline void stream_fence() {
#if HINDSIGHT_HAS_SSE2
  __builtin_ia32_sfence();
#endif
}

/// Asks for large pages in [memory, memory + bytes), as far as it fills whole ones. Scattering to
/// hundreds of places at once is bound by page faults and address translation.
inline void prefer_large_pages(void* memory, std::size_t bytes) {
#if HINDSIGHT_ON_LINUX
  madvise(memory, bytes / large_page_bytes * large_page_bytes, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
