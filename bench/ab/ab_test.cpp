// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own parts: it must see a wrong result, and where it is.
#include "options.h"
#include "report.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>

namespace {

constexpr std::size_t n = 100'000;

/// A case whose sides copy these arrays.
ab::ab_case copying(const std::vector<int>& stock, const std::vector<int>& ours) {
  ab::ab_case made{
      {"copy", "I32", "-", "test"}, {8, ab::ceiling::copy}, ab::engine::modes, nullptr};
  made.prepare = [=](std::size_t, ab::mode measured) {
    ab::prepared sides;
    sides.stock_results = std::make_shared<ab::results>(measured);
    sides.our_results = std::make_shared<ab::results>(measured);
    for (const auto& side : {sides.stock_results, sides.our_results}) {
      side->add_scalar<int>("count");
      side->add<int>("items", n);
    }
    const auto writes = [](std::shared_ptr<ab::results> to, const std::vector<int>& from) {
      return [=] {
        ab::engine::copy(to->as<int>(0), &from[0], sizeof(int));
        ab::engine::copy(to->as<int>(1), from.data(), from.size() * sizeof(int));
      };
    };
    sides.stock = writes(sides.stock_results, stock);
    sides.ours = writes(sides.our_results, ours);
    sides.reset = [](const ab::results&) {};
    return sides;
  };
  return made;
}

std::string difference(const std::vector<int>& stock, const std::vector<int>& ours,
                       ab::mode measured) {
  return ab::measure(copying(stock, ours), n, measured).difference;
}

TEST(measure, sees_equal_results) {
  for (const ab::mode measured : ab::engine::modes) {
    const auto times = ab::measure(copying(std::vector<int>(n), std::vector<int>(n)), n, measured);
    EXPECT_EQ(times.difference, "");
    EXPECT_GE(times.runs, ab::engine::limits.least);
    EXPECT_LE(times.runs, ab::engine::limits.most);
    EXPECT_GT(times.our_ms, 0);
    EXPECT_GT(times.stock_ms, 0);
  }
}

TEST(measure, names_the_first_item_that_differs) {
  for (const ab::mode measured : ab::engine::modes) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{77'777}, n - 1}) {
      std::vector<int> ours(n);
      ours[at] = 1;
      ours[n - 1] = 1;
      const std::string expected = at == 0 ? "count[0]" : "items[" + std::to_string(at) + "]";
      const std::string seen = difference(std::vector<int>(n), ours, measured);
      EXPECT_EQ(seen.substr(0, seen.find(':')), expected) << seen;
    }
  }
}

TEST(measure, sees_an_item_that_one_side_does_not_write) {
  for (const ab::mode measured : ab::engine::modes) {
    const std::string seen = difference(std::vector<int>(n), std::vector<int>(n - 1), measured);
    EXPECT_EQ(seen.substr(0, seen.find(':')), "items[" + std::to_string(n - 1) + "]") << seen;
  }
}

/// A case of one item: in each run ours writes what `ours(run)` returns, or nothing at all.
ab::ab_case writing(std::function<std::optional<int>(int run)> ours) {
  ab::ab_case made{
      {"write", "I32", "-", "test"}, {4, ab::ceiling::copy}, ab::engine::modes, nullptr};
  made.prepare = [=](std::size_t, ab::mode measured) {
    ab::prepared sides;
    sides.stock_results = std::make_shared<ab::results>(measured);
    sides.our_results = std::make_shared<ab::results>(measured);
    for (const auto& side : {sides.stock_results, sides.our_results}) side->add<int>("item", 1);
    const auto write = [](const std::shared_ptr<ab::results>& to, int item) {
      ab::engine::copy(to->as<int>(0), &item, sizeof item);
    };
    sides.stock = [=, to = sides.stock_results] { write(to, 7); };
    sides.ours = [=, to = sides.our_results, run = 0]() mutable {
      if (const auto item = ours(run++)) write(to, *item);
    };
    sides.reset = [](const ab::results&) {};
    return sides;
  };
  return made;
}

TEST(measure, sees_what_only_some_runs_do_wrong) {
  for (const ab::mode measured : ab::engine::modes) {
    const auto difference = [&](auto ours) {
      return ab::measure(writing(ours), 1, measured).difference;
    };
    using item = std::optional<int>;
    EXPECT_EQ(difference([](int) -> item { return 7; }), "");
    EXPECT_NE(difference([](int run) -> item { return run < ab::engine::limits.warm_up ? 8 : 7; }),
              "")
        << "wrong at first";
    EXPECT_NE(difference([](int run) -> item { return run < ab::engine::limits.warm_up ? 7 : 8; }),
              "")
        << "wrong later";
    EXPECT_NE(difference([](int run) { return run == 0 ? item{7} : std::nullopt; }), "")
        << "nothing written later";
  }
}

ab::options parse(std::vector<std::string> words) {
  std::vector<char*> arguments{words[0].data()};
  for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
  return ab::parse(int(arguments.size()), arguments.data());
}

TEST(options, sizes) {
  EXPECT_EQ(parse({"ab", "--n", "2^20,7,2^0"}).sizes, (std::vector<std::size_t>{1 << 20, 7, 1}));
  for (const char* wrong : {"", "x", "2^", "2^51", "1125899906842625", "-1", "3.5", "0", "1,,2",
                            "4,2^2", "99999999999999999999"})
    EXPECT_ANY_THROW(parse({"ab", "--n", wrong})) << wrong;
}

TEST(options, default_sizes_suit_the_case) {
  ab::ab_case one = copying({}, {});
  const ab::options without = parse({"ab"}), with = parse({"ab", "--n", "2^40"});
  EXPECT_EQ(without.sizes_of(one), ab::engine::default_sizes);
  one.most_items = 1 << 20;
  EXPECT_EQ(without.sizes_of(one), (std::vector<std::size_t>{1 << 16, 1 << 20}));
  EXPECT_EQ(with.sizes_of(one), (std::vector<std::size_t>{std::size_t{1} << 40}));
}

TEST(options, lists_of_types) {
  EXPECT_TRUE(parse({"ab"}).types.empty());
  EXPECT_EQ(parse({"ab", "--type", "I8,S64"}).types, (std::vector<std::string>{"I8", "S64"}));
  EXPECT_EQ(parse({"ab", "--value", "F32"}).values, (std::vector<std::string>{"F32"}));
}

TEST(report, strings_are_escaped) {
  ab::machine machine = ab::engine::describe();
  machine.device = "a \"b\" \\ c\n";
  const std::string path =
      testing::TempDir() + "hindsight_ab_report_" + std::to_string(getpid()) + ".json";
  ab::write_json(path, {machine, {1, 1}, {}});
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find(R"("device": "a \"b\" \\ c\u000a")"), std::string::npos) << text;
  std::remove(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const std::string reason = ab::engine::why_unusable(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  return RUN_ALL_TESTS();
}
