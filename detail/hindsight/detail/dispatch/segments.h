// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of segments, by offsets or by head flags.
#pragma once

#include <hindsight/detail/contiguous.h>
#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/reduce_by_key.h>
#include <hindsight/detail/dispatch/scan_by_key.h>
#include <hindsight/detail/dispatch/sizes.h>
#include <hindsight/detail/host/operands.h>
#include <hindsight/detail/host/reduce_segments.h>
#include <hindsight/detail/host/scan_segments.h>
#include <hindsight/detail/num_items.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/reduce_segments.cuh>
#  include <hindsight/detail/cuda/scan_segments.cuh>
#endif

namespace hindsight::detail {

/// Segments by their offsets: s is [first[s], first[s + 1]).
template <class OffsetIt>
struct segment_offsets {
  OffsetIt first, last;
};
/// Segments by their offsets, as many as are found when the work starts.
template <class OffsetIt, class SizeIt>
struct deferred_segments {
  OffsetIt first;
  deferred<SizeIt> size;
};
/// Segments by a flag for each item, set where one begins. The first item begins one in any case.
template <class FlagIt>
struct segment_heads {
  FlagIt flags;
};

/// The initial value of an inclusive scan of segments.
struct no_segment_init {};

namespace function {

/// The offset of segment s, or of the end of the last one that exists.
template <class OffsetIt, class SizeIt>
struct offset_of_existing {
  OffsetIt offsets;
  deferred<SizeIt> size;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD auto operator()(std::size_t s) const -> item_t<OffsetIt> {
    const std::size_t num_segments = detail::read_items(size);
    return offsets[static_cast<distance_t<OffsetIt>>(s < num_segments ? s : num_segments)];
  }
};

/// Whether an item belongs to the segment of the item before it, by their flags.
struct continues_segment {
  template <class Flag>
  HINDSIGHT_HD bool operator()(const Flag&, const Flag& flag) const {
    return !static_cast<bool>(flag);
  }
};

/// Items as Ts.
template <class T>
struct as {
  _CCCL_EXEC_CHECK_DISABLE
  template <class Item>
  HINDSIGHT_HD T operator()(const Item& item) const {
    return static_cast<T>(item);
  }
};

/// init op fold.
template <class T, class Op>
struct after {
  T init;
  mutable Op op;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD T operator()(const T& fold) const {
    T before = init, own_fold = fold;  // `op` may change its operands
    return static_cast<T>(op(before, own_fold));
  }
};

}  // namespace function

namespace dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

template <class System, class T, class... Its>
constexpr bool require_segment_types() {
  static_assert(are_random_access<Its...>,
                "hindsight: calls on segments take random-access iterators");
  static_assert(
      holds<System, T>,
      "hindsight: on CUDA the items of segments are trivially copyable and have 512 bytes at most");
  return true;
}

/// On hosts: refuses null pointers to n > 0 items.
template <class System, class... Its>
void require_memory(const char* algorithm, std::size_t n, const Its&... its) {
  (void)algorithm, (void)n, ((void)its, ...);
  if constexpr (is_host<System>) {
    if (n > 0) (dispatch::refuse_null(algorithm, n, its), ...);
  }
}

/// In place of a number of items that no argument says.
inline constexpr std::size_t unknown_items = ~std::size_t{0} / 2;

/// How many segments there are. On hosts: refuses offsets that cannot be those of n items.
template <class System, class OffsetIt>
std::size_t count_segments(const segment_offsets<OffsetIt>& segments, std::size_t n,
                           const char* algorithm) {
  const std::size_t num_offsets = detail::length(segments.first, segments.last, algorithm);
  if (num_offsets == 0) return 0;
  if constexpr (is_host<System>) {
    dispatch::host_length(algorithm, segments.first, segments.last);
    const auto begin = static_cast<long long>(segments.first[0]);
    const auto end =
        static_cast<long long>(segments.first[static_cast<distance_t<OffsetIt>>(num_offsets - 1)]);
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > n)
      throw invalid_call(std::string{algorithm} + ": the offsets go from " + std::to_string(begin) +
                         " to " + std::to_string(end) + "; they must not be negative or decrease" +
                         (n == unknown_items
                              ? std::string{}
                              : ", nor exceed " + std::to_string(n) + ", the number of items"));
  }
  return num_offsets - 1;
}

/// On hosts: the segments that exist. On CUDA: `most` segments; those that do not exist are empty.
template <class System, class OffsetIt, class SizeIt>
auto segments_of(const deferred_segments<OffsetIt, SizeIt>& segments, const char* algorithm) {
  dispatch::refuse_negative_bound(segments.size, algorithm);
  if constexpr (is_host<System>) {
    dispatch::refuse_null(algorithm, 1, segments.size.count);
    dispatch::refuse_null(algorithm, 1, segments.first);
    const std::size_t num_segments = detail::read_items(segments.size);
    return segment_offsets<OffsetIt>{segments.first,
                                     detail::advanced(segments.first, num_segments + 1)};
  } else {
#if HINDSIGHT_CUDA
    const auto offsets = cuda::unwrap(segments.first);
    const deferred size = cuda::unwrap_size(segments.size);
    using clamped = function::offset_of_existing<std::decay_t<decltype(offsets)>,
                                                 std::decay_t<decltype(size.count)>>;
    using counting = thrust::counting_iterator<std::size_t>;
    using offset = item_t<OffsetIt>;
    const thrust::transform_iterator<clamped, counting, offset, offset> first(
        counting(0), clamped{offsets, size});
    const std::size_t most = size.most < largest_bound ? size.most : largest_bound - 1;
    return segment_offsets<std::decay_t<decltype(first)>>{first, detail::advanced(first, most + 1)};
#endif
  }
}

#if HINDSIGHT_CUDA
/// `n`: at least the number of items in all segments; `num_segments`: a number, or a deferred one.
template <class D, class InputIt, class OffsetIt, class Size, class OutputIt, class T, class Op>
void run_reduce_segments(const cuda_policy<D>& policy, const char* name, InputIt first,
                         std::size_t n, OffsetIt offsets, const Size& num_segments, OutputIt out,
                         T start, Op op) {
  const auto to = cuda::unwrap(out);
  using fold = cuda::fold_with<T, Op>;
  const cuda::segment_sums<std::decay_t<decltype(to)>, T, fold> sums{to, start, fold{op}};
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return cuda::reduce_segments<T>(temp, bytes, first, offsets, num_segments, n, sums, start, op,
                                    stream);
  });
}
#endif

/// `n`: at least the number of items in all segments.
template <class D, class System, class InputIt, class OffsetIt, class OutputIt, class T, class Op>
OutputIt reduce_first_segments(const execution_policy<D, System>& policy, const char* name,
                               InputIt first, std::size_t n,
                               const segment_offsets<OffsetIt>& segments, OutputIt out, T init,
                               Op op) {
  detail::require_call_operators<Op>();
  using accumulator = accumulator_t<Op, item_t<InputIt>, T>;
  static_assert(require_segment_types<System, accumulator, InputIt, OffsetIt, OutputIt>());
  const std::size_t num_segments = dispatch::count_segments<System>(segments, n, name);
  if (num_segments == 0) return out;
  const accumulator start = static_cast<accumulator>(init);
  if constexpr (is_host<System>) {
    dispatch::require_memory<System>(name, n, first);
    dispatch::require_memory<System>(name, num_segments, out);
    auto memory = dispatch::memory_of(policy);
    const auto put = [out, start, op](std::size_t s, accumulator& fold) {
      accumulator before = start;
      Op own_op = op;
      detail::advanced(out, s)[0] = static_cast<accumulator>(own_op(before, fold));
    };
    const auto put_empty = [out, start](std::size_t s) { detail::advanced(out, s)[0] = start; };
    host::reduce_segments<accumulator>(
        first, host::plain(segments.first), num_segments, host::keep_operands<accumulator>(op), put,
        put_empty, {host::resources{memory}.template cut_for<OutputIt>(), memory});
  } else {
#if HINDSIGHT_CUDA
    dispatch::run_reduce_segments(policy, name, first, n, segments.first, num_segments, out, start,
                                  op);
#endif
  }
  return detail::advanced(out, num_segments);
}

template <class D, class System, class InputIt, class OffsetIt, class OutputIt, class T, class Op>
OutputIt reduce_segments(const execution_policy<D, System>& policy, const char* name, InputIt first,
                         InputIt last, const segment_offsets<OffsetIt>& segments, OutputIt out,
                         T init, Op op) {
  return dispatch::reduce_first_segments(policy, name, first, detail::length(first, last, name),
                                         segments, out, init, op);
}

template <class D, class System, class InputIt, class OffsetIt, class SizeIt, class OutputIt,
          class T, class Op>
OutputIt reduce_segments(const execution_policy<D, System>& policy, const char* name, InputIt first,
                         InputIt last, const deferred_segments<OffsetIt, SizeIt>& segments,
                         OutputIt out, T init, Op op) {
  if constexpr (is_host<System>) {
    dispatch::reduce_segments(policy, name, first, last,
                              dispatch::segments_of<System>(segments, name), out, init, op);
  } else {
    detail::require_call_operators<Op>();
    using accumulator = accumulator_t<Op, item_t<InputIt>, T>;
    static_assert(require_segment_types<System, accumulator, InputIt, OffsetIt, OutputIt>());
    dispatch::refuse_negative_bound(segments.size, name);
#if HINDSIGHT_CUDA
    const std::size_t n = detail::length(first, last, name);
    // Segments that do not exist must not count as empty ones: the order would depend on them.
    if (segments.size.most > 0)
      dispatch::run_reduce_segments(policy, name, first, n, segments.first, segments.size, out,
                                    static_cast<accumulator>(init), op);
#endif
  }
  return detail::advanced(out, segments.size.most);
}

/// With flags: a reduction by key. A flag is a key; if it is not set, it equals the one before it.
template <class D, class System, class InputIt, class FlagIt, class OutputIt, class T, class Op>
OutputIt reduce_segments(const execution_policy<D, System>& policy, const char* name, InputIt first,
                         InputIt last, const segment_heads<FlagIt>& segments, OutputIt out, T init,
                         Op op) {
  using accumulator = accumulator_t<Op, item_t<InputIt>, T>;
  const std::size_t n = detail::length(first, last, name);
  dispatch::require_memory<System>(name, n, first, segments.flags, out);
  const auto sums = thrust::make_transform_output_iterator(
      out, function::after<accumulator, Op>{static_cast<accumulator>(init), op});
  const auto fold = [&](auto items) {
    const auto ends = dispatch::reduce_by_key(
        policy, name, segments.flags, detail::advanced(segments.flags, n), items,
        thrust::make_discard_iterator(), sums, function::continues_segment{}, op);
    return out + (ends.second - sums);
  };
  if constexpr (std::is_same_v<item_t<InputIt>, accumulator>) {
    return fold(first);
  } else {
    using items =
        thrust::transform_iterator<function::as<accumulator>, InputIt, accumulator, accumulator>;
    return fold(items(first, {}));
  }
}

/// `Init` is no_segment_init for an inclusive scan.
template <class D, class System, class InputIt, class OffsetIt, class OutputIt, class Init,
          class Op>
OutputIt scan_segments(const execution_policy<D, System>& policy, const char* name, InputIt first,
                       InputIt last, const segment_offsets<OffsetIt>& segments, OutputIt out,
                       Init init, Op op) {
  constexpr bool is_inclusive = std::is_same_v<Init, no_segment_init>;
  using accumulator = std::conditional_t<is_inclusive, item_t<InputIt>, Init>;
  static_assert(require_segment_types<System, accumulator, InputIt, OffsetIt, OutputIt>());
  const std::size_t n = detail::length(first, last, name);
  const std::size_t num_segments = dispatch::count_segments<System>(segments, n, name);
  if (n == 0 || num_segments == 0) return detail::advanced(out, n);
  if constexpr (is_host<System>) {
    dispatch::host_length(name, first, last, out);
    auto memory = dispatch::memory_of(policy);
    const auto offsets = host::plain(segments.first);
    const auto fold = host::keep_operands<accumulator>(op);
    if constexpr (is_inclusive) {
      host::scan_segments<host::emits::with_item, accumulator>(first, offsets, num_segments, out,
                                                               fold, host::first_item{}, memory);
    } else {
      host::scan_segments<host::emits::before_item, accumulator>(
          first, offsets, num_segments, out, fold,
          host::initial_value<Init, std::decay_t<decltype(fold)>>{init, fold}, memory);
    }
  } else {
#if HINDSIGHT_CUDA
    run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
      if constexpr (is_inclusive) {
        return cuda::scan_segments<accumulator, cuda::inclusive>(
            temp, bytes, first, segments.first, num_segments, n, out, op, cuda::no_init{}, stream);
      } else {
        return cuda::scan_segments<accumulator, cuda::exclusive>(
            temp, bytes, first, segments.first, num_segments, n, out, op, init, stream);
      }
    });
#endif
  }
  return detail::advanced(out, n);
}

template <class D, class System, class InputIt, class OffsetIt, class SizeIt, class OutputIt,
          class Init, class Op>
OutputIt scan_segments(const execution_policy<D, System>& policy, const char* name, InputIt first,
                       InputIt last, const deferred_segments<OffsetIt, SizeIt>& segments,
                       OutputIt out, Init init, Op op) {
  return dispatch::scan_segments(policy, name, first, last,
                                 dispatch::segments_of<System>(segments, name), out, init, op);
}

template <class D, class System, class InputIt, class FlagIt, class OutputIt, class Init, class Op>
OutputIt scan_segments(const execution_policy<D, System>& policy, const char* name, InputIt first,
                       InputIt last, const segment_heads<FlagIt>& segments, OutputIt out, Init init,
                       Op op) {
  const auto flags_last = detail::advanced(segments.flags, detail::length(first, last, name));
  if constexpr (std::is_same_v<Init, no_segment_init>) {
    return dispatch::inclusive_scan_by_key(policy, name, segments.flags, flags_last, first, out,
                                           function::continues_segment{}, op);
  } else {
    return dispatch::exclusive_scan_by_key(policy, name, segments.flags, flags_last, first, out,
                                           init, function::continues_segment{}, op);
  }
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace dispatch
}  // namespace hindsight::detail
