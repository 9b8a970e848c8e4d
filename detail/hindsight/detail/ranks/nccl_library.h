// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of NCCL that are used, found at run time. So a program compiles and links without
// NCCL. Their types are those of nccl.h of NCCL 2, with int in place of enumerations.
#pragma once

#include <hindsight/detail/config.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <dlfcn.h>
#include <stdexcept>
#include <string>

struct ncclComm;
typedef struct ncclComm* ncclComm_t;  // as nccl.h has it

namespace hindsight::detail::ranks {
inline namespace HINDSIGHT_VERSION_ABI {

/// ncclUniqueId, which is passed by value.
struct nccl_id {
  char internal[128];
};

struct nccl_library {
  static constexpr int success = 0;
  static constexpr int in_progress = 7;
  static constexpr int bytes = 0;  ///< ncclInt8

  int (*get_unique_id)(nccl_id*);
  int (*comm_init_rank)(ncclComm_t*, int, nccl_id, int);
  int (*comm_init_all)(ncclComm_t*, int, const int*);
  int (*comm_destroy)(ncclComm_t);
  int (*comm_abort)(ncclComm_t);
  int (*comm_count)(ncclComm_t, int*);
  int (*comm_device)(ncclComm_t, int*);
  int (*comm_rank)(ncclComm_t, int*);
  int (*comm_async_error)(ncclComm_t, int*);
  const char* (*error_string)(int);
  int (*all_gather)(const void*, void*, std::size_t, int, ncclComm_t, cudaStream_t);
  int (*send)(const void*, std::size_t, int, int, ncclComm_t, cudaStream_t);
  int (*receive)(void*, std::size_t, int, int, ncclComm_t, cudaStream_t);
  int (*group_start)();
  int (*group_end)();

  /// Throws std::runtime_error where there is no NCCL.
  static const nccl_library& get() {
    static const nccl_library library;
    return library;
  }

  void check(int status, const char* what) const {
    if (status != success)
      throw std::runtime_error(std::string{"hindsight::nccl: "} + what + ": " +
                               error_string(status));
  }

 private:
  nccl_library() {
    void* const handle = find();
    load(handle, get_unique_id, "ncclGetUniqueId");
    load(handle, comm_init_rank, "ncclCommInitRank");
    load(handle, comm_init_all, "ncclCommInitAll");
    load(handle, comm_destroy, "ncclCommDestroy");
    load(handle, comm_abort, "ncclCommAbort");
    load(handle, comm_count, "ncclCommCount");
    load(handle, comm_device, "ncclCommCuDevice");
    load(handle, comm_rank, "ncclCommUserRank");
    load(handle, comm_async_error, "ncclCommGetAsyncError");
    load(handle, error_string, "ncclGetErrorString");
    load(handle, all_gather, "ncclAllGather");
    load(handle, send, "ncclSend");
    load(handle, receive, "ncclRecv");
    load(handle, group_start, "ncclGroupStart");
    load(handle, group_end, "ncclGroupEnd");
  }

  /// Takes the NCCL that the process has loaded, if any: the caller's communicators belong to it.
  static void* find() {
    if (dlsym(RTLD_DEFAULT, "ncclAllGather")) return RTLD_DEFAULT;
    if (void* const handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* const why = dlerror();
    throw std::runtime_error(
        std::string{"hindsight::nccl: NCCL is missing: install libnccl.so.2, or put its folder "
                    "into LD_LIBRARY_PATH ("} +
        (why ? why : "dlopen failed") + ")");
  }

  template <class Function>
  static void load(void* handle, Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr)
      throw std::runtime_error(std::string{"hindsight::nccl: this NCCL has no "} + name +
                               "; version 2.7 or later has it");
  }
};

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::ranks
