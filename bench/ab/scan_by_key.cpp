// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

template <class V, kind Kind>
class scan_by_key : public ab::input {
 public:
  static constexpr std::size_t most_items = ab::most_items_of<V>;
  using key = std::int32_t;
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceScan, hindsight::DeviceScan);

  scan_by_key(std::size_t n, std::uint64_t longest)
      : n_{n}, keys_{n, ab::runs_up_to<key>{longest}}, values_{n, ab::small_numbers<V>{}} {}
  scan_by_key(std::size_t n, ab::untuned of)
      : n_{n}, keys_{n, ab::untuned_keys<key>{of, n}}, values_{n, ab::small_numbers<V>{}} {}

  void add_results(ab::results& out) const { out.add<V>("sums", n_); }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    if constexpr (Kind == kind::inclusive) {
      return device.InclusiveSumByKey(temp, bytes, keys_.get(), values_.get(), out.as<V>(0), n_);
    } else {
      return device.ExclusiveSumByKey(temp, bytes, keys_.get(), values_.get(), out.as<V>(0), n_);
    }
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const key *const first = keys_.get(), *const last = first + n_;
    if constexpr (Kind == kind::inclusive) {
      thrust::inclusive_scan_by_key(policy, first, last, values_.get(), out.as<V>(0));
    } else {
      thrust::exclusive_scan_by_key(policy, first, last, values_.get(), out.as<V>(0));
    }
  }

 private:
  std::size_t n_;
  ab::items<key> keys_;
  ab::items<V> values_;
};

template <kind Kind, class... Vs>
void add_untuned(const char* name) {
  for (const ab::untuned of : ab::untuned_runs) {
    (ab::add<scan_by_key<Vs, Kind>>({name, "I32", ab::name_of<Vs>, ab::name(of)},
                                    {4 + 2 * sizeof(Vs), ab::ceiling::copy}, of),
     ...);
  }
}

template <kind Kind, class... Vs>
void add_scans(const char* name) {
  for (const std::uint64_t longest : ab::run_lengths) {
    (ab::add<scan_by_key<Vs, Kind>>({name, "I32", ab::name_of<Vs>, ab::name_of_runs(longest)},
                                    {4 + 2 * sizeof(Vs), ab::ceiling::copy}, longest),
     ...);
  }
}

const ab::registration registered{[] {
  add_untuned<kind::exclusive, std::int32_t, std::int64_t, float>("exclusive_scan_by_key");
  add_scans<kind::exclusive, std::int32_t, std::int64_t, float>("exclusive_scan_by_key");
  add_scans<kind::inclusive, std::int32_t, ab::plain_struct<32>, ab::plain_struct<64>,
            ab::plain_struct<128>>("inclusive_scan_by_key");
}};

}  // namespace
