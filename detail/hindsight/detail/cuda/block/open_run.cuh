// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What algorithms over runs of equal keys carry from tile to tile, and how a warp folds by run.
#pragma once

#include <hindsight/detail/board/tile_board.h>
#include <hindsight/detail/cuda/block/warp.cuh>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// How many runs begin in a stretch of tiles, and the fold of its values from the last head on (of
/// all its values if no run begins there).
template <class T, bool fits_a_word = (sizeof(T) <= 8)>
class open_run {
 public:
  HINDSIGHT_DEVICE static open_run make(std::uint64_t count, const T& fold) {
    open_run run;
    run.count_ = count;
    memcpy(run.fold_, ::cuda::std::addressof(fold), sizeof fold);
    return run;
  }
  HINDSIGHT_DEVICE std::uint64_t count() const { return count_; }
  HINDSIGHT_DEVICE T fold() const {
    uninitialized<T> fold;
    memcpy(static_cast<void*>(&fold), fold_, sizeof fold_);
    return fold.get();
  }

 private:
  std::uint64_t count_;
  alignas(T) unsigned char fold_[sizeof(T)];  // bytes: any T makes a trivially copyable run
};

/// The same in two words, of which only the first 6 + sizeof(T) bytes are used: 48 bits of count,
/// then the fold.
template <class T>
class open_run<T, true> {
 public:
  HINDSIGHT_DEVICE static open_run make(std::uint64_t count, const T& fold) {
    std::uint64_t bits = 0;
    memcpy(&bits, ::cuda::std::addressof(fold), sizeof fold);
    open_run run;
    run.low_ = count | bits << 48;
    run.high_ = bits >> 16;
    return run;
  }
  HINDSIGHT_DEVICE std::uint64_t count() const { return low_ & 0xffff'ffff'ffff; }
  HINDSIGHT_DEVICE T fold() const {
    const std::uint64_t bits = low_ >> 48 | high_ << 16;
    uninitialized<T> fold;
    memcpy(static_cast<void*>(&fold), &bits, sizeof(T));
    return fold.get();
  }

 private:
  std::uint64_t low_, high_;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda

namespace hindsight::detail {

template <class T>
inline constexpr std::size_t payload_bytes<cuda::open_run<T, true>> = 6 + sizeof(T);

}  // namespace hindsight::detail

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Joins two neighbouring stretches: how many runs begin in both, and the fold of the run that is
/// open after the second one. Requires an Op that returns its operands' type, as fold_with does.
template <class Op>
struct append_run {
  Op op;
  template <class T>
  HINDSIGHT_DEVICE open_run<T> operator()(const open_run<T>& a, const open_run<T>& b) const {
    return open_run<T>::make(a.count() + b.count(),
                             b.count() > 0 ? b.fold() : op(a.fold(), b.fold()));
  }
};

/// The fold over lanes [first, l], where `first` is the last lane at or below l that is in `heads`,
/// or 0: an inclusive segmented fold in Kogge and Stone's steps.
template <class T, class Op>
HINDSIGHT_DEVICE T warp_segmented_fold(T value, unsigned heads, Op op) {
  const int lane = lane_index();
  const unsigned own = heads & (ptx::lanes_below() | 1u << lane);
  const int first = own ? 31 - __clz(own) : 0;
  HINDSIGHT_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const T left = cuda::shuffle_up(value, distance);
    if (lane - distance >= first) value = op(left, value);
  }
  return value;
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
