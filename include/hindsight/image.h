// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summed-area tables, and the box filter that they make: sums over any rectangle from four of them.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/dispatch/default_policy.h>
#include <hindsight/detail/dispatch/image.h>

#include <string>
#include <type_traits>

namespace hindsight {

/// out[y * pitch + x] = the sum over rows [0, y] and columns [0, x] of in, in the type of out. The
/// image has `height` rows of `width` items, and rows begin `pitch` items apart (pitch >= width).
/// What lies between rows stays as it is. `out` may be `in`.
///   op      associates and commutes
///   Time    each item is read twice and written once. Some images are summed row by row, and then
///           down the columns; there each item is read up to three times and written twice. These
///           are images of fewer than 2^18 items, of rows of fewer than 64 items or more than
///           131,072 (16 and 32,768 if items have more than 16 bytes), and on host threads all
///           of integers
///   Memory  1/25 of the table, 1/16 if items have more than 16 bytes. Row by row: CUDA: 1/64, and
///           32 bytes for each 1 K to 4 K items; host: as much for these, and some tiles of 32 KB
///           for each thread
///   Order   depends on width, height and the type alone, the same on both systems: always the same
///           bits
///   Sync    as the policy asks
///   Errors  the policy's; invalid_call where pitch is less than width: nothing is launched then
///   Source  Crow 1984, "Summed-area tables for texture mapping"
///   Example
///     thrust::device_vector<unsigned char> image(640 * 480, 1);
///     thrust::device_vector<unsigned> sums(640 * 480);
///     hindsight::summed_area_table(hindsight::par, image.begin(), sums.begin(), 640, 480, 640);
///     const unsigned all = sums.back();  // 640 * 480
template <class D, class S, class InputIt, class OutputIt, class Op>
void summed_area_table(const execution_policy<D, S>& policy, InputIt in, OutputIt out,
                       std::size_t width, std::size_t height, std::size_t pitch, Op op) {
  constexpr auto name = "hindsight::summed_area_table";
  if (pitch < width)
    throw invalid_call(std::string{name} + ": rows of " + std::to_string(width) +
                       " items cannot begin " + std::to_string(pitch) + " items apart");
  detail::dispatch::summed_area_table<detail::item_t<OutputIt>>(
      policy, name, in, out, {width, height, pitch}, pitch, detail::as_twin(op));
}

/// The same with op = plus<>.
template <class D, class S, class InputIt, class OutputIt>
void summed_area_table(const execution_policy<D, S>& policy, InputIt in, OutputIt out,
                       std::size_t width, std::size_t height, std::size_t pitch) {
  hindsight::summed_area_table(policy, in, out, width, height, pitch, ::cuda::std::plus<>{});
}

/// out(y, x) = the sum over rows [0, y] and columns [0, x] of in, for cuda::std::mdspan or
/// std::mdspan of rank 2 whose rows' items lie side by side; rows may lie apart. `out` may be `in`.
///   Errors  invalid_call where extents differ, or items of a row do not lie side by side
///   Example
///     thrust::device_vector<int> image(640 * 480, 1), table(640 * 480);
///     using matrix = cuda::std::mdspan<int, cuda::std::dextents<int, 2>>;
///     const matrix pixels{thrust::raw_pointer_cast(image.data()), 480, 640};
///     const matrix corner_sums{thrust::raw_pointer_cast(table.data()), 480, 640};
///     hindsight::summed_area_table(hindsight::par, pixels, corner_sums);
template <class D, class S, class In, class Out, class Op = ::cuda::std::plus<>,
          detail::if_matrices<In, Out> = 0>
void summed_area_table(const execution_policy<D, S>& policy, const In& in, const Out& out,
                       Op op = {}) {
  constexpr auto name = "hindsight::summed_area_table";
  const auto shape = detail::shape_of_matrix(name, in),
             out_shape = detail::shape_of_matrix(name, out);
  if (shape.width != out_shape.width || shape.height != out_shape.height)
    throw invalid_call(std::string{name} + ": the table has other extents than the input");
  using sum = typename Out::value_type;
  detail::dispatch::summed_area_table<sum>(policy, name, in.data_handle(), out.data_handle(), shape,
                                           out_shape.pitch, detail::as_twin(op));
}

/// out[y * pitch + x] = the mean of in over rows [y - radius, y + radius] and columns
/// [x - radius, x + radius], as far as they are in the image. radius has no sign: -1 is the largest
/// one, and so asks for the mean of the image. Integers are summed exactly in 64
/// bits, wider ones in 128, other items in double precision. Means written as integers are rounded
/// to the nearest one, halves up. (Iterators that only write, as tabulate_output_iterator, have no
/// type of items. They get means of in's type.) `out` may be `in`. A mean is made of sums that
/// begin at the image's corner. So a NaN in row y and column x makes NaNs of all means from row y -
/// radius and column x - radius on. An infinity does the same to those whose rectangle it does not
/// lie in.
///   Time    that of summed_area_table, and four sums are read for each pixel: the same for every
///           radius
///   Memory  8 bytes per pixel (16 for integers of 128 bits), and what summed_area_table takes
///   Order, Sync, Errors  as summed_area_table
///   Example
///     thrust::device_vector<unsigned char> image(640 * 480, 9);
///     hindsight::box_filter(hindsight::par, image.begin(), image.begin(), 640, 480, 640, 5);
template <class D, class S, class InputIt, class OutputIt>
void box_filter(const execution_policy<D, S>& policy, InputIt in, OutputIt out, std::size_t width,
                std::size_t height, std::size_t pitch, std::size_t radius) {
  constexpr auto name = "hindsight::box_filter";
  using sum = typename detail::function::sum_of_pixels<detail::item_t<InputIt>>::type;
  using written =
      detail::item_t<std::conditional_t<detail::only_writes<OutputIt>, InputIt, OutputIt>>;
  using mean = detail::function::mean_of_window<written, sum, OutputIt>;
  if (pitch < width)
    throw invalid_call(std::string{name} + ": rows of " + std::to_string(width) +
                       " items cannot begin " + std::to_string(pitch) + " items apart");
  if (width == 0 || height == 0) return;
  detail::dispatch::require_memory<S>(name, width * height, in, out);
  const std::size_t most = width > height ? width : height;
  detail::dispatch::with_temporary<sum>(policy, width * height, name, [&](sum* sums) {
    detail::dispatch::summed_area_table<sum>(detail::dispatch::without_wait(policy), name, in, sums,
                                             {width, height, pitch}, width,
                                             ::cuda::std::plus<sum>{});
    detail::dispatch::for_each_index<OutputIt>(
        policy, name, width * height,
        mean{sums, out, {width, height, pitch}, radius < most ? radius : most});
  });
}

// Without a policy.

/// The same without a policy, run where the iterators say.
template <class InputIt, class OutputIt, class Op = ::cuda::std::plus<>,
          class Policy = detail::default_policy<InputIt, InputIt, OutputIt>>
void summed_area_table(InputIt in, OutputIt out, std::size_t width, std::size_t height,
                       std::size_t pitch, Op op = {}) {
  hindsight::summed_area_table(Policy{}, in, out, width, height, pitch, op);
}
/// The same of mdspans without a policy: on the host, as with raw pointers.
template <class In, class Out, class Op = ::cuda::std::plus<>, detail::if_matrices<In, Out> = 0>
void summed_area_table(const In& in, const Out& out, Op op = {}) {
  hindsight::summed_area_table(hindsight::host::par, in, out, op);
}
/// The same without a policy, run where the iterators say.
template <class InputIt, class OutputIt,
          class Policy = detail::default_policy<InputIt, InputIt, OutputIt>>
void box_filter(InputIt in, OutputIt out, std::size_t width, std::size_t height, std::size_t pitch,
                std::size_t radius) {
  hindsight::box_filter(Policy{}, in, out, width, height, pitch, radius);
}

}  // namespace hindsight
