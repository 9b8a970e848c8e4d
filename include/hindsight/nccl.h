// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of GPUs over NCCL, which is loaded at run time.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <hindsight/shards.h>

#if HINDSIGHT_CUDA

#  include <hindsight/detail/ranks/nccl_communicator.h>

#  include <algorithm>
#  include <chrono>
#  include <limits>
#  include <memory>
#  include <stdexcept>
#  include <string>
#  include <utility>
#  include <vector>

namespace hindsight::nccl {
inline namespace HINDSIGHT_ARCH_ABI {

/// Why NCCL cannot be used here; empty where it can.
///   Time    the first call loads NCCL
///   Memory, Order, Sync, Errors  none
///   Example
///     const std::string why = hindsight::nccl::why_missing();
inline std::string why_missing() {
  try {
    detail::ranks::nccl_library::get();
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// GPUs as ranks: `hindsight::nccl::group g{comms, streams};`, then the calls of shards.h with
/// g.par. comms[i] and streams[i] are those of this process's i-th rank: one rank for each of its
/// GPUs. Borrows both.
///   Memory  64 KiB for each rank of the group, on each GPU
///   Sync    work of a call comes after what is in the rank's stream. A call cannot be captured
///   Errors  std::runtime_error where NCCL is missing or fails, or another rank does not answer
///           within `patience`. Then the communicators were ended by ncclCommAbort: they must not
///           be used again, nor destroyed, and every further call throws
class group : public rank_group<detail::ranks::nccl_communicator> {
 public:
  /// The ranks of this process: a communicator and a stream for each.
  group(const std::vector<ncclComm_t>& comms, const std::vector<cudaStream_t>& streams,
        std::chrono::milliseconds patience = std::chrono::minutes{5})
      : group{comms, streams,
              std::make_shared<detail::ranks::nccl_process>(patience, comms.size())} {}

  /// Whether a communicator has failed.
  bool is_over() const { return process_->is_over; }

 private:
  using communicator = detail::ranks::nccl_communicator;
  using process = std::shared_ptr<detail::ranks::nccl_process>;

  group(const std::vector<ncclComm_t>& comms, const std::vector<cudaStream_t>& streams,
        process shared)
      : rank_group{communicators(comms, streams, shared)}, process_{std::move(shared)} {}

  static std::vector<std::unique_ptr<communicator>> communicators(
      const std::vector<ncclComm_t>& comms, const std::vector<cudaStream_t>& streams,
      const process& shared) {
    if (comms.size() != streams.size())
      throw invalid_call("hindsight::nccl::group: pass as many streams as communicators");
    std::vector<std::unique_ptr<communicator>> ranks;
    for (std::size_t i = 0; i < comms.size(); ++i)
      ranks.push_back(std::make_unique<communicator>(comms[i], streams[i], shared));
    open_to_each_other(ranks, *shared);
    return ranks;
  }

  static void open_to_each_other(const std::vector<std::unique_ptr<communicator>>& ranks,
                                 detail::ranks::nccl_process& shared) {
    std::vector<int> devices;
    for (const auto& rank : ranks) devices.push_back(rank->place().device());
    shared.copies = !ranks.empty() && ranks.size() == std::size_t(ranks.front()->size());
    for (const auto& rank : ranks) shared.copies = shared.copies && rank->open_to(devices);
  }

  process process_;
};

/// Communicators and streams of this process, a pair for each of its GPUs: what a group borrows.
class communicators {
 public:
  communicators(const communicators&) = delete;
  communicators& operator=(const communicators&) = delete;
  virtual ~communicators() {
    for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    if (!are_aborted_)
      for (const ncclComm_t comm : comms_) detail::ranks::nccl_library::get().comm_destroy(comm);
  }

  std::size_t size() const { return devices_.size(); }  ///< number of GPUs of this process
  /// The numbers of the GPUs.
  const std::vector<int>& devices() const { return devices_; }
  /// One for each GPU.
  const std::vector<ncclComm_t>& comms() const { return comms_; }
  /// One for each GPU.
  const std::vector<cudaStream_t>& streams() const { return streams_; }
  /// Call this when a group of them is over (is_over): its communicators were ended and must not be
  /// destroyed.
  void forget_communicators() { are_aborted_ = true; }

 protected:
  communicators() = default;
  /// Adds a GPU, with a stream of its own on it.
  void add_device(int device) {
    const detail::ranks::device_scope here{device};
    cudaStream_t stream = nullptr;
    detail::throw_on_error(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                           "hindsight::nccl::communicators");
    streams_.push_back(stream);
    devices_.push_back(device);
  }
  /// One for each GPU, in the order of devices().
  std::vector<ncclComm_t> comms_;

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<int> devices_;
  bool are_aborted_ = false;
};

/// Communicators and streams for every GPU that this process sees: for programs of one process.
class all_gpus : public communicators {
 public:
  /// Takes the first `at_most` GPUs.
  explicit all_gpus(int at_most = std::numeric_limits<int>::max()) {
    int count = 0;
    detail::throw_on_error(cudaGetDeviceCount(&count), "hindsight::nccl::all_gpus");
    count = std::min(count, at_most);
    for (int device = 0; device < count; ++device) add_device(device);
    std::vector<ncclComm_t> comms(size());
    const auto& nccl = detail::ranks::nccl_library::get();
    nccl.check(nccl.comm_init_all(comms.data(), count, nullptr), "ncclCommInitAll");
    comms_ = std::move(comms);
  }
};

/// What processes find each other by: one process makes an id and sends it to all, by MPI for
/// instance.
using id = detail::ranks::nccl_id;
/// A new one: one process makes it, and sends its bytes to the others.
///   Time, Memory  those of ncclGetUniqueId
///   Order, Sync  none
///   Errors  std::runtime_error where NCCL is missing or fails
///   Example
///     const hindsight::nccl::id all = hindsight::nccl::make_id();
inline id make_id() {
  id made{};
  const auto& nccl = detail::ranks::nccl_library::get();
  nccl.check(nccl.get_unique_id(&made), "ncclGetUniqueId");
  return made;
}

/// A communicator and a stream for one GPU: for programs with a process for each GPU.
class one_gpu : public communicators {
 public:
  /// Joins as process `rank` of num_processes. All pass the same `id`. Returns when all have
  /// joined. Call cudaSetDevice(device) before: a thread that has chosen no device goes back to
  /// GPU 0, where CUDA makes a context of some hundred MB.
  one_gpu(const id& all, int rank, int num_processes, int device) {
    add_device(device);
    const detail::ranks::device_scope here{device};
    ncclComm_t comm = nullptr;
    const auto& nccl = detail::ranks::nccl_library::get();
    nccl.check(nccl.comm_init_rank(&comm, num_processes, all, rank), "ncclCommInitRank");
    comms_.push_back(comm);
  }
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::nccl

#endif
