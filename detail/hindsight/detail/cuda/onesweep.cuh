// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Onesweep radix sort: one histogram of all digits up front, then one pass per digit
// (sort_pass.cuh). Keys of 4 or more bytes may take passes over their highest digits only. Blocks
// then sort the segments that remain, in shared memory (segment_sort.cuh, large_segment_sort.cuh).
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/board/digit_board.h>
#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/digit_histogram.cuh>
#include <hindsight/detail/cuda/key_samples.cuh>
#include <hindsight/detail/cuda/large_segment_sort.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/segment_split.cuh>
#include <hindsight/detail/cuda/sort_order.cuh>
#include <hindsight/detail/cuda/sort_pass.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/cuda/value_digits.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/array>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// A sort of more than one tile. What keys are like is known on the device only, so the host
/// launches all that may be needed. Each launch reads in the plan whether it has something to do.
template <class Tuning, class Direction, class Key, class Value, class Size>
class onesweep {
  using word = std::uint32_t;  ///< of the boards
  static constexpr std::size_t portion_items =
      std::size_t{Tuning::portion_tiles} * Tuning::tile_items;
  static_assert(portion_items <= digit_board<word>::count_mask, "a count and two bits in a word");
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr bool may_be_split =
      sizeof(Key) >= least_split_key_bytes && sizeof(Value) <= most_split_value_bytes;
  /// Whether two passes may split keys by digits of their values (value_digits.cuh).
  static constexpr bool may_split_values = may_be_split && has_value_digits<Key>;
  static constexpr int num_value_digits = 2;
  /// Whether a launch may look for order: keys that are already in order need no passes.
  static constexpr bool may_be_in_order =
      Tuning::size == tiles::large && Tuning::least_in_order < std::size_t(-1);
  using segments = segment_tuning<Key, Value>;

 public:
  onesweep(sort_buffers<Key> keys, sort_buffers<Value> values, Size size, std::size_t most_items,
           digit_passes passes, cudaStream_t stream)
      : keys_{keys},
        values_{values},
        size_{size},
        n_{most_items},
        passes_{passes},
        stream_{stream} {
    if (may_be_split && passes.begin_bit == 0 && n_ >= Tuning::least_split)
      split_ = segment_split::of<Key, segments>(n_);
    if (split_.num_passes + Tuning::few_digits >= passes.count()) split_ = {};
  }

  cudaError_t operator()(void* temp, std::size_t& temp_bytes) {
    carver space{temp};
    const std::size_t zeroed_bytes = carve(space);
    if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
    if (num_tiles() > max_blocks) return cudaErrorInvalidConfiguration;  // tickets have 32 bits
    HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, zeroed_bytes, stream_));
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors_));
    HINDSIGHT_TRY(make_plan());
    if constexpr (may_be_split) HINDSIGHT_TRY(sort_by_segments());
    for (int p = 0; p < passes_to_launch(); ++p)
      HINDSIGHT_TRY(pass_by_digit(sort_phase::all_digits, p, p < passes_.count() ? p : 0));
    if constexpr (may_be_in_order) HINDSIGHT_TRY(reverse());
    return cudaSuccess;
  }

 private:
  static constexpr std::size_t shared_bytes = sizeof(sort_pass_storage<Tuning, Key, Value, word>);
  static constexpr std::size_t segment_bytes = sizeof(segment_parts_storage<segments, Key, Value>);

  bool in_place() const { return keys_.in == keys_.out; }
  /// Whether the two splitting passes may sort by digits of values and not of the keys' bits. More
  /// keys than a portion take three passes, which split by digits of the bits.
  bool splits_values() const {
    const bool all_bits = passes_.end_bit == int(sizeof(Key)) * 8;
    return may_split_values && all_bits && n_ >= Tuning::least_by_value &&
           num_tiles() <= Tuning::portion_tiles && split_.num_passes == num_value_digits;
  }
  std::size_t num_tiles() const { return (n_ + Tuning::tile_items - 1) / Tuning::tile_items; }
  unsigned num_segments() const { return 1u << split_.bits; }
  /// How many passes over all digits. In place an odd number gets one more, which only copies.
  /// Passes that follow a split, since a segment is too large, are in place, too.
  int passes_to_launch() const {
    const bool may_be_in_place = in_place() || split_.num_passes > 1;
    return passes_.count() + (may_be_in_place ? passes_.count() % 2 : 0);
  }

  /// Takes all memory. Returns how many bytes at its beginning have to be zero.
  std::size_t carve(carver& space) {
    const int num_passes = passes_.count();
    constexpr int ahead = Tuning::rows_ahead * Tuning::num_digits;
    const std::size_t board_words = num_tiles() * Tuning::num_digits;
    const bool needs_buffer = in_place() || num_passes > 1;
    state_ = space.take<launch_state>(2);
    plan_ = space.take<sort_plan>(1);
    tickets_ = space.take<unsigned>(split_.num_passes + num_passes);
    const int num_rows = num_passes + (splits_values() ? num_value_digits : 0);
    starts_ = space.take<std::uint64_t>(num_rows * Tuning::num_digits);
    boards_[0] = space.take<word>(ahead + board_words) + ahead;
    // The rows in front of a board are read, though nothing depends on them: they are zero, too.
    static_assert(ahead * sizeof(word) % carver::alignment == 0, "a board begins behind them");
    if (num_passes > 1) boards_[1] = space.take<word>(ahead) + ahead;
    const std::size_t zeroed_bytes = space.used_bytes();
    if (num_passes > 1) space.take<word>(board_words);
    if (num_tiles() > Tuning::portion_tiles)
      portion_starts_ = space.take<std::uint64_t>(Tuning::num_digits);
    segment_starts_ =
        split_.num_passes > 1 ? space.take<std::uint64_t>(std::size_t{1} << split_.bits) : nullptr;
    if (is_wide_key<Key> && split_.most_pieces > 1)
      large_segments_ = space.take<unsigned>(std::size_t{1} << split_.bits);
    cuda::take_spare(space, needs_buffer, n_, keys_);
    cuda::take_spare(space, needs_buffer && has_values, n_, values_);
    return zeroed_bytes;
  }

  /// Lets the device find out what the keys are like.
  cudaError_t make_plan() {
    if constexpr (may_split_values) HINDSIGHT_TRY(choose_value_scale());
    HINDSIGHT_TRY(count_digits());
    if constexpr (may_be_in_order) HINDSIGHT_TRY(find_order());
    return cudaSuccess;
  }

  /// Tiles of all sizes, and keys with any values, share a kernel, so that it is compiled once.
  cudaError_t count_digits() {
    using one_for_all_tiles = sort_tuning<Key, no_value>;
    static_assert(one_for_all_tiles::histogram_tile_items == Tuning::histogram_tile_items);
    const std::size_t tiles =
        (n_ + Tuning::histogram_tile_items - 1) / Tuning::histogram_tile_items;
    const auto blocks = static_cast<unsigned>(::cuda::std::min<std::size_t>(
        tiles, std::size_t(multiprocessors_) * Tuning::histogram_blocks));
    constexpr auto kernel = digit_histogram_kernel<one_for_all_tiles, Direction, Key, Size>;
    return HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, 0, stream_, kernel)(
        keys_.in, size_, passes_, starts_, split_.num_passes, split_.test, plan_, state_);
  }

  bool looks_for_order() const { return n_ >= Tuning::least_in_order; }
  unsigned order_blocks() const {
    const std::size_t tiles = (n_ + order_tuning::tile_items - 1) / order_tuning::tile_items;
    return static_cast<unsigned>(
        ::cuda::std::min<std::size_t>(tiles, std::size_t(multiprocessors_) * order_tuning::blocks));
  }
  /// Lets the device find out whether there is nothing to sort.
  cudaError_t find_order() {
    if (!looks_for_order()) return cudaSuccess;
    constexpr auto kernel = find_order_kernel<order_tuning, Direction, Key, Size>;
    return HINDSIGHT_LAUNCH_NEXT(order_blocks(), order_tuning::block_threads, 0, stream_, kernel)(
        keys_.in, size_, passes_, plan_, state_ + 1);
  }
  /// Reverses the output, where the keys were in reverse order.
  cudaError_t reverse() {
    if (!looks_for_order()) return cudaSuccess;
    constexpr auto kernel = reverse_kernel<order_tuning, Key, Value, Size>;
    return HINDSIGHT_LAUNCH_NEXT(order_blocks(), order_tuning::block_threads, 0, stream_, kernel)(
        keys_.out, values_.out, size_, plan_);
  }

  /// Lets the device decide whether digits of values split the keys.
  cudaError_t choose_value_scale() {
    if (!splits_values()) return cudaSuccess;
    using tuning = value_sample_tuning;
    HINDSIGHT_LAUNCH(1, tuning::block_threads, 0, stream_,
                     choose_value_scale_kernel<tuning, Direction>)
    (keys_.in, size_, split_.test, plan_);
    return detail::reported(cudaPeekAtLastError());
  }

  /// Sorts by the highest digits, then each segment that they leave.
  cudaError_t sort_by_segments() {
    if (split_.num_passes == 0) return cudaSuccess;
    if constexpr (may_split_values) {
      for (int p = 0; splits_values() && p < num_value_digits; ++p) HINDSIGHT_TRY(pass_by_value(p));
    }
    const int first_digit = passes_.count() - split_.num_passes;
    for (int p = 0; p < split_.num_passes; ++p)
      HINDSIGHT_TRY(pass_by_digit(sort_phase::highest_digits, p, first_digit + p));
    return sort_segments();
  }

  /// One pass over a digit of the keys.
  cudaError_t pass_by_digit(sort_phase phase, int pass, int digit) {
    const pass_launch launch{phase, pass, split_.num_passes, false};
    return launch_pass(launch, passes_.template digit<Direction, Key>(digit), digit);
  }
  /// The same over a digit of the keys' values.
  cudaError_t pass_by_value(int pass) {
    const pass_launch launch{sort_phase::highest_digits, pass, split_.num_passes, true};
    const planned_value_digit<Direction, Key> digit{unsigned(pass * Tuning::digit_bits)};
    return launch_pass(launch, digit, passes_.count() + pass);
  }
  /// row: which row of the starts
  template <class Digit>
  cudaError_t launch_pass(pass_launch launch, Digit digit, int row) {
    constexpr auto kernel = sort_pass_kernel<Tuning, Direction, Key, Value, Size, word, Digit>;
    static_assert(shared_bytes <= Tuning::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    const int first_ticket = launch.phase == sort_phase::highest_digits ? 0 : split_.num_passes;
    unsigned* const ticket =
        tickets_ + first_ticket + (launch.pass < passes_.count() ? launch.pass : 0);
    const std::uint64_t* starts = starts_ + row * Tuning::num_digits;
    launch.has_wide_places = n_ > Tuning::most_narrow_places;
    for (unsigned tile = 0;; tile = launch.end_tile) {
      const unsigned left = static_cast<unsigned>(num_tiles()) - tile;
      const unsigned tiles = ::cuda::std::min(left, unsigned{Tuning::portion_tiles});
      const unsigned blocks =
          Tuning::takes_many_tiles
              ? ::cuda::std::min(tiles, unsigned(multiprocessors_) * Tuning::pass_blocks)
              : tiles;
      launch.end_tile = tile + tiles;
      launch.is_first_portion = tile == 0;
      HINDSIGHT_TRY(
          HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, shared_bytes, stream_, kernel)(
              keys_, values_, size_, plan_, launch, digit, starts, boards_, ticket));
      if (tiles == left) return cudaSuccess;
      constexpr auto between = begin_portion_kernel<Tuning::num_digits, word>;
      HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(1, Tuning::num_digits, 0, stream_, between)(
          plan_, launch, in_place(), starts, portion_starts_, boards_, ticket));
      starts = portion_starts_;
    }
  }

  cudaError_t sort_segments() {
    // After one pass, the segments are those of its digit.
    const std::uint64_t* starts = starts_ + (passes_.count() - 1) * Tuning::num_digits;
    if (split_.num_passes > 1) {
      HINDSIGHT_TRY(find_segments());
      starts = segment_starts_;
    }
    constexpr auto kernel = sort_segments_kernel<segments, Direction, Key, Value, Size>;
    HINDSIGHT_TRY(allow_shared_bytes(kernel, segment_bytes));
    HINDSIGHT_TRY(
        HINDSIGHT_LAUNCH_NEXT(num_segments(), segments::block_threads, segment_bytes, stream_,
                              kernel)(keys_, values_, size_, plan_, starts, split_.num_passes,
                                      passes_.end_bit - split_.bits, passes_.end_bit));
    if constexpr (is_wide_key<Key>)
      if (split_.most_pieces > 1) return sort_large_segments();
    return cudaSuccess;
  }

  cudaError_t find_segments() {
    constexpr int threads = segments::block_threads, capacity = segments::tile_items;
    constexpr auto kernel = find_segments_kernel<threads, Direction, Key, Size>;
    return HINDSIGHT_LAUNCH_NEXT(num_segments() / (threads / warp_lanes), threads, 0, stream_,
                                 kernel)(keys_, size_, plan_, segment_starts_, large_segments_,
                                         split_.num_passes, passes_.end_bit, split_.bits, capacity,
                                         split_.most_pieces * capacity);
  }

  /// Sorts the segments of wide keys that do not fit a block.
  cudaError_t sort_large_segments() {
    constexpr auto kernel = sort_large_segments_kernel<segments, Direction, Key, Value, Size>;
    HINDSIGHT_TRY(allow_shared_bytes(kernel, segment_bytes));
    const auto resident = static_cast<unsigned>(multiprocessors_ * segments::min_blocks);
    return HINDSIGHT_LAUNCH_NEXT(::cuda::std::min(num_segments(), resident),
                                 segments::block_threads, segment_bytes, stream_, kernel)(
        keys_, values_, size_, plan_, segment_starts_, large_segments_, num_segments(),
        split_.num_passes, passes_.end_bit - split_.bits, passes_.end_bit);
  }

  sort_buffers<Key> keys_;
  sort_buffers<Value> values_;
  Size size_;
  std::size_t n_;  ///< at least the number of items
  digit_passes passes_;
  cudaStream_t stream_;
  segment_split split_{};
  int multiprocessors_ = 0;
  launch_state* state_ = nullptr;
  sort_plan* plan_ = nullptr;
  unsigned *tickets_ = nullptr, *large_segments_ = nullptr;
  std::uint64_t *starts_ = nullptr, *segment_starts_ = nullptr;
  std::uint64_t* portion_starts_ = nullptr;  ///< of the portions behind the first
  ::cuda::std::array<word*, 2> boards_{};
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
