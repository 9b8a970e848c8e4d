// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys for the tests of sorting, and the order that the radix sort gives them.
#pragma once

#include <hindsight/detail/tuning/sort.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gpu_testing.h"
#include "order_testing.h"
#include <algorithm>
#include <numeric>

namespace hindsight_test {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum class values { of_all_bits, few, one };
enum class order { ascending, descending };

template <class Key>
inline constexpr bool is_float = std::is_floating_point_v<Key> || std::is_same_v<Key, __half> ||
                                 std::is_same_v<Key, __nv_bfloat16>;

/// Where the radix sort puts a key: numbers by value, the zeros together, NaNs by their bits.
template <class Key>
uint128 rank_of(const Key& key) {
  if constexpr (is_float<Key>) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &key, sizeof key);
    const std::uint64_t sign = std::uint64_t{1} << (8 * sizeof key - 1);
    const std::uint64_t magnitude = bits & (sign - 1);
    return bits & sign ? sign - magnitude : sign + magnitude;  // both zeros: sign
  } else {
    const uint128 half = uint128{1} << 127;
    return std::is_same_v<Key, uint128> ? uint128(key) : uint128(int128(key)) + half;
  }
}

/// Keys on the host: a std::vector<bool> would hold bits.
template <class Key>
using host_key = std::conditional_t<std::is_same_v<Key, bool>, std::uint8_t, Key>;

template <class Key>
std::vector<host_key<Key>> random_keys(std::size_t n, values kind, unsigned seed = 11) {
  std::mt19937_64 random{seed + n};
  std::vector<host_key<Key>> keys(n);
  for (auto& key : keys) {
    if constexpr (std::is_same_v<Key, bool>) {
      key = kind == values::one ? 1 : random() % 2;
    } else if (kind == values::one) {
      key = static_cast<Key>(3);
    } else if (kind == values::few) {
      key = static_cast<Key>(int(random() % 5));
      if constexpr (is_float<Key>) key = random() % 2 ? key : static_cast<Key>(-float(key));
    } else {
      const std::uint64_t bits[] = {random(), random()};
      std::memcpy(&key, bits, sizeof key);
      if constexpr (is_float<Key>) {
        if (random() % 16 == 0) key = static_cast<Key>(random() % 2 ? 0.0f : -0.0f);
      }
    }
  }
  return keys;
}

/// Device keys of the test from host keys.
template <class Key>
struct key_array : device_array<host_key<Key>> {
  using device_array<host_key<Key>>::device_array;
  Key* begin() const { return reinterpret_cast<Key*>(this->data()); }
  Key* end() const { return begin() + this->size(); }
};

/// The places of the keys in a stable sort.
template <class Key>
std::vector<std::uint32_t> sorted_places(const std::vector<Key>& keys, order direction) {
  std::vector<uint128> ranks;
  ranks.reserve(keys.size());
  for (const Key key : keys) {
    const uint128 rank = rank_of<Key>(key);
    ranks.push_back(direction == order::ascending ? rank : ~rank);
  }
  return places_in_order(ranks);
}

template <class Key>
std::vector<Key> sorted_on_cpu(const std::vector<Key>& keys, order direction) {
  return gathered(keys, sorted_places(keys, direction));
}

template <class Key, class Value>
std::vector<std::size_t> sort_sizes() {
  auto sizes = sizes_around(hindsight::detail::sort_tuning<Key, Value>::tile_items);
  using hindsight::detail::tiles;
  for (const std::size_t tile :
       {hindsight::detail::sort_tuning<Key, Value, tiles::small>::tile_items,
        hindsight::detail::sort_tuning<Key, Value, tiles::medium>::tile_items,
        hindsight::detail::sort_tuning<Key, Value, tiles::one>::tile_items})
    sizes.insert(sizes.end(), {tile - 1, tile, tile + 1});
  sizes.push_back(70000);
  return sizes;
}

}  // namespace hindsight_test
