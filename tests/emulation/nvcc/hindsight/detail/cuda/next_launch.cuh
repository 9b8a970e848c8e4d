// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for the library's header of this name. HINDSIGHT_LAUNCH_NEXT is in gpu.h.
#pragma once

#include <hindsight/detail/cuda/clear.cuh>
