// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicates and functions that change something, as those of programs do that insert an item into
// a set and keep it if it was not there: each is called once for each item, as stock calls it.
#include <hindsight/device_partition.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/hindsight.h>

#include <thrust/count.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/transform_reduce.h>

#include "calls_testing.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using namespace emulation;
using std::size_t;
using u32 = std::uint32_t;

constexpr size_t sizes[] = {1, 2, 33, 1000, 5003, 30'011};

/// Claims item i: says whether nobody has claimed it before.
struct claim {
  u32* claims;
  template <class T>
  bool operator()(T item) const {
    return claims[static_cast<u32>(item)]++ == 0;
  }
};
/// The same, but of two items it selects one.
struct claim_odd {
  u32* claims;
  template <class T>
  bool operator()(T item) const {
    return claims[static_cast<u32>(item)]++ == 0 && static_cast<u32>(item) % 2 != 0;
  }
};
struct claimed_value {
  u32* claims;
  u32 operator()(u32 item) const { return claims[item]++ == 0 ? item : 0; }
};

/// `run(claims, in, out, n)` over the items 0 to n - 1 calls a function that claims.
template <class T = u32, class Run>
void claims_each_once(const char* name, Run run) {
  for (const size_t n : sizes) {
    if (n > std::numeric_limits<T>::max()) continue;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      reset_device(seed);
      hindsight::release_memory();
      std::vector<T> items(n);
      std::iota(items.begin(), items.end(), T{0});
      const device_array<u32> claims{std::vector<u32>(n, 0)};
      const device_array<T> in{items}, out{std::vector<T>(n + 1, T(77))};
      run(claims.data(), in.data(), out.data(), n);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(failed_launch(), "");
      EXPECT_EQ(difference(claims.to_host(), std::vector<u32>(n, 1)), "")
          << name << ": calls for each of " << n << " items, seed " << seed;
    }
  }
}

TEST(PredicateCalls, Selections) {
  claims_each_once("copy_if", [](u32* claims, u32* in, u32* out, size_t n) {
    EXPECT_EQ(thrust::copy_if(hindsight::par, in, in + n, out, claim{claims}), out + n);
  });
  claims_each_once("copy_if, counting", [](u32* claims, u32*, u32* out, size_t n) {
    const thrust::counting_iterator<u32> first{0};
    EXPECT_EQ(thrust::copy_if(hindsight::par, first, first + n, out, claim{claims}), out + n);
  });
  claims_each_once("copy_if, stencil", [](u32* claims, u32* in, u32* out, size_t n) {
    EXPECT_EQ(thrust::copy_if(hindsight::par, in, in + n, in, out, claim{claims}), out + n);
  });
  claims_each_once("remove_if", [](u32* claims, u32* in, u32*, size_t n) {
    EXPECT_EQ(thrust::remove_if(hindsight::par, in, in + n, claim{claims}), in);
  });
  claims_each_once<std::uint16_t>(
      "copy_if, shorts", [](u32* claims, std::uint16_t* in, std::uint16_t* out, size_t n) {
        EXPECT_EQ(thrust::copy_if(hindsight::par, in, in + n, out, claim{claims}), out + n);
      });
}

// An iterator may compute its items by such a function.
TEST(PredicateCalls, ComputedItems) {
  const auto is_set = [](u32 item) { return item != 0; };
  claims_each_once("copy_if, computed items", [=](u32* claims, u32* in, u32* out, size_t n) {
    const auto first = thrust::make_transform_iterator(in, claimed_value{claims});
    EXPECT_EQ(thrust::copy_if(hindsight::par, first, first + n, out, is_set), out + n - 1);
  });
  claims_each_once("copy_if, computed stencil", [=](u32* claims, u32* in, u32* out, size_t n) {
    const auto stencil = thrust::make_transform_iterator(in, claimed_value{claims});
    EXPECT_EQ(thrust::copy_if(hindsight::par, in, in + n, stencil, out, is_set), out + n - 1);
  });
  claims_each_once("partition, computed stencil", [=](u32* claims, u32* in, u32*, size_t n) {
    const auto stencil =
        thrust::make_transform_iterator(thrust::make_counting_iterator(0u), claimed_value{claims});
    EXPECT_EQ(thrust::partition(hindsight::par, in, in + n, stencil, is_set), in + n - 1);
  });
  claims_each_once("none_of, computed items", [=](u32* claims, u32* in, u32*, size_t n) {
    const auto first = thrust::make_transform_iterator(in, claimed_value{claims});
    EXPECT_TRUE(thrust::none_of(hindsight::par, first, first + n, [](u32) { return false; }));
  });
}

/// The library's own predicate of flags.
TEST(PredicateCalls, Flags) {
  for (const size_t n : sizes) {
    reset_device(n);
    const device_array<u32> in{numbers<u32>(n)}, out{n}, count{1};
    const device_array<char> flags{std::vector<char>(n, 1)};
    size_t bytes = 0;
    const auto call = [&](void* temp) {
      return hindsight::DeviceSelect::Flagged(temp, bytes, in.data(), flags.data(), out.data(),
                                              count.data(), static_cast<int>(n));
    };
    EXPECT_EQ(call(nullptr), cudaSuccess);
    const device_array<unsigned char> temp{bytes};
    EXPECT_EQ(call(temp.data()), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(failed_launch(), "");
    EXPECT_EQ(count.to_host()[0], n);
    EXPECT_EQ(difference(out.to_host(), in.to_host()), "");
  }
}

TEST(PredicateCalls, Partitions) {
  claims_each_once("partition", [](u32* claims, u32* in, u32*, size_t n) {
    EXPECT_EQ(thrust::partition(hindsight::par, in, in + n, claim_odd{claims}), in + n / 2);
  });
  claims_each_once("stable_partition", [](u32* claims, u32* in, u32*, size_t n) {
    EXPECT_EQ(thrust::stable_partition(hindsight::par, in, in + n, claim_odd{claims}), in + n / 2);
  });
  claims_each_once("DevicePartition::If, three ways", [](u32* claims, u32* in, u32* out, size_t n) {
    const device_array<u32> third{n}, count{2};
    size_t bytes = 0;
    const auto call = [&](void* temp) {
      return hindsight::DevicePartition::If(temp, bytes, in, out, third.data(), third.data(),
                                            count.data(), static_cast<int>(n), claim{claims},
                                            [](u32&) { return false; });
    };
    EXPECT_EQ(call(nullptr), cudaSuccess);
    const device_array<unsigned char> temp{bytes};
    EXPECT_EQ(call(temp.data()), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(count.to_host()[0], n);
  });
}

TEST(PredicateCalls, Sums) {
  claims_each_once("count_if", [](u32* claims, u32* in, u32*, size_t n) {
    EXPECT_EQ(size_t(thrust::count_if(hindsight::par, in, in + n, claim{claims})), n);
  });
  claims_each_once("transform_reduce", [](u32* claims, u32* in, u32*, size_t n) {
    EXPECT_EQ(thrust::transform_reduce(hindsight::par, in, in + n, claimed_value{claims}, 0u,
                                       thrust::plus<u32>{}),
              u32(n * (n - 1) / 2));
  });
  claims_each_once("all_of", [](u32* claims, u32* in, u32*, size_t n) {
    EXPECT_TRUE(thrust::all_of(hindsight::par, in, in + n, claim{claims}));
  });
}

}  // namespace
