// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every call does before the host engine runs: measure and check the range, and find out where
// temporary memory comes from.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/errors.h>
#include <hindsight/policy.h>

#include <thrust/detail/temporary_buffer.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {
inline namespace HINDSIGHT_HOST_ABI {

/// How many threads a policy asks for; 0: as many as there are.
template <class D>
unsigned threads_of(const D& policy) {
  if constexpr (std::is_base_of_v<hindsight::host::detail::team_base<D>, D>) {
    return policy.num_threads();
  } else {
    return 0;
  }
}

/// Memory from a policy's allocator, memory resource or workspace, or from its own
/// get_temporary_buffer().
template <class Policy>
class policy_memory final : public host::memory_source {
 public:
  explicit policy_memory(Policy& policy) : policy_{policy}, team_{dispatch::threads_of(policy)} {}

  void* allocate(std::size_t bytes) override {
    const auto buffer = thrust::get_temporary_buffer<char>(policy_, std::ptrdiff_t(bytes));
    char* const memory = thrust::raw_pointer_cast(buffer.first);
    if (memory == nullptr) throw std::bad_alloc{};
    if (std::size_t(buffer.second) >= bytes) return memory;
    deallocate(memory, std::size_t(buffer.second));
    throw std::bad_alloc{};
  }
  void deallocate(void* memory, std::size_t bytes) noexcept override {
    const thrust::pointer<char, Policy> pointer{static_cast<char*>(memory)};
    thrust::return_temporary_buffer(policy_, pointer, std::ptrdiff_t(bytes));
  }

 private:
  Policy& policy_;
  host::team_size_scope team_;
};

template <>
class policy_memory<hindsight::host::par_t> final : public host::heap_memory {
 public:
  explicit policy_memory(const hindsight::host::par_t&) {}
};

template <>
class policy_memory<hindsight::host::with_threads> final : public host::heap_memory {
 public:
  explicit policy_memory(const hindsight::host::with_threads& policy)
      : team_{policy.num_threads()} {}

 private:
  host::team_size_scope team_;
};

/// The memory of a call with this policy. While it lives, teams have as many threads as the policy
/// asks for.
template <class D>
policy_memory<D> memory_of(const execution_policy<D, hindsight::host::system>& policy) {
  return policy_memory<D>{derived(policy)};
}

/// Refuses a null pointer to items. Iterators that are no pointers are taken as they are.
template <class It>
void refuse_null(const char* algorithm, std::size_t n, It it) {
  if constexpr (std::is_pointer_v<decltype(host::plain(it))>) {
    if (host::plain(it) == nullptr)
      throw invalid_call(std::string{algorithm} + ": a pointer is null, but the range has " +
                         std::to_string(n) + " items; pass pointers to as many");
  }
}

template <class Unary, class It, class Reference, class Value>
void refuse_null(const char* algorithm, std::size_t n,
                 const thrust::transform_iterator<Unary, It, Reference, Value>& it) {
  dispatch::refuse_null(algorithm, n, it.base());
}

/// An iterator over items that this process cannot read: device_vector's, where that is GPU memory.
template <class It>
constexpr bool is_on_device() {
#if HINDSIGHT_CUDA
  return std::is_convertible_v<typename thrust::iterator_system<It>::type*, thrust::cuda::tag*> &&
         is_contiguous<It> &&
         !std::is_lvalue_reference_v<typename ::cuda::std::iterator_traits<It>::reference>;
#else
  return false;
#endif
}

template <class... Its>
constexpr void require_host_memory() {
  static_assert(
      !(dispatch::is_on_device<Its>() || ...),
      "hindsight: host::par cannot reach device memory; pass hindsight::cuda::par, or copy "
      "the items to the host first");
}

/// last - first, and checks that there is memory behind all iterators of the call.
template <class It, class... Its>
std::size_t host_length(const char* algorithm, It first, It last, Its... others) {
  dispatch::require_host_memory<It, Its...>();
  const std::size_t n = detail::length(first, last, algorithm);
  if (n > 0) {
    dispatch::refuse_null(algorithm, n, first);
    (dispatch::refuse_null(algorithm, n, others), ...);
  }
  return n;
}

/// Whether the output of a selection is a null pointer. Then the selection may only write nothing
/// there: a program may have counted first and have allocated memory for no item.
template <class It>
bool is_null_output(It out) {
  dispatch::require_host_memory<It>();
  if constexpr (std::is_pointer_v<decltype(host::plain(out))>) {
    return host::plain(out) == nullptr;
  } else {
    return false;
  }
}

/// Refuses a null output if one of n items goes there. It asks for each item once, so the selection
/// need not ask again.
///   is_written  whether item i goes there
template <class It, class Pred>
void refuse_null_output(const char* algorithm, std::size_t n, It out, Pred is_written) {
  for (std::size_t i = 0; i < n; ++i)
    if (is_written(i)) dispatch::refuse_null(algorithm, n, out);
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
