// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of bench/methods share: inputs, plain references, and the comparison.
#pragma once

#include "../bench/methods/methods.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace methods_test {

using methods::item;
using methods::method;
using methods::scan_kind;
using items = std::vector<item>;

/// What a run must not touch: the end of the output.
inline constexpr std::size_t guard_items = 5;
inline constexpr item poison = 0xABABABAB;

inline const std::vector<std::string> inputs{"random", "equal", "few values", "descending",
                                             "extremes"};

inline items make_input(const std::string& kind, std::size_t n) {
  std::mt19937 random{unsigned(n)};
  items in(n);
  for (std::size_t i = 0; i < n; ++i) {
    const item value = item(random());
    in[i] = kind == "random"       ? value
            : kind == "equal"      ? 0x80000001
            : kind == "few values" ? value % 3 << 23
            : kind == "descending" ? item(n - i) * 3
                                   : (value % 2 ? ~item{0} : 0);
  }
  return in;
}

/// What out[0, size) has to be, and num_kept where it is counted.
struct result {
  items out;
  item num_kept = 0;
};

inline result expected(const std::string& family, const items& in, scan_kind kind) {
  result r;
  if (family == "reduction") {
    r.out.assign(1, 0);
    for (const item value : in) r.out[0] += value;
  } else if (family == "scan") {
    item sum = 0;
    for (const item value : in) {
      r.out.push_back(kind == scan_kind::inclusive ? sum + value : sum);
      sum += value;
    }
  } else if (family == "compaction") {
    for (const item value : in)
      if (value % 2 == 1) r.out.push_back(value);
    r.num_kept = item(r.out.size());
  } else if (family == "histogram") {
    r.out.assign(methods::num_bins, 0);
    for (const item value : in) ++r.out[value / (1u << 24)];
  } else {
    r.out = in;
    std::sort(r.out.begin(), r.out.end());
  }
  return r;
}

/// The items that a method of this family may write.
inline std::size_t out_items(const std::string& family, std::size_t n) {
  return family == "reduction" ? 1 : family == "histogram" ? methods::num_bins : n;
}

/// What is wrong with what the method wrote, or nothing. `out` has its guard behind it.
inline std::string difference(const method& m, const items& in, scan_kind kind, const items& out,
                              item num_kept) {
  const result right = expected(m.family, in, kind);
  const auto wrong = std::mismatch(right.out.begin(), right.out.end(), out.begin());
  if (wrong.first != right.out.end())
    return "out[" + std::to_string(wrong.first - right.out.begin()) + "] is " +
           std::to_string(*wrong.second) + " instead of " + std::to_string(*wrong.first);
  if (std::string{m.family} == "compaction" && num_kept != right.num_kept)
    return "kept " + std::to_string(num_kept) + " instead of " + std::to_string(right.num_kept);
  for (std::size_t i = out_items(m.family, in.size()); i < out.size(); ++i)
    if (out[i] != poison) return "out[" + std::to_string(i) + "] was written";
  return {};
}

inline std::vector<scan_kind> kinds_of(const method& m) {
  if (std::string{m.family} != "scan") return {scan_kind::inclusive};
  return {scan_kind::inclusive, scan_kind::exclusive};
}

/// A test per method: "scan_look_back_by_windows".
class each_method : public testing::TestWithParam<std::size_t> {
 protected:
  const method& tested() const { return methods::all_methods()[GetParam()]; }
};
inline std::string name_of(const testing::TestParamInfo<std::size_t>& i) {
  const method& m = methods::all_methods()[i.param];
  std::string name = std::string{m.family} + "_" + m.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
inline auto all_indices() {
  return testing::Range(std::size_t{0}, methods::all_methods().size());
}

}  // namespace methods_test
