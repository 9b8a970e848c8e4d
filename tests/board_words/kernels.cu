// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel that talks over a board, for slots of every size. This file is compiled to machine
// code and never run: board_words_test.py reads how wide the accesses to boards are. A kernel's
// name says what is expected: it contains words_32, words_64, words_128 or flag_32.
#include <hindsight/detail/cuda/radix_sort.cuh>
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/run_length_encode.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/cuda/scan_segments.cuh>
#include <hindsight/detail/cuda/select.cuh>
#include <hindsight/detail/cuda/three_way_partition.cuh>

#include <cuda/std/complex>
#include <cuda/std/functional>
#include <thrust/complex.h>
#include <thrust/pair.h>

#include <cstdint>

namespace board_words {

using namespace hindsight::detail;
using namespace hindsight::detail::cuda;

struct words_32 {};   ///< a 32-bit word
struct words_64 {};   ///< a 64-bit word
struct words_128 {};  ///< a pair of them, by one instruction, or two pairs
struct flag_32 {};    ///< a value of its own and a flag

template <class Tuning, class Expected>
struct tagged : Tuning {};

template <class T, int Count>
struct array {
  T items[Count];
};

/// Uses every item of both operands; does not commute.
struct mix {
  template <class T>
  HINDSIGHT_HD T operator()(const T& a, const T& b) const {
    return static_cast<T>(a * T(3) + b);
  }
  template <class T, int Count>
  HINDSIGHT_HD array<T, Count> operator()(const array<T, Count>& a,
                                          const array<T, Count>& b) const {
    array<T, Count> mixed;
    for (int i = 0; i < Count; ++i)
      mixed.items[i] = static_cast<T>(a.items[i] * 3 + b.items[(i + 1) % Count]);
    return mixed;
  }
  template <class A, class B>
  HINDSIGHT_HD thrust::pair<A, B> operator()(const thrust::pair<A, B>& a,
                                             const thrust::pair<A, B>& b) const {
    return {a.first * b.first, b.first * a.second + b.second};
  }
};

struct is_odd {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& item) const {
    return static_cast<int>(item) & 1;
  }
};

using equal = ::cuda::std::equal_to<>;

template <class Expected, class T>
const void* scan() {
  return reinterpret_cast<const void*>(
      scan_kernel<tagged<scan_tuning<T>, Expected>, inclusive, T, const T*, T*, std::size_t, mix,
                  no_init, tile_chain<T>>);
}
template <class Expected, class T>
const void* scan_parts() {
  return reinterpret_cast<const void*>(
      scan_parts_kernel<tagged<scan_parts_tuning<T>, Expected>, inclusive, T, const T*, T*,
                        fold_with<T, mix>, no_init>);
}
template <class Expected, class T>
const void* scan_by_key() {
  return reinterpret_cast<const void*>(
      scan_by_key_kernel<tagged<scan_by_key_tuning<int, T>, Expected>, inclusive, T, const int*,
                         const T*, T*, std::size_t, equal, fold_with<T, mix>, no_init,
                         tile_chain<open_run<T>>>);
}
template <class Expected, class T>
const void* reduce_by_key() {
  return reinterpret_cast<const void*>(
      reduce_by_key_kernel<tagged<reduce_by_key_tuning<int, T>, Expected>, T, const int*, const T*,
                           int*, T*, std::size_t*, std::size_t, equal, fold_with<T, mix>,
                           tile_chain<open_run<T>>>);
}
template <class Expected, class T>
const void* scan_segments() {
  return reinterpret_cast<const void*>(
      scan_segments_kernel<tagged<segment_scan_tuning<T>, Expected>, inclusive, T, const T*,
                           const int*, T*, fold_with<T, mix>, no_init>);
}
template <class Expected, class Word>
const void* sort() {
  return reinterpret_cast<const void*>(
      sort_pass_kernel<tagged<sort_tuning<int, no_value>, Expected>, ascending, int, no_value,
                       std::size_t, Word>);
}

const void* const kernels[] = {
    scan_parts<words_64, float>(),
    scan_parts<words_64, array<std::uint8_t, 7>>(),
    scan_parts<words_128, double>(),
    scan_parts<words_128, array<std::uint32_t, 3>>(),
    scan_parts<words_128, thrust::complex<double>>(),
    scan<words_64, std::uint8_t>(),
    scan<words_64, std::int16_t>(),
    scan<words_64, array<std::uint8_t, 3>>(),
    scan<words_64, float>(),
    scan<words_64, array<std::uint8_t, 5>>(),
    scan<words_64, array<std::uint16_t, 3>>(),
    scan<words_64, array<std::uint8_t, 7>>(),
    scan<words_128, double>(),
    scan<words_128, std::uint64_t>(),
    scan<words_128, thrust::complex<float>>(),
    scan<words_128, ::cuda::std::complex<float>>(),
    scan<words_128, thrust::pair<std::uint32_t, std::uint32_t>>(),
    scan<words_128, array<std::int16_t, 4>>(),
    scan<words_128, array<std::uint8_t, 9>>(),
    scan<words_128, array<std::int16_t, 5>>(),
    scan<words_128, array<std::uint32_t, 3>>(),
    scan<words_128, array<std::int16_t, 7>>(),
    scan<words_128, array<std::uint8_t, 15>>(),
    scan<words_128, thrust::complex<double>>(),
    scan<words_128, array<std::uint32_t, 7>>(),
    scan<flag_32, array<std::uint8_t, 29>>(),
    scan<flag_32, array<std::uint64_t, 4>>(),
    scan_by_key<words_64, std::uint8_t>(),
    scan_by_key<words_128, std::int16_t>(),
    scan_by_key<words_128, float>(),
    scan_by_key<words_128, array<std::uint8_t, 7>>(),
    scan_by_key<words_128, thrust::complex<float>>(),
    scan_by_key<words_128, array<std::uint32_t, 3>>(),
    scan_by_key<flag_32, array<std::uint64_t, 3>>(),
    reduce_by_key<words_64, std::int8_t>(),
    reduce_by_key<words_128, std::int16_t>(),
    reduce_by_key<words_128, float>(),
    reduce_by_key<words_128, std::int64_t>(),
    reduce_by_key<words_128, array<std::int16_t, 4>>(),
    reduce_by_key<words_128, array<std::uint32_t, 3>>(),
    reduce_by_key<flag_32, array<std::uint64_t, 3>>(),
    scan_segments<words_128, thrust::complex<float>>(),
    reinterpret_cast<const void*>(
        select_kernel<tagged<select_tuning<int>, words_128>, const int*, input_is_stencil, int*,
                      discard_rejected, is_odd, std::size_t*, std::size_t>),
    reinterpret_cast<const void*>(
        select_kernel<tagged<select_tuning<char>, words_128>, const char*, const int*, char*,
                      keep_rejected<char*>, is_odd, std::size_t*, std::size_t>),
    reinterpret_cast<const void*>(
        run_length_encode_kernel<tagged<run_length_tuning<int>, words_128>, const int*,
                                 every_run<int*, int*>, std::size_t*, std::size_t, equal>),
    reinterpret_cast<const void*>(
        run_length_encode_kernel<tagged<run_length_tuning<char>, words_128>, const char*,
                                 runs_of_several<int*, int*>, std::size_t*, std::size_t, equal>),
    reinterpret_cast<const void*>(
        three_way_partition_kernel<tagged<select_tuning<int>, words_128>, const int*, int*, int*,
                                   int*, is_odd, is_odd, std::size_t*, std::size_t>),
    reinterpret_cast<const void*>(
        sort_few_keys_kernel<tagged<sort_tuning<int, no_value, tiles::small>, words_32>, ascending,
                             int, no_value>),
    sort<words_32, std::uint32_t>(),
    sort<words_64, std::uint64_t>(),
};

}  // namespace board_words
