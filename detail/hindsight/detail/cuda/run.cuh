// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a policy to a kernel and back: ask for the size, allocate, work, wait, release, throw. Once.
#pragma once

#include <hindsight/policy.h>

#include <thrust/detail/temporary_array.h>
#include <thrust/system/cuda/detail/util.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace hindsight::detail {

/// Throws thrust::system_error that names the algorithm, unless status is cudaSuccess.
inline void throw_on_error(cudaError_t status, const char* algorithm) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // reported here: the next call must not see it again
  std::string what = algorithm;
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
    what += " (this binary has no code for the GPU's architecture: compile with -arch for it)";
  } else if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    what += " (there is no usable GPU: hindsight::host::par runs without one)";
  }
  throw thrust::system_error(static_cast<int>(status), thrust::cuda_category(), what);
}

/// The stream of a policy.
template <class Derived>
cudaStream_t stream_of(const execution_policy<Derived, cuda::system>& policy) {
  return thrust::cuda_cub::stream(derived(policy));
}

/// Throws unless there is a GPU with a driver; asks once.
inline void require_gpu(const char* algorithm) {
  static const cudaError_t status = [] {
    int count = 0;
    return cudaGetDeviceCount(&count);
  }();
  throw_on_error(status, algorithm);
}

/// A size query answers this where no temporary memory is needed at all.
inline constexpr std::size_t no_temporary_bytes = 1;

/// Runs `call(temp, temp_bytes, stream)`, which returns cudaError_t in CUB's two phases, with
/// temporary memory of the policy. Does not wait.
template <class Derived, class Call>
void enqueue(const execution_policy<Derived, cuda::system>& policy, const char* algorithm,
             Call call) {
  require_gpu(algorithm);
  const cudaStream_t stream = stream_of(policy);
  std::size_t bytes = 0;
  throw_on_error(call(nullptr, bytes, stream), algorithm);
  if (bytes <= no_temporary_bytes) {
    throw_on_error(call(&bytes, bytes, stream), algorithm);  // any address but null: never read
    return;
  }
  thrust::detail::temporary_array<char, Derived> temp(derived(policy), bytes);
  throw_on_error(call(thrust::raw_pointer_cast(temp.data()), bytes, stream), algorithm);
}

/// As enqueue(), then waits as the policy asks.
template <class Derived, class Call>
void run(const execution_policy<Derived, cuda::system>& policy, const char* algorithm, Call call) {
  enqueue(policy, algorithm, call);
  throw_on_error(thrust::cuda_cub::synchronize_optional(derived(policy)), algorithm);
}

/// A page of this thread that kernels write results to: pinned, so no copy has to follow.
class mailbox {
 public:
  static constexpr std::size_t bytes = 4096;

  static cudaError_t of_this_thread(void*& page) {
    thread_local mailbox own;
    if (!own.page_) {
      HINDSIGHT_TRY(cudaHostAlloc(&own.page_, bytes, cudaHostAllocPortable));
    }
    page = own.page_;
    return cudaSuccess;
  }

 private:
  mailbox() = default;
  ~mailbox() {
    if (page_ && cudaFreeHost(page_) != cudaSuccess) cudaGetLastError();  // the driver may be gone
  }
  void* page_ = nullptr;
};

/// Runs `call(temp, temp_bytes, result, stream)`, waits, and returns what it wrote to *result.
template <class Result, class Derived, class Call>
Result run_for(const execution_policy<Derived, cuda::system>& policy, const char* algorithm,
               Call call) {
  static_assert(sizeof(Result) <= mailbox::bytes, "the result has to fit a page");
  void* page = nullptr;
  throw_on_error(mailbox::of_this_thread(page), algorithm);
  Result* const result = static_cast<Result*>(page);
  enqueue(policy, algorithm, [&](void* temp, std::size_t& bytes, cudaStream_t stream) {
    return call(temp, bytes, result, stream);
  });
  throw_on_error(cudaStreamSynchronize(stream_of(policy)), algorithm);
  return *result;
}

}  // namespace hindsight::detail
