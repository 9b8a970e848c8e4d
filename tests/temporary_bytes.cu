// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much temporary memory a call needs can be asked where there is no GPU, sorts need what the
// guarantees say, and memory for many items is enough for fewer.
#include <hindsight/device_adjacent_difference.cuh>
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_merge_sort.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_segmented_radix_sort.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_segmented_scan.cuh>
#include <hindsight/device_segmented_sort.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/device_topk.cuh>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>

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

/// `ask(bytes, n)` may not answer with less for more items: below 64, and about 64 sizes in each
/// octave up to `most_items`, one less and one more, asked as numbers of type Size.
template <class Size, class Ask>
void expect_growth_in(const char* what, Size most_items, Ask ask) {
  std::size_t most = 0, at = 0;
  const auto grows = [&](std::size_t n) {
    std::size_t bytes = 0;
    if (ask(bytes, static_cast<Size>(n)) != cudaSuccess || bytes < most || bytes == 0) {
      std::printf("FAILED: %s: %zu items %zu bytes, %zu items %zu bytes\n", what, at, most, n,
                  bytes);
      ++failures;
      return false;
    }
    most = bytes;
    at = n;
    return true;
  };
  for (std::size_t n = 0; n < 64; ++n) {
    if (!grows(n)) return;
  }
  for (std::size_t octave = 64; octave < static_cast<std::size_t>(most_items); octave *= 2) {
    for (std::size_t step = 0; step < 64; ++step) {
      const std::size_t n = octave + octave / 64 * step;
      for (const std::size_t items : {n - 1, n, n + 1}) {
        if (items > at && !grows(items)) return;
      }
    }
  }
  std::printf("ok: %s: more items, more bytes\n", what);
}

/// The same, of every type that a number of items may have.
template <class Ask>
void expect_growth(const char* what, Ask ask) {
  expect_growth_in(what, std::size_t{1} << 33, ask);
  expect_growth_in(what, std::numeric_limits<int>::max(), ask);
}

/// The same of `most_items` items and of one more.
template <class Ask>
void expect_growth_behind(const char* what, std::size_t most_items, Ask ask) {
  std::size_t bytes = 0, bytes_of_more = 0;
  const bool are_known =
      ask(bytes, most_items) == cudaSuccess && ask(bytes_of_more, most_items + 1) == cudaSuccess;
  const bool is_right = are_known && 0 < bytes && bytes <= bytes_of_more;
  std::printf("%s: %s: %zu items %zu bytes, one more %zu bytes\n", is_right ? "ok" : "FAILED", what,
              most_items, bytes, bytes_of_more);
  failures += is_right ? 0 : 1;
}

struct by_last_digit {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a % 10 < b % 10;
  }
};

struct is_odd {
  __host__ __device__ bool operator()(std::uint32_t item) const { return item % 2 == 1; }
};

/// Items of 48 bytes, which selections and sorts by comparators treat otherwise than small ones.
struct record {
  std::uint32_t key, rest[11];
  __host__ __device__ friend bool operator<(const record& a, const record& b) {
    return a.key < b.key;
  }
};

/// Items of 32 bytes, which move in passes only if they are many, and fewer than 2^32.
struct card {
  std::uint32_t key, rest[7];
  __host__ __device__ friend bool operator<(const card& a, const card& b) { return a.key < b.key; }
};

struct key_of_record {
  __host__ __device__ ::cuda::std::tuple<std::uint32_t&> operator()(record& item) const {
    return {item.key};
  }
};

template <class T>
T* no_memory() {
  return nullptr;
}

using std::uint32_t, std::uint64_t;

/// Selections, partitions, scans, run lengths, histograms and differences.
void ask_for_single_passes(uint32_t* in, uint32_t* out) {
  using hindsight::DeviceHistogram, hindsight::DevicePartition, hindsight::DeviceRunLengthEncode,
      hindsight::DeviceScan, hindsight::DeviceSelect;
  uint32_t* const count = out;
  expect_growth("If", [&](std::size_t& bytes, auto n) {
    return DeviceSelect::If(nullptr, bytes, in, out, count, n, is_odd{});
  });
  expect_growth("Flagged in place, of 48 bytes", [&](std::size_t& bytes, auto n) {
    return DeviceSelect::Flagged(nullptr, bytes, no_memory<record>(), in, count, n);
  });
  expect_growth("UniqueByKey", [&](std::size_t& bytes, auto n) {
    return DeviceSelect::UniqueByKey(nullptr, bytes, in, no_memory<const uint64_t>(), out,
                                     no_memory<uint64_t>(), count, n);
  });
  expect_growth("If of a partition", [&](std::size_t& bytes, auto n) {
    return DevicePartition::If(nullptr, bytes, in, out, count, n, is_odd{});
  });
  expect_growth("If of three parts", [&](std::size_t& bytes, auto n) {
    return DevicePartition::If(nullptr, bytes, in, out, out, out, count, n, is_odd{}, is_odd{});
  });
  expect_growth("Encode", [&](std::size_t& bytes, auto n) {
    return DeviceRunLengthEncode::Encode(nullptr, bytes, in, out, out, count, n);
  });
  expect_growth("NonTrivialRuns", [&](std::size_t& bytes, auto n) {
    return DeviceRunLengthEncode::NonTrivialRuns(nullptr, bytes, in, out, out, count, n);
  });
  expect_growth("InclusiveSum", [&](std::size_t& bytes, auto n) {
    return DeviceScan::InclusiveSum(nullptr, bytes, in, out, n);
  });
  expect_growth("ExclusiveSumByKey", [&](std::size_t& bytes, auto n) {
    return DeviceScan::ExclusiveSumByKey(nullptr, bytes, in, no_memory<const float>(),
                                         no_memory<float>(), n);
  });
  expect_growth("SubtractLeft", [&](std::size_t& bytes, auto n) {
    return hindsight::DeviceAdjacentDifference::SubtractLeft(nullptr, bytes, in, n);
  });
  for (const int num_levels : {2, 1000, 1'000'000}) {
    expect_growth("HistogramEven", [&](std::size_t& bytes, auto n) {
      return DeviceHistogram::HistogramEven(nullptr, bytes, in, no_memory<unsigned long long>(),
                                            num_levels, 0u, 4'000'000u, n);
    });
  }
  expect_growth("InclusiveSegmentedSum, of segments", [&](std::size_t& bytes, auto n) {
    return hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(nullptr, bytes, in, out, in,
                                                                 in + 1, n);
  });
  // As segments.h has it.
  expect_bytes("Sum of segments of doubles", 1, 174 << 10, [&](std::size_t& bytes) {
    return hindsight::DeviceSegmentedReduce::Sum(nullptr, bytes, no_memory<const double>(),
                                                 no_memory<double>(), std::size_t{1} << 30, in,
                                                 in + 1);
  });
}

/// Calls over segments that are ranges of their own, not one behind the other: they scan the sizes.
void ask_for_ranges(uint32_t* begins, uint32_t* ends, uint32_t* out) {
  const std::size_t most_ranges = std::size_t{1} << 30;
  expect_growth_in("Sum of ranges", most_ranges, [&](std::size_t& bytes, std::size_t ranges) {
    return hindsight::DeviceSegmentedReduce::Sum(nullptr, bytes, no_memory<const uint32_t>(), out,
                                                 ranges, begins, ends);
  });
  expect_growth_in("SortKeys of ranges", most_ranges, [&](std::size_t& bytes, std::size_t ranges) {
    return hindsight::DeviceSegmentedSort::SortKeys(nullptr, bytes, no_memory<const uint32_t>(),
                                                    no_memory<uint32_t>(), 1'000'000, ranges,
                                                    begins, ends);
  });
}

/// Sorts other than those of numbers of 2 to 8 bytes from array to array.
void ask_for_more_sorts(uint32_t* words, uint32_t* other_words) {
  using radix = hindsight::DeviceRadixSort;
  using wide = unsigned __int128;
  expect_growth("SortKeysDescending of 16 bytes", [](std::size_t& bytes, auto n) {
    return radix::SortKeysDescending(nullptr, bytes, no_memory<const wide>(), no_memory<wide>(), n);
  });
  expect_growth("SortKeys by 9 bits", [](std::size_t& bytes, auto n) {
    return radix::SortKeys(nullptr, bytes, no_memory<const uint32_t>(), no_memory<uint32_t>(), n, 3,
                           12);
  });
  // So many keys are split by two of their five digits. Three would save too little.
  using split = hindsight::detail::cuda::segment_split;
  using segments = hindsight::detail::segment_tuning<uint64_t, hindsight::detail::no_value>;
  expect_growth_behind("SortKeys by 40 bits", split::most_keys<segments>(2),
                       [](std::size_t& bytes, auto n) {
                         return radix::SortKeys(nullptr, bytes, no_memory<const uint64_t>(),
                                                no_memory<uint64_t>(), n, 0, 40);
                       });
  expect_growth("SortPairs with values of 48 bytes", [](std::size_t& bytes, auto n) {
    return radix::SortPairs(nullptr, bytes, no_memory<const uint32_t>(), no_memory<uint32_t>(),
                            no_memory<const record>(), no_memory<record>(), n);
  });
  expect_growth("SortPairs of single bytes between two buffers", [&](std::size_t& bytes, auto n) {
    hindsight::DoubleBuffer<std::uint8_t> keys(reinterpret_cast<std::uint8_t*>(words),
                                               reinterpret_cast<std::uint8_t*>(other_words));
    hindsight::DoubleBuffer<uint32_t> values(words, other_words);
    return radix::SortPairs(nullptr, bytes, keys, values, n);
  });
  expect_growth("SortKeys with a decomposer", [](std::size_t& bytes, auto n) {
    return radix::SortKeys(nullptr, bytes, no_memory<const record>(), no_memory<record>(), n,
                           key_of_record{});
  });
  expect_growth("SortPairs by a comparator", [&](std::size_t& bytes, auto n) {
    return hindsight::DeviceMergeSort::SortPairs(nullptr, bytes, words, no_memory<uint64_t>(), n,
                                                 by_last_digit{});
  });
  expect_growth("SortKeysCopy of 32 bytes by a comparator", [](std::size_t& bytes, auto n) {
    return hindsight::DeviceMergeSort::SortKeysCopy(nullptr, bytes, no_memory<const card>(),
                                                    no_memory<card>(), n, ::cuda::std::less<>{});
  });
  expect_growth("SortKeysCopy of 48 bytes by a comparator", [](std::size_t& bytes, auto n) {
    return hindsight::DeviceMergeSort::SortKeysCopy(nullptr, bytes, no_memory<const record>(),
                                                    no_memory<record>(), n, ::cuda::std::less<>{});
  });
}

}  // namespace

int main() {
  using radix = hindsight::DeviceRadixSort;
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
    const std::size_t of_buckets = n / 10 * 17;  // up to 1.7 bytes for each of many items
    expect_bytes("StableSortKeys", 4 * n, most(4 * n, 4 * n) + of_buckets, [&](std::size_t& bytes) {
      return hindsight::DeviceMergeSort::StableSortKeys(nullptr, bytes, words, n, by_last_digit{});
    });
    expect_bytes("InclusiveSum", 1, n, [&](std::size_t& bytes) {
      return hindsight::DeviceScan::InclusiveSum(nullptr, bytes, words, other_words, n);
    });
  }
  expect_growth("SortKeys of two bytes", [](std::size_t& bytes, auto n) {
    return radix::SortKeys(nullptr, bytes, no_memory<const std::uint16_t>(),
                           no_memory<std::uint16_t>(), n);
  });
  expect_growth("SortKeys", [](std::size_t& bytes, auto n) {
    return radix::SortKeys(nullptr, bytes, no_memory<const uint32_t>(), no_memory<uint32_t>(), n);
  });
  expect_growth("SortPairs", [](std::size_t& bytes, auto n) {
    return radix::SortPairs(nullptr, bytes, no_memory<const uint64_t>(), no_memory<uint64_t>(),
                            no_memory<const uint32_t>(), no_memory<uint32_t>(), n);
  });
  expect_growth("SortKeys between two buffers", [&](std::size_t& bytes, auto n) {
    hindsight::DoubleBuffer<uint32_t> keys(words, other_words);
    return radix::SortKeys(nullptr, bytes, keys, n);
  });
  expect_growth("StableSortKeys", [&](std::size_t& bytes, auto n) {
    return hindsight::DeviceMergeSort::StableSortKeys(nullptr, bytes, words, n, by_last_digit{});
  });
  ask_for_more_sorts(words, other_words);
  ask_for_single_passes(words, other_words);
  ask_for_ranges(words, other_words, words);
  for (const std::size_t k : {std::size_t{10}, std::size_t{100'000}, std::size_t{1} << 30}) {
    expect_growth("MaxKeys", [&](std::size_t& bytes, auto n) {
      return hindsight::DeviceTopK::MaxKeys(nullptr, bytes, words, other_words, n, k);
    });
    expect_growth("MaxPairs", [&](std::size_t& bytes, auto n) {
      return hindsight::DeviceTopK::MaxPairs(nullptr, bytes, no_memory<const uint64_t>(),
                                             no_memory<uint64_t>(), words, other_words, n, k);
    });
  }
  for (const int segments : {1, 4, 20, 1000, 1'000'000}) {
    std::printf("%d segments\n", segments);
    expect_growth("SortKeys of segments", [&](std::size_t& bytes, auto n) {
      return hindsight::DeviceSegmentedSort::SortKeys(nullptr, bytes, no_memory<const uint32_t>(),
                                                      no_memory<uint32_t>(), n, segments, words,
                                                      words + 1);
    });
    expect_growth("SortPairs of segments", [&](std::size_t& bytes, auto n) {
      return hindsight::DeviceSegmentedSort::SortPairs(
          nullptr, bytes, no_memory<const uint64_t>(), no_memory<uint64_t>(),
          no_memory<const uint32_t>(), no_memory<uint32_t>(), n, segments, words, words + 1);
    });
    expect_growth("SortKeys of segments by radix", [&](std::size_t& bytes, auto n) {
      return hindsight::DeviceSegmentedRadixSort::SortKeys(
          nullptr, bytes, no_memory<const std::uint8_t>(), no_memory<std::uint8_t>(), n, segments,
          words, words + 1);
    });
  }
  return failures == 0 ? 0 : 1;
}
