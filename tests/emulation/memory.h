// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weak memory. What other threads see of a store is not what was stored last, unless something
// orders it.
//
// Atomic accesses. Every word keeps the values that were stored to it in this launch. A load may
// return any of them that is not older than what the thread already knows of the word, so a store
// becomes visible late, and two stores out of order. A release tells all that the thread knows; who
// acquires from it learns that. Read-modify-writes take the newest value. Accesses of 16 bytes are
// two of 8.
//
// Plain accesses. The compiler reports each of them (compiler_hooks.cpp). Two that touch the same
// byte, one of them a write, must be ordered by what the threads know, or it is a data race, even
// if it went well this time. So a load that is still on its way when another thread overwrites its
// source is found under any schedule, whenever the value arrives.
#pragma once

#include "clock.h"
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

namespace emulation {

enum class order { relaxed, acquire, release, acquire_release };
enum class scope { block, device };

std::uint64_t atomic_load(const void* word, unsigned bytes, order, scope, place);
void atomic_store(void* word, unsigned bytes, std::uint64_t value, order, scope, place);

/// A read-modify-write in two steps that nobody comes between.
std::uint64_t begin_update(void* word, unsigned bytes, order, scope, place);
void end_update(void* word, unsigned bytes, std::uint64_t value, order, scope, place);

/// Order of this thread's accesses before and after, for everyone.
void fence(scope, place);

/// A plain access by the current thread. `code`: where the program is.
void plain_read(const void* bytes, std::size_t count, const void* code);
void plain_write(const void* bytes, std::size_t count, const void* code);
/// The same of a word, which must lie at a multiple of `alignment`.
void read_word(const void* word, std::size_t count, std::size_t alignment, const void* code);
void write_word(const void* word, std::size_t count, std::size_t alignment, const void* code);

/// Whether the compiler reports plain accesses: not under AddressSanitizer, which tests the same
/// launches for other faults.
bool watches_memory();
void start_watching();

/// Device memory of a test; poisoned. Freed with the process's other memory.
void* allocate(std::size_t bytes);
/// Puts there what nobody wrote: zeros, ones or noise; the same after each start_poison(seed).
void poison(void* memory, std::size_t bytes);
void start_poison(std::uint64_t seed);
void free(void* memory);

/// One place at which something orders memory.
struct ordering {
  std::string file;
  int line;
  std::string what;
  const void* code;  ///< null: all uses of this line
  bool operator<(const ordering& other) const {
    return std::tie(file, line, what, code) <
           std::tie(other.file, other.line, other.what, other.code);
  }
  /// "scan.cuh __syncthreads()": without the line, which the next edit moves.
  std::string name() const;
};

/// All places at which the launches so far did.
const std::set<ordering>& orderings();
void forget_orderings();
/// From now on nothing is ordered there: accesses are relaxed, a barrier only waits. Null: all is
/// as it was.
void weaken(const ordering*);

/// Notes that something is ordered at this place; false if that was taken away.
bool orders_at(place, const char* what);

/// Between launches everything is ordered.
void begin_launch();
void end_launch();
/// The words that blocks tell each other.
std::string describe_atomics();

}  // namespace emulation
