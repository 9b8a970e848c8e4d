// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The radix sort of one range: how many keys there are, and of which size, decides which kernels
// sort them.
#pragma once

#include <hindsight/detail/cuda/counting_sort.cuh>
#include <hindsight/detail/cuda/counting_sort_16.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/few_keys_sort.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/onesweep.cuh>
#include <hindsight/detail/cuda/segment_split.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/cuda/sort_tile.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/sort.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A call of radix_sort(), below.
///   Size  an integer or deferred
template <class Direction, class Key, class Value, class Size>
class radix_sort_call {
  using few = sort_tuning<Key, Value, tiles::small>;
  using medium = sort_tuning<Key, Value, tiles::medium>;
  using many = sort_tuning<Key, Value, tiles::large>;
  using kernel_size = unwrapped_size<Size>;

  /// Kernels that sort without passes need the number of keys on the host.
  static constexpr bool is_size_known = !is_deferred<Size>;
  static constexpr bool may_be_counted = std::is_same_v<Value, no_value> && is_size_known;
  static constexpr bool may_count_bytes = may_be_counted && is_counted_key<Key>;
  static constexpr bool may_count_shorts = may_be_counted && is_integer<Key> && sizeof(Key) == 2;

  /// Up to so many tiles, one launch sorts all.
  template <class Tuning>
  static constexpr int one_launch_tiles = is_size_known ? Tuning::one_launch_tiles : 0;
  /// Where no launch sorts several tiles, a single tile is as large as possible.
  using one =
      std::conditional_t<(one_launch_tiles<few> > 0), sort_tuning<Key, Value, tiles::one>, many>;

  /// How many keys tiles of a size take.
  template <class Tuning>
  static constexpr std::size_t most_of = std::size_t{Tuning::tile_items} * Tuning::few_tiles;

 public:
  radix_sort_call(sort_buffers<Key> keys, sort_buffers<Value> values, Size num_items,
                  digit_passes passes, cudaStream_t stream)
      : keys_{keys},
        values_{values},
        size_{cuda::unwrap_size(num_items)},
        n_{detail::most_items(num_items)},
        passes_{passes},
        stream_{stream} {}

  /// In CUB's two phases.
  cudaError_t operator()(void* temp, std::size_t& temp_bytes) const {
    if (n_ == 0 || is_one_tile()) {
      if (temp == nullptr) return temp_bytes = 1, cudaSuccess;
      return n_ == 0 ? cudaSuccess : sort_tile();  // no launch has a grid of no blocks
    }
    if constexpr (may_count_bytes)
      if (sorts_all_bits()) return count_bytes(temp, temp_bytes);
    return temp == nullptr ? find_temp_bytes(temp_bytes) : sort(n_, temp, temp_bytes);
  }

 private:
  bool is_one_tile() const { return one::stages_values && n_ <= one::tile_items; }
  bool sorts_all_bits() const {
    return passes_.begin_bit == 0 && passes_.end_bit == int{sizeof(Key)} * 8;
  }

  cudaError_t sort_tile() const {
    using tile_size = std::conditional_t<is_size_known, int, kernel_size>;
    constexpr auto kernel = sort_tile_kernel<one, Direction, Key, Value, tile_size>;
    constexpr std::size_t shared_bytes = sizeof(sort_storage<one, Key, Value>);
    static_assert(shared_bytes <= one::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    HINDSIGHT_LAUNCH(1, one::block_threads, shared_bytes, stream_, kernel)
    (keys_.in, keys_.out, values_.in, values_.out, static_cast<tile_size>(size_), passes_);
    return detail::reported(cudaPeekAtLastError());
  }

  cudaError_t count_bytes(void* temp, std::size_t& temp_bytes) const {
    if (n_ >> 31 == 0)
      return counting_sort<unsigned, Direction>(temp, temp_bytes, keys_.in, keys_.out, n_, stream_);
    return counting_sort<unsigned long long, Direction>(temp, temp_bytes, keys_.in, keys_.out, n_,
                                                        stream_);
  }

  /// Memory for n keys must be enough for fewer keys, too. It grows with their number, but it falls
  /// where tiles become larger, where two passes no longer split keys and three save too little,
  /// and where keys begin to be counted.
  cudaError_t find_temp_bytes(std::size_t& temp_bytes) const {
    constexpr std::size_t most_split = segment_split::most_keys<segment_tuning<Key, Value>>(2);
    std::size_t enough = 0;
    for (const std::size_t most : {most_of<few>, most_of<medium>, most_split,
                                   counting_sort_16_tuning::least_items - 1, n_}) {
      if (most > n_ || most == 0) continue;
      HINDSIGHT_TRY(sort(most, nullptr, temp_bytes));
      enough = ::cuda::std::max(enough, temp_bytes);
    }
    return temp_bytes = enough, cudaSuccess;
  }

  /// Sorts up to `most` keys, which are more than one tile. In CUB's two phases.
  cudaError_t sort(std::size_t most, void* temp, std::size_t& temp_bytes) const {
    if constexpr (may_count_shorts) {
      if (sorts_all_bits() && most >= counting_sort_16_tuning::least_items && most >> 32 == 0)
        return count_shorts(most, temp, temp_bytes);
    }
    if (most <= most_of<few>) return sort_few_tiles<few>(most, temp, temp_bytes);
    if (most <= most_of<medium>) return sort_few_tiles<medium>(most, temp, temp_bytes);
    return sort_in_passes<many>(most, temp, temp_bytes);
  }

  cudaError_t count_shorts(std::size_t most, void* temp, std::size_t& temp_bytes) const {
    return sort_shorts<counting_sort_16_tuning>(temp, temp_bytes,
                                                reinterpret_cast<const std::uint16_t*>(keys_.in),
                                                reinterpret_cast<std::uint16_t*>(keys_.out), most,
                                                pass_key<Direction, Key>::flips(), stream_);
  }

  /// Tiles of all sizes share the kernel of one launch, which has room for medium ones.
  template <class Tuning>
  cudaError_t sort_few_tiles(std::size_t most, void* temp, std::size_t& temp_bytes) const {
    constexpr int in_one_launch = one_launch_tiles<Tuning>;
    if constexpr (in_one_launch > 0) {
      if (most <= std::size_t{Tuning::tile_items} * in_one_launch)
        return sort_few_keys<medium, Direction>(temp, temp_bytes, keys_, values_, most,
                                                Tuning::lane_items, passes_, stream_);
    }
    if constexpr (in_one_launch < Tuning::few_tiles) {
      return sort_in_passes<Tuning>(most, temp, temp_bytes);
    } else {
      return cudaErrorInvalidValue;  // not reached: one launch sorts all of these
    }
  }

  template <class Tuning>
  cudaError_t sort_in_passes(std::size_t most, void* temp, std::size_t& temp_bytes) const {
    using passes = onesweep<Tuning, Direction, Key, Value, kernel_size>;
    return passes{keys_, values_, size_, most, passes_, stream_}(temp, temp_bytes);
  }

  sort_buffers<Key> keys_;
  sort_buffers<Value> values_;
  kernel_size size_;
  std::size_t n_;  ///< at least the number of keys
  digit_passes passes_;
  cudaStream_t stream_;
};

/// out = in, stably sorted by bits [begin_bit, end_bit) of the keys' key bits
/// (key_bits.h), in CUB's two phases. keys_in [n] may be keys_out, values_in then values_out.
/// Values are no_value and null for keys alone. keys_spare and values_spare [n]: the caller's
/// memory, used instead of as much temporary memory; or null.
template <class Direction, class Key, class Value, class Size>
cudaError_t radix_sort(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                       const Value* values_in, Value* values_out, Size num_items, int begin_bit,
                       int end_bit, cudaStream_t stream, Key* keys_spare = nullptr,
                       Value* values_spare = nullptr) {
  constexpr int digit_bits = sort_tuning<Key, Value>::digit_bits;
  const radix_sort_call<Direction, Key, Value, Size> sort{{keys_in, keys_out, keys_spare},
                                                          {values_in, values_out, values_spare},
                                                          num_items,
                                                          {begin_bit, end_bit, digit_bits},
                                                          stream};
  return sort(temp, temp_bytes);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
