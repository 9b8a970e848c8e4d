// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program prints and writes.
#pragma once

#include "measure.h"

namespace methods {

struct report {
  ab::machine on;
  ab::ceilings measured;
  std::vector<row> rows;
};

void print_head(const report&);
void print_row(const report&, const row&);

/// Throws std::runtime_error where the file cannot be written.
void write_json(const std::string& path, const report&);

}  // namespace methods
