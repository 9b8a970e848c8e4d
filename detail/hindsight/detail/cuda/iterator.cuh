// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators as kernels take them: a plain pointer where the iterator wraps one.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/contiguous.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/ptx.cuh>

#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <thrust/iterator/iterator_traits.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class It>
using value_of = typename ::cuda::std::iterator_traits<It>::value_type;

/// Whether T is a tuple with a member that is made of anything: also of an item that is not const,
/// for which its constructor is a better match than the copy constructor.
struct unknown_item {};
template <class T>
inline constexpr bool has_members_made_of_anything = false;
template <class... Ts>
inline constexpr bool has_members_made_of_anything<::cuda::std::tuple<Ts...>> =
    sizeof...(Ts) > 1 && (std::is_constructible_v<Ts, unknown_item> || ...);

/// What a zip iterator gives, as references to constants.
template <class... References>
HINDSIGHT_DEVICE ::cuda::std::tuple<const std::remove_reference_t<References>&...> as_constants(
    const ::cuda::std::tuple<References...>& item) {
  return item;
}
template <class Item, class = void>
inline constexpr bool is_zipped = false;
template <class Item>
inline constexpr bool
    is_zipped<Item, std::void_t<decltype(cuda::as_constants(std::declval<const Item&>()))>> = true;

/// What an iterator refers to, as a T. A constructor of T's that takes anything may be a better
/// match than the copy constructor, for an item that is not const, or that is const and computed.
template <class T, class Item>
HINDSIGHT_DEVICE T as_item(Item&& item) {
  if constexpr (std::is_same_v<Item, T&> || std::is_same_v<Item, const T>) {
    return T(::cuda::std::as_const(item));
  } else if constexpr (has_members_made_of_anything<T> && is_zipped<std::decay_t<Item>>) {
    return T(cuda::as_constants(item));
  } else {
    return static_cast<T>(static_cast<Item&&>(item));
  }
}
/// The same, for a copy that is made of a constant reference.
template <class T, class Item>
HINDSIGHT_DEVICE decltype(auto) to_copy(Item&& item) {
  if constexpr (has_members_made_of_anything<T> && is_zipped<std::decay_t<Item>>) {
    return cuda::as_item<T>(item);
  } else {
    return static_cast<Item&&>(item);
  }
}

/// The same pointer, to items that are not volatile: only kernels of one launch use them, and no
/// wide load takes volatile ones.
template <class T>
HINDSIGHT_HD auto without_volatile(T* pointer) {
  return const_cast<std::remove_volatile_t<T>*>(pointer);
}

/// A raw pointer if the iterator wraps one, else what was given: kernels then move wide words, and
/// one kernel serves all spellings of a pointer.
template <class It>
HINDSIGHT_HD auto unwrap(It it) {
  if constexpr (std::is_pointer_v<It>) {
    // Thrust would ask for the address of an item, which a user's & may refuse.
    return cuda::without_volatile(it);
  } else if constexpr (is_contiguous<It>) {
    return cuda::without_volatile(thrust::unwrap_contiguous_iterator(it));
  } else {
    return it;
  }
}

template <class It>
using unwrapped = decltype(cuda::unwrap(std::declval<It>()));

/// The number of items as kernels take it.
inline std::size_t unwrap_size(std::size_t n) {
  return n;
}
template <class CountIt>
auto unwrap_size(const deferred<CountIt>& size) {
  return deferred{cuda::unwrap(size.count), size.most};
}
template <class Size>
using unwrapped_size = decltype(cuda::unwrap_size(std::declval<Size>()));

/// Returns true in all blocks of a launch that turns out to have no items, and sets *count = 0. A
/// number that the host knows is never 0 in a kernel.
template <class CountIt>
HINDSIGHT_DEVICE bool found_none(std::size_t, std::size_t, CountIt) {
  return false;
}
template <class SizeIt, class CountIt>
HINDSIGHT_DEVICE bool found_none(const deferred<SizeIt>&, std::size_t n, CountIt count) {
  if (n > 0) return false;
  ptx::wait_for_launch_before();
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0;
  return true;
}

/// Whether writing out[0, n) can change in[0, n), as far as the types tell.
template <class InputIt, class OutputIt>
bool may_overlap(InputIt in, OutputIt out, std::size_t n) {
  if constexpr (std::is_pointer_v<InputIt> && std::is_pointer_v<OutputIt>) {
    const auto in_begin = reinterpret_cast<std::uintptr_t>(in);
    const auto in_end = reinterpret_cast<std::uintptr_t>(in + n);
    const auto out_begin = reinterpret_cast<std::uintptr_t>(out);
    const auto out_end = reinterpret_cast<std::uintptr_t>(out + n);
    return in_begin < out_end && out_begin < in_end;
  } else {
    return true;
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
