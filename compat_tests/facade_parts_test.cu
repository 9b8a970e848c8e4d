// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One body, compiled against cub:: and against hindsight::. Same calls, same bits: what keeps,
// parts and encodes items in more ways than facade_test.cu has.
#include <hindsight/device_adjacent_difference.cuh>
#include <hindsight/device_partition.cuh>
#include <hindsight/device_run_length_encode.cuh>
#include <hindsight/device_select.cuh>

#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/functional.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "facade_testing.h"

namespace facade_test {

struct stock {
  using Select = cub::DeviceSelect;
  using Partition = cub::DevicePartition;
  using Encode = cub::DeviceRunLengthEncode;
  using Differences = cub::DeviceAdjacentDifference;
};
struct ours {
  using Select = hindsight::DeviceSelect;
  using Partition = hindsight::DevicePartition;
  using Encode = hindsight::DeviceRunLengthEncode;
  using Differences = hindsight::DeviceAdjacentDifference;
};

struct is_below {
  double share;
  template <class T>
  HINDSIGHT_HD bool operator()(const T& item) const {
    return double(item) < share * double(::cuda::std::numeric_limits<T>::max());
  }
};
struct low_byte {
  HINDSIGHT_HD unsigned char operator()(u32 item) const { return item & 255; }
};

template <class T>
std::vector<u32> as_words(const std::vector<T>& items) {
  std::vector<u32> words;
  for (const T& item : items) words.push_back(static_cast<u32>(static_cast<std::int64_t>(item)));
  return words;
}

/// Partitions of items of type T into three; the middle part goes to the end of the first one's
/// array, backwards.
template <class Api, class T>
results three_parts(int n) {
  const device_array<T> in(random_items<T>(n), 1), first(n, 1), rest(n, 3);
  const device_array<u32> counts(2);
  results written;
  const auto record = [&](const auto& array) {
    written.push_back(as_words(array.to_host()));
    array.fill_with_poison();
  };
  const auto second = thrust::make_reverse_iterator(first.data() + n);
  const double nothing = -1, all = 2;
  const std::pair<double, double> bounds[] = {{0.25, 0.5},    {0.01, 0.99},       {0.5, 0.5},
                                              {nothing, 0.3}, {nothing, nothing}, {all, all},
                                              {nothing, all}};
  for (const auto& [low, high] : bounds) {
    in_two_phases([&, low = low, high = high](void* t, std::size_t& s) {
      return Api::Partition::If(t, s, in.data(), first.data(), second, rest.data(), counts.data(),
                                n, is_below{low}, is_below{high});
    });
    record(counts);
    record(first);
    record(rest);  // beyond its items it holds poison in both
  }
  return written;
}

/// Through an iterator, on another stream.
template <class Api>
results three_parts_of_an_iterator(int n) {
  buffers b(n);
  const auto bytes = thrust::make_transform_iterator(b.in.data(), low_byte{});
  const device_array<u32> rest(n);
  const device_array<std::int64_t> counts(2);
  in_two_phases([&](void* t, std::size_t& s) {
    return Api::Partition::If(t, s, bytes, b.out.data(), b.out2.data(), rest.data(), counts.data(),
                              n, is_below{0.3}, is_odd{}, cudaStreamPerThread);
  });
  const auto kept = counts.to_host();
  return {b.out.to_host(), b.out2.to_host(), rest.to_host(), {u32(kept[0]), u32(kept[1])}};
}

template <class Api, class T>
results runs_of_several(int n) {
  results written;
  for (const runs kind : {runs::of_one, runs::random, runs::all_equal}) {
    const device_array<T> in(items_in_runs<T>(n, kind), 1);
    const device_array<int> offsets(n), lengths(n), count(1);
    in_two_phases([&](void* t, std::size_t& s) {
      return Api::Encode::NonTrivialRuns(t, s, in.data(), offsets.data(), lengths.data(),
                                         count.data(), n);
    });
    for (const auto* array : {&offsets, &lengths, &count})
      written.push_back(as_words(array->to_host()));
  }
  return written;
}

/// Runs of items of type T that go to an output of another type.
template <class Api, class T, class Out>
results runs_to_another_type(int n) {
  const device_array<T> in(random_items<T>(n), 1);
  const device_array<Out> unique(n);
  const device_array<int> lengths(n), count(1);
  in_two_phases([&](void* t, std::size_t& s) {
    return Api::Encode::Encode(t, s, in.data(), unique.data(), lengths.data(), count.data(), n);
  });
  const auto found = count.to_host();
  return {as_words(unique.to_host(found[0])), as_words(lengths.to_host(found[0])), as_words(found)};
}

/// Items that stay in their array: what is behind them is nobody's business.
template <class Api>
results kept_in_place(int n) {
  buffers b(n);
  const auto items = b.in.to_host();
  const auto data = b.in.data();
  const auto flags = b.flags.data();
  const auto count = b.count.data();
  results written;
  const auto run = [&](auto call) {
    b.in.assign(items);
    in_two_phases(call);
    const auto kept = b.count.to_host();
    written.push_back(kept);
    written.push_back(b.in.to_host(kept[0]));
  };
  using Select = typename Api::Select;
  run([&](void* t, std::size_t& s) { return Select::If(t, s, data, count, n, is_odd{}); });
  run([&](void* t, std::size_t& s) { return Select::Flagged(t, s, data, flags, count, n); });
  run([&](void* t, std::size_t& s) {
    return Select::FlaggedIf(t, s, data, flags, count, n, is_odd{});
  });
  return written;
}

template <class T>
struct put_at {
  T* out;
  template <class Index>
  HINDSIGHT_HD void operator()(Index i, T item) const {
    out[i] = item;
  }
};
template <class Api, class T>
results differences(int n) {
  using Differences = typename Api::Differences;
  const device_array<T> in(random_items<T>(n), 1), out(n, 1);
  results written;
  const auto run = [&](auto call) {
    in_two_phases(call);
    written.push_back(as_words(out.to_host()));
    written.push_back(as_words(in.to_host()));
    out.fill_with_poison();
  };
  const auto p = in.data();
  const auto q = out.data();
  const auto plus = thrust::plus<T>{};
  run([&](void* t, std::size_t& s) { return Differences::SubtractLeftCopy(t, s, p, q, n); });
  run([&](void* t, std::size_t& s) { return Differences::SubtractRightCopy(t, s, p, q, n, plus); });
  run([&](void* t, std::size_t& s) {
    return Differences::SubtractRightCopy(
        t, s, p, thrust::make_tabulate_output_iterator(put_at<T>{q}), n, plus);
  });
  run([&](void* t, std::size_t& s) { return Differences::SubtractLeft(t, s, p, n, plus); });
  run([&](void* t, std::size_t& s) {
    return Differences::SubtractRight(t, s, p, n, thrust::minus<T>{}, cudaStreamPerThread);
  });
  return written;
}

BOOST_AUTO_TEST_CASE(differences_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(differences<ours, u32>(n), differences<stock, u32>(n));
      expect_same(differences<ours, unsigned char>(n), differences<stock, unsigned char>(n));
    }
  }
}
BOOST_AUTO_TEST_CASE(partition_into_three_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(three_parts<ours, u32>(n), three_parts<stock, u32>(n));
      expect_same(three_parts<ours, unsigned char>(n), three_parts<stock, unsigned char>(n));
      expect_same(three_parts<ours, double>(n), three_parts<stock, double>(n));
      expect_same(three_parts_of_an_iterator<ours>(n), three_parts_of_an_iterator<stock>(n));
    }
  }
}
BOOST_AUTO_TEST_CASE(non_trivial_runs_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(runs_of_several<ours, u32>(n), runs_of_several<stock, u32>(n));
      expect_same(runs_of_several<ours, char>(n), runs_of_several<stock, char>(n));
      expect_same(runs_of_several<ours, short>(n), runs_of_several<stock, short>(n));
    }
  }
}
BOOST_AUTO_TEST_CASE(runs_to_another_type_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(runs_to_another_type<ours, u32, unsigned char>(n),
                  runs_to_another_type<stock, u32, unsigned char>(n));
      expect_same(runs_to_another_type<ours, short, unsigned char>(n),
                  runs_to_another_type<stock, short, unsigned char>(n));
      expect_same(runs_to_another_type<ours, unsigned char, float>(n),
                  runs_to_another_type<stock, unsigned char, float>(n));
    }
  }
}
BOOST_AUTO_TEST_CASE(selections_in_place_as_cub) {
  for (const int n : sizes) {
    BOOST_TEST_CONTEXT("n = " << n) {
      expect_same(kept_in_place<ours>(n), kept_in_place<stock>(n));
    }
  }
}

/// A program's own stream, which converts to CUDA's.
struct stream_wrapper {
  operator cudaStream_t() const { return cudaStreamPerThread; }
};
template <class Api, class Stream>
results in_stream(int n, Stream stream) {
  const device_array<u32> in(items_in_runs<u32>(n, runs::random)), out{std::size_t(n)}, count(1);
  results written;
  const auto p = in.data(), q = out.data(), c = count.data();
  const auto record = [&](auto call) {
    in_two_phases(call);
    written.push_back(count.to_host());
    written.push_back(out.to_host(written.back()[0]));
  };
  record([&](void* t, std::size_t& s) {
    return Api::Partition::If(t, s, p, q, c, n, is_odd{}, stream);
  });
  record([&](void* t, std::size_t& s) { return Api::Select::Unique(t, s, p, q, c, n, stream); });
  return written;
}
BOOST_AUTO_TEST_CASE(streams_of_every_kind_as_cub) {
  expect_same(in_stream<ours>(1000, nullptr), in_stream<stock>(1000, nullptr));
  expect_same(in_stream<ours>(1000, stream_wrapper{}), in_stream<stock>(1000, stream_wrapper{}));
}

// CUB's phases: nothing is written for no items but zeros, and bad arguments are refused first.
BOOST_AUTO_TEST_CASE(nothing_and_bad_arguments) {
  const device_array<u32> counts(2), items(1);
  const auto p = items.data();
  const auto parts = [&](void* t, std::size_t& s, int n) {
    return hindsight::DevicePartition::If(t, s, p, p, p, p, counts.data(), n, is_odd{}, is_odd{});
  };
  in_two_phases([&](void* t, std::size_t& s) { return parts(t, s, 0); });
  BOOST_TEST(counts.to_host() == std::vector<u32>(2, 0), boost::test_tools::per_element());
  counts.fill_with_poison();
  const auto encode = [&](void* t, std::size_t& s, int n) {
    return hindsight::DeviceRunLengthEncode::NonTrivialRuns(t, s, p, p, p, counts.data(), n);
  };
  in_two_phases([&](void* t, std::size_t& s) { return encode(t, s, 0); });
  BOOST_TEST(counts.to_host()[0] == 0u);
  std::size_t bytes = 0;
  BOOST_TEST(parts(nullptr, bytes, -1) == cudaErrorInvalidValue);
  BOOST_TEST(encode(nullptr, bytes, -1) == cudaErrorInvalidValue);
  BOOST_TEST(parts(p, bytes = 1, 100000) == cudaErrorInvalidValue);
  BOOST_TEST(encode(p, bytes = 1, 100000) == cudaErrorInvalidValue);
}

}  // namespace facade_test
