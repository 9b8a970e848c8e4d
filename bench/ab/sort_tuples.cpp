// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of keys with several members. Whole calls order them by operator<; Device* calls by a
// decomposer, which returns the members.
#include <hindsight/sort.h>

#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <thrust/sort.h>
#include <thrust/tuple.h>

#include "items_to_sort.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_radix_sort.cuh>

#  include <cub/device/device_radix_sort.cuh>
#endif

namespace {

using ab::no_value;

using two_numbers = thrust::tuple<std::uint32_t, std::uint32_t>;
using number_and_float = ::cuda::std::pair<std::uint32_t, float>;
/// No bytes between the members: results are compared by all their bytes.
static_assert(sizeof(two_numbers) == 8 && sizeof(number_and_float) == 8);

/// All members as references, as CUB wants them.
struct members {
  template <class Key>
  HINDSIGHT_HD auto operator()(Key& key) const {
    return ::cuda::std::apply([](auto&... all) { return ::cuda::std::tie(all...); }, key);
  }
};

template <class Key>
struct any_members {
  ab::random_words words;
  HINDSIGHT_HD Key operator()(std::uint64_t i) const {
    Key key;
    std::uint64_t place = i * ::cuda::std::tuple_size<Key>::value;
    ::cuda::std::apply(
        [&](auto&... all) {
          ((all = ab::any_key<std::decay_t<decltype(all)>>{words}(place++)), ...);
        },
        key);
    return key;
  }
};

template <class K, class V>
class sort_tuples : public ab::items_to_sort<K, V> {
  using base = ab::items_to_sort<K, V>;

 public:
#if HINDSIGHT_CUDA
  using devices = ab::devices<cub::DeviceRadixSort, hindsight::DeviceRadixSort>;
#else
  using devices = ab::no_devices;
#endif

  sort_tuples(std::size_t n, ab::entropy of) : base{n, any_members<K>{{of}}} {}

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    if constexpr (base::has_values) {
      return device.SortPairs(temp, bytes, this->keys(), out.as<K>(0), this->values(), out.as<V>(1),
                              this->size(), members{});
    } else {
      return device.SortKeys(temp, bytes, this->keys(), out.as<K>(0), this->size(), members{});
    }
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    K* const first = out.as<K>(0);
    if constexpr (base::has_values) {
      thrust::stable_sort_by_key(policy, first, first + this->size(), out.as<V>(1));
    } else {
      thrust::stable_sort(policy, first, first + this->size());
    }
  }
};

/// As for numbers of so many bytes (sort.cpp).
template <class K, class V>
void add(const char* key, const char* value) {
  const double item = sizeof(K) + (std::is_same_v<V, no_value> ? 0 : sizeof(V));
  const ab::traffic moves{item * 2 * sizeof(K) + sizeof(K),
                          HINDSIGHT_CUDA ? ab::ceiling::copy : ab::ceiling::none};
  for (const ab::entropy of : {ab::entropy::of_1_000, ab::entropy::of_0_201})
    ab::add<sort_tuples<K, V>>({"sort_tuples", key, value, ab::name(of)}, moves, of);
}

const ab::registration registered{[] {
  add<two_numbers, no_value>("U32+U32", "-");
  add<number_and_float, no_value>("U32+F32", "-");
  add<number_and_float, std::int32_t>("U32+F32", "I32");
}};

}  // namespace
