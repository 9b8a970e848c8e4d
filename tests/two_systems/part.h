// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

/// What a part of the program found.
struct part_result {
  std::string policy;  ///< the name of its policy's type
  std::vector<long> numbers;
  part_result& add(long number) {
    numbers.push_back(number);
    return *this;
  }
};

namespace for_cpp {
part_result run();
}
namespace for_cpp_without_openmp {
part_result run();
}
namespace for_omp {
part_result run();
}
