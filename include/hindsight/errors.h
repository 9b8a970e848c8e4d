// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls throw besides errors of CUDA, Thrust and the standard library.
#pragma once
#if !defined(HINDSIGHT_SHOW_WARNINGS)
#  pragma GCC system_header
#endif

#include <stdexcept>
#include <string>

namespace hindsight {

/// A call that was refused because of its arguments: nothing was launched and nothing was written.
/// (For a workspace that is too small, see workspace.h.) what() names the algorithm, what was wrong
/// and what would be right. Faults of the machine (no GPU, no memory, a failed launch) are
/// thrust::system_error or std::bad_alloc instead.
class invalid_call : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by a call over several ranks, on every rank that did not fail, if another rank failed.
/// what() names the algorithm, the rank and what that rank threw.
class rank_failed : public std::runtime_error {
 public:
  /// `what` of rank `rank`.
  rank_failed(const std::string& what, int rank) : std::runtime_error{what}, rank_{rank} {}
  int rank() const { return rank_; }  ///< the one that failed

 private:
  int rank_;
};

}  // namespace hindsight
