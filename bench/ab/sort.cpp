// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/sort.h>

#include <thrust/sort.h>

#include "inputs.h"
#include "sides.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_radix_sort.cuh>

#  include <cub/device/device_radix_sort.cuh>
#endif

namespace {

/// Any key but those that stock's host backends misplace: NaNs, -0.0 (before 0.0), and negative I32
/// keys (behind the others: NVIDIA/cccl issue 4919), which are left out on the host only.
template <class K>
struct any_key {
  ab::random_words words;
  HINDSIGHT_HD K operator()(std::uint64_t i) const {
    if constexpr (std::is_floating_point_v<K>) {
      using bits_t = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
      constexpr int mantissa = ::cuda::std::numeric_limits<K>::digits - 1;
      constexpr bits_t exponent = ~bits_t{0} << 1 >> (mantissa + 1) << mantissa;
      bits_t bits = bits_t(words(i));
      if ((bits & exponent) == exponent) bits ^= bits_t{1} << mantissa;
      K key;
      memcpy(&key, &bits, sizeof key);
      return key == 0 ? K(0) : key;
    } else if constexpr (!HINDSIGHT_CUDA && std::is_same_v<K, std::int32_t>) {
      return ab::uniform<K>{words}(i) & ::cuda::std::numeric_limits<K>::max();
    } else {
      return ab::uniform<K>{words}(i);
    }
  }
};

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
class sort {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

 public:
#if HINDSIGHT_CUDA
  using devices = ab::devices<cub::DeviceRadixSort, hindsight::DeviceRadixSort>;
#else
  using devices = ab::no_devices;
#endif

  sort(std::size_t n, ab::entropy of)
      : n_{n}, keys_{n, any_key<K>{{of}}}, values_{has_values ? n : 0, item_number<V>{}} {}

  void add_results(ab::results& out) const {
    out.add<K>("keys", n_);
    if (has_values) out.add<V>("values", n_);
  }

  /// Thrust sorts in place: each run gets a fresh copy.
  void reset(const ab::results& out) const {
    if (out.measured == ab::mode::kernel) return;
    ab::engine::copy(out.as<K>(0), keys_.get(), n_ * sizeof(K));
    if (has_values) ab::engine::copy(out.as<V>(1), values_.get(), n_ * sizeof(V));
  }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    if constexpr (has_values) {
      return device.SortPairs(temp, bytes, keys_.get(), out.as<K>(0), values_.get(), out.as<V>(1),
                              n_);
    } else {
      return device.SortKeys(temp, bytes, keys_.get(), out.as<K>(0), n_);
    }
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    K* first = out.as<K>(0);
    if constexpr (has_values) {
      thrust::sort_by_key(policy, first, first + n_, out.as<V>(1));
    } else {
      thrust::sort(policy, first, first + n_);
    }
  }

 private:
  std::size_t n_;
  ab::items<K> keys_;
  ab::items<V> values_;
};

/// What a least-significant-digit sort with digits of 8 bits must move: every pass reads and writes
/// all items, and the histogram of all digits reads the keys once more. The host engine sorts
/// otherwise, much of it in caches.
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
void add() {
  const char* value = "-";
  if constexpr (!std::is_same_v<V, no_value>) value = ab::name_of<V>;
  for (const ab::entropy of :
       {ab::entropy::of_1_000, ab::entropy::of_0_544, ab::entropy::of_0_201}) {
    ab::add<sort<K, V>>({"sort", ab::name_of<K>, value, ab::name(of)}, traffic_of<K, V>(), of);
  }
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
}};

}  // namespace
