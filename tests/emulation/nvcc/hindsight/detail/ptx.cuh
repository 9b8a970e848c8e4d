// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for the library's header of this name: what each of its functions does, in C++.
#pragma once

#include <hindsight/detail/config.h>

#include <cstdint>
#include <cstring>

namespace hindsight::detail::ptx {

template <class Word>
Word load_relaxed(const Word* address, emulation::place at = emulation::place::here()) {
  using namespace emulation;
  return static_cast<Word>(atomic_load(address, sizeof(Word), order::relaxed, scope::device, at));
}
template <class Word>
void store_relaxed(Word* address, Word word, emulation::place at = emulation::place::here()) {
  using namespace emulation;
  atomic_store(address, sizeof(Word), word, order::relaxed, scope::device, at);
}

/// One word and then the other, in either order.
inline void load_relaxed_pair(const void* address, std::uint64_t& low, std::uint64_t& high,
                              emulation::place at = emulation::place::here()) {
  const auto words = static_cast<const std::uint64_t*>(address);
  const bool low_first = emulation::deciding().choose(2) == 0;
  if (low_first) low = load_relaxed(words, at);
  high = load_relaxed(words + 1, at);
  if (!low_first) low = load_relaxed(words, at);
}
inline void store_relaxed_pair(void* address, std::uint64_t low, std::uint64_t high,
                               emulation::place at = emulation::place::here()) {
  const auto words = static_cast<std::uint64_t*>(address);
  const bool low_first = emulation::deciding().choose(2) == 0;
  if (low_first) store_relaxed(words, low, at);
  store_relaxed(words + 1, high, at);
  if (!low_first) store_relaxed(words, low, at);
}

inline uint4 load_streaming(const void* address) {
  return *static_cast<const uint4*>(address);
}
template <int Bytes>
std::uint64_t load_streaming_item(const void* address) {
  std::uint64_t item = 0;
  memcpy(&item, address, Bytes);
  return item;
}
inline void store_streaming(void* address, const uint4& words) {
  *static_cast<uint4*>(address) = words;
}

/// Arrivals that are still to come in 20 bits, those of a phase in 20, and the number of the phase.
using barrier = std::uint64_t;
inline void start_barrier(barrier& shared, unsigned arrivals,
                          emulation::place at = emulation::place::here()) {
  using namespace emulation;
  atomic_store(&shared, sizeof shared, arrivals | std::uint64_t{arrivals} << 20, order::relaxed,
               scope::block, at);
}
inline void arrive(barrier& shared, emulation::place at = emulation::place::here()) {
  using namespace emulation;
  std::uint64_t word = begin_update(&shared, sizeof shared, order::release, scope::block, at) - 1;
  if ((word & 0xfffff) == 0) word += (word >> 20 & 0xfffff) + (std::uint64_t{1} << 40);
  end_update(&shared, sizeof shared, word, order::release, scope::block, at);
}
inline void arrive_when_copied(barrier& shared, emulation::place at = emulation::place::here()) {
  emulation::end_copy_group();  // all that this thread has begun
  emulation::finish_copies(0);
  arrive(shared, at);
}
inline bool is_over(const barrier& shared, unsigned parity,
                    emulation::place at = emulation::place::here()) {
  using namespace emulation;
  return (atomic_load(&shared, sizeof shared, order::acquire, scope::block, at) >> 40 & 1) !=
         parity;
}
inline void wait(const barrier& shared, unsigned parity,
                 emulation::place at = emulation::place::here()) {
  while (!is_over(shared, parity, at)) {
  }
}
inline void sync_some_threads(int id, int threads, emulation::place at = emulation::place::here()) {
  emulation::sync_some_threads(id, static_cast<unsigned>(threads), at);
}

template <class Item>
class staged_merge {
 public:
  staged_merge(const Item* a, const Item* a_end, const Item* b, const Item* b_end)
      : head_of_a_{*a},
        head_of_b_{b < b_end ? *b : *a},
        a_{a},
        a_end_{a_end},
        b_{b},
        b_end_{b_end} {}
  Item head_of_a() const { return head_of_a_; }
  Item head_of_b() const { return head_of_b_; }
  Item take(bool prefers_b) {
    if ((prefers_b && b_ < b_end_) || a_ >= a_end_) {
      const Item taken = head_of_b_;
      if (++b_ < b_end_) head_of_b_ = *b_;
      return taken;
    }
    const Item taken = head_of_a_;
    head_of_a_ = *++a_;
    return taken;
  }

 private:
  Item head_of_a_, head_of_b_;
  const Item *a_, *a_end_, *b_, *b_end_;
};

inline void pause() {}

inline void wait_for_launch_before() {
  emulation::wait_for_launch_before();
}

inline unsigned lanes_below() {
  return (1u << threadIdx.x % 32) - 1;
}
inline unsigned lanes_above() {
  return ~lanes_below() << 1;
}
template <class T>
T* summed_up(T* address) {
  return address;
}
inline unsigned opaque(unsigned value) {
  return value;
}
inline unsigned and3(unsigned a, unsigned b, unsigned c) {
  return a & b & c;
}

template <unsigned Place>
unsigned lanes_that_agree(unsigned value, unsigned,
                          emulation::place at = emulation::place::here()) {
  const unsigned lanes = __ballot_sync(~0u, (value & Place) != 0, at);
  return (value & Place) != 0 ? lanes : ~lanes;
}

}  // namespace hindsight::detail::ptx
