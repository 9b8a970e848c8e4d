// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of items that no author of an algorithm would think of: one list for all randomised tests,
// on both engines. How tests look into them is in parts.h.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <thrust/complex.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>

#include "values.h"
#include <complex>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace hindsight_test {
namespace types {

template <std::size_t Align>
using word_of = std::conditional_t<
    Align == 1, u8, std::conditional_t<Align == 2, u16, std::conditional_t<Align == 4, u32, u64>>>;

/// `Size` bytes without padding, aligned to `Align`.
template <std::size_t Size, std::size_t Align = 1>
struct alignas(Align) blob {
  static_assert(Size % Align == 0);
  word_of<Align> words[Size / sizeof(word_of<Align>)];
};

// ---- padding ----
struct padded_between {
  u8 first;
  u32 second;
  HINDSIGHT_HD u8& get(std::integral_constant<int, 0>) { return first; }
  HINDSIGHT_HD u32& get(std::integral_constant<int, 1>) { return second; }
};
struct padded_behind {
  u64 first;
  u16 second;
  HINDSIGHT_HD u64& get(std::integral_constant<int, 0>) { return first; }
  HINDSIGHT_HD u16& get(std::integral_constant<int, 1>) { return second; }
};
struct alignas(64) mostly_padding {
  u32 words[3];
};
struct nothing {};  ///< all of it
struct bit_fields {
  u32 low : 12, high : 20;
  u16 rest : 14;
};
struct two_floats {
  float words[2];
};

// ---- names that mean nothing ----

/// Members that a library may take for a trait, an iterator, a range or a container.
struct odd_members {
  u32 words[2];

  static constexpr std::size_t payload_bytes = 3;
  static constexpr int size = 1, key = 2, lane_items = 3, is_trivial = 0;
  static constexpr bool value = false, has_values = false;
  using type = char;
  using value_type = char;
  using key_type = void;
  using first_type = char;
  using second_type = char;
  using element_type = char;
  using result_type = char;
  using difference_type = char;
  using pointer = char*;
  using reference = char&;
  using iterator_category = std::random_access_iterator_tag;
  using is_transparent = void;
  using system = void;
  using tag = void;
  HINDSIGHT_HD const char* begin() const { return nullptr; }
  HINDSIGHT_HD const char* end() const { return nullptr; }
  HINDSIGHT_HD void get() const {}
  HINDSIGHT_HD void set() const {}
};

/// Has no address and no comma: nobody may write &item or `item, other`.
struct odd_operators {
  u16 words[5];
  struct nonsense {};
  HINDSIGHT_HD nonsense operator&() const { return {}; }
  template <class Other>
  friend HINDSIGHT_HD nonsense operator,(const odd_operators&, const Other&) {
    return {};
  }
  template <class Other, std::enable_if_t<!std::is_same_v<Other, odd_operators>, int> = 0>
  friend HINDSIGHT_HD nonsense operator,(const Other&, const odd_operators&) {
    return {};
  }
};

/// Functions of the items' namespace that argument-dependent lookup finds. They must not be chosen
/// over a library's own. (Thrust itself calls its algorithms by such lookup: none of theirs.)
namespace greedy_namespace {
struct item {
  u32 words[3];
};
template <class... Args>
void plain(Args&&...) = delete;
template <class... Args>
void fold(Args&&...) = delete;
template <class... Args>
void look_back(Args&&...) = delete;
template <class... Args>
void advanced(Args&&...) = delete;
template <class... Args>
void unwrap(Args&&...) = delete;
template <class... Args>
void publish(Args&&...) = delete;
template <class... Args>
void prepend(Args&&...) = delete;
template <class... Args>
void choose(Args&&...) = delete;
template <class... Args>
void run(Args&&...) = delete;
template <class... Args>
void scan(Args&&...) = delete;
template <class... Args>
void split(Args&&...) = delete;
template <class... Args>
void mark(Args&&...) = delete;
template <class... Args>
void compact(Args&&...) = delete;
template <class... Args>
void store_staged(Args&&...) = delete;
template <class... Args>
void load_striped(Args&&...) = delete;
template <class... Args>
void shuffle_up(Args&&...) = delete;
template <class... Args>
void warp_inclusive_fold(Args&&...) = delete;
template <class... Args>
void permute(Args&&...) = delete;
template <class... Args>
void length(Args&&...) = delete;
}  // namespace greedy_namespace

// ---- constructors ----

/// No default constructor, and private: made from its words alone.
struct no_default {
  u32 words[2];
  no_default() = delete;
  HINDSIGHT_HD explicit no_default(u32 first, u32 second) : words{first, second} {}
};
struct explicit_default {
  u16 words[3];
  HINDSIGHT_HD explicit explicit_default() : words{1, 2, 3} {}
};
/// Trivially copyable, but not trivial.
struct active_default {
  u64 words[2];
  HINDSIGHT_HD active_default() : words{~u64{0}, 42} {}
};
/// Cannot be allocated by itself or in arrays.
struct no_new {
  u32 words[4];
  static void* operator new(std::size_t) = delete;
  static void* operator new[](std::size_t) = delete;
  static void operator delete(void*) = delete;
  static void operator delete[](void*) = delete;
};
/// Converts from and to what an algorithm may have at hand.
struct converts {
  u32 words[1];
  converts() = default;
  HINDSIGHT_HD converts(int) : words{~0u} {}
  HINDSIGHT_HD operator int() const { return -1; }
};

enum class wide_enum : u64 {};
enum class bool_enum : bool {};
enum plain_enum : u16 {};

}  // namespace types

template <class... Ts>
struct type_list {
  static constexpr std::size_t size = sizeof...(Ts);
};
template <class... Lists>
struct joined;
template <class... As>
struct joined<type_list<As...>> {
  using type = type_list<As...>;
};
template <class... As, class... Bs, class... Rest>
struct joined<type_list<As...>, type_list<Bs...>, Rest...>
    : joined<type_list<As..., Bs...>, Rest...> {};
template <class... Lists>
using join = typename joined<Lists...>::type;

/// The types of a list of at most `Bytes`.
template <std::size_t Bytes, class List>
struct filtered;
template <std::size_t Bytes, class... Ts>
struct filtered<Bytes, type_list<Ts...>> {
  using type =
      join<type_list<>, std::conditional_t<sizeof(Ts) <= Bytes, type_list<Ts>, type_list<>>...>;
};
template <std::size_t Bytes, class List>
using up_to = typename filtered<Bytes, List>::type;

/// Each list has a little of everything, so that a test that has time for one of them alone sees
/// all kinds: small and odd sizes, sizes around a word of the look-back board, large ones, odd
/// alignments, and types with a mind of their own.
using types_a = type_list<types::blob<1>, types::blob<3>, types::blob<6, 2>, types::blob<8, 4>,
                          types::blob<10, 2>, types::blob<15>, types::blob<17>, types::blob<32, 32>,
                          types::blob<63>, types::blob<384, 8>, bool, thrust::complex<float>,
                          types::odd_members, types::no_default, types::padded_between,
                          thrust::pair<u32, u32>, types::greedy_namespace::item>;
using types_b = type_list<types::blob<2, 2>, types::blob<5>, types::blob<8, 2>, types::blob<12, 4>,
                          types::blob<16>, types::blob<20, 4>, types::blob<40, 8>,
                          types::blob<64, 64>, types::blob<384>, u128, cuda::std::complex<double>,
                          types::odd_operators, types::explicit_default, types::two_floats,
                          thrust::tuple<u8, u32, u16>, types::wide_enum, types::bit_fields>;
using types_c =
    type_list<types::blob<2>, types::blob<4>, types::blob<7>, types::blob<8>, types::blob<14, 2>,
              types::blob<16, 16>, types::blob<24, 8>, types::blob<48, 16>, types::blob<128, 128>,
              types::blob<384, 128>, char16_t, std::byte, types::active_default, types::no_new,
              cuda::std::pair<u8, u64>, types::padded_behind, types::converts, std::complex<float>>;
using types_d = type_list<types::blob<4, 2>, types::blob<8, 8>, types::blob<9>, types::blob<14>,
                          types::blob<16, 8>, types::blob<33>, types::blob<56, 8>, types::blob<64>,
                          types::blob<384, 16>, wchar_t, types::bool_enum, types::plain_enum,
                          types::mostly_padding, cuda::std::array<u16, 5>, thrust::complex<double>,
                          cuda::std::tuple<u32, u32>, u32*>;
#if defined(__cpp_char8_t)
using types_of_language = type_list<char8_t>;
#else
using types_of_language = type_list<>;
#endif
#if HINDSIGHT_CUDA
using types_of_engine = join<type_list<half, bfloat16>, types_of_language>;
#else  // std::pair has no assignment in kernels
using types_of_engine = join<type_list<long double, std::pair<u16, u64>>, types_of_language>;
#endif
/// The types of a list whose addresses Thrust may take: its device code does, in sorts and
/// reductions, so stock does not compile those for types with an & of their own.
template <class List>
struct addressed;
template <class... Ts>
struct addressed<type_list<Ts...>> {
  using type = join<type_list<>, std::conditional_t<std::is_same_v<Ts, types::odd_operators>,
                                                    type_list<>, type_list<Ts>>...>;
};
template <class List>
using with_address = typename addressed<List>::type;

using all_types = join<types_a, types_b, types_c, types_d, types_of_engine>;

/// The types of host tests that are built for several systems: all of them for CPP, for the others
/// enough to see that they do the same.
using types_of_system =
    std::conditional_t<THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP, all_types, types_b>;

}  // namespace hindsight_test
