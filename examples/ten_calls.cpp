// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ten Thrust calls with the policy swapped. nvcc builds this for the GPU, g++ for host threads:
//   nvcc -x cu -std=c++17 -arch=sm_90 -I include -I detail examples/ten_calls.cpp
//   g++ -std=c++17 -O3 -fopenmp -D THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP
//       -I include -I detail -I /usr/local/cuda/include/cccl examples/ten_calls.cpp
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdio>

int main() {
  using thrust::placeholders::_1;
  constexpr int n = 1 << 20;
  thrust::device_vector<int> item(n), key(n), out(n), counts(n);

  // Ours: scan, sort, reduce, select, partition, by key. The rest (here sequence and transform) is
  // stock.
  thrust::sequence(hindsight::par, item.begin(), item.end());
  thrust::transform(hindsight::par, item.begin(), item.end(), key.begin(), _1 * 37 % 1000);
  const int sum = thrust::reduce(hindsight::par, key.begin(), key.end());
  thrust::inclusive_scan(hindsight::par, key.begin(), key.end(), out.begin());
  const int total = out.back();
  thrust::exclusive_scan(hindsight::par, key.begin(), key.end(), out.begin());
  const int before_last = out.back();
  const auto small = thrust::copy_if(hindsight::par, key.begin(), key.end(), out.begin(), _1 < 10);
  const auto even = thrust::stable_partition(hindsight::par, item.begin(), item.end(), _1 % 2 == 0);
  thrust::sort_by_key(hindsight::par, key.begin(), key.end(), item.begin());
  const auto runs =
      thrust::reduce_by_key(hindsight::par, key.begin(), key.end(),
                            thrust::constant_iterator<int>(1), out.begin(), counts.begin());
  thrust::sort(hindsight::par, counts.begin(), runs.second, thrust::greater<int>{});

  const int num_keys = int(runs.first - out.begin());
  std::printf("sum %d, scans end at %d after %d\n", sum, total, before_last);
  std::printf("%d keys below 10, %d even items, %d keys, the most frequent %d times\n",
              int(small - out.begin()), int(even - item.begin()), num_keys, int(counts[0]));
  const bool right = sum == total && num_keys == 1000 && counts[0] == 1049 &&
                     even - item.begin() == n / 2 && key.front() == 0 && key.back() == 999;
  std::puts(right ? "as expected" : "WRONG");
  return right ? 0 : 1;
}
