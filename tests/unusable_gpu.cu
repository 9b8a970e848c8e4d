// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user sees where the GPU cannot run hindsight's kernels: one clear system_error that names
// the algorithm, and outputs as they were. Two ways to get there:
//   unusable_gpu none   no device is visible (CTest hides them)
//   unusable_gpu arch   this program has code for another architecture than the device's
// Exit status 77 where that cannot be arranged.
#include <hindsight/device_scan.cuh>
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr int n = 10000;

struct is_odd {
  __host__ __device__ bool operator()(int i) const { return i % 2 != 0; }
};

int failures = 0;

/// `call(in, out)` must throw an error that names `algorithm` and says `expected`.
template <class Call>
void expect_refusal(const char* algorithm, const char* expected, int* in, int* out, Call call) {
  try {
    call(in, out);
    std::printf("FAILED %s: no error\n", algorithm);
    ++failures;
  } catch (const thrust::system_error& error) {
    const std::string what = error.what();
    const bool is_clear =
        what.find(algorithm) != std::string::npos && what.find(expected) != std::string::npos;
    std::printf("%s: %s\n", is_clear ? "ok" : "FAILED", what.c_str());
    failures += is_clear ? 0 : 1;
  }
}

/// Calls that are made of others: an error names the one that was called.
void run_compound(const char* expected, int* in, int* out) {
  const auto& par = hindsight::cuda::par;
  const auto refuse = [&](const char* algorithm, auto call) {
    expect_refusal(algorithm, expected, in, out, call);
  };
  refuse("hindsight::nth_element ",
         [&](int*, int* b) { hindsight::nth_element(par, b, b + 5, b + 100); });
  refuse("hindsight::partial_sort ",
         [&](int*, int* b) { hindsight::partial_sort(par, b, b + 5, b + 100); });
  refuse("hindsight::partial_sort ",
         [&](int*, int* b) { hindsight::partial_sort(par, b, b + 5, b + n); });
  refuse("hindsight::unique_count ", [&](int* a, int*) { thrust::unique_count(par, a, a + n); });
  refuse("hindsight::mean ", [&](int* a, int*) { hindsight::mean(par, a, a + n); });
  refuse("hindsight::product ", [&](int* a, int*) { hindsight::product(par, a, a + n); });
  refuse("hindsight::minmax ", [&](int* a, int*) { hindsight::minmax(par, a, a + n); });
  refuse("hindsight::split ", [&](int*, int* b) { hindsight::split(par, b, b + n, 0); });
  refuse("hindsight::pack_index ",
         [&](int* a, int* b) { hindsight::pack_index(par, a, a + n, b, is_odd{}); });
  refuse("hindsight::offsets_of ",
         [&](int* a, int* b) { hindsight::offsets_of(par, a, a + n - 1, b); });
  refuse("hindsight::count ", [&](int* a, int*) { thrust::count(par, a, a + n, 1); });
  refuse("hindsight::remove ", [&](int*, int* b) { thrust::remove(par, b, b + n, 1); });
  refuse("hindsight::remove_copy ",
         [&](int* a, int* b) { thrust::remove_copy(par, a, a + n, b, 2); });
  refuse("hindsight::stable_sort ", [&](int*, int* b) { thrust::stable_sort(par, b, b + n); });
  refuse("hindsight::transform_inclusive_scan ", [&](int* a, int* b) {
    thrust::transform_inclusive_scan(par, a, a + n, b, thrust::negate<int>{}, thrust::plus<int>{});
  });
  refuse("hindsight::inclusive_scan_segments ", [&](int* a, int* b) {
    hindsight::inclusive_scan_segments(par, a, a + n, hindsight::by_heads(a), b);
  });
  refuse("hindsight::top_k_by_key ",
         [&](int* a, int* b) { hindsight::top_k_by_key(par, a, a + n, a, 3, b, b + 3); });
}

/// A deferred size with a negative bound: refused before anybody asks for a GPU.
void run_negative_bounds(int* in, int* out) {
  const auto& par = hindsight::cuda::par;
  const hindsight::deferred size{in, -1};
  const auto refuse = [&](const char* algorithm, auto call) {
    try {
      call();
      std::printf("FAILED %s: no error\n", algorithm);
      ++failures;
    } catch (const hindsight::invalid_call& error) {
      const bool is_clear =
          std::string{error.what()} ==
          std::string{algorithm} + ": a deferred size is at most -1; pass a bound of 0 or more";
      std::printf("%s: %s\n", is_clear ? "ok" : "FAILED", error.what());
      failures += is_clear ? 0 : 1;
    } catch (const std::exception& error) {
      std::printf("FAILED %s\n", error.what());
      ++failures;
    }
  };
  refuse("hindsight::inclusive_scan", [&] { hindsight::inclusive_scan(par, in, size, out); });
  refuse("hindsight::exclusive_scan", [&] { hindsight::exclusive_scan(par, in, size, out, 0); });
  refuse("hindsight::sort", [&] { hindsight::sort(par, out, size); });
  refuse("hindsight::reduce_into", [&] { hindsight::reduce_into(par, in, size, out); });
  refuse("hindsight::copy_if_into",
         [&] { hindsight::copy_if_into(par, in, size, out, out + 5, is_odd{}); });
  refuse("hindsight::inclusive_scan_by_key",
         [&] { hindsight::inclusive_scan_by_key(par, in, size, in, out); });
  refuse("hindsight::adjacent_difference",
         [&] { hindsight::adjacent_difference(par, in, size, out); });
  refuse("hindsight::histogram_even",
         [&] { hindsight::histogram_even(par, in, size, 10, 0, 10, out); });
  refuse("hindsight::reduce_segments", [&] {
    hindsight::reduce_segments(par, in, in + n, hindsight::by_offsets(in, size), out, 0);
  });
  std::size_t bytes = 0;
  if (hindsight::DeviceScan::InclusiveSum(nullptr, bytes, in, out, size) != cudaErrorInvalidValue) {
    std::puts("FAILED DeviceScan: a negative bound is taken");
    ++failures;
  }
}

void run_all(const char* expected, int* in, int* out) {
  expect_refusal("hindsight::reduce", expected, in, out,
                 [](int* a, int*) { thrust::reduce(hindsight::cuda::par, a, a + n); });
  expect_refusal("hindsight::inclusive_scan", expected, in, out,
                 [](int* a, int* b) { thrust::inclusive_scan(hindsight::cuda::par, a, a + n, b); });
  expect_refusal("hindsight::copy_if", expected, in, out, [](int* a, int* b) {
    thrust::copy_if(hindsight::cuda::par, a, a + n, b, is_odd{});
  });
  expect_refusal("hindsight::sort", expected, in, out,
                 [](int*, int* b) { thrust::sort(hindsight::cuda::par, b, b + n); });
  expect_refusal("hindsight::inclusive_scan_by_key", expected, in, out, [](int* a, int* b) {
    thrust::inclusive_scan_by_key(hindsight::cuda::par, a, a + n, a, b);
  });
  expect_refusal("hindsight::histogram_even", expected, in, out, [](int* a, int* b) {
    hindsight::histogram_even(hindsight::cuda::par, a, a + n, 100, 0, 100, b);
  });
  run_compound(expected, in, out);
}

bool untouched(const std::vector<int>& out) {
  for (const int item : out) {
    if (item != 7) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool hides = argc > 1 && std::strcmp(argv[1], "none") == 0;
  std::vector<int> in(n, 1), out(n, 7);
  int devices = 0;
  if (hides) {
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
      std::puts("skipped: a CUDA device is visible");
      return 77;
    }
    run_all("no usable GPU", in.data(), out.data());
    run_negative_bounds(in.data(), out.data());
  } else {
    cudaDeviceProp device;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 ||
        cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major >= 10) {
      std::puts("skipped: no CUDA device older than this program's code");
      return 77;
    }
    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_out, out.data(), n * sizeof(int), cudaMemcpyDefault);
    run_all("no code for the GPU's architecture", d_in, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDefault);
  }
  if (!untouched(out)) {
    std::puts("FAILED: an output was written");
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
