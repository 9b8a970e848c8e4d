// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Reduction and histogram: blocks that meet at their end.
#include <hindsight/detail/cuda/histogram.cuh>
#include <hindsight/detail/cuda/reduce.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"

namespace {

using namespace emulation;
using namespace hindsight::detail;

template <class T>
class reduction {
 public:
  explicit reduction(std::size_t n)
      : items_{random_items<T>(n)}, in_{items_}, call_{[=](void* temp, std::size_t& bytes) {
          return reduce<T>(temp, bytes, in_.data(), n, ::cuda::std::identity{}, operator_of<T>{},
                           items_[0], result_.data(), nullptr);
        }} {
    expected_ = items_[0];
    for (const T& item : items_) expected_ = operator_of<T>{}(expected_, item);
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
constexpr int num_bins = 30;

/// The kernel over even bins of [0, 60), three blocks of it.
template <class Sample, counting Where>
class histogram_of {
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
    return {[this] { bins_.assign(std::vector<unsigned>(num_bins)); },
            [this] {
              const even_bins<Sample, int> rule{num_bins, 0, 60};
              constexpr std::size_t counters =
                  Where == counting::by_value ? 256 * warp_lanes : 2 * num_bins;
              const std::size_t bytes = Where == counting::in_cache
                                            ? sizeof(counter_cache<tiny_histogram::cache_slots>)
                                            : counters * sizeof(unsigned);
              HINDSIGHT_LAUNCH(3, tiny_histogram::block_threads, bytes, nullptr,
                               histogram_kernel<tiny_histogram, Where>)
              (in_.data(), samples_.size(), bins_.data(), num_bins, 2, rule, 0);
            },
            [this] { return difference(bins_.to_host(), expected_); }};
  }

 private:
  std::vector<Sample> samples_;
  device_array<Sample> in_;
  device_array<unsigned> bins_{num_bins};
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
TEST(histogram, counts_in_a_cache) {
  histogram_of<std::uint32_t, counting::in_cache> one{5001};
  EXPECT_EQ(try_on_machines(60, one.make()), "");
  expect_all_needed(20, one.make());
}

}  // namespace
