// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async: a copy happens at any time between its start and the wait for it.
#pragma once

#include "../grid.h"
#include <cstddef>

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
  emulation::copy_later(to, from, bytes);
}
inline void __pipeline_commit() {
  emulation::end_copy_group();
}
inline void __pipeline_wait_prior(std::size_t groups) {
  emulation::finish_copies(groups);
}
