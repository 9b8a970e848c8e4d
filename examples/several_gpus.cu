// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program for 1, 2 or n GPUs: all GPUs get a part of the numbers, sort them together, and count
// them by value. One process has all GPUs. Built with MPI, each process has one: mpirun -n 8.
#include <hindsight/hindsight.h>
#include <hindsight/nccl.h>

#include <thrust/execution_policy.h>
#include <thrust/tabulate.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(EXAMPLE_HAS_MPI)
#  include <mpi.h>
#endif

/// A process that fails ends, and so do those of the other GPUs: mpirun sees to that.
void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct mixed {
  __host__ __device__ unsigned operator()(unsigned i) const { return i * 2654435761u >> 12; }
};

#if defined(EXAMPLE_HAS_MPI)
/// The GPU of this process, of which mpirun started several: one for each GPU of a machine.
std::unique_ptr<hindsight::nccl::communicators> gpu_of_process(int rank, int num_processes) {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  int device = 0;
  MPI_Comm_rank(machine, &device);
  MPI_Comm_free(&machine);
  hindsight::nccl::id id{};
  if (rank == 0) id = hindsight::nccl::make_id();
  MPI_Bcast(&id, int(sizeof id), MPI_BYTE, 0, MPI_COMM_WORLD);
  return std::make_unique<hindsight::nccl::one_gpu>(id, rank, num_processes, device);
}
#endif

/// The ranks of this process: all GPUs, or one if mpirun started several processes.
std::unique_ptr<hindsight::nccl::communicators> gpus_of_process() {
#if defined(EXAMPLE_HAS_MPI)
  int rank = 0, num_processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_processes);
  if (num_processes > 1) return gpu_of_process(rank, num_processes);
#endif
  return std::make_unique<hindsight::nccl::all_gpus>();
}

int sort_and_count() {
  constexpr std::size_t n = 1 << 22;  // on each GPU
  const auto gpus = gpus_of_process();
  hindsight::nccl::group g{gpus->comms(), gpus->streams()};

  std::vector<::cuda::std::span<unsigned>> keys, values, counts;
  for (const int device : gpus->devices()) {
    unsigned* memory = nullptr;
    check(cudaSetDevice(device));
    check(cudaMalloc(&memory, 3 * n * sizeof(unsigned)));
    thrust::tabulate(thrust::cuda::par, memory, memory + n, mixed{});
    keys.emplace_back(memory, n);
    values.emplace_back(memory + n, n);
    counts.emplace_back(memory + 2 * n, n);
  }

  const auto v = hindsight::shards(g, keys);
  hindsight::sort(g.par, v);
  const auto [different, lengths] = hindsight::run_length_encode(
      g.par, v, hindsight::shards(g, values), hindsight::shards(g, counts));
  const std::size_t total = hindsight::reduce(g.par, lengths, std::size_t{0});
  if (g.rank(0) == 0) std::printf("%d GPUs: %zu numbers\n", g.size(), total);

  for (const auto& shard : keys) check(cudaFree(shard.data()));
  return total == n * std::size_t(g.size()) ? 0 : 1;
}

int main(int argc, char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // NVLink multicast is not needed here
  if (const std::string why = hindsight::nccl::why_missing(); !why.empty()) {
    std::printf("%s\n", why.c_str());
    return 77;
  }
#if defined(EXAMPLE_HAS_MPI)
  MPI_Init(&argc, &argv);
  const int status = sort_and_count();
  MPI_Finalize();
  return status;
#else
  static_cast<void>(argc);
  static_cast<void>(argv);
  return sort_and_count();
#endif
}
