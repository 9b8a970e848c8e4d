// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits keys where no digit does it evenly: between values that a sample of the keys suggests.
#pragma once

#include <hindsight/detail/host/cached_radix_sort.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/key_bits.h>
#include <hindsight/detail/no_value.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Takes the place of a digit: that of a key is how many splitters are not above the key. A value
/// that is frequent has a digit of its own.
template <class Direction, class Key>
class sampled_split : radix_tuning {
  using bits_t = unsigned_bits_t<Key>;

 public:
  static constexpr std::size_t num_samples = samples_per_part << sampled_bits;

  /// For keys[0, n); n >= num_samples.
  sampled_split(const Key* keys, std::size_t n) {
    constexpr std::size_t size = num_samples;
    Key sample[size], room[size];
    std::uint64_t random = n;
    for (std::size_t i = 0; i < size; ++i) {  // one key of each stretch
      random = random * 6364136223846793005u + 1442695040888963407u;
      const std::size_t begin = share_begin(n, size, i), end = share_begin(n, size, i + 1);
      sample[i] = keys[begin + std::size_t(random >> 33) % (end - begin)];
    }
    using sorter = cached_radix_sorter<Direction, Key, no_value>;
    sorter::sort_cached({sample, nullptr}, {room, nullptr}, size, ends_in::from);
    choose(sample);
  }

  static constexpr std::size_t count() { return std::size_t{1} << sampled_bits; }
  std::size_t operator()(Key key) const {
    const bits_t bits = Direction::bits(key);
    std::size_t node = 1;
    for (int level = 0; level < sampled_bits; ++level) node = 2 * node + (tree_[node] <= bits);
    return node - count();
  }

 private:
  /// Every few samples one becomes a splitter. If several of these are equal, the next value is a
  /// splitter, too. So the digit between the two is that value alone.
  void choose(const Key* sample) {
    bits_t splitters[count()];
    std::size_t chosen = 0;
    for (std::size_t d = 1; d < count(); ++d) {
      const bits_t bits = Direction::bits(sample[d * samples_per_part]);
      if (chosen == 0 || splitters[chosen - 1] < bits) {
        splitters[chosen++] = bits;
      } else if (splitters[chosen - 1] == bits && bits_t(bits + 1) != 0) {
        splitters[chosen++] = bits_t(bits + 1);
      }
    }
    // The last one again: the digits between are empty.
    std::fill(splitters + chosen, splitters + count() - 1, splitters[chosen - 1]);
    std::size_t node = 1;
    for (std::size_t step = count() / 2; step > 0; step /= 2)
      for (std::size_t at = step; at < count(); at += 2 * step) tree_[node++] = splitters[at - 1];
  }

  bits_t tree_[count()];  ///< of splitters: those below node i are at 2 i and 2 i + 1
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
