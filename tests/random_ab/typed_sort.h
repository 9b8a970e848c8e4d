// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of any type that are moved by sorts of radix keys; keys of any type by a comparator.
#pragma once

#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "loops.h"
#include "twin.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace hindsight_test::typed {

/// The items in the order of `places`.
template <class T>
item_vector<T> in_order(const item_vector<T>& items, const std::vector<std::size_t>& places) {
  item_vector<T> ordered;
  ordered.reserve(items.size());
  for (const std::size_t place : places) ordered.push_back(items[place]);
  return ordered;
}

/// Where a stable sort takes its items from.
template <class T, class Less>
std::vector<std::size_t> sorted_places(const item_vector<T>& items, Less less) {
  std::vector<std::size_t> places(items.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return bool(less(items[a].item, items[b].item));
  });
  return places;
}

template <class T>
void put_stock(const twin<T>& items, const item_vector<T>& sorted) {
  if (!sorted.empty())
    std::memcpy(static_cast<void*>(items.at(stock_side{})), static_cast<const void*>(sorted.data()),
                sorted.size() * sizeof(T));
}

/// Values of type T; the key's type goes round.
template <int Index, class T>
struct sorts_by_key {
  using key = std::tuple_element_t<std::size_t(Index % 5), std::tuple<u32, i8, u64, i16, i32>>;
  static constexpr bool descends = Index % 2 == 1;
  using order = std::conditional_t<descends, thrust::greater<key>, thrust::less<key>>;

  static void run(trial& t) {
    const std::size_t n = t.size(sort_edges<key, T>(), sizeof(key) + sizeof(T));
    const auto keys = draw_items<key>(t, n);
    const auto values = draw_items<T>(t, n);
    const twin<key> out_keys(keys, t.shift());
    const twin<T> out(values, t.shift());
    t.with_twins(thrust::cpp::par, [&](const auto& policy, auto which) {
      if constexpr (is_reference<decltype(policy)>) {
        const auto places = sorted_places(keys, order{});
        put_stock(out_keys, in_order(keys, places));
        put_stock(out, in_order(values, places));
      } else {
        key* const first = out_keys.at(which);
        thrust::stable_sort_by_key(policy, first, first + n, out.at(which), order{});
      }
      return std::ptrdiff_t{0};
    });
    compare(t, "keys", out_keys, n, n);
    compare(t, "values", out, n, n);
  }
};

/// Keys of type T, many of them equivalent, by a comparator of the user's.
template <int Index, class T>
struct sorts {
  static void run(trial& t) {
    const std::size_t n = t.size(merge_sort_edges<T, no_value>(), sizeof(T));
    const auto keys = draw_items<T>(t, n);
    const twin<T> out(keys, t.shift());
    const auto compare_keys = in_form<Index % num_forms, T>(order_by_first<T>{});
    t.with_twins(thrust::cpp::par, [&](const auto& policy, auto which) {
      if constexpr (is_reference<decltype(policy)>) {
        put_stock(out, in_order(keys, sorted_places(keys, order_by_first<T>{})));
      } else {
        T* const first = out.at(which);
        thrust::stable_sort(policy, first, first + n, compare_keys);
      }
      return std::ptrdiff_t{0};
    });
    compare(t, "keys", out, n, n);
  }
};

template <class List>
std::vector<random_case> all_sorts() {
  return cases_of<sorts_by_key, List>("sort_by_key");
}

template <class List>
std::vector<random_case> all_comparison_sorts() {
  return cases_of<sorts, List>("stable_sort");
}

}  // namespace hindsight_test::typed
