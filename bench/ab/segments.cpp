// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Thrust has no call for: segments, sparse matrices, summed-area tables, items with several
// outputs. The stock side of a whole call is the usual way to have the same from Thrust's calls.
#include <hindsight/counts_into.h>
#include <hindsight/image.h>
#include <hindsight/outputs.h>
#include <hindsight/segments.h>
#include <hindsight/sort_segments.h>
#include <hindsight/spmv.h>

#include <cuda/std/limits>
#include <thrust/detail/temporary_array.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>

#include "../picture.h"
#include "inputs.h"
#include "sides.h"
#include <stdexcept>
#include <string>
#include <type_traits>

#if HINDSIGHT_CUDA
#  include <hindsight/device_segmented_radix_sort.cuh>
#  include <hindsight/device_segmented_reduce.cuh>
#  include <hindsight/device_segmented_sort.cuh>

#  include <cub/device/device_reduce.cuh>
#  include <cub/device/device_segmented_radix_sort.cuh>
#  include <cub/device/device_segmented_reduce.cuh>
#  include <cub/device/device_segmented_sort.cuh>
#  if __has_include(<cub/device/device_segmented_scan.cuh>)
#    include <hindsight/device_segmented_scan.cuh>

#    include <cub/device/device_segmented_scan.cuh>
#    define HAS_SEGMENTED_SCAN
#  endif
#endif

namespace {

using index_t = std::int32_t;

/// How long segments are: 1 to 2 * mean - 1 items, or `mean` if they are even; but the first
/// `long_one` items are one segment, if they are any.
struct segment_shape {
  std::uint64_t mean, long_one = 0;
  bool are_even = false;
  HINDSIGHT_HD std::uint64_t count(std::uint64_t n) const {
    return (n - long_one + mean - 1) / mean + (long_one > 0);
  }
};

/// Of about `mean` items, or of just so many; or half of all items in one, and the others so.
struct segment_lengths {
  std::uint64_t mean;
  bool half_in_one = false, are_even = false;
  segment_shape of(std::size_t n) const { return {mean, half_in_one ? n / 2 : 0, are_even}; }
};

/// Where segment s begins.
struct offset_of_segment {
  segment_shape shape;
  std::uint64_t n, num_segments;
  std::uint64_t seed = ab::seed;
  HINDSIGHT_HD index_t operator()(std::uint64_t s) const {
    if (s >= num_segments) return index_t(n);
    if (s == 0) return 0;
    const std::uint64_t before = shape.long_one > 0;  // segments before the short ones
    const bool is_at_an_end = s == before || s + 1 == num_segments;
    const std::uint64_t jitter =
        is_at_an_end || shape.are_even ? 0 : ab::hash(seed, s) % shape.mean;
    return index_t(shape.long_one + (s - before) * shape.mean + jitter);
  }
};
struct length_of_segment {
  offset_of_segment offsets;
  HINDSIGHT_HD index_t operator()(std::uint64_t s) const { return offsets(s + 1) - offsets(s); }
};
/// The segment of item i.
struct segment_of_item {
  offset_of_segment offsets;
  HINDSIGHT_HD index_t operator()(std::uint64_t i) const {
    const segment_shape& shape = offsets.shape;
    if (i < shape.long_one) return 0;
    const std::uint64_t s = (i - shape.long_one) / shape.mean + (shape.long_one > 0);
    return index_t(std::uint64_t(offsets(s)) <= i ? s : s - 1);
  }
};

/// Items in segments, whose numbers the stock side is given.
template <class T, class Make>
class segments : public ab::input_of_32_bits<> {
 public:
  segments(std::size_t n, segment_lengths lengths, Make make) : segments{n, lengths.of(n), make} {}
  segments(std::size_t n, segment_shape shape, Make make)
      : n_{n},
        num_segments_{shape.count(n)},
        items_{n, make},
        offsets_{num_segments_ + 1, offset_of_segment{shape, n, num_segments_}},
        segments_{n, segment_of_item{{shape, n, num_segments_}}} {}

 protected:
  auto rows() const {
    return hindsight::by_offsets(offsets_.get(), offsets_.get() + num_segments_ + 1);
  }
  std::size_t n_, num_segments_;
  ab::items<T> items_;
  ab::items<index_t> offsets_, segments_;
};

template <class T>
class reduce_segments : public segments<T, ab::small_numbers<T>> {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceSegmentedReduce,
                                       hindsight::DeviceSegmentedReduce);
  reduce_segments(std::size_t n, segment_lengths lengths)
      : segments<T, ab::small_numbers<T>>{n, lengths, {}} {}

  void add_results(ab::results& out) const { out.add<T>("sums", this->num_segments_); }
  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    const index_t* const offsets = this->offsets_.get();
    return device.Sum(temp, bytes, this->items_.get(), out.as<T>(0), index_t(this->num_segments_),
                      offsets, offsets + 1);
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* const first = this->items_.get();
    if constexpr (ab::is_ours<Policy>) {
      hindsight::reduce_segments(policy, first, first + this->n_, this->rows(), out.as<T>(0));
    } else {
      const index_t* const keys = this->segments_.get();
      thrust::reduce_by_key(policy, keys, keys + this->n_, first, thrust::make_discard_iterator(),
                            out.as<T>(0));
    }
  }
};

template <class T>
class scan_segments : public segments<T, ab::small_numbers<T>> {
 public:
#ifdef HAS_SEGMENTED_SCAN
  using devices = ab::devices<cub::DeviceSegmentedScan, hindsight::DeviceSegmentedScan>;
#else
  using devices = ab::no_devices;  // CCCL 3.0 has none
#endif
  scan_segments(std::size_t n, segment_lengths lengths)
      : segments<T, ab::small_numbers<T>>{n, lengths, {}} {}

  void add_results(ab::results& out) const {
    out.add<T>("sums", this->n_);
  }
  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    const index_t* const offsets = this->offsets_.get();
    return device.InclusiveSegmentedSum(temp, bytes, this->items_.get(), out.as<T>(0), offsets,
                                        offsets + 1, index_t(this->num_segments_));
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* const first = this->items_.get();
    if constexpr (ab::is_ours<Policy>) {
      hindsight::inclusive_scan_segments(policy, first, first + this->n_, this->rows(),
                                         out.as<T>(0));
    } else {
      const index_t* const keys = this->segments_.get();
      thrust::inclusive_scan_by_key(policy, keys, keys + this->n_, first, out.as<T>(0));
    }
  }
};

template <class T>
class exclusive_scan_segments : public scan_segments<T> {
 public:
  using scan_segments<T>::scan_segments;
  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    const index_t* const offsets = this->offsets_.get();
    return device.ExclusiveSegmentedSum(temp, bytes, this->items_.get(), out.as<T>(0), offsets,
                                        offsets + 1, index_t(this->num_segments_));
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const T* const first = this->items_.get();
    if constexpr (ab::is_ours<Policy>) {
      hindsight::exclusive_scan_segments(policy, first, first + this->n_, this->rows(),
                                         out.as<T>(0));
    } else {
      const index_t* const keys = this->segments_.get();
      thrust::exclusive_scan_by_key(policy, keys, keys + this->n_, first, out.as<T>(0));
    }
  }
};

/// Any key, but on the host no negative one, which stock misplaces there (NVIDIA/cccl issue 4919).
template <class K>
struct any_key {
  ab::uniform<K> any{};
  HINDSIGHT_HD K operator()(std::uint64_t i) const {
    return HINDSIGHT_CUDA ? any(i) : K(any(i) & ::cuda::std::numeric_limits<K>::max());
  }
};

template <class K>
class sort_segments : public segments<K, any_key<K>> {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceSegmentedSort, hindsight::DeviceSegmentedSort);
  sort_segments(std::size_t n, segment_lengths lengths)
      : segments<K, any_key<K>>{n, lengths, {}}, own_segments_{n * sizeof(index_t)} {}

  void add_results(ab::results& out) const { out.add<K>("keys", this->n_); }
  void reset(const ab::results& out) const {
    if (out.measured == ab::mode::kernel) return;
    ab::engine::copy(out.as<K>(0), this->items_.get(), this->n_ * sizeof(K));
    ab::engine::copy(own_segments_.as<index_t>(), this->segments_.get(),
                     this->n_ * sizeof(index_t));
  }
  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    const index_t* const offsets = this->offsets_.get();
    return device.SortKeys(temp, bytes, this->items_.get(), out.as<K>(0), index_t(this->n_),
                           index_t(this->num_segments_), offsets, offsets + 1);
  }
  /// Stock: by key, and then stably by segment.
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    K* const first = out.as<K>(0);
    if constexpr (ab::is_ours<Policy>) {
      hindsight::sort_segments(policy, first, first + this->n_, this->rows());
    } else {
      index_t* const own = own_segments_.template as<index_t>();
      thrust::stable_sort_by_key(policy, first, first + this->n_, own);
      thrust::stable_sort_by_key(policy, own, own + this->n_, first);
    }
  }

 private:
  ab::buffer own_segments_;
};

/// Keys, and values that move with them.
template <class K, class V>
class sort_segments_by_key : public segments<K, any_key<K>> {
 public:
  using devices = HINDSIGHT_AB_DEVICES(cub::DeviceSegmentedSort, hindsight::DeviceSegmentedSort);
  sort_segments_by_key(std::size_t n, segment_lengths lengths)
      : segments<K, any_key<K>>{n, lengths, {}},
        values_{n, ab::uniform<V>{}},
        own_segments_{n * sizeof(index_t)} {}

  void add_results(ab::results& out) const {
    out.add<K>("keys", this->n_);
    out.add<V>("values", this->n_);
  }
  void reset(const ab::results& out) const {
    if (out.measured == ab::mode::kernel) return;
    ab::engine::copy(out.as<K>(0), this->items_.get(), this->n_ * sizeof(K));
    ab::engine::copy(out.as<V>(1), values_.get(), this->n_ * sizeof(V));
    ab::engine::copy(own_segments_.as<index_t>(), this->segments_.get(),
                     this->n_ * sizeof(index_t));
  }
  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    const index_t* const offsets = this->offsets_.get();
    return device.StableSortPairs(temp, bytes, this->items_.get(), out.as<K>(0), values_.get(),
                                  out.as<V>(1), index_t(this->n_), index_t(this->num_segments_),
                                  offsets, offsets + 1);
  }
  /// Stock: by key, and then stably by segment.
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    K* const keys = out.as<K>(0);
    V* const values = out.as<V>(1);
    if constexpr (ab::is_ours<Policy>) {
      hindsight::sort_segments_by_key(policy, keys, keys + this->n_, values, this->rows());
    } else {
      index_t* const own = own_segments_.template as<index_t>();
      thrust::stable_sort_by_key(policy, keys, keys + this->n_,
                                 thrust::make_zip_iterator(values, own));
      thrust::stable_sort_by_key(policy, own, own + this->n_,
                                 thrust::make_zip_iterator(keys, values));
    }
  }

 private:
  ab::items<V> values_;
  ab::buffer own_segments_;
};

#if HINDSIGHT_CUDA
struct no_value {};

template <class V>
struct place {
  HINDSIGHT_HD V operator()(std::uint64_t i) const { return V(i); }
};
template <>
struct place<no_value> {
  HINDSIGHT_HD no_value operator()(std::uint64_t) const { return {}; }
};

/// Keys, or keys and values, by CUB's radix sort of segments. The whole calls are sort_segments'.
template <class K, class V>
class radix_sort_segments : public segments<K, any_key<K>> {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

 public:
  using devices = ab::devices<cub::DeviceSegmentedRadixSort, hindsight::DeviceSegmentedRadixSort>;
  radix_sort_segments(std::size_t n, segment_lengths lengths)
      : segments<K, any_key<K>>{n, lengths, {}}, values_{has_values ? n : 0, place<V>{}} {}

  void add_results(ab::results& out) const {
    out.add<K>("keys", this->n_);
    if (has_values) out.add<V>("values", this->n_);
  }
  template <class Device>
  auto device_call(Device device, void* temp, std::size_t& bytes, const ab::results& out) const {
    const index_t* const offsets = this->offsets_.get();
    const auto n = index_t(this->n_), num_segments = index_t(this->num_segments_);
    if constexpr (has_values) {
      return device.SortPairs(temp, bytes, this->items_.get(), out.as<K>(0), values_.get(),
                              out.as<V>(1), n, num_segments, offsets, offsets + 1);
    } else {
      return device.SortKeys(temp, bytes, this->items_.get(), out.as<K>(0), n, num_segments,
                             offsets, offsets + 1);
    }
  }

 private:
  ab::items<V> values_;
};

}  // namespace

template <class K, class V>
inline constexpr bool ab::has_whole_call<radix_sort_segments<K, V>> = false;

namespace {
#endif

/// Any column below a number.
struct column_of {
  std::uint64_t num_columns;
  std::uint64_t seed = ab::seed;
  HINDSIGHT_HD index_t operator()(std::uint64_t i) const {
    return index_t(ab::hash(seed, i) % num_columns);
  }
};
struct product_at {
  const float *values, *x;
  const index_t* columns;
  HINDSIGHT_HD float operator()(index_t i) const { return values[i] * x[columns[i]]; }
};

/// None is zero, so that no product is -0.0.
struct positive_number {
  ab::random_words words{};
  HINDSIGHT_HD float operator()(std::uint64_t i) const { return float(1 + (words(i) & 15)); }
};

/// A square matrix of so many items in a row, on average, in any columns. Stock: sums of products
/// by key. For times of the GPU alone they are CUB's: Thrust's wait for the number of sums.
class spmv : public segments<float, ab::small_numbers<float>> {
 public:
  using devices = ab::calls_without_waiting;
  spmv(std::size_t n, std::uint64_t mean)
      : segments<float, ab::small_numbers<float>>{n, segment_lengths{mean}, {}},
        columns_{n, column_of{num_segments_}},
        x_{num_segments_, positive_number{}},
        num_sums_{sizeof(index_t)} {}

  void add_results(ab::results& out) const { out.add<float>("y", num_segments_); }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const index_t* const offsets = offsets_.get();
    if constexpr (ab::is_ours<Policy>) {
      hindsight::spmv(
          policy,
          hindsight::csr(offsets, offsets + num_segments_ + 1, columns_.get(), items_.get()),
          x_.get(), out.as<float>(0));
    } else {
      const auto products =
          thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0),
                                          product_at{items_.get(), x_.get(), columns_.get()});
      if constexpr (std::is_same_v<Policy, std::decay_t<decltype(thrust::device)>>) {
        thrust::reduce_by_key(policy, segments_.get(), segments_.get() + n_, products,
                              thrust::make_discard_iterator(), out.as<float>(0));
      } else {
        sum_by_key(policy, products, out.as<float>(0));
      }
    }
  }

 private:
  template <class Policy, class Products>
  void sum_by_key(const Policy& policy, Products products, float* sums) const {
#if HINDSIGHT_CUDA
    const auto call = [&](void* temp, std::size_t& bytes) {
      const cudaError_t status = cub::DeviceReduce::ReduceByKey(
          temp, bytes, segments_.get(), thrust::make_discard_iterator(), products, sums,
          num_sums_.as<index_t>(), cuda::std::plus<>{}, index_t(n_));
      if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
    };
    std::size_t bytes = 0;
    call(nullptr, bytes);
    thrust::detail::temporary_array<char, Policy> temp(
        0, thrust::detail::derived_cast(thrust::detail::strip_const(policy)), bytes);
    call(thrust::raw_pointer_cast(temp.data()), bytes);
#endif
  }

  ab::items<index_t> columns_;
  ab::items<float> x_;
  ab::buffer num_sums_;
};

/// A picture of so many columns. Stock: two scans by key, along rows and along columns.
class summed_area_table : public ab::picture_input {
 public:
  using devices = ab::calls_without_waiting;
  explicit summed_area_table(std::size_t n)
      : width_{n < most_columns ? n : most_columns},
        height_{n / width_},
        in_{n, ab::small_numbers<std::int32_t>{}} {}

  void add_results(ab::results& out) const { out.add<std::int32_t>("sums", width_ * height_); }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    std::int32_t* const sums = out.as<std::int32_t>(0);
    if constexpr (ab::is_ours<Policy>) {
      hindsight::summed_area_table(policy, in_.get(), sums, width_, height_, width_);
    } else {
      const thrust::counting_iterator<index_t> first(0);
      const index_t n = index_t(width_ * height_);
      const auto rows = thrust::make_transform_iterator(first, line_of{index_t(width_)});
      const auto columns = thrust::make_transform_iterator(first, line_of{index_t(height_)});
      const auto down = thrust::make_permutation_iterator(
          sums,
          thrust::make_transform_iterator(first, transposed{index_t(width_), index_t(height_)}));
      thrust::inclusive_scan_by_key(policy, rows, rows + n, in_.get(), sums);
      thrust::inclusive_scan_by_key(policy, columns, columns + n, down, down);
    }
  }

 private:
  std::size_t width_, height_;
  ab::items<std::int32_t> in_;
};

/// Each item as often as its segment is long. Stock: the item's number where its outputs begin, a
/// scan by maximum, a gather.
class expand : public segments<std::int32_t, ab::uniform<std::int32_t>> {
 public:
  using devices = ab::calls_without_waiting;
  expand(std::size_t n, std::uint64_t mean)
      : segments<std::int32_t, ab::uniform<std::int32_t>>{n, segment_lengths{mean}, {}},
        order_{n * sizeof(index_t)} {}

  void add_results(ab::results& out) const { out.add<std::int32_t>("outputs", n_); }
  void reset(const ab::results&) const {
    ab::engine::fill(order_.as<index_t>(), 0, order_.bytes());
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const index_t* const offsets = offsets_.get();
    if constexpr (ab::is_ours<Policy>) {
      hindsight::expand(policy, items_.get(), offsets, offsets + num_segments_ + 1,
                        out.as<std::int32_t>(0));
    } else {
      index_t* const order = order_.as<index_t>();
      const thrust::counting_iterator<index_t> first(0);
      thrust::scatter(policy, first, first + index_t(num_segments_), offsets, order);
      thrust::inclusive_scan(policy, order, order + n_, order, thrust::maximum<index_t>{});
      thrust::gather(policy, order, order + n_, items_.get(), out.as<std::int32_t>(0));
    }
  }

 private:
  ab::buffer order_;
};

/// Each item as often as its count says. Stock: as for expand, after a scan of the counts. Where no
/// call waits, ours leaves the number of outputs on the device; stock does not count them.
class run_length_decode : public segments<std::int32_t, ab::uniform<std::int32_t>> {
 public:
  using devices = ab::calls_without_waiting;
  run_length_decode(std::size_t n, std::uint64_t mean)
      : segments<std::int32_t, ab::uniform<std::int32_t>>{n, segment_lengths{mean}, {}},
        counts_{num_segments_, length_of_segment{{{mean}, n, num_segments_}}},
        order_{n * sizeof(index_t)},
        begins_{num_segments_ * sizeof(index_t)},
        num_outputs_{sizeof(std::size_t)} {}

  void add_results(ab::results& out) const { out.add<std::int32_t>("outputs", n_); }
  void reset(const ab::results&) const {
    ab::engine::fill(order_.as<index_t>(), 0, order_.bytes());
  }
  template <class Policy>
  void whole_call(const Policy& policy, const ab::results& out) const {
    const index_t* const counts = counts_.get();
    std::int32_t* const outputs = out.as<std::int32_t>(0);
    if constexpr (ab::is_ours<Policy>) {
      const std::int32_t *const first = items_.get(), *const last = first + num_segments_;
      if constexpr (ab::is_plain<Policy>) {
        hindsight::run_length_decode(policy, first, last, counts, outputs);
      } else {
        hindsight::run_length_decode_into(policy, first, last, counts, outputs,
                                          num_outputs_.as<std::size_t>());
      }
    } else {
      index_t *const order = order_.as<index_t>(), *const begins = begins_.as<index_t>();
      const thrust::counting_iterator<index_t> first(0);
      thrust::exclusive_scan(policy, counts, counts + num_segments_, begins);
      thrust::scatter(policy, first, first + index_t(num_segments_), begins, order);
      thrust::inclusive_scan(policy, order, order + n_, order, thrust::maximum<index_t>{});
      thrust::gather(policy, order, order + n_, items_.get(), outputs);
    }
  }

 private:
  ab::items<index_t> counts_;
  ab::buffer order_, begins_, num_outputs_;
};

std::string name_of_mean(std::uint64_t mean) {
  return "segments of " + std::to_string(mean);
}

const ab::registration registered{[] {
  const ab::traffic once{2 * sizeof(index_t), ab::ceiling::copy};
  for (const std::uint64_t mean : {3, 30, 1000, 100'000}) {
    const double ends = 1 / double(mean);
    ab::add<reduce_segments<float>>({"reduce_segments", "F32", "-", name_of_mean(mean)},
                                    {4 + 8 * ends, ab::ceiling::read}, segment_lengths{mean});
    ab::add<scan_segments<float>>({"scan_segments", "F32", "-", name_of_mean(mean)},
                                  {8 + 4 * ends, ab::ceiling::copy}, segment_lengths{mean});
    ab::add<sort_segments<std::int32_t>>({"sort_segments", "I32", "-", name_of_mean(mean)},
                                         {8 + 4 * ends, ab::ceiling::none}, segment_lengths{mean});
  }
  // As many segments, half of the items in one, the others in segments of 3; integers, whose sums
  // are exact however many items a segment has.
  for (const bool half_in_one : {false, true}) {
    const std::string name = half_in_one ? "half in one segment" : name_of_mean(6);
    const segment_lengths lengths{half_in_one ? 3u : 6u, half_in_one};
    ab::add<reduce_segments<std::int32_t>>({"reduce_segments", "I32", "-", name},
                                           {4 + 8 / 6., ab::ceiling::read}, lengths);
    ab::add<scan_segments<std::int32_t>>({"scan_segments", "I32", "-", name},
                                         {8 + 4 / 6., ab::ceiling::copy}, lengths);
    ab::add<sort_segments<std::int32_t>>({"sort_segments", "I32", "-", name},
                                         {8 + 4 / 6., ab::ceiling::none}, lengths);
  }
  // About as many items as a thread of the sort has.
  ab::add<sort_segments<std::int32_t>>({"sort_segments", "I32", "-", name_of_mean(10)},
                                       {8 + 4 / 10., ab::ceiling::none}, segment_lengths{10});
  ab::add<sort_segments<std::int32_t>>({"sort_segments", "I32", "-", "segments of exactly 18"},
                                       {8 + 4 / 18., ab::ceiling::none},
                                       segment_lengths{18, false, true});
  for (const std::uint64_t mean : {30, 1000}) {
    const double ends = 1 / double(mean);
    ab::add<exclusive_scan_segments<float>>(
        {"scan_segments", "F32", "-", "exclusive, " + name_of_mean(mean)},
        {8 + 4 * ends, ab::ceiling::copy}, segment_lengths{mean});
    ab::add<sort_segments_by_key<std::int32_t, std::int32_t>>(
        {"sort_segments", "I32", "I32", name_of_mean(mean)}, {16 + 4 * ends, ab::ceiling::none},
        segment_lengths{mean});
  }
#if HINDSIGHT_CUDA
  for (const std::uint64_t mean : {30, 1000, 100'000}) {  // a block for each segment of 3: too slow
    const ab::traffic keys{8 + 4 / double(mean), ab::ceiling::none};
    const ab::traffic pairs{16 + 4 / double(mean), ab::ceiling::none};
    ab::add<radix_sort_segments<std::int32_t, no_value>>(
        {"radix_sort_segments", "I32", "-", name_of_mean(mean)}, keys, segment_lengths{mean});
    ab::add<radix_sort_segments<std::int32_t, std::int32_t>>(
        {"radix_sort_segments", "I32", "I32", name_of_mean(mean)}, pairs, segment_lengths{mean});
  }
#endif
  for (const std::uint64_t mean : {3, 30}) {
    ab::add<spmv>({"spmv", "F32", "I32", name_of_mean(mean)},
                  {8 + 12 / double(mean), ab::ceiling::none}, mean);
    ab::add<expand>({"expand", "I32", "-", name_of_mean(mean)},
                    {4 + 8 / double(mean), ab::ceiling::copy}, mean);
    ab::add<run_length_decode>({"run_length_decode", "I32", "-", name_of_mean(mean)},
                               {4 + 8 / double(mean), ab::ceiling::copy}, mean);
  }
  ab::add<summed_area_table>({"summed_area_table", "I32", "-", "4096 wide"}, once);
}};

}  // namespace
