// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One device for whole calls of the library, as a program makes them: its streams, its memory, its
// graphs. What it does is as late and as hostile as CUDA allows:
//
//   - Work waits in its stream until somebody waits for it. Then other streams may run before.
//   - Memory that was freed in a stream's order is overwritten when its turn comes. Later calls in
//     the stream may get it at once, those in other streams from then on.
//   - While a stream is being captured, what CUDA forbids then fails, and breaks the capture.
//   - Graphs run their nodes in any order that these allow, and other streams run between them.
//   - Any function may be told to fail.
//   - The default stream waits for all streams, and they for it, but for those made non-blocking.
//
// A launch that fails (a race, a deadlock) is an error that stays, as CUDA has it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace emulation {

/// What the calls so far have asked of the runtime.
struct asked {
  unsigned launches = 0;  ///< of anything: kernels, copies, fills
  unsigned waits = 0;
  unsigned allocations = 0;  ///< cudaMalloc and the like: not those of the pool
};
asked& asked_so_far();

/// A new device: no error, nothing in any stream. From here on `seed` decides which stream runs,
/// and which machine it is (schedule.h).
void reset_device(std::uint64_t seed);

/// Why a launch failed, or nothing.
const std::string& failed_launch();

/// Of the calls of the runtime and the launches from here on, the one with that number fails, and
/// does nothing; none where it is negative. What gives memory back never fails.
void fail_at(int call);
/// Whether the call came that was to fail.
bool has_failed();

/// What cudaFree() calls while it waits for the device, if anything.
std::function<void()>& while_free_waits();

/// From here on every call fails, as after a kernel that read beyond its memory, until
/// cudaDeviceReset() or reset_device().
void break_context();

/// Arrays in device memory that the program has, and those of the pool.
std::size_t living_arrays();

}  // namespace emulation
