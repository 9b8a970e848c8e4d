// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are threads of one process and copy from each other's memory.
#pragma once

#include <hindsight/detail/ranks/member.h>
#include <hindsight/detail/ranks/rendezvous.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {

template <class Place>
class loopback_communicator {
 public:
  loopback_communicator(rendezvous& all, int rank, Place place)
      : rendezvous_{all}, rank_{rank}, place_{std::move(place)} {}

  int rank() const { return rank_; }
  int size() const { return rendezvous_.num_ranks(); }
  const Place& place() const { return place_; }

  void all_gather(const void* mine, void* all, std::size_t bytes) {
    rendezvous_.gather(rank_, mine, all, bytes);
  }

  void all_to_all(const std::vector<piece>& send, const std::vector<piece>& receive) {
    rendezvous_.meet(rank_, &send, [&](const std::vector<const void*>& shown) {
      for (std::size_t i = 0; i < receive.size(); ++i) {
        const std::size_t source = i % shown.size(), k = i / shown.size();
        const auto& sent = *static_cast<const std::vector<piece>*>(shown[source]);
        place_.copy(receive[i].data, sent[k * shown.size() + std::size_t(rank_)].data,
                    receive[i].bytes);
      }
    });
  }

  void abort() noexcept { rendezvous_.abort(); }

 private:
  rendezvous& rendezvous_;
  int rank_;
  Place place_;
};

}  // namespace hindsight::detail::ranks
