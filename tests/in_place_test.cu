// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection in place: a tile's items move to where lower tiles had theirs, so these must have been
// read, all of them, also the parts that the predicate does not look at.
#include <hindsight/partition.h>
#include <hindsight/select.h>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/tuple.h>

#include "memory_load.h"
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

namespace hindsight_test {
namespace {

template <int Words>
struct record {
  unsigned words[Words];
};

template <int Words>
HINDSIGHT_HD unsigned word_of(unsigned i, int w) {
  return w == 0 ? i : i * 2654435761u + unsigned(w);
}

template <int Words>
__global__ void fill(record<Words>* records, unsigned n) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    for (int w = 0; w < Words; ++w) records[i].words[w] = word_of<Words>(i, w);
}
template <int Words>
__global__ void count_wrong(const record<Words>* records, unsigned n, unsigned removed,
                            unsigned* wrong) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    for (int w = 0; w < Words; ++w)
      if (records[i].words[w] != word_of<Words>(i + removed, w)) atomicAdd(wrong, 1u);
}

struct columns {
  unsigned* a;
  std::uint64_t* b;
  double* c;
};
__global__ void fill(columns rows, unsigned n) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    rows.a[i] = i;
    rows.b[i] = std::uint64_t{i} * 3 + 1;
    rows.c[i] = i * 0.5;
  }
}
__global__ void count_wrong(columns rows, unsigned n, unsigned removed, unsigned* wrong) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    const unsigned id = i + removed;
    if (rows.a[i] != id || rows.b[i] != std::uint64_t{id} * 3 + 1 || rows.c[i] != id * 0.5)
      atomicAdd(wrong, 1u);
  }
}

/// Whether the first word of a record, or the first column of a row, is below a limit.
struct is_below {
  unsigned limit;
  template <int Words>
  HINDSIGHT_HD bool operator()(const record<Words>& item) const {
    return item.words[0] < limit;
  }
  HINDSIGHT_HD bool operator()(const thrust::tuple<unsigned, std::uint64_t, double>& row) const {
    return thrust::get<0>(row) < limit;
  }
};
struct is_not_below : is_below {
  template <class Item>
  HINDSIGHT_HD bool operator()(const Item& item) const {
    return !is_below::operator()(item);
  }
};

enum class algorithm { remove_if, stable_partition };

/// Removes the first few items again and again, for two seconds, with the memory under load.
template <class It, class Range>
void expect_all_moved(algorithm which, It first, Range range, unsigned n) {
  const memory_load load;
  const device_array<unsigned> wrong(1);
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto policy = hindsight::cuda::par.on(stream);
  check(cudaMemset(wrong.data(), 0, sizeof(unsigned)));
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds{2}) {
    for (const unsigned removed : {1u, 16u, 100u, 1000u, 2000u}) {
      fill<<<1024, 256, 0, stream>>>(range, n);
      check(cudaStreamSynchronize(stream));
      load.start();
      const auto end =
          which == algorithm::remove_if
              ? thrust::remove_if(policy, first, first + n, is_below{removed})
              : thrust::stable_partition(policy, first, first + n, is_not_below{{removed}});
      ASSERT_EQ(end - first, n - removed);
      count_wrong<<<1024, 256, 0, stream>>>(range, n - removed, removed, wrong.data());
    }
    check(cudaDeviceSynchronize());
  }
  check(cudaStreamDestroy(stream));
  EXPECT_EQ(wrong.to_host()[0], 0u);
}

template <int Words>
void expect_records_moved(algorithm which) {
  constexpr unsigned n = (256u << 20) / sizeof(record<Words>);
  const device_array<record<Words>> records(n);
  expect_all_moved(which, records.data(), records.data(), n);
}

void expect_rows_moved(algorithm which) {
  constexpr unsigned n = 20'000'000;
  const device_array<unsigned> a(n);
  const device_array<std::uint64_t> b(n);
  const device_array<double> c(n);
  expect_all_moved(which, thrust::make_zip_iterator(a.data(), b.data(), c.data()),
                   columns{a.data(), b.data(), c.data()}, n);
}

TEST(InPlace, RemoveIfOfRows) {
  expect_rows_moved(algorithm::remove_if);
}
TEST(InPlace, StablePartitionOfRows) {
  expect_rows_moved(algorithm::stable_partition);
}
TEST(InPlace, RemoveIfOf16Bytes) {
  expect_records_moved<4>(algorithm::remove_if);
}
TEST(InPlace, RemoveIfOf64Bytes) {
  expect_records_moved<16>(algorithm::remove_if);
}
TEST(InPlace, StablePartitionOf64Bytes) {
  expect_records_moved<16>(algorithm::stable_partition);
}
TEST(InPlace, RemoveIfOf400Bytes) {
  expect_records_moved<100>(algorithm::remove_if);
}

}  // namespace
}  // namespace hindsight_test
