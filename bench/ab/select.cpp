// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/partition.h>
#include <hindsight/select.h>

#include <cuda/std/functional>
#include <cuda/std/limits>
#include <thrust/copy.h>
#include <thrust/partition.h>

#include "inputs.h"
#include "sides.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_partition.cuh>
#  include <hindsight/device_select.cuh>

#  include <cub/device/device_partition.cuh>
#  include <cub/device/device_select.cuh>
#endif

namespace {

template <class T>
using number_of = std::decay_t<decltype(ab::number_in(std::declval<T&>()))>;

template <class T>
struct below {
  number_of<T> limit;
  HINDSIGHT_HD bool operator()(const T& item) const { return ab::number_in(item) < limit; }
};

/// Any item but the greatest, so that all are below that.
template <class T>
struct not_greatest {
  ab::uniform<T> any{};
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    T item = any(i);
    auto& number = ab::number_in(item);
    if (number == ::cuda::std::numeric_limits<number_of<T>>::max()) number = 0;
    return item;
  }
};

/// Keeps a share of uniform items.
template <class T>
below<T> keep(double share) {
  using number = number_of<T>;
  if constexpr (std::is_floating_point_v<number>) {
    return {number(share)};
  } else {
    using limits = ::cuda::std::numeric_limits<number>;
    using wide = long double;
    const wide least = wide(limits::min()), greatest = wide(limits::max());
    // At a share of 1 a 128-bit maximum would be rounded up beyond its type.
    return {share == 1 ? limits::max() : number(least + (greatest - least) * share)};
  }
}

template <class T>
class copy_if : public ab::input {
 public:
  static constexpr std::size_t most_items = ab::most_items_of<T>;
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceSelect, hindsight::DeviceSelect);

  copy_if(std::size_t n, double share) : n_{n}, in_{n, not_greatest<T>{}}, keep_{keep<T>(share)} {}

  void add_results(ab::results& out) const {
    out.add<T>("items", n_);
    out.add_scalar<std::int64_t>("count");
  }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.If(temp, bytes, in_.get(), out.as<T>(0), out.as<std::int64_t>(1), n_, keep_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* first = in_.get();
    const T* end = thrust::copy_if(policy, first, first + n_, out.as<T>(0), keep_);
    *out.as<std::int64_t>(1) = end - out.as<T>(0);
  }

 private:
  std::size_t n_;
  ab::items<T> in_;
  below<T> keep_;
};

/// A flag that is set for a share of all items.
struct is_kept {
  double share;
  ab::random_words words{};
  HINDSIGHT_HD std::uint8_t operator()(std::uint64_t i) const {
    return double(words(i) >> 11) < share * double(std::uint64_t{1} << 53) ? 1 : 0;
  }
};

/// The items whose flag is set.
template <class T>
class copy_flagged : public ab::input {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceSelect, hindsight::DeviceSelect);
  using flag = std::uint8_t;

  copy_flagged(std::size_t n, double share)
      : n_{n}, in_{n, ab::uniform<T>{}}, flags_{n, is_kept{share}} {}

  void add_results(ab::results& out) const {
    out.add<T>("items", n_);
    out.add_scalar<std::int64_t>("count");
  }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.Flagged(temp, bytes, in_.get(), flags_.get(), out.as<T>(0),
                          out.as<std::int64_t>(1), n_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* first = in_.get();
    const T* end = thrust::copy_if(policy, first, first + n_, flags_.get(), out.as<T>(0),
                                   ::cuda::std::identity{});
    *out.as<std::int64_t>(1) = end - out.as<T>(0);
  }

 private:
  std::size_t n_;
  ab::items<T> in_;
  ab::items<flag> flags_;
};

/// Of a Device* call the selected items and, from the end, the others; of a whole call two arrays.
template <class T>
class partition : public ab::input {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DevicePartition, hindsight::DevicePartition);

  partition(std::size_t n, double share)
      : n_{n}, in_{n, not_greatest<T>{}}, keep_{keep<T>(share)} {}

  void add_results(ab::results& out) const {
    out.add<T>("items", n_);
    out.add_scalar<std::int64_t>("count");
    if (out.measured == ab::mode::whole_call) out.add<T>("others", n_);
  }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.If(temp, bytes, in_.get(), out.as<T>(0), out.as<std::int64_t>(1), n_, keep_);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* first = in_.get();
    const auto ends =
        thrust::partition_copy(policy, first, first + n_, out.as<T>(0), out.as<T>(2), keep_);
    *out.as<std::int64_t>(1) = ends.first - out.as<T>(0);
  }

 private:
  std::size_t n_;
  ab::items<T> in_;
  below<T> keep_;
};

constexpr std::pair<double, const char*> shares[] = {
    {1.0, "keep 1"}, {0.544, "keep 0.544"}, {0.0, "keep 0"}};

template <class... Ts>
void add_selections() {
  for (const auto& [share, distribution] : shares) {
    (ab::add<copy_if<Ts>>({"copy_if", ab::name_of<Ts>, "-", distribution},
                          {sizeof(Ts) * (1 + share), ab::ceiling::copy}, share),
     ...);
  }
}

template <class... Ts>
void add_partitions() {
  for (const auto& [share, distribution] : shares) {
    (ab::add<partition<Ts>>({"partition", ab::name_of<Ts>, "-", distribution},
                            {2 * sizeof(Ts), ab::ceiling::copy}, share),
     ...);
  }
}

template <class... Ts>
void add_flagged() {
  for (const auto& [share, distribution] : shares) {
    (ab::add<copy_flagged<Ts>>({"copy_flagged", ab::name_of<Ts>, "U8", distribution},
                               {sizeof(Ts) * (1 + share) + 1, ab::ceiling::copy}, share),
     ...);
  }
}

const ab::registration registered{[] {
  add_selections<std::int8_t, std::int16_t, std::int32_t, std::int64_t, ab::int128_t, float, double,
                 ab::plain_struct<32>, ab::plain_struct<64>, ab::plain_struct<128>>();
  add_partitions<std::int8_t, std::int16_t, std::int32_t, std::int64_t, ab::int128_t, float,
                 double>();
  add_flagged<std::int32_t, std::int64_t>();
}};

}  // namespace
