// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of a sort. Which of them have something to do is known on the device only. All are
// launched, and each finds out for itself whether it moves the keys, where from and where to.
#pragma once

#include <hindsight/detail/config.h>
#include <hindsight/detail/cuda/pass_key.cuh>
#include <hindsight/detail/workspace.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The digits of a sort by bits [begin_bit, end_bit): the last pass takes the highest 8 of them,
/// and the first one those that are left. So the highest digits, which may split the keys, are
/// whole.
struct digit_passes {
  int begin_bit, end_bit, digit_bits;
  HINDSIGHT_HD int count() const { return (end_bit - begin_bit + digit_bits - 1) / digit_bits; }
  template <class Direction, class Key>
  HINDSIGHT_HD digit_of<Direction, Key> digit(int pass) const {
    const int end = end_bit - (count() - 1 - pass) * digit_bits;
    const int shift = end - digit_bits > begin_bit ? end - digit_bits : begin_bit;
    const unsigned mask = (1u << (end - shift)) - 1;
    return {unsigned(shift), mask, unsigned(pass_key<Direction, Key>::flips() >> shift) & mask};
  }
};

/// How values become codes (value_digits.cuh).
struct value_scale {
  unsigned least_word;  ///< of doubles
  float factor, offset;
  unsigned shift, multiplier;  ///< of integers
  std::uint64_t least;
};

/// What the device finds out about the keys of a sort; zero before it starts.
struct sort_plan {
  unsigned varying;    ///< bit p: not all keys have the same digit in pass p
  unsigned segmented;  ///< the highest digits split the keys into segments for a block each
  unsigned oversized;  ///< one of them is too large all the same
  unsigned by_value;   ///< the highest digits are those of `scale`'s codes
  value_scale scale;
  unsigned num_large;    ///< segments that do not fit a block
  unsigned seen_orders;  ///< of neighbouring keys (sort_order.cuh)
  unsigned reversed;     ///< each key sorts before the one before it
};

/// The passes of a sort. Where there are segments, passes over the highest digits alone come first.
/// Then the segments are sorted, each by a block (segment_sort.cuh, large_segment_sort.cuh). Passes
/// over all digits follow only if one is too large.
enum class sort_phase { highest_digits, all_digits };

/// A launch of a pass: of all its tiles, or of a portion of them.
struct pass_launch {
  sort_phase phase;
  int pass;                 ///< number of this pass in its phase
  int num_highest;          ///< passes over the highest digits
  bool by_value;            ///< whether these passes sort by value_digits
  unsigned end_tile = ~0u;  ///< behind the tiles of this launch
  bool is_first_portion = true;
  bool has_wide_places = false;  ///< places in the output may need more than 32 bits
};

/// Tells whether keys are skewed: concentrated in few of the segments that their highest bits name.
/// The skew is the size of a key's segment, averaged over all keys, as a multiple of the mean size
/// of a segment. The larger it is, the more keys of a sample collide: they share a segment.
struct skew_test {
  int segment_bits;              ///< at most max_bits
  unsigned samples;              ///< how many keys are looked at; 0: no test
  unsigned most_collisions;      ///< samples that may share the segment of an earlier one
  std::uint64_t most_of_digit;   ///< keys that may share a value of one of the highest digits
  std::uint64_t most_of_lowest;  ///< the same for the lowest of these digits
  static constexpr int max_bits = 16, max_bits_of_narrow_keys = 15;
};

/// What the passes of a sort move between. The output may be the input.
template <class Item>
struct sort_buffers {
  const Item* in;
  Item* out;
  Item* spare;
};

/// Takes the spare memory, unless the caller has given some.
template <class Item>
void take_spare(carver& space, bool is_needed, std::size_t n, sort_buffers<Item>& buffers) {
  if (is_needed && buffers.spare == nullptr) buffers.spare = space.take<Item>(n);
}

/// What one pass does: it sorts, or copies, or has nothing to do. Passes that move keys alternate
/// between the output and the spare buffer, and the last one ends in the output. Where the number
/// of passes that sort does not allow that, one more pass moves: it copies.
class pass_role {
 public:
  /// The role in a sort of its own.
  ///   varying  bit p: the digit of pass p differs between keys. A sort in place with an odd number
  ///            of passes has one pass more, for which no digit varies.
  HINDSIGHT_DEVICE pass_role(unsigned varying, int pass, bool in_place) {
    assign(varying, pass, in_place);
  }

  /// The role in a sort that may split its keys into segments.
  HINDSIGHT_DEVICE pass_role(const sort_plan& plan, const pass_launch& launch, bool in_place) {
    if (launch.phase == sort_phase::highest_digits) {
      assign_split(plan, launch, in_place);
    } else if (!plan.segmented) {
      assign(plan.varying, launch.pass, in_place);
    } else {
      assign_after_split(plan, launch);
    }
    if (!sorts) moves = moves && launch.is_first_portion;  // one launch copies all portions
  }

  /// Bit p: pass p moves the keys. Those that sort do, and one that copies where their number asks
  /// for it: the first pass whose digit is constant, or one behind the last.
  HINDSIGHT_DEVICE static unsigned moving(unsigned varying, bool in_place) {
    const bool needs_copy = in_place ? __popc(varying) % 2 != 0 : varying == 0;
    return needs_copy ? varying | (varying + 1) : varying;
  }

  bool moves;     ///< else there is nothing to do
  bool sorts;     ///< else it copies
  bool is_first;  ///< of those that sort
  bool is_last;   ///< of those that sort
  int board;      ///< those that sort alternate between two

  template <class Item>
  HINDSIGHT_DEVICE const Item* from(const sort_buffers<Item>& buffers) const {
    return from_input_ ? buffers.in : to_output_ ? buffers.spare : buffers.out;
  }
  template <class Item>
  HINDSIGHT_DEVICE Item* to(const sort_buffers<Item>& buffers) const {
    return to_output_ ? buffers.out : buffers.spare;
  }

 private:
  HINDSIGHT_DEVICE void assign(unsigned varying, int pass, bool in_place) {
    const unsigned moving = pass_role::moving(varying, in_place);
    const unsigned earlier = (1u << pass) - 1;
    moves = moving >> pass & 1;
    sorts = varying >> pass & 1;
    is_first = (varying & earlier) == 0;
    is_last = varying >> pass <= 1;
    board = __popc(varying & earlier) % 2;
    from_input_ = (moving & earlier) == 0;
    to_output_ = __popc(moving >> pass) % 2 != 0;  // an even number of moves follows
  }

  /// All passes over the highest digits sort, or none. None is the last: the segments come then.
  HINDSIGHT_DEVICE void assign_split(const sort_plan& plan, const pass_launch& launch,
                                     bool in_place) {
    assign((1u << launch.num_highest) - 1, launch.pass, in_place);
    moves = plan.segmented && (plan.by_value != 0) == launch.by_value;
    is_last = false;
  }

  /// A segment may be too large. Then all keys are sorted by all digits: in place, since the passes
  /// before have left them in the output. Boards go on alternating.
  HINDSIGHT_DEVICE void assign_after_split(const sort_plan& plan, const pass_launch& launch) {
    assign(plan.varying, launch.pass, true);
    moves = moves && plan.oversized;
    is_first = from_input_ = false;
    board = (board + launch.num_highest) % 2;
  }

  bool from_input_, to_output_;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
