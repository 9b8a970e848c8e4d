// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that leave their counts in device memory, and calls that take their sizes from there. The
// count of one call is the size of the next, and the host waits for neither. A CUDA graph captures
// a chain of such calls once and replays it with other data.
//
//   hindsight::copy_if_into(policy, in, in + n, kept, num_kept, pred);
//   hindsight::inclusive_scan(policy, kept, hindsight::deferred{num_kept, n}, sums);
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/counts_in_place.h>  // selections and partitions in place that leave a count
#include <hindsight/counts_into.h>      // calls with outputs of their own that leave a count
#include <hindsight/deferred.h>         // a size that lies in device memory
#include <hindsight/deferred_sizes.h>   // calls that take such a size
