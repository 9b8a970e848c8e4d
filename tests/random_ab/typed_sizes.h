// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of every size of 1 to 64 bytes, and of 384, spread over five families. A size or an
// alignment changes how items are loaded, staged and published, and these families differ there.
#pragma once

#include "typed_runs.h"
#include "typed_scan.h"
#include "typed_select.h"

namespace hindsight_test::typed {

constexpr std::size_t widest_alignment(std::size_t size) {
  return size & (~size + 1);
}

/// Items of Size bytes, with each of these alignments that divides it.
template <std::size_t Size, std::size_t... Aligns>
using aligned_items =
    join<type_list<>, std::conditional_t<Size % Aligns == 0, type_list<types::blob<Size, Aligns>>,
                                         type_list<>>...>;

/// Whether a list has items of Size bytes.
template <std::size_t Size, class List>
struct is_listed;
template <std::size_t Size, class... Ts>
struct is_listed<Size, type_list<Ts...>> {
  static constexpr bool value = ((sizeof(Ts) == Size) || ...);
};

template <class Sizes>
struct items_of_sizes;
template <std::size_t... Befores>
struct items_of_sizes<std::index_sequence<Befores...>> {
  /// With every alignment.
  using all = join<aligned_items<Befores + 1, 1, 2, 4, 8, 16, 32, 64>...,
                   aligned_items<384, 1, 2, 4, 8, 16, 32, 64, 128>>;
  /// With the widest one, of the sizes that are in no other list.
  using rare = join<
      type_list<>,
      std::conditional_t<is_listed<Befores + 1, all_types>::value, type_list<>,
                         type_list<types::blob<Befores + 1, widest_alignment(Befores + 1)>>>...>;
};
using items_up_to_64 = items_of_sizes<std::make_index_sequence<64>>;

template <int Index, class T>
struct any_family
    : std::conditional_t<
          Index % 5 == 0, scans<Index, T>,
          std::conditional_t<
              Index % 5 == 1, selections<Index, T>,
              std::conditional_t<Index % 5 == 2, partitions<Index, T>,
                                 std::conditional_t<Index % 5 == 3, folds_by_key<Index, T>,
                                                    run_lengths<Index, T>>>>> {};

template <class List>
std::vector<random_case> all_sizes() {
  return cases_of<any_family, List>("items");
}

}  // namespace hindsight_test::typed
