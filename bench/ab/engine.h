// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that the program measures on: a GPU (engine_cuda.cu) or host threads
// (engine_host.cpp). All that differs between them is behind these declarations, and in what
// HINDSIGHT_CUDA guards in the families.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ab {

/// kernel: a Device* call, temporary memory given, between two events; of what has no such call, a
/// Thrust call that does not wait. All is enqueued before the GPU begins, except where the call
/// waits all the same, as stock's reduce_by_key does: its time then has a part of the host's.
/// whole_call: a Thrust call as its user makes it, by the host clock until it returns.
enum class mode { kernel, whole_call };
inline const char* name(mode measured) {
  return measured == mode::kernel ? "kernel" : "whole_call";
}

/// Where a buffer lies: near the engine, or where both the host and the engine can access it.
enum class memory { engine, shared };

/// How often a call is timed: until `seconds` are spent or `most` runs are made, `least` at least.
struct run_limits {
  int warm_up, least, most;
  double seconds;
};

/// Measured rates that no memory-bound call can exceed, in GB/s: bytes read and written by a copy,
/// and bytes read by a sum. Data that stays in a cache can be faster.
struct ceilings {
  double copy_gbytes_per_s, read_gbytes_per_s;
};

/// What the head of a report says of the machine. Host programs have no driver and toolkit, GPU
/// programs no threads.
struct machine {
  std::string device, system;
  std::optional<int> driver, toolkit, threads;
  int cccl;  ///< CCCL_VERSION of the stock side
};

namespace engine {

extern const std::vector<mode> modes;  ///< that exist, the default first
extern const std::vector<std::size_t> default_sizes;
extern const run_limits limits;

/// Why nothing can be run here, or an empty string.
std::string why_unusable();

/// Why times that are taken now mean little, or an empty string.
std::string why_unreliable();

machine describe();
ceilings measure_ceilings();

/// The time of one call, which starts on an idle machine.
double milliseconds(const std::function<void()>& call, mode measured);

/// cudaMalloc hands out small arrays from 2 MiB chunks, and is three times as fast where one is
/// partly in use already. At first the program's own buffers fill whole chunks, so that neither
/// side's temporary memory profits from them. After this call they have the size of their items,
/// which leaves chunks that stock can use. Returns false where allocation knows no such chunks.
[[nodiscard]] bool use_small_buffers();

/// Throws std::bad_alloc where there is too little memory. Whoever goes on after that, or after a
/// case that threw it, calls the second: the next launch would report the error otherwise.
void* allocate(std::size_t bytes, memory where);
void forget_failed_allocation();
void release(void* data, memory where) noexcept;
void fill(void* data, unsigned char byte, std::size_t bytes);
void copy(void* to, const void* from, std::size_t bytes);  ///< between any two kinds of memory
/// The first of n items whose bits differ, or n; both arrays are in engine memory.
std::size_t first_difference(const void* a, const void* b, std::size_t item_bytes, std::size_t n);

}  // namespace engine

/// Memory [bytes].
class buffer {
 public:
  explicit buffer(std::size_t bytes, memory where = memory::engine)
      : data_{engine::allocate(bytes, where)}, bytes_{bytes}, where_{where} {}
  buffer(buffer&& other) noexcept : data_{other.data_}, bytes_{other.bytes_}, where_{other.where_} {
    other.data_ = nullptr;
  }
  buffer(const buffer&) = delete;
  buffer& operator=(buffer&&) = delete;
  ~buffer() {
    if (data_) engine::release(data_, where_);
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  void poison() const { engine::fill(data_, 0xab, bytes_); }

 private:
  void* data_;
  std::size_t bytes_;
  memory where_;
};

}  // namespace ab
