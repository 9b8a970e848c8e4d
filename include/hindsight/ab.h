// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A/B runs inside a program: with ab_par in place of a policy, each algorithm that hindsight owns
// runs on stock and on hindsight, and ab_report() says how they compare:
//
//   thrust::sort(hindsight::ab_par, keys.begin(), keys.end());              // row "sort"
//   thrust::reduce(hindsight::ab_par.named("energy"), v.begin(), v.end());  // row "energy"
//   thrust::copy_if(hindsight::ab_par.on(stream), in, in + n, out, pred);   // CUDA
//   hindsight::ab_report().print(std::cout);
//
// or with no more than the policy: HINDSIGHT_AB_REPORT=- ./program prints the report at exit.
//
//   Calls    Thrust's (reduce_into from CCCL 3.2 on), run_length_encode and histograms, with first
//            and last: no ranges, and no other calls of ours
//   Result   stock's: what is returned, and all bits in the caller's memory
//   Times    whole calls by the host clock, from an idle stream until it is idle again; the sides
//            take turns in going first. Both load their kernels in the first call at each place:
//            ab_report().clear() after a warm-up leaves that out
//   Compared all bits that the algorithm determines, padding included, and the returned end. Of
//            `partition` on host threads only the end, since stock has another order there. Where
//            stock's threads race, they differ: copy_if, remove_copy(_if) and unique_copy in place
//            under OpenMP and TBB
//   Memory   our side writes to memory of its own, in the system's default pool: as much as the
//            outputs (for scans and adjacent_difference twice that) or as the range that is changed
//            in place. If there is not enough, the row counts an error and stock alone runs
//   Needs    inputs with random access, outputs that are contiguous memory (or zipped from such),
//            and results that are trivially copyable and not a long double. Else stock alone runs,
//            and the row counts "not compared"
//   Functors operators and predicates run on both sides: they must not count calls or draw random
//            numbers
//   Sync     every call waits; none can be captured into a CUDA graph
//   Errors   stock's exceptions are thrown; ours are counted in the row, which keeps the first text
//
// Algorithms that are not ours run once, on stock, and get no row; so do extrema and find, find_if
// and find_if_not. But where stock makes such an algorithm of one of ours (its host systems do),
// the latter gets a row. Device code runs sequentially.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/ab_policy.h>
#include <hindsight/ab_report.h>
#include <hindsight/detail/ab/algorithms.h>

#include <type_traits>

namespace hindsight {

/// \cond  Thrust's algorithms, each as its header has it

// Values.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Args>
HINDSIGHT_HD auto reduce(const ab_policy<Stock, Ours>& policy, It first, It last, Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::reduce{}, first, last, args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Unary, class T, class Op>
HINDSIGHT_HD T transform_reduce(const ab_policy<Stock, Ours>& policy, It first, It last,
                                Unary unary, T init, Op op) {
  return detail::ab::run(policy, detail::ab::algorithm::transform_reduce{}, first, last, unary,
                         init, op);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Pred>
HINDSIGHT_HD bool all_of(const ab_policy<Stock, Ours>& policy, It first, It last, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::all_of{}, first, last, pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Pred>
HINDSIGHT_HD bool any_of(const ab_policy<Stock, Ours>& policy, It first, It last, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::any_of{}, first, last, pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Pred>
HINDSIGHT_HD bool none_of(const ab_policy<Stock, Ours>& policy, It first, It last, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::none_of{}, first, last, pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It1, class It2, class T, class... Ops>
HINDSIGHT_HD T inner_product(const ab_policy<Stock, Ours>& policy, It1 first, It1 last, It2 first2,
                             T init, Ops... ops) {
  return detail::ab::run(policy, detail::ab::algorithm::inner_product{}, first, last, first2, init,
                         ops...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Value>
HINDSIGHT_HD auto count(const ab_policy<Stock, Ours>& policy, It first, It last,
                        const Value& value) {
  const std::decay_t<const Value>& item = value;  // of a string literal the address
  return detail::ab::run(policy, detail::ab::algorithm::count{}, first, last, item);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Pred>
HINDSIGHT_HD auto count_if(const ab_policy<Stock, Ours>& policy, It first, It last, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::count_if{}, first, last, pred);
}

#if CCCL_VERSION >= 3002000  // before that stock has none
_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class... Args>
HINDSIGHT_HD void reduce_into(const ab_policy<Stock, Ours>& policy, It first, It last, Out out,
                              Args... args) {
  detail::ab::run(policy, detail::ab::algorithm::reduce_into{}, first, last,
                  detail::ab::fold_output(out), args...);
}
#endif

// Scans: `out` may be an input.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class... Args>
HINDSIGHT_HD Out inclusive_scan(const ab_policy<Stock, Ours>& policy, It first, It last, Out out,
                                Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::inclusive_scan{}, first, last,
                         detail::ab::scan_output(out), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class... Args>
HINDSIGHT_HD Out exclusive_scan(const ab_policy<Stock, Ours>& policy, It first, It last, Out out,
                                Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::exclusive_scan{}, first, last,
                         detail::ab::scan_output(out), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class... Args>
HINDSIGHT_HD Out transform_inclusive_scan(const ab_policy<Stock, Ours>& policy, It first, It last,
                                          Out out, Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::transform_inclusive_scan{}, first, last,
                         detail::ab::scan_output(out), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class... Args>
HINDSIGHT_HD Out transform_exclusive_scan(const ab_policy<Stock, Ours>& policy, It first, It last,
                                          Out out, Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::transform_exclusive_scan{}, first, last,
                         detail::ab::scan_output(out), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class KeyIt, class ValueIt, class Out, class... Args>
HINDSIGHT_HD Out inclusive_scan_by_key(const ab_policy<Stock, Ours>& policy, KeyIt keys_first,
                                       KeyIt keys_last, ValueIt values_first, Out out,
                                       Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::inclusive_scan_by_key{}, keys_first,
                         keys_last, values_first, detail::ab::scan_output(out), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class KeyIt, class ValueIt, class Out, class... Args>
HINDSIGHT_HD Out exclusive_scan_by_key(const ab_policy<Stock, Ours>& policy, KeyIt keys_first,
                                       KeyIt keys_last, ValueIt values_first, Out out,
                                       Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::exclusive_scan_by_key{}, keys_first,
                         keys_last, values_first, detail::ab::scan_output(out), args...);
}

// Selections.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class Pred>
HINDSIGHT_HD Out copy_if(const ab_policy<Stock, Ours>& policy, It first, It last, Out out,
                         Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::copy_if{}, first, last,
                         detail::ab::selection_output(out, first, last), pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class StencilIt, class Out, class Pred>
HINDSIGHT_HD Out copy_if(const ab_policy<Stock, Ours>& policy, It first, It last, StencilIt stencil,
                         Out out, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::copy_if{}, first, last, stencil,
                         detail::ab::selection_output(out, first, last, stencil), pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class Pred>
HINDSIGHT_HD Out remove_copy_if(const ab_policy<Stock, Ours>& policy, It first, It last, Out out,
                                Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::remove_copy_if{}, first, last,
                         detail::ab::selection_output(out, first, last), pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class StencilIt, class Out, class Pred>
HINDSIGHT_HD Out remove_copy_if(const ab_policy<Stock, Ours>& policy, It first, It last,
                                StencilIt stencil, Out out, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::remove_copy_if{}, first, last, stencil,
                         detail::ab::selection_output(out, first, last, stencil), pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class Value>
HINDSIGHT_HD Out remove_copy(const ab_policy<Stock, Ours>& policy, It first, It last, Out out,
                             const Value& value) {
  const std::decay_t<const Value>& item = value;  // of a string literal the address
  return detail::ab::run(policy, detail::ab::algorithm::remove_copy{}, first, last,
                         detail::ab::selection_output(out, first, last), item);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Value>
HINDSIGHT_HD It remove(const ab_policy<Stock, Ours>& policy, It first, It last,
                       const Value& value) {
  const std::decay_t<const Value>& item = value;  // of a string literal the address
  return detail::ab::run(policy, detail::ab::algorithm::remove{},
                         detail::ab::in_place("items", first, last), item);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Args>
HINDSIGHT_HD It remove_if(const ab_policy<Stock, Ours>& policy, It first, It last, Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::remove_if{},
                         detail::ab::in_place("items", first, last), args...);
}

// Runs and differences.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Equal>
HINDSIGHT_HD It unique(const ab_policy<Stock, Ours>& policy, It first, It last, Equal... equal) {
  return detail::ab::run(policy, detail::ab::algorithm::unique{},
                         detail::ab::in_place("items", first, last), equal...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class... Equal>
HINDSIGHT_HD Out unique_copy(const ab_policy<Stock, Ours>& policy, It first, It last, Out out,
                             Equal... equal) {
  return detail::ab::run(policy, detail::ab::algorithm::unique_copy{}, first, last,
                         detail::ab::selection_output(out, first, last), equal...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Equal>
HINDSIGHT_HD auto unique_count(const ab_policy<Stock, Ours>& policy, It first, It last,
                               Equal... equal) {
  return detail::ab::run(policy, detail::ab::algorithm::unique_count{}, first, last, equal...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class KeyIt, class ValueIt, class... Equal>
HINDSIGHT_HD ::cuda::std::pair<KeyIt, ValueIt> unique_by_key(const ab_policy<Stock, Ours>& policy,
                                                             KeyIt keys_first, KeyIt keys_last,
                                                             ValueIt values_first, Equal... equal) {
  return detail::ab::run(policy, detail::ab::algorithm::unique_by_key{},
                         detail::ab::in_place("keys", keys_first, keys_last),
                         detail::ab::in_place("values", values_first), equal...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class KeyIt, class ValueIt, class KeyOut, class ValueOut,
          class... Equal>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> unique_by_key_copy(
    const ab_policy<Stock, Ours>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
    KeyOut keys_out, ValueOut values_out, Equal... equal) {
  return detail::ab::run(policy, detail::ab::algorithm::unique_by_key_copy{}, keys_first, keys_last,
                         values_first, detail::ab::output("keys_out", keys_out),
                         detail::ab::output("values_out", values_out), equal...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class Out, class... Op>
HINDSIGHT_HD Out adjacent_difference(const ab_policy<Stock, Ours>& policy, It first, It last,
                                     Out out, Op... op) {
  return detail::ab::run(policy, detail::ab::algorithm::adjacent_difference{}, first, last,
                         detail::ab::scan_output(out), op...);
}

// Partitions.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Args>
HINDSIGHT_HD It partition(const ab_policy<Stock, Ours>& policy, It first, It last, Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::partition{},
                         detail::ab::in_place("items", first, last), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Args>
HINDSIGHT_HD It stable_partition(const ab_policy<Stock, Ours>& policy, It first, It last,
                                 Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::stable_partition{},
                         detail::ab::in_place("items", first, last), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> partition_copy(const ab_policy<Stock, Ours>& policy,
                                                               It first, It last, TrueIt out_true,
                                                               FalseIt out_false, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::partition_copy{}, first, last,
                         detail::ab::output("out_true", out_true),
                         detail::ab::output("out_false", out_false), pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class StencilIt, class TrueIt, class FalseIt,
          class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> partition_copy(const ab_policy<Stock, Ours>& policy,
                                                               It first, It last, StencilIt stencil,
                                                               TrueIt out_true, FalseIt out_false,
                                                               Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::partition_copy{}, first, last, stencil,
                         detail::ab::output("out_true", out_true),
                         detail::ab::output("out_false", out_false), pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class TrueIt, class FalseIt, class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    const ab_policy<Stock, Ours>& policy, It first, It last, TrueIt out_true, FalseIt out_false,
    Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::stable_partition_copy{}, first, last,
                         detail::ab::output("out_true", out_true),
                         detail::ab::output("out_false", out_false), pred);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class StencilIt, class TrueIt, class FalseIt,
          class Pred>
HINDSIGHT_HD ::cuda::std::pair<TrueIt, FalseIt> stable_partition_copy(
    const ab_policy<Stock, Ours>& policy, It first, It last, StencilIt stencil, TrueIt out_true,
    FalseIt out_false, Pred pred) {
  return detail::ab::run(policy, detail::ab::algorithm::stable_partition_copy{}, first, last,
                         stencil, detail::ab::output("out_true", out_true),
                         detail::ab::output("out_false", out_false), pred);
}

// Runs.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class KeyIt, class ValueIt, class KeyOut, class ValueOut,
          class... Args>
HINDSIGHT_HD ::cuda::std::pair<KeyOut, ValueOut> reduce_by_key(const ab_policy<Stock, Ours>& policy,
                                                               KeyIt keys_first, KeyIt keys_last,
                                                               ValueIt values_first,
                                                               KeyOut keys_out, ValueOut values_out,
                                                               Args... args) {
  return detail::ab::run(policy, detail::ab::algorithm::reduce_by_key{}, keys_first, keys_last,
                         values_first, detail::ab::output("keys_out", keys_out),
                         detail::ab::output("values_out", values_out), args...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class UniqueOut, class CountsOut, class... Equal>
HINDSIGHT_HD ::cuda::std::pair<UniqueOut, CountsOut> run_length_encode(
    const ab_policy<Stock, Ours>& policy, It first, It last, UniqueOut unique_out,
    CountsOut counts_out, Equal... equal) {
  return detail::ab::run(policy, detail::ab::algorithm::run_length_encode{}, first, last,
                         detail::ab::output("unique_out", unique_out),
                         detail::ab::output("counts_out", counts_out), equal...);
}

// Sorts.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Compare>
HINDSIGHT_HD void sort(const ab_policy<Stock, Ours>& policy, It first, It last,
                       Compare... compare) {
  detail::ab::run(policy, detail::ab::algorithm::sort{}, detail::ab::in_place("keys", first, last),
                  compare...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class It, class... Compare>
HINDSIGHT_HD void stable_sort(const ab_policy<Stock, Ours>& policy, It first, It last,
                              Compare... compare) {
  detail::ab::run(policy, detail::ab::algorithm::stable_sort{},
                  detail::ab::in_place("keys", first, last), compare...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class KeyIt, class ValueIt, class... Compare>
HINDSIGHT_HD void sort_by_key(const ab_policy<Stock, Ours>& policy, KeyIt keys_first,
                              KeyIt keys_last, ValueIt values_first, Compare... compare) {
  detail::ab::run(policy, detail::ab::algorithm::sort_by_key{},
                  detail::ab::in_place("keys", keys_first, keys_last),
                  detail::ab::in_place("values", values_first), compare...);
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class KeyIt, class ValueIt, class... Compare>
HINDSIGHT_HD void stable_sort_by_key(const ab_policy<Stock, Ours>& policy, KeyIt keys_first,
                                     KeyIt keys_last, ValueIt values_first, Compare... compare) {
  detail::ab::run(policy, detail::ab::algorithm::stable_sort_by_key{},
                  detail::ab::in_place("keys", keys_first, keys_last),
                  detail::ab::in_place("values", values_first), compare...);
}

// Histograms.

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class SampleIt, class Level, class CounterIt>
HINDSIGHT_HD CounterIt histogram_even(const ab_policy<Stock, Ours>& policy, SampleIt first,
                                      SampleIt last, long long num_bins, Level lower, Level upper,
                                      CounterIt counters) {
  return detail::ab::run(policy, detail::ab::algorithm::histogram_even{}, first, last, num_bins,
                         detail::as_level(lower), detail::as_level(upper),
                         detail::ab::output("counters", counters, detail::num_counters(num_bins)));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class SampleIt, class LevelIt, class CounterIt>
HINDSIGHT_HD CounterIt histogram_range(const ab_policy<Stock, Ours>& policy, SampleIt first,
                                       SampleIt last, LevelIt levels_first, LevelIt levels_last,
                                       CounterIt counters) {
  return detail::ab::run(
      policy, detail::ab::algorithm::histogram_range{}, first, last, levels_first, levels_last,
      detail::ab::output("counters", counters, detail::ab::num_bins(levels_first, levels_last)));
}

/// \endcond

}  // namespace hindsight
