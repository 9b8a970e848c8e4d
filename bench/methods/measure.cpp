// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times, counts and compares. Compiled by nvcc where there is a GPU to measure.
#include "measure.h"

#include "methods.h"
#include <algorithm>

namespace methods {

namespace {

scratch engine_scratch() {
  return {[](std::size_t bytes) { return ab::engine::allocate(bytes, ab::memory::engine); },
          [](void* data) { ab::engine::release(data, ab::memory::engine); }};
}

#if HINDSIGHT_CUDA
/// What the GPU is told to do, one thing after the other: the nodes of the call as a graph.
template <class Call>
unsigned count_launches(Call call) {
  cudaStream_t stream;
  cudaGraph_t graph;
  std::size_t nodes = 0;
  cuda::check(cudaStreamCreate(&stream));
  cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  call(stream);
  cuda::check(cudaStreamEndCapture(stream, &graph));
  cuda::check(cudaGraphGetNodes(graph, nullptr, &nodes));
  cuda::check(cudaGraphDestroy(graph));
  cuda::check(cudaStreamDestroy(stream));
  return unsigned(nodes);
}
#else
template <class Call>
unsigned count_launches(Call call) {
  const unsigned long long before = host::num_launches;
  call(nullptr);
  return unsigned(host::num_launches - before);
}
#endif

/// The median of several runs, after one to warm up.
template <class Call>
double median_ms(Call call, int& runs) {
  constexpr int most = 21, least = 3;
  constexpr double enough_ms = 30;
  std::vector<double> times;
  double total = 0;
  ab::engine::milliseconds(call, ab::engine::modes.front());
  while (times.size() < most && (times.size() < least || total < enough_ms)) {
    times.push_back(ab::engine::milliseconds(call, ab::engine::modes.front()));
    total += times.back();
  }
  std::sort(times.begin(), times.end());
  runs = int(times.size());
  return times[times.size() / 2];
}

}  // namespace

const std::vector<method>& methods_of_engine() {
  return all_methods();
}

row measure(const method& m, input& in) {
  const std::size_t n = in.size();
  const ab::buffer& right = in.expected(m.family);
  const ab::buffer out{out_room(n) * sizeof(item)}, num_kept{sizeof(item)};
  scratch memory = engine_scratch();
  const auto run = [&](stream_handle stream) {
    memory.reuse();
    m.run(
        {in.items(), n, out.as<item>(), num_kept.as<item>(), scan_kind::inclusive, memory, stream});
  };
  row r{&m, n, m.costs(double(n), engine::engine_shape(double(n))), 0, 0, 0, true};
  r.ms = median_ms([&] { run(nullptr); }, r.runs);
  out.poison();
  r.launches = count_launches(run);
  run(nullptr);

  item kept = 0;
  ab::engine::copy(&kept, num_kept.as<item>(), sizeof kept);
  const bool counts_kept = std::string{m.family} == "compaction";
  if (counts_kept) r.is_right = kept == in.expected_kept();
  const std::size_t items = std::min(right.bytes(), out.bytes()) / sizeof(item);
  if (ab::engine::first_difference(out.as<item>(), right.as<item>(), sizeof(item), items) != items)
    r.is_right = false;
  return r;
}

}  // namespace methods
