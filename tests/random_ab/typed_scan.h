// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, and scans by key, of items of any type, with operators in any form that do not commute.
#pragma once

#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>

#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include "loops.h"
#include "twin.h"

namespace hindsight_test::typed {

/// Scan `Index` of a list: its variant and the form of its operator.
template <int Index, class T>
struct scans {
  static constexpr int variant = (Index + Index / num_forms) % 6;

  static void run(trial& t) {
    const std::size_t n = t.size(scan_edges<T>(), sizeof(T));
    const auto items = draw_items<T>(t, n);
    const input<T> in(items, t.shift());
    const twin<T> out(n, t.shift());
    const bool in_place = t.in_place();
    if (in_place) out.put(items);
    const T init = draw_item<T>(t);
    const auto op = in_form<Index % num_forms, T>(compose_parts<T>{});
    const auto unary = in_form<(Index + 2) % num_forms, T>(turn<T>{u32(n)});
    t.with_twins(reference_for<T>, [&](const auto& policy, auto which) {
      T* const first = in_place ? out.at(which) : in.at(which);
      T* const to = out.at(which);
      return scan(policy, first, first + n, to, init, unary, op) - to;
    });
    compare(t, "output", out, n, n);
    expect_items_only(t);
  }

  template <class Policy, class Unary, class Op>
  static T* scan(const Policy& policy, T* first, T* last, T* to, const T& init, Unary unary,
                 Op op) {
    if constexpr (variant == 0) return thrust::inclusive_scan(policy, first, last, to, op);
    if constexpr (variant == 1) return thrust::exclusive_scan(policy, first, last, to, init, op);
    if constexpr (variant == 2) return thrust::inclusive_scan(policy, first, last, to, init, op);
    if constexpr (variant == 3)
      return thrust::transform_inclusive_scan(policy, first, last, to, unary, op);
    if constexpr (variant == 4)
      return thrust::transform_exclusive_scan(policy, first, last, to, unary, init, op);
    if constexpr (variant == 5)
      return thrust::transform_inclusive_scan(policy, first, last, to, unary, init, op);
  }
};

/// Scans of T by keys of another type of the list, into new memory, over the values, or over the
/// keys where they have the same type.
template <int Index, class Key, class T>
struct scans_of_by {
  static constexpr bool is_inclusive = Index % 2 == 0;

  static void run(trial& t) {
    const std::size_t n = t.size(by_key_edges<Key, T>(), sizeof(Key) + sizeof(T));
    const auto key_items = draw_runs<Key>(t, n);
    const auto items = draw_items<T>(t, n);
    const input<Key> keys(key_items, t.shift());
    const input<T> in(items, t.shift());
    const twin<T> out(n, t.shift());
    const bool over_values = t.in_place();
    if (over_values) out.put(items);
    const T init = draw_item<T>(t);
    const auto equal = in_form<(Index + 3) % num_forms, Key>(equal_parts<Key>{});
    const auto op = in_form<Index % num_forms, T>(compose_parts<T>{});
    using odder = std::conditional_t<stock_takes<T>, Key, T>;
    t.with_twins(reference_for<odder>, [&](const auto& policy, auto which) {
      Key* const first = keys.at(which);
      T* const from = over_values ? out.at(which) : in.at(which);
      T* const to = out.at(which);
      if constexpr (is_inclusive)
        return thrust::inclusive_scan_by_key(policy, first, first + n, from, to, equal, op) - to;
      else
        return thrust::exclusive_scan_by_key(policy, first, first + n, from, to, init, equal, op) -
               to;
    });
    compare(t, "output", out, n, n);
    expect_items_only(t);
  }
};
/// Keys of 4 bytes, of one, or of the values' type.
template <int Index, class T>
struct scans_by_key
    : scans_of_by<
          Index, std::conditional_t<Index % 3 == 0, T, std::conditional_t<Index % 3 == 1, u32, u8>>,
          T> {};

/// The output takes the place of the keys.
template <int Index, class T>
struct scans_over_keys {
  static void run(trial& t) {
    const std::size_t n = t.size(by_key_edges<T, T>(), 2 * sizeof(T));
    const auto key_items = draw_runs<T>(t, n);
    const twin<T> out(key_items, t.shift());
    const input<T> in(draw_items<T>(t, n), t.shift());
    const auto equal = in_form<Index % num_forms, T>(equal_parts<T>{});
    const auto op = in_form<(Index + 1) % num_forms, T>(compose_parts<T>{});
    t.with_twins(reference_for<T>, [&](const auto& policy, auto which) {
      T* const to = out.at(which);
      return thrust::inclusive_scan_by_key(policy, to, to + n, in.at(which), to, equal, op) - to;
    });
    compare(t, "output", out, n, n);
    expect_items_only(t);
  }
};

template <class List>
std::vector<random_case> all_scans() {
  return cases_of<scans, List>("scan");
}
template <class List>
std::vector<random_case> all_scans_by_key() {
  return cases_of<scans_by_key, List>("scan_by_key");
}
template <class List>
std::vector<random_case> all_scans_over_keys() {
  return cases_of<scans_over_keys, List>("scan_over_keys");
}

}  // namespace hindsight_test::typed
