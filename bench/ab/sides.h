// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns an algorithm on its input into a case with two sides. Each side runs the same template
// body, with stock's names or with ours.
#pragma once

#include <hindsight/policy.h>

#include <thrust/execution_policy.h>

#include "case.h"
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace ab {

/// The facades of an algorithm in CUB's shape, stock's and ours, whose static functions
/// mode::kernel measures.
template <class Stock, class Ours>
struct devices {
  using stock = Stock;
  using ours = Ours;
};
/// Host threads have none, nor have algorithms that one side lacks.
using no_devices = devices<void, void>;
#if HINDSIGHT_CUDA
#  define HINDSIGHT_AB_DEVICES(Stock, Ours) ab::devices<Stock, Ours>
#else
#  define HINDSIGHT_AB_DEVICES(Stock, Ours) ab::no_devices
#endif
/// In their place, where neither side has a facade: mode::kernel measures the whole calls, which do
/// not wait, and which get temporary memory that is kept from run to run.
struct calls_without_waiting {};

/// An allocator that hands out what was given back before: so only warm-up runs allocate.
class kept_memory {
 public:
  using value_type = char;
  char* allocate(std::size_t bytes) {
    for (piece& one : *pieces_) {
      if (one.is_used || one.data.bytes() < bytes) continue;
      one.is_used = true;
      return one.data.as<char>();
    }
    pieces_->push_back({buffer{bytes}, true});
    return pieces_->back().data.as<char>();
  }
  void deallocate(char* data, std::size_t) noexcept {
    for (piece& one : *pieces_)
      if (one.data.as<char>() == data) one.is_used = false;
  }

 private:
  struct piece {
    buffer data;
    bool is_used;
  };
  std::shared_ptr<std::vector<piece>> pieces_ = std::make_shared<std::vector<piece>>();
};

/// A Device* call in its two phases, `call(temp, temp_bytes)`, with temporary memory given.
template <class Call>
std::function<void()> two_phases(Call call) {
  const auto check = [](auto status) {
    if (status != decltype(status){})
      throw std::runtime_error(std::string{"a Device* call: "} + cudaGetErrorString(status));
  };
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  const auto temp = std::make_shared<buffer>(bytes);
  return [=] {
    std::size_t given = bytes;
    check(call(temp->as<void>(), given));
  };
}

struct policies {
  template <class D, class System>
  static constexpr bool are_ours(const hindsight::execution_policy<D, System>*) {
    return true;
  }
  static constexpr bool are_ours(const void*) { return false; }
};
/// Which side a whole call is: for what Thrust has no call for.
template <class Policy>
inline constexpr bool is_ours = policies::are_ours(static_cast<const Policy*>(nullptr));

/// Whether it is the policy of mode::whole_call, whose calls wait.
template <class Policy>
inline constexpr bool is_plain = std::is_same_v<Policy, std::decay_t<decltype(hindsight::par)>>;

/// Base of inputs whose calls leave them as they are, and which any number of items fits.
struct input {
  static constexpr std::size_t most_items = std::size_t(-1);
  static const char* why_not(std::size_t) { return nullptr; }
  void reset(const results&) const {}
};

/// Base of inputs whose positions have 32 bits. Each item may stand for several outputs.
template <int OutputsPerItem = 1>
struct input_of_32_bits : input {
  static const char* why_not(std::size_t n) {
    return n <= std::size_t{0x7fffffff} / OutputsPerItem ? nullptr : "its positions have 32 bits";
  }
};

/// Base of pictures of so many columns, or of one row.
struct picture_input : input_of_32_bits<> {
  static constexpr std::size_t most_columns = 4096;
  static const char* why_not(std::size_t n) {
    const bool is_picture = n < most_columns || n % most_columns == 0;
    return is_picture ? input_of_32_bits<>::why_not(n) : "its rows have 4096 items";
  }
};

/// False where another case has the whole call: only facades are compared, on the GPU.
template <class Input>
inline constexpr bool has_whole_call = true;

/// Adds a case; `args` are the arguments of its input's constructor after n. An Input has
///   most_items                                           the greatest default size
///   why_not(n)                                           as of ab_case
///   using devices                                        facades, no_devices, or
///                                                        calls_without_waiting
///   add_results(results&)                                what a side writes
///   device_call(device, temp, temp_bytes, results)       for mode::kernel
///   whole_call(policy, results)                          for mode::whole_call, if has_whole_call
template <class Input, class... Args>
void add(names named, traffic moves, Args... args) {
  using devices = typename Input::devices;
  constexpr bool is_without_waiting = std::is_same_v<devices, calls_without_waiting>;
  constexpr bool has_kernel_mode =
      is_without_waiting ? bool(HINDSIGHT_CUDA) : !std::is_same_v<devices, no_devices>;
  ab_case added{std::move(named), moves, {}, nullptr, Input::most_items, Input::why_not};
  if constexpr (has_whole_call<Input>) added.modes.push_back(mode::whole_call);
  if constexpr (has_kernel_mode) added.modes.push_back(mode::kernel);

  added.prepare = [args...](std::size_t n, mode measured) {
    const auto input = std::make_shared<const Input>(n, args...);
    const auto stock = std::make_shared<results>(measured);
    const auto ours = std::make_shared<results>(measured);
    input->add_results(*stock);
    input->add_results(*ours);
    prepared sides{nullptr, nullptr, [=](const results& out) { input->reset(out); }, stock, ours};
    if (measured == mode::whole_call) {
      if constexpr (has_whole_call<Input>) {
        sides.stock = [=] { input->whole_call(thrust::device, *stock); };
        sides.ours = [=] { input->whole_call(hindsight::par, *ours); };
      }
    } else if constexpr (is_without_waiting) {
#if HINDSIGHT_CUDA
      kept_memory stock_temp, our_temp;
      sides.stock = [=]() mutable {
        input->whole_call(thrust::cuda::par_nosync(stock_temp), *stock);
      };
      sides.ours = [=]() mutable { input->whole_call(hindsight::par_nosync(our_temp), *ours); };
#endif
    } else if constexpr (has_kernel_mode) {
      sides.stock = two_phases([=](void* temp, std::size_t& bytes) {
        return input->device_call(typename devices::stock{}, temp, bytes, *stock);
      });
      sides.ours = two_phases([=](void* temp, std::size_t& bytes) {
        return input->device_call(typename devices::ours{}, temp, bytes, *ours);
      });
    }
    return sides;
  };
  cases().push_back(std::move(added));
}

}  // namespace ab
