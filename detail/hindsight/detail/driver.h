// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the driver, which programs that do not link it have to ask for.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

namespace hindsight::detail {
inline namespace HINDSIGHT_STREAM_ABI {

/// A function of the type that the driver's cuda.h, a large header, gives it; null where the driver
/// is older than `version`.
///   known  what was found before, or null
template <class Function>
Function driver_function(std::atomic<Function>& known, const char* name, unsigned version) {
  if (const Function function = known.load(std::memory_order_relaxed)) return function;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
#else
  (void)version;
  cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
  known.store(reinterpret_cast<Function>(found), std::memory_order_relaxed);
  return known.load(std::memory_order_relaxed);
}

/// How many bytes from `address` on belong to its allocation; the largest number where the driver
/// does not tell. Only a guess of what a caller means: memory can also be mapped piece by piece.
inline std::size_t allocated_bytes(const void* address) {
  using function = int (*)(unsigned long long*, std::size_t*, unsigned long long);
  static std::atomic<function> known{nullptr};
  const function get_range = detail::driver_function(known, "cuMemGetAddressRange", 3020);
  const auto place = reinterpret_cast<unsigned long long>(address);
  unsigned long long begin = 0;
  std::size_t bytes = 0;
  if (!get_range || get_range(&begin, &bytes, place) != 0) return ~std::size_t{0};
  return place - begin < bytes ? static_cast<std::size_t>(begin + bytes - place) : ~std::size_t{0};
}

}  // namespace HINDSIGHT_STREAM_ABI
}  // namespace hindsight::detail
