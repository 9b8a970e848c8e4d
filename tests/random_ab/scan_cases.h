// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of the scans and of their transform_ forms.
#pragma once

#include <hindsight/scan.h>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include "run.h"

namespace hindsight_test::cases {

/// Calls scan(policy, first, last, out) for both sides, in place where `InPlace` allows it, and
/// compares all that it wrote.
template <class In, class Out, class T, class Result, class Scan>
void compare_scans(trial& t, const std::vector<stored<T>>& items, Scan scan) {
  constexpr bool may_be_in_place = std::is_same_v<T, Result> && std::is_same_v<In, Out>;
  const std::size_t n = items.size();
  const bool in_place = t.in_place(may_be_in_place);
  const array<T> in(items, t.shift());
  const outputs<Result> out(n, t.shift());
  t.both([&](const auto& policy, side which) {
    const auto to = Out::begin(out[which]);
    if constexpr (may_be_in_place) {
      if (in_place) {
        memory::copy(out[which].data(), items.data(), n * sizeof(T));
        memory::wait();
        return scan(policy, to, ahead(to, n), to) - to;
      }
    }
    const auto first = In::begin(in);
    return scan(policy, first, ahead(first, n), to) - to;
  });
  t.compare("output", out, n);
}

/// With plus, in the type of the items.
template <class T, class Result = T, class In = pointer, class Out = In>
void inclusive_sum(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, thrust::plus<T>>);
  compare_scans<In, Out, T, Result>(t, items,
                                    [](const auto& policy, auto first, auto last, auto out) {
                                      return thrust::inclusive_scan(policy, first, last, out);
                                    });
}

template <class T, class Result = T, class In = pointer, class Out = In>
void exclusive_sum(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, thrust::plus<T>>);
  compare_scans<In, Out, T, Result>(t, items,
                                    [](const auto& policy, auto first, auto last, auto out) {
                                      return thrust::exclusive_scan(policy, first, last, out);
                                    });
}

template <class T, class Op, class In = pointer, class Out = In>
void inclusive_scan(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, Op>);
  compare_scans<In, Out, T, T>(t, items, [](const auto& policy, auto first, auto last, auto out) {
    return thrust::inclusive_scan(policy, first, last, out, Op{});
  });
}

template <class T, class Op, class In = pointer, class Out = In, class Init = T>
void inclusive_scan_from(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, Op>);
  const Init init = t.item<Init>(values_for<Init, Op>);
  compare_scans<In, Out, T, Init>(
      t, items, [&](const auto& policy, auto first, auto last, auto out) {
        return thrust::inclusive_scan(policy, first, last, out, init, Op{});
      });
}

template <class T, class Op, class In = pointer, class Out = In, class Init = T>
void exclusive_scan(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, Op>);
  const Init init = t.item<Init>(values_for<Init, Op>);
  compare_scans<In, Out, T, Init>(
      t, items, [&](const auto& policy, auto first, auto last, auto out) {
        return thrust::exclusive_scan(policy, first, last, out, init, Op{});
      });
}

template <class T, class Unary, class Op, class Result = T, class In = pointer, class Out = In>
void transform_inclusive_scan(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, Op>);
  compare_scans<In, Out, T, Result>(
      t, items, [](const auto& policy, auto first, auto last, auto out) {
        return thrust::transform_inclusive_scan(policy, first, last, out, Unary{}, Op{});
      });
}

template <class T, class Unary, class Op, class Result = T, class In = pointer, class Out = In>
void transform_inclusive_scan_from(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, Op>);
  const Result init = t.item<Result>(values_for<Result, Op>);
  compare_scans<In, Out, T, Result>(
      t, items, [&](const auto& policy, auto first, auto last, auto out) {
        return thrust::transform_inclusive_scan(policy, first, last, out, Unary{}, init, Op{});
      });
}

template <class T, class Unary, class Op, class Result = T, class In = pointer, class Out = In>
void transform_exclusive_scan(trial& t) {
  const auto items = t.items<T>(t.size(scan_edges<T>()), values_for<T, Op>);
  const Result init = t.item<Result>(values_for<Result, Op>);
  compare_scans<In, Out, T, Result>(
      t, items, [&](const auto& policy, auto first, auto last, auto out) {
        return thrust::transform_exclusive_scan(policy, first, last, out, Unary{}, init, Op{});
      });
}

template <class A, class B>
void transform_inclusive_scan_of_pairs(trial& t) {
  const std::size_t n = t.size(scan_edges<u64>());
  const array<A> a(t.items<A>(n), t.shift());
  const array<B> b(t.items<B>(n), t.shift());
  const outputs<u64> out(n, t.shift());
  const auto first = thrust::make_zip_iterator(a.data(), vector::begin(b));
  t.both([&](const auto& policy, side which) {
    const auto to = vector::begin(out[which]);
    return thrust::transform_inclusive_scan(policy, first, ahead(first, n), to, sum_of_pair{},
                                            thrust::plus<u64>{}) -
           to;
  });
  t.compare("output", out, n);
}

inline const std::vector<random_case> scans = {
    HINDSIGHT_CASE(inclusive_sum<char>),
    HINDSIGHT_CASE(inclusive_sum<i8, i32>),
    HINDSIGHT_CASE(inclusive_sum<u32>),
    HINDSIGHT_CASE(inclusive_sum<i64, i64, vector>),
    HINDSIGHT_CASE(inclusive_sum<float>),
    HINDSIGHT_CASE(inclusive_sum<u16, u16, device_pointer>),
    HINDSIGHT_CASE(exclusive_sum<u8>),
    HINDSIGHT_CASE(exclusive_sum<i32>),
    HINDSIGHT_CASE(exclusive_sum<double>),
    HINDSIGHT_CASE(inclusive_scan<bool, thrust::logical_and<bool>>),
    HINDSIGHT_CASE(inclusive_scan<i16, thrust::maximum<i16>>),
    HINDSIGHT_CASE(inclusive_scan<i32, thrust::plus<i32>, permuted>),
    HINDSIGHT_CASE(inclusive_scan<u64, thrust::bit_xor<u64>>),
    HINDSIGHT_CASE(inclusive_scan<u64, star<u64>, reversed>),
    HINDSIGHT_CASE(inclusive_scan<i128, thrust::plus<i128>>),
    HINDSIGHT_CASE(inclusive_scan<float, thrust::minimum<float>>),
    HINDSIGHT_CASE(inclusive_scan<i32, last_nonzero<i32>, counting, pointer>),
    HINDSIGHT_CASE(inclusive_scan<u8, last_nonzero<u8>>),
    HINDSIGHT_CASE(inclusive_scan<int_enum, last_nonzero<int_enum>>),
    HINDSIGHT_CASE(inclusive_scan<affine, compose>),
    HINDSIGHT_CASE(inclusive_scan<affine, compose, mapped, mapped_output>),
    HINDSIGHT_CASE(inclusive_scan_from<u8, thrust::plus<u8>>),
    HINDSIGHT_CASE(inclusive_scan_from<i8, thrust::plus<i64>, pointer, pointer, i64>),
    HINDSIGHT_CASE(inclusive_scan_from<affine, compose, vector>),
    HINDSIGHT_CASE(exclusive_scan<i8, thrust::plus<i32>, pointer, pointer, i32>),
    HINDSIGHT_CASE(exclusive_scan<i32, thrust::plus<i8>, pointer, pointer, i8>),
    HINDSIGHT_CASE(exclusive_scan<u16, thrust::bit_or<u16>>),
    HINDSIGHT_CASE(exclusive_scan<u32, thrust::plus<u32>, mapped, reversed>),
    HINDSIGHT_CASE(exclusive_scan<i64, thrust::minimum<i64>>),
    HINDSIGHT_CASE(exclusive_scan<u128, thrust::bit_and<u128>>),
    HINDSIGHT_CASE(exclusive_scan<double, thrust::maximum<double>, permuted, vector>),
    HINDSIGHT_CASE(exclusive_scan<affine, compose>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(inclusive_scan<half, thrust::maximum<half>>),
    HINDSIGHT_CASE(exclusive_scan<bfloat16, thrust::minimum<bfloat16>>),
#endif
    HINDSIGHT_CASE(transform_inclusive_scan<u32, square<u32>, thrust::plus<u64>, u64>),
    HINDSIGHT_CASE(transform_inclusive_scan<affine, flipped<affine>, compose>),
    HINDSIGHT_CASE(transform_inclusive_scan_from<u8, square<u8>, thrust::plus<u64>, u64>),
    HINDSIGHT_CASE(transform_exclusive_scan<i32, flipped<i32>, thrust::plus<i32>>),
    HINDSIGHT_CASE(transform_exclusive_scan<u16, square<u16>, thrust::maximum<u64>, u64, reversed>),
    HINDSIGHT_CASE(transform_inclusive_scan_of_pairs<u8, u64>),
};

}  // namespace hindsight_test::cases
