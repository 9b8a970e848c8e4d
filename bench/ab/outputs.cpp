// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small calls that Thrust lacks, each beside the usual way to have the same from Thrust's calls:
// offsets of counts, numbers of selected items, a split by a bit, means of windows, the mean, the
// product, least and greatest item.
#include <hindsight/image.h>
#include <hindsight/outputs.h>
#include <hindsight/summaries.h>

#include <cuda/std/utility>
#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "../picture.h"
#include "inputs.h"
#include "sides.h"

namespace {

using index_t = std::int32_t;

/// 0 to 7 outputs of an item.
struct small_count {
  ab::random_words words{};
  HINDSIGHT_HD index_t operator()(std::uint64_t i) const { return index_t(words(i) & 7); }
};

/// Stock: a scan from the second offset on.
class offsets_of : public ab::input_of_32_bits<7> {
 public:
  using devices = ab::calls_without_waiting;
  explicit offsets_of(std::size_t n) : n_{n}, counts_{n, small_count{}} {}

  void add_results(ab::results& out) const { out.add<index_t>("offsets", n_ + 1); }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const index_t* const counts = counts_.get();
    index_t* const offsets = out.as<index_t>(0);
    if constexpr (ab::is_ours<Policy>) {
      hindsight::offsets_of(policy, counts, counts + n_, offsets);
    } else {
      thrust::fill_n(policy, offsets, 1, index_t(0));
      thrust::inclusive_scan(policy, counts, counts + n_, offsets + 1);
    }
  }

 private:
  std::size_t n_;
  ab::items<index_t> counts_;
};

struct is_odd {
  HINDSIGHT_HD bool operator()(index_t item) const { return (item & 1) != 0; }
};

/// Stock: a selection of counted numbers, with the items as its stencil.
class pack_index : public ab::input_of_32_bits<> {
 public:
  using devices = ab::no_devices;
  explicit pack_index(std::size_t n) : n_{n}, in_{n, ab::uniform<index_t>{}} {}

  void add_results(ab::results& out) const {
    out.add<index_t>("numbers", n_);
    out.add_scalar<std::int64_t>("count");
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const index_t* const first = in_.get();
    index_t* const numbers = out.as<index_t>(0);
    index_t* end = nullptr;
    if constexpr (ab::is_ours<Policy>) {
      end = hindsight::pack_index(policy, first, first + n_, numbers, is_odd{});
    } else {
      const thrust::counting_iterator<index_t> counted(0);
      end = thrust::copy_if(policy, counted, counted + index_t(n_), first, numbers, is_odd{});
    }
    *out.as<std::int64_t>(1) = end - numbers;
  }

 private:
  std::size_t n_;
  ab::items<index_t> in_;
};

struct is_even {
  HINDSIGHT_HD bool operator()(index_t item) const { return (item & 1) == 0; }
};

/// By the lowest bit, in place. Stock: a stable partition.
class split : public ab::input {
 public:
  using devices = ab::no_devices;
  explicit split(std::size_t n) : n_{n}, in_{n, ab::uniform<index_t>{}} {}

  void add_results(ab::results& out) const {
    out.add<index_t>("items", n_);
    out.add_scalar<std::int64_t>("zeros");
  }
  void reset(const ab::results& out) const {
    ab::engine::copy(out.as<index_t>(0), in_.get(), n_ * sizeof(index_t));
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    index_t* const first = out.as<index_t>(0);
    index_t* ones = nullptr;
    if constexpr (ab::is_ours<Policy>) {
      ones = hindsight::split(policy, first, first + n_, 0);
    } else {
      ones = thrust::stable_partition(policy, first, first + n_, is_even{});
    }
    *out.as<std::int64_t>(1) = ones - first;
  }

 private:
  std::size_t n_;
  ab::items<index_t> in_;
};

/// So that no product is 0.
struct odd_number {
  ab::random_words words{};
  HINDSIGHT_HD std::uint32_t operator()(std::uint64_t i) const {
    return std::uint32_t(words(i)) | 1;
  }
};

using least_and_greatest = ::cuda::std::pair<float, float>;
struct item_twice {
  HINDSIGHT_HD least_and_greatest operator()(float item) const { return {item, item}; }
};
struct widest {
  HINDSIGHT_HD least_and_greatest operator()(const least_and_greatest& a,
                                             const least_and_greatest& b) const {
    return {b.first < a.first ? b.first : a.first, a.second < b.second ? b.second : a.second};
  }
};

/// Stock: one reduction to a pair.
class minmax : public ab::input {
 public:
  using devices = ab::no_devices;
  explicit minmax(std::size_t n) : n_{n}, in_{n, ab::uniform<float>{}} {}

  void add_results(ab::results& out) const {
    out.add_scalar<float>("least");
    out.add_scalar<float>("greatest");
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const float* const first = in_.get();
    least_and_greatest found;
    if constexpr (ab::is_ours<Policy>) {
      found = hindsight::minmax(policy, first, first + n_);
    } else {
      found = thrust::transform_reduce(policy, first, first + n_, item_twice{},
                                       least_and_greatest{2.0f, -1.0f}, widest{});
    }
    *out.as<float>(0) = found.first;
    *out.as<float>(1) = found.second;
  }

 private:
  std::size_t n_;
  ab::items<float> in_;
};

/// Stock: one reduction in double precision.
class mean : public ab::input {
 public:
  using devices = ab::no_devices;
  explicit mean(std::size_t n) : n_{n}, in_{n, ab::small_numbers<float>{}} {}

  void add_results(ab::results& out) const { out.add_scalar<double>("mean"); }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const float* const first = in_.get();
    if constexpr (ab::is_ours<Policy>) {
      *out.as<double>(0) = hindsight::mean(policy, first, first + n_);
    } else {
      *out.as<double>(0) = thrust::reduce(policy, first, first + n_, 0.0) / double(n_);
    }
  }

 private:
  std::size_t n_;
  ab::items<float> in_;
};

/// Stock: a reduction by multiplies.
class product : public ab::input {
 public:
  using devices = ab::no_devices;
  explicit product(std::size_t n) : n_{n}, in_{n, odd_number{}} {}

  void add_results(ab::results& out) const { out.add_scalar<std::uint32_t>("product"); }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const std::uint32_t* const first = in_.get();
    if constexpr (ab::is_ours<Policy>) {
      *out.as<std::uint32_t>(0) = hindsight::product(policy, first, first + n_);
    } else {
      *out.as<std::uint32_t>(0) = thrust::reduce(policy, first, first + n_, std::uint32_t{1},
                                                 thrust::multiplies<std::uint32_t>{});
    }
  }

 private:
  std::size_t n_;
  ab::items<std::uint32_t> in_;
};

struct to_wide {
  HINDSIGHT_HD std::int64_t operator()(index_t item) const { return item; }
};
/// The mean of a window, from a table of sums.
struct mean_at {
  const std::int64_t* sums;
  index_t width, height, radius;
  HINDSIGHT_HD std::int64_t sum_to(index_t rows, index_t columns) const {
    return rows > 0 && columns > 0 ? sums[std::int64_t(rows - 1) * width + columns - 1] : 0;
  }
  HINDSIGHT_HD index_t operator()(index_t i) const {
    const index_t y = i / width, x = i % width;
    const index_t top = y > radius ? y - radius : 0, left = x > radius ? x - radius : 0;
    const index_t bottom = y + radius < height ? y + radius + 1 : height;
    const index_t right = x + radius < width ? x + radius + 1 : width;
    const std::int64_t sum =
        sum_to(bottom, right) - sum_to(top, right) - sum_to(bottom, left) + sum_to(top, left);
    const std::int64_t count = std::int64_t(bottom - top) * (right - left), twice = 2 * sum + count;
    const std::int64_t floor = twice / (2 * count);
    return index_t(floor - (floor * 2 * count > twice));
  }
};

/// Windows of 11 x 11. Stock: two scans by key make the table, and a transform takes its corners.
class box_filter : public ab::picture_input {
 public:
  using devices = ab::calls_without_waiting;
  explicit box_filter(std::size_t n)
      : width_{n < most_columns ? n : most_columns},
        height_{n / width_},
        in_{n, ab::small_numbers<index_t>{}},
        table_{n * sizeof(std::int64_t)} {}

  void add_results(ab::results& out) const { out.add<index_t>("means", width_ * height_); }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    constexpr index_t radius = 5;
    index_t* const means = out.as<index_t>(0);
    if constexpr (ab::is_ours<Policy>) {
      hindsight::box_filter(policy, in_.get(), means, width_, height_, width_, radius);
    } else {
      const thrust::counting_iterator<index_t> first(0);
      const index_t width = index_t(width_), height = index_t(height_), n = width * height;
      std::int64_t* const sums = table_.as<std::int64_t>();
      const auto rows = thrust::make_transform_iterator(first, line_of{width});
      const auto columns = thrust::make_transform_iterator(first, line_of{height});
      const auto down = thrust::make_permutation_iterator(
          sums, thrust::make_transform_iterator(first, transposed{width, height}));
      const auto wide = thrust::make_transform_iterator(in_.get(), to_wide{});
      thrust::inclusive_scan_by_key(policy, rows, rows + n, wide, sums);
      thrust::inclusive_scan_by_key(policy, columns, columns + n, down, down);
      thrust::transform(policy, first, first + n, means, mean_at{sums, width, height, radius});
    }
  }

 private:
  std::size_t width_, height_;
  ab::items<index_t> in_;
  ab::buffer table_;
};

const ab::registration registered{[] {
  ab::add<offsets_of>({"offsets_of", "I32", "-", "0 to 7"}, {8, ab::ceiling::copy});
  ab::add<pack_index>({"pack_index", "I32", "-", "random"}, {6, ab::ceiling::copy});
  ab::add<split>({"split", "I32", "-", "random"}, {8, ab::ceiling::copy});
  ab::add<box_filter>({"box_filter", "I32", "-", "11 x 11"}, {8, ab::ceiling::none});
  ab::add<mean>({"mean", "F32", "-", "random"}, {4, ab::ceiling::read});
  ab::add<product>({"product", "U32", "-", "random"}, {4, ab::ceiling::read});
  ab::add<minmax>({"minmax", "F32", "-", "random"}, {4, ab::ceiling::read});
}};

}  // namespace
