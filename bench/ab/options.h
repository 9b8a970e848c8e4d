// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "case.h"

namespace ab {

struct options {
  std::string filter, distribution, json, csv;
  std::vector<std::string> types, values;  ///< of keys and of values; empty: all
  std::vector<std::size_t> sizes;          ///< empty: the default ones of each case
  mode measured = engine::modes.front();
  bool is_untuned = false;  ///< inputs whose names begin with "untuned", or all others
  enum { run, list, help } action = run;

  std::vector<std::size_t> sizes_of(const ab_case& one) const {
    return sizes.empty() ? default_sizes(one) : sizes;
  }
};

/// Also sets ab::seed, ab::begin_items and ab::small_buffers. Throws std::invalid_argument with one
/// sentence.
options parse(int argc, char** argv);

void print_help();

/// The cases that the options ask for and that have their mode.
std::vector<const ab_case*> choose(const options& wanted);

}  // namespace ab
