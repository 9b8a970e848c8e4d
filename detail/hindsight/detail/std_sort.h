// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::sort and std::upper_bound, without the rest of <algorithm>: see std_basics.h.
#pragma once

#include <hindsight/detail/config.h>

#if HINDSIGHT_HAS_LIBSTDCXX
#  include <bits/stl_algo.h>
#else
#  include <algorithm>
#endif
