// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several GPUs over NCCL: all GPUs of this machine in one process, and a process for each. Skipped
// where NCCL is missing.
#include <hindsight/nccl.h>

#include "ranks_gpu_testing.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

using hindsight::detail::ranks::nccl_id;
using hindsight::detail::ranks::nccl_library;
using hindsight_test::cut;

/// Why NCCL cannot be used, or nothing.
std::string prepare_nccl() {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  return hindsight::nccl::why_missing();
}

#define SKIP_WITHOUT_NCCL() \
  if (const std::string why = prepare_nccl(); !why.empty()) GTEST_SKIP() << why

std::vector<int> first_devices(std::size_t n) {
  std::vector<int> devices(n);
  for (std::size_t i = 0; i < n; ++i) devices[i] = int(i);
  return devices;
}

TEST(nccl, all_gpus_in_one_process) {
  SKIP_WITHOUT_NCCL();
  hindsight::nccl::all_gpus gpus;
  hindsight::nccl::group g{gpus.comms(), gpus.streams()};
  const auto devices = first_devices(gpus.size());
  for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{3000017}})
    for (const cut how : hindsight_test::all_cuts)
      EXPECT_NO_THROW(hindsight_test::check_gpu_ranks(g, devices, n, how)) << n << " items";
}

TEST(nccl, a_rank_that_fails_ends_all_and_the_next_call_works) {
  SKIP_WITHOUT_NCCL();
  hindsight::nccl::all_gpus gpus;
  hindsight::nccl::group g{gpus.comms(), gpus.streams()};
  const auto devices = first_devices(gpus.size());
  const std::vector<std::size_t> sizes(gpus.size(), 1000);
  const hindsight_test::gpu_ranks_case<hindsight::nccl::group> data{g, devices, 1000 * gpus.size(),
                                                                    sizes};
  const auto in = data.on_ranks(std::vector<int>(data.n, 1));
  auto out = in.view();
  out[gpus.size() - 1] = out[gpus.size() - 1].first(999);  // too small, on the last rank
  EXPECT_THROW(hindsight::inclusive_scan(g.par, in.view(), out), hindsight::invalid_call);
  EXPECT_FALSE(g.is_over());
  EXPECT_EQ(hindsight::reduce(g.par, in.view()), int(data.n));
}

// --- a process for each GPU: this program again, with one test and its rank in the environment ---

constexpr char id_variable[] = "HINDSIGHT_TEST_NCCL_ID";
constexpr char rank_variable[] = "HINDSIGHT_TEST_RANK";
constexpr char size_variable[] = "HINDSIGHT_TEST_RANKS";

std::string hex(const nccl_id& id) {
  std::string text;
  for (const char byte : id.internal) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", unsigned(static_cast<unsigned char>(byte)));
    text += digits;
  }
  return text;
}

nccl_id from_hex(const char* text) {
  nccl_id id;
  for (std::size_t i = 0; i < sizeof id.internal; ++i)
    id.internal[i] = char(std::stoi(std::string(text + 2 * i, 2), nullptr, 16));
  return id;
}

/// Starts a process for each of n ranks that runs one test. Returns their exit statuses; one that
/// is still running after a minute and a half is killed.
std::vector<int> run_processes(int n, const char* test) {
  nccl_id id;
  nccl_library::get().check(nccl_library::get().get_unique_id(&id), "ncclGetUniqueId");
  setenv(id_variable, hex(id).c_str(), 1);
  setenv(size_variable, std::to_string(n).c_str(), 1);
  std::vector<pid_t> processes(std::size_t(n), 0);
  std::string filter = std::string{"--gtest_filter="} + test;
  char program[] = "/proc/self/exe", also_disabled[] = "--gtest_also_run_disabled_tests";
  char* arguments[] = {program, filter.data(), also_disabled, nullptr};
  for (int r = 0; r < n; ++r) {
    setenv(rank_variable, std::to_string(r).c_str(), 1);
    EXPECT_EQ(
        posix_spawn(&processes[std::size_t(r)], program, nullptr, nullptr, arguments, environ), 0);
  }
  std::vector<int> statuses(std::size_t(n), -1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{90};
  for (std::size_t r = 0; r < processes.size(); ++r) {
    while (waitpid(processes[r], &statuses[r], WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) kill(processes[r], SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }
  return statuses;
}

/// The group of a process that was started so.
struct one_of_many {
  explicit one_of_many(std::chrono::milliseconds patience) {
    rank = std::stoi(std::getenv(rank_variable));
    hindsight_test::check(cudaSetDevice(rank));
    hindsight_test::check(cudaStreamCreate(&stream));
    const auto& nccl = nccl_library::get();
    ncclComm_t comm = nullptr;
    nccl.check(nccl.comm_init_rank(&comm, std::stoi(std::getenv(size_variable)),
                                   from_hex(std::getenv(id_variable)), rank),
               "ncclCommInitRank");
    group = std::make_unique<hindsight::nccl::group>(std::vector<ncclComm_t>{comm},
                                                     std::vector<cudaStream_t>{stream}, patience);
  }

  int rank;
  cudaStream_t stream = nullptr;
  std::unique_ptr<hindsight::nccl::group> group;
};

TEST(nccl_process, DISABLED_checks_its_shards) {
  if (std::getenv(rank_variable) == nullptr) GTEST_SKIP() << "started by another test";
  const one_of_many process{std::chrono::minutes{1}};
  for (const cut how : hindsight_test::all_cuts)
    EXPECT_NO_THROW(hindsight_test::check_gpu_ranks(*process.group, {process.rank}, 300017, how));
}

TEST(nccl, a_process_for_each_gpu) {
  SKIP_WITHOUT_NCCL();
  int n = 0;
  hindsight_test::check(cudaGetDeviceCount(&n));
  for (const int status : run_processes(n, "nccl_process.DISABLED_checks_its_shards"))
    EXPECT_EQ(status, 0);
}

/// Rank 1 vanishes before the second call; all others have to throw.
TEST(nccl_process, DISABLED_loses_a_rank) {
  if (std::getenv(rank_variable) == nullptr) GTEST_SKIP() << "started by another test";
  const one_of_many process{std::chrono::seconds{3}};
  const hindsight_test::device_array<int> items(std::vector<int>(1000, 1));
  const std::vector<cuda::std::span<int>> spans{{items.data(), 1000}};
  const auto v = hindsight::shards(*process.group, spans);
  EXPECT_EQ(hindsight::reduce(process.group->par, v), 1000 * process.group->size());
  if (process.rank == 1) std::_Exit(0);
  EXPECT_THROW(hindsight::reduce(process.group->par, v), std::runtime_error);
  EXPECT_TRUE(process.group->is_over());
  EXPECT_THROW(hindsight::reduce(process.group->par, v), std::runtime_error);
}

TEST(nccl, a_process_that_vanishes_ends_all) {
  SKIP_WITHOUT_NCCL();
  int n = 0;
  hindsight_test::check(cudaGetDeviceCount(&n));
  if (n < 2) GTEST_SKIP() << "there is one GPU";
  for (const int status : run_processes(n, "nccl_process.DISABLED_loses_a_rank"))
    EXPECT_EQ(status, 0);
}

}  // namespace
