// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Environments of the Device* functions' single-call forms, spelled as CCCL's own: what a call runs
// on, where its temporary memory comes from, and how far its bits must be determined. CCCL 3.0 has
// no environments. With a newer CCCL, calls take CCCL's environments as well as these.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <cuda/std/tuple>

#include <cstddef>

/// Environments: a cudaStream_t, anything that converts to cuda::stream_ref, a memory resource with
/// stream order (`allocate(stream, bytes, alignment)` or CCCL 3.0's `allocate_async(bytes,
/// alignment, stream)`), `require(...)`, or several of them in `env{...}`.
///   Example
///     namespace execution = hindsight::execution;
///     const auto everywhere =
///         execution::env{execution::require(execution::determinism::gpu_to_gpu)};
namespace hindsight::execution {

/// How far the bits of a result are determined.
namespace determinism {

struct not_guaranteed_t {};  ///< the type of not_guaranteed
struct run_to_run_t {};      ///< the type of run_to_run
struct gpu_to_gpu_t {};      ///< the type of gpu_to_gpu

inline constexpr not_guaranteed_t not_guaranteed{};  ///< sums may be rounded in any order
inline constexpr run_to_run_t run_to_run{};          ///< the same bits in every run
inline constexpr gpu_to_gpu_t gpu_to_gpu{};          ///< the same bits on every GPU

}  // namespace determinism

/// What require() returns.
template <class Determinism>
struct requirement {};

/// An environment that asks for determinism::gpu_to_gpu, run_to_run or not_guaranteed. A
/// requirement that a call does not meet does not compile.
///   Time, Memory, Order, Sync, Errors  none: this only names the requirement
///   Example
///     namespace execution = hindsight::execution;
///     const auto same_bits = execution::require(execution::determinism::gpu_to_gpu);
template <class Determinism>
constexpr requirement<Determinism> require(Determinism) {
  return {};
}

/// Several environments in one. Where two of them name a stream or a memory resource, the first one
/// counts. Of several requirements the strictest one counts, wherever it stands.
template <class... Parts>
class env {
 public:
  /// Copies the parts.
  constexpr env(Parts... parts) : parts_{parts...} {}

  /// Part `Index`.
  template <std::size_t Index>
  constexpr const auto& part() const {
    return ::cuda::std::get<Index>(parts_);
  }

 private:
  ::cuda::std::tuple<Parts...> parts_;
};

}  // namespace hindsight::execution
