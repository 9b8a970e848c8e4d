// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes of a full warp do together, for values of any plain type.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/ptx.cuh>

#include <thrust/addressof.h>

#include <cstring>
#include <new>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

inline constexpr int warp_lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// Values of so many words are shuffled in registers: 128 bytes and a count.
inline constexpr int most_unrolled_words = 34;

HINDSIGHT_DEVICE int lane_index() {
  return static_cast<int>(threadIdx.x) % warp_lanes;
}
HINDSIGHT_DEVICE int warp_index() {
  return static_cast<int>(threadIdx.x) / warp_lanes;
}

/// A number that all lanes of a full warp share. The compiler then knows that they do, and that
/// lanes which branch by it go on together. Else it would give each shuffle behind the branch a
/// second path, for lanes that do not.
HINDSIGHT_DEVICE unsigned shared_by_lanes(unsigned number) {
  return __shfl_sync(all_lanes, number, 0);
}
/// warp_index(), known to be shared by lanes. Called by a full warp.
HINDSIGHT_DEVICE int shared_warp_index() {
  return static_cast<int>(cuda::shared_by_lanes(static_cast<unsigned>(warp_index())));
}

/// Room for a T that has not been made yet: T need not be default constructible. (A union and not
/// an array of bytes, which the compiler would move byte by byte.)
template <class T>
union uninitialized {
  HINDSIGHT_HD uninitialized() {}
  HINDSIGHT_HD ~uninitialized() {}
  /// Constant, also of a variable: a copy of what is not const may go to a constructor of T's that
  /// takes anything.
  HINDSIGHT_HD const T& get() const { return value_; }
  HINDSIGHT_HD T& ref() { return value_; }
  HINDSIGHT_HD void set(const T& value) {
    ::new (static_cast<void*>(::cuda::std::addressof(value_))) T(value);
  }
  /// As set(other.get()), which moves an item with padding byte by byte.
  HINDSIGHT_HD void assign(const uninitialized& other) {
    if constexpr (std::is_trivially_copy_assignable_v<T>) {
      *this = other;
    } else {
      set(other.get());
    }
  }

 private:
  T value_;
};

/// A user's operator as kernels call it: its call operator const or not, its result taken as a T.
template <class T, class Op>
struct fold_with {
  mutable Op op;
  HINDSIGHT_DEVICE T operator()(const T& a, const T& b) const { return static_cast<T>(op(a, b)); }
};

/// Shared memory that is used as an A and, after a barrier, as a B. (Bytes, because nvcc refuses
/// shared variables whose members have constructors, even empty ones.)
template <class A, class B = A>
class room_for {
 public:
  HINDSIGHT_DEVICE A& first() { return *reinterpret_cast<A*>(bytes_); }
  HINDSIGHT_DEVICE B& second() { return *reinterpret_cast<B*>(bytes_); }

 private:
  alignas(A) alignas(B) unsigned char bytes_[sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B)];
};

/// memcpy in pieces: the compiler makes a loop over local memory of one copy of over 128 bytes.
template <int Bytes>
HINDSIGHT_DEVICE void copy_bytes(const void* from, void* to) {
  constexpr int piece = 64;
  HINDSIGHT_UNROLL
  for (int at = 0; at < Bytes; at += piece) {
    memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
           Bytes - at < piece ? Bytes - at : piece);
  }
}

/// Applies a 32-bit shuffle to each word of a value.
template <class T, class Shuffle>
HINDSIGHT_DEVICE T shuffle_words(const T& value, Shuffle shuffle) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned raw[words] = {};
  cuda::copy_bytes<sizeof value>(::cuda::std::addressof(value), raw);
  if constexpr (words <= most_unrolled_words) {
    HINDSIGHT_UNROLL
    for (unsigned& word : raw) word = shuffle(word);
  } else {  // unrolled, items of hundreds of bytes take the assembler a minute
    HINDSIGHT_ROLL
    for (unsigned& word : raw) word = shuffle(word);
  }
  uninitialized<T> moved;
  cuda::copy_bytes<sizeof value>(raw, &moved);
  return moved.get();
}

/// The value of the lane `distance` to the left; a lane without such a neighbour keeps its own.
template <class T>
HINDSIGHT_DEVICE T shuffle_up(const T& value, int distance) {
  return cuda::shuffle_words(value,
                             [=](unsigned w) { return __shfl_up_sync(all_lanes, w, distance); });
}

/// The value of lane `lane`.
template <class T>
HINDSIGHT_DEVICE T shuffle_from(const T& value, int lane) {
  return cuda::shuffle_words(value, [=](unsigned w) { return __shfl_sync(all_lanes, w, lane); });
}

/// Lane l returns the fold of lanes [0, l], by Kogge and Stone's steps: the association depends on
/// l alone.
template <class T, class Op>
HINDSIGHT_DEVICE T warp_inclusive_fold(T value, Op op) {
  const int lane = lane_index();
  HINDSIGHT_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const T left = cuda::shuffle_up(value, distance);
    if (lane >= distance) value = op(left, value);
  }
  return value;
}

/// The fold of all lanes, or of each group of so many neighbours, in each lane. `op` commutes.
template <int Lanes = warp_lanes, class T, class Op>
HINDSIGHT_DEVICE T warp_butterfly_fold(T value, Op op) {
  HINDSIGHT_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2)
    value = op(value, cuda::shuffle_from(value, lane_index() ^ distance));
  return value;
}

/// The sum, the maximum or the minimum of all lanes' 32-bit integers, in each lane: one instruction
/// on compute capability 8.0 and later.
template <class Integer>
HINDSIGHT_DEVICE Integer warp_sum(Integer value) {
  NV_IF_TARGET(
      NV_PROVIDES_SM_80, (return __reduce_add_sync(all_lanes, value);),
      (return cuda::warp_butterfly_fold(value, [](Integer a, Integer b) { return a + b; });))
}
template <class Integer>
HINDSIGHT_DEVICE Integer warp_maximum(Integer value) {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (return __reduce_max_sync(all_lanes, value);),
               (return cuda::warp_butterfly_fold(
                           value, [](Integer a, Integer b) { return a < b ? b : a; });))
}
template <class Integer>
HINDSIGHT_DEVICE Integer warp_minimum(Integer value) {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (return __reduce_min_sync(all_lanes, value);),
               (return cuda::warp_butterfly_fold(
                           value, [](Integer a, Integer b) { return b < a ? b : a; });))
}

/// warp_inclusive_fold of several values of each lane, side by side: no step of one waits for a
/// step of another.
template <int Count, class T, class Op>
HINDSIGHT_DEVICE void warp_inclusive_folds(uninitialized<T> (&values)[Count], Op op) {
  const int lane = lane_index();
  HINDSIGHT_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    HINDSIGHT_UNROLL
    for (uninitialized<T>& value : values) {
      const T left = cuda::shuffle_up(value.get(), distance);
      if (lane >= distance) value.set(op(left, value.get()));
    }
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
