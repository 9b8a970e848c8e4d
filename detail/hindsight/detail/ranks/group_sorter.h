// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of many groups of records of one rank, where each group's keys differ in their low bits
// only.
#pragma once

#include <hindsight/detail/ranks/records.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace hindsight::detail::ranks {

/// Records to be sorted by their `num_bits` lowest bits.
struct group_size {
  std::size_t n;
  int num_bits;
};

/// Sorts groups at a place. sort(lane, from, to, size) adds to a lane the work to = sorted(from).
/// The work of one lane runs in order; lanes run side by side. wait() waits for all lanes.
template <class Place, class Direction, class Key, class Value, class Compare>
class group_sorter;

/// On the host there is one lane: sort() does the work at once, with all threads.
template <class Direction, class Key, class Value, class Compare>
class group_sorter<host_place, Direction, Key, Value, Compare> {
 public:
  group_sorter(const host_place& place, const std::vector<group_size>&, std::size_t,
               Compare compare)
      : place_{place}, compare_{compare} {}
  std::size_t num_lanes() const { return 1; }
  void sort(std::size_t, records<Key, Value> from, records<Key, Value> to, group_size size) const {
    to.copy(place_.policy(), from, size.n);
    to.sort(place_.policy(), size.n, compare_);
  }
  auto policy(std::size_t) const { return place_.policy(); }
  void wait() const {}

 private:
  const host_place& place_;
  Compare compare_;
};

#if HINDSIGHT_CUDA

/// A lane is a stream with temporary memory of its own. Several lanes keep the GPU busy while the
/// last blocks of one group's pass are at work. The first lane is the place's stream.
template <class Direction, class Key, class Value, class Compare>
class group_sorter<gpu_place, Direction, Key, Value, Compare> {
  using policy_t = hindsight::cuda::on_stream_nosync;

 public:
  /// Each lane gets the temporary memory that the most demanding of these groups needs.
  group_sorter(const gpu_place& place, const std::vector<group_size>& sizes, std::size_t num_lanes,
               Compare)
      : temp_bytes_{most_bytes(sizes)} {
    for (std::size_t lane = 0; lane < num_lanes; ++lane)
      lanes_.push_back(std::make_unique<lane_t>(place, temp_bytes_, lane == 0));
    place.wait();  // for the memory, and what is to be sorted
  }
  group_sorter(const group_sorter&) = delete;
  group_sorter& operator=(const group_sorter&) = delete;
  /// Waits for all lanes, whose memory is freed next.
  ~group_sorter() {
    for (const auto& lane : lanes_)
      if (cudaStreamSynchronize(lane->stream) != cudaSuccess) cudaGetLastError();
  }

  std::size_t num_lanes() const { return lanes_.size(); }
  policy_t policy(std::size_t lane) const { return policy_t{lanes_[lane]->stream}; }

  void sort(std::size_t lane, records<Key, Value> from, records<Key, Value> to,
            group_size size) const {
    if (size.num_bits == 0) return to.copy(policy(lane), from, size.n);
    std::size_t bytes = temp_bytes_;
    throw_on_error(call(lanes_[lane]->temp.data(), bytes, from, to, size, lanes_[lane]->stream),
                   "hindsight::sort");
  }

  void wait() const {
    for (const auto& lane : lanes_)
      throw_on_error(cudaStreamSynchronize(lane->stream), "hindsight::sort");
  }

 private:
  struct lane_t {
    lane_t(const gpu_place& place, std::size_t bytes, bool is_first)
        : temp{place.policy(), bytes}, stream{place.stream()}, is_owned{!is_first} {
      if (is_owned)
        throw_on_error(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                       "hindsight::sort");
    }
    lane_t(const lane_t&) = delete;
    lane_t& operator=(const lane_t&) = delete;
    ~lane_t() {
      if (is_owned && cudaStreamDestroy(stream) != cudaSuccess) cudaGetLastError();
    }
    room<char, policy_t> temp;
    cudaStream_t stream;
    bool is_owned;
  };

  static cudaError_t call(void* temp, std::size_t& bytes, records<Key, Value> from,
                          records<Key, Value> to, group_size size, cudaStream_t stream) {
    return cuda::radix_sort<Direction>(temp, bytes, static_cast<const Key*>(from.keys), to.keys,
                                       static_cast<const Value*>(from.values), to.values, size.n, 0,
                                       size.num_bits, stream);
  }

  static std::size_t most_bytes(const std::vector<group_size>& sizes) {
    std::size_t most = 1;
    for (const group_size& size : sizes) {
      std::size_t bytes = 0;
      if (size.num_bits > 0)
        throw_on_error(call(nullptr, bytes, {nullptr, nullptr}, {nullptr, nullptr}, size, nullptr),
                       "hindsight::sort");
      most = std::max(most, bytes);
    }
    return most;
  }

  std::size_t temp_bytes_;
  std::vector<std::unique_ptr<lane_t>> lanes_;
};

#endif

}  // namespace hindsight::detail::ranks
