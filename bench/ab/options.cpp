// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include "arguments.h"
#include <algorithm>
#include <cstdio>
#include <tuple>

namespace ab {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// An empty list fits all.
bool is_of(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::count(wanted.begin(), wanted.end(), name) > 0;
}

bool has_mode(const ab_case& one, mode measured) {
  return std::count(one.modes.begin(), one.modes.end(), measured) > 0;
}

/// Refuses an option that no case of the mode fits, and names what would. `word` is the name that
/// the option is about.
template <class Fits>
void require_fit(const options& wanted, const std::string& option, const std::string& value,
                 std::string names::*word, Fits fits) {
  std::vector<std::string> words;
  for (const ab_case& one : cases()) {
    const std::string& name = one.named.*word;
    if (!has_mode(one, wanted.measured)) continue;
    if (fits(name)) return;
    if (std::count(words.begin(), words.end(), name) == 0) words.push_back(name);
  }
  std::string text;
  for (const std::string& name : words) text += (text.empty() ? "" : "; ") + name;
  refuse("no case fits " + option + " '" + value + "'; there are " + text);
}

}  // namespace

options parse(int argc, char** argv) {
  options wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      const bool is_there =
          i + 1 < argc && *argv[i + 1] != 0 && std::string{argv[i + 1]}.rfind("--", 0) != 0;
      if (!is_there) refuse(option + " needs a value");
      return argv[++i];
    };
    if (option == "--filter") {
      wanted.filter = value();
    } else if (option == "--type") {
      wanted.types = to_words(value());
    } else if (option == "--value") {
      wanted.values = to_words(value());
    } else if (option == "--distribution") {
      wanted.distribution = value();
    } else if (option == "--untuned") {
      wanted.is_untuned = true;
    } else if (option == "--n") {
      wanted.sizes = to_sizes(value());
    } else if (option == "--whole-call") {
      wanted.measured = mode::whole_call;
    } else if (option == "--small-buffers") {
      if (!engine::use_small_buffers()) refuse("--small-buffers is for GPU programs");
      small_buffers = true;
    } else if (option == "--seed") {
      seed = to_number(option, value());
    } else if (option == "--begin") {
      begin_items = to_number(option, value());
      if (begin_items > 64) refuse("--begin takes numbers of up to 64");
    } else if (option == "--json") {
      wanted.json = value();
    } else if (option == "--csv") {
      wanted.csv = value();
    } else if (option == "--list") {
      wanted.action = options::list;
    } else if (option == "--help" || option == "-h") {
      wanted.action = options::help;
    } else {
      refuse("unknown option '" + option + "'; --help lists those there are");
    }
  }
  // Only whole calls allocate while they are timed. In others arrays are as large as their items,
  // since our calls may ask the driver how large an allocation is.
  if (wanted.measured == mode::kernel) {
    std::ignore = engine::use_small_buffers();
    small_buffers = false;
  }
  return wanted;
}

void print_help() {
  std::fputs(
      "hindsight_ab: runs stock Thrust or CUB and hindsight in turn, in one process, and compares\n"
      "their results bit by bit. Ratio = stock / ours: above 1 ours is faster.\n"
      "\n"
      "  --filter TEXT        algorithms whose name contains TEXT\n"
      "  --type NAME,...      keys of these types: I8 I16 I32 I64 I128 U8 F32 F64, and structs of\n"
      "                       so many bytes: S32 S64 S128\n"
      "  --value NAME,...     values of these types\n"
      "  --distribution TEXT  inputs whose name contains TEXT\n"
      "  --untuned            other inputs: one run, all distinct, half one run; sorted, Zipf,\n"
      "                       outside the bins\n"
      "  --n N,N,...          sizes, such as 65536 or 2^16 (2^16, 2^20, 2^24; on a GPU also 2^28,\n"
      "                       except of structs)\n"
      "  --whole-call         time Thrust calls by the host clock (always so on host threads)\n"
      "                       instead of CUB-shaped calls between two events on the GPU\n"
      "  --small-buffers      GPU: leave partly used 2 MiB chunks, where cudaMalloc is faster\n"
      "                       (for whole calls: without them buffers are small anyway)\n"
      "  --begin N            arrays begin N items behind a multiple of 256 bytes (0)\n"
      "  --seed N             of the inputs (42)\n"
      "  --json FILE          write the results there\n"
      "  --csv FILE           the same as a table\n"
      "  --list               print the cases of the mode and exit\n"
      "\n"
      "Exit status: 0; 1 if any result differs from stock's; 2 after an error; 77 if there is no\n"
      "device to run on. The source digest in the head of the JSON file is that of the headers\n"
      "that the program was built from, or what the variable HINDSIGHT_SOURCE_DIGEST says.\n",
      stdout);
}

std::vector<const ab_case*> choose(const options& wanted) {
  const auto has_filter = [&](const std::string& name) { return contains(name, wanted.filter); };
  const auto has_distribution = [&](const std::string& name) {
    return contains(name, wanted.distribution) &&
           (name.rfind("untuned", 0) == 0) == wanted.is_untuned;
  };
  require_fit(wanted, "--filter", wanted.filter, &names::algorithm, has_filter);
  const auto require_each = [&](const std::string& option, const std::vector<std::string>& types,
                                std::string names::*word) {
    for (const std::string& type : types)
      require_fit(wanted, option, type, word,
                  [&](const std::string& name) { return name == type; });
  };
  require_each("--type", wanted.types, &names::key);
  require_each("--value", wanted.values, &names::value);
  require_fit(wanted, "--distribution", wanted.distribution, &names::distribution,
              has_distribution);
  std::vector<const ab_case*> chosen;
  for (const ab_case& one : cases()) {
    const names& of = one.named;
    if (has_mode(one, wanted.measured) && has_filter(of.algorithm) && is_of(wanted.types, of.key) &&
        is_of(wanted.values, of.value) && has_distribution(of.distribution))
      chosen.push_back(&one);
  }
  if (chosen.empty()) refuse("no case matches all of these options; --list prints those there are");
  return chosen;
}

}  // namespace ab
