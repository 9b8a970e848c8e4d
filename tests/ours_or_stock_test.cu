// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wraps: __cudaRegisterFunction __cudaGetKernel __cudaLaunchKernel cudaLaunchKernelExC
// Which form of which algorithm is ours, under which policy. Ours refuse a reversed range with a
// sentence that names them; that takes no GPU. On a GPU, the kernels that each form launches are
// looked at: either all are ours or none is. With --table the program writes the README's table.
#include <hindsight/hindsight.h>

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/equal.h>
#include <thrust/gather.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>

#include "functors_testing.h"
#include "gpu_present.h"
#include "gpu_testing.h"
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace hindsight_test {

std::map<const void*, std::string>& kernel_names() {
  static std::map<const void*, std::string> names;  // of entry points, and of handles
  return names;
}
std::vector<std::string> launched;

}  // namespace hindsight_test

extern "C" {
void __real___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*,
                                   dim3*, dim3*, int*);
void __wrap___cudaRegisterFunction(void** binary, const char* entry, char* device, const char* name,
                                   int limit, uint3* a, uint3* b, dim3* c, dim3* d, int* e) {
  hindsight_test::kernel_names()[entry] = name;
  __real___cudaRegisterFunction(binary, entry, device, name, limit, a, b, c, d, e);
}
cudaError_t __real___cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* kernel, const void* entry) {
  const cudaError_t status = __real___cudaGetKernel(kernel, entry);
  hindsight_test::kernel_names()[*kernel] = hindsight_test::kernel_names()[entry];
  return status;
}
cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      std::size_t shared, cudaStream_t stream) {
  hindsight_test::launched.push_back(hindsight_test::kernel_names()[kernel]);
  return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* entry,
                                       void** arguments) {
  hindsight_test::launched.push_back(hindsight_test::kernel_names()[entry]);
  return __real_cudaLaunchKernelExC(config, entry, arguments);
}
}

namespace hindsight_test {

using u32 = std::uint32_t;

struct add {
  HINDSIGHT_HD u32 operator()(u32 a, u32 b) const { return a + b; }
};
struct same {
  HINDSIGHT_HD bool operator()(u32 a, u32 b) const { return a == b; }
};
struct above {
  HINDSIGHT_HD bool operator()(u32 a, u32 b) const { return a > b; }
};

/// What the forms read and write, beside the range itself.
struct arrays {
  u32 *b, *out, *out2;
};

/// One call with a policy, the range and the other arrays.
#define HINDSIGHT_CALL(...)                                      \
  [](const auto& p, u32* f, u32* l, const arrays& d) {           \
    return static_cast<void>(d), static_cast<void>(__VA_ARGS__); \
  }

/// visit(algorithm, arguments, every overload).
template <class Visit>
void for_each_of_ours(Visit visit) {
  visit("reduce", "(first, last[, init[, op]])",  //
        HINDSIGHT_CALL(thrust::reduce(p, f, l)), HINDSIGHT_CALL(thrust::reduce(p, f, l, 1u)),
        HINDSIGHT_CALL(thrust::reduce(p, f, l, 1u, add{})));
  visit("reduce_into", "(first, last, out[, init[, op]])",
        HINDSIGHT_CALL(hindsight::reduce_into(p, f, l, d.out)),
        HINDSIGHT_CALL(hindsight::reduce_into(p, f, l, d.out, 1u)),
        HINDSIGHT_CALL(hindsight::reduce_into(p, f, l, d.out, 1u, add{})));
  visit("transform_reduce", "(first, last, unary, init, op)",
        HINDSIGHT_CALL(thrust::transform_reduce(p, f, l, twice{}, 1u, add{})));
  visit("inner_product", "(first, last, first2, init[, op, op2])",
        HINDSIGHT_CALL(thrust::inner_product(p, f, l, d.b, 1u)),
        HINDSIGHT_CALL(thrust::inner_product(p, f, l, d.b, 1u, add{}, add{})));
  visit("count, count_if", "(first, last, value or pred)",
        HINDSIGHT_CALL(thrust::count(p, f, l, 3u)),
        HINDSIGHT_CALL(thrust::count_if(p, f, l, is_odd{})));
  visit("min_element, max_element, minmax_element", "(first, last[, less])",
        HINDSIGHT_CALL(thrust::min_element(p, f, l)),
        HINDSIGHT_CALL(thrust::min_element(p, f, l, above{})),
        HINDSIGHT_CALL(thrust::max_element(p, f, l)),
        HINDSIGHT_CALL(thrust::max_element(p, f, l, above{})),
        HINDSIGHT_CALL(thrust::minmax_element(p, f, l)),
        HINDSIGHT_CALL(thrust::minmax_element(p, f, l, above{})));
  visit("find, find_if, find_if_not", "(first, last, value or pred)",
        HINDSIGHT_CALL(thrust::find(p, f, l, 3u)),
        HINDSIGHT_CALL(thrust::find_if(p, f, l, is_odd{})),
        HINDSIGHT_CALL(thrust::find_if_not(p, f, l, is_odd{})));
  visit("all_of, any_of, none_of", "(first, last, pred)",
        HINDSIGHT_CALL(thrust::all_of(p, f, l, is_odd{})),
        HINDSIGHT_CALL(thrust::any_of(p, f, l, is_odd{})),
        HINDSIGHT_CALL(thrust::none_of(p, f, l, is_odd{})));
  visit("inclusive_scan", "(first, last, out[, op]), (first, last, out, init, op)",
        HINDSIGHT_CALL(thrust::inclusive_scan(p, f, l, d.out)),
        HINDSIGHT_CALL(thrust::inclusive_scan(p, f, l, d.out, add{})),
        HINDSIGHT_CALL(thrust::inclusive_scan(p, f, l, d.out, 1u, add{})));
  visit("exclusive_scan", "(first, last, out[, init[, op]])",
        HINDSIGHT_CALL(thrust::exclusive_scan(p, f, l, d.out)),
        HINDSIGHT_CALL(thrust::exclusive_scan(p, f, l, d.out, 1u)),
        HINDSIGHT_CALL(thrust::exclusive_scan(p, f, l, d.out, 1u, add{})));
  visit("transform_inclusive_scan", "(first, last, out, unary[, init], op)",
        HINDSIGHT_CALL(thrust::transform_inclusive_scan(p, f, l, d.out, twice{}, add{})),
        HINDSIGHT_CALL(thrust::transform_inclusive_scan(p, f, l, d.out, twice{}, 1u, add{})));
  visit("transform_exclusive_scan", "(first, last, out, unary, init, op)",
        HINDSIGHT_CALL(thrust::transform_exclusive_scan(p, f, l, d.out, twice{}, 1u, add{})));
  visit("inclusive_scan_by_key", "(first, last, values, out[, equal[, op]])",
        HINDSIGHT_CALL(thrust::inclusive_scan_by_key(p, f, l, d.b, d.out)),
        HINDSIGHT_CALL(thrust::inclusive_scan_by_key(p, f, l, d.b, d.out, same{})),
        HINDSIGHT_CALL(thrust::inclusive_scan_by_key(p, f, l, d.b, d.out, same{}, add{})));
  visit("exclusive_scan_by_key", "(first, last, values, out[, init[, equal[, op]]])",
        HINDSIGHT_CALL(thrust::exclusive_scan_by_key(p, f, l, d.b, d.out)),
        HINDSIGHT_CALL(thrust::exclusive_scan_by_key(p, f, l, d.b, d.out, 1u)),
        HINDSIGHT_CALL(thrust::exclusive_scan_by_key(p, f, l, d.b, d.out, 1u, same{})),
        HINDSIGHT_CALL(thrust::exclusive_scan_by_key(p, f, l, d.b, d.out, 1u, same{}, add{})));
  visit("reduce_by_key", "(first, last, values, keys_out, values_out[, equal[, op]])",
        HINDSIGHT_CALL(thrust::reduce_by_key(p, f, l, d.b, d.out, d.out2)),
        HINDSIGHT_CALL(thrust::reduce_by_key(p, f, l, d.b, d.out, d.out2, same{})),
        HINDSIGHT_CALL(thrust::reduce_by_key(p, f, l, d.b, d.out, d.out2, same{}, add{})));
  visit("copy_if", "(first, last[, stencil], out, pred)",
        HINDSIGHT_CALL(thrust::copy_if(p, f, l, d.out, is_odd{})),
        HINDSIGHT_CALL(thrust::copy_if(p, f, l, d.b, d.out, is_odd{})));
  visit("remove, remove_copy", "(first, last[, out], value)",
        HINDSIGHT_CALL(thrust::remove(p, f, l, 3u)),
        HINDSIGHT_CALL(thrust::remove_copy(p, f, l, d.out, 3u)));
  visit("remove_if, remove_copy_if", "(first, last[, stencil][, out], pred)",
        HINDSIGHT_CALL(thrust::remove_if(p, f, l, is_odd{})),
        HINDSIGHT_CALL(thrust::remove_if(p, f, l, d.b, is_odd{})),
        HINDSIGHT_CALL(thrust::remove_copy_if(p, f, l, d.out, is_odd{})),
        HINDSIGHT_CALL(thrust::remove_copy_if(p, f, l, d.b, d.out, is_odd{})));
  visit("unique, unique_count", "(first, last[, equal])",  //
        HINDSIGHT_CALL(thrust::unique(p, f, l)), HINDSIGHT_CALL(thrust::unique(p, f, l, same{})),
        HINDSIGHT_CALL(thrust::unique_count(p, f, l)),
        HINDSIGHT_CALL(thrust::unique_count(p, f, l, same{})));
  visit("unique_copy", "(first, last, out[, equal])",
        HINDSIGHT_CALL(thrust::unique_copy(p, f, l, d.out)),
        HINDSIGHT_CALL(thrust::unique_copy(p, f, l, d.out, same{})));
  visit("unique_by_key", "(first, last, values[, equal])",
        HINDSIGHT_CALL(thrust::unique_by_key(p, f, l, d.b)),
        HINDSIGHT_CALL(thrust::unique_by_key(p, f, l, d.b, same{})));
  visit("unique_by_key_copy", "(first, last, values, keys_out, values_out[, equal])",
        HINDSIGHT_CALL(thrust::unique_by_key_copy(p, f, l, d.b, d.out, d.out2)),
        HINDSIGHT_CALL(thrust::unique_by_key_copy(p, f, l, d.b, d.out, d.out2, same{})));
  visit("partition, stable_partition", "(first, last[, stencil], pred)",
        HINDSIGHT_CALL(thrust::partition(p, f, l, is_odd{})),
        HINDSIGHT_CALL(thrust::partition(p, f, l, d.b, is_odd{})),
        HINDSIGHT_CALL(thrust::stable_partition(p, f, l, is_odd{})),
        HINDSIGHT_CALL(thrust::stable_partition(p, f, l, d.b, is_odd{})));
  visit("partition_copy, stable_partition_copy", "(first, last[, stencil], out, out2, pred)",
        HINDSIGHT_CALL(thrust::partition_copy(p, f, l, d.out, d.out2, is_odd{})),
        HINDSIGHT_CALL(thrust::partition_copy(p, f, l, d.b, d.out, d.out2, is_odd{})),
        HINDSIGHT_CALL(thrust::stable_partition_copy(p, f, l, d.out, d.out2, is_odd{})),
        HINDSIGHT_CALL(thrust::stable_partition_copy(p, f, l, d.b, d.out, d.out2, is_odd{})));
  visit("adjacent_difference", "(first, last, out[, op])",
        HINDSIGHT_CALL(thrust::adjacent_difference(p, f, l, d.out)),
        HINDSIGHT_CALL(thrust::adjacent_difference(p, f, l, d.out, add{})));
  visit("sort, stable_sort", "(first, last[, compare])",  //
        HINDSIGHT_CALL(thrust::sort(p, f, l)),
        HINDSIGHT_CALL(thrust::sort(p, f, l, thrust::greater<u32>{})),
        HINDSIGHT_CALL(thrust::stable_sort(p, f, l)),
        HINDSIGHT_CALL(thrust::stable_sort(p, f, l, above{})));
  visit("sort_by_key, stable_sort_by_key", "(first, last, values[, compare])",
        HINDSIGHT_CALL(thrust::sort_by_key(p, f, l, d.b)),
        HINDSIGHT_CALL(thrust::sort_by_key(p, f, l, d.b, thrust::greater<u32>{})),
        HINDSIGHT_CALL(thrust::stable_sort_by_key(p, f, l, d.b)),
        HINDSIGHT_CALL(thrust::stable_sort_by_key(p, f, l, d.b, above{})));
  visit("run_length_encode", "(first, last, unique_out, counts_out[, equal])",
        HINDSIGHT_CALL(hindsight::run_length_encode(p, f, l, d.out, d.out2)),
        HINDSIGHT_CALL(hindsight::run_length_encode(p, f, l, d.out, d.out2, same{})));
  visit("histogram_even", "(first, last, num_bins, lower, upper, counters)",
        HINDSIGHT_CALL(hindsight::histogram_even(p, f, l, 8, 0u, 80u, d.out)));
}

/// Forms of which no kernel may be ours.
template <class Visit>
void for_each_of_stock(Visit visit) {
  visit("transform, for_each, gather, scatter, ...", "all",
        HINDSIGHT_CALL(thrust::transform(p, f, l, d.out, twice{})),
        HINDSIGHT_CALL(thrust::gather(p, f, l, d.b, d.out)));
  visit("lower_bound and other searches of sorted ranges", "all",
        HINDSIGHT_CALL(thrust::lower_bound(p, f, l, d.b, d.b + 5, d.out)));
  visit("set_union and the other set operations", "all",
        HINDSIGHT_CALL(thrust::set_union(p, f, l, f, l, d.out)));
  visit("equal, mismatch", "all", HINDSIGHT_CALL(thrust::equal(p, f, l, d.b)));
}

bool is_ours(const std::string& kernel) {
  return kernel.rfind("_ZN9hindsight", 0) == 0;
}

/// What the call says of a range that ends before it begins.
template <class Policy, class Call>
std::string refusal(const Policy& policy, Call call) {
  static u32 items[64];
  try {
    call(policy, items + 8, items, arrays{items, items + 16, items + 32});
  } catch (const hindsight::invalid_call& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string{"not ours: "} + error.what();
  }
  return "was not refused";
}

/// The rows of ours; says in `wrong` which overload is not ours after all.
std::string table(std::string& wrong) {
  std::string text =
      "| algorithm | arguments behind the policy | `cuda::par` | `host::par` "
      "|\n|---|---|---|---|\n";
  const auto names = [](std::string algorithms) {
    for (std::size_t at = 0; (at = algorithms.find(", ", at)) != std::string::npos; at += 4)
      algorithms.replace(at, 2, "`, `");
    return "`" + algorithms + "`";
  };
  for_each_of_ours([&](const char* algorithm, const char* arguments, auto... calls) {
    const auto probe = [&](const auto& policy, auto call, const char* name) {
      const std::string said = refusal(policy, call);
      if (said.rfind("hindsight::", 0) != 0)
        wrong += std::string{algorithm} + " under " + name + ": " + said + "\n";
    };
    (probe(hindsight::cuda::par, calls, "cuda::par"), ...);
    (probe(hindsight::host::par, calls, "host::par"), ...);
    text += "| " + names(algorithm) + " | `" + arguments + "` | ours | ours |\n";
  });
  for_each_of_stock([&](const char* algorithm, const char* arguments, auto...) {
    text += std::string{"| "} + algorithm + " | " + arguments + " | stock | stock |\n";
  });
  return text;
}

TEST(OursOrStock, RefusalsNameUs) {
  std::string wrong;
  table(wrong);
  EXPECT_EQ(wrong, "");
}

struct managed {
  u32* items = nullptr;
  explicit managed(std::size_t n) {
    check(cudaMallocManaged(&items, n * sizeof(u32)));
    for (std::size_t i = 0; i < n; ++i) items[i] = u32(i / 3);
  }
  ~managed() { cudaFree(items); }
};

/// The kernels of each overload; all of ours are, none of stock's.
TEST(OursOrStock, KernelsSaySo) {
  constexpr std::size_t n = 20000;
  const auto run = [&](const char* algorithm, int index, auto call, bool expected) {
    const managed a(n), b(n), out(2 * n), out2(2 * n);
    launched.clear();
    call(hindsight::cuda::par, a.items, a.items + n, arrays{b.items, out.items, out2.items});
    check(cudaDeviceSynchronize());
    EXPECT_FALSE(launched.empty()) << algorithm << ", overload " << index;
    for (const std::string& kernel : launched)
      EXPECT_EQ(is_ours(kernel), expected) << algorithm << ", overload " << index << ": " << kernel;
  };
  int overloads = 0;
  for_each_of_ours([&](const char* algorithm, const char*, auto... calls) {
    int index = 0;
    (run(algorithm, index++, calls, true), ...);
    overloads += index;
  });
  for_each_of_stock([&](const char* algorithm, const char*, auto... calls) {
    int index = 0;
    (run(algorithm, index++, calls, false), ...);
  });
  std::cout << overloads << " overloads of ours\n";
}

}  // namespace hindsight_test

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--table") == 0) {
    std::string wrong;
    std::cout << hindsight_test::table(wrong);
    std::cerr << wrong;
    return wrong.empty() ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  if (!testing::GTEST_FLAG(list_tests) && !hindsight_test::gpu_is_present())
    return hindsight_test::exit_skipped;
  return RUN_ALL_TESTS();
}
