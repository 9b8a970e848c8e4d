// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/reduce.h>

#include <thrust/reduce.h>

#include "inputs.h"
#include "sides.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_reduce.cuh>

#  include <cub/device/device_reduce.cuh>
#endif

namespace {

template <class T>
class reduce : public ab::input {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceReduce, hindsight::DeviceReduce);

  explicit reduce(std::size_t n) : n_{n}, in_{n, ab::small_numbers<T>{}} {}

  void add_results(ab::results& out) const { out.add_scalar<T>("sum"); }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.Sum(temp, bytes, in_.get(), out.as<T>(0), n_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    *out.as<T>(0) = thrust::reduce(policy, in_.get(), in_.get() + n_);
  }

 private:
  std::size_t n_;
  ab::items<T> in_;
};

template <class... Ts>
void add_all() {
  (ab::add<reduce<Ts>>({"reduce", ab::name_of<Ts>, "-", "random"}, {sizeof(Ts), ab::ceiling::read}),
   ...);
}

const ab::registration registered{[] {
  add_all<std::int8_t, std::int16_t, std::int32_t, std::int64_t, ab::int128_t, std::uint8_t, float,
          double>();
}};

}  // namespace
