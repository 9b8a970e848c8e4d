// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that end where mapped memory ends, outputs that begin where it begins or end where it
// ends, at every alignment: a kernel that touches an address beyond them stops with an error.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "driver_testing.h"
#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>

namespace hindsight_test {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
const auto& par = hindsight::cuda::par;

/// Device memory between addresses that nothing is mapped to.
class island {
 public:
  explicit island(std::size_t least_bytes) {
    check(cudaFree(nullptr));
    CUmemAllocationProp what{};
    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check(cudaGetDevice(&what.location.id));
    std::size_t unit = 0;
    check(HINDSIGHT_DRIVER(cuMemGetAllocationGranularity)(&unit, &what,
                                                          CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    bytes_ = (least_bytes + unit - 1) / unit * unit;
    sea_bytes_ = bytes_ + 2 * unit;
    check(HINDSIGHT_DRIVER(cuMemAddressReserve)(&sea_, sea_bytes_, 0, 0, 0));
    first_ = sea_ + unit;
    check(HINDSIGHT_DRIVER(cuMemCreate)(&memory_, bytes_, &what, 0));
    check(HINDSIGHT_DRIVER(cuMemMap)(first_, bytes_, 0, memory_, 0));
    CUmemAccessDesc access{};
    access.location = what.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check(HINDSIGHT_DRIVER(cuMemSetAccess)(first_, bytes_, &access, 1));
  }
  island(const island&) = delete;
  island& operator=(const island&) = delete;
  ~island() {
    cudaDeviceSynchronize();
    HINDSIGHT_DRIVER(cuMemUnmap)(first_, bytes_);
    HINDSIGHT_DRIVER(cuMemRelease)(memory_);
    HINDSIGHT_DRIVER(cuMemAddressFree)(sea_, sea_bytes_);
  }

  /// The last [n] items, or the first ones behind the first `shift`.
  template <class T>
  T* last(std::size_t n) const {
    return reinterpret_cast<T*>(first_ + bytes_) - n;
  }
  template <class T>
  T* first(std::size_t shift) const {
    return reinterpret_cast<T*>(first_) + shift;
  }
  template <class T>
  T* last(const std::vector<T>& items) const {
    T* const to = last<T>(items.size());
    check(cudaMemcpy(to, items.data(), items.size() * sizeof(T), cudaMemcpyDefault));
    return to;
  }

 private:
  CUdeviceptr sea_ = 0, first_ = 0;
  std::size_t bytes_ = 0, sea_bytes_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
};

template <class T>
std::vector<T> to_host(const T* items, std::size_t n) {
  std::vector<T> copy(n);
  check(cudaMemcpy(copy.data(), items, n * sizeof(T), cudaMemcpyDefault));
  return copy;
}

/// One item; less than a tile, one that all but ends in a tile, several, with every remainder by 16
/// bytes; and as many tiles as a pipeline needs.
template <class T>
std::vector<std::size_t> some_sizes(std::size_t most) {
  std::vector<std::size_t> sizes{1, 2, 4095, 4097, most};
  for (std::size_t r = 0; r < 16 / sizeof(T); ++r) sizes.push_back(50'000 + 977 * r);
  return sizes;
}

/// Calls work(n, shift) for every size and for outputs at every alignment.
template <class T, class Work>
void at_every_edge(std::size_t most, Work work) {
  for (const std::size_t n : some_sizes<T>(most)) {
    for (std::size_t shift = 0; shift < (n == most ? 2 : 16 / sizeof(T)); ++shift) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", output + " + std::to_string(shift));
      work(n, shift);
      if (testing::Test::HasFailure()) return;
    }
  }
}

template <class T>
class Edges : public testing::Test {};
using of_all_sizes = testing::Types<u8, u32, u64>;
TYPED_TEST_SUITE(Edges, of_all_sizes);

TYPED_TEST(Edges, ScansAndSelections) {
  using T = TypeParam;
  const std::size_t most = 16'000'000 / sizeof(T) * 4;
  const island here((most + 16) * sizeof(T)), there((most + 16) * sizeof(T));
  const auto all = random_items<T>(most);
  at_every_edge<T>(most, [&](std::size_t n, std::size_t shift) {
    const std::vector<T> items(all.begin(), all.begin() + std::ptrdiff_t(n));
    std::vector<T> sums(n), odd;
    std::partial_sum(items.begin(), items.end(), sums.begin(), [](T a, T b) { return T(a + b); });
    std::copy_if(items.begin(), items.end(), std::back_inserter(odd), is_odd_number{});
    const T* const in = here.last(items);
    for (T* const out : {there.first<T>(shift), there.last<T>(n)}) {
      thrust::inclusive_scan(par, in, in + n, out);
      ASSERT_EQ(difference(to_host(out, n), sums), "");
    }
    for (T* const out : {there.first<T>(shift), there.last<T>(odd.size())}) {
      ASSERT_EQ(thrust::copy_if(par, in, in + n, out, is_odd_number{}) - out,
                std::ptrdiff_t(odd.size()));
      ASSERT_EQ(difference(to_host(out, odd.size()), odd), "");
    }
  });
}

TEST(Edges, CallsByKey) {
  const std::size_t most = 1'000'003;
  const island keys_here((most + 16) * 4), values_here((most + 16) * 4);
  const island keys_there((most + 16) * 4), values_there((most + 16) * 4);
  const auto all = random_items<u32>(most);
  at_every_edge<u32>(most, [&](std::size_t n, std::size_t shift) {
    const std::vector<u32> values(all.begin(), all.begin() + std::ptrdiff_t(n));
    std::vector<u32> keys(n), scanned(values), ends, folds;
    for (std::size_t i = 0; i < n; ++i) keys[i] = i > 0 ? keys[i - 1] + (values[i] % 5 == 0) : 7;
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && keys[i] == keys[i - 1]) {
        folds.back() = scanned[i] += scanned[i - 1];
      } else {
        ends.push_back(keys[i]);
        folds.push_back(values[i]);
      }
    }
    const u32 *const k = keys_here.last(keys), *const v = values_here.last(values);
    u32* const out = values_there.first<u32>(shift);
    thrust::inclusive_scan_by_key(par, k, k + n, v, out);
    ASSERT_EQ(difference(to_host(out, n), scanned), "");
    u32* const keys_out = keys_there.last<u32>(ends.size());
    const auto end = thrust::reduce_by_key(par, k, k + n, v, keys_out, out);
    ASSERT_EQ(end.first - keys_out, std::ptrdiff_t(ends.size()));
    ASSERT_EQ(difference(to_host(keys_out, ends.size()), ends), "");
    ASSERT_EQ(difference(to_host(out, ends.size()), folds), "");
  });
}

}  // namespace
}  // namespace hindsight_test
