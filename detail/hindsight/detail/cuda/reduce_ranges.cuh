// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of segments that have a begin and an end each, and need not lie one behind the other.
// They are reduced as if they did: sums of their lengths tell where each would begin.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/reduce_segments.cuh>
#include <hindsight/detail/cuda/scan.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// An item and where it is.
template <class Value>
struct indexed_item {
  std::size_t index;
  Value value;
};

template <class T>
inline constexpr bool is_indexed = false;
template <class Value>
inline constexpr bool is_indexed<indexed_item<Value>> = true;

/// Of two items the one that comes first in the order of `Less`; of equal ones the one on the left.
template <class Less>
struct first_of_two {
  template <class Value>
  HINDSIGHT_DEVICE indexed_item<Value> operator()(const indexed_item<Value>& a,
                                                  const indexed_item<Value>& b) const {
    return Less{}(b.value, a.value) ? b : a;
  }
};

/// The types of a pair's members: cub::KeyValuePair calls them key and value, other pairs first and
/// second.
template <class Pair, class = void>
struct members_of_pair {
  using index = std::remove_const_t<decltype(Pair::first)>;
  using value = std::remove_const_t<decltype(Pair::second)>;
};
template <class Pair>
struct members_of_pair<Pair, std::void_t<decltype(Pair::key)>> {
  using index = std::remove_const_t<decltype(Pair::key)>;
  using value = std::remove_const_t<decltype(Pair::value)>;
};

/// Where extrema go: as pairs of the place in the segment and the value.
template <class OutputIt, class Pair, class Value>
struct segment_extrema {
  OutputIt out;
  Value of_empty;
  HINDSIGHT_DEVICE void put_empty(std::size_t s) const { out[s] = Pair{1, of_empty}; }
  HINDSIGHT_DEVICE void put(std::size_t s, std::size_t begin,
                            const indexed_item<Value>& fold) const {
    out[s] =
        Pair{static_cast<typename members_of_pair<Pair>::index>(fold.index - begin), fold.value};
  }
};

/// Segments as if they lay one behind the other.
///   rows  [num_segments + 1], where each would begin
template <class BeginIt>
struct joined_ranges {
  BeginIt begins;
  const std::size_t* rows;
  std::size_t num_segments;

  HINDSIGHT_DEVICE std::size_t num_items() const { return rows[num_segments]; }
  /// Where item i is, by search for the last segment that begins at or before it.
  HINDSIGHT_DEVICE std::size_t place_of(std::size_t i) const {
    std::size_t low = 0, high = num_segments;
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (rows[middle] <= i ? low : high) = middle;
    }
    return static_cast<std::size_t>(begins[low]) + (i - rows[low]);
  }
};

namespace function {

/// The length of a segment; after the last one, 0.
template <class BeginIt, class EndIt>
struct length_of_range {
  BeginIt begins;
  EndIt ends;
  std::size_t num_segments;
  HINDSIGHT_DEVICE std::size_t operator()(std::size_t s) const {
    if (s == num_segments || !(begins[s] < ends[s])) return 0;
    return static_cast<std::size_t>(ends[s] - begins[s]);
  }
};

/// Where segment s begins in the sequence of all segments' items. Without `rows` these lie in the
/// input as they are.
template <class BeginIt>
struct row_of_range {
  BeginIt begins;
  const std::size_t* rows;
  HINDSIGHT_DEVICE std::size_t operator()(std::size_t s) const {
    return rows ? rows[s] : static_cast<std::size_t>(begins[s]);
  }
};

/// Item i of that sequence, as a T.
template <class T, class InputIt, class BeginIt>
struct item_of_ranges {
  InputIt in;
  joined_ranges<BeginIt> ranges;
  HINDSIGHT_DEVICE T operator()(std::size_t i) const {
    return make(i, in[ranges.rows ? ranges.place_of(i) : i], static_cast<T*>(nullptr));
  }

 private:
  template <class Item, class U>
  static HINDSIGHT_DEVICE T make(std::size_t, const Item& item, U*) {
    return static_cast<T>(item);
  }
  template <class Item, class Value>
  static HINDSIGHT_DEVICE T make(std::size_t i, const Item& item, indexed_item<Value>*) {
    return {i, static_cast<Value>(item)};
  }
};

}  // namespace function

/// Where segments of one size begin.
struct multiples_of {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const std::size_t*;
  using reference = std::size_t;
  std::size_t size, first = 0;
  HINDSIGHT_HD std::size_t operator[](std::size_t s) const { return (first + s) * size; }
  HINDSIGHT_HD multiples_of operator+(std::size_t s) const { return {size, first + s}; }
  HINDSIGHT_HD multiples_of& operator+=(std::size_t s) { return first += s, *this; }
  HINDSIGHT_HD bool operator==(const multiples_of& other) const {
    return size == other.size && first == other.first;
  }
};

/// Iterators of offsets that the host can compare, to see whether each segment begins where the
/// last one ends.
template <class BeginIt, class EndIt>
inline constexpr bool may_be_chain = std::is_same_v<BeginIt, EndIt> &&
                                     (std::is_pointer_v<BeginIt> ||
                                      std::is_same_v<BeginIt, multiples_of>);

/// Writes where each of the joined segments begins, rows [num_segments + 1], in CUB's two phases.
template <class BeginIt, class EndIt>
cudaError_t scan_lengths(void* temp, std::size_t& temp_bytes, BeginIt begins, EndIt ends,
                         std::size_t num_segments, std::size_t* rows, cudaStream_t stream) {
  using length = function::length_of_range<BeginIt, EndIt>;
  using counting = thrust::counting_iterator<std::size_t>;
  return cuda::scan<std::size_t, exclusive>(
      temp, temp_bytes,
      thrust::transform_iterator<length, counting, std::size_t, std::size_t>(
          counting(0), length{begins, ends, num_segments}),
      rows, num_segments + 1, ::cuda::std::plus<std::size_t>{}, std::size_t{0}, stream);
}

/// Host side, in CUB's two phases. T is the accumulator. Takes a search for each item, unless both
/// iterators are pointers, or multiples_of, and each segment begins where the last one ends.
template <class T, class InputIt, class BeginIt, class EndIt, class Results, class Op>
cudaError_t reduce_ranges(void* temp, std::size_t& temp_bytes, InputIt first_in, BeginIt begins_in,
                          EndIt ends_in, std::size_t num_segments, Results results, T real, Op op,
                          cudaStream_t stream) {
  const auto in = cuda::unwrap(first_in);
  const auto begins = cuda::unwrap(begins_in);
  const auto ends = cuda::unwrap(ends_in);
  constexpr bool is_comparable = may_be_chain<unwrapped<BeginIt>, unwrapped<EndIt>>;
  bool is_chain = false;
  if constexpr (is_comparable) is_chain = begins + 1 == ends;

  if constexpr (is_comparable && !is_indexed<T>) {
    if (is_chain)  // the kernel sees the iterator as it is
      return cuda::reduce_segments<T>(temp, temp_bytes, in, begins, num_segments, ~std::size_t{0},
                                      results, real, op, stream);
  }
  using row = function::row_of_range<unwrapped<BeginIt>>;
  using item = function::item_of_ranges<T, unwrapped<InputIt>, unwrapped<BeginIt>>;
  using counting = thrust::counting_iterator<std::size_t>;
  const counting index(0);
  carver space{temp};
  std::size_t* rows = is_chain ? nullptr : space.take<std::size_t>(num_segments + 1);
  const auto add_lengths = [&](void* scan_temp, std::size_t& bytes) {
    return cuda::scan_lengths(scan_temp, bytes, begins, ends, num_segments, rows, stream);
  };
  const auto reduce = [&](void* reduce_temp, std::size_t& bytes) {
    return cuda::reduce_segments<T>(
        reduce_temp, bytes,
        thrust::transform_iterator<item, counting, T, T>(index,
                                                         item{in, {begins, rows, num_segments}}),
        thrust::transform_iterator<row, counting, std::size_t, std::size_t>(index,
                                                                            row{begins, rows}),
        num_segments, ~std::size_t{0}, results, real, op, stream);
  };
  std::size_t scan_bytes = 0, reduce_bytes = 0;
  if (!is_chain) HINDSIGHT_TRY(add_lengths(nullptr, scan_bytes));
  HINDSIGHT_TRY(reduce(nullptr, reduce_bytes));
  void* const scan_temp = space.take<char>(scan_bytes);
  void* const reduce_temp = space.take<char>(reduce_bytes);
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  if (num_segments == 0) return cudaSuccess;
  if (!is_chain) HINDSIGHT_TRY(add_lengths(scan_temp, scan_bytes));
  return reduce(reduce_temp, reduce_bytes);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
