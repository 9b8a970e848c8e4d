// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host function asks before it launches: what the device has, whether its temporary memory
// is enough, and what calls within it need of that. And what it launches where there are no items.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The most blocks that a launch may have, on every device.
inline constexpr std::size_t max_blocks = 0x7fff'ffff;

/// value = what find(value) tells of the current device. It is called once per thread and device:
/// an answer is kept, a failure is not.
template <class Value, class Find>
cudaError_t once_per_device(Value& value, Find find) {
  thread_local int known_device = -1;
  thread_local Value known{};
  int device = 0;
  HINDSIGHT_TRY(cudaGetDevice(&device));
  if (device != known_device) {
    Value found{};
    HINDSIGHT_TRY(find(found));
    known = found;
    known_device = device;
  }
  return value = known, cudaSuccess;
}

/// What the current device has for the blocks of a launch.
struct launch_limits {
  int multiprocessors = 0;
  std::size_t block_bytes = 0;           ///< the most shared memory that one block may ask for
  std::size_t multiprocessor_bytes = 0;  ///< for all blocks of a multiprocessor
  std::size_t reserved_bytes = 0;        ///< of these, what the system takes for each block

  cudaError_t ask() {
    return cuda::once_per_device(*this, [](launch_limits& found) { return found.ask_anew(); });
  }
  /// How many blocks with `bytes` of shared memory each a multiprocessor has room for; at least 1.
  std::size_t blocks(std::size_t bytes) const {
    const std::size_t fit = multiprocessor_bytes / (bytes + reserved_bytes);
    return fit > 0 ? fit : 1;
  }

 private:
  cudaError_t ask_anew() {
    int device = 0, block = 0, multiprocessor = 0, reserved = 0;
    HINDSIGHT_TRY(cudaGetDevice(&device));
    const auto get = [device](int& value, cudaDeviceAttr attribute) {
      return cudaDeviceGetAttribute(&value, attribute, device);
    };
    HINDSIGHT_TRY(get(multiprocessors, cudaDevAttrMultiProcessorCount));
    HINDSIGHT_TRY(get(block, cudaDevAttrMaxSharedMemoryPerBlockOptin));
    HINDSIGHT_TRY(get(multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    HINDSIGHT_TRY(get(reserved, cudaDevAttrReservedSharedMemoryPerBlock));
    block_bytes = std::size_t(block);
    multiprocessor_bytes = std::size_t(multiprocessor);
    reserved_bytes = std::size_t(reserved);
    return cudaSuccess;
  }
};

inline cudaError_t multiprocessors_of_current_device(int& count) {
  launch_limits limits;
  HINDSIGHT_TRY(limits.ask());
  return count = limits.multiprocessors, cudaSuccess;
}

/// How many blocks of so many threads fit a multiprocessor of the current device, which depends on
/// the registers that the compiler gave the kernel.
template <auto Kernel>
cudaError_t blocks_per_multiprocessor(int block_threads, int& blocks) {
  return cuda::once_per_device(blocks, [=](int& found) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, Kernel, block_threads, 0);
  });
}

/// The architecture that the current device's code of a kernel was compiled for, as 90 for 9.0; an
/// error where there is none.
template <auto Kernel>
cudaError_t architecture_of_code(int& architecture) {
  return cuda::once_per_device(architecture, [](int& found) {
    cudaFuncAttributes attributes;
    HINDSIGHT_TRY(cudaFuncGetAttributes(&attributes, Kernel));
    return found = attributes.ptxVersion, cudaSuccess;
  });
}

/// How many blocks of so many threads the current device has room for at once.
template <auto Kernel>
cudaError_t resident_blocks(int block_threads, std::size_t& count) {
  return cuda::once_per_device(count, [=](std::size_t& found) {
    int blocks = 0, multiprocessors = 0;
    HINDSIGHT_TRY(blocks_per_multiprocessor<Kernel>(block_threads, blocks));
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
    return found = std::size_t(multiprocessors) * blocks, cudaSuccess;
  });
}

/// Lets a kernel have more than the 48 KB of dynamic shared memory that it may have unasked.
///   most  what any launch of the kernel has on this device: all threads have to set the same
///         number, since one may set it between this and the launch of another
template <class Kernel>
cudaError_t allow_shared_bytes(Kernel* kernel, std::size_t bytes, std::size_t most) {
  if (bytes <= 48 * 1024) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(most));
}
/// The same of a kernel whose launches all have as much.
template <class Kernel>
cudaError_t allow_shared_bytes(Kernel* kernel, std::size_t bytes) {
  return cuda::allow_shared_bytes(kernel, bytes, bytes);
}

/// Whether the second phase of a call may begin. A call of the first phase ends here, with the size
/// written, and so does a call whose buffer is too small.
///   least_bytes  what the call asks for if its arrays take less
inline bool has_room(const carver& space, std::size_t& temp_bytes, cudaError_t& status,
                     std::size_t least_bytes = 0) {
  const std::size_t bytes = ::cuda::std::max(space.bytes(), least_bytes);
  status = cudaSuccess;
  if (space.begin() == nullptr) return temp_bytes = bytes, false;
  if (temp_bytes < bytes) status = cudaErrorInvalidValue;
  return status == cudaSuccess;
}

/// A call that another call makes, in a part of the other's temporary memory.
///   call(temp, temp_bytes, arguments...)  in CUB's two phases
template <class Call>
class nested_call {
 public:
  explicit nested_call(Call call) : call_{call} {}

  /// Takes the memory that the call needs with these arguments. It is zero if all of `space` is.
  template <class... Arguments>
  cudaError_t take_memory(carver& space, Arguments... arguments) {
    HINDSIGHT_TRY(call_(nullptr, bytes_, arguments...));
    char* const memory = space.take<char>(bytes_);
    memory_ = space.is_zero() ? temporary_memory::zeroed(memory) : temporary_memory{memory};
    return cudaSuccess;
  }
  /// Makes the call. Requires arguments that need no more memory.
  template <class... Arguments>
  cudaError_t operator()(Arguments... arguments) const {
    std::size_t bytes = bytes_;
    return call_(memory_, bytes, arguments...);
  }

 private:
  Call call_;
  temporary_memory memory_{nullptr};
  std::size_t bytes_ = 0;
};

template <class T, class ResultIt>
HINDSIGHT_KERNEL void store_kernel(T value, ResultIt result) {
  *result = value;
}

/// *result = value: all that is to be done for an empty range.
template <class T, class ResultIt>
cudaError_t store(T value, ResultIt result, cudaStream_t stream) {
  HINDSIGHT_LAUNCH(1, 1, 0, stream, store_kernel)(value, result);
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
