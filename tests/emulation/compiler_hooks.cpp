// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests are compiled with -fsanitize=thread, but not linked with the library that belongs to it:
// these functions take its place, and so learn of every plain access that the kernels make. Atomic
// accesses of the kernels come by another way (nvcc/cuda/atomic); those here are the tests' own.
#include "memory.h"

#if !defined(__SANITIZE_ADDRESS__)

// The compiler calls an access aligned if its type is, and one of 16 bytes if its type is to 8.
#  define CODE __builtin_return_address(0)
#  define ACCESSES(bytes)                                           \
    void __tsan_read##bytes(void* p) {                              \
      emulation::read_word(p, bytes, bytes < 8 ? bytes : 8, CODE);  \
    }                                                               \
    void __tsan_write##bytes(void* p) {                             \
      emulation::write_word(p, bytes, bytes < 8 ? bytes : 8, CODE); \
    }                                                               \
    void __tsan_unaligned_read##bytes(void* p) {                    \
      emulation::plain_read(p, bytes, CODE);                        \
    }                                                               \
    void __tsan_unaligned_write##bytes(void* p) {                   \
      emulation::plain_write(p, bytes, CODE);                       \
    }                                                               \
    void __tsan_volatile_read##bytes(void*) {}                      \
    void __tsan_volatile_write##bytes(void*) {}                     \
    void __tsan_unaligned_volatile_read##bytes(void*) {}            \
    void __tsan_unaligned_volatile_write##bytes(void*) {}

#  define UPDATE(bits, word, name)                                         \
    word __tsan_atomic##bits##_##name(volatile word* p, word value, int) { \
      return __atomic_##name(p, value, __ATOMIC_SEQ_CST);                  \
    }
#  define ATOMICS(bits, word)                                                                     \
    word __tsan_atomic##bits##_load(const volatile word* p, int) {                                \
      return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                \
    }                                                                                             \
    void __tsan_atomic##bits##_store(volatile word* p, word value, int) {                         \
      __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                               \
    }                                                                                             \
    word __tsan_atomic##bits##_exchange(volatile word* p, word value, int) {                      \
      return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                     \
    }                                                                                             \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile word* p, word* expected,           \
                                                      word value, int, int) {                     \
      return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,             \
                                         __ATOMIC_SEQ_CST);                                       \
    }                                                                                             \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile word* p, word* expected, word value, \
                                                    int, int) {                                   \
      return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,             \
                                         __ATOMIC_SEQ_CST);                                       \
    }                                                                                             \
    UPDATE(bits, word, fetch_add)                                                                 \
    UPDATE(bits, word, fetch_sub) UPDATE(bits, word, fetch_and) UPDATE(bits, word, fetch_or)

extern "C" {
void __tsan_init() {
  emulation::start_watching();
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
void __tsan_read_range(void* p, unsigned long count) {
  emulation::plain_read(p, count, CODE);
}
void __tsan_write_range(void* p, unsigned long count) {
  emulation::plain_write(p, count, CODE);
}
/// Every call of memcpy() in the program comes here (-fno-builtin-memcpy, --wrap=memcpy).
void* __real_memcpy(void* to, const void* from, unsigned long count);
void* __wrap_memcpy(void* to, const void* from, unsigned long count) {
  emulation::plain_read(from, count, CODE);
  emulation::plain_write(to, count, CODE);
  return __real_memcpy(to, from, count);
}
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned)
ATOMICS(64, unsigned long)
}

#endif
