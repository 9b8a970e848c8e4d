// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include "../ab/arguments.h"
#include <cstdio>

namespace methods {

options parse(int argc, char** argv) {
  options wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc || *argv[i + 1] == 0 || std::string{argv[i + 1]}.rfind("--", 0) == 0)
        ab::refuse(option + " needs a value");
      return argv[++i];
    };
    if (option == "--filter") {
      wanted.filter = value();
    } else if (option == "--n") {
      wanted.sizes = ab::to_sizes(value());
      for (const std::size_t n : wanted.sizes)
        if (n >> 32 != 0) ab::refuse("--n takes sizes below 2^32, since positions have 32 bits");
    } else if (option == "--json") {
      wanted.json = value();
    } else if (option == "--list") {
      wanted.action = options::list;
    } else if (option == "--help" || option == "-h") {
      wanted.action = options::help;
    } else {
      ab::refuse("unknown option '" + option + "'; --help lists those there are");
    }
  }
  return wanted;
}

void print_help() {
  std::fputs(
      "hindsight_methods: the classic parallel algorithms side by side, on one input: what each\n"
      "costs by its design (operations, steps, passes, bytes), how many launches were counted,\n"
      "what time was measured, and whether the result is right. docs/methods.md explains them.\n"
      "\n"
      "  --filter TEXT   methods whose family or name contains TEXT\n"
      "  --n N,N,...     sizes, such as 65536 or 2^16\n"
      "  --json FILE     write the results there\n"
      "  --list          print the methods and exit\n"
      "\n"
      "GB/s are the bytes of the design by the time measured; the ceiling is the rate of a copy.\n"
      "Exit status: 0; 1 if any result is wrong; 2 after an error; 77 if there is no device.\n",
      stdout);
}

}  // namespace methods
