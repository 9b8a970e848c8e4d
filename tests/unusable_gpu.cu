// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user sees where the GPU cannot run hindsight's kernels: one clear system_error that names
// the algorithm, and outputs as they were. Two ways to get there:
//   unusable_gpu none   no device is visible (CTest hides them)
//   unusable_gpu arch   this program has code for another architecture than the device's
// Exit status 77 where that cannot be arranged.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

#include <cstdio>
#include <cstring>
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
