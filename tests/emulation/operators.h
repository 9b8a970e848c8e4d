// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of every size that the board tells apart, and operators on them that do not commute.
#pragma once

#include "grid.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace emulation {

/// x -> scale * x + offset modulo a power of two, and some bytes that follow from it.
template <class Word, int Padding>
struct affine {
  Word scale, offset;
  unsigned char padding[Padding];
};
template <class Word>
struct affine<Word, 0> {
  Word scale, offset;
};

template <class T>
struct is_affine : std::false_type {};
template <class Word, int Padding>
struct is_affine<affine<Word, Padding>> : std::true_type {};

template <class Word, int Padding>
affine<Word, Padding> make_affine(Word scale, Word offset) {
  affine<Word, Padding> f;
  f.scale = scale;
  f.offset = offset;
  if constexpr (Padding > 0) std::memset(f.padding, offset & 0xff, Padding);
  return f;
}

/// First f, then g.
struct compose {
  template <class Word, int Padding>
  affine<Word, Padding> operator()(const affine<Word, Padding>& f,
                                   const affine<Word, Padding>& g) const {
    return make_affine<Word, Padding>(Word(f.scale * g.scale), Word(g.scale * f.offset + g.offset));
  }
};
struct add {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};

/// x -> words[0] * x + words[1], and numbers to be added, of which the last is the sum of the
/// others: so every word counts, and what is no value can be told.
template <class Word, int Words, std::size_t Alignment = alignof(Word)>
struct alignas(Alignment) many_words {
  Word words[Words];
  bool is_value() const {
    Word sum = 0;
    for (int w = 2; w + 1 < Words; ++w) sum = Word(sum + words[w]);
    return sum == words[Words - 1];
  }
};
template <class T>
inline constexpr bool has_many_words = false;
template <class Word, int Words, std::size_t Alignment>
inline constexpr bool has_many_words<many_words<Word, Words, Alignment>> = true;

/// First f, then g. Fails if one of them is no value.
struct join {
  template <class Word, int Words, std::size_t Alignment>
  many_words<Word, Words, Alignment> operator()(const many_words<Word, Words, Alignment>& f,
                                                const many_words<Word, Words, Alignment>& g) const {
    if (!f.is_value() || !g.is_value()) fail("an operator is called with what is no value");
    many_words<Word, Words, Alignment> both;
    for (int w = 2; w < Words; ++w) both.words[w] = Word(f.words[w] + g.words[w]);
    both.words[0] = Word(f.words[0] * g.words[0]);
    both.words[1] = Word(g.words[0] * f.words[1] + g.words[1]);
    return both;
  }
};
template <class T>
using operator_of = std::conditional_t<is_affine<T>::value, compose,
                                       std::conditional_t<has_many_words<T>, join, add>>;

template <class T>
struct random_item {
  static T draw(std::mt19937& random) { return static_cast<T>(random()); }
};
template <class Word, int Padding>
struct random_item<affine<Word, Padding>> {
  static affine<Word, Padding> draw(std::mt19937& random) {
    const Word scale = static_cast<Word>(random() | 1);
    return make_affine<Word, Padding>(scale, static_cast<Word>(random()));
  }
};
template <class Word, int Words, std::size_t Alignment>
struct random_item<many_words<Word, Words, Alignment>> {
  static many_words<Word, Words, Alignment> draw(std::mt19937& random) {
    many_words<Word, Words, Alignment> item{};
    for (int w = 0; w + 1 < Words; ++w) item.words[w] = static_cast<Word>(random());
    item.words[0] |= 1;
    for (int w = 2; w + 1 < Words; ++w)
      item.words[Words - 1] = Word(item.words[Words - 1] + item.words[w]);
    return item;
  }
};

template <class T>
std::vector<T> random_items(std::size_t n) {
  std::mt19937 random{static_cast<unsigned>(n)};
  std::vector<T> items(n);
  for (T& item : items) item = random_item<T>::draw(random);
  return items;
}

/// Small numbers in runs of a few, with a long run now and then.
template <class T>
std::vector<T> items_in_runs(std::size_t n) {
  std::mt19937 random{static_cast<unsigned>(n) + 1};
  std::vector<T> items(n);
  std::size_t left = 0;
  T value{};
  for (T& item : items) {
    if (left-- == 0) {
      value = static_cast<T>((value + 1) % 5);
      left = random() % 16 == 0 ? random() % 300 : random() % 6;
    }
    item = value;
  }
  return items;
}

}  // namespace emulation
