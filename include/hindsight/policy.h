// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution policies. Pass one as the first argument of a Thrust algorithm. If hindsight has
// the algorithm, the call finds its overload by argument-dependent lookup. If not, the call falls
// through to the stock backend that the policy derives from.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/config.h>
#include <hindsight/detail/policy_base.h>
#include <hindsight/workspace.h>
#if HINDSIGHT_CUDA
#  include <hindsight/detail/runtime/pool.h>  // temporary memory of cuda::par, found by ADL
#endif

#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/detail/execute_with_allocator.h>
#include <thrust/execution_policy.h>

#include <cstddef>

namespace hindsight {

namespace host {
inline namespace HINDSIGHT_HOST_ABI {

/// Base of policies that run on host threads.
template <class Derived>
using execution_policy = hindsight::execution_policy<Derived, system>;

namespace detail {

/// A policy that knows how many threads its calls may take; 0: as many as there are.
template <class Derived>
struct team_base : execution_policy<Derived> {
  constexpr team_base() = default;

  /// The same with calls that take at most so many threads.
  constexpr Derived threads(unsigned count) const {
    Derived policy = static_cast<const Derived&>(*this);
    policy.num_threads_ = count;
    return policy;
  }
  /// The count that threads() was given; 0: as many as there are.
  constexpr unsigned num_threads() const { return num_threads_; }

 private:
  unsigned num_threads_ = 0;
};

}  // namespace detail

/// What host::par.threads(count) is.
struct with_threads : detail::team_base<with_threads> {
  constexpr with_threads() = default;
};

/// `host::par`; also `host::par(allocator)`, `host::par(workspace)` and, as with Thrust's policies,
/// `host::par(memory_resource)`, which needs <thrust/mr/allocator.h> (hindsight.h includes it).
/// `.threads(count)` of each limits the threads of a call. A call never takes more than 1024, or
/// than the machine has if that is more. With or without a limit, a call takes fewer threads if
/// there are few data, and only one inside of an OpenMP parallel region. No result depends on the
/// number of threads.
///   Memory  a call takes its temporary memory before it writes anything. Only sorts of segments,
///           summed_area_table, run_length_decode and unique_by_key_copy take more later
///   Sync    every call returns when its result is ready
///   Errors  invalid_call for bad arguments, null pointers among them. std::bad_alloc: no data have
///           changed, except in the calls that take memory later. If functors throw, the call
///           throws the first exception, when all threads have ended
struct par_t : execution_policy<par_t>,
               thrust::detail::allocator_aware_execution_policy<detail::team_base> {
  constexpr par_t() = default;
  /// The same with calls that take at most so many threads.
  ///   Example
  ///     std::vector<int> items(100000, 2);
  ///     hindsight::sort(hindsight::host::par.threads(2), items);
  constexpr with_threads threads(unsigned count) const { return with_threads{}.threads(count); }
};

/// Host threads, whatever the translation unit is compiled for.
_CCCL_GLOBAL_CONSTANT par_t par;

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Base of policies that run on the GPU.
template <class Derived>
using execution_policy = hindsight::execution_policy<Derived, system>;

namespace detail {

HINDSIGHT_HD inline cudaStream_t default_stream() {
#  ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  return cudaStreamPerThread;
#  else
  return cudaStreamLegacy;
#  endif
}

/// Whether work in the stream runs now. If the stream is being captured, the work runs later, with
/// the graph, and nobody can wait for it.
HINDSIGHT_HD inline bool runs_now(cudaStream_t stream) {
  NV_IF_TARGET(NV_IS_HOST,
               (cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
                const cudaError_t error = cudaStreamIsCapturing(stream, &status);
                return error != cudaSuccess || status == cudaStreamCaptureStatusNone;),
               (return static_cast<void>(stream), true;))
}

/// A policy that knows its stream. Thrust calls two hidden friends: get_stream gives the stream,
/// the other one says whether a call waits at its end.
template <class Derived>
struct on_stream_base : execution_policy<Derived> {
  /// Streams convert to policies, as with Thrust.
  HINDSIGHT_HD on_stream_base(cudaStream_t stream = default_stream()) : stream_{stream} {}

  HINDSIGHT_HD Derived on(cudaStream_t stream) const {
    Derived policy = static_cast<const Derived&>(*this);
    policy.stream_ = stream;
    return policy;
  }

 private:
  cudaStream_t stream_;
  friend HINDSIGHT_HD cudaStream_t get_stream(const on_stream_base& policy) {
    return policy.stream_;
  }
  friend HINDSIGHT_HD bool must_perform_optional_stream_synchronization(
      const on_stream_base& policy) {
    return detail::runs_now(policy.stream_);
  }
};

/// The same, for calls that do not wait for a result that stays on the device.
template <class Derived>
struct on_stream_nosync_base : on_stream_base<Derived> {
  using on_stream_base<Derived>::on_stream_base;

 private:
  friend HINDSIGHT_HD bool must_perform_optional_stream_synchronization(
      const on_stream_nosync_base&) {
    return false;
  }
};

}  // namespace detail

/// What cuda::par.on(stream) is.
struct on_stream : detail::on_stream_base<on_stream> {
  using detail::on_stream_base<on_stream>::on_stream_base;
};
/// What cuda::par_nosync.on(stream) is.
struct on_stream_nosync : detail::on_stream_nosync_base<on_stream_nosync> {
  using detail::on_stream_nosync_base<on_stream_nosync>::on_stream_nosync_base;
};

/// `cuda::par`: the default stream; `.on(stream)`; `(allocator)`, `(memory_resource)` and
/// `(workspace)`, each of which takes `.on(stream)` in turn. A call whose stream is being captured
/// becomes part of the graph, with its temporary memory. A call that returns a value that depends
/// on device data cannot: it throws (cudaErrorStreamCaptureUnsupported), and the capture goes on.
///   Memory  temporary memory comes from a stream-ordered pool that keeps what it has until
///           release_memory(); an allocator gets its memory back after the call's last kernel. It
///           gets it back at once where the call is captured: the graph still uses that memory
///   Sync    every call returns when its result is ready, or captured
///   Errors  thrust::system_error that names the algorithm; invalid_call for bad arguments;
///           bad_alloc. If an earlier CUDA call of the thread failed and nobody has cleared its
///           error (cudaGetLastError), that error is thrown, and nothing is launched
struct par_t : execution_policy<par_t>,
               thrust::detail::allocator_aware_execution_policy<detail::on_stream_base> {
  using stream_attachment_type = on_stream;  ///< of on(stream), as Thrust names it

  constexpr par_t() = default;
  /// The same in that stream.
  HINDSIGHT_HD on_stream on(cudaStream_t stream) const { return on_stream{stream}; }

 private:
  friend HINDSIGHT_HD bool must_perform_optional_stream_synchronization(const par_t&) {
    return detail::runs_now(detail::default_stream());
  }
};

/// As `cuda::par`, but a call waits only if it returns a value that depends on device data. An
/// allocator gets its memory back while kernels may still use it. So it may hand this memory only
/// to later work in the same stream.
struct par_nosync_t
    : execution_policy<par_nosync_t>,
      thrust::detail::allocator_aware_execution_policy<detail::on_stream_nosync_base> {
  using stream_attachment_type = on_stream_nosync;  ///< of on(stream), as Thrust names it

  constexpr par_nosync_t() = default;
  /// The same in that stream.
  HINDSIGHT_HD on_stream_nosync on(cudaStream_t stream) const { return on_stream_nosync{stream}; }

 private:
  friend HINDSIGHT_HD bool must_perform_optional_stream_synchronization(const par_nosync_t&) {
    return false;
  }
};

/// The GPU; a call returns when its result is ready.
_CCCL_GLOBAL_CONSTANT par_t par;
/// The GPU; a call waits only for a value that it returns.
_CCCL_GLOBAL_CONSTANT par_nosync_t par_nosync;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace cuda
#endif

inline namespace HINDSIGHT_HOST_ABI {

#if HINDSIGHT_CUDA
using par_t = cuda::par_t;                ///< of `par`
using par_nosync_t = cuda::par_nosync_t;  ///< of `par_nosync`
#else
using par_t = host::par_t;
using par_nosync_t = host::par_t;
#endif

/// The policy of the translation unit: cuda::par under nvcc, host::par under a C++ compiler.
///   Example
///     thrust::device_vector<int> keys(1000, 2);
///     thrust::sort(hindsight::par, keys.begin(), keys.end());
_CCCL_GLOBAL_CONSTANT par_t par;
/// The same without waiting: cuda::par_nosync under nvcc; host threads always wait. Results that
/// stay on the device are ready when the stream is.
///   Example
///     thrust::device_vector<int> keys(1000, 2), sums(1000);
///     hindsight::sort(hindsight::par_nosync, keys.begin(), keys.end());
///     hindsight::inclusive_scan(hindsight::par, keys.begin(), keys.end(), sums.begin());
_CCCL_GLOBAL_CONSTANT par_nosync_t par_nosync;

}  // namespace HINDSIGHT_HOST_ABI

inline namespace HINDSIGHT_ARCH_ABI {

/// Gives back to the system the memory that the library keeps between calls. For the current CUDA
/// device this is the pool of temporary memory, the slots of results and the zeroed memory of small
/// calls; the next calls allocate anew. Memory of calls that have not finished stays. Memory of
/// graphs is not the library's: cudaDeviceGraphMemTrim releases it. The host engine keeps nothing.
///   Time    that of CUDA's calls that free memory
///   Memory  what is kept without this call: as much temporary memory as calls had in use at one
///           time (in pieces of 2 MiB and more), 4 KiB of pinned memory for each call that
///           waited for a value at one time, and 256 KiB for each small call that waited at one
///           time, and for each stream and thread of small calls that do not wait, up to 8 MiB
///           (those of other threads stay). If no other memory is left, cudaMalloc gets memory of
///           the pool
///   Order   not applicable
///   Sync    none promised; it may wait for the device
///   Errors  thrust::system_error
///   Example
///     hindsight::release_memory();
inline void release_memory() {
#if HINDSIGHT_CUDA
  detail::release_current_context();
#endif
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
