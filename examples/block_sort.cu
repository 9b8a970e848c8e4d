// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts inside of a kernel: a median filter takes each pixel's 3 x 3 neighbours through a sorting
// network in registers. A pixel that is wrong by itself goes away, and edges stay.
#include <hindsight/block_sort.cuh>

#include <cuda/std/functional>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>

constexpr int width = 64, height = 32;

__global__ void median_filter(const int* in, int* out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int pixels[9];
  for (int i = 0; i < 9; ++i) {
    const int near_x = min(max(x + i % 3 - 1, 0), width - 1);
    const int near_y = min(max(y + i / 3 - 1, 0), height - 1);
    pixels[i] = in[near_y * width + near_x];
  }
  hindsight::thread_sort(pixels, cuda::std::less<>{});
  out[y * width + x] = pixels[4];
}

int main() {
  // Dark on the left, bright on the right, and single pixels that are neither.
  thrust::host_vector<int> picture(width * height), expected(width * height);
  for (int i = 0; i < width * height; ++i) {
    const int x = i % width, y = i / width;
    expected[i] = x < width / 2 ? 20 : 200;
    picture[i] = x % 5 == 2 && y % 4 == 1 ? 1000 : expected[i];
  }
  const thrust::device_vector<int> in = picture;
  thrust::device_vector<int> out(width * height);
  const dim3 threads(32, 8), blocks(width / 32, height / 8);
  median_filter<<<blocks, threads>>>(thrust::raw_pointer_cast(in.data()),
                                     thrust::raw_pointer_cast(out.data()));
  const thrust::host_vector<int> filtered = out;
  const bool right = filtered == expected;
  std::puts(right ? "as expected" : "WRONG");
  return right ? 0 : 1;
}
