// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys, with values or without, that the cases of sorting share.
#pragma once

#include "inputs.h"
#include "sides.h"
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ab {

struct no_value {};

/// As values they show whether equal keys keep their order.
template <class V>
struct item_number {
  HINDSIGHT_HD V operator()(std::uint64_t i) const {
    if constexpr (std::is_same_v<V, no_value>) {
      return {};
    } else {
      return V(i);
    }
  }
};

template <class K, class V>
class items_to_sort : public input {
 public:
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

  /// Key i is make_key(i).
  template <class MakeKey>
  items_to_sort(std::size_t n, const MakeKey& make_key)
      : n_{n}, keys_{n, make_key}, values_{has_values ? n : 0, item_number<V>{}} {}

  void add_results(results& out) const {
    out.add<K>("keys", n_);
    if (has_values) out.add<V>("values", n_);
  }

  /// Thrust sorts in place: each run gets a fresh copy.
  void reset(const results& out) const {
    if (out.measured == mode::kernel) return;
    engine::copy(out.as<K>(0), keys_.get(), n_ * sizeof(K));
    if (has_values) engine::copy(out.as<V>(1), values_.get(), n_ * sizeof(V));
  }

  std::size_t size() const { return n_; }
  const K* keys() const { return keys_.get(); }
  const V* values() const { return values_.get(); }

 private:
  std::size_t n_;
  items<K> keys_;
  items<V> values_;
};

}  // namespace ab
