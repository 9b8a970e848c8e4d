// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One body, compiled against cub:: and against hindsight::. Same calls, same bits.
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/iterator/cache_modified_output_iterator.cuh>
#include <cuda/functional>
#include <thrust/functional.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "facade_testing.h"

namespace facade_test {

struct stock {
  using Reduce = cub::DeviceReduce;
  using Scan = cub::DeviceScan;
  using Select = cub::DeviceSelect;
  using Partition = cub::DevicePartition;
  using Encode = cub::DeviceRunLengthEncode;
  using Sort = cub::DeviceRadixSort;
  using Histogram = cub::DeviceHistogram;
  template <class T>
  using Buffers = cub::DoubleBuffer<T>;
};
struct ours {
  using Reduce = hindsight::DeviceReduce;
  using Scan = hindsight::DeviceScan;
  using Select = hindsight::DeviceSelect;
  using Partition = hindsight::DevicePartition;
  using Encode = hindsight::DeviceRunLengthEncode;
  using Sort = hindsight::DeviceRadixSort;
  using Histogram = hindsight::DeviceHistogram;
  template <class T>
  using Buffers = hindsight::DoubleBuffer<T>;
};

/// The second lowest byte of a sum.
struct second_byte {
  HINDSIGHT_HD unsigned char operator()(u32 sum) const { return sum >> 8 & 255; }
};

/// Sums of bytes through outputs that have no type of their own, or take wider items than they
/// store: they are to see all bits of a sum.
template <class Api>
results whole_sums_of_bytes(int n) {
  buffers b(n);
  using Scan = typename Api::Scan;
  const auto in = reinterpret_cast<const unsigned char*>(b.in.data());
  const auto keys = b.runs_in.data();
  const cub::CacheModifiedOutputIterator<cub::STORE_CG, u32> words(b.out.data());
  const auto bytes = thrust::make_transform_output_iterator(
      reinterpret_cast<unsigned char*>(b.out2.data()), second_byte{});
  const auto run = [&](auto out) {
    b.run([&](void* t, std::size_t& s) { return Scan::InclusiveSum(t, s, in, out, n); });
    b.run([&](void* t, std::size_t& s) { return Scan::ExclusiveSum(t, s, in, out, n); });
    b.run([&](void* t, std::size_t& s) { return Scan::InclusiveSumByKey(t, s, keys, in, out, n); });
    b.run([&](void* t, std::size_t& s) { return Scan::ExclusiveSumByKey(t, s, keys, in, out, n); });
  };
  run(words);
  run(bytes);
  return b.written;
}

template <class Api>
results reduce_and_scan(int n) {
  buffers b(n);
  using Reduce = typename Api::Reduce;
  using Scan = typename Api::Scan;
  const cudaStream_t stream = cudaStreamPerThread;
  const auto in = b.in.data();
  const auto out = b.out.data();
  b.run([&](void* t, std::size_t& s) { return Reduce::Sum(t, s, in, out, n); });
  b.run([&](void* t, std::size_t& s) { return Reduce::Min(t, s, in, out, n, stream); });
  b.run([&](void* t, std::size_t& s) { return Reduce::Max(t, s, in, out, n); });
  const auto few = b.runs_in.data();  // many items are the least, and the greatest
  const auto place = reinterpret_cast<std::int64_t*>(b.out2.data());
  if (n > 1) {
    b.run([&](void* t, std::size_t& s) { return Reduce::ArgMin(t, s, in, out, place, n); });
    b.run(
        [&](void* t, std::size_t& s) { return Reduce::ArgMin(t, s, few, out, place, n, stream); });
    b.run([&](void* t, std::size_t& s) { return Reduce::ArgMax(t, s, few, out, place, n); });
  }
  const auto pair = reinterpret_cast<cub::KeyValuePair<int, u32>*>(b.out.data());
  _CCCL_SUPPRESS_DEPRECATED_PUSH
  for (const int size : {0, n}) {
    b.run([&](void* t, std::size_t& s) { return Reduce::ArgMin(t, s, few, pair, size); });
    b.run([&](void* t, std::size_t& s) { return Reduce::ArgMax(t, s, few, pair, size, stream); });
  }
  _CCCL_SUPPRESS_DEPRECATED_POP
  b.run([&](void* t, std::size_t& s) {
    return Reduce::Reduce(t, s, in, out, n, thrust::bit_xor<>{}, 77u);
  });
  b.run([&](void* t, std::size_t& s) {
    return Reduce::TransformReduce(t, s, in, out, n, thrust::plus<>{}, thrust::negate<>{}, 7u);
  });
  b.run([&](void* t, std::size_t& s) {
    return Reduce::ReduceByKey(t, s, b.runs_in.data(), out, in, b.out2.data(), b.count.data(),
                               thrust::plus<>{}, n, stream);
  });
  const auto keys = b.runs_in.data();
  b.run([&](void* t, std::size_t& s) {
    return Scan::InclusiveSumByKey(t, s, keys, in, out, n, thrust::equal_to<>{}, stream);
  });
  b.run([&](void* t, std::size_t& s) { return Scan::ExclusiveSumByKey(t, s, keys, in, out, n); });
  b.run([&](void* t, std::size_t& s) {
    return Scan::InclusiveScanByKey(t, s, keys, in, out, ::cuda::maximum<>{}, n);
  });
  b.run([&](void* t, std::size_t& s) {
    return Scan::ExclusiveScanByKey(t, s, keys, in, out, thrust::plus<>{}, 9u, n);
  });
  b.run([&](void* t, std::size_t& s) { return Scan::InclusiveSum(t, s, in, out, n); });
  b.run([&](void* t, std::size_t& s) { return Scan::ExclusiveSum(t, s, in, out, n, stream); });
  b.run([&](void* t, std::size_t& s) {
    return Scan::InclusiveScan(t, s, in, out, ::cuda::maximum<>{}, n);
  });
  b.run([&](void* t, std::size_t& s) {
    return Scan::InclusiveScanInit(t, s, in, out, thrust::plus<>{}, 9u, n);
  });
  b.run([&](void* t, std::size_t& s) {
    return Scan::ExclusiveScan(t, s, in, out, thrust::plus<>{}, 9u, n);
  });
  b.run([&](void* t, std::size_t& s) { return Scan::InclusiveSum(t, s, in, n); });
  b.written.push_back(b.in.to_host());
  return b.written;
}

template <class Api>
results select_and_encode(int n) {
  buffers b(n);
  using Select = typename Api::Select;
  using Partition = typename Api::Partition;
  const auto in = b.in.data();
  const auto out = b.out.data();
  const auto flags = b.flags.data();
  const auto count = b.count.data();
  b.run([&](void* t, std::size_t& s) { return Select::If(t, s, in, out, count, n, is_odd{}); });
  b.run([&](void* t, std::size_t& s) { return Select::Flagged(t, s, in, flags, out, count, n); });
  b.run([&](void* t, std::size_t& s) {
    return Select::FlaggedIf(t, s, in, flags, out, count, n, is_odd{});
  });
  b.run([&](void* t, std::size_t& s) { return Partition::If(t, s, in, out, count, n, is_odd{}); });
  b.run(
      [&](void* t, std::size_t& s) { return Partition::Flagged(t, s, in, flags, out, count, n); });
  b.run([&](void* t, std::size_t& s) {
    return Api::Encode::Encode(t, s, b.runs_in.data(), out, b.out2.data(), count, n);
  });
  const auto keys = b.runs_in.data();
  b.run([&](void* t, std::size_t& s) { return Select::Unique(t, s, keys, out, count, n); });
  b.run([&](void* t, std::size_t& s) {
    return Select::UniqueByKey(t, s, keys, in, out, b.out2.data(), count, n);
  });
  b.run([&](void* t, std::size_t& s) {
    return Select::UniqueByKey(t, s, keys, in, out, b.out2.data(), count, n, equal_halves{});
  });
  b.run([&](void* t, std::size_t& s) { return Select::If(t, s, in, count, n, is_odd{}); });
  const auto selected = b.written[b.written.size() - 1][0];
  b.written.push_back(b.in.to_host(selected));
  return b.written;
}

template <class Api>
results sort_and_count(int n) {
  buffers b(n);
  using Sort = typename Api::Sort;
  using Histogram = typename Api::Histogram;
  const u32* const in = b.in.data();
  const u32* const in2 = b.runs_in.data();
  u32* const out = b.out.data();
  u32* const out2 = b.out2.data();
  b.run([&](void* t, std::size_t& s) { return Sort::SortKeys(t, s, in, out, n); });
  b.run([&](void* t, std::size_t& s) { return Sort::SortKeysDescending(t, s, in, out, n, 3, 21); });
  b.run([&](void* t, std::size_t& s) {
    return Sort::SortPairs(t, s, in, out, in2, out2, n, 0, 32, cudaStreamPerThread);
  });
  b.run([&](void* t, std::size_t& s) {
    return Sort::SortPairsDescending(t, s, in2, out, in, out2, n);
  });
  const cub::NullType* const no_values = nullptr;
  const auto nowhere = const_cast<cub::NullType*>(no_values);
  b.run([&](void* t, std::size_t& s) {
    return Sort::SortPairs(t, s, in, out, no_values, nowhere, n);
  });
  b.run([&](void* t, std::size_t& s) {
    return Histogram::HistogramEven(t, s, in, out, 513, 0u, 1u << 31, n);
  });
  const device_array<u32> levels(std::vector<u32>{5, 1000, 1000, 70000000, 3000000000u});
  b.run([&](void* t, std::size_t& s) {
    return Histogram::HistogramRange(t, s, in, out, 5, levels.data(), n);
  });

  const device_array<u32> more(n);
  typename Api::template Buffers<u32> keys(b.in.data(), more.data());
  in_two_phases([&](void* t, std::size_t& s) { return Sort::SortKeys(t, s, keys, n); });
  std::vector<u32> sorted(n);
  check(cudaMemcpy(sorted.data(), keys.Current(), n * sizeof(u32), cudaMemcpyDefault));
  b.written.push_back(sorted);
  typename Api::template Buffers<cub::NullType> without(nowhere, nowhere);
  in_two_phases(
      [&](void* t, std::size_t& s) { return Sort::SortPairsDescending(t, s, keys, without, n); });
  check(cudaMemcpy(sorted.data(), keys.Current(), n * sizeof(u32), cudaMemcpyDefault));
  b.written.push_back(sorted);
  return b.written;
}

BOOST_AUTO_TEST_CASE(reduce_and_scan_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(reduce_and_scan<ours>(n), reduce_and_scan<stock>(n));
    }
  }
}
BOOST_AUTO_TEST_CASE(whole_sums_of_bytes_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(whole_sums_of_bytes<ours>(n), whole_sums_of_bytes<stock>(n));
    }
  }
}
BOOST_AUTO_TEST_CASE(select_partition_and_encode_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(select_and_encode<ours>(n), select_and_encode<stock>(n));
    }
  }
}
BOOST_AUTO_TEST_CASE(sort_and_histogram_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(sort_and_count<ours>(n), sort_and_count<stock>(n));
    }
  }
}

}  // namespace facade_test
