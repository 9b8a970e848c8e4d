// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: cudaGetDevice cudaDeviceGetAttribute cudaPeekAtLastError cudaStreamIsCapturing
// wraps: cudaStreamSynchronize cudaMemsetAsync cudaMemcpyAsync cudaMallocFromPoolAsync
// wraps: cudaFreeAsync cudaFuncSetAttribute
//
// What a small call that waits asks of the CUDA runtime besides its launch, once it has been called
// before by this thread.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "functors_testing.h"
#include "gpu_testing.h"
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace hindsight_test {

using u32 = std::uint32_t;

/// Calls of this thread since they were last set to zero.
struct runtime_calls {
  int get_device, attributes, peeks, captures, waits, others;
};
thread_local runtime_calls counted{};

}  // namespace hindsight_test

#define HINDSIGHT_COUNTED(name, member, parameters, arguments) \
  extern "C" cudaError_t __real_##name parameters;             \
  extern "C" cudaError_t __wrap_##name parameters {            \
    ++hindsight_test::counted.member;                          \
    return __real_##name arguments;                            \
  }
HINDSIGHT_COUNTED(cudaGetDevice, get_device, (int* device), (device))
HINDSIGHT_COUNTED(cudaDeviceGetAttribute, attributes,
                  (int* value, cudaDeviceAttr attribute, int device), (value, attribute, device))
HINDSIGHT_COUNTED(cudaPeekAtLastError, peeks, (), ())
HINDSIGHT_COUNTED(cudaStreamIsCapturing, captures,
                  (cudaStream_t stream, cudaStreamCaptureStatus* status), (stream, status))
HINDSIGHT_COUNTED(cudaStreamSynchronize, waits, (cudaStream_t stream), (stream))
HINDSIGHT_COUNTED(cudaMemsetAsync, others,
                  (void* data, int value, std::size_t bytes, cudaStream_t stream),
                  (data, value, bytes, stream))
HINDSIGHT_COUNTED(cudaMemcpyAsync, others,
                  (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                   cudaStream_t stream),
                  (to, from, bytes, kind, stream))
HINDSIGHT_COUNTED(cudaMallocFromPoolAsync, others,
                  (void** data, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                  (data, bytes, pool, stream))
HINDSIGHT_COUNTED(cudaFreeAsync, others, (void* data, cudaStream_t stream), (data, stream))
HINDSIGHT_COUNTED(cudaFuncSetAttribute, others,
                  (const void* kernel, cudaFuncAttribute attribute, int value),
                  (kernel, attribute, value))

namespace hindsight_test {
namespace {

/// What the second call of `call` by this thread asks for.
template <class Call>
runtime_calls asked_by(Call call) {
  call();
  counted = {};
  call();
  return counted;
}

/// Empty, or which calls are more than so many, with two looks for errors, one for a capture and
/// one wait.
template <class Call>
std::string too_many(const char* name, int most_get_device, Call call) {
  const runtime_calls asked = asked_by(call);
  const auto more = [&](const char* what, int count, int most) {
    if (count <= most) return std::string{};
    return std::string{name} + ": " + std::to_string(count) + " " + what + "; ";
  };
  return more("cudaGetDevice", asked.get_device, most_get_device) +
         more("cudaDeviceGetAttribute", asked.attributes, 0) +
         more("cudaPeekAtLastError", asked.peeks, 2) +
         more("cudaStreamIsCapturing", asked.captures, 1) +
         more("cudaStreamSynchronize", asked.waits, 1) +
         more("memsets, copies, allocations or attributes of kernels", asked.others, 0);
}

std::string all_that_are_too_many() {
  constexpr std::size_t n = 1 << 16;
  const device_array<u32> in(std::vector<u32>(n, 2)), out(n), keys(n), sums(n);
  const auto par = hindsight::cuda::par;
  const auto first = in.begin(), last = in.end();
  return too_many("reduce", 2, [&] { thrust::reduce(par, first, last); }) +
         too_many("find", 2, [&] { thrust::find(par, first, last, 3u); }) +
         too_many("max_element", 4, [&] { thrust::max_element(par, first, last); }) +
         too_many("inclusive_scan", 1,
                  [&] { thrust::inclusive_scan(par, first, last, out.data()); }) +
         too_many("inclusive_scan_by_key", 1,
                  [&] { thrust::inclusive_scan_by_key(par, first, last, first, out.data()); }) +
         too_many("copy_if", 1,
                  [&] { thrust::copy_if(par, first, last, out.data(), is_even_number{}); }) +
         too_many("reduce_by_key", 1, [&] {
           thrust::reduce_by_key(par, first, last, first, keys.data(), sums.data());
         });
}

TEST(RuntimeCalls, AreFew) {
  EXPECT_EQ(all_that_are_too_many(), "");
}

TEST(RuntimeCalls, AreFewOnAnyThread) {
  std::string too_many_there = "did not run";
  std::thread{[&] { too_many_there = all_that_are_too_many(); }}.join();
  EXPECT_EQ(too_many_there, "");
}

}  // namespace
}  // namespace hindsight_test
