// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that was mapped piece by piece, as some allocators do it.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "driver_testing.h"
#include <cstddef>
#include <vector>

namespace hindsight_test {

/// Device memory in pieces, of which the driver knows the size of each one alone.
class pieces_of_memory {
 public:
  explicit pieces_of_memory(std::size_t least_bytes) {
    check(cudaFree(nullptr));
    CUmemAllocationProp what{};
    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check(cudaGetDevice(&what.location.id));
    check(HINDSIGHT_DRIVER(cuMemGetAllocationGranularity)(&piece_bytes_, &what,
                                                          CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    const std::size_t num_pieces = (least_bytes - 1) / piece_bytes_ + 1;
    check(HINDSIGHT_DRIVER(cuMemAddressReserve)(&first_, num_pieces * piece_bytes_, 0, 0, 0));
    for (std::size_t i = 0; i < num_pieces; ++i) {
      memory_.push_back(0);
      check(HINDSIGHT_DRIVER(cuMemCreate)(&memory_[i], piece_bytes_, &what, 0));
      check(HINDSIGHT_DRIVER(cuMemMap)(first_ + i * piece_bytes_, piece_bytes_, 0, memory_[i], 0));
    }
    CUmemAccessDesc access{};
    access.location = what.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check(HINDSIGHT_DRIVER(cuMemSetAccess)(first_, num_pieces * piece_bytes_, &access, 1));
  }
  pieces_of_memory(const pieces_of_memory&) = delete;
  pieces_of_memory& operator=(const pieces_of_memory&) = delete;
  ~pieces_of_memory() {
    cudaDeviceSynchronize();
    HINDSIGHT_DRIVER(cuMemUnmap)(first_, memory_.size() * piece_bytes_);
    for (const CUmemGenericAllocationHandle piece : memory_) HINDSIGHT_DRIVER(cuMemRelease)(piece);
    HINDSIGHT_DRIVER(cuMemAddressFree)(first_, memory_.size() * piece_bytes_);
  }
  /// Copies items to the end of the first piece, the last of its bytes, and the pieces behind it.
  template <class T>
  const T* assign(const std::vector<T>& items, std::size_t bytes_of_first) const {
    T* const to = reinterpret_cast<T*>(first_ + piece_bytes_ - bytes_of_first);
    check(cudaMemcpy(to, items.data(), items.size() * sizeof(T), cudaMemcpyDefault));
    return to;
  }

 private:
  CUdeviceptr first_ = 0;
  std::size_t piece_bytes_ = 0;
  std::vector<CUmemGenericAllocationHandle> memory_;
};

}  // namespace hindsight_test
