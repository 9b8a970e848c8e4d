// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeviceReduce's functions that find the least and the greatest item.
#pragma once

#include <hindsight/detail/cuda/extrema.cuh>
#include <hindsight/detail/dispatch/environment.cuh>
#include <hindsight/detail/dispatch/facade.cuh>

#include <cub/util_type.cuh>
#include <cuda/std/functional>
#include <cuda/std/limits>

#include <type_traits>

namespace hindsight::detail {

/// Writes both extrema of a pair; of an empty range nothing.
template <class WriteLeast, class WriteGreatest>
struct write_both {
  WriteLeast least;
  WriteGreatest greatest;
  HINDSIGHT_HD const write_both& operator*() const { return *this; }
  template <class Placed>
  HINDSIGHT_DEVICE const write_both& operator=(const cuda::placed_pair<Placed>& found) const {
    least = found.least;
    greatest = found.greatest;
    return *this;
  }
  HINDSIGHT_DEVICE const write_both& operator=(cuda::no_item) const { return *this; }
};

/// Writes a place and its item as a `Pair` of key and value; {1, of_empty} for an empty range.
template <class OutputIt, class Pair, class Value>
struct write_key_value {
  OutputIt out;
  Value of_empty;
  HINDSIGHT_HD const write_key_value& operator*() const { return *this; }
  template <class T, bool InMemory>
  HINDSIGHT_DEVICE const write_key_value& operator=(const cuda::placed<T, InMemory>& found) const {
    *out = Pair{static_cast<decltype(Pair::key)>(found.place),
                static_cast<decltype(Pair::value)>(found.item())};
    return *this;
  }
  HINDSIGHT_DEVICE const write_key_value& operator=(cuda::no_item) const {
    *out = Pair{1, static_cast<decltype(Pair::value)>(of_empty)};
    return *this;
  }
};

inline namespace HINDSIGHT_ARCH_ABI {

template <class ItemOut, class PlaceOut>
auto writes_placed(ItemOut item_out, PlaceOut place_out) {
  return cuda::write_placed<cuda::unwrapped<ItemOut>, cuda::unwrapped<PlaceOut>>{
      cuda::unwrap(item_out), cuda::unwrap(place_out)};
}

/// `less` is an order of the items; without one it is less<>. Of equivalent items the first one
/// counts. Where one extremum is asked for, items are compared as what its output holds, as in CUB.
/// For an empty range nothing is written, except as a KeyValuePair: so it is in CUB 3.0 to 3.6,
/// whose documentation says otherwise.
struct device_extrema {
  /// *min_out = the least item, *index_out = its place.
  template <class InputIt, class MinOut, class IndexOut, class NumItems, if_num_items<NumItems> = 0>
  static cudaError_t ArgMin(void* temp, std::size_t& temp_bytes, InputIt in, MinOut min_out,
                            IndexOut index_out, NumItems num_items, stream_argument stream = {}) {
    return ArgMin(temp, temp_bytes, in, min_out, index_out, num_items, ::cuda::std::less<>{},
                  stream);
  }
  /// The same in the order of `less`.
  template <class InputIt, class MinOut, class IndexOut, class Less, class NumItems,
            if_num_items<NumItems> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMin(void* temp, std::size_t& temp_bytes, InputIt in, MinOut min_out,
                            IndexOut index_out, NumItems num_items, Less less,
                            stream_argument stream = {}) {
    return find_one<output_t<MinOut, InputIt>>(temp, temp_bytes, in, num_items,
                                               cuda::pick_least<Less>{less},
                                               detail::writes_placed(min_out, index_out), stream);
  }
  /// *out = cub::KeyValuePair of the least item's place and the item; {1, the largest number} for
  /// an empty range.
  template <class InputIt, class OutputIt, class NumItems, if_num_items<NumItems> = 0>
  static cudaError_t ArgMin(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumItems num_items, cudaStream_t stream = 0) {
    return find_pair<cuda::pick_least<::cuda::std::less<>>>(
        temp, temp_bytes, in, out, num_items, ::cuda::std::numeric_limits<item_t<InputIt>>::max(),
        stream);
  }

  /// *max_out = the greatest item, *index_out = its place.
  template <class InputIt, class MaxOut, class IndexOut, class NumItems, if_num_items<NumItems> = 0>
  static cudaError_t ArgMax(void* temp, std::size_t& temp_bytes, InputIt in, MaxOut max_out,
                            IndexOut index_out, NumItems num_items, stream_argument stream = {}) {
    return ArgMax(temp, temp_bytes, in, max_out, index_out, num_items, ::cuda::std::less<>{},
                  stream);
  }
  /// The same in the order of `less`.
  template <class InputIt, class MaxOut, class IndexOut, class Less, class NumItems,
            if_num_items<NumItems> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMax(void* temp, std::size_t& temp_bytes, InputIt in, MaxOut max_out,
                            IndexOut index_out, NumItems num_items, Less less,
                            stream_argument stream = {}) {
    return find_one<output_t<MaxOut, InputIt>>(temp, temp_bytes, in, num_items,
                                               cuda::pick_greatest<Less>{less},
                                               detail::writes_placed(max_out, index_out), stream);
  }
  /// *out = cub::KeyValuePair of the greatest item's place and the item; {1, the lowest number} for
  /// an empty range.
  template <class InputIt, class OutputIt, class NumItems, if_num_items<NumItems> = 0>
  static cudaError_t ArgMax(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                            NumItems num_items, cudaStream_t stream = 0) {
    return find_pair<cuda::pick_greatest<::cuda::std::less<>>>(
        temp, temp_bytes, in, out, num_items,
        ::cuda::std::numeric_limits<item_t<InputIt>>::lowest(), stream);
  }

  /// Both, in one pass.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class Less, class NumItems, if_num_items<NumItems> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMinMax(void* temp, std::size_t& temp_bytes, InputIt in, MinOut min_out,
                               MinIndexOut min_index_out, MaxOut max_out, MaxIndexOut max_index_out,
                               NumItems num_items, Less less, stream_argument stream = {}) {
    return find_both<cuda::pick_greatest<Less>>(temp, temp_bytes, in, min_out, min_index_out,
                                                max_out, max_index_out, num_items, less, stream);
  }
  /// The same by less<>.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class NumItems, if_num_items<NumItems> = 0>
  static cudaError_t ArgMinMax(void* temp, std::size_t& temp_bytes, InputIt in, MinOut min_out,
                               MinIndexOut min_index_out, MaxOut max_out, MaxIndexOut max_index_out,
                               NumItems num_items, stream_argument stream = {}) {
    return ArgMinMax(temp, temp_bytes, in, min_out, min_index_out, max_out, max_index_out,
                     num_items, ::cuda::std::less<>{}, stream);
  }
  /// Both; of equivalent greatest items the last one counts.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class Less, class NumItems, if_num_items<NumItems> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMinLastMax(void* temp, std::size_t& temp_bytes, InputIt in, MinOut min_out,
                                   MinIndexOut min_index_out, MaxOut max_out,
                                   MaxIndexOut max_index_out, NumItems num_items, Less less,
                                   stream_argument stream = {}) {
    return find_both<cuda::pick_last_greatest<Less>>(temp, temp_bytes, in, min_out, min_index_out,
                                                     max_out, max_index_out, num_items, less,
                                                     stream);
  }
  /// The same by less<>.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class NumItems, if_num_items<NumItems> = 0>
  static cudaError_t ArgMinLastMax(void* temp, std::size_t& temp_bytes, InputIt in, MinOut min_out,
                                   MinIndexOut min_index_out, MaxOut max_out,
                                   MaxIndexOut max_index_out, NumItems num_items,
                                   stream_argument stream = {}) {
    return ArgMinLastMax(temp, temp_bytes, in, min_out, min_index_out, max_out, max_index_out,
                         num_items, ::cuda::std::less<>{}, stream);
  }

  /// ArgMin in one call.
  template <class InputIt, class MinOut, class IndexOut, class NumItems,
            class Env = execution::env<>, if_one_call<NumItems, Env> = 0>
  static cudaError_t ArgMin(InputIt in, MinOut min_out, IndexOut index_out, NumItems num_items,
                            const Env& env = {}) {
    return ArgMin(in, min_out, index_out, num_items, ::cuda::std::less<>{}, env);
  }
  /// The same in the order of `less`.
  template <class InputIt, class MinOut, class IndexOut, class Less, class NumItems,
            class Env = execution::env<>, if_one_call<NumItems, Env> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMin(InputIt in, MinOut min_out, IndexOut index_out, NumItems num_items,
                            Less less, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMin(temp, temp_bytes, in, min_out, index_out, num_items, less, stream);
    });
  }
  /// ArgMax in one call.
  template <class InputIt, class MaxOut, class IndexOut, class NumItems,
            class Env = execution::env<>, if_one_call<NumItems, Env> = 0>
  static cudaError_t ArgMax(InputIt in, MaxOut max_out, IndexOut index_out, NumItems num_items,
                            const Env& env = {}) {
    return ArgMax(in, max_out, index_out, num_items, ::cuda::std::less<>{}, env);
  }
  /// The same in the order of `less`.
  template <class InputIt, class MaxOut, class IndexOut, class Less, class NumItems,
            class Env = execution::env<>, if_one_call<NumItems, Env> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMax(InputIt in, MaxOut max_out, IndexOut index_out, NumItems num_items,
                            Less less, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMax(temp, temp_bytes, in, max_out, index_out, num_items, less, stream);
    });
  }
  /// ArgMinMax in one call.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class Less, class NumItems, class Env = execution::env<>,
            if_one_call<NumItems, Env> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMinMax(InputIt in, MinOut min_out, MinIndexOut min_index_out,
                               MaxOut max_out, MaxIndexOut max_index_out, NumItems num_items,
                               Less less, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMinMax(temp, temp_bytes, in, min_out, min_index_out, max_out, max_index_out,
                       num_items, less, stream);
    });
  }
  /// The same by less<>.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class NumItems, class Env = execution::env<>, if_one_call<NumItems, Env> = 0>
  static cudaError_t ArgMinMax(InputIt in, MinOut min_out, MinIndexOut min_index_out,
                               MaxOut max_out, MaxIndexOut max_index_out, NumItems num_items,
                               const Env& env = {}) {
    return ArgMinMax(in, min_out, min_index_out, max_out, max_index_out, num_items,
                     ::cuda::std::less<>{}, env);
  }
  /// ArgMinLastMax in one call.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class Less, class NumItems, class Env = execution::env<>,
            if_one_call<NumItems, Env> = 0, if_operator<Less> = 0>
  static cudaError_t ArgMinLastMax(InputIt in, MinOut min_out, MinIndexOut min_index_out,
                                   MaxOut max_out, MaxIndexOut max_index_out, NumItems num_items,
                                   Less less, const Env& env = {}) {
    return detail::in_one_call(env, [&](void* temp, std::size_t& temp_bytes, cudaStream_t stream) {
      return ArgMinLastMax(temp, temp_bytes, in, min_out, min_index_out, max_out, max_index_out,
                           num_items, less, stream);
    });
  }
  /// The same by less<>.
  template <class InputIt, class MinOut, class MinIndexOut, class MaxOut, class MaxIndexOut,
            class NumItems, class Env = execution::env<>, if_one_call<NumItems, Env> = 0>
  static cudaError_t ArgMinLastMax(InputIt in, MinOut min_out, MinIndexOut min_index_out,
                                   MaxOut max_out, MaxIndexOut max_index_out, NumItems num_items,
                                   const Env& env = {}) {
    return ArgMinLastMax(in, min_out, min_index_out, max_out, max_index_out, num_items,
                         ::cuda::std::less<>{}, env);
  }

 private:
  template <class Found, class InputIt, class NumItems, class Pick, class Write>
  static cudaError_t find(void* temp, std::size_t& temp_bytes, InputIt in, NumItems num_items,
                          Pick pick, Write write, cudaStream_t stream) {
    if (detail::is_negative(num_items)) return cudaErrorInvalidValue;
    return cuda::extremum<Found>(temp, temp_bytes, in, detail::to_size(num_items), pick, write,
                                 stream);
  }

  /// Compares items as Ts.
  template <class T, class InputIt, class NumItems, class Pick, class Write>
  static cudaError_t find_one(void* temp, std::size_t& temp_bytes, InputIt in, NumItems num_items,
                              Pick pick, Write write, cudaStream_t stream) {
    const auto items = detail::items_as<T>(in);
    return find<cuda::placed_of<std::remove_const_t<decltype(items)>>>(
        temp, temp_bytes, items, num_items, pick, write, stream);
  }

  template <class Pick, class InputIt, class OutputIt, class NumItems>
  static cudaError_t find_pair(void* temp, std::size_t& temp_bytes, InputIt in, OutputIt out,
                               NumItems num_items, item_t<InputIt> of_empty, cudaStream_t stream) {
    using value = item_t<InputIt>;
    using pair = held_t<OutputIt, cub::KeyValuePair<int, value>>;
    return find_one<std::remove_const_t<decltype(pair::value)>>(
        temp, temp_bytes, in, num_items, Pick{},
        write_key_value<cuda::unwrapped<OutputIt>, pair, value>{cuda::unwrap(out), of_empty},
        stream);
  }

  template <class Greatest, class InputIt, class MinOut, class MinIndexOut, class MaxOut,
            class MaxIndexOut, class NumItems, class Less>
  static cudaError_t find_both(void* temp, std::size_t& temp_bytes, InputIt in, MinOut min_out,
                               MinIndexOut min_index_out, MaxOut max_out, MaxIndexOut max_index_out,
                               NumItems num_items, Less less, cudaStream_t stream) {
    const auto least = detail::writes_placed(min_out, min_index_out);
    const auto greatest = detail::writes_placed(max_out, max_index_out);
    return find<cuda::placed_pair<cuda::placed_of<InputIt>>>(
        temp, temp_bytes, in, num_items, cuda::pick_both<Less, Greatest>{{less}, {less}},
        write_both<std::remove_const_t<decltype(least)>, std::remove_const_t<decltype(greatest)>>{
            least, greatest},
        stream);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail
