// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and counts that stay on the device: every call equals the one whose size the host knows,
// writes nothing beyond, and a chain of calls is captured once and replayed with other data.
#include <hindsight/counts.h>
#include <hindsight/hindsight.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include "order_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace hindsight_test {

using u32 = std::uint32_t;
using hindsight::deferred;
using hindsight::cuda::par;
using hindsight::cuda::par_nosync;

/// What a call writes: items, then poison, and how many items.
template <class T>
struct output {
  explicit output(std::size_t most) : items(most), count(1) {}

  void expect(const std::vector<T>& expected, const char* what) const {
    EXPECT_EQ(count.to_host()[0], expected.size()) << what;
    expect_items(expected, what);
  }
  void expect_items(const std::vector<T>& expected, const char* what) const {
    EXPECT_EQ(difference(items.to_host(expected.size()), expected), "") << what;
    EXPECT_TRUE(items.is_untouched(expected.size())) << what;
  }

  device_array<T> items;
  device_array<std::size_t> count;
};

/// Keys alone if Value is void.
template <class Key, class Value, class Size>
void expect_sorted(std::size_t n, std::size_t most, const Size& size) {
  auto expected = random_items<Key>(n);
  output<Key> keys(most);
  keys.items.assign(expected);
  if constexpr (std::is_void_v<Value>) {
    hindsight::sort(par, keys.items.data(), size);
  } else {
    for (Key& key : expected) key %= 5000;  // for equal ones
    keys.items.assign(expected);
    std::vector<Value> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = Value(i);
    output<Value> values(most);
    values.items.assign(places);
    hindsight::sort_by_key(par, keys.items.data(), size, values.items.data());
    const auto order = places_in_order(expected);
    for (std::size_t i = 0; i < n; ++i) places[i] = Value(order[i]);
    values.expect_items(places, "the values of sort_by_key");
  }
  std::sort(expected.begin(), expected.end());
  keys.expect_items(expected, "sort");
}

template <class Count>
void expect_as_with_known_size(std::size_t n, std::size_t most) {
  SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(most));
  const device_array<Count> num_items(std::vector<Count>{Count(n)});
  const deferred size{num_items.data(), most};
  const auto items = items_in_runs<u32>(n, runs::random);
  device_array<u32> in(most);
  in.assign(items);
  std::vector<u32> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), is_even_number{});

  output<u32> kept(most);
  hindsight::copy_if_into(par, in.data(), size, kept.items.data(), kept.count.data(),
                          is_even_number{});
  kept.expect(expected, "copy_if_into");
  output<u32> marked(most);
  hindsight::copy_if_into(par, in.data(), size, in.data(), marked.items.data(), marked.count.data(),
                          is_even_number{});
  marked.expect(expected, "copy_if_into by a stencil");

  std::vector<u32> heads, lengths;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || items[i] != items[i - 1]) heads.push_back(items[i]), lengths.push_back(0);
    ++lengths.back();
  }
  output<u32> unique(most), encoded(most), run_lengths(most);
  hindsight::unique_copy_into(par, in.data(), size, unique.items.data(), unique.count.data());
  unique.expect(heads, "unique_copy_into");
  hindsight::run_length_encode_into(par, in.data(), size, encoded.items.data(),
                                    run_lengths.items.data(), encoded.count.data());
  encoded.expect(heads, "run_length_encode_into");
  run_lengths.expect_items(lengths, "the lengths of run_length_encode_into");
  output<u32> decoded(most);
  hindsight::run_length_decode_into(par, encoded.items.data(), deferred{encoded.count.data(), most},
                                    run_lengths.items.data(), decoded.items.data(),
                                    decoded.count.data());
  decoded.expect(items, "run_length_decode_into");

  expect_sorted<u32, unsigned short>(n, most, size);
  expect_sorted<std::uint64_t, void>(n, most, size);

  hindsight::copy_if_into(par, in.data(), size, in.data(), kept.count.data(), is_even_number{});
  EXPECT_EQ(difference(in.to_host(expected.size()), expected), "") << "in place";

  std::vector<u32> rejected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(rejected),
               [](u32 x) { return !is_even_number{}(x); });
  in.assign(items);
  output<u32> yes(most), no(most);
  hindsight::partition_copy_into(par, in.data(), size, yes.items.data(), no.items.data(),
                                 yes.count.data(), is_even_number{});
  yes.expect(expected, "partition_copy_into");
  no.expect_items(rejected, "the others of partition_copy_into");

  const auto rough = rough_items<float>(n);
  device_array<float> floats(most), known(std::max<std::size_t>(n, 1));
  floats.assign(rough);
  output<float> sums(most), sums_before(most);
  hindsight::inclusive_scan(par, floats.data(), floats.data() + n, known.data());
  hindsight::inclusive_scan(par, floats.data(), size, sums.items.data());
  sums.expect_items(known.to_host(n), "inclusive_scan");
  hindsight::exclusive_scan(par, floats.data(), floats.data() + n, known.data(), 0.5f);
  hindsight::exclusive_scan(par, floats.data(), size, sums_before.items.data(), 0.5f);
  sums_before.expect_items(known.to_host(n), "exclusive_scan");

  device_array<float> sum(1), sum_of_deferred(1);
  hindsight::reduce_into(par, floats.data(), floats.data() + n, sum.data(), 0.25f);
  hindsight::reduce_into(par, floats.data(), size, sum_of_deferred.data(), 0.25f);
  EXPECT_EQ(difference(sum_of_deferred.to_host(), sum.to_host()), "") << "reduce_into";

  const device_array<u32> keys(std::max<std::size_t>(most, 1));
  keys.assign(items);
  output<u32> keys_by_key(most);
  output<float> sums_by_key(most);
  device_array<u32> known_keys(std::max<std::size_t>(n, 1));
  hindsight::reduce_by_key(par, keys.data(), keys.data() + n, floats.data(), known_keys.data(),
                           known.data());
  hindsight::reduce_by_key_into(par, keys.data(), size, floats.data(), keys_by_key.items.data(),
                                sums_by_key.items.data(), keys_by_key.count.data());
  keys_by_key.expect(heads, "reduce_by_key_into");
  sums_by_key.expect_items(known.to_host(heads.size()), "the sums of reduce_by_key_into");
}

// One tile, several that each fold for themselves, and more than 16 windows of tiles (a scout);
// launches of as many blocks as are needed, of some more, and of many more.
TEST(Counts, EqualCallsWithKnownSizes) {
  for (const std::size_t n : {0, 1, 31, 4096, 8193, 300007}) {
    for (const std::size_t most : {n, n + 1, 2 * n + 20000})
      expect_as_with_known_size<int>(n, most);
  }
  expect_as_with_known_size<std::size_t>(100, 6000000);
  expect_as_with_known_size<std::size_t>(5000011, 5000011);
  expect_as_with_known_size<unsigned short>(65535, 100000);
  expect_as_with_known_size<long long>(5000011, 9000000);
}

TEST(Counts, AreCutToWhatThereMayBe) {
  const device_array<u32> in(std::vector<u32>(1000, 2));
  for (const auto& [count, expected] : {std::pair{-1, 0}, std::pair{1001, 1000}}) {
    const device_array<int> num_items(std::vector<int>{count});
    const deferred size{num_items.data(), 1000};
    output<u32> kept(1000), sums(1000);
    hindsight::copy_if_into(par, in.data(), size, kept.items.data(), kept.count.data(),
                            is_even_number{});
    kept.expect(std::vector<u32>(std::size_t(expected), 2), "copy_if_into");
    hindsight::inclusive_scan(par, in.data(), size, sums.items.data());
    EXPECT_TRUE(sums.items.is_untouched(std::size_t(expected)));
  }
}

/// What the chain leaves: runs of even items, their lengths, and where they begin.
struct chain {
  explicit chain(std::size_t n)
      : most{n}, in(n), kept(n), offsets(n), heads(n), lengths(n), counts(3) {}

  void enqueue(cudaStream_t stream) const {
    const auto policy = par_nosync.on(stream);
    const int* const num_in = counts.data();
    int* const num_kept = counts.data() + 1;
    int* const num_runs = counts.data() + 2;
    hindsight::copy_if_into(policy, in.data(), deferred{num_in, most}, kept.data(), num_kept,
                            is_even_number{});
    hindsight::sort(policy, kept.data(), deferred{num_kept, most});
    hindsight::run_length_encode_into(policy, kept.data(), deferred{num_kept, most}, heads.data(),
                                      lengths.data(), num_runs);
    hindsight::exclusive_scan(policy, lengths.data(), deferred{num_runs, most}, offsets.data(), 0);
  }
  /// Empty if they are right, else what is wrong.
  std::string check_against(std::vector<u32> items) const {
    std::vector<u32> expected_heads;
    std::vector<int> expected_lengths, expected_offsets;
    int place = 0;
    std::sort(items.begin(), items.end());
    for (const u32 item : items) {
      if (item % 2 != 0) continue;
      if (expected_heads.empty() || expected_heads.back() != item) {
        expected_heads.push_back(item);
        expected_lengths.push_back(0);
        expected_offsets.push_back(place);
      }
      ++expected_lengths.back();
      ++place;
    }
    const auto found = counts.to_host();
    if (found[1] != place) return std::to_string(found[1]) + " are kept";
    const std::size_t num_runs = expected_heads.size();
    if (std::size_t(found[2]) != num_runs) return std::to_string(found[2]) + " runs";
    return difference(heads.to_host(num_runs), expected_heads) +
           difference(lengths.to_host(num_runs), expected_lengths) +
           difference(offsets.to_host(num_runs), expected_offsets);
  }

  std::size_t most;
  device_array<u32> in, kept;
  device_array<int> offsets;
  device_array<u32> heads;
  device_array<int> lengths, counts;
};

TEST(Counts, ChainIsCapturedOnceAndReplayedAThousandTimes) {
  constexpr std::size_t most = 20000;
  const chain calls(most);
  const own_stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  calls.enqueue(stream);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  u32 random = 1;
  for (int round = 0; round < 1000; ++round) {
    const std::size_t n = round == 0 ? 0 : round == 1 ? most : std::size_t(random >> 8) % most;
    std::vector<u32> items(n);
    for (u32& item : items) {
      random = random * 1664525u + 1013904223u;
      item = (random >> 16) % 500;
    }
    calls.in.assign(items);
    calls.counts.assign({int(n), -7, -7});
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
    ASSERT_EQ(calls.check_against(items), "") << "replay " << round;
  }
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

}  // namespace hindsight_test
