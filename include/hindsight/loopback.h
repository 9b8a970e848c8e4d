// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of ranks that are threads of this process. With them a program for several GPUs can be
// tried without a GPU, or on one.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/detail/ranks/loopback.h>
#include <hindsight/shards.h>

#include <memory>
#include <utility>
#include <vector>

namespace hindsight::loopback {

/// Ranks that copy from each other's memory. In every call each rank has a thread.
///
///   hindsight::loopback::group g{4};
///   hindsight::sort(g.par, hindsight::shards(g, vectors));
template <class Place>
class group_of : private detail::ranks::rendezvous,
                 public rank_group<detail::ranks::loopback_communicator<Place>> {
  using communicator = detail::ranks::loopback_communicator<Place>;

 public:
  /// A rank for each place.
  explicit group_of(std::vector<Place> places)
      : detail::ranks::rendezvous{int(places.size())},
        rank_group<communicator>{communicators(*this, std::move(places))} {}

 private:
  static std::vector<std::unique_ptr<communicator>> communicators(detail::ranks::rendezvous& all,
                                                                  std::vector<Place> places) {
    std::vector<std::unique_ptr<communicator>> ranks;
    for (Place& place : places)
      ranks.push_back(std::make_unique<communicator>(all, int(ranks.size()), std::move(place)));
    return ranks;
  }
};

inline namespace HINDSIGHT_HOST_ABI {

/// Ranks on the host engine.
class group : public group_of<detail::ranks::host_place> {
 public:
  /// Ranks 0 to num_ranks - 1.
  explicit group(int num_ranks)
      : group_of{
            std::vector<detail::ranks::host_place>(std::size_t(num_ranks < 1 ? 0 : num_ranks))} {}
};

}  // namespace HINDSIGHT_HOST_ABI

#if HINDSIGHT_CUDA

inline namespace HINDSIGHT_ARCH_ABI {

/// Ranks on GPUs: devices[r] and streams[r] are rank r's. A device may have several ranks.
class gpu_group : public group_of<detail::ranks::gpu_place> {
 public:
  /// As many ranks as devices.
  gpu_group(const std::vector<int>& devices, const std::vector<cudaStream_t>& streams)
      : group_of{places(devices, streams)} {}

 private:
  static std::vector<detail::ranks::gpu_place> places(const std::vector<int>& devices,
                                                      const std::vector<cudaStream_t>& streams) {
    if (devices.size() != streams.size())
      throw invalid_call("hindsight::loopback::gpu_group: pass as many streams as devices");
    std::vector<detail::ranks::gpu_place> ranks;
    for (std::size_t r = 0; r < devices.size(); ++r) ranks.emplace_back(devices[r], streams[r]);
    return ranks;
  }
};

}  // namespace HINDSIGHT_ARCH_ABI

#endif

}  // namespace hindsight::loopback
