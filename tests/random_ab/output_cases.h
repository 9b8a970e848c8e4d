// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of sparse matrices, summed-area tables, items with several outputs and splits,
// against plain loops on the CPU, which are the stock side here.
#pragma once

#include <hindsight/image.h>
#include <hindsight/outputs.h>
#include <hindsight/spmv.h>
#include <hindsight/summaries.h>

#include "segment_cases.h"

namespace hindsight_test::cases {

/// Rows of any lengths; sums of integers, so that loops give the same bits.
template <class T>
void spmv(trial& t) {
  const std::size_t n = t.size(host_edges(sizeof(T))), num_columns = 1 + t.below(5000);
  const auto values = t.items<T>(n), x = t.items<T>(num_columns);
  const T zero = t.item<T>();
  std::vector<u32> columns(n);
  for (u32& column : columns) column = u32(t.below(num_columns));
  const drawn_segments rows{t, n, form::offsets};
  std::vector<T> sums(rows.size(), zero);
  rows.for_each([&](std::size_t row, u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i) sums[row] = T(sums[row] + values[i] * x[columns[i]]);
  });
  const array<T> on_values(values, t.shift()), on_x(x, t.shift());
  const array<u32> on_columns(columns, t.shift());
  const outputs<T> out(sums.size(), t.shift());
  t.both([&](const auto& policy, side which) {
    if constexpr (is_stock<decltype(policy)>) {
      put(out.stock, sums);
      return std::ptrdiff_t(sums.size());
    } else {
      const auto by = rows.template get<form::offsets>();
      T* const first = out[which].data();
      return hindsight::spmv(policy,
                             hindsight::csr(by.first, by.last, on_columns.data(), on_values.data()),
                             on_x.data(), first, zero, thrust::plus<T>{}, thrust::multiplies<T>{}) -
             first;
    }
  });
  t.compare("y", out, sums.size());
}

/// Pictures of any sides, whose rows may lie apart.
template <class Pixel, class Sum>
void summed_area_table(trial& t) {
  const std::size_t n = t.size(host_edges(sizeof(Sum))),
                    width = 1 + t.below(t.one_in(2) ? 70 : 3000);
  const std::size_t pitch = width + (t.one_in(2) ? t.below(40) : 0), height = n / pitch;
  t.note(std::to_string(width) + " by " + std::to_string(height) + ", pitch " +
         std::to_string(pitch));
  const auto pixels = t.items<Pixel>(height * pitch);
  const auto before = t.items<Sum>(height * pitch);
  auto sums = before;
  for (std::size_t y = 0; y < height; ++y) {
    Sum row = 0;
    for (std::size_t x = 0; x < width; ++x) {
      row = Sum(row + Sum(pixels[y * pitch + x]));
      sums[y * pitch + x] = Sum(row + (y > 0 ? sums[(y - 1) * pitch + x] : Sum(0)));
    }
  }
  const array<Pixel> in(pixels, t.shift());
  const outputs<Sum> out(before, t.shift());
  t.both([&](const auto& policy, side which) {
    if constexpr (is_stock<decltype(policy)>) {
      put(out.stock, sums);
    } else {
      hindsight::summed_area_table(policy, in.data(), out[which].data(), width, height, pitch);
    }
    return 0;
  });
  t.compare("sums", out, height * pitch);
}

/// From the first offset on: outputs are numbered as their places.
template <class T>
void expand(trial& t) {
  const std::size_t n = t.size(host_edges(sizeof(T)));
  const drawn_segments segments{t, n, form::offsets};
  const auto items = t.items<T>(segments.size());
  const auto before = t.items<T>(n);
  auto copies = before;
  segments.for_each([&](std::size_t s, u32 begin, u32 end) {
    std::fill(copies.begin() + begin, copies.begin() + end, items[s]);
  });
  const array<T> in(items, t.shift());
  const outputs<T> out(before, t.shift());
  t.both([&](const auto& policy, side which) {
    if constexpr (is_stock<decltype(policy)>) {
      put(out.stock, copies);
    } else {
      const auto by = segments.template get<form::offsets>();
      hindsight::expand(policy, in.data(), by.first, by.last, out[which].data());
    }
    return 0;
  });
  t.compare("outputs", out, n);
}

template <class T>
void split(trial& t) {
  const std::size_t n = t.size(host_edges(sizeof(T)));
  const int bit = int(t.below(8 * sizeof(T)));
  const auto items = t.items<T>(n);
  auto parts = items;
  const auto middle = std::stable_partition(parts.begin(), parts.end(),
                                            [&](T item) { return (item >> bit & 1) == 0; });
  const outputs<T> out(items, t.shift());
  t.both([&](const auto& policy, side which) {
    if constexpr (is_stock<decltype(policy)>) {
      put(out.stock, parts);
      return std::ptrdiff_t(middle - parts.begin());
    } else {
      T* const first = out[which].data();
      return hindsight::split(policy, first, first + n, bit) - first;
    }
  });
  t.compare("items", out, n);
}

inline const std::vector<random_case> several_outputs = {
    HINDSIGHT_CASE(spmv<u32>),
    HINDSIGHT_CASE(cases::spmv<u64>),
    HINDSIGHT_CASE(summed_area_table<u8, u32>),
    HINDSIGHT_CASE(summed_area_table<u32, u64>),
    HINDSIGHT_CASE(expand<u32>),
    HINDSIGHT_CASE(cases::expand<u8>),
    HINDSIGHT_CASE(split<u32>),
    HINDSIGHT_CASE(cases::split<u8>),
};

/// Both lists.
inline std::vector<random_case> all_of_segments() {
  std::vector<random_case> all = segments;
  all.insert(all.end(), several_outputs.begin(), several_outputs.end());
  return all;
}

}  // namespace hindsight_test::cases
