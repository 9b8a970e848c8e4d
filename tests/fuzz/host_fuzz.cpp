// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libFuzzer target over the host engine: the first bytes of an input choose algorithm, type and
// parameters, the others are items. The standard library says what is right. tests/fuzz/run.sh
// builds and runs it.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using hindsight::detail::host::cut;
namespace host = hindsight::detail::host;

void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

/// The bytes of an input, from the front; zeros when there are none left.
class bytes {
 public:
  bytes(const std::uint8_t* data, std::size_t size) : data_{data}, left_{size} {}

  template <class T>
  T take() {
    T value{};
    const std::size_t count = std::min(left_, sizeof value);
    if (count > 0) std::memcpy(static_cast<void*>(&value), data_, count);
    data_ += count;
    left_ -= count;
    return value;
  }
  /// All that are left, as often over as it takes for more than one tile.
  template <class T>
  std::vector<T> items() {
    const std::size_t copies = 1 + take<std::uint8_t>() % 64;
    std::vector<T> some(left_ / sizeof(T)), all;
    if (!some.empty()) std::memcpy(static_cast<void*>(some.data()), data_, some.size() * sizeof(T));
    for (std::size_t i = 0; i < copies; ++i) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

/// Associative, does not commute: the last operand that is not a multiple of three.
template <class T>
struct last_unless_third {
  T operator()(T a, T b) const { return b % 3 != 0 ? b : a; }
};

template <class T>
struct below {
  T level;
  bool operator()(T item) const { return item < level; }
};

template <class T>
void fuzz_scan(bytes& in, cut wanted) {
  const T init = in.take<T>();
  const auto items = in.items<T>();
  const std::size_t n = items.size();
  const last_unless_third<T> op;
  std::vector<T> out = items, expected(n);
  host::inclusive_scan<T>(items.begin(), out.begin(), n, op, wanted);
  std::inclusive_scan(items.begin(), items.end(), expected.begin(), op);
  expect(out == expected, "inclusive_scan");
  out = items;
  host::exclusive_scan<T>(out.begin(), out.begin(), n, op, init, wanted);
  std::exclusive_scan(items.begin(), items.end(), expected.begin(), init, op);
  expect(out == expected, "exclusive_scan in place");
  using wide = std::make_unsigned_t<T>;
  const auto plus = [](wide a, wide b) { return wide(a + b); };
  const wide sum = host::reduce(items.begin(), n, wide(init), plus, wanted);
  expect(sum == std::accumulate(items.begin(), items.end(), wide(init), plus), "reduce");
}

template <class T>
void fuzz_select(bytes& in, cut wanted) {
  const below<T> pred{in.take<T>()};
  const auto items = in.items<T>();
  const std::size_t n = items.size();
  std::vector<T> out(n), expected(n), rest(n), expected_rest(n);
  const std::size_t count =
      host::copy_if(items.begin(), items.begin(), out.begin(), n, pred, wanted);
  const auto kept = std::copy_if(items.begin(), items.end(), expected.begin(), pred);
  expect(count == std::size_t(kept - expected.begin()) && out == expected, "copy_if");
  host::partition_copy(items.begin(), items.begin(), out.begin(), rest.begin(), n, pred, wanted);
  std::partition_copy(items.begin(), items.end(), expected.begin(), expected_rest.begin(), pred);
  expect(out == expected && rest == expected_rest, "partition_copy");
  out = items;
  expected = items;
  host::stable_partition(out.begin(), out.begin(), n, pred, wanted);
  std::stable_partition(expected.begin(), expected.end(), pred);
  expect(out == expected, "stable_partition");
}

template <class T>
void fuzz_runs(bytes& in, cut wanted) {
  const T mask = in.take<T>();
  auto keys = in.items<T>();
  for (T& key : keys) key = T(key & mask);
  const std::size_t n = keys.size();
  std::vector<T> unique, keys_out(n);
  std::vector<std::size_t> lengths, lengths_out(n), sums_out(n), ones(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) unique.push_back(keys[i]), lengths.push_back(0);
    ++lengths.back();
  }
  const auto expect_runs = [&](std::size_t runs, std::vector<std::size_t>& out, const char* what) {
    expect(runs == unique.size() && std::equal(unique.begin(), unique.end(), keys_out.begin()) &&
               std::equal(lengths.begin(), lengths.end(), out.begin()),
           what);
  };
  expect_runs(
      host::run_length_encode(keys.begin(), n, keys_out.begin(), lengths_out.begin(), wanted),
      lengths_out, "run_length_encode");
  expect_runs(host::reduce_by_key(keys.begin(), ones.begin(), keys_out.begin(), sums_out.begin(), n,
                                  std::equal_to<>{}, std::plus<>{}, wanted),
              sums_out, "reduce_by_key");
  host::inclusive_scan_by_key(keys.begin(), ones.begin(), sums_out.begin(), n, std::equal_to<>{},
                              std::plus<>{}, wanted);
  for (std::size_t i = 0; i < n; ++i) {
    const bool goes_on = i > 0 && keys[i] == keys[i - 1];
    expect(sums_out[i] == (goes_on ? sums_out[i - 1] + 1 : 1), "inclusive_scan_by_key");
  }
}

template <class T>
void fuzz_sort(bytes& in, cut) {
  const T mask = in.take<T>();
  auto keys = in.items<T>();
  for (T& key : keys) key = T(key & mask);
  const auto before = keys;
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  thrust::stable_sort_by_key(hindsight::host::par, keys.begin(), keys.end(), values.begin(),
                             thrust::greater<T>{});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    expect(keys[i] == before[values[i]], "values of a sort");
    expect(i == 0 || keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]),
           "order of a sort");
  }
  auto alone = before;
  thrust::sort(hindsight::host::par, alone.begin(), alone.end(), thrust::greater<T>{});
  expect(alone == keys, "sort of keys alone");
}

template <class T>
void fuzz_histogram(bytes& in, cut wanted) {
  __extension__ typedef __int128 wide;
  const T lower = in.take<T>(), upper = in.take<T>();
  const int num_bins = in.take<std::int16_t>();
  const auto items = in.items<T>();
  std::vector<unsigned> out(num_bins > 0 ? std::size_t(num_bins) : 1, 77), expected(out.size(), 0);
  const auto before = out;
  try {
    host::histogram_even(items.begin(), items.size(), out.begin(), num_bins, lower, upper, wanted);
  } catch (const hindsight::invalid_call&) {
    expect((num_bins < 1 || lower >= upper) && out == before, "a refusal");
    return;
  }
  expect(num_bins >= 1 && lower < upper, "no refusal");
  for (const T item : items)
    if (item >= lower && item < upper)
      ++expected[std::size_t((wide(item) - lower) * num_bins / (wide(upper) - lower))];
  expect(out == expected, "histogram_even");
}

/// A comparator: only the bits of a mask count.
template <class T>
struct less_in {
  T mask;
  bool operator()(T a, T b) const { return T(a & mask) < T(b & mask); }
};

template <class T>
void fuzz_order(bytes& in, cut) {
  const less_in<T> less{in.take<T>()};
  const auto items = in.items<T>();
  const auto sorted = [&](auto run) {
    auto copy = items;
    run(copy);
    return copy;
  };
  const auto& par = hindsight::host::par;
  const auto lowest = std::min_element(items.begin(), items.end(), less);
  expect(thrust::min_element(par, items.begin(), items.end(), less) == lowest, "min_element");
  const auto is_low = [&](T item) { return less(item, T(less.mask / 2)); };
  expect(thrust::find_if(par, items.begin(), items.end(), is_low) ==
             std::find_if(items.begin(), items.end(), is_low),
         "find_if");
  const auto unequal = [](T a, T b) { return T(a ^ b); };
  expect(sorted([&](auto& v) {
           thrust::adjacent_difference(par, v.begin(), v.end(), v.begin(), unequal);
         }) == sorted([&](auto& v) {
           std::adjacent_difference(items.begin(), items.end(), v.begin(), unequal);
         }),
         "adjacent_difference");
  expect(sorted([&](auto& v) { thrust::stable_sort(par, v.begin(), v.end(), less); }) ==
             sorted([&](auto& v) { std::stable_sort(v.begin(), v.end(), less); }),
         "stable_sort by a comparator");
  const auto alike = [&](T a, T b) { return !less(a, b) && !less(b, a); };
  expect(sorted([&](auto& v) {
           v.erase(thrust::unique(par, v.begin(), v.end(), alike), v.end());
         }) == sorted([&](auto& v) { v.erase(std::unique(v.begin(), v.end(), alike), v.end()); }),
         "unique");
}

/// Segments whose lengths follow from the items: many empty ones in a row, and one long one.
template <class T>
void fuzz_segments(bytes& in, cut) {
  const std::size_t longest = in.take<std::uint8_t>();
  const auto items = in.items<T>();
  std::vector<std::size_t> offsets{0};
  for (const T item : items)
    offsets.push_back(
        std::min(items.size(), offsets.back() + std::size_t(item & 0xff) % (longest + 1)));
  std::vector<std::uint64_t> sums(offsets.size() - 1), expected(sums.size(), 3);
  const auto plus = [](std::uint64_t a, std::uint64_t b) { return a + b; };
  hindsight::reduce_segments(hindsight::host::par, items.begin(), items.end(),
                             hindsight::by_offsets(offsets), sums.begin(), std::uint64_t{3}, plus);
  for (std::size_t s = 0; s < sums.size(); ++s)
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i)
      expected[s] += std::uint64_t(items[i]);
  expect(sums == expected, "reduce_segments");
}

template <class T>
void fuzz(bytes& in, unsigned algorithm, cut wanted) {
  switch (algorithm % 7) {
    case 0:
      return fuzz_scan<T>(in, wanted);
    case 1:
      return fuzz_select<T>(in, wanted);
    case 2:
      return fuzz_runs<T>(in, wanted);
    case 3:
      return fuzz_sort<T>(in, wanted);
    case 4:
      return fuzz_order<T>(in, wanted);
    case 5:
      return fuzz_segments<T>(in, wanted);
    default:
      return fuzz_histogram<T>(in, wanted);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bytes in{data, size};
  const unsigned algorithm = in.take<std::uint8_t>(), type = in.take<std::uint8_t>();
  const cut wanted{in.take<std::uint8_t>() % 4u, in.take<std::uint8_t>()};
  switch (type % 4) {
    case 0:
      fuzz<std::int8_t>(in, algorithm, wanted);
      break;
    case 1:
      fuzz<std::uint16_t>(in, algorithm, wanted);
      break;
    case 2:
      fuzz<std::int32_t>(in, algorithm, wanted);
      break;
    default:
      fuzz<std::uint64_t>(in, algorithm, wanted);
      break;
  }
  return 0;
}
