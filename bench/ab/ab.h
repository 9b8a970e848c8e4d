// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The A/B program's frame: a case is one algorithm on one input, run by stock and by hindsight in
// turn in one process; the results must agree to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ab {

/// Stops the program: a figure measured after an error is worth nothing.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "hindsight_ab: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

/// cudaMalloc hands out small arrays from 2 MiB chunks, and is three times as fast where one is
/// partly in use already. By default the program's own buffers fill whole chunks, so that neither
/// side's temporary memory profits from them; --small-buffers leaves chunks that stock can use.
inline bool whole_chunks = true;

/// Device memory [bytes].
class buffer {
 public:
  explicit buffer(std::size_t bytes) : bytes_{bytes} {
    constexpr std::size_t chunk = std::size_t{2} << 20;
    const std::size_t size = bytes > 0 ? bytes : 1;
    check(cudaMalloc(&data_, whole_chunks ? (size + chunk - 1) / chunk * chunk : size),
          "cudaMalloc");
  }
  buffer(buffer&& other) noexcept : data_{other.data_}, bytes_{other.bytes_} {
    other.data_ = nullptr;
  }
  buffer(const buffer&) = delete;
  buffer& operator=(buffer&&) = delete;
  ~buffer() { cudaFree(data_); }

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  void poison() const { check(cudaMemset(data_, 0xab, bytes_), "cudaMemset"); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

enum class mode { kernel, whole_call };

/// One side of a case, ready to be timed: all inputs made, all buffers allocated.
struct prepared {
  std::function<void()> stock, ours;
  /// Before each run, on the results of the side that runs, outside the time: for what sorts in
  /// place.
  std::function<void(const std::vector<buffer>&)> reset = [](const std::vector<buffer>&) {};
  std::vector<buffer> stock_results, our_results;  ///< compared pairwise, after being poisoned
  std::size_t bytes = 0;                           ///< that must move, at least
};

struct ab_case {
  std::string algorithm, key, value, distribution;
  std::function<void(prepared&, std::size_t n, mode)> prepare;
};

/// All cases; each algorithm's file adds its own.
std::vector<ab_case>& cases();
struct registration {
  explicit registration(std::function<void()> add) { add(); }
};

/// Random bits, the same for the same seed: `and_of` words and-ed together (entropy 1, 0.811,
/// 0.544, 0.337, 0.201 for 1 to 5), as NVIDIA's benchmarks make them.
void fill_random(void* data, std::size_t bytes, int and_of);
/// Keys in runs of 1 .. 2 * mean - 1 equal items, as item numbers of the runs.
void fill_runs(std::uint32_t* keys, std::size_t n, std::size_t mean);

template <class T>
const char* name_of();
template <>
inline const char* name_of<std::uint8_t>() {
  return "U8";
}
template <>
inline const char* name_of<std::int8_t>() {
  return "I8";
}
template <>
inline const char* name_of<std::int16_t>() {
  return "I16";
}
template <>
inline const char* name_of<std::int32_t>() {
  return "I32";
}
template <>
inline const char* name_of<std::uint32_t>() {
  return "U32";
}
template <>
inline const char* name_of<std::int64_t>() {
  return "I64";
}
template <>
inline const char* name_of<std::uint64_t>() {
  return "U64";
}
template <>
inline const char* name_of<float>() {
  return "F32";
}
template <>
inline const char* name_of<double>() {
  return "F64";
}

/// A side of a Device* call in CUB's two phases: `call(temp, temp_bytes)`. Temporary memory is
/// given.
template <class Call>
std::function<void()> device_call(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "size query");
  const auto temp = std::make_shared<buffer>(bytes);
  return [=] {
    std::size_t given = temp->bytes();
    check(call(temp->as<void>(), given), "call");
  };
}

/// Both sides of one template body: `call(device, temp, temp_bytes, out)` for kernel times,
/// `whole(policy, out)` for the whole call as a Thrust user makes it. `out` is the side's results.
template <class StockDevice, class OurDevice, class StockPolicy, class OurPolicy, class Call,
          class Whole>
void both_sides(prepared& sides, mode wanted, StockPolicy stock, OurPolicy ours, Call call,
                Whole whole) {
  const auto* stock_out = &sides.stock_results;
  const auto* our_out = &sides.our_results;
  if (wanted == mode::kernel) {
    sides.stock =
        device_call([=](void* t, std::size_t& b) { return call(StockDevice{}, t, b, *stock_out); });
    sides.ours =
        device_call([=](void* t, std::size_t& b) { return call(OurDevice{}, t, b, *our_out); });
  } else {
    sides.stock = [=] { whole(stock, *stock_out); };
    sides.ours = [=] { whole(ours, *our_out); };
  }
}

}  // namespace ab
