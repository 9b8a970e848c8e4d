// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of the floating-point types that cub::NumericTraits names: a program's own, and CUDA's of 8
// bits. Sorts take them as their bits.
#pragma once

#include <hindsight/detail/key_bits.h>

#include <cub/util_type.cuh>
#include <cub/version.cuh>

#include <type_traits>

namespace hindsight::detail {

template <class Key>
std::false_type find_float_traits(const void*);
#if CUB_VERSION >= 300000
template <class Key, class Bits>
std::true_type find_float_traits(const cub::BaseTraits<cub::FLOATING_POINT, true, Bits, Key>*);
#endif

/// What sorts take a key as: itself, or its bits where cub::NumericTraits alone knows the type.
template <class Key, bool IsKnown = has_key_bits<Key>>
struct key_to_sort {
  using type = Key;
};
template <class Key>
struct key_to_sort<Key, false> {
  static constexpr bool is_float = decltype(detail::find_float_traits<Key>(
      static_cast<cub::NumericTraits<Key>*>(nullptr)))::value;
  using type = std::conditional_t<is_float, float_bits<sizeof(Key)>, Key>;
};
template <class Key>
using key_to_sort_t = typename key_to_sort<Key>::type;

template <class Key>
key_to_sort_t<Key>* keys_to_sort(Key* keys) {
  return reinterpret_cast<key_to_sort_t<Key>*>(keys);
}
template <class Key>
const key_to_sort_t<Key>* keys_to_sort(const Key* keys) {
  return reinterpret_cast<const key_to_sort_t<Key>*>(keys);
}

}  // namespace hindsight::detail
