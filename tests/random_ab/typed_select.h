// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections and partitions of items of any type. Predicates look at the first part alone, while
// the rest of a large item may still be on its way.
#pragma once

#include <hindsight/partition.h>
#include <hindsight/select.h>

#include <thrust/copy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/zip_function.h>

#include "loops.h"
#include "twin.h"

namespace hindsight_test::typed {

/// A selection from T, by itself or by a stencil of another type, into new memory or in place.
template <int Index, class T>
struct selections {
  static constexpr int variant = (Index + Index / num_forms) % 4;
  using stencil_type =
      std::conditional_t<variant % 2 == 0, T, std::conditional_t<Index % 3 == 0, u8, u64>>;

  static void run(trial& t) {
    const std::size_t n = t.size(select_edges<T>(), sizeof(T));
    const auto items = draw_items<T>(t, n);
    const input<T> in(items, t.shift());
    const twin<T> out(n, t.shift());
    const input<stencil_type> stencil(draw_items<stencil_type>(t, n), t.shift());
    constexpr bool in_place = variant >= 2;
    if (in_place) out.put(items);
    const auto pred = in_form<Index % num_forms, stencil_type>(accept<stencil_type>{draw_level(t)});
    std::ptrdiff_t count = 0;
    t.with_twins(reference_for<T>, [&](const auto& policy, auto which) {
      T* const first = in_place ? out.at(which) : in.at(which);
      return count = select(policy, first, first + n, stencil.at(which), out.at(which), pred) -
                     out.at(which);
    });
    compare(t, "output", out, std::size_t(count), in_place ? n : std::size_t(count));
    expect_items_only(t);
  }

  template <class Policy, class Pred>
  static T* select(const Policy& policy, T* first, T* last, stencil_type* stencil, T* to,
                   Pred pred) {
    if constexpr (variant == 0) return thrust::copy_if(policy, first, last, to, pred);
    if constexpr (variant == 1) return thrust::copy_if(policy, first, last, stencil, to, pred);
    if constexpr (variant == 2) return thrust::remove_if(policy, first, last, pred);
    if constexpr (variant == 3) return thrust::remove_if(policy, first, last, stencil, pred);
  }
};

template <int Index, class T>
struct partitions {
  static constexpr int variant = (Index + Index / num_forms) % 4;
  using stencil_type = std::conditional_t<variant % 2 == 0, T, u32>;

  static void run(trial& t) {
    const std::size_t n = t.size(select_edges<T>(), sizeof(T));
    const auto items = draw_items<T>(t, n);
    const input<T> in(items, t.shift());
    const twin<T> out(items, t.shift()), rejected(n, t.shift());
    const input<stencil_type> stencil(draw_items<stencil_type>(t, n), t.shift());
    const auto pred = in_form<Index % num_forms, stencil_type>(accept<stencil_type>{draw_level(t)});
    std::ptrdiff_t count = 0;
    t.with_twins(reference_for<T>, [&](const auto& policy, auto which) {
      T* const first = in.at(which);
      T* const to = out.at(which);
      stencil_type* const marks = stencil.at(which);
      if constexpr (variant == 0) {
        count = thrust::stable_partition(policy, to, to + n, pred) - to;
      } else if constexpr (variant == 1) {
        count = thrust::stable_partition(policy, to, to + n, marks, pred) - to;
      } else {
        T* const to_rejected = rejected.at(which);
        if constexpr (variant == 2) {
          count =
              thrust::partition_copy(policy, first, first + n, to, to_rejected, pred).first - to;
        } else {
          count =
              thrust::stable_partition_copy(policy, first, first + n, marks, to, to_rejected, pred)
                  .first -
              to;
        }
      }
      return count;
    });
    compare(t, "accepted", out, variant < 2 ? n : std::size_t(count), n);
    if (variant >= 2)
      compare(t, "rejected", rejected, n - std::size_t(count), n - std::size_t(count));
    expect_items_only(t);
  }
};

/// The predicate of rows looks at the first column.
template <class T>
struct accept_row {
  accept<T> first;
  template <class Row>
  HINDSIGHT_HD bool operator()(const Row& row) {
    return first(thrust::get<0>(row));
  }
};

/// Columns in zipped arrays, in place.
template <int Index, class T>
struct zipped {
  static void run(trial& t) {
    const std::size_t n = t.size(select_edges<thrust::tuple<T, u64, u8>>(), sizeof(T) + 9);
    const twin<T> a(draw_items<T>(t, n), t.shift());
    const twin<u64> b(draw_items<u64>(t, n), t.shift());
    const twin<u8> c(draw_items<u8>(t, n), t.shift());
    const accept_row<T> pred{{draw_level(t)}};
    std::ptrdiff_t count = 0;
    t.with_twins(thrust::cpp::par, [&](const auto& policy, auto which) {
      const auto first = thrust::make_zip_iterator(a.at(which), b.at(which), c.at(which));
      const auto last = first + std::ptrdiff_t(n);
      if constexpr (Index % 2 == 0)
        return count = thrust::remove_if(policy, first, last, pred) - first;
      else
        return count = thrust::stable_partition(policy, first, last, pred) - first;
    });
    const std::size_t compared = Index % 2 == 0 ? std::size_t(count) : n;
    compare(t, "first column", a, compared, n);
    compare(t, "second column", b, compared, n);
    compare(t, "third column", c, compared, n);
    expect_items_only(t);
  }
};

template <class List>
std::vector<random_case> all_selections() {
  return cases_of<selections, List>("select");
}
template <class List>
std::vector<random_case> all_partitions() {
  return cases_of<partitions, List>("partition");
}

}  // namespace hindsight_test::typed
