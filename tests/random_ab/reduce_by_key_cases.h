// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of reduce_by_key and run_length_encode.
#pragma once

#include <hindsight/reduce_by_key.h>
#include <hindsight/run_length_encode.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>

#include "run.h"
#include <utility>

namespace hindsight_test::cases {

/// Floating-point keys are compared by their bits: where a key is not equal to itself, as a NaN is
/// not, stock's kernel takes its padding for runs and writes beyond the outputs.
template <class Key>
struct same_bits {
  HINDSIGHT_HD bool operator()(const Key& a, const Key& b) const {
    using word = std::conditional_t<sizeof(Key) == 4, u32, u64>;
    word left, right;
    memcpy(&left, &a, sizeof a);
    memcpy(&right, &b, sizeof b);
    return left == right;
  }
};

/// Of equal keys, with plus of the output's type.
template <class Key, class T, class Result = T, class In = pointer>
void sum_by_key(trial& t) {
  const std::size_t n = t.size(by_key_edges<Key, T>());
  const array<Key> keys(t.keys<Key>(n), t.shift());
  const array<T> values(t.items<T>(n, values_for<T, thrust::plus<T>>), t.shift());
  const outputs<Key> out_keys(n, t.shift());
  const outputs<Result> out(n, t.shift());
  const auto first = In::begin(keys);
  const auto counts = t.both([&](const auto& policy, side which) {
    const auto to_keys = out_keys[which].data();
    const auto to = vector::begin(out[which]);
    const auto ends =
        thrust::reduce_by_key(policy, first, ahead(first, n), In::begin(values), to_keys, to);
    return std::pair{ends.first - to_keys, ends.second - to};
  });
  t.compare("keys", out_keys, std::size_t(counts.first));
  t.compare("sums", out, std::size_t(counts.second));
}

template <class Key, class T, class Op, class Equal = thrust::equal_to<Key>, class In = pointer,
          class Out = pointer>
void reduce_by_key(trial& t) {
  const std::size_t n = t.size(by_key_edges<Key, T>());
  const array<Key> keys(t.keys<Key>(n), t.shift());
  const array<T> values(t.items<T>(n, values_for<T, Op>), t.shift());
  const outputs<Key> out_keys(n, t.shift());
  const outputs<T> out(n, t.shift());
  const auto first = In::begin(keys);
  const auto counts = t.both([&](const auto& policy, side which) {
    const auto to_keys = out_keys[which].data();
    const auto to = Out::begin(out[which]);
    const auto ends = thrust::reduce_by_key(policy, first, ahead(first, n), In::begin(values),
                                            to_keys, to, Equal{}, Op{});
    return std::pair{ends.first - to_keys, ends.second - to};
  });
  t.compare("keys", out_keys, std::size_t(counts.first));
  t.compare("folds", out, Out::is_in_order ? std::size_t(counts.second) : n);
}

/// Stock: reduce_by_key over ones.
template <class T, class Count = i32, class Equal = thrust::equal_to<T>, class In = pointer>
void run_length_encode(trial& t) {
  const std::size_t n = t.size(run_length_edges<T>());
  const array<T> in(t.keys<T>(n), t.shift());
  const outputs<T> unique(n, t.shift());
  const outputs<Count> out(n, t.shift());
  const auto first = In::begin(in);
  const auto counts = t.both([&](const auto& policy, side which) {
    T* const to_unique = unique[which].data();
    Count* const to = out[which].data();
    if constexpr (is_stock<decltype(policy)>) {
      const auto ends =
          thrust::reduce_by_key(policy, first, ahead(first, n), thrust::constant_iterator<Count>(1),
                                to_unique, to, Equal{});
      return std::pair{ends.first - to_unique, ends.second - to};
    } else {
      const auto ends =
          hindsight::run_length_encode(policy, first, ahead(first, n), to_unique, to, Equal{});
      return std::pair{ends.first - to_unique, ends.second - to};
    }
  });
  t.compare("items", unique, std::size_t(counts.first));
  t.compare("lengths", out, std::size_t(counts.second));
}

inline const std::vector<random_case> runs = {
    HINDSIGHT_CASE(sum_by_key<bool, u32>),
    HINDSIGHT_CASE(sum_by_key<i8, i8>),
    HINDSIGHT_CASE(sum_by_key<i32, i8, i32>),
    HINDSIGHT_CASE(sum_by_key<u32, u32>),
    HINDSIGHT_CASE(sum_by_key<i64, i64, i64, vector>),
    HINDSIGHT_CASE(reduce_by_key<float, u16, thrust::plus<u16>, same_bits<float>>),
    HINDSIGHT_CASE(reduce_by_key<double, double, thrust::plus<double>, same_bits<double>>),
    HINDSIGHT_CASE(sum_by_key<u32, float>),
    HINDSIGHT_CASE(sum_by_key<u16, u32, u32, mapped>),
    HINDSIGHT_CASE(reduce_by_key<u8, u64, thrust::maximum<u64>>),
    HINDSIGHT_CASE(reduce_by_key<i32, u32, star<u32>, same_tens<i32>>),
    HINDSIGHT_CASE(reduce_by_key<u64, i16, thrust::minimum<i16>, thrust::equal_to<u64>, permuted>),
    HINDSIGHT_CASE(reduce_by_key<i16, i32, last_nonzero<i32>, same_tens<i16>, reversed, reversed>),
    HINDSIGHT_CASE(
        reduce_by_key<u32, u64, thrust::plus<u64>, same_tens<u32>, counting, mapped_output>),
    HINDSIGHT_CASE(reduce_by_key<i128, i128, thrust::plus<i128>>),
    HINDSIGHT_CASE(reduce_by_key<int_enum, affine, compose>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(reduce_by_key<bool, half, thrust::minimum<half>>),
    HINDSIGHT_CASE(reduce_by_key<u16, bfloat16, thrust::maximum<bfloat16>>),
#endif
    HINDSIGHT_CASE(run_length_encode<bool>),
    HINDSIGHT_CASE(run_length_encode<u8, i64>),
    HINDSIGHT_CASE(run_length_encode<i16, u16>),
    HINDSIGHT_CASE(run_length_encode<i32>),
    HINDSIGHT_CASE(run_length_encode<u32, u32, same_tens<u32>, mapped>),
    HINDSIGHT_CASE(run_length_encode<u64, i32, thrust::equal_to<u64>, vector>),
    HINDSIGHT_CASE(run_length_encode<float, i32, same_bits<float>>),
    HINDSIGHT_CASE(run_length_encode<double, i64, same_bits<double>>),
    HINDSIGHT_CASE(run_length_encode<i128>),
    HINDSIGHT_CASE(run_length_encode<byte_enum>),
};

}  // namespace hindsight_test::cases
