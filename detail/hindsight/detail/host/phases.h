// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several phases with one team, which saves starting a team for each. It is for threads what
// board/phased_work.cuh is for a GPU.
#pragma once

#include <hindsight/detail/host/team.h>

#include <atomic>
#include <cstddef>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Calls f(phase, piece) for all pieces of all phases. A piece begins when all pieces of earlier
/// phases have ended. Pieces are handed out in order, and a piece waits only for lower ones, which
/// have begun. So the work ends whatever the number of threads is.
///   bytes   of the data; see run_team()
///   Errors  rethrows the first exception, after all threads have ended; later pieces are left out
template <class F>
void for_each_phase(unsigned num_phases, unsigned num_pieces, unsigned num_threads,
                    std::size_t bytes, F f) {
  std::atomic<unsigned> ticket{0}, ended{0};
  std::atomic<bool> failed{false};
  host::run_team(num_threads, bytes, [&](unsigned) {
    for (unsigned i; (i = ticket.fetch_add(1, std::memory_order_relaxed)) < num_phases * num_pieces;
         ended.fetch_add(1, std::memory_order_release)) {
      const unsigned phase = i / num_pieces;
      waiting_thread waiting;
      while (ended.load(std::memory_order_acquire) < phase * num_pieces) waiting.pause();
      if (failed.load(std::memory_order_relaxed)) continue;
      try {
        f(phase, i % num_pieces);
      } catch (...) {
        failed.store(true, std::memory_order_relaxed);
        ended.fetch_add(1, std::memory_order_release);
        throw;
      }
    }
  });
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
