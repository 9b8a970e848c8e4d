// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::sort, std::upper_bound and std's heaps, without what else <algorithm> brings: see
// std_basics.h.
#pragma once

#include <hindsight/detail/config.h>

#if HINDSIGHT_HAS_LIBSTDCXX
#  include <bits/stl_algo.h>
#else
#  include <algorithm>
#endif
