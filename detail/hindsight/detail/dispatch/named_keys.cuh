// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of the types that cub::NumericTraits alone names as numbers: a program's own integers,
// enumerations and floating-point numbers, and CUDA's floats of 8 bits. Sorts take them as their
// bits.
#pragma once

#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/radix_sortable.h>

#include <cub/util_type.cuh>
#include <cub/version.cuh>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {

template <std::size_t Bytes>
using signed_of_size_t =
    std::conditional_t<Bytes == 16, int128_t,
                       std::make_signed_t<unsigned_of_size_t<Bytes == 16 ? 8 : Bytes>>>;

/// A number of the size and the order of keys that CUB's traits name; other keys as they are.
template <class Key>
Key* number_named_by(const void*);
#if CUB_VERSION >= 300000
template <class Key, class Bits>
float_bits<sizeof(Key)>* number_named_by(
    const cub::BaseTraits<cub::FLOATING_POINT, true, Bits, Key>*);
template <class Key, class Bits>
unsigned_of_size_t<sizeof(Key)>* number_named_by(
    const cub::BaseTraits<cub::UNSIGNED_INTEGER, true, Bits, Key>*);
template <class Key, class Bits>
signed_of_size_t<sizeof(Key)>* number_named_by(
    const cub::BaseTraits<cub::SIGNED_INTEGER, true, Bits, Key>*);
#endif

/// What sorts take a key as: itself, or its bits where cub::NumericTraits alone knows the type.
template <class Key, bool IsKnown = is_radix_key<Key>>
struct key_to_sort {
  using type = Key;
};
template <class Key>
struct key_to_sort<Key, false> {
  using type = std::remove_pointer_t<decltype(detail::number_named_by<Key>(
      static_cast<cub::NumericTraits<Key>*>(nullptr)))>;
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
