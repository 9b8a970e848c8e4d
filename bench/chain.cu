// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it is worth that sizes stay on the device: items are selected, sorted, counted by value, and
// the counts are scanned. Four calls, each of which needs to know how many items the one before
// left. Three ways: stock Thrust, whose calls return these numbers; CUB, whose callers copy them to
// the host between calls; and one CUDA graph of our calls, which take them from device memory.
//   chain [--csv]
#include <hindsight/counts.h>
#include <hindsight/hindsight.h>

#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "cuda_check.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using u32 = unsigned;

/// Keeps half of the items.
struct is_even {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 == 0; }
};

struct data {
  explicit data(const std::vector<u32>& items)
      : n{items.size()},
        in(items),
        kept(n),
        heads(n),
        lengths(n),
        offsets(n),
        counts(std::vector<int>{int(n), 0, 0}) {}

  std::size_t n;
  thrust::device_vector<u32> in, kept, heads, lengths, offsets;
  thrust::device_vector<int> counts;  ///< of the input, of what is kept, of runs
};

/// Temporary memory that is there already, as our pool is.
class kept_memory {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    if (buffer_.size() < std::size_t(bytes)) buffer_.resize(std::size_t(bytes));
    return thrust::raw_pointer_cast(buffer_.data());
  }
  void deallocate(char*, std::size_t) {}

 private:
  thrust::device_vector<char> buffer_;
};

void run_thrust(data& d, kept_memory& memory) {
  const auto policy = thrust::cuda::par_nosync(memory);
  const auto kept_end =
      thrust::copy_if(policy, d.in.begin(), d.in.end(), d.kept.begin(), is_even{});
  thrust::sort(policy, d.kept.begin(), kept_end);
  const auto ends =
      thrust::reduce_by_key(policy, d.kept.begin(), kept_end, thrust::constant_iterator<u32>(1),
                            d.heads.begin(), d.lengths.begin());
  thrust::exclusive_scan(policy, d.lengths.begin(), ends.second, d.offsets.begin());
}

/// CUB's two phases with room that is there already.
template <class Call>
void run_phases(thrust::device_vector<char>& temp, Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  if (temp.size() < bytes) temp.resize(bytes);
  check(call(thrust::raw_pointer_cast(temp.data()), bytes));
}

int count_on_host(const int* count, int* pinned) {
  check(cudaMemcpyAsync(pinned, count, sizeof(int), cudaMemcpyDeviceToHost));
  check(cudaStreamSynchronize(nullptr));
  return *pinned;
}

void run_cub(data& d, thrust::device_vector<char>& temp, int* pinned) {
  const auto raw = [](auto& v) { return thrust::raw_pointer_cast(v.data()); };
  int* const counts = raw(d.counts);
  run_phases(temp, [&](void* t, std::size_t& bytes) {
    return cub::DeviceSelect::If(t, bytes, raw(d.in), raw(d.kept), counts + 1, int(d.n), is_even{});
  });
  const int kept = count_on_host(counts + 1, pinned);
  run_phases(temp, [&](void* t, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(t, bytes, raw(d.kept), raw(d.offsets), kept);
  });
  run_phases(temp, [&](void* t, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(t, bytes, raw(d.offsets), raw(d.heads),
                                              raw(d.lengths), counts + 2, kept);
  });
  const int runs = count_on_host(counts + 2, pinned);
  run_phases(temp, [&](void* t, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(t, bytes, raw(d.lengths), raw(d.offsets), runs);
  });
}

/// The calls, to be captured.
void run_ours(data& d, cudaStream_t stream) {
  const auto policy = hindsight::cuda::par_nosync.on(stream);
  const auto raw = [](auto& v) { return thrust::raw_pointer_cast(v.data()); };
  int* const counts = raw(d.counts);
  const hindsight::deferred kept{counts + 1, d.n}, runs{counts + 2, d.n};
  hindsight::copy_if_into(policy, raw(d.in), raw(d.in) + d.n, raw(d.kept), counts + 1, is_even{});
#ifndef CHAIN_WITHOUT_SORT
  hindsight::sort(policy, raw(d.kept), kept);
#endif
  hindsight::run_length_encode_into(policy, raw(d.kept), kept, raw(d.heads), raw(d.lengths),
                                    counts + 2);
  hindsight::exclusive_scan(policy, raw(d.lengths), runs, raw(d.offsets), 0u);
}

/// The median time of a call that is over when the device is, in microseconds.
template <class Call>
double median_time(Call call) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  const auto end = clock::now() + std::chrono::milliseconds(150);
  for (int i = 0; i < 3; ++i) call();
  while (times.size() < 9 || (clock::now() < end && times.size() < 2000)) {
    check(cudaDeviceSynchronize());
    const auto start = clock::now();
    call();
    check(cudaDeviceSynchronize());
    times.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + long(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void measure(std::size_t n, u32 num_values, bool as_csv) {
  std::vector<u32> items(n);
  u32 random = 1;
  for (u32& item : items) {
    random = random * 1664525u + 1013904223u;
    item = (random >> 8) % num_values;
  }
  data stock(items), ours(items);
  kept_memory memory;
  thrust::device_vector<char> temp;
  int* pinned = nullptr;
  check(cudaMallocHost(&pinned, sizeof(int)));
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  run_ours(ours, stream);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));

  const double of_thrust = median_time([&] { run_thrust(stock, memory); });
  const double of_graph = median_time([&] { check(cudaGraphLaunch(executable, stream)); });
  const bool same =
      stock.heads == ours.heads && stock.lengths == ours.lengths && stock.offsets == ours.offsets;
  const double of_calls = median_time([&] { run_ours(ours, stream); });
  const double of_cub = median_time([&] { run_cub(stock, temp, pinned); });
  std::printf(as_csv ? "%zu,%u,%.1f,%.1f,%.1f,%.1f\n" : "%11zu %9u %12.1f %12.1f %12.1f %12.1f\n",
              n, num_values, of_thrust, of_cub, of_calls, of_graph);
  if (!same) std::printf("the graph's result is not stock's\n");
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  check(cudaFreeHost(pinned));
  if (!same) std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_csv = argc > 1 && std::strcmp(argv[1], "--csv") == 0;
  std::printf(as_csv
                  ? "items,values,thrust_us,cub_us,calls_us,graph_us\n"
                  : "      items    values    Thrust us       CUB us     calls us     graph us\n");
  for (const u32 num_values : {1000u, 1u << 24}) {
    for (const int bits : {12, 16, 20, 24, 27}) measure(std::size_t{1} << bits, num_values, as_csv);
  }
}
