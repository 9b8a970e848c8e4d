// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an algorithm under comparison writes to. The entry point marks it as a target; on our side,
// `staged` memory takes its place.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/contiguous.h>
#include <hindsight/detail/dispatch/call.h>

#include <cuda/std/iterator>
#include <cuda/std/tuple>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace hindsight::detail::ab {

/// What a target holds before the call.
enum class before {
  nothing,         // that the algorithm reads
  maybe_an_input,  // the algorithm may be called in place: its input may lie there
  an_input         // the algorithm works in place
};

inline constexpr std::size_t as_the_input = std::numeric_limits<std::size_t>::max();

/// Marks arguments as items that the algorithm writes. It stands for one iterator, to the first
/// item, or for two, to both ends.
template <class It, int Iterators>
struct target {
  const char* name;
  before content;
  It first;
  It last;
  std::size_t capacity;  // how many items may be written, whatever the input's size is
};

template <class It>
HINDSIGHT_HD target<It, 1> output(const char* name, It out, std::size_t capacity = as_the_input) {
  return {name, before::nothing, out, out, capacity};
}
template <class It>
HINDSIGHT_HD target<It, 1> scan_output(It out) {
  return {"out", before::maybe_an_input, out, out, as_the_input};
}

/// The output of a fold, which may be one of its items.
template <class It>
HINDSIGHT_HD target<It, 1> fold_output(It out) {
  return {"out", before::maybe_an_input, out, out, 1};
}

template <class It>
inline constexpr bool is_zipped = false;
template <class... Its>
inline constexpr bool is_zipped<thrust::zip_iterator<::cuda::std::tuple<Its...>>> = true;

/// Whether an output begins where an input does that has items, of the same type.
_CCCL_EXEC_CHECK_DISABLE
template <class Out, class It>
HINDSIGHT_HD bool is_at(const Out& out, const It& in) {
  if constexpr (is_zipped<It>) {
    const auto any = [&](const auto&... parts) { return (ab::is_at(out, parts) || ...); };
    return ::cuda::std::apply(any, in.get_iterator_tuple());
  } else if constexpr (thrust::is_contiguous_iterator_v<It> &&
                       thrust::is_contiguous_iterator_v<Out>) {
    if constexpr (std::is_same_v<item_t<It>, item_t<Out>>)
      return thrust::unwrap_contiguous_iterator(out) == thrust::unwrap_contiguous_iterator(in);
  }
  return false;
}

/// Whether an output is one of the inputs. All of several zipped ones have to be: the others may
/// have room for less.
_CCCL_EXEC_CHECK_DISABLE
template <class Out, class... Inputs>
HINDSIGHT_HD bool is_in_place(const Out& out, const Inputs&... inputs) {
  if constexpr (is_zipped<Out>) {
    const auto all = [&](const auto&... parts) {
      return (ab::is_in_place(parts, inputs...) && ...);
    };
    return ::cuda::std::apply(all, out.get_iterator_tuple());
  } else {
    return (ab::is_at(out, inputs) || ...);
  }
}

/// The output of a selection. There may be room for what is selected alone, so that only in place
/// as many items as the input has can be saved.
_CCCL_EXEC_CHECK_DISABLE
template <class Out, class It, class... Inputs>
HINDSIGHT_HD target<Out, 1> selection_output(Out out, It first, It last, Inputs... others) {
  bool in_place = false;
  if constexpr (names_random_access<It>)
    in_place = last - first > 0 && ab::is_in_place(out, first, others...);
  return {"out", in_place ? before::maybe_an_input : before::nothing, out, out, as_the_input};
}
template <class It>
HINDSIGHT_HD target<It, 1> in_place(const char* name, It first) {
  return {name, before::an_input, first, first, as_the_input};
}
template <class It>
HINDSIGHT_HD target<It, 2> in_place(const char* name, It first, It last) {
  return {name, before::an_input, first, last, as_the_input};
}

/// The arguments that the algorithm gets for `arg`: `arg` itself, or a target's iterators.
_CCCL_EXEC_CHECK_DISABLE
template <class Arg>
HINDSIGHT_HD ::cuda::std::tuple<Arg> as_arguments(const Arg& arg) {
  return ::cuda::std::tuple<Arg>{arg};
}
template <class It>
HINDSIGHT_HD ::cuda::std::tuple<It> as_arguments(const target<It, 1>& out) {
  return ::cuda::std::tuple<It>{out.first};
}
template <class It>
HINDSIGHT_HD ::cuda::std::tuple<It, It> as_arguments(const target<It, 2>& items) {
  return {items.first, items.last};
}

/// The length of a range without random access. Such calls run on stock's side only.
struct unknown_length {};

inline std::size_t known_length(std::size_t n) {
  return n;
}
inline std::size_t known_length(unknown_length) {
  return 0;
}

/// last - first, or 0 if that is negative. The arguments of every algorithm begin with its first
/// and last, or with a target that holds both.
template <class It, class... Args>
auto input_length(const It& first, const It& last, const Args&...) {
  if constexpr (names_random_access<It>) {
    const auto n = last - first;
    return n < 0 ? std::size_t{0} : static_cast<std::size_t>(n);
  } else {
    return unknown_length{};
  }
}
template <class It, class... Args>
auto input_length(const target<It, 2>& items, const Args&...) {
  return input_length(items.first, items.last);
}

/// The number of bins between levels.
_CCCL_EXEC_CHECK_DISABLE
template <class LevelIt>
HINDSIGHT_HD std::size_t num_bins(LevelIt levels_first, LevelIt levels_last) {
  const auto num_levels = levels_last - levels_first;
  return num_levels > 0 ? static_cast<std::size_t>(num_levels - 1) : 0;
}

/// Whether values of type T are compared by their bytes, padding included. Values of long double
/// are not: equal ones may have different padding (on x86-64 it is 6 of 16 bytes).
template <class T>
inline constexpr bool has_bits =
    std::is_trivially_copyable_v<T> && !std::is_same_v<T, long double> &&
    alignof(T) <= alignof(std::max_align_t);
template <>
inline constexpr bool has_bits<void> = false;  // of an output that only takes values

/// Whether a target is plain memory, or zipped from plain memory: then staged memory can take its
/// place.
template <class It>
inline constexpr bool is_plain_memory = thrust::is_contiguous_iterator_v<It>&&
    has_bits<typename ::cuda::std::iterator_traits<It>::value_type>;
template <class... Its>
inline constexpr bool is_plain_memory<thrust::zip_iterator<::cuda::std::tuple<Its...>>> =
    (is_plain_memory<Its> && ...);

/// Whether our side can run with an argument. It can with every input, and with targets whose place
/// staged memory can take.
template <class Arg>
inline constexpr bool can_be_staged = true;
template <class It, int Iterators>
inline constexpr bool can_be_staged<target<It, Iterators>> = is_plain_memory<It>;

template <class Arg>
inline constexpr bool is_target = false;
template <class It, int Iterators>
inline constexpr bool is_target<target<It, Iterators>> = true;

}  // namespace hindsight::detail::ab
