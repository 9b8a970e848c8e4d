// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of any type that exist twice: in the memory of the engine under test, and in memory of the
// host, where stock's sequential backend, which takes every type, says what is right.
#pragma once

#include "operators.h"
#include "run.h"
#include <cstring>
#include <string>
#include <vector>

namespace hindsight_test {

template <class T>
class twin {
 public:
  /// [n] items, all poison.
  twin(std::size_t n, std::size_t shift) : ours_(n, shift), stock_(n, shift) {}
  twin(const item_vector<T>& items, std::size_t shift) : twin(items.size(), shift) { put(items); }

  void put(const item_vector<T>& items) const {
    const auto from = static_cast<const void*>(items.data());
    memory::copy(ours_.data(), from, items.size() * sizeof(T));
    if (!items.empty())
      std::memcpy(static_cast<void*>(stock_.data()), from, items.size() * sizeof(T));
  }

  T* at(our_side) const { return ours_.data(); }
  T* at(stock_side) const { return stock_.data(); }
  std::size_t size() const { return ours_.size(); }

  /// Empty if [0, count) has the same parts on both sides, and ours wrote nothing outside of
  /// [0, room).
  std::string difference(std::size_t count, std::size_t room) const {
    const auto actual = ours_.to_host();
    const auto expected = reinterpret_cast<const unsigned char*>(stock_.data());
    const std::size_t begin = ours_.front() * sizeof(T), end = begin + room * sizeof(T);
    for (std::size_t b = 0; b < actual.size(); b = b + 1 == begin ? end : b + 1)
      if ((b < begin || b >= end) && actual[b] != memory::poison)
        return "byte " + std::to_string(std::ptrdiff_t(b - begin)) + " outside of the range is set";
    const unsigned char* const items = actual.data() + begin;
    if (count == 0 || std::memcmp(items, expected, count * sizeof(T)) == 0) return {};
    for (std::size_t i = 0; i < count; ++i) {
      const auto ours = item_from<T>(items + i * sizeof(T));
      const auto stock = item_from<T>(expected + i * sizeof(T));
      if (!same_parts(ours, stock))
        return "item " + std::to_string(i) + " of " + std::to_string(count) + " is " +
               text_of(ours) + " instead of " + text_of(stock);
    }
    return {};  // padding may differ
  }

 private:
  static std::string text_of(const T& item) {
    std::string text = "(";
    for (int i = 0; i < parts<T>::count && i < 8; ++i)
      text += (i > 0 ? " " : "") + std::to_string(parts<T>::get(item, i));
    return text + ")";
  }

  array<T> ours_;
  array<T, memory::on_host> stock_;
};

/// Items that no call may change.
template <class T>
class input : public twin<T> {
 public:
  using twin<T>::twin;
  ~input() {
    note_input([&] { return !this->difference(this->size(), this->size()).empty(); });
  }
};

template <class T>
T draw_item(trial& t) {
  return make_item<T>([state = t.below(~u64{0})]() mutable {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 32;
  });
}

/// [n] items in runs of equal ones, of `mean` on average.
template <class T>
item_vector<T> draw_runs_of(trial& t, std::size_t n, u64 mean) {
  item_vector<T> items;
  items.reserve(n);
  while (items.size() < n) {
    const boxed<T> run{draw_item<T>(t)};
    for (u64 left = 1 + t.below(2 * mean - 1); left > 0 && items.size() < n; --left)
      items.push_back(run);
  }
  return items;
}
template <class T>
item_vector<T> draw_runs(trial& t, std::size_t n) {
  const u64 mean = u64{1} << 2 * t.below(9);
  t.note("keys in runs of " + std::to_string(mean));
  return draw_runs_of<T>(t, n, mean);
}

/// [n] items: each another one, one of a few, or in runs.
template <class T>
item_vector<T> draw_items(trial& t, std::size_t n) {
  const u64 kind = t.below(4), few = 1 + t.below(4);
  constexpr const char* names[] = {"of few values", "in runs", "uniform", "uniform"};
  t.note(std::string{"items "} + names[kind]);
  if (kind == 1) return draw_runs_of<T>(t, n, 100);
  if (kind > 1) return draw_runs_of<T>(t, n, 1);
  const item_vector<T> palette = draw_runs_of<T>(t, few, 1);
  item_vector<T> items;
  items.reserve(n);
  while (items.size() < n) items.push_back(palette[t.below(few)]);
  return items;
}

/// How many of 256 items a predicate accepts.
inline u32 draw_level(trial& t) {
  constexpr u32 levels[] = {0, 1, 16, 128, 240, 255, 256};
  const u32 level = levels[t.below(7)];
  t.note("accepts " + std::to_string(level) + " of 256");
  return level;
}

template <class T>
void compare(trial& t, const char* what, const twin<T>& items, std::size_t count,
             std::size_t room) {
  const std::string text = items.difference(count, room);
  if (!text.empty()) t.differ(std::string{what} + ": " + text);
}

/// Operators must have seen items alone.
inline void expect_items_only(trial& t) {
  if (saw_no_item()) t.differ("an operator was called with what is no item");
}

/// The name of a type, as the compiler writes it.
template <class T>
std::string name_of() {
  const std::string text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("T = ") + 4;
  const std::size_t end = text.find_first_of(";]", begin);
  return text.substr(begin, end - begin);
}

/// A row for each type of a list: Family<i, type i>::run. The number chooses forms and variants, so
/// that lists cover their pairs with the types, and each row compiles one of each.
template <template <int, class> class Family, int... Is, class... Ts>
std::vector<random_case> cases_of(const char* name, type_list<Ts...>,
                                  std::integer_sequence<int, Is...>) {
  return {{std::string{name} + '<' + name_of<Ts>() + '>', Family<Is, Ts>::run}...};
}
template <template <int, class> class Family, class List>
std::vector<random_case> cases_of(const char* name) {
  return cases_of<Family>(name, List{}, std::make_integer_sequence<int, int(List::size)>{});
}

}  // namespace hindsight_test
