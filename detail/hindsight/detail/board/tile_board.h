// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The board on which tiles publish values for each other. docs/design.md, section 2, describes the
// protocol that runs on it.
#pragma once

#include <hindsight/detail/board/word.h>
#include <hindsight/detail/config.h>
#include <hindsight/detail/plain_types.h>
#include <hindsight/detail/workspace.h>

#include <cuda/atomic>
#include <thrust/addressof.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hindsight::detail {

/// How many bytes of a T a slot has to carry, from its first one on. Specialised for types of this
/// library only: no property of a user's type changes it.
template <class T>
inline constexpr std::size_t payload_bytes = sizeof(T);

/// value = its first Bytes bytes, then zeros.
template <std::size_t Bytes, class T>
HINDSIGHT_HD void copy_payload(const void* bytes, T& value) {
  void* const to = ::cuda::std::addressof(value);
  memset(static_cast<char*>(to) + Bytes, 0, sizeof value - Bytes);
  memcpy(to, bytes, Bytes);
}

/// A value that one owner publishes once and anyone may wait for. Zeroed memory is an empty slot.
/// Requires a T that is_plain.
///
/// A reader must never take a value that is not all there. Values of up to 28 bytes share their
/// words with flags. The bits of a word that the value leaves free are its flag: all zero in an
/// empty slot, all one in a full one. Each word has its own flag, so words may arrive one after the
/// other. A reader tests all bits of a flag, so it needs the whole word, and no compiler has a
/// reason to load less.
template <class T, std::size_t Bytes = payload_bytes<T>, class = void>
class slot;

/// One word.
template <class T, std::size_t Bytes>
class slot<T, Bytes, std::enable_if_t<(Bytes <= 7)>> {
  static_assert(is_plain<T>, "tiles hand over plain values");

 public:
  HINDSIGHT_HD void publish(const T& value) {
    std::uint64_t bits = 0;
    memcpy(&bits, ::cuda::std::addressof(value), Bytes);
    store_word(word_, bits | flag);
  }

  /// True, and the value, if it has been published.
  HINDSIGHT_HD bool peek(T& value) const {
    const std::uint64_t word = load_word(word_), bits = word & ~flag;
    detail::copy_payload<Bytes>(&bits, value);
    return word >= flag;
  }

 private:
  static constexpr std::uint64_t flag = ~std::uint64_t{0} << 8 * Bytes;
  std::uint64_t word_;
};

/// Up to 14 bytes in two words, each with its part of them and its flag.
template <std::size_t Bytes>
class flagged_pair {
  static_assert(Bytes > 0 && Bytes <= 14, "a byte of each word is its flag");

 public:
  HINDSIGHT_HD void publish(const void* value) {
    std::uint64_t bits[2] = {};
    memcpy(bits, value, Bytes);
    store_pair(words_,
               {bits[0] | low_flag, bits[0] >> low_bits | bits[1] << (64 - low_bits) | high_flag});
  }

  /// Whether both words have arrived. Then `bits` has the value, in its first Bytes bytes.
  HINDSIGHT_HD bool peek(std::uint64_t (&bits)[2]) const {
    const word_pair words = load_pair(words_);
    const std::uint64_t high = words.high & ~high_flag;
    bits[0] = (words.low & ~low_flag) | high << low_bits;
    bits[1] = high >> (64 - low_bits);
    return words.low >= low_flag && words.high >= high_flag;
  }

 private:
  /// How much of the value is in the first word: half.
  static constexpr std::size_t low_bytes = (Bytes + 1) / 2;
  static constexpr int low_bits = int(low_bytes) * 8;
  static constexpr std::uint64_t low_flag = ~std::uint64_t{0} << low_bits;
  static constexpr std::uint64_t high_flag = ~std::uint64_t{0} << 8 * (Bytes - low_bytes);
  word_pair words_;
};

/// One pair of words.
template <class T, std::size_t Bytes>
class slot<T, Bytes, std::enable_if_t<(Bytes > 7 && Bytes <= 14)>> {
  static_assert(is_plain<T>, "tiles hand over plain values");

 public:
  HINDSIGHT_HD void publish(const T& value) { pair_.publish(::cuda::std::addressof(value)); }

  HINDSIGHT_HD bool peek(T& value) const {
    std::uint64_t bits[2];
    const bool is_full = pair_.peek(bits);
    detail::copy_payload<Bytes>(bits, value);
    return is_full;
  }

 private:
  flagged_pair<Bytes> pair_;
};

/// Two pairs, with half of the value each. (A flag that is stored with release and loaded with
/// acquire, as below, costs each writer a fence, and each reader its cached lines.)
template <class T, std::size_t Bytes>
class slot<T, Bytes, std::enable_if_t<(Bytes > 14 && Bytes <= 28)>> {
  static_assert(is_plain<T>, "tiles hand over plain values");

 public:
  HINDSIGHT_HD void publish(const T& value) {
    unsigned char bytes[Bytes];
    memcpy(bytes, ::cuda::std::addressof(value), Bytes);
    first_.publish(bytes);
    rest_.publish(bytes + first_bytes);
  }

  HINDSIGHT_HD bool peek(T& value) const {
    std::uint64_t first[2], rest[2];
    const bool has_first = first_.peek(first), has_rest = rest_.peek(rest);
    unsigned char bytes[Bytes];
    memcpy(bytes, first, first_bytes);
    memcpy(bytes + first_bytes, rest, Bytes - first_bytes);
    detail::copy_payload<Bytes>(bytes, value);
    return has_first && has_rest;
  }

 private:
  static constexpr std::size_t first_bytes = (Bytes + 1) / 2;
  flagged_pair<first_bytes> first_;
  flagged_pair<Bytes - first_bytes> rest_;
};

/// Larger values: the flag is stored with release after the value and loaded with acquire before
/// it.
template <class T, std::size_t Bytes>
class slot<T, Bytes, std::enable_if_t<(Bytes > 28)>> {
  static_assert(Bytes == sizeof(T));
  static_assert(is_plain<T>, "tiles hand over plain values");

 public:
  HINDSIGHT_HD void publish(const T& value) {
    memcpy(value_, ::cuda::std::addressof(value), sizeof value);
    flag_ref{is_full_}.store(1, ::cuda::memory_order_release);  // the value before the flag
  }

  HINDSIGHT_HD bool peek(T& value) const {
    const flag_ref is_full{const_cast<std::uint32_t&>(is_full_)};
    if (is_full.load(::cuda::memory_order_acquire) == 0) return false;  // the flag before the value
    memcpy(static_cast<void*>(::cuda::std::addressof(value)), value_, sizeof value);
    return true;
  }

 private:
  using flag_ref = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

  // Raw bytes: T need not be default constructible, and an empty slot is zeroed memory.
  alignas(alignof(T)) unsigned char value_[sizeof(T)];
  std::uint32_t is_full_;
};

/// What the tiles of one launch tell each other, all empty (zero) at the start:
///   aggregate[t]  the fold of tile t alone, published by its owner
///   carry[t]      the fold of all tiles before t
/// Aggregates stay readable after a carry is known. So every fold has the same operands in the same
/// order, also a late one.
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

  /// Spins until the value is there. It comes: its owner holds a lower ticket, so it has started.
  HINDSIGHT_HD void wait_aggregate(std::size_t tile, T& value) const {
    while (!peek_aggregate(tile, value)) {
    }
  }
  HINDSIGHT_HD void wait_carry(std::size_t tile, T& value) const {
    while (!peek_carry(tile, value)) {
    }
  }

  /// The memory of the aggregates, for launches that do not publish: a slot<T> a tile.
  void* room() const { return aggregates_; }

 private:
  slot<T>* aggregates_ = nullptr;
  slot<T>* carries_ = nullptr;
};

}  // namespace hindsight::detail
