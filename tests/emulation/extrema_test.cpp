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

struct less_offset {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (!a.is_value() || !b.is_value()) fail("a comparison is called with what is no value");
    return a.words[1] < b.words[1];
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

/// The first least item and the first greatest one of n, of whose keys most are equal.
template <class T>
class extrema_of {
 public:
  explicit extrema_of(std::size_t n) : n_{n}, items_{random_items<T>(n)} {
    for (T& item : items_) item.words[1] %= 5;
    in_.assign(items_);
    least_ = std::min_element(items_.begin(), items_.end(), less_offset{});
    greatest_ = std::max_element(items_.begin(), items_.end(), less_offset{});
  }
  /// In an array, or in computed_items.
  template <class It>
  std::string finds(It in) {
    using one = placed_of<It>;
    device_array<T> item{1};
    device_array<std::size_t> place{1}, places{2};
    two_phases least{[&](void* temp, std::size_t& bytes) {
      return extremum<one>(temp, bytes, in, n_, pick_least<less_offset>{},
                           write_placed<T*, std::size_t*>{item.data(), place.data()}, nullptr);
    }};
    two_phases both{[&](void* temp, std::size_t& bytes) {
      return extremum<placed_pair<one>>(temp, bytes, in, n_, pick_both<less_offset>{},
                                        write_place{places.data()}, nullptr);
    }};
    const auto place_of = [&](auto found) { return std::size_t(found - items_.begin()); };
    return try_on_machines(
        5, {[&] { item.poison(), place.poison(), places.poison(); }, [&] { least(), both(); },
            [&] {
              const std::vector<std::size_t> expected{place_of(least_), place_of(greatest_)};
              return difference(item.to_host(), {*least_}) +
                     difference(place.to_host(), {place_of(least_)}) +
                     difference(places.to_host(), expected);
            }});
  }
  const T* array() const { return in_.data(); }

 private:
  std::size_t n_;
  std::vector<T> items_;
  device_array<T> in_{n_};
  typename std::vector<T>::const_iterator least_, greatest_;
};

template <class T>
class extrema : public testing::Test {};
using types = testing::Types<many_words<std::uint32_t, 7>,  // 28 bytes: held in registers
                             many_words<std::uint64_t, 4>,  // 32 bytes: from here on not
                             many_words<std::uint8_t, 33>>;
TYPED_TEST_SUITE(extrema, types);

TYPED_TEST(extrema, are_the_first) {
  using T = TypeParam;
  EXPECT_EQ(placed_of<const T*>::in_memory, sizeof(T) >= 32);
  EXPECT_FALSE(placed_of<computed_items<T>>::in_memory);
  for (const std::size_t n : {1, 2, 31, 1000, 9999}) {
    SCOPED_TRACE(n);
    extrema_of<T> one{n};
    EXPECT_EQ(one.finds(one.array()), "");
    EXPECT_EQ(one.finds(computed_items<T>{one.array()}), "");
  }
}

}  // namespace
