// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All methods, family by family, on the GPU where nvcc compiles this and on host threads elsewhere.
#pragma once

#include "compaction/single_pass.h"
#include "compaction/three_steps.h"
#include "comparison_sort/bitonic_gpu.h"
#include "comparison_sort/merge_gpu.h"
#include "comparison_sort/odd_even_merge.h"
#include "comparison_sort/odd_even_transposition.h"
#include "histogram/global_atomics.h"
#include "histogram/private_copies.h"
#include "histogram/sort_reduce.h"
#include "radix_sort/library_sort.h"
#include "radix_sort/onesweep_gpu.h"
#include "radix_sort/split.h"
#include "radix_sort/upsweep_downsweep_gpu.h"
#include "reduction/global_tree.h"
#include "reduction/shared_tree.h"
#include "reduction/single_pass.h"
#include "reduction/warp_shuffle.h"
#include "scan/blelloch.h"
#include "scan/chained.h"
#include "scan/hillis_steele.h"
#include "scan/look_back.h"
#include "scan/look_back_window.h"
#include "scan/reduce_then_scan.h"
#include "scan/scan_then_propagate.h"
#include "scan/scout.h"

namespace methods {

#if HINDSIGHT_CUDA
namespace engine = cuda;
inline constexpr const char* library_sort_name = "onesweep (hindsight)";
#else
namespace engine = host;
inline constexpr const char* library_sort_name = "host sort (hindsight)";
#endif

inline const std::vector<method>& all_methods() {
  constexpr std::size_t quadratic_n = 1 << 14;
  static const std::vector<method> all{
      {"reduction", "global tree", engine::global_tree, global_tree_cost},
      {"reduction", "shared-memory tree", engine::shared_tree, shared_tree_cost},
      {"reduction", "warp shuffles", engine::warp_shuffle, warp_shuffle_cost},
      {"reduction", "single pass", engine::single_pass_reduction, single_pass_reduction_cost},
      {"scan", "Hillis-Steele", engine::hillis_steele, hillis_steele_cost},
      {"scan", "Blelloch", engine::blelloch, blelloch_cost},
      {"scan", "reduce-then-scan", engine::reduce_then_scan, reduce_then_scan_cost},
      {"scan", "scan-then-propagate", engine::scan_then_propagate, scan_then_propagate_cost},
      {"scan", "chained", engine::chained_scan, chained_scan_cost},
      {"scan", "look-back", engine::look_back_scan, look_back_scan_cost},
      {"scan", "look-back by windows", engine::look_back_window, look_back_window_cost},
      {"scan", "scout (hindsight)", engine::scout, scout_cost},
      {"compaction", "flags, scan, scatter", engine::three_steps, three_steps_cost},
      {"compaction", "single pass", engine::single_pass_compaction, single_pass_compaction_cost},
      {"histogram", "global atomics", engine::global_atomics, global_atomics_cost},
      {"histogram", "private copies", engine::private_copies, private_copies_cost},
      {"histogram", "sort and reduce_by_key", engine::sort_reduce, sort_reduce_cost},
      {"radix sort", "split per bit", engine::split_sort, split_cost},
      {"radix sort", "upsweep-downsweep", engine::upsweep_downsweep, upsweep_downsweep_cost},
      {"radix sort", "onesweep", engine::onesweep, onesweep_cost},
      {"radix sort", library_sort_name, engine::library_sort, library_sort_cost},
      {"comparison sort", "odd-even transposition", engine::odd_even_transposition,
       odd_even_transposition_cost, quadratic_n},
      {"comparison sort", "bitonic", engine::bitonic, bitonic_cost},
      {"comparison sort", "odd-even merge", engine::odd_even_merge, odd_even_merge_cost},
      {"comparison sort", "merge", engine::merge_sort, merge_cost},
  };
  return all;
}

}  // namespace methods
