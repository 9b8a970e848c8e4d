// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text for reports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace hindsight::detail::ab {

/// The same text in every locale, as JSON asks.
inline std::string fixed(double value, int decimals) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

/// A JSON string.
inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

/// Columns as wide as their widest cell: text to the left, numbers to the right.
class table {
 public:
  using row = std::vector<std::string>;

  explicit table(row header) { rows_.push_back(std::move(header)); }
  void add(row cells) { rows_.push_back(std::move(cells)); }

  std::string text() const {
    std::string result;
    for (const row& cells : rows_) {
      std::string line;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const std::string gap(width(c) - cells[c].size(), ' ');
        line += is_number(c) ? gap + cells[c] : cells[c] + gap;
        line += "  ";
      }
      result += line.erase(line.find_last_not_of(' ') + 1) + '\n';
    }
    return result;
  }

 private:
  std::size_t width(std::size_t column) const {
    std::size_t widest = 0;
    for (const row& cells : rows_) widest = std::max(widest, cells[column].size());
    return widest;
  }
  bool is_number(std::size_t column) const {
    return std::all_of(rows_.begin() + 1, rows_.end(), [column](const row& cells) {
      return cells[column].find_first_not_of("0123456789.-") == std::string::npos;
    });
  }

  std::vector<row> rows_;
};

}  // namespace hindsight::detail::ab
