// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the shard of a rank lies and its work runs: host memory and threads, or a GPU and a stream.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/policy.h>

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/temporary_array.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/runtime/run.cuh>
#endif

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_HOST_ABI {

enum class run_key { first, last };

/// A place has
///   policy()               the policy that a rank's own work runs with; it need not wait
///   entered()              an object; while it lives, the calling thread works at the place
///   enter()                the calling thread, which is the rank's own, works there from now on
///   copy(to, from, bytes)  between memory of any place and of the host; returns when it is done
///   wait()                 for the work of policy()
///   wait_for_caller()      for the work in the caller's stream, if the rank's thread has another
///                          stream of the same name
///   key_of_run             which key of a run of equal ones reduce_by_key writes there
class host_place {
 public:
  static constexpr run_key key_of_run = run_key::first;
  const hindsight::host::par_t& policy() const { return hindsight::host::par; }
  int entered() const { return 0; }
  void enter() const {}
  void copy(void* to, const void* from, std::size_t bytes) const {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void wait() const {}
  void wait_for_caller() const {}
};

/// [n] items of a policy's temporary memory, not initialised.
template <class T, class Policy>
class room {
 public:
  room(const Policy& policy, std::size_t n)
      : bytes_{0, detail::derived(policy), n * sizeof(T) + alignof(T)} {}

  T* data() {
    const auto begin = reinterpret_cast<std::uintptr_t>(thrust::raw_pointer_cast(bytes_.data()));
    return reinterpret_cast<T*>((begin + alignof(T) - 1) / alignof(T) * alignof(T));
  }

 private:
  thrust::detail::temporary_array<char, Policy> bytes_;
};

}  // namespace HINDSIGHT_HOST_ABI

#if HINDSIGHT_CUDA

inline namespace HINDSIGHT_ARCH_ABI {

/// Makes a device the calling thread's, for as long as this lives.
class device_scope {
 public:
  explicit device_scope(int device) {
    throw_on_error(cudaGetDevice(&before_), "hindsight: cudaGetDevice");
    throw_on_error(cudaSetDevice(device), "hindsight: cudaSetDevice");
  }
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;
  ~device_scope() { static_cast<void>(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};

class gpu_place {
 public:
  static constexpr run_key key_of_run = run_key::last;
  gpu_place(int device, cudaStream_t stream) : device_{device}, policy_{stream}, stream_{stream} {}

  const hindsight::cuda::on_stream_nosync& policy() const { return policy_; }
  device_scope entered() const { return device_scope{device_}; }
  /// A thread that went back to the device before, 0, would make a context there.
  void enter() const { throw_on_error(cudaSetDevice(device_), "hindsight: cudaSetDevice"); }
  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }

  void copy(void* to, const void* from, std::size_t bytes) const {
    if (bytes == 0) return;
    throw_on_error(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "hindsight: copy");
    wait();
  }
  void wait() const { throw_on_error(cudaStreamSynchronize(stream_), "hindsight: wait"); }
  void wait_for_caller() const {
    if (!is_of_thread(stream_)) return;
    const device_scope here{device_};
    wait();
  }

 private:
  /// Whether each thread has a stream of this name, on each device.
  static bool is_of_thread(cudaStream_t stream) {
    const bool is_default = stream == nullptr;
    return stream == cudaStreamPerThread ||
           (is_default && hindsight::cuda::detail::default_stream() == cudaStreamPerThread);
  }

  int device_;
  hindsight::cuda::on_stream_nosync policy_;
  cudaStream_t stream_;
};

}  // namespace HINDSIGHT_ARCH_ABI

#endif

}  // namespace hindsight::detail::ranks
