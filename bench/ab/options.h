// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "case.h"

namespace ab {

struct options {
  std::string filter, type, distribution, json, csv;
  std::vector<std::size_t> sizes = engine::default_sizes;
  mode measured = engine::modes.front();
  bool is_untuned = false;  ///< inputs whose names begin with "untuned", or all others
  enum { run, list, help } action = run;
};

/// Also sets ab::seed. Throws std::invalid_argument with one sentence.
options parse(int argc, char** argv);

void print_help();

/// The cases that the options ask for and that have their mode.
std::vector<const ab_case*> choose(const options& wanted);

}  // namespace ab
