// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts inside of a kernel. A median filter takes each pixel's 3 x 3 neighbours through a sorting
// network in registers: a pixel that is wrong by itself goes away, and edges stay. A warp sorts a
// row by merges, and a block sorts any number of pixels by a network in shared memory.
#include <hindsight/block_sort.cuh>

#include <cuda/std/functional>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <algorithm>
#include <cstdio>
#include <functional>

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

/// A warp for each row, whose lanes have two neighbours each.
constexpr int warps_per_block = 4;
__global__ void sort_rows(int* picture) {
  using sorter = hindsight::WarpMergeSort<int, width / 32>;
  __shared__ typename sorter::TempStorage room[warps_per_block];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(blockIdx.x) * warps_per_block + warp;
  int pixels[width / 32];
  const int first = row * width + lane * (width / 32);
  for (int i = 0; i < width / 32; ++i) pixels[i] = picture[first + i];
  sorter(room[warp]).Sort(pixels, cuda::std::less<>{});
  for (int i = 0; i < width / 32; ++i) picture[first + i] = pixels[i];
}

/// One block for the first n pixels.
__global__ void sort_some(int* picture, int n) {
  __shared__ int pixels[width * height];
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
  for (int i = thread; i < n; i += step) pixels[i] = picture[i];
  hindsight::block_sort(pixels, n, cuda::std::greater<>{});
  for (int i = thread; i < n; i += step) picture[i] = pixels[i];
}

/// Whether each row of a picture is sorted, and the first n pixels by greater.
bool sorts_are_right() {
  constexpr int n = 1000;
  thrust::host_vector<int> picture(width * height);
  for (int i = 0; i < width * height; ++i) picture[i] = i * 7919 % 1009;
  thrust::device_vector<int> rows = picture, some = picture;
  sort_rows<<<height / warps_per_block, 32 * warps_per_block>>>(
      thrust::raw_pointer_cast(rows.data()));
  sort_some<<<1, 256>>>(thrust::raw_pointer_cast(some.data()), n);
  thrust::host_vector<int> expected_rows = picture, expected_some = picture;
  for (auto row = expected_rows.begin(); row != expected_rows.end(); row += width)
    std::sort(row, row + width);
  std::sort(expected_some.begin(), expected_some.begin() + n, std::greater<int>{});
  return expected_rows == thrust::host_vector<int>(rows) &&
         expected_some == thrust::host_vector<int>(some);
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
  const bool right = filtered == expected && sorts_are_right();
  std::puts(right ? "as expected" : "WRONG");
  return right ? 0 : 1;
}
