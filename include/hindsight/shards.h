// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms over data that lies in shards, one for each rank of a group: several GPUs (nccl.h), or
// several threads of this process (loopback.h).
//
// Every process calls with all its ranks, and all processes make the same calls in the same order.
// The shards of all ranks, in order of the ranks, are one range; they may differ in size and be
// empty. For all calls:
//   requirements  items are trivially copyable; functors can be called on the host as well
//   Sync          every call returns when it is done on all ranks
//   Errors        if a rank throws, every rank throws: in that rank's process the same exception,
//                 in the others rank_failed; outputs are then unspecified. If a communicator
//                 fails, all ranks throw, and the group cannot be used again
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/ranks/fixed_reduce.h>
#include <hindsight/detail/ranks/operands.h>
#include <hindsight/detail/ranks/reduce.h>
#include <hindsight/detail/ranks/runs.h>
#include <hindsight/detail/ranks/scan.h>
#include <hindsight/detail/ranks/select.h>
#include <hindsight/detail/ranks/sort.h>
#include <hindsight/rank_group.h>

#include <cuda/std/functional>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace hindsight {

/// init op in[0] op in[1] op ... over the items of all shards, `op` associative and commutative.
/// All ranks get the result.
///   Time    each rank reads its shard once, and sends one value to all
///   Memory  CUDA: for a shard of more than one tile (some thousand items), on 132 multiprocessors
///           up to 43 KB for numbers of up to 8 bytes. Host: a partial result for each 128 KB
///   Order   by rank, within a shard as a reduce of one range: depends on the shards' sizes alone,
///           and for floats on GPUs on how many multiprocessors these have
///   Sync    returns when it is done on all ranks
///   Errors  if a rank throws, every rank throws: in that rank's process the same exception, in the
///           others rank_failed. If a communicator fails, all ranks throw, and the group cannot be
///           used again
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items(2, std::vector<int>(100, 3));
///     const int sum = hindsight::reduce(ranks.par, hindsight::shards(ranks, items));  // 600
template <class C, class T, class Init, class Op>
Init reduce(const rank_policy<C>& par, const sharded<T>& in, Init init, Op op) {
  std::optional<Init> result;
  const auto fold = detail::ranks::takes_const<Init, std::remove_const_t<T>>(detail::as_twin(op));
  par.over(in).run("hindsight::reduce", [&](auto& rank, std::size_t i) {
    using place = typename std::decay_t<decltype(rank)>::place_t;
    using sum_t = detail::ranks::sum_at<place, std::decay_t<decltype(fold)>, T, Init>;
    std::optional<sum_t> first;
    if (rank.rank() == 0) first.emplace(static_cast<sum_t>(init));
    const auto mine = detail::ranks::fold_shard(rank, in[i], first, fold);
    const auto sum = detail::ranks::folded(rank.gather_at_end(mine), fold);
    if (i == 0) result.emplace(static_cast<Init>(*sum));
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

/// init op in[0] op in[1] op ... over the items of all shards, `op` associative and commutative, in
/// the type of init: the same bits for any number of ranks and any sizes of shards, also where `op`
/// rounds. All ranks get the result.
///   Time    each rank reads its shard once. Up to 65535 items move to the rank where their tile
///           begins; the folds of all tiles move to all ranks
///   Memory  an Init for every 256 items of this rank, one for every 65536 items of all ranks, and
///           the items of a tile (65536)
///   Order   by tiles of 65536 items from the first item of all shards on, not that of reduce.
///           Ranks on GPUs have one order, ranks on the host another
///   Sync, Errors  as reduce
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<float>> items(2, std::vector<float>(100, 0.1f));
///     const float sum =
///         hindsight::reduce_same_bits(ranks.par, hindsight::shards(ranks, items), 0.0f);
template <class C, class T, class Init, class Op = ::cuda::std::plus<Init>>
Init reduce_same_bits(const rank_policy<C>& par, const sharded<T>& in, Init init, Op op = {}) {
  Init result = init;
  const auto fold = detail::ranks::takes_const<Init, std::remove_const_t<T>>(detail::as_twin(op));
  par.over(in).run("hindsight::reduce_same_bits", [&](auto& rank, std::size_t i) {
    const Init sum = detail::ranks::fold_fixed(rank, in[i], init, fold);
    if (i == 0) result = sum;
  });
  return result;
}

/// Number of items of all shards with pred(in[i]). All ranks get it.
///   Order   changes nothing
///   Time, Memory, Sync, Errors  as reduce
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items(2, std::vector<int>(100, 3));
///     const auto n = hindsight::count_if(ranks.par, hindsight::shards(ranks, items),
///                                        ::cuda::std::identity{});  // 200
template <class C, class T, class Pred>
std::size_t count_if(const rank_policy<C>& par, const sharded<T>& in, Pred pred) {
  std::size_t result = 0;
  const auto own = detail::ranks::takes_const<std::remove_const_t<T>>(pred);
  par.over(in).run("hindsight::count_if", [&](auto& rank, std::size_t i) {
    const auto mine =
        hindsight::count_if(rank.policy(), in[i].data(), in[i].data() + in[i].size(), own);
    std::size_t sum = 0;
    for (const std::size_t part : rank.gather_at_end(std::size_t(mine))) sum += part;
    if (i == 0) result = sum;
  });
  return result;
}
/// Number of items of all shards that are equal to `value`. All ranks get it.
///   Order   changes nothing
///   Time, Memory, Sync, Errors  as reduce
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items(2, std::vector<int>(100, 3));
///     const auto n = hindsight::count(ranks.par, hindsight::shards(ranks, items), 3);  // 200
template <class C, class T, class Value>
std::size_t count(const rank_policy<C>& par, const sharded<T>& in, const Value& value) {
  return hindsight::count_if(par, in, detail::equals_value<const T*, Value>{value});
}

/// The smallest and the largest item of all shards by `less`: a pair of values. All ranks get it.
///   Memory  as reduce, of pairs of items
///   Order   of items that are equivalent, any may be returned
///   Time, Sync  as reduce
///   Errors  as reduce; invalid_call where there is no item
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items{{5, 7}, {2}};
///     const auto ends = hindsight::minmax(ranks.par, hindsight::shards(ranks, items));  // 2, 7
template <class C, class T, class Less = ::cuda::std::less<std::remove_const_t<T>>>
auto minmax(const rank_policy<C>& par, const sharded<T>& in, Less less = {}) {
  using item = std::remove_const_t<T>;
  using extent = detail::ranks::extent<item>;
  std::optional<extent> result;
  const auto own = detail::ranks::takes_const<item, item>(detail::as_twin(less));
  par.over(in).run("hindsight::minmax", [&](auto& rank, std::size_t i) {
    const detail::ranks::join_extents<item, std::decay_t<decltype(own)>> join{own};
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
  const extent& ends = *result;
  return std::pair<item, item>{ends.min, ends.max};
}

/// counters[b] = number of samples of all ranks in bin b of num_bins equal bins of [lower, upper).
/// Every rank gets all counts: counters has a shard of num_bins or more for each rank. Bins are
/// those of histogram_even of one range.
///   Time    each rank reads its shard once; the counters of each rank move to all
///   Memory  num_bins counters for each rank, on each rank, and what the histogram of a shard takes
///   Order   changes nothing: counts are exact
///   Sync    as reduce
///   Errors  as reduce; invalid_call where num_bins < 1, lower is not less than upper, a level is
///           NaN or infinite, or a shard of counters is too small
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> samples(2, std::vector<int>(100, 3)), counters(2, {0, 0});
///     hindsight::histogram_even(ranks.par, hindsight::shards(ranks, samples), 2, 0, 10,
///                               hindsight::shards(ranks, counters));  // 200, 0 on both
template <class C, class Sample, class Level, class Counter>
void histogram_even(const rank_policy<C>& par, const sharded<Sample>& samples, long long num_bins,
                    Level lower, Level upper, const sharded<Counter>& counters) {
  constexpr auto name = "hindsight::histogram_even";
  par.over(samples, counters).run(name, [&](auto& rank, std::size_t i) {
    const Sample* const first = samples[i].data();
    const std::size_t bins = detail::num_counters(num_bins);
    detail::ranks::require_room(counters[i], bins, name);
    detail::ranks::sum_histograms(rank, bins, counters[i].data(), [&](Counter* mine) {
      hindsight::histogram_even(rank.policy(), first, first + samples[i].size(), num_bins, lower,
                                upper, mine);
    });
  });
}

/// counters[b] = number of samples of all ranks in [levels[b], levels[b + 1]); every rank gets all
/// counts: counters has a shard of one item less than there are levels, or more, for each rank. The
/// levels are in host memory, the same on all ranks.
///   Time    each rank reads its shard once, and looks samples up by a binary search in the levels;
///           the counters of each rank move to all
///   Memory  as histogram_even; GPUs: also room for the levels
///   Order   as histogram_even
///   Sync    as reduce
///   Errors  as reduce; invalid_call where there are fewer than two levels, one is NaN or less than
///           the one before it, or a shard of counters is too small
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> samples(2, std::vector<int>(100, 3)), counters(2, {0, 0});
///     const int levels[] = {0, 2, 10};
///     hindsight::histogram_range(ranks.par, hindsight::shards(ranks, samples), levels, levels + 3,
///                                hindsight::shards(ranks, counters));  // 0, 200 on both
template <class C, class Sample, class LevelIt, class Counter>
void histogram_range(const rank_policy<C>& par, const sharded<Sample>& samples,
                     LevelIt levels_first, LevelIt levels_last, const sharded<Counter>& counters) {
  constexpr auto name = "hindsight::histogram_range";
  par.over(samples, counters).run(name, [&](auto& rank, std::size_t i) {
    const Sample* const first = samples[i].data();
    const std::ptrdiff_t levels = levels_last - levels_first;
    const std::size_t bins = levels < 2 ? 0 : std::size_t(levels - 1);
    detail::ranks::require_room(counters[i], bins, name);
    detail::ranks::sum_histograms(rank, bins, counters[i].data(), [&](Counter* mine) {
      hindsight::histogram_range(rank.policy(), first, first + samples[i].size(), levels_first,
                                 levels_last, mine);
    });
  });
}

/// out[i] = in[0] op ... op in[i] over the range that all shards make, `op` associative. `out` has
/// a shard of at least the input's size for each rank, and may be `in`.
///   Time    each rank reads its shard twice and writes it once; the last rank reads it once.
///           docs/several_gpus.md says why
///   Memory  to fold a shard: what reduce takes, or, if it is not known that op commutes, 32 bytes
///           for each 3 K items of up to 8 bytes. To scan it: 32 bytes for each 4 K items; on host
///           threads also some tiles of 32 KB for each thread
///   Order   of floats: fixed by the shards' sizes; the same bits every run
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of out is smaller than that of in
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items(2, std::vector<int>(100, 3));
///     const auto all = hindsight::shards(ranks, items);
///     hindsight::inclusive_scan(ranks.par, all, all);  // 3 ... 300; 303 ... 600
template <class C, class In, class Out, class Op = ::cuda::std::plus<>>
void inclusive_scan(const rank_policy<C>& par, const sharded<In>& in, const sharded<Out>& out,
                    Op op = {}) {
  using item = std::remove_const_t<In>;
  constexpr auto name = "hindsight::inclusive_scan";
  const auto own = detail::ranks::takes_const<item, item>(detail::as_twin(op));
  const auto fold = detail::ranks::folding_in<item>(own);
  par.over(in, out).run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(out[i], in[i].size(), name);
    const auto carry = detail::ranks::carry_into(rank, in[i], std::optional<item>{}, fold);
    const In* const first = in[i].data();
    const In* const last = first + in[i].size();
    if (carry) {
      hindsight::inclusive_scan(rank.policy(), first, last, out[i].data(), *carry, fold);
    } else {
      hindsight::inclusive_scan(rank.policy(), first, last, out[i].data(), own);
    }
  });
}

/// out[i] = init op in[0] op ... op in[i - 1], in the type of init, over the range that all shards
/// make, `op` associative. `out` has a shard of at least the input's size for each rank, and may be
/// `in`.
///   Time, Memory, Order  as inclusive_scan
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of out is smaller than that of in
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items(2, std::vector<int>(100, 3));
///     const auto all = hindsight::shards(ranks, items);
///     hindsight::exclusive_scan(ranks.par, all, all, 0);  // 0 ... 297; 300 ... 597
template <class C, class In, class Out, class Init, class Op = ::cuda::std::plus<>>
void exclusive_scan(const rank_policy<C>& par, const sharded<In>& in, const sharded<Out>& out,
                    Init init, Op op = {}) {
  constexpr auto name = "hindsight::exclusive_scan";
  const auto own = detail::ranks::takes_const<Init, std::remove_const_t<In>>(detail::as_twin(op));
  par.over(in, out).run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(out[i], in[i].size(), name);
    const auto carry = detail::ranks::carry_into(rank, in[i], std::optional<Init>{init}, own);
    const In* const first = in[i].data();
    hindsight::exclusive_scan(rank.policy(), first, first + in[i].size(), out[i].data(), *carry,
                              own);
  });
}

/// Sorts the range that all shards make, stably; the shards keep their sizes. Takes the keys and
/// orders of hindsight::stable_sort; keys have a default constructor.
///   Time    numbers are counted, moved once to where they are sorted or sent from, and sorted by
///           the bits that are left. For other keys and orders, or where too many numbers have the
///           same highest bits, each rank sorts its shard, and merges what it gets
///   Memory  for numbers, room for the items that a rank sends and for those that it gets (about
///           two shards together), and what sorts of parts of a shard take. Else another shard,
///           and what the sort of one shard takes
///   Order   of numbers: by value; -0.0 and 0.0 are equivalent, NaNs go by their bits
///   Sync    as reduce
///   Errors  as reduce; invalid_call where keys would be lost because a comparator of yours makes
///           no strict weak order of them, as `<` of NaNs
///   Source  Solomonik & Kale 2010, "Highly Scalable Parallel Sorting": splitters by histograms of
///           samples, where the highest bits of the keys do not split them evenly
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> keys{{5, 7}, {2, 9}};
///     hindsight::sort(ranks.par, hindsight::shards(ranks, keys));  // 2, 5; 7, 9
template <class C, class Key, class Compare = ::cuda::std::less<Key>>
void sort(const rank_policy<C>& par, const sharded<Key>& keys, Compare compare = {}) {
  par.over(keys).run("hindsight::sort", [&](auto& rank, std::size_t i) {
    using records = detail::ranks::records<Key, detail::no_value>;
    detail::ranks::sort_shards(rank, records{keys[i].data(), nullptr}, keys[i].size(),
                               detail::ranks::takes_const<Key, Key>(detail::as_twin(compare)));
  });
}
/// The same as sort.
///   Time, Memory, Order  as sort
///   Sync, Errors  as reduce
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> keys{{5, 7}, {2, 9}};
///     hindsight::stable_sort(ranks.par, hindsight::shards(ranks, keys));  // 2, 5; 7, 9
template <class C, class Key, class Compare = ::cuda::std::less<Key>>
void stable_sort(const rank_policy<C>& par, const sharded<Key>& keys, Compare compare = {}) {
  hindsight::sort(par, keys, compare);
}

/// The same as sort, with values that move along: values[i] has at least the size of keys[i].
///   Memory  as sort, for keys and values
///   Time, Order  as sort
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of values is smaller than that of keys
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> keys{{5, 7}, {2, 9}}, values{{0, 1}, {2, 3}};
///     hindsight::sort_by_key(ranks.par, hindsight::shards(ranks, keys),
///                            hindsight::shards(ranks, values));  // 2, 0; 1, 3
template <class C, class Key, class Value, class Compare = ::cuda::std::less<Key>>
void sort_by_key(const rank_policy<C>& par, const sharded<Key>& keys, const sharded<Value>& values,
                 Compare compare = {}) {
  constexpr auto name = "hindsight::sort_by_key";
  par.over(keys, values).run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(values[i], keys[i].size(), name);
    using records = detail::ranks::records<Key, Value>;
    detail::ranks::sort_shards(rank, records{keys[i].data(), values[i].data()}, keys[i].size(),
                               detail::ranks::takes_const<Key, Key>(detail::as_twin(compare)));
  });
}
/// The same as sort_by_key.
///   Memory  as sort, for keys and values
///   Time, Order  as sort
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of values is smaller than that of keys
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> keys{{5, 7}, {2, 9}}, values{{0, 1}, {2, 3}};
///     hindsight::stable_sort_by_key(ranks.par, hindsight::shards(ranks, keys),
///                                   hindsight::shards(ranks, values));  // 2, 0; 1, 3
template <class C, class Key, class Value, class Compare = ::cuda::std::less<Key>>
void stable_sort_by_key(const rank_policy<C>& par, const sharded<Key>& keys,
                        const sharded<Value>& values, Compare compare = {}) {
  hindsight::sort_by_key(par, keys, values, compare);
}

/// Sorts the range that all shards make into the shards of `out`. Their sizes are near those of the
/// input's shards, but equivalent keys are never on two ranks. Returns what was written: ragged
/// shards. `in` stays as it is; `out` does not overlap it.
///   requirements  as sort. Each shard of `out` has room for what the rank gets. Where the highest
///                 bits of numbers split them evenly, that is at most its shard of `in` and a
///                 quarter of an average shard. Else it is at most its shard of `in` and a run of
///                 equivalent keys; if all keys are equivalent, that run is all of them
///   Memory  as sort, and another shard at most
///   Time, Order  as sort
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of `out` is too small
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> keys{{5, 7}, {5, 9}}, out(2, std::vector<int>(4));
///     const auto written = hindsight::sort_to_ragged(ranks.par, hindsight::shards(ranks, keys),
///                                                    hindsight::shards(ranks, out));
template <class C, class In, class Key, class Compare = ::cuda::std::less<Key>>
sharded<Key> sort_to_ragged(const rank_policy<C>& par, const sharded<In>& in,
                            const sharded<Key>& out, Compare compare = {}) {
  static_assert(std::is_same_v<std::remove_const_t<In>, Key>,
                "hindsight: the output's keys must be of the input's type");
  using detail::ranks::cut;
  sharded<Key> written = out;
  par.over(in, out).run("hindsight::sort_to_ragged", [&](auto& rank, std::size_t i) {
    using records = detail::ranks::records<Key, detail::no_value>;
    const std::size_t n = detail::ranks::sort_shards(
        rank, records{const_cast<Key*>(in[i].data()), nullptr}, in[i].size(),
        detail::ranks::sorted_shard<Key, detail::no_value>{
            {out[i].data(), nullptr}, out[i].size(), cut::between_keys},
        detail::ranks::takes_const<Key, Key>(detail::as_twin(compare)));
    written[i] = out[i].first(n);
  });
  return written;
}

/// The same as sort_to_ragged, with values that move along: values[i] and values_out[i] have at
/// least the sizes of keys[i] and keys_out[i].
///   Memory  as sort, for keys and values, and another shard at most
///   Time, Order  as sort
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of keys_out is too small, or one of values or
///           values_out is smaller than that of its keys
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> keys{{5, 7}, {5, 9}}, values{{0, 1}, {2, 3}};
///     std::vector<std::vector<int>> out(2, std::vector<int>(4)), moved = out;
///     hindsight::sort_by_key_to_ragged(
///         ranks.par, hindsight::shards(ranks, keys), hindsight::shards(ranks, values),
///         hindsight::shards(ranks, out), hindsight::shards(ranks, moved));
template <class C, class KeyIn, class ValueIn, class Key, class Value,
          class Compare = ::cuda::std::less<Key>>
std::pair<sharded<Key>, sharded<Value>> sort_by_key_to_ragged(
    const rank_policy<C>& par, const sharded<KeyIn>& keys, const sharded<ValueIn>& values,
    const sharded<Key>& keys_out, const sharded<Value>& values_out, Compare compare = {}) {
  static_assert(std::is_same_v<std::remove_const_t<KeyIn>, Key>,
                "hindsight: the output's keys must be of the input's type");
  static_assert(std::is_same_v<std::remove_const_t<ValueIn>, Value>,
                "hindsight: the output's values must be of the input's type");
  constexpr auto name = "hindsight::sort_by_key_to_ragged";
  using detail::ranks::cut;
  auto written = std::make_pair(keys_out, values_out);
  par.over(keys, values, keys_out, values_out).run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(values[i], keys[i].size(), name);
    detail::ranks::require_room(values_out[i], keys_out[i].size(), name);
    using records = detail::ranks::records<Key, Value>;
    const std::size_t n = detail::ranks::sort_shards(
        rank, records{const_cast<Key*>(keys[i].data()), const_cast<Value*>(values[i].data())},
        keys[i].size(),
        detail::ranks::sorted_shard<Key, Value>{
            {keys_out[i].data(), values_out[i].data()}, keys_out[i].size(), cut::between_keys},
        detail::ranks::takes_const<Key, Key>(detail::as_twin(compare)));
    written.first[i] = keys_out[i].first(n);
    written.second[i] = values_out[i].first(n);
  });
  return written;
}

/// Copies the items with pred(in[i]) from each shard to the same rank's shard of `out`, which has
/// room for the whole shard of `in`. Returns what was written: ragged shards, which make one range.
/// Nothing may overlap.
///   Time    each rank reads its shard once and writes what it selects; no rank waits for data of
///           another
///   Memory  32 bytes for each 4 K to 16 K items of the shard, of up to 8 bytes; on host threads
///           for each 32 KB, and a tile of 32 KB for each thread
///   Order   that of the input
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of out is smaller than that of in
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items{{5, 0}, {2, 9}}, out(2, std::vector<int>(2));
///     const auto kept = hindsight::copy_if(ranks.par, hindsight::shards(ranks, items),
///         hindsight::shards(ranks, out), ::cuda::std::identity{});  // 5; 2, 9
template <class C, class In, class Out, class Pred>
sharded<Out> copy_if(const rank_policy<C>& par, const sharded<In>& in, const sharded<Out>& out,
                     Pred pred) {
  constexpr auto name = "hindsight::copy_if";
  const auto own = detail::ranks::takes_const<std::remove_const_t<In>>(pred);
  sharded<Out> written = out;
  par.over(in, out).run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(out[i], in[i].size(), name);
    const In* const first = in[i].data();
    const Out* const end =
        hindsight::copy_if(rank.policy(), first, first + in[i].size(), out[i].data(), own);
    written[i] = out[i].first(std::size_t(end - out[i].data()));
  });
  return written;
}

/// Copies the first item of each run to the same rank's shard of `out`, which has room for the
/// whole shard of `in`. A run goes on as long as equal(item, next item), also over several shards.
/// Returns what was written: ragged shards, which make one range. Nothing may overlap.
///   Time    each rank reads its shard once, writes what it keeps, and sends its first and its last
///           item to all
///   Memory, Order  as copy_if
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of out is smaller than that of in
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items{{5, 5}, {5, 9}}, out(2, std::vector<int>(2));
///     const auto kept = hindsight::unique_copy(ranks.par, hindsight::shards(ranks, items),
///                                              hindsight::shards(ranks, out));  // 5; 9
template <class C, class In, class Out,
          class Equal = ::cuda::std::equal_to<std::remove_const_t<In>>>
sharded<Out> unique_copy(const rank_policy<C>& par, const sharded<In>& in, const sharded<Out>& out,
                         Equal equal = {}) {
  constexpr auto name = "hindsight::unique_copy";
  sharded<Out> written = out;
  par.over(in, out).run(name, [&](auto& rank, std::size_t i) {
    detail::ranks::require_room(out[i], in[i].size(), name);
    written[i] = out[i].first(detail::ranks::copy_unique(
        rank, in[i], out[i].data(),
        detail::ranks::takes_const<std::remove_const_t<In>, std::remove_const_t<In>>(
            detail::as_twin(equal))));
  });
  return written;
}

/// Moves the items with pred(in[i]) to the front of the range that all shards make, and the others
/// after them, both in order; the shards keep their sizes. Returns how many items come first.
///   Time    each rank partitions its shard, sends the parts to where they belong, and copies what
///           it gets into place
///   Memory  two more shards, and 32 bytes for each 4 K to 16 K items of up to 8 bytes
///   Order   that of the input, in both parts
///   Sync, Errors  as reduce
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items{{5, 0}, {2, 9}};
///     hindsight::stable_partition(ranks.par, hindsight::shards(ranks, items),
///                                 ::cuda::std::identity{});  // 3: 5, 2; 9, 0
template <class C, class T, class Pred>
std::size_t stable_partition(const rank_policy<C>& par, const sharded<T>& items, Pred pred) {
  std::size_t result = 0;
  par.over(items).run("hindsight::stable_partition", [&](auto& rank, std::size_t i) {
    const std::size_t border = detail::ranks::partition_shards(rank, items[i], pred);
    if (i == 0) result = border;
  });
  return result;
}
/// The same as stable_partition.
///   Time, Memory, Order  as stable_partition
///   Sync, Errors  as reduce
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items{{5, 0}, {2, 9}};
///     hindsight::partition(ranks.par, hindsight::shards(ranks, items),
///                          ::cuda::std::identity{});  // 3: 5, 2; 9, 0
template <class C, class T, class Pred>
std::size_t partition(const rank_policy<C>& par, const sharded<T>& items, Pred pred) {
  return hindsight::stable_partition(par, items, pred);
}

/// Moves the range that ragged shards make to the shards of `out`, which are filled in order of the
/// ranks. Returns what was written. Nothing may overlap.
///   Time    each item is read once and written once
///   Memory  none for items
///   Order   that of the input
///   Sync    as reduce
///   Errors  as reduce; invalid_call where `out` has not room for all items
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items{{5}, {2, 9, 4}}, out(2, std::vector<int>(2));
///     hindsight::rebalance(ranks.par, hindsight::shards(ranks, items),
///                          hindsight::shards(ranks, out));  // 5, 2; 9, 4
template <class C, class In, class Out>
sharded<Out> rebalance(const rank_policy<C>& par, const sharded<In>& in, const sharded<Out>& out) {
  static_assert(std::is_same_v<std::remove_const_t<In>, Out>,
                "hindsight: the output's items must be of the input's type");
  sharded<Out> written = out;
  par.over(in, out).run("hindsight::rebalance", [&](auto& rank, std::size_t i) {
    written[i] = out[i].first(detail::ranks::move_to_shards(rank, in[i], out[i]));
  });
  return written;
}

/// For each run of keys: one key, and the fold of its values in order, on the rank where the run
/// begins. A run goes on as long as equal(key, next key), also over several shards. A shard of an
/// output has room for as many items as the rank's shard of the input. Returns what was written.
/// Nothing may overlap.
///   Time    each rank reads its shards once; its first and last key and their folds go to all
///   Memory  32 bytes (more for values of more than 8 bytes) for each 1 K to 4 K items of the
///           shard; on host threads also the keys and twice the values of so many for each
///           thread; a shard of values where the output's type does not hold all that theirs does
///   Order   of floats: fixed by the shards' sizes and keys. The key of a run is its last one on
///           GPUs, its first one on host threads
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of values, keys_out or values_out is smaller
///           than that of keys
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> keys{{5, 5}, {5, 9}}, values(2, {1, 1});
///     std::vector<std::vector<int>> out(2, std::vector<int>(2)), sums = out;
///     hindsight::reduce_by_key(ranks.par, hindsight::shards(ranks, keys),
///         hindsight::shards(ranks, values), hindsight::shards(ranks, out),
///         hindsight::shards(ranks, sums));  // 5; 9 and 3; 1
template <class C, class Key, class Value, class KeyOut, class ValueOut,
          class Equal = ::cuda::std::equal_to<std::remove_const_t<Key>>,
          class Op = ::cuda::std::plus<ValueOut>>
std::pair<sharded<KeyOut>, sharded<ValueOut>> reduce_by_key(const rank_policy<C>& par,
                                                            const sharded<Key>& keys,
                                                            const sharded<Value>& values,
                                                            const sharded<KeyOut>& keys_out,
                                                            const sharded<ValueOut>& values_out,
                                                            Equal equal = {}, Op op = {}) {
  constexpr auto name = "hindsight::reduce_by_key";
  using key = std::remove_const_t<Key>;
  using value = std::remove_const_t<Value>;
  const auto own_equal = detail::ranks::takes_const<key, key>(equal);
  const auto fold = detail::ranks::takes_const<value, value>(op);
  auto written = std::make_pair(keys_out, values_out);
  par.over(keys, values, keys_out, values_out).run(name, [&](auto& rank, std::size_t i) {
    const std::size_t n = keys[i].size();
    detail::ranks::require_room(values[i], n, name);
    detail::ranks::require_room(keys_out[i], n, name);
    detail::ranks::require_room(values_out[i], n, name);
    detail::ranks::reduce_by_key(rank, keys[i], values[i], written.first[i], written.second[i],
                                 own_equal, fold);
  });
  return written;
}

/// For each run of items: one item and the run's length, on the rank where the run begins. A run
/// goes on as long as equal(item, next item), also over several shards. A shard of an output has
/// room for as many items as the rank's shard of the input. Returns what was written. Nothing may
/// overlap.
///   Time    each rank reads its shard once; its first and last item and their runs' lengths go to
///           all
///   Memory  32 bytes for each 2 K items or more of the shard, of up to 16 bytes; on host threads
///           for each 32 KB, and for each thread room for their runs
///   Order   that of the input. The item of a run is its last one on GPUs, its first one on host
///           threads
///   Sync    as reduce
///   Errors  as reduce; invalid_call where a shard of unique_out or counts_out is smaller than that
///           of in
///   Example
///     hindsight::loopback::group ranks{2};
///     std::vector<std::vector<int>> items{{5, 5}, {5, 9}}, out(2, std::vector<int>(2));
///     auto counts = out;
///     hindsight::run_length_encode(ranks.par, hindsight::shards(ranks, items),
///         hindsight::shards(ranks, out), hindsight::shards(ranks, counts));  // 5; 9 and 3; 1
template <class C, class In, class Out, class Count,
          class Equal = ::cuda::std::equal_to<std::remove_const_t<In>>>
std::pair<sharded<Out>, sharded<Count>> run_length_encode(const rank_policy<C>& par,
                                                          const sharded<In>& in,
                                                          const sharded<Out>& unique_out,
                                                          const sharded<Count>& counts_out,
                                                          Equal equal = {}) {
  constexpr auto name = "hindsight::run_length_encode";
  using item = std::remove_const_t<In>;
  const auto own = detail::ranks::takes_const<item, item>(equal);
  auto written = std::make_pair(unique_out, counts_out);
  par.over(in, unique_out, counts_out).run(name, [&](auto& rank, std::size_t i) {
    const std::size_t n = in[i].size();
    detail::ranks::require_room(unique_out[i], n, name);
    detail::ranks::require_room(counts_out[i], n, name);
    const In* const first = in[i].data();
    const auto ends = hindsight::run_length_encode(rank.policy(), first, first + n,
                                                   unique_out[i].data(), counts_out[i].data(), own);
    detail::ranks::join_across_shards<Count>(
        rank, in[i], std::size_t(ends.first - unique_out[i].data()), counts_out[i].data(),
        written.first[i], written.second[i], own, ::cuda::std::plus<Count>{});
  });
  return written;
}

}  // namespace hindsight
