// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The version of the library.
#pragma once

#define HINDSIGHT_VERSION_MAJOR 0
#define HINDSIGHT_VERSION_MINOR 2
#define HINDSIGHT_VERSION_PATCH 0
/// major * 10000 + minor * 100 + patch
#define HINDSIGHT_VERSION 200
