// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async: a copy happens at any time between its start and the wait for it.
#pragma once

#include "../grid.h"
#include <cstddef>

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
  emulation::copy_later(to, from, bytes);
}
inline void __pipeline_commit() {}
/// All copies, whatever `groups` says: kernels of this library wait for all.
inline void __pipeline_wait_prior(std::size_t groups) {
  if (groups != 0) emulation::fail("__pipeline_wait_prior() of some copies is not emulated");
  emulation::finish_copies();
}
