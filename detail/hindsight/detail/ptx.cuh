// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every line of inline PTX of the library, each behind a function named after what it does.
// tests/emulation/nvcc/hindsight/detail/ptx.cuh has the same functions for tests on the CPU.
#pragma once

#include <hindsight/detail/config.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hindsight::detail::ptx {

/// Relaxed accesses at device scope, each whole.
HINDSIGHT_DEVICE std::uint32_t load_relaxed(const std::uint32_t* address) {
  std::uint32_t word;
  asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(word) : "l"(address) : "memory");
  return word;
}
HINDSIGHT_DEVICE std::uint64_t load_relaxed(const std::uint64_t* address) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(word) : "l"(address) : "memory");
  return word;
}
HINDSIGHT_DEVICE void store_relaxed(std::uint32_t* address, std::uint32_t word) {
  asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(address), "r"(word) : "memory");
}
HINDSIGHT_DEVICE void store_relaxed(std::uint64_t* address, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(address), "l"(word) : "memory");
}

/// Two neighbouring 64-bit words by one instruction. Each is whole; the memory model takes a vector
/// for separate accesses in any order, so a reader may see one word of a write without the other.
/// Requires an address that is a multiple of 16.
HINDSIGHT_DEVICE void load_relaxed_pair(const void* address, std::uint64_t& low,
                                        std::uint64_t& high) {
  asm volatile("ld.relaxed.gpu.v2.b64 {%0, %1}, [%2];"
               : "=l"(low), "=l"(high)
               : "l"(address)
               : "memory");
}
HINDSIGHT_DEVICE void store_relaxed_pair(void* address, std::uint64_t low, std::uint64_t high) {
  asm volatile("st.relaxed.gpu.v2.b64 [%0], {%1, %2};" ::"l"(address), "l"(low), "l"(high)
               : "memory");
}

/// Accesses to what nobody reads soon, as CUDA's __ldcs and __stcs, which clang does not have.
/// Require an address that is a multiple of 16.
HINDSIGHT_DEVICE uint4 load_streaming(const void* address) {
  uint4 words;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(address));
  return words;
}
/// The same of one item of 1, 2, 4 or 8 bytes, at a multiple of its size.
template <int Bytes>
HINDSIGHT_DEVICE std::uint64_t load_streaming_item(const void* address) {
  std::conditional_t<Bytes == 8, std::uint64_t, std::uint32_t> item;
  if constexpr (Bytes == 8) {
    asm volatile("ld.global.cs.b64 %0, [%1];" : "=l"(item) : "l"(address));
  } else if constexpr (Bytes == 4) {
    asm volatile("ld.global.cs.b32 %0, [%1];" : "=r"(item) : "l"(address));
  } else if constexpr (Bytes == 2) {
    asm volatile("ld.global.cs.u16 %0, [%1];" : "=r"(item) : "l"(address));
  } else {
    asm volatile("ld.global.cs.u8 %0, [%1];" : "=r"(item) : "l"(address));
  }
  return item;
}
HINDSIGHT_DEVICE void store_streaming(void* address, const uint4& words) {
  asm("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(words.x), "r"(words.y),
      "r"(words.z), "r"(words.w)
      : "memory");
}

/// Barriers in shared memory. A phase is over when so many arrivals have come; then the next one
/// begins. A new barrier is in phase 0. What an arriving thread wrote is visible to those who
/// waited for the phase.
using barrier = std::uint64_t;
HINDSIGHT_DEVICE std::uint32_t shared_address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
HINDSIGHT_DEVICE void start_barrier(barrier& shared, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&shared)), "r"(arrivals)
               : "memory");
}
HINDSIGHT_DEVICE void arrive(barrier& shared) {
  asm volatile(
      "{\n\t"
      ".reg .b64 state;\n\t"
      "mbarrier.arrive.shared.b64 state, [%0];\n\t"
      "}" ::"r"(shared_address(&shared))
      : "memory");
}
/// Arrives when all copies to shared memory that this thread has begun are there.
HINDSIGHT_DEVICE void arrive_when_copied(barrier& shared) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&shared))
               : "memory");
}
/// Whether a phase of this parity is over, for those who are at most one phase behind.
HINDSIGHT_DEVICE bool is_over(barrier& shared, unsigned parity) {
  std::uint32_t is_over;
  asm volatile(
      "{\n\t"
      ".reg .pred over;\n\t"
      "mbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, over;\n\t"
      "}"
      : "=r"(is_over)
      : "r"(shared_address(&shared)), "r"(parity)
      : "memory");
  return is_over != 0;
}
/// Waits until it is.
HINDSIGHT_DEVICE void wait(barrier& shared, unsigned parity) {
  std::uint32_t is_over;
  do {
    asm volatile(
        "{\n\t"
        ".reg .pred over;\n\t"
        "mbarrier.try_wait.parity.shared.b64 over, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, over;\n\t"
        "}"
        : "=r"(is_over)
        : "r"(shared_address(&shared)), "r"(parity)
        : "memory");
  } while (!is_over);
}
/// __syncthreads() among `threads` threads of the block, all of whose warps name the same id > 0.
HINDSIGHT_DEVICE void sync_some_threads(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Leaves memory to others for a moment, where many threads ask for the same word again and again.
HINDSIGHT_DEVICE void pause() {
  asm volatile("nanosleep.u32 40;");
}

/// Waits until the launch before this one is over and its writes are visible, if this one was begun
/// by HINDSIGHT_LAUNCH_NEXT. (Other launches begin after that.)
HINDSIGHT_DEVICE void wait_for_launch_before() {
  HINDSIGHT_FROM_SM_90((asm volatile("griddepcontrol.wait;" ::: "memory");))
}

HINDSIGHT_DEVICE unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

HINDSIGHT_DEVICE unsigned lanes_above() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
  return mask;
}

/// The address itself. The compiler does not know that, so it keeps the sum that makes the address,
/// and does not add it up anew at each use.
template <class T>
HINDSIGHT_DEVICE T* summed_up(T* address) {
  asm("" : "+l"(address));
  return address;
}

/// `value`, but the compiler does not know that.
HINDSIGHT_DEVICE unsigned opaque(unsigned value) {
  unsigned all_lanes;
  asm("{\n\t"
      ".reg .b32 from_here;\n\t"
      "mov.u32 %0, %%lanemask_lt;\n\t"
      "mov.u32 from_here, %%lanemask_ge;\n\t"
      "or.b32 %0, %0, from_here;\n\t"
      "}"
      : "=r"(all_lanes));
  return value & all_lanes;
}

/// A merge in progress of two sorted runs in shared memory, a and b: the items that come next, and
/// where they lie. Items have a register or two each, at multiples of their size. Requires an item
/// behind the end of a, and an a that is not empty where b is. In C++ this would become branches,
/// or twice as many operations for the pipe that compares. Here additions are multiply-adds, which
/// go to another pipe, as in lanes_that_agree().
template <class Item>
class staged_merge {
 public:
  HINDSIGHT_DEVICE staged_merge(const Item* a, const Item* a_end, const Item* b, const Item* b_end)
      : head_of_a_{bits_of(*a)},
        head_of_b_{bits_of(b < b_end ? *b : *a)},
        a_{ptx::shared_address(a)},
        a_end_{ptx::shared_address(a_end)},
        b_{ptx::shared_address(b)},
        b_end_{ptx::shared_address(b_end)},
        one_{opaque(1)} {}
  HINDSIGHT_DEVICE Item head_of_a() const { return item_of(head_of_a_); }
  /// One that was taken already, where b has none.
  HINDSIGHT_DEVICE Item head_of_b() const { return item_of(head_of_b_); }
  /// The item that comes next; after all others, one of them again. `prefers_b`: b's head comes
  /// before that of a.
  HINDSIGHT_DEVICE Item take(bool prefers_b) {
    bits taken;
    if constexpr (sizeof(Item) == 8) {
      asm volatile(
          "{\n\t"
          ".reg .pred of_b, exists;\n\t"
          "setp.ne.u32 of_b, %5, 0;\n\t"
          "setp.lt.and.u32 of_b, %4, %7, of_b;\n\t"
          "setp.ge.or.u32 of_b, %3, %6, of_b;\n\t"
          "selp.b64 %0, %2, %1, of_b;\n\t"
          "@of_b mad.lo.u32 %4, %8, 8, %4;\n\t"
          "@!of_b mad.lo.u32 %3, %8, 8, %3;\n\t"
          "setp.lt.and.u32 exists, %4, %7, of_b;\n\t"
          "@exists ld.shared.b64 %2, [%4];\n\t"
          "@!of_b ld.shared.b64 %1, [%3];\n\t"
          "}"
          : "=&l"(taken), "+&l"(head_of_a_), "+&l"(head_of_b_), "+&r"(a_), "+&r"(b_)
          : "r"(int(prefers_b)), "r"(a_end_), "r"(b_end_), "r"(one_)
          : "memory");
    } else {
      asm volatile(
          "{\n\t"
          ".reg .pred of_b, exists;\n\t"
          "setp.ne.u32 of_b, %5, 0;\n\t"
          "setp.lt.and.u32 of_b, %4, %7, of_b;\n\t"
          "setp.ge.or.u32 of_b, %3, %6, of_b;\n\t"
          "selp.b32 %0, %2, %1, of_b;\n\t"
          "@of_b mad.lo.u32 %4, %8, 4, %4;\n\t"
          "@!of_b mad.lo.u32 %3, %8, 4, %3;\n\t"
          "setp.lt.and.u32 exists, %4, %7, of_b;\n\t"
          "@exists ld.shared.b32 %2, [%4];\n\t"
          "@!of_b ld.shared.b32 %1, [%3];\n\t"
          "}"
          : "=&r"(taken), "+&r"(head_of_a_), "+&r"(head_of_b_), "+&r"(a_), "+&r"(b_)
          : "r"(int(prefers_b)), "r"(a_end_), "r"(b_end_), "r"(one_)
          : "memory");
    }
    return item_of(taken);
  }

 private:
  static_assert(sizeof(Item) == 4 || sizeof(Item) == 8, "a register, or two");
  using bits = std::conditional_t<sizeof(Item) == 8, std::uint64_t, std::uint32_t>;
  static HINDSIGHT_DEVICE bits bits_of(const Item& item) {
    bits made;
    memcpy(&made, &item, sizeof made);
    return made;
  }
  static HINDSIGHT_DEVICE Item item_of(bits made_of) {
    alignas(Item) unsigned char room[sizeof(Item)];
    memcpy(room, &made_of, sizeof room);
    return *reinterpret_cast<const Item*>(room);
  }

  bits head_of_a_, head_of_b_;
  std::uint32_t a_, a_end_, b_, b_end_, one_;
};

/// a & b & c
HINDSIGHT_DEVICE unsigned and3(unsigned a, unsigned b, unsigned c) {
  unsigned all;
  asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(all) : "r"(a), "r"(b), "r"(c));
  return all;
}

/// The lanes of a full warp whose `value` has the same bit `Place` as this one's: a ballot, or its
/// complement. In these terms the compiler turns all bits of `value` into predicates at once.
/// Requires minus_one = opaque(-1): the complement is then a multiply-add, and not one more
/// operation for the pipe that does the ballots.
template <unsigned Place>
HINDSIGHT_DEVICE unsigned lanes_that_agree(unsigned value, unsigned minus_one) {
  unsigned lanes;
  asm volatile(
      "{\n\t"
      ".reg .pred own;\n\t"
      "and.b32 %0, %1, %2;\n\t"
      "setp.ne.u32 own, %0, 0;\n\t"
      "vote.sync.ballot.b32 %0, own, 0xffffffff;\n\t"
      "@!own mad.lo.u32 %0, %0, %3, %3;\n\t"
      "}"
      : "=&r"(lanes)
      : "r"(value), "n"(Place), "r"(minus_one));
  return lanes;
}

}  // namespace hindsight::detail::ptx
