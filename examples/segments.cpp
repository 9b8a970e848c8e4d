// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders of customers, one behind the other: sums, the largest order, running totals, and orders by
// size for each customer, of which some ordered nothing; and the same customers by flags. nvcc
// builds this for the GPU, g++ for host threads (see ten_calls.cpp).
#include <hindsight/segments.h>
#include <hindsight/sort_segments.h>

#include <thrust/device_vector.h>
#include <thrust/functional.h>

#include <cstdio>
#include <vector>

int main() {
  // Customer c has the orders [first[c], first[c + 1]).
  const thrust::device_vector<int> orders = std::vector<int>{5, 20, 7, 1, 2, 3, 4, 40};
  const thrust::device_vector<int> first = std::vector<int>{0, 3, 3, 7, 8};
  const auto customers = hindsight::by_offsets(first);

  thrust::device_vector<int> sums(4), largest(4), totals(8);
  hindsight::reduce_segments(orders, customers, sums.begin());
  hindsight::reduce_segments(orders, customers, largest.begin(), 0, thrust::maximum<int>{});
  hindsight::inclusive_scan_segments(orders, customers, totals.begin());
  thrust::device_vector<int> by_size = orders;
  hindsight::sort_segments(by_size, customers, thrust::greater<int>{});
  // The number of each order, in the order of sizes.
  thrust::device_vector<int> keys = orders, numbers = std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7};
  hindsight::sort_segments_by_key(keys, numbers.begin(), customers);
  // A flag where a customer's first order is: who ordered nothing has none.
  const thrust::device_vector<int> is_first = std::vector<int>{1, 0, 0, 1, 0, 0, 0, 1};
  const auto buyers = hindsight::by_heads(is_first.begin());
  thrust::device_vector<int> buyers_sums(3), before(8);
  hindsight::reduce_segments(orders, buyers, buyers_sums.begin());
  hindsight::exclusive_scan_segments(orders, buyers, before.begin());
  for (int c = 0; c < 4; ++c)
    std::printf("customer %d: %d in all, at most %d\n", c, int(sums[c]), int(largest[c]));
  const bool right = sums == std::vector<int>{32, 0, 10, 40} &&
                     largest == std::vector<int>{20, 0, 4, 40} &&
                     totals == std::vector<int>{5, 25, 32, 1, 3, 6, 10, 40} &&
                     by_size == std::vector<int>{20, 7, 5, 4, 3, 2, 1, 40} &&
                     numbers == std::vector<int>{0, 2, 1, 3, 4, 5, 6, 7} &&
                     buyers_sums == std::vector<int>{32, 10, 40} &&
                     before == std::vector<int>{0, 5, 25, 0, 1, 3, 6, 0};
  std::puts(right ? "as expected" : "WRONG");
  return right ? 0 : 1;
}
