// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Reduction and histogram: blocks that meet at their end.
#include <hindsight/detail/cuda/histogram.cuh>
#include <hindsight/detail/cuda/histogram_channels.cuh>
#include <hindsight/detail/cuda/reduce.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"
#include <algorithm>
#include <cstdint>
#include <random>
#include <sys/mman.h>
#include <vector>

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

template <class T>
class reduction {
 public:
  /// Of all items but the first `skipped`.
  explicit reduction(std::size_t n, std::size_t skipped = 0)
      : items_{random_items<T>(n)}, in_{items_}, call_{[=](void* temp, std::size_t& bytes) {
          return reduce<T>(temp, bytes, in_.data() + skipped, n - skipped, ::cuda::std::identity{},
                           operator_of<T>{}, items_[0], result_.data(), nullptr);
        }} {
    expected_ = items_[0];
    for (std::size_t i = skipped; i < n; ++i) expected_ = operator_of<T>{}(expected_, items_[i]);
  }
  experiment make() {
    return {[this] { result_.poison(); }, call_,
            [this] { return difference(result_.to_host(), {expected_}); }};
  }

 private:
  std::vector<T> items_;
  device_array<T> in_, result_{1};
  T expected_;
  two_phases call_;
};

TEST(reduce, of_integers) {
  EXPECT_EQ(try_on_machines(40, reduction<std::uint32_t>{50000}.make()), "");
}
TEST(reduce, of_one_tile) {
  EXPECT_EQ(try_on_machines(20, reduction<std::uint64_t>{333}.make()), "");
}
template <class T>
void expect_sums_from_anywhere() {
  for (const std::size_t n : {9, 40, 333, 20000}) {
    for (const std::size_t skipped : {1, 2, 3, 7, 8})
      EXPECT_EQ(try_on_machines(2, reduction<T>{n, skipped}.make()), "") << n << ' ' << skipped;
  }
}
TEST(reduce, of_arrays_that_begin_anywhere) {
  expect_sums_from_anywhere<std::uint8_t>();
  expect_sums_from_anywhere<std::uint16_t>();
  expect_sums_from_anywhere<std::uint32_t>();
  expect_sums_from_anywhere<std::uint64_t>();
}
TEST(reduce, of_nothing) {
  const std::uint32_t init = 5;
  device_array<std::uint32_t> result{1};
  const two_phases call{[&](void* temp, std::size_t& bytes) {
    return reduce<std::uint32_t>(temp, bytes, &init, 0, ::cuda::std::identity{}, add{}, init,
                                 result.data(), nullptr);
  }};
  const experiment one{[&] { result.poison(); }, call,
                       [&] { return difference(result.to_host(), {init}); }};
  EXPECT_EQ(try_on_machines(2, one), "");
}
TEST(reduce, of_many_strips) {  // eight blocks fit, and take several each; the sums are exact
  reduction<double> one{100000};
  EXPECT_EQ(try_on_machines(40, one.make()), "");
  expect_all_needed(10, one.make());
}

struct tiny_histogram {
  static constexpr int block_threads = 64;
  static constexpr int blocks = 4;
  static constexpr int lane_vectors = 2;
  static constexpr int cache_slots = 8;
};
/// Two threads add the counts of a value.
struct tiny_bytes_histogram : tiny_histogram {
  static constexpr int block_threads = 512;
};
constexpr int num_bins = 30;

/// The kernel over even bins of [0, 60): three blocks of it, or of each part of the bins, and
/// another one where the launch clears the bins.
template <class Sample, counting Where, bool Clears = clears_beside(Where)>
class histogram_of {
  using tuning =
      std::conditional_t<Where == counting::by_value, tiny_bytes_histogram, tiny_histogram>;

 public:
  explicit histogram_of(std::size_t n) : samples_(n), in_{n}, expected_(num_bins) {
    std::mt19937 random{7};
    for (Sample& s : samples_) {
      s = static_cast<Sample>(random() % 8 == 0 ? random() % 70 : 20 + random() % 2);
      if (s < 60) ++expected_[s / 2];
    }
    in_.assign(samples_);
  }
  experiment make() {
    return {[this] {
              bins_.assign(std::vector<unsigned>(num_bins, Clears ? 77 : 0));
              clearing_.assign({bin_clearing{}});
            },
            [this] {
              const even_bins<Sample, int> rule{num_bins, 0, 60};
              const std::size_t bytes =
                  Where == counting::in_cache   ? sizeof(counter_cache<tiny_histogram::cache_slots>)
                  : Where == counting::by_value ? sizeof(value_counters)
                                                : 2 * num_bins * sizeof(unsigned);
              const dim3 blocks(Clears ? 4 : 3, Where == counting::in_parts ? 2 : 1);
              HINDSIGHT_LAUNCH(blocks, tuning::block_threads, bytes, nullptr,
                               histogram_kernel<tuning, Where>)
              (flat_samples<const Sample*, std::size_t>{in_.data(), samples_.size()}, bins_.data(),
               num_bins, 2, rule, 0, Clears ? clearing_.data() : nullptr);
            },
            [this] { return difference(bins_.to_host(), expected_); }};
  }

 private:
  std::vector<Sample> samples_;
  device_array<Sample> in_;
  device_array<unsigned> bins_{num_bins};
  device_array<bin_clearing> clearing_{1};
  std::vector<unsigned> expected_;
};

TEST(histogram, counts_by_value) {
  histogram_of<std::uint8_t, counting::by_value> one{7001};
  EXPECT_EQ(try_on_machines(60, one.make()), "");
  expect_all_needed(20, one.make());
}
TEST(histogram, counts_in_shared_memory) {
  histogram_of<std::uint32_t, counting::in_shared> one{7001};
  EXPECT_EQ(try_on_machines(60, one.make()), "");
  expect_all_needed(20, one.make());
}
TEST(histogram, finds_bins_that_are_clear) {
  histogram_of<std::uint8_t, counting::by_value, false> bytes{2001};
  EXPECT_EQ(try_on_machines(20, bytes.make()), "");
  histogram_of<std::uint32_t, counting::in_shared, false> words{2001};
  EXPECT_EQ(try_on_machines(20, words.make()), "");
}
TEST(histogram, counts_in_parts) {
  histogram_of<std::uint32_t, counting::in_parts> one{5001};
  EXPECT_EQ(try_on_machines(60, one.make()), "");
  expect_all_needed(20, one.make());
}
TEST(histogram, counts_in_a_cache) {
  histogram_of<std::uint32_t, counting::in_cache> one{5001};
  EXPECT_EQ(try_on_machines(60, one.make()), "");
  expect_all_needed(20, one.make());
}

/// The kernel over rows of pixels: even bins of the first Active channels, each of which has a
/// range of its own. The first row begins `shift` samples behind a multiple of 16 bytes.
template <class Sample, int Channels, int Active>
class image_histogram {
 public:
  image_histogram(std::size_t width, std::size_t height, std::size_t gap, std::size_t shift)
      : image_{nullptr, width, height, width * Channels + gap},
        in_{shift + image_.stride * height},
        expected_(std::size_t(Active) * num_bins) {
    std::mt19937 random{11};
    std::vector<Sample> samples(shift + image_.stride * height);
    for (Sample& s : samples) s = static_cast<Sample>(random() % 100);
    in_.assign(samples);
    image_.samples = in_.data() + shift;
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        for (int c = 0; c < Active; ++c) {
          const int bin = rules_.rules[c](image_.samples[y * image_.stride + x * Channels + c]);
          if (bin != no_bin) ++expected_[c * num_bins + bin];
        }
  }
  experiment make() {
    return {[this] { bins_.assign(std::vector<unsigned>(expected_.size())); },
            [this] {
              HINDSIGHT_LAUNCH(3, tiny_histogram::block_threads,
                               expected_.size() * sizeof(unsigned), nullptr,
                               histogram_kernel<tiny_histogram, counting::in_shared>)
              (image_, bins_.data(), static_cast<int>(expected_.size()), 1, rules_, 0, nullptr);
            },
            [this] { return difference(bins_.to_host(), expected_); }};
  }

 private:
  template <int... C>
  static auto rules_of(std::integer_sequence<int, C...>) {
    return channel_rules<even_bins<Sample, int>, Channels, Active>{
        {even_bins<Sample, int>{num_bins, C, C + 60}...}, {C * num_bins...}};
  }
  image_samples<const Sample*, Channels> image_;
  device_array<Sample> in_;
  std::vector<unsigned> expected_;
  device_array<unsigned> bins_{expected_.size()};
  channel_rules<even_bins<Sample, int>, Channels, Active> rules_ =
      rules_of(std::make_integer_sequence<int, Active>{});
};

TEST(histogram, of_images) {
  for (const std::size_t width : {1, 31, 130, 1500})
    for (const std::size_t shift : {0, 1, 3}) {
      image_histogram<std::uint8_t, 3, 3> bytes{width, 3, shift, shift};
      EXPECT_EQ(try_on_machines(2, bytes.make()), "") << width << " " << shift;
      image_histogram<std::uint32_t, 4, 3> words{width, 3, 4 * shift, shift};
      EXPECT_EQ(try_on_machines(2, words.make()), "") << width << " " << shift;
      image_histogram<std::uint16_t, 1, 1> shorts{width, 3, shift, shift};
      EXPECT_EQ(try_on_machines(2, shorts.make()), "") << width << " " << shift;
    }
}

/// Any integer of the type; small ones often.
template <class T>
T any_integer(std::mt19937_64& random) {
  const std::uint64_t bits = random() >> (random() % 4 * 16);
  return static_cast<T>(random() % 2 == 0 ? bits : 0 - bits);
}

/// Every value has a cell, and none has a lower one than a smaller value of the range.
template <class T>
void expect_cells_of_all_values() {
  std::mt19937_64 random{5};
  for (int round = 0; round < 2000; ++round) {
    T first = any_integer<T>(random), end = any_integer<T>(random);
    if (!(first < end)) std::swap(first, end);
    if (!(first < end)) continue;
    const int num_cells = 512 << round % 4;
    const level_cells<T, T> cells{first, end, num_cells};
    std::vector<T> within{first, end};
    for (int i = 0; i < 50; ++i) {
      const T value = any_integer<T>(random);
      const int cell = cells(value);
      ASSERT_TRUE(0 <= cell && cell < num_cells)
          << first << " " << end << " " << value << " " << cell;
      if (first <= value && value <= end) within.push_back(value);
    }
    std::sort(within.begin(), within.end());
    for (std::size_t i = 1; i < within.size(); ++i)
      ASSERT_LE(cells(within[i - 1]), cells(within[i])) << first << " " << end << " " << within[i];
  }
}

TEST(level_cells, of_all_values) {
  expect_cells_of_all_values<std::int32_t>();
  expect_cells_of_all_values<std::uint32_t>();
  expect_cells_of_all_values<std::int64_t>();
  expect_cells_of_all_values<std::uint64_t>();
  expect_cells_of_all_values<std::int16_t>();
}

struct one_block : tiny_histogram {
  static constexpr int block_threads = 512;
};

enum short_enum : std::uint16_t {};

/// The kernel over levels with a guide, one block of it. Most samples lie far outside.
template <class Sample, class Level = Sample>
class guided_histogram {
 public:
  guided_histogram(std::size_t n, const std::vector<Level>& levels)
      : n_{n}, on_gpu_{levels}, in_{n}, expected_(levels.size() - 1) {
    std::mt19937_64 random{9};
    std::vector<Sample> samples(n);
    for (Sample& s : samples) {
      s = static_cast<Sample>(any_integer<number_t<Sample>>(random));
      if (random() % 3 == 0)
        s = static_cast<Sample>(std::uint64_t(levels[random() % levels.size()]) + random() % 2);
      if (s < levels.front() || !(s < levels.back())) continue;
      const auto above = std::upper_bound(levels.begin(), levels.end(), s);
      ++expected_[static_cast<std::size_t>(above - levels.begin()) - 1];
    }
    in_.assign(samples);
  }
  experiment make() {
    return {[this] { bins_.assign(std::vector<unsigned>(expected_.size())); },
            [this] {
              const int bins = static_cast<int>(expected_.size());
              const range_bins<const Level*> rule{bins, on_gpu_.data()};
              const std::size_t staged = level_bytes(rule) + guide_bytes<Sample>(rule);
              HINDSIGHT_LAUNCH(1, one_block::block_threads,
                               staged + expected_.size() * sizeof(unsigned), nullptr,
                               histogram_kernel<one_block, counting::in_shared>)
              (flat_samples<const Sample*, std::size_t>{in_.data(), n_}, bins_.data(), bins, 1,
               rule, static_cast<int>(staged), nullptr);
            },
            [this] { return difference(bins_.to_host(), expected_); }};
  }

 private:
  std::size_t n_;
  device_array<Level> on_gpu_;
  device_array<Sample> in_;
  std::vector<unsigned> expected_;
  device_array<unsigned> bins_{expected_.size()};
};

TEST(histogram, by_levels_with_a_guide) {
  EXPECT_EQ(try_on_machines(4, guided_histogram<std::int32_t>{3000, {-3, 0, 1, 2, 2, 9}}.make()),
            "");
  EXPECT_EQ(
      try_on_machines(4, guided_histogram<std::uint64_t>{3000, {7, 8, 900, 1ull << 40}}.make()),
      "");
}
TEST(histogram, by_levels_that_are_further_apart_than_an_int_counts) {
  const std::vector<int> levels = {INT32_MIN, -5, 0, 7, 300, 65000, INT32_MAX};
  EXPECT_EQ(try_on_machines(4, guided_histogram<short_enum, int>{3000, levels}.make()), "");
  EXPECT_EQ(try_on_machines(4, guided_histogram<int>{3000, levels}.make()), "");
}

/// [n] zeros, of which only those take memory that are used.
template <class T>
class zeros {
 public:
  explicit zeros(std::size_t n)
      : bytes_{n * sizeof(T)},
        items_{mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)} {}
  zeros(const zeros&) = delete;
  ~zeros() { munmap(items_, bytes_); }
  bool exist() const { return items_ != MAP_FAILED; }
  T* data() const { return static_cast<T*>(items_); }

 private:
  std::size_t bytes_;
  void* items_;
};

/// Shared memory holds neither the levels nor a guide to them.
TEST(histogram, by_levels_of_more_bytes_than_an_int_counts) {
  constexpr int many = 1 << 28;
  const zeros<double> levels{std::size_t{many} + 1};
  const zeros<unsigned> bins{std::size_t{many}};
  if (!levels.exist() || !bins.exist()) GTEST_SKIP() << "needs 3 GiB of addresses";
  levels.data()[many] = 1;
  const device_array<double> in{std::vector<double>{0.5, -1, 0.25, 1}};
  const experiment one{[&] { bins.data()[many - 1] = 0; },
                       [&] {
                         HINDSIGHT_LAUNCH(1, tiny_histogram::block_threads,
                                          sizeof(counter_cache<tiny_histogram::cache_slots>),
                                          nullptr,
                                          histogram_kernel<tiny_histogram, counting::in_cache>)
                         (flat_samples<const double*, std::size_t>{in.data(), 4}, bins.data(), many,
                          1, range_bins<const double*>{many, levels.data()}, 0, nullptr);
                       },
                       [&] { return difference<unsigned>({bins.data()[many - 1]}, {2}); }};
  EXPECT_EQ(try_on_machines(2, one), "");
}

/// Calls as a whole: counters that cannot be added to, tables of channels, levels that the host
/// has.
TEST(histogram, calls_store_what_they_counted) {
  constexpr std::size_t n = 4000;
  std::vector<std::uint8_t> samples(n);
  std::mt19937 random{3};
  for (auto& s : samples) s = static_cast<std::uint8_t>(random() % 70);
  std::vector<std::uint16_t> expected(num_bins);
  std::vector<std::uint32_t> expected_even(num_bins), expected_odd(num_bins);
  for (std::size_t i = 0; i < n; ++i) {
    if (samples[i] >= 60) continue;
    ++expected[samples[i] / 2];
    ++(i % 2 == 0 ? expected_even : expected_odd)[samples[i] / 2];
  }
  const device_array<std::uint8_t> in{samples};
  const even_bins<std::uint8_t, int> rule{num_bins, 0, 60};
  device_array<std::uint16_t> counters{num_bins};
  const two_phases call{[&](void* temp, std::size_t& bytes) {
    return hindsight::detail::cuda::histogram(temp, bytes, in.data(), n, counters.data(), num_bins,
                                              rule, nullptr);
  }};
  const experiment one{[&] { counters.poison(); }, call,
                       [&] { return difference(counters.to_host(), expected); }};
  EXPECT_EQ(try_on_machines(3, one), "");

  device_array<std::uint32_t> even{num_bins}, odd{num_bins};
  const two_phases channels{[&](void* temp, std::size_t& bytes) {
    const image_samples<const std::uint8_t*, 2> image{in.data(), n / 2, 1, n};
    return histogram_of_channels<2>(
        temp, bytes, image, ::cuda::std::array<std::uint32_t*, 2>{even.data(), odd.data()},
        ::cuda::std::array<int, 2>{num_bins + 1, num_bins + 1}, [&](int) { return rule; }, nullptr);
  }};
  const experiment two{[&] { even.poison(), odd.poison(); }, channels,
                       [&] {
                         return difference(even.to_host(), expected_even) +
                                difference(odd.to_host(), expected_odd);
                       }};
  EXPECT_EQ(try_on_machines(3, two), "");

  std::vector<int> levels(1300);  // more than the arguments of two launches hold
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = int(i * i);
  device_array<int> sent{levels.size()};
  const experiment three{[&] { sent.poison(); },
                         [&] { send_levels(levels.data(), levels.size(), sent.data(), nullptr); },
                         [&] { return difference(sent.to_host(), levels); }};
  EXPECT_EQ(try_on_machines(2, three), "");
}

}  // namespace
