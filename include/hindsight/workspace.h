// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hindsight/errors.h>

#include <cstddef>
#include <string>

namespace hindsight {

/// A buffer that the caller owns, lent to algorithms as their temporary memory:
///
///   hindsight::workspace space{d_buffer, bytes};
///   thrust::sort(hindsight::par(space).on(stream), first, last);
///
/// Calls that use one workspace must be ordered one after the other (one stream, or the caller's
/// own waits). It is an allocator in Thrust's sense: stock algorithms draw from it too.
///   Memory  no allocation at all; the buffer's content is overwritten
///   Errors  invalid_call if a call needs more, with the bytes that would do; nothing was launched
class workspace {
 public:
  using value_type = char;

  /// `buffer` [bytes], readable by whoever runs the algorithm: device memory for cuda::par.
  workspace(void* buffer, std::size_t bytes) : buffer_{static_cast<char*>(buffer)}, bytes_{bytes} {}

  char* allocate(std::size_t bytes) {
    const std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
    if (begin > bytes_ || bytes > bytes_ - begin) {
      throw invalid_call("hindsight::workspace: the buffer has " + std::to_string(bytes_) +
                         " bytes, this call needs " + std::to_string(begin + bytes));
    }
    used_ = begin + bytes;
    return buffer_ + begin;
  }

  /// Releases in reverse order of allocation, as scopes do.
  void deallocate(char* array, std::size_t) noexcept {
    used_ = static_cast<std::size_t>(array - buffer_);
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t alignment = 256;
  char* buffer_;
  std::size_t bytes_;
  std::size_t used_ = 0;
};

}  // namespace hindsight
