// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hindsight_ab: stock and hindsight in turn, in one process, results compared bit by bit.
//
//   hindsight_ab [--filter SUBSTRING] [--type NAME] [--n N,N,...] [--distribution SUBSTRING]
//                [--whole-call [--small-buffers]] [--seed N] [--json FILE] [--csv FILE] [--list]
#include <hindsight/version.h>

#include <cuda/std/version>

#include "ab.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <unistd.h>

namespace ab {

std::vector<ab_case>& cases() {
  static std::vector<ab_case> all;
  return all;
}

namespace {

__device__ std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15ull + i;  // splitmix64's finaliser over a counter
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

__global__ void random_kernel(std::uint64_t* words, std::size_t n, int and_of, std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step) {
    std::uint64_t word = ~0ull;
    for (int a = 0; a < and_of; ++a) word &= random_bits(seed + a, i);
    words[i] = word;
  }
}

std::uint64_t seed = 42;

struct row {
  const ab_case* of;
  std::size_t n;
  mode measured;
  double stock_ms, our_ms, share;
  std::size_t bytes;
  bool same;
};

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// The time of one call: on the device between two events, or on the host until it returns.
double time_once(const std::function<void()>& call, mode measured) {
  check(cudaDeviceSynchronize(), "before a run");
  if (measured == mode::whole_call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  }
  const auto make_event = [] {
    cudaEvent_t event;
    check(cudaEventCreate(&event), "event");
    return event;
  };
  static const cudaEvent_t begin = make_event(), end = make_event();
  float ms = 0;
  check(cudaEventRecord(begin), "event");
  call();
  check(cudaEventRecord(end), "event");
  check(cudaEventSynchronize(end), "call");
  check(cudaEventElapsedTime(&ms, begin, end), "event");
  return ms;
}

bool same_results(const prepared& sides) {
  for (std::size_t i = 0; i < sides.stock_results.size(); ++i) {
    const std::size_t bytes = sides.stock_results[i].bytes();
    std::vector<char> a(bytes), b(bytes);
    check(cudaMemcpy(a.data(), sides.stock_results[i].as<void>(), bytes, cudaMemcpyDefault),
          "copy");
    check(cudaMemcpy(b.data(), sides.our_results[i].as<void>(), bytes, cudaMemcpyDefault), "copy");
    if (std::memcmp(a.data(), b.data(), bytes) != 0) return false;
  }
  return true;
}

row measure(const ab_case& of, std::size_t n, mode measured, double copy_gbytes_per_s) {
  prepared sides;
  of.prepare(sides, n, measured);
  for (const auto* results : {&sides.stock_results, &sides.our_results})
    for (const buffer& result : *results) result.poison();
  std::vector<double> stock_ms, our_ms;
  const int runs = n >= std::size_t{1} << 27 ? 9 : 25;
  for (int run = -2; run < runs; ++run) {  // two to warm up
    sides.reset(sides.stock_results);
    const double stock = time_once(sides.stock, measured);
    sides.reset(sides.our_results);
    const double ours = time_once(sides.ours, measured);
    if (run < 0) continue;
    stock_ms.push_back(stock);
    our_ms.push_back(ours);
  }
  check(cudaDeviceSynchronize(), "last run");
  row result{&of, n,           measured,           median(stock_ms), median(our_ms),
             0,   sides.bytes, same_results(sides)};
  result.share = result.bytes / (result.our_ms * 1e6) / copy_gbytes_per_s;
  return result;
}

/// Measured ceilings in GB/s: a device copy (read and written bytes).
double copy_ceiling() {
  constexpr std::size_t bytes = std::size_t{2} << 30;
  const buffer from(bytes), to(bytes);
  std::vector<double> ms;
  for (int run = 0; run < 7; ++run) {
    ms.push_back(time_once(
        [&] {
          check(cudaMemcpyAsync(to.as<void>(), from.as<void>(), bytes, cudaMemcpyDeviceToDevice),
                "copy");
        },
        mode::kernel));
  }
  return 2.0 * bytes / (median(ms) * 1e6);
}

struct options {
  std::string filter, type, distribution, json, csv;
  std::vector<std::size_t> sizes = {1u << 16, 1u << 20, 1u << 24, 1u << 28};
  mode measured = mode::kernel;
  bool list = false;
};

options parse(int argc, char** argv) {
  options wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) {
        std::fprintf(stderr, "hindsight_ab: %s needs a value\n", arg.c_str());
        std::exit(2);
      }
      return argv[++i];
    };
    if (arg == "--filter")
      wanted.filter = value();
    else if (arg == "--type")
      wanted.type = value();
    else if (arg == "--distribution")
      wanted.distribution = value();
    else if (arg == "--json")
      wanted.json = value();
    else if (arg == "--csv")
      wanted.csv = value();
    else if (arg == "--seed")
      seed = std::stoull(value());
    else if (arg == "--whole-call")
      wanted.measured = mode::whole_call;
    else if (arg == "--small-buffers")
      whole_chunks = false;
    else if (arg == "--list")
      wanted.list = true;
    else if (arg == "--n") {
      wanted.sizes.clear();
      std::string list = value();
      for (char* word = std::strtok(list.data(), ","); word; word = std::strtok(nullptr, ","))
        wanted.sizes.push_back(std::stoull(word));
    } else {
      std::fprintf(stderr, "hindsight_ab: unknown option %s\n", arg.c_str());
      std::exit(2);
    }
  }
  return wanted;
}

bool is_wanted(const ab_case& c, const options& o) {
  const auto has = [](const std::string& text, const std::string& part) {
    return part.empty() || text.find(part) != std::string::npos;
  };
  return has(c.algorithm, o.filter) && has(c.distribution, o.distribution) &&
         (o.type.empty() || o.type == c.key);
}

void write_json(const std::string& path, const std::vector<row>& rows, double copy) {
  cudaDeviceProp device;
  int driver = 0, toolkit = 0;
  check(cudaGetDeviceProperties(&device, 0), "device");
  check(cudaDriverGetVersion(&driver), "driver");
  check(cudaRuntimeGetVersion(&toolkit), "toolkit");
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  const char* digest = std::getenv("HINDSIGHT_SOURCE_DIGEST");

  std::ofstream out(path);
  out << "{\n  \"head\": {\"device\": \"" << device.name << "\", \"driver\": " << driver
      << ", \"toolkit\": " << toolkit << ", \"cccl\": " << CCCL_VERSION << ", \"date\": \"" << date
      << "\", \"copy_gbytes_per_s\": " << copy << ", \"source_digest\": \""
      << (digest ? digest : "") << "\"},\n  \"rows\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const row& r = rows[i];
    out << "    {\"algorithm\": \"" << r.of->algorithm << "\", \"key\": \"" << r.of->key
        << "\", \"value\": \"" << r.of->value << "\", \"n\": " << r.n << ", \"distribution\": \""
        << r.of->distribution << "\", \"mode\": \""
        << (r.measured == mode::kernel ? "kernel" : "whole_call")
        << "\", \"hindsight_ms\": " << r.our_ms << ", \"stock_ms\": " << r.stock_ms
        << ", \"ratio\": " << r.stock_ms / r.our_ms
        << ", \"gbytes_per_s\": " << r.bytes / (r.our_ms * 1e6)
        << ", \"share_of_ceiling\": " << r.share
        << ", \"same_bits\": " << (r.same ? "true" : "false") << "}"
        << (i + 1 < rows.size() ? "," : "") << "\n";
  }
  out << "  ]\n}\n";
}

void write_csv(const std::string& path, const std::vector<row>& rows) {
  std::ofstream out(path);
  out << "algorithm,key,value,n,distribution,mode,hindsight_ms,stock_ms,ratio,same_bits\n";
  for (const row& r : rows) {
    out << r.of->algorithm << ',' << r.of->key << ',' << r.of->value << ',' << r.n << ','
        << r.of->distribution << ',' << (r.measured == mode::kernel ? "kernel" : "whole_call")
        << ',' << r.our_ms << ',' << r.stock_ms << ',' << r.stock_ms / r.our_ms << ',' << r.same
        << '\n';
  }
}

}  // namespace

void fill_random(void* data, std::size_t bytes, int and_of) {
  random_kernel<<<1024, 256>>>(static_cast<std::uint64_t*>(data), bytes / 8, and_of, seed);
  check(cudaGetLastError(), "random");
  check(cudaDeviceSynchronize(), "random");
}

void fill_runs(std::uint32_t* keys, std::size_t n, std::size_t mean) {
  std::vector<std::uint32_t> host(n);
  std::uint64_t state = seed;
  std::uint32_t run = 0;
  for (std::size_t i = 0; i < n; ++run) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const std::size_t length = mean > 1 ? 1 + (state >> 33) % (2 * mean - 1) : 1;
    for (std::size_t k = 0; k < length && i < n; ++k) host[i++] = run * 2654435761u;
  }
  check(cudaMemcpy(keys, host.data(), n * sizeof *keys, cudaMemcpyDefault), "copy");
}

int run(int argc, char** argv) {
  const options wanted = parse(argc, argv);
  std::vector<const ab_case*> chosen;
  for (const ab_case& c : cases()) {
    if (is_wanted(c, wanted)) chosen.push_back(&c);
  }
  if (wanted.list) {
    for (const ab_case* c : chosen) {
      std::printf("%s %s %s %s\n", c->algorithm.c_str(), c->key.c_str(), c->value.c_str(),
                  c->distribution.c_str());
    }
    return 0;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  const double copy = copy_ceiling();
  std::printf("hindsight %d.%d.%d against CCCL %d; device copy %.0f GB/s\n",
              HINDSIGHT_VERSION_MAJOR, HINDSIGHT_VERSION_MINOR, HINDSIGHT_VERSION_PATCH,
              CCCL_VERSION, copy);
  std::printf("%-18s %-4s %-4s %11s %-16s %11s %11s %7s %6s  %s\n", "algorithm", "key", "val", "n",
              "distribution", "stock ms", "ours ms", "ratio", "% copy", "same bits");
  std::vector<row> rows;
  bool all_same = true;
  const std::size_t total = chosen.size() * wanted.sizes.size();
  const auto begin = std::chrono::steady_clock::now();
  const bool terminal = isatty(1);
  for (const ab_case* c : chosen) {
    for (const std::size_t n : wanted.sizes) {
      const row r = measure(*c, n, wanted.measured, copy);
      rows.push_back(r);
      all_same = all_same && r.same;
      std::printf("%s%-18s %-4s %-4s %11zu %-16s %11.4f %11.4f %6.2fx %5.1f%%  %s\n",
                  terminal ? "\r\033[K" : "", c->algorithm.c_str(), c->key.c_str(),
                  c->value.c_str(), n, c->distribution.c_str(), r.stock_ms, r.our_ms,
                  r.stock_ms / r.our_ms, 100 * r.share, r.same ? "yes" : "NO");
      if (terminal) {
        const double spent =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const double left = spent / rows.size() * (total - rows.size());
        std::printf("[%3zu%%] %zu of %zu, %.0f s left", 100 * rows.size() / total, rows.size(),
                    total, left);
      }
      std::fflush(stdout);
    }
  }
  if (terminal) std::printf("\r\033[K");
  if (!wanted.json.empty()) write_json(wanted.json, rows, copy);
  if (!wanted.csv.empty()) write_csv(wanted.csv, rows);
  return all_same ? 0 : 1;
}

}  // namespace ab

int main(int argc, char** argv) {
  return ab::run(argc, argv);
}
