// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls over ranks on GPUs against the same calls on one GPU, bit for bit. Every process makes all
// data, and checks the shards of its own ranks.
#pragma once

#include <hindsight/hindsight.h>
#include <hindsight/shards.h>

#include "gpu_testing.h"
#include "ranks_testing.h"
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hindsight_test {

/// Shards of `items` on the devices of a group's local ranks.
template <class T, class Group>
class gpu_shards {
 public:
  gpu_shards(const Group& group, const std::vector<int>& devices, const std::vector<T>& items,
             const std::vector<std::size_t>& sizes)
      : group_{group} {
    const auto pieces = in_shards(items, sizes);
    for (std::size_t i = 0; i < group.num_local(); ++i) {
      check(cudaSetDevice(devices[i]));
      arrays_.push_back(std::make_unique<device_array<T>>(pieces[std::size_t(group.rank(i))]));
    }
    check(cudaDeviceSynchronize());
  }

  hindsight::sharded<T> view() const {
    std::vector<cuda::std::span<T>> spans;
    for (const auto& array : arrays_) spans.emplace_back(array->data(), array->size());
    return hindsight::shards(group_, spans);
  }

  /// Throws unless the shards are those of `expected`, cut at the same places.
  void require(const std::vector<T>& expected, const std::vector<std::size_t>& sizes,
               const std::string& what) const {
    const auto pieces = in_shards(expected, sizes);
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const std::string found =
          difference(arrays_[i]->to_host(), pieces[std::size_t(group_.rank(i))]);
      if (!found.empty())
        throw std::runtime_error(what + ", rank " + std::to_string(group_.rank(i)) + " of " +
                                 std::to_string(group_.size()) + ": " + found);
    }
  }

 private:
  const Group& group_;
  std::vector<std::unique_ptr<device_array<T>>> arrays_;
};

inline void require_equal(long long actual, long long expected, const std::string& what) {
  if (actual != expected)
    throw std::runtime_error(what + ": " + std::to_string(actual) + " instead of " +
                             std::to_string(expected));
}

template <class Group>
struct gpu_ranks_case {
  const Group& g;
  std::vector<int> devices;
  std::size_t n;
  std::vector<std::size_t> sizes;

  template <class T>
  gpu_shards<T, Group> on_ranks(const std::vector<T>& items) const {
    return {g, devices, items, sizes};
  }

  void check_folds() const {
    const auto items = random_items<int>(n);
    const auto v = on_ranks(items);
    long long sum = 5, odd = 0;
    for (const int item : items) sum += item, odd += item & 1;
    require_equal(hindsight::reduce(g.par, v.view(), 5LL), sum, "reduce");
    require_equal(hindsight::reduce_same_bits(g.par, v.view(), 5LL), sum, "reduce_same_bits");
    require_equal((long long)(hindsight::count_if(g.par, v.view(), is_odd{})), odd, "count_if");
    std::vector<unsigned> expected(300);
    for (const int item : items)
      if (item >= -3000 && item < 3000) ++expected[std::size_t(item + 3000) / 20];
    const std::vector<std::size_t> bins(std::size_t(g.size()), 300);
    std::vector<unsigned> everywhere;
    for (int r = 0; r < g.size(); ++r)
      everywhere.insert(everywhere.end(), expected.begin(), expected.end());
    const gpu_shards<unsigned, Group> counters(g, devices, everywhere, bins);
    hindsight::histogram_even(g.par, v.view(), 300, -3000, 3000, counters.view());
    counters.require(everywhere, bins, "histogram_even");
  }

  void check_scans() const {
    const auto items = random_items<affine>(n);
    std::vector<affine> expected = items;
    for (std::size_t i = 1; i < n; ++i) expected[i] = compose{}(expected[i - 1], items[i]);
    const auto v = on_ranks(items);
    hindsight::inclusive_scan(g.par, v.view(), v.view(), compose{});
    v.require(expected, sizes, "inclusive_scan");

    const auto numbers = random_items<int>(n);
    std::vector<long long> sums(n);
    long long sum = 9;
    for (std::size_t i = 0; i < n; ++i) sums[i] = std::exchange(sum, sum + numbers[i]);
    const auto out = on_ranks(std::vector<long long>(n));
    hindsight::exclusive_scan(g.par, on_ranks(numbers).view(), out.view(), 9LL);
    out.require(sums, sizes, "exclusive_scan");
  }

  void check_sorts() const {
    auto keys = random_items<std::uint32_t>(n);
    const auto v = on_ranks(keys);
    std::sort(keys.begin(), keys.end());
    const std::size_t ranks = std::size_t(g.size());
    const gpu_shards<std::uint32_t, Group> out(g, devices, std::vector<std::uint32_t>(ranks * n),
                                               std::vector<std::size_t>(ranks, n));
    require_ragged(hindsight::sort_to_ragged(g.par, v.view(), out.view()), keys, "sort_to_ragged");
    hindsight::sort(g.par, v.view());
    v.require(keys, sizes, "sort");

    std::vector<float> floats(n);
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      floats[i] = i % 7 == 0 ? -0.0f : float(int(i * 2654435761u % 1001) - 500);
      values[i] = std::uint32_t(i);
    }
    const auto float_keys = on_ranks(floats);
    const auto moved = on_ranks(values);
    hindsight::sort_by_key(g.par, float_keys.view(), moved.view(), thrust::greater<float>{});
    hindsight::sort_by_key(hindsight::host::par, floats.begin(), floats.end(), values.begin(),
                           thrust::greater<float>{});
    float_keys.require(floats, sizes, "keys of sort_by_key");
    moved.require(values, sizes, "values of sort_by_key");
  }

  /// Ragged results, brought to even shards.
  template <class T>
  void require_ragged(const hindsight::sharded<T>& ragged, const std::vector<T>& expected,
                      const std::string& what) const {
    const auto even = shard_sizes(expected.size(), std::size_t(g.size()), cut::even);
    const gpu_shards<T, Group> target(g, devices, std::vector<T>(expected.size()), even);
    hindsight::rebalance(g.par, ragged, target.view());
    target.require(expected, even, what);
  }

  void check_selections() const {
    auto items = random_items<int>(n);
    std::vector<int> odd, unique;
    std::copy_if(items.begin(), items.end(), std::back_inserter(odd), is_odd{});
    const auto in = on_ranks(items), out = on_ranks(std::vector<int>(n));
    require_ragged(hindsight::copy_if(g.par, in.view(), out.view(), is_odd{}), odd, "copy_if");
    const auto border = std::stable_partition(items.begin(), items.end(), is_odd{});
    require_equal((long long)(hindsight::stable_partition(g.par, in.view(), is_odd{})),
                  border - items.begin(), "stable_partition");
    in.require(items, sizes, "stable_partition");

    const auto keys = items_in_runs<int>(n, runs::random);
    std::unique_copy(keys.begin(), keys.end(), std::back_inserter(unique));
    const auto key_shards = on_ranks(keys);
    require_ragged(hindsight::unique_copy(g.par, key_shards.view(), out.view()), unique,
                   "unique_copy");
  }

  /// Keys that are equal by their last digit are told apart: of a run the last one counts.
  struct same_digit {
    HINDSIGHT_HD bool operator()(int a, int b) const { return a % 10 == b % 10; }
  };
  void check_runs() const {
    auto keys = items_in_runs<int>(n, runs::random);
    for (std::size_t i = 0; i < n; ++i) keys[i] += 10 * int(i % 1000);
    const auto values = random_items<affine>(n);
    std::vector<int> run_keys, lengths;
    std::vector<affine> sums;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || !same_digit{}(keys[i - 1], keys[i])) {
        run_keys.push_back(keys[i]);
        lengths.push_back(1);
        sums.push_back(values[i]);
      } else {
        run_keys.back() = keys[i];
        ++lengths.back();
        sums.back() = compose{}(sums.back(), values[i]);
      }
    }
    const auto key_shards = on_ranks(keys), keys_out = on_ranks(keys), counts = on_ranks(keys);
    const auto value_shards = on_ranks(values), sums_out = on_ranks(values);
    const auto [k, v] =
        hindsight::reduce_by_key(g.par, key_shards.view(), value_shards.view(), keys_out.view(),
                                 sums_out.view(), same_digit{}, compose{});
    require_ragged(k, run_keys, "keys of reduce_by_key");
    require_ragged(v, sums, "values of reduce_by_key");
    const auto items_out = on_ranks(keys);  // keys_out has the same items already
    const auto [h, l] = hindsight::run_length_encode(g.par, key_shards.view(), items_out.view(),
                                                     counts.view(), same_digit{});
    require_ragged(h, run_keys, "items of run_length_encode");
    require_ragged(l, lengths, "lengths of run_length_encode");
  }

  void check_all() const {
    check_selections();
    check_runs();
    check_folds();
    check_scans();
    check_sorts();
  }
};

template <class Group>
void check_gpu_ranks(const Group& g, const std::vector<int>& devices, std::size_t n, cut how) {
  gpu_ranks_case<Group>{g, devices, n, shard_sizes(n, std::size_t(g.size()), how)}.check_all();
}

}  // namespace hindsight_test
