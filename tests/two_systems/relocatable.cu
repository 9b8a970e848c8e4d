// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls whose kernels call a function. Compiled as relocatable code (-rdc=true), a function knows
// no kernel's limit of registers.
#include <hindsight/hindsight.h>

void sums_of_segments(const double* in, double* out, int n, const int* offsets) {
  hindsight::reduce_segments(hindsight::cuda::par, in, in + n,
                             hindsight::by_offsets(offsets, offsets + 4), out);
}
