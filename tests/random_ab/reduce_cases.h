// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of reduce, transform_reduce, inner_product, count and count_if.
#pragma once

#include <hindsight/reduce.h>

#include <thrust/count.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include "run.h"

namespace hindsight_test::cases {

/// From zero, with plus.
template <class T, class In = pointer>
void sum(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const array<T> in(t.items<T>(n, values_for<T, thrust::plus<T>>), t.shift());
  const auto first = In::begin(in);
  t.both([&](const auto& policy, side) { return thrust::reduce(policy, first, ahead(first, n)); });
}

template <class T, class Op, class In = pointer, class Init = T>
void reduce(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const array<T> in(t.items<T>(n, values_for<T, Op>), t.shift());
  const Init init = t.item<Init>(values_for<Init, Op>);
  const auto first = In::begin(in);
  t.both([&](const auto& policy, side) {
    return thrust::reduce(policy, first, ahead(first, n), init, Op{});
  });
}

/// Stock has no reduce_into before CCCL 3.2: its reduce decides.
template <class T, class Op>
void reduce_into(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const array<T> in(t.items<T>(n, values_for<T, Op>), t.shift());
  const T init = t.item<T>(values_for<T, Op>);
  const outputs<T> out(1, t.shift());
  t.both([&](const auto& policy, side which) {
    const T* const first = in.data();
    if constexpr (is_stock<decltype(policy)>) {
      const T sum = thrust::reduce(policy, first, first + n, init, Op{});
      memory::copy(out[which].data(), &sum, sizeof sum);
    } else {
      hindsight::reduce_into(policy, first, first + n, out[which].data(), init, Op{});
    }
    return 0;
  });
  t.compare("the result", out, 1);
}

template <class T, class Unary, class Op, class In = pointer, class Init = T>
void transform_reduce(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const array<T> in(t.items<T>(n, values_for<T, Op>), t.shift());
  const Init init = t.item<Init>(values_for<Init, Op>);
  const auto first = In::begin(in);
  t.both([&](const auto& policy, side) {
    return thrust::transform_reduce(policy, first, ahead(first, n), Unary{}, init, Op{});
  });
}

template <class A, class B>
void transform_reduce_of_pairs(trial& t) {
  const std::size_t n = t.size(reduce_edges<u64>());
  const array<A> a(t.items<A>(n), t.shift());
  const array<B> b(t.items<B>(n), t.shift());
  const auto first = thrust::make_zip_iterator(a.data(), vector::begin(b));
  const u64 init = t.item<u64>();
  t.both([&](const auto& policy, side) {
    return thrust::transform_reduce(policy, first, ahead(first, n), sum_of_pair{}, init,
                                    thrust::bit_xor<u64>{});
  });
}

/// With plus and multiplies.
template <class T, class In = pointer>
void inner_product(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const array<T> a(t.items<T>(n, values_for<T, thrust::plus<T>>), t.shift());
  const array<T> b(t.items<T>(n, values_for<T, thrust::plus<T>>), t.shift());
  const T init = t.item<T>(values_for<T, thrust::plus<T>>);
  const auto first = In::begin(a);
  t.both([&](const auto& policy, side) {
    return thrust::inner_product(policy, first, ahead(first, n), In::begin(b), init);
  });
}

template <class T, class Op1, class Op2>
void inner_product_of(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const array<T> a(t.items<T>(n), t.shift()), b(t.items<T>(n), t.shift());
  const T init = t.item<T>();
  t.both([&](const auto& policy, side) {
    return thrust::inner_product(policy, a.data(), a.data() + n, b.data(), init, Op1{}, Op2{});
  });
}

/// Of one of the items, if there are any.
template <class T, class In = pointer>
void count(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const auto items = t.items<T>(n);
  const T value = n > 0 && !t.one_in(8) ? static_cast<T>(items[t.below(n)]) : t.item<T>();
  const array<T> in(items, t.shift());
  const auto first = In::begin(in);
  t.both([&](const auto& policy, side) {
    return thrust::count(policy, first, ahead(first, n), value);
  });
}

template <class T, class In = pointer>
void count_if(trial& t) {
  const std::size_t n = t.size(reduce_edges<T>());
  const array<T> in(t.items<T>(n), t.shift());
  const auto first = In::begin(in);
  t.both([&](const auto& policy, side) {
    return thrust::count_if(policy, first, ahead(first, n), is_odd<T>{});
  });
}

inline const std::vector<random_case> reductions = {
    HINDSIGHT_CASE(sum<char>),
    HINDSIGHT_CASE(sum<i16>),
    HINDSIGHT_CASE(sum<u64>),
    HINDSIGHT_CASE(sum<float>),
    HINDSIGHT_CASE(sum<double, vector>),
    HINDSIGHT_CASE(reduce<bool, thrust::logical_or<bool>>),
    HINDSIGHT_CASE(reduce<i8, thrust::plus<i8>>),
    HINDSIGHT_CASE(reduce<u8, thrust::bit_or<u8>, device_pointer>),
    HINDSIGHT_CASE(reduce<u16, thrust::minimum<u16>>),
    HINDSIGHT_CASE(reduce<i32, thrust::plus<i32>>),
    HINDSIGHT_CASE(reduce<u32, thrust::bit_xor<u32>, vector>),
    HINDSIGHT_CASE(reduce<u32, star<u32>>),
    HINDSIGHT_CASE(reduce<i64, thrust::maximum<i64>>),
    HINDSIGHT_CASE(reduce<u64, thrust::bit_and<u64>>),
    HINDSIGHT_CASE(reduce<i128, thrust::plus<i128>>),
    HINDSIGHT_CASE(reduce<u128, thrust::maximum<u128>>),
    HINDSIGHT_CASE(reduce<float, thrust::maximum<float>>),
    HINDSIGHT_CASE(reduce<double, thrust::minimum<double>>),
    HINDSIGHT_CASE(reduce<affine, add_words>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(reduce<half, thrust::maximum<half>>),
    HINDSIGHT_CASE(reduce<bfloat16, thrust::minimum<bfloat16>>),
#endif
    HINDSIGHT_CASE(reduce<i8, thrust::plus<i64>, pointer, i64>),
    HINDSIGHT_CASE(reduce<bool, thrust::plus<i32>, pointer, i32>),
    HINDSIGHT_CASE(reduce<i32, thrust::plus<i8>, pointer, i8>),
    HINDSIGHT_CASE(reduce<u32, thrust::plus<u32>, mapped>),
    HINDSIGHT_CASE(reduce<i32, thrust::maximum<i32>, permuted>),
    HINDSIGHT_CASE(reduce<u64, thrust::plus<u64>, counting>),
    HINDSIGHT_CASE(reduce<i16, thrust::minimum<i16>, reversed>),
    HINDSIGHT_CASE(reduce_into<i64, thrust::plus<i64>>),
    HINDSIGHT_CASE(reduce_into<u8, thrust::maximum<u8>>),
    HINDSIGHT_CASE(transform_reduce<i32, square<i32>, thrust::plus<u64>, pointer, u64>),
    HINDSIGHT_CASE(transform_reduce<u8, flipped<u8>, thrust::minimum<u8>, reversed>),
    HINDSIGHT_CASE(transform_reduce<affine, flipped<affine>, add_words>),
    HINDSIGHT_CASE(transform_reduce_of_pairs<u32, u8>),
    HINDSIGHT_CASE(inner_product<u32>),
    HINDSIGHT_CASE(inner_product<i64, permuted>),
    HINDSIGHT_CASE(inner_product<double>),
    HINDSIGHT_CASE(inner_product_of<u16, thrust::bit_xor<u16>, thrust::minimum<u16>>),
    HINDSIGHT_CASE(count<bool>),
    HINDSIGHT_CASE(count<u8, vector>),
    HINDSIGHT_CASE(count<float>),
    HINDSIGHT_CASE(count<i128>),
    HINDSIGHT_CASE(count<int_enum>),
    HINDSIGHT_CASE(count_if<i8, mapped>),
    HINDSIGHT_CASE(count_if<u32>),
    HINDSIGHT_CASE(count_if<byte_enum>),
    HINDSIGHT_CASE(count_if<double, device_pointer>),
    HINDSIGHT_CASE(count_if<u64, counting>),
};

}  // namespace hindsight_test::cases
