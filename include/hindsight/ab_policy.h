// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies of A/B runs: what ab.h compares, and what else runs on stock.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/policy.h>

#include <type_traits>
#include <utility>

namespace hindsight {

namespace detail {

template <class Derived, class System>
System system_of(const execution_policy<Derived, System>&);

template <class Policy>
using system_t = decltype(system_of(std::declval<const Policy&>()));
template <class Policy, class Derived>
using stock_base_t = typename system_t<Policy>::template stock_policy<Derived>;

}  // namespace detail

/// Takes the place of a policy of stock or of hindsight. Each algorithm that hindsight owns runs
/// twice, with `Stock` and with `Ours`; the caller gets stock's result (see ab.h). All others run
/// on stock once, in the stream of `Ours`, with Thrust's default temporary memory.
template <class Stock, class Ours>
class ab_policy : public detail::stock_base_t<Ours, ab_policy<Stock, Ours>> {
 public:
  constexpr ab_policy() = default;
  /// `name` has to live until the calls return.
  HINDSIGHT_HD ab_policy(const Stock& stock, const Ours& ours, const char* name = nullptr)
      : stock_{stock}, ours_{ours}, name_{name} {}

  /// The same with both sides in that stream (CUDA; not in device code, as with stock).
  template <class Stream>
  auto on(const Stream& stream) const {
    return ab_policy<decltype(stock_.on(stream)), decltype(ours_.on(stream))>{
        stock_.on(stream), ours_.on(stream), name_};
  }

  /// The same, but with calls recorded under that name, which has to live until they return.
  HINDSIGHT_HD ab_policy named(const char* name) const { return {stock_, ours_, name}; }

  HINDSIGHT_HD const Stock& stock() const { return stock_; }  ///< the side whose result counts
  HINDSIGHT_HD const Ours& ours() const { return ours_; }     ///< the side that is compared
  /// Null if the policy was not named.
  HINDSIGHT_HD const char* name() const { return name_; }

 private:
  Stock stock_{};
  Ours ours_{};
  const char* name_ = nullptr;
};

/// Any two policies of one system, for A/B runs: see ab.h. Both have to be on one stream.
///   Time, Memory, Order, Sync, Errors  none: this only names the policies
///   Example
///     std::vector<int> keys(1000, 2);
///     const auto both = hindsight::ab(hindsight::host::stock_par_t{}, hindsight::host::par);
///     thrust::sort(both.named("keys"), keys.begin(), keys.end());
template <class Stock, class Ours>
HINDSIGHT_HD ab_policy<Stock, Ours> ab(const Stock& stock, const Ours& ours) {
  return {stock, ours};
}

namespace host {
inline namespace HINDSIGHT_HOST_ABI {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
/// Stock's policy of the same threads.
using stock_par_t = std::decay_t<decltype(thrust::system::__THRUST_HOST_SYSTEM_NAMESPACE::par)>;
#else
using stock_par_t = std::decay_t<decltype(thrust::system::__THRUST_DEVICE_SYSTEM_NAMESPACE::par)>;
#endif
using ab_par_t = ab_policy<stock_par_t, par_t>;  ///< of `ab_par`
/// Stock's host backend and hindsight's host engine.
_CCCL_GLOBAL_CONSTANT ab_par_t ab_par;
}  // namespace HINDSIGHT_HOST_ABI
}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {
using ab_par_t = ab_policy<thrust::cuda_cub::par_t, par_t>;  ///< of `ab_par`
/// thrust::cuda::par and hindsight::cuda::par.
_CCCL_GLOBAL_CONSTANT ab_par_t ab_par;
}  // namespace cuda

/// Tells Thrust the stream of algorithms that are not ours.
template <class Stock, class Ours>
HINDSIGHT_HD cudaStream_t get_stream(const ab_policy<Stock, Ours>& policy) {
  return thrust::cuda_cub::stream(detail::derived(policy.ours()));
}
#endif

inline namespace HINDSIGHT_HOST_ABI {
#if HINDSIGHT_CUDA
using ab_par_t = cuda::ab_par_t;  ///< of `ab_par`
#else
using ab_par_t = host::ab_par_t;
#endif

/// cuda::ab_par under nvcc, host::ab_par under a C++ compiler.
_CCCL_GLOBAL_CONSTANT ab_par_t ab_par;
}  // namespace HINDSIGHT_HOST_ABI

}  // namespace hindsight
