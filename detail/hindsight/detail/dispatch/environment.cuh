// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an environment to a call in CUB's two phases: its stream, its memory, what it requires.
#pragma once

#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/stock_reduce_order.h>
#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/runtime/pool.h>
#include <hindsight/detail/runtime/run.cuh>
#include <hindsight/detail/twin.h>
#include <hindsight/execution.h>

#include <cuda/stream_ref>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#if __has_include(<cuda/__execution/determinism.h>)  // CCCL 3.1 or newer
#  include <cuda/__execution/determinism.h>
#  include <cuda/__execution/require.h>
#  include <cuda/memory_resource>
#  include <cuda/std/execution>
#  include <cuda/stream>
#  define HINDSIGHT_CCCL_HAS_ENVIRONMENTS 1
#endif

namespace hindsight::detail {

enum class determined { by_nothing, run_to_run, gpu_to_gpu };

/// Streams, and classes that convert to one, as a program's own wrapper of a stream does.
template <class Part>
inline constexpr bool is_stream = std::is_same_v<Part, cudaStream_t> ||
                                  (std::is_class_v<Part> &&
                                   (std::is_convertible_v<const Part&, ::cuda::stream_ref> ||
                                    std::is_convertible_v<const Part&, cudaStream_t>));
template <class Part>
cudaStream_t stream_of_part(const Part& part) {
  if constexpr (std::is_convertible_v<const Part&, cudaStream_t>) {
    return part;
  } else {
    return ::cuda::stream_ref{part}.get();
  }
}

/// Whether a memory resource has the functions of CCCL 3.1 and newer, or those of 3.0.
template <class Resource, class = void>
inline constexpr bool allocates_on_stream = false;
template <class Resource>
inline constexpr bool allocates_on_stream<
    Resource, std::void_t<decltype(static_cast<void*>(std::declval<Resource&>().allocate(
                  ::cuda::stream_ref{cudaStream_t{}}, std::size_t{}, std::size_t{})))>> = true;
template <class Resource, class = void>
inline constexpr bool allocates_async = false;
template <class Resource>
inline constexpr bool allocates_async<
    Resource, std::void_t<decltype(static_cast<void*>(std::declval<Resource&>().allocate_async(
                  std::size_t{}, std::size_t{}, ::cuda::stream_ref{cudaStream_t{}})))>> = true;
template <class Part>
inline constexpr bool is_resource = allocates_on_stream<Part> || allocates_async<Part>;

/// What one part of an environment says. The first is for parts that are no environment.
template <class Part, class = void>
struct part_traits {
  static constexpr bool has_stream = is_stream<Part>, has_memory = is_resource<Part>;
  static constexpr bool has_requirement = false;
  static constexpr bool is_environment = has_stream || has_memory;
  static constexpr determined required = determined::by_nothing;

  static cudaStream_t stream(const Part& part) { return detail::stream_of_part(part); }
  static const Part& memory(const Part& part) { return part; }
};

template <class Determinism>
struct part_traits<execution::requirement<Determinism>> {
  static constexpr bool has_stream = false, has_memory = false, has_requirement = true;
  static constexpr bool is_environment = true;
  static constexpr determined required =
      std::is_same_v<Determinism, execution::determinism::gpu_to_gpu_t>   ? determined::gpu_to_gpu
      : std::is_same_v<Determinism, execution::determinism::run_to_run_t> ? determined::run_to_run
                                                                          : determined::by_nothing;
  static_assert(required != determined::by_nothing ||
                    std::is_same_v<Determinism, execution::determinism::not_guaranteed_t>,
                "hindsight: require() takes determinism::gpu_to_gpu, run_to_run or not_guaranteed");
};

template <class... Parts>
struct part_traits<execution::env<Parts...>> {
  using env = execution::env<Parts...>;
  static_assert((part_traits<Parts>::is_environment && ...),
                "hindsight: env{...} takes streams, memory resources, require(...) and env{...}");
  static constexpr bool has_stream = (part_traits<Parts>::has_stream || ...);
  static constexpr bool has_memory = (part_traits<Parts>::has_memory || ...);
  static constexpr bool has_requirement = (part_traits<Parts>::has_requirement || ...);
  static constexpr bool is_environment = true;

  /// The index of the first part of which `says` is true.
  static constexpr std::size_t first_of(std::initializer_list<bool> says) {
    std::size_t index = 0;
    for (const bool said : says) {
      if (said) return index;
      ++index;
    }
    return index;
  }
  /// What is the same on every GPU is the same in every run.
  static constexpr determined strictest_of(std::initializer_list<determined> requirements) {
    determined strictest = determined::by_nothing;
    for (const determined one : requirements)
      if (one > strictest) strictest = one;
    return strictest;
  }
  static constexpr determined required = strictest_of({part_traits<Parts>::required...});

  static cudaStream_t stream(const env& parts) {
    constexpr std::size_t index = first_of({part_traits<Parts>::has_stream...});
    const auto& part = parts.template part<index>();
    return part_traits<std::decay_t<decltype(part)>>::stream(part);
  }
  static const auto& memory(const env& parts) {
    constexpr std::size_t index = first_of({part_traits<Parts>::has_memory...});
    const auto& part = parts.template part<index>();
    return part_traits<std::decay_t<decltype(part)>>::memory(part);
  }
};
template <>
struct part_traits<execution::env<>> {
  static constexpr bool has_stream = false, has_memory = false, has_requirement = false;
  static constexpr bool is_environment = true;
  static constexpr determined required = determined::by_nothing;
};

#if defined(HINDSIGHT_CCCL_HAS_ENVIRONMENTS)

template <class Env>
using requirements_of = decltype(std::declval<const Env&>().query(
    std::declval<const ::cuda::execution::__get_requirements_t&>()));
template <class Env, class = void>
struct determinism_of {
  using type = ::cuda::execution::determinism::not_guaranteed_t;
};
template <class Requirements>
using determinism_among = std::decay_t<decltype(std::declval<Requirements>().query(
    std::declval<const ::cuda::execution::determinism::__get_determinism_t&>()))>;
/// Other requirements, as output_ordering, say nothing of it.
template <class Env>
struct determinism_of<Env, std::void_t<determinism_among<requirements_of<Env>>>> {
  using type = determinism_among<requirements_of<Env>>;
};

/// Whether `Env` has a query() of its own for one of these questions.
template <class Env, class Query, class = void>
inline constexpr bool answers = false;
template <class Env, class Query>
inline constexpr bool
    answers<Env, Query,
            std::void_t<decltype(std::declval<const Env&>().query(std::declval<const Query&>()))>> =
        true;

/// CCCL's env and what derives from it, as its execution policies do.
template <class... Parts>
std::true_type derives_from_env(const ::cuda::std::execution::env<Parts...>*);
std::false_type derives_from_env(const void*);

/// Whether CCCL finds a stream in an object: by query(), stream() or get_stream().
template <class Part>
inline constexpr bool has_stream_for_cccl =
    std::is_class_v<Part>&& std::is_invocable_v<::cuda::get_stream_t, const Part&>;

/// CCCL's own environments, and classes of a program that answer what an environment is asked.
/// Streams and memory resources may answer too, but are parts of their own.
template <class Part, class = void>
inline constexpr bool is_cccl_environment =
    (decltype(detail::derives_from_env(static_cast<const Part*>(nullptr)))::value ||
     has_stream_for_cccl<Part> || answers<Part, ::cuda::mr::get_memory_resource_t> ||
     answers<Part, ::cuda::execution::__get_requirements_t>)&&!is_stream<Part> &&
    !is_resource<Part>;
template <class Query, class Value>
inline constexpr bool is_cccl_environment<::cuda::std::execution::prop<Query, Value>> = true;

template <class Env>
struct part_traits<Env, std::enable_if_t<is_cccl_environment<Env>>> {
  static constexpr bool has_stream = std::is_invocable_v<::cuda::get_stream_t, const Env&>;
  static constexpr bool has_memory =
      std::is_invocable_v<::cuda::mr::get_memory_resource_t, const Env&>;
  static constexpr bool is_environment = true;
  using determinism = typename determinism_of<Env>::type;
  static constexpr bool has_requirement =
      !std::is_same_v<determinism, ::cuda::execution::determinism::not_guaranteed_t>;
  static constexpr determined required =
      std::is_same_v<determinism, ::cuda::execution::determinism::gpu_to_gpu_t>
          ? determined::gpu_to_gpu
      : has_requirement ? determined::run_to_run
                        : determined::by_nothing;

  static cudaStream_t stream(const Env& env) { return ::cuda::get_stream(env).get(); }
  static decltype(auto) memory(const Env& env) { return ::cuda::mr::get_memory_resource(env); }
};

#endif

/// Holds for the arguments of a single-call form: a number of items, an environment, and operators
/// that are no environments.
template <class NumItems, class Env, class... Ops>
using if_one_call = std::enable_if_t<is_num_items<NumItems> && part_traits<Env>::is_environment &&
                                         !(part_traits<Ops>::is_environment || ...),
                                     int>;

/// Whether `Op` may be a call's operator: neither a stream, also written as 0, nor an environment.
template <class Op>
inline constexpr bool may_be_operator =
    !std::is_arithmetic_v<Op> && !std::is_convertible_v<Op&, cudaStream_t> &&
    !part_traits<Op>::is_environment;
template <class Op>
using if_operator = std::enable_if_t<may_be_operator<Op>, int>;

/// The stream of an environment; without one the default stream.
template <class Env>
cudaStream_t stream_in(const Env& env) {
  if constexpr (part_traits<Env>::has_stream) {
    return part_traits<Env>::stream(env);
  } else {
    return nullptr;
  }
}

/// The stream of a call in two phases: a stream in any form, or an environment, as in CUB 3.6. Only
/// the environment's stream is used.
class stream_argument {
 public:
  stream_argument(cudaStream_t stream = nullptr) : stream_{stream} {}
  template <class Part, std::enable_if_t<std::is_convertible_v<Part, cudaStream_t>, int> = 0>
  stream_argument(Part&& part) : stream_{std::forward<Part>(part)} {}
  template <class Env, std::enable_if_t<!std::is_convertible_v<const Env&, cudaStream_t> &&
                                            part_traits<Env>::is_environment,
                                        int> = 0>
  stream_argument(const Env& env) : stream_{detail::stream_in(env)} {}

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
};

/// Memory in stream order from a resource. A resource that throws has none, as in CUB.
template <class Resource>
cudaError_t allocate_from(Resource& resource, void** buffer, std::size_t bytes,
                          cudaStream_t stream) noexcept {
  constexpr std::size_t alignment = 256;
  try {
    if constexpr (allocates_on_stream<Resource>) {
      *buffer = resource.allocate(::cuda::stream_ref{stream}, bytes, alignment);
    } else {
      *buffer = resource.allocate_async(bytes, alignment, ::cuda::stream_ref{stream});
    }
  } catch (...) {
    return cudaErrorMemoryAllocation;
  }
  return *buffer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
template <class Resource>
cudaError_t give_back_to(Resource& resource, void* buffer, std::size_t bytes,
                         cudaStream_t stream) noexcept {
  constexpr std::size_t alignment = 256;
  try {
    if constexpr (allocates_on_stream<Resource>) {
      resource.deallocate(::cuda::stream_ref{stream}, buffer, bytes, alignment);
    } else {
      resource.deallocate_async(buffer, bytes, alignment, ::cuda::stream_ref{stream});
    }
  } catch (...) {
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

/// A copy of an environment's resource. One that cannot be copied, as a pool that owns its memory,
/// is itself taken: its functions need not be const.
template <class Resource>
std::conditional_t<std::is_copy_constructible_v<Resource>, Resource, Resource&> resource_of_call(
    const Resource& resource) {
  if constexpr (std::is_copy_constructible_v<Resource>) {
    return resource;
  } else {
    return const_cast<Resource&>(resource);
  }
}

/// Runs both phases of `call(temp, temp_bytes, stream)` with the stream and the memory of `env`.
/// The memory goes back in stream order.
template <class Env, class Call>
cudaError_t in_one_call(const Env& env, Call call) {
  using traits = part_traits<Env>;
  const cudaStream_t stream = detail::stream_in(env);
  std::size_t bytes = 0;
  HINDSIGHT_TRY(detail::reported(call(nullptr, bytes, stream)));
  if (bytes <= no_temporary_bytes)
    return detail::reported(call(&bytes, bytes, stream));  // never read

  void* buffer = nullptr;
  if constexpr (traits::has_memory) {
    decltype(auto) resource = detail::resource_of_call(traits::memory(env));
    HINDSIGHT_TRY(detail::allocate_from(resource, &buffer, bytes, stream));
    const cudaError_t status = detail::reported(call(buffer, bytes, stream));
    const cudaError_t given_back = detail::give_back_to(resource, buffer, bytes, stream);
    return status != cudaSuccess ? status : given_back;
  } else {
    HINDSIGHT_TRY(detail::try_pool_allocate(&buffer, bytes, stream));
    const cudaError_t status = detail::reported(call(buffer, bytes, stream));
    detail::pool_deallocate(buffer, stream);
    return status;
  }
}

/// Whether a fold in a fixed order has the same bits on every GPU: integers, whatever the operator;
/// floating-point numbers that lie in memory, by an operator that is one instruction. Of others the
/// compiler may contract products and sums for one GPU and not for another.
template <class T, class Op, class InputIt>
inline constexpr bool is_same_on_every_gpu = cuda::is_exact<T> ||
                                             (is_float_like<T> &&
                                              cuda::is_known_op<typename twin<Op>::type, T> &&
                                              std::is_pointer_v<cuda::unwrapped<InputIt>>);

/// As in_one_call(). `IsMet`: whether this fold has the same bits on every GPU.
template <bool IsMet, class Env, class Call>
cudaError_t fold_in_one_call(const Env& env, Call call) {
  static_assert(part_traits<Env>::required != determined::gpu_to_gpu || IsMet,
                "hindsight: gpu_to_gpu is met for integers, and for floating-point numbers in "
                "memory by plus, multiplies, minimum or maximum: the compiler may round any other "
                "operator, transform or iterator differently for each GPU");
  return detail::in_one_call(env, call);
}

}  // namespace hindsight::detail
