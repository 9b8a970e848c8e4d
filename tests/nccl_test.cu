// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several GPUs over NCCL: all GPUs of this machine in one process, and a process for each. Skipped
// where NCCL is missing.
#include <hindsight/nccl.h>

#include "ranks_gpu_testing.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

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
constexpr char moment_variable[] = "HINDSIGHT_TEST_MOMENT";

std::string hex(const hindsight::nccl::id& id) {
  std::string text;
  for (const char byte : id.internal) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", unsigned(static_cast<unsigned char>(byte)));
    text += digits;
  }
  return text;
}

hindsight::nccl::id from_hex(const char* text) {
  hindsight::nccl::id id;
  for (std::size_t i = 0; i < sizeof id.internal; ++i)
    id.internal[i] = char(std::stoi(std::string(text + 2 * i, 2), nullptr, 16));
  return id;
}

/// Starts a process for each of n ranks that runs one test; moment: when its second rank is to end.
std::vector<pid_t> start_processes(int n, const char* test, int moment = 0) {
  setenv(id_variable, hex(hindsight::nccl::make_id()).c_str(), 1);
  setenv(size_variable, std::to_string(n).c_str(), 1);
  setenv(moment_variable, std::to_string(moment).c_str(), 1);
  std::vector<pid_t> processes(std::size_t(n), 0);
  std::string filter = std::string{"--gtest_filter="} + test;
  char program[] = "/proc/self/exe", also_disabled[] = "--gtest_also_run_disabled_tests";
  char* arguments[] = {program, filter.data(), also_disabled, nullptr};
  for (int r = 0; r < n; ++r) {
    setenv(rank_variable, std::to_string(r).c_str(), 1);
    EXPECT_EQ(
        posix_spawn(&processes[std::size_t(r)], program, nullptr, nullptr, arguments, environ), 0);
  }
  return processes;
}

/// A minute and a half from now. What runs on is killed then.
auto end_of_patience() {
  return std::chrono::steady_clock::now() + std::chrono::seconds{90};
}

int status_of(pid_t process, std::chrono::steady_clock::time_point end) {
  int status = -1;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return status;
}

/// The group of a process that was started so.
struct one_of_many {
  explicit one_of_many(std::chrono::milliseconds patience)
      : rank{std::stoi(std::getenv(rank_variable))},
        gpu{from_hex(std::getenv(id_variable)), rank, std::stoi(std::getenv(size_variable)), rank} {
    hindsight_test::check(cudaSetDevice(rank));
    group = std::make_unique<hindsight::nccl::group>(gpu.comms(), gpu.streams(), patience);
  }
  ~one_of_many() {
    if (group->is_over()) gpu.forget_communicators();
  }

  int rank;
  hindsight::nccl::one_gpu gpu;
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
  const auto end = end_of_patience();
  for (const pid_t process : start_processes(n, "nccl_process.DISABLED_checks_its_shards"))
    EXPECT_EQ(status_of(process, end), 0);
}

// --- processes of which one is killed, or stops, at several moments ---

/// Microseconds from the begin of its second round of calls to the end of rank 1; or it is before
/// the second call of all. In the last case it does not end, but answers nothing any more.
constexpr int moments[] = {-1, 0, 1000, 3000, 30000, 3001};
constexpr int num_moments = int(sizeof moments / sizeof moments[0]);

void end_later(int moment) {
  std::thread([moment] {
    std::this_thread::sleep_for(std::chrono::microseconds{moments[moment]});
    kill(getpid(), moment + 1 == num_moments ? SIGSTOP : SIGKILL);
  }).detach();
}

struct odd_first {
  HINDSIGHT_HD bool operator()(int a, int b) const { return (a & 1) > (b & 1); }
};

/// A round of calls. Returns whether all that could be seen was right.
bool calls_are_right(const hindsight::nccl::group& g, const std::vector<int>& items,
                     const hindsight_test::device_array<int>& shard,
                     const hindsight_test::device_array<int>& other) {
  const std::vector<cuda::std::span<int>> spans{{shard.data(), items.size()}},
      others{{other.data(), items.size()}};
  const auto v = hindsight::shards(g, spans), w = hindsight::shards(g, others);
  hindsight_test::check(
      cudaMemcpy(shard.data(), items.data(), items.size() * sizeof(int), cudaMemcpyHostToDevice));
  const unsigned sum = hindsight::reduce(g.par, v, 0u);
  hindsight::inclusive_scan(g.par, v, w);
  hindsight::sort(g.par, v);
  bool is_right = hindsight::reduce(g.par, v, 0u) == sum;
  hindsight::sort(g.par, v, odd_first{});
  is_right = is_right && hindsight::reduce(g.par, v, 0u) == sum;
  hindsight::stable_partition(g.par, v, hindsight_test::is_odd{});
  hindsight::sort_by_key(g.par, w, v);
  is_right = is_right && hindsight::reduce(g.par, v, 0u) == sum;
  return is_right && hindsight::reduce_same_bits(g.par, v, 0u) == sum;
}

/// A call that a survivor sees return is right, however rank 1 ends; then one throws, and from then
/// on all do.
TEST(nccl_process, DISABLED_loses_a_rank) {
  if (std::getenv(rank_variable) == nullptr) GTEST_SKIP() << "started by another test";
  const one_of_many process{std::chrono::seconds{3}};
  const int moment = std::stoi(std::getenv(moment_variable));
  const auto items = hindsight_test::random_items<int>(1000003);
  const hindsight_test::device_array<int> shard(items), other(items);
  const auto round = [&] { return calls_are_right(*process.group, items, shard, other); };
  const std::vector<cuda::std::span<int>> spans{{shard.data(), items.size()}};
  hindsight::reduce(process.group->par, hindsight::shards(*process.group, spans));
  if (moments[moment] < 0 && process.rank == 1) kill(getpid(), SIGKILL);
  bool has_thrown = false;
  const auto end = end_of_patience();
  for (int k = 0; !has_thrown && std::chrono::steady_clock::now() < end; ++k) {
    if (k == 1 && process.rank == 1) end_later(moment);
    try {
      EXPECT_TRUE(round()) << "round " << k;
    } catch (const std::runtime_error& error) {
      std::printf("moment %d, round %d: %s\n", moment, k, error.what());
      std::fflush(stdout);
      has_thrown = true;
    }
  }
  EXPECT_TRUE(has_thrown);
  EXPECT_TRUE(process.group->is_over());
  EXPECT_THROW(round(), std::runtime_error);
}

TEST(nccl, a_process_that_vanishes_ends_all) {
  SKIP_WITHOUT_NCCL();
  int n = 0;
  hindsight_test::check(cudaGetDeviceCount(&n));
  if (n < 2) GTEST_SKIP() << "there is one GPU";
  n = std::min(n, 4);
  std::vector<std::vector<pid_t>> groups;
  for (int moment = 0; moment < num_moments; ++moment)
    groups.push_back(start_processes(n, "nccl_process.DISABLED_loses_a_rank", moment));
  const auto end = end_of_patience();
  for (int moment = 0; moment < num_moments; ++moment) {
    const auto& processes = groups[std::size_t(moment)];
    for (std::size_t r = 0; r < processes.size(); ++r)
      if (r != 1) EXPECT_EQ(status_of(processes[r], end), 0) << "rank " << r << ", " << moment;
    kill(processes[1], SIGKILL);
    const int status = status_of(processes[1], end);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << moment << ": " << status;
  }
}

}  // namespace
