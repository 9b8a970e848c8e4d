// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Selection of the k lowest numbers: rounds that count, choose, list and select.
#include <hindsight/detail/cuda/radix_select.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

/// As the library's, with small tiles and digits, and lists that few candidates fit.
struct small_tuning {
  static constexpr int block_threads = 64, lane_items = 2, blocks = 1;
  static constexpr int digit_bits = 4, num_digits = 1 << digit_bits;
  static constexpr std::size_t tile_items = 128, list_part = 3, always_listed = 40;
  static constexpr int sample_threads = 64, sample_blocks = 3, num_samples = 384;
  static constexpr int rank_threads = 64, rank_tile = 32;
  static constexpr unsigned most_ranked = 128;
};

using number = std::uint64_t;
constexpr int place_bits = 12;

/// Keys of 16 bits, and their places.
struct key_and_place {
  using key_bits_t = std::uint16_t;
  static constexpr int place_bits = ::place_bits;
  const std::uint16_t* keys;
  key_bits_t key_bits(std::size_t i) const { return keys[i]; }
  number number_of(key_bits_t key, std::size_t i) const { return number{key} << place_bits | i; }
};

/// "In order": ranked. The last four: all lowest, where the first samples ask for enough, for too
/// few, or for too many, or where items that are no samples are lower than they tell.
enum class wanted {
  all_lowest,
  in_order,
  the_last,
  by_samples,
  by_too_few,
  by_too_many,
  by_false_ones
};

/// Where ranked numbers are written.
struct write_number {
  number* out;
  void operator()(std::size_t rank, number value) const { out[rank] = value; }
};

class selection_of {
 public:
  selection_of(std::size_t n, std::size_t k, unsigned mask, wanted what)
      : k_{k}, what_{what}, keys_(n), device_keys_{n}, got_{k}, last_{1} {
    const auto words = random_items<std::uint32_t>(n);
    for (std::size_t i = 0; i < n; ++i) keys_[i] = std::uint16_t(words[i] & mask);
    if (what == wanted::by_false_ones) {
      std::vector<std::uint16_t> low(n);
      for (std::size_t i = 0; i < small_tuning::num_samples; ++i)
        low[place_of_sample(i)] = std::uint16_t(keys_[i] | 0x8000);
      keys_ = low;
    }
    for (std::size_t i = 0; i < n; ++i) expected_.push_back(number{keys_[i]} << place_bits | i);
    std::sort(expected_.begin(), expected_.end());
    expected_.resize(k);
  }
  std::size_t num_listed() const { return num_listed_; }
  /// How many there should be: all up to the sample that was asked for at least, and none from
  /// the first sample on that is somewhat above it.
  std::pair<std::size_t, std::size_t> least_and_most_wanted() const {
    std::vector<std::uint16_t> samples;
    for (std::size_t i = 0; i < small_tuning::num_samples; ++i)
      samples.push_back(keys_[place_of_sample(i)]);
    std::sort(samples.begin(), samples.end());
    const std::size_t rank = sample_rank<small_tuning>(keys_.size(), k_);
    auto keys = keys_;
    std::sort(keys.begin(), keys.end());
    const auto begin = keys.begin();
    return {std::upper_bound(begin, keys.end(), samples[rank - 1]) - begin,
            std::lower_bound(begin, keys.end(), samples[rank + rank / 8]) - begin};
  }
  experiment make() {
    return {[this] {
              device_keys_.assign(keys_);
              got_.poison();
            },
            [this] { run(); },
            [this] {
              if (what_ == wanted::the_last) return difference(last_.to_host(), {expected_.back()});
              auto got = got_.to_host();
              if (!is_ranked()) std::sort(got.begin(), got.end());
              return difference(got, expected_);
            }};
  }

 private:
  bool is_ranked() const {
    return what_ != wanted::the_last && what_ != wanted::all_lowest &&
           k_ <= small_tuning::most_ranked;
  }
  std::size_t place_of_sample(std::size_t i) const {
    return place_in_stride(i, keys_.size() / small_tuning::num_samples);
  }
  void run() {
    using selection = radix_selection<number, key_and_place, small_tuning>;
    const key_and_place input{device_keys_.data()};
    const std::size_t n = keys_.size();
    const std::size_t rank = what_ == wanted::by_too_few    ? 1
                             : what_ == wanted::by_too_many ? small_tuning::num_samples
                                                            : sample_rank<small_tuning>(n, k_);
    selection select{input, n, k_, place_bits + 16};
    carver count{nullptr};
    select.carve(count);
    const device_array<char> temp{count.bytes()};
    carver space{temp.data()};
    select.carve(space);
    select.clear(nullptr);
    if (what_ >= wanted::by_samples) {
      select.list_lowest(rank, nullptr);
      const auto& all = select.memory();
      num_listed_ = all.rounds[0].num_listed;
      if (num_listed_ < k_ || num_listed_ > all.list_room) num_listed_ = 0;
      if (num_listed_ > 0) device_keys_.poison();  // nobody reads them now
    }
    select(what_ == wanted::the_last ? nullptr : got_.data(),
           is_ranked() ? std::size_t{small_tuning::most_ranked} : 0, nullptr);
    if (is_ranked()) {
      const device_array<number> ranked{k_};
      select.rank(got_.data(), write_number{ranked.data()}, nullptr);
      got_.assign(ranked.to_host());
    }
    last_.assign({select.result()->first});
  }

  std::size_t k_, num_listed_ = 0;
  wanted what_;
  std::vector<std::uint16_t> keys_;
  std::vector<number> expected_;
  device_array<std::uint16_t> device_keys_;
  device_array<number> got_, last_;
};

TEST(radix_select, of_the_lowest) {
  for (const unsigned mask : {0u, 3u, 255u})
    for (const std::size_t n : {1, 100, 600, 1000})
      for (const std::size_t k : {std::size_t{1}, n / 9 + 1, n})
        EXPECT_EQ(try_on_machines(4, selection_of{n, k, mask, wanted::all_lowest}.make()), "")
            << mask << " " << n << " " << k;
}
TEST(radix_select, of_the_lowest_in_order) {
  for (const unsigned mask : {0u, 3u, 0xffffu})
    for (const std::size_t n : {1, 100, 600, 3000})
      for (const std::size_t most : {1, 20, 128}) {
        const std::size_t k = std::min(n, most);
        EXPECT_EQ(try_on_machines(4, selection_of{n, k, mask, wanted::in_order}.make()), "")
            << mask << " " << n << " " << k;
      }
}
/// So many candidates that a warp collects several rows of them.
TEST(radix_select, of_the_lowest_of_rows_of_candidates) {
  for (const unsigned mask : {0xc3u, 0x81u, 0xffu})
    for (const std::size_t k : {1, 700, 2000})
      EXPECT_EQ(try_on_machines(3, selection_of{3000, k, mask, wanted::all_lowest}.make()), "")
          << mask << " " << k;
}
TEST(radix_select, of_one) {
  for (const unsigned mask : {0u, 255u})
    for (const std::size_t k : {1, 400, 700})
      EXPECT_EQ(try_on_machines(4, selection_of{700, k, mask, wanted::the_last}.make()), "")
          << mask << " " << k;
}
TEST(radix_select, by_samples) {
  for (const unsigned mask : {0u, 3u, 0x8fffu, 0xffffu})
    for (const std::size_t n : {400, 1000, 3000})
      for (const std::size_t k : {std::size_t{1}, n / 40}) {
        selection_of listed{n, k, mask, wanted::by_samples};
        EXPECT_EQ(try_on_machines(3, listed.make()), "") << mask << " " << n << " " << k;
        const auto [least, most] = listed.least_and_most_wanted();
        EXPECT_GE(listed.num_listed(), mask > 3 ? least : 0) << mask << " " << n << " " << k;
        EXPECT_LE(listed.num_listed(), mask > 3 ? most : 0) << mask << " " << n << " " << k;
        for (const wanted what : {wanted::by_too_few, wanted::by_too_many}) {
          selection_of all{n, n / 4, mask, what};
          EXPECT_EQ(try_on_machines(3, all.make()), "") << mask << " " << n;
          EXPECT_EQ(all.num_listed(), 0u) << mask << " " << n;
        }
      }
}
/// More are listed than there is room for.
TEST(radix_select, by_samples_that_are_not_like_the_others) {
  selection_of all{3000, 20, 0x7fff, wanted::by_false_ones};
  EXPECT_EQ(try_on_machines(5, all.make()), "");
  EXPECT_EQ(all.num_listed(), 0u);
}
TEST(radix_select, needs_every_ordering) {
  expect_all_needed(20, selection_of{3000, 700, 0xc3c3, wanted::all_lowest}.make());
}

}  // namespace
