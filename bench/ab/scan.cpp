// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/scan.h>

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
  static constexpr std::size_t most_items = ab::most_items_of<T>;
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

template <kind Kind, class... Ts>
void add_scans(const char* name) {
  (ab::add<scan<Ts, Kind>>({name, ab::name_of<Ts>, "-", "random"},
                           {2 * sizeof(Ts), ab::ceiling::copy}),
   ...);
}

const ab::registration registered{[] {
  add_scans<kind::exclusive, std::int8_t, std::int16_t, std::int32_t, std::int64_t, ab::int128_t,
            std::uint8_t, float, double>("exclusive_scan");
  add_scans<kind::inclusive, std::int8_t, std::int16_t, std::int32_t, std::int64_t, ab::int128_t,
            float, double, ab::plain_struct<32>, ab::plain_struct<64>, ab::plain_struct<128>>(
      "inclusive_scan");
}};

}  // namespace
