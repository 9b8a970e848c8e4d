// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group over NCCL that cannot be made gives back what it took, and how long a group waits. NCCL
// and the calls of the CUDA runtime that matter are made up here.
// wraps: dlsym cudaGetDevice cudaSetDevice cudaMalloc cudaFree cudaDeviceGetStreamPriorityRange
// wraps: cudaStreamCreateWithPriority cudaStreamDestroy cudaStreamQuery
#include <hindsight/detail/ranks/nccl_communicator.h>

#include <cuda_runtime_api.h>

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

int calls_until_fault = -1;
int num_arrays = 0, num_streams = 0;

bool fails_now() {
  return calls_until_fault >= 0 && calls_until_fault-- == 0;
}

int gives_zero(ncclComm_t, int* number) {
  *number = 0;
  return fails_now() ? 1 : 0;
}
int gives_one(ncclComm_t, int* number) {
  *number = 1;
  return fails_now() ? 1 : 0;
}
const char* says_fault(int) {
  return "fault";
}
int begins_group() {
  return 0;
}
int ends_group() {
  return hindsight::detail::ranks::nccl_library::in_progress;
}
int num_questions = 0;
int answers_the_third_time(ncclComm_t, int* status) {
  *status = ++num_questions < 3 ? hindsight::detail::ranks::nccl_library::in_progress : 0;
  return 0;
}
void is_not_called() {
  ADD_FAILURE();
}

}  // namespace

extern "C" {
void* __real_dlsym(void* library, const char* name);
void* __wrap_dlsym(void* library, const char* name) {
  const std::string function = name;
  if (function.substr(0, 4) != "nccl") return __real_dlsym(library, name);
  if (function == "ncclCommUserRank" || function == "ncclCommCuDevice")
    return reinterpret_cast<void*>(&gives_zero);
  if (function == "ncclCommCount") return reinterpret_cast<void*>(&gives_one);
  if (function == "ncclGetErrorString") return reinterpret_cast<void*>(&says_fault);
  if (function == "ncclGroupStart") return reinterpret_cast<void*>(&begins_group);
  if (function == "ncclGroupEnd") return reinterpret_cast<void*>(&ends_group);
  if (function == "ncclCommGetAsyncError") return reinterpret_cast<void*>(&answers_the_third_time);
  return reinterpret_cast<void*>(&is_not_called);
}
cudaError_t __wrap_cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t __wrap_cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t) {
  if (fails_now()) return cudaErrorMemoryAllocation;
  ++num_arrays;
  *memory = &num_arrays;
  return cudaSuccess;
}
cudaError_t __wrap_cudaFree(void* memory) {
  if (memory != nullptr) --num_arrays;
  return cudaSuccess;
}
cudaError_t __wrap_cudaDeviceGetStreamPriorityRange(int*, int*) {
  return fails_now() ? cudaErrorUnknown : cudaSuccess;
}
cudaError_t __wrap_cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  if (fails_now()) return cudaErrorUnknown;
  ++num_streams;
  *stream = cudaStreamPerThread;
  return cudaSuccess;
}
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t) {
  --num_streams;
  return cudaSuccess;
}
cudaError_t __wrap_cudaStreamQuery(cudaStream_t) {
  return cudaSuccess;
}
}

namespace {

TEST(nccl_faults, a_communicator_that_cannot_be_made_gives_back_what_it_took) {
  using namespace hindsight::detail::ranks;
  const auto process = std::make_shared<nccl_process>(std::chrono::seconds{1}, 1);
  const auto make = [&] { const nccl_communicator made(nullptr, nullptr, process); };
  int num_faults = 0;
  for (calls_until_fault = 0;; calls_until_fault = ++num_faults) {
    try {
      make();
      break;
    } catch (const std::runtime_error&) {
      EXPECT_EQ(num_arrays, 0) << "fault in call " << num_faults;
      EXPECT_EQ(num_streams, 0) << "fault in call " << num_faults;
    }
  }
  EXPECT_EQ(num_faults, 6);
  EXPECT_EQ(num_arrays, 0);
  EXPECT_EQ(num_streams, 0);
}

TEST(nccl_faults, the_longest_patience_waits) {
  using namespace hindsight::detail::ranks;
  calls_until_fault = -1;
  for (const auto patience : {std::chrono::milliseconds::max(), std::chrono::milliseconds{60000}}) {
    const auto process = std::make_shared<nccl_process>(patience, 1);
    nccl_communicator one(nullptr, nullptr, process);
    num_questions = 0;
    EXPECT_NO_THROW(one.all_to_all({}, {}));
    EXPECT_EQ(num_questions, 3);
  }
}

}  // namespace
