// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random items in the engine's memory, and what the methods have to make of them.
#pragma once

#include "../ab/engine.h"
#include "method.h"
#include <string>
#include <vector>

namespace methods {

class input {
 public:
  explicit input(std::size_t n);
  std::size_t size() const { return n_; }
  const item* items() const { return items_.as<const item>(); }

  /// What the results of a family are compared with, according to stock Thrust: the output, and
  /// poison behind it. Made when it is first asked for.
  const ab::buffer& expected(const std::string& family);
  item expected_kept() const { return expected_kept_; }  ///< of the compaction

 private:
  void compute(const std::string& family);
  const item* sorted();

  std::size_t n_;
  ab::buffer items_, expected_;
  std::string expected_family_;
  std::vector<ab::buffer> sorted_;  ///< none or one
  item expected_kept_ = 0;
};

/// The items that an output has room for.
inline std::size_t out_room(std::size_t n) {
  return n > num_bins ? n : num_bins;
}

}  // namespace methods
