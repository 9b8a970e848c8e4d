// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The notice board of the look-back protocol. Every memory-order decision of the library is in
// this file; see detail/README.md for the protocol that runs on it.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/workspace.h>
#if defined(__CUDACC__)
#  include <hindsight/detail/ptx.cuh>
#endif

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hindsight::detail {

/// The bytes of a T that count: all, unless T::payload_bytes says that only the first ones do.
template <class T, class = void>
inline constexpr std::size_t payload_bytes = sizeof(T);
template <class T>
inline constexpr std::size_t payload_bytes<T, std::void_t<decltype(T::payload_bytes)>> =
    T::payload_bytes;

/// A value that one owner publishes once and anyone may wait for. Zeroed memory is an empty slot.
///
/// A reader must never take a value that is not all there. Three ways, by size:
///   <= 6 bytes   value and flag share one 8-byte word: one relaxed access moves both
///   <= 14 bytes  value and flag share one 16-byte word: the same, where the processor has 16-byte
///                accesses (sm_70 and later); host threads take the third way
///   larger       the flag is stored with release after the value and loaded with acquire before it
/// Relaxed is enough for the first two because nothing but the word itself is handed over.
template <class T>
class alignas(payload_bytes<T> <= 6    ? 8
              : payload_bytes<T> <= 14 ? 16
                                       : alignof(T)) slot {
  static_assert(std::is_trivially_copyable_v<T>, "tiles hand over plain values");

 public:
  HINDSIGHT_HD void publish(const T& value) {
    if constexpr (sizeof(slot) == 8) {
      slot full;
      full.set(value);
      std::uint64_t word;
      memcpy(&word, &full, sizeof word);
      word_ref{*reinterpret_cast<std::uint64_t*>(this)}.store(word, ::cuda::memory_order_relaxed);
    } else {
      NV_IF_TARGET(NV_IS_DEVICE, (publish_on_device(value);), (publish_in_order(value);))
    }
  }

  /// True, and the value, if it has been published.
  HINDSIGHT_HD bool peek(T& value) const {
    if constexpr (sizeof(slot) == 8) {
      const std::uint64_t word =
          word_ref{*reinterpret_cast<std::uint64_t*>(const_cast<slot*>(this))}.load(
              ::cuda::memory_order_relaxed);
      slot copy;
      memcpy(static_cast<void*>(&copy), &word, sizeof word);
      return copy.get(value);
    } else {
      NV_IF_TARGET(NV_IS_DEVICE, (return peek_on_device(value);), (return peek_in_order(value);))
    }
  }

 private:
  static constexpr std::size_t bytes = payload_bytes<T>;
  using word_ref = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  using flag = std::conditional_t<bytes <= 14, std::uint16_t, std::uint32_t>;
  using flag_ref = ::cuda::atomic_ref<flag, ::cuda::thread_scope_device>;

  HINDSIGHT_HD void set(const T& value) {
    memcpy(value_, static_cast<const void*>(&value), bytes);
    full_ = 1;
  }
  HINDSIGHT_HD bool get(T& value) const {
    if constexpr (bytes < sizeof(T)) memset(static_cast<void*>(&value), 0, sizeof value);
    memcpy(static_cast<void*>(&value), value_, bytes);
    return full_ != 0;
  }

  HINDSIGHT_HD void publish_in_order(const T& value) {
    memcpy(value_, static_cast<const void*>(&value), bytes);
    flag_ref{full_}.store(1, ::cuda::memory_order_release);  // the value is there before the flag
  }
  HINDSIGHT_HD bool peek_in_order(T& value) const {
    const flag_ref full{const_cast<flag&>(full_)};
    if (full.load(::cuda::memory_order_acquire) == 0) return false;  // the flag before the value
    if constexpr (bytes < sizeof(T)) memset(static_cast<void*>(&value), 0, sizeof value);
    memcpy(static_cast<void*>(&value), value_, bytes);
    return true;
  }

#if defined(__CUDACC__)
  __device__ void publish_on_device(const T& value) {
    if constexpr (sizeof(slot) == 16 && bytes <= 14) {
      slot full;
      full.set(value);
      ptx::u128 word;
      memcpy(&word, &full, sizeof word);
      ptx::store_relaxed(reinterpret_cast<ptx::u128*>(this), word);
    } else {
      publish_in_order(value);
    }
  }
  __device__ bool peek_on_device(T& value) const {
    if constexpr (sizeof(slot) == 16 && bytes <= 14) {
      const ptx::u128 word = ptx::load_relaxed(reinterpret_cast<const ptx::u128*>(this));
      slot copy;
      memcpy(static_cast<void*>(&copy), &word, sizeof word);
      return copy.get(value);
    } else {
      return peek_in_order(value);
    }
  }
#endif

  // Raw bytes: T need not be default constructible, and an empty slot is zeroed memory.
  alignas(alignof(T)) unsigned char value_[bytes];
  flag full_;
};

/// What the tiles of one launch tell each other, all empty (zero) at the start:
///   aggregate[t]  the fold of tile t alone, published by its owner
///   carry[t]      the fold of all tiles before t
/// Aggregates stay readable after a carry is known, so that whoever folds them, and however late,
/// folds the same operands in the same order.
template <class T>
class tile_board {
 public:
  tile_board() = default;
  /// Takes a board of `num_tiles` from a workspace that will be zeroed.
  tile_board(carver& space, std::size_t num_tiles)
      : aggregates_{space.take<slot<T>>(num_tiles)}, carries_{space.take<slot<T>>(num_tiles + 1)} {}

  HINDSIGHT_HD void publish_aggregate(std::size_t tile, const T& value) const {
    aggregates_[tile].publish(value);
  }
  HINDSIGHT_HD bool peek_aggregate(std::size_t tile, T& value) const {
    return aggregates_[tile].peek(value);
  }
  HINDSIGHT_HD void publish_carry(std::size_t tile, const T& value) const {
    carries_[tile].publish(value);
  }
  HINDSIGHT_HD bool peek_carry(std::size_t tile, T& value) const {
    return carries_[tile].peek(value);
  }

  /// Spins until the value is there. Ends because whoever owes it holds a lower ticket, and is
  /// therefore already running.
  HINDSIGHT_HD T wait_aggregate(std::size_t tile) const {
    T value;
    while (!peek_aggregate(tile, value)) {
    }
    return value;
  }
  HINDSIGHT_HD T wait_carry(std::size_t tile) const {
    T value;
    while (!peek_carry(tile, value)) {
    }
    return value;
  }

 private:
  slot<T>* aggregates_ = nullptr;
  slot<T>* carries_ = nullptr;
};

}  // namespace hindsight::detail
