// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms that CUB has had since versions after 3.0: beside plain loops, and where the CCCL at hand
// has them beside CUB's, by one body for both.
#include <hindsight/device_reduce.cuh>
#include <hindsight/device_segmented_reduce.cuh>
#include <hindsight/device_segmented_scan.cuh>
#include <hindsight/device_select.cuh>
#include <hindsight/device_topk.cuh>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>
#if CUB_VERSION >= 300600
#  include <cub/device/device_segmented_scan.cuh>
#  include <cub/device/device_topk.cuh>
#endif

#include "facade_testing.h"
#include <algorithm>
#include <numeric>

namespace facade_test {

struct ours {
  using Reduce = hindsight::DeviceReduce;
  using Segments = hindsight::DeviceSegmentedReduce;
  using Select = hindsight::DeviceSelect;
};
struct stock {
  using Reduce = cub::DeviceReduce;
  using Segments = cub::DeviceSegmentedReduce;
  using Select = cub::DeviceSelect;
};

struct less_low_byte {
  HINDSIGHT_HD bool operator()(u32 a, u32 b) const { return (a & 255) < (b & 255); }
};

/// Runs, then what is selected of them: copied by `equal`, in place without and with it.
template <class Api>
results runs_kept(int n) {
  const auto items = items_in_runs<u32>(n, runs::random);
  const device_array<u32> data(items), out{std::size_t(n)}, count(1);
  results written;
  const auto record = [&](const auto& kept) {
    written.push_back(count.to_host());
    written.push_back(kept.to_host(written.back()[0]));
    data.assign(items);
  };
  const auto p = data.data(), q = out.data(), c = count.data();
  using Select = typename Api::Select;
  in_two_phases([&](void* t, std::size_t& s) {
    return Select::Unique(t, s, p, q, c, n, equal_halves{}, cudaStreamPerThread);
  });
  record(out);
  in_two_phases([&](void* t, std::size_t& s) { return Select::Unique(t, s, p, c, n); });
  record(data);
  in_two_phases(
      [&](void* t, std::size_t& s) { return Select::Unique(t, s, p, c, n, equal_halves{}); });
  record(data);
  check(Select::Unique(p, q, c, n, equal_halves{}, cudaStreamPerThread));
  check(cudaDeviceSynchronize());
  record(out);
  check(Select::Unique(p, c, n));
  check(cudaDeviceSynchronize());
  record(data);
  check(Select::Unique(p, c, n, equal_halves{}));
  check(cudaDeviceSynchronize());
  record(data);
  return written;
}
results runs_kept_by_loops(int n) {
  const auto items = items_in_runs<u32>(n, runs::random);
  const auto kept = [&](auto equal) {
    auto copy = items;
    copy.erase(std::unique(copy.begin(), copy.end(), equal), copy.end());
    return copy;
  };
  const auto halves = kept(equal_halves{}), all = kept(std::equal_to<>{});
  results written;
  for (const auto* one : {&halves, &all, &halves, &halves, &all, &halves}) {
    written.push_back({u32(one->size())});
    written.push_back(*one);
  }
  return written;
}

/// Places of extrema, many of them equivalent.
template <class Api>
results extrema(int n) {
  const device_array<u32> in(items_in_runs<u32>(n, runs::random)), least(1), greatest(1);
  const device_array<std::int64_t> least_place(1), greatest_place(1);
  results written;
  const auto record = [&] {
    check(cudaDeviceSynchronize());
    written.push_back({least.to_host()[0], u32(least_place.to_host()[0]), greatest.to_host()[0],
                       u32(greatest_place.to_host()[0])});
  };
  const auto p = in.data(), a = least.data(), b = greatest.data();
  const auto ai = least_place.data(), bi = greatest_place.data();
  const auto less = less_low_byte{};
  using Reduce = typename Api::Reduce;
  in_two_phases([&](void* t, std::size_t& s) { return Reduce::ArgMin(t, s, p, a, ai, n, less); });
  in_two_phases([&](void* t, std::size_t& s) {
    return Reduce::ArgMax(t, s, p, b, bi, n, less, cudaStreamPerThread);
  });
  record();
  check(Reduce::ArgMin(p, a, ai, n, less));
  check(Reduce::ArgMax(p, b, bi, n, less));
  record();
  in_two_phases([&](void* t, std::size_t& s) {
    return Reduce::ArgMinMax(t, s, p, a, ai, b, bi, n, cudaStreamPerThread);
  });
  record();
  check(Reduce::ArgMinMax(p, a, ai, b, bi, n, less));
  record();
  in_two_phases([&](void* t, std::size_t& s) {
    return Reduce::ArgMinLastMax(t, s, p, a, ai, b, bi, n, less);
  });
  record();
  check(Reduce::ArgMinLastMax(p, a, ai, b, bi, n, cudaStreamPerThread));
  record();
  return written;
}
results extrema_by_loops(int n) {
  const auto items = items_in_runs<u32>(n, runs::random);
  const auto first = [&](auto less) {
    const auto least = std::min_element(items.begin(), items.end(), less);
    const auto greatest = std::max_element(items.begin(), items.end(), less);
    return std::vector<u32>{*least, u32(least - items.begin()), *greatest,
                            u32(greatest - items.begin())};
  };
  const auto last = [&](auto less) {
    const auto both = std::minmax_element(items.begin(), items.end(), less);
    return std::vector<u32>{*both.first, u32(both.first - items.begin()), *both.second,
                            u32(both.second - items.begin())};
  };
  const auto less = less_low_byte{};
  return {first(less), first(less), first(std::less<>{}),
          first(less), last(less),  last(std::less<>{})};
}

/// Segments of one size.
template <class Api>
results equal_segments(int n) {
  using Segments = typename Api::Segments;
  using pair = ::cuda::std::pair<int, u32>;
  results written;
  for (const int size : {1, 7, 300, 5000}) {
    const int count = n / size;
    if (count == 0) continue;
    const device_array<u32> in(items_in_runs<u32>(n, runs::random)), out(count, 1);
    const device_array<pair> pairs(count, 1);
    const auto p = in.data(), q = out.data();
    const auto r = pairs.data();
    const auto record = [&] {
      check(cudaDeviceSynchronize());
      written.push_back(out.to_host());
    };
    const auto record_pairs = [&] {
      check(cudaDeviceSynchronize());
      written.emplace_back();
      for (const pair& one : pairs.to_host())
        written.back().insert(written.back().end(), {u32(one.first), one.second});
    };
    const auto most = ::cuda::maximum<>{};
    const auto two = [](auto call) { in_two_phases(call); };
    two([&](void* t, std::size_t& s) { return Segments::Sum(t, s, p, q, count, size); }), record();
    two([&](void* t, std::size_t& s) { return Segments::Min(t, s, p, q, count, size); }), record();
    check(Segments::Max(p, q, count, size, cudaStreamPerThread)), record();
    two([&](void* t, std::size_t& s) {
      return Segments::Reduce(t, s, p, q, count, size, most, 9u, cudaStreamPerThread);
    });
    record();
    check(Segments::Reduce(p, q, count, size, most, 9u)), record();
    two([&](void* t, std::size_t& s) { return Segments::ArgMin(t, s, p, r, count, size); });
    record_pairs();
    check(Segments::ArgMax(p, r, count, size)), record_pairs();
  }
  return written;
}
results equal_segments_by_loops(int n) {
  const auto items = items_in_runs<u32>(n, runs::random);
  results written;
  for (const int size : {1, 7, 300, 5000}) {
    const int count = n / size;
    if (count == 0) continue;
    std::vector<u32> sums(count), least(count), greatest(count), most(count), first, last;
    for (int i = 0; i < count; ++i) {
      const auto begin = items.begin() + std::ptrdiff_t{i} * size, end = begin + size;
      for (auto it = begin; it != end; ++it) sums[i] += *it;
      const auto low = std::min_element(begin, end), high = std::max_element(begin, end);
      least[i] = *low;
      greatest[i] = *high;
      most[i] = std::max(9u, *high);
      first.insert(first.end(), {u32(low - begin), *low});
      last.insert(last.end(), {u32(high - begin), *high});
    }
    for (const auto* one : {&sums, &least, &greatest, &most, &most, &first, &last})
      written.push_back(*one);
  }
  return written;
}

struct append {  // keeps the first operand's low byte and the last one's high ones
  HINDSIGHT_HD u32 operator()(u32 a, u32 b) const { return (a & 255u) | (b & ~255u); }
};

/// Scans of segments of several lengths; between the calls `out` holds poison.
template <class Scan>
results scans_of_segments(int n) {
  const auto lengths = random_items<u32>(n);
  std::vector<int> bounds{0}, turned;
  for (int i = 0; bounds.back() < n; ++i) {
    const int most = i % 7 == 0 ? 70000 : i % 3 == 0 ? 2000 : 40;
    bounds.push_back(std::min(n, bounds.back() + int(lengths[i] % u32(most))));
  }
  const int count = int(bounds.size()) - 1;
  for (int s = 0; s < count; ++s) turned.push_back(n - bounds[s + 1]);
  const device_array<u32> in(random_items<u32>(n), 1), out(n, 1);
  const device_array<int> offsets(bounds), places(turned);
  results written;
  const auto record = [&] {
    check(cudaDeviceSynchronize());
    written.push_back(out.to_host());
    out.fill_with_poison();
  };
  const auto p = in.data(), q = out.data();
  const int *b = offsets.data(), *e = b + 1, *o = places.data();
  const auto two = [&](auto call) { in_two_phases(call), record(); };
  two([&](void* t, std::size_t& s) {
    return Scan::InclusiveSegmentedSum(t, s, p, q, b, e, count);
  });
  two([&](void* t, std::size_t& s) {
    return Scan::ExclusiveSegmentedSum(t, s, p, q, b, e, o, count, cudaStreamPerThread);
  });
  two([&](void* t, std::size_t& s) {
    return Scan::InclusiveSegmentedScan(t, s, p, q, b, e, count, append{});
  });
  two([&](void* t, std::size_t& s) {
    return Scan::ExclusiveSegmentedScan(t, s, p, q, b, e, o, count, append{}, 77u);
  });
  two([&](void* t, std::size_t& s) {
    return Scan::InclusiveSegmentedScanInit(t, s, p, q, b, e, count, ::cuda::maximum<>{}, 9u);
  });
  check(Scan::ExclusiveSegmentedSum(p, q, b, e, count, cudaStreamPerThread)), record();
  check(Scan::InclusiveSegmentedSum(p, q, b, e, o, count)), record();
  check(Scan::InclusiveSegmentedScan(p, q, b, e, o, count, append{})), record();
  check(Scan::ExclusiveSegmentedScan(p, q, b, e, count, append{}, 5u)), record();
  check(Scan::InclusiveSegmentedScanInit(p, q, b, e, o, count, append{}, 5u)), record();
  // In place.
  two([&](void* t, std::size_t& s) {
    return Scan::ExclusiveSegmentedSum(t, s, p, p, b, e, count);
  });
  written.push_back(in.to_host());
  return written;
}
/// The same of one segment after the other, by the scans of all items.
struct plain_scans {
  template <class Kind>
  static cudaError_t each(Kind kind, const u32* in, u32* out, const int* begins, const int* ends,
                          const int* places, std::int64_t count) {
    std::vector<int> from(count), to(count), place(count);
    check(cudaMemcpy(from.data(), begins, count * sizeof(int), cudaMemcpyDefault));
    check(cudaMemcpy(to.data(), ends, count * sizeof(int), cudaMemcpyDefault));
    check(cudaMemcpy(place.data(), places, count * sizeof(int), cudaMemcpyDefault));
    std::vector<u32> items(*std::max_element(to.begin(), to.end()));
    check(cudaMemcpy(items.data(), in, items.size() * sizeof(u32), cudaMemcpyDefault));
    for (std::size_t s = 0; s < from.size(); ++s) {
      std::vector<u32> segment(items.begin() + from[s], items.begin() + to[s]);
      kind(segment);
      check(cudaMemcpy(out + place[s], segment.data(), segment.size() * sizeof(u32),
                       cudaMemcpyDefault));
    }
    return cudaSuccess;
  }
  static cudaError_t InclusiveSegmentedSum(const u32* in, u32* out, const int* b, const int* e,
                                           const int* o, int count, cudaStream_t = nullptr) {
    return each([&](auto& x) { std::inclusive_scan(x.begin(), x.end(), x.begin()); }, in, out, b, e,
                o, count);
  }
  static cudaError_t InclusiveSegmentedSum(const u32* in, u32* out, const int* b, const int* e,
                                           int count, cudaStream_t = nullptr) {
    return InclusiveSegmentedSum(in, out, b, e, b, count);
  }
  template <class... Rest>
  static cudaError_t InclusiveSegmentedSum(void* temp, std::size_t& bytes, const u32* in, u32* out,
                                           const Rest&... rest) {
    bytes = 1;
    return temp ? InclusiveSegmentedSum(in, out, rest...) : cudaSuccess;
  }
  static cudaError_t ExclusiveSegmentedSum(const u32* in, u32* out, const int* b, const int* e,
                                           const int* o, int count, cudaStream_t = nullptr) {
    return each([&](auto& x) { std::exclusive_scan(x.begin(), x.end(), x.begin(), 0u); }, in, out,
                b, e, o, count);
  }
  static cudaError_t ExclusiveSegmentedSum(const u32* in, u32* out, const int* b, const int* e,
                                           int count, cudaStream_t = nullptr) {
    return ExclusiveSegmentedSum(in, out, b, e, b, count);
  }
  template <class... Rest>
  static cudaError_t ExclusiveSegmentedSum(void* temp, std::size_t& bytes, const u32* in, u32* out,
                                           const Rest&... rest) {
    bytes = 1;
    return temp ? ExclusiveSegmentedSum(in, out, rest...) : cudaSuccess;
  }
  template <class Op>
  static cudaError_t InclusiveSegmentedScan(const u32* in, u32* out, const int* b, const int* e,
                                            const int* o, int count, Op op) {
    return each([&](auto& x) { std::inclusive_scan(x.begin(), x.end(), x.begin(), op); }, in, out,
                b, e, o, count);
  }
  template <class Op>
  static cudaError_t InclusiveSegmentedScan(void* temp, std::size_t& bytes, const u32* in, u32* out,
                                            const int* b, const int* e, int count, Op op) {
    bytes = 1;
    return temp ? InclusiveSegmentedScan(in, out, b, e, b, count, op) : cudaSuccess;
  }
  template <class Op>
  static cudaError_t ExclusiveSegmentedScan(const u32* in, u32* out, const int* b, const int* e,
                                            int count, Op op, u32 init) {
    return each([&](auto& x) { std::exclusive_scan(x.begin(), x.end(), x.begin(), init, op); }, in,
                out, b, e, b, count);
  }
  template <class Op>
  static cudaError_t ExclusiveSegmentedScan(void* temp, std::size_t& bytes, const u32* in, u32* out,
                                            const int* b, const int* e, const int* o, int count,
                                            Op op, u32 init) {
    bytes = 1;
    if (!temp) return cudaSuccess;
    return each([&](auto& x) { std::exclusive_scan(x.begin(), x.end(), x.begin(), init, op); }, in,
                out, b, e, o, count);
  }
  template <class Op>
  static cudaError_t InclusiveSegmentedScanInit(const u32* in, u32* out, const int* b, const int* e,
                                                const int* o, int count, Op op, u32 init) {
    return each([&](auto& x) { std::inclusive_scan(x.begin(), x.end(), x.begin(), op, init); }, in,
                out, b, e, o, count);
  }
  template <class Op>
  static cudaError_t InclusiveSegmentedScanInit(void* temp, std::size_t& bytes, const u32* in,
                                                u32* out, const int* b, const int* e, int count,
                                                Op op, u32 init) {
    bytes = 1;
    return temp ? InclusiveSegmentedScanInit(in, out, b, e, b, count, op, init) : cudaSuccess;
  }
};

/// A key that is sorted by its members.
struct coin {
  std::uint16_t value;
  std::int8_t side;
};
struct members_of_coin {
  HINDSIGHT_HD ::cuda::std::tuple<std::uint16_t&, std::int8_t&> operator()(coin& key) const {
    return {key.value, key.side};
  }
};

/// The size of all segments as an enumerator, and as a constant of a type.
results segments_of_constant_size() {
  enum { size = 8 };
  using Segments = hindsight::DeviceSegmentedReduce;
  const device_array<u32> in(items_in_runs<u32>(400, runs::random)), out(50);
  results written;
  const auto p = in.data(), q = out.data();
  in_two_phases([&](void* t, std::size_t& s) { return Segments::Sum(t, s, p, q, 50, size); });
  written.push_back(out.to_host());
  const std::integral_constant<int, 8> constant{};
  in_two_phases([&](void* t, std::size_t& s) { return Segments::Sum(t, s, p, q, 50, constant); });
  written.push_back(out.to_host());
  return written;
}
BOOST_AUTO_TEST_CASE(segments_of_constant_size_as_by_loops) {
  const auto items = items_in_runs<u32>(400, runs::random);
  std::vector<u32> sums(50);
  for (int i = 0; i < 400; ++i) sums[i / 8] += items[i];
  expect_same(segments_of_constant_size(), {sums, sums});
}

BOOST_AUTO_TEST_CASE(unique_by_an_equality_and_in_place) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(runs_kept<ours>(n), runs_kept_by_loops(n));
#if CUB_VERSION >= 300600
      expect_same(runs_kept<ours>(n), runs_kept<stock>(n));
#endif
    }
  }
}
BOOST_AUTO_TEST_CASE(extrema_by_an_order) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(extrema<ours>(n), extrema_by_loops(n));
#if CUB_VERSION >= 300600
      expect_same(extrema<ours>(n), extrema<stock>(n));
#endif
    }
  }
}
BOOST_AUTO_TEST_CASE(segments_of_one_size) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(equal_segments<ours>(n), equal_segments_by_loops(n));
#if CUB_VERSION >= 300600
      expect_same(equal_segments<ours>(n), equal_segments<stock>(n));
#endif
    }
  }
  const device_array<u32> one(1);
  BOOST_TEST(hindsight::DeviceSegmentedReduce::Sum(one.data(), one.data(), 1, -1) ==
             cudaErrorInvalidValue);
}
BOOST_AUTO_TEST_CASE(scans_of_segments_without_their_number_of_items) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(scans_of_segments<hindsight::DeviceSegmentedScan>(n),
                  scans_of_segments<plain_scans>(n));
#if CUB_VERSION >= 300600
      expect_same(scans_of_segments<hindsight::DeviceSegmentedScan>(n),
                  scans_of_segments<cub::DeviceSegmentedScan>(n));
#endif
    }
  }
  // Of segments that need not follow each other, each has the bits that it has alone.
  const int n = 300007, skipped = 1001;
  const device_array<float> in(rough_items<float>(n)), alone{std::size_t(n - skipped)};
  const device_array<float> among(n);
  const device_array<int> begins(std::vector<int>{0, 7, skipped}), zero(1);
  const device_array<int> ends(std::vector<int>{7, skipped, n}),
      whole(std::vector<int>{n - skipped});
  using Scan = hindsight::DeviceSegmentedScan;
  check(cudaMemset(zero.data(), 0, sizeof(int)));
  check(Scan::InclusiveSegmentedSum(in.data(), among.data(), begins.data(), ends.data(), 3));
  check(
      Scan::InclusiveSegmentedSum(in.data() + skipped, alone.data(), zero.data(), whole.data(), 1));
  check(cudaDeviceSynchronize());
  const auto sums = among.to_host();
  BOOST_TEST(difference(alone.to_host(), {sums.begin() + skipped, sums.end()}) == "");
  std::size_t bytes = 0;
  BOOST_TEST(hindsight::DeviceSegmentedScan::InclusiveSegmentedSum(
                 nullptr, bytes, in.data(), among.data(), begins.data(), ends.data(), -1) ==
             cudaErrorInvalidValue);
}
BOOST_AUTO_TEST_CASE(top_k_by_a_decomposer) {
  const int n = 100003, k = 1000;
  std::vector<coin> coins(n);
  const auto random = random_items<u32>(n);
  for (int i = 0; i < n; ++i)
    coins[i] = {std::uint16_t(random[i] % 300), std::int8_t((random[i] >> 16) % 5 - 2)};
  std::vector<u32> places(n);
  for (int i = 0; i < n; ++i) places[i] = i;
  const auto before = [&](u32 a, u32 b) {
    return std::pair{coins[a].value, coins[a].side} > std::pair{coins[b].value, coins[b].side};
  };
  const device_array<coin> keys(coins, 1), best(k, 1);
  const device_array<u32> values(places), best_values(k);
  std::stable_sort(places.begin(), places.end(), before);
  places.resize(k);
  in_two_phases([&](void* t, std::size_t& s) {
    return hindsight::DeviceTopK::MaxPairs(t, s, keys.data(), best.data(), values.data(),
                                           best_values.data(), n, k, members_of_coin{},
                                           cudaStreamPerThread);
  });
  BOOST_TEST(difference(best_values.to_host(), places) == "");
  const auto found = best.to_host();
  for (int i = 0; i < k; ++i) BOOST_TEST(found[i].value == coins[places[i]].value);
  best_values.fill_with_poison();
  check(hindsight::DeviceTopK::MaxPairs(keys.data(), best.data(), values.data(), best_values.data(),
                                        n, k, members_of_coin{}, cudaStreamPerThread));
  check(cudaDeviceSynchronize());
  BOOST_TEST(difference(best_values.to_host(), places) == "");
#if CUB_VERSION >= 300600
  // CUB's k highest keys come in any order.
  const auto in = random_items<u32>(n);
  const device_array<u32> numbers(in), ours(k), stock(k);
  const auto any_order = ::cuda::std::execution::env{
      ::cuda::execution::require(::cuda::execution::determinism::not_guaranteed,
                                 ::cuda::execution::output_ordering::unsorted)};
  check(hindsight::DeviceTopK::MinKeys(numbers.data(), ours.data(), n, k, any_order));
  check(cub::DeviceTopK::MinKeys(numbers.data(), stock.data(), n, k, any_order));
  check(cudaDeviceSynchronize());
  auto expected = stock.to_host();
  std::sort(expected.begin(), expected.end());
  BOOST_TEST(difference(ours.to_host(), expected) == "");
#endif
}

}  // namespace facade_test
