// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's header of asynchronous copies, which has a template parameter N: programs define that name
// as a macro.
#pragma once

#pragma push_macro("N")
#undef N
#include <cuda_pipeline_primitives.h>
#pragma pop_macro("N")
