// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Onesweep radix sort: one histogram of all digits up front, then one pass per digit
// (sort_pass.cuh). Keys of 4 or more bytes may take passes over their highest digits only. Blocks
// then sort the segments that remain, in shared memory (segment_sort.cuh, large_segment_sort.cuh).
// Source: Adinets & Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs".
#pragma once

#include <hindsight/detail/cuda/counting_sort.cuh>
#include <hindsight/detail/cuda/counting_sort_16.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/digit_histogram.cuh>
#include <hindsight/detail/cuda/few_keys_sort.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/large_segment_sort.cuh>
#include <hindsight/detail/cuda/segment_split.cuh>
#include <hindsight/detail/cuda/sort_order.cuh>
#include <hindsight/detail/cuda/sort_pass.cuh>
#include <hindsight/detail/cuda/sort_plan.cuh>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/num_items.h>
#include <hindsight/detail/radix_sortable.h>
#include <hindsight/detail/tuning/sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {

/// A sort of more than one tile.
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
  /// Whether large inputs are looked at first: keys that are already in order need no passes.
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
    if (temp == nullptr) return temp_bytes = space.bytes(), cudaSuccess;
    if (temp_bytes < space.bytes()) return cudaErrorInvalidValue;
    if (num_tiles() > max_blocks) return cudaErrorInvalidConfiguration;  // tickets have 32 bits
    HINDSIGHT_TRY(cudaMemsetAsync(space.begin(), 0, zeroed_bytes, stream_));
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors_));
    if constexpr (may_split_values) HINDSIGHT_TRY(choose_value_scale());
    HINDSIGHT_TRY(count_digits());
    if constexpr (may_be_in_order) HINDSIGHT_TRY(find_order());
    if constexpr (may_split_values) {
      for (int p = 0; splits_values() && p < num_value_digits; ++p)
        HINDSIGHT_TRY(sweep_by_value(p));
    }
    if constexpr (may_be_split) {
      const int first_digit = passes_.count() - split_.num_passes;
      for (int p = 0; p < split_.num_passes; ++p)
        HINDSIGHT_TRY(sweep(sort_phase::highest_digits, p, first_digit + p));
      if (split_.num_passes > 0) HINDSIGHT_TRY(sort_segments());
    }
    for (int p = 0; p < num_sweeps(); ++p)
      HINDSIGHT_TRY(sweep(sort_phase::all_digits, p, p < passes_.count() ? p : 0));
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
  /// Passes over all digits. In place an odd number gets one more, which only copies (pass_role).
  int num_sweeps() const { return passes_.count() + (in_place() ? passes_.count() % 2 : 0); }

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

  /// Tiles of all sizes, and keys with any values, share a kernel, so that it is compiled once.
  cudaError_t count_digits() {
    using one_for_all_tiles = sort_tuning<Key, no_value>;
    static_assert(one_for_all_tiles::histogram_tile_items == Tuning::histogram_tile_items);
    const std::size_t tiles =
        (n_ + Tuning::histogram_tile_items - 1) / Tuning::histogram_tile_items;
    const auto blocks = static_cast<unsigned>(::cuda::std::min<std::size_t>(
        tiles, std::size_t(multiprocessors_) * Tuning::histogram_blocks));
    HINDSIGHT_LAUNCH(blocks, Tuning::block_threads, 0, stream_,
                     digit_histogram_kernel<one_for_all_tiles, Direction>)
    (keys_.in, size_, passes_, starts_, split_.num_passes, split_.test, plan_, state_);
    return cudaPeekAtLastError();
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
    HINDSIGHT_LAUNCH(order_blocks(), order_tuning::block_threads, 0, stream_,
                     find_order_kernel<order_tuning, Direction>)
    (keys_.in, size_, passes_, plan_, state_ + 1);
    return cudaPeekAtLastError();
  }
  /// Reverses the output, where the keys were in reverse order.
  cudaError_t reverse() {
    if (!looks_for_order()) return cudaSuccess;
    HINDSIGHT_LAUNCH(order_blocks(), order_tuning::block_threads, 0, stream_,
                     reverse_kernel<order_tuning, Key, Value>)
    (keys_.out, values_.out, size_, plan_);
    return cudaPeekAtLastError();
  }

  /// Lets the device decide whether digits of values split the keys.
  cudaError_t choose_value_scale() {
    if (!splits_values()) return cudaSuccess;
    using tuning = value_sample_tuning;
    HINDSIGHT_LAUNCH(1, tuning::block_threads, 0, stream_,
                     choose_value_scale_kernel<tuning, Direction>)
    (keys_.in, size_, split_.test, plan_);
    return cudaPeekAtLastError();
  }

  /// One pass over a digit of the keys.
  cudaError_t sweep(sort_phase phase, int pass, int digit) {
    const sort_step step{phase, pass, split_.num_passes, false};
    return launch_pass(step, passes_.template digit<Direction, Key>(digit), digit);
  }
  /// The same over a digit of the keys' values.
  cudaError_t sweep_by_value(int pass) {
    const sort_step step{sort_phase::highest_digits, pass, split_.num_passes, true};
    const planned_value_digit<Direction, Key> digit{unsigned(pass * Tuning::digit_bits)};
    return launch_pass(step, digit, passes_.count() + pass);
  }
  /// row: which row of the starts
  template <class Digit>
  cudaError_t launch_pass(sort_step step, Digit digit, int row) {
    constexpr auto kernel = sort_pass_kernel<Tuning, Direction, Key, Value, Size, word, Digit>;
    static_assert(shared_bytes <= Tuning::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    const int first_ticket = step.phase == sort_phase::highest_digits ? 0 : split_.num_passes;
    unsigned* const ticket =
        tickets_ + first_ticket + (step.pass < passes_.count() ? step.pass : 0);
    const std::uint64_t* starts = starts_ + row * Tuning::num_digits;
    step.has_wide_places = n_ > Tuning::most_narrow_places;
    for (unsigned tile = 0;; tile = step.end_tile) {
      const unsigned left = static_cast<unsigned>(num_tiles()) - tile;
      const unsigned tiles = ::cuda::std::min(left, unsigned{Tuning::portion_tiles});
      const unsigned blocks =
          Tuning::takes_many_tiles
              ? ::cuda::std::min(tiles, unsigned(multiprocessors_) * Tuning::pass_blocks)
              : tiles;
      step.end_tile = tile + tiles;
      step.is_first_portion = tile == 0;
      HINDSIGHT_LAUNCH(blocks, Tuning::block_threads, shared_bytes, stream_, kernel)
      (keys_, values_, size_, plan_, step, digit, starts, boards_, ticket);
      HINDSIGHT_TRY(cudaPeekAtLastError());
      if (tiles == left) return cudaSuccess;
      HINDSIGHT_LAUNCH(1, Tuning::num_digits, 0, stream_,
                       begin_portion_kernel<Tuning::num_digits, word>)
      (plan_, step, in_place(), starts, portion_starts_, boards_, ticket);
      HINDSIGHT_TRY(cudaPeekAtLastError());
      starts = portion_starts_;
    }
  }

  cudaError_t sort_segments() {
    const int num_passes = split_.num_passes, bits = split_.bits;
    const unsigned num_segments = 1u << bits;
    const std::uint64_t* starts = starts_ + (passes_.count() - 1) * Tuning::num_digits;
    if (num_passes > 1) {
      constexpr int threads = segments::block_threads, capacity = segments::tile_items;
      HINDSIGHT_LAUNCH(num_segments / (threads / warp_lanes), threads, 0, stream_,
                       find_segments_kernel<threads, Direction>)
      (keys_, size_, plan_, segment_starts_, large_segments_, num_passes, passes_.end_bit, bits,
       capacity, split_.most_pieces * capacity);
      HINDSIGHT_TRY(cudaPeekAtLastError());
      starts = segment_starts_;
    }
    constexpr auto kernel = sort_segments_kernel<segments, Direction, Key, Value, Size>;
    HINDSIGHT_TRY(allow_shared_bytes(kernel, segment_bytes));
    HINDSIGHT_LAUNCH(num_segments, segments::block_threads, segment_bytes, stream_, kernel)
    (keys_, values_, size_, plan_, starts, num_passes, passes_.end_bit - bits, passes_.end_bit);
    HINDSIGHT_TRY(cudaPeekAtLastError());
    if constexpr (is_wide_key<Key>)
      if (split_.most_pieces > 1) return sort_large_segments();
    return cudaSuccess;
  }

  cudaError_t sort_large_segments() {
    constexpr auto kernel = sort_large_segments_kernel<segments, Direction, Key, Value, Size>;
    HINDSIGHT_TRY(allow_shared_bytes(kernel, segment_bytes));
    const unsigned num_segments = 1u << split_.bits;
    const auto resident = static_cast<unsigned>(multiprocessors_ * segments::min_blocks);
    HINDSIGHT_LAUNCH(::cuda::std::min(num_segments, resident), segments::block_threads,
                     segment_bytes, stream_, kernel)
    (keys_, values_, size_, plan_, segment_starts_, large_segments_, num_segments,
     split_.num_passes, passes_.end_bit - split_.bits, passes_.end_bit);
    return cudaPeekAtLastError();
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

/// Keys of two bytes that may be counted.
template <class Key, class Value, class Size>
inline constexpr bool is_counted_short = is_integer<Key> &&
                                         sizeof(Key) == 2 && std::is_same_v<Value, no_value> &&
                                         !is_deferred<Size>;

/// out = in, stably sorted by bits [begin_bit, end_bit) of the keys' key bits
/// (key_bits.h), in CUB's two phases. keys_in [n] may be keys_out, values_in then values_out.
/// Values are no_value and null for keys alone. keys_spare and values_spare [n]: the caller's
/// memory, used instead of as much temporary memory; or null.
template <class Direction, class Key, class Value, class Size>
cudaError_t radix_sort(void* temp, std::size_t& temp_bytes, const Key* keys_in, Key* keys_out,
                       const Value* values_in, Value* values_out, Size num_items, int begin_bit,
                       int end_bit, cudaStream_t stream, Key* keys_spare = nullptr,
                       Value* values_spare = nullptr) {
  const std::size_t n = detail::most_items(num_items);
  const auto size = cuda::unwrap_size(num_items);
  using many = sort_tuning<Key, Value, tiles::large>;
  using medium = sort_tuning<Key, Value, tiles::medium>;
  using few = sort_tuning<Key, Value, tiles::small>;
  const digit_passes passes{begin_bit, end_bit, many::digit_bits};
  if (n == 0) {  // no launch has a grid of no blocks
    if (temp == nullptr) temp_bytes = 1;
    return cudaSuccess;
  }
  // Where one launch cannot sort few tiles, a single tile is as large as possible.
  constexpr bool sorts_few = !is_deferred<Size> && few::one_launch_tiles > 0;
  using one = std::conditional_t<sorts_few, sort_tuning<Key, Value, tiles::one>, many>;
  if (one::stages_values && n <= one::tile_items) {
    if (temp == nullptr) return temp_bytes = 1, cudaSuccess;
    const auto tile_size = [&] {
      if constexpr (is_deferred<Size>) {
        return size;
      } else {
        return static_cast<int>(n);
      }
    }();
    constexpr auto kernel =
        sort_tile_kernel<one, Direction, Key, Value, std::decay_t<decltype(tile_size)>>;
    constexpr std::size_t shared_bytes = sizeof(sort_storage<one, Key, Value>);
    static_assert(shared_bytes <= one::max_shared_bytes, "the tile has to be smaller");
    HINDSIGHT_TRY(allow_shared_bytes(kernel, shared_bytes));
    HINDSIGHT_LAUNCH(1, one::block_threads, shared_bytes, stream, kernel)
    (keys_in, keys_out, values_in, values_out, tile_size, passes);
    return cudaPeekAtLastError();
  }
  if constexpr (is_counted_key<Key> && std::is_same_v<Value, no_value> && !is_deferred<Size>) {
    if (begin_bit == 0 && end_bit == 8) {
      return n < (std::size_t{1} << 31) ? counting_sort<unsigned, Direction>(
                                              temp, temp_bytes, keys_in, keys_out, n, stream)
                                        : counting_sort<unsigned long long, Direction>(
                                              temp, temp_bytes, keys_in, keys_out, n, stream);
    }
  }
  const sort_buffers<Key> keys{keys_in, keys_out, keys_spare};
  const sort_buffers<Value> values{values_in, values_out, values_spare};
  const auto sweep = [&](std::size_t most, auto row) {
    using sort = onesweep<decltype(row), Direction, Key, Value, std::decay_t<decltype(size)>>;
    sort way{keys, values, size, most, passes, stream};
    return way(temp, temp_bytes);
  };
  const auto sort_few = [&](std::size_t most, auto row) {
    using tuning = decltype(row);
    constexpr int one_launch_tiles = is_deferred<Size> ? 0 : tuning::one_launch_tiles;
    if constexpr (one_launch_tiles > 0) {
      if (most <= std::size_t{tuning::tile_items} * one_launch_tiles) {
        return sort_few_keys<medium, Direction, Key, Value>(temp, temp_bytes, keys, values, most,
                                                            tuning::lane_items, passes, stream);
      }
    }
    if constexpr (one_launch_tiles < tuning::few_tiles) {
      return sweep(most, row);
    } else {
      return cudaErrorInvalidValue;  // not reached: sort_few_keys() takes all of these
    }
  };
  const auto most_of = [](auto row) {
    using tuning = decltype(row);
    return std::size_t{tuning::tile_items} * tuning::few_tiles;
  };
  const auto sort = [&](std::size_t most) {
    if constexpr (is_counted_short<Key, Value, Size>) {
      using tuning = counting_sort_16_tuning;
      if (begin_bit == 0 && end_bit == 16 && most >= tuning::least_items && most >> 32 == 0) {
        return sort_shorts<tuning>(temp, temp_bytes,
                                   reinterpret_cast<const std::uint16_t*>(keys_in),
                                   reinterpret_cast<std::uint16_t*>(keys_out), most,
                                   pass_key<Direction, Key>::flips(), stream);
      }
    }
    if (most <= most_of(few{})) return sort_few(most, few{});
    if (most <= most_of(medium{})) return sort_few(most, medium{});
    return sweep(most, many{});
  };
  if (temp != nullptr) return sort(n);
  // Memory for n items must be enough for fewer items, too. Smaller tiles have larger tables, and
  // more narrow keys than two passes split have no segments.
  std::size_t enough = 0;
  constexpr std::size_t most_split =
      is_wide_key<Key> ? 0 : segment_split::most_keys<segment_tuning<Key, Value>>(2);
  for (const std::size_t most : {most_of(few{}), most_of(medium{}), most_split,
                                 counting_sort_16_tuning::least_items - 1, n}) {
    if (most > n || most == 0) continue;
    HINDSIGHT_TRY(sort(most));
    enough = ::cuda::std::max(enough, temp_bytes);
  }
  return temp_bytes = enough, cudaSuccess;
}

}  // namespace hindsight::detail::cuda
