// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the caller lends: workspaces at any address or at none, allocators that answer with
// nothing, and when they get their memory back.
#include <hindsight/hindsight.h>

#include <thrust/iterator/reverse_iterator.h>
#include <thrust/partition.h>
#include <thrust/sort.h>

#include "gpu_testing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <new>
#include <numeric>

namespace hindsight_test {

using u64 = std::uint64_t;
using hindsight::cuda::par;
using hindsight::cuda::par_nosync;

constexpr std::size_t n = 300007;

struct by_low_digits {
  HINDSIGHT_HD bool operator()(u64 a, u64 b) const { return a % 1000 < b % 1000; }
};

struct arrays {
  arrays() : items{random_items<u64>(n)}, data{items}, out{n}, out2{n} {}
  std::vector<u64> items;
  device_array<u64> data, out, out2;
};

/// Calls check(name, call) for calls of every family that need temporary memory.
template <class Policy, class Check>
void for_every_family(const Policy& policy, const arrays& a, Check check_call) {
  u64 *const first = a.data.begin(), *const last = a.data.end();
  u64 *const out = a.out.data(), *const out2 = a.out2.data();
  check_call("reduce", [=] { thrust::reduce(policy, first, last); });
  check_call("reduce_into", [=] { hindsight::reduce_into(policy, first, last, out); });
  check_call("inclusive_scan", [=] { thrust::inclusive_scan(policy, first, last, out); });
  check_call("inclusive_scan_by_key",
             [=] { thrust::inclusive_scan_by_key(policy, first, last, first, out); });
  check_call("copy_if", [=] { thrust::copy_if(policy, first, last, out, is_odd{}); });
  check_call("remove_if", [=] { thrust::remove_if(policy, first, last, is_odd{}); });
  check_call("partition", [=] { thrust::partition(policy, first, last, is_odd{}); });
  check_call("reduce_by_key",
             [=] { thrust::reduce_by_key(policy, first, last, first, out, out2); });
  check_call("run_length_encode",
             [=] { hindsight::run_length_encode(policy, first, last, out, out2); });
  check_call("sort", [=] { thrust::sort(policy, first, last); });
  check_call("sort of reverse iterators", [=] {
    const auto rbegin = thrust::make_reverse_iterator(last);
    thrust::sort(policy, rbegin, rbegin + n);
  });
  check_call("sort that is stock's",
             [=] { thrust::stable_sort(policy, first, last, by_low_digits{}); });
  check_call("histogram_range", [=] {
    const std::vector<double> levels{0, 1e9, 1e18, 2e19};
    hindsight::histogram_range(policy, first, last, levels.begin(), levels.end(), out);
  });
}

TEST(Workspace, AtAddressZeroIsRefused) {
  const arrays a;
  hindsight::workspace nowhere{nullptr, std::size_t{1} << 30};
  for_every_family(par(nowhere), a, [&](const char* name, auto call) {
    SCOPED_TRACE(name);
    try {
      call();
      ADD_FAILURE() << "no exception";
    } catch (const hindsight::invalid_call& error) {
      EXPECT_NE(std::string{error.what()}.find("null"), std::string::npos) << error.what();
    }
    check(cudaDeviceSynchronize());
    EXPECT_EQ(difference(a.data.to_host(), a.items), "");
    EXPECT_TRUE(a.out.is_untouched());
  });
  EXPECT_EQ(thrust::reduce(par(nowhere), a.data.begin(), a.data.begin() + 3),
            a.items[0] + a.items[1] + a.items[2])
      << "needs no memory";
}

TEST(Workspace, MayBeginAnywhere) {
  constexpr std::size_t bytes = std::size_t{32} << 20;
  const device_array<char> buffer(bytes + 256), plenty(bytes);
  for (const int shift : {0, 1, 4, 8, 100, 255}) {
    const arrays a, expected;
    hindsight::workspace space{buffer.data() + shift, bytes}, usual{plenty.data(), bytes};
    std::vector<std::vector<u64>> results;
    for_every_family(par(usual), expected, [&](const char*, auto call) {
      expected.data.assign(expected.items);
      expected.out.fill_with_poison();
      call();
      results.push_back(expected.data.to_host());
      results.push_back(expected.out.to_host());
    });
    auto result = results.begin();
    for_every_family(par(space), a, [&](const char* name, auto call) {
      SCOPED_TRACE(std::string{name} + " with a workspace at +" + std::to_string(shift));
      a.data.assign(a.items);
      a.out.fill_with_poison();
      try {
        call();
        EXPECT_EQ(difference(a.data.to_host(), *result), "");
        EXPECT_EQ(difference(a.out.to_host(), *(result + 1)), "");
      } catch (const std::exception& error) {
        FAIL() << error.what();
      }
      result += 2;
    });
  }
}

TEST(Workspace, ServesItsBytesAgain) {
  alignas(256) static char buffer[1024];
  hindsight::workspace space{buffer + 1, 1023};
  for (int round = 0; round < 3; ++round) {
    char* const first = space.allocate(100);
    char* const second = space.allocate(200);
    EXPECT_EQ(first, buffer + 256);
    EXPECT_EQ(second, buffer + 512);
    space.deallocate(first, 100);  // not in reverse order: the second one is still in use
    char* const third = space.allocate(200);
    EXPECT_EQ(third, buffer + 768);
    EXPECT_THROW(space.allocate(1), hindsight::invalid_call);
    space.deallocate(third, 200);
    EXPECT_EQ(space.allocate(256), third);
    space.deallocate(third, 256);
    space.deallocate(second, 200);
  }
}

struct empty_handed_allocator {
  using value_type = char;
  char* allocate(std::ptrdiff_t) { return nullptr; }
  void deallocate(char*, std::size_t) {}
};

TEST(Allocator, ThatAnswersWithNullIsAFailure) {
  const arrays a;
  empty_handed_allocator allocator;
  for_every_family(par(allocator), a, [&](const char* name, auto call) {
    if (std::string{name} == "sort that is stock's") return;
    SCOPED_TRACE(name);
    EXPECT_THROW(call(), std::bad_alloc);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(difference(a.data.to_host(), a.items), "");
    EXPECT_TRUE(a.out.is_untouched());
  });
}

/// Memory at odd addresses.
struct odd_allocator {
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    char* memory = nullptr;
    check(cudaMalloc(&memory, std::size_t(bytes) + 1));
    return memory + 1;
  }
  void deallocate(char* memory, std::size_t) { cudaFree(memory - 1); }
};

TEST(Allocator, MayGiveAnyAddress) {
  const arrays a, expected;
  odd_allocator allocator;
  std::vector<std::vector<u64>> results;
  for_every_family(par, expected, [&](const char*, auto call) {
    expected.data.assign(expected.items);
    expected.out.fill_with_poison();
    call();
    results.push_back(expected.data.to_host());
    results.push_back(expected.out.to_host());
  });
  auto result = results.begin();
  for_every_family(par(allocator), a, [&](const char* name, auto call) {
    if (std::string{name} != "sort that is stock's") {
      SCOPED_TRACE(name);
      a.data.assign(a.items);
      a.out.fill_with_poison();
      call();
      EXPECT_EQ(difference(a.data.to_host(), *result), "");
      EXPECT_EQ(difference(a.out.to_host(), *(result + 1)), "");
    }
    result += 2;
  });
}

__global__ void wait_cycles(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Hands memory on as soon as it is given back, as caching allocators do.
class hasty_allocator {
 public:
  using value_type = char;
  explicit hasty_allocator(cudaStream_t stream) : stream_{stream} {}
  char* allocate(std::ptrdiff_t bytes) {
    if (std::size_t(bytes) > buffer_.size() - used_) throw std::bad_alloc{};
    const std::size_t begin = used_;
    used_ += (bytes + 255) / 256 * 256;
    return buffer_.data() + begin;
  }
  void deallocate(char* array, std::size_t) {
    used_ = array - buffer_.data();
    times_too_early_ += cudaStreamQuery(stream_) != cudaSuccess;
    cudaGetLastError();
    ++times_;
  }
  int times_ = 0, times_too_early_ = 0;

 private:
  cudaStream_t stream_;
  std::size_t used_ = 0;
  device_array<char> buffer_{std::size_t{32} << 20};
};

/// In calls of every family by policy_of(allocator, stream).
template <class PolicyOf>
void expect_memory_back_after_the_last_kernel(PolicyOf policy_of) {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const arrays a;
  hasty_allocator allocator(stream);
  for_every_family(policy_of(allocator, stream), a, [&](const char* name, auto call) {
    SCOPED_TRACE(name);
    call();  // the first call may wait, for it loads kernels
    allocator.times_ = allocator.times_too_early_ = 0;
    wait_cycles<<<1, 1, 0, stream>>>(2'000'000);
    call();
    EXPECT_GT(allocator.times_, 0);
    EXPECT_EQ(allocator.times_too_early_, 0);
  });
  check(cudaStreamDestroy(stream));
}

TEST(Allocator, GetsItsMemoryBackAfterTheLastKernel) {
  expect_memory_back_after_the_last_kernel(
      [](hasty_allocator& allocator, cudaStream_t stream) { return par(allocator).on(stream); });
}

/// A program's own policy, which serves memory itself.
struct lender : hindsight::cuda::execution_policy<lender> {
  lender(hasty_allocator& lent, cudaStream_t in) : memory{&lent}, stream{in} {}
  hasty_allocator* memory;
  cudaStream_t stream;
  friend HINDSIGHT_HD cudaStream_t get_stream(const lender& policy) { return policy.stream; }
};
template <class T>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(lender& policy, std::ptrdiff_t count) {
  char* const buffer = policy.memory->allocate(count * std::ptrdiff_t(sizeof(T)));
  return {reinterpret_cast<T*>(buffer), count};
}
template <class Pointer>
void return_temporary_buffer(lender& policy, Pointer buffer, std::ptrdiff_t count) {
  policy.memory->deallocate(reinterpret_cast<char*>(thrust::raw_pointer_cast(buffer)),
                            std::size_t(count));
}

TEST(Allocator, PolicyOfAProgramGetsItsMemoryBackAfterTheLastKernel) {
  expect_memory_back_after_the_last_kernel(
      [](hasty_allocator& allocator, cudaStream_t stream) { return lender(allocator, stream); });
}

}  // namespace hindsight_test
