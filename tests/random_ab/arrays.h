// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays between guards, in device memory under nvcc, else in host memory; the iterators through
// which algorithms see them; and what differs between two of them.
#pragma once

#include <hindsight/detail/ab/bits.h>
#include <hindsight/detail/config.h>

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "values.h"
#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace hindsight_test {

namespace memory {

inline constexpr int poison = 0xAB;

/// Memory of the host, whatever the engine.
struct on_host {
  static constexpr std::align_val_t alignment{256};
  static void* allocate(std::size_t bytes) { return ::operator new(bytes, alignment); }
  static void release(void* memory) { ::operator delete(memory, alignment); }
  static void fill(void* memory, int byte, std::size_t bytes) { std::memset(memory, byte, bytes); }
};

#if HINDSIGHT_CUDA
inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}
inline void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  return memory;
}
inline void release(void* memory) {
  cudaFree(memory);
}
inline void fill(void* memory, int byte, std::size_t bytes) {
  check(cudaMemset(memory, byte, bytes));
}
inline void copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}
/// Waits for what fill and copy began: streams of the tests do not.
inline void wait() {
  check(cudaDeviceSynchronize());
}
#else
inline void* allocate(std::size_t bytes) {
  return on_host::allocate(bytes);
}
inline void release(void* memory) {
  on_host::release(memory);
}
inline void fill(void* memory, int byte, std::size_t bytes) {
  on_host::fill(memory, byte, bytes);
}
inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
inline void wait() {}
#endif

/// Memory of the engine under test.
struct of_engine {
  static void* allocate(std::size_t bytes) { return memory::allocate(bytes); }
  static void release(void* items) { memory::release(items); }
  static void fill(void* items, int byte, std::size_t bytes) { memory::fill(items, byte, bytes); }
};

}  // namespace memory

/// Whether a call wrote to an input of its, or beside one, since somebody asked.
inline bool& an_input_has_changed() {
  static bool has_changed = false;
  return has_changed;
}
/// differs() says whether an input is not what it was.
template <class Differs>
void note_input(Differs differs) noexcept {
  try {
    if (differs()) an_input_has_changed() = true;
  } catch (const std::runtime_error&) {  // of the device: then other calls fail, too
  }
}

/// [n] items between guards, first all poison. data() is 256-byte aligned, but for `shift` items.
template <class T, class Memory = memory::of_engine>
class array {
 public:
  array(std::size_t n, std::size_t shift) : n_{n}, shift_{shift} {
    base_ = static_cast<T*>(Memory::allocate(bytes()));
    Memory::fill(base_, memory::poison, bytes());
  }
  /// An input, which no call may change.
  array(const std::vector<stored<T>>& items, std::size_t shift) : array(items.size(), shift) {
    put(items);
    given_ = to_host();
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  ~array() {
    if (!given_.empty()) note_input([&] { return to_host() != given_; });
    Memory::release(base_);
  }

  void put(const std::vector<stored<T>>& items) const {
    memory::copy(data(), items.data(), items.size() * sizeof(T));
  }

  T* data() const { return base_ + front(); }
  std::size_t size() const { return n_; }

  /// Items in front of data() in the allocation.
  std::size_t front() const { return guard + shift_; }
  /// All bytes of the allocation, guards included.
  std::vector<unsigned char> to_host() const {
    std::vector<unsigned char> all(bytes());
    memory::copy(all.data(), base_, bytes());
    return all;
  }

 private:
  static constexpr std::size_t guard = 256;  // keeps data() aligned
  std::size_t bytes() const { return (front() + n_ + guard) * sizeof(T); }

  T* base_ = nullptr;
  std::size_t n_, shift_;
  std::vector<unsigned char> given_;  ///< of an input: all of its bytes
};

using hindsight::detail::ab::hex;

/// Empty if `ours` holds in [0, count) what `stock` holds, and poison outside of [0, room); else
/// the first item that differs.
template <class T>
std::string difference(const array<T>& ours, const array<T>& stock, std::size_t count,
                       std::size_t room) {
  const auto actual = ours.to_host();
  const auto expected = stock.to_host();
  const auto report = [&](std::size_t byte, const std::string& instead) {
    const std::size_t item = byte / sizeof(T);
    return "item " + std::to_string(std::ptrdiff_t(item) - std::ptrdiff_t(ours.front())) + " of " +
           std::to_string(count) + " is " + hex(&actual[item * sizeof(T)], sizeof(T)) +
           " instead of " + instead;
  };
  const auto touched = [&](std::size_t begin, std::size_t end) {
    while (begin < end && actual[begin] == memory::poison) ++begin;
    return begin;
  };
  const std::size_t begin = ours.front() * sizeof(T);
  if (const std::size_t byte = touched(0, begin); byte < begin)
    return report(byte, "what was in front of the range");

  const std::size_t item = hindsight::detail::ab::first_differing_item(
      actual.data() + begin, expected.data() + begin, sizeof(T), count);
  if (item < count) {
    const std::size_t byte = begin + item * sizeof(T);
    return report(byte, hex(&expected[byte], sizeof(T)));
  }
  const std::size_t behind = begin + room * sizeof(T);
  if (const std::size_t byte = touched(behind, actual.size()); byte < actual.size())
    return report(byte, "what was behind the result");
  return {};
}

// ---- iterators over an array ----
// is_in_order: the k-th item that an algorithm writes is the k-th of the array.

struct pointer {
  static constexpr bool is_in_order = true;
  template <class T>
  static T* begin(const array<T>& items) {
    return items.data();
  }
};
struct device_pointer {
  static constexpr bool is_in_order = true;
  template <class T>
  static thrust::device_ptr<T> begin(const array<T>& items) {
    return thrust::device_pointer_cast(items.data());
  }
};
struct vector {
  static constexpr bool is_in_order = true;
  template <class T>
  static typename thrust::device_vector<T>::iterator begin(const array<T>& items) {
    return typename thrust::device_vector<T>::iterator(device_pointer::begin(items));
  }
};
struct reversed {
  static constexpr bool is_in_order = false;
  template <class T>
  static auto begin(const array<T>& items) {
    return thrust::make_reverse_iterator(vector::begin(items) + std::ptrdiff_t(items.size()));
  }
};

/// A permutation of [0, n), n below the prime.
struct scrambled {
  u64 n;
  HINDSIGHT_HD u64 operator()(u64 i) const { return i * 2147483647 % n; }
};
struct permuted {
  static constexpr bool is_in_order = false;
  template <class T>
  static auto begin(const array<T>& items) {
    const auto numbers = thrust::make_counting_iterator(u64{0});
    return thrust::make_permutation_iterator(
        vector::begin(items), thrust::make_transform_iterator(numbers, scrambled{items.size()}));
  }
};

/// Input only.
struct mapped {
  template <class T>
  static auto begin(const array<T>& items) {
    return thrust::transform_iterator<flipped<T>, T*, T, T>(items.data(), flipped<T>{});
  }
};
/// Input only: the array gives the type.
struct counting {
  template <class T>
  static auto begin(const array<T>&) {
    return thrust::make_counting_iterator(T(100));
  }
};
/// Output only.
struct mapped_output {
  static constexpr bool is_in_order = true;
  template <class T>
  static auto begin(const array<T>& items) {
    return thrust::make_transform_output_iterator(items.data(), flipped<T>{});
  }
};

template <class It>
It ahead(It it, std::size_t n) {
  return it + static_cast<std::ptrdiff_t>(n);
}

}  // namespace hindsight_test
