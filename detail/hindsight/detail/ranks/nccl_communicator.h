// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank whose shard lies on a GPU and whose messages NCCL carries.
#pragma once

#include <hindsight/detail/ranks/member.h>
#include <hindsight/detail/ranks/nccl_library.h>
#include <hindsight/detail/ranks/rendezvous.h>
#include <hindsight/detail/runtime/run.cuh>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_ARCH_ABI {

/// What the ranks of one process share.
struct nccl_process {
  nccl_process(std::chrono::milliseconds wait_at_most, std::size_t num_local)
      : patience{wait_at_most}, local{int(num_local)} {}
  const std::chrono::milliseconds patience;  ///< how long they wait for each other
  std::atomic<bool> is_over{false};          ///< whether one of them has failed
  bool copies = false;  ///< whether GPUs copy pieces from each other's memory, without NCCL
  rendezvous local;
};

struct device_memory_deleter {
  void operator()(char* memory) const {
    if (cudaFree(memory) != cudaSuccess) cudaGetLastError();
  }
};

class nccl_communicator {
 public:
  nccl_communicator(ncclComm_t comm, cudaStream_t stream, std::shared_ptr<nccl_process> process)
      : comm_{comm}, process_{std::move(process)}, place_{device_of(comm), stream} {
    nccl_.check(nccl_.comm_rank(comm, &rank_), "ncclCommUserRank");
    nccl_.check(nccl_.comm_count(comm, &size_), "ncclCommCount");
    const auto here = place_.entered();
    char* gathered = nullptr;
    throw_on_error(cudaMalloc(&gathered, page_bytes * std::size_t(size_ + 1)),
                   "hindsight::nccl::group");
    gathered_.reset(gathered);
    int lowest = 0, highest = 0;
    throw_on_error(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "hindsight::nccl::group");
    throw_on_error(cudaStreamCreateWithPriority(&side_, cudaStreamNonBlocking, highest),
                   "hindsight::nccl::group");
  }
  nccl_communicator(const nccl_communicator&) = delete;
  nccl_communicator& operator=(const nccl_communicator&) = delete;
  ~nccl_communicator() {
    if (cudaStreamDestroy(side_) != cudaSuccess) cudaGetLastError();
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  const gpu_place& place() const { return place_; }

  /// Lets the other devices read this one's memory, and this one theirs. Returns whether they can.
  bool open_to(const std::vector<int>& devices) const {
    const auto here = place_.entered();
    std::vector<cudaMemAccessDesc> others;
    for (const int device : devices) {
      if (device == place_.device()) continue;
      int can_access = 0;
      throw_on_error(cudaDeviceCanAccessPeer(&can_access, place_.device(), device),
                     "hindsight::nccl::group");
      if (!can_access) return false;
      const cudaError_t status = cudaDeviceEnablePeerAccess(device, 0);
      if (status != cudaSuccess) cudaGetLastError();
      if (status != cudaSuccess && status != cudaErrorPeerAccessAlreadyEnabled) return false;
      others.push_back({{cudaMemLocationTypeDevice, device}, cudaMemAccessFlagsProtReadWrite});
    }
    cudaMemPool_t pool = nullptr;
    throw_on_error(current_pool(pool), "hindsight::nccl::group");
    if (!pool || cudaMemPoolSetAccess(pool, others.data(), others.size()) == cudaSuccess)
      return true;
    return cudaGetLastError(), false;
  }

  /// Where all ranks are threads of this process, they copy in host memory, without NCCL.
  void all_gather(const void* mine, void* all, std::size_t bytes) {
    refuse_if_over();
    if (process_->local.num_ranks() == size_) {
      place_.wait();
      return process_->local.gather(rank_, mine, all, bytes);
    }
    const std::size_t ranks = std::size_t(size_);
    char* const sent = gathered_.get() + ranks * page_bytes;
    std::vector<char> page(ranks * std::min(bytes, page_bytes));
    for (std::size_t begin = 0; begin < bytes; begin += page_bytes) {
      const std::size_t count = std::min(page_bytes, bytes - begin);
      copy(sent, static_cast<const char*>(mine) + begin, count, place_.stream());
      check(nccl_.all_gather(sent, gathered_.get(), count, nccl_library::bytes, comm_,
                             place_.stream()),
            "ncclAllGather");
      wait(place_.stream());
      copy(page.data(), gathered_.get(), ranks * count, place_.stream());
      place_.wait();
      for (std::size_t r = 0; r < ranks; ++r)
        std::copy_n(page.data() + r * count, count, static_cast<char*>(all) + r * bytes + begin);
    }
  }

  void all_to_all(const std::vector<piece>& send, const std::vector<piece>& receive) {
    all_to_all_beside(send, receive, [] {});
  }

  /// all_to_all(), and calls work(), which launches other work and does not throw. It is called
  /// while bytes are on the way, or after they have come: see `is_alone`.
  template <class Work>
  void all_to_all_beside(const std::vector<piece>& send, const std::vector<piece>& receive,
                         Work work) {
    refuse_if_over();
    if (process_->copies) return copy_all(send, receive, work);
    // The first launch of a kernel loads it. While other ranks of this process wait in NCCL's
    // kernels, the load could wait for them, and they for this rank.
    const bool is_alone = process_->local.num_ranks() == 1;
    send_and_receive(send, receive);
    const bool keeps = keep_own(send, receive);
    if (is_alone) work();
    wait(side_);
    if (keeps) place_.wait();
    if (!is_alone) work();
  }

  /// Ends what this rank's kernels wait for; the other ranks of the process see it and do the same.
  void abort() noexcept {
    process_->is_over = true;
    process_->local.abort();
    if (!is_aborted_) nccl_.comm_abort(comm_);
    is_aborted_ = true;
  }

 private:
  /// Where each GPU reads the others' memory, its copy engines fetch the pieces. NCCL's kernels
  /// would take multiprocessors from the work that runs beside them, or wait until some are free.
  template <class Work>
  void copy_all(const std::vector<piece>& send, const std::vector<piece>& receive, Work work) {
    process_->local.meet(rank_, &send, [&](const std::vector<const void*>& shown) {
      const std::size_t ranks = shown.size();
      try {
        for (std::size_t round = 0; round < ranks; ++round) {
          const std::size_t source = peer_of_round(round, ranks);
          const auto& sent = *static_cast<const std::vector<piece>*>(shown[source]);
          for (std::size_t first = 0; first < receive.size(); first += ranks)
            copy(receive[first + source].data, sent[first + std::size_t(rank_)].data,
                 receive[first + source].bytes, side_);
        }
        work();
        wait(side_);
      } catch (...) {
        cudaStreamSynchronize(side_);  // before the memory that is copied is given back
        throw;
      }
    });
  }

  /// In each round ranks copy in pairs, or keep to themselves. So no two read from the same rank,
  /// as long as they are in the same round.
  std::size_t peer_of_round(std::size_t round, std::size_t ranks) const {
    const auto rank = std::size_t(rank_);
    const bool is_power_of_two = (ranks & (ranks - 1)) == 0;
    return is_power_of_two ? rank ^ round : (round + ranks - rank) % ranks;
  }

  void send_and_receive(const std::vector<piece>& send, const std::vector<piece>& receive) {
    check(nccl_.group_start(), "ncclGroupStart");
    int status = nccl_library::success;
    const auto add = [&](int added) {
      if (status == nccl_library::success) status = added;
    };
    for (std::size_t i = 0; i < send.size(); ++i) {
      const int peer = int(i % std::size_t(size_));
      if (peer == rank_) continue;
      if (send[i].bytes > 0)
        add(nccl_.send(send[i].data, send[i].bytes, nccl_library::bytes, peer, comm_, side_));
      if (receive[i].bytes > 0)
        add(nccl_.receive(receive[i].data, receive[i].bytes, nccl_library::bytes, peer, comm_,
                          side_));
    }
    add(nccl_.group_end());
    check(status, "ncclSend, ncclRecv");
  }

  /// Copies what stays on this rank. Returns whether there is any.
  bool keep_own(const std::vector<piece>& send, const std::vector<piece>& receive) {
    bool keeps = false;
    for (std::size_t i = std::size_t(rank_); i < send.size(); i += std::size_t(size_)) {
      copy(receive[i].data, send[i].data, receive[i].bytes, place_.stream());
      keeps = keeps || receive[i].bytes > 0;
    }
    return keeps;
  }

  static constexpr std::size_t page_bytes = std::size_t{1} << 16;

  static int device_of(ncclComm_t comm) {
    int device = 0;
    nccl_library::get().check(nccl_library::get().comm_device(comm, &device), "ncclCommCuDevice");
    return device;
  }

  static void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    if (bytes > 0)
      throw_on_error(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream),
                     "hindsight::nccl");
  }

  void refuse_if_over() const {
    if (process_->is_over)
      throw group_is_over("hindsight::nccl: a communicator of this group has failed");
  }

  /// A communicator that does not block says "in progress" where another one would wait.
  void check(int status, const char* what) {
    const auto begin = clock::now();
    while (status == nccl_library::in_progress) {
      give_up_after(begin, what);
      nccl_.check(nccl_.comm_async_error(comm_, &status), what);
    }
    nccl_.check(status, what);
  }

  /// Waits for a stream, for as long as all ranks are well.
  void wait(cudaStream_t stream) {
    const auto begin = clock::now();
    for (unsigned polls = 1;; ++polls) {
      const cudaError_t status = cudaStreamQuery(stream);
      if (status == cudaSuccess) return;
      if (status != cudaErrorNotReady) throw_on_error(status, "hindsight::nccl");
      cudaGetLastError();  // not ready is no error for the next launch to find
      if (polls % 256 != 0) continue;
      int failure = nccl_library::success;
      nccl_.check(nccl_.comm_async_error(comm_, &failure), "ncclCommGetAsyncError");
      if (failure != nccl_library::in_progress) nccl_.check(failure, "a rank or a link failed");
      refuse_if_over();
      give_up_after(begin, "waiting for the other ranks");
      std::this_thread::yield();
    }
  }

  using clock = std::chrono::steady_clock;
  void give_up_after(clock::time_point begin, const char* what) const {
    using std::chrono::milliseconds;  // the clock's unit does not hold every patience
    if (std::chrono::duration_cast<milliseconds>(clock::now() - begin) > process_->patience)
      throw std::runtime_error(std::string{"hindsight::nccl: "} + what + ": no answer within " +
                               std::to_string(process_->patience.count()) + " ms");
  }

  const nccl_library& nccl_ = nccl_library::get();
  ncclComm_t comm_;
  std::shared_ptr<nccl_process> process_;
  gpu_place place_;
  int rank_ = 0, size_ = 0;
  /// [size + 1] pages: what came from each rank, and what is sent
  std::unique_ptr<char, device_memory_deleter> gathered_;
  cudaStream_t side_ = nullptr;  ///< moves pieces; its priority is above that of other streams
  bool is_aborted_ = false;
};
static_assert(works_beside<nccl_communicator>);

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::ranks
