// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary memory: one code path counts bytes and hands them out.
#pragma once

#include <cstddef>

namespace hindsight::detail {

/// Temporary memory of a call; null: a question about its size.
class temporary_memory {
 public:
  temporary_memory(void* address) : address_{address} {}
  static temporary_memory zeroed(void* address) {
    temporary_memory memory{address};
    memory.is_zero_ = true;
    return memory;
  }
  operator void*() const { return address_; }
  /// Whether all bytes are zero: then nobody needs to clear them.
  bool is_zero() const { return is_zero_; }

 private:
  void* address_;
  bool is_zero_ = false;
};

/// Splits one temporary buffer into typed arrays. The same code runs in both phases of a Device*
/// call: over a null buffer it only counts bytes, over a real one it also hands out pointers.
/// Arrays start at multiples of 256 bytes from the buffer's first multiple of 256, so any buffer
/// will do.
class carver {
 public:
  static constexpr std::size_t alignment = 256;
  static constexpr std::size_t most_bytes = std::size_t{1} << 62;  ///< no memory has so many

  explicit carver(temporary_memory memory)
      : buffer_{static_cast<char*>(static_cast<void*>(memory))}, is_zero_{memory.is_zero()} {
    const std::size_t address = reinterpret_cast<std::size_t>(buffer_);
    if (buffer_) buffer_ += (alignment - address % alignment) % alignment;
  }

  /// Next array of `count` items; null while counting. Too many for any memory count as
  /// `most_bytes`: a bound of deferred sizes may be that high, and a product must not be low again.
  template <class T>
  T* take(std::size_t count) {
    const std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
    used_ = count < (most_bytes - begin) / sizeof(T) ? begin + count * sizeof(T) : most_bytes;
    return buffer_ ? reinterpret_cast<T*>(buffer_ + begin) : nullptr;
  }

  /// Bytes that a buffer of any alignment needs for what was taken; never 0, so that a call with
  /// this many bytes can be told from a size query.
  std::size_t bytes() const { return used_ ? used_ + alignment : 1; }
  /// Bytes from the first array's start to the last one's end.
  std::size_t used_bytes() const { return used_; }
  char* begin() const { return buffer_; }
  bool is_zero() const { return is_zero_; }

 private:
  char* buffer_;
  bool is_zero_;
  std::size_t used_ = 0;
};

}  // namespace hindsight::detail
