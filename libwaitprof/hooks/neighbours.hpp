// The neighbours of this process in a communicator with a topology (MPI 4.0, 8.6), in the order in which
// neighbourhood collectives address them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/handles/communicators.hpp"

namespace waitprof::hooks {

class NeighbourList {
 public:
  NeighbourList(const Communicator& communicator, bool sources) noexcept;

  std::uint32_t count() const noexcept { return count_; }
  int rank(std::uint32_t i) const noexcept;  // in the communicator, or MPI_PROC_NULL

 private:
  int grid_neighbour(std::uint32_t dimension, int step) const noexcept;

  const Communicator& communicator_;
  std::uint32_t first_ = 0, count_ = 0;  // in the communicator's edges; Cartesian: two for each dimension
};

inline NeighbourList sources(const Communicator& communicator) noexcept {
  return {communicator, true};
}
inline NeighbourList destinations(const Communicator& communicator) noexcept {
  return {communicator, false};
}

}  // namespace waitprof::hooks
