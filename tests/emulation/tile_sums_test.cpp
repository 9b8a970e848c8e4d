// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Scans and sums by key of wide items on both sides of the number of tiles from which on tiles are
// summed first, over one round of windows and more; their bits are those of look-back.
#include <hindsight/deferred.h>

#include "emulation/wide_tiles.h"

namespace emulation {

struct floats {
  float values[8];
};
struct add_floats {
  floats operator()(const floats& a, const floats& b) const {
    floats sum;
    for (int i = 0; i < 8; ++i) sum.values[i] = a.values[i] + b.values[i];
    return sum;
  }
};

}  // namespace emulation

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

using emulation::floats;

template <>
struct scan_tuning<floats> : tiny_tiles<many_words<std::uint32_t, 8>> {};
template <>
struct scan_by_key_tuning<std::int32_t, floats> : tiny_tiles<many_words<std::uint32_t, 8>> {};
template <>
struct reduce_by_key_tuning<std::int32_t, floats> : tiny_tiles<many_words<std::uint32_t, 8>> {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;

// One round of carries_warps windows is 256 tiles.
TEST(tile_sums_of_32_bytes, of_any_number_of_tiles) {
  using T = many_words<std::uint32_t, 8>;
  constexpr std::size_t tile = tiny_tiles<T>::shape.tile_items();
  constexpr std::size_t round = carries_warps * window_tiles;
  for (const std::size_t n : {std::size_t{1}, tile, tile + 1, fewest_summed_tiles * tile - tile,
                              fewest_summed_tiles * tile, round * tile, round * tile + 1,
                              2 * round * tile + 3 * tile - 1})
    expect_right<T>(n);
}

// Sizes that lie on the device take look-back.
TEST(tile_sums_of_floats, have_the_bits_of_look_back) {
  constexpr std::size_t n = (carries_warps * window_tiles + 40) * 32 + 7;
  std::vector<floats> items(n);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 8; ++k) items[i].values[k] = 1 / (float(i % 1000) + float(k) + 0.7f);
  const device_array<std::int32_t> keys{keys_in_runs<std::int32_t>(n, 1000)};
  const device_array<floats> in{items};
  device_array<std::size_t> count{std::vector{n}};
  const auto results_of = [&](auto size) {
    device_array<std::int32_t> sum_keys{n};
    device_array<floats> sums{n}, all{n}, before{n}, by_key{n};
    two_phases scans{[&](void* temp, std::size_t& bytes) {
      return scan<floats, inclusive>(temp, bytes, in.data(), all.data(), size, add_floats{},
                                     no_init{}, nullptr);
    }};
    two_phases scans_from{[&](void* temp, std::size_t& bytes) {
      return scan<floats, exclusive>(temp, bytes, in.data(), before.data(), size, add_floats{},
                                     items[5], nullptr);
    }};
    two_phases scans_by_key{[&](void* temp, std::size_t& bytes) {
      return scan_by_key<floats, inclusive>(temp, bytes, keys.data(), in.data(), by_key.data(),
                                            size, equal{}, add_floats{}, no_init{}, nullptr);
    }};
    device_array<std::size_t> runs{1};
    two_phases sums_by_key{[&](void* temp, std::size_t& bytes) {
      return reduce_by_key<floats>(temp, bytes, keys.data(), in.data(), sum_keys.data(),
                                   sums.data(), runs.data(), size, equal{}, add_floats{}, nullptr);
    }};
    std::vector<floats> results;
    const auto collect = [&] {
      for (const auto* out : {&all, &before, &by_key})
        for (const floats& item : out->to_host()) results.push_back(item);
      for (const floats& sum : sums.to_host(*runs.data())) results.push_back(sum);
      return std::string{};
    };
    EXPECT_EQ(try_on_seed(0, {[] {}, [&] { scans(), scans_from(), scans_by_key(), sums_by_key(); },
                              collect}),
              "");
    return results;
  };
  const auto by_look_back = results_of(hindsight::deferred{count.data(), n});
  EXPECT_GT(by_look_back.size(), 3 * n);
  EXPECT_EQ(difference(results_of(n), by_look_back), "");
}

}  // namespace
