// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.h"

#include <vector>

void call_all_on_host_threads(std::vector<program::item>& items, std::vector<int>& numbers) {
  program::call_all(hindsight::host::par, items, items, items, items, numbers, numbers, numbers);
}
