// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "names_of_programs.h"
// After these macros:
#include <hindsight/block_sort.cuh>
#include <hindsight/device_histogram.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_scan.cuh>
#include <hindsight/device_select.cuh>

#include "every_call.cpp"
