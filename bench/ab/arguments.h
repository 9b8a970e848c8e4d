// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of the command line as numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ab {

[[noreturn]] inline void refuse(const std::string& reason) {
  throw std::invalid_argument(reason);
}

inline unsigned long long to_number(const std::string& option, const std::string& text) {
  const bool digits_only = !text.empty() && text.size() < 20 &&
                           text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits_only) refuse(option + " takes whole numbers, not '" + text + "'");
  return std::stoull(text);
}

/// 1048576 or 2^20. No size in bytes overflows.
inline std::size_t to_size(const std::string& text) {
  constexpr unsigned largest = 50;
  const bool is_power = text.rfind("2^", 0) == 0;
  const auto number = to_number("--n", is_power ? text.substr(2) : text);
  if (number > (is_power ? largest : 1ull << largest))
    refuse("--n takes sizes of up to 2^50, not '" + text + "'");
  return is_power ? std::size_t{1} << number : std::size_t{number};
}

/// The words between commas.
inline std::vector<std::string> to_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

inline std::vector<std::size_t> to_sizes(const std::string& text) {
  std::vector<std::size_t> sizes;
  for (const std::string& word : to_words(text)) {
    const std::size_t n = to_size(word);
    if (n == 0) refuse("--n takes sizes of at least 1");
    if (std::count(sizes.begin(), sizes.end(), n) > 0) refuse("--n has " + word + " twice");
    sizes.push_back(n);
  }
  if (sizes.empty()) refuse("--n needs a value");
  return sizes;
}

}  // namespace ab
