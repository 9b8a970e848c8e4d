// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine offers for memory that is larger than its caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif
#if defined(__linux__)
#  include <sys/mman.h>
#endif

namespace hindsight::detail::host {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t large_page_bytes = std::size_t{1} << 21;

/// memcpy past the caches, for lines that nobody reads soon: the processor need not fetch what they
/// overwrite. Followed by stream_fence() before another thread may look.
inline void stream_copy(void* to, const void* from, std::size_t bytes) {
#if defined(__SSE2__)
  if (reinterpret_cast<std::uintptr_t>(to) % line_bytes == 0 && bytes % line_bytes == 0) {
    const auto* source = static_cast<const __m128i*>(from);
    auto* target = static_cast<__m128i*>(to);
    for (std::size_t i = 0; i < bytes / sizeof(__m128i); ++i)
      _mm_stream_si128(target + i, _mm_loadu_si128(source + i));
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// n items with no value yet, on a cache line of their own; on large pages where they fill some,
/// since scattering to hundreds of places at once is bound by page faults and address translation.
template <class T>
class aligned_array {
  static_assert(std::is_trivially_copyable_v<T>, "assignment must be able to begin an item's life");

 public:
  aligned_array() = default;
  explicit aligned_array(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    const std::size_t alignment = bytes >= 2 * large_page_bytes ? large_page_bytes : line_bytes;
    memory_ = {static_cast<T*>(::operator new (bytes, std::align_val_t{alignment})), {alignment}};
#if defined(__linux__)
    if (alignment == large_page_bytes)
      madvise(memory_.get(), bytes / large_page_bytes * large_page_bytes, MADV_HUGEPAGE);
#endif
  }
  T* get() const {
    return memory_.get();
  }

 private:
  struct release {
    std::size_t alignment = 0;
    void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
  };
  std::unique_ptr<T, release> memory_;
};

}  // namespace hindsight::detail::host
