// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>

#include <thrust/scan.h>

#include "inputs.h"
#include "sides.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_scan.cuh>

#  include <cub/device/device_scan.cuh>
#endif

namespace {

enum class kind { inclusive, exclusive };

template <class T, kind Kind>
class scan : public ab::input {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceScan, hindsight::DeviceScan);

  explicit scan(std::size_t n) : n_{n}, in_{n, ab::small_numbers<T>{}} {}

  void add_results(ab::results& out) const { out.add<T>("sums", n_); }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    if constexpr (Kind == kind::inclusive) {
      return device.InclusiveSum(temp, bytes, in_.get(), out.as<T>(0), n_);
    } else {
      return device.ExclusiveSum(temp, bytes, in_.get(), out.as<T>(0), n_);
    }
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    if constexpr (Kind == kind::inclusive) {
      thrust::inclusive_scan(policy, in_.get(), in_.get() + n_, out.as<T>(0));
    } else {
      thrust::exclusive_scan(policy, in_.get(), in_.get() + n_, out.as<T>(0));
    }
  }

 private:
  std::size_t n_;
  ab::items<T> in_;
};

template <class V>
class exclusive_scan_by_key : public ab::input {
 public:
  using key = std::int32_t;
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceScan, hindsight::DeviceScan);

  exclusive_scan_by_key(std::size_t n, std::uint64_t longest)
      : n_{n}, keys_{n, ab::runs_up_to<key>{longest}}, values_{n, ab::small_numbers<V>{}} {}
  exclusive_scan_by_key(std::size_t n, ab::untuned of)
      : n_{n}, keys_{n, ab::untuned_keys<key>{of, n}}, values_{n, ab::small_numbers<V>{}} {}

  void add_results(ab::results& out) const { out.add<V>("sums", n_); }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.ExclusiveSumByKey(temp, bytes, keys_.get(), values_.get(), out.as<V>(0), n_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    thrust::exclusive_scan_by_key(policy, keys_.get(), keys_.get() + n_, values_.get(),
                                  out.as<V>(0));
  }

 private:
  std::size_t n_;
  ab::items<key> keys_;
  ab::items<V> values_;
};

template <kind Kind, class... Ts>
void add_scans(const char* name) {
  (ab::add<scan<Ts, Kind>>({name, ab::name_of<Ts>, "-", "random"},
                           {2 * sizeof(Ts), ab::ceiling::copy}),
   ...);
}

template <class... Vs>
void add_scans_by_key() {
  for (const ab::untuned of : ab::untuned_runs) {
    (ab::add<exclusive_scan_by_key<Vs>>(
         {"exclusive_scan_by_key", "I32", ab::name_of<Vs>, ab::name(of)},
         {4 + 2 * sizeof(Vs), ab::ceiling::copy}, of),
     ...);
  }
  for (const std::uint64_t longest : ab::run_lengths) {
    (ab::add<exclusive_scan_by_key<Vs>>(
         {"exclusive_scan_by_key", "I32", ab::name_of<Vs>, ab::name_of_runs(longest)},
         {4 + 2 * sizeof(Vs), ab::ceiling::copy}, longest),
     ...);
  }
}

const ab::registration registered{[] {
  add_scans<kind::exclusive, std::int8_t, std::int16_t, std::int32_t, std::int64_t, ab::int128_t,
            std::uint8_t, float, double>("exclusive_scan");
  add_scans<kind::inclusive, std::int8_t, std::int16_t, std::int32_t, std::int64_t, ab::int128_t,
            float, double>("inclusive_scan");
  add_scans_by_key<std::int32_t, std::int64_t, float>();
}};

}  // namespace
