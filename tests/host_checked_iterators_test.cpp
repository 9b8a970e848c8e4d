// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// labels: asan
// Iterators that abort where they are read at their end, or compared with those of another
// container: a call looks at no item that the range does not have. GoogleTest is compiled without
// such checks.
#define _GLIBCXX_DEBUG
#include <hindsight/hindsight.h>

#include <thrust/host_vector.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/pair.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <numeric>
#include <vector>

namespace {

int num_wrong = 0;

#define CHECK_THAT(condition) \
  if (!(condition)) std::printf("line %d: not %s\n", __LINE__, #condition), ++num_wrong

using ints = std::vector<int>;
const auto par = hindsight::host::par.threads(3);
const auto is_odd = [](int item) { return item % 2 != 0; };
const auto none = [](int) { return false; };
const auto all = [](int) { return true; };

/// Each call on the items 0 to n - 1 of one vector, and to others of exactly the size it needs.
void call_all(int n) {
  ints in(std::size_t(n), 0), empty, out(in), out2(in);
  std::iota(in.begin(), in.end(), 0);
  const auto first = in.begin(), last = in.end();
  CHECK_THAT(thrust::reduce(par, first, last) == n * (n - 1) / 2);
  CHECK_THAT(thrust::inner_product(par, first, last, out.begin(), 7) == 7);
  CHECK_THAT(thrust::count_if(par, first, last, is_odd) == n / 2);
  CHECK_THAT(thrust::max_element(par, first, last) == (n > 0 ? last - 1 : last));
  CHECK_THAT(thrust::find(par, first, last, -1) == last);
  CHECK_THAT(thrust::inclusive_scan(par, first, last, out.begin()) == out.end());
  CHECK_THAT(thrust::exclusive_scan(par, first, last, out.begin(), 1) == out.end());
  CHECK_THAT(n == 0 || out.back() == 1 + (n - 1) * (n - 2) / 2);
  CHECK_THAT(thrust::inclusive_scan_by_key(par, first, last, first, out.begin()) == out.end());
  CHECK_THAT(thrust::adjacent_difference(par, first, last, out.begin()) == out.end());
  CHECK_THAT(thrust::reduce_by_key(par, first, last, first, out.begin(), out2.begin()) ==
             thrust::make_pair(out.end(), out2.end()));
  CHECK_THAT(thrust::unique_copy(par, first, last, out.begin()) == out.end());
  CHECK_THAT(hindsight::run_length_encode(par, first, last, out.begin(), out2.begin()) ==
             thrust::make_pair(out.end(), out2.end()));
  ints odd(std::size_t(n / 2)), even(std::size_t(n - n / 2));
  CHECK_THAT(thrust::copy_if(par, first, last, odd.begin(), is_odd) == odd.end());
  CHECK_THAT(n < 2 || odd.back() % 2 == 1);
  CHECK_THAT(thrust::copy_if(par, first, last, in.cbegin(), odd.begin(), is_odd) == odd.end());
  CHECK_THAT(thrust::remove_copy_if(par, first, last, even.begin(), is_odd) == even.end());
  CHECK_THAT(thrust::partition_copy(par, first, last, odd.begin(), even.begin(), is_odd) ==
             thrust::make_pair(odd.end(), even.end()));
  // Nothing is selected, into memory for nothing.
  CHECK_THAT(thrust::copy_if(par, first, last, empty.begin(), none) == empty.end());
  CHECK_THAT(thrust::remove_copy(par, out2.begin(), out2.begin(), empty.begin(), 1) == empty.end());
  CHECK_THAT(thrust::partition_copy(par, first, last, empty.begin(), out.begin(), none).second ==
             out.end());
  CHECK_THAT(thrust::partition_copy(par, first, last, out.begin(), empty.begin(), all).first ==
             out.end());
  thrust::host_vector<int> in_host(in.begin(), in.end()), empty_host;
  CHECK_THAT(thrust::copy_if(par, in_host.begin(), in_host.end(), empty_host.begin(), none) ==
             empty_host.end());
  ints counters(4);
  hindsight::histogram_even(par, first, last, 4, 0, 4, counters.begin());
  CHECK_THAT(counters[1] == (n > 1 ? 1 : 0));
  // In place.
  thrust::sort(par, first, last, std::greater<>{});
  CHECK_THAT(n == 0 || in.front() == n - 1);
  thrust::sort(par, in.rbegin(), in.rend(), std::greater<>{});
  thrust::stable_sort(par, first, last, [](int a, int b) { return a / 2 < b / 2; });
  thrust::sort_by_key(par, first, last, out.begin());
  CHECK_THAT(n == 0 || in.back() == n - 1);
  CHECK_THAT(thrust::unique(par, first, last) == last);
  CHECK_THAT(thrust::partition(par, first, last, is_odd) - first == n / 2);
  CHECK_THAT(thrust::remove_if(par, first, last, is_odd) - first == n - n / 2);
}

/// From one container into another, through iterators that are no pointers in disguise.
template <class Container>
void call_between(int n) {
  Container in(std::size_t(n), 0), out(in), empty;
  for (int i = 0; i < n; ++i) in[std::size_t(i)] = i % 3 == 0;
  const int kept = (n + 2) / 3;
  const auto is_set = [](int item) { return item != 0; };
  CHECK_THAT(thrust::copy_if(par, in.begin(), in.end(), out.begin(), is_set) - out.begin() == kept);
  CHECK_THAT(thrust::copy_if(par, in.rbegin(), in.rend(), out.rbegin(), is_set) - out.rbegin() ==
             kept);
  CHECK_THAT(thrust::copy_if(par, in.begin(), in.end(), empty.begin(), none) == empty.end());
  CHECK_THAT(thrust::unique_copy(par, in.begin(), in.end(), out.begin()) - out.begin() ==
             kept + (n + 1) / 3);
  CHECK_THAT(thrust::adjacent_difference(par, in.begin(), in.end(), out.begin()) == out.end());
  CHECK_THAT(thrust::inclusive_scan(par, in.rbegin(), in.rend(), out.rbegin()) == out.rend());
  const auto zipped = thrust::make_zip_iterator(in.begin(), in.begin());
  const auto to = thrust::make_zip_iterator(out.begin(), out.begin());
  CHECK_THAT(thrust::copy_if(par, zipped, zipped + n, in.begin(), to, is_set) - to == kept);
  CHECK_THAT(thrust::make_reverse_iterator(out.begin()) ==
             thrust::adjacent_difference(par, thrust::make_reverse_iterator(in.end()),
                                         thrust::make_reverse_iterator(in.begin()),
                                         thrust::make_reverse_iterator(out.end())));
}

/// Sorters of segments hold iterators. The container may change, or end, after the call.
void sort_segments_of_deques() {
  const std::vector<std::size_t> offsets{0, 400, 400, 1000};
  std::deque<int> keys(1000), values(1000);
  for (int i = 0; i < 1000; ++i) keys[std::size_t(i)] = values[std::size_t(i)] = i * 7 % 1000;
  hindsight::sort_segments(par, keys.begin(), keys.end(),
                           hindsight::by_offsets(offsets.begin(), offsets.end()));
  hindsight::sort_segments_by_key(par, keys.begin(), keys.end(), values.begin(),
                                  hindsight::by_offsets(offsets.begin(), offsets.end()));
  keys.push_back(0);
  values.push_back(0);
  CHECK_THAT(std::is_sorted(keys.begin(), keys.begin() + 400));
}

}  // namespace

int main() {
  sort_segments_of_deques();
  for (const int n : {0, 1, 2, 1000, 30000}) {
    call_all(n);
    call_between<ints>(n);
    call_between<std::deque<int>>(n);
    call_between<std::vector<bool>>(n);
  }
  return num_wrong;
}
