// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the calls with hindsight::ab_par have shown: a row per call site, as a table, JSON or
// structs.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/ab/table.h>
#include <hindsight/detail/config.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight {
inline namespace HINDSIGHT_VERSION_ABI {

/// All calls of one algorithm under one name.
struct ab_row {
  std::string name;              ///< as the policy was named, else the algorithm's
  std::string algorithm;         ///< its name in Thrust
  std::size_t calls = 0;         ///< that began
  std::size_t items = 0;         ///< of all calls
  double stock_ms = 0;           ///< of all calls that were compared
  double our_ms = 0;             ///< of the same calls
  std::size_t differing = 0;     ///< calls
  std::size_t not_compared = 0;  ///< calls that only stock could serve
  std::size_t errors = 0;        ///< calls in which our side threw
  std::string first_difference;  ///< "out[17] in call 3", of an output or the result
  std::string first_error;       ///< what() of the first exception of our side

  /// Above 1 we are faster.
  double ratio() const { return our_ms > 0 ? stock_ms / our_ms : 0; }
};

/// The rows of this process, in the order of their first calls. All members may be called from any
/// thread, also while algorithms run.
class ab_log {
 public:
  /// A copy of the rows.
  std::vector<ab_row> rows() const {
    const std::lock_guard lock{mutex_};
    return rows_;
  }

  /// Forgets all rows.
  void clear() {
    const std::lock_guard lock{mutex_};
    rows_.clear();
  }

  /// A table, a line per row. If results differ, also which differences are to be expected.
  void print(std::ostream& to) const {
    const auto all = rows();
    detail::ab::table table{{"name", "algorithm", "calls", "items", "stock ms", "our ms", "ratio",
                             "differing", "not compared", "errors", "first difference"}};
    bool any_differs = false;
    for (const ab_row& row : all) {
      any_differs |= row.differing > 0;
      table.add({row.name, row.algorithm, std::to_string(row.calls), std::to_string(row.items),
                 detail::ab::fixed(row.stock_ms, 3), detail::ab::fixed(row.our_ms, 3),
                 row.our_ms > 0 ? detail::ab::fixed(row.ratio(), 2) : "-",
                 std::to_string(row.differing), std::to_string(row.not_compared),
                 std::to_string(row.errors), row.first_difference});
    }
    to << table.text();
    for (const ab_row& row : all) {
      if (row.errors > 0) to << "first error of " << row.name << ": " << row.first_error << '\n';
    }
    if (any_differs) {
      to << "May differ: last bits of floating-point scans and reduce_by_key (stock varies from\n"
            "run to run); of floating-point reductions on host threads, from sm_100 on and with\n"
            "a CCCL before 3.0 or after 3.6; padding in structs; negative ints that CCCL 3.0\n"
            "sorts on one thread. Rarer cases: docs/design.md, \"Known limits\".\n";
    }
  }

  /// An array with an object per row; its keys are the members of ab_row, and "ratio".
  void write_json(std::ostream& to) const {
    using detail::ab::quoted, detail::ab::fixed;
    const auto count = [](std::size_t n) { return std::to_string(n); };  // in every locale the same
    const char* separator = "[\n";
    for (const ab_row& row : rows()) {
      to << separator << "  {\"name\": " << quoted(row.name)
         << ", \"algorithm\": " << quoted(row.algorithm) << ", \"calls\": " << count(row.calls)
         << ", \"items\": " << count(row.items) << ", \"stock_ms\": " << fixed(row.stock_ms, 6)
         << ", \"our_ms\": " << fixed(row.our_ms, 6) << ", \"ratio\": " << fixed(row.ratio(), 4)
         << ", \"differing\": " << count(row.differing)
         << ", \"not_compared\": " << count(row.not_compared)
         << ", \"errors\": " << count(row.errors)
         << ", \"first_difference\": " << quoted(row.first_difference)
         << ", \"first_error\": " << quoted(row.first_error) << "}";
      separator = ",\n";
    }
    to << (*separator == '[' ? "[]\n" : "\n]\n");
  }

  /// Counts a call that begins; returns its number in its row, from 1.
  std::size_t begin_call(std::string_view name, std::string_view algorithm, std::size_t items) {
    const std::lock_guard lock{mutex_};
    ab_row* row = find(name, algorithm);
    if (!row) {
      row = &rows_.emplace_back();
      row->name = name;
      row->algorithm = algorithm;
    }
    row->items += items;
    return ++row->calls;
  }

  /// Calls update(row) for a call that has begun, unless the row was cleared since.
  template <class Update>
  void end_call(std::string_view name, std::string_view algorithm, Update update) {
    const std::lock_guard lock{mutex_};
    if (ab_row* const row = find(name, algorithm)) update(*row);
  }

 private:
  ab_row* find(std::string_view name, std::string_view algorithm) {
    for (ab_row& row : rows_) {
      if (row.name == name && row.algorithm == algorithm) return &row;
    }
    return nullptr;
  }

  mutable std::mutex mutex_;
  std::vector<ab_row> rows_;
};

}  // namespace HINDSIGHT_VERSION_ABI

namespace detail::ab {

/// Writes the report where the environment variable HINDSIGHT_AB_REPORT says.
inline void write_where_environment_says(const ab_log& log) {
  const char* variable = std::getenv("HINDSIGHT_AB_REPORT");
  if (!variable || !*variable) return;
  const std::string path = variable;
  if (path == "-") return log.print(std::cerr);
  std::ofstream file{path};
  const bool is_json = path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
  is_json ? log.write_json(file) : log.print(file);
  if (!file.flush()) std::cerr << "hindsight: cannot write HINDSIGHT_AB_REPORT=" << path << '\n';
}

}  // namespace detail::ab

inline namespace HINDSIGHT_VERSION_ABI {

/// The log of this process. If the environment variable HINDSIGHT_AB_REPORT is set, the report is
/// written when the process exits: to standard error for "-", else to the file of that name, as a
/// table, or as JSON if the name ends in ".json".
///   Time    the first call makes the log
///   Memory  a row for each name and algorithm; never freed
///   Order   rows are in the order of their first calls
///   Sync    none; any thread may call it
///   Errors  std::bad_alloc
///   Example
///     hindsight::ab_report().print(std::cout);
inline ab_log& ab_report() {
  static ab_log& log = []() -> ab_log& {
    auto* const made = new ab_log;  // never deleted: destructors of other statics may still record
    std::atexit([] { detail::ab::write_where_environment_says(ab_report()); });
    return *made;
  }();
  return log;
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight
