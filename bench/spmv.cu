// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix times vector beside cuSPARSE: the time, and whether repeated runs give the same
// bits, on generated matrices of f32 and f64, and of f32 with vectors of f64.
// bench_spmv [number of entries, about]
#include <hindsight/spmv.h>

#include <cuda_runtime_api.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include "cuda_check.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cusparse.h>
#include <random>
#include <string>
#include <vector>

namespace {

void check(cusparseStatus_t status) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  std::fprintf(stderr, "bench_spmv: %s\n", cusparseGetErrorString(status));
  std::exit(1);
}

/// A square matrix in CSR.
struct matrix {
  std::string name;
  std::vector<int> offsets{0}, columns{};
  int num_rows() const { return int(offsets.size()) - 1; }
  void end_row() { offsets.push_back(int(columns.size())); }
};

/// Neighbours on a square grid of side * side places.
matrix stencil(int side) {
  matrix m{"five-point stencil"};
  for (int i = 0; i < side * side; ++i) {
    const int x = i % side, y = i / side;
    if (y > 0) m.columns.push_back(i - side);
    if (x > 0) m.columns.push_back(i - 1);
    m.columns.push_back(i);
    if (x + 1 < side) m.columns.push_back(i + 1);
    if (y + 1 < side) m.columns.push_back(i + side);
    m.end_row();
  }
  return m;
}

/// Rows of these lengths, at any columns.
template <class LengthOf>
matrix random_matrix(const char* name, int num_rows, LengthOf length_of) {
  matrix m{name};
  std::mt19937 random{1};
  for (int row = 0; row < num_rows; ++row) {
    for (int left = length_of(row, random); left > 0; --left)
      m.columns.push_back(int(random() % unsigned(num_rows)));
    m.end_row();
  }
  return m;
}

std::vector<matrix> all_matrices(int num_entries) {
  const int rows = num_entries / 8;
  std::vector<matrix> all{stencil(int(std::sqrt(num_entries / 5.0)))};
  all.push_back(random_matrix("power law", rows, [rows](int, std::mt19937& random) {
    const double u = (double(random()) + 1) / 4294967296.0;
    return int(std::min(2 / std::pow(u, 0.75), rows / 4.0));
  }));
  all.push_back(random_matrix("one dense row", rows, [rows](int row, std::mt19937&) {
    return row == rows / 3 ? 3 * rows : 5;
  }));
  all.push_back(random_matrix("mostly empty rows", 2 * rows,
                              [](int row, std::mt19937&) { return row % 10 == 0 ? 40 : 0; }));
  return all;
}

struct outcome {
  float ms;       ///< the median
  int differing;  ///< runs whose bits are not those of the first
};

/// multiply() writes y.
template <class Real, class Multiply>
outcome measure(thrust::device_vector<Real>& y, Multiply multiply) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  thrust::host_vector<Real> first;
  int differing = 0;
  for (int run = 0; run < 12; ++run) {
    check(cudaEventRecord(begin));
    multiply();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (run > 1) times.push_back(ms);
    const thrust::host_vector<Real> got = y;
    if (run == 0) first = got;
    differing += std::memcmp(got.data(), first.data(), got.size() * sizeof(Real)) != 0;
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], differing};
}

template <class T>
constexpr cudaDataType type_of = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;

/// Less than zero ms where cuSPARSE has no such product.
template <class Value, class Real>
outcome measure_cusparse(const matrix& m, cusparseSpMVAlg_t algorithm, int* offsets, int* columns,
                         Value* values, Real* x, thrust::device_vector<Real>& y) {
  cusparseHandle_t handle;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t of_x, of_y;
  const int n = m.num_rows();
  constexpr auto real = type_of<Real>;
  check(cusparseCreate(&handle));
  check(cusparseCreateCsr(&a, n, n, std::int64_t(m.columns.size()), offsets, columns, values,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                          type_of<Value>));
  check(cusparseCreateDnVec(&of_x, n, x, real));
  check(cusparseCreateDnVec(&of_y, n, thrust::raw_pointer_cast(y.data()), real));
  const Real one = 1, zero = 0;
  std::size_t bytes = 0;
  outcome result{-1, 0};
  if (cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, of_x, &zero, of_y,
                              real, algorithm, &bytes) == CUSPARSE_STATUS_SUCCESS) {
    thrust::device_vector<char> buffer(bytes + 1);
    char* const room = thrust::raw_pointer_cast(buffer.data());
    result = measure(y, [&] {
      check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, of_x, &zero, of_y, real,
                         algorithm, room));
    });
  }
  check(cusparseDestroyDnVec(of_x));
  check(cusparseDestroyDnVec(of_y));
  check(cusparseDestroySpMat(a));
  check(cusparseDestroy(handle));
  return result;
}

/// A row of the table. `Value`: of the matrix; `Real`: of both vectors, and of all sums.
template <class Value, class Real>
void compare(const matrix& m, const char* types) {
  std::mt19937 random{2};
  std::uniform_real_distribution<Real> number{-1, 1};
  std::vector<Value> numbers(m.columns.size());
  std::vector<Real> vector(std::size_t(m.num_rows()));
  for (Value& v : numbers) v = Value(number(random));
  for (Real& v : vector) v = number(random);
  thrust::device_vector<int> offsets = m.offsets, columns = m.columns;
  thrust::device_vector<Value> values = numbers;
  thrust::device_vector<Real> x = vector, y(vector.size());
  const auto address = [](auto& items) { return thrust::raw_pointer_cast(items.data()); };
  const outcome ours = measure(y, [&] {
    hindsight::spmv(hindsight::cuda::par_nosync, hindsight::csr(offsets, columns, values),
                    x.begin(), y.begin());
  });
  std::printf("%-20s %8s %9d %10zu | %13.3f ms, %d", m.name.c_str(), types, m.num_rows(),
              m.columns.size(), ours.ms, ours.differing);
  for (const auto algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
    const outcome theirs = measure_cusparse<Value, Real>(
        m, algorithm, address(offsets), address(columns), address(values), address(x), y);
    if (theirs.ms < 0)
      std::printf("   | %19s", "-");
    else
      std::printf("   | %13.3f ms, %d", theirs.ms, theirs.differing);
  }
  std::puts("");
}

}  // namespace

int main(int argc, char** argv) {
  const int num_entries = argc > 1 ? std::atoi(argv[1]) : 1 << 24;
  if (num_entries < 1000) return std::puts("usage: bench_spmv [entries, at least 1000]"), 1;
  std::printf("%-20s %8s %9s %10s | %21s | %21s | %21s\n", "ms, runs that differ", "type", "rows",
              "entries", "hindsight", "cuSPARSE CSR_ALG1", "cuSPARSE CSR_ALG2");
  for (const matrix& m : all_matrices(num_entries)) {
    compare<float, float>(m, "f32");
    compare<double, double>(m, "f64");
    compare<float, double>(m, "f32, f64");
  }
  return 0;
}
