// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls whose counts, and whose numbers of items, stay in device memory. Always ours: stock brings
// them to the host.
#pragma once

#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/partition.h>
#include <hindsight/detail/dispatch/reduce.h>
#include <hindsight/detail/dispatch/reduce_by_key.h>
#include <hindsight/detail/dispatch/run_length_encode.h>
#include <hindsight/detail/dispatch/scan.h>
#include <hindsight/detail/dispatch/select.h>
#include <hindsight/detail/dispatch/sizes.h>
#include <hindsight/detail/dispatch/sort.h>
#include <hindsight/detail/dispatch/unique.h>
#include <hindsight/detail/num_items.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// Refuses at compile time what only stock could do.
template <class S, class... Its>
constexpr void require_ours() {
  static_assert(are_random_access<Its...>,
                "hindsight: a call whose sizes stay on the device takes random access iterators");
}
template <class S, class... Items>
constexpr void require_copies() {
  static_assert(copies<S, Items...>,
                "hindsight: a call whose sizes stay on the device takes items that are trivial to "
                "copy and have 512 bytes at most");
}

#if HINDSIGHT_CUDA
template <class D, class InputIt, class Last, class OutputIt, class CountIt, class Pred,
          class... StencilIt>
void run_select_into(const cuda_policy<D>& policy, const char* name, InputIt first, Last last,
                     OutputIt out, CountIt count, Pred pred, StencilIt... stencil) {
  const auto size = dispatch::size_of(first, last, name);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::select(temp, bytes, first, detail::value_or(cuda::input_is_stencil{}, stencil...),
                        out, cuda::discard_rejected{}, cuda::unwrap(count), size, as_twin(pred),
                        stream);
  });
}

template <class D, class InputIt, class Last, class OutputIt, class CountIt, class Equal>
void run_unique_into(const cuda_policy<D>& policy, const char* name, InputIt first, Last last,
                     OutputIt out, CountIt count, Equal equal) {
  const auto size = dispatch::size_of(first, last, name);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::unique(temp, bytes, first, out, cuda::unwrap(count), size, as_twin(equal), stream);
  });
}

template <class D, class InputIt, class Last, class UniqueOut, class LengthsOut, class CountIt,
          class Equal>
void run_encode_into(const cuda_policy<D>& policy, const char* name, InputIt first, Last last,
                     UniqueOut unique_out, LengthsOut lengths_out, CountIt count, Equal equal) {
  const auto size = dispatch::size_of(first, last, name);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::run_length_encode(temp, bytes, first, unique_out, lengths_out, cuda::unwrap(count),
                                   size, as_twin(equal), stream);
  });
}

template <class D, class InputIt, class Last, class TrueIt, class FalseIt, class CountIt,
          class Pred>
void run_partition_into(const cuda_policy<D>& policy, const char* name, InputIt first, Last last,
                        TrueIt out_true, FalseIt out_false, CountIt count, Pred pred) {
  const auto size = dispatch::size_of(first, last, name);
  const cuda::keep_rejected<cuda::unwrapped<FalseIt>> keep{cuda::unwrap(out_false)};
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::select(temp, bytes, first, cuda::input_is_stencil{}, out_true, keep,
                        cuda::unwrap(count), size, as_twin(pred), stream);
  });
}

template <class Order, class D, class It, class Last, class CountIt, class Pred, class... StencilIt>
void run_partition_in_place_into(const cuda_policy<D>& policy, const char* name, It first,
                                 Last last, CountIt count, Pred pred, StencilIt... stencil) {
  const auto size = dispatch::size_of(first, last, name);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::partition_in_place<Order>(temp, bytes, first,
                                           detail::value_or(cuda::input_is_stencil{}, stencil...),
                                           cuda::unwrap(count), size, as_twin(pred), stream);
  });
}

template <class D, class KeyIt, class Last, class ValueIt, class KeyOut, class ValueOut,
          class CountIt, class Equal, class Op>
void run_reduce_by_key_into(const cuda_policy<D>& policy, const char* name, KeyIt keys_first,
                            Last keys_last, ValueIt values_first, KeyOut keys_out,
                            ValueOut values_out, CountIt count, Equal equal, Op op) {
  const auto size = dispatch::size_of(keys_first, keys_last, name);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::reduce_by_key<item_t<ValueIt>>(temp, bytes, keys_first, values_first, keys_out,
                                                values_out, cuda::unwrap(count), size,
                                                as_twin(equal), as_twin(op), stream);
  });
}

template <class Accum, class D, class InputIt, class SizeIt, class OutputIt, class Op, class... T>
void run_inclusive(const cuda_policy<D>& policy, const char* name, InputIt first,
                   const deferred<SizeIt>& size, OutputIt out, Op op, T... init) {
  dispatch::refuse_negative_bound(size, name);
  const auto start = detail::value_or(cuda::no_init{}, static_cast<Accum>(init)...);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::scan<Accum, cuda::inclusive>(temp, bytes, first, out, size, as_twin(op), start,
                                              stream);
  });
}

template <class D, class InputIt, class SizeIt, class OutputIt, class T, class Op>
void run_exclusive(const cuda_policy<D>& policy, const char* name, InputIt first,
                   const deferred<SizeIt>& size, OutputIt out, T init, Op op) {
  dispatch::refuse_negative_bound(size, name);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::scan<T, cuda::exclusive>(temp, bytes, first, out, size, as_twin(op), init, stream);
  });
}

/// `values` is where they begin, or nothing.
template <class D, class It, class SizeIt, class Compare, class... ValueIt>
void run_sort(const cuda_policy<D>& policy, const char* name, It first,
              const deferred<SizeIt>& size, Compare compare, ValueIt... values) {
  constexpr bool are_pointers =
      (thrust::is_contiguous_iterator_v<It> && ... && thrust::is_contiguous_iterator_v<ValueIt>);
  static_assert(are_pointers,
                "hindsight: on the GPU a sort of a deferred size takes pointers or a vector's "
                "iterators");
  dispatch::refuse_negative_bound(size, name);
  auto* const raw_values =
      detail::value_or(static_cast<no_value*>(nullptr), cuda::unwrap(values)...);
  if constexpr (goes_by_radix<hindsight::cuda::system, item_t<It>, Compare> &&
                !is_composite_key<item_t<It>>) {
    dispatch::enqueue_radix_sort<Compare>(policy, name, cuda::unwrap(first), raw_values, size);
    wait_as_asked(policy, name);
  } else {
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      return cuda::comparison_sort(temp, bytes, first, first, raw_values, raw_values, size,
                                   as_twin(detail::as_order<item_t<It>>(compare)), stream);
    });
  }
}
#endif

template <class D, class InputIt, class Last, class OutputIt, class CountIt, class Pred,
          class... StencilIt>
void run_select_into(const host_policy<D>& policy, const char* name, InputIt first, Last last,
                     OutputIt out, CountIt count, Pred pred, StencilIt... stencil) {
  detail::require_call_operators<Pred>();
  dispatch::refuse_null(name, 1, count);
  detail::write_count(
      count, dispatch::run_counted_select(policy, name, first, dispatch::last_of(first, last, name),
                                          out, pred, stencil...));
}

template <class D, class InputIt, class Last, class OutputIt, class CountIt, class Equal>
void run_unique_into(const host_policy<D>& policy, const char* name, InputIt first, Last last,
                     OutputIt out, CountIt count, Equal equal) {
  const auto own_equal = [&] {
    if constexpr (std::is_same_v<Equal, ::cuda::std::equal_to<>>) {
      return ::cuda::std::equal_to<item_t<InputIt>>{};  // a proxy need not have an operator ==
    } else {
      return equal;
    }
  }();
  dispatch::refuse_null(name, 1, count);
  detail::write_count(
      count, dispatch::run_unique_copy(policy, name, first, dispatch::last_of(first, last, name),
                                       out, own_equal));
}

/// run_select_into() in place: host threads move the items whose copies are not cheap.
template <class D, class S, class It, class Last, class CountIt, class Pred, class... StencilIt>
void run_select_in_place_into(const execution_policy<D, S>& policy, const char* name, It first,
                              Last last, CountIt count, Pred pred, StencilIt... stencil) {
  if constexpr (is_host<S> && !host::is_cheap<item_t<It>>) {
    detail::require_call_operators<Pred>();
    dispatch::refuse_null(name, 1, count);
    const std::size_t n =
        dispatch::host_length(name, first, dispatch::last_of(first, last, name), stencil...);
    const auto marks = detail::value_or(first, stencil...);
    detail::write_count(count, host::move_if(first, marks, n, host::for_items_of(marks, pred)));
  } else {
    dispatch::run_select_into(policy, name, first, last, first, count, pred, stencil...);
  }
}

/// run_unique_into() in place, likewise.
template <class D, class S, class It, class Last, class CountIt, class Equal>
void run_unique_in_place_into(const execution_policy<D, S>& policy, const char* name, It first,
                              Last last, CountIt count, Equal equal) {
  if constexpr (is_host<S> && !host::is_cheap<item_t<It>>) {
    dispatch::refuse_null(name, 1, count);
    const std::size_t n = dispatch::host_length(name, first, dispatch::last_of(first, last, name));
    detail::write_count(count, host::move_heads(first, n, as_twin(equal)));
  } else {
    dispatch::run_unique_into(policy, name, first, last, first, count, equal);
  }
}

template <class D, class InputIt, class Last, class UniqueOut, class LengthsOut, class CountIt,
          class Equal>
void run_encode_into(const host_policy<D>& policy, const char* name, InputIt first, Last last,
                     UniqueOut unique_out, LengthsOut lengths_out, CountIt count, Equal equal) {
  dispatch::refuse_null(name, 1, count);
  detail::write_count(
      count, dispatch::run_encode(policy, name, first, dispatch::last_of(first, last, name),
                                  unique_out, lengths_out, equal));
}

template <class D, class InputIt, class Last, class TrueIt, class FalseIt, class CountIt,
          class Pred>
void run_partition_into(const host_policy<D>& policy, const char* name, InputIt first, Last last,
                        TrueIt out_true, FalseIt out_false, CountIt count, Pred pred) {
  detail::require_call_operators<Pred>();
  dispatch::refuse_null(name, 1, count);
  detail::write_count(count, dispatch::run_counted_partition_copy(
                                 policy, name, first, dispatch::last_of(first, last, name),
                                 out_true, out_false, pred));
}

template <class Order, class D, class It, class Last, class CountIt, class Pred, class... StencilIt>
void run_partition_in_place_into(const host_policy<D>& policy, const char* name, It first,
                                 Last last, CountIt count, Pred pred, StencilIt... stencil) {
  detail::require_call_operators<Pred>();
  dispatch::refuse_null(name, 1, count);
  const It border = dispatch::run_partition<Order>(
      policy, name, first, dispatch::last_of(first, last, name), pred, stencil...);
  detail::write_count(count, border - first);
}

template <class D, class KeyIt, class Last, class ValueIt, class KeyOut, class ValueOut,
          class CountIt, class Equal, class Op>
void run_reduce_by_key_into(const host_policy<D>& policy, const char* name, KeyIt keys_first,
                            Last keys_last, ValueIt values_first, KeyOut keys_out,
                            ValueOut values_out, CountIt count, Equal equal, Op op) {
  dispatch::refuse_null(name, 1, count);
  detail::write_count(count,
                      dispatch::run_reduce_by_key(policy, name, keys_first,
                                                  dispatch::last_of(keys_first, keys_last, name),
                                                  values_first, keys_out, values_out, equal, op));
}

template <class Accum, class D, class InputIt, class SizeIt, class OutputIt, class Op, class... T>
void run_inclusive(const host_policy<D>& policy, const char* name, InputIt first,
                   const deferred<SizeIt>& size, OutputIt out, Op op, T... init) {
  const InputIt last = dispatch::last_of(first, size, name);
  dispatch::run_inclusive<Accum>(policy, name, first, last, out, op, init...);
}

template <class D, class InputIt, class SizeIt, class OutputIt, class T, class Op>
void run_exclusive(const host_policy<D>& policy, const char* name, InputIt first,
                   const deferred<SizeIt>& size, OutputIt out, T init, Op op) {
  const InputIt last = dispatch::last_of(first, size, name);
  dispatch::run_exclusive(policy, name, first, last, out, init, op);
}

template <class D, class It, class SizeIt, class Compare, class... ValueIt>
void run_sort(const host_policy<D>& policy, const char* name, It first,
              const deferred<SizeIt>& size, Compare compare, ValueIt... values) {
  if constexpr (sizeof...(ValueIt) == 0) {
    dispatch::sort(policy, name, first, dispatch::last_of(first, size, name), compare);
  } else {
    dispatch::sort_by_key(policy, name, first, dispatch::last_of(first, size, name), values...,
                          compare);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::dispatch
