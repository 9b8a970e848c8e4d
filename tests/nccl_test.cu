// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several GPUs over NCCL against one GPU: all GPUs of this machine in one process, and a process
// for each.
#include "fresh_process.h"
#include "gpu_testing.h"
#include "ranks_testing.h"

#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>
#include <hindsight/nccl.h>

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
