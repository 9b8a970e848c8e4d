// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of any number of words of any size, and their sums.
#pragma once

#include <hindsight/detail/config.h>

namespace hindsight_test {

template <class Word, int Count>
struct words {
  Word items[Count];
};

struct sum_of_words {
  template <class Word, int Count>
  HINDSIGHT_HD words<Word, Count> operator()(const words<Word, Count>& f,
                                             const words<Word, Count>& g) const {
    words<Word, Count> sum;
    for (int i = 0; i < Count; ++i) sum.items[i] = Word(f.items[i] + g.items[i]);
    return sum;
  }
};

template <class Word, int Count>
void set(words<Word, Count>& item, unsigned bits) {
  for (Word& word : item.items) word = Word(bits = bits * 1664525u + 1013904223u);
}

}  // namespace hindsight_test
