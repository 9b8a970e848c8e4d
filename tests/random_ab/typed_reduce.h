// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds and counts of items of any type. The engines follow stock in asking that the operator of a
// reduce commutes: where it does not, the order of stock's CUDA kernel shows.
#pragma once

#include <hindsight/reduce.h>

#include <thrust/count.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include "loops.h"
#include "twin.h"

namespace hindsight_test::typed {

/// Part by part exclusive or of all bits but those that tell items: commutes.
template <class T>
struct mix_parts {
  HINDSIGHT_HD T operator()(const T& a, const T& b) const {
    expect_item(a);
    expect_item(b);
    return parts<T>::count > 1 ? apart(a, b) : each_part(a, b);
  }

 private:
  HINDSIGHT_TEST_NOINLINE HINDSIGHT_HD static T apart(const T& a, const T& b) {
    return each_part(a, b);
  }
  HINDSIGHT_HD static T each_part(const T& a, const T& b) {
    T mixed = a;
    for (int i = 0; i < parts<T>::count; ++i) {
      const u64 x = parts<T>::get(a, i), y = parts<T>::get(b, i);
      parts<T>::set(mixed, i, parts<T>::bits(i) < 4 ? x ^ y : x ^ (y & ~u64{3}));
    }
    return mixed;
  }
};

/// The operator of reduce: on hosts, where stock folds from left to right, one that does not
/// commute.
template <class T>
using reduction = std::conditional_t<HINDSIGHT_CUDA, mix_parts<T>, compose_parts<T>>;

/// CCCL 3.0 cannot make a tuple of these, with or without us.
template <class T>
inline constexpr bool can_be_zipped = true;
template <class F>
inline constexpr bool can_be_zipped<cuda::std::complex<F>> = false;

template <int Index, class T>
struct reductions {
  static constexpr int any_variant = (Index + Index / num_forms) % 4;
  static constexpr int variant = any_variant == 2 && !can_be_zipped<T> ? 1 : any_variant;

  static void run(trial& t) {
    const std::size_t n = t.size(reduce_edges<T>(), sizeof(T));
    const input<T> a(draw_items<T>(t, n), t.shift());
    const input<T> b(variant == 2 ? draw_items<T>(t, n) : item_vector<T>{}, t.shift());
    const twin<T> out(1, t.shift());
    const T init = draw_item<T>(t);
    const auto op = in_form<Index % num_forms, T>(reduction<T>{});
    const auto product = in_form<(Index + 1) % num_forms, T>(compose_parts<T>{});
    const auto unary = in_form<(Index + 2) % num_forms, T>(turn<T>{u32(n)});
    t.with_twins(reference_for<T>, [&](const auto& policy, auto which) {
      T* const first = a.at(which);
      T* const last = first + n;
      if constexpr (variant == 3 && !is_reference<decltype(policy)>) {
        hindsight::reduce_into(policy, first, last, out.at(which), init, op);
      } else {
        const T sum = reduce(policy, first, last, b.at(which), init, unary, product, op);
        memory::copy(static_cast<void*>(out.at(which)), std::addressof(sum), sizeof sum);
      }
      return std::ptrdiff_t{0};
    });
    compare(t, "the fold", out, 1, 1);
    expect_items_only(t);
  }

  template <class Policy, class Unary, class Product, class Op>
  static T reduce(const Policy& policy, T* first, T* last, T* other, const T& init, Unary unary,
                  Product product, Op op) {
    if constexpr (variant == 1)
      return thrust::transform_reduce(policy, first, last, unary, init, op);
    else if constexpr (variant == 2)
      return thrust::inner_product(policy, first, last, other, init, op, product);
    else
      return thrust::reduce(policy, first, last, init, op);
  }
};

template <int Index, class T>
struct counts {
  static void run(trial& t) {
    const std::size_t n = t.size(reduce_edges<std::ptrdiff_t, T>(), sizeof(T));
    const input<T> in(draw_items<T>(t, n), t.shift());
    const auto pred = in_form<Index % num_forms, T>(accept<T>{draw_level(t)});
    t.with_twins(thrust::cpp::par, [&](const auto& policy, auto which) {
      T* const first = in.at(which);
      return std::ptrdiff_t(thrust::count_if(policy, first, first + n, pred));
    });
    expect_items_only(t);
  }
};

template <class List>
std::vector<random_case> all_reductions() {
  return cases_of<reductions, List>("reduce");
}

template <class List>
std::vector<random_case> all_counts() {
  return cases_of<counts, List>("count_if");
}

}  // namespace hindsight_test::typed
