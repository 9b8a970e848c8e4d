// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line of hindsight_methods asks for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace methods {

struct options {
  std::string filter, json;
  std::vector<std::size_t> sizes;  ///< none: those of the engine
  enum { run, list, help } action = run;
};

/// Throws std::invalid_argument with one sentence.
options parse(int argc, char** argv);

void print_help();

}  // namespace methods
