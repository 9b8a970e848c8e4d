// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// The table of the other families, on host threads.
#include <thrust/adjacent_difference.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/logical.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "bad_arguments_testing.h"
#include <functional>

namespace {

bool is_less(int a, int b) {
  return a < b;
}

std::vector<row> table() {
  return {
      {ROW("unique", (void)thrust::unique(par, r.first, r.last)), {}},
      {ROW("unique_copy", thrust::unique_copy(par, r.first, r.last, r.out)), {out}},
      {ROW("unique_by_key", thrust::unique_by_key(par, r.first, r.last, r.out)), {out}},
      {ROW("unique_by_key_copy",
           thrust::unique_by_key_copy(par, r.first, r.last, r.second, r.out, r.out2)),
       {second, out, out2}},
      {ROW("unique_count", hindsight::unique_count(par, r.first, r.last)), {}},
      {ROW("min_element", thrust::min_element(par, r.first, r.last)), {}},
      {ROW("max_element", thrust::max_element(par, r.first, r.last)), {}},
      {ROW("minmax_element", thrust::minmax_element(par, r.first, r.last, is_less)), {}},
      {ROW("find", thrust::find(par, r.first, r.last, 3)), {}},
      {ROW("find_if", thrust::find_if(par, r.first, r.last, is_odd)), {}},
      {ROW("find_if_not", thrust::find_if_not(par, r.first, r.last, is_odd)), {}},
      {ROW("all_of", thrust::all_of(par, r.first, r.last, is_odd)), {}},
      {ROW("any_of", thrust::any_of(par, r.first, r.last, is_odd)), {}},
      {ROW("none_of", thrust::none_of(par, r.first, r.last, is_odd)), {}},
      {ROW("adjacent_difference", thrust::adjacent_difference(par, r.first, r.last, r.out)), {out}},
      {ROW("stable_sort, any comparator", thrust::stable_sort(par, r.first, r.last, is_less)), {}},
      {ROW("stable_sort_by_key, any comparator",
           thrust::stable_sort_by_key(par, r.first, r.last, r.out, is_less)),
       {out}},
      {ROW("copy_if_into", hindsight::copy_if_into(par, r.first, r.last, r.out, r.out2, is_odd)),
       {out, out2},
       false},
      {ROW("unique_copy_into", hindsight::unique_copy_into(par, r.first, r.last, r.out, r.out2)),
       {out, out2},
       false},
      {ROW("run_length_encode_into",
           hindsight::run_length_encode_into(par, r.first, r.last, r.out, r.out2, r.second)),
       {out, out2, second},
       false},
      {ROW("run_length_decode_into",
           hindsight::run_length_decode_into(par, r.first, r.last, r.second, r.out, r.out2)),
       {second, out, out2},
       false},
      {ROW("remove_if_into", hindsight::remove_if_into(par, r.first, r.last, r.out2, is_odd)),
       {out2},
       false},
      {ROW("remove_if_into, stencil",
           hindsight::remove_if_into(par, r.first, r.last, r.second, r.out2, is_odd)),
       {second, out2},
       false},
      {ROW("remove_into", hindsight::remove_into(par, r.first, r.last, r.out2, 2)), {out2}, false},
      {ROW("unique_into", hindsight::unique_into(par, r.first, r.last, r.out2)), {out2}, false},
      {ROW("partition_into", hindsight::partition_into(par, r.first, r.last, r.out2, is_odd)),
       {out2},
       false},
      {ROW("stable_partition_into",
           hindsight::stable_partition_into(par, r.first, r.last, r.second, r.out2, is_odd)),
       {second, out2},
       false},
      {ROW("reduce_segments of a deferred number",
           hindsight::reduce_segments(
               par, r.first, r.last,
               hindsight::by_offsets(r.second, hindsight::deferred{r.second + 3, n - 1}), r.out,
               0)),
       {out},
       false},
      {ROW("reduce_segments",
           hindsight::reduce_segments(par, r.first, r.last,
                                      hindsight::by_offsets(r.second, r.second + n), r.out, 0)),
       {second, out},
       false},
      {ROW("inclusive_scan_segments",
           hindsight::inclusive_scan_segments(
               par, r.first, r.last, hindsight::by_offsets(r.second, r.second + n), r.out)),
       {second, out},
       false},
      {ROW("exclusive_scan_segments",
           hindsight::exclusive_scan_segments(
               par, r.first, r.last, hindsight::by_offsets(r.second, r.second + n), r.out, 0)),
       {second, out},
       false},
      {ROW("sort_segments",
           hindsight::sort_segments(par, r.first, r.last,
                                    hindsight::by_offsets(r.second, r.second + n))),
       {second},
       false},
      {ROW("sort_segments_by_key",
           hindsight::sort_segments_by_key(par, r.first, r.last, r.out,
                                           hindsight::by_offsets(r.second, r.second + n))),
       {second, out},
       false},
      {ROW("sort_segments, flags",
           hindsight::sort_segments(par, r.first, r.last, hindsight::by_heads(r.second))),
       {second}},
      {ROW("reduce_segments, flags",
           hindsight::reduce_segments(par, r.first, r.last, hindsight::by_heads(r.second), r.out,
                                      0)),
       {second, out}},
      {ROW("mean", hindsight::mean(par, r.first, r.last)), {}, false},
      {ROW("product", hindsight::product(par, r.first, r.last)), {}},
      {ROW("minmax", hindsight::minmax(par, r.first, r.last)), {}, false},
      {ROW("split", hindsight::split(par, r.first, r.last, 1)), {}},
      {ROW("offsets_of", hindsight::offsets_of(par, r.first, r.last, r.out)), {out}, false},
      {ROW("pack_index", hindsight::pack_index(par, r.first, r.last, r.out)), {out}},
      {ROW("run_length_decode",
           hindsight::run_length_decode(par, r.first, r.last, r.second, r.out)),
       {second, out}},
  };
}

/// Not of the shape of those: no range of items.
TEST_F(bad_arguments, of_images_and_outputs) {
  const std::vector<row> all = {
      {ROW("expand", hindsight::expand(par, r.out, r.first, r.last, r.second)), {}},
      {ROW("for_each_output", hindsight::for_each_output(par, r.first, r.last,
                                                         [&r](auto, auto, auto) { r.out[0] = 0; })),
       {}},
      {ROW("for_each_output, null offsets",
           hindsight::for_each_output(par, static_cast<int*>(nullptr),
                                      static_cast<int*>(nullptr) + n,
                                      [&r](auto, auto, auto) { r.out[0] = 0; })),
       {}},
      {ROW("partition_copy_into",
           hindsight::partition_copy_into(par, r.first, r.last, r.out, r.out2, r.second, is_odd)),
       {out, out2, second},
       false},
      {ROW("reduce_by_key_into",
           hindsight::reduce_by_key_into(par, r.first, r.last, r.first, r.out, r.out2, r.second)),
       {out, out2, second},
       false},
      {ROW("inclusive_scan, null size",
           hindsight::inclusive_scan(
               par, r.second, hindsight::deferred{static_cast<int*>(nullptr), std::size_t{n}},
               r.out)),
       {}},
      {ROW("sort, null size",
           hindsight::sort(par, r.out,
                           hindsight::deferred{static_cast<int*>(nullptr), std::size_t{n}})),
       {}},
      {ROW("inclusive_scan, negative bound",
           hindsight::inclusive_scan(par, r.second, hindsight::deferred{r.second, -1}, r.out)),
       {}},
      {ROW("reduce_segments, negative bound",
           hindsight::reduce_segments(
               par, r.second, r.second + n,
               hindsight::by_offsets(r.second, hindsight::deferred{r.second, -1}), r.out, 0)),
       {}},
      {ROW("expand, null items",
           hindsight::expand(par, static_cast<int*>(nullptr), r.second, r.second + n, r.out)),
       {}},
      {ROW("expand, null outputs",
           hindsight::expand(par, r.second, r.second, r.second + n, static_cast<int*>(nullptr))),
       {}},
      {ROW("summed_area_table, null image",
           hindsight::summed_area_table(par, static_cast<int*>(nullptr), r.out, 2, 3, 2)),
       {}},
      {ROW("summed_area_table, null table",
           hindsight::summed_area_table(par, r.second, static_cast<int*>(nullptr), 2, 3, 2)),
       {}},
      {ROW("summed_area_table, pitch", hindsight::summed_area_table(par, r.second, r.out, 3, 2, 2)),
       {}},
      {ROW("box_filter, null image",
           hindsight::box_filter(par, static_cast<int*>(nullptr), r.out, 2, 3, 2, 1)),
       {}},
      {ROW("box_filter, null result",
           hindsight::box_filter(par, r.second, static_cast<int*>(nullptr), 2, 3, 2, 1)),
       {}},
      {ROW("box_filter, pitch", hindsight::box_filter(par, r.second, r.out, 3, 2, 2, 1)), {}},
      {ROW("spmv, null vector",
           hindsight::spmv(par, hindsight::csr(r.second, r.second + n, r.second, r.second),
                           static_cast<int*>(nullptr), r.out)),
       {}},
      {ROW("spmv, null result",
           hindsight::spmv(par, hindsight::csr(r.second, r.second + n, r.second, r.second),
                           r.second, static_cast<int*>(nullptr))),
       {}},
      {ROW("spmv, a negative number of rows",
           hindsight::spmv(par, hindsight::coo(-1, r.second, r.second + n, r.second, r.second),
                           r.second, r.out)),
       {}},
      {ROW("split, bit -1", hindsight::split(par, r.out, r.out + n, -1)), {}},
      {ROW("split, bit 32", hindsight::split(par, r.out, r.out + n, 32)), {}},
      {ROW("spmv, rows that end before they begin",
           hindsight::spmv(par, hindsight::csr(r.second + n, r.second, r.second, r.second),
                           r.second, r.out)),
       {}},
  };
  for (const row& one : all) {
    ranges bad = good;
    std::swap(bad.first, bad.last);
    EXPECT_NE(refusal_of(one, bad), "not refused") << one.name;
  }
}

}  // namespace
