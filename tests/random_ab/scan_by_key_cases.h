// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of the scans by key.
#pragma once

#include <hindsight/scan_by_key.h>

#include <thrust/scan.h>

#include "run.h"

namespace hindsight_test::cases {

/// Calls scan(policy, keys_first, keys_last, values, out) for both sides; `out` may be `values`.
template <class Key, class T, class View, class Scan>
void compare_scans_by_key(trial& t, values kind, Scan scan) {
  const std::size_t n = t.size(by_key_edges<Key, T>());
  const auto items = t.items<T>(n, kind);
  const array<Key> keys(t.keys<Key>(n), t.shift());
  const bool in_place = t.in_place();
  const array<T> in(items, t.shift());
  const outputs<T> out(n, t.shift());
  const auto first = View::begin(keys);
  t.both([&](const auto& policy, side which) {
    if (in_place) {
      memory::copy(out[which].data(), items.data(), n * sizeof(T));
      memory::wait();
    }
    const auto from = View::begin(in_place ? out[which] : in);
    const auto to = View::begin(out[which]);
    return scan(policy, first, ahead(first, n), from, to) - to;
  });
  t.compare("output", out, n);
}

template <class Key, class T, class View = pointer>
void inclusive_sum_by_key(trial& t) {
  compare_scans_by_key<Key, T, View>(
      t, values_for<T, thrust::plus<T>>,
      [](const auto& policy, auto first, auto last, auto in, auto out) {
        return thrust::inclusive_scan_by_key(policy, first, last, in, out);
      });
}

template <class Key, class T, class View = pointer>
void exclusive_sum_by_key(trial& t) {
  compare_scans_by_key<Key, T, View>(
      t, values_for<T, thrust::plus<T>>,
      [](const auto& policy, auto first, auto last, auto in, auto out) {
        return thrust::exclusive_scan_by_key(policy, first, last, in, out);
      });
}

template <class Key, class T, class Op, class Equal = thrust::equal_to<Key>, class View = pointer>
void inclusive_scan_by_key(trial& t) {
  compare_scans_by_key<Key, T, View>(
      t, values_for<T, Op>, [](const auto& policy, auto first, auto last, auto in, auto out) {
        return thrust::inclusive_scan_by_key(policy, first, last, in, out, Equal{}, Op{});
      });
}

template <class Key, class T, class Op, class Equal = thrust::equal_to<Key>, class View = pointer>
void exclusive_scan_by_key(trial& t) {
  const T init = t.item<T>(values_for<T, Op>);
  compare_scans_by_key<Key, T, View>(
      t, values_for<T, Op>, [&](const auto& policy, auto first, auto last, auto in, auto out) {
        return thrust::exclusive_scan_by_key(policy, first, last, in, out, init, Equal{}, Op{});
      });
}

inline const std::vector<random_case> scans_by_key = {
    HINDSIGHT_CASE(inclusive_sum_by_key<i32, u32>),
    HINDSIGHT_CASE(inclusive_sum_by_key<u8, i8>),
    HINDSIGHT_CASE(inclusive_sum_by_key<float, double>),
    HINDSIGHT_CASE(inclusive_sum_by_key<u64, i64, vector>),
    HINDSIGHT_CASE(exclusive_sum_by_key<bool, u64>),
    HINDSIGHT_CASE(exclusive_sum_by_key<i16, i32>),
    HINDSIGHT_CASE(inclusive_scan_by_key<u32, i16, thrust::maximum<i16>>),
    HINDSIGHT_CASE(inclusive_scan_by_key<i32, u8, last_nonzero<u8>, same_tens<i32>>),
    HINDSIGHT_CASE(inclusive_scan_by_key<i64, affine, compose>),
    HINDSIGHT_CASE(inclusive_scan_by_key<byte_enum, bool, thrust::logical_or<bool>>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(inclusive_scan_by_key<half, bfloat16, thrust::maximum<bfloat16>>),
#endif
    HINDSIGHT_CASE(
        inclusive_scan_by_key<i32, u64, thrust::bit_xor<u64>, thrust::equal_to<i32>, reversed>),
    HINDSIGHT_CASE(exclusive_scan_by_key<u16, u32, thrust::plus<u32>>),
    HINDSIGHT_CASE(exclusive_scan_by_key<u32, affine, compose, same_tens<u32>>),
    HINDSIGHT_CASE(exclusive_scan_by_key<double, i64, thrust::minimum<i64>>),
    HINDSIGHT_CASE(exclusive_scan_by_key<i32, i128, thrust::plus<i128>>),
    HINDSIGHT_CASE(exclusive_scan_by_key<u8, u32, star<u32>, thrust::equal_to<u8>, permuted>),
};

}  // namespace hindsight_test::cases
