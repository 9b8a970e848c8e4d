// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace hindsight_test {

/// The exit status with which CTest reports a test as skipped.
constexpr int exit_skipped = 77;

/// Why no kernel of this binary can run here; empty if one can.
std::string why_no_gpu();

/// Prints "skipped: no CUDA device (reason)" and returns false if there is no device to run on.
bool gpu_is_present();

}  // namespace hindsight_test
