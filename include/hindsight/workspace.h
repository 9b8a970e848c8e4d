// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer of the caller as temporary memory of calls.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/errors.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hindsight {

/// A buffer that the caller owns, lent to algorithms as their temporary memory:
///
///   hindsight::workspace space{d_buffer, bytes};
///   thrust::sort(hindsight::par(space).on(stream), first, last);
///
/// Calls that use one workspace must be ordered one after the other (one stream, or the caller's
/// own waits). It is an allocator in Thrust's sense: stock algorithms draw from it too.
///   Memory  no allocation at all; the buffer's content is overwritten. Arrays start at addresses
///           that are multiples of 256: what lies before the first such address is not used
///   Errors  invalid_call if the buffer is null or too small. what() says how many bytes it must
///           have for the array that did not fit and those before it; a call that takes more arrays
///           later needs more. Nothing was launched if the call's first array did not fit
///   Example
///     thrust::device_vector<char> buffer(1 << 20);
///     hindsight::workspace space{thrust::raw_pointer_cast(buffer.data()), buffer.size()};
///     thrust::device_vector<int> keys(1000, 2);
///     hindsight::sort(hindsight::par(space), keys.begin(), keys.end());
class workspace {
 public:
  using value_type = char;  ///< what Thrust asks of an allocator

  /// `buffer` [bytes], memory that the algorithm's threads can read and write: device memory for
  /// cuda::par.
  workspace(void* buffer, std::size_t bytes) : buffer_{static_cast<char*>(buffer)}, bytes_{bytes} {}

  /// `bytes` of the buffer, from an address that is a multiple of 256. Algorithms call it.
  char* allocate(std::size_t bytes) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(buffer_ + used_) % alignment;
    const std::size_t begin = used_ + (alignment - past) % alignment;
    if (buffer_ == nullptr || begin > bytes_ || bytes > bytes_ - begin) {
      const std::string has =
          buffer_ ? "the buffer has " + std::to_string(bytes_) + " bytes" : "the buffer is null";
      throw invalid_call("hindsight::workspace: " + has + ", this call needs " +
                         std::to_string(begin + bytes) + " bytes");
    }
    used_ = begin + bytes;
    ++num_arrays_;
    return buffer_ + begin;
  }

  /// If arrays are released in reverse order of allocation, as scopes do it, their bytes can be
  /// used again at once; otherwise when no array is left.
  void deallocate(char* array, std::size_t bytes) noexcept {
    const auto begin = static_cast<std::size_t>(array - buffer_);
    if (begin + bytes == used_) used_ = begin;
    if (--num_arrays_ == 0) used_ = 0;
  }

  /// The size of the whole buffer.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t alignment = 256;
  char* buffer_;
  std::size_t bytes_;
  std::size_t used_ = 0;        ///< bytes from the buffer's start to the last array's end
  std::size_t num_arrays_ = 0;  ///< not yet released
};

}  // namespace hindsight
