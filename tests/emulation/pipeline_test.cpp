// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Pipelines: few slots, so that they go round, several windows, and a last tile that lacks items.
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/run_length_encode.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/cuda/scan_ranges.cuh>
#include <hindsight/detail/cuda/scan_segments.cuh>
#include <hindsight/detail/cuda/select.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

using namespace emulation;

template <int LaneItems>
struct tiny_pipeline {
  static constexpr tile_shape shape{LaneItems, 2}, pipeline_shape = shape;
  static constexpr int min_blocks = 1;
  static constexpr int pipeline_slots = 2, pipeline_tiles_per_slot = 0;
};
template <>
struct scan_tuning<std::uint32_t> : tiny_pipeline<4> {};
template <>
struct scan_tuning<affine<std::uint32_t, 0>> : tiny_pipeline<2> {};
template <>
struct select_tuning<std::uint32_t> : tiny_pipeline<4> {};
template <>
struct select_tuning<std::uint64_t> : tiny_pipeline<2> {};
template <class T>
struct reduce_by_key_tuning<std::int32_t, T> : tiny_pipeline<4> {};
template <class T>
struct scan_by_key_tuning<std::int32_t, T> : tiny_pipeline<4> {};
template <>
struct run_length_tuning<std::int32_t> : tiny_pipeline<4> {};
struct tiny_segment_pipeline : tiny_pipeline<4> {
  static constexpr int chunk_blocks = 1, mark_warps = 2;
  static constexpr std::size_t most_chunks = 12;
};
/// Its board, of as many places as there may be chunks, is emptied by a kernel.
struct tiny_segment_pipeline_of_many_chunks : tiny_segment_pipeline {
  static constexpr std::size_t most_chunks = 70;
};
template <>
struct segment_scan_tuning<std::int32_t> : tiny_segment_pipeline_of_many_chunks {};
template <>
struct segment_scan_tuning<std::uint32_t> : tiny_segment_pipeline {};
template <>
struct segment_scan_tuning<affine<std::uint32_t, 0>> : tiny_segment_pipeline {};

}  // namespace HINDSIGHT_ARCH_ABI

template <class T>
inline constexpr bool cuda::is_light<T, add> = true;
template <class T>
inline constexpr bool cuda::is_light<T, compose> = true;

}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

struct is_odd {
  template <class T>
  bool operator()(T item) const {
    return item % 2 != 0;
  }
};

/// An exclusive scan in place, from items[0].
template <class T>
experiment scan_in_place(std::size_t n) {
  using op = operator_of<T>;
  const auto items = random_items<T>(n);
  auto expected = items;
  T fold = items[0];
  for (std::size_t i = 0; i < n; ++i) {
    expected[i] = fold;
    fold = op{}(fold, items[i]);
  }
  const auto data = std::make_shared<device_array<T>>(items);
  const auto call = std::make_shared<two_phases>([=](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::scan<T, exclusive>(temp, bytes, data->data(), data->data(), n,
                                                       op{}, items[0], nullptr);
  });
  return {[=] { data->assign(items); }, [=] { (*call)(); },
          [=] { return difference(data->to_host(), expected); }};
}

enum class places { apart, in_place };

/// In place, a tile overwrites what earlier tiles have read. Apart, there is no place behind the
/// output.
experiment select_items(std::size_t n, places where) {
  const auto items = random_items<std::uint32_t>(n);
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t item : items)
    if (is_odd{}(item)) expected.push_back(item);
  const auto data = std::make_shared<device_array<std::uint32_t>>(items);
  const auto out = where == places::in_place
                       ? data
                       : std::make_shared<device_array<std::uint32_t>>(expected.size());
  const auto count = std::make_shared<device_array<std::size_t>>(1);
  const auto call = std::make_shared<two_phases>([=](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::select(temp, bytes, data->data(), input_is_stencil{},
                                           out->data(), discard_rejected{}, count->data(), n,
                                           is_odd{}, nullptr);
  });
  return {[=] {
            out->poison();
            data->assign(items);
            count->poison();
          },
          [=] { (*call)(); },
          [=]() -> std::string {
            if (count->to_host()[0] != expected.size()) return "the count is wrong";
            return difference(out->to_host(expected.size()), expected);
          }};
}

/// Into two arrays, or in place, with the rejected items behind the others.
experiment partition_items(std::size_t n, places where) {
  using item = std::uint64_t;
  const auto items = random_items<item>(n);
  std::vector<item> odd, even;
  for (const item i : items) (is_odd{}(i) ? odd : even).push_back(i);
  const auto data = std::make_shared<device_array<item>>(items);
  const auto selected = std::make_shared<device_array<item>>(odd.size());
  const auto rejected = std::make_shared<device_array<item>>(even.size());
  const auto count = std::make_shared<device_array<std::size_t>>(1);
  const auto call = std::make_shared<two_phases>([=](void* temp, std::size_t& bytes) {
    if (where == places::in_place)
      return partition_in_place<in_input_order>(temp, bytes, data->data(), input_is_stencil{},
                                                count->data(), n, is_odd{}, nullptr);
    return hindsight::detail::cuda::select(temp, bytes, data->data(), input_is_stencil{},
                                           selected->data(), keep_rejected<item*>{rejected->data()},
                                           count->data(), n, is_odd{}, nullptr);
  });
  return {[=] {
            data->assign(items);
            selected->poison();
            rejected->poison();
            count->poison();
          },
          [=] { (*call)(); },
          [=]() -> std::string {
            if (count->to_host()[0] != odd.size()) return "the count is wrong";
            if (where == places::apart)
              return difference(selected->to_host(), odd) + difference(rejected->to_host(), even);
            auto expected = odd;
            expected.insert(expected.end(), even.begin(), even.end());
            return difference(data->to_host(), expected);
          }};
}

/// The last key and the fold of each run, of values whose operator does not commute.
template <class T>
experiment reduce_runs(std::size_t n) {
  using key = std::int32_t;
  using op = operator_of<T>;
  const auto keys = items_in_runs<key>(n);
  const auto values = random_items<T>(n);
  std::vector<key> run_keys;
  std::vector<T> folds;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) {
      folds.back() = op{}(folds.back(), values[i]);
    } else {
      run_keys.push_back(keys[i]);
      folds.push_back(values[i]);
    }
  }
  const auto keys_in = std::make_shared<device_array<key>>(keys);
  const auto values_in = std::make_shared<device_array<T>>(values);
  const auto keys_out = std::make_shared<device_array<key>>(run_keys.size());
  const auto values_out = std::make_shared<device_array<T>>(folds.size());
  const auto count = std::make_shared<device_array<std::size_t>>(1);
  const auto call = std::make_shared<two_phases>([=](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::reduce_by_key<T>(
        temp, bytes, keys_in->data(), values_in->data(), keys_out->data(), values_out->data(),
        count->data(), n, ::cuda::std::equal_to<>{}, op{}, nullptr);
  });
  return {[=] {
            count->poison();
            keys_out->poison();
            values_out->poison();
          },
          [=] { (*call)(); },
          [=]() -> std::string {
            if (count->to_host()[0] != run_keys.size()) return "the count is wrong";
            return difference(keys_out->to_host(run_keys.size()), run_keys) +
                   difference(values_out->to_host(run_keys.size()), folds);
          }};
}

experiment encode_runs(std::size_t n) {
  using key = std::int32_t;
  const auto items = items_in_runs<key>(n);
  std::vector<key> unique;
  std::vector<int> lengths;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && items[i] == items[i - 1]) {
      ++lengths.back();
    } else {
      unique.push_back(items[i]);
      lengths.push_back(1);
    }
  }
  const auto in = std::make_shared<device_array<key>>(items);
  const auto unique_out = std::make_shared<device_array<key>>(unique.size());
  const auto lengths_out = std::make_shared<device_array<int>>(lengths.size());
  const auto count = std::make_shared<device_array<std::size_t>>(1);
  const auto call = std::make_shared<two_phases>([=](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::run_length_encode(temp, bytes, in->data(), unique_out->data(),
                                                      lengths_out->data(), count->data(), n,
                                                      ::cuda::std::equal_to<>{}, nullptr);
  });
  return {[=] {
            count->poison();
            unique_out->poison();
            lengths_out->poison();
          },
          [=] { (*call)(); },
          [=]() -> std::string {
            if (count->to_host()[0] != unique.size()) return "the count is wrong";
            return difference(unique_out->to_host(unique.size()), unique) +
                   difference(lengths_out->to_host(unique.size()), lengths);
          }};
}

/// In place, of values whose operator does not commute.
template <class T>
experiment scan_runs(std::size_t n) {
  using key = std::int32_t;
  using op = operator_of<T>;
  const auto keys = items_in_runs<key>(n);
  const auto values = random_items<T>(n);
  auto expected = values;
  for (std::size_t i = 1; i < n; ++i)
    if (keys[i] == keys[i - 1]) expected[i] = op{}(expected[i - 1], values[i]);
  const auto keys_in = std::make_shared<device_array<key>>(keys);
  const auto data = std::make_shared<device_array<T>>(values);
  const auto call = std::make_shared<two_phases>([=](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::scan_by_key<T, inclusive>(
        temp, bytes, keys_in->data(), data->data(), data->data(), n, ::cuda::std::equal_to<>{},
        op{}, no_init{}, nullptr);
  });
  return {[=] { data->assign(values); }, [=] { (*call)(); },
          [=] { return difference(data->to_host(), expected); }};
}

/// In place, of values whose operator does not commute. Segments of all lengths up to three tiles,
/// and many empty ones in a row. `first`: where the first one begins. `is_known`: how many items
/// there are in all.
template <class T>
experiment scan_segments_in_place(std::size_t n, int first, bool is_known) {
  using op = operator_of<T>;
  std::mt19937 random{unsigned(n)};
  std::vector<int> offsets{first};
  while (offsets.back() < int(n)) {
    const unsigned kind = random() % 16;
    if (kind == 0) offsets.insert(offsets.end(), random() % 300, offsets.back());
    const unsigned most = kind < 10 ? 4 : kind < 14 ? 60 : 800;
    offsets.push_back(std::min(int(n), offsets.back() + int(random() % most)));
  }
  offsets.insert(offsets.begin() + std::ptrdiff_t(offsets.size() / 2), 2100,
                 offsets[offsets.size() / 2]);
  const std::size_t num_segments = offsets.size() - 1;
  const auto values = random_items<T>(n);
  auto expected = values;
  for (std::size_t s = 0; s < num_segments; ++s)
    for (int i = offsets[s] + 1; i < offsets[s + 1]; ++i)
      expected[std::size_t(i)] = op{}(expected[std::size_t(i - 1)], values[std::size_t(i)]);
  const auto offsets_in = std::make_shared<device_array<int>>(offsets);
  const auto data = std::make_shared<device_array<T>>(values);
  const auto call = std::make_shared<two_phases>([=](void* temp, std::size_t& bytes) {
    const int* const begins = offsets_in->data();
    if (is_known)
      return hindsight::detail::cuda::scan_segments<T, inclusive>(temp, bytes, data->data(), begins,
                                                                  num_segments, n, data->data(),
                                                                  op{}, no_init{}, nullptr);
    return scan_ranges<T, inclusive>(temp, bytes, data->data(), begins, begins + 1, begins,
                                     num_segments, data->data(), op{}, no_init{}, nullptr);
  });
  return {[=] { data->assign(values); }, [=] { (*call)(); },
          [=] { return difference(data->to_host(), expected); }};
}

TEST(pipeline, scans_words) {
  EXPECT_EQ(try_on_machines(15, scan_in_place<std::uint32_t>(36 * 256 - 100)), "");
}
TEST(pipeline, scans_what_does_not_commute) {
  EXPECT_EQ(try_on_machines(15, scan_in_place<affine<std::uint32_t, 0>>(34 * 128 + 1)), "");
}
TEST(pipeline, selects_in_place) {
  EXPECT_EQ(try_on_machines(15, select_items(20 * 256 - 3, places::in_place)), "");
}
TEST(pipeline, selects_elsewhere) {
  EXPECT_EQ(try_on_machines(5, select_items(20 * 256 - 3, places::apart)), "");
}
TEST(pipeline, partitions) {
  EXPECT_EQ(try_on_machines(5, partition_items(20 * 128 - 3, places::apart)), "");
  EXPECT_EQ(try_on_machines(5, partition_items(20 * 128 - 3, places::in_place)), "");
}
TEST(pipeline, reduces_by_key) {
  EXPECT_EQ(try_on_machines(5, reduce_runs<std::uint32_t>(34 * 256 - 100)), "");
}
TEST(pipeline, reduces_by_key_what_does_not_commute) {
  EXPECT_EQ(try_on_machines(5, reduce_runs<affine<std::uint32_t, 0>>(10 * 256)), "");
}
TEST(pipeline, scans_by_key) {
  EXPECT_EQ((try_on_machines(5, scan_runs<affine<std::uint32_t, 0>>(34 * 256 - 100))), "");
}
TEST(pipeline, scans_segments) {
  using item = affine<std::uint32_t, 0>;
  EXPECT_EQ(try_on_machines(5, scan_segments_in_place<item>(34 * 256 - 100, 0, true)), "");
  EXPECT_EQ(try_on_machines(3, scan_segments_in_place<item>(9 * 256, 3, true)), "")
      << "not a multiple of 16 bytes";
  EXPECT_EQ(try_on_machines(5, scan_segments_in_place<item>(9 * 256 + 1, 0, false)), "");
  EXPECT_EQ(try_on_machines(3, scan_segments_in_place<item>(200, 0, false)), "") << "one tile";
  EXPECT_EQ(try_on_machines(3, scan_segments_in_place<item>(200, 200, false)), "") << "no items";
  EXPECT_EQ(try_on_machines(3, scan_segments_in_place<item>(30 * 256 + 5, 0, false)), "")
      << "more tiles than places";
  bytes_of_allocations = 100;
  EXPECT_EQ(try_on_machines(3, scan_segments_in_place<item>(9 * 256 + 1, 0, false)), "")
      << "more than was allocated, as memory that was mapped piece by piece has";
  bytes_of_allocations = 0;
}
TEST(pipeline, encodes_runs) {
  EXPECT_EQ(try_on_machines(5, encode_runs(34 * 256 - 100)), "");
}
TEST(pipeline, starts_while_a_kernel_empties_the_board) {  // boards of 64 tiles and more
  EXPECT_EQ(try_on_machines(2, scan_in_place<std::uint32_t>(66 * 256 - 100)), "");
  EXPECT_EQ(try_on_machines(2, select_items(66 * 256 - 3, places::in_place)), "");
  EXPECT_EQ(try_on_machines(2, reduce_runs<std::uint32_t>(66 * 256 - 100)), "");
  EXPECT_EQ((try_on_machines(2, scan_runs<affine<std::uint32_t, 0>>(66 * 256 - 100))), "");
  EXPECT_EQ(try_on_machines(2, encode_runs(66 * 256 - 100)), "");
  EXPECT_EQ(try_on_machines(2, scan_segments_in_place<std::uint32_t>(66 * 256, 0, true)), "");
  EXPECT_EQ(try_on_machines(2, scan_segments_in_place<std::uint32_t>(9 * 256, 0, false)), "");
  EXPECT_EQ(try_on_machines(2, scan_segments_in_place<std::uint32_t>(72 * 256, 0, false)), "")
      << "more tiles than places";
}
/// The arrival that hands over a tile's number: arrive_when_copied() releases as well here, but on
/// a GPU it says so of copies alone.
const std::string number = "pipeline.cuh release";
/// A slot that is free before it is waited for is rare in a ring of two.
const std::string free_slot = "pipeline.cuh acquire";

TEST(pipeline, scans_need_every_ordering) {
  // The carry's barrier is there for tiles that hand over memory; a partial load has one too many.
  expect_all_needed(
      10, scan_in_place<std::uint32_t>(6 * 256 - 100),
      {number, free_slot, "pipeline.cuh __syncwarp()", "staged_warp.cuh __syncwarp()"});
}
TEST(pipeline, selections_need_every_ordering) {
  expect_all_needed(10, select_items(6 * 256 - 98, places::in_place), {number, free_slot});
}
TEST(pipeline, reductions_by_key_need_every_ordering) {
  expect_all_needed(10, reduce_runs<std::uint32_t>(6 * 256 - 98),
                    {number, free_slot, "staged_warp.cuh __syncwarp()"});
}
TEST(pipeline, scans_of_segments_need_every_ordering) {
  expect_all_needed(10, scan_segments_in_place<std::uint32_t>(6 * 256 - 98, 0, true),
                    {number, free_slot, "staged_warp.cuh __syncwarp()"});
}
TEST(pipeline, run_lengths_need_every_ordering) {
  expect_all_needed(10, encode_runs(6 * 256 - 98),
                    {number, free_slot, "staged_warp.cuh __syncwarp()"});
}

}  // namespace
