// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alone: it specializes a template of the library
// Kernels that are pipelines, on few tiles: calls take them for many alone. Their results have the
// bits of kernels with a block for each tile.
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/run_length_encode.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/cuda/select.cuh>

#include <cuda/std/functional>

#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace hindsight_test {

/// x -> a * x + b modulo 2^32. Composition does not commute.
struct map8 {
  std::uint32_t a, b;
};
struct compose8 {
  HINDSIGHT_HD map8 operator()(const map8& f, const map8& g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
};

}  // namespace hindsight_test
template <>
inline constexpr bool
    hindsight::detail::cuda::is_light<hindsight_test::map8, hindsight_test::compose8> = true;

namespace hindsight_test {
namespace {

using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

template <class Tuning>
struct for_few_tiles : Tuning {
  static constexpr int pipeline_tiles_per_slot = 0;
};

/// Runs work(temp), asynchronous work in a temporary buffer, with the default stream.
template <class Work>
void run_in(std::size_t temp_bytes, Work work) {
  const device_array<unsigned char> temp(temp_bytes);
  check(work(static_cast<void*>(temp.data())));
  check(cudaDeviceSynchronize());
}

__global__ void no_work_kernel() {}

/// Whether this program has code of an architecture with bulk copies that this device runs, and the
/// device has the shared memory.
bool has_pipelines() {
  int device = 0, major = 0, architecture = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  check(architecture_of_code<no_work_kernel>(architecture));
  return architecture >= 90 && major >= 9 && major < 12;  // by shared memory
}

/// By a block for each tile, then by a pipeline into `out` (the input, if null).
template <class Kind, class T, class Op, class Init>
void expect_same_scan(const std::vector<T>& items, Op op, Init init, bool in_place) {
  using tuning = for_few_tiles<scan_tuning<T>>;
  const std::size_t n = items.size();
  SCOPED_TRACE(testing::Message() << "n = " << n << ", in place: " << in_place);
  const device_array<T> in(items), expected(n), own(n);
  T* const out = in_place ? in.data() : own.data();
  std::size_t bytes = 0;
  const auto by_blocks = [&](void* temp) {
    return scan<T, Kind>(temp, bytes, in.data(), expected.data(), n, op, init, 0);
  };
  check(by_blocks(nullptr));
  run_in(bytes, by_blocks);
  run_in(bytes, [&](void* temp) {
    carver space{temp};
    tile_chain<T> chain{space, n, tuning::shape.tile_items()};
    bool launched = false;
    HINDSIGHT_TRY(
        (scan_in_pipeline<tuning, Kind>(space, in.data(), out, n, op, init, chain, 0, launched)));
    EXPECT_TRUE(launched);
    return cudaPeekAtLastError();
  });
  const std::vector<T> actual(in_place ? in.to_host() : own.to_host());
  EXPECT_EQ(difference(actual, expected.to_host()), "");
  EXPECT_TRUE(own.is_untouched(in_place ? 0 : n));
}

/// Two tiles, a ring's worth, more tiles than the blocks have slots; parts of a tile and a window.
std::vector<std::size_t> some_sizes(std::size_t tile) {
  return {tile + 1, 2 * tile, 7 * tile - 31, 33 * tile + 1, 900 * tile + 5};
}

template <class T>
using fold_of = std::conditional_t<std::is_same_v<T, map8>, compose8, ::cuda::std::plus<T>>;

template <class T>
std::vector<T> items_of(std::size_t n) {
  if constexpr (std::is_same_v<T, map8>) {
    std::vector<map8> maps(n);
    std::uint32_t bits = 1;
    for (map8& map : maps) {
      bits = bits * 1664525u + 1013904223u;
      map = {bits >> 3 | 1, bits >> 7};
    }
    return maps;
  } else if constexpr (std::is_floating_point_v<T>) {
    return rough_items<T>(n);
  } else {
    return random_items<T>(n);
  }
}

template <class T>
class scan_pipeline : public testing::Test {};
using scanned = testing::Types<float, std::uint64_t, map8>;
TYPED_TEST_SUITE(scan_pipeline, scanned);

TYPED_TEST(scan_pipeline, has_the_bits_of_blocks) {
  if (!has_pipelines()) GTEST_SKIP() << "no room for a pipeline";
  using T = TypeParam;
  for (const std::size_t n : some_sizes(scan_tuning<T>::shape.tile_items())) {
    const std::vector<T> items = items_of<T>(n);
    expect_same_scan<inclusive>(items, fold_of<T>{}, no_init{}, n % 2 == 0);
    expect_same_scan<exclusive>(items, fold_of<T>{}, items[7], n % 2 == 1);
  }
}

template <class T>
struct below {
  T limit;
  HINDSIGHT_HD bool operator()(const T& item) const { return item < limit; }
};

/// Selected items and then the others, in input order and from the end, against a loop on the CPU.
template <class T>
void expect_same_partition(const std::vector<T>& items, T limit, bool in_place) {
  using tuning = for_few_tiles<select_tuning<T>>;
  const std::size_t n = items.size();
  SCOPED_TRACE(testing::Message() << "n = " << n << ", in place: " << in_place);
  const below<T> is_below{limit};
  std::vector<T> selected, others;
  for (const T& item : items) (is_below(item) ? selected : others).push_back(item);
  const device_array<T> in(items), own(n), rejected(others.size());
  const device_array<std::size_t> count(1);
  T* const out = in_place ? in.data() : own.data();

  const auto run = [&](auto where) {
    carver space{nullptr};
    const tile_chain<std::uint64_t> board{space, n, tuning::shape.tile_items()};
    run_in(space.bytes(), [&](void* temp) {
      bool launched = false;
      HINDSIGHT_TRY((select_in_pipeline<tuning>(
          temp, in.data(), out, where, count.data(), n, is_below,
          in_place ? hand_over::memory : hand_over::values, 0, launched)));
      EXPECT_TRUE(launched);
      return cudaPeekAtLastError();
    });
    EXPECT_EQ(count.to_host()[0], selected.size());
    std::vector<T> actual = in_place ? in.to_host() : own.to_host();
    actual.resize(selected.size());
    EXPECT_EQ(difference(actual, selected), "");
  };
  if (sizeof(T) == 4 || !in_place) run(discard_rejected{});
  if (!in_place) EXPECT_TRUE(own.is_untouched(selected.size()));
  if constexpr (sizeof(T) > 4) {  // partitions of 4-byte items are no pipelines
    run(keep_rejected<T*>{rejected.data()});
    EXPECT_EQ(difference(rejected.to_host(), others), "");
    EXPECT_TRUE(rejected.is_untouched(others.size()));
    if (in_place) return;
    run(reverse_rejected<T*, std::size_t>{own.data(), n});
    std::vector<T> from_the_end = own.to_host();
    std::reverse(from_the_end.begin(), from_the_end.end());
    from_the_end.resize(others.size());
    EXPECT_EQ(difference(from_the_end, others), "");
  }
}

template <class T>
class select_pipeline : public testing::Test {};
using selected = testing::Types<std::int32_t, double>;
TYPED_TEST_SUITE(select_pipeline, selected);

TYPED_TEST(select_pipeline, is_a_loop) {
  if (!has_pipelines()) GTEST_SKIP() << "no room for a pipeline";
  using T = TypeParam;
  for (const std::size_t n : some_sizes(select_tuning<T>::pipeline_shape.tile_items())) {
    std::vector<T> items(n);
    std::uint32_t bits = 1;
    for (T& item : items) item = T((bits = bits * 1664525u + 1013904223u) >> 8);
    for (const T limit : {T(0), T(9'000'000), T(1 << 24)}) {
      expect_same_partition<T>(items, limit, false);
      expect_same_partition<T>(items, limit, true);
    }
  }
}

template <class Value>
class by_key_pipeline : public testing::Test {
 protected:
  /// By a block for each tile, then by a pipeline.
  static void expect_same(const std::vector<std::int32_t>& keys, const std::vector<Value>& values) {
    using tuning = for_few_tiles<reduce_by_key_tuning<std::int32_t, Value>>;
    const std::size_t n = keys.size();
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const device_array<std::int32_t> keys_in(keys), expected_keys(n), own_keys(n);
    const device_array<Value> values_in(values), expected_values(n), own_values(n);
    const device_array<std::size_t> expected_count(1), count(1);
    const ::cuda::std::plus<> op;
    const ::cuda::std::equal_to<> equal;
    std::size_t bytes = 0;
    const auto by_blocks = [&](void* temp) {
      return reduce_by_key<Value>(temp, bytes, keys_in.data(), values_in.data(),
                                  expected_keys.data(), expected_values.data(),
                                  expected_count.data(), n, equal, op, 0);
    };
    check(by_blocks(nullptr));
    run_in(bytes, by_blocks);
    run_in(bytes, [&](void* temp) {
      carver space{temp};
      tile_chain<open_run<Value>> chain{space, n, tuning::shape.tile_items()};
      bool launched = false;
      HINDSIGHT_TRY((reduce_by_key_in_pipeline<tuning, Value>(
          space, keys_in.data(), values_in.data(), own_keys.data(), own_values.data(), count.data(),
          n, equal, op, chain, 0, launched)));
      EXPECT_TRUE(launched);
      return cudaPeekAtLastError();
    });
    const std::size_t runs = expected_count.to_host()[0];
    ASSERT_EQ(count.to_host()[0], runs);
    const auto first = [runs](auto items) { return items.resize(runs), items; };
    EXPECT_EQ(difference(first(own_keys.to_host()), first(expected_keys.to_host())), "");
    EXPECT_EQ(difference(first(own_values.to_host()), first(expected_values.to_host())), "");
    EXPECT_TRUE(own_keys.is_untouched(runs));
    EXPECT_TRUE(own_values.is_untouched(runs));
  }
};
using summed = testing::Types<float, std::uint64_t>;
TYPED_TEST_SUITE(by_key_pipeline, summed);

TYPED_TEST(by_key_pipeline, reductions_have_the_bits_of_blocks) {
  if (!has_pipelines()) GTEST_SKIP() << "no room for a pipeline";
  using tuning = reduce_by_key_tuning<std::int32_t, TypeParam>;
  const std::size_t tile = tuning::shape.tile_items();
  for (const std::size_t n : {tile + 1, 2 * tile, 33 * tile - 31, 700 * tile + 5}) {
    const std::vector<TypeParam> values = items_of<TypeParam>(n);
    for (const runs kind : {runs::of_one, runs::random, runs::all_equal})
      this->expect_same(items_in_runs<std::int32_t>(n, kind), values);
  }
}

/// By a block for each tile, then by a pipeline into the values.
template <class Value>
void expect_same_scan_by_key(const std::vector<std::int32_t>& keys,
                             const std::vector<Value>& values) {
  using tuning = for_few_tiles<scan_by_key_tuning<std::int32_t, Value>>;
  const std::size_t n = keys.size();
  SCOPED_TRACE(testing::Message() << "n = " << n);
  const device_array<std::int32_t> keys_in(keys);
  const device_array<Value> data(values), expected(n);
  const ::cuda::std::plus<> op;
  const ::cuda::std::equal_to<> equal;
  std::size_t bytes = 0;
  const auto by_blocks = [&](void* temp) {
    return scan_by_key<Value, exclusive>(temp, bytes, keys_in.data(), data.data(), expected.data(),
                                         n, equal, op, values[5], 0);
  };
  check(by_blocks(nullptr));
  run_in(bytes, by_blocks);
  run_in(bytes, [&](void* temp) {
    carver space{temp};
    tile_chain<open_run<Value>> chain{space, n, tuning::shape.tile_items()};
    bool launched = false;
    HINDSIGHT_TRY(
        (scan_by_key_in_pipeline<tuning, exclusive>(space, keys_in.data(), data.data(), data.data(),
                                                    n, equal, op, values[5], chain, 0, launched)));
    EXPECT_TRUE(launched);
    return cudaPeekAtLastError();
  });
  EXPECT_EQ(difference(data.to_host(), expected.to_host()), "");
}

TYPED_TEST(by_key_pipeline, scans_have_the_bits_of_blocks) {
  if (!has_pipelines()) GTEST_SKIP() << "no room for a pipeline";
  const std::size_t tile = scan_by_key_tuning<std::int32_t, TypeParam>::shape.tile_items();
  for (const std::size_t n : {tile + 1, 2 * tile, 33 * tile - 31, 700 * tile + 5}) {
    const std::vector<TypeParam> values = items_of<TypeParam>(n);
    for (const runs kind : {runs::of_one, runs::random, runs::all_equal})
      expect_same_scan_by_key(items_in_runs<std::int32_t>(n, kind), values);
  }
}

template <class T>
class run_length_pipeline : public testing::Test {
 protected:
  /// Against a loop on the CPU.
  static void expect_same(const std::vector<T>& items) {
    using tuning = for_few_tiles<run_length_tuning<T>>;
    const std::size_t n = items.size();
    SCOPED_TRACE(testing::Message() << "n = " << n);
    std::vector<T> expected;
    std::vector<std::int32_t> expected_lengths;
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && items[i] == items[i - 1]) {
        ++expected_lengths.back();
      } else {
        expected.push_back(items[i]);
        expected_lengths.push_back(1);
      }
    }
    const std::size_t runs = expected.size();
    const device_array<T> in(items), unique(runs);
    const device_array<std::int32_t> lengths(runs);
    const device_array<std::size_t> count(1);
    const every_run<T*, std::int32_t*> out{unique.data(), lengths.data()};
    carver board{nullptr};
    const tile_chain<runs_begun> measure{board, n, tuning::shape.tile_items()};
    run_in(board.bytes(), [&](void* temp) {
      carver space{temp};
      tile_chain<runs_begun> chain{space, n, tuning::shape.tile_items()};
      bool launched = false;
      HINDSIGHT_TRY((encode_runs_in_pipeline<tuning>(
          space, in.data(), out, count.data(), n, ::cuda::std::equal_to<>{}, chain, 0, launched)));
      EXPECT_TRUE(launched);
      return cudaPeekAtLastError();
    });
    ASSERT_EQ(count.to_host()[0], runs);
    EXPECT_EQ(difference(unique.to_host(), expected), "");
    EXPECT_EQ(difference(lengths.to_host(), expected_lengths), "");
    EXPECT_TRUE(unique.is_untouched(runs));
    EXPECT_TRUE(lengths.is_untouched(runs));
  }
};
static_assert(!run_length_suits_pipeline<__int128>, "GNU dialects of C++ call it arithmetic");
using encoded = testing::Types<std::int32_t, double>;
TYPED_TEST_SUITE(run_length_pipeline, encoded);

TYPED_TEST(run_length_pipeline, is_a_loop) {
  if (!has_pipelines()) GTEST_SKIP() << "no room for a pipeline";
  for (const std::size_t n : some_sizes(run_length_tuning<TypeParam>::shape.tile_items())) {
    for (const runs kind : {runs::of_one, runs::random, runs::all_equal})
      this->expect_same(items_in_runs<TypeParam>(n, kind));
  }
}

}  // namespace
}  // namespace hindsight_test
