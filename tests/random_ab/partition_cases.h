// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of the partitions.
#pragma once

#include <hindsight/partition.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>

#include "run.h"
#include <utility>

namespace hindsight_test::cases {

/// Stock's host systems swap where ours keep the order: there its stable_partition decides.
template <class Policy, class... Args>
auto partition_as_documented(const Policy& policy, Args... args) {
  if constexpr (is_stock<Policy> && !HINDSIGHT_CUDA) {
    return thrust::stable_partition(policy, args...);
  } else {
    return thrust::partition(policy, args...);
  }
}

template <class T, class View = pointer>
void partition(trial& t) {
  const auto items = t.items<T>(t.size(select_edges<T>()));
  const outputs<T> out(items, t.shift());
  t.both([&](const auto& policy, side which) {
    const auto first = View::begin(out[which]);
    return partition_as_documented(policy, first, ahead(first, items.size()), is_odd<T>{}) - first;
  });
  t.compare("the range", out, items.size());
}

template <class T, class Stencil, class View = pointer>
void partition_by_stencil(trial& t) {
  const auto items = t.items<T>(t.size(select_edges<T>()));
  const outputs<T> out(items, t.shift());
  const array<Stencil> stencil(t.items<Stencil>(items.size()), t.shift());
  t.both([&](const auto& policy, side which) {
    const auto first = View::begin(out[which]);
    return partition_as_documented(policy, first, ahead(first, items.size()), stencil.data(),
                                   is_odd<Stencil>{}) -
           first;
  });
  t.compare("the range", out, items.size());
}

template <class T, class View = pointer>
void stable_partition(trial& t) {
  const auto items = t.items<T>(t.size(select_edges<T>()));
  const outputs<T> out(items, t.shift());
  t.both([&](const auto& policy, side which) {
    const auto first = View::begin(out[which]);
    return thrust::stable_partition(policy, first, ahead(first, items.size()), is_odd<T>{}) - first;
  });
  t.compare("the range", out, items.size());
}

template <class T, class Stencil>
void stable_partition_by_stencil(trial& t) {
  const auto items = t.items<T>(t.size(select_edges<T>()));
  const outputs<T> out(items, t.shift());
  const array<Stencil> stencil(t.items<Stencil>(items.size()), t.shift());
  t.both([&](const auto& policy, side which) {
    T* const first = out[which].data();
    return thrust::stable_partition(policy, first, first + items.size(), stencil.data(),
                                    is_odd<Stencil>{}) -
           first;
  });
  t.compare("the range", out, items.size());
}

template <class A, class B>
void stable_partition_of_pairs(trial& t) {
  const std::size_t n = t.size(select_edges<A>());
  const outputs<A> a(t.items<A>(n), t.shift());
  const outputs<B> b(t.items<B>(n), t.shift());
  t.both([&](const auto& policy, side which) {
    const auto first = thrust::make_zip_iterator(vector::begin(a[which]), vector::begin(b[which]));
    return thrust::stable_partition(policy, first, ahead(first, n), first_is_odd{}) - first;
  });
  t.compare("first items", a, n);
  t.compare("second items", b, n);
}

template <class T, class In = pointer, class Out = pointer>
void partition_copy(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const array<T> in(t.items<T>(n), t.shift());
  const outputs<T> accepted(n, t.shift()), rejected(n, t.shift());
  const auto first = In::begin(in);
  const auto counts = t.both([&](const auto& policy, side which) {
    const auto to_true = Out::begin(accepted[which]);
    const auto to_false = vector::begin(rejected[which]);
    const auto ends =
        thrust::partition_copy(policy, first, ahead(first, n), to_true, to_false, is_odd<T>{});
    return std::pair{ends.first - to_true, ends.second - to_false};
  });
  t.compare("accepted", accepted, Out::is_in_order ? std::size_t(counts.first) : n);
  t.compare("rejected", rejected, std::size_t(counts.second));
}

template <class T, class Stencil>
void stable_partition_copy_by_stencil(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const array<T> in(t.items<T>(n), t.shift());
  const array<Stencil> stencil(t.items<Stencil>(n), t.shift());
  const outputs<T> accepted(n, t.shift()), rejected(n, t.shift());
  const auto counts = t.both([&](const auto& policy, side which) {
    T* const to_true = accepted[which].data();
    T* const to_false = rejected[which].data();
    const auto ends = thrust::stable_partition_copy(
        policy, in.data(), in.data() + n, stencil.data(), to_true, to_false, is_odd<Stencil>{});
    return std::pair{ends.first - to_true, ends.second - to_false};
  });
  t.compare("accepted", accepted, std::size_t(counts.first));
  t.compare("rejected", rejected, std::size_t(counts.second));
}

/// One of the outputs is discarded.
template <class T>
void partition_copy_half(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const array<T> in(t.items<T>(n), t.shift());
  const outputs<T> out(n, t.shift());
  const bool keeps_accepted = t.one_in(2);
  t.note(keeps_accepted ? "accepted only" : "rejected only");
  const auto counts = t.both([&](const auto& policy, side which) {
    const T* const first = in.data();
    T* const kept = out[which].data();
    const auto nowhere = thrust::make_discard_iterator();
    if (keeps_accepted) {
      const auto ends =
          thrust::partition_copy(policy, first, first + n, kept, nowhere, is_odd<T>{});
      return std::pair{ends.first - kept, std::ptrdiff_t(ends.second - nowhere)};
    }
    const auto ends = thrust::partition_copy(policy, first, first + n, nowhere, kept, is_odd<T>{});
    return std::pair{ends.second - kept, std::ptrdiff_t(ends.first - nowhere)};
  });
  t.compare("output", out, std::size_t(counts.first));
}

inline const std::vector<random_case> partitions = {
    HINDSIGHT_CASE(partition<bool>),
    HINDSIGHT_CASE(partition<u8>),
    HINDSIGHT_CASE(partition<i16, reversed>),
    HINDSIGHT_CASE(partition<u32>),
    HINDSIGHT_CASE(partition<i64, vector>),
    HINDSIGHT_CASE(partition<double>),
    HINDSIGHT_CASE(partition<u128>),
    HINDSIGHT_CASE(partition<affine>),
    HINDSIGHT_CASE(partition_by_stencil<i8, u32>),
    HINDSIGHT_CASE(partition_by_stencil<float, bool, device_pointer>),
    HINDSIGHT_CASE(stable_partition<char>),
    HINDSIGHT_CASE(stable_partition<i32>),
    HINDSIGHT_CASE(stable_partition<u32, permuted>),
    HINDSIGHT_CASE(stable_partition<u64, vector>),
    HINDSIGHT_CASE(stable_partition<byte_enum>),
    HINDSIGHT_CASE(stable_partition<affine>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(partition<half>),
    HINDSIGHT_CASE(stable_partition<bfloat16>),
#endif
    HINDSIGHT_CASE(stable_partition_by_stencil<u16, i8>),
    HINDSIGHT_CASE(stable_partition_by_stencil<double, u64>),
    HINDSIGHT_CASE(stable_partition_of_pairs<i32, u8>),
    HINDSIGHT_CASE(partition_copy<i8>),
    HINDSIGHT_CASE(partition_copy<u16, permuted, reversed>),
    HINDSIGHT_CASE(partition_copy<i32, mapped, mapped_output>),
    HINDSIGHT_CASE(partition_copy<u64, counting>),
    HINDSIGHT_CASE(partition_copy<float, vector>),
    HINDSIGHT_CASE(partition_copy<i128>),
    HINDSIGHT_CASE(stable_partition_copy_by_stencil<u32, u8>),
    HINDSIGHT_CASE(stable_partition_copy_by_stencil<affine, int_enum>),
    HINDSIGHT_CASE(partition_copy_half<u32>),
    HINDSIGHT_CASE(partition_copy_half<u8>),
};

}  // namespace hindsight_test::cases
