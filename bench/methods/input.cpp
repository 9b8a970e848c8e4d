// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled by nvcc where there is a GPU to measure.
#include "input.h"

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "../ab/inputs.h"

namespace methods {

namespace {

constexpr std::uint64_t input_seed = 42;

struct random_item {
  HINDSIGHT_HD item operator()(std::uint64_t i) const { return item(ab::hash(input_seed, i)); }
};
struct keeps {
  HINDSIGHT_HD bool operator()(item value) const { return is_kept(value) != 0; }
};
struct last_of_bin {
  HINDSIGHT_HD item operator()(unsigned bin) const { return bin << 24 | 0xffffff; }
};

}  // namespace

input::input(std::size_t n)
    : n_{n}, items_{n * sizeof(item)}, expected_{out_room(n) * sizeof(item)} {
  thrust::tabulate(thrust::device, items_.as<item>(), items_.as<item>() + n, random_item{});
}

const item* input::sorted() {
  if (sorted_.empty()) {
    ab::buffer keys{n_ * sizeof(item)};
    thrust::copy_n(thrust::device, items(), n_, keys.as<item>());
    thrust::sort(thrust::device, keys.as<item>(), keys.as<item>() + n_);
    sorted_.push_back(std::move(keys));
  }
  return sorted_.front().as<const item>();
}

void input::compute(const std::string& family) {
  const item* const first = items();
  const item* const last = first + n_;
  item* const out = expected_.as<item>();
  if (family == "reduction") {
    const item sum = thrust::reduce(thrust::device, first, last);
    ab::engine::copy(out, &sum, sizeof sum);
  } else if (family == "scan") {
    thrust::inclusive_scan(thrust::device, first, last, out);
  } else if (family == "compaction") {
    expected_kept_ = item(thrust::copy_if(thrust::device, first, last, out, keeps{}) - out);
  } else if (family == "histogram") {
    const auto ends =
        thrust::make_transform_iterator(thrust::make_counting_iterator(0u), last_of_bin{});
    thrust::upper_bound(thrust::device, sorted(), sorted() + n_, ends, ends + num_bins, out);
    thrust::adjacent_difference(thrust::device, out, out + num_bins, out);
  } else {
    thrust::copy_n(thrust::device, sorted(), n_, out);
  }
}

const ab::buffer& input::expected(const std::string& family) {
  if (expected_family_ != family) {
    expected_family_.clear();
    expected_.poison();
    compute(family);
    expected_family_ = family;
  }
  return expected_;
}

}  // namespace methods
