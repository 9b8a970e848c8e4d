// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary memory of a call. It is taken in one piece, by the calling thread, before the call
// writes anything. So a call that gets no memory leaves the caller's data as they were. Exceptions
// are calls of several steps, of which each takes its own: sort_segments.h, for each sort that all
// threads share; summed_area_table.h, for its scan down the columns; and those that policy.h names.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/host/memory.h>
#include <hindsight/detail/workspace.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Where the memory comes from: the heap, or what a policy was given.
class memory_source {
 public:
  /// Returns memory, which need not be aligned. Throws if there is not enough.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* memory, std::size_t bytes) noexcept = 0;

 protected:
  constexpr memory_source() = default;
  ~memory_source() = default;
};

/// operator new; large pieces on large pages.
class heap_memory : public memory_source {
 public:
  constexpr heap_memory() = default;

  void* allocate(std::size_t bytes) override {
    void* const memory = ::operator new(bytes, alignment_of(bytes));
    if (alignment_of(bytes) == std::align_val_t{large_page_bytes})
      host::prefer_large_pages(memory, bytes);
    return memory;
  }
  void deallocate(void* memory, std::size_t bytes) noexcept override {
    ::operator delete(memory, alignment_of(bytes));
  }

 private:
  static std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t{bytes >= 2 * large_page_bytes ? large_page_bytes : carver::alignment};
  }
};

inline heap_memory heap;

/// The memory of one call. `carve(space)` takes the call's arrays from a carver. It runs twice:
/// first to count bytes, then, if the count is not zero, to divide the memory that was allocated.
class scratch {
 public:
  template <class Carve>
  scratch(memory_source& source, Carve carve) : scratch{source} {
    carver count{nullptr};
    carve(count);
    if (count.used_bytes() == 0) return;
    bytes_ = count.bytes();
    memory_ = source_.allocate(bytes_);
    carver space{memory_};
    carve(space);
  }
  ~scratch() {
    if (memory_ != nullptr) source_.deallocate(memory_, bytes_);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

 private:
  /// The other constructor begins with this one: then the destructor runs also if `carve` throws.
  explicit scratch(memory_source& source) : source_{source} {}

  memory_source& source_;
  std::size_t bytes_ = 0;
  void* memory_ = nullptr;
};

/// Room for n items of any alignment, not initialised. Null while the carver only counts bytes.
template <class T>
T* take_room(carver& space, std::size_t n) {
  if constexpr (alignof(T) <= carver::alignment) {
    return space.take<T>(n);
  } else {
    char* const room = space.take<char>(n * sizeof(T) + alignof(T));
    const std::size_t past = reinterpret_cast<std::uintptr_t>(room) % alignof(T);
    return reinterpret_cast<T*>(room + (past == 0 ? 0 : alignof(T) - past));
  }
}

/// Room for so many items for each thread of a team. No two threads share a cache line.
template <class T>
class rooms {
 public:
  void carve(carver& space, std::size_t num_rooms, std::size_t items) {
    stride_ = (items + step - 1) / step * step;
    first_ = host::take_room<T>(space, num_rooms * stride_);
  }
  T* operator[](std::size_t i) const { return first_ + i * stride_; }

 private:
  static constexpr std::size_t lowest_bit = sizeof(T) & (~sizeof(T) + 1);
  static constexpr std::size_t step = lowest_bit < line_bytes ? line_bytes / lowest_bit : 1;
  T* first_ = nullptr;
  std::size_t stride_ = 0;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
