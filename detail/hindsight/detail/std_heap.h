// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap functions of std, without the rest of <algorithm>: see std_basics.h.
#pragma once

#include <hindsight/detail/config.h>

#if HINDSIGHT_HAS_LIBSTDCXX
#  include <hindsight/detail/std_basics.h>

#  include <bits/stl_heap.h>
#else
#  include <algorithm>
#endif
