// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that define the order of floating-point folds, as kernels are compiled with them.
// order_test.py compares this table between architectures.
#include <hindsight/detail/cuda/stock_reduce_order.h>
#include <hindsight/detail/tuning/by_key.h>
#include <hindsight/detail/tuning/look_back.h>
#include <hindsight/detail/tuning/scan.h>
#include <hindsight/detail/tuning/segments.h>

namespace {

using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

#define HINDSIGHT_SHAPE(Tuning) Tuning::shape.lane_items, Tuning::shape.warps
#define HINDSIGHT_SHAPES(T)                                                                \
  HINDSIGHT_SHAPE(scan_tuning<T>), HINDSIGHT_SHAPE(segment_reduce_tuning<T>),              \
      HINDSIGHT_SHAPE(segment_scan_tuning<T>), int(segment_reduce_tuning<T>::most_chunks), \
      int(segment_scan_tuning<T>::most_chunks), reduce_order_of<T>().block_threads,        \
      reduce_order_of<T>().items, reduce_order_of<T>().vector, chain_items<T>, folds_own_first<T>

struct four_doubles {
  double items[4];
};

}  // namespace

extern __device__ const int shapes_that_define_bits[];
__device__ const int shapes_that_define_bits[] = {
    HINDSIGHT_SHAPES(float),
    HINDSIGHT_SHAPES(double),
    HINDSIGHT_SHAPES(short),
    HINDSIGHT_SHAPES(four_doubles),
    by_key_shape<int, float>().lane_items,
    by_key_shape<int, float>().warps,
    (scan_by_key_tuning<long, double>::shape.lane_items),
    (scan_by_key_tuning<long, double>::shape.warps),
    (reduce_by_key_tuning<long, double>::shape.lane_items),
    (reduce_by_key_tuning<long, double>::shape.warps),
    int(window_tiles),
    int(fewest_segment_tiles),
    int(join_threads),
    int(most_strips),
    int(band_rows)};
