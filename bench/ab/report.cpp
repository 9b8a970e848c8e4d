// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <hindsight/version.h>

#include "json.h"
#include "source_digest.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ab {

namespace {

const char* name(ceiling bound) {
  return bound == ceiling::copy ? "copy" : bound == ceiling::read ? "read" : "";
}

double gbytes_per_s(const row& r) {
  return r.of->moves.bytes_per_item * double(r.n) / (r.times.our_ms * 1e6);
}

/// NaN where no measured rate bounds the case.
double share_of_ceiling(const report& whole, const row& r) {
  switch (r.of->moves.bound) {
    case ceiling::copy:
      return gbytes_per_s(r) / whole.measured.copy_gbytes_per_s;
    case ceiling::read:
      return gbytes_per_s(r) / whole.measured.read_gbytes_per_s;
    default:
      return std::nan("");
  }
}

fields head_fields(const report& whole) {
  const char* digest = std::getenv("HINDSIGHT_SOURCE_DIGEST");
  fields head = machine_fields(whole.on);
  head.push_back({"source_digest", json(std::string{digest ? digest : source_digest})});
  head.push_back({"seed", std::to_string(seed)});
  if (begin_items > 0) head.push_back({"begin_items", std::to_string(begin_items)});
  if (small_buffers) head.push_back({"small_buffers", "true"});
  for (const auto& field : ceiling_fields(whole.measured)) head.push_back(field);
  return head;
}

fields row_fields(const report& whole, const row& r) {
  const names& of = r.of->named;
  const measurement& times = r.times;
  const bool bounded = r.of->moves.bound != ceiling::none;
  return {{"algorithm", json(of.algorithm)},
          {"key", json(of.key)},
          {"value", json(of.value)},
          {"n", std::to_string(r.n)},
          {"distribution", json(of.distribution)},
          {"mode", json(std::string{ab::name(r.measured)})},
          {"hindsight_ms", json(times.our_ms)},
          {"stock_ms", json(times.stock_ms)},
          {"ratio", json(times.stock_ms / times.our_ms)},
          {"hindsight_noise", json(times.our_noise)},
          {"stock_noise", json(times.stock_noise)},
          {"runs", std::to_string(times.runs)},
          {"gbytes_per_s", json(gbytes_per_s(r))},
          {"ceiling", bounded ? json(std::string{name(r.of->moves.bound)}) : "null"},
          {"share_of_ceiling", json(share_of_ceiling(whole, r))},
          {"same_bits", times.difference.empty() ? "true" : "false"},
          {"difference", times.difference.empty() ? "null" : json(times.difference)}};
}

}  // namespace

void print_head(const report& whole) {
  const int cccl = whole.on.cccl;
  std::printf("hindsight %d.%d.%d against CCCL %d.%d.%d, %s, on %s", HINDSIGHT_VERSION_MAJOR,
              HINDSIGHT_VERSION_MINOR, HINDSIGHT_VERSION_PATCH, cccl / 1000000, cccl / 1000 % 1000,
              cccl % 1000, whole.on.system.c_str(), whole.on.device.c_str());
  if (whole.on.threads) std::printf(", %d threads", *whole.on.threads);
  std::printf("\nceilings: copy %.1f GB/s, read %.1f GB/s\n", whole.measured.copy_gbytes_per_s,
              whole.measured.read_gbytes_per_s);
  std::printf("%-21s %-4s %-4s %11s %-27s %11s %11s %8s %6s %9s  %s\n", "algorithm", "key", "val",
              "n", "distribution", "stock ms", "ours ms", "ratio", "noise", "ceiling", "same bits");
}

void print_row(const report& whole, const row& r) {
  const names& of = r.of->named;
  const measurement& times = r.times;
  char share[16] = "";
  if (r.of->moves.bound != ceiling::none)
    std::snprintf(share, sizeof share, "%3.0f%% %s", 100 * share_of_ceiling(whole, r),
                  name(r.of->moves.bound));
  std::printf("%-21s %-4s %-4s %11zu %-27s %11.4f %11.4f %7.2fx %5.0f%% %9s  %s\n",
              of.algorithm.c_str(), of.key.c_str(), of.value.c_str(), r.n, of.distribution.c_str(),
              times.stock_ms, times.our_ms, times.stock_ms / times.our_ms,
              100 * std::fmax(times.our_noise, times.stock_noise), share,
              times.difference.empty() ? "yes" : ("NO: " + times.difference).c_str());
}

void write_json(const std::string& path, const report& whole) {
  std::string text = "{\n  \"head\": " + object(head_fields(whole)) + ",\n  \"rows\": [";
  for (const row& r : whole.rows) {
    text += &r == whole.rows.data() ? "\n    " : ",\n    ";
    text += object(row_fields(whole, r));
  }
  write(path, text + "\n  ]\n}\n");
}

void write_csv(const std::string& path, const report& whole) {
  std::string text;
  const auto add_line = [&](const fields& all, auto select) {
    for (std::size_t i = 0; i < all.size(); ++i)
      text += (i > 0 ? "," : "") + std::string{select(all[i])};
    text += '\n';
  };
  for (const row& r : whole.rows) {
    const fields all = row_fields(whole, r);
    if (text.empty()) add_line(all, [](const auto& field) { return field.first; });
    add_line(all, [](const auto& field) { return field.second; });
  }
  write(path, text);
}

}  // namespace ab
