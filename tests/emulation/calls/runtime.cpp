// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"

#include "emulation/grid.h"
#include "emulation/memory.h"
#include "emulation/schedule.h"
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using work = std::function<void()>;

/// What a stream was given while it was captured.
struct captured_work {
  captured_work() = default;
  captured_work(const captured_work&) = delete;
  ~captured_work() {
    for (const auto& [memory, bytes] : arrays) emulation::free(memory);
  }

  std::vector<work> nodes;
  std::map<void*, std::size_t> arrays;  ///< memory that each run has anew
};
struct CUgraph_st {
  std::shared_ptr<const captured_work> all;
};
struct CUgraphExec_st {
  std::shared_ptr<const captured_work> all;
};
struct CUevent_st {
  cudaStream_t stream = nullptr;
  std::uint64_t number = 0;  ///< of the last work before it
};
struct CUstream_st {
  bool blocks = true;  ///< waits for the default stream
};
struct CUmemPoolHandle_st {};

namespace emulation {
namespace {

/// One stream's work, in order.
struct queue {
  struct entry {
    std::uint64_t number;  ///< all work of the device is numbered
    work run;
  };
  std::deque<entry> entries;
  std::shared_ptr<captured_work> captured;  ///< while it is being captured
  bool is_broken = false;                   ///< the capture
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};

class device {
 public:
  cudaError_t fail_with(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
  }

  /// The default stream has three names.
  static cudaStream_t named(cudaStream_t stream) {
    return stream == cudaStreamLegacy ? nullptr : stream;
  }
  static bool blocks(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamPerThread || stream->blocks;
  }

  bool captures(cudaStream_t stream) { return queues[named(stream)].captured != nullptr; }

  /// Whether work of the default stream would have to wait for a stream that is being captured.
  bool breaks_a_capture(cudaStream_t stream) {
    if (named(stream) != nullptr) return false;
    bool breaks = false;
    for (auto& [other, q] : queues) {
      if (!q.captured || !blocks(other)) continue;
      q.is_broken = breaks = true;
    }
    return breaks;
  }

  /// Whether this thread may not do now what could disturb a capture.
  bool is_unsafe_now() {
    if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
    bool is_unsafe = false;
    for (auto& [stream, q] : queues) {
      if (!q.captured || q.mode == cudaStreamCaptureModeRelaxed) continue;
      q.is_broken = is_unsafe = true;
    }
    return is_unsafe;
  }

  cudaError_t put(cudaStream_t stream, work run) {
    if (broken_by != cudaSuccess) return fail_with(broken_by);
    if (breaks_a_capture(stream)) return fail_with(cudaErrorStreamCaptureImplicit);
    queue& q = queues[named(stream)];
    if (q.captured) {
      q.captured->nodes.push_back(std::move(run));
    } else {
      q.entries.push_back({++number, std::move(run)});
    }
    return cudaSuccess;
  }

  /// Runs the stream's work up to a number, and what that has to wait for.
  void run(cudaStream_t stream, std::uint64_t last) {
    stream = named(stream);
    queue& q = queues[stream];
    while (!q.entries.empty() && q.entries.front().number <= last) {
      const std::uint64_t next = q.entries.front().number;
      if (stream == nullptr) {
        for (auto& [other, unused] : queues)
          if (other != nullptr && blocks(other)) run(other, next - 1);
      } else if (blocks(stream)) {
        run(nullptr, next - 1);
      }
      if (q.entries.empty() || q.entries.front().number != next) continue;
      const work now = std::move(q.entries.front().run);
      q.entries.pop_front();
      if (broken_by != cudaSuccess) continue;
      try {
        now();
      } catch (const failure& f) {
        what_failed = f.what;
        broken_by = cudaErrorLaunchFailure;
      }
    }
  }

  cudaError_t wait(cudaStream_t stream) {
    if (captures(stream)) {
      queues[named(stream)].is_broken = true;
      return fail_with(cudaErrorStreamCaptureUnsupported);
    }
    if (breaks_a_capture(stream)) return fail_with(cudaErrorStreamCaptureImplicit);
    ++counts.waits;
    for (auto& [other, q] : queues)
      if (decide.happens(2)) run(other, q.entries.empty() ? 0 : q.entries.front().number);
    run(stream, number);
    return fail_with(broken_by);
  }

  cudaError_t wait_for_all() {
    for (auto& [stream, q] : queues) {
      if (!q.captured) continue;
      q.is_broken = true;
      return fail_with(cudaErrorStreamCaptureUnsupported);
    }
    ++counts.waits;
    for (auto& [stream, q] : queues) run(stream, number);
    return fail_with(broken_by);
  }

  void* allocate(std::size_t bytes) {
    void* const memory = emulation::allocate(bytes);
    sizes[memory] = bytes;
    return memory;
  }
  void release(void* memory) {
    const auto found = sizes.find(memory);
    if (found == sizes.end()) throw failure{"memory is freed twice, or was never allocated"};
    poison(memory, found->second);
    sizes.erase(found);
    emulation::free(memory);
  }

  std::map<cudaStream_t, queue> queues;
  std::map<void*, std::size_t> sizes;
  std::uint64_t number = 0;
  random_decisions decide{0};
  asked counts;
  std::string what_failed;
  cudaError_t broken_by = cudaSuccess, last_error = cudaSuccess;
  cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
};

device& the_device() {
  static device* one = new device;  // destructors of static objects may still call
  return *one;
}

int say_allocation(unsigned long long* begin, std::size_t* bytes, unsigned long long address) {
  for (const auto& [memory, size] : the_device().sizes) {
    const auto first = reinterpret_cast<unsigned long long>(memory);
    if (address < first || address >= first + size) continue;
    *begin = first;
    *bytes = size;
    return 0;
  }
  return 1;
}
int say_context(void*, unsigned long long* id) {
  *id = 1;
  return 0;
}

}  // namespace

void put(cudaStream_t stream, work run) {
  ++the_device().counts.launches;
  the_device().put(stream, std::move(run));
}

asked& asked_so_far() {
  return the_device().counts;
}
const std::string& failed_launch() {
  return the_device().what_failed;
}
std::size_t living_arrays() {
  return the_device().sizes.size();
}
void reset_device(std::uint64_t seed) {
  device& d = the_device();
  d.queues.clear();
  d.what_failed.clear();
  d.broken_by = d.last_error = cudaSuccess;
  d.counts = {};
  d.decide = random_decisions{seed};
  start_poison(seed);
  enter({machine_of_seed(seed), &d.decide});
}

}  // namespace emulation

using emulation::the_device;

extern "C" {

// --- errors, the device --------------------------------------------------------------------------

cudaError_t cudaPeekAtLastError() {
  return the_device().last_error;
}
cudaError_t cudaGetLastError() {
  return std::exchange(the_device().last_error, cudaSuccess);
}
const char* cudaGetErrorName(cudaError_t) {
  return "an error of the emulation";
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error of the emulation";
}
cudaError_t cudaGetDevice(int* device) {
  return *device = 0, cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : the_device().fail_with(cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 1, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      return *value = 2, cudaSuccess;
    case cudaDevAttrMemoryPoolsSupported:
      return *value = 1, cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      return *value = 9, cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      return *value = 0, cudaSuccess;
    default:  // the sizes of shared memory
      return *value = 200 * 1024, cudaSuccess;
  }
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  const bool is_context = std::strcmp(name, "cuCtxGetId") == 0;
  *function = is_context ? reinterpret_cast<void*>(emulation::say_context)
                         : reinterpret_cast<void*>(emulation::say_allocation);
  if (result) *result = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

// --- memory --------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  if (the_device().is_unsafe_now())
    return the_device().fail_with(cudaErrorStreamCaptureUnsupported);
  ++the_device().counts.allocations;
  *memory = the_device().allocate(bytes);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  if (the_device().is_unsafe_now())
    return the_device().fail_with(cudaErrorStreamCaptureUnsupported);
  for (auto& [stream, q] : the_device().queues) the_device().run(stream, the_device().number);
  the_device().release(memory);
  return the_device().fail_with(the_device().broken_by);
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  static CUmemPoolHandle_st one;
  if (the_device().is_unsafe_now())
    return the_device().fail_with(cudaErrorStreamCaptureUnsupported);
  return *pool = &one, cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
/// A graph has the memory anew each time it runs.
cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  emulation::device& d = the_device();
  if (!d.captures(stream)) return *memory = d.allocate(bytes), cudaSuccess;
  void* const fresh = *memory = emulation::allocate(bytes);
  d.queues[stream].captured->arrays[fresh] = bytes;
  return d.put(stream, [=] { emulation::poison(fresh, bytes); });
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  emulation::device& d = the_device();
  if (!d.captures(stream)) return d.put(stream, [=] { the_device().release(memory); });
  const std::size_t bytes = d.queues[stream].captured->arrays.at(memory);
  return d.put(stream, [=] { emulation::poison(memory, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream) {
  ++the_device().counts.launches;
  return the_device().put(stream, [=] { std::memset(to, byte, bytes); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  ++the_device().counts.launches;
  return the_device().put(stream, [=] { std::memmove(to, from, bytes); });
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return status == cudaSuccess ? the_device().wait(nullptr) : status;
}

// --- streams, events, graphs ---------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{(flags & cudaStreamNonBlocking) == 0};
  the_device().queues[*stream];
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  the_device().run(stream, the_device().number);
  the_device().queues.erase(stream);
  delete stream;
  return the_device().fail_with(the_device().broken_by);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return the_device().wait(stream);
}
cudaError_t cudaDeviceSynchronize() {
  return the_device().wait_for_all();
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new CUevent_st, cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return delete event, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  *event = {stream, the_device().number};
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  the_device().run(event->stream, event->number);
  return the_device().fail_with(the_device().broken_by);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const CUevent_st awaited = *event;
  return the_device().put(stream, [=] { the_device().run(awaited.stream, awaited.number); });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, the_device().thread_mode);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (the_device().breaks_a_capture(stream))
    return the_device().fail_with(cudaErrorStreamCaptureImplicit);
  *status = the_device().captures(stream) ? cudaStreamCaptureStatusActive
                                          : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  emulation::queue& q = the_device().queues[emulation::device::named(stream)];
  if (q.captured || stream == nullptr || stream == cudaStreamLegacy)
    return the_device().fail_with(cudaErrorIllegalState);
  q.captured = std::make_shared<captured_work>();
  q.mode = mode;
  q.is_broken = false;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  emulation::queue& q = the_device().queues[emulation::device::named(stream)];
  if (!q.captured) return the_device().fail_with(cudaErrorIllegalState);
  const auto captured = std::move(q.captured);
  if (q.is_broken) {
    *graph = nullptr;
    return the_device().fail_with(cudaErrorStreamCaptureInvalidated);
  }
  *graph = new CUgraph_st{captured};
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  *exec = new CUgraphExec_st{graph->all};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  ++the_device().counts.launches;
  return the_device().put(stream, [all = exec->all] {
    for (const work& node : all->nodes) node();
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return delete exec, cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return delete graph, cudaSuccess;
}

}  // extern "C"
