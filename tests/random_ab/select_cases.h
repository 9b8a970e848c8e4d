// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of copy_if and of the remove family.
#pragma once

#include <hindsight/select.h>

#include <thrust/copy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/remove.h>

#include "run.h"

namespace hindsight_test::cases {

/// Compares the `count` items that went through Out to the front of what it sees.
template <class Out, class T>
void compare_front(trial& t, const char* what, const outputs<T>& out, std::ptrdiff_t count) {
  t.compare(what, out, Out::is_in_order ? std::size_t(count) : out.ours.size());
}

// ---- one output ----

template <class T, class In = pointer, class Out = In>
void copy_if(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const array<T> in(t.items<T>(n), t.shift());
  const outputs<T> out(n, t.shift());
  const auto first = In::begin(in);
  const auto count = t.both([&](const auto& policy, side which) {
    const auto to = Out::begin(out[which]);
    return thrust::copy_if(policy, first, ahead(first, n), to, is_odd<T>{}) - to;
  });
  compare_front<Out>(t, "output", out, count);
}

template <class T, class Stencil, class In = pointer, class Out = In>
void copy_if_by_stencil(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const array<T> in(t.items<T>(n), t.shift());
  const array<Stencil> stencil(t.items<Stencil>(n), t.shift());
  const outputs<T> out(n, t.shift());
  const auto first = In::begin(in);
  const auto count = t.both([&](const auto& policy, side which) {
    const auto to = Out::begin(out[which]);
    return thrust::copy_if(policy, first, ahead(first, n), stencil.data(), to, is_odd<Stencil>{}) -
           to;
  });
  compare_front<Out>(t, "output", out, count);
}

template <class A, class B>
void copy_if_of_pairs(trial& t) {
  const std::size_t n = t.size(select_edges<A>());
  const array<A> a(t.items<A>(n), t.shift());
  const array<B> b(t.items<B>(n), t.shift());
  const outputs<A> out_a(n, t.shift());
  const outputs<B> out_b(n, t.shift());
  const auto first = thrust::make_zip_iterator(a.data(), b.data());
  const auto count = t.both([&](const auto& policy, side which) {
    const auto to = thrust::make_zip_iterator(out_a[which].data(), out_b[which].data());
    return thrust::copy_if(policy, first, ahead(first, n), to, first_is_odd{}) - to;
  });
  t.compare("first output", out_a, std::size_t(count));
  t.compare("second output", out_b, std::size_t(count));
}

template <class T, class In = pointer, class Out = In>
void remove_copy_if(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const array<T> in(t.items<T>(n), t.shift());
  const outputs<T> out(n, t.shift());
  const auto first = In::begin(in);
  const auto count = t.both([&](const auto& policy, side which) {
    const auto to = Out::begin(out[which]);
    return thrust::remove_copy_if(policy, first, ahead(first, n), to, is_odd<T>{}) - to;
  });
  compare_front<Out>(t, "output", out, count);
}

template <class T, class In = pointer>
void remove_copy_if_by_stencil(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const array<T> in(t.items<T>(n), t.shift()), stencil(t.items<T>(n), t.shift());
  const outputs<T> out(n, t.shift());
  const auto first = In::begin(in);
  const auto count = t.both([&](const auto& policy, side which) {
    const auto to = out[which].data();
    return thrust::remove_copy_if(policy, first, ahead(first, n), In::begin(stencil), to,
                                  is_odd<T>{}) -
           to;
  });
  t.compare("output", out, std::size_t(count));
}

template <class T>
void remove_copy(trial& t) {
  const std::size_t n = t.size(select_edges<T>());
  const auto items = t.items<T>(n);
  const T value = n > 0 ? static_cast<T>(items[t.below(n)]) : T{};
  const array<T> in(items, t.shift());
  const outputs<T> out(n, t.shift());
  const auto count = t.both([&](const auto& policy, side which) {
    T* const to = out[which].data();
    return thrust::remove_copy(policy, in.data(), in.data() + n, to, value) - to;
  });
  t.compare("output", out, std::size_t(count));
}

// ---- in place: what is left behind the end of a remove is nobody's ----

template <class T, class View = pointer>
void remove_if(trial& t) {
  const auto items = t.items<T>(t.size(select_edges<T>()));
  const outputs<T> out(items, t.shift());
  const auto count = t.both([&](const auto& policy, side which) {
    const auto first = View::begin(out[which]);
    return thrust::remove_if(policy, first, ahead(first, items.size()), is_odd<T>{}) - first;
  });
  if (View::is_in_order) t.compare("the range", out, std::size_t(count), items.size());
}

template <class T, class Stencil>
void remove_if_by_stencil(trial& t) {
  const auto items = t.items<T>(t.size(select_edges<T>()));
  const outputs<T> out(items, t.shift());
  const array<Stencil> stencil(t.items<Stencil>(items.size()), t.shift());
  const auto count = t.both([&](const auto& policy, side which) {
    T* const first = out[which].data();
    return thrust::remove_if(policy, first, first + items.size(), stencil.data(),
                             is_odd<Stencil>{}) -
           first;
  });
  t.compare("the range", out, std::size_t(count), items.size());
}

template <class T, class View = pointer>
void remove(trial& t) {
  const auto items = t.items<T>(t.size(select_edges<T>()));
  const T value = items.empty() ? T{} : static_cast<T>(items[t.below(items.size())]);
  const outputs<T> out(items, t.shift());
  const auto count = t.both([&](const auto& policy, side which) {
    const auto first = View::begin(out[which]);
    return thrust::remove(policy, first, ahead(first, items.size()), value) - first;
  });
  t.compare("the range", out, std::size_t(count), items.size());
}

inline const std::vector<random_case> selections = {
    HINDSIGHT_CASE(copy_if<bool>),
    HINDSIGHT_CASE(copy_if<char>),
    HINDSIGHT_CASE(copy_if<u8, vector>),
    HINDSIGHT_CASE(copy_if<i16>),
    HINDSIGHT_CASE(copy_if<u32>),
    HINDSIGHT_CASE(copy_if<i32, mapped, pointer>),
    HINDSIGHT_CASE(copy_if<i32, pointer, mapped_output>),
    HINDSIGHT_CASE(copy_if<u64, counting, device_pointer>),
    HINDSIGHT_CASE(copy_if<i64, permuted, vector>),
    HINDSIGHT_CASE(copy_if<u16, vector, reversed>),
    HINDSIGHT_CASE(copy_if<double>),
    HINDSIGHT_CASE(copy_if<i128>),
    HINDSIGHT_CASE(copy_if<int_enum>),
    HINDSIGHT_CASE(copy_if<affine>),
#if HINDSIGHT_CUDA
    HINDSIGHT_CASE(copy_if<half>),
#endif
    HINDSIGHT_CASE(copy_if_by_stencil<float, bool>),
    HINDSIGHT_CASE(copy_if_by_stencil<u8, u64>),
    HINDSIGHT_CASE(copy_if_by_stencil<u32, byte_enum, reversed>),
    HINDSIGHT_CASE(copy_if_of_pairs<u32, u8>),
    HINDSIGHT_CASE(copy_if_of_pairs<i64, affine>),
    HINDSIGHT_CASE(remove_copy_if<i8>),
    HINDSIGHT_CASE(remove_copy_if<float, vector>),
    HINDSIGHT_CASE(remove_copy_if_by_stencil<u32>),
    HINDSIGHT_CASE(remove_copy_if_by_stencil<i16, mapped>),
    HINDSIGHT_CASE(remove_copy<u8>),
    HINDSIGHT_CASE(remove_copy<double>),
    HINDSIGHT_CASE(remove_if<u8>),
    HINDSIGHT_CASE(remove_if<i32, vector>),
    HINDSIGHT_CASE(remove_if<u64>),
    HINDSIGHT_CASE(remove_if<affine>),
    HINDSIGHT_CASE(remove_if_by_stencil<i32, u8>),
    HINDSIGHT_CASE(remove_if_by_stencil<i128, i16>),
    HINDSIGHT_CASE(remove<bool>),
    HINDSIGHT_CASE(remove<float>),
    HINDSIGHT_CASE(remove<i64, device_pointer>),
};

}  // namespace hindsight_test::cases
