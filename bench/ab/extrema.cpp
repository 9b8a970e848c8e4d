// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/extrema.h>

#include <thrust/extrema.h>

#include "inputs.h"
#include "sides.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_reduce.cuh>

#  include <cub/device/device_reduce.cuh>
#endif

namespace {

/// The place of the first least item. A Device* call writes the item, too.
template <class T>
class min_element : public ab::input {
 public:
  static constexpr std::size_t most_items = ab::most_items_of<T>;
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceReduce, hindsight::DeviceReduce);

  explicit min_element(std::size_t n) : n_{n}, in_{n, ab::uniform<T>{}} {}

  void add_results(ab::results& out) const {
    out.add_scalar<std::int64_t>("place");
    if (out.measured == ab::mode::kernel) out.add_scalar<T>("item");
  }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.ArgMin(temp, bytes, in_.get(), out.as<T>(1), out.as<std::int64_t>(0),
                         std::int64_t(n_));
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* const first = in_.get();
    *out.as<std::int64_t>(0) = thrust::min_element(policy, first, first + n_) - first;
  }

 private:
  std::size_t n_;
  ab::items<T> in_;
};

template <class... Ts>
void add_all() {
  (ab::add<min_element<Ts>>({"min_element", ab::name_of<Ts>, "-", "random"},
                            {sizeof(Ts), ab::ceiling::read}),
   ...);
}

const ab::registration registered{[] {
  add_all<std::int32_t, float, ab::plain_struct<32>, ab::plain_struct<64>, ab::plain_struct<128>>();
}};

}  // namespace
