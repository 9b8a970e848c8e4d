// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaMallocFromPoolAsync cudaFreeAsync cudaMemPoolCreate cudaMemPoolSetAttribute
// wraps: cudaHostAlloc cudaMemsetAsync cudaMemcpyAsync cudaPeekAtLastError cudaStreamSynchronize
// wraps: cudaStreamIsCapturing cudaGetDevice cudaGetDeviceCount cudaDeviceGetAttribute
// wraps: cudaFuncSetAttribute cudaLaunchKernelExC cudaStreamGetId
//
// Calls that CUB has not, or has in another way: sorts of keys of 1, 2 and 8 bytes, selections of
// the highest keys, histograms of channels, tables of sums, outputs and sparse products. The
// reference is the standard library's, or a plain loop.
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_topk.cuh>
#include <hindsight/image.h>
#include <hindsight/outputs.h>
#include <hindsight/spmv.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "stress_testing.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace hindsight_test {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u64 = std::uint64_t;
struct ours {};
struct stock {};

template <class Call>
struct against_host {
  template <class Api>
  static cudaError_t run(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                         int n, cudaStream_t stream) {
    if constexpr (std::is_same_v<Api, ours>) {
      return Call::on_gpu(temp, bytes, in, out, n, stream);
    } else {
      if (temp == nullptr) return bytes = 1, cudaSuccess;
      const auto words = Call::on_host(in.items.to_host(), in.keys.to_host(), std::size_t(n));
      check(cudaStreamSynchronize(stream));
      check(cudaMemcpy(out.first, words.first.data(), words.first.size() * sizeof(u32),
                       cudaMemcpyDefault));
      return cudaMemcpy(out.second, words.second.data(), words.second.size() * sizeof(u32),
                        cudaMemcpyDefault);
    }
  }
};
/// What a call leaves in the two arrays.
struct host_words {
  std::vector<u32> first, second;
};

/// The bits of the items as keys of another width, sorted.
template <class Key>
struct sort_of {
  static cudaError_t on_gpu(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                            int n, cudaStream_t stream) {
    const auto keys = reinterpret_cast<const Key*>(in.items.data());
    const auto sorted = reinterpret_cast<Key*>(out.first);
    const std::size_t num_keys = std::size_t(n) * sizeof(u32) / sizeof(Key);
    if constexpr (sizeof(Key) == 2) {  // which otherwise is for many keys
      return hindsight::detail::cuda::sort_shorts<hindsight::detail::counting_sort_16_tuning>(
          temp, bytes, keys, sorted, num_keys, 0, stream);
    } else {
      return hindsight::DeviceRadixSort::SortKeys(temp, bytes, keys, sorted, num_keys, 0,
                                                  int(sizeof(Key)) * 8, stream);
    }
  }
  static host_words on_host(const std::vector<u32>& items, const std::vector<u32>&, std::size_t n) {
    std::vector<Key> keys(n * sizeof(u32) / sizeof(Key));
    std::memcpy(keys.data(), items.data(), keys.size() * sizeof(Key));
    std::sort(keys.begin(), keys.end());
    std::vector<u32> words(keys.size() * sizeof(Key) / sizeof(u32));
    std::memcpy(words.data(), keys.data(), words.size() * sizeof(u32));
    return {words, {}};
  }
};

struct highest_pairs {
  static constexpr std::size_t k = 1000;
  static cudaError_t on_gpu(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                            int n, cudaStream_t stream) {
    return hindsight::DeviceTopK::MaxPairs(temp, bytes, in.keys.data(), out.first, in.items.data(),
                                           out.second, n, std::min(n, int(k)), stream);
  }
  static host_words on_host(const std::vector<u32>& items, const std::vector<u32>& keys,
                            std::size_t n) {
    std::vector<u32> places(n);
    std::iota(places.begin(), places.end(), 0u);
    std::stable_sort(places.begin(), places.end(), [&](u32 a, u32 b) { return keys[a] > keys[b]; });
    places.resize(std::min(n, k));
    host_words words;
    for (const u32 place : places) {
      words.first.push_back(keys[place]);
      words.second.push_back(items[place]);
    }
    return words;
  }
};

/// Items are pixels of four bytes, of which three are counted.
struct bins_of_channels {
  static constexpr int num_bins = 20;
  static cudaError_t on_gpu(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                            int n, cudaStream_t stream) {
    const std::array<u32*, 3> counters{out.first, out.first + num_bins, out.first + 2 * num_bins};
    const std::array<int, 3> levels{num_bins + 1, num_bins + 1, num_bins + 1}, lower{0, 10, 20},
        upper{200, 210, 220};
    u32* pointers[] = {counters[0], counters[1], counters[2]};
    return hindsight::DeviceHistogram::MultiHistogramEven<4, 3>(
        temp, bytes, reinterpret_cast<const u8*>(in.items.data()), pointers, levels.data(),
        lower.data(), upper.data(), n, stream);
  }
  static host_words on_host(const std::vector<u32>& items, const std::vector<u32>&, std::size_t) {
    std::vector<u32> bins(3 * num_bins);
    for (const u32 pixel : items)
      for (u32 c = 0; c < 3; ++c) {
        const u32 sample = pixel >> 8 * c & 0xff, lower = 10 * c;
        if (sample >= lower && sample < lower + 200) ++bins[c * num_bins + (sample - lower) / 10];
      }
    return {bins, {}};
  }
};

/// Entries of row r begin at a place that jumps by 0, 3 and 40.
struct begin_of_row {
  u32 n;
  HINDSIGHT_HD u32 operator()(u32 r) const {
    const u32 begin = r / 3 * 43 + (r % 3 == 2 ? 3 : 0);
    return begin < n ? begin : n;
  }
};
struct column_of_key {
  u32 n;
  HINDSIGHT_HD u32 operator()(u32 key) const { return key % n; }
};
auto begins_of_rows(std::size_t n) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(u32{0}),
                                         begin_of_row{u32(n)});
}
std::size_t num_rows(std::size_t n) {
  return n / 15 + 1;  // the last ones are empty; not all items have a row
}

/// Rows as segments, then columns; or tiles, which otherwise are for large images.
template <bool ByTiles>
struct table_of_sums {
  static std::size_t width(std::size_t n) { return std::min<std::size_t>(n, ByTiles ? 301 : 100); }
  static cudaError_t on_gpu(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                            int n, cudaStream_t stream) {
    const std::size_t columns = width(std::size_t(n)), rows = std::size_t(n) / columns;
    if constexpr (ByTiles) {
      return hindsight::detail::cuda::summed_area_table<u32>(
          temp, bytes, in.items.data(), columns, out.first, columns,
          hindsight::detail::cuda::table_layout<u32>{columns, rows}, ::cuda::std::plus<u32>{},
          stream);
    } else {
      if (temp == nullptr) return bytes = 1, cudaSuccess;
      hindsight::summed_area_table(hindsight::cuda::par_nosync.on(stream), in.items.data(),
                                   out.first, columns, rows, columns);
      return cudaSuccess;
    }
  }
  static host_words on_host(const std::vector<u32>& items, const std::vector<u32>&, std::size_t n) {
    const std::size_t columns = width(n);
    std::vector<u32> sums(items.begin(), items.begin() + std::ptrdiff_t(n / columns * columns));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const bool is_first = i % columns == 0;
      if (!is_first) sums[i] += sums[i - 1];
      if (i >= columns) sums[i] += sums[i - columns] - (is_first ? 0 : sums[i - columns - 1]);
    }
    return {sums, {}};
  }
};

struct expanded_items {
  static cudaError_t on_gpu(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                            int n, cudaStream_t stream) {
    if (temp == nullptr) return bytes = 1, cudaSuccess;
    const auto begins = begins_of_rows(std::size_t(n));
    hindsight::expand(hindsight::cuda::par_nosync.on(stream), in.items.data(), begins,
                      begins + (num_rows(std::size_t(n)) + 1), out.first);
    return cudaSuccess;
  }
  static host_words on_host(const std::vector<u32>& items, const std::vector<u32>&, std::size_t n) {
    const begin_of_row begin{u32(n)};
    host_words words;
    for (u32 r = 0; r < num_rows(n); ++r)
      words.first.insert(words.first.end(), begin(r + 1) - begin(r), items[r]);
    return words;
  }
};

struct sparse_products {
  static cudaError_t on_gpu(void* temp, std::size_t& bytes, const inputs& in, const results& out,
                            int n, cudaStream_t stream) {
    if (temp == nullptr) return bytes = 1, cudaSuccess;
    const auto begins = begins_of_rows(std::size_t(n));
    const auto columns = thrust::make_transform_iterator(in.keys.data(), column_of_key{u32(n)});
    const auto matrix =
        hindsight::csr(begins, begins + (num_rows(std::size_t(n)) + 1), columns, in.items.data());
    hindsight::spmv(hindsight::cuda::par_nosync.on(stream), matrix, in.keys.data(), out.first);
    return cudaSuccess;
  }
  static host_words on_host(const std::vector<u32>& items, const std::vector<u32>& keys,
                            std::size_t n) {
    const begin_of_row begin{u32(n)};
    host_words words;
    for (u32 r = 0; r < num_rows(n); ++r) {
      u32 sum = 0;
      for (u32 i = begin(r); i < begin(r + 1); ++i) sum += items[i] * keys[keys[i] % n];
      words.first.push_back(sum);
    }
    return words;
  }
};

template <class Call>
row row_against_host(const char* name) {
  return row_of<against_host<Call>>(name);
}
std::vector<row> rows() {
  row sort_bytes = row_against_host<sort_of<u8>>("sort_bytes");
  sort_bytes.free_threads = 2048;  // a block that counts bytes needs most of the registers
  return {sort_bytes,
          row_against_host<sort_of<u16>>("sort_shorts"),
          row_against_host<sort_of<u64>>("sort_wide_keys"),
          row_against_host<highest_pairs>("highest_pairs"),
          row_against_host<bins_of_channels>("bins_of_channels"),
          row_against_host<table_of_sums<false>>("table_by_rows"),
          row_against_host<table_of_sums<true>>("table_by_tiles"),
          row_against_host<expanded_items>("expanded_items"),
          row_against_host<sparse_products>("sparse_products")};
}

}  // namespace hindsight_test
