// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of the standard library, for compilers that have <mdspan>: rows, columns and vectors as
// ranges, and summed-area tables. The results are checked.
#include <hindsight/hindsight.h>
#include <hindsight/rows.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mdspan>
#include <type_traits>
#include <vector>

namespace {

using shape = std::dextents<int, 2>;
constexpr int height = 37, width = 53;

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

int pixel(int y, int x) {
  return (y * 31 + x * 17) % 23;
}

std::size_t at(int y, int x, int pitch) {
  return static_cast<std::size_t>(y * pitch + x);
}

template <class Layout>
void rows_and_columns() {
  std::vector<int> items(height * width);
  const std::mdspan<int, shape, Layout> matrix(items.data(), height, width);
  int row = 0, column = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) matrix[y, x] = pixel(y, x);
  for (int x = 0; x < width; ++x) row += pixel(5, x);
  for (int y = 0; y < height; ++y) column += pixel(y, 7);
  expect(hindsight::reduce(hindsight::row(matrix, 5)) == row, "sum of a row");
  expect(hindsight::reduce(hindsight::host::par, hindsight::column(matrix, 7)) == column,
         "sum of a column");
  hindsight::sort(hindsight::column(matrix, 7));
  for (int y = 1; y < height; ++y) expect(matrix[y - 1, 7] <= matrix[y, 7], "sorted column");
  expect((matrix[9, 8] == pixel(9, 8)), "the column beside it");
}

// Rows lie farther apart in the table than in the picture.
void table() {
  using strided = std::layout_stride;
  constexpr int pitch = width + 3, table_pitch = width + 40;
  std::vector<unsigned char> pixels(height * pitch, 200);
  std::vector<int> sums(height * table_pitch, -1), expected = sums;
  for (int y = 0; y < height; ++y)
    for (int x = 0, row = 0; x < width; ++x) {
      pixels[at(y, x, pitch)] = static_cast<unsigned char>(pixel(y, x));
      row += pixel(y, x);
      expected[at(y, x, table_pitch)] = row + (y > 0 ? expected[at(y - 1, x, table_pitch)] : 0);
    }
  const shape size(height, width);
  const std::mdspan<const unsigned char, shape, strided> picture(
      pixels.data(), strided::mapping<shape>(size, std::array{pitch, 1}));
  const std::mdspan<int, shape, strided> out(
      sums.data(), strided::mapping<shape>(size, std::array{table_pitch, 1}));
  hindsight::summed_area_table(hindsight::host::par, picture, out);
  expect(sums == expected, "table");
  sums.assign(sums.size(), -1);
  hindsight::summed_area_table(picture, out);
  expect(sums == expected, "table without a policy");
  bool refused = false;
  try {
    hindsight::summed_area_table(picture, std::mdspan<int, shape>(sums.data(), height, width - 1));
  } catch (const hindsight::invalid_call&) {
    refused = true;
  }
  expect(refused, "a table that is too narrow is refused");
}

}  // namespace

int main() {
  rows_and_columns<std::layout_right>();
  rows_and_columns<std::layout_left>();
  table();
  int items[] = {9, 1, 8, 2};
  const std::mdspan<int, std::dextents<int, 1>> vector(items, 4);
  hindsight::sort(vector);
  expect(items[0] == 1 && items[3] == 9, "sorted vector");
  const std::mdspan<int, shape> matrix(items, 2, 2);
  static_assert(std::is_same_v<decltype(hindsight::row(matrix, 1).begin()), int*>);
}
