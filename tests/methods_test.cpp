// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan tsan
// Every method of bench/methods on host threads, at 200 sizes, against plain loops.
#include "methods_testing.h"
#include <cstdlib>

namespace {

using namespace methods_test;

/// All small sizes; then around the multiples of a tile and the powers of two, where the last tile,
/// the last pair or the last level is the odd one out.
std::vector<std::size_t> sizes(std::size_t tile) {
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n < 100; ++n) all.push_back(n);
  for (const std::size_t k : {2, 3, 4, 7, 8, 16, 31, 32, 33, 40})
    for (const std::size_t n : {k * tile - 1, k * tile, k * tile + 1}) all.push_back(n);
  for (std::size_t power = 128; power <= 4096; power *= 2)
    for (const std::size_t n : {power - 1, power + 1, power + power / 2 + 1}) all.push_back(n);
  std::mt19937 random{1};
  while (all.size() < 200) all.push_back(random() % 5000);
  return all;
}

std::string run(const method& m, const items& in, scan_kind kind, methods::scratch& memory) {
  const std::size_t n = in.size();
  items out(out_items(m.family, n) + guard_items, poison);
  item num_kept = poison;
  memory.reuse();
  m.run({in.data(), n, out.data(), &num_kept, kind, memory, {}});
  return difference(m, in, kind, out, num_kept);
}

TEST_P(each_method, is_right_at_200_sizes) {
  // Little data has many tiles, and more than one thread where a thread is cheap to start.
  methods::host::tile_items = 48;
  methods::scratch memory{[](std::size_t bytes) { return std::malloc(bytes); }, std::free};
  const std::vector<std::size_t> all = sizes(methods::host::tile_items);
  ASSERT_EQ(all.size(), 200u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_quadratic = tested().largest_n < ~std::size_t{0};
    const std::size_t n = is_quadratic ? all[i] % 701 : all[i];
    methods::host::grain = i % 8 == 0 && !is_quadratic ? 48 : 1500;
    for (const std::string& input : {inputs[0], inputs[1 + i % 4]})
      for (const scan_kind kind : kinds_of(tested()))
        ASSERT_EQ(run(tested(), make_input(input, n), kind, memory), "")
            << tested().name << ", n = " << n << ", " << input
            << (kind == scan_kind::exclusive ? ", exclusive" : "");
  }
}

/// On few threads the nearest tile almost always has a prefix. Here only one of `words` has.
TEST(look_back, walks_to_the_nearest_prefix) {
  constexpr std::size_t tiles = 100;
  for (std::size_t prefix = 0; prefix < tiles; ++prefix) {
    std::vector<methods::word> words(tiles + 1);
    item sum = 0;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const item value = item(1000 + tile * tile);
      sum = tile > prefix ? sum + value : value;
      methods::publish(
          words[tile],
          {tile == prefix ? methods::tile_state::prefix : methods::tile_state::aggregate, value});
    }
    // What lies in front of the prefix must not be added again.
    EXPECT_EQ(methods::host::look_back_by_windows(words.data(), tiles), sum) << prefix;
    EXPECT_EQ(methods::look_back(words.data(), tiles, 5), sum) << prefix;
    EXPECT_EQ(methods::peek(words[tiles]).value, sum + 5) << prefix;
  }
}

INSTANTIATE_TEST_SUITE_P(methods, each_method, all_indices(), name_of);

}  // namespace
