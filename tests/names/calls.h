// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each family with items and functors of a program whose namespace has functions of its own.
// names_test.py writes functions_of_the_program.h: templates, in namespace program, that take any
// arguments, one for each name of a function of the library. None of them may be called.
#define slots  // Qt's macros
#define signals public
#define emit
#define foreach for
#define forever for (;;)
#include <hindsight/hindsight.h>

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

namespace program {

#include "functions_of_the_program.h"

struct item {
  int number = 0;
  item() = default;
  HINDSIGHT_HD item(int n) : number{n} {}
  friend HINDSIGHT_HD bool operator<(item a, item b) { return a.number < b.number; }
  friend HINDSIGHT_HD bool operator>(item a, item b) { return a.number > b.number; }
  friend HINDSIGHT_HD bool operator==(item a, item b) { return a.number == b.number; }
  friend HINDSIGHT_HD item operator+(item a, item b) { return {a.number + b.number}; }
  friend HINDSIGHT_HD item operator-(item a, item b) { return {a.number - b.number}; }
  friend HINDSIGHT_HD item operator*(item a, item b) { return {a.number * b.number}; }
};
struct is_before {
  HINDSIGHT_HD bool operator()(item a, item b) const { return a < b; }
};
struct is_same {
  HINDSIGHT_HD bool operator()(item a, item b) const { return a == b; }
};
struct joined {
  HINDSIGHT_HD item operator()(item a, item b) const { return a + b; }
};
struct is_odd {
  HINDSIGHT_HD bool operator()(item a) const { return a.number % 2 != 0; }
  template <class Tuple>
  HINDSIGHT_HD bool operator()(const Tuple&) const {
    return true;
  }
};
struct itself {
  HINDSIGHT_HD item operator()(item a) const { return a; }
};
struct number_of {
  HINDSIGHT_HD int operator()(item a) const { return a.number; }
};

template <class Policy, class Items, class Numbers>
void call_all(const Policy& par, Items& items, Items& keys, Items& to, Items& to2, Numbers& offsets,
              Numbers& numbers, Numbers& counts) {
  const auto first = items.begin(), last = items.end(), out = to.begin(), out2 = to2.begin();
  const auto key = keys.begin(), keys_end = keys.end();
  const auto number = numbers.begin(), count = counts.begin();

  thrust::reduce(par, first, last);
  thrust::reduce(par, first, last, item(), joined{});
  thrust::transform_reduce(par, first, last, itself{}, item(), joined{});
  thrust::inner_product(par, first, last, first, item());
  thrust::count(par, first, last, item(1));
  thrust::count_if(par, first, last, is_odd{});
  thrust::min_element(par, first, last, is_before{});
  thrust::minmax_element(par, first, last);
  thrust::find(par, first, last, item(3));
  thrust::find_if(par, first, last, is_odd{});
  thrust::all_of(par, first, last, is_odd{});

  thrust::inclusive_scan(par, first, last, out);
  thrust::exclusive_scan(par, first, last, out, item(), joined{});
  thrust::transform_inclusive_scan(par, first, last, out, itself{}, joined{});
  thrust::transform_exclusive_scan(par, first, last, out, itself{}, item(), joined{});
  thrust::inclusive_scan_by_key(par, key, keys_end, first, out, is_same{}, joined{});
  thrust::exclusive_scan_by_key(par, key, keys_end, first, out, item(), is_same{}, joined{});
  thrust::reduce_by_key(par, key, keys_end, first, out, out2);
  thrust::reduce_by_key(par, key, keys_end, first, out, out2, is_same{}, joined{});

  thrust::copy_if(par, first, last, out, is_odd{});
  thrust::copy_if(par, first, last, key, out, is_odd{});
  thrust::remove(par, first, last, item(7));
  thrust::remove_if(par, first, last, is_odd{});
  thrust::remove_copy_if(par, first, last, out, is_odd{});
  thrust::unique(par, first, last, is_same{});
  thrust::unique_copy(par, first, last, out);
  thrust::unique_count(par, first, last);
  thrust::unique_by_key(par, key, keys_end, first);
  thrust::unique_by_key_copy(par, key, keys_end, first, out, out2, is_same{});
  thrust::partition(par, first, last, is_odd{});
  thrust::stable_partition(par, first, last, key, is_odd{});
  thrust::partition_copy(par, first, last, out, out2, is_odd{});
  thrust::stable_partition_copy(par, first, last, out, out2, is_odd{});
  thrust::adjacent_difference(par, first, last, out);
  thrust::adjacent_difference(par, first, last, out, joined{});

  thrust::sort(par, first, last);
  thrust::stable_sort(par, first, last, is_before{});
  thrust::sort_by_key(par, first, last, out, is_before{});
  thrust::stable_sort_by_key(par, numbers.begin(), numbers.end(), first);
  hindsight::sort_by(par, items, number_of{});
  hindsight::top_k(par, first, last, 5, out, is_before{});
  hindsight::nth_element(par, first, first + 3, last);
  hindsight::partial_sort(par, first, first + 3, last);

  hindsight::run_length_encode(par, first, last, out, number);
  hindsight::histogram_even(par, numbers, 10, 0, 10, count);
  hindsight::reduce_segments(par, items, hindsight::by_offsets(offsets), out, item(), joined{});
  hindsight::inclusive_scan_segments(par, items, hindsight::by_offsets(offsets), out, joined{});
  hindsight::sort_segments(par, items, hindsight::by_offsets(offsets), is_before{});
  hindsight::sort_segments_by_key(par, first, last, out, hindsight::by_offsets(offsets),
                                  is_before{});
  hindsight::summed_area_table(par, first, out, 10, 100, 10);
  hindsight::run_length_decode(par, items, count, out);
  hindsight::pack_index(par, items, number, is_odd{});
  hindsight::minmax(par, items, is_before{});
  hindsight::product(par, items);
  hindsight::filter(par, items, is_odd{});
  hindsight::sorted(par, items);
  hindsight::run_lengths(par, items);

  hindsight::copy_if_into(par, first, last, out, count, is_odd{});
  hindsight::unique_copy_into(par, first, last, out, count);
  hindsight::reduce_by_key_into(par, first, last, first, out, out2, count);
  hindsight::partition_copy_into(par, first, last, out, out2, count, is_odd{});
  hindsight::remove_if_into(par, first, last, count, is_odd{});
  hindsight::unique_into(par, first, last, count);
  hindsight::partition_into(par, first, last, count, is_odd{});

  hindsight::sort(items);
  hindsight::reduce(items);
  hindsight::inclusive_scan(items, out, joined{});
  hindsight::copy_if(items, out, is_odd{});

  const auto zipped = thrust::make_zip_iterator(first, key);
  thrust::copy_if(par, zipped, zipped + 10, thrust::make_zip_iterator(out, out2), is_odd{});
  const auto computed = thrust::make_transform_iterator(first, number_of{});
  thrust::inclusive_scan(par, computed, computed + 10, number);
  const auto permuted = thrust::make_permutation_iterator(first, number);
  thrust::sort(par, permuted, permuted + 10);
}

}  // namespace program
