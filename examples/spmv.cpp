// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a Matrix Market file and multiplies by it over two semirings: (+, *), and (min, +), which
// finds shortest ways. nvcc builds this for the GPU, g++ for host threads (see ten_calls.cpp).
//   ./spmv [file.mtx]    without a file: who met whom in a club of 34
#include <hindsight/sort.h>
#include <hindsight/spmv.h>

#include <thrust/device_vector.h>
#include <thrust/functional.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

struct matrix {
  std::size_t num_rows = 0, num_columns = 0;
  std::vector<int> rows, columns;  // from 0
  std::vector<double> values;
};

// "coordinate" files of real, integer or pattern entries, general or symmetric. Others, and those
// that lack entries or have some outside of the matrix, are no matrix.
matrix read_matrix_market(const std::string& path) {
  std::ifstream file{path};
  std::string line, mark, object, format, field, symmetry;
  std::getline(file, line);
  std::istringstream{line} >> mark >> object >> format >> field >> symmetry;
  const bool is_symmetric = symmetry == "symmetric", is_pattern = field == "pattern";
  if (mark != "%%MatrixMarket" || object != "matrix" || format != "coordinate" ||
      !(is_pattern || field == "real" || field == "integer") ||
      !(is_symmetric || symmetry == "general"))
    return {};
  while (std::getline(file, line) && (line.empty() || line[0] == '%')) {
  }
  matrix m;
  std::size_t num_entries = 0;
  std::istringstream{line} >> m.num_rows >> m.num_columns >> num_entries;
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    m.rows.push_back(int(row - 1));
    m.columns.push_back(int(column - 1));
    m.values.push_back(value);
  };
  std::size_t row = 0, column = 0;
  double value = 1;
  for (; num_entries > 0; --num_entries) {
    if (!(file >> row >> column && (is_pattern || file >> value))) return {};
    if (row < 1 || row > m.num_rows || column < 1 || column > m.num_columns) return {};
    add(row, column, value);
    if (is_symmetric && row != column) add(column, row, value);
  }
  return m;
}

struct shorter {
  HINDSIGHT_HD double operator()(double a, double b) const { return b < a ? b : a; }
};

int main(int argc, char** argv) {
  const std::string source = __FILE__;
  const std::string folder = source.substr(0, source.find_last_of('/') + 1);
  const std::string path = argc > 1 ? argv[1] : folder + "data/karate.mtx";
  const matrix m = read_matrix_market(path);
  if (m.values.empty() || m.num_rows != m.num_columns) {
    std::printf("%s: no such file, or no square matrix of numbers in Matrix Market's coordinates\n",
                path.c_str());
    return 1;
  }

  // Entries by row: a stable sort keeps each row's order.
  const auto& par = hindsight::par;
  thrust::device_vector<int> rows = m.rows, entries(m.rows.size());
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = int(i);
  hindsight::sort_by_key(par, rows.begin(), rows.end(), entries.begin());
  thrust::device_vector<int> columns(entries.size());
  thrust::device_vector<double> values(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    columns[i] = m.columns[std::size_t(int(entries[i]))];
    values[i] = m.values[std::size_t(int(entries[i]))];
  }
  const auto a = hindsight::coo(m.num_rows, rows, columns, values);

  const thrust::device_vector<double> ones(m.num_columns, 1.0);
  thrust::device_vector<double> sums(m.num_rows);
  hindsight::spmv(par, a, ones.begin(), sums.begin());
  std::printf("row sums:");
  for (const double sum : sums) std::printf(" %g", sum);

  // From each member to the first: a way over k others is one step and a way over k - 1.
  const double far = std::numeric_limits<double>::infinity();
  thrust::device_vector<double> distance(m.num_rows, far), next(m.num_rows);
  distance[0] = 0;
  for (std::size_t steps = 1; steps < m.num_rows; ++steps) {
    hindsight::spmv(par, a, distance.begin(), next.begin(), far, shorter{}, thrust::plus<double>{});
    next[0] = 0;
    distance.swap(next);
  }
  std::printf("\nshortest ways:");
  for (const double d : distance) std::printf(" %g", d);
  std::puts("");
  const bool right =
      argc > 1 || (sums[0] == 16 && sums[33] == 17 && distance[33] == 2 && distance[26] == 3);
  std::puts(right ? "as expected" : "WRONG");
  return right ? 0 : 1;
}
