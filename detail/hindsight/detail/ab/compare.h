// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call under comparison: both sides run and are timed, their bits are compared, and the caller
// gets what stock returned.
#pragma once

#include <hindsight/ab_policy.h>
#include <hindsight/ab_report.h>
#include <hindsight/detail/ab/staged.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace hindsight::detail::ab {
inline namespace HINDSIGHT_VERSION_ABI {  // as the report that these functions write to

/// Which items of its targets an algorithm determines: only these are compared. The ends that it
/// returns are always compared.
enum class determines { all_items, items_up_to_end, all_items_on_cuda };

/// The result of a call that returns void.
struct nothing {};

/// An algorithm with its policy.
template <class Algorithm, class Policy>
struct bound {
  const Policy& policy;

  _CCCL_EXEC_CHECK_DISABLE
  template <class... Args>
  HINDSIGHT_HD auto operator()(const Args&... args) const {
    if constexpr (std::is_void_v<decltype(Algorithm{}(policy, args...))>) {
      Algorithm{}(policy, args...);
      return nothing{};
    } else {
      return Algorithm{}(policy, args...);
    }
  }
};

_CCCL_EXEC_CHECK_DISABLE
template <class Algorithm, class Policy, class... Args>
HINDSIGHT_HD auto call(Algorithm, const Policy& policy, const Args&... args) {
  return ::cuda::std::apply(bound<Algorithm, Policy>{policy},
                            ::cuda::std::tuple_cat(ab::as_arguments(args)...));
}

#if HINDSIGHT_CUDA
template <class Derived>
void wait(const execution_policy<Derived, hindsight::cuda::system>& ours) {
  throw_on_error(cudaStreamSynchronize(stream_of(ours)), "hindsight::ab_par");
}
#endif
template <class Derived>
void wait(const execution_policy<Derived, hindsight::host::system>&) {}

/// run(), timed from an idle stream until it is idle again.
template <class Ours, class Run>
auto timed(const Ours& ours, double& milliseconds, Run run) {
  wait(ours);
  const auto begin = std::chrono::steady_clock::now();
  auto result = run();
  wait(ours);
  const auto end = std::chrono::steady_clock::now();
  milliseconds = std::chrono::duration<double, std::milli>(end - begin).count();
  return result;
}

/// Runs action(); if it throws, `error` says what.
template <class Action>
void attempt(std::string& error, Action action) {
  try {
    action();
  } catch (const std::exception& e) {
    error = e.what();
    if (error.empty()) error = "an exception without a text";
  } catch (...) {
    error = "an exception of no standard type";
  }
}

/// What was found in one call.
struct measured {
  double stock_ms = 0, our_ms = 0;
  std::string difference, error;
};

inline void record(const char* name, const char* algorithm, std::size_t call,
                   const measured& seen) {
  ab_report().end_call(name, algorithm, [&](ab_row& row) {
    if (!seen.error.empty()) {
      if (row.errors++ == 0) row.first_error = seen.error;
      return;
    }
    row.stock_ms += seen.stock_ms;
    row.our_ms += seen.our_ms;
    if (!seen.difference.empty() && row.differing++ == 0) {
      row.first_difference = seen.difference + " in call " + std::to_string(call);
    }
  });
}

/// How many items of a target an algorithm has written, by the end that it returned.
struct returned_end {
  const char* target;
  std::size_t position;
};

template <class Result, class... Targets>
std::vector<returned_end> returned_ends(const Result&, const std::tuple<Targets...>&) {
  return {};
}
template <class It, int Iterators>
std::vector<returned_end> returned_ends(const It& end,
                                        const std::tuple<target<It, Iterators>>& targets) {
  const auto& out = std::get<0>(targets);
  return {{out.name, static_cast<std::size_t>(end - out.first)}};
}
template <class It1, class It2, int Iterators>
std::vector<returned_end> returned_ends(
    const ::cuda::std::pair<It1, It2>& ends,
    const std::tuple<target<It1, Iterators>, target<It2, 1>>& targets) {
  const auto& [out1, out2] = targets;
  return {{out1.name, static_cast<std::size_t>(ends.first - out1.first)},
          {out2.name, static_cast<std::size_t>(ends.second - out2.first)}};
}

template <class Arg>
auto if_target(const Arg& arg) {
  if constexpr (is_target<Arg>) {
    return std::tuple<Arg>{arg};
  } else {
    return std::tuple<>{};
  }
}

template <class... Args>
inline constexpr bool have_targets = (is_target<Args> || ...);

/// Whether the bits of a call can be compared: those of its targets, else those of its result.
template <class Result, class Length, class... Args>
inline constexpr bool is_comparable = std::is_same_v<Length, const std::size_t> &&
                                      (can_be_staged<Args> && ...) &&
                                      (have_targets<Args...> || has_bits<Result>);

/// The first end at which the sides differ, in words; empty if there is none.
inline std::string differing_end(const std::vector<returned_end>& stock,
                                 const std::vector<returned_end>& ours) {
  for (std::size_t t = 0; t < stock.size(); ++t) {
    if (stock[t].position != ours[t].position) {
      return std::string{"end of "} + stock[t].target + " (" + std::to_string(ours[t].position) +
             ", stock " + std::to_string(stock[t].position) + ')';
    }
  }
  return {};
}

/// What differs first between the sides, in words; empty if nothing does.
template <determines Items, class System, class Side, class Result, class OurResult, class... Args>
std::string first_difference(const Side& side, const Result& stock, const OurResult& ours,
                             const Args&... args) {
  if constexpr (!have_targets<Args...>) {
    return std::memcmp(&stock, &ours, sizeof stock) == 0 ? "" : "result";
  } else {
    const auto ends = ab::returned_ends(stock, std::tuple_cat(ab::if_target(args)...));
    std::string found = differing_end(
        ends, std::apply(
                  [&](const auto&... arg) {
                    return ab::returned_ends(ours, std::tuple_cat(ab::if_target(arg.for_us())...));
                  },
                  side));
    if (Items == determines::all_items_on_cuda && std::is_same_v<System, hindsight::host::system>) {
      return found;
    }
    std::size_t t = 0;
    const auto find = [&](const auto& arg) {
      if constexpr (is_target<std::decay_t<decltype(arg.for_us())>>) {
        if (!found.empty()) return;
        found =
            arg.difference(Items == determines::items_up_to_end ? ends[t].position : as_the_input);
        ++t;
      }
    };
    std::apply([&](const auto&... arg) { (find(arg), ...); }, side);
    return found;
  }
}

enum class goes_first { stock, ours };

/// Runs both sides, and returns what stock returned. Ours writes to `staged` memory, so that the
/// caller's memory holds stock's results at the end.
template <class Stock, class Ours, class Algorithm, class... Args>
auto run_both(const ab_policy<Stock, Ours>& policy, Algorithm algorithm, goes_first order,
              measured& seen, std::size_t n, const Args&... args) {
  using stage_t = stage<Stock, decltype(memory_of(policy.ours()))>;
  stage_t where{policy.stock(), memory_of(policy.ours())};
  std::optional<std::tuple<staged<stage_t, Args>...>> side;
  attempt(seen.error, [&] {
    side.emplace(staged<stage_t, Args>{where, args, n}...);
    if (order == goes_first::stock) {
      std::apply([](auto&... arg) { (arg.before_stock(), ...); }, *side);
    }
  });
  if (!seen.error.empty()) side.reset();

  const auto run_ours = [&] {
    return std::apply(
        [&](const auto&... arg) { return ab::call(algorithm, policy.ours(), arg.for_us()...); },
        *side);
  };
  std::optional<decltype(run_ours())> ours;
  const auto try_ours = [&] {
    attempt(seen.error, [&] { ours.emplace(timed(policy.ours(), seen.our_ms, run_ours)); });
  };

  if (side && order == goes_first::ours) try_ours();
  auto result = timed(policy.ours(), seen.stock_ms,
                      [&] { return ab::call(algorithm, policy.stock(), args...); });
  if (side && order == goes_first::stock) {
    std::apply([](auto&... arg) { (arg.after_stock(), ...); }, *side);
    try_ours();
    std::apply([](auto&... arg) { (arg.after_us(), ...); }, *side);
  }
  if (ours) {
    attempt(seen.error, [&] {
      seen.difference =
          first_difference<Algorithm::determined, system_t<Ours>>(*side, result, *ours, args...);
    });
  }
  return result;
}

/// Runs both sides and records what was found; they take turns in going first. Runs stock alone
/// where the bits cannot be compared.
template <class Stock, class Ours, class Algorithm, class... Args>
auto compare(const ab_policy<Stock, Ours>& policy, Algorithm algorithm, const Args&... args) {
  using result_t = decltype(ab::call(algorithm, policy.stock(), args...));
  const auto n = ab::input_length(args...);
  const char* const name = policy.name() ? policy.name() : Algorithm::name;
  const std::size_t call = ab_report().begin_call(name, Algorithm::name, known_length(n));
  if constexpr (is_comparable<result_t, decltype(n), Args...>) {
    const auto order = call % 2 == 1 ? goes_first::stock : goes_first::ours;
    measured seen;
    auto result = run_both(policy, algorithm, order, seen, n, args...);
    record(name, Algorithm::name, call, seen);
    return result;
  } else {
    ab_report().end_call(name, Algorithm::name, [](ab_row& row) { ++row.not_compared; });
    return ab::call(algorithm, policy.stock(), args...);
  }
}

/// What an entry point calls. Host code compares both sides; device code runs the algorithm
/// sequentially.
_CCCL_EXEC_CHECK_DISABLE
template <class Stock, class Ours, class Algorithm, class... Args>
HINDSIGHT_HD auto run(const ab_policy<Stock, Ours>& policy, Algorithm algorithm,
                      const Args&... args) {
  HINDSIGHT_DISPATCH((return ab::compare(policy, algorithm, args...);),
                     (return ab::call(algorithm, thrust::seq, args...);))
}

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ab
