// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/reduce_by_key.h>
#include <hindsight/run_length_encode.h>

#include <cuda/functional>
#include <thrust/reduce.h>

#include "inputs.h"
#include "sides.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_reduce.cuh>
#  include <hindsight/device_run_length_encode.cuh>

#  include <cub/device/device_reduce.cuh>
#  include <cub/device/device_run_length_encode.cuh>
#endif

namespace {

template <class K, class V>
class reduce_by_key : public ab::input {
 public:
  static constexpr std::size_t most_items = ab::most_items_of<V>;
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceReduce, hindsight::DeviceReduce);

  reduce_by_key(std::size_t n, std::uint64_t longest)
      : n_{n}, keys_{n, ab::runs_up_to<K>{longest}}, values_{n, ab::small_numbers<V>{}} {}
  reduce_by_key(std::size_t n, ab::untuned of)
      : n_{n}, keys_{n, ab::untuned_keys<K>{of, n}}, values_{n, ab::small_numbers<V>{}} {}

  void add_results(ab::results& out) const {
    out.add<K>("keys", n_);
    out.add<V>("sums", n_);
    out.add_scalar<std::int64_t>("count");
  }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.ReduceByKey(temp, bytes, keys_.get(), out.as<K>(0), values_.get(), out.as<V>(1),
                              out.as<std::int64_t>(2), ::cuda::std::plus<>{}, n_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const auto ends = thrust::reduce_by_key(policy, keys_.get(), keys_.get() + n_, values_.get(),
                                            out.as<K>(0), out.as<V>(1));
    *out.as<std::int64_t>(2) = ends.first - out.as<K>(0);
  }

 private:
  std::size_t n_;
  ab::items<K> keys_;
  ab::items<V> values_;
};

/// Thrust has no run_length_encode: the stock side of a whole call is its reduce_by_key over ones.
template <class K>
class run_length_encode : public ab::input {
 public:
  using length = std::int32_t;
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceRunLengthEncode,
                                       hindsight::DeviceRunLengthEncode);

  run_length_encode(std::size_t n, std::uint64_t longest)
      : n_{n}, keys_{n, ab::runs_up_to<K>{longest}} {}
  run_length_encode(std::size_t n, ab::untuned of) : n_{n}, keys_{n, ab::untuned_keys<K>{of, n}} {}

  void add_results(ab::results& out) const {
    out.add<K>("keys", n_);
    out.add<length>("lengths", n_);
    out.add_scalar<std::int64_t>("count");
  }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.Encode(temp, bytes, keys_.get(), out.as<K>(0), out.as<length>(1),
                         out.as<std::int64_t>(2), n_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const auto ends = hindsight::run_length_encode(policy, keys_.get(), keys_.get() + n_,
                                                   out.as<K>(0), out.as<length>(1));
    *out.as<std::int64_t>(2) = ends.first - out.as<K>(0);
  }

 private:
  std::size_t n_;
  ab::items<K> keys_;
};

template <class K, class... Vs>
void add_sums() {
  for (const std::uint64_t longest : ab::run_lengths) {
    (ab::add<reduce_by_key<K, Vs>>(
         {"reduce_by_key", ab::name_of<K>, ab::name_of<Vs>, ab::name_of_runs(longest)},
         {(1 + ab::runs_per_item(longest)) * (sizeof(K) + sizeof(Vs)), ab::ceiling::copy}, longest),
     ...);
  }
}

template <class... Ks>
void add_lengths() {
  for (const std::uint64_t longest : ab::run_lengths) {
    (ab::add<run_length_encode<Ks>>(
         {"run_length_encode", ab::name_of<Ks>, "I32", ab::name_of_runs(longest)},
         {sizeof(Ks) + ab::runs_per_item(longest) * (sizeof(Ks) + 4), ab::ceiling::copy}, longest),
     ...);
  }
}

template <class K, class V>
void add_untuned() {
  for (const ab::untuned of : ab::untuned_runs) {
    ab::add<reduce_by_key<K, V>>(
        {"reduce_by_key", ab::name_of<K>, ab::name_of<V>, ab::name(of)},
        {(1 + ab::runs_per_item(of)) * (sizeof(K) + sizeof(V)), ab::ceiling::copy}, of);
    ab::add<run_length_encode<K>>(
        {"run_length_encode", ab::name_of<K>, "I32", ab::name(of)},
        {sizeof(K) + ab::runs_per_item(of) * (sizeof(K) + 4), ab::ceiling::copy}, of);
  }
}

const ab::registration registered{[] {
  add_untuned<std::int32_t, std::int32_t>();
  add_untuned<std::int64_t, double>();
  add_sums<std::int32_t, std::int32_t, std::int64_t, float, double, ab::plain_struct<32>,
           ab::plain_struct<64>, ab::plain_struct<128>>();
  add_sums<std::int64_t, std::int32_t, std::int64_t>();
  add_sums<std::int8_t, std::int32_t>();
  add_lengths<std::int8_t, std::int32_t, std::int64_t>();
}};

}  // namespace
