// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of several parts of a program, each compiled for a host system of Thrust, with OpenMP or
// without, in C++17 or in C++20. HINDSIGHT_PART names its namespace.
#include "part.h"

#if __cplusplus < 202002L  // in C++20 their containers call other functions of the library
#  include <hindsight/ab.h>
#  include <hindsight/loopback.h>
#endif
#include <hindsight/hindsight.h>

#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <typeinfo>
#include <vector>

namespace HINDSIGHT_PART {

part_result run() {
  std::vector<int> items(200000), sums(items.size()), lengths(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = int(i * 7919 % 1000);
  part_result result;
  result.policy = typeid(hindsight::par_t).name();
  const auto by_last_digit = [](int x, int y) { return x % 10 < y % 10; };
  thrust::sort(hindsight::par, items.begin(), items.end(), by_last_digit);  // stock's merge sort
  result.add(items[0]).add(items[100000]);
  result.add(hindsight::reduce(items));
  result.add(thrust::reduce(hindsight::host::par, items.begin(), items.end()));
  hindsight::inclusive_scan(items, sums.begin());
  result.add(sums.back());
  hindsight::inclusive_scan(items, sums.begin(), [](int x, int y) { return x > y ? x : y; });
  result.add(sums.back());
  hindsight::sort(items);
  result.add(items[100000]);
  const auto ends = hindsight::run_length_encode(items, sums.begin(), lengths.begin());
  result.add(ends.first - sums.begin());
  hindsight::histogram_even(items, 10, 0, 1000, lengths.begin());
  result.add(lengths[9]);
  result.add(hindsight::count(items, 5));
  result.add(hindsight::partition(items, [](int x) { return x > 9; }) - items.begin());
  int* const first = items.data();
  int* const last = first + items.size();
  const bounded_iterator begin{first, first, last}, end{last, first, last};
  hindsight::sort(hindsight::par, begin, end, [](int x, int y) { return x > y; });
  result.add(items[100]);
  result.add(thrust::reduce(hindsight::par, begin, end));
  thrust::inclusive_scan(hindsight::par, begin, end, begin);
  result.add(items[100]);
#if __cplusplus < 202002L
  thrust::sort(hindsight::ab_par.named(result.policy.c_str()), items.begin(), items.end());
  result.add(static_cast<long>(hindsight::ab_report().rows().back().calls));
  hindsight::loopback::group ranks{2};
  std::vector<std::vector<int>> shards{{3, 1}, {2}};
  hindsight::sort(ranks.par, hindsight::shards(ranks, shards), by_last_digit);
  result.add(shards[0][1]);
#else
  result.add(1);
  result.add(2);
#endif
  return result;
}

}  // namespace HINDSIGHT_PART
