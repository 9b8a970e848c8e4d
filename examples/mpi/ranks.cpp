// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A communicator of one's own: a rank for each process that mpirun starts, on host threads.
//   mpirun -n 4 example_mpi_ranks
#include <hindsight/shards.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mpi.h>
#include <random>
#include <stdexcept>
#include <vector>

class mpi_communicator {
 public:
  int rank() const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
  int size() const {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
  }
  const hindsight::host_place& place() const { return place_; }

  void all_gather(const void* mine, void* all, std::size_t bytes) {
    const int count = int(bytes);  // these messages are small
    check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD));
  }

  void all_to_all(const std::vector<hindsight::piece>& send,
                  const std::vector<hindsight::piece>& receive) {
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < receive.size(); ++i)
      for_each_part(receive[i], [&](char* part, int bytes) {
        check(MPI_Irecv(part, bytes, MPI_BYTE, int(i) % size(), 0, MPI_COMM_WORLD,
                        &requests.emplace_back()));
      });
    for (std::size_t i = 0; i < send.size(); ++i)
      for_each_part(send[i], [&](const char* part, int bytes) {
        check(MPI_Isend(part, bytes, MPI_BYTE, int(i) % size(), 0, MPI_COMM_WORLD,
                        &requests.emplace_back()));
      });
    check(MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  void abort() noexcept { MPI_Abort(MPI_COMM_WORLD, 1); }

 private:
  /// MPI counts bytes in an int.
  template <class Use>
  static void for_each_part(const hindsight::piece& piece, Use use) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t at = 0; at < piece.bytes; at += most)
      use(static_cast<char*>(piece.data) + at, int(std::min(most, piece.bytes - at)));
  }
  static void check(int status) {
    if (status != MPI_SUCCESS) throw std::runtime_error("MPI failed");
  }
  hindsight::host_place place_;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    std::vector<std::unique_ptr<mpi_communicator>> one_rank;
    one_rank.push_back(std::make_unique<mpi_communicator>());
    const hindsight::rank_group<mpi_communicator> g{std::move(one_rank)};

    std::vector<std::vector<unsigned>> keys(1, std::vector<unsigned>(100000));
    std::mt19937 random{unsigned(g.rank(0))};
    std::generate(keys[0].begin(), keys[0].end(), random);
    const auto v = hindsight::shards(g, keys);
    const unsigned sum = hindsight::reduce(g.par, v);
    hindsight::sort(g.par, v);

    const auto [min, max] = hindsight::minmax(g.par, v);
    const bool is_right = std::is_sorted(keys[0].begin(), keys[0].end()) &&
                          sum == hindsight::reduce(g.par, v) &&
                          (g.rank(0) > 0 || keys[0].front() == min) &&
                          (g.rank(0) + 1 < g.size() || keys[0].back() == max);
    std::printf("rank %d of %d: %s\n", g.rank(0), g.size(), is_right ? "sorted" : "WRONG");
    status = is_right ? 0 : 1;
  }
  MPI_Finalize();
  return status;
}
