// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The look-back board of a sort: a count per tile and digit, with its state.
#pragma once

#include <hindsight/detail/board/word.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail {

enum class digit_state : unsigned {
  empty = 0,      ///< nothing yet; zeroed memory is an empty board
  aggregate = 1,  ///< `count` counts this tile alone
  prefix = 2,     ///< `count` counts this tile and all before it
};

/// What the tiles of one sort pass tell each other: a row of num_digits counts per tile. A count
/// and its state (in the two highest bits) share a word, so relaxed accesses are enough. Sums of
/// integers do not depend on their order, so look-back may be that of the paper: it adds aggregates
/// until it meets a prefix. Word has at least two bits more than the number of keys needs.
template <class Word>
class digit_board {
  static_assert(std::is_unsigned_v<Word>);

 public:
  struct entry {
    digit_state state;
    Word count;
  };

  /// words: row 0. Memory for `Ahead` rows must lie in front of it, with anything in it: readers
  /// read there (see look_back_digit).
  HINDSIGHT_HD digit_board(Word* words, int num_digits) : words_{words}, num_digits_{num_digits} {}

  HINDSIGHT_HD void publish(std::ptrdiff_t tile, int digit, entry value) const {
    store_word<Word>(words_[tile * num_digits_ + digit],
                     static_cast<Word>(value.state) << count_bits | value.count);
  }
  HINDSIGHT_HD entry peek(std::ptrdiff_t tile, int digit) const {
    const Word word = load_word(words_[tile * num_digits_ + digit]);
    return {static_cast<digit_state>(word >> count_bits), word & count_mask};
  }

  static constexpr int count_bits = sizeof(Word) * 8 - 2;
  static constexpr Word count_mask = (Word{1} << count_bits) - 1;

 private:
  Word* words_;
  int num_digits_;
};

/// The sum of one digit's counts in tiles [0, tile); tile > 0. The owners of lower tiles have
/// started, so each entry comes. Reads `Ahead` rows at once: several steps take the time of one
/// access. Row 0 is a prefix, so nothing in front of it is ever used.
template <int Ahead, class Word>
HINDSIGHT_HD Word look_back_digit(const digit_board<Word>& board, std::ptrdiff_t tile, int digit) {
  Word sum = 0;
  for (;;) {
    typename digit_board<Word>::entry rows[Ahead];
    HINDSIGHT_UNROLL
    for (int i = 0; i < Ahead; ++i) rows[i] = board.peek(tile - 1 - i, digit);
    int known = 0;
    HINDSIGHT_UNROLL
    for (; known < Ahead; ++known) {
      if (rows[known].state == digit_state::empty) break;
      sum += rows[known].count;
      if (rows[known].state == digit_state::prefix) return sum;
    }
    tile -= known;
  }
}

}  // namespace hindsight::detail
