// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items with any number of outputs.
#pragma once

#include <hindsight/detail/contiguous.h>
#include <hindsight/detail/dispatch/call.h>
#include <hindsight/detail/dispatch/host.h>
#include <hindsight/detail/dispatch/scan.h>
#include <hindsight/detail/dispatch/segments.h>
#include <hindsight/detail/dispatch/temporary.h>
#include <hindsight/detail/host/visit_outputs.h>
#include <hindsight/detail/key_bits.h>

#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/cuda/for_each_output.cuh>
#endif

namespace hindsight::detail {
namespace function {

/// Count i of n; 0 behind the last.
template <class T, class CountIt, class Size = std::size_t>
struct padded_counts {
  CountIt counts;
  Size n;
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD T operator()(std::size_t i) const {
    return i < detail::read_items(n) ? static_cast<T>(counts[static_cast<distance_t<CountIt>>(i)])
                                     : T(0);
  }
};

/// A count; 0 in the place of a negative one.
template <class Count>
struct count_or_none {
  _CCCL_EXEC_CHECK_DISABLE
  HINDSIGHT_HD std::size_t operator()(const Count& count) const {
    if constexpr (is_integer<Count> || std::is_floating_point_v<Count>) {
      if (!(count > Count{0})) return 0;
    }
    return static_cast<std::size_t>(count);
  }
};

/// One more than a number of items as read_items() gives it.
struct add_one {
  std::size_t most;
  template <class Integer>
  HINDSIGHT_HD long long operator()(const Integer& count) const {
    return static_cast<long long>(detail::clamp_items(count, most)) + 1;
  }
};

}  // namespace function

#if HINDSIGHT_CUDA
namespace cuda {
inline namespace HINDSIGHT_ARCH_ABI {

template <class InputIt, class OutputIt>
inline constexpr bool loads_ahead<detail::function::copy_to_output<InputIt, OutputIt>> =
    thrust::is_contiguous_iterator_v<InputIt>&& std::is_trivially_copyable_v<item_t<InputIt>>&&
        std::is_trivially_default_constructible_v<item_t<InputIt>> &&
    sizeof(item_t<InputIt>) <= 16;

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace cuda
#endif

namespace dispatch {
inline namespace HINDSIGHT_ARCH_ABI {

/// The counts, and 0 behind the last.
template <class T, class CountIt, class Size>
auto pad_counts(CountIt counts, const Size& n) {
  using padded = function::padded_counts<T, CountIt, Size>;
  using counting = thrust::counting_iterator<std::size_t>;
  return thrust::transform_iterator<padded, counting, T, T>(counting(0), padded{counts, n});
}

/// Counts of outputs, of which none is negative.
template <class CountIt>
auto counts_of_outputs(CountIt counts) {
  if constexpr (std::is_unsigned_v<item_t<CountIt>>) {
    return counts;
  } else {
    using count = function::count_or_none<item_t<CountIt>>;
    return thrust::transform_iterator<count, CountIt, std::size_t, std::size_t>(counts, {});
  }
}

/// One more than a number of items.
inline std::size_t one_more(std::size_t n) {
  return n + 1;
}
template <class CountIt>
auto one_more(const deferred<CountIt>& size) {
  using it = thrust::transform_iterator<function::add_one, CountIt, long long, long long>;
  return deferred<it>{it(size.count, function::add_one{size.most}), size.most + 1};
}

/// `Outs`: the iterators that `f` is known to write to; `touched`: those that must not be null.
template <class... Outs, class D, class System, class OffsetIt, class F, class... Its>
void for_each_output(const execution_policy<D, System>& policy, const char* name,
                     const segment_offsets<OffsetIt>& items, F f, const Its&... touched) {
  static_assert(are_random_access<OffsetIt>,
                "hindsight: offsets are given by random-access iterators");
  const std::size_t num_items = dispatch::count_segments<System>(items, unknown_items, name);
  (void)policy, ((void)touched, ...);  // host threads need no memory for this
  if (num_items == 0) return;
  if constexpr (is_host<System>) {
    [[maybe_unused]] const auto team = dispatch::memory_of(policy);
    const merged_segments<OffsetIt> merged{items.first, num_items};
    dispatch::require_memory<System>(name, merged.total() - num_items, touched...);
    if (!host::are_in_order(merged, {})) return host::visit_outputs_alone(merged, f);
    const host::tiling tiles{merged.total(), sizeof(std::size_t),
                             host::resources{}.template cut_for<Outs...>()};
    host::for_each_tile(tiles, [&](std::size_t tile) {
      const std::size_t begin = tiles.begin(tile);
      const segment_part part = host::part_of(merged, begin, begin + tiles.size(tile));
      F own_f = std::as_const(f);
      host::visit_outputs(merged, part, own_f);
    });
  } else {
#if HINDSIGHT_CUDA
    run(policy, name, [&](void* temp, std::size_t& bytes, auto stream) {
      if (temp == nullptr) return bytes = no_temporary_bytes, cudaSuccess;
      return cuda::for_each_output(items.first, num_items, f, stream);
    });
#endif
  }
}

template <class D, class S, class CountIt, class OutputIt>
OutputIt offsets_of(const execution_policy<D, S>& policy, const char* name, CountIt first,
                    CountIt last, OutputIt out) {
  using offset = std::conditional_t<only_writes<OutputIt>, std::size_t, item_t<OutputIt>>;
  const std::size_t n = detail::length(first, last, name);
  dispatch::require_memory<S>(name, n, first);
  dispatch::require_memory<S>(name, n + 1, out);
  const auto counts = dispatch::pad_counts<offset>(first, n);
  return dispatch::exclusive_scan(policy, name, counts, detail::advanced(counts, n + 1), out,
                                  offset(0), ::cuda::std::plus<>{});
}

template <class D, class S, class InputIt, class OffsetIt, class OutputIt>
void expand(const execution_policy<D, S>& policy, const char* name, InputIt items,
            OffsetIt offsets_first, OffsetIt offsets_last, OutputIt out) {
  static_assert(are_random_access<InputIt, OutputIt>,
                "hindsight: expand takes random-access iterators; in place of an inserter pass "
                "begin() of a vector that has its size");
  const auto expand_from = [&](auto from) {
    dispatch::for_each_output<OutputIt>(
        policy, name, segment_offsets<OffsetIt>{offsets_first, offsets_last},
        function::copy_to_output<decltype(from), OutputIt>{from, out}, from, out);
  };
  if constexpr (is_host<S>) {
    expand_from(host::that_copies(items));  // an item may have several outputs
  } else {
    expand_from(items);
  }
}

/// Returns the number of outputs.
template <class D, class InputIt, class CountIt, class OutputIt>
std::size_t run_decode(const host_policy<D>& policy, const char* name, InputIt items, std::size_t n,
                       CountIt counts, OutputIt out) {
  std::size_t total = 0;
  dispatch::with_temporary<std::size_t>(policy, n + 1, name, [&](std::size_t* offsets) {
    const auto lengths = dispatch::counts_of_outputs(counts);
    dispatch::offsets_of(policy, name, lengths, detail::advanced(lengths, n), offsets);
    dispatch::expand(policy, name, items, offsets, offsets + n + 1, out);
    total = offsets[n];
  });
  return total;
}

/// *num_outputs = the number of outputs.
template <class D, class InputIt, class Last, class CountIt, class OutputIt, class NumIt>
void run_decode_into(const host_policy<D>& policy, const char* name, InputIt first, Last last,
                     CountIt counts, OutputIt out, NumIt num_outputs) {
  dispatch::refuse_null(name, 1, num_outputs);
  const std::size_t n = dispatch::host_length(name, first, dispatch::last_of(first, last, name));
  dispatch::require_memory<hindsight::host::system>(name, n, first, counts);
  detail::write_count(num_outputs,
                      n == 0 ? 0 : dispatch::run_decode(policy, name, first, n, counts, out));
}

#if HINDSIGHT_CUDA
/// A call in CUB's two phases.
template <class InputIt, class Size, class CountIt, class OutputIt, class NumIt>
cudaError_t enqueue_decode(temporary_memory temp, std::size_t& bytes, InputIt items, const Size& n,
                           CountIt counts, OutputIt out, NumIt num_outputs, cudaStream_t stream) {
  const auto lengths = dispatch::counts_of_outputs(cuda::unwrap(counts));
  const auto size = cuda::unwrap_size(n);
  const function::copy_to_output<InputIt, OutputIt> copy{items, out};
  return cuda::for_each_counted_output(temp, bytes,
                                       dispatch::pad_counts<std::size_t>(lengths, size), size,
                                       dispatch::one_more(size), copy, num_outputs, stream);
}

template <class D, class InputIt, class CountIt, class OutputIt>
std::size_t run_decode(const cuda_policy<D>& policy, const char* name, InputIt items, std::size_t n,
                       CountIt counts, OutputIt out) {
  return run_for<std::size_t>(
      policy, name,
      [&](temporary_memory temp, std::size_t& bytes, std::size_t* total, auto stream) {
        return dispatch::enqueue_decode(temp, bytes, items, n, counts, out, total, stream);
      });
}

template <class D, class InputIt, class Last, class CountIt, class OutputIt, class NumIt>
void run_decode_into(const cuda_policy<D>& policy, const char* name, InputIt first, Last last,
                     CountIt counts, OutputIt out, NumIt num_outputs) {
  const auto size = dispatch::size_of(first, last, name);
  run(policy, name, [&](temporary_memory temp, std::size_t& bytes, auto stream) {
    return dispatch::enqueue_decode(temp, bytes, first, size, counts, out, num_outputs, stream);
  });
}
#endif

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace dispatch
}  // namespace hindsight::detail
