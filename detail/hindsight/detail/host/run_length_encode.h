// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-length encoding on threads: each tile finds where runs begin in it, and look-back tells where
// the run began that is open before the tile.
#pragma once

#include <hindsight/detail/host/carry_chain.h>
#include <hindsight/detail/host/flags.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// What a stretch of items leaves to the next one: how many runs begin in it, and where the last of
/// them begins.
struct open_stretch {
  std::size_t heads;
  std::size_t start;
};

struct join_stretches {
  open_stretch operator()(const open_stretch& left, const open_stretch& right) const {
    return {left.heads + right.heads, right.heads > 0 ? right.start : left.start};
  }
};

/// Whether item i - 1 equals item i. Both are Keys here, and not what only converts to one.
template <class Key, class InputIt>
bool continues_run(const InputIt& in, std::size_t i) {
  auto&& left = host::item_at<Key>(in, i - 1);
  auto&& right = host::item_at<Key>(in, i);
  return bool(left == right);
}

/// Finds the runs that begin in one tile. Key and position of the j-th head go to slot j; j begins
/// at 1. keys, starts [n + 2]. Returns the number of heads.
template <class InputIt, class Key>
std::size_t find_heads(InputIt in, std::size_t n, bool first_is_head, Key* keys,
                       std::uint32_t* starts) {
  std::size_t heads = first_is_head, i = 1;
  host::put(keys + 1, in[0]);
  starts[0] = starts[1] = 0;
  // As long as heads are rare: a loop that only compares, which takes several small items at once.
  if constexpr (sizeof(Key) <= flag_tuning::most_bytes) {
    for (bool are_rare = true; are_rare && i + flags_at_once <= n; i += flags_at_once) {
      bool is_head[flags_at_once];
      for (std::size_t j = 0; j < flags_at_once; ++j)
        is_head[j] = !host::continues_run<Key>(in, i + j);
      are_rare = host::count_flags(is_head, flags_at_once) <= flag_tuning::few_kept;
      host::for_each_bit(host::load_flag_bits(is_head, 0, flags_at_once), [&](std::size_t j) {
        host::put(keys + ++heads, in[i + j]);
        starts[heads] = std::uint32_t(i + j);
      });
    }
  }
  for (; i < n; ++i) {
    host::put(keys + heads + 1, in[i]);  // stays only if this is a head
    starts[heads + 1] = std::uint32_t(i);
    heads += !host::continues_run<Key>(in, i);
  }
  return heads;
}

/// The type in which an output gets a length: what it holds, else a difference of input iterators.
template <class InputIt, class CountsOut,
          class Item = typename ::cuda::std::iterator_traits<CountsOut>::value_type>
using written_length =
    std::conditional_t<only_writes<CountsOut>,
                       typename ::cuda::std::iterator_traits<InputIt>::difference_type, Item>;

/// One thread, any types.
template <class Key, class InputIt, class UniqueOut, class CountsOut>
std::size_t run_length_encode_alone(InputIt in, std::size_t n, UniqueOut unique_out,
                                    CountsOut counts_out) {
  using length = written_length<InputIt, CountsOut>;
  std::size_t runs = 0;
  for (std::size_t i = 0, start = 0; i < n; ++runs, start = i) {
    for (++i; i < n && host::continues_run<Key>(in, i);) ++i;
    unique_out[runs] = in[start];
    counts_out[runs] = static_cast<length>(i - start);
  }
  return runs;
}

/// For each run of equal neighbours in in[0, n): its first item and its length; returns the number
/// of runs.
template <class InputIt, class UniqueOut, class CountsOut>
std::size_t run_length_encode(InputIt first_in, std::size_t n, UniqueOut unique_first,
                              CountsOut counts_first, resources with = {}) {
  using Key = value_of<InputIt>;
  if (n == 0) return 0;
  const auto in = host::plain(host::that_copies(first_in));
  const auto unique_out = host::plain(unique_first);
  const auto counts_out = host::plain(counts_first);
  if constexpr (!is_cheap<Key>) {
    return host::run_length_encode_alone<Key>(in, n, unique_out, counts_out);
  } else {
    const tiling tiles{n, weight_of<Key>, with.cut_for<UniqueOut, CountsOut>()};
    carry_chain<open_stretch, join_stretches> stretches{tiles, {}};
    rooms<Key> key_rooms;
    rooms<std::uint32_t> start_rooms;
    const scratch memory{*with.memory, [&](carver& space) {
                           stretches.carve(space);
                           key_rooms.carve(space, tiles.num_threads, tiles.tile_items + 2);
                           start_rooms.carve(space, tiles.num_threads, tiles.tile_items + 2);
                         }};
    using length = written_length<InputIt, CountsOut>;
    const bool in_place = host::is_in_place(in, unique_out);
    std::size_t total = 0;
    stretches.run([&](std::size_t tile, unsigned rank) {
      const std::size_t begin = tiles.begin(tile), size = tiles.size(tile);
      const bool first_is_head = begin == 0 || !host::continues_run<Key>(in, begin);
      Key* const keys = key_rooms[rank];
      std::uint32_t* const starts = start_rooms[rank];
      const std::size_t heads = host::find_heads(in + begin, size, first_is_head, keys, starts);
      const open_stretch carry = stretches.carry_into(tile, {heads, begin + starts[heads]});
      const std::size_t before = tile > 0 ? carry.heads : 0;

      // Slot j holds run before + j - 1. A run ends where the next one starts. If all items up to
      // here are heads, they are in their places already, as in copy_if().
      if (!(in_place && before == begin && heads == size))
        std::copy(keys + 1, keys + 1 + heads, unique_out + before);
      if (tile > 0 && heads > 0)
        counts_out[before - 1] = static_cast<length>(begin + starts[1] - carry.start);
      for (std::size_t j = 1; j < heads; ++j)
        counts_out[before + j - 1] = static_cast<length>(starts[j + 1] - starts[j]);
      if (tile + 1 == tiles.num_tiles) {
        total = before + heads;
        counts_out[total - 1] =
            static_cast<length>(n - (heads > 0 ? begin + starts[heads] : carry.start));
      }
    });
    return total;
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
