// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Extrema of wide items: those of an array are compared where they lie, computed ones are not.
#include <hindsight/detail/cuda/extrema.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"
#include <algorithm>

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

/// An order's result that only a condition takes.
struct yes_or_no {
  bool value;
  explicit operator bool() const { return value; }
};
struct less_offset {
  template <class T>
  yes_or_no operator()(const T& a, const T& b) const {
    if (!a.is_value() || !b.is_value()) fail("a comparison is called with what is no value");
    return {a.words[1] < b.words[1]};
  }
};

/// Items that are made when they are read.
template <class T>
struct computed_items {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;
  const T* items;
  T operator[](std::size_t i) const { return items[i]; }
};

/// The first least item, the first greatest one and the last greatest one of n, of whose keys most
/// are equal.
template <class T>
class extrema_of {
 public:
  /// The array's first `skipped` items are not looked at.
  explicit extrema_of(std::size_t n, std::size_t skipped = 0)
      : n_{n}, items_{random_items<T>(n)}, in_{skipped + n}, first_{in_.data() + skipped} {
    for (T& item : items_) item.words[1] %= 5;
    std::vector<T> all = random_items<T>(skipped);
    for (T& item : all) item.words[1] = 0, item.words[1] -= 1;
    all.insert(all.end(), items_.begin(), items_.end());
    in_.assign(all);
    const auto begin = items_.begin(), end = items_.end();
    least_ = std::min_element(begin, end, less_offset{}) - begin;
    greatest_ = std::max_element(begin, end, less_offset{}) - begin;
    last_greatest_ = std::minmax_element(begin, end, less_offset{}).second - begin;
  }
  /// In an array, or in computed_items.
  template <class It>
  std::string finds(It in) {
    using one = placed_of<It>;
    using pick_last = pick_both<less_offset, pick_last_greatest<less_offset>>;
    device_array<T> item{1};
    device_array<std::size_t> place{1}, both{2}, last{2};
    two_phases find_least{[&](void* temp, std::size_t& bytes) {
      return extremum<one>(temp, bytes, in, n_, pick_least<less_offset>{},
                           write_placed<T*, std::size_t*>{item.data(), place.data()}, nullptr);
    }};
    two_phases find_both{[&](void* temp, std::size_t& bytes) {
      return extremum<placed_pair<one>>(temp, bytes, in, n_, pick_both<less_offset>{},
                                        write_place{both.data()}, nullptr);
    }};
    two_phases find_last{[&](void* temp, std::size_t& bytes) {
      return extremum<placed_pair<one>>(temp, bytes, in, n_, pick_last{}, write_place{last.data()},
                                        nullptr);
    }};
    return try_on_machines(5, {[&] { item.poison(), place.poison(), both.poison(), last.poison(); },
                               [&] { find_least(), find_both(), find_last(); },
                               [&] {
                                 return difference(item.to_host(), {items_[least_]}) +
                                        difference(place.to_host(), {least_}) +
                                        difference(both.to_host(), {least_, greatest_}) +
                                        difference(last.to_host(), {least_, last_greatest_});
                               }});
  }
  const T* array() const { return first_; }

 private:
  std::size_t n_;
  std::vector<T> items_;
  device_array<T> in_;
  const T* first_;
  std::size_t least_, greatest_, last_greatest_;
};

template <class T>
class extrema : public testing::Test {};
using types = testing::Types<many_words<std::uint8_t, 4>,     // 4, 8, 16 bytes: read in vectors
                             many_words<std::uint16_t, 4>,    //
                             many_words<std::uint32_t, 4>,    //
                             many_words<std::uint32_t, 7>,    // 28 bytes: held in registers
                             many_words<std::uint64_t, 4>,    // 32 bytes: from here on in memory
                             many_words<std::uint8_t, 33>,    //
                             many_words<std::uint32_t, 33>>;  // 132 bytes: the best one, too
TYPED_TEST_SUITE(extrema, types);

TYPED_TEST(extrema, are_found_in_place) {
  using T = TypeParam;
  EXPECT_EQ(placed_of<const T*>::in_memory, sizeof(T) >= 32);
  EXPECT_FALSE(placed_of<computed_items<T>>::in_memory);
  for (const std::size_t n : {1, 2, 31, 1000, 4096, 9999, 100000}) {
    SCOPED_TRACE(n);
    extrema_of<T> one{n};
    EXPECT_EQ(one.finds(one.array()), "");
    EXPECT_EQ(one.finds(computed_items<T>{one.array()}), "");
  }
  // Behind an address that vectors do not allow.
  extrema_of<T> one{20001, 1};
  EXPECT_EQ(one.finds(one.array()), "");
}

/// Of items that are all different, each place may have the extremum.
TYPED_TEST(extrema, are_found_at_each_end) {
  using T = TypeParam;
  constexpr std::size_t n = 9000;
  for (const std::size_t at : {0, 1, 255, 256, 1023, 1024, 4095, 4096, 8191, 8192, 8998, 8999}) {
    SCOPED_TRACE(at);
    std::vector<T> items(n, random_items<T>(1)[0]);
    for (T& item : items) item.words[1] = 7;
    items[at].words[1] = 3;
    const device_array<T> in{items};
    device_array<std::size_t> place{1};
    two_phases find{[&](void* temp, std::size_t& bytes) {
      return extremum<placed_of<const T*>>(temp, bytes, static_cast<const T*>(in.data()), n,
                                           pick_least<less_offset>{}, write_place{place.data()},
                                           nullptr);
    }};
    find();
    EXPECT_EQ(place.to_host()[0], at);
  }
}

/// As the facade's write_key_value: an empty range has a result, too.
struct write_place_or_none {
  int* out;
  const write_place_or_none& operator*() const { return *this; }
  template <class T, bool InMemory>
  const write_place_or_none& operator=(const placed<T, InMemory>& found) const {
    *out = static_cast<int>(found.place);
    return *this;
  }
  const write_place_or_none& operator=(no_item) const {
    *out = -1;
    return *this;
  }
};
TEST(extremum, of_a_deferred_size) {
  for (const std::size_t most :
       {std::size_t{1}, std::size_t{300}, std::size_t{20000}, std::size_t{100000}})
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, most / 2, most}) {
      std::vector<int> items(most, 5);
      if (n > 0) items[n - 1] = 3;
      for (std::size_t i = n; i < most; ++i) items[i] = 0;
      const device_array<int> in{items};
      device_array<int> out{1};
      const device_array<std::size_t> count{std::vector<std::size_t>{n}};
      const hindsight::deferred size{static_cast<const std::size_t*>(count.data()), most};
      two_phases find{[&](void* temp, std::size_t& bytes) {
        return extremum<placed_of<const int*>>(temp, bytes, static_cast<const int*>(in.data()),
                                               size, pick_least<std::less<int>>{},
                                               write_place_or_none{out.data()}, nullptr);
      }};
      EXPECT_EQ(try_on_machines(3, {[&] { out.poison(); }, [&] { find(); },
                                    [&] { return difference(out.to_host(), {int(n) - 1}); }}),
                "")
          << n << " of " << most;
    }
}

}  // namespace
