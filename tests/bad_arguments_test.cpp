// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// The table of Thrust's functions and of histograms, on host threads. (Bins and levels:
// key_bits_test.cpp; on the GPU: errors_test.cu.)
#include <thrust/count.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include "bad_arguments_testing.h"

namespace {

/// The policy as generic code may pass it on.
const thrust::execution_policy<hindsight::host::par_t>& base = par;

int negated(int item) {
  return -item;
}
int sum_of(int a, int b) {
  return a + b;
}
bool are_equal(int a, int b) {
  return a == b;
}

std::vector<row> table() {
  return {
      {ROW("reduce", thrust::reduce(par, r.first, r.last)), {}},
      {ROW("reduce_into", hindsight::reduce_into(par, r.first, r.last, r.out)), {out}, false},
      {ROW("transform_reduce", thrust::transform_reduce(par, r.first, r.last, negated, 0, sum_of)),
       {}},
      {ROW("inner_product", thrust::inner_product(par, r.first, r.last, r.second, 0)), {second}},
      {ROW("count", thrust::count(par, r.first, r.last, 1)), {}},
      {ROW("count_if", thrust::count_if(par, r.first, r.last, is_odd)), {}},
      {ROW("inclusive_scan", thrust::inclusive_scan(par, r.first, r.last, r.out)), {out}},
      {ROW("exclusive_scan", thrust::exclusive_scan(par, r.first, r.last, r.out)), {out}},
      {ROW("transform_inclusive_scan",
           thrust::transform_inclusive_scan(par, r.first, r.last, r.out, negated, sum_of)),
       {out}},
      {ROW("transform_exclusive_scan",
           thrust::transform_exclusive_scan(par, r.first, r.last, r.out, negated, 0, sum_of)),
       {out}},
      {ROW("inclusive_scan_by_key",
           thrust::inclusive_scan_by_key(par, r.first, r.last, r.second, r.out)),
       {second, out}},
      {ROW("exclusive_scan_by_key",
           thrust::exclusive_scan_by_key(par, r.first, r.last, r.second, r.out, 0, are_equal)),
       {second, out}},
      {ROW("copy_if", thrust::copy_if(par, r.first, r.last, r.out, is_odd)), {out}},
      {ROW("copy_if, stencil", thrust::copy_if(par, r.first, r.last, r.second, r.out, is_odd)),
       {second, out}},
      {ROW("remove", (void)thrust::remove(par, r.first, r.last, 1)), {}},
      {ROW("remove_if", (void)thrust::remove_if(par, r.first, r.last, is_odd)), {}},
      {ROW("remove_if, stencil", (void)thrust::remove_if(par, r.first, r.last, r.second, is_odd)),
       {second}},
      {ROW("remove_copy", thrust::remove_copy(par, r.first, r.last, r.out, 1)), {out}},
      {ROW("remove_copy_if", thrust::remove_copy_if(par, r.first, r.last, r.out, is_odd)), {out}},
      {ROW("remove_copy_if, stencil",
           thrust::remove_copy_if(par, r.first, r.last, r.second, r.out, is_odd)),
       {second, out}},
      {ROW("partition", thrust::partition(par, r.first, r.last, is_odd)), {}},
      {ROW("partition, stencil", thrust::partition(par, r.first, r.last, r.second, is_odd)),
       {second}},
      {ROW("stable_partition", thrust::stable_partition(par, r.first, r.last, is_odd)), {}},
      {ROW("stable_partition, stencil",
           thrust::stable_partition(par, r.first, r.last, r.second, is_odd)),
       {second}},
      {ROW("partition_copy", thrust::partition_copy(par, r.first, r.last, r.out, r.out2, is_odd)),
       {out, out2}},
      {ROW("stable_partition_copy, stencil",
           thrust::stable_partition_copy(par, r.first, r.last, r.second, r.out, r.out2, is_odd)),
       {second, out, out2}},
      {ROW("reduce_by_key", thrust::reduce_by_key(par, r.first, r.last, r.second, r.out, r.out2)),
       {second, out, out2}},
      {ROW("run_length_encode", hindsight::run_length_encode(par, r.first, r.last, r.out, r.out2)),
       {out, out2}},
      {ROW("run_length_encode, by Thrust's base of the policy",
           hindsight::run_length_encode(base, r.first, r.last, r.out, r.out2)),
       {out, out2}},
      {ROW("sort", thrust::sort(par, r.first, r.last)), {}},
      {ROW("stable_sort", thrust::stable_sort(par, r.first, r.last)), {}},
      {ROW("sort, comparator", thrust::sort(par, r.first, r.last, thrust::greater<int>{})), {}},
      {ROW("sort_by_key", thrust::sort_by_key(par, r.first, r.last, r.out)), {out}},
      {ROW("stable_sort_by_key", thrust::stable_sort_by_key(par, r.first, r.last, r.out)), {out}},
      {ROW("sort_by", hindsight::sort_by(par, r.first, r.last, negated)), {}},
      {ROW("top_k", hindsight::top_k(par, r.first, r.last, 2, r.out)), {out}},
      {ROW("top_k_by_key",
           hindsight::top_k_by_key(par, r.first, r.last, r.second, 2, r.out, r.out2)),
       {second, out, out2}},
      {ROW("nth_element", hindsight::nth_element(par, r.first, r.first, r.last)), {}},
      {ROW("partial_sort", hindsight::partial_sort(par, r.first, r.first + 1, r.last)), {}, false},
      {ROW("histogram_even", hindsight::histogram_even(par, r.first, r.last, 5, 0, 5, r.out)),
       {out},
       false},
      {ROW("histogram_range",
           hindsight::histogram_range(par, r.first, r.last, r.second, r.second + 5, r.out)),
       {out},
       false},
      {ROW("histogram_even, by Thrust's base of the policy",
           hindsight::histogram_even(base, r.first, r.last, 5, 0, 5, r.out)),
       {out},
       false},
      {ROW("histogram_range, by Thrust's base of the policy",
           hindsight::histogram_range(base, r.first, r.last, r.second, r.second + 5, r.out)),
       {out},
       false},
  };
}

}  // namespace
