// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Sorts of keys of one and of two bytes, which are counted and written anew.
#include <hindsight/detail/cuda/counting_sort.cuh>
#include <hindsight/detail/cuda/counting_sort_16.cuh>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/radix_sortable.h>

#include "emulation/operators.h"
#include "emulation/testing.h"
#include <cmath>
#include <numeric>

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

enum class output { elsewhere, in_place };

/// `call(temp, bytes, in, out, n)` of keys that begin `shift` behind a multiple of 16 bytes.
template <class Key, class Call>
experiment counting_sort_of(std::vector<Key> keys, std::size_t shift, output to, Call call) {
  const std::size_t n = keys.size();
  keys.insert(keys.begin(), shift, Key(77));
  std::vector<Key> expected = keys;
  std::sort(expected.begin() + std::ptrdiff_t(shift), expected.end());
  const auto in = std::make_shared<device_array<Key>>(shift + n);
  const auto out = to == output::in_place ? in : std::make_shared<device_array<Key>>(shift + n);
  const two_phases sort{[=](void* temp, std::size_t& bytes) {
    return call(temp, bytes, static_cast<const Key*>(in->data()) + shift, out->data() + shift, n);
  }};
  return {[=] {
            out->assign(std::vector<Key>(shift + n, Key(77)));
            in->assign(keys);
          },
          sort, [=] { return difference(out->to_host(), expected); }};
}

template <class Key>
experiment sort_of_bytes(std::vector<Key> keys, std::size_t shift, output to) {
  return counting_sort_of(
      std::move(keys), shift, to, [](void* temp, std::size_t& bytes, auto... rest) {
        return counting_sort<unsigned, ascending>(temp, bytes, rest..., nullptr);
      });
}

/// As the library's. Small vectors for each block, so that few keys have many.
struct tiny_counting {
  static constexpr int block_threads = 1024;
  static constexpr int lane_vectors = 2;
  struct fill {
    static constexpr int block_threads = 64;
    static constexpr int lane_vectors = 2;
  };
};
template <class Key>
experiment sort_of_shorts(std::vector<Key> keys, std::size_t shift, output to) {
  return counting_sort_of(std::move(keys), shift, to,
                          [](void* temp, std::size_t& bytes, auto in, auto out, std::size_t n) {
                            return sort_shorts<tiny_counting>(
                                temp, bytes, reinterpret_cast<const std::uint16_t*>(in),
                                reinterpret_cast<std::uint16_t*>(out), n,
                                unsigned(pass_key<ascending, Key>::flips()), nullptr);
                          });
}

/// Long runs, then others.
template <class Key>
std::vector<Key> some_keys(std::size_t n) {
  std::vector<Key> keys = random_items<Key>(n);
  for (std::size_t i = 0; i < n / 2; ++i) keys[i] = Key(keys[i] % 3);
  return keys;
}

TEST(counting_sort, of_bytes) {
  for (const std::size_t n : {1, 17, 3000})
    for (const std::size_t shift : {0, 5}) {
      EXPECT_EQ(
          try_on_machines(5, sort_of_bytes(some_keys<std::uint8_t>(n), shift, output::elsewhere)),
          "")
          << n << " " << shift;
      EXPECT_EQ(
          try_on_machines(5, sort_of_bytes(some_keys<std::int8_t>(n), shift, output::in_place)), "")
          << n << " " << shift;
    }
}
TEST(counting_sort, of_bytes_needs_every_ordering) {
  expect_all_needed(10, sort_of_bytes(some_keys<std::uint8_t>(3000), 5, output::in_place));
}
TEST(counting_sort, each_short_has_a_counter) {
  for (const unsigned num_parts : {2, 4, 8, 128}) {
    std::set<std::pair<unsigned, unsigned>> counters;  // and their parts
    for (unsigned p = 0; p < num_parts; ++p) {
      const short_part part{p, num_parts};
      for (unsigned key = 0; key < num_short_values; ++key) {
        const unsigned counter = part.counter(hash_of_low_key(key));
        ASSERT_EQ(part.counter(hash_of_high_key(key << 16 | 0x8fff)), counter) << key;
        ASSERT_LE(counter, part.last_counter());
        if (counter < part.last_counter()) counters.insert({p, counter});
      }
    }
    EXPECT_EQ(counters.size(), num_short_values) << num_parts;
  }
}
TEST(counting_sort, parts_of_shorts_have_as_many_keys) {
  const short_part part{0, 2};
  for (const double set : {0.5, 0.25, 0.125}) {  // the share of the bits that are ones
    double share = 0;
    for (unsigned key = 0; key < num_short_values; ++key) {
      const int ones = __builtin_popcount(key);
      if (part.counter(hash_of_low_key(key)) < part.last_counter())
        share += std::pow(set, ones) * std::pow(1 - set, 16 - ones);
    }
    EXPECT_NEAR(share, 0.5, 0.02) << set;
  }
}
TEST(counting_sort, of_shorts) {
  EXPECT_EQ(try_on_machines(1, sort_of_shorts(some_keys<std::uint16_t>(1), 3, output::elsewhere)),
            "");
  EXPECT_EQ(try_on_machines(2, sort_of_shorts(some_keys<std::int16_t>(30000), 3, output::in_place)),
            "");
  EXPECT_EQ(try_on_machines(
                1, sort_of_shorts(std::vector<std::uint16_t>(5000, 0xffff), 0, output::elsewhere)),
            "");
  std::vector<std::uint16_t> all(num_short_values);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  EXPECT_EQ(try_on_machines(1, sort_of_shorts(all, 1, output::elsewhere)), "");
}

}  // namespace
