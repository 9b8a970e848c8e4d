// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What algorithms mean, as loops: what decides about types that stock does not take.
#pragma once

#include <thrust/pair.h>
#include <thrust/system/cpp/execution_policy.h>

#include "parts.h"
#include <type_traits>
#include <utility>

namespace hindsight_test {

/// A policy of Thrust's: its algorithms are the functions below.
struct loops : thrust::cpp::execution_policy<loops> {};

template <class T>
inline constexpr bool stock_takes = !std::is_same_v<T, types::odd_operators>;

/// The policy that decides about items of type T.
template <class T>
constexpr auto choose_reference() {
  if constexpr (stock_takes<T>)
    return thrust::cpp::par;
  else
    return loops{};
}
template <class T>
inline constexpr auto reference_for = choose_reference<T>();

/// Whether a policy is one of these two.
template <class Policy>
inline constexpr bool is_reference =
    std::is_same_v<std::decay_t<Policy>, loops> ||
    std::is_same_v<std::decay_t<Policy>, std::decay_t<decltype(thrust::cpp::par)>>;

/// A variable of a type that may have no default constructor and be assigned from anything.
template <class It>
using item_of = typename std::iterator_traits<It>::value_type;

template <class InputIt, class OutputIt, class Op>
OutputIt inclusive_scan(loops&, InputIt first, InputIt last, OutputIt out, Op op) {
  if (first == last) return out;
  auto fold = item_of<InputIt>(*first);
  for (;;) {
    *out++ = fold;
    if (++first == last) return out;
    fold = op(fold, *first);
  }
}
template <class InputIt, class OutputIt, class T, class Op>
OutputIt inclusive_scan(loops&, InputIt first, InputIt last, OutputIt out, T init, Op op) {
  for (T fold = init; first != last; ++first) *out++ = fold = op(fold, *first);
  return out;
}
template <class InputIt, class OutputIt, class T, class Op>
OutputIt exclusive_scan(loops&, InputIt first, InputIt last, OutputIt out, T init, Op op) {
  for (T fold = init; first != last; ++first) {
    T next = op(fold, *first);  // `out` may be `first`
    *out++ = fold;
    fold = next;
  }
  return out;
}

template <class KeyIt, class InputIt, class OutputIt, class Equal, class Op>
OutputIt inclusive_scan_by_key(loops&, KeyIt key, KeyIt last, InputIt in, OutputIt out, Equal equal,
                               Op op) {
  if (key == last) return out;
  auto before = item_of<KeyIt>(*key);
  auto fold = item_of<InputIt>(*in);
  for (;;) {
    *out++ = fold;
    if (++key == last) return out;
    ++in;
    const bool goes_on = equal(before, *key);
    before = *key;
    fold = goes_on ? item_of<InputIt>(op(fold, *in)) : item_of<InputIt>(*in);
  }
}
template <class KeyIt, class InputIt, class OutputIt, class T, class Equal, class Op>
OutputIt exclusive_scan_by_key(loops&, KeyIt key, KeyIt last, InputIt in, OutputIt out, T init,
                               Equal equal, Op op) {
  if (key == last) return out;
  T fold = init;
  for (;;) {
    T next = op(fold, *in);
    *out++ = fold;
    const auto before = item_of<KeyIt>(*key);
    if (++key == last) return out;
    ++in;
    fold = equal(before, *key) ? next : init;
  }
}

template <class InputIt, class T, class Op>
T reduce(loops&, InputIt first, InputIt last, T init, Op op) {
  for (; first != last; ++first) init = op(init, *first);
  return init;
}
template <class KeyIt, class InputIt, class KeyOutputIt, class OutputIt, class Equal, class Op>
thrust::pair<KeyOutputIt, OutputIt> reduce_by_key(loops&, KeyIt key, KeyIt last, InputIt in,
                                                  KeyOutputIt keys_out, OutputIt out, Equal equal,
                                                  Op op) {
  if (key == last) return {keys_out, out};
  auto first_of_run = item_of<KeyIt>(*key);
  auto fold = item_of<InputIt>(*in);
  while (++key != last) {
    ++in;
    if (equal(first_of_run, *key)) {
      fold = op(fold, *in);
      continue;
    }
    *keys_out++ = first_of_run;
    *out++ = fold;
    first_of_run = *key;
    fold = *in;
  }
  *keys_out++ = first_of_run;
  *out++ = fold;
  return {keys_out, out};
}

template <class InputIt, class StencilIt, class OutputIt, class Pred>
OutputIt copy_if(loops&, InputIt first, InputIt last, StencilIt stencil, OutputIt out, Pred pred) {
  for (; first != last; ++first, void(), ++stencil)
    if (pred(*stencil)) *out++ = *first;
  return out;
}
template <class InputIt, class OutputIt, class Pred>
OutputIt copy_if(loops& policy, InputIt first, InputIt last, OutputIt out, Pred pred) {
  return hindsight_test::copy_if(policy, first, last, first, out, pred);
}
template <class It, class StencilIt, class Pred>
It remove_if(loops& policy, It first, It last, StencilIt stencil, Pred pred) {
  return hindsight_test::copy_if(policy, first, last, stencil, first,
                                 [&](const auto& item) { return !pred(item); });
}
template <class It, class Pred>
It remove_if(loops&, It first, It last, Pred pred) {
  It out = first;
  for (; first != last; ++first)
    if (!pred(*first)) *out++ = *first;
  return out;
}
template <class InputIt, class StencilIt, class TrueIt, class FalseIt, class Pred>
thrust::pair<TrueIt, FalseIt> stable_partition_copy(loops&, InputIt first, InputIt last,
                                                    StencilIt stencil, TrueIt accepted,
                                                    FalseIt rejected, Pred pred) {
  for (; first != last; ++first, void(), ++stencil) {
    if (pred(*stencil)) {
      *accepted++ = *first;
    } else {
      *rejected++ = *first;
    }
  }
  return {accepted, rejected};
}

template <class InputIt, class TrueIt, class FalseIt, class Pred>
thrust::pair<TrueIt, FalseIt> partition_copy(loops& policy, InputIt first, InputIt last,
                                             TrueIt accepted, FalseIt rejected, Pred pred) {
  return hindsight_test::stable_partition_copy(policy, first, last, first, accepted, rejected,
                                               pred);
}
template <class It, class StencilIt, class Pred>
It stable_partition(loops&, It first, It last, StencilIt stencil, Pred pred) {
  item_vector<item_of<It>> rejected;
  It out = first;
  for (It it = first; it != last; ++it, void(), ++stencil) {
    if (pred(*stencil)) {
      *out++ = *it;
    } else {
      rejected.push_back({*it});
    }
  }
  const It begin_of_rejected = out;
  for (const auto& one : rejected) *out++ = one.item;
  return begin_of_rejected;
}
template <class It, class Pred>
It stable_partition(loops& policy, It first, It last, Pred pred) {
  return hindsight_test::stable_partition(policy, first, last, first, pred);
}

}  // namespace hindsight_test
