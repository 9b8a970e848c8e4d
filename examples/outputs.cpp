// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A store and its goods: a label and a price for each piece, which goods are sold out, the least,
// the greatest and the mean price, and prices sorted by one split for each bit. nvcc builds this
// for the GPU, g++ for host threads (see ten_calls.cpp).
#include <hindsight/outputs.h>
#include <hindsight/policy.h>
#include <hindsight/summaries.h>

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdio>
#include <vector>

/// labels[j] = 10 * good + piece: output j of all is this piece of this good.
struct write_label {
  int* labels;
  HINDSIGHT_HD void operator()(std::size_t good, std::size_t piece, std::size_t j) const {
    labels[j] = int(10 * good + piece);
  }
};

int main() {
  const auto& par = hindsight::par;
  const thrust::device_vector<int> prices = std::vector<int>{7, 8, 9, 4};
  const thrust::device_vector<int> pieces = std::vector<int>{2, 0, 3, 0};

  thrust::device_vector<int> first(5), labels(5), price_of_piece(5), sold_out(4);
  hindsight::offsets_of(par, pieces.begin(), pieces.end(), first.begin());
  hindsight::for_each_output(par, first.begin(), first.end(),
                             write_label{thrust::raw_pointer_cast(labels.data())});
  hindsight::run_length_decode(par, prices.begin(), prices.end(), pieces.begin(),
                               price_of_piece.begin());
  const auto sold_out_end = hindsight::pack_index(par, pieces.begin(), pieces.end(),
                                                  sold_out.begin(), thrust::logical_not<int>{});
  sold_out.erase(sold_out_end, sold_out.end());
  // The same by a compaction of numbers and prices together.
  thrust::device_vector<int> numbers(4), old_prices(4);
  const auto goods = thrust::make_zip_iterator(thrust::counting_iterator<int>(0), prices.begin());
  const auto old = thrust::make_zip_iterator(numbers.begin(), old_prices.begin());
  const auto old_end =
      hindsight::copy_if(par, goods, goods + 4, pieces.begin(), old, thrust::logical_not<int>{});
  thrust::device_vector<int> good_of_piece(5);
  hindsight::expand(par, thrust::counting_iterator<int>(0), first.begin(), first.end(),
                    good_of_piece.begin());
  const auto [lowest, highest] = hindsight::minmax(par, prices.begin(), prices.end());
  const double mean = hindsight::mean(par, price_of_piece.begin(), price_of_piece.end());
  thrust::device_vector<int> by_parity = prices;
  hindsight::split(par, by_parity.begin(), by_parity.end(), 0);
  thrust::device_vector<int> sorted = prices;  // of four bits each
  for (int bit = 0; bit < 4; ++bit) hindsight::split(par, sorted.begin(), sorted.end(), bit);
  const int product = hindsight::product(par, prices.begin(), prices.end());

  std::printf("%d pieces of %.1f on average, prices from %d to %d, %d goods sold out\n",
              int(first[4]), mean, lowest, highest, int(sold_out.size()));
  const bool right =
      first == std::vector<int>{0, 2, 2, 5, 5} && labels == std::vector<int>{0, 1, 20, 21, 22} &&
      price_of_piece == std::vector<int>{7, 7, 9, 9, 9} && sold_out == std::vector<int>{1, 3} &&
      old_end - old == 2 && numbers[1] == 3 && old_prices[0] == 8 && old_prices[1] == 4 &&
      good_of_piece == std::vector<int>{0, 0, 2, 2, 2} && mean == 8.2 && product == 2016 &&
      by_parity == std::vector<int>{8, 4, 7, 9} && sorted == std::vector<int>{4, 7, 8, 9};
  std::puts(right ? "as expected" : "WRONG");
  return right ? 0 : 1;
}
