// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/histogram.h>

#include <cuda/std/cmath>

#include "inputs.h"
#include "sides.h"

#if HINDSIGHT_CUDA
#  include <hindsight/device_histogram.cuh>

#  include <cub/device/device_histogram.cuh>
#endif

namespace {

/// Samples as in NVIDIA's benchmark: integers of [0, num_bins); floats of [0, 1), where the bin of
/// a sample is exact. The number of bins is a power of two.
template <class T>
struct sample {
  ab::random_words words;
  int num_bins;
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    if constexpr (std::is_floating_point_v<T>) {
      return ab::uniform<T>{words}(i);
    } else {
      return T(words(i) & std::uint64_t(num_bins - 1));
    }
  }
};

template <class T>
struct equal_sample {
  HINDSIGHT_HD T operator()(std::uint64_t) const {
    return std::is_floating_point_v<T> ? T(0.5) : T(7);
  }
};

/// The bin of a sample as the input has it: rising with i, or r with a probability of 1 / r, or one
/// beyond the last.
template <class T>
struct untuned_sample {
  ab::untuned of;
  std::uint64_t n;
  int num_bins;
  std::uint64_t seed = ab::seed;
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    std::uint64_t bin = num_bins;
    if (of == ab::untuned::sorted) bin = i * num_bins / n;
    if (of == ab::untuned::zipf) {
      const double u = double(ab::hash(seed, i) >> 11) / 9007199254740992.0;
      bin = std::uint64_t(::cuda::std::exp(u * ::cuda::std::log(double(num_bins)))) - 1;
    }
    if constexpr (std::is_floating_point_v<T>) {
      return (T(bin) + T(0.5)) / T(num_bins);
    } else {
      return T(bin);
    }
  }
};

/// Thrust has no histogram: the stock side of a whole call is CUB's, and on the host one thread.
/// Samples of type I8 are not negative and levels are of type I32 at least, since CUB up to 3.0.1
/// counts wrongly otherwise.
template <class T>
class histogram_even : public ab::input {
  using counter = std::int32_t;
  using level = std::conditional_t<(sizeof(T) < 4), std::int32_t, T>;

 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceHistogram, hindsight::DeviceHistogram);

  histogram_even(std::size_t n, int num_bins, ab::entropy of)
      : n_{n}, num_bins_{num_bins}, in_{n, sample<T>{{of}, num_bins}} {}
  histogram_even(std::size_t n, int num_bins)
      : n_{n}, num_bins_{num_bins}, in_{n, equal_sample<T>{}} {}
  histogram_even(std::size_t n, int num_bins, ab::untuned of)
      : n_{n}, num_bins_{num_bins}, in_{n, untuned_sample<T>{of, n, num_bins}} {}

  void add_results(ab::results& out) const { out.add<counter>("counters", num_bins_); }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.HistogramEven(temp, bytes, in_.get(), out.as<counter>(0), num_bins_ + 1, level{0},
                                upper(), std::int64_t(n_));
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    hindsight::histogram_even(policy, in_.get(), in_.get() + n_, num_bins_, level{0}, upper(),
                              out.as<counter>(0));
  }

 private:
  level upper() const { return std::is_floating_point_v<T> ? level(1) : level(num_bins_); }

  std::size_t n_;
  int num_bins_;
  ab::items<T> in_;
};

/// Level i of num_bins + 1 that lie ever wider apart.
template <class T>
struct square_level {
  int num_bins;
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    if constexpr (std::is_floating_point_v<T>) {
      return T(i) / T(num_bins) * (T(i) / T(num_bins));
    } else {
      return T(i * i);
    }
  }
};

/// The same over levels in an array: integers of [0, num_bins * num_bins), floats of [0, 1).
template <class T>
class histogram_range : public ab::input {
  using counter = std::int32_t;

 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceHistogram, hindsight::DeviceHistogram);

  histogram_range(std::size_t n, int num_bins, ab::entropy of)
      : n_{n},
        num_bins_{num_bins},
        in_{n, sample<T>{{of}, num_bins * num_bins}},
        levels_{std::size_t(num_bins) + 1, square_level<T>{num_bins}} {}

  void add_results(ab::results& out) const { out.add<counter>("counters", num_bins_); }

  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    return device.HistogramRange(temp, bytes, in_.get(), out.as<counter>(0), num_bins_ + 1,
                                 levels_.get(), std::int64_t(n_));
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    hindsight::histogram_range(policy, in_.get(), in_.get() + n_, levels_.get(),
                               levels_.get() + num_bins_ + 1, out.as<counter>(0));
  }

 private:
  std::size_t n_;
  int num_bins_;
  ab::items<T> in_;
  ab::items<T> levels_;
};

std::string name(int num_bins, const char* distribution) {
  return std::to_string(num_bins) + " bins, " + distribution;
}

template <class T>
void add(int num_bins, ab::entropy of) {
  ab::add<histogram_even<T>>(
      {"histogram_even", ab::name_of<T>, "I32", name(num_bins, ab::name(of))},
      {sizeof(T), ab::ceiling::read}, num_bins, of);
}

template <class... Ts>
void add_ranges(int num_bins) {
  (ab::add<histogram_range<Ts>>(
       {"histogram_range", ab::name_of<Ts>, "I32", name(num_bins, ab::name(ab::entropy::of_1_000))},
       {sizeof(Ts), ab::ceiling::read}, num_bins, ab::entropy::of_1_000),
   ...);
}

template <class T>
void add_equal(int num_bins) {
  ab::add<histogram_even<T>>({"histogram_even", ab::name_of<T>, "I32", name(num_bins, "equal")},
                             {sizeof(T), ab::ceiling::read}, num_bins);
}

template <class T>
void add_untuned(std::initializer_list<int> bins) {
  for (const ab::untuned of : {ab::untuned::sorted, ab::untuned::zipf, ab::untuned::outside})
    for (const int num_bins : bins) {
      ab::add<histogram_even<T>>({"histogram_even", ab::name_of<T>, "I32",
                                  ab::name(of) + ", " + std::to_string(num_bins) + " bins"},
                                 {sizeof(T), ab::ceiling::read}, num_bins, of);
    }
}

template <class T>
void add_all(std::initializer_list<int> bins) {
  for (const int num_bins : bins) {
    add<T>(num_bins, ab::entropy::of_1_000);
    add<T>(num_bins, ab::entropy::of_0_201);
  }
}

const ab::registration registered{[] {
  add_all<std::uint8_t>({256});
  add_equal<std::uint8_t>(256);
  add_all<std::int8_t>({32, 128});  // more bins than values make no sense
  add_all<std::int16_t>({32, 128, 2048});
  add_all<std::int32_t>({32, 128, 2048, 65536, 2097152});
  add_equal<std::int32_t>(2048);
  add_all<std::int64_t>({32, 128, 2048, 65536, 2097152});
  add_all<float>({32, 128, 2048, 65536, 2097152});
  add_all<double>({32, 128, 2048, 65536, 2097152});
  add_untuned<std::int32_t>({128, 2048, 65536});
  add_untuned<float>({2048});
  for (const int num_bins : {32, 128, 2048})
    add_ranges<std::int32_t, std::int64_t, float, double>(num_bins);
}};

}  // namespace
