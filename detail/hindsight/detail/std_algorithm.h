// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std's algorithms and operators (std::min, std::sort, std::plus). From C++17 on libstdc++'s
// <algorithm> and <functional> also bring hash tables, vectors and the parallel algorithms, which
// nvcc would read in each of its passes. The parts that are needed have headers of their own there.
#pragma once

#include <hindsight/detail/config.h>

#if HINDSIGHT_HAS_LIBSTDCXX
#  include <bits/stl_algo.h>
#  include <bits/stl_function.h>
#else
#  include <algorithm>
#  include <functional>
#endif
