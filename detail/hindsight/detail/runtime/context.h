// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library keeps between calls: per CUDA context, a pool of temporary memory, the slots
// that kernels write results to, and zeroed memory for small calls.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/driver.h>
#include <hindsight/detail/std_mutex.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace hindsight::detail {

/// While one lives, this thread may do what CUDA forbids while a stream is being captured: make
/// pools, allocate pinned memory, wait for other streams. None of it becomes part of a graph.
class outside_capture {
 public:
  outside_capture() : is_outside_{exchange()} {}
  ~outside_capture() {
    if (is_outside_) exchange();
  }
  outside_capture(const outside_capture&) = delete;
  outside_capture& operator=(const outside_capture&) = delete;

 private:
  /// Whether it worked. If not, what is forbidden fails, and says so.
  bool exchange() {
    if (cudaThreadExchangeStreamCaptureMode(&other_mode_) == cudaSuccess) return true;
    return cudaGetLastError(), false;
  }
  cudaStreamCaptureMode other_mode_ = cudaStreamCaptureModeRelaxed;
  bool is_outside_;
};

/// cuCtxGetId: the context, or null for the current one; its number; 0 for success.
using context_id_function_t = int (*)(void*, unsigned long long*);

/// Null where the driver is older than CUDA 12.
inline context_id_function_t context_id_function() {
  static std::atomic<context_id_function_t> known{nullptr};
  return detail::driver_function(known, "cuCtxGetId", 12000);
}

/// A number that no other context of this process has or had: a device that is reset gets another.
/// Makes the current device's context if there is none yet. With a driver older than CUDA 12 the
/// number is only the device's.
inline cudaError_t id_of_current_context(unsigned long long& id) {
  const auto get_id = context_id_function();
  if (!get_id) {
    int device = 0;
    HINDSIGHT_TRY(cudaGetDevice(&device));
    return id = static_cast<unsigned long long>(device), cudaSuccess;
  }
  if (get_id(nullptr, &id) == 0) return cudaSuccess;
  const outside_capture guard;
  HINDSIGHT_TRY(cudaFree(nullptr));
  return static_cast<cudaError_t>(get_id(nullptr, &id));  // both APIs number errors alike
}

/// Device memory that is cleared once for many small calls: each takes bytes that no call has had
/// since then. One call has the slab at a time, until its last kernel is done.
struct zeroed_slab {
  static constexpr std::size_t bytes = 256 * 1024;
  static constexpr std::size_t most_bytes = 16 * 1024;  ///< that a call may take

  char* begin = nullptr;
  std::size_t used = bytes;  ///< all: to be cleared before it is used
  zeroed_slab* next = nullptr;

  /// Zeroed memory [count] at a multiple of 256 bytes. Requires count <= most_bytes.
  cudaError_t take(std::size_t count, cudaStream_t stream, void*& memory) {
    if (bytes - used < count) {
      used = bytes;  // until all of it is known to be cleared
      HINDSIGHT_TRY(cudaMemsetAsync(begin, 0, bytes, stream));
      used = 0;
    }
    memory = begin + used;
    used += (count + 255) / 256 * 256;
    return cudaSuccess;
  }
};

/// The memory that is kept in one context. Never destroyed, for destructors of static objects may
/// run algorithms. A context that is gone took its memory with it and leaves this object behind,
/// never to be used again.
class context_memory {
 public:
  static constexpr std::size_t slot_bytes = 4096;

  HINDSIGHT_OUT_OF_LINE static cudaError_t of_current_context(context_memory*& memory) {
    thread_local context_memory* known = nullptr;  // has no destructor, which could run too early
    unsigned long long id = 0;
    HINDSIGHT_TRY(id_of_current_context(id));
    if (!known || known->id_ != id) known = &find_or_add(id);
    return memory = known, cudaSuccess;
  }

  /// The pool; null where the device has none.
  HINDSIGHT_OUT_OF_LINE cudaError_t pool(cudaMemPool_t& pool) {
    const std::lock_guard<std::mutex> lock{mutex_};
    if (!knows_pool_) HINDSIGHT_TRY(make_pool());
    return pool = pool_, cudaSuccess;
  }

  /// Pinned memory for one call's result: the kernel writes it there, so no copy has to follow.
  HINDSIGHT_OUT_OF_LINE cudaError_t take_slot(void*& slot) {
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      if (free_slots_) {
        slot = free_slots_;
        free_slots_ = free_slots_->next;
        return cudaSuccess;
      }
    }
    const outside_capture guard;
    return cudaHostAlloc(&slot, slot_bytes, cudaHostAllocDefault);
  }
  /// Nothing may still write to the slot.
  HINDSIGHT_OUT_OF_LINE void give_back_slot(void* slot) {
    const std::lock_guard<std::mutex> lock{mutex_};
    free_slots_ = new (slot) free_slot{free_slots_};
  }

  /// A slab for one call; null where there is no memory for one.
  HINDSIGHT_OUT_OF_LINE zeroed_slab* take_slab() {
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      if (zeroed_slab* const slab = free_slabs_) {
        free_slabs_ = slab->next;
        return slab;
      }
    }
    const outside_capture guard;
    auto* const slab = new (std::nothrow) zeroed_slab;
    if (slab == nullptr) return nullptr;
    void* memory = nullptr;
    if (cudaMalloc(&memory, zeroed_slab::bytes) != cudaSuccess)
      return delete slab, cudaGetLastError(), nullptr;
    slab->begin = static_cast<char*>(memory);
    return slab;
  }
  /// No kernel may still use it.
  HINDSIGHT_OUT_OF_LINE void give_back_slab(zeroed_slab* slab) {
    const std::lock_guard<std::mutex> lock{mutex_};
    slab->next = free_slabs_;
    free_slabs_ = slab;
  }

  /// Gives all that no call uses back to the system.
  cudaError_t release() {
    const outside_capture guard;
    const std::lock_guard<std::mutex> lock{mutex_};
    while (free_slots_) {
      free_slot* const slot = free_slots_;
      free_slots_ = slot->next;
      HINDSIGHT_TRY(cudaFreeHost(slot));
    }
    while (zeroed_slab* const slab = free_slabs_) {
      HINDSIGHT_TRY(cudaFree(slab->begin));
      free_slabs_ = slab->next;
      delete slab;
    }
    return pool_ ? cudaMemPoolTrimTo(pool_, 0) : cudaSuccess;
  }

 private:
  struct free_slot {
    free_slot* next;
  };

  explicit context_memory(unsigned long long id, context_memory* next) : id_{id}, next_{next} {}

  static context_memory& find_or_add(unsigned long long id) {
    static std::mutex mutex;
    static context_memory* newest = nullptr;
    const std::lock_guard<std::mutex> lock{mutex};
    for (context_memory* memory = newest; memory; memory = memory->next_) {
      if (memory->id_ == id) return *memory;
    }
    newest = new context_memory(id, newest);
    return *newest;
  }

  /// A failure is not remembered: the next call tries again.
  cudaError_t make_pool() {
    const outside_capture guard;
    int device = 0, supported = 0;
    HINDSIGHT_TRY(cudaGetDevice(&device));
    HINDSIGHT_TRY(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    if (!supported) return knows_pool_ = true, cudaSuccess;
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = device;
    cudaMemPool_t pool = nullptr;
    HINDSIGHT_TRY(cudaMemPoolCreate(&pool, &props));
    std::uint64_t keep_all = UINT64_MAX;
    const cudaError_t status =
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all);
    if (status != cudaSuccess) return cudaMemPoolDestroy(pool), status;
    pool_ = pool;
    return knows_pool_ = true, cudaSuccess;
  }

  const unsigned long long id_;
  context_memory* const next_;
  std::mutex mutex_;  ///< guards what follows
  bool knows_pool_ = false;
  cudaMemPool_t pool_ = nullptr;
  free_slot* free_slots_ = nullptr;
  zeroed_slab* free_slabs_ = nullptr;
};

}  // namespace hindsight::detail
