// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks of a process, and the shards that they own: what the calls of shards.h take.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/ranks/run.h>
#include <hindsight/errors.h>

#include <cuda/std/span>
#include <thrust/detail/raw_pointer_cast.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight {

/// Bytes that one rank sends to another, or receives.
using detail::ranks::piece;
/// A rank's memory and threads, where they are the host's.
using detail::ranks::host_place;
#if HINDSIGHT_CUDA
/// A rank's device and stream.
using detail::ranks::gpu_place;
#endif

/// A view of the shards of this process's ranks, each in the memory of its rank's place. Owns
/// nothing.
template <class T>
class sharded {
 public:
  /// Of these spans, one for each rank of this process.
  explicit sharded(std::vector<::cuda::std::span<T>> local) : local_{std::move(local)} {}
  /// A view that does not write.
  template <class U, std::enable_if_t<std::is_same_v<const U, T>, int> = 0>
  sharded(const sharded<U>& other) : local_(other.begin(), other.end()) {}

  std::size_t num_local() const { return local_.size(); }  ///< ranks of this process
  /// The shard of the i-th rank of this process.
  ///   Errors  invalid_call where there is none: the view is of a group with fewer ranks here
  const ::cuda::std::span<T>& operator[](std::size_t i) const {
    require_shard(i);
    return local_[i];
  }
  /// The same, to be assigned to.
  ::cuda::std::span<T>& operator[](std::size_t i) {
    require_shard(i);
    return local_[i];
  }
  /// Over the spans.
  auto begin() const { return local_.begin(); }
  /// Their end.
  auto end() const { return local_.end(); }

 private:
  void require_shard(std::size_t i) const {
    if (i >= local_.size())
      throw invalid_call("hindsight::sharded: there is no shard " + std::to_string(i) +
                         "; this view has " + std::to_string(local_.size()));
  }

  std::vector<::cuda::std::span<T>> local_;
};

/// What calls over a group take as their first argument: `group.par`.
template <class Communicator>
class rank_policy {
 public:
  /// Made by a group.
  explicit rank_policy(detail::ranks::local_ranks<Communicator>& local)
      : local_{&local}, num_shards_{num_local()} {}

  std::size_t num_local() const {  ///< ranks of this process
    return local_->communicators.size();
  }

  /// The same for a call that takes these views.
  template <class... Ts>
  rank_policy over(const sharded<Ts>&... views) const {
    rank_policy policy = *this;
    for (const std::size_t num_shards : {views.num_local()...})
      if (num_shards != num_local()) policy.num_shards_ = num_shards;
    return policy;
  }

  /// Calls part(rank, i) for the i-th rank of this process: detail/ranks/run.h.
  ///   Errors  invalid_call where a view of over() is of a group with fewer or more ranks here
  template <class Part>
  void run(const char* algorithm, Part part) const {
    detail::ranks::run(*local_, algorithm, [&](auto& rank, std::size_t i) {
      if (num_shards_ != num_local())
        throw invalid_call(std::string{algorithm} + ": a view has " + std::to_string(num_shards_) +
                           " shards; pass one for each of the " + std::to_string(num_local()) +
                           " ranks of this process");
      part(rank, i);
    });
  }

 private:
  detail::ranks::local_ranks<Communicator>* local_;
  std::size_t num_shards_;  ///< of the views that a call takes
};

/// The ranks of this process. One call at a time. Communicators are those of loopback.h and nccl.h,
/// or the caller's own (examples/mpi), with these members:
///   rank(), size()               int: this rank's number, and how many there are
///   place()                      a reference to a host_place or gpu_place, where its shard lies
///   all_gather(mine, all, bytes) host memory: rank r's `mine` is copied to all + r * bytes
///   all_to_all(send, receive)    pieces in the place's memory, any number for each rank: send[i]
///                                goes to rank i % size(), receive[i] comes from it, in order
///                                Both return when they are done, and throw where the machine
///                                fails. No work on the pieces is pending at the place when
///                                all_to_all is called; other work may be
///   abort() noexcept             ends what other ranks of this process wait for
template <class Communicator>
class rank_group {
 public:
  /// Of these ranks, one at least. Groups are made by loopback.h and nccl.h.
  explicit rank_group(std::vector<std::unique_ptr<Communicator>> local)
      : local_{std::move(local)}, par{local_} {
    if (num_local() == 0) throw invalid_call("hindsight: a group needs a rank in this process");
  }
  rank_group(const rank_group&) = delete;
  rank_group& operator=(const rank_group&) = delete;

  std::size_t num_local() const { return local_.communicators.size(); }  ///< ranks of this process
  int size() const { return local_.communicators.front()->size(); }      ///< ranks of all processes
  /// Of the i-th rank of this process, in [0, size()).
  int rank(std::size_t i) const { return local_.communicators[i]->rank(); }

 private:
  detail::ranks::local_ranks<Communicator> local_;

 public:
  /// The policy of calls over these ranks.
  const rank_policy<Communicator> par;
};

/// Views of `spans`, one for each rank of this process: anything with data() and size(). Owns
/// nothing: the spans' memory has to live as long as the views are used.
///   Time, Memory  an address and a size are copied for each span
///   Order   that of the spans
///   Sync    none
///   Errors  invalid_call unless there are as many spans as ranks of this process
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items(2, std::vector<int>(100, 3));
///     hindsight::sort(ranks.par, hindsight::shards(ranks, items));
template <class Communicator, class Spans>
auto shards(const rank_group<Communicator>& group, Spans&& spans) {
  using T = std::remove_pointer_t<decltype(thrust::raw_pointer_cast(std::begin(spans)->data()))>;
  std::vector<::cuda::std::span<T>> local;
  for (auto& span : spans) local.emplace_back(thrust::raw_pointer_cast(span.data()), span.size());
  if (local.size() != group.num_local())
    throw invalid_call("hindsight::shards: there are " + std::to_string(local.size()) +
                       " spans; pass one for each of the " + std::to_string(group.num_local()) +
                       " ranks of this process");
  return sharded<T>{std::move(local)};
}

namespace detail::ranks {

/// Throws invalid_call if an output is smaller than needed.
template <class T>
void require_room(::cuda::std::span<T> out, std::size_t n, const char* algorithm) {
  if (out.size() < n)
    throw invalid_call(std::string{algorithm} + ": an output shard has room for " +
                       std::to_string(out.size()) + " items; this call needs " + std::to_string(n));
}

}  // namespace detail::ranks

}  // namespace hindsight
