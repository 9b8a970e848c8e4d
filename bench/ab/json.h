// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON of the programs' reports: values, objects, and what all heads say.
#pragma once

#include <hindsight/version.h>

#include "engine.h"
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ab {

/// A value as JSON writes it.
inline std::string json(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}
inline std::string json(double number) {
  if (!std::isfinite(number)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}
inline std::string json(std::optional<int> number) {
  return number ? std::to_string(*number) : "null";
}

using fields = std::vector<std::pair<const char*, std::string>>;

inline std::string object(const fields& all) {
  std::string text = "{";
  for (const auto& [key, value] : all) {
    if (text.size() > 1) text += ", ";
    text += json(std::string{key}) + ": " + value;
  }
  return text + "}";
}

inline void write(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text << std::flush;
  if (!out) throw std::runtime_error("cannot write " + path);
}

inline fields machine_fields(const machine& on) {
  char date[16], version[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::snprintf(version, sizeof version, "%d.%d.%d", HINDSIGHT_VERSION_MAJOR,
                HINDSIGHT_VERSION_MINOR, HINDSIGHT_VERSION_PATCH);
  return {{"device", json(on.device)},
          {"system", json(on.system)},
          {"threads", json(on.threads)},
          {"driver", json(on.driver)},
          {"toolkit", json(on.toolkit)},
          {"cccl", std::to_string(on.cccl)},
          {"hindsight", json(std::string{version})},
          {"date", json(std::string{date})}};
}

inline fields ceiling_fields(const ceilings& measured) {
  return {{"copy_gbytes_per_s", json(measured.copy_gbytes_per_s)},
          {"read_gbytes_per_s", json(measured.read_gbytes_per_s)}};
}

}  // namespace ab
