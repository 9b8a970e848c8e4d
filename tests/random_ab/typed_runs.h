// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds by key and run lengths of items of any type.
#pragma once

#include <hindsight/reduce_by_key.h>
#include <hindsight/run_length_encode.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>

#include "loops.h"
#include "twin.h"

namespace hindsight_test::typed {

template <int Index, class Key, class T>
struct folds_of_by {
  static void run(trial& t) {
    const std::size_t n = t.size(by_key_edges<Key, T>(), sizeof(Key) + sizeof(T));
    const input<Key> keys(draw_runs<Key>(t, n), t.shift());
    const input<T> in(draw_items<T>(t, n), t.shift());
    const twin<Key> keys_out(n, t.shift());
    const twin<T> out(n, t.shift());
    const auto equal = in_form<(Index + 3) % num_forms, Key>(equal_parts<Key>{});
    const auto op = in_form<Index % num_forms, T>(compose_parts<T>{});
    std::ptrdiff_t count = 0;
    using odder = std::conditional_t<stock_takes<T>, Key, T>;
    t.with_twins(reference_for<odder>, [&](const auto& policy, auto which) {
      Key* const first = keys.at(which);
      const auto ends = thrust::reduce_by_key(policy, first, first + n, in.at(which),
                                              keys_out.at(which), out.at(which), equal, op);
      count = ends.first - keys_out.at(which);
      return count == ends.second - out.at(which) ? count : -1;
    });
    compare(t, "keys", keys_out, std::size_t(count), std::size_t(count));
    compare(t, "folds", out, std::size_t(count), std::size_t(count));
    expect_items_only(t);
  }
};
template <int Index, class T>
struct folds_by_key
    : folds_of_by<
          Index, std::conditional_t<Index % 3 == 0, T, std::conditional_t<Index % 3 == 1, u32, u8>>,
          T> {};

/// Stock: reduce_by_key over ones.
template <int Index, class T>
struct run_lengths {
  using count_type = std::conditional_t<Index % 2 == 0, i32, u64>;

  static void run(trial& t) {
    const std::size_t n = t.size(run_length_edges<T>(), sizeof(T));
    const input<T> in(draw_runs<T>(t, n), t.shift());
    const twin<T> unique(n, t.shift());
    const twin<count_type> lengths(n, t.shift());
    const auto equal = in_form<Index % num_forms, T>(equal_parts<T>{});
    std::ptrdiff_t count = 0;
    t.with_twins(reference_for<T>, [&](const auto& policy, auto which) {
      T* const first = in.at(which);
      T* const to = unique.at(which);
      count_type* const to_lengths = lengths.at(which);
      if constexpr (is_reference<decltype(policy)>) {
        count = thrust::reduce_by_key(policy, first, first + n,
                                      thrust::constant_iterator<count_type>(1), to, to_lengths,
                                      equal, thrust::plus<count_type>{})
                    .first -
                to;
      } else {
        count =
            hindsight::run_length_encode(policy, first, first + n, to, to_lengths, equal).first -
            to;
      }
      return count;
    });
    compare(t, "items", unique, std::size_t(count), std::size_t(count));
    compare(t, "lengths", lengths, std::size_t(count), std::size_t(count));
    expect_items_only(t);
  }
};

template <class List>
std::vector<random_case> all_folds_by_key() {
  return cases_of<folds_by_key, List>("reduce_by_key");
}
template <class List>
std::vector<random_case> all_run_lengths() {
  return cases_of<run_lengths, List>("run_length_encode");
}

}  // namespace hindsight_test::typed
