// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of one byte, on both sides of the numbers at which counts take more bits: 2^30, from which
// on a sort's pass takes several portions, 2^31 and 2^32. All results are known in closed form.
//
//   HINDSIGHT_TEST_INDEX_BITS=N  on both sides of 2^N alone
#include <hindsight/device_radix_sort.cuh>
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "index_width_testing.h"

namespace hindsight_test {

static_assert(hindsight::detail::digit_board<std::uint32_t>::count_bits == 30);

// ---- item i of each array ----
struct odd_number {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8(2 * i + 1); }
};
struct square_of_next {  // the sum of the odd numbers up to item i
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8((i + 1) * (i + 1)); }
};
struct hash {
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8((i * 0x9e3779b97f4a7c15u) >> 56); }
};
struct hash_of_multiple {
  HINDSIGHT_HD u8 operator()(u64 k) const { return hash{}(3 * k); }
};
struct hash_of_others {
  HINDSIGHT_HD u8 operator()(u64 k) const { return hash{}(k + k / 2 + 1); }
};
struct number_of {  // within its run of five, from 1 on
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8(i % 5 + 1); }
};
struct low_but_one {
  HINDSIGHT_HD u16 operator()(u64 i) const { return i == 7 ? 512 : scattered<u8>{}(i); }
};
struct quarter_age {  // does not decrease, and fits a byte as far as memory reaches
  HINDSIGHT_HD u8 operator()(u64 i) const { return u8(i >> 28); }
};
struct is_multiple_of_3 {
  HINDSIGHT_HD bool operator()(u64 i) const { return i % 3 == 0; }
};
struct is_above_255 {
  HINDSIGHT_HD bool operator()(u16 key) const { return key > 255; }
};
template <class Key>
struct is_out_of_order {
  const Key* keys;
  const u8* values;  ///< or null
  HINDSIGHT_HD bool operator()(u64 i) const {
    return keys[i] > keys[i + 1] || (values && keys[i] == keys[i + 1] && values[i] > values[i + 1]);
  }
};
struct in_reverse {
  HINDSIGHT_HD bool operator()(u8 a, u8 b) const { return a > b; }
};
struct is_out_of_reverse_order {
  const u8* keys;
  HINDSIGHT_HD bool operator()(u64 i) const { return keys[i] < keys[i + 1]; }
};

TEST_F(IndexWidth, Reduce) {
  for_sizes([](u64 n) {
    const device_array<u8> in(n);
    make<low_byte>(in);
    const u64 rest = n % 256;
    EXPECT_EQ(thrust::reduce(par, in.begin(), in.end(), u64{0}),
              n / 256 * (255 * 128) + rest * (rest - 1) / 2);
    EXPECT_EQ(u64(thrust::count(par, in.begin(), in.end(), u8{0})), (n + 255) / 256);
  });
}

TEST_F(IndexWidth, Scan) {
  for_sizes([](u64 n) {
    const device_array<u8> in(n), out(n);
    make<odd_number>(in);
    EXPECT_EQ(thrust::inclusive_scan(par, in.begin(), in.end(), out.data()), out.end());
    EXPECT_EQ(num_wrong<square_of_next>(out, n), 0);
    EXPECT_TRUE(out.is_untouched(n));
  });
}

TEST_F(IndexWidth, ScanByKey) {
  for_sizes([](u64 n) {
    const device_array<u8> keys(n), ones(n), out(n);
    make<fives>(keys);
    ones.fill(1);
    EXPECT_EQ(
        thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), ones.begin(), out.data()),
        out.end());
    EXPECT_EQ(num_wrong<number_of>(out, n), 0);
    EXPECT_TRUE(out.is_untouched(n));
  });
}

TEST_F(IndexWidth, CopyIf) {
  for_sizes([](u64 n) {
    const device_array<u8> in(n), out(n / 3 + 1);
    make<hash>(in);
    const u64 kept = (n + 2) / 3;
    EXPECT_EQ(thrust::copy_if(par, in.begin(), in.end(), numbers, out.data(), is_multiple_of_3{}),
              out.data() + kept);
    EXPECT_EQ(num_wrong<hash_of_multiple>(out, kept), 0);
    EXPECT_TRUE(out.is_untouched(kept));
  });
}

TEST_F(IndexWidth, Partition) {
  for_sizes([](u64 n) {
    const device_array<u8> in(n), multiples(n / 3 + 1), others(n - n / 3 + 1);
    make<hash>(in);
    const u64 kept = (n + 2) / 3;
    const auto ends = thrust::stable_partition_copy(
        par, in.begin(), in.end(), numbers, multiples.data(), others.data(), is_multiple_of_3{});
    EXPECT_EQ(ends.first, multiples.data() + kept);
    EXPECT_EQ(ends.second, others.data() + (n - kept));
    EXPECT_EQ(num_wrong<hash_of_multiple>(multiples, kept), 0);
    EXPECT_EQ(num_wrong<hash_of_others>(others, n - kept), 0);
    EXPECT_TRUE(multiples.is_untouched(kept));
    EXPECT_TRUE(others.is_untouched(n - kept));
  });
}

TEST_F(IndexWidth, UniqueAndDifferences) {
  for_sizes([](u64 n) {
    const u64 num_runs = (n + 4) / 5;
    const device_array<u8> items(n), kept(num_runs);
    make<fives>(items);
    EXPECT_EQ(thrust::unique_copy(par, items.begin(), items.end(), kept.data()), kept.end());
    EXPECT_EQ(num_wrong<low_byte>(kept, num_runs), 0);
    make<square_of_next>(items);
    thrust::adjacent_difference(par, items.begin(), items.end(), items.begin());
    EXPECT_EQ(num_wrong<odd_number>(items, n), 0);
  });
}

TEST_F(IndexWidth, RunsOfKeys) {
  for_sizes([](u64 n) {
    const u64 num_runs = (n + 4) / 5, last = n - 5 * (num_runs - 1);
    const device_array<u8> keys(n), ones(n), keys_out(num_runs), lengths(num_runs);
    make<fives>(keys);
    ones.fill(1);
    const auto expect_runs = [&](u8* keys_end, u8* lengths_end) {
      EXPECT_EQ(keys_end, keys_out.end());
      EXPECT_EQ(lengths_end, lengths.end());
      EXPECT_EQ(num_wrong<low_byte>(keys_out, num_runs), 0);
      EXPECT_EQ(u64(thrust::count(stock, lengths.begin(), lengths.end() - 1, u8{5})), num_runs - 1);
      u8 length = 0;
      check(cudaMemcpy(&length, lengths.end() - 1, 1, cudaMemcpyDefault));
      EXPECT_EQ(length, last);
      keys_out.fill_with_poison();
      lengths.fill_with_poison();
    };
    const auto sums = thrust::reduce_by_key(par, keys.begin(), keys.end(), ones.begin(),
                                            keys_out.data(), lengths.data());
    expect_runs(sums.first, sums.second);
    const auto runs = hindsight::run_length_encode(par, keys.begin(), keys.end(), keys_out.data(),
                                                   lengths.data());
    expect_runs(runs.first, runs.second);
  });
}

template <class Key>
void expect_each_key_once_in_a_cycle(const device_array<Key>& keys, u64 n) {
  constexpr int num_keys = 1 << 8 * sizeof(Key);
  const device_array<u64> bins(num_keys);
  hindsight::histogram_even(par, keys.begin(), keys.end(), num_keys, 0, num_keys, bins.data());
  std::vector<u64> expected(num_keys, n / num_keys);
  for (u64 i = 0; i < n % num_keys; ++i) ++expected[scattered<Key>{}(i)];
  EXPECT_EQ(difference(bins.to_host(), expected), "");
}

template <class Key>
void expect_sorted(u64 n) {
  const device_array<Key> keys(n);
  IndexWidth::make<scattered<Key>>(keys);
  expect_each_key_once_in_a_cycle(keys, n);  // a test of the histogram
  thrust::sort(par, keys.begin(), keys.end());
  const auto wrong = is_out_of_order<Key>{keys.data(), nullptr};
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + (n - 1), wrong), 0);
  expect_each_key_once_in_a_cycle(keys, n);
}

/// By a comparator: of the largest size alone, for it takes seconds.
TEST_F(IndexWidth, SortByAComparator) {
  const u64 n = sizes.back();
  const device_array<u8> keys(n);
  make<scattered<u8>>(keys);
  thrust::sort(par, keys.begin(), keys.end(), in_reverse{});
  const auto wrong = is_out_of_reverse_order{keys.data()};
  EXPECT_EQ(thrust::count_if(stock, numbers, numbers + (n - 1), wrong), 0);
  expect_each_key_once_in_a_cycle(keys, n);
}

TEST_F(IndexWidth, HistogramAndSort) {
  for_sizes([](u64 n) {
    expect_sorted<u8>(n);
    expect_sorted<u16>(n);
  });
}

// All keys but one have the same high digit: the board counts up to n - 1. Not by all bits, which
// would be counted.
TEST_F(IndexWidth, SortOfOneDigit) {
  for_sizes([](u64 n) {
    const device_array<u16> in(n), keys(n);
    make<low_but_one>(in);
    const auto sort = [&](void* temp, std::size_t& bytes) {
      check(hindsight::DeviceRadixSort::SortKeys(temp, bytes, in.data(), keys.data(), n, 0, 10));
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    const device_array<char> temp(bytes);
    sort(temp.data(), bytes);
    const auto wrong = is_out_of_order<u16>{keys.data(), nullptr};
    EXPECT_EQ(thrust::count_if(stock, numbers, numbers + (n - 1), wrong), 0);
    EXPECT_EQ(u64(thrust::count(stock, keys.begin(), keys.end(), u16{0})), (n + 255) / 256);
    EXPECT_EQ(thrust::count_if(stock, keys.begin(), keys.end(), is_above_255{}), 1);
  });
}

TEST_F(IndexWidth, SortByKey) {
  for_sizes([](u64 n) {
    const device_array<u8> keys(n), values(n);
    make<scattered<u8>>(keys);
    make<quarter_age>(values);
    thrust::stable_sort_by_key(par, keys.begin(), keys.end(), values.data());
    const auto wrong = is_out_of_order<u8>{keys.data(), values.data()};
    EXPECT_EQ(thrust::count_if(stock, numbers, numbers + (n - 1), wrong), 0);
    expect_each_key_once_in_a_cycle(keys, n);
  });
}

}  // namespace hindsight_test
