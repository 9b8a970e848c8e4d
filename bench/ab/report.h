// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program prints and writes.
#pragma once

#include "case.h"

namespace ab {

struct row {
  const ab_case* of;
  std::size_t n;
  mode measured;
  measurement times;
};

struct report {
  machine on;
  ceilings measured;
  std::vector<row> rows;
};

void print_head(const report&);
void print_row(const report&, const row&);

/// Throw std::runtime_error where the file cannot be written.
void write_json(const std::string& path, const report&);
void write_csv(const std::string& path, const report&);

}  // namespace ab
