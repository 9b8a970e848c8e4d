// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms under comparison as objects. One object runs both sides: the policy that it gets
// decides whose code runs.
#pragma once

#include <hindsight/detail/ab/compare.h>
#include <hindsight/hindsight.h>

#include <cuda/std/version>
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

namespace hindsight::detail::ab::algorithm {

struct reduce {
  static constexpr auto name = "reduce";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::reduce(policy, args...);
  }
};

struct transform_reduce {
  static constexpr auto name = "transform_reduce";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::transform_reduce(policy, args...);
  }
};

struct inner_product {
  static constexpr auto name = "inner_product";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::inner_product(policy, args...);
  }
};

struct count {
  static constexpr auto name = "count";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::count(policy, args...);
  }
};

struct count_if {
  static constexpr auto name = "count_if";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::count_if(policy, args...);
  }
};

struct all_of {
  static constexpr auto name = "all_of";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::all_of(policy, args...);
  }
};

struct any_of {
  static constexpr auto name = "any_of";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::any_of(policy, args...);
  }
};

struct none_of {
  static constexpr auto name = "none_of";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::none_of(policy, args...);
  }
};

#if CCCL_VERSION >= 3002000
struct reduce_into {
  static constexpr auto name = "reduce_into";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::reduce_into(policy, args...);
  }
};
#endif

struct inclusive_scan {
  static constexpr auto name = "inclusive_scan";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::inclusive_scan(policy, args...);
  }
};

struct exclusive_scan {
  static constexpr auto name = "exclusive_scan";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::exclusive_scan(policy, args...);
  }
};

struct transform_inclusive_scan {
  static constexpr auto name = "transform_inclusive_scan";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::transform_inclusive_scan(policy, args...);
  }
};

struct transform_exclusive_scan {
  static constexpr auto name = "transform_exclusive_scan";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::transform_exclusive_scan(policy, args...);
  }
};

struct inclusive_scan_by_key {
  static constexpr auto name = "inclusive_scan_by_key";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::inclusive_scan_by_key(policy, args...);
  }
};

struct exclusive_scan_by_key {
  static constexpr auto name = "exclusive_scan_by_key";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::exclusive_scan_by_key(policy, args...);
  }
};

struct adjacent_difference {
  static constexpr auto name = "adjacent_difference";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::adjacent_difference(policy, args...);
  }
};

struct copy_if {
  static constexpr auto name = "copy_if";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::copy_if(policy, args...);
  }
};

struct remove {
  static constexpr auto name = "remove";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::remove(policy, args...);
  }
};

struct remove_if {
  static constexpr auto name = "remove_if";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::remove_if(policy, args...);
  }
};

struct remove_copy {
  static constexpr auto name = "remove_copy";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::remove_copy(policy, args...);
  }
};

struct remove_copy_if {
  static constexpr auto name = "remove_copy_if";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::remove_copy_if(policy, args...);
  }
};

struct unique {
  static constexpr auto name = "unique";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::unique(policy, args...);
  }
};

struct unique_copy {
  static constexpr auto name = "unique_copy";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::unique_copy(policy, args...);
  }
};

struct unique_count {
  static constexpr auto name = "unique_count";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::unique_count(policy, args...);
  }
};

struct unique_by_key {
  static constexpr auto name = "unique_by_key";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::unique_by_key(policy, args...);
  }
};

struct unique_by_key_copy {
  static constexpr auto name = "unique_by_key_copy";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::unique_by_key_copy(policy, args...);
  }
};

/// Stock's host systems swap items. The order that this makes is theirs: ours makes another one.
struct partition {
  static constexpr auto name = "partition";
  static constexpr auto determined = determines::all_items_on_cuda;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::partition(policy, args...);
  }
};

struct stable_partition {
  static constexpr auto name = "stable_partition";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::stable_partition(policy, args...);
  }
};

struct partition_copy {
  static constexpr auto name = "partition_copy";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::partition_copy(policy, args...);
  }
};

struct stable_partition_copy {
  static constexpr auto name = "stable_partition_copy";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::stable_partition_copy(policy, args...);
  }
};

struct reduce_by_key {
  static constexpr auto name = "reduce_by_key";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::reduce_by_key(policy, args...);
  }
};

struct sort {
  static constexpr auto name = "sort";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::sort(policy, args...);
  }
};

struct stable_sort {
  static constexpr auto name = "stable_sort";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::stable_sort(policy, args...);
  }
};

struct sort_by_key {
  static constexpr auto name = "sort_by_key";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::sort_by_key(policy, args...);
  }
};

struct stable_sort_by_key {
  static constexpr auto name = "stable_sort_by_key";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return thrust::stable_sort_by_key(policy, args...);
  }
};

struct run_length_encode {
  static constexpr auto name = "run_length_encode";
  static constexpr auto determined = determines::items_up_to_end;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return hindsight::run_length_encode(policy, args...);
  }
};

struct histogram_even {
  static constexpr auto name = "histogram_even";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return hindsight::histogram_even(policy, args...);
  }
};

struct histogram_range {
  static constexpr auto name = "histogram_range";
  static constexpr auto determined = determines::all_items;
  _CCCL_EXEC_CHECK_DISABLE
  template <class Policy, class... Args>
  HINDSIGHT_HD auto operator()(const Policy& policy, const Args&... args) const {
    return hindsight::histogram_range(policy, args...);
  }
};

}  // namespace hindsight::detail::ab::algorithm
