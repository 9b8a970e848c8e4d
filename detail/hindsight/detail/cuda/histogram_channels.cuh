// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms of several channels in one pass: the bins of all channels are counted as one table,
// and then go to the caller's tables.
#pragma once

#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/histogram.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>

#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Where the bins of each channel go.
template <class Counter, int Active>
struct channel_counters {
  Counter* counters[Active];
  int first_bins[Active + 1];  ///< of each channel among all bins; then the number of all
};

/// Copies each channel's part of bins [to.first_bins[Active]] to the counters of that channel.
template <class Bin, class Counter, int Active>
HINDSIGHT_KERNEL void store_channels_kernel(const Bin* bins, channel_counters<Counter, Active> to) {
  ptx::wait_for_launch_before();
  const int b = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  HINDSIGHT_UNROLL
  for (int c = 0; c < Active; ++c) {
    if (b >= to.first_bins[c] && b < to.first_bins[c + 1])
      to.counters[c][b - to.first_bins[c]] = static_cast<Counter>(bins[b]);
  }
}

template <int Channels, class Counter, int Active, class MakeRule, int... C>
auto make_channel_rules(const channel_counters<Counter, Active>& to, MakeRule make_rule,
                        std::integer_sequence<int, C...>) {
  using rule_t = std::decay_t<decltype(make_rule(0))>;
  return channel_rules<rule_t, Channels, Active>{{make_rule(C)...}, {to.first_bins[C]...}};
}

/// counters[c][b] = how many pixels fall into bin b of channel c, in CUB's two phases. `rule(c)` is
/// that of channel c, which has num_levels[c] - 1 bins.
template <int Active, class Image, class Counter, class MakeRule>
cudaError_t histogram_of_channels(void* temp, std::size_t& temp_bytes, Image image,
                                  const ::cuda::std::array<Counter*, Active>& counters,
                                  const ::cuda::std::array<int, Active>& num_levels,
                                  MakeRule make_rule, cudaStream_t stream) {
  static_assert(0 < Active && Active <= Image::channels,
                "hindsight: a pixel has no more active channels than channels");
  channel_counters<Counter, Active> to{};
  long long num_bins = 0;
  for (int c = 0; c < Active; ++c) {
    to.counters[c] = counters[c];
    to.first_bins[c] = static_cast<int>(num_bins);
    num_bins += num_levels[c] - 1;
    if (num_bins > ::cuda::std::numeric_limits<int>::max()) return cudaErrorInvalidValue;
  }
  to.first_bins[Active] = static_cast<int>(num_bins);

  using bin_t = std::conditional_t<sizeof(Counter) <= 4, unsigned, unsigned long long>;
  carver space{temp};
  bin_t* const bins = space.take<bin_t>(static_cast<std::size_t>(num_bins));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  const auto rules = cuda::make_channel_rules<Image::channels>(
      to, make_rule, std::make_integer_sequence<int, Active>{});
  std::size_t bin_bytes = 1;
  HINDSIGHT_TRY(
      cuda::histogram_of(&bin_bytes, bin_bytes, image, bins, to.first_bins[Active], rules, stream));
  constexpr auto store_channels = store_channels_kernel<bin_t, Counter, Active>;
  return HINDSIGHT_LAUNCH_NEXT(num_bin_blocks(to.first_bins[Active]), plain_threads, 0, stream,
                               store_channels)(static_cast<const bin_t*>(bins), to);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
