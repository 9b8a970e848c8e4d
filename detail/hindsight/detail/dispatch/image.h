// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summed-area tables and box filters. A table is made by tiles. Where tiles do not fit the image,
// and for integers on host threads, it is made row by row and then down the columns.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/segments.h>
#include <hindsight/detail/dispatch/temporary.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/scan_columns.h>
#include <hindsight/detail/host/summed_area_table.h>

#include <cuda/std/cmath>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/for_each_index.cuh>
#  include <hindsight/detail/cuda/scan_columns.cuh>
#  include <hindsight/detail/cuda/summed_area_table.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace hindsight::detail {

/// Rows of `width` items, each of which begins `pitch` items after the one before.
struct image_shape {
  std::size_t width, height, pitch;
};

/// Enables a form for std::mdspan and cuda::std::mdspan of two dimensions. (The handle of a
/// cuda::restrict_mdspan is a pointer that std::is_pointer does not take for one.)
template <class Matrix>
using handle_of = decltype(std::declval<const Matrix&>().data_handle());
template <class... Matrices>
using if_matrices =
    std::enable_if_t<((Matrices::rank() == 2 &&
                       std::is_convertible_v<handle_of<Matrices>, const volatile void*>)&&...),
                     int>;

template <class Matrix>
image_shape shape_of_matrix(const char* name, const Matrix& matrix) {
  static_assert(detail::require_plain_items<Matrix>());
  const auto height = static_cast<std::size_t>(matrix.extent(0));
  const auto width = static_cast<std::size_t>(matrix.extent(1));
  if (width > 1 && matrix.stride(1) != 1)
    throw invalid_call(std::string{name} + ": the items of a row must lie side by side");
  const auto pitch = height > 1 ? static_cast<std::size_t>(matrix.stride(0)) : width;
  if (pitch < width) throw invalid_call(std::string{name} + ": rows must not overlap");
  return {width, height, pitch};
}

namespace function {

/// Where pixel i lies; pixels count row by row.
struct place_of_pixel {
  std::size_t width, pitch;
  HINDSIGHT_HD std::size_t operator()(std::size_t i) const {
    const bool is_wide = (i | width) >> 32 != 0;
    const std::size_t row = is_wide ? i / width : std::uint32_t(i) / std::uint32_t(width);
    return row * pitch + (i - row * width);
  }
};

struct begin_of_row {
  std::size_t width;
  HINDSIGHT_HD std::size_t operator()(std::size_t row) const { return row * width; }
};

/// The type in which pixels of type Item are added.
template <class Item, class = void>
struct sum_of_pixels {
  using type = double;
};
template <class Item>
struct sum_of_pixels<Item, std::enable_if_t<is_integer<Item>>> {
  static constexpr bool is_unsigned = !(Item(-1) < Item(0));
  using type = std::conditional_t<
      sizeof(Item) == 16, Item,
      std::conditional_t<sizeof(Item) == 8 && is_unsigned, std::uint64_t, std::int64_t>>;
};

/// The mean over a window of an image, from the sums over all rectangles that begin at the image's
/// first pixel.
template <class Out, class T, class OutputIt>
struct mean_of_window {
  const T* sums;  // [height * width]
  OutputIt out;
  image_shape shape;
  std::size_t radius;

  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD void operator()(std::size_t i) const {
    const std::size_t y = i / shape.width, x = i % shape.width;
    const std::size_t top = y > radius ? y - radius : 0, left = x > radius ? x - radius : 0;
    const std::size_t bottom = smaller(y + radius, shape.height - 1);
    const std::size_t right = smaller(x + radius, shape.width - 1);
    const T sum = sum_to(bottom + 1, right + 1) - sum_to(top, right + 1) -
                  sum_to(bottom + 1, left) + sum_to(top, left);
    const auto count = static_cast<T>((bottom + 1 - top) * (right + 1 - left));
    out[static_cast<distance_t<OutputIt>>(y * shape.pitch + x)] = mean(sum, count);
  }

 private:
  static HINDSIGHT_HD std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }
  HINDSIGHT_HD T sum_to(std::size_t rows, std::size_t columns) const {
    return rows > 0 && columns > 0 ? sums[(rows - 1) * shape.width + columns - 1] : T(0);
  }
  /// In integers to the nearest one, halves up.
  static HINDSIGHT_HD Out mean(T sum, T count) {
    if constexpr (!is_integer<Out>) {
      return static_cast<Out>(static_cast<double>(sum) / static_cast<double>(count));
    } else if constexpr (is_integer<T>) {
      T quotient = sum / count;
      if (quotient * count > sum) --quotient;
      const T rest = sum - quotient * count;  // 2 * sum might not fit
      return static_cast<Out>(quotient + (rest >= count - rest));
    } else {
      const T exact = sum / count, below = ::cuda::std::floor(exact);
      return static_cast<Out>(exact - below < T(0.5) ? below : below + 1);
    }
  }
};

}  // namespace function

namespace dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// Of what nobody writes during a call: transform_iterators take no references to volatile items.
template <class It>
It not_volatile(It it) {
  return it;
}
template <class T>
T* not_volatile(volatile T* pointer) {
  return const_cast<T*>(pointer);
}

/// Rows as segments, then columns.
template <class T, class D, class System, class InputIt, class OutputIt, class Op>
void scan_rows_then_columns(const execution_policy<D, System>& policy, const char* name, InputIt in,
                            OutputIt out, const image_shape& in_shape, std::size_t out_pitch,
                            Op op) {
  using counting = thrust::counting_iterator<std::size_t>;
  using place =
      thrust::transform_iterator<function::place_of_pixel, counting, std::size_t, std::size_t>;
  using row =
      thrust::transform_iterator<function::begin_of_row, counting, std::size_t, std::size_t>;
  const std::size_t width = in_shape.width, height = in_shape.height;
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(width * height);
  const segment_offsets<row> rows{row(counting(0), {width}), row(counting(height + 1), {width})};
  const auto& row_policy = dispatch::without_wait(policy);
  const auto scan_rows = [&](auto first, auto to) {
    if constexpr (std::is_same_v<item_t<decltype(first)>, T>) {
      dispatch::scan_segments(row_policy, name, first, first + n, rows, to, no_segment_init{}, op);
    } else {
      const thrust::transform_iterator<function::as<T>, decltype(first), T, T> seen(first, {});
      dispatch::scan_segments(row_policy, name, seen, seen + n, rows, to, no_segment_init{}, op);
    }
  };
  if (in_shape.pitch == width && out_pitch == width) {
    scan_rows(in, out);
  } else {
    scan_rows(thrust::make_permutation_iterator(in, place(counting(0), {width, in_shape.pitch})),
              thrust::make_permutation_iterator(out, place(counting(0), {width, out_pitch})));
  }
  if constexpr (is_host<System>) {
    auto memory = dispatch::memory_of(policy);
    host::scan_columns<T>(host::plain(out), width, height, out_pitch, host::keep_operands<T>(op),
                          memory);
  } else {
#if HINDSIGHT_CUDA
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      return cuda::scan_columns<T>(temp, bytes, cuda::unwrap(out), width, height, out_pitch, op,
                                   stream);
    });
#endif
  }
}

/// By tiles.
template <class T, class D, class System, class InputIt, class OutputIt, class Op>
void sum_tiles(const execution_policy<D, System>& policy, const char* name, InputIt in,
               OutputIt out, const image_shape& in_shape, std::size_t out_pitch, Op op) {
  (void)name;
  const std::size_t width = in_shape.width, height = in_shape.height;
  if constexpr (is_host<System>) {
    auto memory = dispatch::memory_of(policy);
    host::summed_area_table<T>(host::plain(in), in_shape.pitch, host::plain(out), out_pitch, width,
                               height, host::keep_operands<T>(op), memory);
  } else {
#if HINDSIGHT_CUDA
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      return cuda::summed_area_table<T>(temp, bytes, cuda::unwrap(in), in_shape.pitch,
                                        cuda::unwrap(out), out_pitch,
                                        cuda::table_layout<T>{width, height}, op, stream);
    });
#endif
  }
}

/// The table of an image of `in_shape`, whose items are taken as Ts.
template <class T, class D, class System, class InputIt, class OutputIt, class Op>
void summed_area_table(const execution_policy<D, System>& policy, const char* name, InputIt in,
                       OutputIt out, const image_shape& in_shape, std::size_t out_pitch, Op op) {
  if (in_shape.width == 0 || in_shape.height == 0) return;
  dispatch::require_memory<System>(name, in_shape.width * in_shape.height, in, out);
  // Integers are exact in any order, and row by row a host thread folds each once, not six times.
  // Items that own memory cannot wait in a tile's room: nobody would destroy them there.
  constexpr bool takes_any_order =
      is_host<System> && (is_integer<T> || !std::is_trivially_destructible_v<T>);
  if (!takes_any_order && has_table_tiles<T>(in_shape.width, in_shape.height)) {
    dispatch::sum_tiles<T>(policy, name, dispatch::not_volatile(in), out, in_shape, out_pitch, op);
  } else {
    dispatch::scan_rows_then_columns<T>(policy, name, dispatch::not_volatile(in), out, in_shape,
                                        out_pitch, op);
  }
}

/// f(i) for each i in [0, n), at the same time.
template <class... Outs, class D, class System, class F>
void for_each_index(const execution_policy<D, System>& policy, const char* name, std::size_t n,
                    F f) {
  (void)policy, (void)name;
  if constexpr (is_host<System>) {
    const host::tiling tiles{n, sizeof(std::size_t), host::resources{}.template cut_for<Outs...>()};
    host::for_each_tile(tiles, [&](std::size_t tile) {
      for (std::size_t i = 0; i < tiles.size(tile); ++i) f(tiles.begin(tile) + i);
    });
  } else {
#if HINDSIGHT_CUDA
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      if (temp == nullptr) return bytes = no_temporary_bytes, cudaSuccess;
      return cuda::for_each_index(n, f, stream);
    });
#endif
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace dispatch
}  // namespace hindsight::detail
