// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of each family of kernels, on arrays of numbers: what same_kernels_test.py compiles with
// two CCCL releases and compares. Operators are ours: those of CCCL may well become shorter.
#include <hindsight/device_partition.cuh>
#include <hindsight/hindsight.h>

#include <cstdint>

namespace same_kernels {

struct add {
  template <class T>
  HINDSIGHT_HD T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};
struct is_same {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct is_below {
  template <class T>
  HINDSIGHT_HD bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct is_odd {
  HINDSIGHT_HD bool operator()(int item) const { return item % 2 != 0; }
};
struct is_negative {
  HINDSIGHT_HD bool operator()(int item) const { return item < 0; }
};
struct stores {
  int* out;
  HINDSIGHT_HD void operator()(std::size_t, std::size_t number, std::size_t output) const {
    out[output] = static_cast<int>(number);
  }
};

void every_family(int* in, int* out, double* wide, std::int16_t* shorts, unsigned char* bytes,
                  std::size_t n, void* temp) {
  namespace hs = hindsight;
  const auto& par = hs::cuda::par;
  std::size_t temp_bytes = 0;
  int* const end = in + n;

  hs::inclusive_scan(par, in, end, out, add{});
  hs::exclusive_scan(par, wide, wide + n, wide, 0.0, ::cuda::std::plus<>{});
  hs::inclusive_scan_by_key(par, in, end, out, out, ::cuda::std::equal_to<>{},
                            ::cuda::std::plus<>{});
  static_cast<void>(hs::reduce(par, in, end, 0, add{}));
  hs::reduce_by_key(par, in, end, out, in, out, ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{});
  hs::run_length_encode(par, in, end, in, out);
  hs::copy_if(par, in, end, out, is_odd{});
  hs::unique(par, in, end, is_same{});
  hs::partition(par, in, end, is_odd{});
  hs::DevicePartition::If(temp, temp_bytes, in, out, out, out, out, n, is_odd{}, is_negative{});
  hs::adjacent_difference(par, in, end, in, add{});
  static_cast<void>(hs::find_if(par, in, end, is_odd{}));

  hs::sort(par, in, end);
  hs::sort_by_key(par, wide, wide + n, out);
  hs::sort(par, shorts, shorts + n);
  hs::sort(par, bytes, bytes + n);
  hs::stable_sort(par, in, end, is_below{});
  hs::stable_sort_by_key(par, in, end, out, is_below{});
  hs::top_k(par, in, end, n, out);

  hs::histogram_even(par, in, end, 100, 0, 1000, out);
  hs::histogram_range(par, in, end, in, in + 100, out);

  const auto by = hs::by_offsets(in, end);
  hs::reduce_segments(par, in, end, by, out, 0, add{});
  hs::inclusive_scan_segments(par, in, end, by, out, add{});
  hs::sort_segments(par, in, end, by);
  hs::for_each_output(par, in, end, stores{out});
}

}  // namespace same_kernels
