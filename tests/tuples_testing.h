// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of several numbers for the host tests of sorting.
#pragma once

#include <cuda/std/array>
#include <cuda/std/tuple>
#include <thrust/pair.h>
#include <thrust/tuple.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight_test {

template <class Key, class Work>
void for_each_member(Key& key, Work work) {
  ::cuda::std::apply([&](auto&... all) { (work(all), ...); }, key);
}
template <class A, class B, class Work>
void for_each_member(std::pair<A, B>& key, Work work) {
  work(key.first);
  work(key.second);
}
template <class A, class B, class Work>
void for_each_member(const std::pair<A, B>& key, Work work) {
  work(key.first);
  work(key.second);
}
template <class... Members, class Work>
void for_each_member(std::tuple<Members...>& key, Work work) {
  std::apply([&](auto&... all) { (work(all), ...); }, key);
}
template <class... Members, class Work>
void for_each_member(const std::tuple<Members...>& key, Work work) {
  std::apply([&](auto&... all) { (work(all), ...); }, key);
}
template <class Member, std::size_t Count, class Work>
void for_each_member(std::array<Member, Count>& key, Work work) {
  for (Member& member : key) work(member);
}
template <class Member, std::size_t Count, class Work>
void for_each_member(const std::array<Member, Count>& key, Work work) {
  for (const Member& member : key) work(member);
}

/// The members' bytes, without those between them.
template <class Key>
std::string bytes_of(const Key& key) {
  std::string bytes;
  for_each_member(key, [&](const auto& member) {
    bytes.append(reinterpret_cast<const char*>(&member), sizeof member);
  });
  return bytes;
}
template <class Key>
std::vector<std::string> bytes_of(const std::vector<Key>& keys) {
  std::vector<std::string> all;
  for (const Key& key : keys) all.push_back(bytes_of(key));
  return all;
}

/// Few or many values, both zeros and infinities among them: later members decide, and equivalent
/// keys differ in bits.
template <class Key>
std::vector<Key> random_keys(std::size_t n, int kind) {
  std::mt19937_64 random{n * 8 + std::size_t(kind)};
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t place = i;
    for_each_member(keys[i], [&](auto& member) {
      using member_t = std::decay_t<decltype(member)>;
      std::uint64_t bits = kind == 2 ? place : random();
      if (kind == 1) bits &= random() & random();
      if constexpr (std::is_floating_point_v<member_t>) {
        member = kind == 2 ? member_t(bits) : member_t(std::int64_t(bits) >> (kind == 0 ? 8 : 61));
        if (bits % 5 == 0) member = bits & 64 ? member_t(-0.0) : member_t(0.0);
        if (bits % 97 == 1) member = -std::numeric_limits<member_t>::infinity();
      } else {
        member = member_t(kind == 3 ? bits % 3 : bits >> (bits & 32));
      }
      place = 0;
    });
  }
  return keys;
}

}  // namespace hindsight_test
