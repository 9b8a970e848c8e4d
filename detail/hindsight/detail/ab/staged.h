// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory to which our side of a comparison writes: the caller's memory then holds stock's results.
#pragma once

#include <hindsight/detail/ab/bits.h>
#include <hindsight/detail/ab/target.h>
#include <hindsight/detail/contiguous.h>
#include <hindsight/policy.h>

#include <thrust/copy.h>
#include <thrust/detail/temporary_array.h>
#include <thrust/fill.h>
#include <thrust/swap.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#if HINDSIGHT_CUDA
#  include <hindsight/detail/runtime/run.cuh>
#endif

namespace hindsight::detail {

namespace ab {

// Staged memory comes from the system's default allocator, whatever allocators are under
// comparison.
#if HINDSIGHT_CUDA
template <class Derived>
hindsight::cuda::on_stream memory_of(
    const execution_policy<Derived, hindsight::cuda::system>& ours) {
  return hindsight::cuda::on_stream{stream_of(ours)};
}
#endif
template <class Derived>
hindsight::host::par_t memory_of(const execution_policy<Derived, hindsight::host::system>&) {
  return {};
}

/// Where staged memory comes from, and the policy that copies and compares it.
template <class Stock, class Memory>
struct stage {
  const Stock& stock;
  Memory memory;
};

/// Room for [n] items of the type that `user` points to.
template <class Stage, class It>
class staged_items {
  using item = typename ::cuda::std::iterator_traits<It>::value_type;
  using bytes = thrust::detail::temporary_array<unsigned char, decltype(Stage::memory)>;

 public:
  staged_items(Stage& where, It user, std::size_t n)
      : where_{where}, user_{bytes_at(user, n)}, n_{n}, own_{room()} {}

  item* begin() const { return reinterpret_cast<item*>(at(*own_)); }

  /// Copies the user's items in.
  void load() { copy(user_, at(*own_)); }

  /// Overwrites this memory: what an earlier call left there could look like a right result.
  void poison() {
    thrust::fill_n(where_.stock, at(*own_), n_ * sizeof(item), static_cast<unsigned char>(0xAB));
  }

  /// Remembers the user's items, for exchange().
  void save() {
    saved_ = room();
    copy(user_, at(*saved_));
  }
  /// Exchanges the user's items for the saved ones.
  void exchange() {
    thrust::swap_ranges(where_.stock, user_, user_ + n_ * sizeof(item), at(*saved_));
  }

  /// "name[i]" for the first item i of `count` whose bits differ from the user's, else empty.
  std::string difference(const std::string& name, std::size_t count) const {
    const std::size_t n = std::min(count, n_);
    if (n == 0) return {};
    const std::size_t first =
        ab::first_differing_item(where_.stock, user_, at(*own_), sizeof(item), n);
    return first < n ? name + '[' + std::to_string(first) + ']' : std::string{};
  }

 private:
  static unsigned char* bytes_at(It user, std::size_t n) {
    if (n == 0) return nullptr;  // there may be nothing to take the address of
    auto* const items = const_cast<item*>(thrust::unwrap_contiguous_iterator(user));  // volatile
    return reinterpret_cast<unsigned char*>(items);
  }
  static unsigned char* at(bytes& array) { return thrust::raw_pointer_cast(array.data()); }

  std::unique_ptr<bytes> room() {
    return std::make_unique<bytes>(where_.memory, std::max<std::size_t>(n_ * sizeof(item), 1));
  }
  void copy(const unsigned char* from, unsigned char* to) {
    thrust::copy(where_.stock, from, from + n_ * sizeof(item), to);
  }

  Stage& where_;
  unsigned char* user_;
  std::size_t n_;
  std::unique_ptr<bytes> own_, saved_;
};

/// The same, for each of the iterators that are zipped.
template <class Stage, class... Its>
class staged_items<Stage, thrust::zip_iterator<::cuda::std::tuple<Its...>>> {
  using zip = thrust::zip_iterator<::cuda::std::tuple<Its...>>;

 public:
  staged_items(Stage& where, zip user, std::size_t n)
      : staged_items(where, user, n, std::index_sequence_for<Its...>{}) {}

  auto begin() const {
    return std::apply(
        [](const auto&... each) {
          return thrust::make_zip_iterator(::cuda::std::make_tuple(each.begin()...));
        },
        each_);
  }
  void load() {
    std::apply([](auto&... each) { (each.load(), ...); }, each_);
  }
  void poison() {
    std::apply([](auto&... each) { (each.poison(), ...); }, each_);
  }
  void save() {
    std::apply([](auto&... each) { (each.save(), ...); }, each_);
  }
  void exchange() {
    std::apply([](auto&... each) { (each.exchange(), ...); }, each_);
  }
  std::string difference(const std::string& name, std::size_t count) const {
    return std::apply(
        [&](const auto&... each) {
          std::string found;
          int i = 0;
          (void)((found = each.difference(name + '.' + std::to_string(i++), count)).empty() && ...);
          return found;
        },
        each_);
  }

 private:
  template <std::size_t... Part>
  staged_items(Stage& where, zip user, std::size_t n, std::index_sequence<Part...>)
      : each_{staged_items<Stage, Its>{where, ::cuda::std::get<Part>(user.get_iterator_tuple()),
                                       n}...} {}

  std::tuple<staged_items<Stage, Its>...> each_;
};

/// What our side gets in place of an argument. An input stays as it is.
template <class Stage, class Arg>
class staged {
 public:
  staged(Stage&, const Arg& arg, std::size_t) : arg_{arg} {}
  const Arg& for_us() const { return arg_; }
  void before_stock() {}
  void after_stock() {}
  void after_us() {}

 private:
  Arg arg_;
};

/// In place of a target, our side gets staged memory.
template <class Stage, class It, int Iterators>
class staged<Stage, target<It, Iterators>> {
 public:
  staged(Stage& where, const target<It, Iterators>& user, std::size_t n)
      : user_{user},
        n_{user.capacity == as_the_input ? n : user.capacity},
        items_{where, user.first, n_} {
    user.content == before::an_input ? items_.load() : items_.poison();
  }

  auto for_us() const {
    const auto first = items_.begin();
    return target<std::decay_t<decltype(first)>, Iterators>{
        user_.name, user_.content, first, first + static_cast<std::ptrdiff_t>(n_), user_.capacity};
  }

  // Stock may have written over the input. Where our side runs after stock, these put the input
  // back before our side runs, and stock's results after.
  void before_stock() {
    if (user_.content == before::maybe_an_input) items_.save();
  }
  void after_stock() {
    if (user_.content == before::maybe_an_input) items_.exchange();
  }
  void after_us() { after_stock(); }

  /// Where the bits differ first from the user's, in the first `count` items; empty if nowhere.
  std::string difference(std::size_t count) const { return items_.difference(user_.name, count); }

 private:
  target<It, Iterators> user_;
  std::size_t n_;
  staged_items<Stage, It> items_;
};

}  // namespace ab
}  // namespace hindsight::detail
