// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initial values in device memory, which kernels write before the scan reads them: the same as in
// CUB where CUB takes them.
#include <hindsight/device_scan.cuh>

#include <cub/device/device_scan.cuh>
#if __has_include(<cuda/argument>)  // CCCL 3.6
#  include <cuda/argument>
#endif
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "gpu_testing.h"
#include <gtest/gtest.h>

namespace hindsight_test {

__global__ void store_late(int* to, int value) {
  const long long begin = clock64();
  while (clock64() - begin < 1'000'000) {
  }
  *to = value;
}

struct negate {
  HINDSIGHT_HD long operator()(int x) const { return -x; }
};

TEST(FutureValue, StartsAnExclusiveScan) {
  for (const std::size_t n : {1u, 1000u, 300007u, 10000019u}) {
    SCOPED_TRACE(n);
    const device_array<int> in(random_items<int>(n)), ours(n), cubs(n), init(1);
    const cub::FutureValue<int> future{init.data()};
    store_late<<<1, 1>>>(init.data(), 12345);
    in_two_phases([&](void* temp, std::size_t& bytes) {
      return hindsight::DeviceScan::ExclusiveScan(temp, bytes, in.data(), ours.data(),
                                                  ::cuda::std::plus<>{}, future, n);
    });
    in_two_phases([&](void* temp, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveScan(temp, bytes, in.data(), cubs.data(),
                                            ::cuda::std::plus<>{}, future, n);
    });
    EXPECT_EQ(difference(ours.to_host(), cubs.to_host()), "");
    EXPECT_EQ(ours.to_host(1)[0], 12345);

    in_two_phases([&](void* temp, std::size_t& bytes) {  // in place
      return hindsight::DeviceScan::ExclusiveScan(temp, bytes, in.data(), ::cuda::std::plus<>{},
                                                  future, n);
    });
    EXPECT_EQ(difference(in.to_host(), cubs.to_host()), "");
  }
}

/// CUB's template parameters in front. The host cannot read what a future value converts to.
TEST(FutureValue, OfCallsThatNameTemplateArguments) {
  constexpr std::size_t n = 1000;
  const device_array<int> in(random_items<int>(n)), ours(n), cubs(n), init(1);
  using plus = ::cuda::std::plus<>;
  const cub::FutureValue<int> future{init.data()};
  const auto check = [&] {
    EXPECT_EQ(difference(ours.to_host(), cubs.to_host()), "");
    EXPECT_EQ(ours.to_host(1)[0], 12345);
  };
  store_late<<<1, 1>>>(init.data(), 12345);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan<int*, int*, plus, int>(
        temp, bytes, in.data(), cubs.data(), plus{}, future, int(n));
  });
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceScan::ExclusiveScan<int*, int*, plus, int>(
        temp, bytes, in.data(), ours.data(), plus{}, future, int(n));
  });
  check();
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceScan::ExclusiveScan<int*, int*, plus, int, int*, std::size_t>(
        temp, bytes, in.data(), ours.data(), plus{}, future, n);
  });
  check();
  EXPECT_EQ((hindsight::DeviceScan::ExclusiveScan<int*, int*, plus, int, int*, std::size_t>(
                in.data(), ours.data(), plus{}, future, n)),
            cudaSuccess);
  check();
  EXPECT_EQ((hindsight::DeviceScan::ExclusiveScan<int*, int*, plus, int>(in.data(), ours.data(),
                                                                         plus{}, future, int(n))),
            cudaSuccess);
  check();
  const auto items = in.to_host();
  in_two_phases([&](void* temp, std::size_t& bytes) {  // in place
    return hindsight::DeviceScan::ExclusiveScan<int*, plus, int>(temp, bytes, in.data(), plus{},
                                                                 future, int(n));
  });
  EXPECT_EQ(difference(in.to_host(), cubs.to_host()), "");
  const device_array<int> again(items);
  EXPECT_EQ((hindsight::DeviceScan::ExclusiveScan<int*, plus, int, int*, int>(again.data(), plus{},
                                                                              future, int(n))),
            cudaSuccess);
  EXPECT_EQ(difference(again.to_host(), cubs.to_host()), "");
}

TEST(FutureValue, OfAnotherTypeAndByIterator) {
  constexpr std::size_t n = 300007;
  const auto items = random_items<int>(n);
  const device_array<int> in(items), init(1);
  const device_array<long> out(n);
  store_late<<<1, 1>>>(init.data(), 77);
  const auto negated = thrust::make_transform_iterator(init.data(), negate{});
  const cub::FutureValue<long, decltype(negated)> future{negated};
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceScan::ExclusiveScan(temp, bytes, in.data(), out.data(),
                                                ::cuda::std::plus<>{}, future, n);
  });
  std::vector<long> expected(n);
  long sum = -77;
  for (std::size_t i = 0; i < n; ++i) {
    expected[i] = sum;
    sum += items[i];
  }
  EXPECT_EQ(difference(out.to_host(), expected), "");
}

TEST(FutureValue, StartsInclusiveScansAndScansByKey) {
  constexpr std::size_t n = 300007;
  const auto items = random_items<int>(n);
  const device_array<int> in(items), init(1), out(n), by_key(n);
  const cub::FutureValue<int> future{init.data()};
  store_late<<<1, 1>>>(init.data(), -5);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceScan::InclusiveScanInit(temp, bytes, in.data(), out.data(),
                                                    ::cuda::std::plus<>{}, future, n);
  });
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceScan::ExclusiveScanByKey(temp, bytes, thrust::constant_iterator<int>(1),
                                                     in.data(), by_key.data(),
                                                     ::cuda::std::plus<>{}, future, n);
  });
  std::vector<int> inclusive(n), exclusive(n);
  unsigned sum = unsigned(-5);
  for (std::size_t i = 0; i < n; ++i) {
    exclusive[i] = int(sum);
    inclusive[i] = int(sum += unsigned(items[i]));
  }
  EXPECT_EQ(difference(out.to_host(), inclusive), "");
  EXPECT_EQ(difference(by_key.to_host(), exclusive), "");
}

#if __has_include(<cuda/argument>)
TEST(FutureValue, ThatCcclNamesDeferred) {
  constexpr std::size_t n = 300007;
  const device_array<int> in(random_items<int>(n)), ours(n), cubs(n), init(1);
  const ::cuda::args::deferred future{static_cast<const int*>(init.data())};
  const auto most = ::cuda::maximum<>{};
  store_late<<<1, 1>>>(init.data(), 1 << 30);
  in_two_phases([&](void* temp, std::size_t& bytes) {
    return hindsight::DeviceScan::InclusiveScanInit(temp, bytes, in.data(), ours.data(), most,
                                                    future, n);
  });
  check(cub::DeviceScan::InclusiveScanInit(in.data(), cubs.data(), most, future, n));
  check(cudaDeviceSynchronize());
  EXPECT_EQ(difference(ours.to_host(), cubs.to_host()), "");
  check(hindsight::DeviceScan::InclusiveScanInit(in.data(), ours.data(), most, future, n));
  check(cudaDeviceSynchronize());
  EXPECT_EQ(difference(ours.to_host(), cubs.to_host()), "");
}
#endif

}  // namespace hindsight_test
