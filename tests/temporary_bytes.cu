// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much temporary memory a call needs can be asked where there is no GPU, sorts need what the
// guarantees say, and memory for many items is enough for fewer.
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_radix_sort.cuh>
#include <hindsight/device_segmented_sort.cuh>
#include <hindsight/device_topk.cuh>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

int failures = 0;

/// `ask(bytes)` has to answer with a number in [least, most].
template <class Ask>
void expect_bytes(const char* what, std::size_t least, std::size_t most, Ask ask) {
  std::size_t bytes = 0;
  const cudaError_t status = ask(bytes);
  const bool is_right = status == cudaSuccess && least <= bytes && bytes <= most;
  std::printf("%s: %s: %zu bytes, %s\n", is_right ? "ok" : "FAILED", what, bytes,
              cudaGetErrorName(status));
  failures += is_right ? 0 : 1;
}

/// `ask(bytes, n)` may not answer with less for more items: 64 sizes in each octave.
template <class Ask>
void expect_growth(const char* what, Ask ask) {
  std::size_t most = 0, most_items = 0;
  for (std::size_t octave = 64; octave < (std::size_t{1} << 32); octave *= 2) {
    for (std::size_t step = 0; step < 64; ++step) {
      const std::size_t n = octave + octave / 64 * step + step % 2;
      std::size_t bytes = 0;
      if (ask(bytes, n) != cudaSuccess || bytes < most) {
        std::printf("FAILED: %s: %zu items %zu bytes, %zu items %zu bytes\n", what, most_items,
                    most, n, bytes);
        ++failures;
        return;
      }
      most = bytes;
      most_items = n;
    }
  }
  std::printf("ok: %s: more items, more bytes\n", what);
}

struct by_last_digit {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a % 10 < b % 10;
  }
};

template <class T>
T* no_memory() {
  return nullptr;
}

}  // namespace

int main() {
  using radix = hindsight::DeviceRadixSort;
  using std::uint32_t, std::uint64_t;
  // Addresses that nobody reads.
  alignas(8) static char somewhere[8], elsewhere[8];
  auto* const words = reinterpret_cast<uint32_t*>(somewhere);
  auto* const other_words = reinterpret_cast<uint32_t*>(elsewhere);
  for (const std::size_t n : {std::size_t{1} << 22, std::size_t{1} << 28, std::size_t{1} << 32}) {
    std::printf("%zu items\n", n);
    const auto most = [](std::size_t items, std::size_t tables) { return items + tables / 8; };
    expect_bytes("SortKeys", 4 * n, most(4 * n, 4 * n), [&](std::size_t& bytes) {
      return radix::SortKeys(nullptr, bytes, no_memory<const uint32_t>(), no_memory<uint32_t>(), n);
    });
    expect_bytes("SortPairs", 12 * n, most(12 * n, 12 * n), [&](std::size_t& bytes) {
      return radix::SortPairs(nullptr, bytes, no_memory<const uint64_t>(), no_memory<uint64_t>(),
                              no_memory<const uint32_t>(), no_memory<uint32_t>(), n);
    });
    expect_bytes("SortKeys between two buffers", 1, most(0, 4 * n), [&](std::size_t& bytes) {
      hindsight::DoubleBuffer<uint32_t> keys(words, other_words);
      return radix::SortKeys(nullptr, bytes, keys, n);
    });
    expect_bytes("StableSortKeys", 4 * n, most(4 * n, 4 * n), [&](std::size_t& bytes) {
      return hindsight::DeviceMergeSort::StableSortKeys(nullptr, bytes, words, n, by_last_digit{});
    });
    expect_bytes("InclusiveSum", 1, n, [&](std::size_t& bytes) {
      return hindsight::DeviceScan::InclusiveSum(nullptr, bytes, words, other_words, n);
    });
  }
  expect_growth("SortKeys of two bytes", [](std::size_t& bytes, std::size_t n) {
    return radix::SortKeys(nullptr, bytes, no_memory<const std::uint16_t>(),
                           no_memory<std::uint16_t>(), n);
  });
  expect_growth("SortKeys", [](std::size_t& bytes, std::size_t n) {
    return radix::SortKeys(nullptr, bytes, no_memory<const uint32_t>(), no_memory<uint32_t>(), n);
  });
  expect_growth("SortPairs", [](std::size_t& bytes, std::size_t n) {
    return radix::SortPairs(nullptr, bytes, no_memory<const uint64_t>(), no_memory<uint64_t>(),
                            no_memory<const uint32_t>(), no_memory<uint32_t>(), n);
  });
  expect_growth("SortKeys between two buffers", [&](std::size_t& bytes, std::size_t n) {
    hindsight::DoubleBuffer<uint32_t> keys(words, other_words);
    return radix::SortKeys(nullptr, bytes, keys, n);
  });
  expect_growth("StableSortKeys", [&](std::size_t& bytes, std::size_t n) {
    return hindsight::DeviceMergeSort::StableSortKeys(nullptr, bytes, words, n, by_last_digit{});
  });
  expect_growth("InclusiveSum", [&](std::size_t& bytes, std::size_t n) {
    return hindsight::DeviceScan::InclusiveSum(nullptr, bytes, words, other_words, n);
  });
  for (const std::size_t k : {std::size_t{10}, std::size_t{100'000}, std::size_t{1} << 30}) {
    expect_growth("MaxKeys", [&](std::size_t& bytes, std::size_t n) {
      return hindsight::DeviceTopK::MaxKeys(nullptr, bytes, words, other_words, n, k);
    });
    expect_growth("MaxPairs", [&](std::size_t& bytes, std::size_t n) {
      return hindsight::DeviceTopK::MaxPairs(nullptr, bytes, no_memory<const uint64_t>(),
                                             no_memory<uint64_t>(), words, other_words, n, k);
    });
  }
  for (const int segments : {1, 4, 20, 1000, 1'000'000}) {
    std::printf("%d segments\n", segments);
    expect_growth("SortKeys of segments", [&](std::size_t& bytes, std::size_t n) {
      return hindsight::DeviceSegmentedSort::SortKeys(nullptr, bytes, no_memory<const uint32_t>(),
                                                      no_memory<uint32_t>(), n, segments, words,
                                                      words + 1);
    });
    expect_growth("SortPairs of segments", [&](std::size_t& bytes, std::size_t n) {
      return hindsight::DeviceSegmentedSort::SortPairs(
          nullptr, bytes, no_memory<const uint64_t>(), no_memory<uint64_t>(),
          no_memory<const uint32_t>(), no_memory<uint32_t>(), n, segments, words, words + 1);
    });
    expect_growth("SortKeys of segments by radix", [&](std::size_t& bytes, std::size_t n) {
      return hindsight::DeviceSegmentedRadixSort::SortKeys(
          nullptr, bytes, no_memory<const std::uint8_t>(), no_memory<std::uint8_t>(), n, segments,
          words, words + 1);
    });
  }
  return failures == 0 ? 0 : 1;
}
