// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is zero when a call gets it, so that nothing has to clear it in front of the call's
// kernel: device memory of the library's own, cleared once for many small calls.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda_context.h>
#include <hindsight/detail/std_mutex.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <new>

namespace hindsight::detail {
inline namespace HINDSIGHT_STREAM_ABI {

/// Device memory of which each call takes bytes that no call has had since they were cleared.
/// Requires that what one call does with the slab is over before the next call's work begins.
struct zeroed_slab {
  static constexpr std::size_t bytes = 256 * 1024;
  static constexpr std::size_t most_bytes = 16 * 1024;  ///< that a call may take

  char* begin = nullptr;
  std::size_t used = bytes;  ///< all: to be cleared before it is used

  /// False where there is no memory.
  bool allocate() {
    const outside_capture guard;
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) return cudaGetLastError(), false;
    return begin = static_cast<char*>(memory), true;
  }
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

/// A slab for all that one host thread puts into one stream. The stream keeps the order in which
/// the thread takes and clears, so the thread waits for nothing and needs no lock. A stream that
/// several threads use has a slab for each. When a thread ends, the next one may have its slabs:
/// all that the first one put into a stream comes earlier there.
struct stream_slab : zeroed_slab {
  unsigned long long context, stream;  ///< numbers that no other in the process has or had
  bool has_owner = true;
  stream_slab* next_of_owner = nullptr;
  stream_slab* next = nullptr;

  stream_slab(unsigned long long context, unsigned long long stream)
      : context{context}, stream{stream} {}
  bool is_of(unsigned long long other_context, unsigned long long other_stream) const {
    return context == other_context && stream == other_stream;
  }
};

/// The slabs of all streams. Never destroyed, for destructors of static objects may run algorithms.
class stream_slabs {
 public:
  static constexpr int most = 32;  ///< slabs of a context

  static stream_slabs& instance() {
    static stream_slabs slabs;
    return slabs;
  }
  /// A slab that has no other owner; null where there is no memory, or where there are too many.
  HINDSIGHT_OUT_OF_LINE stream_slab* take(unsigned long long context, unsigned long long stream) {
    const std::lock_guard<std::mutex> lock{mutex_};
    int count = 0;
    for (stream_slab* slab = first_; slab; slab = slab->next) {
      if (!slab->has_owner && slab->is_of(context, stream)) return slab->has_owner = true, slab;
      count += slab->context == context;
    }
    if (count >= most) return nullptr;
    auto* const slab = new (std::nothrow) stream_slab(context, stream);
    if (slab == nullptr) return nullptr;
    if (!slab->allocate()) return delete slab, nullptr;
    slab->next = first_;
    return first_ = slab;
  }
  HINDSIGHT_OUT_OF_LINE void give_back(stream_slab* slab) {
    const std::lock_guard<std::mutex> lock{mutex_};
    slab->has_owner = false;
  }
  /// Gives what has no owner in the current context back to the system. cudaFree waits for kernels:
  /// meanwhile other threads may take and give back.
  HINDSIGHT_OUT_OF_LINE cudaError_t release(unsigned long long context) {
    const outside_capture guard;
    stream_slab* slabs = remove_those_without_owner(context);
    cudaError_t status = cudaSuccess;
    while (stream_slab* const slab = slabs) {
      slabs = slab->next;
      if (status == cudaSuccess) status = cudaFree(slab->begin);
      if (status == cudaSuccess) {
        delete slab;
      } else {
        add(slab);
      }
    }
    return status;
  }

 private:
  stream_slab* remove_those_without_owner(unsigned long long context) {
    const std::lock_guard<std::mutex> lock{mutex_};
    stream_slab* removed = nullptr;
    for (stream_slab** at = &first_; *at;) {
      stream_slab* const slab = *at;
      if (slab->has_owner || slab->context != context) {
        at = &slab->next;
        continue;
      }
      *at = slab->next;
      slab->next = removed;
      removed = slab;
    }
    return removed;
  }
  void add(stream_slab* slab) {
    const std::lock_guard<std::mutex> lock{mutex_};
    slab->next = first_;
    first_ = slab;
  }

  std::mutex mutex_;  ///< guards what follows, and the slabs without an owner
  stream_slab* first_ = nullptr;
};

/// The slabs of one thread, the one used last in front. Has no destructor: objects that are
/// destroyed later may still run algorithms.
struct thread_slabs {
  stream_slab* first = nullptr;
  bool get_none = false;  ///< calls of this thread are to use the caller's memory only
  bool is_over = false;   ///< the thread ends

  static thread_slabs& instance() {
    thread_local thread_slabs slabs;
    return slabs;
  }
  void give_back() {
    while (stream_slab* const slab = first) {
      first = slab->next_of_owner;
      stream_slabs::instance().give_back(slab);
    }
  }
  HINDSIGHT_OUT_OF_LINE stream_slab* of(unsigned long long context, unsigned long long stream) {
    stream_slab** at = &first;
    while (*at && !(*at)->is_of(context, stream)) at = &(*at)->next_of_owner;
    stream_slab* slab = *at;
    if (slab) {
      *at = slab->next_of_owner;
    } else {
      if (is_over) return nullptr;
      give_back_at_the_end();
      slab = stream_slabs::instance().take(context, stream);
      if (slab == nullptr) return nullptr;
    }
    slab->next_of_owner = first;
    return first = slab;
  }

 private:
  static void give_back_at_the_end() {
    struct end_of_thread {
      ~end_of_thread() {
        instance().is_over = true;
        instance().give_back();
      }
    };
    static thread_local const end_of_thread end{};
    static_cast<void>(&end);
  }
};

/// While one lives, and if it is asked to, this thread gets no zeroed memory.
class no_zeroed_memory {
 public:
  explicit no_zeroed_memory(bool is_asked) : before_{thread_slabs::instance().get_none} {
    thread_slabs::instance().get_none |= is_asked;
  }
  ~no_zeroed_memory() { thread_slabs::instance().get_none = before_; }
  no_zeroed_memory(const no_zeroed_memory&) = delete;
  no_zeroed_memory& operator=(const no_zeroed_memory&) = delete;

 private:
  bool before_;
};

/// Zeroed memory [count] for what this thread puts into the stream next. Null where there is none:
/// for too many bytes, in too many streams, where the caller's memory is to serve alone, and while
/// the stream is captured, since graphs may run at any time.
HINDSIGHT_OUT_OF_LINE inline cudaError_t take_zeroed_memory(std::size_t count, cudaStream_t stream,
                                                            void*& memory) {
  memory = nullptr;
  thread_slabs& slabs = thread_slabs::instance();
  if (count > zeroed_slab::most_bytes || slabs.get_none) return cudaSuccess;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  HINDSIGHT_TRY(cudaStreamIsCapturing(stream, &status));
  if (status != cudaStreamCaptureStatusNone) return cudaSuccess;
  unsigned long long context_id = 0, stream_id = 0;
  HINDSIGHT_TRY(id_of_current_context(context_id));
  HINDSIGHT_TRY(cudaStreamGetId(stream, &stream_id));
  stream_slab* const slab = slabs.of(context_id, stream_id);
  return slab ? slab->take(count, stream, memory) : cudaSuccess;
}

}  // namespace HINDSIGHT_STREAM_ABI
}  // namespace hindsight::detail
