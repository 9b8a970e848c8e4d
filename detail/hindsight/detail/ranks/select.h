// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections and partitions: what a rank's shard keeps, and how items move to other shards.
#pragma once

#include <hindsight/detail/ranks/sort.h>
#include <hindsight/partition.h>
#include <hindsight/select.h>

#include <cuda/std/span>
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// What a rank needs to know of another one to tell where runs of equal items begin.
template <class T>
struct shard_ends {
  T first, last;
};

template <class Member, class T>
auto ends_of(Member& rank, ::cuda::std::span<T> shard) {
  std::optional<shard_ends<std::remove_const_t<T>>> ends;
  if (!shard.empty())
    ends.emplace(shard_ends<std::remove_const_t<T>>{rank.read(shard.data()),
                                                    rank.read(shard.data() + shard.size() - 1)});
  return ends;
}

/// Whether an item is not equal to the one before it. `first` is the answer for item 0.
template <class T, class Equal>
struct begins_run {
  const T* items;
  bool first;
  mutable Equal equal;
  HINDSIGHT_HD bool operator()(std::size_t i) const {
    return i == 0 ? first : !bool(equal(items[i - 1], items[i]));
  }
};

/// Copies the items of a shard that differ from the one before, in this shard or an earlier one.
template <class Member, class T, class Out, class Equal>
std::size_t copy_unique(Member& rank, ::cuda::std::span<T> shard, Out* out, Equal equal) {
  const auto ends = ranks::ends_of(rank, shard);
  const auto all = rank.gather(ends);
  bool first_begins_run = true;
  for (std::size_t r = std::size_t(rank.rank()); ends && r-- > 0;) {
    if (!all[r]) continue;
    first_begins_run = !bool(equal(all[r]->last, ends->first));
    break;
  }
  using item = std::remove_const_t<T>;
  const Out* const end =
      hindsight::copy_if(rank.policy(), shard.data(), shard.data() + shard.size(),
                         thrust::counting_iterator<std::size_t>(0), out,
                         begins_run<item, Equal>{shard.data(), first_begins_run, equal});
  return std::size_t(end - out);
}

/// A block of items at a place in the range of all shards.
struct block {
  std::size_t begin, size;
  block common_with(block other) const {
    const std::size_t first = std::max(begin, other.begin);
    const std::size_t end = std::min(begin + size, other.begin + other.size);
    return {first, end > first ? end - first : 0};
  }
};

/// Moves items between ranks. Before the call, blocks[r] of the range of all shards lies at rank
/// r's `from`. After it, targets[r] lies at rank r's `to`.
template <class Member, class T>
void move_blocks(Member& rank, const T* from, const std::vector<block>& blocks, T* to,
                 const std::vector<block>& targets) {
  const std::size_t me = std::size_t(rank.rank());
  std::vector<piece> send, receive;
  for (std::size_t r = 0; r < blocks.size(); ++r) {
    const block sent = blocks[me].common_with(targets[r]);
    const block received = blocks[r].common_with(targets[me]);
    T* const source = const_cast<T*>(from) + (sent.size ? sent.begin - blocks[me].begin : 0);
    T* const target = to + (received.size ? received.begin - targets[me].begin : 0);
    send.push_back(ranks::piece_of(source, sent.size));
    receive.push_back(ranks::piece_of(target, received.size));
  }
  rank.exchange(send, receive);
}

/// Blocks of these sizes, one after the other; the first is at `begin`.
inline std::vector<block> blocks_of(const std::vector<std::size_t>& sizes, std::size_t begin = 0) {
  std::vector<block> blocks;
  for (const std::size_t size : sizes) {
    blocks.push_back({begin, size});
    begin += size;
  }
  return blocks;
}

inline std::size_t end_of(const std::vector<block>& blocks) {
  return blocks.back().begin + blocks.back().size;
}

/// Partitions the range of all shards. Returns how many items come first.
template <class Member, class T, class Pred>
std::size_t partition_shards(Member& rank, ::cuda::std::span<T> shard, Pred pred) {
  room<T, std::decay_t<decltype(rank.policy())>> other(rank.policy(), shard.size());
  T* const border =
      hindsight::stable_partition(rank.policy(), shard.data(), shard.data() + shard.size(), pred);
  const std::size_t num_selected = std::size_t(border - shard.data());
  const auto sizes = rank.gather(shard.size());
  const auto selected_sizes = rank.gather(num_selected);
  auto rejected_sizes = sizes;
  for (std::size_t r = 0; r < sizes.size(); ++r) rejected_sizes[r] -= selected_sizes[r];
  const auto targets = ranks::blocks_of(sizes);
  const auto selected = ranks::blocks_of(selected_sizes);
  const auto rejected = ranks::blocks_of(rejected_sizes, ranks::end_of(selected));
  ranks::move_blocks(rank, shard.data(), selected, other.data(), targets);
  ranks::move_blocks(rank, border, rejected, other.data(), targets);
  thrust::copy(rank.policy(), other.data(), other.data() + shard.size(), shard.data());
  return ranks::end_of(selected);
}

/// Moves the range of all shards to shards of other sizes. Returns how many items this rank got.
template <class Member, class In, class Out>
std::size_t move_to_shards(Member& rank, ::cuda::std::span<In> shard,
                           ::cuda::std::span<Out> target) {
  const auto blocks = ranks::blocks_of(rank.gather(shard.size()));
  const auto targets = ranks::blocks_of(rank.gather(target.size()));
  if (ranks::end_of(blocks) > ranks::end_of(targets))
    throw invalid_call("hindsight::rebalance: there are " + std::to_string(ranks::end_of(blocks)) +
                       " items, and room for " + std::to_string(ranks::end_of(targets)));
  ranks::move_blocks(rank, static_cast<const Out*>(shard.data()), blocks, target.data(), targets);
  return targets[std::size_t(rank.rank())].common_with({0, ranks::end_of(blocks)}).size;
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
