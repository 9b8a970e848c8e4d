// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that start early, and memory that is cleared for them, on a runtime that only notes what
// it is asked: no GPU is needed. The arguments arrive as the kernel takes them; the launch starts
// early where the code can wait and the driver knows such launches, but never the first of a call;
// and each call of the runtime may fail.
#include <hindsight/detail/cuda/next_launch.cuh>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

namespace {

/// What the runtime answers, and which of its functions fails.
struct runtime {
  int device = 0, ptx_version = 90, driver = 13000;
  std::string failing;
  cudaError_t status_of(const char* function) const {
    return failing == function ? cudaErrorUnknown : cudaSuccess;
  }
};
runtime fake;

struct no_address {
  int value;
  no_address* operator&() const = delete;
};

/// What was launched.
struct launch {
  int count = 0;
  cudaLaunchConfig_t config{};
  bool starts_early = false;
  std::size_t n = 0;
  const int* items = nullptr;
  int value = 0;
};
launch last;
std::size_t memset_bytes = 0;

}  // namespace

extern "C" {
cudaError_t __wrap_cudaGetDevice(int* device) {
  *device = fake.device;
  return fake.status_of("cudaGetDevice");
}
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->ptxVersion = fake.ptx_version;
  return fake.status_of("cudaFuncGetAttributes");
}
cudaError_t __wrap_cudaDriverGetVersion(int* version) {
  *version = fake.driver;
  return fake.status_of("cudaDriverGetVersion");
}
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void*,
                                       void** arguments) {
  if (const cudaError_t status = fake.status_of("cudaLaunchKernelExC")) return status;
  last = {last.count + 1, *config};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      last.starts_early = attribute.val.programmaticStreamSerializationAllowed == 1;
  }
  std::memcpy(&last.n, arguments[0], sizeof last.n);
  std::memcpy(&last.items, arguments[1], sizeof last.items);
  std::memcpy(&last.value, arguments[2], sizeof last.value);
  return cudaSuccess;
}
cudaError_t __wrap_cudaMemsetAsync(void*, int, std::size_t bytes, cudaStream_t) {
  memset_bytes = bytes;
  return fake.status_of("cudaMemsetAsync");
}
}

namespace {

__global__ void kernel(std::size_t, const int*, no_address) {}

int items[3];

/// From here on the runtime answers so, for a device of its own, because answers are kept.
void answer_by(runtime answers) {
  static int devices = 0;
  fake = answers;
  fake.device = ++devices;
}
cudaError_t launch_on(runtime answers) {
  answer_by(answers);
  return HINDSIGHT_LAUNCH_NEXT(7, 256, 48, nullptr, kernel)(5, items, no_address{3});
}

bool failed = false;
void expect(bool holds, const char* what) {
  if (!holds) std::printf("not so: %s\n", what), failed = true;
}

void test_clearing() {
  namespace cuda = hindsight::detail::cuda;
  runtime answers;
  answers.ptx_version = 80;
  answer_by(answers);
  expect(cuda::clear(items, sizeof items, true, nullptr) == cudaSuccess &&
             memset_bytes == sizeof items,
         "a memset clears for code for 8.0");
  fake.failing = "cudaMemsetAsync";
  expect(cuda::clear(items, sizeof items, true, nullptr) == cudaErrorUnknown,
         "a memset that fails");
  answer_by({});
  memset_bytes = 0;
  (void)cuda::clear(items, sizeof items, true, nullptr);  // there may be no GPU for the kernel
  expect(memset_bytes == 0, "a kernel clears for code for 9.0");
  expect(cuda::clear(items, sizeof items, false, nullptr) == cudaSuccess &&
             memset_bytes == sizeof items,
         "a memset, if it shall be none");
}

}  // namespace

int main() {
  expect(launch_on({}) == cudaSuccess && last.count == 1, "a launch");
  expect(last.config.gridDim.x == 7 && last.config.blockDim.x == 256 &&
             last.config.dynamicSmemBytes == 48 && last.config.stream == nullptr,
         "its shape is that of the call");
  expect(last.n == 5 && last.items == items && last.value == 3,
         "arguments arrive in the kernel's types, also those without operator&");
  expect(last.starts_early, "code for 9.0 starts early");
  expect(
      HINDSIGHT_LAUNCH_NEXT(7, 256, 48, nullptr, kernel)(5, items, no_address{3}) == cudaSuccess &&
          last.starts_early,
      "also the second time");

  runtime answers;
  answers.ptx_version = 80;
  expect(launch_on(answers) == cudaSuccess && !last.starts_early,
         "code for 8.0, which cannot wait, does not start early");
  answers = {};
  answers.driver = 12020;
  expect(launch_on(answers) == cudaSuccess && !last.starts_early,
         "nothing starts early where graphs cannot have it");

  answers = {};
  answers.failing = "cudaDriverGetVersion";  // which is not asked
  fake = answers;
  fake.device = 1000;
  expect(HINDSIGHT_LAUNCH_NEXT_IF(false, 7, 256, 48, nullptr, kernel)(5, items, no_address{3}) ==
                 cudaSuccess &&
             !last.starts_early && last.config.gridDim.x == 7 && last.n == 5,
         "the first launch of a call does not start early");
  expect(HINDSIGHT_LAUNCH_NEXT_IF(true, dim3(7, 2), 256, 48, nullptr, kernel)(
             5, items, no_address{3}) == cudaErrorUnknown,
         "the second one may, and asks");

  const int launched = last.count;
  for (const char* function :
       {"cudaGetDevice", "cudaFuncGetAttributes", "cudaDriverGetVersion", "cudaLaunchKernelExC"}) {
    answers = {};
    answers.failing = function;
    expect(launch_on(answers) == cudaErrorUnknown && last.count == launched, function);
    fake.failing.clear();  // on the same device: what failed was not kept
    expect(
        HINDSIGHT_LAUNCH_NEXT(1, 32, 0, nullptr, kernel)(5, items, no_address{3}) == cudaSuccess &&
            last.starts_early,
        "the launch after one that failed");
    last.count = launched;
  }
  test_clearing();
  if (!failed) std::printf("launches are as the call says\n");
  return failed ? 1 : 0;
}
