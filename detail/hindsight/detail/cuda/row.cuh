// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moving items between memory and registers, `Vector` neighbours per lane: in one access where the
// iterator is a pointer that is aligned for it, item by item otherwise.
#pragma once

#include <hindsight/detail/config.h>

#include <thrust/iterator/iterator_traits.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail {

template <class It>
using value_of = typename ::cuda::std::iterator_traits<It>::value_type;

/// A raw pointer if the iterator is one in disguise, else the iterator itself.
template <class It>
HINDSIGHT_HD auto unwrap(It it) {
  if constexpr (thrust::is_contiguous_iterator_v<It>) {
    return thrust::unwrap_contiguous_iterator(it);
  } else {
    return it;
  }
}

/// The access that moves `bytes` at once; void where there is none.
template <std::size_t bytes>
struct wide_access {
  using type = std::conditional_t<
      bytes == 16, uint4,
      std::conditional_t<bytes == 8, uint2,
                         std::conditional_t<bytes == 4, unsigned,
                                            std::conditional_t<bytes == 2, unsigned short, void>>>>;
};

template <class It, int Vector, class = void>
struct moves_wide : std::false_type {};
template <class T, int Vector>
struct moves_wide<T*, Vector,
                  std::enable_if_t<std::is_trivially_copyable_v<T> && (Vector > 1) &&
                                   !std::is_void_v<typename wide_access<Vector * sizeof(T)>::type>>>
    : std::true_type {};

/// Whether rows that start at multiples of Vector items from `it` can move in wide accesses.
template <int Vector, class It>
HINDSIGHT_HD bool is_aligned_for(It it) {
  if constexpr (moves_wide<It, Vector>::value) {
    return reinterpret_cast<std::uintptr_t>(it) % (Vector * sizeof(*it)) == 0;
  } else {
    return false;
  }
}

/// items[v] = in[v]; each item is read once and not soon again.
template <int Vector, class T>
HINDSIGHT_DEVICE void load_wide(const T* in, T (&items)[Vector]) {
  using access = typename wide_access<Vector * sizeof(T)>::type;
  const access raw = __ldcs(reinterpret_cast<const access*>(in));
  memcpy(items, &raw, sizeof raw);
}

template <int Vector, class T>
HINDSIGHT_DEVICE void store_wide(T* out, const T (&items)[Vector]) {
  using access = typename wide_access<Vector * sizeof(T)>::type;
  access raw;
  memcpy(&raw, items, sizeof raw);
  __stcs(reinterpret_cast<access*>(out), raw);
}

/// items[v] = T(in[v]) for a full vector.
template <int Vector, class It, class T>
HINDSIGHT_DEVICE void load_vector(It in, bool aligned, T (&items)[Vector]) {
  if constexpr (moves_wide<It, Vector>::value) {
    if (aligned) {
      std::remove_cv_t<std::remove_pointer_t<It>> raw[Vector];
      load_wide<Vector>(in, raw);
      HINDSIGHT_UNROLL
      for (int v = 0; v < Vector; ++v) items[v] = static_cast<T>(raw[v]);
      return;
    }
  }
  HINDSIGHT_UNROLL
  for (int v = 0; v < Vector; ++v) items[v] = static_cast<T>(in[v]);
}

/// As load_vector(), of `count` items that exist; the others repeat the last one, so that operators
/// see real values only. `count` may be 0 or negative if in[count - 1] exists all the same.
template <int Vector, class It, class T>
HINDSIGHT_DEVICE void load_partial(It in, std::ptrdiff_t count, T (&items)[Vector]) {
  HINDSIGHT_UNROLL
  for (int v = 0; v < Vector; ++v) items[v] = static_cast<T>(in[v < count ? v : count - 1]);
}

/// out[v] = items[v] for a full vector.
template <int Vector, class It, class T>
HINDSIGHT_DEVICE void store_vector(It out, bool aligned, const T (&items)[Vector]) {
  if constexpr (moves_wide<It, Vector>::value) {
    if (aligned) {
      std::remove_pointer_t<It> raw[Vector];
      HINDSIGHT_UNROLL
      for (int v = 0; v < Vector; ++v) raw[v] = static_cast<std::remove_pointer_t<It>>(items[v]);
      store_wide<Vector>(out, raw);
      return;
    }
  }
  HINDSIGHT_UNROLL
  for (int v = 0; v < Vector; ++v) out[v] = items[v];
}

template <int Vector, class It, class T>
HINDSIGHT_DEVICE void store_partial(It out, std::ptrdiff_t count, const T (&items)[Vector]) {
  HINDSIGHT_UNROLL
  for (int v = 0; v < Vector; ++v) {
    if (v < count) out[v] = items[v];
  }
}

}  // namespace hindsight::detail
