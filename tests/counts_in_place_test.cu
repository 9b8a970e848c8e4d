// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in place, and calls on segments, whose sizes and counts stay on the device: captured into a
// graph, replayed with other sizes, each replay beside the same calls of sizes that the host knows.
#include <hindsight/counts_in_place.h>
#include <hindsight/hindsight.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::deferred;
using hindsight::cuda::par;
using hindsight::cuda::par_nosync;

/// A range that each call changes, and its count.
struct changed_range {
  explicit changed_range(std::size_t most) : items(most), count(1) {}
  device_array<u32> items;
  device_array<std::size_t> count;
};

/// The calls in place, one range for each.
struct calls_in_place {
  explicit calls_in_place(std::size_t room) : most{room}, in(room), size(1) {
    for (int call = 0; call < num_calls; ++call) ranges.emplace_back(room);
  }
  void enqueue(cudaStream_t stream) const {
    const auto policy = par_nosync.on(stream);
    const deferred last{size.data(), most};
    for (const changed_range& range : ranges)
      check(cudaMemcpyAsync(range.items.data(), in.data(), most * sizeof(u32),
                            cudaMemcpyDeviceToDevice, stream));
    const auto items = [&](int call) { return ranges[std::size_t(call)].items.data(); };
    const auto count = [&](int call) { return ranges[std::size_t(call)].count.data(); };
    hindsight::remove_if_into(policy, items(0), last, count(0), is_even_number{});
    hindsight::remove_if_into(policy, items(1), last, in.data(), count(1), is_even_number{});
    hindsight::remove_into(policy, items(2), last, count(2), 2u);
    hindsight::unique_into(policy, items(3), last, count(3));
    hindsight::partition_into(policy, items(4), last, count(4), is_even_number{});
    hindsight::partition_into(policy, items(5), last, in.data(), count(5), is_even_number{});
    hindsight::stable_partition_into(policy, items(6), last, count(6), is_even_number{});
    hindsight::stable_partition_into(policy, items(7), last, in.data(), count(7), is_even_number{});
  }
  /// What the call of a size that the host knows leaves of `items`; returns where it ends.
  static u32* run_known(int call, u32* first, u32* last) {
    switch (call) {
      case 0:
      case 1:
        return hindsight::remove_if(par, first, last, is_even_number{});
      case 2:
        return hindsight::remove(par, first, last, 2u);
      case 3:
        return hindsight::unique(par, first, last);
      case 4:
      case 5:
        return hindsight::partition(par, first, last, is_even_number{});
      default:
        return hindsight::stable_partition(par, first, last, is_even_number{});
    }
  }
  void expect_as_known(const std::vector<u32>& items) const {
    const std::size_t n = items.size();
    const auto filled = in.to_host();  // n items, then what nothing may change
    for (int call = 0; call < num_calls; ++call) {
      const device_array<u32> known(most);
      known.assign(items);
      const std::size_t count =
          std::size_t(run_known(call, known.data(), known.data() + n) - known.data());
      const auto& range = ranges[std::size_t(call)];
      ASSERT_EQ(range.count.to_host()[0], count) << "call " << call << ", " << n << " items";
      const bool keeps_all = call >= 4;
      const std::size_t num_defined = keeps_all ? n : count;
      const auto left = range.items.to_host();
      ASSERT_EQ(difference({left.begin(), left.begin() + std::ptrdiff_t(num_defined)},
                           known.to_host(num_defined)),
                "")
          << "call " << call << ", " << n << " items";
      ASSERT_TRUE(std::equal(left.begin() + std::ptrdiff_t(n), left.end(),
                             filled.begin() + std::ptrdiff_t(n)))
          << "call " << call << " changed what lies behind " << n << " items";
    }
  }

  static constexpr int num_calls = 8;
  std::size_t most;
  device_array<u32> in;
  device_array<int> size;
  std::deque<changed_range> ranges;
};

/// A captured sequence of calls.
class graph {
 public:
  template <class Calls>
  graph(const Calls& calls, const own_stream& stream) : stream_{stream} {
    cudaGraph_t captured = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    calls.enqueue(stream_);
    check(cudaStreamEndCapture(stream_, &captured));
    check(cudaGraphInstantiate(&executable_, captured, 0));
    check(cudaGraphDestroy(captured));
  }
  ~graph() { cudaGraphExecDestroy(executable_); }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  void replay() const {
    check(cudaGraphLaunch(executable_, stream_));
    check(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t executable_ = nullptr;
};

// Graphs of one tile, of several, and of more than 16 windows of tiles.
TEST(CountsInPlace, ReplaysEqualCallsWithKnownSizes) {
  for (const std::size_t most : {500, 40000, 3000000}) {
    const calls_in_place calls(most);
    const own_stream stream;
    const graph replayed(calls, stream);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, most / 7, most - 1, most}) {
      auto items = items_in_runs<u32>(n, runs::random);
      for (u32& item : items) item %= 5;
      calls.in.assign(items);
      calls.size.assign({int(n)});
      replayed.replay();
      calls.expect_as_known(items);
    }
  }
}

/// Sums, scans and sorts of the first segments that there are.
struct calls_on_segments {
  calls_on_segments(std::size_t n, std::size_t segments)
      : most{segments},
        in(rough_items<float>(n)),
        offsets(segments + 1),
        num_segments(1),
        sums(segments),
        scan(n),
        sorted(n) {}
  void enqueue(cudaStream_t stream) const {
    run(par_nosync.on(stream),
        hindsight::by_offsets(offsets.data(), deferred{num_segments.data(), most}), sums.data(),
        scan.data(), sorted.data(), stream);
  }
  template <class Policy, class Segments>
  void run(const Policy& policy, const Segments& segments, float* sums_out, float* scan_out,
           float* sorted_out, cudaStream_t stream) const {
    const float *first = in.data(), *last = first + in.size();
    check(cudaMemcpyAsync(sorted_out, first, in.size() * sizeof(float), cudaMemcpyDeviceToDevice,
                          stream));
    hindsight::reduce_segments(policy, first, last, segments, sums_out, 0.5f);
    hindsight::inclusive_scan_segments(policy, first, last, segments, scan_out);
    hindsight::sort_segments(policy, sorted_out, sorted_out + in.size(), segments);
  }
  void expect_as_known(std::size_t n, const own_stream& stream) const {
    const device_array<float> known_sums(most), known_scan(in.size()), known_sorted(in.size());
    run(par.on(stream), hindsight::by_offsets(offsets.data(), offsets.data() + n + 1),
        known_sums.data(), known_scan.data(), known_sorted.data(), stream);
    check(cudaStreamSynchronize(stream));  // calls of no segments do not wait for the copy
    EXPECT_EQ(difference(sums.to_host(), known_sums.to_host()), "") << n << " segments: sums";
    EXPECT_EQ(difference(scan.to_host(), known_scan.to_host()), "") << n << " segments: scan";
    EXPECT_EQ(difference(sorted.to_host(), known_sorted.to_host()), "") << n << " segments: sort";
  }

  std::size_t most;
  device_array<float> in;
  device_array<int> offsets, num_segments;
  device_array<float> sums, scan, sorted;
};

void expect_segments_as_known(std::size_t n, std::size_t most,
                              const std::vector<std::size_t>& numbers) {
  const calls_on_segments calls(n, most);
  const own_stream stream;
  const graph replayed(calls, stream);
  for (const std::size_t num_segments : numbers) {
    std::vector<int> offsets(most + 1, -9);  // beyond the segments that there are: no offsets
    for (std::size_t s = 0; s <= num_segments; ++s)
      offsets[s] = int(s * s % 7 + s * (n - 7) / (num_segments + 1));
    std::sort(offsets.begin(), offsets.begin() + std::ptrdiff_t(num_segments) + 1);
    calls.offsets.assign(offsets);
    calls.num_segments.assign({int(num_segments)});
    calls.sums.fill_with_poison(), calls.scan.fill_with_poison();
    replayed.replay();
    calls.expect_as_known(num_segments, stream);
  }
}

TEST(CountsInPlace, SegmentsOfADeferredNumber) {
  expect_segments_as_known(200003, 3000, {0, 1, 1500, 3000});
}

// So many that are possible and do not exist would be chunks of their own.
TEST(CountsInPlace, FewOfManyPossibleSegments) {
  expect_segments_as_known(std::size_t{1} << 20, std::size_t{12} << 20, {0, 1, 3, 1000});
}

}  // namespace hindsight_test
