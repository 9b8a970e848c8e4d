// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole calls on wide items: their tiles are summed first, in three launches of one stream.
#include <hindsight/hindsight.h>

#include <thrust/scan.h>

#include "calls_testing.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace emulation;
using u32 = std::uint32_t;

/// Tiles of these have 64 items.
struct row {
  u32 words[65];
};
struct add_rows {
  row operator()(const row& a, const row& b) const {
    row sum;
    for (int w = 0; w < 65; ++w) sum.words[w] = a.words[w] + b.words[w];
    return sum;
  }
};
constexpr std::size_t n = hindsight::detail::fewest_summed_tiles * 64 + 5;

std::vector<row> rows() {
  std::vector<row> all(n);
  const std::vector<u32> words = numbers<u32>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (u32 w = 0; w < 65; ++w) all[i].words[w] = words[i] * (w + 1);
  return all;
}

TEST(WideCalls, ScanInEveryStream) {
  call_of<row> call{rows()};
  for (std::size_t i = 1; i < n; ++i)
    call.expected[i] = add_rows{}(call.expected[i - 1], call.expected[i]);
  call.every_way([](auto policy, row* items) {
    thrust::inclusive_scan(policy, items, items + n, items, add_rows{});
  });
}

}  // namespace
