// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures for stock's scans by key, which make a summed-area table: along rows, along columns.
#pragma once

#include <hindsight/detail/config.h>

/// The key of pixel i: its line.
struct line_of {
  int length;
  HINDSIGHT_HD int operator()(int i) const { return i / length; }
};
/// Item i of a picture that lies on its side.
struct transposed {
  int width, height;
  HINDSIGHT_HD int operator()(int i) const { return i % height * width + i / height; }
};
