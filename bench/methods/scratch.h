// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary memory of the methods, which is kept from one run to the next.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace methods {

/// Temporary memory. Each run takes pieces in the same order, and is given those of the run before:
/// only the first run allocates.
class scratch {
 public:
  using allocate_function = void* (*)(std::size_t bytes);
  using release_function = void (*)(void*);

  scratch(allocate_function allocate, release_function release)
      : allocate_{allocate}, release_{release} {}
  scratch(const scratch&) = delete;
  ~scratch() {
    for (const piece& one : pieces_) release_(one.data);
  }

  /// [count] items of no particular value.
  template <class T>
  T* take(std::size_t count) {
    const std::size_t bytes = count * sizeof(T) + sizeof(T);  // never none
    if (next_ == pieces_.size()) pieces_.push_back({nullptr, 0});
    piece& one = pieces_[next_++];
    if (one.bytes < bytes) {
      if (one.data) release_(std::exchange(one.data, nullptr));
      one.bytes = 0;
      one.data = allocate_(bytes);
      one.bytes = bytes;
    }
    return static_cast<T*>(one.data);
  }

  /// Takes all pieces back: the next run begins.
  void reuse() { next_ = 0; }

 private:
  struct piece {
    void* data;
    std::size_t bytes;
  };
  allocate_function allocate_;
  release_function release_;
  std::vector<piece> pieces_;
  std::size_t next_ = 0;
};

}  // namespace methods
