// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alone: it specializes a template of a library
// One body, compiled against cub:: and against hindsight::. Same calls, same bits, for items with a
// copy constructor of their own, as the complex numbers of CuPy have.
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_reduce.cuh>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/functional>
#include <cuda/std/limits>
#include <thrust/functional.h>

#include "facade_testing.h"
#include <type_traits>

namespace facade_test {

/// A number that a constructor copies.
struct copied {
  u32 number;
  HINDSIGHT_HD copied(u32 value = 0) : number{value} {}
  HINDSIGHT_HD copied(const copied& other) : number{other.number} {}
  HINDSIGHT_HD copied& operator=(const copied& other) {
    number = other.number;
    return *this;
  }
  HINDSIGHT_HD friend copied operator+(const copied& a, const copied& b) {
    return a.number + b.number;
  }
  HINDSIGHT_HD friend bool operator<(const copied& a, const copied& b) {
    return a.number < b.number;
  }
  HINDSIGHT_HD friend bool operator>(const copied& a, const copied& b) { return b < a; }
  HINDSIGHT_HD friend bool operator==(const copied& a, const copied& b) {
    return a.number == b.number;
  }
  HINDSIGHT_HD friend bool operator!=(const copied& a, const copied& b) { return !(a == b); }
};
static_assert(!std::is_trivially_copyable_v<copied>);

}  // namespace facade_test

template <>
class cuda::std::numeric_limits<facade_test::copied> {
 public:
  static constexpr bool is_specialized = true;
  HINDSIGHT_HD static facade_test::copied max() { return ~0u; }
  HINDSIGHT_HD static facade_test::copied lowest() { return 0u; }
};

namespace facade_test {

struct stock {
  using Sort = cub::DeviceMergeSort;
  using Reduce = cub::DeviceReduce;
  using Scan = cub::DeviceScan;
  using Segments = cub::DeviceSegmentedReduce;
};
struct ours {
  using Sort = hindsight::DeviceMergeSort;
  using Reduce = hindsight::DeviceReduce;
  using Scan = hindsight::DeviceScan;
  using Segments = hindsight::DeviceSegmentedReduce;
};

copied* as_copied(const device_array<u32>& array) {
  return reinterpret_cast<copied*>(array.data());
}

template <class Api>
results folds(int n) {
  buffers b(n);
  using Reduce = typename Api::Reduce;
  using Scan = typename Api::Scan;
  const cudaStream_t stream = cudaStreamPerThread;
  const auto in = as_copied(b.in), out = as_copied(b.out);
  const auto keys = b.runs_in.data();
  const thrust::plus<> plus{};
  const copied nine{9};
  b.run([&](void* t, std::size_t& s) { return Reduce::Sum(t, s, in, out, n); });
  b.run([&](void* t, std::size_t& s) { return Reduce::Reduce(t, s, in, out, n, plus, nine); });
  b.run([&](void* t, std::size_t& s) {
    return Reduce::ReduceByKey(t, s, keys, b.out2.data(), in, out, b.count.data(), plus, n);
  });
  b.run([&](void* t, std::size_t& s) { return Scan::InclusiveSum(t, s, in, out, n); });
  b.run([&](void* t, std::size_t& s) { return Scan::ExclusiveSum(t, s, in, out, n, stream); });
  b.run([&](void* t, std::size_t& s) {
    return Scan::InclusiveScan(t, s, in, out, ::cuda::maximum<>{}, n);
  });
  b.run([&](void* t, std::size_t& s) {
    return Scan::InclusiveScanInit(t, s, in, out, plus, nine, n, stream);
  });
  b.run([&](void* t, std::size_t& s) { return Scan::ExclusiveScan(t, s, in, out, plus, nine, n); });
  const cub::FutureValue<copied> first(in);
  b.run(
      [&](void* t, std::size_t& s) { return Scan::ExclusiveScan(t, s, in, out, plus, first, n); });
  b.run([&](void* t, std::size_t& s) { return Scan::InclusiveSumByKey(t, s, keys, in, out, n); });
  b.run([&](void* t, std::size_t& s) { return Scan::ExclusiveSumByKey(t, s, keys, in, out, n); });
  b.run([&](void* t, std::size_t& s) {
    return Scan::ExclusiveScanByKey(t, s, keys, in, out, plus, nine, n, thrust::equal_to<>{},
                                    stream);
  });
  b.run([&](void* t, std::size_t& s) { return Scan::InclusiveSum(t, s, in, n); });
  b.written.push_back(b.in.to_host());
  return b.written;
}

template <class Api>
results folds_of_segments(int n) {
  buffers b(n);
  using Segments = typename Api::Segments;
  const int num_segments = 3;
  const device_array<int> offsets(std::vector<int>{0, n / 3, n / 3, n});
  const int* const begins = offsets.data();
  const auto in = as_copied(b.in), out = as_copied(b.out);
  const auto pairs = reinterpret_cast<cub::KeyValuePair<int, copied>*>(b.out.data());
  b.run([&](void* t, std::size_t& s) {
    return Segments::Sum(t, s, in, out, num_segments, begins, begins + 1);
  });
  b.run([&](void* t, std::size_t& s) {
    return Segments::Reduce(t, s, in, out, num_segments, begins, begins + 1, thrust::plus<>{},
                            copied{9}, cudaStreamPerThread);
  });
  b.run([&](void* t, std::size_t& s) {
    return Segments::Min(t, s, in, out, num_segments, begins, begins + 1);
  });
  b.run([&](void* t, std::size_t& s) {
    return Segments::ArgMin(t, s, in, pairs, num_segments, begins, begins + 1);
  });
  b.run([&](void* t, std::size_t& s) {
    return Segments::ArgMax(t, s, in, pairs, num_segments, begins, begins + 1);
  });
  return b.written;
}

template <class Api>
results sorts(int n) {
  buffers b(n);
  using Sort = typename Api::Sort;
  const thrust::less<> less{};
  const auto in = as_copied(b.in), runs_in = as_copied(b.runs_in), out = as_copied(b.out);
  b.run([&](void* t, std::size_t& s) { return Sort::SortKeysCopy(t, s, in, out, n, less); });
  b.run([&](void* t, std::size_t& s) {
    return Sort::SortPairsCopy(t, s, runs_in, b.in.data(), out, b.out2.data(), n, less);
  });
  b.run([&](void* t, std::size_t& s) { return Sort::SortPairs(t, s, runs_in, in, n, less); });
  b.run([&](void* t, std::size_t& s) { return Sort::StableSortKeys(t, s, in, n, less); });
  b.written.push_back(b.in.to_host());
  b.written.push_back(b.runs_in.to_host());
  return b.written;
}

BOOST_AUTO_TEST_CASE(copied_items_as_cub) {
  for (const int n : {1, 1000, 300007}) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(folds<ours>(n), folds<stock>(n));
      expect_same(folds_of_segments<ours>(n), folds_of_segments<stock>(n));
      expect_same(sorts<ours>(n), sorts<stock>(n));
    }
  }
}

// The calls that take no temporary memory hand it to CUB's two phases, and segments of one size
// are CUB's segments with offsets.
BOOST_AUTO_TEST_CASE(single_calls_of_copied_items) {
  const int n = 1000;
  const device_array<u32> in(std::vector<u32>(n, 2)), out(n);
  using Scan = hindsight::DeviceScan;
  BOOST_TEST_REQUIRE(Scan::InclusiveSum(as_copied(in), as_copied(out), n) == cudaSuccess);
  BOOST_TEST(out.to_host().back() == 2u * n);
  using Segments = hindsight::DeviceSegmentedReduce;
  BOOST_TEST_REQUIRE(Segments::Sum(as_copied(in), as_copied(out), n / 8, 8) == cudaSuccess);
  BOOST_TEST(out.to_host()[n / 8 - 1] == 16u);
  std::size_t bytes = 0;
  BOOST_TEST(Scan::InclusiveSum(nullptr, bytes, as_copied(in), as_copied(out), -1) ==
             cudaErrorInvalidValue);
}

}  // namespace facade_test
