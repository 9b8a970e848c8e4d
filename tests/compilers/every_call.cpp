// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every public algorithm, for several types: what a compiler has to take without a warning. The
// results are checked too, so the program also tells whether the compiler's code is right.
#include <hindsight/ab.h>
#include <hindsight/hindsight.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>

#if !defined(__host__)  // CCCL 2.8 leaves these to nvcc
#  define __host__
#  define __device__
#endif

#include "names_of_programs.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int n = 40000;

struct is_even {
  template <class T>
  __host__ __device__ bool operator()(const T& item) const {
    return static_cast<long long>(item) % 2 == 0;
  }
};

template <class T>
struct twice {
  __host__ __device__ T operator()(T item) const { return static_cast<T>(item + item); }
};

// An item that is no number: its sum keeps the larger weight.
struct item {
  int count;
  short weight;
};
struct add_items {
  __host__ __device__ item operator()(const item& a, const item& b) const {
    return {a.count + b.count, a.weight < b.weight ? b.weight : a.weight};
  }
};

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

template <class T>
thrust::device_vector<T> some_items() {
  thrust::host_vector<T> items(n);
  for (int i = 0; i < n; ++i) items[static_cast<std::size_t>(i)] = static_cast<T>(i * 7 % 100);
  return items;
}

constexpr long long expected_sum = 40000LL / 100 * 4950;

template <class T>
void scans() {
  const thrust::device_vector<T> in = some_items<T>();
  thrust::device_vector<long long> out(n);
  thrust::device_vector<T> narrow(n);
  const auto& par = hindsight::par;
  hindsight::exclusive_scan(par, in.begin(), in.end(), out.begin(), 0LL);
  expect(out.back() + static_cast<long long>(in.back()) == expected_sum, "exclusive_scan");
  hindsight::inclusive_scan(par, in.begin(), in.end(), out.begin(), 5LL, ::cuda::std::plus<>{});
  expect(out.back() == expected_sum + 5, "inclusive_scan");
  hindsight::inclusive_scan(par, in.begin(), in.end(), narrow.begin(), ::cuda::maximum<>{});
  expect(narrow.back() == static_cast<T>(99), "running maximum");
  hindsight::exclusive_scan(par, in.begin(), in.end(), narrow.begin());
  hindsight::inclusive_scan(par, in, narrow.begin());
  hindsight::transform_inclusive_scan(in, narrow.begin(), twice<T>{}, ::cuda::maximum<>{});
  hindsight::transform_exclusive_scan(in, out.begin(), twice<T>{}, 0LL, ::cuda::std::plus<>{});
  hindsight::inclusive_scan_by_key(par, in.begin(), in.end(), in.begin(), narrow.begin());
  hindsight::exclusive_scan_by_key(par, in.begin(), in.end(), in.begin(), out.begin(), 0LL);
  expect(out.back() == 0, "exclusive_scan_by_key");
}

template <class T>
void reductions() {
  const thrust::device_vector<T> in = some_items<T>();
  thrust::device_vector<long long> out(1);
  const auto& par = hindsight::par;
  expect(hindsight::reduce(par, in.begin(), in.end(), 0LL) == expected_sum, "reduce");
  expect(
      hindsight::reduce(par, in.begin(), in.end(), T{}, ::cuda::maximum<T>{}) == static_cast<T>(99),
      "largest");
  static_cast<void>(hindsight::reduce(in));
  hindsight::reduce_into(par, in.begin(), in.end(), out.begin(), 0LL, ::cuda::std::plus<>{});
  expect(out[0] == expected_sum, "reduce_into");
  static_cast<void>(hindsight::transform_reduce(par, in.begin(), in.end(), twice<T>{}, 0LL,
                                                ::cuda::std::plus<long long>{}));
  static_cast<void>(hindsight::inner_product(par, in.begin(), in.end(), in.begin(), 0LL));
  expect(hindsight::count_if(par, in.begin(), in.end(), is_even{}) == n / 2, "count_if");
  expect(hindsight::count(in, static_cast<T>(7)) == n / 100, "count");
}

template <class T>
void selections() {
  const thrust::device_vector<T> in = some_items<T>();
  thrust::device_vector<T> items = in, out(n), rest(n);
  const auto& par = hindsight::par;
  expect(
      hindsight::copy_if(par, in.begin(), in.end(), out.begin(), is_even{}) - out.begin() == n / 2,
      "copy_if");
  hindsight::copy_if(par, in.begin(), in.end(), in.begin(), out.begin(), is_even{});
  hindsight::remove_copy_if(in, out.begin(), is_even{});
  hindsight::remove_copy(in, out.begin(), T{});
  expect(hindsight::remove_if(par, items.begin(), items.end(), is_even{}) - items.begin() == n / 2,
         "remove_if");
  hindsight::remove(par, items.begin(), items.end(), T{});
  items = in;
  expect(hindsight::partition(par, items.begin(), items.end(), is_even{}) - items.begin() == n / 2,
         "partition");
  hindsight::stable_partition(par, items.begin(), items.end(), in.begin(), is_even{});
  hindsight::stable_partition_copy(par, in.begin(), in.end(), out.begin(), rest.begin(), is_even{});
  hindsight::partition_copy(par, in.begin(), in.end(), in.begin(), out.begin(), rest.begin(),
                            is_even{});
}

template <class T>
void sorts_and_runs() {
  const thrust::device_vector<T> in = some_items<T>();
  thrust::device_vector<T> keys = in, unique(n);
  thrust::device_vector<int> values(n);
  thrust::device_vector<long long> sums(n);
  thrust::sequence(values.begin(), values.end());
  const auto& par = hindsight::par;
  hindsight::sort_by_key(par, keys.begin(), keys.end(), values.begin());
  expect(values[0] == 0 && values[1] == 100, "sort_by_key is stable");
  const auto runs =
      hindsight::run_length_encode(par, keys.begin(), keys.end(), unique.begin(), values.begin());
  expect(runs.first - unique.begin() == 100 && values[99] == n / 100, "run_length_encode");
  const auto ends = hindsight::reduce_by_key(par, keys.begin(), keys.end(), in.begin(),
                                             unique.begin(), sums.begin());
  expect(ends.second - sums.begin() == 100, "reduce_by_key");
  hindsight::stable_sort(par, keys.begin(), keys.end(), ::cuda::std::greater<T>{});
  expect(keys.front() == static_cast<T>(99), "stable_sort");
  hindsight::sort(keys);
  hindsight::stable_sort_by_key(par, keys.begin(), keys.end(), values.begin(),
                                ::cuda::std::less<T>{});
}

template <class T, class Level>
void histograms() {
  const thrust::device_vector<T> in = some_items<T>();
  thrust::device_vector<int> counters(4);
  thrust::host_vector<Level> bounds(3);
  bounds[0] = static_cast<Level>(0), bounds[1] = static_cast<Level>(10);
  bounds[2] = static_cast<Level>(100);
  const thrust::device_vector<Level> levels = bounds;
  const auto& par = hindsight::par;
  hindsight::histogram_even(par, in.begin(), in.end(), 4, static_cast<Level>(0),
                            static_cast<Level>(100), counters.begin());
  expect(counters[3] == n / 4, "histogram_even");
  hindsight::histogram_range(par, in.begin(), in.end(), levels.begin(), levels.end(),
                             counters.begin());
  expect(counters[0] == n / 10, "histogram_range");
}

void structs() {
  thrust::device_vector<item> in(n, item{1, 2}), out(n);
  const auto& par = hindsight::par;
  hindsight::inclusive_scan(par, in.begin(), in.end(), out.begin(), add_items{});
  const item last = out.back();
  expect(last.count == n && last.weight == 2, "scan of structs");
  expect(hindsight::reduce(par, in.begin(), in.end(), item{0, 0}, add_items{}).count == n,
         "sum of structs");
}

struct number_outputs {
  int* out;
  __host__ __device__ void operator()(std::size_t, std::size_t number, std::size_t output) const {
    out[output] = static_cast<int>(number);
  }
};

template <class T>
void segments() {
  const thrust::device_vector<T> in = some_items<T>();
  thrust::host_vector<int> rows(3, 0);
  rows[2] = n;
  const thrust::device_vector<int> offsets = rows;
  const auto by = hindsight::by_offsets(offsets);
  thrust::device_vector<T> sums(2), out(n);
  hindsight::reduce_segments(in, by, sums.begin());
  expect(sums[0] == T(0) && static_cast<long long>(sums[1]) == expected_sum, "sums of segments");
  hindsight::inclusive_scan_segments(in, by, out.begin());
  expect(out.back() == sums.back(), "inclusive scan of segments");
  hindsight::exclusive_scan_segments(in, by, out.begin());
  expect(out.front() == T(0), "exclusive scan of segments");

  const auto& par = hindsight::par;
  const thrust::device_vector<int> columns(n, 0);
  hindsight::spmv(par, hindsight::csr(offsets, columns, in), in.begin(), sums.begin());
  expect(sums[1] == T(0), "spmv");
  hindsight::summed_area_table(par, in.begin(), out.begin(), 200, n / 200, 200);
  expect(static_cast<long long>(out.back()) == expected_sum, "summed-area table");
  hindsight::box_filter(par, in.begin(), out.begin(), 200, n / 200, 200, 0);
  expect(out == in, "box filter");
  hindsight::spmv(hindsight::csr(offsets, columns, in), in.begin(), sums.begin());
  hindsight::summed_area_table(in.begin(), out.begin(), 200, n / 200, 200);
  hindsight::box_filter(in.begin(), out.begin(), 200, n / 200, 200, 0);
  expect(out == in, "box filter without a policy");
  expect(hindsight::minmax(par, in.begin(), in.end()).second == T(99), "minmax");
  expect(hindsight::mean(in) == hindsight::mean(par, in), "mean of a range");
  expect(hindsight::mean(par, in.begin(), in.end()) * n == static_cast<double>(expected_sum),
         "mean");

  thrust::device_vector<int> begins(3), numbers(n);
  hindsight::offsets_of(par, offsets.begin() + 1, offsets.end(), begins.begin());
  hindsight::for_each_output(par, begins.begin(), begins.end(),
                             number_outputs{thrust::raw_pointer_cast(numbers.data())});
  expect(numbers.back() == n - 1, "outputs");
  hindsight::run_length_decode(par, in.begin(), in.begin() + 2, offsets.begin() + 1, out.begin());
  expect(out.back() == in[1], "run_length_decode");
}

}  // namespace

int main() {
  scans<int>();
  reductions<float>();
  selections<int>();
  sorts_and_runs<float>();
  histograms<float, float>();
  structs();
  segments<double>();
#if !defined(__CUDACC__)  // a CUDA compiler takes minutes for what a C++ compiler does in seconds
  scans<std::int8_t>(), scans<std::uint16_t>(), scans<float>(), scans<long long>();
  reductions<std::int8_t>(), reductions<int>(), reductions<double>();
  selections<std::uint8_t>(), selections<double>();
  sorts_and_runs<std::int8_t>(), sorts_and_runs<std::uint16_t>(), sorts_and_runs<int>();
  sorts_and_runs<std::uint64_t>();
  histograms<std::uint8_t, int>(), histograms<int, int>(), histograms<std::int16_t, double>();
#endif
  std::puts("every call: right");
  return 0;
}
