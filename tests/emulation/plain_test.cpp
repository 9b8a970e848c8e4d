// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Kernels in which no block waits for another: differences, searches, columns, outputs, rows.
#include <hindsight/detail/tuning/segments.h>
#include <hindsight/detail/tuning/select.h>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

using emulation::affine;

struct tiny_tiles {
  static constexpr tile_shape shape{2, 2};
  static constexpr int min_blocks = 1;
  static constexpr std::size_t most_chunks = 8;
};
template <>
struct select_tuning<std::uint32_t> : tiny_tiles {};
template <>
struct select_tuning<std::uint16_t> : tiny_tiles {};  // two neighbours in a word
template <>
struct select_tuning<affine<std::uint64_t, 8>> : tiny_tiles {};
template <>
struct output_tuning<std::size_t> {
  static constexpr tile_shape shape{8, 2};
  static constexpr int min_blocks = 1;
  static constexpr std::size_t blocks = 3, fewest_members = 48;
  static constexpr int offsets_at_once = 2, copied_at_once = 2, visited_at_once = 2;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

#include <hindsight/detail/cuda/adjacent_difference.cuh>
#include <hindsight/detail/cuda/find.cuh>
#include <hindsight/detail/cuda/for_each_index.cuh>
#include <hindsight/detail/cuda/for_each_output.cuh>
#include <hindsight/detail/cuda/row_offsets.cuh>
#include <hindsight/detail/cuda/scan_columns.cuh>
#include <hindsight/detail/cuda/summed_area_table.cuh>

/// The item, in a copy that loads ahead: its number and nothing else.
struct copy_numbers {
  using item_type = std::uint64_t;
  const std::uint64_t* items;
  std::uint64_t* out;
  const std::uint64_t* items_from(std::size_t item) const { return items + item; }
  std::uint64_t* outputs_from(std::size_t output) const { return out + output; }
};

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {
template <>
inline constexpr bool loads_ahead<copy_numbers> = true;
}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

template <class T>
class difference_of {
 public:
  difference_of(std::size_t n, bool in_place)
      : items_{random_items<T>(n)},
        expected_{items_},
        in_{items_},
        out_{n},
        output_{in_place ? in_.data() : out_.data()},
        call_{[=](void* temp, std::size_t& bytes) {
          return adjacent_difference(temp, bytes, in_.data(), output_, n, operator_of<T>{},
                                     nullptr);
        }} {
    for (std::size_t i = 1; i < n; ++i) expected_[i] = operator_of<T>{}(items_[i], items_[i - 1]);
  }
  experiment make() {
    return {[this] {
              in_.assign(items_);
              out_.poison();
            },
            [this] { call_(); },
            [this] {
              return difference({output_, output_ + items_.size()}, expected_);
            }};
  }

 private:
  std::vector<T> items_, expected_;
  device_array<T> in_, out_;
  T* output_;
  two_phases call_;
};

template <class T>
class differences : public testing::Test {};
using types = testing::Types<std::uint32_t, std::uint16_t, affine<std::uint64_t, 8>>;
TYPED_TEST_SUITE(differences, types);

TYPED_TEST(differences, of_neighbours) {
  for (const std::size_t n : {1, 128, 1000, 1111})
    for (const bool in_place : {false, true}) {
      difference_of<TypeParam> one{n, in_place};
      EXPECT_EQ(try_on_machines(20, one.make()), "") << n << (in_place ? " in place" : "");
    }
}
TYPED_TEST(differences, need_every_ordering) {
  difference_of<TypeParam> one{1111, true};
  expect_all_needed(40, one.make());
}

struct is_at_least {
  std::uint32_t level;
  bool operator()(std::uint32_t item) const { return item >= level; }
};
/// Items that rise: the first is found where it is asked for.
experiment search(std::size_t n, std::size_t place) {
  std::vector<std::uint32_t> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = std::uint32_t(i);
  const auto in = std::make_shared<device_array<std::uint32_t>>(items);
  const auto result = std::make_shared<device_array<std::size_t>>(1);
  two_phases call{[=](void* temp, std::size_t& bytes) {
    return find(temp, bytes, in->data(), n, is_at_least{std::uint32_t(place)}, result->data(),
                nullptr);
  }};
  return {[=] { result->poison(); }, call,
          [=] {
            return *result->data() == place ? std::string{}
                                            : "found at " + std::to_string(*result->data());
          }};
}
TEST(searches, find_the_first) {
  for (const std::size_t place : {0, 63, 128, 3000, 3999, 4000})
    EXPECT_EQ(try_on_machines(30, search(4000, place)), "") << place;
}
TEST(searches, need_every_ordering) {
  // Late, so that no block stops before; in a second warp, whose first one counts the block.
  // The count's orders are needed by threads that would read the same old place again, which the
  // emulated memory does not show them twice (see atomic_load()).
  expect_all_needed(50, search(4000, 3910),
                    {"launch_state.cuh acquire", "launch_state.cuh release"});
}

TEST(columns, are_scanned_in_place) {
  constexpr std::size_t width = 300, height = 2 * band_rows + 5, pitch = 310;
  using T = affine<std::uint32_t, 0>;
  const auto items = random_items<T>(pitch * height);
  auto expected = items;
  for (std::size_t y = 1; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      expected[y * pitch + x] = compose{}(expected[(y - 1) * pitch + x], items[y * pitch + x]);
  const auto image = std::make_shared<device_array<T>>(items);
  two_phases call{[=](void* temp, std::size_t& bytes) {
    return scan_columns<T>(temp, bytes, image->data(), width, height, pitch, compose{}, nullptr);
  }};
  const experiment one{[=] { image->assign(items); }, call,
                       [=] { return difference(image->to_host(), expected); }};
  EXPECT_EQ(try_on_machines(4, one), "");
}

/// The table of a picture, whose order does not matter, and which is the input in place.
template <class Op = std::plus<std::uint64_t>>
experiment table_of(std::size_t width, std::size_t height, bool in_place, Op op = {}) {
  using T = std::uint64_t;
  const std::size_t pitch = width + 5;
  const std::vector<T> items = random_items<T>(pitch * height);
  std::vector<T> expected = in_place ? items : std::vector<T>(items.size(), 7);
  for (std::size_t y = 0; y < height; ++y) {
    T row = 0;
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t at = y * pitch + x;
      row = x > 0 ? op(row, items[at]) : items[at];
      expected[at] = y > 0 ? op(expected[at - pitch], row) : row;
    }
  }
  const auto in = std::make_shared<device_array<T>>(items);
  const auto out = in_place ? in : std::make_shared<device_array<T>>(items.size());
  two_phases call{[=](void* temp, std::size_t& bytes) {
    return summed_area_table<T>(temp, bytes, in->data(), pitch, out->data(), pitch,
                                table_layout<T>{width, height}, op, nullptr);
  }};
  return {[=] {
            out->assign(std::vector<T>(items.size(), 7));
            in->assign(items);
          },
          call, [=] { return difference(out->to_host(), expected); }};
}
TEST(tables, of_pictures) {
  EXPECT_EQ(try_on_machines(2, table_of(300, 2 * table_rows + 5, false)), "");
  EXPECT_EQ(try_on_machines(2, table_of(300, 2 * table_rows + 5, true)), "");
  EXPECT_EQ(try_on_machines(2, table_of(65, 3, true)), "");
  EXPECT_EQ(try_on_machines(2, table_of(257, 65 * table_rows, false)), "");
}
TEST(tables, of_maxima) {
  const auto greatest = [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; };
  EXPECT_EQ(try_on_machines(2, table_of(300, 2 * table_rows + 5, false, greatest)), "");
}

/// Which item and which of its outputs an output is.
struct note_output {
  std::uint64_t* out;
  void operator()(std::size_t item, std::size_t number, std::size_t output) const {
    out[output] = item << 32 | number;
  }
};
experiment outputs(bool are_copies, std::size_t num_items = 900, unsigned seed = 3) {
  std::vector<int> offsets{5};
  std::mt19937 random{seed};
  while (offsets.size() <= num_items)
    offsets.push_back(offsets.back() + int(random() % 8 == 0 ? random() % 300 : random() % 3));
  const std::size_t n = std::size_t(offsets.back());
  std::vector<std::uint64_t> expected(n, 7), numbers;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    numbers.push_back(s << 32);
    for (int j = offsets[s]; j < offsets[s + 1]; ++j)
      expected[std::size_t(j)] = s << 32 | (are_copies ? 0 : unsigned(j - offsets[s]));
  }
  const auto starts = std::make_shared<device_array<int>>(offsets);
  const auto items = std::make_shared<device_array<std::uint64_t>>(numbers);
  const auto out = std::make_shared<device_array<std::uint64_t>>(n);
  return {[=] { out->assign(std::vector<std::uint64_t>(n, 7)); },
          [=] {
            if (are_copies) {
              const copy_numbers copy{items->data(), out->data()};
              for_each_output(starts->data(), num_items, copy, nullptr);
            } else {
              for_each_output(starts->data(), num_items, note_output{out->data()}, nullptr);
            }
          },
          [=] { return difference(out->to_host(), expected); }};
}
TEST(outputs, of_items_with_many_and_none) {
  EXPECT_EQ(try_on_machines(20, outputs(false)), "");
  EXPECT_EQ(try_on_machines(20, outputs(true)), "");
}
/// Ends of items and of warps' chunks fall together in some.
TEST(outputs, of_few_items) {
  for (unsigned seed = 0; seed < 60; ++seed)
    EXPECT_EQ(try_on_machines(2, outputs(seed % 2 == 0, 20 + seed, seed)), "") << seed;
}
/// Offsets that decrease make any outputs. But the call ends, and writes nothing behind the last
/// offset.
TEST(outputs, of_offsets_that_decrease) {
  if (watches_memory()) GTEST_SKIP() << "several threads may write one output";
  std::vector<int> offsets(300, 1000);
  offsets.front() = 0, offsets.back() = 200;
  for (const std::vector<int>& list : {offsets, {5, 3, 1}, {0, 150, 20, 200}}) {
    const device_array<int> starts{list};
    const device_array<std::uint64_t> out{200};
    const experiment e{
        [] {},
        [&] { for_each_output(starts.data(), list.size() - 1, note_output{out.data()}, nullptr); },
        [] { return ""; }};
    EXPECT_EQ(try_on_machines(2, e), "");
  }
}
TEST(outputs, need_every_ordering) {
  expect_all_needed(20, outputs(false));
}

/// launch(f) calls f on each of n indices.
template <class Launch>
experiment visit_all(std::size_t n, Launch launch) {
  const auto out = std::make_shared<device_array<std::size_t>>(n);
  return {[=] { out->poison(); },
          [=] {
            std::size_t* const to = out->data();
            launch([to](std::size_t i) { to[i] = i * i; });
          },
          [=] {
            for (std::size_t i = 0; i < n; ++i)
              if (out->data()[i] != i * i) return "index " + std::to_string(i);
            return std::string{};
          }};
}
TEST(indices, are_all_visited) {
  constexpr std::size_t n = 1000;
  const auto all = [](auto f) { for_each_index(n, f, nullptr); };
  EXPECT_EQ(try_on_machines(10, visit_all(n, all)), "");
  // By fewer threads than indices, as for more indices than a grid has threads.
  const auto in_turns = [](auto f) {
    HINDSIGHT_LAUNCH(2, 64, 0, nullptr, for_each_index_kernel)(n, f);
  };
  EXPECT_EQ(try_on_machines(10, visit_all(n, in_turns)), "");
}

// Under AddressSanitizer it would be a failure of the whole program.
TEST(memory, is_all_in_one_array) {
  if (!watches_memory()) GTEST_SKIP();
  const auto array = std::make_shared<device_array<std::uint32_t>>(4);
  std::uint32_t* const items = array->data();
  const auto visits = [](std::size_t n, auto visit) {
    return try_on_seed(
        0, {[] {}, [=] { for_each_index(n, visit, nullptr); }, [] { return std::string{}; }});
  };
  const auto write = [=](std::size_t i) { items[i] = 1; };
  const auto read = [=](std::size_t i) { items[i] = items[i + 4]; };
  EXPECT_EQ(visits(4, write), "");
  EXPECT_NE(visits(5, write).find("a write of 4 bytes"), std::string::npos);
  EXPECT_NE(visits(1, read).find("a read of 4 bytes"), std::string::npos);
}

TEST(memory, is_aligned) {
  if (!watches_memory()) GTEST_SKIP();
  const auto array = std::make_shared<device_array<std::uint32_t>>(4);
  std::uint32_t* const items = array->data();
  const auto write_at = [=](std::size_t place) {
    const auto write = [=](std::size_t) { *reinterpret_cast<std::uint64_t*>(items + place) = 1; };
    return try_on_seed(
        0, {[] {}, [=] { for_each_index(1, write, nullptr); }, [] { return std::string{}; }});
  };
  EXPECT_EQ(write_at(2), "");
  EXPECT_NE(write_at(1).find("not at a multiple of 8"), std::string::npos);
}

TEST(rows, of_entries_in_order) {
  const std::vector<std::uint32_t> rows = {0, 0, 2, 2, 2, 3, 7, 7, 300};
  constexpr std::size_t num_rows = 600;
  std::vector<std::size_t> expected;
  for (std::size_t r = 0; r <= num_rows; ++r)
    expected.push_back(std::size_t(std::lower_bound(rows.begin(), rows.end(), r) - rows.begin()));
  const auto in = std::make_shared<device_array<std::uint32_t>>(rows);
  const auto offsets = std::make_shared<device_array<std::size_t>>(num_rows + 1);
  const experiment one{
      [=] { offsets->poison(); },
      [=] { find_row_offsets(in->data(), rows.size(), num_rows, offsets->data(), nullptr); },
      [=] { return difference(offsets->to_host(), expected); }};
  EXPECT_EQ(try_on_machines(10, one), "");
}

}  // namespace
