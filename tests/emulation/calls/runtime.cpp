// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"

#include "emulation/grid.h"
#include "emulation/memory.h"
#include "emulation/schedule.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using work = std::function<void()>;

/// What streams were given while they were captured.
struct captured_work {
  struct node {
    work run;
    std::vector<std::size_t> after;  ///< nodes that come before it
  };

  captured_work() = default;
  captured_work(const captured_work&) = delete;
  ~captured_work() {
    for (const auto& [memory, bytes] : arrays) emulation::free(memory);
  }

  std::vector<node> nodes;
  std::map<void*, std::size_t> arrays;  ///< memory that each run has anew
  bool is_broken = false;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
};
struct CUgraph_st {
  std::shared_ptr<const captured_work> all;
};
struct CUgraphExec_st {
  std::shared_ptr<const captured_work> all;
  cudaStream_t stream = nullptr;  ///< of the last launch, which the next one waits for
  std::uint64_t number = 0;       ///< of its last work
};
struct CUevent_st {
  cudaStream_t stream = nullptr;
  std::uint64_t number = 0;                 ///< of the last work before it
  std::shared_ptr<captured_work> captured;  ///< or the nodes before it
  std::vector<std::size_t> after;
};
struct CUstream_st {
  bool blocks = true;  ///< waits for the default stream
  unsigned long long number = next_number();

 private:
  static unsigned long long next_number() {
    static std::atomic<unsigned long long> last{1};  // that of the default stream
    return ++last;
  }
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
  std::vector<std::size_t> after;           ///< nodes that the next one comes after
};

/// Memory of the pool that was freed in a stream's order.
struct free_array {
  std::size_t bytes;
  cudaStream_t stream;            ///< whose later work may have it at once
  std::shared_ptr<bool> is_over;  ///< its turn came: any stream may have it
};

class device {
 public:
  cudaError_t fail_with(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
  }

  /// What each function of the runtime asks first: whether it fails.
  cudaError_t refusal(cudaError_t fault = cudaErrorUnknown) {
    if (broken_by != cudaSuccess) return fail_with(broken_by);
    if (calls_until_fault < 0 || calls_until_fault-- > 0) return cudaSuccess;
    return fail_with(fault);
  }

  /// The default stream has several names.
  static cudaStream_t named(cudaStream_t stream) {
    if (stream == cudaStreamPerThread) return default_of_thread();
    return stream == cudaStreamLegacy ? nullptr : stream;
  }
  static cudaStream_t default_of_thread() {
    static thread_local const cudaStream_t one = new CUstream_st;
    return one;
  }
  static bool blocks(cudaStream_t stream) { return stream == nullptr || stream->blocks; }

  bool captures(cudaStream_t stream) { return queues[named(stream)].captured != nullptr; }

  /// Whether work of the default stream would have to wait for a stream that is being captured.
  bool breaks_a_capture(cudaStream_t stream) {
    if (named(stream) != nullptr) return false;
    bool breaks = false;
    for (auto& [other, q] : queues) {
      if (!q.captured || !blocks(other)) continue;
      q.captured->is_broken = breaks = true;
    }
    return breaks;
  }

  bool waits_for_a_capture(cudaStream_t stream) {
    if (named(stream) != nullptr) return false;
    for (auto& [other, q] : queues)
      if (q.captured && blocks(other)) return true;
    return false;
  }

  /// Whether this thread may not do now what could disturb a capture.
  bool is_unsafe_now() {
    if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
    bool is_unsafe = false;
    for (auto& [stream, q] : queues) {
      if (!q.captured || q.captured->mode == cudaStreamCaptureModeRelaxed) continue;
      const bool is_mine = q.captured->thread == std::this_thread::get_id();
      if (!is_mine && (thread_mode == cudaStreamCaptureModeThreadLocal ||
                       q.captured->mode == cudaStreamCaptureModeThreadLocal))
        continue;
      q.captured->is_broken = is_unsafe = true;
    }
    return is_unsafe;
  }

  cudaError_t put(cudaStream_t stream, work run) {
    if (broken_by != cudaSuccess) return fail_with(broken_by);
    if (breaks_a_capture(stream)) return fail_with(cudaErrorStreamCaptureImplicit);
    has_context = true;
    queue& q = queues[named(stream)];
    if (q.captured) {
      q.captured->nodes.push_back({std::move(run), std::move(q.after)});
      q.after = {q.captured->nodes.size() - 1};
    } else {
      q.entries.push_back({++number, std::move(run)});
    }
    return cudaSuccess;
  }

  /// Runs the stream's work up to a number, and what that has to wait for.
  void run(cudaStream_t stream, std::uint64_t last) {
    stream = named(stream);
    if (queues.count(stream) == 0) return;  // it was destroyed
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
      queues[named(stream)].captured->is_broken = true;
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
      q.captured->is_broken = true;
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

  /// Memory that an earlier call of the stream has freed, or one of another stream whose turn came.
  void* allocate_from_pool(std::size_t bytes, cudaStream_t stream) {
    for (auto& [memory, array] : free_arrays) {
      if (array.bytes < bytes || (array.stream != stream && !*array.is_over)) continue;
      void* const again = memory;
      pool_arrays[again] = array.bytes;
      free_arrays.erase(again);
      return again;
    }
    void* const memory = emulation::allocate(bytes);
    pool_arrays[memory] = bytes;
    return memory;
  }
  cudaError_t free_in_order(void* memory, cudaStream_t stream) {
    const auto found = pool_arrays.find(memory);
    if (found == pool_arrays.end()) return fail_with(cudaErrorInvalidValue);
    const std::size_t bytes = found->second;
    pool_arrays.erase(found);
    const auto is_over = std::make_shared<bool>(false);
    free_arrays[memory] = {bytes, stream, is_over};
    return put(stream, [=] {
      poison(memory, bytes);
      *is_over = true;
      if (decide.happens(2)) free_really(memory, is_over);
    });
  }
  /// Unless somebody has the memory already.
  void free_really(void* memory, const std::shared_ptr<bool>& is_over) {
    const auto found = free_arrays.find(memory);
    if (found == free_arrays.end() || found->second.is_over != is_over) return;
    free_arrays.erase(found);
    emulation::free(memory);
  }
  void trim_pool() {
    for (auto next = free_arrays.begin(); next != free_arrays.end();) {
      const auto array = next++;
      if (!*array->second.is_over) continue;
      emulation::free(array->first);
      free_arrays.erase(array);
    }
  }

  /// All memory and all work are gone. There is no context until somebody needs one.
  void forget_context() {
    for (const auto& [memory, bytes] : sizes) emulation::free(memory);
    for (const auto& [memory, bytes] : pool_arrays) emulation::free(memory);
    for (const auto& [memory, array] : free_arrays) emulation::free(memory);
    sizes.clear();
    pool_arrays.clear();
    free_arrays.clear();
    queues.clear();
    has_context = false;
    ++context;
  }

  std::map<cudaStream_t, queue> queues;
  std::map<void*, std::size_t> pool_arrays;  ///< that somebody has
  std::map<void*, free_array> free_arrays;
  bool has_context = false;
  unsigned long long context = 1;
  int calls_until_fault = -1;  ///< none where negative
  std::map<void*, std::size_t> sizes;
  std::uint64_t number = 0;
  random_decisions decide{0};
  asked counts;
  std::string what_failed;
  cudaError_t broken_by = cudaSuccess;
  static thread_local cudaError_t last_error;
  static thread_local cudaStreamCaptureMode thread_mode;
};

thread_local cudaError_t device::last_error = cudaSuccess;
thread_local cudaStreamCaptureMode device::thread_mode = cudaStreamCaptureModeGlobal;

device& the_device() {
  static device* one = new device;  // destructors of static objects may still call
  return *one;
}

int say_allocation(unsigned long long* begin, std::size_t* bytes, unsigned long long address) {
  for (const auto* arrays : {&the_device().sizes, &the_device().pool_arrays}) {
    for (const auto& [memory, size] : *arrays) {
      const auto first = reinterpret_cast<unsigned long long>(memory);
      if (address < first || address >= first + size) continue;
      *begin = first;
      *bytes = size;
      return 0;
    }
  }
  return 1;
}
int say_context(void*, unsigned long long* id) {
  if (!the_device().has_context) return 201;  // CUDA_ERROR_INVALID_CONTEXT
  *id = the_device().context;
  return 0;
}

}  // namespace

void put(cudaStream_t stream, work run) {
  if (the_device().refusal(cudaErrorLaunchOutOfResources) != cudaSuccess) return;
  ++the_device().counts.launches;
  the_device().put(stream, std::move(run));
}

cudaError_t refusal() {
  return the_device().refusal();
}
cudaError_t allow_shared_bytes(const void* kernel, int bytes) {
  static auto& allowed = *new std::map<const void*, int>;
  if (const cudaError_t status = refusal()) return status;
  const bool is_same = allowed.try_emplace(kernel, bytes).first->second == bytes;
  return is_same ? cudaSuccess : the_device().fail_with(cudaErrorInvalidValue);
}

asked& asked_so_far() {
  return the_device().counts;
}
const std::string& failed_launch() {
  return the_device().what_failed;
}
std::size_t living_arrays() {
  return the_device().sizes.size() + the_device().pool_arrays.size();
}
void fail_at(int call) {
  the_device().calls_until_fault = call;
}
bool has_failed() {
  return the_device().calls_until_fault < 0;
}
std::function<void()>& while_free_waits() {
  static auto& call = *new std::function<void()>;
  return call;
}
void break_context() {
  the_device().broken_by = cudaErrorLaunchFailure;
}
void reset_device(std::uint64_t seed) {
  device& d = the_device();
  d.queues.clear();
  for (auto& [memory, array] : d.free_arrays) *array.is_over = true;
  d.calls_until_fault = -1;
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
  if (const cudaError_t status = the_device().refusal()) return status;
  return *device = 0, cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t status = the_device().refusal()) return status;
  return device == 0 ? cudaSuccess : the_device().fail_with(cudaErrorInvalidDevice);
}
cudaError_t cudaDriverGetVersion(int* version) {
  if (const cudaError_t status = the_device().refusal()) return status;
  return *version = 13000, cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  if (const cudaError_t status = the_device().refusal()) return status;
  return *count = 1, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (const cudaError_t status = the_device().refusal()) return status;
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
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  const bool is_context = std::strcmp(name, "cuCtxGetId") == 0;
  *function = is_context ? reinterpret_cast<void*>(emulation::say_context)
                         : reinterpret_cast<void*>(emulation::say_allocation);
  if (result) *result = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

// --- memory --------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  if (const cudaError_t status = the_device().refusal(cudaErrorMemoryAllocation)) return status;
  if (the_device().is_unsafe_now())
    return the_device().fail_with(cudaErrorStreamCaptureUnsupported);
  ++the_device().counts.allocations;
  the_device().has_context = true;
  *memory = the_device().allocate(bytes);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr && the_device().has_context) return cudaSuccess;
  if (the_device().is_unsafe_now())
    return the_device().fail_with(cudaErrorStreamCaptureUnsupported);
  the_device().has_context = true;
  if (memory == nullptr) return cudaSuccess;
  if (emulation::while_free_waits()) emulation::while_free_waits()();
  for (auto& [stream, q] : the_device().queues) the_device().run(stream, the_device().number);
  the_device().release(memory);
  return the_device().fail_with(the_device().broken_by);
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  if (const cudaError_t status = the_device().refusal(cudaErrorMemoryAllocation)) return status;
  static CUmemPoolHandle_st one;
  if (the_device().is_unsafe_now())
    return the_device().fail_with(cudaErrorStreamCaptureUnsupported);
  return *pool = &one, cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  if (const cudaError_t status = the_device().refusal()) return status;
  return the_device().trim_pool(), cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  if (const cudaError_t status = the_device().refusal()) return status;
  return cudaSuccess;
}
/// A graph has the memory anew each time it runs.
cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  if (const cudaError_t status = the_device().refusal(cudaErrorMemoryAllocation)) return status;
  emulation::device& d = the_device();
  stream = d.named(stream);
  if (d.breaks_a_capture(stream)) return d.fail_with(cudaErrorStreamCaptureImplicit);
  if (!d.captures(stream)) return *memory = d.allocate_from_pool(bytes, stream), cudaSuccess;
  void* const fresh = *memory = emulation::allocate(bytes);
  d.queues[stream].captured->arrays[fresh] = bytes;
  return d.put(stream, [=] { emulation::poison(fresh, bytes); });
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  emulation::device& d = the_device();
  stream = d.named(stream);
  if (!d.captures(stream)) return d.free_in_order(memory, stream);
  const auto& arrays = d.queues[stream].captured->arrays;
  const auto found = arrays.find(memory);
  if (found == arrays.end()) return d.fail_with(cudaErrorInvalidValue);
  return d.put(stream, [memory, bytes = found->second] { emulation::poison(memory, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream) {
  if (const cudaError_t status = the_device().refusal()) return status;
  ++the_device().counts.launches;
  return the_device().put(stream, [=] { std::memset(to, byte, bytes); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  if (const cudaError_t status = the_device().refusal()) return status;
  ++the_device().counts.launches;
  return the_device().put(stream, [=] { std::memmove(to, from, bytes); });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  if (const cudaError_t status = the_device().refusal()) return status;
  unsigned long long begin = 0;
  std::size_t bytes = 0;
  const bool is_known =
      emulation::say_allocation(&begin, &bytes, reinterpret_cast<unsigned long long>(address)) == 0;
  *attributes = {};
  attributes->type = is_known ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return status == cudaSuccess ? the_device().wait(nullptr) : status;
}

// --- streams, events, graphs ---------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (const cudaError_t status = the_device().refusal()) return status;
  *stream = new CUstream_st;
  (*stream)->blocks = (flags & cudaStreamNonBlocking) == 0;
  the_device().queues[*stream];
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  the_device().run(stream, the_device().number);
  the_device().queues.erase(stream);
  if (stream != nullptr) delete stream;
  return the_device().fail_with(the_device().broken_by);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t status = the_device().refusal()) return status;
  return the_device().wait(stream);
}
cudaError_t cudaDeviceReset() {
  the_device().forget_context();
  the_device().broken_by = the_device().last_error = cudaSuccess;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t status = the_device().refusal()) return status;
  return the_device().wait_for_all();
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (const cudaError_t status = the_device().refusal()) return status;
  return *event = new CUevent_st, cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return delete event, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t status = the_device().refusal()) return status;
  emulation::device& d = the_device();
  if (d.breaks_a_capture(stream)) return d.fail_with(cudaErrorStreamCaptureImplicit);
  const emulation::queue& q = d.queues[d.named(stream)];
  *event = {d.named(stream), d.number, q.captured, q.after};
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t status = the_device().refusal()) return status;
  if (event->captured) return the_device().fail_with(cudaErrorCapturedEvent);
  the_device().run(event->stream, event->number);
  return the_device().fail_with(the_device().broken_by);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (const cudaError_t status = the_device().refusal()) return status;
  emulation::device& d = the_device();
  if (d.breaks_a_capture(stream)) return d.fail_with(cudaErrorStreamCaptureImplicit);
  emulation::queue& q = d.queues[d.named(stream)];
  if (event->captured) {  // the stream joins the capture
    if (q.captured && q.captured != event->captured)
      return d.fail_with(cudaErrorStreamCaptureMerge);
    if (d.named(stream) == nullptr) return d.fail_with(cudaErrorStreamCaptureImplicit);
    q.captured = event->captured;
    q.after.insert(q.after.end(), event->after.begin(), event->after.end());
    return cudaSuccess;
  }
  if (q.captured) return d.fail_with(cudaErrorStreamCaptureIsolation);
  return d.put(stream,
               [from = event->stream, number = event->number] { the_device().run(from, number); });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (*mode == cudaStreamCaptureModeRelaxed)  // the way back never fails
    if (const cudaError_t status = the_device().refusal()) return status;
  std::swap(*mode, emulation::device::thread_mode);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (const cudaError_t error = the_device().refusal()) return error;
  if (the_device().waits_for_a_capture(stream))
    return the_device().fail_with(cudaErrorStreamCaptureImplicit);
  *status =
      the_device().captures(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  if (const cudaError_t status = the_device().refusal()) return status;
  stream = emulation::device::named(stream);
  return *id = stream ? stream->number : 1, cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (const cudaError_t status = the_device().refusal()) return status;
  emulation::queue& q = the_device().queues[emulation::device::named(stream)];
  if (q.captured || stream == nullptr || stream == cudaStreamLegacy)
    return the_device().fail_with(cudaErrorIllegalState);
  q.captured = std::make_shared<captured_work>();
  q.captured->origin = emulation::device::named(stream);
  q.captured->mode = mode;
  q.captured->thread = std::this_thread::get_id();
  q.after.clear();
  return cudaSuccess;
}
/// All that other streams were given has to come before what the first one was given last.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  stream = emulation::device::named(stream);
  emulation::queue& origin = the_device().queues[stream];
  if (!origin.captured) return the_device().fail_with(cudaErrorIllegalState);
  const auto captured = origin.captured;
  if (captured->origin != stream) return the_device().fail_with(cudaErrorStreamCaptureUnmatched);
  std::vector<char> is_before(captured->nodes.size());
  for (const std::size_t node : origin.after) is_before[node] = true;
  for (std::size_t node = captured->nodes.size(); node-- > 0;)
    if (is_before[node])
      for (const std::size_t earlier : captured->nodes[node].after) is_before[earlier] = true;
  const bool is_joined = std::count(is_before.begin(), is_before.end(), 0) == 0;
  for (auto& [other, q] : the_device().queues) {
    if (q.captured != captured) continue;
    q.captured = nullptr;
    q.after.clear();
  }
  *graph = nullptr;
  if (captured->is_broken) return the_device().fail_with(cudaErrorStreamCaptureInvalidated);
  if (!is_joined) return the_device().fail_with(cudaErrorStreamCaptureUnjoined);
  *graph = new CUgraph_st{captured};
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (const cudaError_t status = the_device().refusal()) return status;
  *exec = new CUgraphExec_st{graph->all, nullptr, 0};
  return cudaSuccess;
}
/// Its nodes run in any order that they allow. A graph runs once at a time.
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (const cudaError_t status = the_device().refusal()) return status;
  emulation::device& d = the_device();
  ++d.counts.launches;
  if (exec->number != 0) {
    const cudaError_t status = d.put(
        stream, [from = exec->stream, number = exec->number] { the_device().run(from, number); });
    if (status != cudaSuccess) return status;
  }
  const std::size_t count = exec->all->nodes.size();
  std::vector<char> is_put(count);
  for (std::size_t put = 0; put < count; ++put) {
    std::vector<std::size_t> next;
    for (std::size_t node = 0; node < count; ++node) {
      const auto& after = exec->all->nodes[node].after;
      if (!is_put[node] &&
          std::all_of(after.begin(), after.end(), [&](std::size_t i) { return is_put[i] != 0; }))
        next.push_back(node);
    }
    const std::size_t node = next[d.decide.choose(static_cast<unsigned>(next.size()))];
    is_put[node] = true;
    const cudaError_t status = d.put(stream, [all = exec->all, node] { all->nodes[node].run(); });
    if (status != cudaSuccess) return status;
  }
  exec->stream = d.named(stream);
  exec->number = d.number;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return delete exec, cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return delete graph, cudaSuccess;
}

}  // extern "C"
