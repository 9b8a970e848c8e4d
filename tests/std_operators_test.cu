// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard library's operators on the GPU: kernels get CUDA's of the same name, so that the
// calls compile without nvcc's --expt-relaxed-constexpr, and give the same results.
#include <hindsight/hindsight.h>

#include <thrust/iterator/constant_iterator.h>

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

struct by_low_bits {
  u32 item;
  HINDSIGHT_HD bool operator<(const by_low_bits& other) const {
    return item % 16 < other.item % 16;
  }
};
struct as_low_bits {
  HINDSIGHT_HD by_low_bits operator()(const by_low_bits& item) const { return item; }
};

/// The same of the calls that Thrust does not have.
template <template <class> class Plus, template <class> class Times, template <class> class Less,
          template <class> class Negate>
list results_of_further_calls(std::size_t n) {
  const list items = random_items<u32>(n);
  list offset_list{0}, flag_list(n);
  for (u32 i = 0; i < n; ++i)
    if (items[i] % 4 == 0) offset_list.push_back(i), flag_list[i] = 1;
  offset_list.push_back(u32(n));
  std::vector<by_low_bits> key_list(n);
  for (std::size_t i = 0; i < n; ++i) key_list[i].item = items[i];
  const device_array<u32> in(items), out(n), offsets(offset_list), flags(flag_list);
  const device_array<by_low_bits> keys(key_list);
  const auto by = hindsight::by_offsets(offsets.begin(), offsets.end());
  const auto heads = hindsight::by_heads(flags.begin());
  list all;
  const auto take = [&](const u32* end) {
    const list written = out.to_host(std::size_t(end - out.data()));
    all.insert(all.end(), written.begin(), written.end());
  };
  const auto take_keys = [&] {
    for (const by_low_bits key : keys.to_host()) all.push_back(key.item);
    keys.assign(key_list);
  };
  take(hindsight::reduce_segments(par, in.begin(), in.end(), by, out.data(), 3u, Times<u32>{}));
  take(hindsight::reduce_segments(par, in.begin(), in.end(), heads, out.data(), 3u, Times<u32>{}));
  take(hindsight::inclusive_scan_segments(par, in.begin(), in.end(), by, out.data(), Plus<u32>{}));
  take(hindsight::exclusive_scan_segments(par, in.begin(), in.end(), heads, out.data(), 3u,
                                          Plus<void>{}));
  take(hindsight::spmv(
      par, hindsight::csr(offsets.begin(), offsets.end(), in.begin(), flags.begin()),
      thrust::constant_iterator<u32>(7), out.data(), 3u, Plus<u32>{}, Times<u32>{}));
  hindsight::summed_area_table(par, in.data(), out.data(), 7, n / 7, 7, Plus<u32>{});
  take(out.data() + n / 7 * 7);
  const auto ends = hindsight::minmax(par, in.begin(), in.end(), Less<u32>{});
  all.push_back(ends.first), all.push_back(ends.second);
  hindsight::sort_segments(par, keys.begin(), keys.end(), by, Less<by_low_bits>{});
  take_keys();
  hindsight::sort_segments_by_key(par, in.begin(), in.end(), keys.begin(), heads, Less<void>{});
  take_keys();
  hindsight::sort_by(par, keys.begin(), keys.end(), as_low_bits{}, Less<by_low_bits>{});
  take_keys();
  hindsight::sort_by(par, in.begin(), in.end(), Negate<u32>{});
  all.push_back(in.to_host(1)[0]);
  return all;
}

TEST(StdOperators, OfFurtherCallsEqualCudas) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{300007}}) {
    EXPECT_EQ(
        difference(results_of_further_calls<std::plus, std::multiplies, std::less, std::negate>(n),
                   results_of_further_calls<::cuda::std::plus, ::cuda::std::multiplies,
                                            ::cuda::std::less, ::cuda::std::negate>(n)),
        "")
        << "n = " << n;
  }
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

}  // namespace hindsight_test
