// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, made by the engine itself: item i is a function of i and the seed.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/limits>
#include <thrust/execution_policy.h>
#include <thrust/tabulate.h>

#include "case.h"
#include "types.h"
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ab {

/// n items of a type.
template <class T>
class items {
 public:
  template <class F>
  items(std::size_t n, F item) : data_{(begin_ + n) * sizeof(T)} {
    T* const first = data_.as<T>() + begin_;
    thrust::tabulate(thrust::device, first, first + n, item);
  }
  const T* get() const { return data_.as<const T>() + begin_; }

 private:
  std::size_t begin_ = begin_items;
  buffer data_;
};

/// 64 random bits for each i: splitmix64's finaliser over a counter.
HINDSIGHT_HD inline std::uint64_t hash(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15ull + i;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/// NVIDIA's measure of how unequal keys are: the bits of a key are the `and` of that many random
/// ones. The value names it: the entropy of such a bit.
enum class entropy { of_1_000 = 1, of_0_544 = 3, of_0_201 = 5 };
inline const char* name(entropy of) {
  return of == entropy::of_1_000   ? "entropy 1.000"
         : of == entropy::of_0_544 ? "entropy 0.544"
                                   : "entropy 0.201";
}

struct random_words {
  entropy of = entropy::of_1_000;
  std::uint64_t seed = ab::seed;
  HINDSIGHT_HD std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t word = ~0ull;
    for (int k = 0; k < int(of); ++k) word &= hash(seed + k, i);
    return word;
  }
};

/// A struct whose words are numbers of their own.
template <class T, class Number>
HINDSIGHT_HD T struct_of(Number number, std::uint64_t i) {
  T item;
  for (int w = 0; w < T::num_words; ++w) item.words[w] = number(i * T::num_words + w);
  return item;
}

/// Whole numbers in [-15, 15], 0 on average, so that sums of floats are exact and their bits do not
/// depend on their order.
template <class T>
struct small_numbers {
  random_words words{};
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    if constexpr (is_struct<T>) {
      return struct_of<T>(small_numbers<std::uint32_t>{words}, i);
    } else {
      const std::uint64_t word = words(i);
      return T(int(word & 15) - int(word >> 4 & 15));
    }
  }
};

/// All integers; floats in [0, 1), multiples of the distance between those below 1.
template <class T>
struct uniform {
  random_words words{};
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    if constexpr (is_struct<T>) {
      return struct_of<T>(uniform<std::uint32_t>{words}, i);
    } else if constexpr (std::is_floating_point_v<T>) {
      constexpr int digits = ::cuda::std::numeric_limits<T>::digits;
      return T(words(i) >> (64 - digits)) / T(std::uint64_t{1} << digits);
    } else if constexpr (sizeof(T) > 8) {
      return T(uint128_t(words(2 * i)) << 64 | words(2 * i + 1));
    } else {
      return T(words(i));
    }
  }
};

/// Any key but those that stock's host backends misplace: NaNs, -0.0 (before 0.0), and negative I32
/// keys (behind the others: NVIDIA/cccl issue 4919), which are left out on the host only.
template <class K>
struct any_key {
  random_words words;
  HINDSIGHT_HD K operator()(std::uint64_t i) const {
    if constexpr (std::is_floating_point_v<K>) {
      using bits_t = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
      constexpr int mantissa = ::cuda::std::numeric_limits<K>::digits - 1;
      constexpr bits_t exponent = ~bits_t{0} << 1 >> (mantissa + 1) << mantissa;
      bits_t bits = bits_t(words(i));
      if ((bits & exponent) == exponent) bits ^= bits_t{1} << mantissa;
      K key;
      memcpy(&key, &bits, sizeof key);
      return key == 0 ? K(0) : key;
    } else if constexpr (!HINDSIGHT_CUDA && std::is_same_v<K, std::int32_t>) {
      return uniform<K>{words}(i) & ::cuda::std::numeric_limits<K>::max();
    } else {
      return uniform<K>{words}(i);
    }
  }
};

/// Keys in runs of 1 to `longest` equal items, all lengths as often: 2 runs in every longest + 1
/// items.
template <class T>
struct runs_up_to {
  std::uint64_t longest;
  std::uint64_t seed = ab::seed;
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    const std::uint64_t pair = i / (longest + 1);
    const std::uint64_t first_length = 1 + hash(seed, pair) % longest;
    const std::uint64_t run = 2 * pair + (i % (longest + 1) >= first_length ? 1 : 0);
    return T(run * 2654435761u);  // an odd factor: neighbours differ in their lowest bits
  }
};
/// Inputs that no tile, digit or cache is tuned for. Their names begin with "untuned": see options.
enum class untuned { one_run, all_distinct, half_one_run, sorted, zipf, outside };
inline std::string name(untuned of) {
  constexpr const char* names[] = {"one run", "all distinct", "half one run",
                                   "sorted",  "Zipf",         "outside the bins"};
  return std::string{"untuned, "} + names[int(of)];
}

/// Keys in n / 2 equal ones and distinct ones, or in one kind of these alone.
template <class T>
struct untuned_keys {
  untuned of;
  std::uint64_t n;
  HINDSIGHT_HD T operator()(std::uint64_t i) const {
    const bool in_one_run = of == untuned::one_run || (of == untuned::half_one_run && i < n / 2);
    return in_one_run ? T(7) : T(2 * i + 1);
  }
};
inline double runs_per_item(untuned of) {
  return of == untuned::one_run ? 0 : of == untuned::half_one_run ? 0.5 : 1;
}
inline constexpr untuned untuned_runs[] = {untuned::one_run, untuned::all_distinct,
                                           untuned::half_one_run};

inline constexpr std::uint64_t run_lengths[] = {2, 16, 256};
inline std::string name_of_runs(std::uint64_t longest) {
  return "runs up to " + std::to_string(longest);
}
inline double runs_per_item(std::uint64_t longest) {
  return 2.0 / double(longest + 1);
}

}  // namespace ab
