// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeviceReduce::Sum as require(gpu_to_gpu) has it, on the CPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hindsight_test {

/// A sum in the order that the documentation gives, which knows no GPU: strip s of S = min(tiles,
/// 4096) has the tiles s, s + S, ...; a thread adds 16 floats of each as a tree.
class sum_of_any_gpu {
  static constexpr int threads = 256, items = 16, vector = 4, tile = threads * items;

 public:
  float operator()(const std::vector<float>& in) const {
    const std::size_t tiles = (in.size() + tile - 1) / tile,
                      strips = std::min<std::size_t>(tiles, 4096);
    std::vector<float> partials(strips);
    for (std::size_t s = 0; s < strips; ++s) partials[s] = strip(in, s, strips);
    return 0.0f + (strips > 1 ? strip(partials, 0, 1) : partials[0]);
  }

 private:
  static float strip(const std::vector<float>& in, std::size_t s, std::size_t strips) {
    std::size_t begin = s * tile;
    std::vector<float> of_thread(threads);
    std::size_t busy = threads;
    if (in.size() - begin < tile) {
      busy = std::min<std::size_t>(threads, in.size() - begin);
      for (std::size_t t = 0; t < busy; ++t) {
        of_thread[t] = in[begin + t];
        for (std::size_t i = begin + t + threads; i < in.size(); i += threads)
          of_thread[t] += in[i];
      }
    } else {
      bool is_first = true;
      for (; begin + tile <= in.size(); begin += strips * tile, is_first = false) {
        for (int t = 0; t < threads; ++t) {
          std::vector<float> values;
          if (!is_first) values.push_back(of_thread[t]);
          for (int w = 0; w < items / vector; ++w)
            for (int j = 0; j < vector; ++j)
              values.push_back(in[begin + (w * threads + t) * vector + j]);
          of_thread[t] = tree(values);
        }
      }
      if (begin < in.size()) {
        for (int t = 0; t < threads; ++t)
          for (std::size_t i = begin + t; i < in.size(); i += threads) of_thread[t] += in[i];
      }
    }
    return block(of_thread, busy);
  }
  static float tree(std::vector<float>& values) {
    const std::size_t count = values.size();
    for (std::size_t i = 1; i < count; i *= 2)
      for (std::size_t j = 0; j + i < count; j += 2 * i) values[j] += values[j + i];
    return values[0];
  }
  static float block(const std::vector<float>& of_thread, std::size_t busy) {
    float sum = 0;
    for (std::size_t first = 0; first < busy; first += 32) {
      const std::size_t lanes = std::min<std::size_t>(32, busy - first);
      std::vector<float> warp(of_thread.begin() + first, of_thread.begin() + first + lanes);
      for (std::size_t distance = 1; distance < 32; distance *= 2) {
        for (std::size_t lane = 0; lane + distance < lanes; ++lane)
          warp[lane] += warp[lane + distance];
      }
      sum = first == 0 ? warp[0] : sum + warp[0];
    }
    return sum;
  }
};

}  // namespace hindsight_test
