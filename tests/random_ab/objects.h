// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that own memory, on hosts: strings, and items that can only be moved. Operators are
// function pointers, std::functions and lambdas.
#pragma once

#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include "run.h"
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hindsight_test::objects {

/// Can only be moved, and knows when it was.
struct ticket {
  std::unique_ptr<u32> number;
  friend bool operator==(const ticket& a, const ticket& b) {
    return a.number && b.number ? *a.number == *b.number : a.number == b.number;
  }
};

using std::string;

/// At most the last 20 characters of both: associative, does not commute. More than a string keeps
/// in itself.
inline string last_of_both(const string& a, const string& b) {
  constexpr std::size_t most = 20;
  const string both = a + b;
  return both.size() <= most ? both : both.substr(both.size() - most);
}
inline bool is_kept(const string& text) {
  return text.size() % 3 != 0;
}

template <class T>
T draw(trial& t);
template <>
inline string draw<string>(trial& t) {
  string text(t.below(24), ' ');
  for (char& letter : text) letter = char('a' + t.below(26));
  return text;
}
template <>
inline ticket draw<ticket>(trial& t) {
  return {std::make_unique<u32>(u32(t.below(1000)))};
}
template <>
inline u32 draw<u32>(trial& t) {
  return u32(t.below(100));
}

inline string copy_of(const string& text) {
  return text;
}
inline u32 copy_of(u32 number) {
  return number;
}
inline ticket copy_of(const ticket& one) {
  return {std::make_unique<u32>(*one.number)};
}

/// The same items for both sides.
template <class T>
struct twins {
  std::vector<T> ours, stock;

  explicit twins(std::size_t n) : ours(n), stock(n) {}
  twins(trial& t, std::size_t n, u64 mean_run) {
    for (u64 left = 0; ours.size() < n; --left) {
      if (left == 0) {
        left = 1 + t.below(2 * mean_run - 1);
        ours.push_back(draw<T>(t));
      } else {
        ours.push_back(copy_of(ours.back()));
      }
      stock.push_back(copy_of(ours.back()));
    }
  }
  T* at(side which) { return which == side::ours ? ours.data() : stock.data(); }
};

template <class T>
void compare(trial& t, const char* what, const twins<T>& items, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(items.ours[i] == items.stock[i])) {
      return t.differ(string{what} + ": item " + std::to_string(i) + " of " +
                      std::to_string(count));
    }
}

inline std::size_t size(trial& t) {
  const std::size_t n = t.size(host_edges(sizeof(string)), 4 * sizeof(string));
  return n;
}

/// What an operator may be: each is called with one of them.
template <class Call>
auto with_operator(u64 form, Call call) {
  switch (form) {
    case 0:
      return call(&last_of_both);
    case 1:
      return call(std::function<string(string, string)>{last_of_both});
    case 2:
      return call([](const auto& a, const auto& b) { return last_of_both(a, b); });
    default:
      return call([kept = string{}](const string& a, const string& b) mutable {
        kept = a;
        return last_of_both(kept, b);
      });
  }
}
template <class Call>
auto with_predicate(u64 form, Call call) {
  switch (form) {
    case 0:
      return call(&is_kept);
    case 1:
      return call(std::function<int(string)>{[](const string& text) { return is_kept(text) * 2; }});
    case 2:
      return call([](const auto& text) { return is_kept(text); });
    default:
      return call([kept = string{}](string text) mutable {
        kept = text;
        return is_kept(kept);
      });
  }
}

template <int Variant>
void scan(trial& t) {
  const std::size_t n = size(t);
  twins<string> in(t, n, 3), out(n);
  twins<u32> keys(t, n, 20);
  const bool in_place = t.in_place();
  const u64 form = t.below(4);
  const string init = draw<string>(t);
  const auto equal = [calls = 0](u32 a, const u32& b) mutable { return ++calls, a == b; };
  t.both([&](const auto& policy, side which) {
    return with_operator(form, [&](auto op) -> std::ptrdiff_t {
      string* const first = in.at(which);
      string* const last = first + n;
      string* const to = in_place ? first : out.at(which);
      u32* const key = keys.at(which);
      if constexpr (Variant == 0) return thrust::inclusive_scan(policy, first, last, to, op) - to;
      if constexpr (Variant == 1)
        return thrust::exclusive_scan(policy, first, last, to, init, op) - to;
      if constexpr (Variant == 2)
        return thrust::inclusive_scan_by_key(policy, key, key + n, first, to, equal, op) - to;
      if constexpr (Variant == 3)
        return thrust::exclusive_scan_by_key(policy, key, key + n, first, to, init, equal, op) - to;
      if constexpr (Variant == 4)
        return thrust::transform_inclusive_scan(
                   policy, first, last, to, [](const string& text) { return text + '!'; }, op) -
               to;
    });
  });
  compare(t, "output", in_place ? in : out, n);
  if (!in_place) compare(t, "input", in, n);
  compare(t, "keys", keys, n);
}

template <int Variant>
void fold(trial& t) {
  const std::size_t n = size(t);
  twins<string> in(t, n, 3), out(1);
  const u64 form = t.below(4);
  const string init = draw<string>(t);
  t.both([&](const auto& policy, side which) {
    return with_operator(form, [&](auto op) {
      string* const first = in.at(which);
      if constexpr (Variant == 0) {
        *out.at(which) = thrust::reduce(policy, first, first + n, init, op);
      } else {
        const auto length = [](const string& text) { return std::to_string(text.size()); };
        *out.at(which) = thrust::transform_reduce(policy, first, first + n, length, init, op);
      }
      return 0;
    });
  });
  compare(t, "the fold", out, 1);
  compare(t, "input", in, n);
}

inline void fold_by_key(trial& t) {
  const std::size_t n = size(t);
  twins<string> keys(t, n, 20), keys_out(n), in(t, n, 1), out(n);
  const u64 form = t.below(4);
  const std::ptrdiff_t count = t.both([&](const auto& policy, side which) {
    return with_operator(form, [&](auto op) {
      string* const first = keys.at(which);
      return thrust::reduce_by_key(policy, first, first + n, in.at(which), keys_out.at(which),
                                   out.at(which), std::equal_to<>{}, op)
                 .second -
             out.at(which);
    });
  });
  compare(t, "keys", keys_out, std::size_t(count));
  compare(t, "folds", out, std::size_t(count));
  compare(t, "input keys", keys, n);
  compare(t, "input", in, n);
}

template <int Variant>
void select(trial& t) {
  const std::size_t n = size(t);
  twins<string> in(t, n, 3), out(n), rejected(n);
  twins<u32> stencil(t, n, 2);
  const u64 form = t.below(4);
  const auto is_odd_number = [](u32 number) { return number % 2; };
  const std::ptrdiff_t count = t.both([&](const auto& policy, side which) {
    return with_predicate(form, [&](auto pred) -> std::ptrdiff_t {
      string* const first = in.at(which);
      string* const last = first + n;
      string* const to = out.at(which);
      u32* const marks = stencil.at(which);
      if constexpr (Variant == 0) return thrust::copy_if(policy, first, last, to, pred) - to;
      if constexpr (Variant == 1)
        return thrust::copy_if(policy, first, last, marks, to, is_odd_number) - to;
      if constexpr (Variant == 2) return thrust::remove_if(policy, first, last, pred) - first;
      if constexpr (Variant == 3)
        return thrust::remove_if(policy, first, last, marks, is_odd_number) - first;
      if constexpr (Variant == 4)
        return thrust::stable_partition(policy, first, last, pred) - first;
      if constexpr (Variant == 5)
        return thrust::stable_partition_copy(policy, first, last, to, rejected.at(which), pred)
                   .first -
               to;
      if constexpr (Variant == 6) return thrust::count_if(policy, first, last, pred);
    });
  });
  const auto kept = std::size_t(count);
  if (Variant < 2 || Variant == 5) compare(t, "output", out, kept);
  if (Variant >= 2 && Variant <= 4) compare(t, "the range", in, Variant == 4 ? n : kept);
  if (Variant == 5) compare(t, "rejected", rejected, n - kept);
  if (Variant < 2 || Variant > 4) compare(t, "input", in, n);
  compare(t, "stencil", stencil, n);
}

template <class Key, class Value>
void sort_by_key(trial& t) {
  const std::size_t n = size(t);
  twins<Key> keys(t, n, 1);
  twins<Value> values(t, n, 1);
  t.both([&](const auto& policy, side which) {
    Key* const first = keys.at(which);
    thrust::stable_sort_by_key(policy, first, first + n, values.at(which));
    return 0;
  });
  compare(t, "keys", keys, n);
  compare(t, "values", values, n);
}

/// What stock does to such items: it counts, and swaps them in a partition. Its order is its own:
/// std's stable_partition decides.
template <int Variant>
void move_only(trial& t) {
  const std::size_t n = size(t);
  twins<ticket> items(t, n, 2);
  const auto pred = [](const ticket& one) { return *one.number % 3 == 0; };
  const std::ptrdiff_t count = t.both([&](const auto& policy, side which) -> std::ptrdiff_t {
    ticket* const first = items.at(which);
    ticket* const last = first + n;
    if constexpr (Variant == 0) {
      return thrust::count_if(policy, first, last, pred);
    } else {
      if (which == side::stock) return std::stable_partition(first, last, pred) - first;
      return thrust::partition(policy, first, last, pred) - first;
    }
  });
  compare(t, Variant == 1 ? "the range" : "input", items, n);
  t.note(std::to_string(count));
}

inline const std::vector<random_case> all = {
    HINDSIGHT_CASE(scan<0>),
    HINDSIGHT_CASE(scan<1>),
    HINDSIGHT_CASE(scan<2>),
    HINDSIGHT_CASE(scan<3>),
    HINDSIGHT_CASE(scan<4>),
    HINDSIGHT_CASE(fold<0>),
    HINDSIGHT_CASE(fold<1>),
    HINDSIGHT_CASE(fold_by_key),
    HINDSIGHT_CASE(select<0>),
    HINDSIGHT_CASE(select<1>),
    HINDSIGHT_CASE(select<2>),
    HINDSIGHT_CASE(select<3>),
    HINDSIGHT_CASE(select<4>),
    HINDSIGHT_CASE(select<5>),
    HINDSIGHT_CASE(select<6>),
    HINDSIGHT_CASE(sort_by_key<u32, string>),
    HINDSIGHT_CASE(sort_by_key<string, u32>),
    HINDSIGHT_CASE(move_only<0>),
    HINDSIGHT_CASE(move_only<1>),
};

}  // namespace hindsight_test::objects
