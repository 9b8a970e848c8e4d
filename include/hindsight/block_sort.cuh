// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts for a user's own kernels, by a thread, a warp or a block, of any number of items:
// sorting networks, which need no room, and stable merge sorts in the shape of
// cub::WarpMergeSort and cub::BlockMergeSort. examples/block_sort.cu uses them.
//
//   __shared__ typename hindsight::WarpMergeSort<float, 4>::TempStorage room[num_warps];
//   hindsight::WarpMergeSort<float, 4>(room[warp]).Sort(keys, ::cuda::std::less<>{});
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/cuda/block/team_sort.cuh>

#include <type_traits>

namespace hindsight {

/// Which sorting network: the pairs of places that are compared. Both take any number of items.
/// Odd-even merge has fewer comparators than bitonic: 26 and 37 for 9 items, 74 and 113 for 17.
///   Source  Batcher 1968, "Sorting Networks and Their Applications"
namespace network {
struct odd_even_merge {};  ///< Batcher's odd-even merge
struct bitonic {};         ///< Batcher's bitonic sorter, whose merges mirror
}  // namespace network

namespace detail {

template <class Network, int Items, class Exchange>
HINDSIGHT_DEVICE void sort_registers(const Exchange& exchange) {
  if constexpr (std::is_same_v<Network, network::bitonic>) {
    detail::cuda::bitonic_network<Items>(exchange);
  } else {
    static_assert(std::is_same_v<Network, network::odd_even_merge>,
                  "hindsight: the network is network::odd_even_merge or network::bitonic");
    detail::cuda::odd_even_merge_network<Items>(exchange);
  }
}
template <class Network, class Exchange, class Barrier>
HINDSIGHT_DEVICE void sort_shared(int n, int rank, int num_members, const Exchange& exchange,
                                  Barrier barrier) {
  if constexpr (std::is_same_v<Network, network::bitonic>) {
    detail::cuda::bitonic_by_team(n, rank, num_members, exchange, barrier);
  } else {
    static_assert(std::is_same_v<Network, network::odd_even_merge>,
                  "hindsight: the network is network::odd_even_merge or network::bitonic");
    detail::cuda::odd_even_merge_by_team(n, rank, num_members, exchange, barrier);
  }
}

}  // namespace detail

/// Sorts a thread's keys. They stay in registers if the compiler keeps the array there. Not stable.
///   compare  a strict weak order
template <class Network = network::odd_even_merge, class Key, int Items, class Compare>
HINDSIGHT_DEVICE void thread_sort(Key (&keys)[Items], Compare compare) {
  detail::sort_registers<Network, Items>(
      detail::cuda::array_exchange<Key, detail::no_value, Compare>{keys, nullptr, compare});
}
/// The same, and moves the values with their keys.
template <class Network = network::odd_even_merge, class Key, class Value, int Items, class Compare>
HINDSIGHT_DEVICE void thread_sort(Key (&keys)[Items], Value (&values)[Items], Compare compare) {
  detail::sort_registers<Network, Items>(
      detail::cuda::array_exchange<Key, Value, Compare>{keys, values, compare});
}

/// Sorts keys[0, n) in shared memory. All lanes of a warp call it with the same n; another warp may
/// have another n. It sees what the lanes wrote before the call, and after it all lanes see the
/// result. Not stable.
template <class Network = network::odd_even_merge, class Key, class Compare>
HINDSIGHT_DEVICE void warp_sort(Key* keys, int n, Compare compare) {
  detail::sort_shared<Network>(
      n, detail::cuda::rank_in_block() % detail::cuda::warp_lanes, detail::cuda::warp_lanes,
      detail::cuda::array_exchange<Key, detail::no_value, Compare>{keys, nullptr, compare},
      [] { __syncwarp(); });
}
/// The same, and moves the values with their keys.
template <class Network = network::odd_even_merge, class Key, class Value, class Compare>
HINDSIGHT_DEVICE void warp_sort(Key* keys, Value* values, int n, Compare compare) {
  detail::sort_shared<Network>(
      n, detail::cuda::rank_in_block() % detail::cuda::warp_lanes, detail::cuda::warp_lanes,
      detail::cuda::array_exchange<Key, Value, Compare>{keys, values, compare},
      [] { __syncwarp(); });
}

/// The same by all threads of a block.
template <class Network = network::odd_even_merge, class Key, class Compare>
HINDSIGHT_DEVICE void block_sort(Key* keys, int n, Compare compare) {
  detail::sort_shared<Network>(
      n, detail::cuda::rank_in_block(), detail::cuda::threads_of_block(),
      detail::cuda::array_exchange<Key, detail::no_value, Compare>{keys, nullptr, compare},
      [] { __syncthreads(); });
}
/// The same, and moves the values with their keys.
template <class Network = network::odd_even_merge, class Key, class Value, class Compare>
HINDSIGHT_DEVICE void block_sort(Key* keys, Value* values, int n, Compare compare) {
  detail::sort_shared<Network>(
      n, detail::cuda::rank_in_block(), detail::cuda::threads_of_block(),
      detail::cuda::array_exchange<Key, Value, Compare>{keys, values, compare},
      [] { __syncthreads(); });
}

/// Stable sorts of Threads * Items keys by merges in shared memory. Each thread has Items
/// neighbouring keys, before and after. This is what sorts by warps and by blocks have in common.
template <class Key, int Threads, int Items, class Value>
class TeamMergeSort {
  using item = typename detail::cuda::item_range<Key, Value>::item;

 public:
  /// Shared memory; a barrier of the team has to come before it is used again.
  struct TempStorage {
    /// Room; its contents mean nothing to the caller.
    alignas(item) unsigned char bytes[Threads * Items * sizeof(item)];
  };

  /// Sorts the keys.
  template <class Compare>
  HINDSIGHT_DEVICE void Sort(Key (&keys)[Items], Compare compare) const {
    detail::no_value* const none = nullptr;
    detail::cuda::sort_by_team<Threads, Items>(thread_, keys, none, compare, staged());
  }
  /// Sorts the first `valid_items` keys of the team, in its blocked arrangement. The others become
  /// `oob_default`, which no key comes after.
  template <class Compare>
  HINDSIGHT_DEVICE void Sort(Key (&keys)[Items], Compare compare, int valid_items,
                             Key oob_default) const {
    fill(keys, valid_items, oob_default);
    Sort(keys, compare);
  }
  /// Sorts the keys, and moves the values with them.
  template <class Compare>
  HINDSIGHT_DEVICE void Sort(Key (&keys)[Items], Value (&values)[Items], Compare compare) const {
    detail::cuda::sort_by_team<Threads, Items>(thread_, keys, values, compare, staged());
  }
  /// The same for the first `valid_items` keys and their values.
  template <class Compare>
  HINDSIGHT_DEVICE void Sort(Key (&keys)[Items], Value (&values)[Items], Compare compare,
                             int valid_items, Key oob_default) const {
    fill(keys, valid_items, oob_default);
    Sort(keys, values, compare);
  }
  /// The same as Sort, which is stable.
  template <class... Arguments>
  HINDSIGHT_DEVICE void StableSort(Arguments&&... arguments) const {
    Sort(arguments...);
  }

 protected:
  /// For the member of that rank.
  HINDSIGHT_DEVICE TeamMergeSort(TempStorage& room, int thread) : room_{room}, thread_{thread} {}

 private:
  HINDSIGHT_DEVICE item* staged() const { return reinterpret_cast<item*>(room_.bytes); }
  HINDSIGHT_DEVICE void fill(Key (&keys)[Items], int valid_items, const Key& oob_default) const {
    HINDSIGHT_UNROLL
    for (int i = 0; i < Items; ++i)
      if (thread_ * Items + i >= valid_items) keys[i] = oob_default;
  }
  TempStorage& room_;
  int thread_;
};

/// Sorts by a warp, or by each group of LogicalWarpThreads neighbouring lanes of it, a power of
/// two. All lanes of the warp call it.
template <class Key, int ItemsPerThread, int LogicalWarpThreads = detail::cuda::warp_lanes,
          class Value = detail::no_value>
class WarpMergeSort : public TeamMergeSort<Key, LogicalWarpThreads, ItemsPerThread, Value> {
  using base = TeamMergeSort<Key, LogicalWarpThreads, ItemsPerThread, Value>;
  static_assert(detail::cuda::warp_lanes % LogicalWarpThreads == 0,
                "hindsight: LogicalWarpThreads must divide the 32 lanes of a warp");

 public:
  ///   room  of the group
  HINDSIGHT_DEVICE explicit WarpMergeSort(typename base::TempStorage& room)
      : base{room, detail::cuda::rank_in_block() % LogicalWarpThreads} {}
};

/// Sorts by a block of BlockThreads threads, which is whole warps.
template <class Key, int BlockThreads, int ItemsPerThread, class Value = detail::no_value>
class BlockMergeSort : public TeamMergeSort<Key, BlockThreads, ItemsPerThread, Value> {
  using base = TeamMergeSort<Key, BlockThreads, ItemsPerThread, Value>;
  static_assert(BlockThreads % detail::cuda::warp_lanes == 0,
                "hindsight: BlockThreads must be a multiple of 32");

 public:
  ///   room  of the block
  HINDSIGHT_DEVICE explicit BlockMergeSort(typename base::TempStorage& room)
      : base{room, detail::cuda::rank_in_block()} {}
};

}  // namespace hindsight
