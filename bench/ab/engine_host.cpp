// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hindsight/detail/ab/bits.h>
#include <hindsight/detail/host/team.h>

#include <cuda/std/version>

#include "engine.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <new>
#include <numeric>
#include <sstream>

namespace ab::engine {

const std::vector<mode> modes{mode::whole_call};
const std::vector<std::size_t> default_sizes{1u << 16, 1u << 20, 1u << 24};

const run_limits limits{1, 3, 25, 0.25};

namespace {

namespace team = hindsight::detail::host;

/// Calls f(begin, end) with every thread's share of [0, n).
template <class F>
void for_each_share(std::size_t n, F f) {
  const unsigned threads = team::default_team_size();
  team::run_team(threads, [&](unsigned rank) { f(n * rank / threads, n * (rank + 1) / threads); });
}

void copy_by_team(void* to, const void* from, std::size_t bytes) {
  for_each_share(bytes, [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                end - begin);
  });
}

constexpr const char* system_name =
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
    "OMP";
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
    "TBB";
#else
    "CPP";
#endif

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0)
      return line.substr(std::min(line.find(": ") + 2, line.size()));
  }
  return "unknown processor";
}

}  // namespace

std::string why_unusable() {
  return "";
}

/// A team that has nothing to do is back within microseconds, unless its threads wait for
/// processors that others use.
std::string why_unreliable() {
  constexpr int runs = 51;
  constexpr double limit_ms = 0.5;
  const unsigned threads = team::default_team_size();
  double ms[runs];
  for (double& one : ms)
    one = milliseconds([=] { team::run_team(threads, [](unsigned) {}); }, mode::whole_call);
  std::nth_element(ms, ms + runs / 2, ms + runs);
  if (ms[runs / 2] < limit_ms) return "";
  std::ostringstream text;
  text << "a team of " << threads << " threads takes " << std::setprecision(2) << ms[runs / 2]
       << " ms to do nothing, since other programs use the processors: these times mean little. "
          "Leave the machine alone, ask for fewer threads (OMP_NUM_THREADS), or set "
          "OMP_WAIT_POLICY=passive";
  return text.str();
}

machine describe() {
  return {processor(), system_name, std::nullopt, std::nullopt, int(team::default_team_size()),
          CCCL_VERSION};
}

double milliseconds(const std::function<void()>& call, mode) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

void forget_failed_allocation() {}

bool use_small_buffers() {
  return false;
}

void* allocate(std::size_t bytes, memory) {
  constexpr std::size_t alignment = 256;  // as of cudaMalloc
  const std::size_t blocks = std::max((bytes + alignment - 1) / alignment, std::size_t{1});
  void* const data = std::aligned_alloc(alignment, blocks * alignment);
  if (!data) throw std::bad_alloc();
  return data;
}

void release(void* data, memory) noexcept {
  std::free(data);
}

void fill(void* data, unsigned char byte, std::size_t bytes) {
  for_each_share(bytes, [&](std::size_t begin, std::size_t end) {
    std::memset(static_cast<char*>(data) + begin, byte, end - begin);
  });
}

void copy(void* to, const void* from, std::size_t bytes) {
  copy_by_team(to, from, bytes);
}

std::size_t first_difference(const void* a, const void* b, std::size_t item_bytes, std::size_t n) {
  return hindsight::detail::ab::first_differing_item(a, b, item_bytes, n);
}

ceilings measure_ceilings() {
  constexpr std::size_t bytes = std::size_t{1} << 29, n = bytes / 8;  // beyond any cache
  const buffer from(bytes), to(bytes);
  from.poison();
  to.poison();
  const auto best = [](const std::function<void()>& call) {
    double ms = milliseconds(call, mode::whole_call);
    for (int run = 0; run < 6; ++run) ms = std::min(ms, milliseconds(call, mode::whole_call));
    return ms;
  };
  const double copy_ms = best([&] { copy_by_team(to.as<void>(), from.as<void>(), bytes); });
  std::vector<std::uint64_t> sums(team::default_team_size());
  const double read_ms = best([&] {
    team::run_team(unsigned(sums.size()), [&](unsigned rank) {
      const auto* data = from.as<const std::uint64_t>();
      sums[rank] = std::accumulate(data + n * rank / sums.size(),
                                   data + n * (rank + 1) / sums.size(), std::uint64_t{0});
    });
    volatile std::uint64_t used = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
    static_cast<void>(used);
  });
  return {2 * double(bytes) / (copy_ms * 1e6), double(bytes) / (read_ms * 1e6)};
}

}  // namespace ab::engine
