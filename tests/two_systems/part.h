// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

/// An iterator that knows its range. In C++20 it says that the range is contiguous.
struct bounded_iterator {
#if defined(__cpp_lib_concepts)
  using iterator_concept = std::contiguous_iterator_tag;
#endif
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = int;
  using pointer = int*;
  using reference = int&;
  using self = bounded_iterator;

  int* at;
  int* first;
  int* last;

  int& operator*() const {
    return *at;
  }
  int* operator->() const {
    return at;
  }
  int& operator[](std::ptrdiff_t i) const {
    return at[i];
  }
  self& operator+=(std::ptrdiff_t i) {
    return at += i, *this;
  }
  self& operator-=(std::ptrdiff_t i) {
    return at -= i, *this;
  }
  self& operator++() {
    return *this += 1;
  }
  self& operator--() {
    return *this -= 1;
  }
  self operator++(int) {
    return self{at++, first, last};
  }
  self operator--(int) {
    return self{at--, first, last};
  }
  friend self operator+(self it, std::ptrdiff_t i) {
    return it += i;
  }
  friend self operator+(std::ptrdiff_t i, self it) {
    return it += i;
  }
  friend self operator-(self it, std::ptrdiff_t i) {
    return it -= i;
  }
  friend std::ptrdiff_t operator-(self a, self b) {
    return a.at - b.at;
  }
  friend bool operator==(self a, self b) {
    return a.at == b.at;
  }
  friend bool operator!=(self a, self b) {
    return a.at != b.at;
  }
  friend bool operator<(self a, self b) {
    return a.at < b.at;
  }
  friend bool operator>(self a, self b) {
    return a.at > b.at;
  }
  friend bool operator<=(self a, self b) {
    return a.at <= b.at;
  }
  friend bool operator>=(self a, self b) {
    return a.at >= b.at;
  }
};

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
namespace for_cpp_of_other_version {
part_result run();
}
namespace for_cpp_as_cxx20 {
part_result run();
}
namespace for_cpp_without_openmp {
part_result run();
}
namespace for_omp {
part_result run();
}
