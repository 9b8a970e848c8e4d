// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include "../ab/json.h"
#include <cstdio>

namespace methods {

namespace {

/// Of the rate at which memory can be copied. What stays in a cache can be faster.
double share_of_ceiling(const report& whole, const row& r) {
  return gbytes_per_s(r) / whole.measured.copy_gbytes_per_s;
}

ab::fields row_fields(const report& whole, const row& r) {
  using ab::json;
  return {{"family", json(std::string{r.of->family})},
          {"method", json(std::string{r.of->name})},
          {"n", std::to_string(r.n)},
          {"operations", json(r.costs.operations)},
          {"steps", json(r.costs.steps)},
          {"passes", json(r.costs.passes)},
          {"bytes", json(r.costs.bytes)},
          {"launches", std::to_string(r.launches)},
          {"ms", json(r.ms)},
          {"runs", std::to_string(r.runs)},
          {"gbytes_per_s", json(gbytes_per_s(r))},
          {"share_of_ceiling", json(share_of_ceiling(whole, r))},
          {"is_right", r.is_right ? "true" : "false"}};
}

/// A number, or a dash where there is none.
std::string text(const char* format, double number) {
  if (std::isnan(number)) return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}

}  // namespace

void print_head(const report& whole) {
  std::printf("methods on %s, %s", whole.on.device.c_str(), whole.on.system.c_str());
  if (whole.on.threads) std::printf(", %d threads", *whole.on.threads);
  std::printf("; ceiling: copies of %.1f GB/s\n", whole.measured.copy_gbytes_per_s);
  std::printf("%-15s %-22s %10s %10s %9s %6s %10s %8s %10s %9s %8s  %s\n", "family", "method", "n",
              "operations", "steps", "passes", "bytes", "launches", "ms", "GB/s", "ceiling",
              "right");
}

void print_row(const report& whole, const row& r) {
  std::printf("%-15s %-22s %10zu %10s %9s %6s %10s %8u %10.4f %9s %8s  %s\n", r.of->family,
              r.of->name, r.n, text("%.3g", r.costs.operations).c_str(),
              text("%.4g", r.costs.steps).c_str(), text("%g", r.costs.passes).c_str(),
              text("%.3g", r.costs.bytes).c_str(), r.launches, r.ms,
              text("%.1f", gbytes_per_s(r)).c_str(),
              text("%.0f%%", 100 * share_of_ceiling(whole, r)).c_str(), r.is_right ? "yes" : "NO");
}

void write_json(const std::string& path, const report& whole) {
  ab::fields head = ab::machine_fields(whole.on);
  for (const auto& field : ab::ceiling_fields(whole.measured)) head.push_back(field);
  std::string text = "{\n  \"head\": " + ab::object(head) + ",\n  \"rows\": [";
  for (const row& r : whole.rows) {
    text += &r == whole.rows.data() ? "\n    " : ",\n    ";
    text += ab::object(row_fields(whole, r));
  }
  ab::write(path, text + "\n  ]\n}\n");
}

}  // namespace methods
