// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans in CUB's shape: names, argument order and two phases of cub::Device*, so that one template
// body compiles against either namespace.
//   temp == nullptr  writes temp_bytes and does nothing else
//   Sync    none: asynchronous on `stream`
//   Errors  cudaErrorInvalidValue for bad arguments (a negative number of items, too little room),
//           before anything is launched; else the first CUDA error. Throws nothing
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>
#include <hindsight/detail/plain_types.h>

#include <cub/device/device_scan.cuh>

#include <type_traits>

namespace hindsight {

inline namespace HINDSIGHT_ARCH_ABI {

/// Scans, of all items and by key. out may be in. Sums have the type that `op` returns for two
/// items (int for char), as in CUB. An initial value may be a cub::FutureValue, or with CCCL 3.6 a
/// cuda::args::deferred: kernels read it when they run. Time, Memory and Order as inclusive_scan,
/// and by key as inclusive_scan_by_key. Sums that are not trivially copyable are CUB's, and scans
/// of all items whose sums have more than about 580 bytes.
///   Example
///     thrust::device_vector<int> in(1000, 2), out(1000);
///     std::size_t bytes = 0;
///     hindsight::DeviceScan::ExclusiveSum(nullptr, bytes, in.begin(), out.begin(), 1000);
///     thrust::device_vector<char> temp(bytes);
///     hindsight::DeviceScan::ExclusiveSum(temp.data().get(), bytes, in.begin(), out.begin(),
///         1000);
struct DeviceScan {
  /// out[i] = in[0] op ... op in[i].
  template <class InputIt, class OutputIt, class Op, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t InclusiveScan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                   Op op, NumItems num_items, cudaStream_t stream = 0) {
    using accumulator = detail::accumulator_t<Op, detail::item_t<InputIt>, detail::item_t<InputIt>>;
    return scan<accumulator, detail::cuda::inclusive>(temp, temp_bytes, in, out, op,
                                                      detail::cuda::no_init{}, num_items, stream);
  }

  /// out[i] = init op in[0] op ... op in[i].
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems>
  static cudaError_t InclusiveScanInit(void* temp, std::size_t& temp_bytes, InputIt in,
                                       OutputIt out, Op op, Init init, NumItems num_items,
                                       cudaStream_t stream = 0) {
    return scan<accumulator_from<Op, InputIt, Init>, detail::cuda::inclusive>(
        temp, temp_bytes, in, out, op, init, num_items, stream);
  }

  /// out[i] = init op in[0] op ... op in[i - 1].
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems,
            detail::if_num_items<NumItems> = 0>
  static cudaError_t ExclusiveScan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                   Op op, Init init, NumItems num_items, cudaStream_t stream = 0) {
    return scan<accumulator_from<Op, InputIt, Init>, detail::cuda::exclusive>(
        temp, temp_bytes, in, out, op, init, num_items, stream);
  }
  /// The same with an initial value in device memory. Calls that name template arguments need this
  /// form: a FutureValue also converts to its value, for which the host would read device memory.
  template <class InputIt, class OutputIt, class Op, class Init, class InitIt = Init*,
            class NumItems = int, detail::if_num_items<NumItems> = 0>
  static cudaError_t ExclusiveScan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                   Op op, cub::FutureValue<Init, InitIt> init, NumItems num_items,
                                   cudaStream_t stream = 0) {
    return ExclusiveScan<InputIt, OutputIt, Op, cub::FutureValue<Init, InitIt>, NumItems>(
        temp, temp_bytes, in, out, op, init, num_items, stream);
  }

  /// InclusiveScan with op = plus<>.
  template <class InputIt, class OutputIt, class NumItems, detail::if_num_items<NumItems> = 0>
  static cudaError_t InclusiveSum(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                  NumItems num_items, cudaStream_t stream = 0) {
    return scan<sum_t<InputIt, OutputIt>, detail::cuda::inclusive>(
        temp, temp_bytes, in, out, ::cuda::std::plus<>{}, detail::cuda::no_init{}, num_items,
        stream);
  }

  /// ExclusiveScan with op = plus<>, from zero.
  template <class InputIt, class OutputIt, class NumItems, detail::if_num_items<NumItems> = 0>
  static cudaError_t ExclusiveSum(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                                  NumItems num_items, cudaStream_t stream = 0) {
    return scan<sum_t<InputIt, OutputIt>, detail::cuda::exclusive>(
        temp, temp_bytes, in, out, ::cuda::std::plus<>{}, sum_t<InputIt, OutputIt>{}, num_items,
        stream);
  }

  /// InclusiveScan in place.
  template <class It, class Op, class NumItems>
  static cudaError_t InclusiveScan(void* temp, std::size_t& temp_bytes, It data, Op op,
                                   NumItems num_items, cudaStream_t stream = 0) {
    return InclusiveScan(temp, temp_bytes, data, data, op, num_items, stream);
  }
  /// ExclusiveScan in place.
  template <class It, class Op, class Init, class NumItems>
  static cudaError_t ExclusiveScan(void* temp, std::size_t& temp_bytes, It data, Op op, Init init,
                                   NumItems num_items, cudaStream_t stream = 0) {
    return ExclusiveScan(temp, temp_bytes, data, data, op, init, num_items, stream);
  }
  /// The same with an initial value in device memory.
  template <class It, class Op, class Init, class InitIt = Init*, class NumItems = int>
  static cudaError_t ExclusiveScan(void* temp, std::size_t& temp_bytes, It data, Op op,
                                   cub::FutureValue<Init, InitIt> init, NumItems num_items,
                                   cudaStream_t stream = 0) {
    return ExclusiveScan(temp, temp_bytes, data, data, op, init, num_items, stream);
  }
  /// InclusiveSum in place.
  template <class It, class NumItems>
  static cudaError_t InclusiveSum(void* temp, std::size_t& temp_bytes, It data, NumItems num_items,
                                  cudaStream_t stream = 0) {
    return InclusiveSum(temp, temp_bytes, data, data, num_items, stream);
  }
  /// ExclusiveSum in place.
  template <class It, class NumItems>
  static cudaError_t ExclusiveSum(void* temp, std::size_t& temp_bytes, It data, NumItems num_items,
                                  cudaStream_t stream = 0) {
    return ExclusiveSum(temp, temp_bytes, data, data, num_items, stream);
  }

  /// For each run of equal neighbouring keys: out[i] = values[begin of the run] op ... op
  /// values[i]. out may be the values or the keys.
  template <class KeyIt, class ValueIt, class OutputIt, class Op,
            class Equal = ::cuda::std::equal_to<>, class NumItems>
  static cudaError_t InclusiveScanByKey(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                        ValueIt values, OutputIt out, Op op, NumItems num_items,
                                        Equal equal = {}, cudaStream_t stream = 0) {
    using accumulator = detail::accumulator_t<Op, detail::item_t<ValueIt>, detail::item_t<ValueIt>>;
    return scan_by_key<accumulator, detail::cuda::inclusive>(
        temp, temp_bytes, keys, values, out, op, detail::cuda::no_init{}, num_items, equal, stream);
  }

  /// For each run of equal neighbouring keys: out[i] = init op values[begin of the run] op ... op
  /// values[i - 1].
  template <class KeyIt, class ValueIt, class OutputIt, class Op, class Init,
            class Equal = ::cuda::std::equal_to<>, class NumItems>
  static cudaError_t ExclusiveScanByKey(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                        ValueIt values, OutputIt out, Op op, Init init,
                                        NumItems num_items, Equal equal = {},
                                        cudaStream_t stream = 0) {
    return scan_by_key<accumulator_from<Op, ValueIt, Init>, detail::cuda::exclusive>(
        temp, temp_bytes, keys, values, out, op, init, num_items, equal, stream);
  }

  /// InclusiveScanByKey with op = plus<>.
  template <class KeyIt, class ValueIt, class OutputIt, class Equal = ::cuda::std::equal_to<>,
            class NumItems>
  static cudaError_t InclusiveSumByKey(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                       ValueIt values, OutputIt out, NumItems num_items,
                                       Equal equal = {}, cudaStream_t stream = 0) {
    return scan_by_key<sum_t<ValueIt, OutputIt>, detail::cuda::inclusive>(
        temp, temp_bytes, keys, values, out, ::cuda::std::plus<>{}, detail::cuda::no_init{},
        num_items, equal, stream);
  }

  /// ExclusiveScanByKey with op = plus<>, from zero.
  template <class KeyIt, class ValueIt, class OutputIt, class Equal = ::cuda::std::equal_to<>,
            class NumItems>
  static cudaError_t ExclusiveSumByKey(void* temp, std::size_t& temp_bytes, KeyIt keys,
                                       ValueIt values, OutputIt out, NumItems num_items,
                                       Equal equal = {}, cudaStream_t stream = 0) {
    return scan_by_key<sum_t<ValueIt, OutputIt>, detail::cuda::exclusive>(
        temp, temp_bytes, keys, values, out, ::cuda::std::plus<>{}, sum_t<ValueIt, OutputIt>{},
        num_items, equal, stream);
  }

  /// InclusiveScan in one call.
  template <class InputIt, class OutputIt, class Op, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t InclusiveScan(InputIt in, OutputIt out, Op op, NumItems num_items,
                                   const Env& env = {}) {
    return in_one_call<detail::accumulator_t<Op, detail::item_t<InputIt>, detail::item_t<InputIt>>,
                       Op, InputIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveScan(temp, temp_bytes, in, out, op, num_items, stream);
        });
  }
  /// InclusiveScanInit in one call.
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t InclusiveScanInit(InputIt in, OutputIt out, Op op, Init init,
                                       NumItems num_items, const Env& env = {}) {
    return in_one_call<accumulator_from<Op, InputIt, Init>, Op, InputIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveScanInit(temp, temp_bytes, in, out, op, init, num_items, stream);
        });
  }
  /// ExclusiveScan in one call.
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveScan(InputIt in, OutputIt out, Op op, Init init, NumItems num_items,
                                   const Env& env = {}) {
    return in_one_call<accumulator_from<Op, InputIt, Init>, Op, InputIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveScan(temp, temp_bytes, in, out, op, init, num_items, stream);
        });
  }
  /// The same with an initial value in device memory.
  template <class InputIt, class OutputIt, class Op, class Init, class InitIt = Init*,
            class NumItems = int, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveScan(InputIt in, OutputIt out, Op op,
                                   cub::FutureValue<Init, InitIt> init, NumItems num_items,
                                   const Env& env = {}) {
    return in_one_call<accumulator_from<Op, InputIt, Init>, Op, InputIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveScan(temp, temp_bytes, in, out, op, init, num_items, stream);
        });
  }
  /// InclusiveSum in one call.
  template <class InputIt, class OutputIt, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t InclusiveSum(InputIt in, OutputIt out, NumItems num_items,
                                  const Env& env = {}) {
    return in_one_call<sum_t<InputIt, OutputIt>, ::cuda::std::plus<>, InputIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSum(temp, temp_bytes, in, out, num_items, stream);
        });
  }
  /// ExclusiveSum in one call.
  template <class InputIt, class OutputIt, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveSum(InputIt in, OutputIt out, NumItems num_items,
                                  const Env& env = {}) {
    return in_one_call<sum_t<InputIt, OutputIt>, ::cuda::std::plus<>, InputIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveSum(temp, temp_bytes, in, out, num_items, stream);
        });
  }
  /// InclusiveScan in place, in one call.
  template <class It, class Op, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t InclusiveScan(It data, Op op, NumItems num_items, const Env& env = {}) {
    return InclusiveScan(data, data, op, num_items, env);
  }
  /// ExclusiveScan in place, in one call.
  template <class It, class Op, class Init, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveScan(It data, Op op, Init init, NumItems num_items,
                                   const Env& env = {}) {
    return ExclusiveScan(data, data, op, init, num_items, env);
  }
  /// The same with an initial value in device memory.
  template <class It, class Op, class Init, class InitIt = Init*, class NumItems = int,
            class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveScan(It data, Op op, cub::FutureValue<Init, InitIt> init,
                                   NumItems num_items, const Env& env = {}) {
    return ExclusiveScan(data, data, op, init, num_items, env);
  }
  /// InclusiveSum in place, in one call.
  template <class It, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t InclusiveSum(It data, NumItems num_items, const Env& env = {}) {
    return InclusiveSum(data, data, num_items, env);
  }
  /// ExclusiveSum in place, in one call.
  template <class It, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveSum(It data, NumItems num_items, const Env& env = {}) {
    return ExclusiveSum(data, data, num_items, env);
  }
  /// InclusiveScanByKey in one call.
  template <class KeyIt, class ValueIt, class OutputIt, class Op,
            class Equal = ::cuda::std::equal_to<>, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t InclusiveScanByKey(KeyIt keys, ValueIt values, OutputIt out, Op op,
                                        NumItems num_items, Equal equal = {}, const Env& env = {}) {
    return by_key_in_one_call<
        detail::accumulator_t<Op, detail::item_t<ValueIt>, detail::item_t<ValueIt>>, Op, ValueIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveScanByKey(temp, temp_bytes, keys, values, out, op, num_items, equal,
                                    stream);
        });
  }
  /// ExclusiveScanByKey in one call.
  template <class KeyIt, class ValueIt, class OutputIt, class Op, class Init,
            class Equal = ::cuda::std::equal_to<>, class NumItems, class Env = execution::env<>,
            detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveScanByKey(KeyIt keys, ValueIt values, OutputIt out, Op op, Init init,
                                        NumItems num_items, Equal equal = {}, const Env& env = {}) {
    return by_key_in_one_call<accumulator_from<Op, ValueIt, Init>, Op, ValueIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveScanByKey(temp, temp_bytes, keys, values, out, op, init, num_items, equal,
                                    stream);
        });
  }
  /// InclusiveSumByKey in one call.
  template <class KeyIt, class ValueIt, class OutputIt, class Equal = ::cuda::std::equal_to<>,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t InclusiveSumByKey(KeyIt keys, ValueIt values, OutputIt out, NumItems num_items,
                                       Equal equal = {}, const Env& env = {}) {
    return by_key_in_one_call<sum_t<ValueIt, OutputIt>, ::cuda::std::plus<>, ValueIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return InclusiveSumByKey(temp, temp_bytes, keys, values, out, num_items, equal, stream);
        });
  }
  /// ExclusiveSumByKey in one call.
  template <class KeyIt, class ValueIt, class OutputIt, class Equal = ::cuda::std::equal_to<>,
            class NumItems, class Env = execution::env<>, detail::if_one_call<NumItems, Env> = 0>
  static cudaError_t ExclusiveSumByKey(KeyIt keys, ValueIt values, OutputIt out, NumItems num_items,
                                       Equal equal = {}, const Env& env = {}) {
    return by_key_in_one_call<sum_t<ValueIt, OutputIt>, ::cuda::std::plus<>, ValueIt>(
        env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
          return ExclusiveSumByKey(temp, temp_bytes, keys, values, out, num_items, equal, stream);
        });
  }

 private:
  /// The type in which `op` folds items into an initial value.
  template <class Op, class InputIt, class Init>
  using accumulator_from =
      detail::accumulator_t<Op, detail::item_t<InputIt>, detail::cuda::init_value_t<Init>>;

  /// The type in which sums are made. Integers are added in the output's width: wider sums, cut off
  /// to it, have the same bits. So bytes are added as bytes, four times as many at once as CUB's
  /// ints.
  template <class InputIt, class OutputIt>
  using sum_t = detail::modular_sum_t<
      detail::accumulator_t<::cuda::std::plus<>, detail::item_t<InputIt>, detail::item_t<InputIt>>,
      OutputIt>;

  /// Whether the engine scans these sums. (By key it scans all that are plain. CUB's scans by key
  /// take no larger ones than it does.)
  template <class Accumulator>
  static constexpr bool is_ours =
      detail::is_plain<Accumulator>&& detail::cuda::scan_fits<Accumulator>;

  /// Runs both phases of a call. CUB's scans, which take what the engine cannot fold, promise no
  /// order.
  template <class Accumulator, class Op, class InputIt, bool IsOurs = is_ours<Accumulator>,
            class Env, class Call>
  static cudaError_t in_one_call(const Env& env, Call call) {
    static_assert(
        IsOurs || detail::part_traits<Env>::required == detail::determined::by_nothing,
        "hindsight: items that are large or not trivially copyable are scanned by CUB, whose order "
        "may differ from run to run: no determinism can be required");
    return detail::fold_in_one_call<detail::is_same_on_every_gpu<Accumulator, Op, InputIt>>(env,
                                                                                            call);
  }
  template <class Accumulator, class Op, class ValueIt, class Env, class Call>
  static cudaError_t by_key_in_one_call(const Env& env, Call call) {
    return in_one_call<Accumulator, Op, ValueIt, detail::is_plain<Accumulator>>(env, call);
  }

  /// The engine's calls; CUB's for what the engine cannot fold.
  template <class Accumulator, class Kind, class InputIt, class OutputIt, class Op, class Init,
            class NumItems>
  static cudaError_t scan(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out, Op op,
                          Init init, NumItems num_items, cudaStream_t stream) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    if constexpr (is_ours<Accumulator>) {
      return detail::cuda::scan<Accumulator, Kind>(
          temp, temp_bytes, in, out, detail::to_size(num_items), op,
          detail::cuda::kernel_init<Accumulator>(init), stream);
    } else if constexpr (!detail::require_stock_number<NumItems>()) {
      return cudaErrorInvalidValue;
    } else if constexpr (std::is_same_v<Init, detail::cuda::no_init>) {
      return cub::DeviceScan::InclusiveScan(temp, temp_bytes, in, out, op, num_items, stream);
    } else if constexpr (std::is_same_v<Kind, detail::cuda::inclusive>) {
      return cub::DeviceScan::InclusiveScanInit(temp, temp_bytes, in, out, op, init, num_items,
                                                stream);
    } else {
      return cub::DeviceScan::ExclusiveScan(temp, temp_bytes, in, out, op, init, num_items, stream);
    }
  }
  template <class Accumulator, class Kind, class KeyIt, class ValueIt, class OutputIt, class Op,
            class Init, class NumItems, class Equal>
  static cudaError_t scan_by_key(void* temp, std::size_t& temp_bytes, KeyIt keys, ValueIt values,
                                 OutputIt out, Op op, Init init, NumItems num_items, Equal equal,
                                 cudaStream_t stream) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    if constexpr (detail::is_plain<Accumulator>) {
      return detail::cuda::scan_by_key<Accumulator, Kind>(
          temp, temp_bytes, keys, values, out, detail::to_size(num_items), equal, op,
          detail::cuda::init_of_runs<Accumulator, Op>(init), stream);
    } else if constexpr (!detail::require_stock_number<NumItems>()) {
      return cudaErrorInvalidValue;
    } else if constexpr (std::is_same_v<Init, detail::cuda::no_init>) {
      return cub::DeviceScan::InclusiveScanByKey(temp, temp_bytes, keys, values, out, op, num_items,
                                                 equal, stream);
    } else {
      return cub::DeviceScan::ExclusiveScanByKey(temp, temp_bytes, keys, values, out, op, init,
                                                 num_items, equal, stream);
    }
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight
