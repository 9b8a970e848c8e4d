// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::min, std::copy and their like, and std's operators. From C++17 on libstdc++'s <algorithm>
// and <functional> bring hash tables, vectors and the parallel algorithms along, and nvcc reads a
// header in each of its passes. What is needed here has headers of its own in libstdc++.
#pragma once

#include <hindsight/detail/config.h>

#if HINDSIGHT_HAS_LIBSTDCXX
#  include <bits/stl_algobase.h>
#  include <bits/stl_function.h>
#else
#  include <algorithm>
#  include <functional>
#endif
