// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library keeps between calls: per CUDA context, a pool of temporary memory, the slots
// that kernels write results to, and zeroed memory for small calls.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda_context.h>
#include <hindsight/detail/std_mutex.h>
#include <hindsight/detail/zeroed_memory.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace hindsight::detail {
inline namespace HINDSIGHT_STREAM_ABI {

/// A slab that one call has at a time, until its last kernel is done.
struct call_slab : zeroed_slab {
  call_slab* next = nullptr;
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
  HINDSIGHT_OUT_OF_LINE call_slab* take_slab() {
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      if (call_slab* const slab = free_slabs_) {
        free_slabs_ = slab->next;
        return slab;
      }
    }
    auto* const slab = new (std::nothrow) call_slab;
    if (slab == nullptr) return nullptr;
    if (!slab->allocate()) return delete slab, nullptr;
    return slab;
  }
  /// No kernel may still use it.
  HINDSIGHT_OUT_OF_LINE void give_back_slab(call_slab* slab) {
    const std::lock_guard<std::mutex> lock{mutex_};
    slab->next = free_slabs_;
    free_slabs_ = slab;
  }

  /// Gives all that no call uses back to the system, but the slabs of other threads. cudaFree waits
  /// for kernels: meanwhile other threads may call.
  cudaError_t release() {
    thread_slabs::instance().give_back();
    HINDSIGHT_TRY(stream_slabs::instance().release(id_));
    const outside_capture guard;
    free_slot* kept_slots = nullptr;
    call_slab* slabs = nullptr;
    cudaMemPool_t pool = nullptr;
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      kept_slots = std::exchange(free_slots_, nullptr);
      slabs = std::exchange(free_slabs_, nullptr);
      pool = pool_;
    }
    cudaError_t status = cudaSuccess;
    while (free_slot* const slot = kept_slots) {
      kept_slots = slot->next;
      if (status == cudaSuccess) {
        status = cudaFreeHost(slot);
      } else {
        give_back_slot(slot);
      }
    }
    while (call_slab* const slab = slabs) {
      slabs = slab->next;
      if (status == cudaSuccess) status = cudaFree(slab->begin);
      if (status == cudaSuccess) {
        delete slab;
      } else {
        give_back_slab(slab);
      }
    }
    return status == cudaSuccess && pool ? cudaMemPoolTrimTo(pool, 0) : status;
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
  call_slab* free_slabs_ = nullptr;
};

}  // namespace HINDSIGHT_STREAM_ABI
}  // namespace hindsight::detail
