// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies and every algorithm, for policies, iterators and ranges. Not in here: Device*
// (device_*.cuh), sorts for users' kernels (block_sort.cuh), ab.h, rows.h, and calls over several
// GPUs or ranks (shards.h, nccl.h, loopback.h).
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/adjacent_difference.h>
#include <hindsight/counts.h>
#include <hindsight/counts_in_place.h>
#include <hindsight/counts_into.h>
#include <hindsight/deferred.h>
#include <hindsight/deferred_sizes.h>
#include <hindsight/errors.h>
#include <hindsight/extrema.h>
#include <hindsight/filter.h>
#include <hindsight/find.h>
#include <hindsight/histogram.h>
#include <hindsight/image.h>
#include <hindsight/morton.h>
#include <hindsight/outputs.h>
#include <hindsight/partition.h>
#include <hindsight/policy.h>
#include <hindsight/reduce.h>
#include <hindsight/reduce_by_key.h>
#include <hindsight/results.h>
#include <hindsight/run_length_encode.h>
#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>
#include <hindsight/segments.h>
#include <hindsight/select.h>
#include <hindsight/sort.h>
#include <hindsight/sort_by.h>
#include <hindsight/sort_segments.h>
#include <hindsight/spmv.h>
#include <hindsight/summaries.h>
#include <hindsight/top_k.h>
#include <hindsight/unique.h>
#include <hindsight/version.h>
#include <hindsight/workspace.h>

#include <thrust/mr/allocator.h>  // par(memory_resource)
