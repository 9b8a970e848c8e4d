// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys without values are pairs with an empty value.
#pragma once

namespace hindsight::detail {

/// The value type of a sort of keys alone.
struct no_value {};

}  // namespace hindsight::detail
