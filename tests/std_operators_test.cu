// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard library's operators on the GPU: kernels get CUDA's of the same name, so that the
// calls compile without nvcc's --expt-relaxed-constexpr, and give the same results.
#include <hindsight/hindsight.h>

#include "gpu_testing.h"
#include <functional>
#include <gtest/gtest.h>

namespace hindsight_test {

using u32 = std::uint32_t;
using list = std::vector<u32>;

const auto& par = hindsight::cuda::par;

/// What every call returns or writes, with operators of one library.
template <template <class> class Plus, template <class> class Times, template <class> class Xor,
          template <class> class Equal>
list results_with(std::size_t n) {
  const device_array<u32> keys(items_in_runs<u32>(n, runs::random)), in(random_items<u32>(n));
  const device_array<u32> out(n), keys_out(n);
  list all;
  const auto take = [&](u32* end) {
    const list written = out.to_host(std::size_t(end - out.data()));
    all.insert(all.end(), written.begin(), written.end());
  };
  all.push_back(thrust::reduce(par, in.begin(), in.end(), 3u, Xor<u32>{}));
  all.push_back(thrust::inner_product(par, in.begin(), in.end(), keys.data(), 3u, Plus<u32>{},
                                      Times<void>{}));
  all.push_back(thrust::transform_reduce(par, in.begin(), in.end(), ::cuda::std::identity{}, 1u,
                                         Times<u32>{}));
  take(thrust::inclusive_scan(par, in.begin(), in.end(), out.data(), Plus<void>{}));
  take(thrust::exclusive_scan(par, in.begin(), in.end(), out.data(), 9u, Xor<u32>{}));
  take(thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), in.data(), out.data(),
                                     Equal<u32>{}, Plus<u32>{}));
  take(thrust::exclusive_scan_by_key(par, keys.begin(), keys.end(), in.data(), out.data(), 5u,
                                     Equal<void>{}, Times<u32>{}));
  take(thrust::reduce_by_key(par, keys.begin(), keys.end(), in.data(), keys_out.data(), out.data(),
                             Equal<u32>{}, Plus<u32>{})
           .second);
  take(hindsight::run_length_encode(par, keys.begin(), keys.end(), keys_out.data(), out.data(),
                                    Equal<u32>{})
           .second);
  take(thrust::unique_copy(par, keys.begin(), keys.end(), out.data(), Equal<u32>{}));
  return all;
}

/// The same, with predicates, unary operators and orders.
template <template <class> class Not, template <class> class Negate, template <class> class Greater,
          template <class> class LessEqual>
list results_with_others(std::size_t n) {
  auto items = random_items<u32>(n);
  for (u32& item : items) item %= 3;
  const device_array<u32> in(items), data(items), out(n), others(n);
  list all;
  const auto take = [&](const device_array<u32>& array, const u32* end) {
    const list written = array.to_host(std::size_t(end - array.data()));
    all.insert(all.end(), written.begin(), written.end());
  };
  take(out, thrust::copy_if(par, in.begin(), in.end(), out.data(), Not<u32>{}));
  take(out, thrust::remove_copy_if(par, in.begin(), in.end(), out.data(), Not<void>{}));
  take(data, thrust::remove_if(par, data.begin(), data.end(), in.data(), Not<u32>{}));
  const auto ends =
      thrust::partition_copy(par, in.begin(), in.end(), out.data(), others.data(), Not<u32>{});
  take(out, ends.first);
  take(others, ends.second);
  all.push_back(u32(thrust::count_if(par, in.begin(), in.end(), Not<u32>{})));
  all.push_back(u32(thrust::find_if(par, in.begin(), in.end(), Not<u32>{}) - in.begin()));
  all.push_back(u32(thrust::find_if_not(par, in.begin(), in.end(), Not<u32>{}) - in.begin()));
  all.push_back(thrust::transform_reduce(par, in.begin(), in.end(), Negate<u32>{}, 7u,
                                         ::cuda::std::plus<u32>{}));
  take(out, thrust::transform_inclusive_scan(par, in.begin(), in.end(), out.data(), Negate<u32>{},
                                             ::cuda::std::plus<u32>{}));
  take(out, thrust::unique_copy(par, in.begin(), in.end(), out.data(), LessEqual<u32>{}));
  all.push_back(thrust::inner_product(par, in.begin(), in.end(), in.begin(), 1u,
                                      ::cuda::std::plus<u32>{}, LessEqual<void>{}));
  take(out, thrust::adjacent_difference(par, in.begin(), in.end(), out.data(), LessEqual<u32>{}));
  data.assign(items);
  thrust::sort(par, data.begin(), data.end(), Greater<u32>{});
  take(data, data.end());
  return all;
}

/// A key that sorts cannot take as a number.
struct version {
  u32 number;
  friend __host__ __device__ bool operator<(version a, version b) { return a.number < b.number; }
  friend __host__ __device__ bool operator>(version a, version b) { return a.number > b.number; }
};
struct version_of {
  __host__ __device__ version operator()(u32 item) const { return {item % 1000}; }
};

/// The same, of calls that Thrust does not have.
template <template <class> class Plus, template <class> class Times, template <class> class Less,
          template <class> class Greater>
list results_of_our_calls(std::size_t n) {
  constexpr std::size_t width = 7;
  const list items = random_items<u32>(n);
  const device_array<u32> in(items), rows(list{0, u32(n / 3), u32(n / 3), u32(n)});
  const device_array<u32> heads(items_in_runs<u32>(n, runs::random)), out(n + 3), data(n);
  const device_array<version> versions(n);
  const auto by_offsets = hindsight::by_offsets(rows.begin(), rows.end());
  const auto by_heads = hindsight::by_heads(heads.begin());
  list all;
  const auto take = [&](const device_array<u32>& array, const u32* end) {
    const list written = array.to_host(std::size_t(end - array.data()));
    all.insert(all.end(), written.begin(), written.end());
  };
  take(out, hindsight::reduce_segments(par, in.begin(), in.end(), by_offsets, out.data(), 3u,
                                       Times<u32>{}));
  take(out, hindsight::reduce_segments(par, in.begin(), in.end(), by_heads, out.data(), 3u,
                                       Plus<void>{}));
  take(out, hindsight::inclusive_scan_segments(par, in.begin(), in.end(), by_offsets, out.data(),
                                               Plus<u32>{}));
  take(out, hindsight::exclusive_scan_segments(par, in.begin(), in.end(), by_offsets, out.data(),
                                               5u, Times<void>{}));
  take(out, hindsight::exclusive_scan_segments(par, in.begin(), in.end(), by_heads, out.data(), 5u,
                                               Times<u32>{}));
  thrust::counting_iterator<u32> columns(0);
  take(out, hindsight::spmv(par, hindsight::csr(rows.begin(), rows.end(), columns, in.begin()),
                            heads.begin(), out.data(), 1u, Plus<u32>{}, Times<void>{}));
  hindsight::summed_area_table(par, in.begin(), out.data(), width, n / width, width, Plus<u32>{});
  take(out, out.data() + n / width * width);
  const auto extremes = hindsight::minmax(par, in.begin(), in.end(), Greater<u32>{});
  all.insert(all.end(), {extremes.first, extremes.second});

  data.assign(items);
  hindsight::sort_segments(par, data.begin(), data.end(), by_offsets, Greater<u32>{});
  take(data, data.end());
  hindsight::sort_by(par, data.begin(), data.end(), version_of{}, Less<void>{});
  take(data, data.end());
  const auto numbers = reinterpret_cast<u32*>(versions.data());
  const auto take_versions = [&] {
    for (const version v : versions.to_host()) all.push_back(v.number);
  };
  const auto reset = [&] { check(cudaMemcpy(numbers, in.data(), n * 4, cudaMemcpyDefault)); };
  reset();
  hindsight::sort_segments(par, versions.begin(), versions.end(), by_offsets, Greater<void>{});
  take_versions();
  hindsight::sort_segments_by_key(par, versions.begin(), versions.end(), data.begin(), by_heads,
                                  Less<void>{});
  take_versions();
  reset();
  hindsight::partial_sort(par, versions.begin(), versions.begin() + n / 2, versions.end(),
                          Greater<void>{});
  take_versions();
  return all;
}

TEST(StdOperators, PredicatesAndOrdersEqualCudas) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{300007}}) {
    EXPECT_EQ(
        difference(
            results_with_others<std::logical_not, std::negate, std::greater, std::less_equal>(n),
            results_with_others<::cuda::std::logical_not, ::cuda::std::negate, ::cuda::std::greater,
                                ::cuda::std::less_equal>(n)),
        "")
        << "n = " << n;
  }
}

TEST(StdOperators, EqualCudas) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{300007}}) {
    EXPECT_EQ(difference(results_with<std::plus, std::multiplies, std::bit_xor, std::equal_to>(n),
                         results_with<::cuda::std::plus, ::cuda::std::multiplies,
                                      ::cuda::std::bit_xor, ::cuda::std::equal_to>(n)),
              "")
        << "n = " << n;
  }
}

TEST(StdOperators, OurCallsEqualCudas) {
  for (const std::size_t n : {std::size_t{9}, std::size_t{1000}, std::size_t{300007}}) {
    EXPECT_EQ(
        difference(results_of_our_calls<std::plus, std::multiplies, std::less, std::greater>(n),
                   results_of_our_calls<::cuda::std::plus, ::cuda::std::multiplies,
                                        ::cuda::std::less, ::cuda::std::greater>(n)),
        "")
        << "n = " << n;
  }
}

}  // namespace hindsight_test
