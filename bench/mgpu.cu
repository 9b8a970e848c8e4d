// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hindsight_ab_mgpu [--gpus 1,2,4] [--log2-n 20,24] [--calls sort,reduce] [--json FILE]: the same
// calls on one GPU and on several over NCCL, by the host's clock from call to return. Sizes are
// those of all shards together: strong scaling is in rows of one size, weak scaling in rows of one
// size for each GPU.
#include <hindsight/hindsight.h>
#include <hindsight/loopback.h>
#include <hindsight/nccl.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using hindsight::detail::throw_on_error;
using hindsight::detail::ranks::device_scope;
using hindsight::detail::ranks::piece;

template <class word>
struct hash_of_index {
  HINDSIGHT_HD word operator()(std::uint64_t i) const {
    i = (i ^ (i >> 31)) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 29)) * 0x94d049bb133111ebu;
    return sizeof(word) == 8 ? word(i ^ (i >> 32)) : word(i >> 32);
  }
};
/// Runs of eight equal keys.
template <class word>
struct eighth_of_index {
  HINDSIGHT_HD word operator()(std::uint64_t i) const { return word(i / 8); }
};
template <class word>
struct is_small {
  HINDSIGHT_HD bool operator()(word item) const { return item < ~word{0} / 2; }
};

template <class word>
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
  template <class ItemOfIndex>
  void fill(std::uint64_t begin, ItemOfIndex item) const {
    const device_scope here{device_};
    const thrust::counting_iterator<std::uint64_t> index(begin);
    thrust::transform(hindsight::cuda::par, index, index + std::ptrdiff_t(n_), data_, item);
  }

 private:
  int device_;
  std::size_t n_;
  word* data_ = nullptr;
};

/// A range on the first so many GPUs, in equal shards.
template <class word>
struct data_set {
  data_set(int gpus, std::size_t n) : part{n / std::size_t(gpus)} {
    for (int device = 0; device < gpus; ++device)
      shards.push_back(std::make_unique<gpu_words<word>>(device, part));
  }
  template <class ItemOfIndex = hash_of_index<word>>
  void fill(ItemOfIndex item = {}) const {
    for (std::size_t s = 0; s < shards.size(); ++s) shards[s]->fill(s * part, item);
  }
  auto view(const hindsight::nccl::group& g) const {
    std::vector<::cuda::std::span<word>> spans;
    for (const auto& shard : shards) spans.emplace_back(shard->data(), shard->size());
    return hindsight::shards(g, spans);
  }
  word* begin() const { return shards.front()->data(); }
  word* end() const { return begin() + part; }

  std::size_t part;
  std::vector<std::unique_ptr<gpu_words<word>>> shards;
};

enum class family {
  reduce,
  reduce_same_bits,
  inclusive_scan,
  histogram,
  copy_if,
  reduce_by_key,
  sort,
  sort_by_key
};
constexpr const char* names[] = {"reduce",  "reduce_same_bits", "inclusive_scan", "histogram_even",
                                 "copy_if", "reduce_by_key",    "sort",           "sort_by_key"};
constexpr int num_bins = 256;

/// reduce_same_bits is compared with the plain reduce.
template <class word>
void call_on_one_gpu(family which, const data_set<word>& in, const data_set<word>& out,
                     const data_set<word>& more) {
  const auto& par = hindsight::cuda::par;
  constexpr word top = ~word{0};
  if (which == family::reduce || which == family::reduce_same_bits)
    hindsight::reduce(par, in.begin(), in.end(), word{0});
  if (which == family::inclusive_scan)
    hindsight::inclusive_scan(par, in.begin(), in.end(), out.begin(), ::cuda::std::plus<>{});
  if (which == family::histogram)
    hindsight::histogram_even(par, in.begin(), in.end(), num_bins, word{0}, top, out.begin());
  if (which == family::copy_if)
    hindsight::copy_if(par, in.begin(), in.end(), out.begin(), is_small<word>{});
  if (which == family::reduce_by_key)
    hindsight::reduce_by_key(par, in.begin(), in.end(), in.begin(), out.begin(), more.begin());
  if (which == family::sort) hindsight::sort(par, in.begin(), in.end());
  if (which == family::sort_by_key) hindsight::sort_by_key(par, in.begin(), in.end(), out.begin());
}

template <class word>
void call_on_group(family which, const hindsight::nccl::group& g, const data_set<word>& input,
                   const data_set<word>& output, const data_set<word>& third) {
  const auto in = input.view(g), out = output.view(g), more = third.view(g);
  constexpr word top = ~word{0};
  if (which == family::reduce) hindsight::reduce(g.par, in, word{0});
  if (which == family::reduce_same_bits) hindsight::reduce_same_bits(g.par, in, word{0});
  if (which == family::inclusive_scan) hindsight::inclusive_scan(g.par, in, out);
  if (which == family::histogram) hindsight::histogram_even(g.par, in, num_bins, word{0}, top, out);
  if (which == family::copy_if) hindsight::copy_if(g.par, in, out, is_small<word>{});
  if (which == family::reduce_by_key) hindsight::reduce_by_key(g.par, in, in, out, more);
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

/// Median of five calls, of three long ones, after one that is not counted; prepare() comes before
/// each.
template <class Prepare, class Call>
double median_ms(Prepare prepare, Call call) {
  std::vector<double> times;
  while (times.size() < 6 && (times.size() < 4 || times.back() < 50)) {
    prepare();
    times.push_back(milliseconds(call));
  }
  std::sort(times.begin() + 1, times.end());
  return times[times.size() / 2];
}

/// GB/s that each GPU sends, and receives at the same time, when each sends as much to all others.
double measure_link(const hindsight::nccl::group& g) {
  const std::size_t gpus = g.num_local(), bytes = std::size_t{1} << 32;
  const data_set<std::uint64_t> from(int(gpus), gpus * bytes / 8), to(int(gpus), gpus * bytes / 8);
  const auto exchange = [&] {
    g.par.run("hindsight_ab_mgpu", [&](auto& rank, std::size_t i) {
      std::vector<piece> send, receive;
      for (std::size_t r = 0; r < gpus; ++r) {
        const std::size_t at = r * (bytes / gpus / 8), size = r == i ? 0 : bytes / gpus;
        send.push_back({from.shards[i]->data() + at, size});
        receive.push_back({to.shards[i]->data() + at, size});
      }
      rank.exchange(send, receive);
    });
  };
  const double ms = median_ms([] {}, exchange);
  return double(bytes / gpus * (gpus - 1)) / ms / 1e6;
}

struct row {
  const char* name;
  const char* key;
  int gpus, log2_n;
  double ms;
};

/// Nothing where there is no room for that size.
template <class word>
std::optional<double> measure(const hindsight::nccl::group& g, family which, int log2_n) {
  const int gpus = int(g.num_local());
  const std::size_t n = std::size_t{1} << log2_n;
  try {
    const bool by_key = which == family::reduce_by_key;
    const data_set<word> in(gpus, n), out(gpus, n), more(gpus, by_key ? n : std::size_t(gpus));
    out.fill();
    by_key ? in.fill(eighth_of_index<word>{}) : in.fill();
    const auto prepare = [&] {  // the others leave their input as it was
      if (which == family::sort || which == family::sort_by_key) in.fill();
    };
    const device_scope here{0};
    if (gpus == 1) return median_ms(prepare, [&] { call_on_one_gpu(which, in, out, more); });
    return median_ms(prepare, [&] { call_on_group(which, g, in, out, more); });
  } catch (const std::bad_alloc&) {
  } catch (const thrust::system_error& error) {
    if (error.code().value() != cudaErrorMemoryAllocation) throw;
  } catch (const hindsight::rank_failed&) {  // the others had room
  }
  return {};
}

struct selection {
  std::vector<int> gpus{1, 2, 4, 8, 16}, sizes{20, 24, 28, 30, 31, 32, 33};
  std::string calls;  ///< names with a comma between; none: all
  bool has(const std::string& name) const {
    return calls.empty() || ("," + calls + ",").find("," + name + ",") != std::string::npos;
  }
};

template <class word>
void measure_all(const hindsight::nccl::group& g, const char* key, const std::vector<family>& which,
                 const selection& wanted, std::vector<row>& rows) {
  for (const family each : which)
    for (const int log2_n : wanted.sizes) {
      if (!wanted.has(names[int(each)])) continue;
      const std::optional<double> ms = measure<word>(g, each, log2_n);
      for (int device = 0; device < g.size(); ++device) {
        const device_scope here{device};
        hindsight::release_memory();
      }
      if (!ms) continue;
      const int gpus = int(g.num_local());
      double one_ms = 0;
      for (const row& r : rows)
        if (r.gpus == 1 && r.log2_n == log2_n && r.name == names[int(each)] && r.key == key)
          one_ms = r.ms;
      std::printf("%d GPUs  %-16s %s 2^%-4d %12.4f ms %8.2f\n", gpus, names[int(each)], key, log2_n,
                  *ms, one_ms / *ms);
      std::fflush(stdout);
      rows.push_back({names[int(each)], key, gpus, log2_n, *ms});
    }
}

/// What a sort over ranks does, each step alone on one GPU with its share of the keys: counting
/// digits, moving keys to buckets, and sorting as many and as large buckets as it gets.
struct sort_phases {
  const char* key;
  int gpus, log2_n;
  double count_ms, move_ms, sort_ms;
};

template <class word>
sort_phases measure_phases(const char* key, int gpus, int log2_n) {
  namespace ranks = hindsight::detail::ranks;
  using direction = hindsight::detail::ascending;
  using records = ranks::records<word, hindsight::detail::no_value>;
  const std::size_t n = (std::size_t{1} << log2_n) / std::size_t(gpus);
  const data_set<word> in(1, n), out(1, n);
  const hindsight::loopback::gpu_group g{{0}, {cudaStreamPerThread}};
  const int shift = 8 * int(sizeof(word)) - 8;
  sort_phases phases{key, gpus, log2_n, 0, 0, 0};
  in.fill();
  g.par.run("hindsight_ab_mgpu", [&](auto& rank, std::size_t) {
    const records from{in.begin(), nullptr}, to{out.begin(), nullptr};
    const word* const keys = in.begin();
    std::vector<std::size_t> counts;
    phases.count_ms = median_ms(
        [] {},
        [&] { counts = ranks::count_buckets<direction>(rank, rank.policy(), keys, n, shift, 1); });
    const auto places = ranks::begins_of(counts);
    phases.move_ms = median_ms([] {},
                               [&] {
                                 ranks::move_to_buckets<direction>(rank, rank.policy(), from, to, n,
                                                                   shift, places);
                                 rank.place().wait();
                               });
    const std::size_t groups = ranks::num_buckets / std::size_t(gpus);
    const std::vector<ranks::group_size> sizes(groups, {n / groups, shift});
    using compare = ::cuda::std::less<word>;
    using no_value = hindsight::detail::no_value;
    phases.sort_ms = median_ms(
        [] {},
        [&] {
          using sorter = ranks::group_sorter<ranks::gpu_place, direction, word, no_value, compare>;
          const sorter sort{rank.place(), sizes, hindsight::detail::bucket_sort_tuning::lanes,
                            compare{}};
          for (std::size_t i = 0; i < groups; ++i)
            sort.sort(i % sort.num_lanes(), to + i * sizes[i].n, from + i * sizes[i].n, sizes[i]);
          sort.wait();
        });
  });
  std::printf("%d GPUs  phases of sort   %s 2^%-4d count %.3f move %.3f sort %.3f\n", gpus, key,
              log2_n, phases.count_ms, phases.move_ms, phases.sort_ms);
  return phases;
}

struct link {
  int gpus;
  double gbytes_per_s;
};

void write(const char* path, const std::vector<row>& rows, const std::vector<link>& links,
           const std::vector<sort_phases>& phases) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) throw std::runtime_error(std::string{"cannot write "} + path);
  cudaDeviceProp properties{};
  throw_on_error(cudaGetDeviceProperties(&properties, 0), "hindsight_ab_mgpu");
  std::fprintf(file, "{\n  \"head\": {\"device\": \"%s\", \"hindsight\": %d, \"links\": [",
               properties.name, HINDSIGHT_VERSION);
  for (std::size_t i = 0; i < links.size(); ++i)
    std::fprintf(file, "%s{\"gpus\": %d, \"gbytes_per_s\": %.1f}", i ? ", " : "", links[i].gpus,
                 links[i].gbytes_per_s);
  std::fprintf(file, "]},\n  \"phases\": [");
  for (std::size_t i = 0; i < phases.size(); ++i)
    std::fprintf(file,
                 "%s\n    {\"algorithm\": \"sort\", \"key\": \"%s\", \"gpus\": %d, \"log2_n\": %d, "
                 "\"count_ms\": %.3f, \"move_ms\": %.3f, \"sort_ms\": %.3f}",
                 i ? "," : "", phases[i].key, phases[i].gpus, phases[i].log2_n, phases[i].count_ms,
                 phases[i].move_ms, phases[i].sort_ms);
  std::fprintf(file, "\n  ],\n  \"rows\": [");
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::fprintf(file,
                 "%s\n    {\"algorithm\": \"%s\", \"key\": \"%s\", \"gpus\": %d, "
                 "\"log2_n\": %d, \"ms\": %.4f}",
                 i ? "," : "", rows[i].name, rows[i].key, rows[i].gpus, rows[i].log2_n, rows[i].ms);
  std::fprintf(file, "\n  ]\n}\n");
  const bool is_written = std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !is_written)
    throw std::runtime_error(std::string{"cannot write "} + path);
}

void run(const char* json, const selection& wanted) {
  std::vector<row> rows;
  std::vector<link> links;
  std::vector<sort_phases> phases;
  for (const int count : wanted.gpus) {
    const hindsight::nccl::all_gpus gpus{count};
    if (int(gpus.size()) < count) break;
    const hindsight::nccl::group g{gpus.comms(), gpus.streams()};
    if (count > 1) {
      links.push_back({count, measure_link(g)});
      std::printf("%d GPUs: each sends and receives %.0f GB/s\n", count, links.back().gbytes_per_s);
    }
    measure_all<std::uint32_t>(
        g, "U32",
        {family::sort, family::reduce, family::inclusive_scan, family::histogram, family::copy_if,
         family::sort_by_key, family::reduce_same_bits, family::reduce_by_key},
        wanted, rows);
    measure_all<std::uint64_t>(g, "U64", {family::sort}, wanted, rows);
    for (const int log2_n : wanted.sizes) {
      if (count == 1 || log2_n < 30 || log2_n > 32 || !wanted.has("sort")) continue;
      phases.push_back(measure_phases<std::uint32_t>("U32", count, log2_n));
      phases.push_back(measure_phases<std::uint64_t>("U64", count, log2_n));
      hindsight::release_memory();
    }
    if (json) write(json, rows, links, phases);
  }
}

/// Numbers from 1 to `most`, with a comma between.
std::vector<int> numbers_in(const char* text, long most) {
  std::vector<int> numbers;
  const char* rest = text;
  for (char* end = nullptr; *rest != 0 || numbers.empty(); rest = *end == ',' ? end + 1 : end) {
    const long number = std::strtol(rest, &end, 10);
    if (end == rest || number < 1 || number > most)
      throw std::runtime_error("not a list of numbers from 1 to " + std::to_string(most) + ": " +
                               text);
    numbers.push_back(int(number));
  }
  return numbers;
}

void check_calls(const std::string& calls) {
  std::istringstream words(calls);
  for (std::string word; std::getline(words, word, ',');)
    if (std::find(std::begin(names), std::end(names), word) == std::end(names))
      throw std::runtime_error("there is no call " + word);
}

/// Also sets `json`, if there is that option.
selection parse(int argc, char** argv, const char*& json) {
  selection wanted;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    const char* const value = argv[i + 1];  // behind the last one there is a null pointer
    const bool is_known =
        option == "--json" || option == "--gpus" || option == "--log2-n" || option == "--calls";
    if (!is_known)
      throw std::runtime_error("unknown option " + option +
                               "; there are --gpus, --log2-n, --calls and --json");
    if (value == nullptr || *value == 0) throw std::runtime_error(option + " needs a value");
    if (option == "--json") json = value;
    if (option == "--gpus") wanted.gpus = numbers_in(value, 1024);
    if (option == "--log2-n") wanted.sizes = numbers_in(value, 40);
    if (option == "--calls") check_calls(wanted.calls = value);
  }
  return wanted;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  try {
    const char* json = nullptr;
    const selection wanted = parse(argc, argv, json);
    run(json, wanted);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight_ab_mgpu: %s\n", error.what());
    return 1;
  }
  return 0;
}
