// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The swap on real input: the bytes of a text and of a picture, and the words of the text, through
// eleven algorithms under Thrust's own policy and under hindsight::par. g++ builds it for host
// threads, nvcc for the GPU.
//
//   demo DATA_DIR [NUM_BYTES [NUM_WORDS]]     exit status 1 if any result differs from stock's
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/version.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace demo {

using byte = std::uint8_t;
using word = std::uint64_t;  // the first eight letters, so that words compare as in a dictionary

template <class T>
using vector = thrust::device_vector<T>;

struct is_letter {
  HINDSIGHT_HD bool operator()(byte b) const {
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
  }
};

// ---- input
// ----------------------------------------------------------------------------------------------------------

std::vector<byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<word> words_of(const std::vector<byte>& text) {
  std::vector<word> words;
  word current = 0;
  int letters = 0;
  for (const byte b : text) {
    if (is_letter{}(b)) {
      if (++letters <= 8) current = current << 8 | byte(b | 0x20);
    } else if (letters > 0) {
      words.push_back(current << 8 * (8 - std::min(letters, 8)));
      current = 0;
      letters = 0;
    }
  }
  return words;
}

template <class T>
std::vector<T> repeated(const std::vector<T>& items, std::size_t n) {
  std::vector<T> out;
  out.reserve(n);
  while (out.size() < n) {
    const std::size_t count = std::min(items.size(), n - out.size());
    out.insert(out.end(), items.begin(), items.begin() + std::ptrdiff_t(count));
  }
  return out;
}

// ---- measurement
// ----------------------------------------------------------------------------------------------------

/// Whatever a call writes; each call uses the vectors that it needs.
struct output {
  vector<byte> bytes, other_bytes;
  vector<word> words;
  vector<std::uint32_t> numbers;
  std::uint64_t value = 0;

  bool operator==(const output& other) const {
    return bytes == other.bytes && other_bytes == other.other_bytes && words == other.words &&
           numbers == other.numbers && value == other.value;
  }
};

template <class F>
double milliseconds(F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

bool all_same = true;

/// Runs `call(policy, output)` under both policies in turn, each time on a copy of `fresh`, and
/// prints a row: the medians of the whole call, host clock.
template <class Call>
void compare(const char* name, std::size_t n, const output& fresh, Call call) {
  constexpr int runs = 7;
  output stock = fresh, ours = fresh;
  call(thrust::device, stock);  // first use: code loading, memory pools
  call(hindsight::par, ours);
  std::vector<double> stock_ms, our_ms;
  for (int run = 0; run < runs; ++run) {
    stock = fresh;
    stock_ms.push_back(milliseconds([&] { call(thrust::device, stock); }));
    ours = fresh;
    our_ms.push_back(milliseconds([&] { call(hindsight::par, ours); }));
  }
  const bool same = stock == ours;
  all_same = all_same && same;
  std::printf("%-18s %12zu %10.3f %10.3f %8.2fx   same bits: %s\n", name, n, median(stock_ms),
              median(our_ms), median(stock_ms) / median(our_ms), same ? "yes" : "no");
  std::fflush(stdout);
}

// ---- the families
// ---------------------------------------------------------------------------------------------------

void byte_families(const vector<byte>& bytes) {
  const std::size_t n = bytes.size();
  const auto first = bytes.begin(), last = bytes.end();
  output fresh;

  compare("reduce", n, fresh, [&](const auto& policy, output& out) {
    out.value = thrust::reduce(policy, first, last, std::uint64_t{0});
  });

  fresh.bytes.resize(n);
  compare("inclusive_scan", n, fresh, [&](const auto& policy, output& out) {
    thrust::inclusive_scan(policy, first, last, out.bytes.begin());
  });
  compare("copy_if", n, fresh, [&](const auto& policy, output& out) {
    const auto end = thrust::copy_if(policy, first, last, out.bytes.begin(), is_letter{});
    out.value = std::uint64_t(end - out.bytes.begin());
  });

  fresh.other_bytes.resize(n);
  compare("partition_copy", n, fresh, [&](const auto& policy, output& out) {
    const auto ends = thrust::partition_copy(policy, first, last, out.bytes.begin(),
                                             out.other_bytes.begin(), is_letter{});
    out.value = std::uint64_t(ends.first - out.bytes.begin());
  });
  fresh.other_bytes = {};

  fresh.numbers.resize(n);
  compare("run_length_encode", n, fresh, [&](const auto& policy, output& out) {
    const auto ends =
        hindsight::run_length_encode(policy, first, last, out.bytes.begin(), out.numbers.begin());
    out.value = std::uint64_t(ends.first - out.bytes.begin());
  });
  fresh.bytes = {};
  compare("exclusive_scan", n, fresh, [&](const auto& policy, output& out) {
    thrust::exclusive_scan(policy, first, last, out.numbers.begin(), std::uint32_t{0});
  });

  fresh.numbers = vector<std::uint32_t>(256);
  compare("histogram_even", n, fresh, [&](const auto& policy, output& out) {
    hindsight::histogram_even(policy, first, last, 256, 0, 256, out.numbers.begin());
  });
  // Control characters, punctuation, digits, capitals, small letters, the rest: as a text editor
  // would group them.
  const vector<int> levels(std::vector<int>{0, 32, 48, 58, 65, 91, 97, 123, 256});
  fresh.numbers = vector<std::uint32_t>(levels.size() - 1);
  compare("histogram_range", n, fresh, [&](const auto& policy, output& out) {
    hindsight::histogram_range(policy, first, last, levels.begin(), levels.end(),
                               out.numbers.begin());
  });
}

void word_families(const vector<word>& words) {
  const std::size_t n = words.size();
  output fresh;
  fresh.words = words;
  compare("sort", n, fresh, [&](const auto& policy, output& out) {
    thrust::sort(policy, out.words.begin(), out.words.end());
  });

  fresh.numbers.resize(n);
  thrust::sequence(thrust::device, fresh.numbers.begin(), fresh.numbers.end());
  compare("sort_by_key", n, fresh, [&](const auto& policy, output& out) {
    thrust::sort_by_key(policy, out.words.begin(), out.words.end(), out.numbers.begin());
  });

  vector<word> sorted = words;
  thrust::sort(thrust::device, sorted.begin(), sorted.end());
  compare("reduce_by_key", n, fresh, [&](const auto& policy, output& out) {
    const auto ends = thrust::reduce_by_key(policy, sorted.begin(), sorted.end(),
                                            thrust::constant_iterator<std::uint32_t>(1),
                                            out.words.begin(), out.numbers.begin());
    out.value = std::uint64_t(ends.first - out.words.begin());
  });
}

#if defined(__CUDACC__)
constexpr std::size_t default_bytes = std::size_t{1} << 28, default_words = std::size_t{1} << 26;

std::string where() {
  cudaDeviceProp device{};
  const cudaError_t status = cudaGetDeviceProperties(&device, 0);
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
  return device.name;
}
#else
constexpr std::size_t default_bytes = std::size_t{1} << 25, default_words = std::size_t{1} << 22;

std::string where() {
  const char* stock = THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP   ? "OpenMP"
                      : THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB ? "TBB"
                                                                         : "sequential C++";
  return std::to_string(std::thread::hardware_concurrency()) + " host threads (stock: " + stock +
         ")";
}
#endif

std::size_t number_in(const std::string& text) {
  const bool is_number = text.size() < 16 && text.find_first_of("123456789") != std::string::npos &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) throw std::runtime_error("'" + text + "' is no number of items");
  return std::stoull(text);
}

void run(int argc, char** argv) {
  if (argc < 2 || argc > 4)
    throw std::runtime_error("usage: demo DATA_DIR [NUM_BYTES [NUM_WORDS]]");
  const std::string data_dir = argv[1];
  const std::size_t num_bytes = argc > 2 ? number_in(argv[2]) : default_bytes;
  const std::size_t num_words = argc > 3 ? number_in(argv[3]) : default_words;

  const std::vector<byte> text = read_file(data_dir + "/text.txt");
  std::vector<byte> bytes = text;
  const std::vector<byte> image = read_file(data_dir + "/image.ppm");
  bytes.insert(bytes.end(), image.begin(), image.end());
  const std::vector<word> words = words_of(text);
  if (words.empty()) throw std::runtime_error("no words in " + data_dir + "/text.txt");

  std::printf("hindsight against Thrust %d.%d.%d on %s\n", THRUST_MAJOR_VERSION,
              THRUST_MINOR_VERSION, THRUST_SUBMINOR_VERSION, where().c_str());
  std::printf("%zu bytes of text and picture, repeated to %zu; %zu words, repeated to %zu\n\n",
              bytes.size(), num_bytes, words.size(), num_words);
  std::printf("%-18s %12s %10s %10s %9s\n", "algorithm", "items", "stock ms", "our ms", "ratio");
  byte_families(repeated(bytes, num_bytes));
  word_families(repeated(words, num_words));
  std::printf(
      "\nratio: stock / ours, medians of the whole call by the host's clock; above 1 ours is "
      "faster\n");
}

}  // namespace demo

int main(int argc, char** argv) {
  try {
    demo::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "demo: %s\n", error.what());
    return 2;
  }
  if (!demo::all_same) std::fputs("demo: some results differ from stock's\n", stderr);
  return demo::all_same ? 0 : 1;
}
