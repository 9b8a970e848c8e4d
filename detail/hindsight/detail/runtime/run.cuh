// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a policy to a kernel and back, once for all algorithms: ask for the size, allocate, work,
// wait, release, throw.
#pragma once

#include <hindsight/detail/decimal.h>
#include <hindsight/detail/runtime/context.h>
#include <hindsight/detail/workspace.h>
#include <hindsight/policy.h>

#include <thrust/detail/temporary_array.h>
#include <thrust/system/cuda/detail/util.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/detail/bad_alloc.h>
#include <thrust/system_error.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

[[noreturn]] HINDSIGHT_OUT_OF_LINE inline void throw_failure(cudaError_t status,
                                                             const char* algorithm) {
  cudaGetLastError();  // reported here: the next call must not see it again
  std::string what = algorithm;
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
    what += " (this binary has no code for the GPU's architecture: compile with -arch for it)";
  } else if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    what += " (there is no usable GPU: hindsight::host::par runs without one)";
  } else if (status == cudaErrorStreamCaptureImplicit) {
    what +=
        " (a stream is being captured that waits for the default stream: call with .on(stream), or "
        "make that stream with cudaStreamNonBlocking)";
  }
  throw thrust::system_error(static_cast<int>(status), thrust::cuda_category(), what);
}

/// Throws thrust::system_error that names the algorithm, unless status is cudaSuccess.
inline void throw_on_error(cudaError_t status, const char* algorithm) {
  if (status != cudaSuccess) detail::throw_failure(status, algorithm);
}

/// The stream of a policy.
template <class Derived>
cudaStream_t stream_of(const execution_policy<Derived, hindsight::cuda::system>& policy) {
  return thrust::cuda_cub::stream(derived(policy));
}

/// Throws unless there is a GPU with a driver. Once one was found, no call asks again.
HINDSIGHT_OUT_OF_LINE inline void require_gpu(const char* algorithm) {
  static std::atomic<bool> is_present{false};
  if (is_present.load(std::memory_order_relaxed)) return;
  int count = 0;
  throw_on_error(cudaGetDeviceCount(&count), algorithm);
  is_present.store(true, std::memory_order_relaxed);
}

/// Throws if an earlier CUDA call of this thread failed and nobody asked for its error. Each launch
/// is checked by cudaPeekAtLastError, which could not tell that error from its own. One error may
/// be of this call: it asked whether the default stream runs now, while a stream that waits for it
/// is captured.
HINDSIGHT_OUT_OF_LINE inline void refuse_older_error(const char* algorithm) {
  const cudaError_t status = cudaPeekAtLastError();
  if (status == cudaSuccess) return;
  if (status == cudaErrorStreamCaptureImplicit) throw_on_error(status, algorithm);
  const std::string what = std::string{algorithm} +
                           ": nothing was launched, because an earlier CUDA call failed and its "
                           "error was not cleared (cudaGetLastError)";
  throw_on_error(status, what.c_str());
}

/// Whether what is put into the stream becomes part of a graph and does not run now.
inline bool is_captured(cudaStream_t stream, const char* algorithm) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  throw_on_error(cudaStreamIsCapturing(stream, &status), algorithm);
  return status != cudaStreamCaptureStatusNone;
}

/// Waits if the policy's calls are to return when the work is done.
template <class Derived>
void wait_as_asked(const execution_policy<Derived, hindsight::cuda::system>& policy,
                   const char* algorithm) {
  throw_on_error(thrust::cuda_cub::synchronize_optional(derived(policy)), algorithm);
}

/// Whether a policy's temporary memory is the library's own.
template <class Derived>
inline constexpr bool uses_pool = std::is_same_v<Derived, hindsight::cuda::par_t> ||
                                  std::is_same_v<Derived, hindsight::cuda::on_stream> ||
                                  std::is_same_v<Derived, hindsight::cuda::par_nosync_t> ||
                                  std::is_same_v<Derived, hindsight::cuda::on_stream_nosync>;

/// Whether a policy's memory comes from an allocator, or from get_temporary_buffer() of a program's
/// own policy. These may hand the memory to anyone as soon as they have it back. The pool and
/// workspaces hand it only to what comes later in the stream.
template <class Derived>
inline constexpr bool has_own_allocator = !uses_pool<Derived>;
template <class Allocator, template <class> class Base>
inline constexpr bool has_own_allocator<thrust::detail::execute_with_allocator<Allocator, Base>> =
    !std::is_same_v<std::remove_cv_t<std::remove_reference_t<Allocator>>, workspace>;

/// [n] items of a policy's temporary memory, not initialised. Memory of an allocator of bytes may
/// begin at any address.
template <class T, class Derived>
class temporary {
 public:
  /// Throws bad_alloc (as the pool does) also where an allocator returns a null pointer: CUB's two
  /// phases would take it for a question about the size.
  temporary(const execution_policy<Derived, hindsight::cuda::system>& policy, std::size_t n,
            const char* algorithm) try
      : policy_{policy}, array_{0, derived(policy), n + spare_items} {
    if (!uses_pool<Derived> && data() == nullptr) {
      throw thrust::system::detail::bad_alloc(
          "hindsight: an allocator returned a null pointer for " +
          decimal(static_cast<long long>(n * sizeof(T))) + " temporary bytes");
    }
  } catch (const thrust::system_error& error) {  // of the pool, which does not know the algorithm
    if (uses_pool<Derived> && error.code().category() == thrust::cuda_category())
      throw_on_error(static_cast<cudaError_t>(error.code().value()), algorithm);
    throw;
  }
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  /// An error shows up again at the call's own wait.
  ~temporary() {
    if (has_own_allocator<Derived> && thrust::cuda_cub::synchronize_optional(derived(policy_)))
      cudaGetLastError();
  }

  T* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(thrust::raw_pointer_cast(array_.data()));
    return reinterpret_cast<T*>((address + alignof(T) - 1) / alignof(T) * alignof(T));
  }

 private:
  /// The pool and workspaces give addresses that are multiples of 256.
  static constexpr std::size_t known_alignment = has_own_allocator<Derived> ? 1 : carver::alignment;
  static constexpr std::size_t spare_items = alignof(T) > known_alignment ? 1 : 0;

  const execution_policy<Derived, hindsight::cuda::system>& policy_;
  thrust::detail::temporary_array<T, Derived> array_;
};

/// The size that the first phase writes where no temporary memory is needed.
inline constexpr std::size_t no_temporary_bytes = 1;

/// The end of a call's work in a stream. Objects that lend memory to the call's kernels ask here
/// whether these are done.
class call_end {
 public:
  explicit call_end(cudaStream_t stream) : stream_{stream} {}
  call_end(const call_end&) = delete;
  call_end& operator=(const call_end&) = delete;

  cudaStream_t stream() const { return stream_; }
  /// The memory that is kept in the call's context. Asks once which one that is.
  cudaError_t memory(context_memory*& memory) {
    if (!memory_) HINDSIGHT_TRY(context_memory::of_current_context(memory_));
    return memory = memory_, cudaSuccess;
  }
  HINDSIGHT_OUT_OF_LINE cudaError_t wait() {
    const cudaError_t status = is_over_ ? cudaSuccess : cudaStreamSynchronize(stream_);
    is_over_ = status == cudaSuccess;
    return status;
  }
  /// Whether the end has come; waits for it. A call that failed may have launched a kernel that
  /// still runs: so this waits also after an error. If the wait fails, the context is broken.
  HINDSIGHT_OUT_OF_LINE bool comes() {
    if (is_over_) return true;
    const outside_capture guard;  // the failure may be that another stream is being captured
    if (wait() != cudaSuccess) cudaGetLastError();
    return is_over_;
  }

 private:
  cudaStream_t stream_;
  context_memory* memory_ = nullptr;
  bool is_over_ = false;
};

/// Pinned memory that kernels of one call write its result to.
class result_slot {
 public:
  result_slot(call_end& end, const char* algorithm) : end_{end} {
    throw_on_error(end.memory(memory_), algorithm);
    throw_on_error(memory_->take_slot(slot_), algorithm);
  }
  result_slot(const result_slot&) = delete;
  result_slot& operator=(const result_slot&) = delete;
  ~result_slot() {
    if (end_.comes()) memory_->give_back_slot(slot_);
  }

  void* data() const { return slot_; }

 private:
  call_end& end_;
  context_memory* memory_ = nullptr;
  void* slot_ = nullptr;
};

/// Zeroed memory of one call that waits for its end; null where there is none of that size.
class zeroed_call_memory {
 public:
  zeroed_call_memory(call_end& end, std::size_t bytes, const char* algorithm) : end_{end} {
    if (bytes > zeroed_slab::most_bytes) return;
    throw_on_error(end.memory(memory_), algorithm);
    slab_ = memory_->take_slab();
    if (!slab_) return;
    const cudaError_t status = slab_->take(bytes, end.stream(), data_);
    if (status != cudaSuccess) memory_->give_back_slab(slab_);
    throw_on_error(status, algorithm);
  }
  zeroed_call_memory(const zeroed_call_memory&) = delete;
  zeroed_call_memory& operator=(const zeroed_call_memory&) = delete;
  ~zeroed_call_memory() {
    if (slab_ && end_.comes()) memory_->give_back_slab(slab_);
  }

  void* data() const { return data_; }

 private:
  call_end& end_;
  context_memory* memory_ = nullptr;
  call_slab* slab_ = nullptr;
  void* data_ = nullptr;
};

/// A call in CUB's two phases, with its type erased: so what surrounds it is compiled once for each
/// policy, not once for each call.
class two_phase_call {
 public:
  template <class Call>
  explicit two_phase_call(Call& call) : call_{&call}, invoke_{invoke<Call>} {}
  cudaError_t operator()(temporary_memory temp, std::size_t& bytes, cudaStream_t stream) const {
    return invoke_(call_, temp, bytes, stream);
  }

 private:
  template <class Call>
  static cudaError_t invoke(void* call, temporary_memory temp, std::size_t& bytes,
                            cudaStream_t stream) {
    return (*static_cast<Call*>(call))(temp, bytes, stream);
  }

  void* call_;
  cudaError_t (*invoke_)(void*, temporary_memory, std::size_t&, cudaStream_t);
};

/// The legacy default stream cannot be used while a stream that waits for it is captured: what is
/// put into it breaks the capture. To ask does not.
HINDSIGHT_OUT_OF_LINE inline void refuse_blocked_stream(cudaStream_t stream,
                                                        const char* algorithm) {
  if (stream == nullptr || stream == cudaStreamLegacy) is_captured(stream, algorithm);
}

/// What a call of several steps asks before it takes memory in stream order. The steps ask again,
/// but that is too late: a refused allocation breaks the capture.
HINDSIGHT_OUT_OF_LINE inline void require_usable_stream(cudaStream_t stream,
                                                        const char* algorithm) {
  require_gpu(algorithm);
  refuse_older_error(algorithm);
  refuse_blocked_stream(stream, algorithm);
}

/// enqueue() of a call with its type erased.
template <class Derived>
void enqueue_two_phases(const execution_policy<Derived, hindsight::cuda::system>& policy,
                        const char* algorithm, two_phase_call call, call_end* end) {
  require_gpu(algorithm);
  refuse_older_error(algorithm);
  const cudaStream_t stream = stream_of(policy);
  if (!end) refuse_blocked_stream(stream, algorithm);  // a call that waits has asked
  std::size_t bytes = 0;
  throw_on_error(call(nullptr, bytes, stream), algorithm);
  const no_zeroed_memory guard(!uses_pool<Derived>);  // the caller's memory, and no other
  if (bytes <= no_temporary_bytes) {
    throw_on_error(call(&bytes, bytes, stream), algorithm);  // any address but null: never read
    return;
  }
  if constexpr (uses_pool<Derived>) {
    if (end) {
      const zeroed_call_memory temp(*end, bytes, algorithm);
      if (temp.data()) {
        throw_on_error(call(temporary_memory::zeroed(temp.data()), bytes, stream), algorithm);
        throw_on_error(end->wait(), algorithm);
        return;
      }
    }
  }
  temporary<char, Derived> temp(policy, bytes, algorithm);
  throw_on_error(call(temp.data(), bytes, stream), algorithm);
  if (end && has_own_allocator<Derived>) throw_on_error(end->wait(), algorithm);
}

/// Runs `call(temp, temp_bytes, stream)`, which returns cudaError_t in CUB's two phases, with
/// temporary memory of the policy. Waits for `end` if one is given and the memory asks for it.
template <class Derived, class Call>
void enqueue(const execution_policy<Derived, hindsight::cuda::system>& policy,
             const char* algorithm, Call call, call_end* end = nullptr) {
  detail::enqueue_two_phases(policy, algorithm, two_phase_call{call}, end);
}

/// As enqueue(), then waits as the policy asks.
template <class Derived, class Call>
void run(const execution_policy<Derived, hindsight::cuda::system>& policy, const char* algorithm,
         Call call) {
  if constexpr (uses_pool<Derived>) {
    if (thrust::cuda_cub::must_perform_optional_synchronization(derived(policy))) {
      call_end end(stream_of(policy));
      enqueue(policy, algorithm, call, &end);
      throw_on_error(end.wait(), algorithm);
      return;
    }
  }
  enqueue(policy, algorithm, call);
  wait_as_asked(policy, algorithm);
}

/// Throws if the stream is captured.
HINDSIGHT_OUT_OF_LINE inline void refuse_capture(cudaStream_t stream, const char* algorithm) {
  if (!is_captured(stream, algorithm)) return;
  const std::string what =
      std::string{algorithm} + ": the call returns a value, so a graph cannot capture it";
  throw_on_error(cudaErrorStreamCaptureUnsupported, what.c_str());
}

/// Runs `call(temp, temp_bytes, result, stream)`, waits, and returns what it wrote to *result.
template <class Result, class Derived, class Call>
Result run_for(const execution_policy<Derived, hindsight::cuda::system>& policy,
               const char* algorithm, Call call) {
  static_assert(sizeof(Result) <= context_memory::slot_bytes, "the result has to fit a slot");
  const cudaStream_t stream = stream_of(policy);
  require_gpu(algorithm);
  refuse_capture(stream, algorithm);
  call_end end(stream);
  const result_slot slot(end, algorithm);
  Result* const result = static_cast<Result*>(slot.data());
  enqueue(
      policy, algorithm,
      [&](temporary_memory temp, std::size_t& bytes, cudaStream_t) {
        return call(temp, bytes, result, stream);
      },
      &end);
  throw_on_error(end.wait(), algorithm);
  return std::as_const(*result);  // Result may have a constructor that takes anything
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
