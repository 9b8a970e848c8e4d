// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms over data that lies in shards, one for each rank of a group: several GPUs (nccl.h), or
// several threads of this process (loopback.h).
//
// Every process calls with all its ranks, and all processes make the same calls in the same order.
// The shards of all ranks, in order of the ranks, are one range; they may differ in size and be
// empty. For all calls:
//   requirements  items are trivially copyable; functors can be called on the host as well
//   Sync          every call returns when it is done on all ranks
//   Errors        where a rank throws, every rank throws: that rank's process what the rank threw,
//                 the others rank_failed. Outputs hold anything then. Where a communicator fails,
//                 all ranks throw, and the group is over
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/ranks/reduce.h>
#include <hindsight/detail/ranks/scan.h>
#include <hindsight/detail/ranks/sort.h>
#include <hindsight/errors.h>

#include <cuda/std/functional>
#include <cuda/std/span>
#include <thrust/detail/raw_pointer_cast.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight {

/// The shards of this process's ranks, in the memory of their places: a view. Owns nothing.
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
  const ::cuda::std::span<T>& operator[](std::size_t i) const { return local_[i]; }
  /// The shard of the i-th rank of this process.
  ::cuda::std::span<T>& operator[](std::size_t i) { return local_[i]; }
  /// Over the spans.
  auto begin() const { return local_.begin(); }
  /// Their end.
  auto end() const { return local_.end(); }

 private:
  std::vector<::cuda::std::span<T>> local_;
};

/// What calls over a group take as their first argument: `group.par`.
template <class Communicator>
class rank_policy {
 public:
  using communicators = std::vector<std::unique_ptr<Communicator>>;  ///< of this process
  /// Made by a group.
  explicit rank_policy(const communicators& local) : local_{&local} {}

  std::size_t num_local() const { return local_->size(); }  ///< ranks of this process

  /// Calls part(rank, i) for the i-th rank of this process: detail/ranks/run.h.
  template <class Part>
  void run(const char* algorithm, Part part) const {
    detail::ranks::run(*local_, algorithm, part);
  }

 private:
  const communicators* local_;
};

/// The ranks of this process. One call at a time.
template <class Communicator>
class rank_group {
 public:
  /// Of these ranks, one at least. Groups are made by loopback.h and nccl.h.
  explicit rank_group(std::vector<std::unique_ptr<Communicator>> local)
      : local_{std::move(local)}, par{local_} {
    if (local_.empty()) throw invalid_call("hindsight: a group needs a rank in this process");
  }
  rank_group(const rank_group&) = delete;
  rank_group& operator=(const rank_group&) = delete;

  std::size_t num_local() const { return local_.size(); }  ///< ranks of this process
  int size() const { return local_.front()->size(); }      ///< ranks of all processes
  int rank(std::size_t i) const {
    return local_[i]->rank();
  }  ///< of the i-th rank here, in [0, size())

 private:
  std::vector<std::unique_ptr<Communicator>> local_;

 public:
  /// The policy of calls over these ranks.
  const rank_policy<Communicator> par;
};

/// Views of `spans`, one for each rank of this process: anything with data() and size().
template <class Communicator, class Spans>
auto shards(const rank_group<Communicator>& group, Spans&& spans) {
  using T = std::remove_pointer_t<decltype(thrust::raw_pointer_cast(spans.begin()->data()))>;
  std::vector<::cuda::std::span<T>> local;
  for (auto& span : spans) local.emplace_back(thrust::raw_pointer_cast(span.data()), span.size());
  if (local.size() != group.num_local())
    throw invalid_call("hindsight::shards: there are " + std::to_string(local.size()) +
                       " spans; pass one for each of the " + std::to_string(group.num_local()) +
                       " ranks of this process");
  return sharded<T>{std::move(local)};
}

namespace detail::ranks {

/// Refuses an output that is smaller than needed; without effect on ranks that have room.
template <class T>
void require_room(::cuda::std::span<T> out, std::size_t n, const char* algorithm) {
  if (out.size() < n)
    throw invalid_call(std::string{algorithm} + ": an output shard has room for " +
                       std::to_string(out.size()) + " items; this call needs " + std::to_string(n));
}

}  // namespace detail::ranks

/// init op in[0] op in[1] op ..., `op` associative and commutative.
///   Order   by rank, within a shard as hindsight::reduce: depends on the shards' sizes alone
template <class C, class T, class Init, class Op>
Init reduce(const rank_policy<C>& par, const sharded<T>& in, Init init, Op op) {
  std::optional<Init> result;
  par.run("hindsight::reduce", [&](auto& rank, std::size_t i) {
    const auto first = rank.rank() == 0 ? std::optional<Init>{init} : std::nullopt;
    const auto mine = detail::ranks::fold_shard(rank, in[i], first, op);
    const auto sum = detail::ranks::folded(rank.gather_at_end(mine), op);
    if (i == 0) result = sum;
  });
  return *result;
}
/// The same as reduce from an initial value, by plus.
template <class C, class T, class Init>
Init reduce(const rank_policy<C>& par, const sharded<T>& in, Init init) {
  return hindsight::reduce(par, in, init, ::cuda::std::plus<Init>{});
}
/// The sum.
template <class C, class T>
auto reduce(const rank_policy<C>& par, const sharded<T>& in) {
  return hindsight::reduce(par, in, detail::zero<std::remove_const_t<T>>());
}

/// Number of items with pred(in[i]).
template <class C, class T, class Pred>
std::size_t count_if(const rank_policy<C>& par, const sharded<T>& in, Pred pred) {
  std::size_t result = 0;
  par.run("hindsight::count_if", [&](auto& rank, std::size_t i) {
    const auto mine =
        hindsight::count_if(rank.policy(), in[i].data(), in[i].data() + in[i].size(), pred);
    std::size_t sum = 0;
    for (const std::size_t part : rank.gather_at_end(std::size_t(mine))) sum += part;
    if (i == 0) result = sum;
  });
  return result;
}
/// Number of items that are equal to `value`.
template <class C, class T, class Value>
std::size_t count(const rank_policy<C>& par, const sharded<T>& in, const Value& value) {
  return hindsight::count_if(par, in, detail::function::equals<Value>{value});
}

/// The smallest and the largest item by `less`.
///   Errors  invalid_call where there is no item
template <class C, class T, class Less = ::cuda::std::less<std::remove_const_t<T>>>
auto minmax(const rank_policy<C>& par, const sharded<T>& in, Less less = {}) {
  using item = std::remove_const_t<T>;
  using extent = detail::ranks::extent<item>;
  std::optional<extent> result;
  par.run("hindsight::minmax", [&](auto& rank, std::size_t i) {
    const detail::ranks::join_extents<item, Less> join{less};
    std::optional<extent> mine;
    if (!in[i].empty()) {
      const T* const first = in[i].data();
      const T* const last = first + in[i].size() - 1;
      const item one = rank.read(last);
      mine.emplace(hindsight::transform_reduce(rank.policy(), first, last,
                                               detail::ranks::extent_of_item<item>{},
                                               extent{one, one}, join));
    }
    const auto all = detail::ranks::folded(rank.gather_at_end(mine), join);
    if (i == 0) result = all;
  });
  if (!result) throw invalid_call("hindsight::minmax: there are no items");
  return std::pair<item, item>{result->min, result->max};
}

/// counters[b] = number of samples in bin b, on every rank: counters has a shard of num_bins or
/// more for each rank. Bins and refusals as hindsight::histogram_even has them.
///   Memory  num_bins counters for each rank, on each rank
template <class C, class Sample, class Level, class Counter>
void histogram_even(const rank_policy<C>& par, const sharded<Sample>& samples, int num_bins,
                    Level lower, Level upper, const sharded<Counter>& counters) {
  constexpr auto name = "hindsight::histogram_even";
  par.run(name, [&](auto& rank, std::size_t i) {
    const Sample* const first = samples[i].data();
    const std::size_t bins = std::size_t(num_bins < 1 ? 0 : num_bins);
    detail::ranks::require_room(counters[i], bins, name);
    detail::ranks::sum_histograms(rank, bins, counters[i].data(), [&](Counter* mine) {
      hindsight::histogram_even(rank.policy(), first, first + samples[i].size(), num_bins, lower,
                                upper, mine);
    });
  });
}

/// out[i] = in[0] op ... op in[i], `op` associative. `out` has a shard of at least the input's size
/// for each rank, and may be `in`.
///   Order   of floats: fixed by the shards' sizes; the same bits every run
///   Cost    reads the input twice, but on the last rank
template <class C, class In, class Out, class Op = ::cuda::std::plus<>>
void inclusive_scan(const rank_policy<C>& par, const sharded<In>& in, const sharded<Out>& out,
                    Op op = {}) {
  using item = std::remove_const_t<In>;
  using accumulator = detail::accumulator_t<Op, item, item>;
  constexpr auto name = "hindsight::inclusive_scan";
  par.run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(out[i], in[i].size(), name);
    const auto carry = detail::ranks::carry_into(rank, in[i], std::optional<accumulator>{}, op);
    const In* const first = in[i].data();
    const In* const last = first + in[i].size();
    if (carry) {
      hindsight::inclusive_scan(rank.policy(), first, last, out[i].data(), *carry, op);
    } else {
      hindsight::inclusive_scan(rank.policy(), first, last, out[i].data(), op);
    }
  });
}

/// out[i] = init op in[0] op ... op in[i - 1], in the type of init.
template <class C, class In, class Out, class Init, class Op = ::cuda::std::plus<>>
void exclusive_scan(const rank_policy<C>& par, const sharded<In>& in, const sharded<Out>& out,
                    Init init, Op op = {}) {
  constexpr auto name = "hindsight::exclusive_scan";
  par.run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(out[i], in[i].size(), name);
    const auto carry = detail::ranks::carry_into(rank, in[i], std::optional<Init>{init}, op);
    const In* const first = in[i].data();
    hindsight::exclusive_scan(rank.policy(), first, first + in[i].size(), out[i].data(), *carry,
                              op);
  });
}

/// Sorts the range that all shards make, equivalent items in their order; the shards keep their
/// sizes. Keys as hindsight::stable_sort has them; others have a default constructor.
///   Memory  another shard, and what the sort of one shard takes
///   Source  Solomonik & Kale 2010, "Highly Scalable Parallel Sorting": splitters by histograms of
///           samples
template <class C, class Key, class Compare = ::cuda::std::less<Key>>
void sort(const rank_policy<C>& par, const sharded<Key>& keys, Compare compare = {}) {
  par.run("hindsight::sort", [&](auto& rank, std::size_t i) {
    using policy = std::decay_t<decltype(rank.policy())>;
    detail::ranks::room<Key, policy> other(rank.policy(), keys[i].size());
    using records = detail::ranks::keys_only<Key>;
    detail::ranks::sort_shards(rank, keys[i], records{keys[i].data()}, records{other.data()},
                               compare, [&](const auto& send, const auto& receive) {
                                 detail::ranks::exchange_pieces(rank, keys[i].data(), send,
                                                                other.data(), receive);
                               });
  });
}
/// The same as sort.
template <class C, class Key, class Compare = ::cuda::std::less<Key>>
void stable_sort(const rank_policy<C>& par, const sharded<Key>& keys, Compare compare = {}) {
  hindsight::sort(par, keys, compare);
}

/// The same, with values that move along: values[i] has the size of keys[i].
template <class C, class Key, class Value, class Compare = ::cuda::std::less<Key>>
void sort_by_key(const rank_policy<C>& par, const sharded<Key>& keys, const sharded<Value>& values,
                 Compare compare = {}) {
  constexpr auto name = "hindsight::sort_by_key";
  par.run(name, [&](auto& rank, std::size_t i) {
    using policy = std::decay_t<decltype(rank.policy())>;
    detail::ranks::require_room(values[i], keys[i].size(), name);
    detail::ranks::room<Key, policy> other_keys(rank.policy(), keys[i].size());
    detail::ranks::room<Value, policy> other_values(rank.policy(), keys[i].size());
    using records = detail::ranks::keys_and_values<Key, Value>;
    detail::ranks::sort_shards(rank, keys[i], records{keys[i].data(), values[i].data()},
                               records{other_keys.data(), other_values.data()}, compare,
                               [&](const auto& send, const auto& receive) {
                                 detail::ranks::exchange_pieces(rank, keys[i].data(), send,
                                                                other_keys.data(), receive);
                                 detail::ranks::exchange_pieces(rank, values[i].data(), send,
                                                                other_values.data(), receive);
                               });
  });
}
/// The same as sort_by_key.
template <class C, class Key, class Value, class Compare = ::cuda::std::less<Key>>
void stable_sort_by_key(const rank_policy<C>& par, const sharded<Key>& keys,
                        const sharded<Value>& values, Compare compare = {}) {
  hindsight::sort_by_key(par, keys, values, compare);
}

}  // namespace hindsight
