// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define EMULATION_VECTORS(name, scalar)                                  \
  struct name##1 {                                                       \
    scalar x;                                                            \
  };                                                                     \
  struct alignas(2 * sizeof(scalar)) name##2 {                           \
    scalar x, y;                                                         \
  };                                                                     \
  struct name##3 {                                                       \
    scalar x, y, z;                                                      \
  };                                                                     \
  struct alignas(sizeof(scalar) < 8 ? 4 * sizeof(scalar) : 16) name##4 { \
    scalar x, y, z, w;                                                   \
  };
EMULATION_VECTORS(char, signed char)
EMULATION_VECTORS(uchar, unsigned char)
EMULATION_VECTORS(short, short)
EMULATION_VECTORS(ushort, unsigned short)
EMULATION_VECTORS(int, int)
EMULATION_VECTORS(uint, unsigned)
EMULATION_VECTORS(long, long)
EMULATION_VECTORS(ulong, unsigned long)
EMULATION_VECTORS(longlong, long long)
EMULATION_VECTORS(ulonglong, unsigned long long)
EMULATION_VECTORS(float, float)
EMULATION_VECTORS(double, double)
#undef EMULATION_VECTORS

struct dim3 {
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x{x_}, y{y_}, z{z_} {}
  unsigned x, y, z;
};
