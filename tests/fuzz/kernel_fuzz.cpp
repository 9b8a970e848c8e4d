// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libFuzzer target over the GPU's kernels, as tests/emulation runs them on the CPU. The first
// bytes of an input choose a kernel and a machine; the next ones decide who runs when and how late
// memory is; the others are items. tests/fuzz/run.sh builds and runs it.
#include <hindsight/detail/cuda/radix_sort.cuh>
#include <hindsight/detail/cuda/reduce_by_key.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/cuda/scan_by_key.cuh>
#include <hindsight/detail/cuda/select.cuh>

#include "emulation/operators.h"
#include "emulation/testing.h"
#include "emulation/tiny_sort.h"

namespace hindsight::detail {
inline namespace HINDSIGHT_ARCH_ABI {

struct fuzzed_tiles {
  static constexpr tile_shape shape{2, 2}, pipeline_shape{4, 2};
  static constexpr int min_blocks = 1;
  static constexpr int pipeline_slots = 2, pipeline_tiles_per_slot = 1;  // from a few tiles on
};
template <>
struct scan_tuning<std::uint16_t> : fuzzed_tiles {};
template <>
struct scan_tuning<emulation::affine<std::uint32_t, 0>> : fuzzed_tiles {};
template <>
struct select_tuning<std::uint16_t> : fuzzed_tiles {};
template <class T>
struct scan_by_key_tuning<std::uint16_t, T> : fuzzed_tiles {};
template <class T>
struct reduce_by_key_tuning<std::uint16_t, T> : fuzzed_tiles {};
template <class Value, tiles Size>
struct sort_tuning<std::uint16_t, Value, Size> : tiny_sort_tuning<Value> {};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail

namespace {

using namespace emulation;
using namespace hindsight::detail;
using namespace hindsight::detail::cuda;
using item = std::uint16_t;

/// Decisions are the bytes of an input; when there are none left, they are drawn.
class fuzzed_decisions : public decisions {
 public:
  fuzzed_decisions(std::vector<std::uint8_t> bytes, std::uint64_t seed)
      : bytes_{std::move(bytes)}, drawn_{seed} {}
  unsigned choose(unsigned n) override {
    return next_ < bytes_.size() ? bytes_[next_++] % n : drawn_.choose(n);
  }
  bool happens(unsigned one_in) override { return one_in > 0 && choose(one_in) == 0; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t next_ = 0;
  random_decisions drawn_;
};

struct below {
  item level;
  bool operator()(item i) const { return i < level; }
};
struct same {
  bool operator()(item a, item b) const { return a == b; }
};

template <class T>
std::vector<T> converted(const std::vector<item>& items) {
  std::vector<T> all;
  for (const item i : items)
    if constexpr (is_affine<T>::value) {
      all.push_back(make_affine<std::uint32_t, 0>(i | 1u, i));
    } else {
      all.push_back(i);
    }
  return all;
}

template <class T>
std::string fuzz_scan(const std::vector<item>& items, bool in_place) {
  const auto all = converted<T>(items);
  auto expected = all;
  for (std::size_t i = 1; i < all.size(); ++i)
    expected[i] = operator_of<T>{}(expected[i - 1], all[i]);
  device_array<T> in{all}, out{all.size()};
  T* const to = in_place ? in.data() : out.data();
  two_phases{[&](void* temp, std::size_t& bytes) {
    return scan<T, inclusive>(temp, bytes, in.data(), to, all.size(), operator_of<T>{}, no_init{},
                              nullptr);
  }}();
  return difference({to, to + all.size()}, expected);
}

std::string fuzz_select(const std::vector<item>& items, bool in_place) {
  const below kept{item(items[0] | 0x100)};
  std::vector<item> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), kept);
  device_array<item> in{items}, out{items.size()};
  device_array<std::size_t> count{1};
  item* const to = in_place ? in.data() : out.data();
  two_phases{[&](void* temp, std::size_t& bytes) {
    return select(temp, bytes, in.data(), input_is_stencil{}, to, discard_rejected{}, count.data(),
                  items.size(), kept, nullptr);
  }}();
  if (*count.data() != expected.size()) return "wrong number of items";
  return difference({to, to + expected.size()}, expected);
}

std::string fuzz_by_key(const std::vector<item>& items, bool is_scan) {
  std::vector<item> keys, runs;
  for (const item i : items) keys.push_back(i & 0x101);
  const auto values = converted<std::uint32_t>(items);
  std::vector<std::uint32_t> scanned = values, sums;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool begins = i == 0 || keys[i] != keys[i - 1];
    if (begins) runs.push_back(keys[i]), sums.push_back(0);
    sums.back() += values[i];
    scanned[i] = sums.back();
  }
  device_array<item> keys_in{keys}, keys_out{keys.size()};
  device_array<std::uint32_t> values_in{values}, values_out{values.size()};
  device_array<std::size_t> count{1};
  two_phases{[&](void* temp, std::size_t& bytes) {
    if (is_scan)
      return scan_by_key<std::uint32_t, inclusive>(temp, bytes, keys_in.data(), values_in.data(),
                                                   values_in.data(), keys.size(), same{}, add{},
                                                   no_init{}, nullptr);
    return reduce_by_key<std::uint32_t>(temp, bytes, keys_in.data(), values_in.data(),
                                        keys_out.data(), values_out.data(), count.data(),
                                        keys.size(), same{}, add{}, nullptr);
  }}();
  if (is_scan) return difference(values_in.to_host(), scanned);
  if (*count.data() != runs.size()) return "wrong number of runs";
  return difference(keys_out.to_host(runs.size()), runs) +
         difference(values_out.to_host(runs.size()), sums);
}

std::string fuzz_sort(const std::vector<item>& items, bool in_place) {
  std::vector<std::uint32_t> places(items.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = std::uint32_t(i);
  device_array<item> in{items}, out{items};
  device_array<std::uint32_t> values_in{places}, values_out{places};
  two_phases{[&](void* temp, std::size_t& bytes) {
    return radix_sort<ascending, item, std::uint32_t>(
        temp, bytes, (in_place ? out : in).data(), out.data(),
        (in_place ? values_out : values_in).data(), values_out.data(), items.size(), 0, 16,
        nullptr);
  }}();
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return items[a] < items[b]; });
  std::vector<item> expected;
  for (const std::uint32_t p : places) expected.push_back(items[p]);
  return difference(out.to_host(), expected) + difference(values_out.to_host(), places);
}

std::string fuzz(unsigned kernel, const std::vector<item>& items, bool flag) {
  switch (kernel % 5) {
    case 0:
      return fuzz_scan<item>(items, flag);
    case 1:
      return fuzz_scan<affine<std::uint32_t, 0>>(items, flag);
    case 2:
      return fuzz_select(items, flag);
    case 3:
      return fuzz_by_key(items, flag);
    default:
      return fuzz_sort(items, flag);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t header = 4, decided = 64;
  if (size < header + decided + sizeof(item)) return 0;
  const unsigned kernel = data[0], copies = 1 + data[2] % 32u, flag = data[3];
  fuzzed_decisions decide{{data + header, data + header + decided}, data[1]};
  std::vector<item> some((size - header - decided) / sizeof(item)), items;
  std::memcpy(some.data(), data + header + decided, some.size() * sizeof(item));
  for (unsigned i = 0; i < copies; ++i) items.insert(items.end(), some.begin(), some.end());
  const habits machine = machine_of_seed(data[1]);
  start_poison(data[1]);
  enter({machine, &decide});
  std::string wrong;
  try {
    wrong = fuzz(kernel, items, flag % 2 == 1);
  } catch (const failure& f) {
    wrong = f.what;
  }
  if (wrong.empty()) return 0;
  std::cerr << "kernel " << kernel % 5 << ", " << items.size() << " items, " << describe(machine)
            << "\n"
            << wrong << "\n";
  std::abort();
}
