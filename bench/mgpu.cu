// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hindsight_ab_mgpu [FILE.json] [LOG2_N ...]: the same calls on one GPU and on all GPUs of this
// machine over NCCL, by the host's clock from call to return. Sizes are those of all shards
// together.
#include <hindsight/hindsight.h>
#include <hindsight/nccl.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using hindsight::detail::throw_on_error;
using hindsight::detail::ranks::device_scope;
using hindsight::detail::ranks::piece;
using word = std::uint32_t;

struct hash_of_index {
  HINDSIGHT_HD word operator()(std::uint64_t i) const {
    i = (i ^ (i >> 31)) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 29)) * 0x94d049bb133111ebu;
    return word(i >> 32);
  }
};
struct is_small {
  HINDSIGHT_HD bool operator()(word item) const { return item < (1u << 31); }
};

class gpu_words {
 public:
  gpu_words(int device, std::size_t n) : device_{device}, n_{n} {
    const device_scope here{device};
    throw_on_error(cudaMalloc(&data_, n * sizeof(word)), "hindsight_ab_mgpu");
  }
  gpu_words(const gpu_words&) = delete;
  gpu_words& operator=(const gpu_words&) = delete;
  ~gpu_words() {
    const device_scope here{device_};
    cudaFree(data_);
  }
  word* data() const { return data_; }
  std::size_t size() const { return n_; }

  /// Items [begin, begin + size()) of the input.
  void fill(std::uint64_t begin) const {
    const device_scope here{device_};
    const thrust::counting_iterator<std::uint64_t> index(begin);
    thrust::transform(hindsight::cuda::par, index, index + std::ptrdiff_t(n_), data_,
                      hash_of_index{});
  }

 private:
  int device_;
  std::size_t n_;
  word* data_ = nullptr;
};

/// A range on the first so many GPUs, in equal shards.
struct data_set {
  data_set(int gpus, std::size_t n) : part{n / std::size_t(gpus)} {
    for (int device = 0; device < gpus; ++device)
      shards.push_back(std::make_unique<gpu_words>(device, part));
  }
  void fill() const {
    for (std::size_t s = 0; s < shards.size(); ++s) shards[s]->fill(s * part);
  }
  auto view(const hindsight::nccl::group& g) const {
    std::vector<::cuda::std::span<word>> spans;
    for (const auto& shard : shards) spans.emplace_back(shard->data(), shard->size());
    return hindsight::shards(g, spans);
  }
  word* begin() const { return shards.front()->data(); }
  word* end() const { return begin() + part; }

  std::size_t part;
  std::vector<std::unique_ptr<gpu_words>> shards;
};

enum class family { reduce, inclusive_scan, histogram, copy_if, sort, sort_by_key };
constexpr const char* names[] = {"reduce",  "inclusive_scan", "histogram_even",
                                 "copy_if", "sort",           "sort_by_key"};
constexpr int num_bins = 256;

void call_on_one_gpu(family which, const data_set& in, const data_set& out) {
  const auto& par = hindsight::cuda::par;
  constexpr word top = ~word{0};
  if (which == family::reduce) hindsight::reduce(par, in.begin(), in.end(), word{0});
  if (which == family::inclusive_scan)
    hindsight::inclusive_scan(par, in.begin(), in.end(), out.begin(), ::cuda::std::plus<>{});
  if (which == family::histogram)
    hindsight::histogram_even(par, in.begin(), in.end(), num_bins, word{0}, top, out.begin());
  if (which == family::copy_if)
    hindsight::copy_if(par, in.begin(), in.end(), out.begin(), is_small{});
  if (which == family::sort) hindsight::sort(par, in.begin(), in.end());
  if (which == family::sort_by_key) hindsight::sort_by_key(par, in.begin(), in.end(), out.begin());
}

void call_on_all(family which, const hindsight::nccl::group& g, const data_set& input,
                 const data_set& output) {
  const auto in = input.view(g), out = output.view(g);
  constexpr word top = ~word{0};
  if (which == family::reduce) hindsight::reduce(g.par, in, word{0});
  if (which == family::inclusive_scan) hindsight::inclusive_scan(g.par, in, out);
  if (which == family::histogram) hindsight::histogram_even(g.par, in, num_bins, word{0}, top, out);
  if (which == family::copy_if) hindsight::copy_if(g.par, in, out, is_small{});
  if (which == family::sort) hindsight::sort(g.par, in);
  if (which == family::sort_by_key) hindsight::sort_by_key(g.par, in, out);
}

template <class Call>
double milliseconds(Call call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// Median of five calls, after one that is not counted; the input is new before each.
template <class Call>
double median_ms(const data_set& in, Call call) {
  std::vector<double> times;
  for (int run = 0; run < 6; ++run) {
    in.fill();
    times.push_back(milliseconds(call));
  }
  std::sort(times.begin() + 1, times.end());
  return times[3];
}

/// GB/s that each GPU sends, and receives at the same time, when each sends as much to all others.
double measure_link(const hindsight::nccl::group& g) {
  const std::size_t gpus = g.num_local(), bytes = std::size_t{1} << 32;
  const data_set from(int(gpus), gpus * bytes / sizeof(word)),
      to(int(gpus), gpus * bytes / sizeof(word));
  const auto exchange = [&] {
    g.par.run("hindsight_ab_mgpu", [&](auto& rank, std::size_t i) {
      std::vector<piece> send, receive;
      for (std::size_t r = 0; r < gpus; ++r) {
        const std::size_t at = r * (bytes / gpus / 16) * 4, size = r == i ? 0 : bytes / gpus;
        send.push_back({from.shards[i]->data() + at, size});
        receive.push_back({to.shards[i]->data() + at, size});
      }
      rank.exchange(send, receive);
    });
  };
  const double ms = median_ms(from, exchange);
  return double(bytes / gpus * (gpus - 1)) / ms / 1e6;
}

struct row {
  const char* name;
  int log2_n;
  double one_ms, all_ms;  ///< zero: no room for that size on one GPU
};

row measure(const hindsight::nccl::group& g, family which, int log2_n) {
  const std::size_t n = std::size_t{1} << log2_n;
  row result{names[int(which)], log2_n, 0, 0};
  try {
    const data_set in(1, n), out(1, n);
    out.fill();
    const device_scope here{0};
    result.one_ms = median_ms(in, [&] { call_on_one_gpu(which, in, out); });
  } catch (const std::exception&) {  // std::bad_alloc, or the runtime's own error
    cudaGetLastError();
  }
  hindsight::release_memory();
  const int gpus = int(g.num_local());
  const data_set in(gpus, n), out(gpus, n);
  out.fill();
  result.all_ms = median_ms(in, [&] { call_on_all(which, g, in, out); });
  return result;
}

void write(std::FILE* file, const std::vector<row>& rows, std::size_t gpus, double link) {
  cudaDeviceProp properties{};
  throw_on_error(cudaGetDeviceProperties(&properties, 0), "hindsight_ab_mgpu");
  std::fprintf(file,
               "{\n  \"head\": {\"device\": \"%s\", \"gpus\": %d, \"hindsight\": %d, "
               "\"link_gbytes_per_s\": %.1f},\n  \"rows\": [",
               properties.name, int(gpus), HINDSIGHT_VERSION, link);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::fprintf(file,
                 "%s\n    {\"algorithm\": \"%s\", \"key\": \"U32\", \"log2_n\": %d, "
                 "\"one_gpu_ms\": %.4f, \"all_gpus_ms\": %.4f}",
                 i ? "," : "", rows[i].name, rows[i].log2_n, rows[i].one_ms, rows[i].all_ms);
  std::fprintf(file, "\n  ]\n}\n");
}

void run(const char* json, const std::vector<int>& sizes) {
  const hindsight::nccl::all_gpus gpus;
  const hindsight::nccl::group g{gpus.comms(), gpus.streams()};
  const double link = gpus.size() > 1 ? measure_link(g) : 0;
  std::printf("%d GPUs; each sends and receives %.0f GB/s\n", int(gpus.size()), link);
  std::printf("%-16s %6s %12s %12s %8s\n", "u32", "n", "one GPU ms", "all ms", "speedup");
  std::vector<row> rows;
  for (const family which : {family::reduce, family::inclusive_scan, family::histogram,
                             family::copy_if, family::sort, family::sort_by_key})
    for (const int log2_n : sizes) {
      const row& r = rows.emplace_back(measure(g, which, log2_n));
      std::printf("%-16s 2^%-4d %12.4f %12.4f %8.2f\n", r.name, log2_n, r.one_ms, r.all_ms,
                  r.one_ms / r.all_ms);
      std::fflush(stdout);
    }
  if (json == nullptr) return;
  std::FILE* const file = std::fopen(json, "w");
  if (file == nullptr) throw std::runtime_error(std::string{"cannot write "} + json);
  write(file, rows, gpus.size(), link);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {20, 24, 28, 30, 32};
  try {
    run(argc > 1 ? argv[1] : nullptr, sizes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight_ab_mgpu: %s\n", error.what());
    return 1;
  }
  return 0;
}
