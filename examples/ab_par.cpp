// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stock against hindsight inside a program: ab_par in place of the policy, a report at the end.
// nvcc builds this for the GPU, g++ for host threads:
//   nvcc -x cu -std=c++17 -arch=sm_90 -I include -I detail examples/ab_par.cpp
//   g++ -std=c++17 -O3 -fopenmp -D THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP
//       -I include -I detail -I /usr/local/cuda/include/cccl examples/ab_par.cpp
#include <hindsight/ab.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

#include <iostream>

int main() {
  using thrust::placeholders::_1;
  const auto& policy = hindsight::ab_par;  // was thrust::cuda::par
  constexpr int n = 1 << 20, rounds = 10;
  thrust::device_vector<int> item(n), key(n), out(n), counts(n);

  long long sum = 0;
  std::ptrdiff_t num_small = 0, num_keys = 0;
  for (int round = 0; round <= rounds; ++round) {
    if (round == 1) hindsight::ab_report().clear();  // the first round loads kernels

    thrust::sequence(policy, item.begin(), item.end());  // not ours: stock, not in the report
    thrust::transform(policy, item.begin(), item.end(), key.begin(), _1 * 37 % 1000);
    sum = thrust::reduce(policy.named("checksum"), key.begin(), key.end(), 0LL);
    thrust::exclusive_scan(policy.named("offsets"), key.begin(), key.end(), out.begin());
    num_small = thrust::copy_if(policy, key.begin(), key.end(), out.begin(), _1 < 10) - out.begin();
    thrust::sort_by_key(policy, key.begin(), key.end(), item.begin());
    num_keys = thrust::reduce_by_key(policy.named("key counts"), key.begin(), key.end(),
                                     thrust::constant_iterator<int>(1), out.begin(), counts.begin())
                   .first -
               out.begin();
  }

  hindsight::ab_report().print(std::cout);
  bool same = true;
  for (const hindsight::ab_row& row : hindsight::ab_report().rows()) {
    same = same && row.calls == rounds && row.differing + row.not_compared + row.errors == 0;
  }
  const bool right = num_keys == 1000 && counts[0] == 1049 && key.back() == 999;
  std::cout << "sum " << sum << ", " << num_small
            << " keys below 10: " << (right && same ? "as expected" : "WRONG") << '\n';
  return right && same ? 0 : 1;
}
