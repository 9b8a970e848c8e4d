// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, scans by key and sums by key of floating-point numbers: one pattern of bits in every run,
// under load, and the same one on host threads; errors against exact sums no larger than stock's.
#include <hindsight/reduce_by_key.h>
#include <hindsight/scan.h>
#include <hindsight/scan_by_key.h>

#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "gpu_testing.h"
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace hindsight_test {

namespace {

/// Keeps the stream's share of the GPU for `cycles`.
__global__ void spin_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Kernels of changing size and length, one after the other, in a stream of their own.
class load_on_the_gpu {
 public:
  load_on_the_gpu() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    thread_ = std::thread{[this] { run(); }};
  }
  ~load_on_the_gpu() {
    stop_ = true;
    thread_.join();
    EXPECT_GT(kernels_, 0);
    cudaStreamDestroy(stream_);
  }

 private:
  void run() {
    std::mt19937 random{17};
    while (!stop_) {
      for (int i = 0; i < 8; ++i)
        spin_kernel<<<1 + random() % 400, 256, 0, stream_>>>(1000 + random() % 60000);
      if (cudaStreamSynchronize(stream_) == cudaSuccess) kernels_ += 8;
    }
  }
  cudaStream_t stream_;
  std::atomic<bool> stop_{false};
  std::atomic<int> kernels_{0};
  std::thread thread_;
};

/// *hash = the sum of all words, each mixed with its position: the same in any order of addition.
template <class Word>
__global__ void hash_kernel(const Word* words, std::size_t n, unsigned long long* hash) {
  unsigned long long sum = 0;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step) {
    unsigned long long x = words[i] + 0x9E3779B97F4A7C15ull * (i + 1);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    sum += x ^ x >> 31;
  }
  atomicAdd(hash, sum);
}

template <class T>
unsigned long long hash_of(const device_array<T>& items, std::size_t n, cudaStream_t stream) {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static const device_array<unsigned long long> hash(1);
  unsigned long long value = 0;
  check(cudaMemsetAsync(hash.data(), 0, sizeof value, stream));
  hash_kernel<<<256, 256, 0, stream>>>(reinterpret_cast<const word*>(items.data()), n, hash.data());
  check(cudaMemcpyAsync(&value, hash.data(), sizeof value, cudaMemcpyDefault, stream));
  check(cudaStreamSynchronize(stream));
  return value;
}

/// Not associative, whatever the arithmetic.
struct damped_sum {
  template <class T>
  HINDSIGHT_HD T operator()(T a, T b) const {
    return a * T(0.999) + b;
  }
};

template <class T, class Op>
struct sums {
  using item = T;
  using op = Op;
};

template <class Sums>
struct FloatOrder : testing::Test {
  using T = typename Sums::item;
  using Op = typename Sums::op;

  // Each writes n items, or as many as it returns, to out.
  template <class Policy>
  static std::size_t scan(const Policy& policy, const std::int32_t*, const T* in, T* out,
                          std::int32_t*, std::size_t n) {
    thrust::inclusive_scan(policy, in, in + n, out, Op{});
    return n;
  }
  template <class Policy>
  static std::size_t scan_by_key(const Policy& policy, const std::int32_t* keys, const T* in,
                                 T* out, std::int32_t*, std::size_t n) {
    thrust::exclusive_scan_by_key(policy, keys, keys + n, in, out, T(0.1), thrust::equal_to<>{},
                                  Op{});
    return n;
  }
  template <class Policy>
  static std::size_t reduce_by_key(const Policy& policy, const std::int32_t* keys, const T* in,
                                   T* out, std::int32_t* keys_out, std::size_t n) {
    return thrust::reduce_by_key(policy, keys, keys + n, in, keys_out, out, thrust::equal_to<>{},
                                 Op{})
               .second -
           out;
  }
};
using kinds = testing::Types<sums<float, thrust::plus<>>, sums<double, thrust::plus<>>,
                             sums<float, damped_sum>>;
TYPED_TEST_SUITE(FloatOrder, kinds);

std::vector<std::int32_t> long_runs(std::size_t n) {
  return items_in_runs<std::int32_t>(n, runs::random);
}

}  // namespace

TYPED_TEST(FloatOrder, GivesOnePatternOfBitsUnderLoad) {
  using T = typename TestFixture::T;
  using Suite = TestFixture;
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const load_on_the_gpu load;
    for (const std::size_t n :
         {std::size_t{1} << 16, (std::size_t{1} << 20) + 7, (std::size_t{1} << 22) + 3}) {
      const device_array<std::int32_t> keys(long_runs(n)), keys_out(n);
      const device_array<T> in(rough_items<T>(n)), out(n);
      check(cudaDeviceSynchronize());  // what filled them is not in this stream
      const auto expect_one_pattern = [&](const char* what, auto algorithm) {
        std::set<unsigned long long> ours, stocks;
        for (int run = 0; run < 200; ++run) {
          const auto hash = [&](const auto& policy) {
            check(cudaMemsetAsync(out.data(), run, n * sizeof(T), stream));
            const std::size_t count =
                algorithm(policy, keys.data(), in.data(), out.data(), keys_out.data(), n);
            return hash_of(out, count, stream);
          };
          ours.insert(hash(hindsight::cuda::par.on(stream)));
          stocks.insert(hash(thrust::cuda::par.on(stream)));
        }
        EXPECT_EQ(ours.size(), 1u) << what << ", n = " << n;
        std::printf("%-14s %2zu bytes, n = %8zu, 200 runs: 1 pattern of bits, stock %zu\n", what,
                    sizeof(T), n, stocks.size());
      };
      expect_one_pattern("scan", [](const auto&... args) { return Suite::scan(args...); });
      expect_one_pattern("scan_by_key",
                         [](const auto&... args) { return Suite::scan_by_key(args...); });
      expect_one_pattern("reduce_by_key",
                         [](const auto&... args) { return Suite::reduce_by_key(args...); });
    }
  }
  check(cudaStreamDestroy(stream));
}

namespace {

/// Without damped_sum, whose multiplication and addition the GPU's compiler may fuse.
template <class T>
void expect_hosts_bits(std::size_t n) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << sizeof(T) << " bytes");
  using Suite = FloatOrder<sums<T, thrust::plus<>>>;
  const auto keys = long_runs(n);
  const auto items = rough_items<T>(n);
  const device_array<std::int32_t> keys_in(keys), keys_out(n);
  const device_array<T> in(items), out(n);
  std::vector<std::int32_t> host_keys_out(n);
  std::vector<T> host_out(n);
  const auto compare = [&](const char* what, auto algorithm) {
    out.fill_with_poison();
    const std::size_t count =
        algorithm(hindsight::cuda::par, keys_in.data(), in.data(), out.data(), keys_out.data(), n);
    const std::size_t host_count = algorithm(hindsight::host::par, keys.data(), items.data(),
                                             host_out.data(), host_keys_out.data(), n);
    ASSERT_EQ(count, host_count);
    EXPECT_EQ(difference(out.to_host(count), {host_out.begin(), host_out.begin() + count}), "")
        << what;
  };
  compare("scan", [](const auto&... args) { return Suite::scan(args...); });
  compare("scan_by_key", [](const auto&... args) { return Suite::scan_by_key(args...); });
  compare("reduce_by_key", [](const auto&... args) { return Suite::reduce_by_key(args...); });
}

}  // namespace

TEST(FloatSums, HaveTheSameBitsOnHostThreads) {
  for (const std::size_t n :
       {1u, 2u, 33u, 1000u, 2047u, 2048u, 4096u, 4097u, 70000u, 300001u, (1u << 22) + 3}) {
    expect_hosts_bits<float>(n);
    expect_hosts_bits<double>(n);
  }
}

namespace {

/// A sum that carries what its additions lost (Knuth's two-sum): exact to about 106 bits.
struct exact_sum {
  double high = 0, low = 0;
  void add(double x) {
    const double sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  double minus(double y) const { return (high - y) + low; }
};

enum class sums_of { prefixes, prefixes_of_runs, runs };

/// The mean square distance from exact sums, in multiples of the type's rounding unit at the
/// largest partial sum so far. Scans by key are exclusive, from 0.1.
template <class T>
double mean_square_error(sums_of what, const std::vector<std::int32_t>& keys,
                         const std::vector<T>& items, const std::vector<T>& results) {
  constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  double found = 0;
  exact_sum sum;
  double magnitude = 0;
  std::size_t result = 0;
  const auto compare = [&] {
    const double error = std::fabs(sum.minus(double(results[result++])));
    if (magnitude == 0) return;
    found += std::pow(error / (unit * magnitude), 2) / double(results.size());
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (what != sums_of::prefixes && (i == 0 || keys[i - 1] != keys[i])) {
      sum = {};
      magnitude = 0;
      if (what == sums_of::prefixes_of_runs) {
        sum.add(T(0.1));
        magnitude = T(0.1);
      }
    }
    if (what == sums_of::prefixes_of_runs) compare();
    sum.add(items[i]);
    magnitude = std::max(magnitude, std::fabs(sum.minus(0)));
    if (what == sums_of::prefixes) compare();
    const bool ends = i + 1 == items.size() || keys[i] != keys[i + 1];
    if (what == sums_of::runs && ends) compare();
  }
  return found;
}

enum class shape { random, of_one_sign, alternating, ill_conditioned };
constexpr const char* shape_names[] = {"random", "of one sign", "alternating", "ill-conditioned"};

template <class T>
std::vector<T> items_of_shape(std::vector<T> items, shape kind) {
  const std::size_t n = items.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == shape::of_one_sign) items[i] = std::fabs(items[i]);
    if (kind == shape::alternating) items[i] = T(i % 2 ? -1 : 1) * (T(1) + std::fabs(items[i]));
    if (kind == shape::ill_conditioned && i >= n / 2) items[i] = -items[n - 1 - i];  // sums to 0
  }
  return items;
}

/// The ratio of both sides' errors, over all inputs of one kind: root mean squares, compared input
/// by input. (Errors themselves spread over decades, so that few inputs would decide their mean.)
class error_ratio {
 public:
  void add(double ours, double stocks) {
    if (ours == 0 || stocks == 0) return;
    const double log_ratio = std::log(ours / stocks) / 2;
    sum_ += log_ratio;
    squares_ += log_ratio * log_ratio;
    ++inputs_;
  }
  double mean() const { return std::exp(sum_ / inputs_); }
  /// Of the mean's logarithm, thus a share of the mean.
  double standard_error() const {
    const double log_mean = sum_ / inputs_;
    return std::sqrt((squares_ / inputs_ - log_mean * log_mean) / inputs_);
  }

 private:
  double sum_ = 0, squares_ = 0, inputs_ = 0;
};

/// Rounding errors are a matter of luck, and stock's of timing as well: so a hundred inputs of each
/// kind, and a ratio above 1 only counts where it is more than luck.
void expect_no_larger(const error_ratio& ratio, const std::string& what) {
  std::printf("%s: error %.3f of stock's (+- %.3f)\n", what.c_str(), ratio.mean(),
              ratio.mean() * ratio.standard_error());
  EXPECT_LE(std::log(ratio.mean()), 3 * ratio.standard_error()) << what;
  EXPECT_LE(ratio.mean(), 1.1) << what;
}

template <class T>
void expect_errors_like_stocks(const char* type) {
  using Suite = FloatOrder<sums<T, thrust::plus<>>>;
  constexpr shape kinds[] = {shape::random, shape::of_one_sign, shape::alternating,
                             shape::ill_conditioned};
  constexpr const char* names[] = {"scan", "scan_by_key", "reduce_by_key"};
  const std::size_t n = 100003;
  const auto keys = long_runs(n);
  const device_array<std::int32_t> keys_in(keys), keys_out(n);
  error_ratio of_kind[3][4], of_all[3];
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const auto rough = rough_items<T>(n, seed);
    for (const shape kind : kinds) {
      const auto items = items_of_shape(rough, kind);
      const device_array<T> in(items), out(n);
      const auto add = [&](sums_of what, auto algorithm) {
        const auto error_of = [&](const auto& policy) {
          const std::size_t count =
              algorithm(policy, keys_in.data(), in.data(), out.data(), keys_out.data(), n);
          return mean_square_error(what, keys, items, out.to_host(count));
        };
        const double ours = error_of(hindsight::cuda::par);
        const double stocks = error_of(thrust::cuda::par);
        of_kind[int(what)][int(kind)].add(ours, stocks);
        of_all[int(what)].add(ours, stocks);
      };
      add(sums_of::prefixes, [](const auto&... args) { return Suite::scan(args...); });
      add(sums_of::prefixes_of_runs,
          [](const auto&... args) { return Suite::scan_by_key(args...); });
      add(sums_of::runs, [](const auto&... args) { return Suite::reduce_by_key(args...); });
    }
  }
  for (int what = 0; what < 3; ++what) {
    const std::string name = std::string(names[what]) + " of " + type;
    for (const shape kind : kinds)
      expect_no_larger(of_kind[what][int(kind)], name + ", " + shape_names[int(kind)]);
    expect_no_larger(of_all[what], name + ", all inputs");
  }
}

}  // namespace

TEST(FloatSums, AreAsExactAsStocks) {
  expect_errors_like_stocks<float>("float");
  expect_errors_like_stocks<double>("double");
}

}  // namespace hindsight_test
