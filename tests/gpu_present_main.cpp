// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exits with 0 if there is a CUDA device, else with 77 and the reason: `gpu_present && program`.
#include "gpu_present.h"

int main() {
  return hindsight_test::gpu_is_present() ? 0 : hindsight_test::exit_skipped;
}
