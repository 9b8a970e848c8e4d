// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of sorts, reductions and scans of segments, against plain loops on the CPU, which
// are the stock side here.
#pragma once

#include <hindsight/segments.h>
#include <hindsight/sort_segments.h>

#include "stock_sort.h"
#include <algorithm>
#include <numeric>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/tuning/merge_sort.h>
#endif

namespace hindsight_test::cases {

enum class form { offsets, heads };

/// Segments of [0, n), as offsets or as flags. Flags leave none empty and no item outside.
class drawn_segments {
 public:
  drawn_segments(trial& t, std::size_t n, form how)
      : all_(draw(t, n, how)), offsets_(all_, 1), flags_(flags_of(all_, n), t.below(4)) {}

  template <form How>
  auto get() const {
    if constexpr (How == form::heads) {
      return hindsight::by_heads(flags_.data());
    } else {
      return hindsight::by_offsets(offsets_.data(), offsets_.data() + offsets_.size());
    }
  }
  std::size_t size() const { return all_.size() - 1; }
  /// visit(segment, begin, end)
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t s = 0; s < size(); ++s) visit(s, all_[s], all_[s + 1]);
  }

 private:
  static std::vector<u32> draw(trial& t, std::size_t n, form how) {
    const u64 means[] = {1, 3, 10, 30, 70, 1000, 100'000};
    const u64 mean = means[t.below(7)];
    const bool equal = t.one_in(4), some_empty = how == form::offsets && t.one_in(3);
    t.note("segments of " + std::to_string(mean));
    std::vector<u32> all{how == form::offsets && t.one_in(3) ? u32(t.below(n + 1)) / 2 : 0u};
    const u32 end =
        how == form::offsets && t.one_in(3) ? all[0] + u32(t.below(n + 1 - all[0])) : u32(n);
    while (all.back() < end) {
      if (some_empty && t.one_in(2)) all.push_back(all.back());
      const u64 length = equal ? mean : 1 + t.below(2 * mean - 1);
      all.push_back(u32(std::min<u64>(end, all.back() + length)));
    }
    if (some_empty) all.insert(all.end(), t.below(3000), all.back());
    return all;
  }
  static std::vector<u8> flags_of(const std::vector<u32>& all, std::size_t n) {
    std::vector<u8> flags(n);
    for (const u32 begin : all)
      if (begin > 0 && begin < n) flags[begin] = u8(1 + begin % 3);
    return flags;
  }

  std::vector<u32> all_;
  array<u32> offsets_;
  array<u8> flags_;
};

template <class T>
void put(const array<T>& to, const std::vector<T>& items) {
  memory::copy(to.data(), items.data(), items.size() * sizeof(T));
}

/// Where the ways to sort change.
template <class Key, class Value>
edge_list segment_sort_edges() {
  edge_list edges = host_edges(sizeof(Key));
#if HINDSIGHT_CUDA
  using tuning = hindsight::detail::merge_sort_tuning<Key, Value>;
  for (const int tiles : {1, 2, 3, 8}) edges.push_back(std::size_t(tiles * tuning::tile_items));
#endif
  return edges;
}

/// The order of a radix sort of floats: NaNs by their bits, equal zeros.
struct by_bits {
  static u32 bits(float key) {
    u32 word;
    std::memcpy(&word, &key, sizeof key);
    if (key == 0) word = 0;
    return word >> 31 ? ~word : word | 0x80000000u;
  }
  bool operator()(float a, float b) const { return bits(a) < bits(b); }
};
template <class Compare>
struct order_of {
  using type = Compare;
};
template <>
struct order_of<thrust::less<float>> {
  using type = by_bits;
};

template <class Key, class Compare = thrust::less<Key>, form How = form::offsets>
void sort_segments(trial& t) {
  const std::size_t n = t.size(segment_sort_edges<Key, hindsight::detail::no_value>());
  const auto keys = t.items<Key>(n);
  const drawn_segments segments{t, n, How};
  auto sorted = keys;
  segments.for_each([&](std::size_t, u32 begin, u32 end) {
    std::stable_sort(sorted.begin() + begin, sorted.begin() + end,
                     typename order_of<Compare>::type{});
  });
  const outputs<Key> out(keys, t.shift());
  t.both([&](const auto& policy, side which) {
    Key* const first = out[which].data();
    if constexpr (is_stock<decltype(policy)>) {
      put(out.stock, sorted);
    } else {
      hindsight::sort_segments(policy, first, first + n, segments.template get<How>(), Compare{});
    }
    return 0;
  });
  t.compare("keys", out, n);
}

template <class Key, class Value, class Compare = thrust::less<Key>, form How = form::offsets>
void sort_segments_by_key(trial& t) {
  const std::size_t n = t.size(segment_sort_edges<Key, Value>());
  const auto keys = t.items<Key>(n);
  const auto values = t.items<Value>(n);
  const drawn_segments segments{t, n, How};
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  segments.for_each([&](std::size_t, u32 begin, u32 end) {
    const typename order_of<Compare>::type less;
    std::stable_sort(order.begin() + begin, order.begin() + end,
                     [&](u32 a, u32 b) { return less(keys[a], keys[b]); });
  });
  const outputs<Key> out(keys, t.shift());
  const outputs<Value> out_values(values, t.shift());
  t.both([&](const auto& policy, side which) {
    Key* const first = out[which].data();
    if constexpr (is_stock<decltype(policy)>) {
      auto sorted = keys;
      auto moved = values;
      for (std::size_t i = 0; i < n; ++i) {
        sorted[i] = keys[order[i]];
        moved[i] = values[order[i]];
      }
      put(out.stock, sorted);
      put(out_values.stock, moved);
    } else {
      hindsight::sort_segments_by_key(policy, first, first + n, out_values[which].data(),
                                      segments.template get<How>(), Compare{});
    }
    return 0;
  });
  t.compare("keys", out, n);
  t.compare("values", out_values, n);
}

template <class T, class Op, form How = form::offsets>
void reduce_segments(trial& t) {
  const std::size_t n = t.size(host_edges(sizeof(T)));
  const auto items = t.items<T>(n, values_for<T, Op>);
  const T init = t.item<T>(values_for<T, Op>);
  const drawn_segments segments{t, n, How};
  std::vector<T> sums(segments.size(), init);
  segments.for_each([&](std::size_t s, u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i) sums[s] = Op{}(sums[s], items[i]);
  });
  const array<T> in(items, t.shift());
  const outputs<T> out(sums.size(), t.shift());
  t.both([&](const auto& policy, side which) {
    if constexpr (is_stock<decltype(policy)>) {
      put(out.stock, sums);
      return std::ptrdiff_t(sums.size());
    } else {
      T* const first = out[which].data();
      return hindsight::reduce_segments(policy, in.data(), in.data() + n,
                                        segments.template get<How>(), first, init, Op{}) -
             first;
    }
  });
  t.compare("folds", out, sums.size());
}

/// Inclusive and exclusive. What lies in no segment is not written.
template <class T, class Op, form How = form::offsets>
void scan_segments(trial& t) {
  const std::size_t n = t.size(host_edges(sizeof(T)));
  const auto items = t.items<T>(n, values_for<T, Op>);
  const T init = t.item<T>(values_for<T, Op>);
  const drawn_segments segments{t, n, How};
  const bool is_exclusive = t.one_in(2);
  t.note(is_exclusive ? "exclusive" : "inclusive");
  auto scanned = items;  // in place on both sides
  segments.for_each([&](std::size_t, u32 begin, u32 end) {
    T fold = init;
    for (u32 i = begin; i < end; ++i) {
      const T next = i == begin && !is_exclusive ? items[i] : Op{}(fold, items[i]);
      scanned[i] = is_exclusive ? fold : next;
      fold = next;
    }
  });
  const outputs<T> out(items, t.shift());
  t.both([&](const auto& policy, side which) {
    T* const first = out[which].data();
    if constexpr (is_stock<decltype(policy)>) {
      put(out.stock, scanned);
    } else if (is_exclusive) {
      hindsight::exclusive_scan_segments(policy, first, first + n, segments.template get<How>(),
                                         first, init, Op{});
    } else {
      hindsight::inclusive_scan_segments(policy, first, first + n, segments.template get<How>(),
                                         first, Op{});
    }
    return 0;
  });
  t.compare("items", out, n);
}

inline const std::vector<random_case> segments = {
    HINDSIGHT_CASE(sort_segments<i32>),
    HINDSIGHT_CASE(sort_segments<u32, thrust::greater<u32>, form::heads>),
    HINDSIGHT_CASE(sort_segments<u64>),
    HINDSIGHT_CASE(sort_segments<u8>),
    HINDSIGHT_CASE(sort_segments_by_key<float, u32>),
    HINDSIGHT_CASE(sort_segments_by_key<i16, u64, thrust::greater<i16>, form::heads>),
    HINDSIGHT_CASE(sort_segments_by_key<u32, u32, less_by_low_bits<u32>>),
    HINDSIGHT_CASE(reduce_segments<u32, star<u32>>),
    HINDSIGHT_CASE(reduce_segments<affine, compose, form::heads>),
    HINDSIGHT_CASE(reduce_segments<u16, thrust::maximum<u16>>),
    HINDSIGHT_CASE(scan_segments<u64, thrust::plus<u64>>),
    HINDSIGHT_CASE(scan_segments<i32, last_nonzero<i32>, form::heads>),
};

}  // namespace hindsight_test::cases
