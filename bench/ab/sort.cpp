// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "items_to_sort.h"
#include <string>

#if HINDSIGHT_CUDA
#  include <hindsight/device_merge_sort.cuh>
#  include <hindsight/device_radix_sort.cuh>

#  include <cub/device/device_merge_sort.cuh>
#  include <cub/device/device_radix_sort.cuh>
#endif

namespace {

using ab::no_value;

enum class key_order { random, ascending, descending };

/// What keys a case sorts.
struct keys_of_case {
  std::string name;
  ab::entropy of = ab::entropy::of_1_000;
  int bits = 128;  ///< the lowest ones, which vary; integers only
  key_order order = key_order::random;
};

/// Few bits of any key, or as many different keys as there are in order.
template <class K>
struct key_of_case {
  ab::any_key<K> any;
  int bits;
  key_order order;
  std::uint64_t n;
  HINDSIGHT_HD K operator()(std::uint64_t i) const {
    if constexpr (std::is_integral_v<K>) {
      const std::uint64_t place = order == key_order::descending ? n - 1 - i : i;
      constexpr std::uint64_t most = std::uint64_t(::cuda::std::numeric_limits<K>::max());
      if (order != key_order::random) return K(most >= n ? most / n * place : place * most / n);
      if (bits < 64) return K(std::uint64_t(any(i)) & ((std::uint64_t{1} << bits) - 1));
    }
    return any(i);
  }
};

template <class K, class V>
class sort : public ab::items_to_sort<K, V> {
  using base = ab::items_to_sort<K, V>;

 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceRadixSort, hindsight::DeviceRadixSort);

  sort(std::size_t n, const keys_of_case& keys)
      : base{n, key_of_case<K>{{{keys.of}}, keys.bits, keys.order, n}} {}

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    if constexpr (base::has_values) {
      return device.SortPairs(temp, bytes, this->keys(), out.as<K>(0), this->values(), out.as<V>(1),
                              this->size());
    } else {
      return device.SortKeys(temp, bytes, this->keys(), out.as<K>(0), this->size());
    }
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    K* first = out.as<K>(0);
    if constexpr (base::has_values) {
      thrust::sort_by_key(policy, first, first + this->size(), out.as<V>(1));
    } else {
      thrust::sort(policy, first, first + this->size());
    }
  }
};

/// An order that nothing is known of.
struct any_order {
  template <class K>
  HINDSIGHT_HD bool operator()(const K& a, const K& b) const {
    return a < b;
  }
};

/// The same by a comparator.
template <class K, class V>
class comparison_sort : public sort<K, V> {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceMergeSort, hindsight::DeviceMergeSort);
  comparison_sort(std::size_t n, const keys_of_case& keys) : sort<K, V>{n, keys} {}

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    if constexpr (sort<K, V>::has_values) {
      return device.SortPairsCopy(temp, bytes, this->keys(), this->values(), out.as<K>(0),
                                  out.as<V>(1), this->size(), any_order{});
    } else {
      return device.SortKeysCopy(temp, bytes, this->keys(), out.as<K>(0), this->size(),
                                 any_order{});
    }
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    K* const first = out.as<K>(0);
    if constexpr (sort<K, V>::has_values) {
      thrust::stable_sort_by_key(policy, first, first + this->size(), out.as<V>(1), any_order{});
    } else {
      thrust::stable_sort(policy, first, first + this->size(), any_order{});
    }
  }
};

/// What a least-significant-digit sort with digits of 8 bits must move: every pass reads and writes
/// all items, and the histogram of all digits reads the keys once more. Sorts that need fewer
/// passes are above that. The host engine sorts otherwise, much of it in caches.
template <class K, class V>
ab::traffic traffic_of() {
  const double item = sizeof(K) + (std::is_same_v<V, no_value> ? 0 : sizeof(V));
  const double passes = sizeof(K);
#if HINDSIGHT_CUDA
  return {item * 2 * passes + sizeof(K), ab::ceiling::copy};
#else
  return {item * 2 * passes + sizeof(K), ab::ceiling::none};
#endif
}

template <class K, class V>
void add(const keys_of_case& keys) {
  const char* value = "-";
  if constexpr (!std::is_same_v<V, no_value>) value = ab::name_of<V>;
  ab::add<sort<K, V>>({"sort", ab::name_of<K>, value, keys.name}, traffic_of<K, V>(), keys);
}

template <class K, class V>
void add() {
  for (const ab::entropy of :
       {ab::entropy::of_1_000, ab::entropy::of_0_544, ab::entropy::of_0_201}) {
    add<K, V>({ab::name(of), of});
  }
}

/// Keys that most of the bits of a type say nothing about, and keys in order.
template <class K, class V>
void add_others() {
  for (const int bits : {8, 16, 24})
    add<K, V>({std::to_string(bits) + " bits", ab::entropy::of_1_000, bits});
  add<K, V>({"all equal", ab::entropy::of_1_000, 0});
  add<K, V>({"sorted", ab::entropy::of_1_000, 128, key_order::ascending});
  add<K, V>({"reversed", ab::entropy::of_1_000, 128, key_order::descending});
}

/// Merges read and write all items once for each doubling of the runs that tiles begin with: how
/// often depends on the tile, so there is no ceiling.
template <class K, class V>
void add_comparison() {
  const char* value = "-";
  if constexpr (!std::is_same_v<V, no_value>) value = ab::name_of<V>;
  const double item = sizeof(K) + (std::is_same_v<V, no_value> ? 0 : sizeof(V));
  ab::add<comparison_sort<K, V>>(
      {"comparison_sort", ab::name_of<K>, value, ab::name(ab::entropy::of_1_000)},
      {2 * item, ab::ceiling::none},
      keys_of_case{ab::name(ab::entropy::of_1_000), ab::entropy::of_1_000});
}

const ab::registration registered{[] {
  add<std::int8_t, no_value>();
  add<std::int16_t, no_value>();
  add<std::int32_t, no_value>();
  add<std::int64_t, no_value>();
#if HINDSIGHT_CUDA  // stock's host backends do not compile it
  add<ab::int128_t, no_value>();
#endif
  add<float, no_value>();
  add<double, no_value>();
  add<std::int8_t, std::int32_t>();
  add<std::int32_t, std::int32_t>();
  add<std::int32_t, std::int64_t>();
  add<std::int64_t, std::int64_t>();
  add_others<std::int32_t, no_value>();
  add_others<std::int64_t, no_value>();
  add_comparison<std::int32_t, no_value>();
  add_comparison<std::int64_t, no_value>();
  add_comparison<std::int32_t, std::int32_t>();
}};

}  // namespace
