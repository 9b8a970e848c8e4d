// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// systems: CPP OMP TBB
// labels: asan
// Where the host engine's temporary memory comes from, and what a call without memory leaves
// behind.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <random>
#include <string>
#include <vector>

namespace {

// Of operator new. A std::thread takes its own few bytes there, which no policy can serve.
constexpr std::size_t thread_bytes = 256;
std::atomic<long> num_allocations{0};
std::atomic<long> allocations_left{-1};  // before one fails; -1: none does

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > thread_bytes) ++num_allocations;
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc{};
  void* const memory =
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

}  // namespace

// g++ warns of free() where it puts a function into its callers and sees only one of a pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, std::size_t(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace {

namespace host = hindsight::detail::host;

/// 32 bytes, of which the first four count.
struct wide {
  int value;
  int rest[7];
  bool operator==(const wide& other) const { return value == other.value; }
};

struct arrays {
  static constexpr std::size_t n = 300007;
  std::vector<int> keys, runs, out, out2;
  std::vector<std::uint64_t> numbers;
  std::vector<short> shorts;
  std::vector<wide> wides;
  std::vector<std::string> strings;

  arrays() : keys(n), runs(n), out(n), out2(n), numbers(n), shorts(n), wides(n), strings(5003) {
    std::mt19937_64 random{3};
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = random();
      keys[i] = int(numbers[i] >> 52);
      runs[i] = int(i / 5);
      shorts[i] = short(keys[i]);
      wides[i].value = keys[i];
    }
    for (std::size_t i = 0; i < strings.size(); ++i)
      strings[i] = "longer than what fits into the string itself " + std::to_string(keys[i]);
  }
  bool operator==(const arrays& other) const {
    return keys == other.keys && runs == other.runs && out == other.out && out2 == other.out2 &&
           numbers == other.numbers && shorts == other.shorts && wides == other.wides &&
           strings == other.strings;
  }
};

/// Runs each algorithm with `policy` on `a`, one per step; false past the last.
template <class Policy>
bool run_step(int step, const Policy& policy, arrays& a) {
  const auto odd = [](const int& x) { return x % 2 != 0; };
  const auto add = [](int x, int y) { return int(unsigned(x) + unsigned(y)); };
  const auto k = a.keys.begin(), e = a.keys.end(), o = a.out.begin();
  switch (step) {
    case 0:
      thrust::sort(policy, k, e);
      return true;
    case 1:
      thrust::sort(policy, a.numbers.begin(), a.numbers.end());
      return true;
    case 2:
      thrust::sort(policy, a.shorts.begin(), a.shorts.end());
      return true;
    case 3:
      thrust::sort_by_key(policy, k, e, o);
      return true;
    case 4:
      thrust::sort_by_key(policy, k, e, a.wides.begin());
      return true;
    case 5:
      thrust::sort(policy, a.keys.rbegin(), a.keys.rend());
      return true;
    case 6:
      thrust::stable_partition(policy, k, e, odd);
      return true;
    case 7:
      thrust::partition(policy, a.strings.begin(), a.strings.end(),
                        [](const std::string& s) { return s.back() % 2 != 0; });
      return true;
    case 8:
      thrust::partition_copy(policy, k, e, o, a.out2.begin(), odd);
      return true;
    case 9:
      thrust::copy_if(policy, k, e, o, odd);
      return true;
    case 10:
      thrust::remove_if(policy, k, e, odd);
      return true;
    case 11:
      a.out[0] = thrust::reduce(policy, k, e, 0, add);
      return true;
    case 12:
      thrust::inclusive_scan(policy, k, e, k, add);
      return true;
    case 13:
      thrust::exclusive_scan(policy, k, e, k, 9, thrust::bit_xor<int>{});
      return true;
    case 14:
      thrust::inclusive_scan_by_key(policy, a.runs.begin(), a.runs.end(), k, k,
                                    thrust::equal_to<int>{}, thrust::bit_xor<int>{});
      return true;
    case 15:
      thrust::exclusive_scan_by_key(policy, a.runs.begin(), a.runs.end(), k, o, 1,
                                    thrust::equal_to<int>{}, add);
      return true;
    case 16:
      thrust::reduce_by_key(policy, a.runs.begin(), a.runs.end(), k, o, a.out2.begin(),
                            thrust::equal_to<int>{}, thrust::bit_xor<int>{});
      return true;
    case 17:
      hindsight::run_length_encode(policy, a.runs.begin(), a.runs.end(), o, a.out2.begin());
      return true;
    case 18:
      hindsight::histogram_even(policy, k, e, 1000, 0, 1 << 12, o);
      return true;
    case 19:
      hindsight::histogram_even(policy, a.shorts.begin(), a.shorts.end(), 100, short(-9000),
                                short(9000), o);
      return true;
    case 20:
      thrust::sort_by_key(policy, k, k + std::ptrdiff_t(a.strings.size()), a.strings.begin());
      return true;
    default:
      return false;
  }
}

class host_allocation : public testing::Test {
 protected:
  static const arrays& fresh() {
    static const arrays a;
    return a;
  }

 private:
  // Whatever the machine has, and also while other programs contend for it.
  const host::team_size_scope team_{4};
};

struct counting_allocator {
  using value_type = char;
  long num_calls = 0, num_live = 0;
  char* allocate(std::size_t bytes) {
    ++num_calls;
    ++num_live;
    return static_cast<char*>(std::malloc(bytes));
  }
  void deallocate(char* memory, std::size_t) {
    --num_live;
    std::free(memory);
  }
};

TEST_F(host_allocation, an_allocator_serves_every_byte) {
  arrays expected = fresh(), got = fresh();
  for (int step = 0; run_step(step, hindsight::host::par, expected); ++step) {
    SCOPED_TRACE(testing::Message() << "step " << step);
    counting_allocator allocator;
    const auto policy = hindsight::host::par(allocator);
    num_allocations = 0;
    run_step(step, policy, got);
    EXPECT_EQ(num_allocations, 0);
    EXPECT_EQ(allocator.num_calls, 1);
    EXPECT_EQ(allocator.num_live, 0);
    EXPECT_TRUE(got == expected);
  }
}

struct counting_resource final : thrust::mr::memory_resource<> {
  long num_calls = 0;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++num_calls;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { std::free(memory); }
};

TEST_F(host_allocation, so_does_a_memory_resource) {
  arrays expected = fresh(), got = fresh();
  counting_resource resource;
  for (int step = 0; run_step(step, hindsight::host::par, expected); ++step) {
    num_allocations = 0;
    run_step(step, hindsight::host::par(&resource), got);
    EXPECT_EQ(num_allocations, 0) << step;
    EXPECT_EQ(resource.num_calls, step + 1);
    EXPECT_TRUE(got == expected) << step;
  }
}

TEST_F(host_allocation, a_workspace_is_all_or_too_small_and_says_so) {
  arrays expected = fresh(), got = fresh();
  std::vector<char> buffer(64 << 20);
  for (int step = 0; run_step(step, hindsight::host::par, expected); ++step) {
    SCOPED_TRACE(testing::Message() << "step " << step);
    const arrays before = got;
    hindsight::workspace tiny{buffer.data() + 1, 1};
    std::size_t needed = 0;
    try {
      run_step(step, hindsight::host::par(tiny), got);
      FAIL() << "took a workspace of one byte";
    } catch (const hindsight::invalid_call& refusal) {
      const std::string what = refusal.what();
      needed = std::stoul(what.substr(what.find("needs ") + 6));
    }
    EXPECT_TRUE(got == before);

    hindsight::workspace one_short{buffer.data() + 1, needed - 1};
    EXPECT_THROW(run_step(step, hindsight::host::par(one_short), got), hindsight::invalid_call);
    EXPECT_TRUE(got == before);

    std::fill(buffer.begin(), buffer.end(), char(0x5a));
    hindsight::workspace enough{buffer.data() + 1, needed};
    num_allocations = 0;
    run_step(step, hindsight::host::par(enough), got);
    EXPECT_EQ(num_allocations, 0);
    EXPECT_TRUE(got == expected);
    EXPECT_EQ(buffer[0], 0x5a);
    EXPECT_EQ(buffer[needed + 1], 0x5a);
  }
}

TEST_F(host_allocation, what_falls_through_to_stock_draws_from_the_policy_too) {
  std::vector<int> v = fresh().keys;
  counting_allocator allocator;
  num_allocations = 0;
  thrust::sort(hindsight::host::par(allocator), v.begin(), v.end(),
               [](int x, int y) { return x % 1000 < y % 1000; });
  EXPECT_GT(allocator.num_calls, 0);
  EXPECT_EQ(num_allocations, 0);
}

/// A policy of the user's, which serves memory itself, or refuses to.
struct own_policy : hindsight::host::execution_policy<own_policy> {
  long* bytes_served;
  bool is_empty = false;
};
template <class T>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(own_policy& policy, std::ptrdiff_t n) {
  if (policy.is_empty) return {static_cast<T*>(nullptr), 0};
  *policy.bytes_served += long(n * std::ptrdiff_t(sizeof(T)));
  return {static_cast<T*>(std::malloc(std::size_t(n) * sizeof(T))), n};
}
template <class Pointer>
void return_temporary_buffer(own_policy&, Pointer memory, std::ptrdiff_t) {
  std::free(thrust::raw_pointer_cast(memory));
}

TEST_F(host_allocation, a_users_policy_serves_memory) {
  long bytes_served = 0;
  own_policy policy;
  policy.bytes_served = &bytes_served;
  std::vector<int> v = fresh().keys, sorted = v;
  std::sort(sorted.begin(), sorted.end());
  thrust::sort(policy, v.begin(), v.end());
  EXPECT_EQ(v, sorted);
  EXPECT_GE(bytes_served, long(v.size() * sizeof(int)));
  policy.is_empty = true;
  v = fresh().keys;
  EXPECT_THROW(thrust::sort(policy, v.begin(), v.end()), std::bad_alloc);
  EXPECT_EQ(v, fresh().keys);
}

// --- no memory
// -------------------------------------------------------------------------------------

TEST_F(host_allocation, a_failed_allocation_leaves_everything_as_it_was) {
  for (int step = 0;; ++step) {
    arrays expected = fresh();
    if (!run_step(step, hindsight::host::par, expected)) break;
    for (long fail_at = 0;; ++fail_at) {
      arrays got = fresh();
      bool has_thrown = false;
      allocations_left = fail_at;
      try {
        run_step(step, hindsight::host::par, got);
      } catch (const std::bad_alloc&) {
        has_thrown = true;
      }
      const bool has_failed = allocations_left < 0;
      allocations_left = -1;
      EXPECT_TRUE(has_thrown || got == expected) << "step " << step << ", allocation " << fail_at;
      EXPECT_TRUE(!has_thrown || got == fresh()) << "step " << step << ", allocation " << fail_at;
      if (!has_failed) break;
      ASSERT_LT(fail_at, 100);
    }
  }
}

// Some calls take memory more than once, but write only when they have all of it.
TEST_F(host_allocation, calls_that_take_several_pieces_write_after_the_last) {
  const auto run = [](int step, arrays& a) {
    const auto& par = hindsight::host::par;
    if (step == 0) hindsight::sort_by(par, a.keys, [](int key) { return -key; });
    if (step == 1)
      hindsight::sort_by(par, a.keys, [](int key) { return thrust::pair<int, int>(key % 7, key); });
    if (step == 2)
      hindsight::spmv(par, hindsight::coo(arrays::n / 5 + 1, a.runs, a.keys, a.keys),
                      a.keys.begin(), a.out.begin());
    if (step == 3) hindsight::box_filter(par, a.keys.begin(), a.out.begin(), 1000, 300, 1000, 2);
    return step < 4;
  };
  arrays first = fresh();
  for (int step = 0; run(step, first); ++step) {
    long fail_at = 0;
    for (bool has_thrown = true; has_thrown; ++fail_at) {
      arrays got = fresh();
      has_thrown = false;
      allocations_left = fail_at;
      try {
        run(step, got);
      } catch (const std::bad_alloc&) {
        has_thrown = true;
      }
      allocations_left = -1;
      EXPECT_EQ(got == fresh(), has_thrown) << "step " << step << ", allocation " << fail_at;
      ASSERT_LT(fail_at, 100);
    }
    EXPECT_GT(fail_at, 2) << "step " << step;
  }
}

// Keys of which two fifths each share their upper bits: the sort splits some parts again.
TEST_F(host_allocation, nor_does_a_sort_of_skewed_keys_lose_any) {
  std::vector<unsigned> keys(std::size_t{1} << 20), sorted;
  std::mt19937 random{5};
  for (unsigned& key : keys) {
    const unsigned r = random();
    key = r % 10 < 4 ? 0x10000000u | (r & 0xffffff) : r % 10 < 8 ? 0x50000000u | (r & 0xffffff) : r;
  }
  sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  for (long fail_at = 0; fail_at < 100; ++fail_at) {
    std::vector<unsigned> got = keys;
    bool has_thrown = false;
    allocations_left = fail_at;
    try {
      thrust::sort(hindsight::host::par, got.begin(), got.end());
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
    const bool has_failed = allocations_left < 0;
    allocations_left = -1;
    EXPECT_TRUE(got == (has_thrown ? keys : sorted)) << "allocation " << fail_at;
    if (!has_failed) break;
  }
}

/// A value whose copies need memory, and which cannot be moved without.
struct copied {
  std::vector<int> values;
  explicit copied(int v = 0) : values{v, v} {}
  copied(const copied&) = default;
  copied& operator=(const copied&) = default;
  bool operator==(const copied& other) const { return values == other.values; }
};

TEST_F(host_allocation, keys_and_values_stay_together_when_a_value_cannot_be_copied) {
  std::vector<int> keys(fresh().keys.begin(), fresh().keys.begin() + 2000);
  std::vector<copied> values;
  for (int key : keys) values.emplace_back(key);
  for (long fail_at : {0l, 1l, 2l, 700l, 1999l, 2000l}) {
    auto got_keys = keys;
    auto got_values = values;
    allocations_left = fail_at;
    EXPECT_THROW(thrust::sort_by_key(hindsight::host::par, got_keys.begin(), got_keys.end(),
                                     got_values.begin()),
                 std::bad_alloc);
    allocations_left = -1;
    EXPECT_TRUE(got_keys == keys && got_values == values) << "allocation " << fail_at;
  }
}

// Threads that cannot be had are done without, whether OpenMP's or not.
TEST_F(host_allocation, a_team_without_memory_for_threads_does_all_ranks) {
  for (long fail_at = 0; fail_at < 9; ++fail_at) {
    std::atomic<unsigned> ranks{0};
    const auto work = [&](unsigned rank) { ranks += 1u << rank; };
    host::first_exception failure;
    allocations_left = fail_at;
    host::run_ranks(0, 8, failure, work);
    allocations_left = -1;
    EXPECT_EQ(ranks, 0xffu) << "allocation " << fail_at;
    failure.rethrow();
  }
}

}  // namespace
