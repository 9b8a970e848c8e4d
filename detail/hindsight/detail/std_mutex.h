// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::mutex and std::lock_guard, without the rest of <mutex>: see std_basics.h.
#pragma once

#include <hindsight/detail/config.h>

#if HINDSIGHT_HAS_LIBSTDCXX
#  include <bits/std_mutex.h>
#else
#  include <mutex>
#endif
